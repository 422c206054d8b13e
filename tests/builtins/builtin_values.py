"""Arguments for tests: edge values and random ones of every type."""

import numpy as np
from builtin_harness import INTEGERS, NUMPY


def limits(element: str) -> tuple[int, int]:
    """The least and the largest integer of a type."""
    info = np.iinfo(NUMPY[element])
    return int(info.min), int(info.max)


def bits(element: str) -> int:
    """The size of an integer type in bits."""
    return int(np.iinfo(NUMPY[element]).bits)


def integers(element: str, count: int, seed: int) -> np.ndarray:
    """Edges in the front, then random values of all magnitudes."""
    low, high = limits(element)
    random = np.random.default_rng(seed)
    edges = [
        v for v in (0, 1, 2, 3, high, high - 1, high // 2, low, low + 1, -1, -2, 7, 100) if low <= v <= high
    ]
    wide = random.integers(low, high, count, NUMPY[element], endpoint=True)
    shifted = wide >> random.integers(0, bits(element), count).astype(NUMPY[element])
    return random.permutation(np.concatenate([np.array(edges * 3, NUMPY[element]), wide, shifted])[:count])


def floats(element: str, count: int, seed: int) -> np.ndarray:
    """Special values, then any bit pattern, then ordinary magnitudes."""
    dtype = NUMPY[element]
    info = np.finfo(dtype)
    random = np.random.default_rng(seed)
    special = [
        0.0,
        1.0,
        0.5,
        1.5,
        2.5,
        np.inf,
        np.nan,
        info.max,
        info.tiny,
        info.smallest_subnormal,
        info.eps,
        3.0,
    ]
    special = np.array(special + [-v for v in special], dtype)
    word = np.dtype(f"u{np.dtype(dtype).itemsize}")
    patterns = random.integers(0, np.iinfo(word).max, count, word, endpoint=True).view(dtype)
    ordinary = random.normal(0, 100, count).astype(dtype)
    parts = [special, special, patterns[: count // 3], ordinary]
    return random.permutation(np.concatenate(parts)[:count])


def arguments(element: str, count: int, seed: int) -> np.ndarray:
    """Integers or floats, by type."""
    return integers(element, count, seed) if element in INTEGERS else floats(element, count, seed)


def same(left: np.ndarray, right: np.ndarray) -> np.ndarray:
    """Equal as OpenCL sees it: NaNs are all alike, zeros differ by sign."""
    if left.dtype.kind != "f":
        return left == right
    word = f"u{left.dtype.itemsize}"
    return (left.view(word) == right.view(word)) | (np.isnan(left) & np.isnan(right))
