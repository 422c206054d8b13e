"""Compile a kernel to a program of a transport-triggered machine, for a local size.

The kernel compiler generates the work-group function as for every other target: parallel regions in work-item
loops, inner loops interchanged with them if requested. It stops before SIMD vectorization. Then:

1. `unroll`: several work-items run in one iteration of their loop.
2. LLVM's scalar optimizer, without vectorizer and unroller. Context arrays are private memory now: those
   whose work-item loops are fully unrolled become registers.
3. `soften`: functions in place of operations that the machine does not support.
4. `lower`: 32-bit operations. `if_convert`: guards instead of short branches.
5. `overlap`: software pipelining where it is faster. For each version that it tries: `allocate`, `pressure`:
   registers for values that live across blocks, and spilling within a block; `schedule`: moves.
"""

from weft import ir
from weft.abi import SMALL_IDS, work_group_symbol
from weft.codegen.optimise import optimise_scalar
from weft.compiler.compilation_unit import CompilationUnit
from weft.compiler.passes import LAUNCH_PASSES
from weft.compiler.pipeline import Contracts, run_pipeline
from weft.dataclasses import dataclass, replace
from weft.ir import Function, Instruction, Module
from weft.ir.types import I8, ArrayType, align_up
from weft.kernel import CodeOptions, KernelCode, LocalSize
from weft.launch_form import LaunchForm
from weft.lazy_pattern import lazy_pattern
from weft.target import Target, x86
from weft.trace import Trace
from weft.transform.workgroup.context_arrays import capacity
from weft.transform.workgroup.guard_divisions import guard_divisions

from .clean import clean
from .code import Code
from .errors import Refused
from .if_convert import if_convert
from .lower import lower
from .lower_values import MemoryMap
from .machine import Machine
from .memory_map import ARGUMENTS, GROUPS, LAUNCH, LOCAL, STACK
from .overlap import overlap_loops, schedule_code
from .pipeline import Pipelined
from .program import Program
from .share import share
from .soften import soft_library, soften
from .unroll import Unrolled, unroll_work_items

# Name of the last pass that runs before SIMD vectorization.
# Loop metadata that replaces hints of the kernel.
_LOOP_HINTS = {
    "unroll": '!{!"llvm.loop.unroll.disable"}',
    "vectorize": '!{!"llvm.loop.vectorize.enable", i1 false}',
    "interleave": '!{!"llvm.loop.vectorize.enable", i1 false}',
    "distribute": '!{!"llvm.loop.distribute.enable", i1 false}',
}
_CLOCK = lazy_pattern(r"_Z\d+clock_read_")
_LAST = "drop-masks"
# Default limits on unrolling: work-items in one iteration, and LLVM instructions in the unrolled block.
MOST_ITEMS = 64
MOST_INSTRUCTIONS = 4000
# Estimated instructions for an operation that the machine has no unit for. More than MOST_SOFT such
# operations take too long to schedule.
SOFT_INSTRUCTIONS = 160
MOST_SOFT = 32


@dataclass(frozen=True)
class TtaOptions:
    """Options of the compilation. `horizontal`: interchange inner loops with work-item loops."""

    horizontal: bool = True
    items: int = MOST_ITEMS
    instructions: int = MOST_INSTRUCTIONS
    guards: bool = True
    pipeline: bool = True
    """Software-pipeline loops where that is faster."""
    id_bits: int = SMALL_IDS
    """The bits of global ids, one of `abi.ID_BITS`."""


DEFAULT = TtaOptions()


@dataclass(frozen=True)
class TtaKernel:
    """A compiled kernel: the program, its constants in memory, and the first address for buffers."""

    name: str
    local_size: LocalSize
    program: Program
    data: dict[int, bytes]
    heap: int
    loops: tuple[Unrolled, ...]
    converted: int
    """Branches that were if-converted."""
    spilled: int
    """Bytes of spilled values."""
    code: Code
    pipelined: tuple[Pipelined, ...] = ()
    id_bits: int = SMALL_IDS
    softened: int = 0
    """Operations that no machine has a unit for and that became calls."""


def scalar_target() -> Target:
    """Return the target for the passes before the back end: no vectors, no fused operations."""
    return replace(x86.describe("x86-64"), register_bits=32)


def _words_are_native(target: Target) -> Target:
    """Return the target with words as its largest native integers, so that LLVM widens no integers."""
    return replace(target, data_layout=target.data_layout.replace("-n8:16:32:64", "-n8:16:32"))


