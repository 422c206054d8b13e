"""The order in which work-item loops are vectorized, and analyses that stay valid while the code changes."""

from collections.abc import Callable, Sequence

from weft.analysis.lanes import NOTHING_ASSUMED, Assumed, Lanes
from weft.ir import Block, Function
from weft.ir.loops import Loop, LoopForest, loop_forest
from weft.transform.workgroup.work_item_loops import is_work_item_loop

from .counted_loop import work_item_lanes


class LoopQueue:
    """The work-item loops of a function that are still to be vectorized, in the order `in_order`.

    `forest` is valid for the loop that `next_loop` returned last, until that loop changes.
    """

    def __init__(
        self, function: Function, forest: LoopForest, in_order: Callable[[LoopForest], Sequence[Loop]]
    ) -> None:
        self.function, self.forest, self._in_order = function, forest, in_order
        self._loops = iter(in_order(forest))
        self._known: tuple[Loop, Assumed, Lanes] | None = None  # result for the loop that was analysed last
        self._changed: set[Block] = set()  # headers of loops for which the forest no longer holds
        self._seen: set[Block] = set()  # headers of the loops that were visited

    def next_loop(self) -> Loop | None:
        """Return the next work-item loop; the forest is valid for it and for the loops inside it.

        The forest is recomputed when only changed loops are left, not after each change. In a function with
        many parallel regions that takes a few computations instead of one per region.
        """
        while True:
            for loop in self._loops:
                if loop.header in self._seen or loop.header in self._changed:
                    continue
                self._seen.add(loop.header)
                if is_work_item_loop(loop):
                    return loop
            if not self._changed:
                return None
            self.forest, self._changed = loop_forest(self.function), set()
            self._loops = iter(self._in_order(self.forest))

    def change(self, loop: Loop) -> None:
        """Record that the forest is no longer valid for `loop`, the loops inside it and those around it."""
        self.forget_shapes()
        self._changed |= loop.blocks
        while loop.parent is not None:
            loop = loop.parent
            self._changed.add(loop.header)

    def revisit(self, loop: Loop) -> None:
        """Return a loop again, after it changed."""
        self._seen.discard(loop.header)

    def skip(self, header: Block) -> None:
        """Do not return the loop with this header."""
        self._seen.add(header)

    def shapes(self, loop: Loop, facts: Assumed = NOTHING_ASSUMED) -> Lanes:
        """Return the shapes of a loop of the forest; the last result is kept until code changes."""
        known = self._known
        if known is None or known[0] is not loop or known[1] is not facts:
            known = self._known = loop, facts, work_item_lanes(loop, self.forest, facts)
        return known[2]

    def shapes_in(self, forest: LoopForest, loop: Loop, facts: Assumed) -> Lanes:
        """Return the shapes of a loop of any forest."""
        return self.shapes(loop, facts) if forest is self.forest else work_item_lanes(loop, forest, facts)

    def forget_shapes(self) -> None:
        """Record that values of the loop that was analysed last have changed."""
        self._known = None
