"""Verify binaries from untrusted sources, so that the compiler cannot fail on their contents.

A kernel of a binary runs with the same rights as any kernel, so its behaviour is not checked. But its IR must
be valid, and the binary's description of it (arguments and their offsets, local memory, callees) must match
the IR. LLVM verifies the IR in a separate process, which may crash.
"""

from collections.abc import Mapping, Sequence

from weft import ir
from weft.abi import LARGEST_VARIABLES, VARIABLE
from weft.codegen.backend import accepts
from weft.codegen.host import host_target
from weft.codegen.program_text import ProgramText
from weft.compiler.describe_kernels import describe_kernels
from weft.dataclasses import replace
from weft.errors import WeftError
from weft.frontend.metadata import read_kernels
from weft.ir.types import PointerType, size_of
from weft.ir.verifier import verify
from weft.kernel import KernelCode
from weft.lazy_pattern import lazy_pattern

# Kernels are C identifiers; clang allows letters of all scripts and the dollar.
_IDENTIFIER = lazy_pattern(r"[^\W\d][\w$]*|\$[\w$]*")
# Maximum size of argument blocks, local and private memory; larger sizes are invalid.
_MOST_BYTES = 1 << 31
_POINTED_SPACES = {"global": 1, "constant": 2, "local": 3}


def verify_kernels(kernels: Sequence[KernelCode], builtins: Mapping[str, str], variables: str = "") -> None:
    """Raise ValueError unless kernels are well formed and their descriptions match the IR."""
    try:
        if len({kernel.info.name for kernel in kernels}) < len(kernels):
            raise ValueError("two kernels have the same name")
        for kernel in kernels:
            _verify_kernel(kernel)
        if variables:
            _verify_variables(variables)
    except MemoryError:
        raise
    except Exception as error:  # IR that the compiler cannot read was not written by it
        raise ValueError(f"not a program binary of Weft: {error}") from error
    for module in builtins.values():
        verify_module(module)


def _verify_variables(text: str) -> None:
    """Raise an exception unless a module defines variables in global memory, and nothing else."""
    module = ir.parse(text)
    verify(module)
    if module.functions or any(
        v.initializer is None or not (v.name or "").startswith(VARIABLE) for v in module.variables
    ):
        raise ValueError("the variable module contains more than definitions of variables")
    if sum(size_of(v.value_type) for v in module.variables) > LARGEST_VARIABLES:
        raise ValueError("its variables need more memory than there can be")
    if ir.print_module(module).strip() != text.strip():
        raise ValueError("its variables do not have Weft's form")
    verify_module(text)


def verify_module(text: str) -> None:
    """Raise ValueError unless LLVM accepts a module."""
    try:
        accepted = accepts(text, host_target())
    except WeftError as error:
        raise ValueError(f"not a Weft binary: {error}") from error
    if not accepted:
        raise ValueError("not a Weft binary: its IR is invalid")


def _without_lines(kernel: KernelCode) -> KernelCode:
    """Return the description of a kernel without its text and number of lines."""
    return replace(kernel, text="", traits=replace(kernel.traits, instructions=0, own_instructions=0))


def _verify_kernel(kernel: KernelCode) -> None:
    name = kernel.info.name
    if not _IDENTIFIER.fullmatch(name):
        raise ValueError("the name of a kernel is not an identifier")
    module = ir.parse(kernel.text)
    verify(module)
    infos = [info for info in read_kernels(kernel.text) if info.name == name]
    if infos != [kernel.info]:
        raise ValueError("the description of a kernel does not match its IR")
    # Whether sub-groups make progress is an option of the build.
    progress = kernel.traits.may_wait
    (derived,) = describe_kernels(ProgramText(kernel.text), tuple(infos), progress)
    if replace(derived, text=kernel.text) != kernel:
        raise ValueError("the description of a kernel does not match its IR")
    # Most of the description is derived from the text. Use our own printing of the module, because the
    # original text may be written so that it is misread.
    (derived,) = describe_kernels(ProgramText(ir.print_module(module)), tuple(infos), progress)
    if _without_lines(derived) != _without_lines(kernel):
        raise ValueError("the IR of a kernel does not have LLVM's form")
    end = max((a.offset + a.size for a in kernel.arguments), default=0)
    if max(end, kernel.local_bytes, kernel.private_bytes) > _MOST_BYTES:
        raise ValueError("a kernel needs more memory than there can be")
    for layout, argument in zip(kernel.arguments, module.function(name).arguments, strict=True):
        space = _POINTED_SPACES.get(layout.kind)
        if space is not None and argument.type is not PointerType(space):
            raise ValueError("an argument points to another address space than its IR says")
    verify_module(kernel.text)
