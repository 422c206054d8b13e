"""Version the body of a work-item loop for in-bounds accesses: a fast path, and a slow path for the rest.

    for (x …)                                 for (x …)
      … a[clamp(x + 1, 0, w - 1)] …             if (x + 1 >= 0 && x + 1 <= w - 1 in all lanes)
                                                  … a[x + 1] …
                                                else
                                                  … a[clamp(x + 1, 0, w - 1)] …

Away from the edges of a picture, minima and maxima do not change an index, and `(x + 1 + w) % w` is x + 1.
The addresses of the lanes are then consecutive, and nothing is computed for the edge. One condition covers
all such indices of the body, including those of inner loops (`analysis/affine_ranges.py`). It is tested once
per pass of lanes: if the numbers are consecutive, the first or the last lane decides for all.

`plan_in_bounds` derives the condition and the facts that it implies, and changes nothing. The cost model
prices the loop by its fast path. `version_in_bounds` adds the path when vector code is about to be emitted:
the comparisons are marked as valid for all lanes (`analysis/lanes.py`: EVERY), which only vector code
interprets.

Requires a work-item loop whose latch does nothing but count. Refuses bodies of more than LARGEST
instructions, and more than MOST_CONDITIONS different comparisons. Linear time.
"""

from collections.abc import Iterable, Iterator, Mapping
from enum import unique
from typing import NamedTuple

from weft.analysis.affine import Affine
from weft.analysis.affine_ranges import ZERO, AffineRange, AffineRanges
from weft.analysis.evolution import Evolution
from weft.analysis.induction import only_counts
from weft.analysis.lanes import EVERY, NOTHING_ASSUMED, Assumed, Lanes
from weft.analysis.memory_effects import reads_images
from weft.dataclasses import dataclass, replace
from weft.ir import Block, ConstantInt, Instruction, Value
from weft.ir.builder import Builder
from weft.ir.graph import reachable
from weft.ir.loops import Loop, LoopForest
from weft.ir.symbols import extremum
from weft.ir.types import I32, I64, size_of
from weft.ir.values import const_int
from weft.remarks import Message, Reason

from .counted_loop import work_item_lanes, work_item_range
from .version_loop import LoopVersion, copy_blocks
from .wide_memory import MAX_STRIDE

# Largest body, in instructions, that is versioned.
LARGEST = 600
# Different comparisons: two for an index, three for an unsigned one.
MOST_CONDITIONS = 6
# With fewer work-items there are few passes of lanes: in none of them would all indices by local position be
# in bounds.
FEWEST = 64
# A constant bound that many work-items exceed is not an edge.
EDGE = 64
_REMAINDERS = ("srem", "urem")
# Operations between an index and an address.
_INDEXING = ("add", "sub", "mul", "shl", "or", "sext", "zext", "trunc", "getelementptr")


@unique
class FastPath(Message):
    """What is added to a loop."""

    ADDED = "fast path for in-bounds indices, selected by {comparisons} comparisons"


class FastValue(NamedTuple):
    """The value of an instruction on the fast path: one of its operands, minus another one if given."""

    operand: int
    subtracted: int | None = None


class _InBoundsValue(NamedTuple):
    """A value on the fast path, expressions that must not be negative then, and sums that do not wrap."""

    value: FastValue
    conditions: list[Affine]
    sums: frozenset[Instruction]


@dataclass(frozen=True)
class InBounds:
    """A condition and its consequences: if no expression of `conditions` is negative, `values` holds.

    `values` maps instructions to what they equal then, `shape` has the shapes of the loop's values.
    `sums` do not wrap then, although they have no flags.
    """

    conditions: tuple[Affine, ...]
    values: Mapping[Instruction, FastValue]
    shape: Lanes
    sums: tuple[Instruction, ...] = ()

    @property
    def reason(self) -> Reason:
        """The remark about the fast path."""
        return Reason(FastPath.ADDED, comparisons=len(self.conditions))

    @property
    def operations(self) -> int:
        """The cost of the test and its branch in simple operations."""
        terms = sum(1 + (factor != 1) for c in self.conditions for _, factor in c.terms)
        return terms + 2 * len(self.conditions)

    def cost_of(self, i: Instruction) -> float | None:
        """Return the cost of an instruction on the fast path; None if it is unchanged there."""
        if i not in self.values:
            return None
        return 0.0 if self.values[i].subtracted is None else 1.0


