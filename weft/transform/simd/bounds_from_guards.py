"""Turn guards into bounds of the work-item loops, so that inactive work-items are not visited.

    for (x = 0; x < n; x++)                  first = …, end = …        ; computed once, see `bounds`
      if (base + x < m)             becomes    if (first < end)
        body                                     for (x = first; x < end; x++) body

Then neither LLVM's vectorizer nor Weft's needs masks. A uniform condition becomes a branch around the loop,
and so does the test that the range is not empty: both are then guards of the loop over the next dimension.
Other conditions stay branches in the body.

With a local size known at compile time, loops have constant bounds, which vectorizers prefer. If the bounds
depend on the work-group, like those of `get_global_id(0) < n`, most groups are complete, so a small loop is
versioned for complete groups. Small loops whose guards compare sums that may wrap, like
`(int)(get_global_id(0) + begin) < n`, are versioned first (`version_wrapping_guards.py`).

Exactness: all work-items of the range so far execute the guard, so `nsw` and similar flags hold for them
(`analysis/lanes.py` determines which values are linear). A bound is computed from the values of the first
work-item: without such flags, or after a test that it exists.

Requires a work-group function. Refuses conditions that do not hold for a range of work-items. Linear time.
"""

from collections.abc import Collection
from enum import unique

from weft.analysis.cross_lane import cross_lane_size
from weft.analysis.lanes import Lanes
from weft.analysis.memory_effects import has_no_effects
from weft.ir import Block, Function, Instruction, Module, Value
from weft.ir.builder import Builder
from weft.ir.clone import ValueMap
from weft.ir.loops import Loop, LoopForest, loop_forest
from weft.ir.tags import region_number
from weft.ir.types import size_of
from weft.ir.values import ConstantInt
from weft.remarks import SILENT, Location, Message, Reason, Remarks
from weft.transform.workgroup.work_item_loops import (
    add_fact,
    is_any_work_item_loop,
    is_work_item_loop,
)

from .bounds import Bound, Numbers, bound_of
from .counted_loop import range_without_results, set_limit
from .first_item import FirstItem, is_total, needed
from .guard import Condition, Guard, guard_of, take_guard
from .guard_words import in_words, words_of
from .split_index_sets import split_index_sets
from .version_complete_groups import version_complete_groups
from .version_wrapping_guards import is_for_wrapping, version_wrapping_guards

# LLVM runs the remainder of a loop under a mask, not one by one: there may be nothing but the remainder.
FOLD_TAIL = '!{!"llvm.loop.vectorize.predicate.enable", i1 true}'
# Where bounds turn out to be constant, LLVM's vectorizer must see a loop, not its unrolled iterations.
NO_UNROLLING = '!{!"llvm.loop.unroll.disable"}'
# Largest loop, in instructions, that is versioned.
COPIED_SIZE = 100


@unique
class Bounds(Message):
    """Remarks about the guards of a work-item loop."""

    NARROWED = "loops only where {bounds}"
    SPLIT = "split loops: one where {bounds}, others elsewhere"
    WRAPPING = "work-items run one by one where {sum} wraps around"
    KEPT = "{condition} stays a branch: it is not known to hold for a range of work-items"


def bounds_from_guards(function: Function, remarks: Remarks = SILENT) -> None:
    """Turn guards of work-item loops into bounds, inner loops first."""
    module = function.parent
    partial: dict[Block, tuple[Value, Value]] = {}
    kept: dict[Instruction, Reason] = {}
    for loop, total in version_wrapping_guards(function, COPIED_SIZE):
        if remarks:
            remarks.passed(Bounds.WRAPPING, total, region=region_number(loop, module), sum=words_of(total))
    _narrow_all(function, module, partial, kept, remarks)
    split = split_index_sets(function)
    if split:
        _narrow_all(function, module, partial, kept, remarks, split)
    for condition, reason in kept.items():
        if condition.block is not None:
            remarks.missed(reason, condition)
    loops = {loop.latch: loop for loop in loop_forest(function).loops}
    for latch, whole in partial.items():
        if latch not in split:
            version_complete_groups(loops[latch], whole, COPIED_SIZE)


