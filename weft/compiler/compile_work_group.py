"""Compile a kernel to object code for a launch form: the pipeline, then LLVM."""

from typing import TYPE_CHECKING

from weft import abi, ir
from weft.abi import baseline_symbol, loop_records_symbol, tier_state_symbol, work_group_symbol
from weft.codegen.backend import Backend, prepare
from weft.codegen.host import host_target
from weft.codegen.optimise import emit_object
from weft.codegen.tier_entry import tier_entry
from weft.compiler.compilation_unit import CompilationUnit
from weft.compiler.pipeline import Contracts, passes_after, run_pipeline
from weft.dataclasses import dataclass
from weft.errors import ToolError
from weft.garbage import rare_collections
from weft.kernel import CodeOptions, KernelCode
from weft.launch_form import LaunchForm
from weft.remarks import SILENT, Remarks
from weft.target import Target
from weft.trace import Trace

if TYPE_CHECKING:
    from weft.transform.simd.loop_records import RecordedLoop


@dataclass(frozen=True)
class CompiledWorkGroup:
    """Object code with a kernel's work-group function, and the context arena's bytes per item and group.

    `loops` describes the loop records in the object code. `requires_noalias`: the code must not run with
    buffers that overlap. `block` is the best order of groups (`analysis/group_order.py`). `baseline`:
    optimized code should follow (`tier_entry.py`).
    """

    object_code: bytes
    item_bytes: int
    group_bytes: int
    loops: "tuple[RecordedLoop, ...]" = ()
    requires_noalias: bool = False
    block: abi.GroupBlock | None = None
    baseline: bool = False


@rare_collections()
def compile_work_group(
    kernel: KernelCode,
    options: CodeOptions,
    form: LaunchForm,
    *,
    trace: Trace | None = None,
    remarks: Remarks = SILENT,
    target: Target | None = None,
    only_in_lanes: bool = False,
) -> CompiledWorkGroup:
    """Compile a kernel to object code for a launch form and a target (None: the host).

    `only_in_lanes`: return empty code if no work-item loop of optimized code runs in SIMD lanes.
    """
    name, target = kernel.info.name, target or host_target()
    trace = trace or Trace.from_settings(name, Contracts(name))
    unit = CompilationUnit.of_kernel(kernel, options, form, target, remarks)
    trace.step("canonical", lambda: unit.module)
    with prepare(target, unit.options.level, unit.options.baseline) as backend:
        run_pipeline(unit, trace)
        useless = only_in_lanes and not options.baseline and all(o.width == 1 for o in unit.outcomes)
        code = b"" if useless else _emit(unit, trace, backend)
    assert unit.layout is not None
    # Overlapping buffers matter only to code that relies on their absence, of a kernel that has several.
    requires_noalias = (
        unit.requires_noalias and form.noalias and sum(not r for r in unit.restricted.values()) > 1
    )
    sizes = unit.layout.item_bytes, unit.layout.group_bytes
    return CompiledWorkGroup(code, *sizes, unit.loops, requires_noalias, unit.block, unit.options.baseline)


def _emit(unit: CompilationUnit, trace: Trace, backend: Backend | None) -> bytes:
    """Emit the object code of a unit."""
    target, level = unit.target, unit.options.level
    if unit.options.baseline:
        modules = [ir.print_module(unit.module), tier_entry(unit.kernel, target), *unit.functions]
        exported = [baseline_symbol(unit.kernel), tier_state_symbol(unit.kernel)]
        return emit_object([*modules, *unit.library], target, level, exported, backend=backend)
    exported = [work_group_symbol(unit.kernel)]
    _align_frame(unit)
    if unit.loops:
        exported.append(loop_records_symbol(unit.kernel))
    if unit.llvm_vectorizes:
        modules = [ir.print_module(unit.module), *unit.library]
        try:
            return emit_object(modules, target, level, exported, backend=backend)
        except ToolError:
            unit.llvm_failed = True
            run_pipeline(unit, trace, passes_after("keep-calls"))
    modules = [ir.print_module(unit.module), *unit.functions, *unit.library]
    return emit_object(modules, target, level, exported, backend=backend)


def _align_frame(unit: CompilationUnit) -> None:
    """Align the stack frame of a work-group function as the target wishes.

    LLVM spills vector registers to a frame with the alignment of the ABI. Without more, most accesses to
    spilled registers of 512 bits cross a cache line.
    """
    if unit.target.frame_alignment:
        function = unit.module.function(work_group_symbol(unit.kernel))
        function.suffix += (f"alignstack({unit.target.frame_alignment})",)
