"""The loops that run a parallel region for all work-items of a group (WI loops, pocl section 4.3).

There is one loop per dimension, x innermost unless `LoopChoices` says otherwise. A dimension of constant size
1 has none, nor has a region that only the first work-item runs. Memory accesses of the region are in an
access group that the loops declare parallel, so that LLVM's vectorizer need not prove it (section 4.2):

    pre  →  z  →  y  →  x: prologue → … region … → x.latch → y.latch → z.latch  →  end

In kernels with sub-groups one loop iterates over the work-items of the running sub-group.
"""

from collections.abc import Callable
from functools import partial

from weft.dataclasses import dataclass
from weft.ir import Block, Function, Instruction, Module, Value
from weft.ir.builder import Builder
from weft.ir.loops import Loop, loop_forest
from weft.ir.metadata import add_loop_properties, loop_properties, set_loop_properties
from weft.ir.tags import number_region
from weft.ir.types import I32
from weft.ir.values import const_int

from .positions import AXES, GroupPositions
from .sub_groups import SubGroups

# Marks the work-item loops that should be vectorized, for later passes.
INNERMOST = "weft.work_items"
# Marks loops of code that runs once for the whole group: no work-item loop surrounds them.
ONCE_PER_GROUP = '!{!"weft.once_per_group"}'
_UNROLLED, _NOT_UNROLLED = '!{!"llvm.loop.unroll.full"}', '!{!"llvm.loop.unroll.disable"}'
_NOT_VECTORIZED = '!{!"llvm.loop.vectorize.enable", i1 false}'
# Properties that mark a loop as a work-item loop of some dimension, or its vector form.
_MARKS = ("llvm.loop.parallel_accesses", "llvm.loop.isvectorized")
# The most iterations of loops that LLVM unrolls completely.
UNROLLED_SIZE = 64


@dataclass(frozen=True)
class LoopChoices:
    """How to build work-item loops: the dimension of the innermost one, and up to which size it is unrolled.

    `lanes`: the most work-items that run in SIMD lanes at a time, those of two registers; 1 if they run
    serially.
    """

    innermost: int = 0
    unrolled: int = 0
    lanes: int = 1

    @property
    def order(self) -> tuple[int, ...]:
        """The dimensions from the outermost loop to the innermost."""
        return (*(axis for axis in (2, 1, 0) if axis != self.innermost), self.innermost)


DEFAULT_CHOICES = LoopChoices()


@dataclass(frozen=True)
class _Loop:
    """A loop under construction, of `size` iterations if that is known, entered from the block `entering`."""

    axis: str
    header: Block
    counter: Instruction
    end: Callable[[], Value]
    size: int | None
    entering: Block


class WorkItemLoops:
    """An empty nest of loops: the region is inserted between `prologue` and `latch`.

    With a `region` number, remarks about the loops refer to it. `counters` are the local ids; with
    `sub_groups`, `first` and `count` belong to the running sub-group, and `lane` and `item` are the indices
    of the work-item in the sub-group and in the group.
    """

    def __init__(
        self,
        function: Function,
        group: GroupPositions,
        name: str,
        first_item_only: bool = False,
        choices: LoopChoices = DEFAULT_CHOICES,
        region: int | None = None,
        sub_groups: SubGroups | None = None,
    ) -> None:
        self._choices, self._region = choices, region
        self._function, self._name = function, name
        self._loops: list[_Loop] = []
        self.pre = function.add_block(f"{name}.pre")
        self.counters: list[Value] = [const_int(I32, 0)] * 3
        self.lane: Value = const_int(I32, 0)
        self.prologue = self.pre
        if sub_groups is None:
            for axis in self._choices.order:
                if first_item_only or group.iterations(axis) == 1:
                    continue
                end = partial(group.size32, axis)
                self.counters[axis] = self._open(AXES[axis], end, group.iterations(axis))
        else:
            before = Builder(self.pre)
            self.first = sub_groups.first(before)
            self.count = count = sub_groups.count(before, self.first)
            if not first_item_only and sub_groups.fixed_count != 1:
                self.lane = self._open("lane", lambda: count, sub_groups.fixed_count)
        if not self._loops:
            self.prologue = function.add_block(f"{name}.item")
            Builder(self.pre).br(self.prologue)
        if sub_groups is not None:
            b = Builder(self.prologue)
            self.item, self.counters = sub_groups.positions(b, self.first, self.lane)

    def _open(self, axis: str, end: Callable[[], Value], size: int | None) -> Instruction:
        """Open a loop inside the others; return its counter."""
        header = self._function.add_block(f"{self._name}.{axis}")
        Builder(self.prologue).br(header)
        counter = Builder(header).phi(I32, axis)
        self._loops.append(_Loop(axis, header, counter, end, size, self.prologue))
        self.prologue = header
        return counter

    def close(self, access_group: str, vectorize: bool = True) -> tuple[Block, Block]:
        """Add the latches; return the block that ends a work-item and the one after the loops.

        `vectorize`: whether the innermost loop should be vectorized.
        """
        function, module = self._function, self._function.parent
        first_latch: Block | None = None
        inner_latch: Block | None = None
        for loop in reversed(self._loops):
            latch = function.add_block(f"{self._name}.{loop.axis}.latch")
            if inner_latch is not None:
                inner_latch.terminator.set_operand(2, latch)
            else:
                first_latch = latch
            counter = loop.counter
            b = Builder(latch)
            following = b.add(counter, const_int(I32, 1), f"{loop.axis}.next", ("nuw", "nsw"))
            more = b.icmp("ult", following, loop.end())
            branch = b.cond_br(more, loop.header, loop.header)
            innermost = inner_latch is None and vectorize
            facts = _loop_facts(access_group, innermost, loop.size, self._choices.unrolled)
            set_loop_properties(branch, map(module.add_metadata, facts))
            if self._region is not None:
                number_region(branch, self._region, module)
            counter.add_incoming(const_int(I32, 0), loop.entering)
            counter.add_incoming(following, latch)
            inner_latch = latch
        end = function.add_block(f"{self._name}.end")
        if inner_latch is not None and first_latch is not None:
            inner_latch.terminator.set_operand(2, end)
            return first_latch, end
        return end, end


