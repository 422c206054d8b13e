"""The effects of divergent branches on lanes (or work-items).

Two lanes are in a block *at the same time* if they are in the same iteration of every enclosing loop. A
divergent branch has three effects:

- *joins*: the phis of blocks in which two disjoint paths from the branch meet within an iteration are
  divergent;
- *loops left*: if one path leaves a loop and another does not, lanes leave it in different iterations, and
  live-out values of the loop come from different iterations;
- *runs*: blocks between the branch and its immediate post-dominator, and all blocks of loops that are left
  divergently, are not run by all lanes at the same times.

Joins are found by propagating a label along each path, as in LLVM's synchronization-dependence analysis: a
block that two labels reach is a join, and propagates its own label. A loop that is left divergently is then
treated as one block of the enclosing loop, with its exits as successors. A header's phis are not joins: lanes
that reach it at the same time came through the back edge together.

Cycles that are not natural loops have no iterations. For them the rule is coarser: all phis of the blocks up
to the post-dominator are affected.

Complexity: for each branch a walk until its paths have met, or until only one path is left that only the
post-dominator can join. So a chain of early returns takes linear time.
"""

import heapq
from collections.abc import Collection, Iterable, Sequence
from functools import cached_property

from weft.dataclasses import dataclass
from weft.ir import Block, Function, Instruction
from weft.ir.dominators import DominatorTree, post_dominators, reverse_post_order
from weft.ir.graph import reachable
from weft.ir.loops import Loop, LoopForest, loop_forest, loop_post_dominators

Edge = tuple[Block, Block]
Label = Block | Edge  # where lanes were last together: the block where paths joined, or an edge


@dataclass(frozen=True)
class Effect:
    """What a divergent branch affects."""

    joins: tuple[Block, ...]  # where paths join
    left: tuple[Loop, ...]  # loops that lanes leave at different times
    blocks: tuple[Block, ...]  # not run by all lanes at the same times
    cyclic: tuple[Block, ...] = ()  # blocks in and around cycles that are not natural loops

    @cached_property
    def values(self) -> dict[Instruction, None]:
        """The phis that join different values, and values (or LCSSA phis) from different iterations."""
        phis = [phi for block in self.joins for phi in block.phis()]
        values = dict.fromkeys(phis if self.cyclic else filter(_chooses, phis))
        for blocks in (*(loop.blocks for loop in self.left), self.cyclic):
            values |= _used_outside(blocks)
        return values


