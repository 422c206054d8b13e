"""Functions that compiled kernels may call.

These are routines that LLVM emits calls to (memory and math functions of the C library, conversions of half)
and those of the worker pool, which registers its addresses here because it is a higher layer. A function that
a program declares but does not define must never be resolved to a symbol of the host process by accident.
"""

import contextlib
import ctypes
from functools import cache

IMPORTS: dict[str, int] = {}
"""Addresses of functions of the worker pool."""

_MEMORY = ("memcpy", "memmove", "memset", "memcmp", "bcmp")
_TRIGONOMETRY = ("acos", "asin", "atan", "atan2", "cos", "cosh", "sin", "sincos", "sinh", "tan", "tanh")
_POWERS = ("cbrt", "exp", "exp10", "exp2", "ldexp", "log", "log10", "log2", "pow", "sqrt")
_PARTS = ("ceil", "floor", "fmod", "frexp", "modf", "nearbyint", "rint", "round", "roundeven", "trunc")
_MATHEMATICS = (*_TRIGONOMETRY, *_POWERS, *_PARTS, "copysign", "fabs", "fma", "fmax", "fmin")
PROCESS_SYMBOLS = frozenset([*_MEMORY, *_MATHEMATICS, *(f"{name}f" for name in _MATHEMATICS)])


@cache
def process_address(name: str) -> int | None:
    """Return the address of a C library routine that kernels may call; None for other names."""
    if name in PROCESS_SYMBOLS:
        # A C program that embeds Python may not have libm among its global symbols.
        for library in (None, "libm.so.6"):
            with contextlib.suppress(OSError, AttributeError):  # the library or the function does not exist
                return ctypes.cast(getattr(ctypes.CDLL(library), name), ctypes.c_void_p).value
    return None
