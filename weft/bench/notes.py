"""Why a benchmark falls short of its goal: the measured reason, in a few words; shown beside its ratios.

What has no entry here meets its goal, or has not been looked into.
"""

_ROOTS_OF_FLOATS = "16 roots take Zen 4 9.9 cycles: 22 µs in a C loop of vsqrtps"
_ROOTS_OF_DOUBLES = "8 roots take Zen 4 15.8 cycles: 34 µs in a C loop of vsqrtpd"

NOTES: dict[str, str] = {
    "math/exp/float16": "a copy takes 12 µs of it; 17 vector instructions for 16 floats",
    "math/exp2/float16": "a copy takes 12 µs of it; 15 vector instructions for 16 floats",
    "math/log/double8": "27 vector instructions for 8 doubles, of which the division takes 9 cycles of 19",
    "math/log/double16": "27 vector instructions for 8 doubles, of which the division takes 9 cycles of 19",
    "math/rsqrt/float16": "a copy takes 12 µs of it; 11 vector instructions for 16 floats",
    **{f"math/sqrt/float{width}": _ROOTS_OF_FLOATS for width in ("", 8, 16)},
    **{f"math/sqrt/double{width}": _ROOTS_OF_DOUBLES for width in ("", 4, 8, 16)},
}
