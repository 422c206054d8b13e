"""Apply passes to a compilation unit: hand them what they need of it, and keep what they return.

Passes that need nothing but the function are called by the list itself (`passes.py`).
"""

from typing import TYPE_CHECKING, Any

from weft.abi import loop_records_symbol, work_group_symbol
from weft.analysis.cross_lane import PREFIX as CROSS_LANE
from weft.analysis.cross_lane import is_cross_lane
from weft.analysis.shapes import shapes
from weft.builtins.library import has
from weft.builtins.widen import widen
from weft.compiler.argument_layout import placements
from weft.compiler.compilation_unit import CompilationUnit
from weft.compiler.pass_conditions import for_optimized_tier, for_simd_lanes
from weft.deferred import deferred
from weft.errors import WeftError
from weft.ir import Function, Module
from weft.ir.graph import post_order
from weft.kernel import LEAST_REUSES, ROWS_AT_ONCE
from weft.launch_form import MIN_LANES, SINGLE_ITEM
from weft.remarks import Reason
from weft.transform.canonical.infer_address_spaces import infer_address_spaces
from weft.transform.canonical.promote_to_registers import Promoted, promote_to_registers
from weft.transform.canonical.unroll_array_loops import unroll_array_loops
from weft.transform.workgroup.block_loops import block_loops
from weft.transform.workgroup.context_arrays import ContextLayout
from weft.transform.workgroup.group_frame import GroupForm, Independence
from weft.transform.workgroup.guard_divisions import guard_divisions
from weft.transform.workgroup.lower_printf import lower_printf
from weft.transform.workgroup.lower_sub_group_functions import lower_sub_group_functions
from weft.transform.workgroup.merge_barriers import merge_barriers
from weft.transform.workgroup.merge_tails import merge_tails
from weft.transform.workgroup.sub_groups_to_lanes import SubGroups, sub_groups_to_lanes
from weft.transform.workgroup.unroll_and_jam import unroll_and_jam
from weft.transform.workgroup.work_group_function import work_group_function
from weft.transform.workgroup.work_item_loops import LoopChoices
from weft.transform.workgroup.yield_in_loops import yield_in_functions, yield_in_loops

# Passes that baseline code does not run.
if TYPE_CHECKING:
    from weft.analysis.group_order import group_order
    from weft.analysis.loop_order import innermost_dimension
    from weft.transform.canonical.expand_powers import expand_powers
    from weft.transform.cost_model.interchange import fits_few_registers
    from weft.transform.describe.describe_kernel import describe_kernel
    from weft.transform.simd.lane_functions import LaneFunctions
    from weft.transform.simd.loop_records import LoopRecords
    from weft.transform.simd.outcome import Outcome
    from weft.transform.simd.split_vectors import split_vectors
    from weft.transform.simd.strip_mine_rows import StripMinedRows, strip_mine_rows
    from weft.transform.simd.vectorize_work_items import VectorizerOptions, vectorize_work_items
    from weft.transform.workgroup.derive_local_ids import derive_local_ids
    from weft.transform.workgroup.interchange_inner_loops import interchange_inner_loops, why_not_run
    from weft.transform.workgroup.private_arrays_by_lane import private_arrays_by_lane
else:
    expand_powers = deferred("weft.transform.canonical.expand_powers")
    group_order = deferred("weft.analysis.group_order")
    describe_kernel = deferred("weft.transform.describe.describe_kernel")
    split_vectors = deferred("weft.transform.simd.split_vectors")
    derive_local_ids = deferred("weft.transform.workgroup.derive_local_ids")
    private_arrays_by_lane = deferred("weft.transform.workgroup.private_arrays_by_lane")
    innermost_dimension = deferred("weft.analysis.loop_order", "innermost_dimension")
    strip_mine_rows = deferred("weft.transform.simd.strip_mine_rows")
    fits_few_registers = deferred("weft.transform.cost_model.interchange", "fits_few_registers")
    interchange_inner_loops = deferred("weft.transform.workgroup.interchange_inner_loops")
    LaneFunctions = deferred("weft.transform.simd.lane_functions", "LaneFunctions")
    LoopRecords = deferred("weft.transform.simd.loop_records", "LoopRecords")
    vectorize_work_items = deferred("weft.transform.simd.vectorize_work_items")
    VectorizerOptions = deferred("weft.transform.simd.vectorize_work_items", "VectorizerOptions")
    why_not_run = deferred("weft.transform.workgroup.interchange_inner_loops", "why_not_run")


