"""The loop forest: nested natural loops, and irreducible cycles.

The target of a back edge dominates its source. The natural loop of a header consists of the header and all
blocks that reach the source of a back edge without passing the header. Back edges to one header form one
loop. A cycle with several entries is not a natural loop; `irreducible` lists these.

Unreachable blocks are in no loop. Changing the control flow makes the result stale. Until then all callers
share one result (`flow.py`).
"""

from collections.abc import Collection, Iterator, KeysView

from .dominators import (
    DominatorTree,
    dominators,
    dominators_within,
    post_dominators,
    post_dominators_within,
)
from .flow import flow_of
from .function import Block, Function
from .graph import cycles, post_order, reachable
from .instruction import Instruction


class Loop:
    """A natural loop. `blocks` (an ordered set, in reverse post order) includes those of inner loops."""

    def __init__(self, header: Block, latches: list[Block], members: dict[Block, None]) -> None:
        self.header = header
        self.latches = latches
        self.parent: Loop | None = None
        self.children: list[Loop] = []
        self.depth = 1  # 1 for an outermost loop
        self._members = members

    @property
    def blocks(self) -> KeysView[Block]:
        """The loop's blocks, header first: an ordered set."""
        return self._members.keys()

    def __contains__(self, block: Block) -> bool:
        return block in self._members

    def instructions(self) -> Iterator[Instruction]:
        """Yield all instructions, block by block."""
        for block in self._members:
            yield from block.instructions

    @property
    def size(self) -> int:
        """The number of instructions."""
        return sum(len(block.instructions) for block in self._members)

    @property
    def latch(self) -> Block | None:
        """The source of the back edge, if there is exactly one."""
        return self.latches[0] if len(self.latches) == 1 else None

    @property
    def entering(self) -> list[Block]:
        """The blocks outside that branch to the header."""
        return [p for p in self.header.predecessors() if p not in self._members]

    @property
    def preheader(self) -> Block | None:
        """The only block outside that branches to the header, if the header is its only successor."""
        entering = self.entering
        if len(entering) == 1 and entering[0].successors() == [self.header]:
            return entering[0]
        return None

    @property
    def known_latch(self) -> Block:
        """The latch of a loop that is known to have only one."""
        (latch,) = self.latches
        return latch

    @property
    def known_preheader(self) -> Block:
        """The preheader of a loop that is known to have one."""
        preheader = self.preheader
        assert preheader is not None, f"the loop at %{self.header.name} has no preheader"
        return preheader

    @property
    def exit_edges(self) -> list[tuple[Block, Block]]:
        """Edges that leave the loop, as (inside, outside)."""
        return [(b, s) for b in self._members for s in b.successors() if s not in self._members]

    @property
    def exiting(self) -> list[Block]:
        """The blocks of the loop with an edge that leaves it."""
        return list(dict.fromkeys(inside for inside, _ in self.exit_edges))

    @property
    def exits(self) -> list[Block]:
        """The blocks outside that are targets of edges from the loop."""
        return list(dict.fromkeys(outside for _, outside in self.exit_edges))

    def nest(self) -> "Iterator[Loop]":
        """Yield the loop and all loops in it, outer loops first."""
        work = [self]
        while work:
            loop = work.pop()
            yield loop
            work += reversed(loop.children)

    def __repr__(self) -> str:
        return f"<Loop %{self.header.name} depth {self.depth}, {len(self._members)} blocks>"


class LoopForest:
    """The loops of a function; `roots` are the outermost ones."""

    def __init__(
        self, loops: list[Loop], innermost: dict[Block, Loop], irreducible: list[set[Block]]
    ) -> None:
        self.loops = loops  # outer loops before inner ones, by the header's reverse post order
        self.roots = [loop for loop in loops if loop.parent is None]
        self.irreducible = irreducible
        self._innermost = innermost

    def loop_of(self, block: Block) -> Loop | None:
        """Return the innermost loop that contains a block."""
        return self._innermost.get(block)

    def depth(self, block: Block) -> int:
        """Return the number of loops that contain a block."""
        loop = self._innermost.get(block)
        return loop.depth if loop is not None else 0

    def is_header(self, block: Block) -> bool:
        """Return whether a block is the header of a loop."""
        loop = self._innermost.get(block)
        return loop is not None and loop.header is block

    def __iter__(self) -> Iterator[Loop]:
        return iter(self.loops)

    def __len__(self) -> int:
        return len(self.loops)


def loop_forest(fn: Function) -> LoopForest:
    """Return the loops of a function with a body."""
    flow = flow_of(fn)
    if flow.forest is None:
        flow.forest = _loop_forest(dominators(fn))
    return flow.forest


def loops_within(blocks: Collection[Block]) -> LoopForest:
    """Return the loops among blocks, given in reverse post order, that are entered only through the first.

    The cost depends only on these blocks, not on the size of the function.
    """
    return _loop_forest(dominators_within(blocks))


def loops_from(header: Block, preheader: Block) -> LoopForest:
    """Return the loop with a header that is entered only from `preheader`, and the loops in it.

    The cost depends only on the blocks of the loop, not on the size of the function.
    """
    members = reachable([header], lambda b: [p for p in b.predecessors() if p is not preheader])
    order = post_order([header], lambda b: [s for s in b.successors() if s in members])
    order.reverse()
    return loops_within(order)


def _loop_forest(tree: DominatorTree) -> LoopForest:
    order = tree.order
    position = {block: i for i, block in enumerate(order)}
    latches: dict[Block, list[Block]] = {}
    forward: dict[Block, list[Block]] = {}
    reducible = True
    for i, block in enumerate(order):
        forward[block] = []
        for successor in block.successors():
            if successor not in position:
                continue
            backward = position[successor] <= i
            if backward and tree.dominates(successor, block):
                latches.setdefault(successor, []).append(block)
            else:
                forward[block].append(successor)
                reducible = reducible and not backward

    # A header precedes its loop's blocks in reverse post order, so in reverse order of headers inner loops
    # are found before the loops that contain them.
    innermost: dict[Block, Loop] = {}
    loops: list[Loop] = []
    for header in sorted(latches, key=position.__getitem__, reverse=True):
        members = _natural_loop(header, latches[header], position)
        loop = Loop(header, latches[header], dict.fromkeys(members))
        for block in members:
            inner = innermost.setdefault(block, loop)
            while inner is not loop and inner.parent is not None:
                inner = inner.parent
            if inner is not loop:
                inner.parent = loop
        loops.append(loop)
    loops.reverse()
    for loop in loops:
        if loop.parent is not None:
            loop.parent.children.append(loop)
            loop.depth = loop.parent.depth + 1
    # In reverse post order, every cycle contains a backward edge.
    irreducible = [] if reducible else [set(cycle) for cycle in cycles(order, forward.__getitem__)]
    return LoopForest(loops, innermost, irreducible)


def loop_post_dominators(loop: Loop) -> DominatorTree:
    """Return a post-dominator tree that is valid for the blocks of a loop except its latch.

    If only the latch leaves the loop, as in work-item loops, the cost depends only on the size of the loop.
    """
    if loop.latch is not None and loop.exiting == [loop.latch]:
        return post_dominators_within(loop.blocks)
    return post_dominators(loop.header.parent)


def _natural_loop(header: Block, latches: list[Block], position: dict[Block, int]) -> list[Block]:
    members = {header}
    work = list(latches)
    while work:
        block = work.pop()
        if block not in members:
            members.add(block)
            work += [p for p in block.predecessors() if p in position]
    return sorted(members, key=position.__getitem__)
