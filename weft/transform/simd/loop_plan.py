"""Plan how a work-item loop runs in lanes: an immutable value that `emit_loop` carries out.

Planning only analyses. Code without a vector form is refused here (`schedule.py`, `legality.py`), so emitting
a plan cannot fail and nothing has to be undone.
"""

from weft.analysis.lanes import Lanes
from weft.dataclasses import dataclass, replace
from weft.ir import ConstantInt, Function, Instruction, Value
from weft.ir.loops import Loop, LoopForest, loop_post_dominators

from .counted_loop import known_lanes, require_work_item_range
from .lane_values import only_in_single_lanes
from .lanewise import VectorForm
from .legality import InstructionLegality
from .schedule import Step, check_form, schedule


@dataclass(frozen=True)
class PlanOptions:
    """How a work-item loop is to run in lanes.

    `strategy` is that of its divergent loops (`strategies.py`). `once`: the loop has exactly as many
    iterations as lanes. `register` is the number of 32-bit elements of a vector register. `coherent`:
    divergent loops may have code for coherent lanes.
    """

    width: int
    vector_form: VectorForm
    strategy: str = "masked"
    once: bool = False
    register: int = 16
    coherent: bool = True


@dataclass(frozen=True)
class LoopPlan:
    """How a work-item loop runs in lanes: its options, the shapes of its values, the order of its blocks."""

    loop: Loop
    forest: LoopForest
    counter: Instruction
    limit: Value
    shape: Lanes
    options: PlanOptions
    steps: tuple[Step, ...] = ()

    @property
    def function(self) -> Function:
        """The function that contains the loop."""
        return self.loop.header.parent

    @property
    def width(self) -> int:
        """The number of lanes."""
        return self.options.width

    @property
    def has_remainder(self) -> bool:
        """Whether work-items may be left over; not if their number is a known multiple of the lanes."""
        if self.options.once:
            return False
        begin, limit = self.counter.incoming_from(self.loop.known_preheader), self.limit
        if not isinstance(begin, ConstantInt) or not isinstance(limit, ConstantInt):
            return True
        return (limit.value - begin.value) % self.width != 0


def plan_loop(loop: Loop, forest: LoopForest, shape: Lanes, options: PlanOptions) -> LoopPlan:
    """Plan a work-item loop; raises CannotVectorize if it has no vector form.

    `shape` has the shapes of the loop's values, and the facts about addresses that were assumed for them.
    """
    counter, limit = require_work_item_range(loop)
    width = options.width
    assert shape.assumed.holds_for(width), "what is known of other blocks of lanes"
    check_form(loop, forest)
    once = options.once or known_lanes(loop, width) is not None
    instructions = InstructionLegality(shape, width, options.vector_form, only_in_single_lanes(shape, loop))
    tree = loop_post_dominators(loop)
    steps = schedule(loop, shape, tree, counter, instructions, options.strategy)
    return LoopPlan(loop, forest, counter, limit, shape, replace(options, once=once), steps)
