"""Intervals of integers in a work-group function, as signed numbers, assuming no wrap-around.

    %a = zext i8 %x to i32              ; 0 to 255
    %b = mul i32 %a, 3                  ; 0 to 765, so that it could have nsw and nuw
    %c = add i32 %b, %n                 ; not known

A number has an interval if no operation that leads to it from numbers of known intervals can wrap. The caller
provides the intervals of ids and counters. Linear in the computation of a number.
"""

from collections.abc import Callable, Mapping
from itertools import product

from weft.integers import Interval
from weft.ir import ConstantInt, Instruction, Value
from weft.ir.types import IntType, bit_width
from weft.recursion import Definition, Recursion

# Operations whose result may have fewer bits than its type; and the lowest number that is not an int.
_FEWER_BITS = frozenset(("and", "lshr", "zext"))
_SIGN = 1 << 31
# The most operations that a search for known bits follows.
_STEPS = 16


class Intervals:
    """`leaf` returns the intervals of some instructions, `known` has those of some values."""

    def __init__(
        self,
        leaf: Callable[[Instruction], Interval | None] = lambda i: None,
        known: Mapping[Value, Interval] | None = None,
    ) -> None:
        self._leaf = leaf
        # The smallest and the largest number; None if unknown.
        self.of: Recursion[Value, Interval | None] = Recursion(self._of, None, dict(known or {}))

    def _of(self, value: Value) -> Definition[Value, Interval | None]:
        if isinstance(value, ConstantInt):
            return value.signed, value.signed
        if not isinstance(value, Instruction) or not isinstance(value.type, IntType):
            return None
        limit = 1 << value.type.bits - 1
        interval = self._leaf(value)
        if interval is None:
            interval = yield from self._computed(value)
        if interval is None and value.opcode in _FEWER_BITS and (bits := possible_bits(value)) < _SIGN:
            interval = 0, bits
        return interval if interval is not None and -limit <= interval[0] and interval[1] < limit else None

    def _computed(self, i: Instruction) -> Definition[Value, Interval | None]:
        match i.opcode:
            case "zext" if "nneg" in i.flags:
                return (yield i.operands[0]) or (0, (1 << bit_width(i.operands[0].type) - 1) - 1)
            case "zext" | "sext" | "trunc":
                interval = yield i.operands[0]
                return None if interval is None or (i.opcode == "zext" and interval[0] < 0) else interval
            case "add" | "sub" | "mul" | "shl":
                left, right = (yield i.operands[0]), (yield i.operands[1])
            case "or" if "disjoint" in i.flags:
                left, right = (yield i.operands[0]), (yield i.operands[1])
            case _:
                return None
        if left is None or right is None:
            return None
        match i.opcode:
            case "add" | "or":
                return left[0] + right[0], left[1] + right[1]
            case "sub":
                return left[0] - right[1], left[1] - right[0]
            case "shl":
                if not 0 <= right[0] == right[1] < 64:
                    return None
                right = (1 << right[0],) * 2
        ends = [a * b for a, b in product(left, right)]
        return min(ends), max(ends)


def possible_bits(value: Value) -> int:
    """Return a mask of the bits that may be set in a number, following a few operations back."""
    steps: list[Instruction] = []
    while len(steps) < _STEPS and isinstance(value, Instruction):
        shift = value.opcode in ("shl", "lshr", "and") and isinstance(value.operands[1], ConstantInt)
        if not shift and value.opcode != "zext":
            break
        steps.append(value)
        value = value.operands[0]
    bits = value.value if isinstance(value, ConstantInt) else -1
    bits &= _all_bits(value)
    for step in reversed(steps):
        other = step.operands[-1]
        by = other.value if isinstance(other, ConstantInt) else 0
        match step.opcode:
            case "shl":
                bits = bits << by & _all_bits(step)
            case "lshr":
                bits >>= by
            case "and":
                bits &= by
    return bits


def _all_bits(value: Value) -> int:
    assert isinstance(value.type, IntType)
    return (1 << value.type.bits) - 1
