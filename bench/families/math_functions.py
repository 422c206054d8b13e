"""Math functions on arrays that fit into the cache of a core."""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from bench.case import Case, Launch, case

Function = Callable[..., np.ndarray]
Range = tuple[float, float]


@dataclass(frozen=True)
class Measured:
    """A function in numpy, and the range of each argument."""

    reference: Function
    ranges: tuple[Range, ...]


WIDE, POSITIVE, UNIT = (-20.0, 20.0), (0.01, 100.0), (-4.0, 4.0)
FUNCTIONS = {
    "sin": Measured(np.sin, (WIDE,)),
    "cos": Measured(np.cos, (WIDE,)),
    "tan": Measured(np.tan, ((-1.4, 1.4),)),
    "exp": Measured(np.exp, (UNIT,)),
    "exp2": Measured(np.exp2, (UNIT,)),
    "log": Measured(np.log, (POSITIVE,)),
    "log2": Measured(np.log2, (POSITIVE,)),
    "pow": Measured(np.power, ((0.1, 10.0), (-2.0, 2.0))),
    "sqrt": Measured(np.sqrt, (POSITIVE,)),
    "rsqrt": Measured(lambda x: 1 / np.sqrt(x), ((0.1, 100.0),)),
    "tanh": Measured(np.tanh, (UNIT,)),
    "atan2": Measured(np.arctan2, (WIDE, WIDE)),
    "erf": Measured(np.vectorize(math.erf), (UNIT,)),
    "cbrt": Measured(np.cbrt, (WIDE,)),
    "hypot": Measured(np.hypot, (WIDE, WIDE)),
}
TYPES = {"float": np.float32, "double": np.float64}
WIDTHS = (1, 4, 8, 16)


def _source(function: str, kind: str, arguments: int) -> str:
    parameters = "".join(f"__global const {kind} *{name}, " for name in "ab"[:arguments])
    values = ", ".join(f"{name}[i]" for name in "ab"[:arguments])
    return f"""
__kernel void apply({parameters}__global {kind} *result) {{
    size_t i = get_global_id(0);
    result[i] = {function}({values});
}}
"""


def _register(function: str, scalar: str, width: int) -> None:
    measured, kind = FUNCTIONS[function], scalar if width == 1 else f"{scalar}{width}"

    @case(f"math/{function}/{kind}", sizes={"bytes_each": 2**19}, small={"bytes_each": 2**13})
    def make(random: np.random.Generator, bytes_each: int) -> Case:
        count = bytes_each // np.dtype(TYPES[scalar]).itemsize
        arrays = [random.uniform(*limits, count).astype(TYPES[scalar]) for limits in measured.ranges]
        expected = measured.reference(*(array.astype(np.float64) for array in arrays)).astype(TYPES[scalar])
        names = "ab"[: len(arrays)]
        launch = Launch("apply", (*names, "result"), (count // width,), (64,))
        buffers = {**dict(zip(names, arrays, strict=True)), "result": np.zeros_like(expected)}
        tolerance = 1e-5 if scalar == "float" else 1e-13
        source = _source(function, kind, len(arrays))
        return Case(source, [launch], buffers, {"result": expected}, tolerance=tolerance)


for _function in FUNCTIONS:
    for _scalar in TYPES:
        for _width in WIDTHS:
            _register(_function, _scalar, _width)