def _loop_facts(access_group: str, vectorize: bool, size: int | None, unrolled: int) -> list[str]:
    """Return the properties of a work-item loop of `size` work-items, if that is known.

    The innermost one is usually vectorized. LLVM would unroll short loops completely before its vectorizer
    runs, so that is forbidden. Longer ones may be unrolled, which includes peeling off the first work-item,
    and with it all the work of an `if (get_local_id(0) == 0)`. Loops of up to `unrolled` work-items, too few
    for lanes, are unrolled completely.
    """
    facts = [f'!{{!"llvm.loop.parallel_accesses", {access_group}}}', '!{!"llvm.loop.mustprogress"}']
    if vectorize and size is not None and size <= unrolled:
        facts.append(_UNROLLED)
    elif vectorize:
        facts.append(f'!{{!"{INNERMOST}"}}')
        if size is not None and size <= UNROLLED_SIZE:
            facts.append(_NOT_UNROLLED)
    else:
        facts.append(_NOT_VECTORIZED)
    return facts


def add_fact(latch: Block, fact: str) -> None:
    """Add a property to the loop that a block ends, unless it has it."""
    if fact not in loop_properties(latch):
        add_loop_properties(latch, latch.parent.parent.add_metadata(fact))


def unroll_fully(latch: Block) -> None:
    """Make LLVM unroll the work-item loop that a block ends, whose size is known."""
    kept = [fact for fact in loop_properties(latch) if fact != _NOT_UNROLLED]
    set_loop_properties(latch.terminator, map(latch.parent.parent.add_metadata, (*kept, _UNROLLED)))


def run_serially(latch: Block) -> None:
    """Exclude the innermost work-item loop that a block ends from vectorization, for all passes."""
    dropped = (f'!{{!"{INNERMOST}"}}', _NOT_UNROLLED)
    facts = [fact for fact in loop_properties(latch) if fact not in dropped]
    facts += [_NOT_VECTORIZED, _NOT_UNROLLED]
    set_loop_properties(latch.terminator, map(latch.parent.parent.add_metadata, facts))


def is_work_item_loop(loop: Loop) -> bool:
    """Whether a loop is the innermost work-item loop of a region."""
    return loop.latch is not None and f'!{{!"{INNERMOST}"}}' in loop_properties(loop.latch)


def is_any_work_item_loop(loop: Loop) -> bool:
    """Whether a loop is a work-item loop of some dimension, or its vector form."""
    return any(mark in fact for latch in loop.latches for fact in loop_properties(latch) for mark in _MARKS)


def unmark_loops(module: Module) -> None:
    """Rename the marks in a kernel's own metadata (`#pragma clang loop vectorize(assume_safety)`).

    The kernel's loops may start anywhere and are not work-item loops; their accesses get the access groups of
    work-item loops.
    """
    for number, node in module.metadata.items():
        for mark in _MARKS:
            node = node.replace(f'!"{mark}"', f'!"{mark.replace("llvm", "kernel")}"')
        module.metadata[number] = node


def runs_once_per_group(loop: Loop) -> bool:
    """Whether a loop belongs to code that runs once for the whole group."""
    return has_fact(loop, ONCE_PER_GROUP)


def has_fact(loop: Loop, fact: str) -> bool:
    """Whether a loop has a property."""
    return any(fact in loop_properties(latch) for latch in loop.latches)


def kernel_loops(function: Function) -> list[Loop]:
    """Return the loops of a work-group function that come from the kernel itself."""
    return [loop for loop in loop_forest(function).loops if not is_any_work_item_loop(loop)]
