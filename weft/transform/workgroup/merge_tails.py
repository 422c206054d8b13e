"""Place a barrier before long tails of several barriers, so that they are not replicated.

Code after several barriers is copied into the region of each (pocl's tail replication, Algorithm 2), so a
long tail after a switch with a barrier in each of ten cases would be copied ten times. If the paths from the
barriers join where all work-items converge, the tail can be a separate region instead:

    if (n > 4) { …; barrier(); … } else { …; barrier(); … }
    // all work-items come together here: an implicit barrier
    tail

This is profitable if the copies are larger than SHORT_TAIL instructions: a barrier costs a store and a load
of each live value per work-item. Refuses shorter tails, and those where work-items may have diverged; see
`merge_barriers`.

Requires isolated and implicit barriers and the `divergence` of the function.
"""

from collections.abc import Mapping
from enum import unique

from weft.analysis.barrier_cfg import barrier_cfg, is_barrier_block, until_barriers
from weft.analysis.convergence import convergence
from weft.analysis.divergence import Divergence
from weft.analysis.work_items import BarrierOrigin
from weft.ir import Block, Function
from weft.ir.loops import loop_forest
from weft.remarks import SILENT, Message, Reason, Remarks

from .place_implicit_barriers import barrier_call, decide_branches

# The most instructions that are copied rather than put after a barrier.
SHORT_TAIL = 150


@unique
class MergedTails(Message):
    """What was done to code that follows several barriers."""

    MERGED = "the tail of {barriers} barriers is a separate region"
    SHORT = "the tail of {barriers} barriers is replicated: the copies have {size} instructions"
    DIVERGENT = "the tail of {barriers} barriers is replicated: not all work-items may reach it"


def merge_tails(function: Function, shape: Divergence, short: int, remarks: Remarks = SILENT) -> Divergence:
    """Place barriers before common tails; return the divergence extended by the added blocks.

    `short`: the most instructions of the copies of a tail.
    """
    while True:
        tails, copied = _common_tails(function, shape, short)
        if not tails:
            break
        for tail, barriers in tails.items():
            remarks.passed(MergedTails.MERGED, tail.terminator, barriers=barriers)
            rest = _split(tail)
            if not shape.runs_uniformly(tail):
                shape = shape.extended((), (rest,))
        decide_branches(function, shape)
    for tail, refusal in copied.items():
        remarks.missed(refusal, tail.terminator)
    return shape


def _common_tails(
    function: Function, shape: Divergence, short: int
) -> tuple[dict[Block, int], dict[Block, Reason]]:
    """Find the blocks where paths from several barriers join, none of them after another.

    Return the long tails with the number of their barriers, and the reasons why the others are copied.
    """
    regions: dict[Block, set[int]] = {}
    for number, region in enumerate(barrier_cfg(function).regions):
        for block in region.blocks:
            regions.setdefault(block, set()).add(number)
    if all(len(numbers) == 1 for numbers in regions.values()):
        return {}, {}
    divergent = convergence(function, shape).blocks
    headers = {loop.header for loop in loop_forest(function)}
    long: dict[Block, int] = {}
    copied: dict[Block, Reason] = {}
    covered: set[Block] = set()
    for block in function.blocks:
        if block not in regions or block in headers or block in covered or not _is_join(block, regions):
            continue
        barriers = len(regions[block])
        if block in divergent:
            copied[block] = Reason(MergedTails.DIVERGENT, barriers=barriers)
            continue
        tail = until_barriers([block])
        size = (barriers - 1) * sum(len(b.instructions) for b in tail)
        if size > short:
            long[block] = barriers
            covered.update(tail)
        else:
            copied[block] = Reason(MergedTails.SHORT, barriers=barriers, size=size)
    return long, copied


def _is_join(block: Block, regions: Mapping[Block, set[int]]) -> bool:
    """Whether paths from different barriers join at a block, and not before."""
    here = regions[block]
    if block.first_non_phi == len(block.instructions) - 1 and any(map(is_barrier_block, block.successors())):
        return False  # nothing to copy but phis
    return len(here) > 1 and all(regions.get(p) != here for p in block.predecessors())


def _split(block: Block) -> Block:
    """Place a barrier after the phis of a block; return the block after it."""
    rest = block.split(block.first_non_phi, "tail")
    barrier = block.split(block.first_non_phi, "merge")
    barrier.insert(0, barrier_call(block.parent, BarrierOrigin.MERGED_TAIL))
    return rest
