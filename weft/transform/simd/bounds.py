"""Compute the exact range of work-items for which a comparison holds.

A comparison of a linear with a uniform value holds for a range of work-items. Let t be the number of a
work-item, counted from the first of a range. Then

    v + k·t <  u    for t < ceil((u - v) / k) if v < u, else for none
    v + k·t <= u    for t <= floor((u - v) / k) if v <= u, else for none

and the others are their complements or mirror images. The difference of two ordered b-bit numbers fits in b
unsigned bits, so nothing wraps unless the sequence itself does. Constants are folded.
"""

from weft.analysis.intervals import Intervals
from weft.analysis.lanes import Lanes
from weft.dataclasses import dataclass
from weft.integers import INVERTED, SWAPPED, apply
from weft.ir import ConstantInt, Instruction, Value
from weft.ir.builder import Builder
from weft.ir.types import I1, I32, IntType
from weft.ir.values import const_int

from .guard import Condition


@dataclass(frozen=True)
class Bound:
    """A comparison `linear relation uniform`, signed or unsigned."""

    linear: Value
    uniform: Value
    sign: str
    relation: str
    stride: int


def bound_of(condition: Condition, shape: Lanes) -> Bound | None:
    """Return the condition as a bound of the range of work-items; None if it is none."""
    compare = condition.value
    if not isinstance(compare, Instruction) or compare.opcode != "icmp":
        return None
    predicate = compare.attributes["predicate"]
    if not condition.holds:
        predicate = INVERTED[predicate]
    linear, uniform = compare.operands
    if shape.is_uniform(linear):
        linear, uniform, predicate = uniform, linear, SWAPPED[predicate]
    sign, relation = ("", predicate) if predicate in ("eq", "ne") else (predicate[0], predicate[1:])
    evolution = shape.of(linear)
    if evolution is None or evolution.stride == 0 or evolution.needs or not shape.is_uniform(uniform):
        return None
    if not isinstance(linear.type, IntType):
        return None
    interval = Intervals().of(linear)
    signed = evolution.signed or interval is not None
    unsigned = evolution.unsigned or (interval is not None and interval[0] >= 0)
    if relation == "ne" and unsigned and isinstance(uniform, ConstantInt) and uniform.value == 0:
        sign, relation = "u", "gt"  # the form that optimizers produce
    if relation == "ne":
        return None
    if relation == "eq":
        # With stride 1, any two of fewer than 2^31 work-items differ.
        distinct = signed or unsigned or (abs(evolution.stride) == 1 and linear.type.bits >= 32)
        return Bound(linear, uniform, "", "eq", evolution.stride) if distinct else None
    if not (unsigned if sign == "u" else signed):
        return None
    return Bound(linear, uniform, sign, relation, evolution.stride)


class Numbers:
    """Emits computations of bounds, with constants folded."""

    def __init__(self, builder: Builder) -> None:
        self.b = builder

    def narrowed(
        self, bound: Bound, linear: Value, uniform: Value, low: Value, high: Value
    ) -> tuple[Value, Value]:
        """Return the part of the half-open range from `low` to `high` for which a bound holds.

        `linear` and `uniform` are the values for work-item `low`. The range may be empty.
        """
        size = self.b.sub(high, low)
        if bound.relation == "eq":
            return self._single_item(bound, linear, uniform, low, size)
        rising = bound.stride > 0
        sign, relation = bound.sign, bound.relation
        first = (relation in ("lt", "le")) == rising  # the bound holds at the start of the range
        if not first:
            relation = INVERTED[sign + relation][1:]
        small, large = (linear, uniform) if rising else (uniform, linear)
        strict = relation in ("lt", "gt")
        any_holds = self.compare(sign + ("lt" if strict else "le"), small, large)
        distance = self.b.sub(large, small)
        count = self._count(distance, abs(bound.stride), strict, size, any_holds)
        middle = self.b.add(low, count)
        return (low, middle) if first else (middle, high)

    def _count(self, distance: Value, stride: int, strict: bool, size: Value, any_holds: Value) -> Value:
        """Return how many of `size` work-items are less than (`strict`), or at most, a distance away."""
        b = self.b
        distance, limit = self._common_type(distance, size)
        zero, one = const_int(distance.type, 0), const_int(distance.type, 1)
        if strict:
            if stride != 1:
                steps = self._quotient(b.sub(distance, one), stride)
                distance = b.add(steps, one)
            count = self.least(self.select(any_holds, distance, zero), limit)
        else:
            steps = self._quotient(distance, stride)
            count = self.select(self.compare("ult", steps, limit), b.add(steps, one), limit)
            count = self.select(any_holds, count, zero)
        return b.cast("trunc", count, I32)

    def _single_item(
        self, bound: Bound, linear: Value, uniform: Value, low: Value, size: Value
    ) -> tuple[Value, Value]:
        """Return the range of the one work-item for which two numbers are equal."""
        b = self.b
        distance = b.sub(uniform, linear) if bound.stride > 0 else b.sub(linear, uniform)
        distance, limit = self._common_type(distance, size)
        steps = self._quotient(distance, abs(bound.stride))
        exists = self.compare("ult", steps, limit)
        if abs(bound.stride) != 1:
            product = b.mul(steps, const_int(steps.type, abs(bound.stride)))
            exists = b.binary("and", exists, self.compare("eq", product, distance))
        item = b.add(low, b.cast("trunc", self.select(exists, steps, const_int(steps.type, 0)), I32))
        return item, b.add(item, b.cast("zext", exists, I32))

    def _common_type(self, number: Value, size: Value) -> tuple[Value, Value]:
        """Convert an unsigned number and a size (i32) to the wider of their types."""
        assert isinstance(number.type, IntType)
        if number.type.bits < 32:
            return self.b.cast("zext", number, I32), size
        return number, self.b.cast("zext", size, number.type)

    def _quotient(self, number: Value, divisor: int) -> Value:
        if isinstance(number, ConstantInt):
            return const_int(number.type, number.value // divisor)
        return self.b.binary("udiv", number, const_int(number.type, divisor))

    def compare(self, predicate: str, left: Value, right: Value) -> Value:
        if isinstance(left, ConstantInt) and isinstance(right, ConstantInt):
            numbers, bits = (left.value, right.value), left.type.bits
            return const_int(I1, apply("icmp", 1, numbers, bits, predicate=predicate) or 0)
        return self.b.icmp(predicate, left, right)

    def select(self, condition: Value, yes: Value, no: Value) -> Value:
        if isinstance(condition, ConstantInt):
            return yes if condition.value else no
        return self.b.select(condition, yes, no)

    def least(self, one: Value, other: Value) -> Value:
        """Return the smaller of two unsigned numbers."""
        return self.select(self.compare("ult", one, other), one, other)
