"""Functions that code on a device server may call, in the order of the server's import table.

`setup.py` writes the C header with the same names, so this module imports nothing from Weft.
"""

import zlib

SOURCES = ("server/server.c", "server/allocate.c", "format.c", "loop_choice.c", "sub_groups.c", "sync.c")
"""The C files of the server, relative to this folder."""

_MEMORY = ("memcpy", "memmove", "memset", "memcmp", "bcmp")
_TRIGONOMETRY = ("acos", "asin", "atan", "atan2", "cos", "cosh", "sin", "sincos", "sinh", "tan", "tanh")
_POWERS = ("cbrt", "exp", "exp10", "exp2", "ldexp", "log", "log10", "log2", "pow", "sqrt")
_PARTS = ("ceil", "floor", "fmod", "frexp", "modf", "nearbyint", "rint", "round", "roundeven", "trunc")
_MATHEMATICS = (*_TRIGONOMETRY, *_POWERS, *_PARTS, "copysign", "fabs", "fma", "fmax", "fmin")

_SUB_GROUPS = ("weft_begin_sub_groups", "weft_await_sub_groups", "weft_end_sub_groups", "weft_yield")
_LOOPS = ("weft_strategy_to_try", "weft_strategy_tried", "weft_loop_launched")

NAMES = (
    "weft_printf",
    *_SUB_GROUPS,
    *_LOOPS,
    *_MEMORY,
    *_MATHEMATICS,
    *(f"{name}f" for name in _MATHEMATICS),
)

# Identifies the names and their order, which must be the same on both sides.
KEY = zlib.crc32(" ".join(NAMES).encode())


def header() -> str:
    """Return the C header with which the server is compiled."""
    names = " ".join(f"X({name})" for name in NAMES)
    return f"#define WEFT_IMPORTS_KEY {KEY}u\n#define WEFT_IMPORTS(X) {names}\n"
