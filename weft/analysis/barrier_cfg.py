"""The barrier CFG and the parallel regions between barriers (pocl, section 4.3 and definitions 1 to 5).

A *barrier block* starts with a barrier. Each edge out of a barrier block enters a *parallel region*: the
blocks that are reachable from there without passing another barrier. All work-items run a region before any
continues, so a region becomes a work-item loop. The *successors* of a region are the barrier blocks that it
reaches; with barrier blocks as nodes and regions as edges this is the barrier CFG.

A block that is reachable from several barriers belongs to several regions; each region gets its own copy of
the code. This is the paper's tail replication (Algorithm 2), bounded by the number of barriers.

Requires: barriers first in their blocks; a barrier in the entry block and in every block that
returns; the targets of a barrier block have no other predecessor and no phis.
"""

from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from typing import TypeVar

from weft.dataclasses import dataclass
from weft.ir import Block, Function, Value
from weft.ir.graph import post_order, reachable

from .work_items import is_barrier

Stop = TypeVar("Stop", bound=Value)


@dataclass(frozen=True, eq=False)
class ParallelRegion:
    """The blocks between one barrier and the next; `entry` comes first."""

    barrier: Block
    entry: Block
    blocks: tuple[Block, ...]
    successors: tuple[Block, ...]

    @property
    def is_empty(self) -> bool:
        """Whether the region contains no code."""
        return len(self.blocks) == 1 and len(self.entry.instructions) == 1 and len(self.successors) == 1


@dataclass(frozen=True)
class BarrierCFG:
    """All barrier blocks of a kernel, the entry first, and the regions between them."""

    barriers: tuple[Block, ...]
    regions: tuple[ParallelRegion, ...]

    @cached_property
    def following(self) -> dict[Block, dict[Block, ParallelRegion]]:
        """The regions that start at each barrier, by their entries."""
        by_barrier: dict[Block, dict[Block, ParallelRegion]] = {barrier: {} for barrier in self.barriers}
        for region in self.regions:
            by_barrier[region.barrier][region.entry] = region
        return by_barrier

    def after(self, barrier: Block) -> list[Block]:
        """Return the barriers that can follow a barrier."""
        return [s for region in self.following[barrier].values() for s in region.successors]


def is_barrier_block(block: Block) -> bool:
    """Whether a block starts with a barrier."""
    return bool(block.instructions) and is_barrier(block.instructions[0])


def barrier_cfg(function: Function) -> BarrierCFG:
    """Form the parallel regions of a kernel."""
    barriers = [function.entry]
    seen = {function.entry}
    regions = []
    for barrier in barriers:  # grows while regions reach new barriers
        for entry in barrier.successors():
            region = _region(barrier, entry)
            regions.append(region)
            for successor in region.successors:
                if successor not in seen:
                    seen.add(successor)
                    barriers.append(successor)
    return BarrierCFG(tuple(barriers), tuple(regions))


def _region(barrier: Block, entry: Block) -> ParallelRegion:
    reached = reachable([entry], lambda b: () if is_barrier_block(b) else reversed(b.successors()))
    blocks = tuple(b for b in reached if not is_barrier_block(b))
    return ParallelRegion(barrier, entry, blocks, tuple(filter(is_barrier_block, reached)))


def until_barriers(starts: Iterable[Block], end: Block | None = None) -> dict[Block, None]:
    """Return the blocks that are reachable without passing a barrier or `end`."""
    return reachable(starts, Block.successors, lambda block: block is not end and not is_barrier_block(block))


def next_barriers(function: Function) -> dict[Block, frozenset[Block]]:
    """Map each block to the barrier blocks that can be reached first from its start."""
    return next_stops(function, lambda block: block if is_barrier_block(block) else None)


def distinguishes_paths(paths: Sequence[frozenset[Stop]]) -> bool:
    """Whether the next stop identifies the path taken: each path has stops, and no two share one."""
    return all(paths) and sum(map(len, paths)) == len(frozenset().union(*paths))


def next_stops(function: Function, stop_in: Callable[[Block], Stop | None]) -> dict[Block, frozenset[Stop]]:
    """Map each block to the stops that can be reached first from its start; `stop_in` finds a block's own."""
    next_in: dict[Block, frozenset[Stop]] = {}
    paths: list[tuple[Block, list[Block]]] = []
    # In post order, so that only loops need more than one round.
    for block in post_order(function.blocks, Block.successors):
        stop = stop_in(block)
        next_in[block] = frozenset((stop,)) if stop is not None else frozenset()
        if stop is None:
            paths.append((block, block.successors()))
    changed = True
    while changed:
        changed = False
        for block, successors in paths:
            first, *rest = (next_in[s] for s in successors) if successors else (next_in[block],)
            reached = first.union(*rest) if any(other != first for other in rest) else first
            if reached != next_in[block]:
                next_in[block] = reached
                changed = True
    return next_in