def _narrow_all(
    function: Function,
    module: Module,
    partial: dict[Block, tuple[Value, Value]],
    kept: dict[Instruction, Reason],
    remarks: Remarks,
    split: Collection[Block] = (),
) -> None:
    """Narrow all work-item loops; collect loops for part of the work-items, and conditions that stay.

    `split` has the latches of loops that index-set splitting added.
    """
    known: set[Value] = set()  # conditions that were hoisted out of inner loops
    forest = loop_forest(function)
    # Loops of one depth do not change each other, but those around them.
    for depth in sorted({loop.depth for loop in forest.loops}, reverse=True):
        changed = False
        for loop in forest.loops:
            latch = loop.latch
            if loop.depth != depth or latch is None or not is_any_work_item_loop(loop):
                continue
            if cross_lane_size(loop) or is_for_wrapping(loop):
                continue  # lanes are complete sub-groups, or the guard tests a sum that wraps
            narrowing = _Narrowing(function, loop, forest, known, remarks)
            narrowed = narrowing.run()
            kept |= narrowing.kept
            if narrowed:
                changed = True
                if narrowing.words:
                    message = Bounds.SPLIT if latch in split else Bounds.NARROWED
                    place, region = narrowing.location, region_number(loop, module)
                    remarks.passed(message, place, region=region, bounds=tuple(narrowing.words))
                if narrowing.often_complete:
                    partial.setdefault(latch, narrowing.whole)
        if changed:
            forest = loop_forest(function)


