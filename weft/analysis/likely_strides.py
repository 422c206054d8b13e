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
from weft.recursion import Definition, Recursion

from .lanes import Lanes

Strides = frozenset[int]
# Strides that a value may have; more are no help.
_MOST = 4
_SAME = ("sext", "zext", "trunc", "freeze")
_BOUNDS = ("llvm.smax.", "llvm.smin.", "llvm.umax.", "llvm.umin.")


def likely_in_line(shape: Lanes, pointer: Value, size: int) -> bool:
    """Whether lanes are likely to have addresses side by side, or all the same, of elements of a size."""
    found = likely_strides(shape, pointer)
    return found is not None and not found.isdisjoint((0, size))


def likely_strides(shape: Lanes, value: Value) -> frozenset[int] | None:
    """The distances that a value is likely to have from lane to lane; None if nothing is known."""
    return _Strides(shape).of(value)


class _Strides:
    """The distances that values are likely to have from lane to lane; None if nothing is known."""

    def __init__(self, shape: Lanes) -> None:
        self.shape = shape
        # What goes around a loop adds nothing to what enters it.
        self.of: Recursion[Value, Strides | None] = Recursion(self._of, frozenset())

    def _of(self, value: Value) -> Definition[Value, Strides | None]:
        shape = self.shape.of(value)
        if shape is not None:
            return frozenset((shape.stride,))
        if not isinstance(value, Instruction):
            return None
        found = yield from self._computed(value)
        return found if found is not None and len(found) <= _MOST else None

    def _computed(self, i: Instruction) -> Definition[Value, Strides | None]:
        operands = i.operands
        if i.opcode in _SAME or i.opcode in ("srem", "urem"):
            return (yield operands[0])
        if i.opcode in ("sdiv", "udiv"):
            return frozenset((0,))
        if i.opcode == "phi":
            return (yield from self._any_of([value for value, _ in i.incoming()]))
        if i.opcode == "select":
            return (yield from self._any_of(operands[1:]))
        if i.opcode == "call" and i.called_function is not None:
            is_bound = (i.called_function.name or "").startswith(_BOUNDS)
            return (yield from self._any_of(i.arguments)) if is_bound else None
        if i.opcode in ("add", "sub"):
            return _sum((yield operands[0]), (yield operands[1]), 1 if i.opcode == "add" else -1)
        if i.opcode == "getelementptr" and len(operands) == 2:
            return _sum((yield operands[0]), (yield operands[1]), size_of(i.attributes["element_type"]))
        if i.opcode == "mul":
            return (yield from self._product(operands[0], operands[1]))
        return None

    def _any_of(self, values: list[Value]) -> Definition[Value, Strides | None]:
        found: Strides = frozenset()
        for value in values:
            strides = yield value
            if strides is None:
                return None
            found |= strides
        return found

    def _product(self, left: Value, right: Value) -> Definition[Value, Strides | None]:
        if isinstance(left, ConstantInt):
            left, right = right, left
        strides = yield left
        if strides is None:
            return None
        if isinstance(right, ConstantInt):
            return frozenset(stride * right.signed for stride in strides)
        other = yield right
        # A product with a number that is not known is in line only if nothing differs.
        return frozenset((0,)) if other is not None and 0 in strides and 0 in other else None


def _sum(left: Strides | None, right: Strides | None, factor: int) -> Strides | None:
    if left is None or right is None:
        return None
    return frozenset(a + factor * b for a in left for b in right)
