"""Detect accesses in an order that interleaves the bits of x and y, such as a Z-order (Morton) curve.

    out[spread(x) | spread(y) << 1] = …;          // spread(0b1011) = 0b01000101

Neighbours in such an order are those in a small square. A long row of work-items touches a cache line for
every few of them, and lines a power of two apart, which fall into few sets of the cache.
"""

from weft.ir import ConstantInt, Function, Instruction
from weft.ir.slices import backward_slice

from .id_evolution import ProbableStrides
from .shape import X, Y
from .shapes import Shapes

# Masks of fewer pieces cut out fields of a number, as in `x & 7`.
PIECES = 3


def interleaves_bits(function: Function, shape: Shapes) -> bool:
    """Whether some address holds bits of the ids along x and along y, each in several pieces."""
    strides = ProbableStrides(shape)
    pointers = {i.operands[-1] for i in function.instructions() if i.opcode in ("load", "store")}
    for pointer in pointers:
        along_x, along_y, _ = strides.of(pointer)
        if along_x is None and along_y is None and shape.of(pointer).varying & (X | Y) == X | Y:
            masks: dict[int, list[int]] = {X: [], Y: []}  # of numbers that differ along one dimension
            for i in backward_slice([pointer], _is_arithmetic):
                if i.opcode == "and" and isinstance(mask := i.operands[1], ConstantInt):
                    masks.get(shape.of(i).varying, []).append(mask.value & (1 << mask.type.bits) - 1)
            if all(_pieces(found) >= PIECES for found in masks.values()):
                return True
    return False


def _is_arithmetic(i: Instruction) -> bool:
    return not i.info.reads and i.opcode not in ("phi", "call")


def _pieces(masks: list[int]) -> int:
    """The most pieces in which a mask leaves bits, or several masks of one bit each."""
    single = sum({mask for mask in masks if mask.bit_count() == 1})
    return max((bits & ~(bits << 1)).bit_count() for bits in (*masks, single))
