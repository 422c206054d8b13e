"""Remarks on what became of work-item loops, and how their accesses to memory are done."""

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from enum import unique
from typing import TYPE_CHECKING

from weft.analysis.tags import access_number, region_number
from weft.ir import Function, Instruction, Module
from weft.ir.loops import Loop, loop_forest
from weft.remarks import Argument, Location, Message, Reason, Remarks
from weft.transform.workgroup.work_item_loops import is_work_item_loop

from .access_forms import WideAccess

if TYPE_CHECKING:
    from .vectorize_work_items import Outcome


@unique
class Vectorized(Message):
    """What the vectorizer did."""

    LOOP = "{width} lanes"
    VARIANT = "{width} lanes if {condition}"
    ACCESS = "{forms}"


@dataclass(frozen=True)
class LoopSubject:
    """A work-item loop as it was: its region, and where its code begins in the source."""

    region: int | None
    location: Location | None


def work_item_loops(function: Function, remarks: Remarks) -> dict[str, LoopSubject]:
    """The loops that may be vectorized, by their headers."""
    module = function.module
    assert module is not None
    return {
        loop.header.name or "": LoopSubject(region_number(loop, module), _first_location(loop, remarks))
        for loop in loop_forest(function).loops
        if loop.latch is not None and is_work_item_loop(loop.latch, module)
    }


def _first_location(loop: Loop, remarks: Remarks) -> Location | None:
    instructions = (i for block in loop.blocks for i in block.instructions)
    return next((place for i in instructions if (place := remarks.location(i)) is not None), None)


def tell_outcomes(
    outcomes: "Iterable[Outcome]", loops: Mapping[str, LoopSubject], module: Module, remarks: Remarks
) -> None:
    """Tell what became of each loop, and of the accesses in it."""
    for outcome in outcomes:
        loop = loops[outcome.header]
        if outcome.condition:
            remarks.passed(
                Vectorized.VARIANT,
                loop.location,
                region=loop.region,
                width=outcome.width,
                condition=outcome.condition,
            )
        else:
            _tell_loop(outcome, loop, remarks)
        for instruction, forms in outcome.accesses:
            _tell_access(instruction, forms, outcome, loop, module, remarks)


def _tell_loop(outcome: "Outcome", loop: LoopSubject, remarks: Remarks) -> None:
    found = outcome.estimate
    facts: dict[str, Argument] = {
        "region": loop.region,
        "straight": outcome.straight,
        "way": outcome.way,
        "divergent": outcome.divergent,
        "cost_in_lanes": found.wide if found is not None else None,
        "cost_one_by_one": found.scalar if found is not None else None,
    }
    if outcome.refusal is not None:
        remarks.missed(outcome.refusal, loop.location, **facts)
    else:
        remarks.passed(
            Vectorized.LOOP, loop.location, width=outcome.width, interior=outcome.interior, **facts
        )


def _tell_access(
    instruction: Instruction,
    forms: tuple[WideAccess, ...],
    outcome: "Outcome",
    loop: LoopSubject,
    module: Module,
    remarks: Remarks,
) -> None:
    remarks.analysis(
        Vectorized.ACCESS,
        instruction,
        access=access_number(instruction, module),
        region=loop.region,
        forms=tuple(reason_of(form) for form in forms),
        condition=outcome.condition,
    )


def reason_of(access: WideAccess) -> Reason:
    """The form of an access as an argument of a remark."""
    arguments: dict[str, Argument] = asdict(access)
    del arguments["form"]
    return Reason(access.form, **arguments)
