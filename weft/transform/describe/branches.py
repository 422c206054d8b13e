"""Describe the conditional branches of a kernel, and the loops of its source that were unrolled."""

from enum import unique

from weft.analysis.barrier_cfg import BarrierCFG, next_barriers
from weft.analysis.divergence import Divergence
from weft.analysis.naming import Naming
from weft.ir import Function
from weft.ir.loops import loop_forest
from weft.ir.names import unique_names
from weft.lazy_pattern import lazy_pattern
from weft.remarks import Location, Message, Remarks

_FOR = lazy_pattern(r"for\b")


@unique
class Branching(Message):
    """Whether all work-items of a group take a branch in the same direction."""

    UNIFORM = "all work-items of a group take this {kind} in the same direction"
    DIVERGENT = "work-items may take this {kind} in different directions: {reason}"
    UNROLLED = "its trip count is a small constant"


@unique
class BranchKind(Message):
    """The kind of a branch in the source, as far as it is known."""

    LOOP = "loop"
    IF = "if"
    SWITCH = "switch"


def describe_branches(
    function: Function, cfg: BarrierCFG, shape: Divergence, naming: Naming, remarks: Remarks
) -> None:
    """Emit a remark for each branch that comes from the source."""
    exits = {block.terminator for loop in loop_forest(function).loops for block in loop.exiting}
    deciding = {block.terminator for block in cfg.barriers}
    reached = next_barriers(function)
    names = unique_names(function)
    for block in function.blocks:
        terminator = block.terminator
        if len(terminator.operands) < 2 or naming.place(terminator) is None:
            continue
        condition = terminator.operands[0]
        kind = BranchKind.LOOP if terminator in exits else BranchKind.IF
        if terminator.opcode == "switch":
            kind = BranchKind.SWITCH
        divergent = not shape.is_uniform(condition)
        remarks.analysis(
            Branching.DIVERGENT if divergent else Branching.UNIFORM,
            terminator,
            kind=kind,
            block=names[block],
            reason=naming.root_of_divergence(condition, shape) if divergent else None,
            decides=terminator in deciding,
            barriers_differ=len({reached.get(b) for b in terminator.successors()}) > 1,
        )


def describe_unrolled_loops(function: Function, naming: Naming, remarks: Remarks) -> None:
    """Emit a remark for each loop of the source that no longer exists, if instructions of its body do."""
    left = [remarks.location(loop) for loop in loop_forest(function).loops]
    starts = {(p.line, p.column, p.file) for p in left if p is not None}
    last_lines: dict[Location, int] = {}
    depths: dict[Location, int] = {}
    for instruction in function.instructions():
        loops = [block for block in naming.blocks(instruction) if _is_for(block, remarks.source)]
        place = naming.place(instruction)
        for number, loop in enumerate(loops):
            line = place.line if place is not None and place.function == loop.function else loop.line
            last_lines[loop] = max(last_lines.get(loop, loop.line), line)
            depths[loop] = len(loops) - number
    for loop in sorted(last_lines, key=lambda p: (p.line, p.column)):
        if (loop.line, loop.column, loop.file) not in starts:
            remarks.passed(Branching.UNROLLED, loop, depth=depths[loop], last_line=last_lines[loop])


def _is_for(place: Location, source: tuple[str, ...]) -> bool:
    if place.file or not 0 < place.line <= len(source):
        return False
    return _FOR.match(source[place.line - 1][place.column - 1 :]) is not None
