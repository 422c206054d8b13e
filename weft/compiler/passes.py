"""The list of passes of the kernel compiler, in the order in which they run.

A pass changes the kernel of a compilation unit, later its work-group function. Its contract is the forms that
it requires and establishes (`weft/analysis/forms.py`); it preserves the others. `when` is the condition under
which it runs. Builds, launches in both tiers, `weft opt`, `weft explain` and the golden tests all run these
lists (`pipeline.py`).

A new pass is a function in `weft/transform/`, an entry here, and golden files (docs/write-a-pass.md). A pass
that needs more of the unit than its function has a function in `apply_passes.py`.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

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
from weft.builtins.images import specialized_symbol
from weft.compiler.apply_passes import (
    kernels_of,
    run_block_loops,
    run_derive_local_ids,
    run_describe_kernel,
    run_expand_powers,
    run_group_order,
    run_guard_divisions,
    run_infer_address_spaces,
    run_interchange_inner_loops,
    run_lower_printf,
    run_lower_sub_group_functions,
    run_merge_barriers,
    run_merge_tails,
    run_private_arrays_by_lane,
    run_promote_to_registers,
    run_split_vectors,
    run_strip_mine_rows,
    run_sub_groups_to_lanes,
    run_unroll_and_jam,
    run_unroll_array_loops,
    run_vectorize_work_items,
    run_work_group_function,
    run_yield_in_loops,
    separate_functions,
)
from weft.compiler.compilation_unit import CompilationUnit
from weft.compiler.pass_conditions import (
    Condition,
    always,
    for_optimized_tier,
    for_plain_loops_without_sub_groups,
    for_simd_lanes,
    for_tiles_in_lanes,
    for_tiles_of_groups,
    has_anything,
    has_constant_powers,
    has_generic_pointers,
    has_private_arrays,
    if_lanes_read_images,
    if_loops_may_be_interchanged,
    if_remarks_are_collected,
    if_weft_vectorizes,
    if_weft_vectorizes_and_llvm_optimizes,
    not_for_plain_loops,
    unless_optimization_is_off,
    with_enough_work_items,
    with_independent_sub_groups,
    with_sub_groups,
    with_sub_groups_in_lanes,
    without_sub_groups,
)
from weft.dataclasses import dataclass
from weft.deferred import deferred
from weft.ir import Function
from weft.transform.canonical.ids_to_arguments import ids_to_arguments
from weft.transform.canonical.isolate_barriers import isolate_barriers
from weft.transform.canonical.remove_repeated_barriers import remove_repeated_barriers
from weft.transform.simd.fuse_sincos import fuse_sincos
from weft.transform.workgroup.export_functions import export_functions
from weft.transform.workgroup.keep_calls import keep_calls
from weft.transform.workgroup.keep_only import keep_only
from weft.transform.workgroup.locals_to_arguments import locals_to_arguments
from weft.transform.workgroup.lower_group_functions import lower_group_functions
from weft.transform.workgroup.place_implicit_barriers import place_implicit_barriers
from weft.transform.workgroup.separate_local_accesses import separate_local_accesses
from weft.transform.workgroup.specialize_image_formats import specialize_image_formats
from weft.transform.workgroup.split_pointer_inductions import split_pointer_inductions

# Passes that baseline code does not run.
if TYPE_CHECKING:
    from weft.compiler.inline_image_functions import inline_image_functions
    from weft.transform.canonical.index_private_arrays import index_private_arrays
    from weft.transform.canonical.split_initializers import split_initializers
    from weft.transform.simd.bounds_from_guards import bounds_from_guards
    from weft.transform.simd.drop_masks import drop_masks
    from weft.transform.simd.hoist_descriptors import hoist_descriptors
    from weft.transform.simd.if_convert_stores import if_convert_stores
    from weft.transform.simd.merge_reductions import merge_reductions
    from weft.transform.simd.narrow_integers import narrow_integers
    from weft.transform.simd.rematerialize_at_loop_exit import rematerialize_at_loop_exit
    from weft.transform.simd.split_private_vectors import split_private_vectors
    from weft.transform.simd.transpose_rows import transpose_rows
    from weft.transform.workgroup.disable_inner_loop_vectorization import disable_inner_loop_vectorization
    from weft.transform.workgroup.order_accesses import order_accesses
else:
    inline_image_functions = deferred("weft.compiler.inline_image_functions")
    index_private_arrays = deferred("weft.transform.canonical.index_private_arrays")
    split_initializers = deferred("weft.transform.canonical.split_initializers")
    bounds_from_guards = deferred("weft.transform.simd.bounds_from_guards")
    drop_masks = deferred("weft.transform.simd.drop_masks")
    hoist_descriptors = deferred("weft.transform.simd.hoist_descriptors")
    if_convert_stores = deferred("weft.transform.simd.if_convert_stores")
    merge_reductions = deferred("weft.transform.simd.merge_reductions")
    narrow_integers = deferred("weft.transform.simd.narrow_integers")
    rematerialize_at_loop_exit = deferred("weft.transform.simd.rematerialize_at_loop_exit")
    split_private_vectors = deferred("weft.transform.simd.split_private_vectors")
    transpose_rows = deferred("weft.transform.simd.transpose_rows")
    disable_inner_loop_vectorization = deferred("weft.transform.workgroup.disable_inner_loop_vectorization")
    order_accesses = deferred("weft.transform.workgroup.order_accesses")


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


_WHOLE: dict[str, Any] = {"requires": (WHOLE_GROUP,), "establishes": (WHOLE_GROUP,)}

_LOWER_PRINTF = Pass(
    "lower-printf",
    "lowers printf arguments to scalars with type descriptions",
    run_lower_printf,
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
    run_guard_divisions,
)

_YIELD_IN_LOOPS = Pass(
    "yield-in-loops",
    "lets other sub-groups run while one waits in a loop",
    run_yield_in_loops,
    when=with_independent_sub_groups,
)

# Passes over functions that are not inlined, run when a program is built.
FUNCTION_PASSES = (
    _LOWER_PRINTF,
    Pass(
        "ids-to-arguments",
        "passes ids as arguments to functions that use them",
        lambda u: ids_to_arguments(separate_functions(u.module), kernels_of(u.module)),
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
        "expand-powers",
        "expands powers with small constant exponents into multiplications",
        run_expand_powers,
        concerns=has_constant_powers,
    ),
    Pass(
        "infer-address-spaces",
        "infers the address spaces of generic pointers",
        run_infer_address_spaces,
        concerns=has_generic_pointers,
    ),
    Pass(
        "unroll-array-loops",
        "marks short loops for unrolling if that keeps a private array in registers",
        run_unroll_array_loops,
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
        run_derive_local_ids,
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
        run_sub_groups_to_lanes,
        when=with_sub_groups_in_lanes,
    ),
    Pass(
        "lower-sub-group-functions",
        "lowers sub-group functions to code between sub-group barriers",
        run_lower_sub_group_functions,
        when=with_sub_groups,
    ),
    Pass(
        "remove-repeated-barriers",
        "removes barriers that follow another one without a memory access in between",
        lambda u: remove_repeated_barriers(u.function, u.remarks),
    ),
    Pass(
        "split-initializers",
        "splits stores of constants to several elements of private arrays into stores of the elements",
        lambda u: split_initializers(u.function, u.remarks),
        when=for_optimized_tier,
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
        run_promote_to_registers,
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
        "separate-local-accesses",
        "adds barriers before work-items read local memory that others have stored to",
        lambda u: separate_local_accesses(u.function, u.remarks),
        when=for_plain_loops_without_sub_groups,
        requires=(ISOLATED_BARRIERS,),
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
        run_group_order,
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
        run_split_vectors,
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
        "unrolls the loop over rows of work-items and jams rows that load the same data",
        run_unroll_and_jam,
        when=for_tiles_in_lanes,
        requires=(LCSSA,),
        establishes=(LCSSA,),
    ),
    Pass(
        "block-loops",
        "runs loops over shared columns in strips, over all work-items of a tile",
        run_block_loops,
        when=for_tiles_in_lanes,
        requires=(LCSSA, ISOLATED_BARRIERS),
        establishes=(ISOLATED_BARRIERS,),
    ),
    Pass(
        "interchange-inner-loops",
        "interchanges inner loops with the work-item loop where profitable, by adding barriers",
        run_interchange_inner_loops,
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
        run_merge_tails,
        requires=(ISOLATED_BARRIERS, IMPLICIT_BARRIERS),
        establishes=(ISOLATED_BARRIERS, IMPLICIT_BARRIERS),
        preserves=True,
    ),
    Pass(
        "merge-barriers",
        "merges barriers whose tails would be replicated too often",
        run_merge_barriers,
        when=without_sub_groups,
        requires=(ISOLATED_BARRIERS, IMPLICIT_BARRIERS),
        establishes=(ISOLATED_BARRIERS, IMPLICIT_BARRIERS),
        preserves=True,
    ),
    Pass(
        "describe-kernel",
        "reports the results of analyses as remarks and numbers the memory accesses",
        run_describe_kernel,
        when=if_remarks_are_collected,
        requires=(ISOLATED_BARRIERS, LOCALS_AS_ARGUMENTS, IMPLICIT_BARRIERS),
        analysis=True,
    ),
    Pass(
        "work-group-function",
        "adds the work-group function, with work-item loops for each parallel region",
        run_work_group_function,
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
        run_private_arrays_by_lane,
        when=for_simd_lanes,
        **_WHOLE,
    ),
    Pass(
        "vectorize-work-items",
        "vectorizes work-item loops, one work-item per SIMD lane, where profitable",
        run_vectorize_work_items,
        when=for_simd_lanes,
        **_WHOLE,
    ),
    Pass(
        "merge-reductions",
        "emits reductions across lanes, those of several sub-groups at once",
        lambda u: merge_reductions(u.function, u.target, u.remarks),
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
        run_strip_mine_rows,
        when=for_simd_lanes,
        **_WHOLE,
    ),
    Pass(
        "fuse-sincos",
        "fuses sin and cos of the same argument into sincos, remainder and quotient into remquo",
        lambda u: fuse_sincos(u.function, u.remarks),
        when=for_simd_lanes,
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
