"""Compute the exact range of work-items for which a comparison holds.

A comparison of a linear with a uniform value holds for a range of work-items. With t counting the work-items
from the first of a range of `size` ones,

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
    """The condition as a bound of the range of work-items, if it is one."""
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
    found = shape.of(linear)
    if found is None or found.stride == 0 or found.needs or not shape.is_uniform(uniform):
        return None
    if not isinstance(linear.type, IntType):
        return None
    interval = Intervals().of(linear)
    signed = found.signed or interval is not None
    unsigned = found.unsigned or (interval is not None and interval[0] >= 0)
    if relation == "ne" and unsigned and isinstance(uniform, ConstantInt) and uniform.value == 0:
        sign, relation = "u", "gt"  # as optimizers write it
    if relation == "ne":
        return None
    if relation == "eq":
        # Neighbours differ, and so do any two of less than 2^31 work-items.
        distinct = signed or unsigned or (abs(found.stride) == 1 and linear.type.bits >= 32)
        return Bound(linear, uniform, "", "eq", found.stride) if distinct else None
    if not (unsigned if sign == "u" else signed):
        return None
    return Bound(linear, uniform, sign, relation, found.stride)


class Numbers:
    """Makes instructions that compute with bounds; what is constant is folded."""

    def __init__(self, builder: Builder) -> None:
        self.b = builder

    def narrowed(
        self, bound: Bound, linear: Value, uniform: Value, low: Value, high: Value
    ) -> tuple[Value, Value]:
        """The part of the range from `low` to `high` (not included) for which a bound holds.

        `linear` and `uniform` are the values for the work-item `low`. The range may be empty.
        """
        size = self.b.sub(high, low)
        if bound.relation == "eq":
            return self._only(bound, linear, uniform, low, size)
        rising = bound.stride > 0
        sign, relation = bound.sign, bound.relation
        first = (relation in ("lt", "le")) == rising  # the bound holds for the first ones of the range
        if not first:
            relation = INVERTED[sign + relation][1:]
        small, large = (linear, uniform) if rising else (uniform, linear)
        strict = relation in ("lt", "gt")
        some = self.compare(sign + ("lt" if strict else "le"), small, large)
        distance = self.b.sub(large, small)
        count = self._count(distance, abs(bound.stride), strict, size, some)
        middle = self.b.add(low, count)
        return (low, middle) if first else (middle, high)

    def _count(self, distance: Value, stride: int, strict: bool, size: Value, some: Value) -> Value:
        """How many work-items of `size` ones are less than (`strict`), or at most, a distance away."""
        b = self.b
        distance, limit = self._together(distance, size)
        zero, one = const_int(distance.type, 0), const_int(distance.type, 1)
        if strict:
            if stride != 1:
                steps = self._quotient(b.sub(distance, one), stride)
                distance = b.add(steps, one)
            found = self.least(self.select(some, distance, zero), limit)
        else:
            steps = self._quotient(distance, stride)
            found = self.select(self.compare("ult", steps, limit), b.add(steps, one), limit)
            found = self.select(some, found, zero)
        return b.cast("trunc", found, I32)

    def _only(
        self, bound: Bound, linear: Value, uniform: Value, low: Value, size: Value
    ) -> tuple[Value, Value]:
        """The one work-item for which two numbers are equal."""
        b = self.b
        distance = b.sub(uniform, linear) if bound.stride > 0 else b.sub(linear, uniform)
        distance, limit = self._together(distance, size)
        steps = self._quotient(distance, abs(bound.stride))
        here = self.compare("ult", steps, limit)
        if abs(bound.stride) != 1:
            product = b.mul(steps, const_int(steps.type, abs(bound.stride)))
            here = b.binary("and", here, self.compare("eq", product, distance))
        at = b.add(low, b.cast("trunc", self.select(here, steps, const_int(steps.type, 0)), I32))
        return at, b.add(at, b.cast("zext", here, I32))

    def _together(self, number: Value, size: Value) -> tuple[Value, Value]:
        """A number without sign and a size (i32) in the type that holds both."""
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
        """The smaller one of two numbers without sign."""
        return self.select(self.compare("ult", one, other), one, other)
