"""Where the work-items of a group are together, and on which branches they agree.

Between two barriers work-items run on their own. They *agree* on a branch when all that get to it take
the same way: because its condition is uniform, or because OpenCL demands it: all work-items must reach
the same next barrier (the end of the kernel counts as one), so where no barrier can be next on two of a
branch's ways, the barrier that is next decides the way. Elsewhere work-items may *part*: the blocks from
there to the immediate post-dominator or the next barrier are *apart*, run by some work-items only, or
not equally often. To all other blocks they come together.

    if (lid < 3) {                   // parts: B1 or B2 may be next inside, B2 behind
        if (flag[0]) barrier();      // B1: agreed, but apart: not all work-items ask
    }
    barrier();                       // B2: together again

A barrier may be added where work-items are together, nowhere else; with it there, they may agree on more.

Requires barriers first in their blocks, one in each block that returns, and the `divergence` of the
function. Complexity: for each branch that parts a walk over the blocks it sets apart.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from weft.ir import Block, Function
from weft.ir.dominators import DominatorTree, post_dominators

from .barrier_cfg import next_barriers, until_barriers
from .divergence import Divergence


@dataclass(frozen=True)
class Agreement:
    """The result: work-items agree on branches that are not parting, and are together where not apart.

    `returning` are divergent branches by which some work-items may return while others go on, perhaps to a
    barrier: against OpenCL's rule then, but real kernels do it, so they are not to be taken once for the
    whole group. Who goes on is together with all others that do.
    """

    reached: Mapping[Block, frozenset[Block]]  # which barriers can be next from a block on
    parting: frozenset[Block]
    apart: frozenset[Block]
    returning: frozenset[Block]

    def differ(self, block: Block) -> bool:
        """Whether the ways out of a block lead to different sets of next barriers."""
        ways = [self.reached[s] for s in block.successors()]
        return all(ways) and any(way != ways[0] for way in ways)

    def may_decide(self, block: Block) -> bool:
        """Whether a block's branch can be taken once for the whole group."""
        return block not in self.parting and block not in self.apart and block not in self.returning


def agreement(function: Function, shape: Divergence) -> Agreement:
    """Analyses a kernel."""
    reached = next_barriers(function)
    tree = post_dominators(function)
    parting: dict[Block, None] = {}
    returning: dict[Block, None] = {}
    for block in function.blocks:
        if not shape.is_divergent_branch(block):
            continue
        ends = [_ends(reached[s]) for s in block.successors()]
        if any(ends) and not all(ends) and _returns_apart(block, ends):
            returning[block] = None
        elif not _barriers_decide(block, reached):
            parting[block] = None
    apart = _set_apart(parting, tree)
    return Agreement(reached, frozenset(parting), frozenset(apart), frozenset(returning))


def _returns_apart(block: Block, ends: list[bool]) -> bool:
    """Whether the ways that only return have no code in common with those that go on.

    Where they have, those that went on may come to the common code without a barrier as well, and are not
    alone with others that went on.
    """
    returned = until_barriers([s for s, end in zip(block.successors(), ends, strict=True) if end])
    gone_on = until_barriers([s for s, end in zip(block.successors(), ends, strict=True) if not end])
    return all(b.first_non_phi == len(b.instructions) - 1 for b in returned.keys() & gone_on)


def _ends(barriers: frozenset[Block]) -> bool:
    """Whether a way only returns; one that leads to no barrier, as `unreachable` does, is not taken."""
    return bool(barriers) and all(b.terminator.opcode == "ret" for b in barriers)


def _barriers_decide(block: Block, reached: Mapping[Block, frozenset[Block]]) -> bool:
    """Whether the next barrier tells which way out of a block was taken."""
    ways = [reached[s] for s in block.successors()]
    return all(ways) and sum(map(len, ways)) == len(frozenset().union(*ways))


def _set_apart(branches: Iterable[Block], tree: DominatorTree) -> set[Block]:
    """The blocks between branches and where their ways meet again, each once for each such place."""
    starts: dict[Block | None, list[Block]] = {}
    for branch in branches:
        end = tree.idom(branch) if branch in tree else None
        starts.setdefault(end, []).extend(branch.successors())
    apart: set[Block] = set()
    for end, blocks in starts.items():
        apart.update(until_barriers(blocks, end))
    return apart
