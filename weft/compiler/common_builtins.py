"""Compile built-ins that kernels often need, before a kernel needs them."""

from weft.builtins.library import link_in
from weft.builtins.widen import widen
from weft.compiler.builtin_flags import builtin_flags
from weft.frontend.options import parse_options
from weft.kernel import CodeOptions
from weft.target import Target

# Functions of floats that are more than an instruction.
_MATHEMATICS = ("_Z4sqrtf", "_Z5rsqrtf", "_Z3expf", "_Z3logf", "_Z3powff", "_Z3sinf", "_Z3cosf")


def compile_common_builtins(target: Target) -> None:
    """Compile built-ins that kernels often need, without special build options, and keep them in memory.

    This takes a tenth of a second of processor time.
    """
    wide = (widen(symbol, target.lanes(32)) for symbol in _MATHEMATICS)
    symbols = (*_MATHEMATICS, *(symbol for symbol in wide if symbol is not None))
    link_in(symbols, target, builtin_flags(CodeOptions.of(parse_options(""))))
