"""Emit reductions of lanes, those of several sub-groups at once.

    for (x = 0; x < 256; x += 16)             for (x = 0; x < 256; x += 128)
      v = load <16 x float>, a + x              v0 = load a + x; v1 = load a + x + 16; … v7 = …
      r = reduce(v)                   becomes   r = 8 reductions by 7 + 8 additions, 14 shuffles
      store r, sums + x / 16                    store r[0 … 7], sums + x / 16

A reduction of one vector is a chain of shuffles, each followed by an operation on half the lanes. Reductions
of several vectors share them (`reduce_lanes.py`). Those of one sub-group that do not need one another are
merged where they are. A loop over sub-groups whose reductions are on every path is unrolled, so that several
sub-groups come to their reductions together (`jam_sub_groups.py`): 4 to as many as a step has lanes, if their
number divides the trip count, their values fit into the registers, and the code does not become too long.

Requires the calls of `vectorize-work-items` (`analysis/lane_reduction.py`) and replaces all of them. Does not
unroll a loop if sub-groups use the same private memory before and after a reduction, or if a branch leads
around the reduction. Linear in the size of the resulting code.
"""

from collections.abc import Sequence
from enum import unique
from itertools import accumulate

from weft.analysis.lane_reduction import PREFIX, reduced_by
from weft.analysis.memory_effects import derived_from
from weft.ir import Block, Function, Instruction, Value
from weft.ir.builder import Builder
from weft.ir.clone import ValueMap
from weft.ir.loops import Loop, LoopForest, loop_forest
from weft.ir.types import Type, VectorType, size_of
from weft.remarks import SILENT, Message, Remarks
from weft.target import Target
from weft.transform.workgroup.work_item_loops import is_any_work_item_loop

from .jam_sub_groups import (
    JamPoint,
    blocks_of_all,
    jam_sub_groups,
    segments_of,
    sub_group_loop,
)
from .reduce_lanes import lanes_of_step, reduced_lanes

# The most instructions of an unrolled loop.
MOST_INSTRUCTIONS = 512
# Two or three sub-groups share too few steps.
FEWEST = 4
# The part of the vector registers for what is live at a jam point; the others are for what is computed.
_REGISTERS = 0.75
# The parameter of work-group functions that points to the context arena.
_CONTEXT = 3
# For each instruction that may access memory that sub-groups share, the memory that it may access.
_PrivateAccesses = dict[Instruction, list[Value]]


@unique
class MergedReductions(Message):
    """Whether several sub-groups come to their reductions together."""

    TOGETHER = "{sub_groups} sub-groups at a time are reduced together"
    NOT_ALL = "sub-groups are reduced separately: it depends on them whether or how often"
    UNKNOWN_COUNT = "sub-groups are reduced separately: their number is unknown or has no suitable divisor"
    TOO_MUCH = "sub-groups are reduced separately: several need too many registers or too much code"
    PRIVATE_MEMORY = "sub-groups are reduced separately: they share private memory"


def merge_reductions(function: Function, target: Target, remarks: Remarks = SILENT) -> int:
    """Replace the reductions of a work-group function; return how many there were."""
    calls = [i for i in function.instructions() if reduced_by(i) is not None]
    if not calls:
        return 0
    forest, accesses = loop_forest(function), _private_accesses(function)
    around = (forest.loop_of(call.parent) for call in calls)
    changed: set[Block] = set()  # headers of loops for which the forest no longer holds
    for header in dict.fromkeys(loop.header for loop in around if loop is not None):
        if header in changed:
            forest, changed = loop_forest(function), set()
        loop = forest.loop_of(header)
        assert loop is not None and loop.header is header
        if _jam(function, loop, forest, accesses, target, remarks):
            changed |= loop.blocks
            while (loop := loop.parent) is not None:
                changed.add(loop.header)
    for block in dict.fromkeys(call.parent for call in function.instructions() if reduced_by(call)):
        for point in _jam_points(block):
            results = _reduced(Builder(block, point[-1]), point, [{}], target)
            for call, result in zip(point, results[0], strict=True):
                call.replace_all_uses_with(result)
                call.erase()
    module = function.parent
    for declared in [f for f in module.functions if (f.name or "").startswith(PREFIX)]:
        module.remove(declared)
    return len(calls)


