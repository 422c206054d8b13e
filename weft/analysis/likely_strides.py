"""Distances that lanes are likely to have although nothing proves it.

    row = e % c;  column = e / c;  for (y = max(row - w, 0); …) … = window[column * w + row - y]

Only divisions, remainders, minima and the like keep these addresses from being linear. Neighbours are in the
same row for most lanes, and most rows begin with y = 0: then the addresses lie side by side. With c known
only at run time no proof can say so, but the code can look (`transform/simd/tidy_loops.py`). What is loaded
from memory, as the columns of a sparse matrix, has no likely distance.

A value that depends on itself around a loop has the distances with which it enters.
"""

from weft.ir import Instruction, Value
from weft.ir.types import size_of
from weft.ir.values import ConstantInt

from .lanes import Lanes

# Strides that a value may have; more are no help.
_MOST = 4
_DEPTH = 24
_SAME = ("sext", "zext", "trunc", "freeze")
_BOUNDS = ("llvm.smax.", "llvm.smin.", "llvm.umax.", "llvm.umin.")


def likely_in_line(shape: Lanes, pointer: Value, size: int) -> bool:
    """Whether lanes are likely to have addresses side by side, or all the same, of elements of a size."""
    found = likely_strides(shape, pointer)
    return found is not None and not found.isdisjoint((0, size))


def likely_strides(shape: Lanes, value: Value) -> frozenset[int] | None:
    """The distances that a value is likely to have from lane to lane; None if nothing is known."""
    return _Strides(shape).of(value, _DEPTH)


class _Strides:
    """The distances that a value is likely to have from lane to lane; None if nothing is known."""

    def __init__(self, shape: Lanes) -> None:
        self.shape = shape
        self.open: set[Value] = set()

    def of(self, value: Value, depth: int) -> frozenset[int] | None:
        shape = self.shape.of(value)
        if shape is not None:
            return frozenset((shape.stride,))
        if not isinstance(value, Instruction) or depth == 0:
            return None
        if value in self.open:
            return frozenset()  # what goes around a loop adds nothing to what enters it
        self.open.add(value)
        found = self._computed(value, depth - 1)
        self.open.discard(value)
        return found if found is not None and len(found) <= _MOST else None

    def _computed(self, i: Instruction, depth: int) -> frozenset[int] | None:
        operands = i.operands
        if i.opcode in _SAME or i.opcode in ("srem", "urem"):
            return self.of(operands[0], depth)
        if i.opcode in ("sdiv", "udiv"):
            return frozenset((0,))
        if i.opcode == "phi":
            return self._any_of([value for value, _ in i.incoming()], depth)
        if i.opcode == "select":
            return self._any_of(operands[1:], depth)
        if i.opcode == "call" and i.called_function is not None:
            is_bound = (i.called_function.name or "").startswith(_BOUNDS)
            return self._any_of(i.arguments, depth) if is_bound else None
        if i.opcode in ("add", "sub"):
            sign = 1 if i.opcode == "add" else -1
            return self._sum(self.of(operands[0], depth), self.of(operands[1], depth), sign)
        if i.opcode == "getelementptr" and len(operands) == 2:
            size = size_of(i.attributes["element_type"])
            return self._sum(self.of(operands[0], depth), self.of(operands[1], depth), size)
        if i.opcode == "mul":
            return self._product(operands[0], operands[1], depth)
        return None

    def _any_of(self, values: list[Value], depth: int) -> frozenset[int] | None:
        found: frozenset[int] = frozenset()
        for value in values:
            strides = self.of(value, depth)
            if strides is None:
                return None
            found |= strides
        return found

    def _sum(
        self, left: frozenset[int] | None, right: frozenset[int] | None, factor: int
    ) -> frozenset[int] | None:
        if left is None or right is None:
            return None
        return frozenset(a + factor * b for a in left for b in right)

    def _product(self, left: Value, right: Value, depth: int) -> frozenset[int] | None:
        if isinstance(left, ConstantInt):
            left, right = right, left
        strides = self.of(left, depth)
        if strides is None:
            return None
        if isinstance(right, ConstantInt):
            return frozenset(stride * right.signed for stride in strides)
        other = self.of(right, depth)
        # A product with a number that is not known is in line only if nothing differs.
        return frozenset((0,)) if other is not None and 0 in strides and 0 in other else None
