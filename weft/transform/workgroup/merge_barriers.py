"""Merge barriers that share most of their tails into one, which records the path taken.

Each barrier starts a region, and a block that is reachable from many barriers is copied into as many regions.
Where work-items converge, `merge_tails` adds another barrier; elsewhere, such as in a loop with a divergent
exit, it must not. There the barriers themselves are merged, and each work-item continues after its original
barrier:

    b1:                                        b1:
      call void @barrier()                       br label %gather
      br label %after.1                        b2:
    b2:                                          br label %gather
      call void @barrier()                     gather:
      br label %after.2                          %last = phi i32 [ 0, %b1 ], [ 1, %b2 ]
                                                 br label %gathered
                                               gathered:
                                                 call void @weft.barrier()
                                                 br label %onward
                                               onward:
                                                 switch i32 %last, label %after.1 [ i32 1, label %after.2 ]

So the region after them has one copy of the code, entered according to the last barrier passed, as in
continuation-based schemes. Work-items that wait at different barriers of the set, which OpenCL forbids, still
synchronize. The drawback is that the region is rarely vectorized, so the pass refuses unless the copies would
make the kernel more than GROWTH times as large.

Requires isolated and implicit barriers. Values that no longer dominate their uses get phis. Complexity: the
number of barriers times the number of values that are live across them.
"""

from collections.abc import Mapping
from enum import unique

from weft.analysis.barrier_cfg import BarrierCFG, barrier_cfg
from weft.analysis.divergence import Divergence
from weft.analysis.work_items import BarrierOrigin
from weft.ir import Block, Function, Instruction, Value
from weft.ir.builder import Builder
from weft.ir.dominators import DominatorTree, dominators
from weft.ir.graph import reachable
from weft.ir.ssa import SSAVariable
from weft.ir.types import I32, VOID, Type
from weft.ir.values import Poison, const_int
from weft.remarks import SILENT, Message, Remarks

from .place_implicit_barriers import barrier_call

# Code is copied if all regions together are at most this many times as large as the kernel,
GROWTH = 3
# or have at most this many instructions.
SMALL = 1000
# A block in at most this many regions is not a reason to merge barriers.
FEW_COPIES = 3


@unique
class MergedBarriers(Message):
    """What was done to barriers that share the code after them."""

    MERGED = "{barriers} barriers merged into one, which records the path taken"
    SMALL = (
        "tails of several barriers are replicated: the regions have {copies} instructions, the kernel {once}"
    )


def merge_barriers(
    function: Function, shape: Divergence, small: int, remarks: Remarks = SILENT
) -> Divergence:
    """Merge barriers with common tails; return the divergence extended by the new code.

    `small`: the number of instructions that all regions together may always have.
    """
    cfg = barrier_cfg(function)
    copies = sum(_size(b) for region in cfg.regions for b in region.blocks)
    once = sum(map(_size, {b for region in cfg.regions for b in region.blocks}))
    if copies <= max(GROWTH * once, small):
        if copies > once:
            remarks.missed(MergedBarriers.SMALL, copies=copies, once=once)
        return shape
    known = set(function.instructions())
    blocks = set(function.blocks)
    for barriers in _sharing(cfg):
        remarks.passed(MergedBarriers.MERGED, barriers=len(barriers))
        _merge(function, barriers)
    return shape.extended(
        (i for i in function.instructions() if i not in known),
        (b for b in function.blocks if b not in blocks),
    )


def _size(block: Block) -> int:
    return len(block.instructions)


def _sharing(cfg: BarrierCFG) -> list[list[Block]]:
    """Return sets of barriers, more than FEW_COPIES of which lead to the same blocks.

    The entry and barriers at deciding branches are excluded.
    """
    after: dict[Block, list[Block]] = {}
    for region in cfg.regions:
        for block in region.blocks:
            after.setdefault(block, []).append(region.barrier)
    parent: dict[Block, Block] = {}

    def root(barrier: Block) -> Block:
        while parent.setdefault(barrier, barrier) is not barrier:
            barrier = parent[barrier]
        return barrier

    for barriers in after.values():
        if len(barriers) > FEW_COPIES:
            plain = [b for b in barriers if len(b.successors()) == 1 and b.predecessors()]
            for barrier in plain:
                parent[root(barrier)] = root(plain[0])
    sets: dict[Block, list[Block]] = {}
    for barrier in cfg.barriers:
        if barrier in parent:
            sets.setdefault(root(barrier), []).append(barrier)
    return [group for group in sets.values() if len(group) > 1]


