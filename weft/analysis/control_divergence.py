"""What follows when work-items leave a block in different directions.

Two work-items are in a block *at the same time* when they are in the same iteration of every loop
around it. A divergent branch has three effects:

- *join*: where two disjoint ways from the branch meet, within an iteration, the phis choose differently;
- *time*: if one way leaves a loop and another does not, work-items leave it in different iterations, and
  what the loop computed is of different times where it is used behind the loop;
- *runs*: blocks between the branch and its immediate post-dominator, and all blocks of loops that are
  left divergently, are not run by all work-items at the same times.

Joins are found by sending a label down each way, as LLVM's synchronization-dependence analysis does: a
block that two labels reach is a join, and sends its own. A loop that is left divergently is then treated
as one block whose ways are its exits, in the loop around it. A header's phis do not count as a join:
work-items that reach it at the same time come round together.

In cycles that are not natural loops, which have no iterations, the rule is coarser: all phis of the blocks
up to the post-dominator are affected.
"""

import heapq
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from weft.ir import Block, Function, Instruction
from weft.ir.dominators import dominators, post_dominators
from weft.ir.loops import Loop, loop_forest

Edge = tuple[Block, Block]


@dataclass(frozen=True)
class Effect:
    """What a divergent branch affects."""

    joined: tuple[Instruction, ...]  # phis that choose differently
    timed: tuple[Instruction, ...]  # values, or phis behind a loop, of different times
    blocks: tuple[Block, ...]  # not run by all work-items at the same times


class ControlDivergence:
    """The effects of a function's branches, each found when it is first asked for."""

    def __init__(self, function: Function) -> None:
        tree = dominators(function)
        self._order = {block: i for i, block in enumerate(tree.order)}
        self._blocks = list(self._order)
        self._forest = loop_forest(function)
        self._post = post_dominators(function)
        self._cyclic = {b for cycle in self._forest.irreducible for b in cycle}
        self._known: dict[Block, Effect] = {}

    def effect(self, branch: Block) -> Effect:
        """What follows if work-items leave a block in different directions."""
        found = self._known.get(branch)
        if found is None:
            found = self._known[branch] = self._effect(branch)
        return found

    def _effect(self, branch: Block) -> Effect:
        between = self._between(branch)
        if not self._cyclic.isdisjoint(between) or branch in self._cyclic:
            return self._coarse_effect(branch, between)
        joins, left = self._joins(branch)
        joined = [phi for block in joins for phi in block.phis() if _chooses(phi)]
        timed = dict.fromkeys(v for loop in left for v in _leaving(loop))
        blocks = dict.fromkeys([*between, *(b for loop in left for b in loop.blocks)])
        return Effect(tuple(joined), tuple(timed), tuple(blocks))

    def _between(self, branch: Block) -> dict[Block, None]:
        """Blocks on the ways from a branch to its immediate post-dominator, without the latter."""
        end = self._post.idom(branch) if branch in self._post else None
        found: dict[Block, None] = {}
        stack = branch.successors()
        while stack:
            block = stack.pop()
            if block is not end and block not in found:
                found[block] = None
                stack += block.successors()
        return found

    def _coarse_effect(self, branch: Block, between: dict[Block, None]) -> Effect:
        blocks = dict(between)
        touched = {branch, *between}
        for cycle in self._forest.irreducible:
            if not touched.isdisjoint(cycle):
                blocks.update((b, None) for b in self._order if b in cycle)
        left = [loop for loop in self._forest if any(b in loop for b in blocks)]
        end = self._post.idom(branch) if branch in self._post else None
        phis = [phi for block in (*blocks, *([end] if end is not None else [])) for phi in block.phis()]
        timed = dict.fromkeys([*phis, *(v for loop in left for v in _leaving(loop))])
        timed.update((v, None) for v in _used_outside(blocks))
        blocks.update((b, None) for loop in left for b in loop.blocks)
        return Effect((), tuple(timed), tuple(blocks))

    def _joins(self, branch: Block) -> tuple[list[Block], list[Loop]]:
        """Blocks in which ways from a branch meet, and loops that are left divergently."""
        joins: list[Block] = []
        left: list[Loop] = []
        loop = self._forest.loop_of(branch)
        ways: Sequence[Edge] = [(branch, s) for s in branch.successors()]
        while True:
            met, back, exits = self._send_labels(ways, loop)
            joins += met
            if len(back) > 1:
                assert loop is not None
                joins.append(loop.header)  # several latches
            if loop is None or not exits or len(back | exits) < 2:
                return joins, left
            left.append(loop)
            ways, loop = loop.exit_edges, loop.parent

    def _send_labels(
        self, ways: Iterable[Edge], loop: Loop | None
    ) -> tuple[list[Block], set[object], set[object]]:
        """Blocks that several labels reach, and the labels that go back to the header and out of the loop."""
        arrived: dict[Block, set[object]] = {}
        queue: list[int] = []
        joins: list[Block] = []
        back: set[object] = set()
        exits: set[object] = set()

        def send(source: Block, target: Block, label: object) -> None:
            if loop is not None and target is loop.header:
                back.add(label)
            elif loop is not None and target not in loop:
                exits.add(label)
            elif self._order[target] > self._order[source]:  # not round an inner loop
                if target not in arrived:
                    arrived[target] = set()
                    heapq.heappush(queue, self._order[target])
                arrived[target].add(label)

        for source, target in ways:
            send(source, target, (source, target))
        while queue:
            block = self._blocks[heapq.heappop(queue)]
            labels = arrived[block]
            label: object = block
            if len(labels) == 1:
                (label,) = labels
            else:
                joins.append(block)
            if not queue and not back and not exits:
                break  # all ways have met: what follows is the same for all
            for successor in block.successors():
                send(block, successor, label)
        return joins, back, exits


def _chooses(phi: Instruction) -> bool:
    """Whether a phi's value depends on the way that was taken."""
    first = phi.operands[0]
    return any(value is not first for value in phi.operands[::2])


def _leaving(loop: Loop) -> list[Instruction]:
    """Where values of a loop are used behind it: LCSSA phis, or the values themselves if there is none."""
    return _used_outside(loop.blocks)


def _used_outside(blocks: Iterable[Block]) -> list[Instruction]:
    inside = set(blocks)
    found: dict[Instruction, None] = {}
    for block in blocks:
        for value in block.instructions:
            for user in value.users:
                if user.block in inside:
                    continue
                if user.opcode != "phi":
                    found[value] = None
                    continue
                for incoming, source in user.incoming():
                    if incoming is value:
                        found[user if source in inside else value] = None
    return list(found)
