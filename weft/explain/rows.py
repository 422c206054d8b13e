"""Build the rows of a report from remarks."""

from collections.abc import Iterable

from weft.analysis.work_items import BarrierOrigin
from weft.remarks import Location, Message, Remark, Remarks
from weft.tile_policy import TileRefusal
from weft.transform.canonical.promote_to_registers import Promotion as Promoting
from weft.transform.canonical.promotion_plan import NotPromoted
from weft.transform.cost_model.interchange import Interchange
from weft.transform.describe.branches import Branching
from weft.transform.describe.regions import RegionKind, Structure
from weft.transform.describe.variables import Kept

from .report import Barrier, Branch, Loop, PrivateMemory, Promotion, Region, Tail, Variable

_BARRIERS: dict[Message, str] = {
    BarrierOrigin.WRITTEN: "written",
    BarrierOrigin.ENTRY: "entry",
    BarrierOrigin.EXIT: "exit",
    BarrierOrigin.DECISION: "decision",
    BarrierOrigin.INTERCHANGE: "interchange",
    BarrierOrigin.STRIP: "strip",
    BarrierOrigin.LOCAL_MEMORY: "local",
    BarrierOrigin.GROUP_FUNCTION: "group",
    BarrierOrigin.SUB_GROUP_FUNCTION: "sub-group",
    BarrierOrigin.MERGED_TAIL: "merge",
    BarrierOrigin.GATHERED: "gather",
}
_REGIONS: dict[Message, str] = {
    RegionKind.LOOPS: "loops",
    RegionKind.FIRST: "first",
    RegionKind.EMPTY: "empty",
}
_VARIABLES: dict[Message, str] = {
    Kept.CONTEXT: "context",
    Kept.UNIFORM: "uniform",
    Kept.RECOMPUTED: "recomputed",
}
_MEMORY: dict[Message, str] = {Kept.CONTEXT_MEMORY: "context", Kept.SHARED_MEMORY: "shared"}
_LOOPS: dict[Message, str] = {
    Interchange.INTERCHANGED: "interchanged",
    Interchange.HOLDS_BARRIER: "barrier",
    Branching.UNROLLED: "unrolled",
}


def refused_tiles(remarks: Remarks) -> tuple[str, ...]:
    """Return the tiles that a launch cannot use, and why."""
    return tuple(f"{remark['tile']}: {remark.text}" for remark in remarks.named(*TileRefusal))


def barriers(remarks: Remarks) -> tuple[Barrier, ...]:
    """Return all barriers in order."""
    return tuple(_barrier(remark) for remark in remarks.named(Structure.BARRIER))


def _barrier(remark: Remark) -> Barrier:
    origin, place = remark["origin"], remark.location
    if origin is BarrierOrigin.WRITTEN:
        caller = place.caller if place is not None else None
        why = (
            f"in {place.function}, called at {caller.way}" if place is not None and caller is not None else ""
        )
    else:
        why = (remark["decision"] or origin).text({})
    return Barrier(remark["barrier"], _BARRIERS[origin], place, why)


def regions(remarks: Remarks) -> tuple[Region, ...]:
    """Return all regions by number."""
    return tuple(
        Region(
            number=remark["region"],
            start=remark["start"],
            ends=remark["ends"],
            kind=_REGIONS[remark["kind"]],
            lines=remark["lines"],
            instructions=remark["instructions"],
            blocks=remark["blocks"],
            replicated=remark["replicated"],
            interchanged=remark["interchanged"],
        )
        for remark in remarks.named(Structure.REGION)
    )


def tails(remarks: Remarks) -> tuple[Tail, ...]:
    """Return blocks that several regions contain, grouped by regions."""
    return tuple(
        Tail(remark["regions"], remark["blocks"], remark["lines"], remark["instructions"])
        for remark in remarks.named(Structure.TAIL)
    )


def variables(remarks: Remarks) -> tuple[Variable, ...]:
    """Return the values that are live across regions."""
    return tuple(
        Variable(
            name=remark["name"],
            type=remark["type"],
            kept=_VARIABLES[remark.message],
            bytes=remark["bytes"],
            place=remark.location,
            reason=str(remark["reason"]),
            computed_in=remark["computed_in"],
            used_in=remark["used_in"],
        )
        for remark in remarks.named(*_VARIABLES)
    )


def private_memory(remarks: Remarks) -> tuple[PrivateMemory, ...]:
    """Return the private arrays and structures, and where they are stored."""
    return tuple(
        PrivateMemory(
            remark["name"],
            remark["type"],
            _MEMORY[remark.message],
            remark["bytes"],
            remark.location,
            str(remark["reason"]),
        )
        for remark in remarks.named(*_MEMORY)
    )


def loops(remarks: Remarks) -> tuple[Loop, ...]:
    """Return the kernel's loops, outer ones first, and whether they were interchanged with the work-item
    loop."""
    return tuple(
        Loop(
            remark.location,
            remark["last_line"],
            remark["depth"],
            _LOOPS.get(remark.message, "inside"),
            remark.text,
        )
        for remark in remarks.named(*Interchange, Branching.UNROLLED)
    )


def promotions(remarks: Remarks) -> tuple[Promotion, ...]:
    """Return the locations that loops store to at a loop-invariant address, and where they are kept."""
    return tuple(
        Promotion(
            remark.location, "register" if isinstance(remark.message, Promoting) else "memory", remark.text
        )
        for remark in remarks.named(*Promoting, *NotPromoted)
    )


def branches(remarks: Remarks) -> tuple[Branch, ...]:
    """Return the conditional branches, and whether all work-items of a group take the same direction."""
    rows = [
        Branch(
            place=remark.location,
            kind=remark["kind"].value,
            divergent=remark.message is Branching.DIVERGENT,
            decides=remark["decides"],
            reason=str(remark["reason"] or ""),
            barriers_differ=remark["barriers_differ"],
        )
        for remark in remarks.named(Branching.UNIFORM, Branching.DIVERGENT)
    ]
    return tuple(sorted(rows, key=lambda branch: position(branch.place)))


def position(place: Location | None) -> tuple[bool, str, int, int]:
    """Return a sort key for source order; unknown locations come last."""
    return (False, place.file, place.line, place.column) if place is not None else (True, "", 0, 0)


def notes(branches: Iterable[Branch]) -> tuple[str, ...]:
    """Return notes on possible errors of the program."""
    texts = []
    for branch in branches:
        if branch.barriers_differ and branch.divergent:
            where = f"the {branch.kind} at {branch.place}" if branch.place else f"a {branch.kind}"
            texts.append(
                f"{where} decides which barrier comes next, but {branch.reason}: "
                "if work-items of a group disagree there, the behaviour is undefined"
            )
    return tuple(texts)
