"""Measured reasons why benchmarks miss their goals, shown next to their ratios.

A benchmark without an entry meets its goal, or has not been investigated.
"""

_ROOTS_OF_FLOATS = "16 roots take Zen 4 9.9 cycles: 22 µs in a C loop of vsqrtps"
_ROOTS_OF_DOUBLES = "8 roots take Zen 4 15.8 cycles: 34 µs in a C loop of vsqrtpd"

NOTES: dict[str, str] = {
    "limits/matrix product, 512": "103 of the 117 GFLOP/s that multiply-adds in registers reach on a core",
    "math/exp2/float16": "16 floats take Zen 4 7.0 cycles: 15.6 µs in a C loop without a launch",
    **{f"math/sqrt/float{width}": _ROOTS_OF_FLOATS for width in ("", 8, 16)},
    **{f"math/sqrt/double{width}": _ROOTS_OF_DOUBLES for width in ("", 4, 8, 16)},
}
