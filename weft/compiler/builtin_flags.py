"""The variants of built-ins that a build selects."""

from weft.builtins.library import BuiltinFlags
from weft.kernel import CodeOptions


def builtin_flags(options: CodeOptions) -> BuiltinFlags:
    """Return the flags of the built-in library for code generation options."""
    return BuiltinFlags(
        fast_relaxed_math=options.fast_relaxed_math,
        finite_math_only=options.finite_math_only,
        denorms_are_zero=options.denorms_are_zero,
        correctly_rounded_divide_sqrt=options.correctly_rounded_divide_sqrt,
    )
