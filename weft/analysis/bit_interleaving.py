"""Detect accesses in an order that interleaves the bits of x and y, such as a Z-order (Morton) curve.

    out[spread(x) | spread(y) << 1] = …;          // spread(0b1011) = 0b01000101

Neighbours in such an order lie in a small square. A long row of work-items touches one cache line for every
few work-items, and the lines are a power of two apart, so they map to few sets of the cache. Linear time.
"""

from typing import NamedTuple

from weft.ir import ConstantInt, Function, Instruction, Value
from weft.recursion import Definition, Recursion

from .id_evolution import ProbableStrides
from .shape import X, Y
from .shapes import Shapes

# Masks of fewer pieces extract fields of a number, as `x & 7` does.
PIECES = 3


class _Masks(NamedTuple):
    """The masks applied to the numbers that a value is computed from, along one dimension."""

    pieces: int = 0  # the most contiguous pieces of one mask
    single: int = 0  # the union of masks of one bit each

    @property
    def interleave(self) -> bool:
        return max(self.pieces, _pieces(self.single)) >= PIECES


_Along = tuple[_Masks, _Masks]  # along x and along y
_NONE: _Along = (_Masks(), _Masks())


def interleaves_bits(function: Function, shape: Shapes) -> bool:
    """Whether some address combines bits of the ids along x and along y, each in several pieces."""
    strides = ProbableStrides(shape)

    def define(value: Value) -> Definition[Value, _Along]:
        if not isinstance(value, Instruction) or value.info.reads or value.opcode in ("phi", "call"):
            return _NONE
        along = _NONE
        for operand in value.operands:
            part = yield operand
            if part is not _NONE:
                along = part if along is _NONE else (_both(along[0], part[0]), _both(along[1], part[1]))
        if value.opcode == "and" and isinstance(mask := value.operands[1], ConstantInt):
            bits = mask.value & (1 << mask.type.bits) - 1
            more = _Masks(single=bits) if bits.bit_count() == 1 else _Masks(pieces=_pieces(bits))
            if (varying := shape.of(value).varying) == X:
                return _both(along[0], more), along[1]
            if varying == Y:
                return along[0], _both(along[1], more)
        return along

    masks = Recursion(define, _NONE)
    pointers = {i.operands[-1] for i in function.instructions() if i.opcode in ("load", "store")}
    for pointer in pointers:
        along_x, along_y, _ = strides.of(pointer)
        varies = along_x is None and along_y is None and shape.of(pointer).varying & (X | Y) == X | Y
        if varies and all(of_axis.interleave for of_axis in masks(pointer)):
            return True
    return False


def _both(one: _Masks, other: _Masks) -> _Masks:
    return _Masks(max(one.pieces, other.pieces), one.single | other.single)


def _pieces(bits: int) -> int:
    """Count the contiguous pieces of a mask."""
    return (bits & ~(bits << 1)).bit_count()
