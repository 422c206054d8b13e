"""Dominators and post-dominators of a function's blocks.

`a` dominates `b` if every path from the entry to `b` passes `a`; `a` post-dominates `b` if every path from
`b` to the end passes `a`. A block dominates itself. The algorithm is that of Cooper, Harvey and Kennedy, "A
Simple, Fast Dominance Algorithm": quadratic at worst, linear in practice; queries take constant time, by
depth-first numbers of the tree.

Post-dominators are computed with a virtual exit after all blocks without successors. An infinite loop has no
such block. Therefore the last block (in reverse post order) of each strongly connected component without
exits is treated as a predecessor of the virtual exit, so that every block is in the tree.

Unreachable blocks are in neither tree. `dominates(a, b)` is true for every `a` if `b` is unreachable (no path
leads there), and false if only `a` is.

Changing the control flow makes the result stale. Until then all callers share one result (`flow.py`).
"""

from collections.abc import Collection, Sequence

from .flow import flow_of
from .function import Block, Function
from .graph import post_order, strongly_connected
from .instruction import Instruction
from .values import Value


def reverse_post_order(fn: Function) -> list[Block]:
    """Return the blocks reachable from the entry, each before its successors except along back edges."""
    return _order(fn)[:]


def _order(fn: Function) -> list[Block]:
    flow = flow_of(fn)
    order = flow.order
    if order is None:
        order = flow.order = post_order([fn.entry], Block.successors)
        order.reverse()
    return order


def dominators(fn: Function) -> "DominatorTree":
    """Return the dominator tree of a function with a body."""
    flow = flow_of(fn)
    if flow.tree is None:
        flow.tree = _dominators(_order(fn))
    return flow.tree


def _dominators(order: list[Block]) -> "DominatorTree":
    number = {block: i for i, block in enumerate(order)}
    predecessors: list[list[int]] = [[] for _ in order]
    for i, block in enumerate(order):
        for successor in block.successors():
            predecessors[number[successor]].append(i)
    return DominatorTree(order, predecessors)


def dominators_within(blocks: Collection[Block]) -> "DominatorTree":
    """Return the dominator tree of blocks, given in reverse post order, that the first one dominates."""
    order = list(blocks)
    number = {block: i for i, block in enumerate(order)}
    predecessors: list[list[int]] = [[] for _ in order]
    for i, block in enumerate(order):
        for successor in block.successors():
            if number.get(successor, 0):  # edges back to the start do not matter
                predecessors[number[successor]].append(i)
    return DominatorTree(order, predecessors)


def post_dominators(fn: Function) -> "DominatorTree":
    """Return the post-dominator tree of a function with a body; its root is a virtual exit."""
    flow = flow_of(fn)
    if flow.post_tree is None:
        forward = _order(fn)
        successors = {block: block.successors() for block in forward}
        ends = [block for block in forward if not successors[block]]
        flow.post_tree = _post_dominators(forward, successors, ends)
    return flow.post_tree


def post_dominators_within(blocks: Collection[Block]) -> "DominatorTree":
    """Return the post-dominator tree of one iteration of a loop, given its blocks in reverse post order.

    Edges that leave the loop or go back to its header lead to the virtual exit. If only the latch leaves the
    loop, the tree agrees with that of the function for all blocks except the latch.
    """
    header = next(iter(blocks))
    within = {block: [s for s in block.successors() if s in blocks and s is not header] for block in blocks}
    ends = [block for block, following in within.items() if len(following) < len(block.successors())]
    return _post_dominators(list(blocks), within, ends)


def _post_dominators(
    forward: list[Block], successors: dict[Block, list[Block]], ends: list[Block]
) -> "DominatorTree":
    before: dict[Block, list[Block]] = {block: [] for block in forward}
    for block in forward:
        for successor in successors[block]:
            before[successor].append(block)
    finite = post_order(ends, before.__getitem__)
    endless = [block for block in forward if block not in set(finite)] if len(finite) < len(forward) else []
    for component in strongly_connected(endless, successors.__getitem__):
        inside = set(component)
        if all(s in inside for block in component for s in successors[block]):
            ends.append(component[-1])
    order: list[Block | None] = [None, *reversed(post_order(ends, before.__getitem__))]
    number = {block: i for i, block in enumerate(order)}
    following = [[number[s] for s in successors[b]] if b is not None else [] for b in order]
    for block in ends:
        following[number[block]].append(0)
    return DominatorTree(order, following)