def _live_across(function: Function, barriers: set[Block]) -> dict[Instruction, set[Block]]:
    """Map each value to the barriers across which it is live."""
    crossed = ((value, barriers & _live_at(value).keys()) for value in function.instructions())
    return {value: across for value, across in crossed if across}


def _live_at(value: Instruction) -> dict[Block, None]:
    """Return the blocks in which a value must be available, except the one that computes it."""
    uses: list[Block] = []
    for user in value.users:
        if user.opcode == "phi":
            uses += [source for incoming, source in user.incoming() if incoming is value]
        elif user.block is not None:
            uses.append(user.block)
    return reachable(uses, Block.predecessors, lambda block: block is not value.block)


def _merge(function: Function, barriers: list[Block]) -> None:
    crossing = _live_across(function, set(barriers))
    gather, gathered, onward = (function.add_block(n) for n in ("gather", "gathered", "onward"))
    last = Builder(gather).phi(I32, "last")
    ways: dict[Block, Block] = {}
    for number, barrier in enumerate(barriers):
        (after,) = barrier.successors()
        for instruction in list(barrier.instructions):
            instruction.erase()
        Builder(barrier).br(gather)
        last.add_incoming(const_int(I32, number), barrier)
        ways[barrier] = function.add_block("way")
        Builder(ways[barrier]).br(after)
    Builder(gather).br(gathered)
    gathered.append(barrier_call(function, BarrierOrigin.GATHERED))
    Builder(gathered).br(onward)
    first, *others = ways.values()
    cases = [v for number, way in enumerate(others, 1) for v in (const_int(I32, number), way)]
    Builder(onward).emit("switch", VOID, [last, first, *cases])
    tree = dominators(function)
    crossing = {v: c for v, c in crossing.items() if not tree.dominates(v.parent, gather)}
    for type, places in _places(crossing).items():
        for values in places:
            _share(type, values, crossing, gather, ways, tree)


def _places(crossing: Mapping[Instruction, set[Block]]) -> dict[Type, list[list[Instruction]]]:
    """Group values of one type that are not live across a common barrier, so that they share a phi."""
    by_type: dict[Type, list[list[Instruction]]] = {}
    taken: dict[Type, list[set[Block]]] = {}
    for value in sorted(crossing, key=lambda v: -len(crossing[v])):
        places, used = by_type.setdefault(value.type, []), taken.setdefault(value.type, [])
        free = (n for n, barriers in enumerate(used) if barriers.isdisjoint(crossing[value]))
        number = next(free, len(used))
        if number == len(used):
            places.append([])
            used.append(set())
        places[number].append(value)
        used[number] |= crossing[value]
    return by_type


def _share(
    type: Type,
    values: list[Instruction],
    crossing: Mapping[Instruction, set[Block]],
    gather: Block,
    ways: Mapping[Block, Block],
    tree: DominatorTree,
) -> None:
    """Add a phi at the common barrier for values that no longer dominate their uses."""
    common = Instruction("phi", type, [], values[0].name)
    gather.insert(0, common)
    incoming: dict[Block, Value] = {}
    variables = []
    for value in values:
        home = value.parent
        uses = [
            (user, index)
            for user in value.users
            for index, operand in enumerate(user.operands)
            if operand is value
            and (user.block is not home or user.opcode == "phi")
            and not tree.dominates_use(value, user, index)
        ]
        variable = SSAVariable(type, value.name)
        variable.define(home, value)
        for barrier in crossing[value]:
            variable.define(ways[barrier], common)
        for barrier in crossing[value]:
            incoming[barrier] = variable.at_end(barrier)
        for user, index in uses:
            if user.opcode == "phi":
                source = user.operands[index + 1]
                assert isinstance(source, Block)
                user.set_operand(index, variable.at_end(source))
            else:
                user.set_operand(index, variable.at_start(user.parent))
        variables.append(variable)
    for barrier in ways:
        common.add_incoming(incoming.get(barrier, Poison(type)), barrier)
    for variable in variables:
        variable.simplify()
