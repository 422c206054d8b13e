"""Affine lower and upper bounds of integers of a work-item, in values known at the start of its iteration.

    x + dx          with dx counting from -3 to 3:     from  base + counter - 3  to  base + counter + 4
    min(y, h) - 1                                      not affine

The bounds are numbers, not residues modulo 2^32: a 32-bit sum has bounds only if its flags exclude
wrap-around (if it wraps it is poison, and any statement about it is true), a 64-bit sum only if its operands
are too small to wrap. So the bounds can be tested in 64 bits.

The induction variable of an inner loop lies between its start and the bound that ends the loop. If these are
not constants, that holds under a condition: an expression that must not be negative. The conditions of a
value are those of all values it is computed from.

32-bit sums that may wrap, such as those of OpenCL vectors, have bounds only with `may_wrap`, under the
condition that their range lies within 32 bits.
"""

from typing import NamedTuple

from weft.ir import Argument, ConstantInt, Instruction, Value
from weft.ir.loops import Loop, LoopForest
from weft.ir.types import I32, I64
from weft.recursion import Definition, Recursion

from .affine import NOTHING, Affine
from .evolution import before_extension
from .induction import Induction, counted_exits, induction

# Limits of constants and factors, far below those of 64 bits.
_LARGEST = 1 << 40
_LARGEST_FACTOR = 1 << 16
_MOST_TERMS = 16
_MOST_CONDITIONS = 64
_LEAST_INT, _LARGEST_INT = -(1 << 31), (1 << 31) - 1
# For a counter that steps up: the predicates under which its loop continues, and the distance from the bound
# to the counter that the loop ends with. Steps down are the mirror image.
_UP = {"slt": 0, "ne": 0, "sle": 1}
_DOWN = {"sgt": 0, "ne": 0, "sge": -1}


class AffineRange(NamedTuple):
    """A value in [low, high], if no expression in `conditions` is negative.

    The conditions also imply that the instructions in `sums`, which have no flags, do not wrap.
    """

    low: Affine
    high: Affine
    conditions: tuple[Affine, ...] = ()
    sums: frozenset[Instruction] = frozenset()

    def plus(self, other: "AffineRange", factor: int = 1) -> "AffineRange":
        """Add `factor` times another range."""
        low, high = (other.low, other.high) if factor > 0 else (other.high, other.low)
        conditions = self.conditions
        if other.conditions:
            conditions = tuple(dict.fromkeys(conditions + other.conditions))
        sums = self.sums | other.sums if other.sums else self.sums
        return AffineRange(self.low.plus(low, factor), self.high.plus(high, factor), conditions, sums)

    def on(self, condition: Affine) -> "AffineRange":
        """Add the condition that an expression is not negative."""
        return self._replace(conditions=(*self.conditions, condition))


ZERO = AffineRange(NOTHING, NOTHING)
AffineRangeOf = Definition[Value, AffineRange | None]


