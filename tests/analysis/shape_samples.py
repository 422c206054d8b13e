"""Random numbers for the work-items of a small group, with a shape that is true of them.

Every number of bits, stride and base is possible, and so is every shape between the most exact one and one
that says hardly anything: this is what the transfer functions must be right about.
"""

from dataclasses import dataclass
from itertools import product

from hypothesis import strategies as st

from weft.analysis.shape import ALL, AXES, Geometry, Shape, fitted, normalized

Ids = tuple[int, int, int]

GEOMETRIES = tuple(
    Geometry(size) for size in ((4, 1, 1), (4, 2, 1), (3, 2, 2), (1, 3, 1), (8, 1, 1), (2, 5, 1))
)


@dataclass(frozen=True)
class Sample:
    """The number of each work-item, unsigned, and a shape of it."""

    numbers: dict[Ids, int]
    shape: Shape


def ids(geometry: Geometry) -> list[Ids]:
    """The local ids of a group."""
    assert geometry.local_size is not None
    return [(x, y, z) for x, y, z in product(*(range(s) for s in geometry.local_size))]


@st.composite
def samples(draw: st.DrawFn, bits: int, geometry: Geometry) -> Sample:
    """Numbers of the work-items and a true shape."""
    size = 1 << bits
    unknown = draw(st.sampled_from((0, 0, 0, 1, 2, ALL)))
    stride = st.one_of(
        st.sampled_from((0, 0, 1, 1, -1, 2, 4)), st.integers(-(size >> 1), (size >> 1) - 1)
    ).map(lambda s: fitted(bits, s, s)[0])
    strides = [None if unknown & axis else draw(stride) for axis in AXES]
    step = draw(st.sampled_from((1, 2, 4, size, size)))
    start = draw(st.one_of(st.integers(0, 3), st.integers(0, size - 1)))
    bases: dict[tuple[int, ...], int] = {}
    numbers = {}
    for item in ids(geometry):
        place = tuple(i for i, axis in zip(item, AXES, strict=True) if unknown & axis)
        if place not in bases:
            bases[place] = start + step * draw(st.integers(0, size - 1))
        distance = sum(s * i for s, i in zip(strides, item, strict=True) if s is not None)
        numbers[item] = (bases[place] + distance) % size
    low, high = draw(st.sampled_from(_intervals(bits, list(numbers.values()))))
    sx, sy, sz = strides
    shape = Shape(bits, (sx, sy, sz), low, high)
    signed = draw(st.booleans()) and is_exact(shape, numbers, signed=True)
    unsigned = draw(st.booleans()) and is_exact(shape, numbers, signed=False)
    shape = Shape(bits, (sx, sy, sz), low, high, signed, unsigned)
    return Sample(numbers, normalized(shape, geometry))


def _intervals(bits: int, numbers: list[int]) -> list[tuple[int, int]]:
    size = 1 << bits
    signed = [as_signed(n, bits) for n in numbers]
    tight = fitted(bits, min(numbers), max(numbers)), fitted(bits, min(signed), max(signed))
    return [(0, size - 1), (0, size - 1), *tight]


def as_signed(number: int, bits: int) -> int:
    """An unsigned number as the signed number with the same bits."""
    return number - (1 << bits) if number >> (bits - 1) else number


def is_exact(shape: Shape, numbers: dict[Ids, int], signed: bool) -> bool:
    """Whether strides hold for numbers as integers."""
    read = {i: as_signed(n, shape.bits) if signed else n for i, n in numbers.items()}
    return all(read[b] - read[a] == d for a, b, d in _pairs(shape, read))


def _pairs(shape: Shape, numbers: dict[Ids, int]) -> list[tuple[Ids, Ids, int]]:
    """Work-items that the strides relate, and their distance."""
    first: dict[tuple[int, ...], Ids] = {}
    pairs = []
    for item in numbers:
        place = tuple(i for i, axis in zip(item, AXES, strict=True) if shape.unknown & axis)
        start = first.setdefault(place, item)
        strides = zip(shape.strides, start, item, strict=True)
        pairs.append((start, item, sum(s * (b - a) for s, a, b in strides if s is not None)))
    return pairs


def refuted(shape: Shape, numbers: dict[Ids, int]) -> str | None:
    """What is wrong with a shape of these numbers; work-items whose result is poison are left out."""
    size = 1 << shape.bits
    for item, number in numbers.items():
        if not any(shape.low <= n <= shape.high for n in (number, number - size)):
            return f"interval, {number} for {item}"
    if any((numbers[b] - numbers[a] - d) % size for a, b, d in _pairs(shape, numbers)):
        return "strides"
    if shape.signed and not is_exact(shape, numbers, signed=True):
        return "signed"
    if shape.unsigned and not is_exact(shape, numbers, signed=False):
        return "unsigned"
    return None
