"""Afterwards the work-item loops that LLVM would leave scalar run one work-item per SIMD lane.

LLVM's loop vectorizer does well on work-item loops without other loops in them, also when work-items branch
differently, and gives up on those that hold one. These are vectorized here (`vectorize_loop`), and so are
loops in which only some work-items store, and not side by side: a scatter costs much even when no lane is
active, and LLVM does not pass it by. So are loops that divide integers, which LLVM would do one by one, loops
with many indices that could wrap, and loops over so few work-items that all are lanes of one pass. No loop is
left of these: what stays the same in the loops around them is computed once, and what they carry lives in
registers. LLVM looks at its own vector loops too late for that (a discrete cosine transform of blocks of 8 x
8: 1.85 ms, in one pass 0.37).

Requires a work-group function. A loop that cannot be vectorized stays as it is; the reason is returned.
"""

from dataclasses import dataclass, replace

from weft.analysis.lanes import LANE, Assumed, Lanes, lanes
from weft.analysis.memory_effects import is_own_function
from weft.ir import Block, ConstantInt, Function, Instruction, Value
from weft.ir.loops import Loop, LoopForest, loop_forest
from weft.ir.opcodes import BINARY
from weft.ir.types import VectorType, size_of
from weft.remarks import Reason
from weft.target import Target
from weft.transform.workgroup.settle_inner_loops import DISABLED
from weft.transform.workgroup.work_item_loops import add_fact, is_work_item_loop

from .access_forms import WideAccess
from .add_variants import add_variants
from .cannot_vectorize import CannotVectorize, NotVectorized
from .cost import DEFAULT_WAY, Estimate, estimate, interleaving, is_builtin, is_wide
from .counted_loop import counted, known_lanes
from .interior import Interior, add_interior, may_have_interior
from .join_loads import join_loads
from .lane_values import only_in_single_lanes
from .lanewise import VectorForm
from .loop_choice import choose_at_run_time, count_scalar_iterations
from .loop_plan import plan_loop
from .loop_records import LoopRecords, recorded_header
from .masked_rest import can_mask_rest, mask_rest
from .proved_cases import NOTHING, Patience, ProvedCases, if_proved, is_hidden, proved_cases
from .scattered_stores import scatters_cost_more
from .vectorize_loop import emit_loop
from .ways import reason, width_for
from .whole_range import is_part
from .wide_division import divides_by_floats
from .wide_memory import is_sparse, known_places
from .wide_vectors import components

# Fewer lanes are shorter than any vector register.
MIN_WIDTH = 4
# Small work-groups whose work-items may all be lanes of one pass.
GROUPS = (4, 8, 16, 32)


@dataclass(frozen=True)
class Outcome:
    """What became of a work-item loop: its header's name, the lanes it got, or why it got none.

    `block` is the header, which is no longer part of the function if no scalar loop was left.
    `estimate` is what the cost model says, if it was asked; `straight` whether the loop holds no other;
    `accesses` how each access to memory was done, for the instructions of the loop as it was. With a
    `condition` it is about a variant of the loop for that case, beside the general code. `divergent` says in
    which ways divergent loops run, and why; `way` is that of this version of the loop. `interior` says that
    work-items away from edges have code of their own.
    """

    header: str
    width: int
    block: Block
    refusal: Reason | None = None
    estimate: Estimate | None = None
    straight: bool = False
    accesses: tuple[tuple[Instruction, tuple[WideAccess, ...]], ...] = ()
    condition: str = ""
    divergent: str = ""
    way: str = ""
    interior: str = ""