class DominatorTree:
    """A dominator tree. `order` is a reverse post order of the underlying graph.

    In a post-dominator tree, read "post-dominates" throughout; its root is the virtual exit, None.
    """

    def __init__(self, order: Sequence[Block | None], predecessors: list[list[int]]) -> None:
        self._nodes = list(order)
        self._number = {node: i for i, node in enumerate(self._nodes)}
        self._parent = _immediate_dominators(predecessors)
        self._below: list[list[int]] = [[] for _ in self._nodes]
        for node in range(1, len(self._nodes)):
            self._below[self._parent[node]].append(node)
        self._enter, self._leave, self._depth = _intervals(self._below)

    @property
    def order(self) -> list[Block]:
        """The blocks in the tree, each after its dominators."""
        return [node for node in self._nodes if node is not None]

    @property
    def root(self) -> Block | None:
        """The entry block, or None, the virtual exit of post-dominators."""
        return self._nodes[0]

    def __contains__(self, block: Block) -> bool:
        """Return whether a block is in the tree, that is, reachable from the entry."""
        return block in self._number

    def idom(self, block: Block) -> Block | None:
        """Return the immediate dominator; None for the root, and if it is the virtual exit.

        Raise KeyError for a block that is not in the tree.
        """
        number = self._number[block]
        return self._nodes[self._parent[number]] if number else None

    def children(self, block: Block | None) -> list[Block]:
        """Return the blocks that `block` immediately dominates, in reverse post order."""
        return [node for n in self._below[self._number[block]] if (node := self._nodes[n]) is not None]

    def depth(self, block: Block) -> int:
        """Return the distance from the root."""
        return self._depth[self._number[block]]

    def dominates(self, a: Block, b: Block) -> bool:
        """Return whether every path to `b` passes `a`."""
        lower = self._number.get(b)
        if lower is None:
            return True
        upper = self._number.get(a)
        if upper is None:
            return False
        return self._enter[upper] <= self._enter[lower] < self._leave[upper]

    def dominates_use(self, value: Value, user: Instruction, index: int) -> bool:
        """Return whether `value` is defined on every path to operand `index` of `user` (dominators only).

        A phi uses a value at the end of the corresponding predecessor.
        """
        if not isinstance(value, Instruction):
            return True
        assert value.block is not None and user.block is not None
        if user.opcode == "phi":
            source = user.operands[index + 1]
            assert isinstance(source, Block)
            return self.dominates(value.block, source)
        if value.block is not user.block:
            return self.dominates(value.block, user.block)
        if user.block not in self._number:
            return True
        return user.block.index(value) < user.block.index(user)


def _immediate_dominators(predecessors: list[list[int]]) -> list[int]:
    """Return the parents in the dominator tree of nodes numbered in reverse post order; node 0 is the
    root."""
    parent = [-1] * len(predecessors)
    parent[0] = 0
    changed = True
    while changed:
        changed = False
        for node in range(1, len(predecessors)):
            new = -1
            for other in predecessors[node]:
                if parent[other] < 0:
                    continue
                if new < 0:
                    new = other
                    continue
                while new != other:
                    while other > new:
                        other = parent[other]
                    while new > other:
                        new = parent[new]
            if parent[node] != new:
                parent[node] = new
                changed = True
    return parent


def _intervals(below: list[list[int]]) -> tuple[list[int], list[int], list[int]]:
    """Return, for each node of a tree, when a walk enters and leaves it, and its depth."""
    enter, leave, depth = [0] * len(below), [0] * len(below), [0] * len(below)
    clock = 1
    stack = [(0, iter(below[0]))]
    while stack:
        node, remaining = stack[-1]
        child = next(remaining, -1)
        if child < 0:
            leave[node] = clock
            stack.pop()
        else:
            enter[child] = clock
            depth[child] = depth[node] + 1
            clock += 1
            stack.append((child, iter(below[child])))
    return enter, leave, depth
