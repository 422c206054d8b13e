"""The shape of a value: how it differs between the work-items of a group.

For work-items that compute a value at the same time (in the same iteration of every enclosing loop)

    value(x, y, z) = base + sx * x + sy * y + sz * z      (mod 2^bits)

where x, y, z are their local ids and the strides are numbers known to the compiler. The base is unknown but
the same for all of them. A stride may be unknown (None): then the base also depends on the local id in that
dimension, in any way. So a value is *uniform* if all strides are 0, *varying* if all are unknown, and lanes
along x have consecutive numbers if sx is 1, whatever the stride along y.

In addition to the strides, a shape has facts that are cheap to compute and hold for all work-items at all
times:

- an interval [low, high] that contains the value or the value plus or minus 2^bits, inside
  [-2^(bits-1), 2^bits);
- whether strides hold without the "mod 2^bits" when values are read as signed or unsigned numbers: then they
  survive extension to a wider type.

Numbers are integers and pointers (64 bits). For everything else (floats, vectors, structures) `bits` is 0, a
stride is 0 or unknown, and the other fields have no meaning.

The lattice, the transfer functions (`shape_transfer.py`) and the fixpoint (`shapes.py`) follow RV, the Region
Vectorizer (Moll and Hack, "Partial control-flow linearization", 2018), which has one dimension.
"""

from collections.abc import Iterable
from functools import cache, cached_property
from math import prod
from typing import NamedTuple

from weft.dataclasses import dataclass
from weft.integers import Interval, signed
from weft.ir.types import IntType, PointerType, Type

Stride = int | None
Strides = tuple[Stride, Stride, Stride]

X, Y, Z = 1, 2, 4
ALL = X | Y | Z  # sets of dimensions are bit masks
AXES = (X, Y, Z)
AXIS_NAMES = "xyz"

# No device supports larger groups; a launch with one is rejected.
LARGEST_LOCAL_SIZE = 4096
# No sub-group has more work-items.
LARGEST_SUB_GROUP = 32


@dataclass(frozen=True)
class Geometry:
    """What is known about the launch: the local size, and whether global ids are wide (`abi.ID_BITS`).

    `several_sub_groups`: the work-items belong to several sub-groups.
    """

    local_size: tuple[int, int, int] | None = None
    wide: bool = False
    several_sub_groups: bool = False

    @property
    def work_items(self) -> int | None:
        """The number of work-items of a group, if it is known."""
        return prod(self.local_size) if self.local_size is not None else None

    @cached_property
    def extents(self) -> tuple[int, int, int]:
        """The largest local id that is possible in each dimension."""
        x, y, z = self.local_size or (LARGEST_LOCAL_SIZE,) * 3
        return x - 1, y - 1, z - 1

    @cached_property
    def normalized(self) -> "dict[Shape, Shape]":
        """A cache of `normalized`: few distinct shapes occur, each many times."""
        return {}


class Shape(NamedTuple):
    """One element of the lattice; the module docstring defines the fields.

    The fixpoint creates tens of thousands of shapes, so it is a tuple.
    """

    bits: int
    strides: Strides
    low: int = 0
    high: int = 0
    signed: bool = False
    unsigned: bool = False

    # Queries

    @property
    def is_uniform(self) -> bool:
        """Whether all work-items of the group have the same value."""
        return self.strides == UNIFORM

    @property
    def varying(self) -> int:
        """The dimensions along which the value is not uniform."""
        sx, sy, sz = self.strides
        return (sx != 0) * X | (sy != 0) * Y | (sz != 0) * Z

    @property
    def unknown(self) -> int:
        """The dimensions along which the stride is unknown."""
        sx, sy, sz = self.strides
        return (sx is None) * X | (sy is None) * Y | (sz is None) * Z

    @property
    def constant(self) -> int | None:
        """The unsigned number that every work-item has, or None if it is unknown."""
        fixed = self.low == self.high and self.is_uniform
        return self.low % (1 << self.bits) if self.bits and fixed else None

    @property
    def signed_range(self) -> Interval:
        """Bounds of the value as a signed number."""
        size, half = 1 << self.bits, 1 << self.bits >> 1
        if self.high < half:
            return self.low, self.high
        return (self.low - size, self.high - size) if self.low >= half else (-half, half - 1)

    @property
    def unsigned_range(self) -> Interval:
        """Bounds of the value as an unsigned number."""
        size = 1 << self.bits
        if self.low >= 0:
            return self.low, self.high
        return (self.low + size, self.high + size) if self.high < 0 else (0, size - 1)

    # Weaker shapes

    def without(self, dimensions: int) -> "Shape":
        """Return the shape with unknown strides along some dimensions: the base then depends on these ids."""
        if not dimensions:
            return self
        sx, sy, sz = (None if dimensions & axis else s for s, axis in zip(self.strides, AXES, strict=True))
        return self._replace(strides=(sx, sy, sz))

    def join(self, other: "Shape") -> "Shape":
        """Return the shape of a value that is one or the other, the same choice for all work-items."""
        if self == other:
            return self
        differ = 0
        for stride, other_stride, axis in zip(self.strides, other.strides, AXES, strict=True):
            if stride != other_stride:
                differ |= axis
        one, two = (self.without(differ), other.without(differ)) if differ else (self, other)
        low, high = _hull(one, two)
        signed, unsigned = one.signed and two.signed, one.unsigned and two.unsigned
        return Shape(self.bits, one.strides, low, high, signed, unsigned)

    def __str__(self) -> str:
        return describe(self)