class AffineRanges:
    """The ranges of integers in the body of a work-item loop.

    `of` returns the range of a value, or None. `same` maps instructions to values that equal them under
    conditions that the caller tests. With `may_wrap`, sums that may wrap have ranges too.
    """

    def __init__(self, loop: Loop, counter: Instruction, forest: LoopForest, may_wrap: bool = False) -> None:
        self.loop, self.counter, self.forest, self.may_wrap = loop, counter, forest, may_wrap
        self.same: dict[Instruction, Value] = {}
        self.of = Recursion(self._of, None)

    def _of(self, value: Value) -> AffineRangeOf:
        if isinstance(value, ConstantInt):
            return _constant(value.signed) if abs(value.signed) < _LARGEST else None
        if value.type not in (I32, I64):
            return None
        if isinstance(value, Argument):
            return _leaf(value)
        if not isinstance(value, Instruction):
            return None
        if value is self.counter:
            return _leaf(value)
        if value in self.same:
            return (yield self.same[value])
        bounds = yield from self._computed(value)
        if bounds is not None and not _is_small(bounds):
            bounds = None
        if bounds is None and value.block not in self.loop.blocks:
            return _leaf(value)
        return bounds

    def _computed(self, i: Instruction) -> AffineRangeOf:
        match i.opcode:
            case "add" | "sub" if i.type is I64 or "nsw" in i.flags:
                left, right = (yield i.operands[0]), (yield i.operands[1])
                if left is None or right is None:
                    return None
                return left.plus(right, 1 if i.opcode == "add" else -1)
            case "add" | "sub" if self.may_wrap and i.block in self.loop.blocks:
                left, right = (yield i.operands[0]), (yield i.operands[1])
                if left is None or right is None:
                    return None
                total = left.plus(right, 1 if i.opcode == "add" else -1)
                total = total._replace(sums=total.sums | {i})
                above = total.low.plus(Affine((), _LEAST_INT), -1)
                return total.on(above).on(Affine((), _LARGEST_INT).plus(total.high, -1))
            case "or" if "disjoint" in i.flags:  # no carries, so it cannot wrap
                left, right = (yield i.operands[0]), (yield i.operands[1])
                return left.plus(right) if left is not None and right is not None else None
            case "mul" | "shl" if i.type is I64 or "nsw" in i.flags:
                by = i.operands[1]
                factor = by.signed if isinstance(by, ConstantInt) else 0
                if i.opcode == "shl":
                    factor = 1 << factor if 0 < factor < 16 else 0
                operand = (yield i.operands[0]) if 0 < abs(factor) < _LARGEST_FACTOR else None
                return ZERO.plus(operand, factor) if operand is not None else None
            case "sext":
                return (yield i.operands[0])
            case "zext":
                operand = yield i.operands[0]
                return operand if operand is None or "nneg" in i.flags else operand.on(operand.low)
            case "trunc" if (source := before_extension(i)) is not None:
                return (yield source)
            case "phi":
                limits = self._limits(i)
                if limits is None:
                    return None
                start, end = (yield limits.start), (yield limits.end)
                if start is None or end is None:
                    return None
                end = end.plus(_constant(limits.beyond))
                first, last = (start, end) if limits.step > 0 else (end, start)
                # The counter ends at the bound only if the bound is not before the start.
                conditions = (*start.conditions, *end.conditions, last.low.plus(first.high, -1))
                sums = start.sums | end.sums
                return AffineRange(first.low, last.high, tuple(dict.fromkeys(conditions)), sums)
        return None

    def _limits(self, phi: Instruction) -> "_Limits | None":
        """Return the start and end of the counter of an inner loop that counts by one."""
        loop = self.forest.loop_of(phi.block) if phi.block is not None else None
        if loop is None or loop.header is not phi.block or phi.block not in self.loop.blocks:
            return None
        counter = induction(loop, phi)
        if counter is None or counter.start is None or phi.type is not I32:
            return None
        if counter.step not in (1, -1) or not counter.signed:
            return None
        bound = _bound(loop, counter)
        return _Limits(counter.start, *bound, counter.step) if bound is not None else None


class _Limits(NamedTuple):
    """The start of a counter, its bound, the distance from the bound to its last value, and its step."""

    start: Value
    end: Value
    beyond: int
    step: int


def _is_small(bounds: AffineRange) -> bool:
    """Whether 64-bit arithmetic on the bounds cannot overflow for any values, and conditions are few."""
    for end in (bounds.low, bounds.high):
        if len(end.terms) > _MOST_TERMS or abs(end.constant) >= _LARGEST:
            return False
        if any(abs(factor) >= _LARGEST_FACTOR for _, factor in end.terms):
            return False
    return len(bounds.conditions) <= _MOST_CONDITIONS


def _constant(number: int) -> AffineRange:
    return AffineRange(Affine((), number), Affine((), number))


def _leaf(value: Value) -> AffineRange | None:
    """Return the range of a value known before the iteration; 64-bit values might be too large."""
    if value.type is not I32:
        return None
    expression = Affine(((value, 1),), 0)
    return AffineRange(expression, expression)


def _bound(loop: Loop, counter: Induction) -> tuple[Value, int] | None:
    """Return the bound that a counter cannot pass if it starts before it, and the distance to its last value.

    The loop must test the counter in every iteration: in its header or its latch.
    """
    relations = _UP if counter.step == 1 else _DOWN
    for exit in counted_exits(loop):
        always = exit.counter == counter and exit.block in (loop.header, loop.latch)
        if always and exit.test.predicate in relations:
            return exit.test.right, relations[exit.test.predicate] - exit.ahead
    return None
