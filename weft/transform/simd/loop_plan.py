"""Plan how a work-item loop runs in lanes: an immutable value that `emit_loop` carries out.

Planning only analyses. Code without a vector form is refused here (`schedule.py`, `legality.py`), so emitting
a plan cannot fail and nothing has to be undone.
"""

from weft.analysis.lanes import NOTHING_ASSUMED, Assumed, Lanes, lanes
from weft.dataclasses import dataclass
from weft.ir import ConstantInt, Function, Instruction, Value
from weft.ir.loops import Loop, LoopForest, loop_post_dominators

from .counted_loop import known_lanes, require_work_item_range
from .lane_values import only_in_single_lanes
from .lanewise import VectorForm
from .legality import InstructionLegality
from .schedule import Step, check_form, schedule


@dataclass(frozen=True)
class LoopPlan:
    """How a work-item loop runs: lanes, strategy of its divergent loops, order of its blocks.

    `shape` has the shapes of its values; `once`: it has exactly as many iterations as lanes. `register` is
    the number of 32-bit elements of a vector register. `coherent`: divergent loops may have code for coherent
    lanes.
    """

    function: Function
    loop: Loop
    forest: LoopForest
    counter: Instruction
    limit: Value
    shape: Lanes
    width: int
    vector_form: VectorForm
    strategy: str
    once: bool
    steps: tuple[Step, ...] = ()
    register: int = 16
    coherent: bool = True

    @property
    def has_remainder(self) -> bool:
        """Whether work-items may be left over; not if their number is a known multiple of the lanes."""
        if self.once:
            return False
        assert self.loop.preheader is not None
        begin, limit = self.counter.incoming_from(self.loop.preheader), self.limit
        if not isinstance(begin, ConstantInt) or not isinstance(limit, ConstantInt):
            return True
        return (limit.value - begin.value) % self.width != 0


def plan_loop(
    function: Function,
    loop: Loop,
    forest: LoopForest,
    width: int,
    vector_form: VectorForm,
    strategy: str = "masked",
    assumed: Assumed = NOTHING_ASSUMED,
    shape: Lanes | None = None,
    once: bool = False,
    register: int = 16,
    coherent: bool = True,
) -> LoopPlan:
    """Plan a work-item loop; raises CannotVectorize if it has no vector form.

    `strategy` is that of divergent loops (`strategies.py`). `assumed` has facts about addresses; `shape` has
    the shapes, if they were computed before. The other parameters are as in `LoopPlan`.
    """
    counter, limit = require_work_item_range(loop)
    if shape is None:
        shape = lanes(function, loop, counter, forest, assumed)
    assert shape.assumed.holds_for(width), "what is known of other blocks of lanes"
    check_form(loop, forest)
    once = once or known_lanes(loop, width) is not None
    instructions = InstructionLegality(shape, width, vector_form, only_in_single_lanes(shape, loop))
    tree = loop_post_dominators(function, loop)
    steps = schedule(loop, shape, tree, counter, instructions, strategy)
    return LoopPlan(
        function,
        loop,
        forest,
        counter,
        limit,
        shape,
        width,
        vector_form,
        strategy,
        once,
        steps,
        register,
        coherent,
    )
