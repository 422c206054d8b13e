"""The induction variable of a work-item loop, and the analyses of its lanes that start from it."""

from typing import NamedTuple

from weft.analysis.evaluation import KnownLanes
from weft.analysis.induction import loop_test
from weft.analysis.lanes import NOTHING_ASSUMED, Assumed, Lanes, lanes
from weft.ir import ConstantInt, Instruction, Value
from weft.ir.loops import Loop, LoopForest

from .cannot_vectorize import CannotVectorize, NotVectorized


class WorkItemRange(NamedTuple):
    """The induction variable of a work-item loop, and the first number that it does not reach."""

    counter: Instruction
    limit: Value


def require_work_item_range(loop: Loop) -> WorkItemRange:
    """Return the result of `work_item_range`; raise CannotVectorize if it is None."""
    work_items = work_item_range(loop)
    if work_items is None:
        raise CannotVectorize(NotVectorized.NOT_COUNTING_WORK_ITEMS)
    return work_items


def work_item_range(loop: Loop) -> WorkItemRange | None:
    """Return the counter and the limit of a work-item loop; None if it is not a plain work-item loop."""
    phis = loop.header.phis()
    latch = loop.latch
    if len(phis) != 1 or latch is None or len(loop.exit_edges) != 1 or loop.exit_edges[0][0] is not latch:
        return None
    test = loop_test(loop, latch)
    if test is None or test.left is not phis[0].incoming_from(latch) or test.predicate != "ult":
        return None
    return WorkItemRange(phis[0], test.right)


def range_without_results(loop: Loop) -> WorkItemRange | None:
    """Return the result of `work_item_range`; None too if the loop has no preheader, or a value leaves it."""
    if loop.preheader is None or any(exit.phis() for exit in loop.exits):
        return None
    if any(user.block not in loop.blocks for i in loop.instructions() for user in i.users):
        return None
    return work_item_range(loop)


def work_item_lanes(loop: Loop, forest: LoopForest, assumed: Assumed = NOTHING_ASSUMED) -> Lanes:
    """Return the shapes of a work-item loop; raise CannotVectorize if it is not a plain work-item loop."""
    counter = require_work_item_range(loop).counter
    return lanes(loop, counter, forest, assumed)


def known_lanes(loop: Loop, width: int) -> KnownLanes | None:
    """Return facts about single lanes; None unless the loop has as many iterations as there are lanes."""
    counter, limit = require_work_item_range(loop)
    start = counter.incoming_from(loop.preheader) if loop.preheader is not None else None
    if not isinstance(limit, ConstantInt) or not isinstance(start, ConstantInt):
        return None
    return KnownLanes(counter, start.value, width) if limit.value - start.value == width else None


def set_limit(loop: Loop, limit: Value) -> None:
    """Make the counter of a work-item loop end before another number."""
    test = loop.known_latch.terminator.operands[0]
    assert isinstance(test, Instruction)
    test.set_operand(1, limit)


def loop_control(loop: Loop, counter: Instruction) -> frozenset[Instruction]:
    """Return the instructions of a work-item loop that only count."""
    latch = loop.known_latch
    condition, step = latch.terminator.operands[0], counter.incoming_from(latch)
    assert isinstance(condition, Instruction) and isinstance(step, Instruction)
    if len(condition.users) != 1:
        return frozenset()
    return frozenset((condition, step) if set(step.users) <= {counter, condition} else (condition,))
