"""Describe kernel variables and private memory, with the reason for the storage of each."""

from enum import unique

from weft.analysis.divergence import Divergence
from weft.analysis.kernel_variables import RECOMPUTE_LIMIT, KernelVariables, is_position
from weft.analysis.naming import Naming, type_name
from weft.analysis.work_items import work_item_function
from weft.ir import Argument, Function, Instruction, Value
from weft.ir.graph import reachable
from weft.ir.loops import loop_forest
from weft.ir.symbols import readable
from weft.ir.types import size_of
from weft.remarks import Message, Reason, Remarks
from weft.transform.workgroup.context_arrays import STACK_LIMIT, memory_size

from .regions import Regions


@unique
class Kept(Message):
    """The storage of a value that is live across regions, or of private memory."""

    CONTEXT = "{name}: {bytes} bytes in a context array for each work-item: {reason}"
    UNIFORM = "{name}: stored once for all work-items: {reason}"
    RECOMPUTED = "{name}: recomputed: {reason}"
    CONTEXT_MEMORY = "{name}: {bytes} bytes for each work-item: {reason}"
    SHARED_MEMORY = "{name}: {bytes} bytes shared by all work-items: {reason}"


@unique
class WhyKept(Message):
    """The reason for the storage."""

    CARRIED = "varies by work-item, carried around the loop{where}"
    DIFFERS = "varies by work-item; {cause}"
    COUNT_DIFFERS = "not all work-items compute it equally often; {cause}"
    DECIDES = "decides a branch once for the group"
    SAME = "same for all work-items"
    SAME_AND_DECIDES = "same for all work-items, and decides a branch"
    ON_CONSTANTS = "{steps} on constants"
    ON_SOURCES = "{steps} on {sources}"
    ACROSS_BARRIER = "it is live across a barrier, or its address is: one copy per work-item"
    IN_ARENA = "only one region uses it: work-items share it, in the context arena"
    ON_STACK = "only one region uses it: work-items share it, on the stack"


@unique
class NotRecomputed(Message):
    """Why a value is not recomputed."""

    LOADED = "loaded from {memory}"
    ATOMIC = "the result of an atomic operation"
    WAY_TAKEN = "depends on the path taken"
    LEFT_BY_LOOP = "a live-out value of a loop"
    RESULT = "the result of {function}"
    FROM = "computed from {value}, {cause}"
    FROM_UNNAMED = "from a value {cause}"
    EXPENSIVE = "{operation} costs more than a load"
    TOO_LONG = "more than {limit} instructions to recompute"


def describe_variables(
    function: Function,
    variables: KernelVariables,
    shape: Divergence,
    naming: Naming,
    regions: Regions,
    remarks: Remarks,
) -> None:
    """Emit remarks about values that are live across regions: in context arrays, uniform, recomputed."""
    users: dict[Value, list[int]] = {}
    for number, region in enumerate(regions.cfg.regions):
        for value in variables.live_in[region]:
            users.setdefault(value, []).append(number)
    deciding = {b.terminator.operands[0] for b in regions.cfg.barriers if b.terminator.operands}
    order = {i: number for number, i in enumerate(function.instructions())}

    def report(kept: Kept, value: Instruction, reason: Reason) -> None:
        remarks.analysis(
            kept,
            naming.place(value) or naming.declared(value),
            name=naming.name(value),
            type=type_name(value.type),
            bytes=0 if kept is Kept.RECOMPUTED else size_of(value.type),
            reason=reason,
            computed_in=regions.of(value),
            used_in=tuple(users.get(value, ())),
        )

    for value in variables.context:
        report(Kept.CONTEXT, value, _why_context(value, function, shape, naming, remarks))
    for value in variables.uniform:
        report(Kept.UNIFORM, value, _why_uniform(value in users, value in deciding))
    for value in sorted(variables.recomputed, key=order.__getitem__):
        report(Kept.RECOMPUTED, value, _why_recomputed(value))