class ControlDivergence:
    """The effects of the branches of a function, or of an iteration of `within`, each reported once."""

    def __init__(
        self, function: Function, forest: LoopForest | None = None, within: Loop | None = None
    ) -> None:
        self._function, self._within = function, within
        self._forest = loop_forest(function) if forest is None else forest
        # An iteration contains only natural loops, whatever is around it.
        self._cyclic = {b for cycle in self._forest.irreducible for b in cycle} if within is None else set()
        # Effects that were already reported, by dimensions: loops that are left, and blocks before an end.
        self._left: set[tuple[Loop, int]] = set()
        self._run: dict[tuple[Block | None, int], dict[Block, None]] = {}

    @cached_property
    def _blocks(self) -> list[Block]:
        return reverse_post_order(self._function) if self._within is None else list(self._within.blocks)

    @cached_property
    def _order(self) -> dict[Block, int]:
        return {block: i for i, block in enumerate(self._blocks)}

    @cached_property
    def _post(self) -> DominatorTree:
        """Computed when the first branch diverges: of hundreds of work-item loops few have such branches."""
        if self._within is None:
            return post_dominators(self._function)
        return loop_post_dominators(self._within)

    def effect(self, branch: Block, dimensions: int = 1) -> Effect:
        """Return the effects of lanes leaving a block in different directions that were not reported before.

        Lanes may vary along several dimensions; each set of them, a mask, is reported separately.
        """
        end = self._end(branch)
        between = self._between(branch.successors(), end, dimensions)
        if not self._cyclic.isdisjoint(between) or branch in self._cyclic:
            return self._coarse_effect(branch, between)
        paths = [(branch, s) for s in branch.successors()]
        return self._diverged(paths, self._loop(self._forest.loop_of(branch)), end, between, dimensions)

    def _end(self, block: Block) -> Block | None:
        return self._post.idom(block) if block in self._post else None

    def _loop(self, loop: Loop | None) -> Loop | None:
        """Return a loop if lanes can leave it: not the loop of this analysis, nor those around it."""
        within = self._within
        return None if loop is None or (within is not None and within.header in loop) else loop

    def _between(self, starts: Iterable[Block], end: Block | None, dimensions: int) -> dict[Block, None]:
        """Return the unreported blocks on the paths to an immediate post-dominator, excluding the latter."""
        within, known = self._within, self._run.setdefault((end, dimensions), {})
        others = (end, within.header if within is not None else None)

        def is_new(block: Block) -> bool:
            return block not in known and block not in others and (within is None or block in within)

        new = reachable(starts, Block.successors, is_new)
        if not self._cyclic:  # otherwise the coarse rule needs all blocks of each branch
            known |= new
        return new

    def _coarse_effect(self, branch: Block, between: dict[Block, None]) -> Effect:
        blocks = dict(between)
        touched = {branch, *between}
        for cycle in self._forest.irreducible:
            if not touched.isdisjoint(cycle):
                blocks.update((b, None) for b in self._order if b in cycle)
        left = [loop for loop in self._forest if any(b in loop for b in blocks)]
        end = self._end(branch)
        joins = (*blocks, end) if end is not None else tuple(blocks)
        run = dict.fromkeys([*blocks, *(b for loop in left for b in loop.blocks)])
        return Effect(joins, tuple(left), tuple(run), tuple(blocks))

    def _diverged(
        self,
        paths: Sequence[Edge],
        loop: Loop | None,
        end: Block | None,
        between: dict[Block, None],
        dimensions: int,
    ) -> Effect:
        """Return the effect of lanes taking different paths, in an iteration of `loop` or of the scope."""
        joins: list[Block] = []
        left: list[Loop] = []
        while True:
            met_at, back, exits = self._send_labels(paths, loop, end)
            joins += met_at
            if len(back) > 1 and loop is not None:
                joins.append(loop.header)  # several latches
            if loop is None or not exits or len(back | exits) < 2 or (loop, dimensions) in self._left:
                break
            self._left.add((loop, dimensions))
            left.append(loop)
            paths, loop = loop.exit_edges, self._loop(loop.parent)
        blocks = dict.fromkeys([*between, *(b for loop in left for b in loop.blocks)])
        return Effect(tuple(joins), tuple(left), tuple(blocks))

    def _send_labels(
        self, paths: Iterable[Edge], loop: Loop | None, end: Block | None
    ) -> tuple[list[Block], set[Label], set[Label]]:
        """Return the blocks that several labels reach, and the labels that reach the header and the exits.

        A label that is the last one left, or can only meet others at the end, is not followed further.
        """
        around = self._within if loop is None else loop
        last = end if loop is None or end is loop.latch else None
        arrived: dict[Block, set[Label]] = {}
        queue: list[int] = []
        joins: list[Block] = []
        back: set[Label] = set()
        exits: set[Label] = set()

        def send(source: Block, target: Block, label: Label) -> None:
            if around is not None and target is around.header:
                back.add(label)
            elif around is not None and target not in around:
                exits.add(label)
            elif self._order[target] > self._order[source]:  # not a back edge of an inner loop
                if target not in arrived:
                    arrived[target] = set()
                    heapq.heappush(queue, self._order[target])
                arrived[target].add(label)

        for source, target in paths:
            send(source, target, (source, target))
        while queue:
            block = self._blocks[heapq.heappop(queue)]
            labels = arrived[block]
            label: Label = block
            if len(labels) == 1:
                (label,) = labels
            else:
                joins.append(block)
            if not queue and not back:
                back.add(label)  # or it leaves the loop: it meets no other label any more
                break
            # Paths join at the end at the latest, unless they take the back edge first.
            if last in arrived and queue == [self._order[last]] and not back and not exits:
                joins += [last] if arrived[last] != {label} else []
                break
            for successor in block.successors():
                send(block, successor, label)
        return joins, back, exits


def _chooses(phi: Instruction) -> bool:
    """Whether a phi's value depends on the path taken."""
    first = phi.operands[0]
    return any(value is not first for value in phi.operands[::2])


def _used_outside(blocks: Collection[Block]) -> dict[Instruction, None]:
    """Return the LCSSA phis outside `blocks` that use their values, or the values if there are none."""
    inside = set(blocks)
    values: dict[Instruction, None] = {}
    for block in blocks:
        for value in block.instructions:
            for user in value.users:
                if user.block in inside:
                    continue
                if user.opcode != "phi":
                    values[value] = None
                    continue
                for incoming, source in user.incoming():
                    if incoming is value:
                        values[user if source in inside else value] = None
    return values