class _Narrowing:
    def __init__(
        self, function: Function, loop: Loop, forest: LoopForest, hoisted: set[Value], remarks: Remarks
    ) -> None:
        self.function, self.loop, self.forest, self.hoisted = function, loop, forest, hoisted
        self.remarks = remarks
        self.location: Location | None = None
        self.words: list[str] = []  # descriptions of conditions that became bounds
        self.kept: dict[Instruction, Reason] = {}  # conditions that stay, if there are remarks
        self.often_complete = False  # whether the range likely covers all work-items

    def run(self) -> bool:
        """Narrow the loop; return False if it is unchanged."""
        loop, preheader = self.loop, self.loop.preheader
        work_items = range_without_results(loop)
        if preheader is None or work_items is None:
            return False
        self.counter, self.limit = work_items
        (self.exit,) = loop.exits
        self.pre = preheader
        self.low: Value = self.counter.incoming_from(preheader)
        self.high = self.limit
        self.whole = (self.low, self.high)  # the original range of the loop
        self.nonempty = True  # whether the range is known not to be empty
        self.by_group = False  # whether bounds depend on the work-group
        self.changed = False
        self.known: ValueMap = {}
        while (guard := guard_of(loop)) is not None and self._narrow(guard):
            pass
        if not self.changed:
            return False
        if (self.low, self.high) != self.whole:
            self._bound_loop()
        return True

    def _note(self, condition: Condition, bound: Bound | None) -> None:
        """Record a condition for a remark while it still exists."""
        if not self.remarks:
            return
        self.words.append(in_words(condition, bound))
        if self.location is None and isinstance(condition.value, Instruction):
            self.location = self.remarks.location(condition.value)

    def _note_kept(self, conditions: list[Condition]) -> None:
        """Record conditions that stay for remarks."""
        module = self.function.module
        if not self.remarks or module is None:
            return
        region = region_number(self.loop, module)
        for condition in conditions:
            if isinstance(condition.value, Instruction):
                words = in_words(condition, None)
                self.kept[condition.value] = Reason(Bounds.KEPT, condition=words, region=region)

    def _narrow(self, guard: Guard) -> bool:
        """Remove conditions from a guard; return whether none are left."""
        shape = guard.shapes(self.loop, self.counter, self.forest)
        kept: list[Condition] = []
        for condition in guard.conditions:
            bound = bound_of(condition, shape)
            values = (condition.value,) if bound is None else (bound.linear, bound.uniform)
            sources = [i for v in values for i in needed(v, guard.blocks)]
            total = all(map(is_total, sources))
            unsure = condition.lazy and bool(kept)  # it may not be evaluated
            if bound is None and not shape.is_uniform(condition.value):
                usable = False
            elif unsure:
                usable = bound is None and total
            else:
                usable = all(map(_is_repeatable, sources))
            if not usable:
                kept.append(condition)
                continue
            if not self.nonempty and not unsure and (bound is None or not total):
                self._test()
            first_values = self._values_of_first(guard, shape, values, self.nonempty and not unsure)
            if bound is None:
                self._branch(first_values[0], condition.holds)
            else:
                self._bind(bound, *first_values)
            if condition.value not in self.hoisted:
                self._note(condition, bound)
            self.changed = True
        self._note_kept(kept)  # before conditions are inverted
        if len(kept) < len(guard.conditions):
            take_guard(guard, kept)
            self._reuse_uniform(shape)
        return not kept

    # Before the loop

    def _reuse_uniform(self, shape: Lanes) -> None:
        """Replace uniform values in the loop by those computed before it."""
        for old, new in self.known.items():
            if isinstance(old, Instruction) and old.block is not None and shape.is_uniform(old):
                old.replace_all_uses_with(new)
                old.erase()
        self.known = {}

    def _bind(self, bound: Bound, linear: Value, uniform: Value) -> None:
        """Narrow the range by a bound, given its operands for the first work-item."""
        low, high = self.low, self.high
        if low is self.whole[0] and not isinstance(linear, ConstantInt):
            self.by_group = True
        self.low, self.high = Numbers(self._end()).narrowed(bound, linear, uniform, low, high)
        self.nonempty = False

    def _test(self) -> None:
        """Branch around the loop if the range is empty."""
        self._branch(Numbers(self._end()).compare("ult", self.low, self.high), True)
        self.nonempty = True

    def _branch(self, condition: Value, holds: bool) -> None:
        """Enter the loop only if a condition holds."""
        if isinstance(condition, ConstantInt) and bool(condition.value) == holds:
            return
        self.hoisted.add(condition)
        following = self.function.add_block(f"{self.loop.header.name}.pre", after=self.pre)
        targets = (following, self.exit) if holds else (self.exit, following)
        self.pre.terminator.erase()
        Builder(self.pre).cond_br(condition, *targets)
        Builder(following).br(self.loop.header)
        self.counter.replace_operand(self.pre, following)
        self.pre = following

    def _end(self) -> Builder:
        return Builder(self.pre, self.pre.terminator)

    def _values_of_first(
        self, guard: Guard, shape: Lanes, values: tuple[Value, ...], promised: bool
    ) -> list[Value]:
        """Compute values of the guard for the first work-item of the range, before the loop."""
        if self.known.get(self.counter) is not self.low:
            self.known = {old: new for old, new in self.known.items() if shape.is_uniform(old)}
            self.known[self.counter] = self.low
        first = FirstItem(self._end(), guard.blocks, self.known, promised)
        return [first.value(v) for v in values]

    # The loop

    def _bound_loop(self) -> None:
        latch = self.loop.known_latch
        self._test()
        self.counter.remove_incoming(self.pre)
        self.counter.add_incoming(self.low, self.pre)
        set_limit(self.loop, self.high)
        if isinstance(self.low, ConstantInt) and isinstance(self.high, ConstantInt):
            return
        if is_work_item_loop(self.loop) and not self.loop.children:
            self.often_complete = self.by_group and isinstance(self.whole[1], ConstantInt)
            if all(map(_has_masked_form, self.loop.instructions())):
                add_fact(latch, FOLD_TAIL)
            add_fact(latch, NO_UNROLLING)


def _is_repeatable(i: Instruction) -> bool:
    """Return whether an instruction has the same result before the loop; for loads, if they are parallel."""
    if i.opcode == "load":
        return "llvm.access.group" in i.metadata
    return has_no_effects(i) if i.opcode == "call" else True


def _has_masked_form(i: Instruction) -> bool:
    """Return whether an instruction can be masked where only elements of 4 or more bytes can."""
    if i.opcode not in ("load", "store"):
        return True
    return size_of(i.accessed_type) >= 4