def _why_context(
    value: Instruction, function: Function, shape: Divergence, naming: Naming, remarks: Remarks
) -> Reason:
    if shape.is_uniform(value):
        return Reason(WhyKept.COUNT_DIFFERS, cause=_not_recomputed(value, naming))
    for loop in loop_forest(function).loops:
        if value.opcode == "phi" and value.block is loop.header:
            place = remarks.location(loop)
            return Reason(WhyKept.CARRIED, where=f" at {place.line}" if place is not None else "")
    return Reason(WhyKept.DIFFERS, cause=_not_recomputed(value, naming))


def _not_recomputed(value: Instruction, naming: Naming) -> Reason:
    """Return the first reason why a value is not recomputed."""
    seen: set[Value] = {value}
    work: list[Value] = [value]
    for current in work:  # grows
        if not isinstance(current, Instruction) or is_position(current):
            continue
        cause: Reason | None = None
        if current.opcode == "load":
            cause = Reason(NotRecomputed.LOADED, memory=naming.memory(current.operands[0])[1] or "memory")
        elif current.opcode in ("atomicrmw", "cmpxchg"):
            cause = Reason(NotRecomputed.ATOMIC)
        elif current.opcode == "phi":
            several = len(current.operands) > 2
            cause = Reason(NotRecomputed.WAY_TAKEN if several else NotRecomputed.LEFT_BY_LOOP)
        elif current.opcode == "call":
            cause = Reason(NotRecomputed.RESULT, function=readable(current.callee.name or "a call"))
        if cause is not None and current is value:
            return cause
        if cause is not None and current.name:
            return Reason(NotRecomputed.FROM, value=naming.name(current), cause=cause)
        if cause is not None:
            return Reason(NotRecomputed.FROM_UNNAMED, cause=cause)
        new = [o for o in current.operands if o not in seen]
        seen.update(new)
        work += new
    if len(seen) <= RECOMPUTE_LIMIT:
        return Reason(NotRecomputed.EXPENSIVE, operation=value.opcode)
    return Reason(NotRecomputed.TOO_LONG, limit=RECOMPUTE_LIMIT)


def _why_uniform(needed: bool, decides: bool) -> Reason:
    if decides and not needed:
        return Reason(WhyKept.DECIDES)
    return Reason(WhyKept.SAME_AND_DECIDES if decides else WhyKept.SAME)


def _why_recomputed(value: Instruction) -> Reason:
    def operands(value: Value) -> list[Value]:
        if not isinstance(value, Instruction) or work_item_function(value) is not None:
            return []
        return value.operands[::-1]

    sources: dict[str, None] = {}
    steps = 0
    start: Value = value
    for current in reachable([start], operands):
        if isinstance(current, Argument):
            sources[current.name or "an argument"] = None
        elif isinstance(current, Instruction):
            query = work_item_function(current)
            if query is not None:
                sources[query.name] = None
            else:
                steps += 1
    count = f"{steps} instruction{'s' if steps != 1 else ''}"
    if not sources:
        return Reason(WhyKept.ON_CONSTANTS, steps=count)
    return Reason(WhyKept.ON_SOURCES, steps=count, sources=_listed(list(sources)))


def _listed(words: list[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"


def describe_private_memory(variables: KernelVariables, naming: Naming, remarks: Remarks) -> None:
    """Emit remarks about private arrays and structures, and where they are stored."""
    for kept, values in (
        (Kept.CONTEXT_MEMORY, variables.context_memory),
        (Kept.SHARED_MEMORY, variables.shared_memory),
    ):
        for value in values:
            size, _ = memory_size(value, value.attributes["allocated"])
            why = WhyKept.ON_STACK if size <= STACK_LIMIT else WhyKept.IN_ARENA
            if kept is Kept.CONTEXT_MEMORY:
                why = WhyKept.ACROSS_BARRIER
            remarks.analysis(
                kept,
                naming.place(value) or naming.declared(value),
                name=naming.name(value),
                type=type_name(value.attributes["allocated"]),
                bytes=size,
                reason=Reason(why),
            )