def compile_kernel(
    kernel: KernelCode,
    options: CodeOptions,
    local_size: LocalSize,
    machine: Machine,
    how: TtaOptions = DEFAULT,
) -> TtaKernel:
    """Compile a kernel for a machine; raise Refused if the machine lacks what the kernel needs."""
    function, loops, softened = _work_group_function(kernel, options, local_size, machine, how)
    code, data = lower(function, machine, MemoryMap(LAUNCH, ARGUMENTS, LOCAL, GROUPS, STACK))
    clean(code)
    converted = if_convert(code) if how.guards else 0
    share(code)
    clean(code)
    scheduled = overlap_loops(code, machine) if how.pipeline else schedule_code(code, machine)
    program, code = scheduled.program, scheduled.code
    heap = align_up(code.spill_base + code.spilled, 128)
    if heap >= machine.memory_bytes:
        raise Refused(
            f"the machine {machine.name} has too little memory for the private memory of {kernel.info.name}"
        )
    return TtaKernel(
        kernel.info.name,
        local_size,
        program,
        data,
        heap,
        tuple(loops),
        converted,
        code.spilled,
        code,
        scheduled.pipelined,
        how.id_bits,
        softened,
    )


def _work_group_function(
    kernel: KernelCode, options: CodeOptions, local_size: LocalSize, machine: Machine, how: TtaOptions
) -> tuple[Function, list[Unrolled], int]:
    """Return the work-group function after LLVM's optimizer, with unsupported operations replaced; its
    work-item loops; and the number of replaced operations."""
    target = _words_are_native(scalar_target())
    symbol = work_group_symbol(kernel.info.name)
    while True:
        modules, loops = _work_group_ir(kernel, options, local_size, how)
        text = optimise_scalar(modules, target, [symbol])
        function = ir.parse(text).function(symbol)
        calls = soften(function)
        if calls > MOST_SOFT * how.items:
            raise Refused(
                f"the machine {machine.name} cannot compute with more than {MOST_SOFT} operations "
                "that it has no units for"
            )
        if calls * SOFT_INSTRUCTIONS <= how.instructions or how.items == 1:
            break
        how = replace(how, items=max(how.items * how.instructions // (calls * SOFT_INSTRUCTIONS), 1))
    if calls:
        assert function.module is not None
        text = optimise_scalar([ir.print_module(function.module), soft_library(target)], target, [symbol])
        function = ir.parse(text).function(symbol)
    return function, loops, calls


def _work_group_ir(
    kernel: KernelCode, options: CodeOptions, local_size: LocalSize, how: TtaOptions
) -> tuple[list[str], list[Unrolled]]:
    """Return the work-group function and the library that it calls, before LLVM's optimizer."""
    target = scalar_target()
    method = "horizontal" if how.horizontal else "loops"
    options = replace(options, level=2, method=method, lanes=0, proofs=False, unroll=0, progress=False)
    options = replace(options, profile=False)
    form = LaunchForm(local_size, how.id_bits)
    unit = CompilationUnit.of_kernel(kernel, options, form, target)
    if kernel.traits.may_wait and form.may_exceed(kernel.sub_group_size):
        raise Refused("the machine does not support sub-groups that wait for one another")
    if unit.functions:
        raise Refused("the machine does not support calls of functions that are not inlined")
    if any(_CLOCK.match(name) for name in unit.module.globals):
        raise Refused("the machine has no clock")
    # Loops of few work-items are interchanged too.
    names = [p.name for p in LAUNCH_PASSES]
    run_pipeline(
        unit,
        Trace.from_settings(kernel.info.name, Contracts(kernel.info.name)),
        LAUNCH_PASSES[: names.index(_LAST) + 1],
    )
    assert unit.layout is not None
    x, y, z = local_size
    context = unit.layout.item_bytes * capacity(x * y * z) + unit.layout.group_bytes
    _context_to_private(unit.function, context)
    loops = unroll_work_items(unit.function, how.items, how.instructions)
    # A division by zero does not trap on the machine, but LLVM infers from a division that the divisor is not
    # zero.
    guard_divisions(unit.function)
    _ignore_loop_hints(unit.module)
    narrow = _words_are_native(target)
    modules = [ir.print_module(unit.module), *unit.library]
    return [text.replace(target.data_layout, narrow.data_layout) for text in modules], loops


def _ignore_loop_hints(module: Module) -> None:
    """Keep LLVM from unrolling, vectorizing and distributing loops of the kernel, even if the source has
    hints.

    Accesses are tagged by work-item within a region, but not by iterations of a loop around a region and a
    barrier. Such iterations must stay in different blocks, or in the sequence that `pipeline.py` knows of.
    The machine has no vectors, and LLVM's run-time checks for loop distribution may be wrong
    (`codegen/wrap_tests.py`).
    """
    for number, text in module.metadata.items():
        for hint, disabled in _LOOP_HINTS.items():
            if f'!"llvm.loop.{hint}.' in text:
                module.metadata[number] = disabled


def _context_to_private(function: Function, size: int) -> None:
    """Replace the context arena by private memory, so that LLVM may turn it into values."""
    context = function.arguments[3]
    if not context.users:
        return
    type = ArrayType(I8, max(size, 1))
    memory = Instruction(
        "alloca", context.type, [], "context.memory", attributes={"allocated": type, "align": 128}
    )
    function.entry.insert(0, memory)
    context.replace_all_uses_with(memory)
