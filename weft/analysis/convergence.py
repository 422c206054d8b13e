"""Find the blocks that all work-items of a group reach together, and the branches that they take alike.

Between two barriers work-items run independently. A branch is *convergent* if all that reach it take the same
successor: because its condition is uniform, or because OpenCL requires it: all work-items must reach the same
next barrier (the end of the kernel counts as one), so where no barrier can be next on two of a branch's
successors, the barrier that is next decides. Other branches are *divergent*: the blocks from there to the
immediate post-dominator or the next barrier are divergent blocks, run by some work-items only, or not equally
often. All other blocks are reached together.

    if (lid < 3) {                   // divergent: B1 or B2 may be next inside, B2 after
        if (flag[0]) barrier();      // B1: a convergent branch in a divergent block: not all work-items test
    }
    barrier();                       // B2: converged again

A barrier may be added where work-items are converged, nowhere else; with it there, more branches may be
convergent.

Requires barriers first in their blocks, one in each block that returns, and the `divergence` of the
function. Complexity: for each divergent branch a walk over its divergent blocks.
"""

from collections.abc import Iterable, Mapping

from weft.dataclasses import dataclass
from weft.ir import Block, Function
from weft.ir.dominators import DominatorTree, post_dominators

from .barrier_cfg import distinguishes_paths, next_barriers, until_barriers
from .divergence import Divergence


@dataclass(frozen=True)
class Convergence:
    """The divergent branches of a function, and the blocks that not all work-items reach together.

    `returning` are divergent branches by which some work-items may return while others go on, perhaps to a
    barrier: against OpenCL's rule then, but real kernels do it, so they are not to be taken once for the
    whole group. Work-items that go on stay converged with all others that do.
    """

    reached: Mapping[Block, frozenset[Block]]  # which barriers can be next from a block on
    branches: frozenset[Block]
    blocks: frozenset[Block]
    returning: frozenset[Block]

    def differ(self, block: Block) -> bool:
        """Whether the paths out of a block lead to different sets of next barriers."""
        paths = [self.reached[s] for s in block.successors()]
        return all(paths) and any(path != paths[0] for path in paths)

    def may_decide(self, block: Block) -> bool:
        """Whether a block's branch can be taken once for the whole group."""
        return block not in self.branches and block not in self.blocks and block not in self.returning


def convergence(function: Function, shape: Divergence) -> Convergence:
    """Analyses a kernel."""
    reached = next_barriers(function)
    tree = post_dominators(function)
    branches: dict[Block, None] = {}
    returning: dict[Block, None] = {}
    for block in function.blocks:
        if not shape.is_divergent_branch(block):
            continue
        ends = [_ends(reached[s]) for s in block.successors()]
        if any(ends) and not all(ends) and _returns_separately(block, ends):
            returning[block] = None
        elif not distinguishes_paths([reached[s] for s in block.successors()]):
            branches[block] = None
    blocks = _divergent_blocks(branches, tree)
    return Convergence(reached, frozenset(branches), frozenset(blocks), frozenset(returning))


def _returns_separately(block: Block, ends: list[bool]) -> bool:
    """Whether the paths that only return have no code in common with those that go on.

    Where they have, those that went on may come to the common code without a barrier as well, and are not
    alone with others that went on.
    """
    returned = until_barriers([s for s, end in zip(block.successors(), ends, strict=True) if end])
    gone_on = until_barriers([s for s, end in zip(block.successors(), ends, strict=True) if not end])
    return all(b.first_non_phi == len(b.instructions) - 1 for b in returned.keys() & gone_on)


def _ends(barriers: frozenset[Block]) -> bool:
    """Whether a path only returns; one that leads to no barrier, as `unreachable` does, is not taken."""
    return bool(barriers) and all(b.terminator.opcode == "ret" for b in barriers)


def _divergent_blocks(branches: Iterable[Block], tree: DominatorTree) -> set[Block]:
    """The blocks between branches and where their paths join again, each once for each such place."""
    starts: dict[Block | None, list[Block]] = {}
    for branch in branches:
        end = tree.idom(branch) if branch in tree else None
        starts.setdefault(end, []).extend(branch.successors())
    found: set[Block] = set()
    for end, blocks in starts.items():
        found.update(until_barriers(blocks, end))
    return found