def vectorize_work_items(
    function: Function,
    target: Target,
    vector_form: VectorForm,
    forced: int = 0,
    divergent: str = "auto",
    records: LoopRecords | None = None,
    proofs: bool = False,
) -> list[Outcome]:
    """Vectorize work-item loops for the registers of a target.

    `forced`: so many lanes, wherever that is possible. `divergent`: the way of divergent loops, wherever that
    is possible, or `auto`. With `records`, a loop may be made in several ways. With `proofs`, what can be
    proved of addresses is used.
    """
    outcomes: list[Outcome] = []
    if forced == 1:
        return outcomes
    seen: set[Block] = set()
    changed: list[Loop] = []  # since the forest was made; it still holds for all other loops
    forest = loop_forest(function)
    in_one_pass = _rearranges(function, forest, target.lanes(32))
    patience = Patience()
    planned: dict[Block, str] = {}  # the ways of loops that are there in several versions
    reasons: dict[Block, str] = {}  # for these ways
    while True:
        loop = _next_loop(function, forest, seen, changed)
        if loop is None and not changed:
            return outcomes
        if loop is None:
            forest, changed = loop_forest(function), []
            continue
        name, straight = recorded_header(loop.header).name or "", not loop.children
        found: Estimate | None = None
        way = planned.get(loop.header, divergent)
        ways: tuple[str, ...] = (way,)
        proved, variants = NOTHING, list[Outcome]()
        interior: Interior | None = None
        if proofs and loop.header not in planned:
            proved, variants = _variants(
                function, loop, forest, target, vector_form, in_one_pass, forced, patience
            )
            if variants:
                forest, changed = loop_forest(function), []
                loop = next(m for m in forest.loops if m.header is loop.header)
        if not variants and not proved.always and not is_part(loop):
            interior = _interior(function, loop, forest)
            if interior is not None:
                forest, changed = loop_forest(function), []
                loop = next(m for m in forest.loops if m.header is loop.header)
        try:
            if forced:
                width = forced
                ways = (DEFAULT_WAY,) if way == "auto" else ways
            else:
                width, found = _width(function, loop, forest, target, in_one_pass, proved.always, interior)
                if way == "auto":
                    ways = found.ways_to_try() if records is not None else (DEFAULT_WAY,)
                if len(ways) > 1:
                    assert records is not None
                    outcomes += variants
                    counter, limit = counted(loop)
                    headers = choose_at_run_time(function, loop, counter, limit, ways, records)
                    planned.update(zip(headers, ways, strict=True))
                    reasons.update(dict.fromkeys(headers, reason(found, ways, divergent)))
                    seen.discard(loop.header)
                    forest, changed = loop_forest(function), []
                    continue
                if not found.pays_in(way):
                    raise CannotVectorize(NotVectorized.COSTS_MORE, width=width)
            (way,) = ways
            has_loops = found is not None and found.serial is not None
            if not forced and not proved.always:  # which holds for so many lanes only
                width = width_for(way, loop, width, target.lanes(32))
            if way != "serial":
                join_loads(loop, lanes(function, loop, counted(loop)[0], forest, proved.always))
            plan = plan_loop(
                function, loop, forest, width, vector_form, way, proved.always, pack=not proved.always
            )
            rest_in_lanes = can_mask_rest(plan)
            emitted = emit_loop(plan, None, records)
            accesses = _accesses(emitted.accesses, interior)
            why = reasons.get(loop.header) or (reason(found, ways, divergent) if has_loops else "")
            asked = str(interior) if interior is not None else ""
            outcomes.append(
                Outcome(
                    name,
                    width,
                    loop.header,
                    None,
                    found,
                    straight,
                    accesses,
                    divergent=why,
                    way=way,
                    interior=asked,
                )
            )
            changed.append(loop)
            if emitted.has_rest:
                if interior is not None:
                    interior.remove()
                if rest_in_lanes:
                    mask_rest(plan, records)
                forest, changed = loop_forest(function), []
        except CannotVectorize as error:
            if interior is not None:
                interior.remove()
                forest, changed = loop_forest(function), []
                loop = next(m for m in forest.loops if m.header is loop.header)
            why, refusal = reasons.get(loop.header, ""), error.refusal
            if straight and not forced and _stays_scalar(function, loop, forest, target):
                refusal = Reason(NotVectorized.SCATTERS)
            outcomes.append(Outcome(name, 1, loop.header, refusal, found, straight, divergent=why, way=way))
            if records is not None:
                count_scalar_iterations(function, loop, forest, records)
        outcomes += variants


