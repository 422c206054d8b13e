"""The kernels of the study: the paper's four applications, its memory access patterns, and two traversals.

This module imports only numpy, so that a machine without Weft can use it (see `worker.py`). `scale`
multiplies the side length: a GPU needs more work than a core.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

FOLDER = Path(__file__).with_name("kernels")
Values = dict[str, Any]

_FILTER = 17
_BLOCK = 5
_SIDE, _MATRIX = 512, 384
_OPTIONS = 1 << 18
_RATE, _VOLATILITY, _OMEGA = 0.02, 0.3, 1.5


@dataclass(frozen=True)
class Launch:
    """The arguments of a kernel in order, its expected result, its range and its traffic."""

    arguments: Values
    expected: Mapping[str, np.ndarray]
    global_size: tuple[int, ...]
    loaded: int
    """Bytes that all work-items load and store, by the source."""
    tolerance: float = 1e-4


@dataclass(frozen=True)
class Subject:
    """A kernel; `name` is also the name of its file and its function."""

    name: str
    short: str
    make: Callable[[np.random.Generator, int], Launch] = field(repr=False)
    pattern: str = ""
    """The access pattern of a kernel: within a work-item, and between adjacent work-items."""

    @property
    def file(self) -> Path:
        """The path of the source."""
        return FOLDER / f"{self.name}.cl"


def _matrix_multiplication(random: np.random.Generator, scale: int) -> Launch:
    n = _MATRIX * scale
    a, b = (random.random((n, n), np.float32) for _ in range(2))
    arguments = {"a": a, "b": b, "c": np.zeros((n, n), np.float32), "n": np.int32(n)}
    return Launch(arguments, {"c": a @ b}, (n, n), 4 * n * n * (2 * n + 1))


def _convolution(random: np.random.Generator, scale: int) -> Launch:
    n, m = _SIDE * scale, _FILTER
    image = random.random((n + m - 1, n + m - 1), np.float32)
    weights = random.random((m, m), np.float32)
    out = np.zeros((n, n), np.float32)
    expected = _blocks(image, n, m, weights)
    arguments = {"image": image, "filter": weights, "out": out, "n": np.int32(n)}
    return Launch(arguments, {"out": expected}, (n, n), 4 * n * n * (2 * m * m + 1))


def _blocks(image: np.ndarray, n: int, m: int, weights: np.ndarray) -> np.ndarray:
    total = np.zeros((n, n), np.float64)
    for j in range(m):
        for i in range(m):
            total += image[j : j + n, i : i + n] * weights[j, i]
    return total.astype(np.float32)


def _normal(d: np.ndarray) -> np.ndarray:
    """Return the polynomial of the kernel in double precision."""
    k = 1 / (1 + 0.2316419 * np.abs(d))
    series = k * (0.31938153 + k * (-0.356563782 + k * (1.781477937 + k * (-1.821255978 + k * 1.330274429))))
    tail = 0.39894228 * np.exp(-0.5 * d * d) * series
    return np.where(d > 0, 1 - tail, tail)


def _black_scholes(random: np.random.Generator, scale: int) -> Launch:
    n = _OPTIONS * scale * scale
    price, strike, years = (
        random.uniform(low, high, n).astype(np.float32) for low, high in ((5, 30), (1, 100), (0.25, 10))
    )
    s, x, t = (array.astype(np.float64) for array in (price, strike, years))
    spread = _VOLATILITY * np.sqrt(t)
    d1 = (np.log(s / x) + (_RATE + 0.5 * _VOLATILITY**2) * t) / spread
    n1, n2 = _normal(d1), _normal(d1 - spread)
    discounted = x * np.exp(-_RATE * t)
    call, put = s * n1 - discounted * n2, discounted * (1 - n2) - s * (1 - n1)
    arguments = {
        **{"price": price, "strike": strike, "years": years},
        **{"call": np.zeros(n, np.float32), "put": np.zeros(n, np.float32)},
        **{"rate": np.float32(_RATE), "volatility": np.float32(_VOLATILITY)},
    }
    return Launch(arguments, {"call": call, "put": put}, (n,), 20 * n, 1e-3)


def _red_black_sor(random: np.random.Generator, scale: int) -> Launch:
    n = 2 * _SIDE * scale
    mine, other = (random.random((n + 2, n + 2), np.float32) for _ in range(2))
    expected = mine.copy()
    inner = slice(1, n + 1)
    for side in (-1, 1):
        # Rows whose neighbour along x is on this side; the colour is 0.
        rows = slice(2, n + 1, 2) if side == -1 else slice(1, n + 1, 2)
        up = slice(rows.start - 1, n, 2)
        down = slice(rows.start + 1, n + 2, 2)
        around = other[rows, inner] + other[rows, 1 + side : n + 1 + side]
        around = around + other[up, inner] + other[down, inner]
        expected[rows, inner] = (1 - _OMEGA) * mine[rows, inner] + _OMEGA * 0.25 * around
    arguments = {
        **{"mine": mine, "other": other, "n": np.int32(n)},
        **{"colour": np.int32(0), "omega": np.float32(_OMEGA)},
    }
    return Launch(arguments, {"mine": expected}, (n, n), 24 * n * n)


def _single(random: np.random.Generator, scale: int) -> Launch:
    n = 4 * _OPTIONS * scale * scale
    values = random.random(n, np.float32)
    arguments = {"in": values, "out": np.zeros(n, np.float32)}
    return Launch(arguments, {"out": values + 1}, (n,), 8 * n)


def _matrix_sums(axis: int) -> Callable[[np.random.Generator, int], Launch]:
    def make(random: np.random.Generator, scale: int) -> Launch:
        n = _MATRIX * scale
        values = random.random((n, n), np.float32)
        sums = values.sum(axis, np.float64).astype(np.float32)
        expected = np.repeat(sums[:, None], n, 1) if axis == 1 else np.repeat(sums[None], n, 0)
        arguments = {"in": values, "out": np.zeros((n, n), np.float32), "n": np.int32(n)}
        return Launch(arguments, {"out": expected}, (n, n), 4 * n * n * (n + 1))

    return make


def _block(random: np.random.Generator, scale: int) -> Launch:
    n, m = 2 * _SIDE * scale, _BLOCK
    values = random.random((n + m - 1, n + m - 1), np.float32)
    arguments = {"in": values, "out": np.zeros((n, n), np.float32), "n": np.int32(n)}
    expected = _blocks(values, n, m, np.ones((m, m), np.float32))
    return Launch(arguments, {"out": expected}, (n, n), 4 * n * n * (m * m + 1))


def _neighbours(random: np.random.Generator, scale: int) -> Launch:
    n = 2 * _SIDE * scale
    values = random.random((n + 2, n + 2), np.float32)
    expected = np.zeros((n + 2, n + 2), np.float32)
    expected[1:-1, 1:-1] = values[1:-1, :-2] + values[1:-1, 2:] + values[:-2, 1:-1] + values[2:, 1:-1]
    arguments = {"in": values, "out": np.zeros((n + 2, n + 2), np.float32), "n": np.int32(n)}
    return Launch(arguments, {"out": expected}, (n, n), 20 * n * n)


def _walk(axis: int) -> Callable[[np.random.Generator, int], Launch]:
    def make(random: np.random.Generator, scale: int) -> Launch:
        n = 4 * _SIDE * scale
        values = random.random((n, n), np.float32)
        arguments = {"in": values, "out": np.zeros(n, np.float32), "n": np.int32(n)}
        return Launch(arguments, {"out": values.sum(axis, np.float64)}, (n,), 4 * n * (n + 1))

    return make


APPLICATIONS = (
    Subject("matrix_multiplication", "MM", _matrix_multiplication),
    Subject("convolution", "IC", _convolution),
    Subject("black_scholes", "BS", _black_scholes),
    Subject("red_black_sor", "SOR", _red_black_sor),
)
PATTERNS = (
    Subject("single_separate", "SS", _single, "single, separate"),
    Subject("row_focused", "RF", _matrix_sums(1), "row, focused"),
    Subject("column_separate", "CS", _matrix_sums(0), "column, separate"),
    Subject("block_separate", "BS", _block, "block, separate"),
    Subject("neighbours_separate", "NS", _neighbours, "neighbours, separate"),
)
WALKS = (
    Subject("row_major", "row-major", _walk(1)),
    Subject("column_major", "column-major", _walk(0)),
)
SUBJECTS = {subject.name: subject for subject in (*APPLICATIONS, *PATTERNS, *WALKS)}
