"""Run the remaining work-items in lanes as well when the lanes do not divide their number.

    for (; x < n; x++) body(x)    becomes    W lanes of: if (x < n) body(x)

Fewer work-items than lanes are left, so one pass under a mask suffices.

Requires the scalar loop that `emit_loop` left after its vector loop. Refuses a loop whose latch does more
than count, and code without a masked form (`can_predicate_remainder`).
"""

from weft.analysis.induction import only_counts
from weft.analysis.lanes import NOTHING_ASSUMED
from weft.dataclasses import replace
from weft.ir import Instruction
from weft.ir.builder import Builder
from weft.ir.loops import Loop, loops_within
from weft.ir.types import I32
from weft.ir.values import const_int

from .cannot_vectorize import CannotVectorize
from .counted_loop import require_work_item_range, work_item_lanes
from .legality import InstructionLegality
from .loop_plan import LoopPlan, PlanOptions, plan_loop
from .loop_records import LoopRecords
from .masked_code import order_of
from .schedule import MaskedWalk
from .vectorize_loop import emit_loop

# The strategies of loops in the remainder, where never all lanes are active.
REMAINDER_STRATEGIES = {"dvec": "serial", "dvec-s": "masked"}


def _remainder_strategy(plan: LoopPlan) -> str:
    return REMAINDER_STRATEGIES.get(plan.options.strategy, plan.options.strategy)


def can_predicate_remainder(plan: LoopPlan) -> bool:
    """Return whether the whole body of a loop can run under a mask, in one pass."""
    loop, header, latch = plan.loop, plan.loop.header, plan.loop.known_latch
    if not only_counts(loop, plan.counter):
        return False
    shape = replace(plan.shape, assumed=NOTHING_ASSUMED)
    instructions = InstructionLegality(shape, plan.width, plan.options.vector_form)
    walk = MaskedWalk(shape, instructions, _remainder_strategy(plan))
    try:
        walk.block(header)
        for node in order_of(loop):
            if node is not header and node is not latch:
                walk.node(node)
    except CannotVectorize:
        return False
    return True


def predicate_remainder(plan: LoopPlan, loop: Loop, records: LoopRecords | None) -> None:
    """Run the work-items that the vector code of a plan left to a scalar loop in one masked pass.

    Under a mask fewer facts hold about numbers, for example that they do not wrap. If code has no vector form
    then, the loop stays scalar: it skips the work-items past the last one.
    """
    width, header = plan.width, loop.header
    counter, limit = require_work_item_range(loop)
    latch, preheader = loop.known_latch, loop.known_preheader
    condition = latch.terminator.operands[0]
    assert isinstance(condition, Instruction)
    body = header.split(1, f"{header.name}.left" if header.name else None)
    header.terminator.erase()
    b = Builder(header)
    b.cond_br(b.icmp("ult", counter, limit), body, latch)
    begin = counter.incoming_from(preheader)
    end = Builder(preheader, preheader.terminator).add(begin, const_int(I32, width))
    condition.replace_operand(limit, end)
    forest = loops_within([header, body, *(block for block in loop.blocks if block is not header)])
    (root,) = forest.roots
    options = PlanOptions(
        width,
        plan.options.vector_form,
        _remainder_strategy(plan),
        once=True,
        coherent=plan.options.coherent,
    )
    try:
        remainder_plan = plan_loop(root, forest, work_item_lanes(root, forest), options)
    except CannotVectorize:
        return
    emit_loop(remainder_plan, None, records)