def _variants(
    function: Function,
    loop: Loop,
    forest: LoopForest,
    target: Target,
    vector_form: VectorForm,
    in_one_pass: bool,
    forced: int,
    patience: Patience,
) -> tuple[ProvedCases, list[Outcome]]:
    """Adds variants of a loop for the cases in which its addresses are proved to be in order."""
    try:
        counter, limit = counted(loop)
        if (
            patience.left <= 0
            or is_part(loop)
            or ((in_one_pass or not forced) and _is_small(loop, limit, target.lanes(32)))
        ):
            return NOTHING, []
        shape = lanes(function, loop, counter, forest)
        if any(m.header in shape.masked for m in loop.children):
            return NOTHING, []  # lanes that wait for one another cost more than what they load
        best = if_proved(function, loop, forest, shape)
        width = forced or (_lane_count(loop, best, target) if best is not shape else 0)
    except CannotVectorize:
        return NOTHING, []
    if best is shape:
        return NOTHING, []
    proved = proved_cases(function, loop, shape, width, patience)
    added = add_variants(function, loop, proved, shape, width, target, vector_form, always=bool(forced))
    name, straight = loop.header.name or "", not loop.children
    return proved, [
        Outcome(name, width, loop.header, None, a.estimate, straight, a.accesses, a.condition) for a in added
    ]


def _interior(function: Function, loop: Loop, forest: LoopForest) -> Interior | None:
    """Adds the interior of a loop, if it has one."""
    if not may_have_interior(loop):
        return None
    try:
        counter, _ = counted(loop)
    except CannotVectorize:
        return None
    return add_interior(function, loop, forest, lanes(function, loop, counter, forest))


def _accesses(
    notes: dict[Instruction, list[WideAccess]], interior: Interior | None
) -> tuple[tuple[Instruction, tuple[WideAccess, ...]], ...]:
    """How each access to memory is done, in the interior first."""
    if interior is None:
        return tuple((i, tuple(how)) for i, how in notes.items())
    inside = {i: how for i, how in notes.items() if i in interior.accesses}
    others = {
        i: [replace(access, edge=True) for access in how] for i, how in notes.items() if i not in inside
    }
    return tuple((i, tuple(how)) for i, how in (*inside.items(), *others.items()))


def _next_loop(function: Function, forest: LoopForest, seen: set[Block], changed: list[Loop]) -> Loop | None:
    """The next work-item loop that has no blocks in common with those that were changed.

    `seen` holds the headers of the loops that were looked at.
    """
    module = function.module
    assert module is not None
    for loop in forest.loops:
        if loop.header in seen:
            continue
        if not any(loop.header in other or other.header in loop for other in changed):
            seen.add(loop.header)
            if loop.latch is not None and is_work_item_loop(loop.latch, module):
                return loop
    return None


def _width(
    function: Function,
    loop: Loop,
    forest: LoopForest,
    target: Target,
    in_one_pass: bool,
    proved: Assumed,
    interior: Interior | None,
) -> tuple[int, Estimate]:
    """How many lanes suit a loop, and their cost; raises CannotVectorize when LLVM does as well.

    `in_one_pass`: all work-items of small groups are lanes at once, also where they compute with vectors.
    `proved` is what is known of addresses, for a number of lanes that is chosen thereby.
    """
    counter, limit = counted(loop)
    shape = lanes(function, loop, counter, forest, proved)
    rare = interior.general if interior is not None else ()
    varying = [i for b in loop.blocks for i in b.instructions if shape.is_varying(i)]
    longest = max((components(i.type) for i in varying), default=1)
    if (in_one_pass or longest == 1) and _is_small(loop, limit, target.lanes(32)):
        return limit.value, estimate(loop, forest, shape, limit.value, target, rare)  # type: ignore[attr-defined]
    beyond_llvm = any(is_builtin(i) or divides_by_floats(i) or is_own_function(i) for i in varying)
    beyond_llvm |= _scatters(shape) or _leaves_gaps(loop, shape) or is_hidden(proved)
    beyond_llvm |= _may_wrap(loop, shape, target.costs.tested_indices)
    if not loop.children and longest == 1 and not beyond_llvm and interior is None:
        raise CannotVectorize(NotVectorized.LEFT_TO_LLVM)
    width = proved.width if proved else _lane_count(loop, shape, target)
    return width, estimate(loop, forest, shape, width, target, rare)


