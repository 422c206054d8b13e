"""Integers of a work-item between affine expressions of values that are known when its iteration begins.

    x + dx          with dx counting from -3 to 3:     from  base + counter - 3  to  base + counter + 4
    min(y, h) - 1                                      not affine

An expression is about the numbers themselves, not about what is left of them modulo 2^32: sums of 32-bit
numbers count only if they promise not to wrap (a number that does is poison, of which anything may be said),
those of 64-bit numbers only with summands so small that they cannot. So it can be tested in 64 bits.

The induction variable of an inner loop lies between its first number and the one that ends the loop. Where
those are no constants, that holds on a condition: an expression that must not be negative. A number has the
conditions of all that it is computed of.

Sums of 32-bit numbers that may wrap, as those of OpenCL's vectors, count on request: on the condition that
their range lies within 32 bits (`may_wrap`).
"""

from typing import NamedTuple

from weft.ir import Argument, ConstantInt, Instruction, Value
from weft.ir.loops import Loop, LoopForest
from weft.ir.types import I32, I64
from weft.recursion import Definition, Recursion

from .affine import NOTHING, Affine
from .induction import Induction, counted_exits, induction

# Constants, and factors, beyond which 64 bits might not do.
_LARGEST = 1 << 40
_LARGEST_FACTOR = 1 << 16
_MOST_TERMS = 16
_MOST_CONDITIONS = 64
_LEAST_INT, _LARGEST_INT = -(1 << 31), (1 << 31) - 1
# What a counter that steps up has to be for its loop to go on, and how far the last such number is from the
# bound; steps down are the mirror image.
_UP = {"slt": 0, "ne": 0, "sle": 1}
_DOWN = {"sgt": 0, "ne": 0, "sge": -1}


class AffineRange(NamedTuple):
    """A number between two expressions, both included, if those in `conditions` are not negative.

    If so, the instructions in `sums` do not wrap, of which nothing else promises that.
    """

    low: Affine
    high: Affine
    conditions: tuple[Affine, ...] = ()
    sums: frozenset[Instruction] = frozenset()

    def plus(self, other: "AffineRange", factor: int = 1) -> "AffineRange":
        """Add a multiple of another number."""
        low, high = (other.low, other.high) if factor > 0 else (other.high, other.low)
        conditions = self.conditions
        if other.conditions:
            conditions = tuple(dict.fromkeys(conditions + other.conditions))
        sums = self.sums | other.sums if other.sums else self.sums
        return AffineRange(self.low.plus(low, factor), self.high.plus(high, factor), conditions, sums)

    def on(self, condition: Affine) -> "AffineRange":
        """The same, if an expression is not negative."""
        return self._replace(conditions=(*self.conditions, condition))


ZERO = AffineRange(NOTHING, NOTHING)
AffineRangeOf = Definition[Value, AffineRange | None]


class AffineRanges:
    """The ranges of integers in the body of a work-item loop.

    `of` tells where a number lies; None if that is not known. `same` maps instructions to values that they
    are equal to on conditions of the caller's. With `may_wrap`, sums that may wrap have ranges too.
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
        found = yield from self._computed(value)
        if found is not None and not _is_small(found):
            found = None
        if found is None and value.block not in self.loop.blocks:
            return _leaf(value)
        return found

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
            case "or" if "disjoint" in i.flags:  # nothing is carried, so that nothing wraps
                left, right = (yield i.operands[0]), (yield i.operands[1])
                return left.plus(right) if left is not None and right is not None else None
            case "mul" | "shl" if i.type is I64 or "nsw" in i.flags:
                by = i.operands[1]
                factor = by.signed if isinstance(by, ConstantInt) else 0
                if i.opcode == "shl":
                    factor = 1 << factor if 0 < factor < 16 else 0
                found = (yield i.operands[0]) if 0 < abs(factor) < _LARGEST_FACTOR else None
                return ZERO.plus(found, factor) if found is not None else None
            case "sext":
                return (yield i.operands[0])
            case "zext":
                found = yield i.operands[0]
                return found if found is None or "nneg" in i.flags else found.on(found.low)
            case "trunc":
                source = i.operands[0]
                if isinstance(source, Instruction) and source.opcode in ("zext", "sext"):
                    return (yield source.operands[0]) if source.operands[0].type is i.type else None
            case "phi":
                limits = self._limits(i)
                if limits is None:
                    return None
                start, end = (yield limits.start), (yield limits.end)
                if start is None or end is None:
                    return None
                end = end.plus(_constant(limits.beyond))
                first, last = (start, end) if limits.step > 0 else (end, start)
                # It ends with the bound only if that is not before the start.
                conditions = (*start.conditions, *end.conditions, last.low.plus(first.high, -1))
                sums = start.sums | end.sums
                return AffineRange(first.low, last.high, tuple(dict.fromkeys(conditions)), sums)
        return None

    def _limits(self, phi: Instruction) -> "_Limits | None":
        """Where the counter of an inner loop that counts by one starts and ends."""
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
    """Where a counter starts, the bound that it ends at, what to add to that, and by how much it steps."""

    start: Value
    end: Value
    beyond: int
    step: int


def _is_small(found: AffineRange) -> bool:
    """Whether expressions are far from where 64 bits end, whatever their values, and conditions few."""
    for end in (found.low, found.high):
        if len(end.terms) > _MOST_TERMS or abs(end.constant) >= _LARGEST:
            return False
        if any(abs(factor) >= _LARGEST_FACTOR for _, factor in end.terms):
            return False
    return len(found.conditions) <= _MOST_CONDITIONS


def _constant(number: int) -> AffineRange:
    return AffineRange(Affine((), number), Affine((), number))


def _leaf(value: Value) -> AffineRange | None:
    """A number that is known when the iteration begins; those of 64 bits might be too large."""
    if value.type is not I32:
        return None
    found = Affine(((value, 1),), 0)
    return AffineRange(found, found)


def _bound(loop: Loop, counter: Induction) -> tuple[Value, int] | None:
    """The number that a counter never goes beyond, if it starts before it, and what to add to it.

    The loop must test in every iteration whether it goes on: at its start, or at its end.
    """
    relations = _UP if counter.step == 1 else _DOWN
    for found in counted_exits(loop):
        always = found.counter == counter and found.block in (loop.header, loop.latch)
        if always and found.test.predicate in relations:
            return found.test.right, relations[found.test.predicate] - found.ahead
    return None
