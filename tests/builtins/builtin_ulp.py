"""Errors in units in the last place, against mpmath, and arguments that are hard for each function."""

from collections.abc import Callable, Sequence

import numpy as np
from builtin_harness import NUMPY
from builtin_values import same
from mpmath import mp, mpc, mpf

Reference = Callable[..., mpf]


def references(function: Reference, arguments: Sequence[np.ndarray]) -> list[mpf]:
    """The exact results; NaN where there is no real one."""
    results = []
    for row in zip(*arguments, strict=True):
        try:
            value = function(*(mpf(float(x)) if x.dtype.kind == "f" else int(x) for x in row))
        except (ZeroDivisionError, ValueError):  # poles
            value = mp.nan
        results.append(mp.nan if isinstance(value, mpc) else value)
    return results


def errors(results: np.ndarray, exact: Sequence[mpf]) -> np.ndarray:
    """|result - exact| in units of the last place of the exact value; nothing is asked where that is NaN."""
    info = np.finfo(results.dtype)
    found = []
    for result, value in zip(results.astype(float), exact, strict=True):
        if not mp.isfinite(value):
            found.append(0.0)
        elif not np.isfinite(result):
            # Overflow is right where the nearest number beyond the largest would be nearer.
            limit = mpf(float(info.max)) * (1 + mpf(2) ** (-info.nmant - 3))
            found.append(0.0 if abs(value) >= limit and result != 0 and not np.isnan(result) else np.inf)
        elif value == 0:
            found.append(0.0 if result == 0 else np.inf)
        else:
            exponent = max(int(mp.floor(mp.log(abs(value), 2))), info.minexp)
            found.append(float(abs(mpf(float(result)) - value) / mpf(2) ** (exponent - info.nmant)))
    return np.array(found)


def half_errors(results: np.ndarray, exact: np.ndarray) -> np.ndarray:
    """Errors of half in units in the last place, against double; none where both round to the same."""
    with np.errstate(all="ignore"):
        alike = same(results, exact.astype(np.float16))
        exponent = np.maximum(np.frexp(exact)[1] - 1, -14)
        found = np.abs(results.astype(float) - exact) / 2.0 ** (exponent - 10.0)
    bounded = np.where(np.isfinite(found), found, np.inf)
    # The nearest half is at most half a unit away, which overflow need not be.
    return np.where(alike & ~np.isfinite(results), 0.0, np.where(alike, np.minimum(bounded, 0.5), bounded))


def arguments(kind: str, element: str, count: int, seed: int) -> np.ndarray:
    """Arguments of one `kind`: all magnitudes, and densely where the function is interesting."""
    random = np.random.default_rng(seed)
    dtype = NUMPY[element]
    word = np.uint32 if element == "float" else np.uint64
    patterns = random.integers(0, np.iinfo(word).max, 2 * count, word, endpoint=True).view(dtype)
    patterns = patterns[np.isfinite(patterns)][:count]
    exponential = {"float": 88.6, "double": 709.5}[element]
    parts = {
        "any": [patterns, random.normal(0, 1, count), random.normal(0, 10, count)],
        "angle": [patterns, random.uniform(-10, 10, count), _near_quarter_turns(random, count)],
        "positive": [np.abs(patterns), random.uniform(0.3, 3, count), 1 + random.normal(0, 1e-4, count)],
        "unit": [
            patterns[np.abs(patterns) <= 1],
            random.uniform(-1, 1, count),
            1 - random.uniform(0, 1e-3, count),
        ],
        "above one": [
            patterns[patterns >= 1],
            1 + np.abs(random.normal(0, 1, count)),
            1 + random.uniform(0, 1e-3, count),
        ],
        "above minus one": [
            patterns[patterns > -1],
            random.uniform(-0.99, 3, count),
            random.normal(0, 1e-3, count),
        ],
        "exponent": [random.uniform(-exponential * 1.16, exponential, count), random.normal(0, 1, count)],
        "exponent of two": [
            random.uniform(-1.16, 1, count) * exponential / np.log(2),
            random.normal(0, 1, count),
        ],
        "exponent of ten": [
            random.uniform(-1.16, 1, count) * exponential / np.log(10),
            random.normal(0, 1, count),
        ],
        "small": [patterns[np.abs(patterns) < 20], random.normal(0, 1, count), random.uniform(-7, 7, count)],
        "turns": [
            random.uniform(-1e6, 1e6, count),
            random.normal(0, 1, count),
            patterns,
        ],
        "gamma": [
            random.uniform(-12, 8, count),
            random.uniform(0, exponential / 3, count).clip(0, 171.6),
            _near_poles(random, count // 2),
        ],
        "tail": [random.normal(0, 1, count), random.uniform(-7, 9.9 if element == "float" else 26, count)],
    }[kind]
    with np.errstate(over="ignore"):
        values = np.concatenate([np.asarray(part, float) for part in parts]).astype(dtype)
    values = values[np.isfinite(values)]
    # A whole number of vectors of every width.
    return random.permutation(values)[: len(values) // 48 * 48]


def _near_poles(random: np.random.Generator, count: int) -> np.ndarray:
    """Numbers next to zero, and next to negative integers, where gamma is infinite."""
    tiny = 2.0 ** random.uniform(-1020, -1, count) * random.choice([-1.0, 1.0], count)
    return np.concatenate([tiny, -random.integers(1, 176, count) + 2.0 ** random.uniform(-44, -1, count)])


def _near_quarter_turns(random: np.random.Generator, count: int) -> np.ndarray:
    """Numbers next to multiples of pi/2, also those that are nearest of all floats and of all doubles."""
    multiples = random.integers(-200000, 200000, count) * (np.pi / 2)
    nearest = [
        16367173.0 * 2.0**72,
        6381956970095103.0 * 2.0**797,
        6411027962775774.0 * 2.0**-48,
        np.pi,
        3 * np.pi / 2,
    ]
    multiples[: len(nearest)] = nearest
    return multiples
