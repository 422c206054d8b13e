"""Loops and branches of a recorded kernel."""

import re
from collections.abc import Sequence

from weft.analysis.barrier_cfg import next_barriers
from weft.ir.debug import Location
from weft.remarks import Message, Reason
from weft.transform.workgroup.interchange_inner_loops import Interchange

from .naming import Naming
from .recorder import LoopVerdict, Recorder
from .report import Branch, Loop

_KINDS: dict[Message, str] = {
    Interchange.INTERCHANGED: "interchanged",
    Interchange.HOLDS_BARRIER: "barrier",
}
_UNROLLED = "its iterations are few, and known when the program is built"


def explain_loops(record: Recorder, naming: Naming, source: Sequence[str]) -> tuple[Loop, ...]:
    """The kernel's loops, outer ones first, and whether they changed places with the work-item loop.

    `source` are the lines of the program.
    """
    left = [_loop(verdict, naming) for verdict in record.loops]
    return (*left, *_unrolled(record, naming, source, {loop.place for loop in left}))


def _unrolled(
    record: Recorder, naming: Naming, source: Sequence[str], left: set[Location | None]
) -> list[Loop]:
    """Loops of the source that are no longer there, though something of their bodies is."""
    last_lines: dict[Location, int] = {}
    depths: dict[Location, int] = {}
    for instruction in record.function.instructions():
        loops = [block for block in naming.blocks(instruction) if _is_for(block, source)]
        place = naming.place(instruction)
        for number, loop in enumerate(loops):
            line = place.line if place is not None and place.function == loop.function else loop.line
            last_lines[loop] = max(last_lines.get(loop, loop.line), line)
            depths[loop] = len(loops) - number
    starts = {(p.line, p.column, p.file) for p in left if p is not None}
    return [
        Loop(loop, last_lines[loop], depths[loop], "unrolled", _UNROLLED)
        for loop in sorted(last_lines, key=lambda p: (p.line, p.column))
        if (loop.line, loop.column, loop.file) not in starts
    ]


def _is_for(place: Location, source: Sequence[str]) -> bool:
    if place.file or not 0 < place.line <= len(source):
        return False
    return re.match(r"for\b", source[place.line - 1][place.column - 1 :]) is not None


def _loop(verdict: LoopVerdict, naming: Naming) -> Loop:
    places = naming.loop_places(verdict.latch)
    if places is not None:
        first, last = places
    else:
        first = last = naming.place(verdict.loop.header.terminator) or naming.place(verdict.latch)  # type: ignore[assignment]
    reason = verdict.obstacle or Reason(Interchange.INTERCHANGED)
    kinds: dict[Message, str] = {
        Interchange.INTERCHANGED: "interchanged",
        Interchange.HOLDS_BARRIER: "barrier",
    }
    kind = kinds.get(reason.message, "inside")
    return Loop(first, last.line if last is not None else 0, verdict.loop.depth, kind, str(reason))


def explain_branches(record: Recorder, naming: Naming) -> tuple[Branch, ...]:
    """The conditional branches, and whether all work-items of a group take them in the same direction."""
    exits = {branch for verdict in record.loops for branch in verdict.exits}
    deciding = {b.terminator for b in record.cfg.barriers}
    function = record.cfg.barriers[0].function
    assert function is not None
    reached = next_barriers(function)
    found = []
    for snapshot in record.before:
        terminator = snapshot.instructions[-1]
        if len(terminator.operands) < 2:
            continue
        condition = terminator.operands[0]
        divergent = not record.shape.is_uniform(condition)
        kind = "switch" if terminator.opcode == "switch" else "loop" if terminator in exits else "if"
        found.append(
            Branch(
                place=naming.place(terminator),
                kind=kind,
                divergent=divergent,
                decides=terminator in deciding,
                reason=naming.root_of_divergence(condition, record.shape) if divergent else "",
                barriers_differ=len({reached.get(b) for b in terminator.successors()}) > 1,
            )
        )
    return tuple(sorted(found, key=lambda b: (b.place is None, b.place and (b.place.line, b.place.column))))