def _stays_scalar(function: Function, loop: Loop, forest: LoopForest, target: Target) -> bool:
    """Has LLVM leave a straight loop alone if it would scatter, and lose by that.

    For processors that do not scatter LLVM stores lane by lane, and knows what that costs.
    """
    latch, module = loop.latch, function.module
    if not target.scatters or latch is None or module is None:
        return False
    try:
        shape = lanes(function, loop, counted(loop)[0], forest)
    except CannotVectorize:
        return False
    if not scatters_cost_more(loop, shape, target):
        return False
    add_fact(latch, module, DISABLED)
    return True


def _lane_count(loop: Loop, shape: Lanes, target: Target) -> int:
    """How many lanes suit a loop; raises CannotVectorize if there are too few work-items."""
    counter, limit = counted(loop)
    single = only_in_single_lanes(shape, loop)
    varying = [i for b in loop.blocks for i in b.instructions if shape.is_varying(i) and i not in single]
    longest = max((components(i.type) for i in varying), default=1)
    width = target.lanes(32)
    if any(is_wide(i) for i in varying):
        width //= 2
    computed = [i for i in varying if i.opcode in BINARY or i.opcode == "call"]
    vectors = sum(isinstance(i.type, VectorType) for i in computed)
    if longest > 1 and 2 * vectors >= len(computed):
        width = max(2, width >> (longest - 1).bit_length())
    assert loop.preheader is not None
    start = counter.incoming_from(loop.preheader)
    items = None
    if isinstance(limit, ConstantInt) and isinstance(start, ConstantInt):
        items = max(limit.value - start.value, 1)
        while width > items:
            width //= 2
    if width < (MIN_WIDTH if longest == 1 else 2):
        raise CannotVectorize(NotVectorized.TOO_FEW_WORK_ITEMS)
    return width * interleaving(loop, shape, width, items, target)


def _is_small(loop: Loop, limit: Value, columns: int) -> bool:
    """Whether all work-items of a loop may be lanes of one pass; private arrays have so many columns."""
    if loop.children or not isinstance(limit, ConstantInt) or limit.value not in GROUPS:
        return False
    return limit.value <= columns or not any(LANE in i.metadata for b in loop.blocks for i in b.instructions)


def _rearranges(function: Function, forest: LoopForest, columns: int) -> bool:
    """Whether the work-items of small groups read one another's places in a known order.

    In lanes that are vector loads and shuffles. If all regions run in one pass, so that no loops are left,
    LLVM finds what one stored and the next loads, and keeps it in registers.
    """
    module = function.module
    assert module is not None
    for loop in forest.loops:
        if loop.latch is None or not is_work_item_loop(loop.latch, module):
            continue
        try:
            counter, limit = counted(loop)
        except CannotVectorize:
            continue
        if not _is_small(loop, limit, columns):
            continue
        shape = lanes(function, loop, counter, forest)
        known = known_lanes(loop, limit.value)  # type: ignore[attr-defined]
        for i in (i for b in loop.blocks if b not in shape.masked for i in b.instructions):
            if i.opcode == "load" and shape.is_varying(i.operands[0]):
                found = known_places(known, i, i.type)
                if found is not None and shape.is_uniform(found[0]):
                    return True
    return False


def _may_wrap(loop: Loop, shape: Lanes, most: int) -> bool:
    """Whether so many indices could wrap around between neighbours that LLVM would not test them all."""
    addresses = (i.operands[-1] for b in loop.blocks for i in b.instructions if i.opcode in ("load", "store"))
    found = [f.needs for address in addresses if (f := shape.of(address)) is not None]
    return not shape.masked and len(frozenset().union(*found)) > most


def _leaves_gaps(loop: Loop, shape: Lanes) -> bool:
    """Whether work-items store in one place only, with small gaps between; LLVM would scatter."""
    stores = [i for b in loop.blocks for i in b.instructions if i.opcode == "store"]
    return len(stores) == 1 and is_sparse(shape.of(stores[0].operands[1]), stores[0].operands[0].type)


def _scatters(shape: Lanes) -> bool:
    """Whether masked code stores to addresses that are not consecutive."""
    for block in shape.masked:
        for i in block.instructions:
            if i.opcode == "store":
                found = shape.of(i.operands[1])
                if found is None or found.stride != size_of(i.operands[0].type):
                    return True
    return False
