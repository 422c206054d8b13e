"""THE list of passes of the kernel compiler, in the order in which they run.

A pass changes the kernel of a compilation unit, later its work-group function. Its contract is the forms that
it requires and establishes (`weft/analysis/forms.py`); it preserves the others. `when` is the condition under
which it runs. Builds, launches in both tiers, `weft opt`, `weft explain` and the golden tests all run these
lists (`pipeline.py`).

A new pass is a function in `weft/transform/`, an entry here, and golden files (docs/write-a-pass.md).
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from weft.abi import loop_records_symbol, work_group_symbol
from weft.analysis.cross_lane import PREFIX as CROSS_LANE
from weft.analysis.cross_lane import is_cross_lane
from weft.analysis.forms import (
    IMPLICIT_BARRIERS,
    ISOLATED_BARRIERS,
    LCSSA,
    LOCALS_AS_ARGUMENTS,
    LOWERED_GROUP_FUNCTIONS,
    WHOLE_GROUP,
    Form,
    check,
)
from weft.analysis.shapes import shapes
from weft.analysis.work_items import BARRIERS
from weft.builtins.catalogue import catalogue
from weft.builtins.images import specialized_symbol
from weft.builtins.widen import widen
from weft.compiler.argument_layout import placements
from weft.compiler.compilation_unit import CompilationUnit
from weft.dataclasses import dataclass
from weft.deferred import deferred
from weft.errors import WeftError
from weft.ir import Function, Module
from weft.ir.graph import post_order
from weft.kernel import ROWS_AT_ONCE
from weft.launch_form import MIN_LANES, SINGLE_ITEM
from weft.lazy_pattern import lazy_pattern
from weft.remarks import Reason
from weft.transform.canonical.ids_to_arguments import ids_to_arguments
from weft.transform.canonical.infer_address_spaces import infer_address_spaces
from weft.transform.canonical.isolate_barriers import isolate_barriers
from weft.transform.canonical.promote_to_registers import Promoted, promote_to_registers
from weft.transform.canonical.remove_repeated_barriers import remove_repeated_barriers
from weft.transform.canonical.unroll_array_loops import unroll_array_loops
from weft.transform.simd.fuse_sincos import fuse_sincos
from weft.transform.workgroup.context_arrays import ContextLayout
from weft.transform.workgroup.export_functions import export_functions
from weft.transform.workgroup.group_frame import GroupForm, Independence
from weft.transform.workgroup.guard_divisions import guard_divisions
from weft.transform.workgroup.keep_calls import keep_calls
from weft.transform.workgroup.keep_only import keep_only
from weft.transform.workgroup.locals_to_arguments import locals_to_arguments
from weft.transform.workgroup.lower_group_functions import lower_group_functions
from weft.transform.workgroup.lower_printf import lower_printf
from weft.transform.workgroup.lower_sub_group_functions import lower_sub_group_functions
from weft.transform.workgroup.merge_barriers import merge_barriers
from weft.transform.workgroup.merge_tails import merge_tails
from weft.transform.workgroup.place_implicit_barriers import place_implicit_barriers
from weft.transform.workgroup.specialize_image_formats import specialize_image_formats
from weft.transform.workgroup.split_pointer_inductions import split_pointer_inductions
from weft.transform.workgroup.sub_groups_to_lanes import SubGroups, sub_groups_to_lanes
from weft.transform.workgroup.unroll_and_jam import unroll_and_jam
from weft.transform.workgroup.work_group_function import work_group_function
from weft.transform.workgroup.work_item_loops import LoopChoices
from weft.transform.workgroup.yield_in_loops import yield_in_functions, yield_in_loops

# Passes that baseline code does not run.
if TYPE_CHECKING:
    from weft.analysis.group_order import group_order
    from weft.analysis.loop_order import innermost_dimension
    from weft.compiler.inline_image_functions import inline_image_functions
    from weft.transform.canonical.index_private_arrays import index_private_arrays
    from weft.transform.describe.describe_kernel import describe_kernel
    from weft.transform.simd.add_alias_scopes import add_alias_scopes
    from weft.transform.simd.bounds_from_guards import bounds_from_guards
    from weft.transform.simd.drop_masks import drop_masks
    from weft.transform.simd.hoist_descriptors import hoist_descriptors
    from weft.transform.simd.if_convert_stores import if_convert_stores
    from weft.transform.simd.lane_functions import LaneFunctions
    from weft.transform.simd.loop_records import LoopRecords
    from weft.transform.simd.narrow_integers import narrow_integers
    from weft.transform.simd.outcome import Outcome
    from weft.transform.simd.rematerialize_at_loop_exit import rematerialize_at_loop_exit
    from weft.transform.simd.split_private_vectors import split_private_vectors
    from weft.transform.simd.split_vectors import split_vectors
    from weft.transform.simd.strip_mine_rows import StripMinedRows, strip_mine_rows
    from weft.transform.simd.transpose_rows import transpose_rows
    from weft.transform.simd.vectorize_work_items import VectorizerOptions, vectorize_work_items
    from weft.transform.workgroup.derive_local_ids import derive_local_ids
    from weft.transform.workgroup.disable_inner_loop_vectorization import disable_inner_loop_vectorization
    from weft.transform.workgroup.interchange_inner_loops import interchange_inner_loops, why_not_run
    from weft.transform.workgroup.order_accesses import order_accesses
    from weft.transform.workgroup.private_arrays_by_lane import private_arrays_by_lane
else:
    group_order = deferred("weft.analysis.group_order")
    inline_image_functions = deferred("weft.compiler.inline_image_functions")
    index_private_arrays = deferred("weft.transform.canonical.index_private_arrays")
    describe_kernel = deferred("weft.transform.describe.describe_kernel")
    add_alias_scopes = deferred("weft.transform.simd.add_alias_scopes")
    bounds_from_guards = deferred("weft.transform.simd.bounds_from_guards")
    drop_masks = deferred("weft.transform.simd.drop_masks")
    hoist_descriptors = deferred("weft.transform.simd.hoist_descriptors")
    if_convert_stores = deferred("weft.transform.simd.if_convert_stores")
    narrow_integers = deferred("weft.transform.simd.narrow_integers")
    rematerialize_at_loop_exit = deferred("weft.transform.simd.rematerialize_at_loop_exit")
    split_private_vectors = deferred("weft.transform.simd.split_private_vectors")
    split_vectors = deferred("weft.transform.simd.split_vectors")
    transpose_rows = deferred("weft.transform.simd.transpose_rows")
    derive_local_ids = deferred("weft.transform.workgroup.derive_local_ids")
    disable_inner_loop_vectorization = deferred("weft.transform.workgroup.disable_inner_loop_vectorization")
    order_accesses = deferred("weft.transform.workgroup.order_accesses")
    private_arrays_by_lane = deferred("weft.transform.workgroup.private_arrays_by_lane")
    innermost_dimension = deferred("weft.analysis.loop_order", "innermost_dimension")
    strip_mine_rows = deferred("weft.transform.simd.strip_mine_rows")
    interchange_inner_loops = deferred("weft.transform.workgroup.interchange_inner_loops")
    LaneFunctions = deferred("weft.transform.simd.lane_functions", "LaneFunctions")
    LoopRecords = deferred("weft.transform.simd.loop_records", "LoopRecords")
    vectorize_work_items = deferred("weft.transform.simd.vectorize_work_items")
    VectorizerOptions = deferred("weft.transform.simd.vectorize_work_items", "VectorizerOptions")
    why_not_run = deferred("weft.transform.workgroup.interchange_inner_loops", "why_not_run")

Condition = Callable[[CompilationUnit], bool]
_ARRAY = " = alloca ["
_VECTOR_ARRAY = lazy_pattern(r" = alloca \[\d+ x <")


# ---- Conditions under which passes run; `weft opt -p list` prints their docstrings after "runs"


def always(unit: CompilationUnit) -> bool:
    """for every kernel"""
    return True


def for_tiles_of_groups(unit: CompilationUnit) -> bool:
    """for tiles of kernels that query their work-group"""
    return unit.form.tile is not None and unit.form.local_size is not None


def with_sub_groups(unit: CompilationUnit) -> bool:
    """for kernels with sub-groups"""
    return unit.sub_group_size > 0


def with_sub_groups_in_lanes(unit: CompilationUnit) -> bool:
    """for WEFT_WORKGROUP=auto or simd, with whole sub-groups in each row of the work-group"""
    return with_sub_groups(unit) and isinstance(unit.rows_of_sub_groups, int)


def with_independent_sub_groups(unit: CompilationUnit) -> bool:
    """for kernels and functions in which sub-groups may wait for one another, unless -cl-no-subgroup-ifp"""
    return unit.options.progress if unit.built_together else unit.independent


def without_sub_groups(unit: CompilationUnit) -> bool:
    """for kernels without sub-groups"""
    return unit.sub_group_size == 0


def for_optimized_tier(unit: CompilationUnit) -> bool:
    """in the optimized tier"""
    return not unit.options.baseline


def not_for_plain_loops(unit: CompilationUnit) -> bool:
    """unless WEFT_WORKGROUP=loops"""
    return unit.options.method != "loops"


def with_enough_work_items(unit: CompilationUnit) -> bool:
    """unless WEFT_WORKGROUP=loops, with enough work-items for SIMD lanes"""
    return not_for_plain_loops(unit) and unit.form.worth_vectorizing


def if_loops_may_be_interchanged(unit: CompilationUnit) -> bool:
    """for WEFT_WORKGROUP=auto or horizontal, with enough work-items for SIMD lanes"""
    if unit.jammed != SINGLE_ITEM:
        return False
    return unit.options.method in ("auto", "horizontal") and unit.form.worth_vectorizing


def for_simd_lanes(unit: CompilationUnit) -> bool:
    """for WEFT_WORKGROUP=auto or simd"""
    return unit.options.method in ("auto", "simd")


def for_tiles_in_lanes(unit: CompilationUnit) -> bool:
    """in the optimized tier, for WEFT_WORKGROUP=auto or simd, for tiles of work-items that share nothing"""
    return for_optimized_tier(unit) and for_simd_lanes(unit) and unit.form.tile is not None


def if_lanes_read_images(unit: CompilationUnit) -> bool:
    """in the optimized tier, for WEFT_WORKGROUP=auto or simd, with enough work-items for SIMD lanes"""
    return for_optimized_tier(unit) and for_simd_lanes(unit) and unit.form.worth_vectorizing


def if_llvm_optimizes(unit: CompilationUnit) -> bool:
    """in the optimized tier, unless WEFT_OPT_LEVEL=0"""
    return for_optimized_tier(unit) and unit.options.level > 0


def if_weft_vectorizes(unit: CompilationUnit) -> bool:
    """in the optimized tier, unless LLVM vectorizes the loops of a single work-item"""
    return for_optimized_tier(unit) and not unit.llvm_vectorizes


def if_weft_vectorizes_and_llvm_optimizes(unit: CompilationUnit) -> bool:
    """like disable-inner-loop-vectorization, unless WEFT_OPT_LEVEL=0"""
    return if_weft_vectorizes(unit) and unit.options.level > 0


def unless_optimization_is_off(unit: CompilationUnit) -> bool:
    """unless -cl-opt-disable"""
    return unit.options.level > 0 or not_for_plain_loops(unit)


def if_remarks_are_collected(unit: CompilationUnit) -> bool:
    """for weft explain"""
    return bool(unit.remarks)


# ---- Conditions of build passes on the text of a module


def has_anything(text: str) -> bool:
    """any module"""
    return True


def has_generic_pointers(text: str) -> bool:
    """modules with generic pointers"""
    return "addrspace(4)" in text


def has_private_arrays(text: str) -> bool:
    """modules with private arrays of vectors, or with private arrays and barriers"""
    across_barriers = _ARRAY in text and any(f"@{name}" in text for name in BARRIERS)
    return across_barriers or _VECTOR_ARRAY.search(text) is not None


# ---- Functions that apply passes to a unit


@dataclass(frozen=True)
class Pass:
    """A pass: its function, its contract and when it runs.

    `run` returns the pass's result: None if it returns nothing, otherwise a false value if it changed
    nothing. After a pass that changed something the analyses of the unit are invalidated, unless the pass
    preserves them. An `analysis` changes nothing. `concerns` tells from the text of a module whether the pass
    has work in it; a build parses the text only then.
    """

    name: str
    summary: str
    run: Callable[[CompilationUnit], Any]
    when: Condition = always
    requires: tuple[Form, ...] = ()
    establishes: tuple[Form, ...] = ()
    preserves: bool = False
    analysis: bool = False
    concerns: Callable[[str], bool] = has_anything

    def check_before(self, function: Function) -> None:
        """Raise FormError unless the function is in the form that the pass requires."""
        check(self.requires, function, f"{self.name} requires")

    def check_after(self, function: Function) -> None:
        """Raise FormError unless the function is in the form that the pass establishes."""
        check(self.establishes, function, f"{self.name} promises")


def separate_functions(module: Module) -> list[Function]:
    """Return the functions that the kernels of a module call, callees first."""
    defined = [f for f in module.functions if not f.is_declaration]
    called = {f: [g for i in f.instructions() if (g := i.called_function) in defined] for f in defined}
    kernels = _kernels(module)
    return [f for f in post_order(kernels, called.__getitem__) if f not in kernels]


def _kernels(module: Module) -> list[Function]:
    return [f for f in module.functions if not f.is_declaration and "spir_kernel" in f.prefix]


def _lower_printf(u: CompilationUnit) -> None:
    for function in u.all_functions:
        lower_printf(function)


def _infer_address_spaces(u: CompilationUnit) -> int:
    def is_builtin(symbol: str) -> bool:
        return catalogue().find_symbol(symbol) is not None

    inferred = sum(infer_address_spaces(f, is_builtin, u.remarks) for f in u.all_functions)
    for function in [f for f in u.module.functions if f.is_declaration and not f.users] if inferred else ():
        u.module.remove(function)
    return inferred


def _unroll_array_loops(u: CompilationUnit) -> bool:
    u.has_marked_loops = sum(unroll_array_loops(f, u.remarks) for f in u.all_functions) > 0
    return u.has_marked_loops


def _guard_divisions(u: CompilationUnit) -> int:
    return sum(guard_divisions(f, u.remarks) for f in u.all_functions)


def _derive_local_ids(u: CompilationUnit) -> None:
    derive_local_ids(u.function, u.form.local_size or SINGLE_ITEM)


def _sub_groups_to_lanes(u: CompilationUnit) -> None:
    size, local_size = u.rows_of_sub_groups, u.form.local_size
    if not u.sub_group_size:
        return
    if isinstance(size, Reason):
        raise WeftError(f"sub-groups cannot be SIMD lanes: {size}")
    assert local_size is not None
    sub_groups_to_lanes(u.function, size, local_size, u.remarks)
    u.sub_group_size, u.sub_group_lanes = 0, size


def _lower_sub_group_functions(u: CompilationUnit) -> None:
    why = u.rows_of_sub_groups
    if isinstance(why, Reason):
        u.remarks.missed(SubGroups.IN_MEMORY, why=why)
    lower_sub_group_functions(u.function, u.sub_group_size)


def _promote_to_registers(u: CompilationUnit) -> Promoted:
    disjoint = u.disjoint
    places = {a: p.offset for a, p in placements(u.function).items() if p.kind == "value"}
    promoted = promote_to_registers(
        u.function, {a: disjoint[at] for a, at in places.items() if at in disjoint}, u.remarks
    )
    u.requires_noalias |= promoted.requires_noalias
    return promoted


def _group_order(u: CompilationUnit) -> None:
    u.block = group_order(u.function, u.form.extents, u.target.costs, u.remarks)


def _split_vectors(u: CompilationUnit) -> int:
    return split_vectors(u.function, u.divergence, widen, u.target, remarks=u.remarks, webs=u.inlines_images)


def _unroll_and_jam(u: CompilationUnit) -> bool:
    lanes = _innermost(u)
    along = 0 if lanes == 1 else 1
    size = u.form.extents[along] if u.form.extents is not None else None
    if size is None or size % ROWS_AT_ONCE:
        return False
    if not unroll_and_jam(u.function, along, ROWS_AT_ONCE, lanes, u.remarks):
        return False
    u.jammed = (ROWS_AT_ONCE, 1, 1) if along == 0 else (1, ROWS_AT_ONCE, 1)
    return True


def _interchange_inner_loops(u: CompilationUnit) -> list[Any]:
    always = u.options.method == "horizontal"
    return interchange_inner_loops(u.function, u.divergence, u.target.costs, always, u.remarks)


def _merge_tails(u: CompilationUnit) -> Any:
    u.divergence = merge_tails(u.function, u.divergence, u.limits.short_tail, u.remarks)
    return u.divergence


def _merge_barriers(u: CompilationUnit) -> Any:
    u.divergence = merge_barriers(u.function, u.divergence, u.limits.small_regions, u.remarks)
    return u.divergence


def _describe_kernel(u: CompilationUnit) -> None:
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


def _work_group_function(u: CompilationUnit) -> tuple[Function, ContextLayout]:
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
    # Tiles are long in the dimension of lanes.
    least = MIN_LANES if u.form.tile is None else 2 * MIN_LANES
    if extents is None or all(size is not None and size < least for size in extents[1:]):
        return 0
    shape = shapes(u.function, u.form.largest, u.form.wide)
    return innermost_dimension(u.function, shape, extents, least, u.target.costs)


def _lanes(u: CompilationUnit) -> int:
    """Return the most work-items in SIMD lanes at a time, two registers full; 1 if they run serially."""
    in_lanes = for_optimized_tier(u) and for_simd_lanes(u) and u.form.worth_vectorizing
    return 2 * u.lanes if in_lanes else 1


def _private_arrays_by_lane(u: CompilationUnit) -> Any:
    u.arrays_by_lane = private_arrays_by_lane(
        u.function, u.options.lanes or max(u.lanes, u.sub_group_lanes), u.remarks
    )
    return u.arrays_by_lane


def _vectorize_work_items(u: CompilationUnit) -> "list[Outcome]":
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


def _strip_mine_rows(u: CompilationUnit) -> "StripMinedRows":
    strip_mined = strip_mine_rows(u.function, u.disjoint, 4 * u.lanes, u.remarks)
    u.requires_noalias |= strip_mined.requires_noalias
    return strip_mined


def _add_alias_scopes(u: CompilationUnit) -> bool:
    requires_noalias = add_alias_scopes(u.function, u.disjoint, u.remarks)
    u.requires_noalias |= requires_noalias
    return requires_noalias


def _yield_in_loops(u: CompilationUnit) -> int:
    return yield_in_functions(u.built_together) if u.built_together else yield_in_loops(u.function)


# ---- The lists

_WHOLE: dict[str, Any] = {"requires": (WHOLE_GROUP,), "establishes": (WHOLE_GROUP,)}

_LOWER_PRINTF = Pass(
    "lower-printf",
    "lowers printf arguments to scalars with type descriptions",
    _lower_printf,
)
_KEEP_CALLS = Pass(
    "keep-calls",
    "marks library calls beyond the inlining budget noinline",
    lambda u: keep_calls(u.all_functions, u.builtin_sizes, u.limits.inlined, u.remarks),
    when=for_optimized_tier,
)
_GUARD_DIVISIONS = Pass(
    "guard-divisions",
    "makes integer divisions by zero and overflowing divisions harmless",
    _guard_divisions,
)
_YIELD_IN_LOOPS = Pass(
    "yield-in-loops",
    "lets other sub-groups run while one waits in a loop",
    _yield_in_loops,
    when=with_independent_sub_groups,
)

# Passes over functions that are not inlined, run when a program is built.
FUNCTION_PASSES = (
    _LOWER_PRINTF,
    Pass(
        "ids-to-arguments",
        "passes ids as arguments to functions that use them",
        lambda u: ids_to_arguments(separate_functions(u.module), _kernels(u.module)),
    ),
    _KEEP_CALLS,
    _GUARD_DIVISIONS,
    _YIELD_IN_LOOPS,
    Pass(
        "export-functions",
        "gives functions that are not inlined external linkage, for kernels in other modules",
        lambda u: export_functions(u.module, separate_functions(u.module)),
    ),
)

# Passes over kernels and functions, run when a program is built.
BUILD_PASSES = (
    Pass(
        "infer-address-spaces",
        "infers the address spaces of generic pointers",
        _infer_address_spaces,
        concerns=has_generic_pointers,
    ),
    Pass(
        "unroll-array-loops",
        "marks short loops for unrolling if that keeps a private array in registers",
        _unroll_array_loops,
        concerns=has_private_arrays,
    ),
)

# Passes that run when a kernel is compiled for a launch form.
LAUNCH_PASSES = (
    _LOWER_PRINTF,
    Pass(
        "specialize-image-formats",
        "replaces image functions by variants for known formats and samplers",
        lambda u: specialize_image_formats(u.function, u.form.known, specialized_symbol, u.remarks),
    ),
    Pass(
        "inline-image-functions",
        "inlines image functions for known formats, so that they are vectorized",
        inline_image_functions,
        when=if_lanes_read_images,
    ),
    Pass(
        "derive-local-ids",
        "derives local and group ids from global ids, so that a call can run work-items of many groups",
        _derive_local_ids,
        when=for_tiles_of_groups,
    ),
    Pass(
        "lower-group-functions",
        "lowers work-group copies, waits and collectives to code between barriers",
        lambda u: lower_group_functions(u.function),
        establishes=(LOWERED_GROUP_FUNCTIONS,),
    ),
    Pass(
        "sub-groups-to-lanes",
        "lowers sub-group functions to operations across SIMD lanes",
        _sub_groups_to_lanes,
        when=with_sub_groups_in_lanes,
    ),
    Pass(
        "lower-sub-group-functions",
        "lowers sub-group functions to code between sub-group barriers",
        _lower_sub_group_functions,
        when=with_sub_groups,
    ),
    Pass(
        "remove-repeated-barriers",
        "removes barriers that follow another one without a memory access in between",
        lambda u: remove_repeated_barriers(u.function, u.remarks),
    ),
    Pass(
        "index-private-arrays",
        "replaces pointers chosen among elements of private arrays by numbers of elements",
        lambda u: index_private_arrays(u.function, lambda: u.divergence, u.remarks),
        when=for_optimized_tier,
    ),
    Pass(
        "promote-to-registers",
        "promotes loop-invariant memory locations to registers in the kernel's loops",
        _promote_to_registers,
        when=unless_optimization_is_off,
        requires=(LCSSA,),
        establishes=(LCSSA,),
    ),
    Pass(
        "isolate-barriers",
        "moves each barrier to its own block",
        lambda u: isolate_barriers(u.function),
        establishes=(ISOLATED_BARRIERS,),
    ),
    Pass(
        "locals-to-arguments",
        "turns automatic local variables into parameters",
        lambda u: locals_to_arguments(u.function),
        establishes=(LOCALS_AS_ARGUMENTS,),
    ),
    Pass(
        "group-order",
        "finds the order of work-groups with the best cache reuse",
        _group_order,
        when=for_optimized_tier,
        analysis=True,
    ),
    Pass(
        "split-private-vectors",
        "splits accesses to private arrays of vectors into components, so that lanes can have columns",
        lambda u: split_private_vectors(u.function, u.target, u.remarks),
        when=with_enough_work_items,
    ),
    Pass(
        "split-vectors",
        "splits varying vectors into their components where profitable",
        _split_vectors,
        when=with_enough_work_items,
    ),
    Pass(
        "split-pointer-inductions",
        "splits pointers that loops with barriers advance into a start and an offset that is kept once",
        lambda u: split_pointer_inductions(u.function, u.divergence, u.remarks),
        when=for_optimized_tier,
        requires=(LCSSA,),
        establishes=(LCSSA,),
    ),
    Pass(
        "unroll-and-jam",
        "runs several rows of work-items at once where they load the same data",
        _unroll_and_jam,
        when=for_tiles_in_lanes,
        requires=(LCSSA,),
        establishes=(LCSSA,),
    ),
    Pass(
        "interchange-inner-loops",
        "interchanges inner loops with the work-item loop where profitable, by adding barriers",
        _interchange_inner_loops,
        when=if_loops_may_be_interchanged,
        requires=(LCSSA, ISOLATED_BARRIERS),
        establishes=(ISOLATED_BARRIERS,),
        preserves=True,
    ),
    Pass(
        "place-implicit-barriers",
        "adds barriers at the entry, the exits and deciding branches",
        lambda u: place_implicit_barriers(u.function, u.divergence),
        requires=(ISOLATED_BARRIERS,),
        establishes=(ISOLATED_BARRIERS, IMPLICIT_BARRIERS),
        preserves=True,
    ),
    Pass(
        "merge-tails",
        "adds a barrier before a long tail that several barriers lead to",
        _merge_tails,
        requires=(ISOLATED_BARRIERS, IMPLICIT_BARRIERS),
        establishes=(ISOLATED_BARRIERS, IMPLICIT_BARRIERS),
        preserves=True,
    ),
    Pass(
        "merge-barriers",
        "merges barriers whose tails would be replicated too often",
        _merge_barriers,
        when=without_sub_groups,
        requires=(ISOLATED_BARRIERS, IMPLICIT_BARRIERS),
        establishes=(ISOLATED_BARRIERS, IMPLICIT_BARRIERS),
        preserves=True,
    ),
    Pass(
        "describe-kernel",
        "reports the results of analyses as remarks and numbers the memory accesses",
        _describe_kernel,
        when=if_remarks_are_collected,
        requires=(ISOLATED_BARRIERS, LOCALS_AS_ARGUMENTS, IMPLICIT_BARRIERS),
        analysis=True,
    ),
    Pass(
        "work-group-function",
        "adds the work-group function, with work-item loops for each parallel region",
        _work_group_function,
        requires=(ISOLATED_BARRIERS, LOCALS_AS_ARGUMENTS, IMPLICIT_BARRIERS),
        establishes=(WHOLE_GROUP,),
    ),
    Pass(
        "keep-only",
        "removes all other functions and their dependencies",
        lambda u: keep_only(u.module, u.function),
        **_WHOLE,
    ),
    Pass(
        "hoist-descriptors",
        "hoists loads of image descriptors out of the work-item loops",
        lambda u: hoist_descriptors(u.function, u.remarks),
        when=if_lanes_read_images,
        **_WHOLE,
    ),
    Pass(
        "drop-masks",
        "removes redundant bit masks, so that ids stay linear",
        lambda u: drop_masks(u.function, u.remarks),
        when=not_for_plain_loops,
        **_WHOLE,
    ),
    Pass(
        "bounds-from-guards",
        "turns guards on ids into bounds of the work-item loops",
        lambda u: bounds_from_guards(u.function, u.remarks),
        when=not_for_plain_loops,
        **_WHOLE,
    ),
    Pass(
        "narrow-integers",
        "narrows 32-bit arithmetic in loops to 16 bits where that suffices",
        lambda u: narrow_integers(u.function, u.remarks),
        when=for_simd_lanes,
        **_WHOLE,
    ),
    Pass(
        "rematerialize-at-loop-exit",
        "rematerializes loop-invariant values at loop exits",
        lambda u: rematerialize_at_loop_exit(u.function, u.remarks),
        when=for_simd_lanes,
        **_WHOLE,
    ),
    Pass(
        "private-arrays-by-lane",
        "gives private arrays a column for each SIMD lane",
        _private_arrays_by_lane,
        when=for_simd_lanes,
        **_WHOLE,
    ),
    Pass(
        "vectorize-work-items",
        "vectorizes work-item loops, one work-item per SIMD lane, where profitable",
        _vectorize_work_items,
        when=for_simd_lanes,
        **_WHOLE,
    ),
    Pass(
        "transpose-rows",
        "replaces gathers along rows by loads of whole rows and transpositions",
        lambda u: transpose_rows(u.function, u.remarks),
        when=for_simd_lanes,
        **_WHOLE,
    ),
    Pass(
        "strip-mine-rows",
        "strip-mines loops along rows: accesses pieces of rows as vectors and transposes them",
        _strip_mine_rows,
        when=for_simd_lanes,
        **_WHOLE,
    ),
    Pass(
        "fuse-sincos",
        "fuses sin and cos of the same argument into sincos, remainder and quotient into remquo",
        lambda u: fuse_sincos(u.function, u.remarks),
        when=for_simd_lanes,
    ),
    Pass(
        "add-alias-scopes",
        "adds alias scopes for accesses through different arguments",
        _add_alias_scopes,
        when=if_llvm_optimizes,
        **_WHOLE,
    ),
    _GUARD_DIVISIONS,
    Pass(
        "order-accesses",
        "keeps LLVM from reordering a work-item's accesses to the same memory",
        lambda u: order_accesses(u.function, u.remarks),
        when=for_optimized_tier,
        **_WHOLE,
    ),
    _KEEP_CALLS,
    Pass(
        "if-convert-stores",
        "if-converts stores on loaded conditions in scalar loops",
        lambda u: if_convert_stores(u.function, u.remarks),
        when=if_weft_vectorizes_and_llvm_optimizes,
        **_WHOLE,
    ),
    Pass(
        "disable-inner-loop-vectorization",
        "disables LLVM's loop vectorizer for the kernel's own loops",
        lambda u: disable_inner_loop_vectorization(u.function, u.remarks),
        when=if_weft_vectorizes,
        **_WHOLE,
    ),
    _YIELD_IN_LOOPS,
)

PASSES = {p.name: p for p in (*FUNCTION_PASSES, *BUILD_PASSES, *LAUNCH_PASSES)}