def plan_in_bounds(loop: Loop, forest: LoopForest, shape: Lanes) -> InBounds | None:
    """Plan a fast path for a work-item loop; None if it would not make more addresses consecutive.

    `shape` has the shapes of the loop in general.
    """
    if not any(_is_bound(i) or i.opcode in _REMAINDERS for i in loop.instructions()):
        return None
    work_items = work_item_range(loop)
    if work_items is None:
        return None
    counter, limit = work_items
    diverge = bool(shape.divergent_loops) or any(m.header in shape.masked for m in loop.children)
    if loop.size > LARGEST or diverge or not _only_counts(loop, counter):
        return None
    # Coordinates of images are OpenCL C vectors; their sums may wrap.
    ranges = AffineRanges(loop, counter, forest, may_wrap=reads_images(loop.header.parent))
    values, conditions, exact = _fast_values(loop, counter, ranges, shape)
    if not values or len(conditions) > MOST_CONDITIONS or not all(c.terms for c in conditions):
        return None
    few = isinstance(limit, ConstantInt) and limit.value < FEWEST
    if few and any(_is_local(c, counter) for c in conditions):
        return None
    sums = tuple(i for i in loop.instructions() if i in exact)
    in_bounds = _fast_lanes(loop, forest, values, sums)
    fast = InBounds(tuple(conditions), values, in_bounds, sums)
    return fast if _count_scattered(loop.blocks, fast.shape) < _count_scattered(loop.blocks, shape) else None


def _fast_lanes(
    loop: Loop, forest: LoopForest, values: Mapping[Instruction, FastValue], sums: Iterable[Instruction]
) -> Lanes:
    """Return the shapes of the fast path, where instructions have the shape of the operand they equal."""
    known: dict[Value, Evolution] = {}
    while True:
        shape = work_item_lanes(loop, forest, Assumed(known, 0))
        more: dict[Value, Evolution] = {
            i: evolution
            if value.subtracted is None or not evolution.stride
            else evolution._replace(unsigned=False)
            for i, value in values.items()
            if i not in known and (evolution := shape.of(i.operands[value.operand])) is not None
        }
        for i in sums:
            evolution = shape.of(i)
            if i not in known and evolution is not None and not (evolution.signed and not evolution.needs):
                more[i] = evolution._replace(signed=True, needs=frozenset())
        if not more:
            return replace(shape, assumed=NOTHING_ASSUMED)
        known |= more


def version_in_bounds(loop: Loop, plan: InBounds, of: LoopVersion) -> list[Block]:
    """Add the fast path to the body of a work-item loop; return its blocks.

    The loop is the version `of` the loop for which the fast path was planned.
    """
    slow = loop.header.split(1)
    body = [slow, *(block for block in loop.blocks if block not in (loop.header, loop.known_latch))]
    loop.header.terminator.erase()
    b = Builder(loop.header)
    inside: Value | None = None
    for condition in plan.conditions:
        terms = tuple((of.value(value), factor) for value, factor in condition.terms)
        holds = _comparison(b, Affine(terms, condition.constant))
        inside = holds if inside is None else b.binary("and", inside, holds)
    assert inside is not None
    values: dict[Value, Value] = {}
    fast = copy_blocks(body, "in_bounds", values)
    for old in plan.sums:
        new = values[of.value(old)]
        assert isinstance(new, Instruction)
        new.flags = (*new.flags, "nsw")
    for old, fast_value in plan.values.items():
        new = values[of.value(old)]
        assert isinstance(new, Instruction) and new.block is not None
        value = new.operands[fast_value.operand]
        if fast_value.subtracted is not None:
            subtracted = new.operands[fast_value.subtracted]
            value = Builder(new.block, new).sub(value, subtracted, None, ("nsw",))
        new.replace_all_uses_with(value)
        new.erase()
    b.cond_br(inside, fast[0], slow)
    return fast


def _only_counts(loop: Loop, counter: Instruction) -> bool:
    """Return whether a loop has its own latch, which only counts, and no other header phi."""
    return loop.header.phis() == [counter] and loop.preheader is not None and only_counts(loop, counter)


def _fast_values(
    loop: Loop, counter: Instruction, ranges: AffineRanges, shape: Lanes
) -> tuple[dict[Instruction, FastValue], list[Affine], set[Instruction]]:
    """Find instructions that equal an operand on the fast path.

    Returns them, the conditions for it, and the sums that do not wrap then.
    """
    sums: set[Instruction] = set()
    values: dict[Instruction, FastValue] = {}
    conditions: list[Affine] = []
    for i in list(loop.instructions()):
        if not shape.is_varying(i) or not (_is_bound(i) or i.opcode in _REMAINDERS) or not _is_index(i, loop):
            continue
        in_bounds = _bounded(i, ranges, counter) if _is_bound(i) else _remainder(i, ranges, counter)
        if in_bounds is None:
            continue
        values[i] = in_bounds.value
        conditions += in_bounds.conditions
        sums |= in_bounds.sums
        if in_bounds.value.subtracted is None:
            ranges.same[i] = i.operands[in_bounds.value.operand]
    return values, _strongest(conditions), sums