def separate_functions(module: Module) -> list[Function]:
    """Return the functions that the kernels of a module call, callees first."""
    defined = [f for f in module.functions if not f.is_declaration]
    called = {f: [g for i in f.instructions() if (g := i.called_function) in defined] for f in defined}
    kernels = kernels_of(module)
    return [f for f in post_order(kernels, called.__getitem__) if f not in kernels]


def kernels_of(module: Module) -> list[Function]:
    """Return the kernels that a module defines."""
    return [f for f in module.functions if not f.is_declaration and "spir_kernel" in f.prefix]


def run_lower_printf(u: CompilationUnit) -> None:
    for function in u.all_functions:
        lower_printf(function)


def run_infer_address_spaces(u: CompilationUnit) -> int:
    def is_builtin(symbol: str) -> bool:
        return has(symbol, u.target)

    inferred = sum(infer_address_spaces(f, is_builtin, u.remarks) for f in u.all_functions)
    for function in [f for f in u.module.functions if f.is_declaration and not f.users] if inferred else ():
        u.module.remove(function)
    return inferred


def run_unroll_array_loops(u: CompilationUnit) -> bool:
    u.has_marked_loops = sum(unroll_array_loops(f, u.remarks) for f in u.all_functions) > 0
    return u.has_marked_loops


def run_expand_powers(u: CompilationUnit) -> int:
    return sum(expand_powers(f, u.remarks) for f in u.all_functions)


def run_guard_divisions(u: CompilationUnit) -> int:
    return sum(guard_divisions(f, u.remarks) for f in u.all_functions)


def run_derive_local_ids(u: CompilationUnit) -> None:
    derive_local_ids(u.function, u.form.local_size or SINGLE_ITEM)


def run_sub_groups_to_lanes(u: CompilationUnit) -> None:
    size, local_size = u.rows_of_sub_groups, u.form.local_size
    if not u.sub_group_size:
        return
    if isinstance(size, Reason):
        raise WeftError(f"sub-groups cannot be SIMD lanes: {size}")
    assert local_size is not None
    sub_groups_to_lanes(u.function, size, local_size, u.remarks)
    u.sub_group_size, u.sub_group_lanes = 0, size


def run_lower_sub_group_functions(u: CompilationUnit) -> None:
    why = u.rows_of_sub_groups
    if isinstance(why, Reason):
        u.remarks.missed(SubGroups.IN_MEMORY, why=why)
    lower_sub_group_functions(u.function, u.sub_group_size)


def run_promote_to_registers(u: CompilationUnit) -> Promoted:
    disjoint = u.disjoint
    places = {a: p.offset for a, p in placements(u.function).items() if p.kind == "value"}
    promoted = promote_to_registers(
        u.function, {a: disjoint[at] for a, at in places.items() if at in disjoint}, u.remarks
    )
    u.requires_noalias |= promoted.requires_noalias
    return promoted


def run_group_order(u: CompilationUnit) -> None:
    u.block = group_order(u.function, u.form.extents, u.target.costs, u.remarks)


def run_split_vectors(u: CompilationUnit) -> int:
    return split_vectors(
        u.function,
        u.divergence,
        widen,
        u.target,
        lambda: shapes(u.function, u.form.largest, u.form.wide),
        u.remarks,
        u.inlines_images,
    )


def run_unroll_and_jam(u: CompilationUnit) -> bool:
    lanes = _innermost(u)
    along = 0 if lanes == 1 else 1
    size = u.form.extents[along] if u.form.extents is not None else None
    if size is None or size % ROWS_AT_ONCE:
        return False
    if not unroll_and_jam(u.function, along, ROWS_AT_ONCE, lanes, u.remarks):
        return False
    u.jammed = (ROWS_AT_ONCE, 1, 1) if along == 0 else (1, ROWS_AT_ONCE, 1)
    return True


def run_block_loops(u: CompilationUnit) -> bool:
    counts = u.iterations or SINGLE_ITEM
    axes = [axis for axis, n in enumerate(counts) if n is None or n >= LEAST_REUSES]
    u.blocked = block_loops(u.function, u.divergence, axes, u.remarks) > 0
    return u.blocked


def run_interchange_inner_loops(u: CompilationUnit) -> list[Any]:
    always = u.options.method == "horizontal"
    few = fits_few_registers(u.form.largest, u.target.lanes(32))
    return interchange_inner_loops(u.function, u.divergence, u.target.costs, always, few, u.remarks)


def run_merge_tails(u: CompilationUnit) -> Any:
    u.divergence = merge_tails(u.function, u.divergence, u.limits.short_tail, u.remarks)
    return u.divergence