# Strides of uniform and of varying values.
UNIFORM: Strides = (0, 0, 0)
UNKNOWN: Strides = (None, None, None)


def bits_of(type: Type) -> int:
    """Return the width of integers and pointers; 0 for types whose values are not numbers."""
    if isinstance(type, IntType):
        return type.bits
    return 64 if isinstance(type, PointerType) else 0


@cache
def uniform(bits: int) -> Shape:
    """Return the shape of an unknown value that is the same for all work-items."""
    return Shape(bits, UNIFORM, 0, (1 << bits) - 1, bool(bits), bool(bits))


@cache
def varying(bits: int, dimensions: int = ALL) -> Shape:
    """Return the shape that is unknown along some dimensions and uniform along the others."""
    return uniform(bits).without(dimensions)


def constant(bits: int, value: int) -> Shape:
    """Return the shape of a known number."""
    number = signed(value % (1 << bits), bits)
    return Shape(bits, UNIFORM, number, number, True, True)


def fitted(bits: int, low: int, high: int) -> Interval:
    """Return an interval in the range of a shape that contains the same numbers modulo 2^bits."""
    size, half = 1 << bits, 1 << bits >> 1
    if high - low < size - 1:
        if -half <= low and high < size:
            return low, high
        shift = (low + half) // size * size
        if high - shift < size:
            return low - shift, high - shift
    return 0, size - 1


def narrowest(bits: int, intervals: Iterable[Interval]) -> Interval:
    """Return the smallest of several intervals that all contain a value."""
    return min((fitted(bits, *i) for i in intervals), key=lambda i: i[1] - i[0])


def _hull(one: Shape, two: Shape) -> Interval:
    (a, b), (c, d) = one.signed_range, two.signed_range
    (e, f), (g, h) = one.unsigned_range, two.unsigned_range
    return narrowest(one.bits, ((min(a, c), max(b, d)), (min(e, g), max(f, h))))


def span(strides: Strides, extents: tuple[int, int, int]) -> Interval:
    """Return the smallest and the largest sum of strides times local ids."""
    low = high = 0
    for stride, extent in zip(strides, extents, strict=True):
        if stride is not None and stride > 0:
            high += stride * extent
        elif stride is not None:
            low += stride * extent
    return low, high


def normalized(shape: Shape, geometry: Geometry) -> Shape:
    """Return the shape with strides in range, and with facts that follow from its other fields."""
    known = geometry.normalized.get(shape)
    if known is None:
        known = geometry.normalized[shape] = _normalized(shape, geometry)
    return known


def _normalized(shape: Shape, geometry: Geometry) -> Shape:
    bits, extents = shape.bits, geometry.extents
    size, half = 1 << bits, 1 << bits >> 1
    strides = list(shape.strides)
    wrapped = False
    for index, extent in enumerate(extents):
        stride = strides[index]
        if extent == 0:
            strides[index] = 0  # there is only one local id
        elif stride and not -half <= stride < half:
            strides[index] = (stride + half) % size - half
            wrapped = True
    sx, sy, sz = strides
    known: Strides = (sx, sy, sz)
    if not bits:
        return Shape(0, known)
    low, high = shape.low, shape.high
    if low == high:
        # All work-items have the same number: nonzero strides can only concern work-items that do not exist.
        return constant(bits, low)
    if not any(known):
        return Shape(bits, known, low, high, True, True)
    least, most = span(known, extents)
    unflagged = Shape(bits, known, low, high)
    slack = size - (most - least)
    (a, b), (c, d) = unflagged.signed_range, unflagged.unsigned_range
    signed = (shape.signed and not wrapped) or b - a < slack
    unsigned = (shape.unsigned and not wrapped) or d - c < slack
    return Shape(bits, known, low, high, signed, unsigned)


# Text


def describe(shape: Shape) -> str:
    """Return the text form: the strides, then the interval.

    The strides are `uni`, `cont`, `stride(4)` or `x:varying` along x, followed by the other dimensions along
    which the value is not uniform (`cont y:16`, `uni y:varying`); `varying` means all dimensions.
    """
    words = [_strides_text(shape.strides)]
    if shape.bits > 1:
        if shape.constant is not None:
            return f"{words[0]} = {shape.signed_range[0]}"
        if (shape.low, shape.high) != (0, (1 << shape.bits) - 1):
            words.append(f"[{shape.low}, {shape.high}]")
    return " ".join(words)


def _strides_text(strides: Strides) -> str:
    if strides == UNKNOWN:
        return "varying"
    names: dict[Stride, str] = {None: "x:varying", 0: "uni", 1: "cont"}
    words = [names.get(strides[0], f"stride({strides[0]})")]
    for name, stride in zip("yz", strides[1:], strict=True):
        if stride != 0:
            words.append(f"{name}:{'varying' if stride is None else stride}")
    return " ".join(words)
