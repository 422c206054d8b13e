"""Drop strategies and versions of work-item loops that would make the kernel too long.

`cost_model/code_size.py` has the budget and estimates code size. Loops that cannot exceed it are not checked.
"""

from collections.abc import Sequence

from weft.analysis.lanes import Lanes, lanes
from weft.dataclasses import replace
from weft.ir.loops import Loop, LoopForest
from weft.target import Target
from weft.transform.cost_model.choose_lanes import Choice, width_for
from weft.transform.cost_model.code_size import (
    COHERENT_VERSIONS,
    CodeBudget,
    TooLong,
    hotness,
    most_size,
    vector_size,
)
from weft.transform.cost_model.estimate import DEFAULT_STRATEGY, SCALAR, Estimate

from .coherent_loops import STRATEGIES as COHERENT_STRATEGIES
from .coherent_loops import may_be_coherent
from .counted_loop import work_item_range


class BoundedCode:
    """Decides which code the loops of a function may get within a budget; `is_ample`: any."""

    def __init__(
        self,
        loops: Sequence[Loop],
        forest: LoopForest,
        target: Target,
        budget: CodeBudget,
    ) -> None:
        self.target, self.budget = target, budget
        self.is_ample = self._is_ample_for(loops, forest)

    def _is_ample_for(self, loops: Sequence[Loop], forest: LoopForest) -> bool:
        target, left = self.target, self.budget.left
        if sum(most_size(loop, target) for loop in loops) <= left:
            return True
        for loop in loops:
            work_items = work_item_range(loop)
            if work_items is not None:
                left -= most_size(loop, target, lanes(loop, work_items.counter, forest))
            if left < 0:
                return False
        return True

    def in_order(self, forest: LoopForest) -> Sequence[Loop]:
        """Return the loops of a forest; the hottest first if the budget may not suffice for all."""
        if self.is_ample:
            return forest.loops
        trips = self.target.costs.loop_trips
        return sorted(forest.loops, key=lambda loop: -hotness(loop, forest, trips))

    def allows_fast_path(self, loop: Loop) -> bool:
        """Return whether a loop may have a fast path for in-bounds accesses."""
        return self.budget.allows(loop.size, loop, TooLong.FAST_PATH)

    def narrowed(self, loop: Loop, choice: Choice, shape: Lanes) -> Choice:
        """Remove the strategies for which the kernel would become too long from the choice for a loop."""
        estimate, register = choice.estimate, self.target.lanes(32)
        if estimate is None or not choice.pays:
            return choice
        if estimate.serial is None:
            return self._with_scalar_version(loop, choice, estimate)
        least = min(choice.width, register)

        def size(strategy: str) -> float:
            return vector_size(
                loop, shape, strategy, width_for(strategy, loop, choice.width, register) / least
            )

        first, *others = choice.strategies
        added_size = size(first) - size("masked")
        if first == DEFAULT_STRATEGY and not self.budget.take(added_size, loop, TooLong.UNMASKED):
            first = "masked"
        added_size = sum(map(size, others))
        if not others or self.budget.take(added_size, loop, TooLong.STRATEGIES, strategies=tuple(others)):
            return replace(choice, strategies=(first, *others))
        return replace(choice, strategies=(first,), pays=estimate.pays_in(first))

    def _with_scalar_version(self, loop: Loop, choice: Choice, estimate: Estimate) -> Choice:
        """Remove the version for sequential work-items from the choice for a loop if it would be too long."""
        if SCALAR not in choice.strategies:
            return choice
        if self.budget.take(loop.size, loop, TooLong.STRATEGIES, strategies=(SCALAR,)):
            return choice
        return replace(choice, strategies=(DEFAULT_STRATEGY,), pays=estimate.pays)

    def allows_coherent(self, loop: Loop, choice: Choice, shape: Lanes) -> bool:
        """Return whether the divergent loops in a loop may have code for coherent lanes."""
        (strategy,) = choice.strategies
        if strategy not in COHERENT_STRATEGIES:
            return True
        inner = (inner for child in loop.children for inner in child.nest() if inner.header in shape.masked)
        likely = [inner for inner in inner if may_be_coherent(inner, shape)]
        size = COHERENT_VERSIONS * sum(vector_size(inner, shape, strategy, 1.0) for inner in likely)
        return not likely or self.budget.take(size, loop, TooLong.COHERENT)
