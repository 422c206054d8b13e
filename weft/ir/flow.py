"""Cache control-flow analyses of a function while its control flow is unchanged.

Passes compute dominators and loops repeatedly, mostly for a function whose blocks and branches have not
changed. Each use checks that. The check is much cheaper than finding loops, and passes need not invalidate
anything.
"""

from typing import TYPE_CHECKING

from .function import Block, Function
from .values import Value

if TYPE_CHECKING:
    from .dominators import DominatorTree
    from .loops import LoopForest


class Flow:
    """The blocks and branches of a function and its cached analyses, which are read-only."""

    __slots__ = ("_blocks", "_ends", "forest", "order", "post_tree", "tree")

    def __init__(self, fn: Function) -> None:
        self._blocks = fn.blocks[:]
        self._ends: list[list[Value]] = [block.instructions[-1].operands[:] for block in fn.blocks]
        self.order: list[Block] | None = None
        self.tree: DominatorTree | None = None
        self.post_tree: DominatorTree | None = None
        self.forest: LoopForest | None = None

    def is_of(self, fn: Function) -> bool:
        """Return whether a function still has these blocks and branches; values compare by identity."""
        if fn.blocks != self._blocks:
            return False
        for block, operands in zip(self._blocks, self._ends, strict=True):
            if block.instructions[-1].operands != operands:
                return False
        return True


def flow_of(fn: Function) -> Flow:
    """Return the cached analyses of a function, or an empty cache if its control flow has changed."""
    flow = fn.flow
    if flow is None or not flow.is_of(fn):
        flow = fn.flow = Flow(fn)
    return flow
