"""Kernel variables and private memory of a recorded kernel, with the reason for how each is kept."""

from weft.analysis.kernel_variables import RECOMPUTE_LIMIT, is_position
from weft.analysis.work_items import work_item_function
from weft.functions import readable
from weft.ir import Argument, Instruction, Value
from weft.ir.types import size_of
from weft.transform.workgroup.context_arrays import memory_size
from weft.transform.workgroup.work_group_function import STACK_LIMIT

from .naming import Naming, type_name
from .recorder import Recorder
from .regions import Regions
from .report import PrivateMemory, Variable


def explain_variables(record: Recorder, naming: Naming, regions: Regions) -> tuple[Variable, ...]:
    """The values that live across regions: context arrays first, then uniform and recomputed ones."""
    variables = record.variables
    users: dict[Value, list[int]] = {}
    for number, region in enumerate(record.cfg.regions):
        for value in variables.live_in[region]:
            users.setdefault(value, []).append(number)
    deciding = {b.terminator.operands[0] for b in record.cfg.barriers if b.terminator.operands}
    found = []
    for kept, values in (
        ("context", variables.context),
        ("uniform", variables.uniform),
        ("recomputed", sorted(variables.recomputed, key=lambda v: _order(record, v))),
    ):
        for value in values:
            if kept == "context":
                reason = _why_context(value, record, naming)
            elif kept == "uniform":
                reason = _why_uniform(value, record, value in users, value in deciding)
            else:
                reason = _why_recomputed(value, naming)
            found.append(
                Variable(
                    name=naming.name(value),
                    type=type_name(value.type),
                    kept=kept,
                    bytes=size_of(value.type) if kept != "recomputed" else 0,
                    place=naming.place(value) or naming.declared(value),
                    reason=reason,
                    computed_in=regions.of(value),
                    used_in=tuple(users.get(value, ())),
                )
            )
    return tuple(found)


def _order(record: Recorder, value: Instruction) -> tuple[int, int]:
    assert value.block is not None
    return record.function.blocks.index(value.block), value.block.index(value)


def _why_context(value: Instruction, record: Recorder, naming: Naming) -> str:
    shape = record.shape
    if not shape.is_uniform(value):
        differs = "differs by work-item"
        for verdict in record.loops:
            if value.opcode == "phi" and value.block is verdict.loop.header:
                places = naming.loop_places(verdict.latch)
                where = f" at {places[0].line}" if places else ""
                return f"{differs}, carried round the loop{where}"
    else:
        differs = "not all work-items compute it equally often"
    return f"{differs}; {_not_recomputed(value, naming)}"


def _not_recomputed(value: Instruction, naming: Naming) -> str:
    """The first thing that keeps a value from being computed anew."""
    seen: set[Value] = {value}
    work: list[Value] = [value]
    for current in work:  # grows
        if not isinstance(current, Instruction) or is_position(current):
            continue
        what = ""
        if current.opcode == "load":
            what = f"loaded from {naming.memory(current.operands[0])[1] or 'memory'}"
        elif current.opcode in ("atomicrmw", "cmpxchg"):
            what = "the result of an atomic operation"
        elif current.opcode == "phi":
            what = "depends on the way taken" if len(current.operands) > 2 else "what a loop left in it"
        elif current.opcode == "call":
            what = f"the result of {readable(current.callee.name or 'a call')}"
        if what and current is not value:
            return f"computed from {naming.name(current)}, {what}" if current.name else f"from a value {what}"
        if what:
            return what
        new = [o for o in current.operands if o not in seen]
        seen.update(new)
        work += new
    if len(seen) <= RECOMPUTE_LIMIT:
        return f"{value.opcode} costs more than a load"
    return f"more than {RECOMPUTE_LIMIT} instructions to compute anew"


def _why_uniform(value: Instruction, record: Recorder, needed: bool, decides: bool) -> str:
    if decides and not needed:
        return "decides a branch once for the group"
    text = "same for all work-items"
    return f"{text}, and decides a branch" if decides else text


def _why_recomputed(value: Instruction, naming: Naming) -> str:
    sources: dict[str, None] = {}
    steps = 0
    seen: set[Value] = set()
    work: list[Value] = [value]
    while work:
        current = work.pop()
        if current in seen:
            continue
        seen.add(current)
        if isinstance(current, Argument):
            sources[current.name or "an argument"] = None
        elif isinstance(current, Instruction):
            asked = work_item_function(current)
            if asked is not None:
                sources[asked.name] = None
                continue
            steps += 1
            work += reversed(current.operands)
    count = f"{steps} instruction{'s' if steps != 1 else ''}"
    return f"{count} on {_listed(list(sources))}" if sources else f"{count} on constants"


def _listed(words: list[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"


def explain_private_memory(record: Recorder, naming: Naming) -> tuple[PrivateMemory, ...]:
    """The private arrays and structures, and where they lie."""
    variables = record.variables
    found = []
    for kept, values in (("context", variables.context_memory), ("shared", variables.shared_memory)):
        for value in values:
            size, _ = memory_size(value, value.attributes["allocated"])
            if kept == "context":
                reason = "it carries data across a barrier, or its address does: a copy for each work-item"
            elif size > STACK_LIMIT:
                reason = "one region alone uses it: work-items take turns, in the context arena"
            else:
                reason = "one region alone uses it: work-items take turns, on the stack"
            found.append(
                PrivateMemory(
                    naming.name(value),
                    type_name(value.attributes["allocated"]),
                    kept,
                    size,
                    naming.place(value) or naming.declared(value),
                    reason,
                )
            )
    return tuple(found)