def run_merge_barriers(u: CompilationUnit) -> Any:
    u.divergence = merge_barriers(u.function, u.divergence, u.limits.small_regions, u.remarks)
    return u.divergence


def run_describe_kernel(u: CompilationUnit) -> None:
    options = u.options
    enough = u.form.worth_vectorizing
    describe_kernel(
        u.function,
        u.regions,
        u.variables,
        u.divergence,
        shapes(u.function, u.form.largest, u.form.wide),
        u.lanes,
        why_not_run(options.method, options.level, options.waits, enough),
        u.remarks,
    )


def run_work_group_function(u: CompilationUnit) -> tuple[Function, ContextLayout]:
    lanes = _lanes(u)
    u.function, u.layout = work_group_function(
        u.function,
        work_group_symbol(u.kernel),
        u.regions,
        u.variables,
        placements(u.function),
        GroupForm(
            u.form.extents,
            u.form.id_bits,
            u.sub_group_size,
            u.form.non_uniform,
            u.jammed,
            Independence(lanes, _function_bytes(u, lanes)) if u.independent else None,
        ),
        LoopChoices(_innermost(u), u.options.unroll, lanes),
        u.remarks,
    )
    return u.function, u.layout


def _function_bytes(u: CompilationUnit, lanes: int) -> int:
    """Return the stack bytes that functions which are not inlined may need: private memory, and registers."""
    lines = sum(text.count("\n") for text in u.functions)
    return lanes * u.private_bytes + u.target.register_bits // 8 * lines if u.functions else 0


def _innermost(u: CompilationUnit) -> int:
    """Return the dimension of the innermost work-item loop."""
    requested, extents = u.options.innermost, u.iterations
    if u.options.baseline or u.sub_group_lanes:
        return 0
    if requested != "auto":
        return "xyz".index(requested)
    # Tiles are long in the dimension of lanes: along x if they consist of rows.
    least = MIN_LANES if u.form.tile is None else 2 * MIN_LANES
    if extents is None or all(size is not None and size < least for size in extents[1:]):
        return 0
    if u.form.is_rows:
        return 0
    shape = shapes(u.function, u.form.largest, u.form.wide)
    return innermost_dimension(u.function, shape, extents, least, u.target.costs)


def _lanes(u: CompilationUnit) -> int:
    """Return the most work-items in SIMD lanes at a time, two registers full; 1 if they run serially."""
    in_lanes = for_optimized_tier(u) and for_simd_lanes(u) and u.form.worth_vectorizing
    return 2 * u.lanes if in_lanes else 1


def run_private_arrays_by_lane(u: CompilationUnit) -> Any:
    u.arrays_by_lane = private_arrays_by_lane(
        u.function, u.options.lanes or max(u.lanes, u.sub_group_lanes), u.remarks
    )
    return u.arrays_by_lane


def run_vectorize_work_items(u: CompilationUnit) -> "list[Outcome]":
    options = u.options
    lane_functions = LaneFunctions(
        u.functions, u.target, widen, bool(options.lanes), u.private_bytes, u.remarks
    )
    lane_functions.report_costs(u.function)
    records = LoopRecords(u.function, loop_records_symbol(u.kernel), options.profile)
    vectorizer_options = VectorizerOptions(
        options.lanes, options.divergent, options.proofs, u.limits.versions
    )
    outcomes = vectorize_work_items(
        u.function, u.target, widen, vectorizer_options, records, u.arrays_by_lane, u.remarks
    )
    u.outcomes, u.loops = outcomes, records.finish()
    if u.sub_group_lanes and any(is_cross_lane(i) for i in u.function.instructions()):
        # `rows_of_sub_groups` has checked that all of them can be vectorized.
        refused = [str(o.refusal) for o in outcomes if o.refusal is not None]
        raise WeftError(f"a loop with operations across lanes has no vector code: {'; '.join(refused)}")
    for operation in [f for f in u.module.functions if (f.name or "").startswith(CROSS_LANE)]:
        u.module.remove(operation)
    u.functions = lane_functions.define_callees_of(u.function)
    return outcomes


def run_strip_mine_rows(u: CompilationUnit) -> "StripMinedRows":
    strip_mined = strip_mine_rows(u.function, u.disjoint, 4 * u.lanes, u.remarks)
    u.requires_noalias |= strip_mined.requires_noalias
    return strip_mined


def run_yield_in_loops(u: CompilationUnit) -> int:
    return yield_in_functions(u.built_together) if u.built_together else yield_in_loops(u.function)
