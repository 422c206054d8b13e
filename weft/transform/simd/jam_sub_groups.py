"""Unroll a loop over sub-groups, and jam the copies: several sub-groups make certain calls at once.

    for each sub-group s:            for each two sub-groups s, t:
      A(s)                             A(s); A(t)
      r = reduce(s)          becomes   r = reduce(s); q = reduce(t)
      B(s, r)                          B(s, r); B(t, q)

The calls, grouped by jam points, are on every path through an iteration and in no inner loop. They divide
the iteration into segments. Within a segment sub-groups run sequentially, through any control flow.
(Unroll-and-jam of Callahan, Carr and Kennedy, PLDI 1990; whole segments are jammed, not statements.)

Sub-groups make progress independently, so any order of segments that keeps the order of each sub-group is one
in which they may run. The caller checks that no sub-group leaves anything in private memory that another one
overwrites. Linear in the size of the resulting code.
"""

from collections.abc import Callable, Sequence
from functools import partial

from weft.analysis.induction import induction, loop_test, trip_count
from weft.dataclasses import dataclass
from weft.ir import Block, ConstantInt, Function, Instruction, Value
from weft.ir.builder import Builder
from weft.ir.clone import ValueMap
from weft.ir.dominators import dominators_within
from weft.ir.graph import reachable
from weft.ir.loops import Loop, LoopForest
from weft.ir.metadata import LOOP
from weft.ir.values import const_int
from weft.transform.workgroup.work_item_loops import is_any_work_item_loop

from .version_loop import copy_blocks

# Calls of one block that do not use one another's results, in order. They are emitted at the last one.
JamPoint = tuple[Instruction, ...]
# Emits the calls of a jam point, given the values of each sub-group that differ from those of the first one;
# returns the results of each sub-group.
MakeCalls = Callable[[Builder, JamPoint, Sequence[ValueMap]], list[list[Value]]]
_PURPOSE = "sub_group"


@dataclass(frozen=True)
class SubGroupLoop:
    """A loop over sub-groups that runs `trips` times and counts by `step`."""

    loop: Loop
    counter: Instruction
    step: int
    trips: int


def sub_group_loop(loop: Loop) -> SubGroupLoop | None:
    """Return a work-item loop as a loop over sub-groups; None if its trip count is unknown, for instance."""
    phis, latch, exits = loop.header.phis(), loop.latch, loop.exits
    trips = trip_count(loop)
    if not is_any_work_item_loop(loop) or latch is None or loop.preheader is None or trips is None:
        return None
    if len(phis) != 1 or len(exits) != 1 or exits[0].phis() or loop.exiting != [latch]:
        return None
    counted, test = induction(loop, phis[0]), loop_test(loop, latch)
    if counted is None or test is None or test.predicate != "ult" or test.left is not counted.following:
        return None
    if counted.step <= 0 or not isinstance(counted.start, ConstantInt):
        return None
    if any(user.parent not in loop for i in loop.instructions() for user in i.users):
        return None
    return SubGroupLoop(loop, phis[0], counted.step, trips)


def blocks_of_all(loop: Loop, forest: LoopForest) -> list[Block]:
    """Return the blocks that each iteration runs exactly once, in order."""
    if forest.irreducible:
        return []
    tree, latch = dominators_within(loop.blocks), loop.known_latch
    return [b for b in loop.blocks if forest.loop_of(b) is loop and tree.dominates(b, latch)]


def segments_of(loop: Loop, points: Sequence[JamPoint]) -> dict[Instruction, int]:
    """Map the instructions of the loop to the number of jam points that precede them."""
    tree = dominators_within(loop.blocks)
    last = {point[-1] for point in points}
    segments: dict[Instruction, int] = {}
    passed: dict[Block | None, int] = {None: 0}  # at the end of a block
    for block in loop.blocks:
        number = passed[tree.idom(block)]
        for i in block.instructions:
            segments[i] = number
            number += i in last
        passed[block] = number
    return segments


def jam_sub_groups(
    function: Function, counted: SubGroupLoop, points: Sequence[JamPoint], copies: int, make: MakeCalls
) -> None:
    """Unroll a loop, whose trip count `copies` divides; `make` emits the calls of the jam points."""
    header, end = counted.loop.header, counted.loop.latch
    assert end is not None
    start = header.split(header.first_non_phi, header.name)
    end = start if end is header else end
    end = end.split(len(end.instructions) - 1, "sub_groups.latch")
    values, begin = _counters(counted, end, copies)
    results: dict[Instruction, Value] = {}
    for point in (*points, ()):
        following = end
        if point:
            block = point[-1].parent
            following = block.split(block.index(point[-1]) + 1, block.name)
        for call in point:
            call.detach()
        joint = _copied(function, start, following, values)
        made = make(Builder(joint, joint.terminator), point, values) if point else []
        for mapping, of_one in zip(values, made, strict=bool(point)):
            mapping.update(zip(point, of_one, strict=True))
        results.update(zip(point, made[0] if made else (), strict=True))
        start = following
    for call, result in results.items():
        call.replace_all_uses_with(result)
        call.set_operands(())
    if begin is not counted.counter:
        counted.counter.replace_all_uses_with(begin)
        counted.counter.erase()


def _counters(counted: SubGroupLoop, end: Block, copies: int) -> tuple[list[ValueMap], Value]:
    """Have a loop count by several sub-groups, or end it if it has no more.

    Returns the values of each sub-group that differ from those of the first one, and the counter of that.
    """
    counter, branch, header = counted.counter, end.terminator, counted.loop.header
    (done,) = (block for block in end.successors() if block is not header)
    condition, following = branch.operands[0], counter.incoming_from(end)
    assert isinstance(condition, Instruction) and isinstance(following, Instruction)
    limit, metadata = condition.operands[1], branch.metadata.get(LOOP)
    at = Builder(header, header.terminator)
    flags = ("nuw", "nsw")
    begin: Value = counter
    if copies == counted.trips:
        (begin,) = (value for value, source in counter.incoming() if source is not end)
    distance = partial(const_int, counter.type)
    firsts = [at.add(begin, distance(number * counted.step), None, flags) for number in range(copies)]
    branch.erase()
    after = Builder(end)
    if copies == counted.trips:
        after.br(done)
        counter.remove_incoming(end)
    else:
        ahead = after.add(counter, distance(copies * counted.step), "sub_group.next", flags)
        more = after.icmp("ult", ahead, limit)
        loop = after.cond_br(more, header, done)
        if metadata is not None:
            loop.metadata[LOOP] = metadata
        counter.remove_incoming(end)
        counter.add_incoming(ahead, end)
    for control in (condition, following):
        if not control.users:
            control.erase()
    return [{counter: first} if number else {} for number, first in enumerate(firsts)], begin


def _copied(function: Function, start: Block, following: Block, values: Sequence[ValueMap]) -> Block:
    """Copy a segment for all sub-groups but the first; return the empty block before `following`."""
    (last,) = following.predecessors()
    segment = list(reachable([start], lambda b: [s for s in b.successors() if s is not following]))
    for mapping in values[1:]:
        copy_blocks(segment, _PURPOSE, mapping)
    joint = function.add_block("sub_groups")
    Builder(joint).br(following)
    starts = [start, *(mapping[start] for mapping in values[1:]), joint]
    lasts = [last, *(mapping[last] for mapping in values[1:])]
    for block, after in zip(lasts, starts[1:], strict=True):
        assert isinstance(block, Block) and isinstance(after, Block)
        block.terminator.replace_operand(following, after)
    return joint
