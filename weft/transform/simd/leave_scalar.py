"""Annotate work-item loops that stay scalar, so that LLVM does the best with them."""

from weft.analysis.lanes import Lanes, lanes
from weft.ir.loops import Loop, LoopForest
from weft.remarks import Reason
from weft.target import Target
from weft.transform.cost_model.few_work_items import is_better_unrolled
from weft.transform.cost_model.overlapping_accesses import INTERLEAVED, loads_overlap_stores
from weft.transform.cost_model.row_loops import row_loops
from weft.transform.cost_model.scatters import scatters_cost_more
from weft.transform.workgroup.disable_inner_loop_vectorization import ALONG_ROWS, DISABLED
from weft.transform.workgroup.work_item_loops import add_fact, unroll_fully

from .cannot_vectorize import NotVectorized
from .counted_loop import work_item_range


def leave_straight_loop(loop: Loop, forest: LoopForest, target: Target, refusal: Reason) -> Reason:
    """Annotate a straight loop that is left to LLVM; return the reason for leaving it.

    If scatters would make vector code slower, vectorization is disabled; for processors without scatters this
    is unnecessary, because LLVM stores lane by lane there and prices that correctly. If loads would wait for
    overlapping stores, the loop is interleaved, or unrolled if it has few work-items.
    """
    latch, work_items = loop.latch, work_item_range(loop)
    if latch is None or work_items is None:
        return refusal
    if is_better_unrolled(loop, work_items.limit, target):
        unroll_fully(latch)
        return Reason(NotVectorized.FEW_UNROLLED)
    shape = lanes(loop, work_items.counter, forest)
    if target.scatters and scatters_cost_more(loop, shape, target):
        add_fact(latch, DISABLED)
        return Reason(NotVectorized.SCATTERS)
    if loads_overlap_stores(loop, shape):
        add_fact(latch, INTERLEAVED)
        if refusal.message is NotVectorized.LEFT_TO_LLVM:
            return Reason(NotVectorized.INTERLEAVED)
    return refusal


def leave_loop_nest(loop: Loop, shape: Lanes, target: Target, refusal: Reason) -> Reason:
    """Leave inner loops that go along rows to LLVM; return why work-items run sequentially."""
    for inner in row_loops(loop, shape, target, serial=True):
        for latch in inner.latches:
            add_fact(latch, ALONG_ROWS)
    if refusal.message is NotVectorized.COSTS_MORE and row_loops(loop, shape, target):
        return Reason(NotVectorized.ALONG_ROWS)
    return refusal
