"""Find the blocks that all work-items of a group reach together, and the branches that all take the same way.

Between two barriers work-items run independently. A branch is *convergent* if all work-items that reach it
take the same successor: because its condition is uniform, or because OpenCL requires it. All work-items must
reach the same next barrier (the end of the kernel counts as one), so if no barrier can be next on two
successors of a branch, the next barrier determines the successor. Other branches are *divergent*: the blocks
from there to the immediate post-dominator or the next barrier are divergent blocks, which only some
work-items run, or not all equally often. All other blocks are reached together.

    if (lid < 3) {                   // divergent: B1 or B2 may be next inside, B2 after
        if (flag[0]) barrier();      // B1: a convergent branch in a divergent block: not all work-items test
    }
    barrier();                       // B2: converged again

A barrier may be added only where work-items are converged. With the added barrier, more branches may be
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

    `returning` are divergent branches at which some work-items may return while others continue, possibly to
    a barrier. OpenCL forbids the latter, but real kernels do it, so such branches must not be taken once for
    the whole group. The work-items that continue stay converged.
    """

    reached: Mapping[Block, frozenset[Block]]  # the barriers that can be next from each block
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
    """Analyse a kernel."""
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
    """Whether the paths that only return share no code with those that continue.

    If they do, work-items that continued may reach the shared code too, without passing a barrier, and are no
    longer converged with the others that continued.
    """
    returned = until_barriers([s for s, end in zip(block.successors(), ends, strict=True) if end])
    continued = until_barriers([s for s, end in zip(block.successors(), ends, strict=True) if not end])
    return all(b.first_non_phi == len(b.instructions) - 1 for b in returned.keys() & continued)


def _ends(barriers: frozenset[Block]) -> bool:
    """Whether a path only returns; a path to no barrier, such as to `unreachable`, is never taken."""
    return bool(barriers) and all(b.terminator.opcode == "ret" for b in barriers)


def _divergent_blocks(branches: Iterable[Block], tree: DominatorTree) -> set[Block]:
    """Return the blocks between branches and their post-dominators, walking once for each post-dominator."""
    starts: dict[Block | None, list[Block]] = {}
    for branch in branches:
        end = tree.idom(branch) if branch in tree else None
        starts.setdefault(end, []).extend(branch.successors())
    divergent: set[Block] = set()
    for end, blocks in starts.items():
        divergent.update(until_barriers(blocks, end))
    return divergent
