"""Conditions under which passes run, for the list of passes (`passes.py`)."""

from collections.abc import Callable

from weft.analysis.work_items import BARRIERS
from weft.compiler.compilation_unit import CompilationUnit
from weft.launch_form import SINGLE_ITEM
from weft.lazy_pattern import lazy_pattern

Condition = Callable[[CompilationUnit], bool]
_ARRAY = " = alloca ["
_VECTOR_ARRAY = lazy_pattern(r" = alloca \[\d+ x <")
_CONSTANT_POWER = lazy_pattern(r"@_Z(?:3pow|4powr|4pown)\w*\([^%\n]*%[^%\n]*\)")


# ---- Conditions on a unit; `weft opt -p list` prints their docstrings after "runs"


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


def for_plain_loops_without_sub_groups(unit: CompilationUnit) -> bool:
    """in the baseline tier, and for WEFT_WORKGROUP=loops, for kernels without sub-groups"""
    return not not_for_plain_loops(unit) and without_sub_groups(unit)


def with_enough_work_items(unit: CompilationUnit) -> bool:
    """unless WEFT_WORKGROUP=loops, with enough work-items for SIMD lanes"""
    return not_for_plain_loops(unit) and unit.form.worth_vectorizing


def if_loops_may_be_interchanged(unit: CompilationUnit) -> bool:
    """for WEFT_WORKGROUP=auto or horizontal, with enough work-items for SIMD lanes"""
    if unit.blocked or unit.jammed != SINGLE_ITEM:
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


def has_constant_powers(text: str) -> bool:
    """modules with powers of one variable argument"""
    return _CONSTANT_POWER.search(text) is not None


def has_private_arrays(text: str) -> bool:
    """modules with private arrays of vectors, or with private arrays and barriers"""
    across_barriers = _ARRAY in text and any(f"@{name}" in text for name in BARRIERS)
    return across_barriers or _VECTOR_ARRAY.search(text) is not None