def _bounded(i: Instruction, ranges: AffineRanges, counter: Instruction) -> _InBoundsValue | None:
    """Find when a minimum or maximum of an index and a uniform bound equals the index."""
    index, bound = (ranges.of(argument) for argument in i.arguments)
    if index is None or bound is None:
        return None
    kept = 0
    if _differs(bound, counter):
        kept, index, bound = 1, bound, index
    if not _differs(index, counter) or _differs(bound, counter):
        return None
    limit = i.operands[1 - kept]
    kind = extremum(i.callee_name)
    largest, unsigned = kind.endswith("max"), kind[0] == "u"
    if isinstance(limit, ConstantInt) and (limit.signed > EDGE if largest else limit.signed < EDGE):
        return None
    conditions = [*index.conditions, *bound.conditions]
    conditions += [index.low, bound.low] if unsigned else []
    conditions.append(index.low.plus(bound.high, -1) if largest else bound.low.plus(index.high, -1))
    return _InBoundsValue(FastValue(kept), conditions, index.sums | bound.sums)


def _remainder(i: Instruction, ranges: AffineRanges, counter: Instruction) -> _InBoundsValue | None:
    """Find when a remainder of a number equals the number, or the number minus the divisor.

    It must look like an index near another one: `(x - 1 + w) % w` or `(x + 1) % w`. A remainder of an id
    itself is likely a column in a row.
    """
    value, divisor = i.operands
    number, by = ranges.of(value), ranges.of(divisor)
    if number is None or by is None or by.low != by.high or len(by.low.terms) != 1 or by.low.constant:
        return None
    if not _differs(number, counter) or _differs(by, counter):
        return None
    ((leaf, _),) = by.low.terms
    wraps = number.low.factor_of(leaf) == number.high.factor_of(leaf) == 1
    if not wraps and number.low.constant == 0 == number.high.constant:
        return None
    least = by if wraps else ZERO
    most = least.plus(by).low.plus(Affine((), 1), -1)
    conditions = [*number.conditions, *by.conditions]
    conditions += [number.low.plus(least.low, -1), most.plus(number.high, -1)]
    return _InBoundsValue(FastValue(0, 1 if wraps else None), conditions, number.sums | by.sums)


def _differs(span: AffineRange, counter: Instruction) -> bool:
    """Return whether a number differs between work-items."""
    return bool(span.low.factor_of(counter) or span.high.factor_of(counter))


def _is_bound(i: Instruction) -> bool:
    return i.type in (I32, I64) and bool(extremum(i.callee_name))


def _is_index(i: Instruction, loop: Loop) -> bool:
    """Return whether a number is used only in addresses, directly or by numbers like it."""

    def numbers(i: Instruction) -> list[Instruction]:
        return [u for u in i.users if u.opcode in (*_INDEXING, *_REMAINDERS) or _is_bound(u)]

    computed = reachable([i], numbers)
    users = {user: None for number in computed for user in number.users}
    others = [user for user in users if user not in computed]
    inside = all(user.block in loop.blocks for user in users)
    return inside and bool(others) and all(user.opcode in ("load", "store") for user in others)


def _is_local(condition: Affine, counter: Instruction) -> bool:
    """Return whether a condition is about the position in a work-group, not in the global range."""
    moved = condition.factor_of(counter)
    return moved != 0 and not any(f == moved for value, f in condition.terms if value is not counter)


def _strongest(conditions: Iterable[Affine]) -> list[Affine]:
    """Keep, of conditions that differ by a constant, the one that implies the others."""
    strongest: dict[frozenset[tuple[Value, int]], Affine] = {}
    for condition in conditions:
        key = frozenset(condition.terms)
        if key not in strongest or condition.constant < strongest[key].constant:
            strongest[key] = condition
    return [c for c in strongest.values() if c.terms or c.constant < 0]


def _comparison(b: Builder, condition: Affine) -> Instruction:
    """Emit the test that an expression is not negative in any lane."""
    total: Value = const_int(I64, condition.constant)
    for value, factor in condition.terms:
        term = b.cast("sext", _frozen(b, value), I64)
        if factor != 1:
            term = b.binary("mul", term, const_int(I64, factor), None, ("nsw",))
        total = b.binary("add", term, total, None, ("nsw",))
    holds = b.icmp("sge", total, const_int(I64, 0))
    assert isinstance(holds, Instruction)
    holds.metadata[EVERY] = b.block.parent.parent.add_metadata("!{}")
    return holds


def _frozen(b: Builder, value: Value) -> Value:
    """Freeze a number that may be poison: the branch depends on it even if no work-item uses it."""
    if isinstance(value, Instruction) and value.opcode not in ("load", "phi", "trunc"):
        return b.emit("freeze", value.type, [value])
    return value


def _count_scattered(blocks: Iterable[Block], shape: Lanes) -> int:
    """Count accesses that are neither uniform nor at strides that full registers serve."""
    return sum(
        (evolution := shape.of(i.operands[-1])) is None
        or abs(evolution.stride) > MAX_STRIDE * size_of(i.accessed_type)
        for i in accesses_of(blocks)
    )


def accesses_of(blocks: Iterable[Block]) -> Iterator[Instruction]:
    """Return the loads and stores of blocks."""
    return (i for block in blocks for i in block.instructions if i.opcode in ("load", "store"))