def _jam(
    function: Function,
    loop: Loop,
    forest: LoopForest,
    accesses: _PrivateAccesses,
    target: Target,
    remarks: Remarks,
) -> bool:
    """Unroll a loop over sub-groups if that merges their reductions; return whether it was unrolled."""
    if not is_any_work_item_loop(loop):
        return False
    points = [point for block in blocks_of_all(loop, forest) for point in _jam_points(block)]
    counted = sub_group_loop(loop)
    why: MergedReductions | None = None
    copies = 1
    if not points:
        why = MergedReductions.NOT_ALL
    elif _shares_private_memory(loop, points, accesses):
        why = MergedReductions.PRIVATE_MEMORY
    elif counted is None or not (divisors := _divisors(counted.trips, _most_at_once(points, target))):
        why = MergedReductions.UNKNOWN_COUNT
    else:
        most = min(MOST_INSTRUCTIONS // loop.size, _most_in_registers(loop, points, target))
        copies = next((number for number in divisors if number <= most), 1)
        why = MergedReductions.TOO_MUCH if copies == 1 else None
    if why is not None:
        remarks.missed(why, loop)
        return False
    assert counted is not None
    remarks.passed(MergedReductions.TOGETHER, points[0][0], sub_groups=copies)

    def make(b: Builder, point: JamPoint, values: Sequence[ValueMap]) -> list[list[Value]]:
        return _reduced(b, point, values, target)

    jam_sub_groups(function, counted, points, copies, make)
    return True


def _divisors(trips: int, most: int) -> list[int]:
    """Return the numbers of sub-groups to be reduced together, divisors of the trip count, the best first."""
    numbers = [number for number in range(min(trips, most), FEWEST - 1, -1) if trips % number == 0]
    return sorted(numbers, key=lambda number: number & (number - 1) != 0)


def _most_at_once(points: Sequence[JamPoint], target: Target) -> int:
    """Return the most vectors that a step for several vectors can leave in one register."""
    types = (call.arguments[0].type for point in points for call in point)
    return max(lanes_of_step(type, target.register_bits) for type in types if isinstance(type, VectorType))


def _most_in_registers(loop: Loop, points: Sequence[JamPoint], target: Target) -> int:
    """Return for how many sub-groups the values live at each jam point fit into the vector registers."""
    segments, calls = segments_of(loop, points), {call for point in points for call in point}
    # How many more registers are live at a jam point than at the one before it.
    change = [0] * (len(points) + 1)
    for i in loop.instructions():
        if isinstance(i.type, VectorType) and i.users:
            last = max(segments[user] for user in i.users)
            last += any(segments[user] == last for user in i.users if user in calls)
            size = -(-8 * size_of(i.type) // target.register_bits)
            change[segments[i]] += size
            change[last] -= size
    return int(target.vector_registers * _REGISTERS) // max(1, *accumulate(change))


def _private_accesses(function: Function) -> _PrivateAccesses:
    """Map the instructions that may access private memory to the variables that they may access.

    Variables are on the stack or in the context arena, at addresses that the entry computes. The arrays of
    the arena do not count: each work-item has elements of its own there.
    """
    accesses: _PrivateAccesses = {}
    arena = function.arguments[_CONTEXT : _CONTEXT + 1]
    for root in function.entry.instructions:
        if root.opcode != "alloca" and not (root.opcode == "getelementptr" and root.operands[0] in arena):
            continue
        users = {user: None for pointer in derived_from(root) for user in pointer.users}
        for user in users:
            if user.info.reads or user.info.writes:
                accesses.setdefault(user, []).append(root)
    return accesses


def _shares_private_memory(loop: Loop, points: Sequence[JamPoint], accesses: _PrivateAccesses) -> bool:
    """Whether a sub-group may use after a jam point what it wrote to private memory before it."""
    segments = segments_of(loop, points)
    used_in: dict[Value, set[int]] = {}
    written: set[Value] = set()
    for i in loop.instructions():
        for root in accesses.get(i, ()):
            used_in.setdefault(root, set()).add(segments[i])
            if i.info.writes:
                written.add(root)
    return any(len(used_in[root]) > 1 for root in written)


def _jam_points(block: Block) -> list[JamPoint]:
    """Return the reductions of a block; those that do not depend on one another share a jam point."""
    points: list[dict[Instruction, None]] = [{}]
    for i in block.instructions:
        if any(operand in points[-1] for operand in i.operands):
            points.append({})
        if reduced_by(i) is not None:
            points[-1][i] = None
    return [tuple(point) for point in points if point]


def _reduced(b: Builder, point: JamPoint, values: Sequence[ValueMap], target: Target) -> list[list[Value]]:
    """Emit the reductions of a jam point; return the results of each sub-group, given its values."""
    results: dict[tuple[Instruction, int], Value] = {}
    kinds: dict[tuple[str | None, Type], list[Instruction]] = {}
    for call in point:
        kinds.setdefault((reduced_by(call), call.arguments[0].type), []).append(call)
    for (operation, _), calls in kinds.items():
        assert operation is not None
        places = [(call, number) for call in calls for number in range(len(values))]
        vectors = [values[number].get(call.arguments[0], call.arguments[0]) for call, number in places]
        reduced = reduced_lanes(b, operation, vectors, target.register_bits)
        results.update(zip(places, reduced, strict=True))
    return [[results[call, number] for call in point] for number in range(len(values))]
