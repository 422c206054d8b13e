"""Interchange inner loops with the work-item loop, so that they run in lock step over all work-items.

This is horizontal inner-loop parallelization (pocl, section 4.6).

LLVM does not vectorize a work-item loop that contains another loop. If the trip count of that inner loop is
uniform, the two can be interchanged by treating it as a loop with a barrier (a b-loop): each branch that
leaves it starts with an implicit barrier, so that its body becomes a parallel region and the work-item loop
the innermost one:

    header:                                     header:
      %k = phi i32 [ 0, … ], [ %k.next, … ]       %k = phi i32 [ 0, … ], [ %k.next, … ]
      %more = icmp ult i32 %k, %n                 %more = icmp ult i32 %k, %n
      br i1 %more, label %body, label %exit       br label %interchange
                                                interchange:
                                                  call void @weft.barrier()
                                                  br i1 %more, label %way, label %way.1

Legal if the loop is entered and left uniformly and contains no barrier. The cost model decides whether it is
profitable (`cost_model/interchange.py`). Otherwise the loop stays inside the work-item loop, whose SIMD lanes
keep loop-carried values in registers.

Requires isolated barriers, natural loops and the `divergence` of the function. Runs before
`place_implicit_barriers`. Refuses a loop that does not qualify: it stays inside its region.
"""

from weft.analysis.divergence import Divergence
from weft.analysis.work_items import BarrierOrigin, is_barrier
from weft.ir import Block, Function
from weft.ir.loops import Loop, loop_forest
from weft.remarks import SILENT, Reason, Remarks
from weft.target import Costs
from weft.transform.cost_model.interchange import Interchange, why_not_interchange

from .place_implicit_barriers import split_by_barrier


def interchange_inner_loops(
    function: Function,
    shape: Divergence,
    costs: Costs,
    always: bool,
    few: bool,
    remarks: Remarks = SILENT,
) -> list[Block]:
    """Interchange inner loops with the work-item loop where it is profitable; return their headers.

    `always`: interchange wherever it is legal. `few`: a few registers hold all work-items
    (`fits_few_registers`).
    """
    chosen = []
    for loop in loop_forest(function).loops:
        reason = obstacle(loop, shape, costs, always, few)
        if reason is None:
            chosen.append(loop)
            remarks.passed(Interchange.INTERCHANGED, loop, **extent(loop, remarks))
        else:
            remarks.missed(reason, loop, **extent(loop, remarks))
    # An inner loop with barriers makes the loops around it b-loops as well.
    for loop in chosen:
        for block in loop.exiting:
            split_by_barrier(block, "interchange", BarrierOrigin.INTERCHANGE)
    return [loop.header for loop in chosen]


def report_no_interchange(function: Function, reason: Reason, remarks: Remarks) -> None:
    """Emit remarks that say why no loop of a kernel is interchanged, if the pass does not run."""
    for loop in loop_forest(function).loops:
        holds = any(is_barrier(i) for i in loop.instructions())
        remarks.missed(Reason(Interchange.HOLDS_BARRIER) if holds else reason, loop, **extent(loop, remarks))


def why_not_run(method: str, level: int, waits: bool, enough: bool) -> Reason | None:
    """Return why the pass does not run, or None. `enough`: there are enough work-items for SIMD lanes."""
    if method in ("auto", "horizontal"):
        return None if enough else Reason(Interchange.TOO_FEW_WORK_ITEMS)
    if level == 0:
        return Reason(Interchange.NOT_OPTIMIZED)
    if waits:
        return Reason(Interchange.MAY_WAIT)
    return Reason(Interchange.METHOD, method=method)


def extent(loop: Loop, remarks: Remarks) -> dict[str, int]:
    """Return the properties that remarks about any loop contain."""
    if not remarks:
        return {}
    last = remarks.extent(loop)[1]
    return {"depth": loop.depth, "last_line": last.line if last is not None else 0}


def obstacle(loop: Loop, shape: Divergence, costs: Costs, always: bool, few: bool) -> Reason | None:
    """Return why a loop stays inside the work-item loop; None if it is interchanged."""
    return _illegal(loop, shape) or (None if always else why_not_interchange(loop, shape, costs, few))


def _illegal(loop: Loop, shape: Divergence) -> Reason | None:
    if any(is_barrier(i) for i in loop.instructions()):
        return Reason(Interchange.HOLDS_BARRIER)
    if not loop.exiting:
        return Reason(Interchange.NEVER_ENDS)
    together = all(shape.runs_uniformly(b) for b in (loop.header, *loop.exiting))
    if not together or any(shape.is_divergent_branch(b) for b in loop.exiting):
        return Reason(Interchange.DIVERGENT_TRIP_COUNT)
    return None
