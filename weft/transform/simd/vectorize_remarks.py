"""Remarks on vectorized work-item loops and the forms of their memory accesses."""

from collections.abc import Iterable, Mapping
from enum import unique

from weft.dataclasses import asdict
from weft.ir import Block, Function, Module
from weft.ir.clone import origins
from weft.ir.loops import loop_forest
from weft.ir.tags import access_number, region_number
from weft.remarks import Argument, Message, Reason, Remarks
from weft.transform.workgroup.work_item_loops import is_work_item_loop

from .access_forms import WideAccess
from .outcome import Outcome


@unique
class Vectorized(Message):
    """What the vectorizer did."""

    LOOP = "{width} lanes"
    VARIANT = "{width} lanes if {condition}"
    ACCESS = "{forms}"


def work_item_loops(function: Function) -> dict[Block, int | None]:
    """Return the regions of the loops that may be vectorized, by header."""
    module = function.parent
    return {
        loop.header: region_number(loop, module)
        for loop in loop_forest(function).loops
        if is_work_item_loop(loop)
    }


def report_outcomes(
    outcomes: Iterable[Outcome], regions: Mapping[Block, int | None], module: Module, remarks: Remarks
) -> None:
    """Report the outcome of each loop, and the forms of the accesses in it."""
    for outcome in outcomes:
        headers = (outcome.block, *(origin.block for origin in origins(outcome.block)))
        region = next(regions[header] for header in headers if header in regions)
        if outcome.condition:
            remarks.passed(
                Vectorized.VARIANT, region=region, width=outcome.width, condition=outcome.condition
            )
        else:
            _report_loop(outcome, region, remarks)
        for instruction, forms in outcome.accesses:
            remarks.analysis(
                Vectorized.ACCESS,
                access=access_number(instruction, module),
                region=region,
                forms=tuple(reason_of(form) for form in forms),
                condition=outcome.condition,
            )


def _report_loop(outcome: Outcome, region: int | None, remarks: Remarks) -> None:
    estimate = outcome.estimate
    facts: dict[str, Argument] = {
        "region": region,
        "straight": outcome.straight,
        "strategy": outcome.strategy,
        "divergent": outcome.divergent,
        "left_out": outcome.left_out,
        "cost_in_lanes": estimate.wide if estimate is not None else None,
        "cost_one_by_one": estimate.scalar if estimate is not None else None,
    }
    if outcome.refusal is not None:
        remarks.missed(outcome.refusal, None, **facts)
    else:
        remarks.passed(Vectorized.LOOP, None, width=outcome.width, fast_path=outcome.fast_path, **facts)


def reason_of(access: WideAccess) -> Reason:
    """Return the form of an access as an argument of a remark."""
    arguments: dict[str, Argument] = asdict(access)
    del arguments["form"]
    return Reason(access.form, **arguments)
