"""The compiler: from OpenCL C to machine code that runs work-groups.

`compile_program` takes a program through the front end (clBuildProgram). `compile_work_group` is THE
pipeline: it takes one kernel to the work-group function for a local size (at the first launch with that
size). `weft/program.py` calls both when the cache has no answer.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from weft import abi, ir, settings
from weft.abi import first_tier_symbol, loop_records_symbol, tier_state_symbol, work_group_symbol
from weft.analysis.barrier_cfg import barrier_cfg
from weft.analysis.divergence import divergence
from weft.analysis.group_functions import group_function
from weft.analysis.group_order import group_order
from weft.analysis.kernel_variables import kernel_variables
from weft.analysis.loop_order import innermost_dimension
from weft.analysis.rough_divergence import rough_divergence
from weft.analysis.shapes import shapes
from weft.analysis.work_items import BARRIERS, WORK_ITEM_FUNCTIONS
from weft.argument_layout import argument_layouts
from weft.barrier_warnings import barrier_warnings
from weft.builtins.catalogue import catalogue
from weft.builtins.images import know_symbol, takes_image
from weft.builtins.library import BuiltinFlags, builtin_sizes, definitions, instructions, link_in, open_ones
from weft.builtins.sincos import sincos_definitions
from weft.builtins.widen import widen
from weft.codegen.backend import Backend, prepare
from weft.codegen.call_graph import CallGraph
from weft.codegen.host import host_target
from weft.codegen.join import join
from weft.codegen.optimise import emit_object
from weft.codegen.program_text import ProgramText
from weft.codegen.remove_tail_calls import remove_tail_calls
from weft.codegen.tier_entry import tier_entry
from weft.errors import BuildError, ToolError
from weft.frontend.compile import Translation, compile_source
from weft.frontend.metadata import KernelInfo, read_kernels
from weft.frontend.options import BuildOptions
from weft.functions import canonical_programs, kernel_and_functions, readable, refuse_recursion
from weft.ir.garbage import rare_collections
from weft.ir.kept import take
from weft.ir.loops import loop_forest
from weft.ir.parser import parse_type
from weft.ir.types import size_of
from weft.kernel import CodeOptions, KernelCode, LocalSize
from weft.kernel_traits import kernel_traits
from weft.target import Target
from weft.trace import Trace
from weft.transform.canonical.isolate_barriers import isolate_barriers
from weft.transform.passes import Contracts
from weft.transform.simd.drop_masks import drop_masks
from weft.transform.simd.guards_to_bounds import guards_to_bounds
from weft.transform.simd.lane_functions import LaneFunctions
from weft.transform.simd.loop_records import LoopRecords, RecordedLoop
from weft.transform.simd.narrow_integers import narrow_integers
from weft.transform.simd.pair_sines import pair_sines, pairs_of
from weft.transform.simd.part_buffers import part_buffers
from weft.transform.simd.recompute_behind_loops import recompute_behind_loops
from weft.transform.simd.split_vectors import split_vectors
from weft.transform.simd.store_aside import store_aside
from weft.transform.simd.transpose_rows import transpose_rows
from weft.transform.simd.vectorize_work_items import vectorize_work_items
from weft.transform.simd.walk_rows import walk_rows
from weft.transform.workgroup.forget_groups import forget_groups
from weft.transform.workgroup.gather_barriers import gather_barriers
from weft.transform.workgroup.guard_divisions import guard_divisions
from weft.transform.workgroup.interchange_inner_loops import interchange_inner_loops
from weft.transform.workgroup.keep_calls import keep_calls
from weft.transform.workgroup.keep_only import keep_only
from weft.transform.workgroup.know_images import Known, know_images
from weft.transform.workgroup.locals_to_arguments import local_layout, locals_to_arguments
from weft.transform.workgroup.lower_group_functions import lower_group_functions
from weft.transform.workgroup.lower_printf import PRINTF, RUNTIME, lower_printf
from weft.transform.workgroup.merge_tails import merge_tails
from weft.transform.workgroup.order_accesses import order_accesses
from weft.transform.workgroup.place_implicit_barriers import place_implicit_barriers
from weft.transform.workgroup.private_arrays_by_lane import by_item, private_arrays_by_lane
from weft.transform.workgroup.settle_inner_loops import settle_inner_loops
from weft.transform.workgroup.work_group_function import Placement, work_group_function
from weft.transform.workgroup.work_item_loops import LoopChoices

# Built-in functions that clang knows and Weft does not have.
_NOT_SUPPORTED = re.compile(
    r"(sub_group_|get_sub_group|get_max_sub_group|get_num_sub_groups|get_enqueued_num_sub_groups"
    r"|enqueue_|.*_pipe)"
)
_DECLARED = re.compile(r"\ndeclare [^@\n]*@(_Z\w+)\(")
_CALLED = re.compile(r"\bcall [^@\n]*@(_Z\w+)\(")
# Work-item loops shorter than this are not worth what it takes to vectorize them.
MIN_LANES = 4
# Work-groups of one work-item.
LONE = (1, 1, 1)


@dataclass(frozen=True)
class CompiledProgram:
    """A program up to the point where local sizes matter."""

    kernels: tuple[KernelCode, ...]
    log: str
    dependencies: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class CompiledWorkGroup:
    """Object code with a kernel's work-group function, and the context arena's bytes per item and group.

    `loops` says what the records of its loops are about, which the object code holds if there are any.
    `counts_on_apart`: it must not run with buffers that overlap. `block` is the order in which groups are
    best run (`analysis/group_order.py`). `first`: other code is to follow, in the way of `tier_entry.py`.
    """

    object_code: bytes
    item_bytes: int
    group_bytes: int
    loops: tuple[RecordedLoop, ...] = ()
    counts_on_apart: bool = False
    block: abi.GroupBlock | None = None
    first: bool = False


def compile_program(
    source: str, options: BuildOptions, *, debug_info: bool = False, target: Target | None = None
) -> CompiledProgram:
    """OpenCL C to the canonical IR of each kernel, on request with source lines.

    `target` is the processor that code is to be made for (None: the host).

    Raises BuildError with the log.
    """
    target = target or host_target()
    return finish_program(translate(source, options, debug_info, target), source, options, debug_info, target)


def translate(
    source: str, options: BuildOptions, debug_info: bool, target: Target | None = None
) -> Translation:
    """The first half of `compile_program`: what the front end makes of a program."""
    return compile_source(source, options, target or host_target(), debug_info=debug_info)


@rare_collections()
def finish_program(
    translation: Translation,
    source: str,
    options: BuildOptions,
    debug_info: bool,
    target: Target | None = None,
) -> CompiledProgram:
    """The second half of `compile_program`."""
    log = translation.log
    target = target or host_target()
    kernels = _kernels_of(translation.ir, translation.kernels, log, options, target)
    if not debug_info and not options.no_warnings:
        log += barrier_warnings(
            kernels, lambda: compile_program(source, options, debug_info=True, target=target).kernels
        )
    return CompiledProgram(kernels, log, translation.dependencies)


@rare_collections()
def link_program(modules: Sequence[str], options: BuildOptions) -> CompiledProgram:
    """What the front end made of several programs to the canonical IR of each kernel in them.

    Raises BuildError with the log.
    """
    try:
        ir = join(modules)
    except ToolError as error:
        raise BuildError(f"error: {error}\n") from None
    return CompiledProgram(_kernels_of(ir, read_kernels(ir), "", options, host_target()), "", ())


def _kernels_of(
    ir: str, infos: tuple[KernelInfo, ...], log: str, options: BuildOptions, target: Target
) -> tuple[KernelCode, ...]:
    ir = remove_tail_calls(ir, target)
    flags = builtin_flags(CodeOptions.of(options))
    declared = [symbol for symbol in _DECLARED.findall(ir) if not takes_image(symbol)]
    # The others are compiled at the launch, in the forms that it needs.
    opened = link_in(open_ones(declared), target, flags)
    parts = [*opened.modules, *sincos_definitions(ir)]
    sizes = partial(builtin_sizes, target=target, flags=flags)
    names = [info.name for info in infos]
    programs = canonical_programs(ir, names, parts, settings.get("WEFT_INLINE"), sizes, target)
    described = {
        kernel.info.name: kernel
        for text, names in programs
        for kernel in describe_kernels(text, tuple(info for info in infos if info.name in names))
    }
    kernels = tuple(described[info.name] for info in infos)
    _check_symbols(kernels, log)
    return kernels


def builtin_definitions(kernels: Sequence[KernelCode], options: CodeOptions) -> dict[str, str]:
    """All that kernels need of the library when they are launched; image functions for any format."""
    target = host_target()
    symbols = dict.fromkeys(s for kernel in kernels for s in kernel.builtins)
    # The vectorizer may choose fewer lanes than registers have, or take vectors apart.
    lanes = [n for n in (1, 4, 8, 16) if n <= target.lanes(32)]
    forms = (widen(symbol, n) for symbol in symbols for n in lanes)
    wanted = [*symbols, *(form for form in forms if form is not None)]
    wanted += pairs_of(frozenset(wanted))
    brought = {key: module for kernel in kernels for key, module in kernel.brought}
    return definitions(wanted, target, builtin_flags(options), brought)


@rare_collections()
def compile_work_group(
    kernel: KernelCode,
    options: CodeOptions,
    local_size: LocalSize | None,
    wide: bool = False,
    trace: Trace | None = None,
    known: Sequence[Known] = (),
    tile: abi.Extents | None = None,
    apart: bool = False,
    target: Target | None = None,
    only_in_lanes: bool = False,
) -> CompiledWorkGroup:
    """One kernel to object code for work-groups of a local size (None: any), for a target (None: the host).

    `known` has what is known of each argument that is an image or a sampler. With a `tile` a call runs so
    many work-items, whatever groups they belong to. They must share nothing (`KernelTraits.shares_nothing`);
    `local_size` is what they are told of their group, None if they do not ask. `only_in_lanes`: optimized
    code is of no use if none of its loops over work-items runs in SIMD lanes; it is empty then.
    """
    kernel_name = kernel.info.name
    trace = trace or Trace.from_settings(kernel_name, Contracts(kernel_name))
    target = target or host_target()
    text, functions = kernel_and_functions(kernel.text, kernel_name)
    options = options.within_budget(kernel.text.count("\n"), text.count("\n"))
    options = options.with_calls(functions)
    module = trace.step("canonical", lambda: take(text))
    function = module.function(kernel_name)
    trace.run("lower-printf", module, lambda: lower_printf(function))
    trace.run("know-images", module, lambda: know_images(function, known, know_symbol))
    if tile is not None and local_size is not None:
        trace.run("forget-groups", module, lambda: forget_groups(function, local_size))
    trace.run("lower-group-functions", module, lambda: lower_group_functions(function))
    trace.run("isolate-barriers", module, lambda: isolate_barriers(function))
    local_variables, _ = trace.run("locals-to-arguments", module, lambda: locals_to_arguments(function))
    restricted = _restricted(kernel, function)
    extents = tile or local_size
    if options.first:
        shape = rough_divergence(function, _largest(extents))
    else:
        shape = divergence(function, _largest(extents), wide)
    block = None if options.first else group_order(function, extents, target.costs)
    with prepare(target, options.level, extents == LONE, options.first) as backend:
        if options.method != "loops" and worth_vectorizing(extents):
            before = shape
            if trace.run(
                "split-vectors", module, lambda: split_vectors(function, before, widen, target.costs)
            ):
                shape = divergence(function, _largest(extents), wide)
        if options.method in ("auto", "horizontal") and worth_vectorizing(extents):
            always = options.method == "horizontal"
            trace.run(
                "interchange-inner-loops",
                module,
                lambda: interchange_inner_loops(function, shape, target.costs, always),
            )
        trace.run("place-implicit-barriers", module, lambda: place_implicit_barriers(function, shape))
        merged = trace.run("merge-tails", module, lambda: merge_tails(function, shape))
        shape = trace.run("gather-barriers", module, lambda: gather_barriers(function, merged))
        cfg = barrier_cfg(function)
        variables = kernel_variables(function, cfg, shape)
        placements = dict(zip(function.arguments, _placements(kernel), strict=False))
        placements |= {v.argument: Placement("automatic", v.offset) for v in local_variables}
        name = work_group_symbol(kernel_name)
        innermost = 0 if options.first else _innermost(options.innermost, function, extents, wide, target)
        choices = LoopChoices(innermost, options.unroll)
        made, layout = trace.run(
            "work-group-function",
            module,
            lambda: work_group_function(function, name, cfg, variables, placements, extents, wide, choices),
        )
        trace.run("keep-only", module, lambda: keep_only(module, made))
        if options.method != "loops":
            trace.run("drop-masks", module, lambda: drop_masks(made))
            trace.run("guards-to-bounds", module, lambda: guards_to_bounds(made))
        parted = {p: apart or r for p, r in restricted.items()}
        outcomes = []
        relies = False
        loops: tuple[RecordedLoop, ...] = ()
        if options.method in ("auto", "simd"):
            width = target.lanes(32)
            columns = options.lanes or width
            records = LoopRecords(made, loop_records_symbol(kernel_name), options.profile)
            trace.run("narrow-integers", module, lambda: narrow_integers(made))
            trace.run("recompute-behind-loops", module, lambda: recompute_behind_loops(made))
            arrays = trace.run(
                "private-arrays-by-lane", module, lambda: private_arrays_by_lane(made, columns)
            )
            lane_functions = LaneFunctions(
                functions, target, widen, bool(options.lanes), kernel.private_bytes
            )
            lane_functions.tell_costs(made)
            outcomes = trace.run(
                "vectorize-work-items",
                module,
                lambda: vectorize_work_items(
                    made, target, widen, options.lanes, options.divergent, records, options.proofs
                ),
            )
            loops = records.finish()
            functions = lane_functions.define_for(made)
            by_item(arrays, {o.block for o in outcomes if o.width > 1})
            trace.run("transpose-rows", module, lambda: transpose_rows(made))
            relies = trace.run("walk-rows", module, lambda: walk_rows(made, parted, 4 * width)).relies
            trace.run("pair-sines", module, lambda: pair_sines(made))
        sizes = layout.item_bytes, layout.group_bytes
        if options.first:
            trace.run("guard-divisions", module, lambda: guard_divisions(made))
            modules = [
                ir.print_module(module),
                tier_entry(kernel_name, target),
                *functions,
                *_library(module, kernel, functions, options, target),
            ]
            entry = (first_tier_symbol(kernel_name), tier_state_symbol(kernel_name))
            code = emit_object(modules, target, options.level, entry, backend=backend)
            return CompiledWorkGroup(code, *sizes, first=True)
        if options.level > 0:
            relies |= trace.run("part-buffers", module, lambda: part_buffers(made, parted))
        relies = relies and apart and sum(not r for r in restricted.values()) > 1
        trace.run("guard-divisions", module, lambda: guard_divisions(made))
        trace.run("order-accesses", module, lambda: order_accesses(made))
        if only_in_lanes and all(o.width == 1 for o in outcomes):
            return CompiledWorkGroup(b"", *sizes)
        library = _library(module, kernel, functions, options, target)
        trace.run("keep-calls", module, lambda: keep_calls([made], instructions(library)))
        exported = [name, *([loop_records_symbol(kernel_name)] if loops else [])]
        lone = None
        if extents == LONE and loop_forest(made).loops and not functions:
            modules = [ir.print_module(module), *library]
            lone = _emit_lone_work_item(modules, target, options.level, exported, backend)
        if lone is None:
            if options.level > 0:
                trace.run("store-aside", module, lambda: store_aside(made))
            trace.run("settle-inner-loops", module, lambda: settle_inner_loops(made))
            modules = [ir.print_module(module), *functions, *library]
            code = emit_object(modules, target, options.level, exported, backend=backend)
        return CompiledWorkGroup(lone or code, *sizes, loops, relies, block)


def _library(
    module: ir.Module, kernel: KernelCode, functions: tuple[str, ...], options: CodeOptions, target: Target
) -> tuple[str, ...]:
    """The definitions of the built-ins that a kernel's module and its functions call."""
    called = dict.fromkeys(f.name or "" for f in module.functions if f.is_declaration and f.users)
    called |= dict.fromkeys(s for text in functions for s in _CALLED.findall(text))
    return link_in(called, target, builtin_flags(options), dict(kernel.brought)).modules


def _restricted(kernel: KernelCode, function: ir.Function) -> dict[int, bool]:
    """The places of the pointers to buffers in the argument block, and which are `restrict` pointers."""
    arguments = zip(kernel.arguments, function.arguments, strict=False)
    return {a.offset: "noalias" in p.attributes for a, p in arguments if a.kind in ("global", "constant")}


def _emit_lone_work_item(
    modules: list[str], target: Target, level: int, exported: list[str], backend: Backend | None
) -> bytes | None:
    """Code for work-groups of one work-item, whose loops LLVM may vectorize; None if it fails to."""
    try:
        return emit_object(modules, target, level, exported, lone=True, backend=backend)
    except ToolError:
        return None


def worth_vectorizing(extents: abi.Extents | None) -> bool:
    """Whether a call has enough work-items for SIMD lanes."""
    return extents is None or any(n is None or n >= MIN_LANES for n in extents)


def _innermost(
    asked: str, function: ir.Function, extents: abi.Extents | None, wide: bool, target: Target
) -> int:
    """The dimension that the innermost work-item loop goes along."""
    if asked != "auto":
        return "xyz".index(asked)
    if extents is None or all(size is not None and size < MIN_LANES for size in extents[1:]):
        return 0
    return innermost_dimension(
        function, shapes(function, _largest(extents), wide), extents, MIN_LANES, target.costs
    )


def _largest(extents: abi.Extents | None) -> LocalSize | None:
    """The most work-items that a call can run in each dimension."""
    if extents is None:
        return None
    x, y, z = (abi.LARGEST_EXTENT if n is None else n for n in extents)
    return x, y, z


def _placements(kernel: KernelCode) -> list[Placement]:
    """Where the work-group function finds each parameter."""
    return [
        Placement("byval" if a.by_reference else "local" if a.kind == "local" else "value", a.offset)
        for a in kernel.arguments
    ]


def builtin_flags(options: CodeOptions) -> BuiltinFlags:
    """The forms of built-ins that a build asks for."""
    return BuiltinFlags(
        fast_relaxed_math=options.fast_relaxed_math,
        finite_math_only=options.finite_math_only,
        denorms_are_zero=options.denorms_are_zero,
        correctly_rounded_divide_sqrt=options.correctly_rounded_divide_sqrt,
    )


def describe_kernels(text: ProgramText, infos: tuple[KernelInfo, ...]) -> tuple[KernelCode, ...]:
    """All that later steps need to know of the kernels in a canonical program."""
    skeleton = ir.parse(text.skeleton())
    variables = skeleton.variables
    order = {variable.name: place for place, variable in enumerate(variables)}
    graph = CallGraph(text, [info.name for info in infos])
    refuse_recursion(graph)
    frames = _frames(graph, skeleton)
    kernels = []
    for info in infos:
        reached = text.reached_from([info.name])
        names = {name for function in reached for name in text.names_in(function)}
        used = [variables[n] for n in sorted(order[n] for n in names if n in order)]
        for variable in used:
            if variable.initializer is None:
                raise BuildError(
                    f"error: kernel '{info.name}' uses the variable '{variable.name}', which is not defined\n"
                )
        _, local_bytes = local_layout([v for v in used if v.type.space == 3])  # type: ignore[attr-defined]
        called = {name for function in reached for name in text.called_by(function)}
        symbols = frozenset(n for n in called if not n.startswith("llvm.") and not text.defines(n))
        if any(map(text.allocates_unknown_sizes, reached)):
            raise BuildError(
                f"error: kernel '{info.name}' uses private memory of a size that is not constant\n"
            )
        by_group = frozenset(s for s in symbols if group_function(s) is not None)
        uses_barrier = bool(by_group) or not symbols.isdisjoint(BARRIERS)
        arguments = argument_layouts(skeleton.function(info.name), info)
        has_locals = local_bytes > 0 or any(a.kind == "local" for a in arguments)
        shares_nothing = not uses_barrier and not has_locals
        alone = text.alone(info.name)
        kernels.append(
            KernelCode(
                info=info,
                text=alone,
                arguments=arguments,
                local_bytes=local_bytes,
                private_bytes=frames[info.name],
                builtins=tuple(
                    sorted(symbols - BARRIERS - by_group - WORK_ITEM_FUNCTIONS.keys() - {PRINTF, RUNTIME})
                ),
                uses_barrier=uses_barrier,
                traits=kernel_traits(text, info.name, alone, arguments, shares_nothing),
            )
        )
    return tuple(kernels)


def _frames(graph: CallGraph, skeleton: ir.Module) -> dict[str, int]:
    """The private memory that each function needs, with what it calls at the same time."""
    frames: dict[str, int] = {}
    for name in graph.order:
        own = sum(size_of(parse_type(t, skeleton)) for t in graph.text.allocated_by(name))
        frames[name] = own + max((frames[callee] for callee in graph.callees(name)), default=0)
    return frames


def _check_symbols(kernels: tuple[KernelCode, ...], log: str) -> None:
    """Raises BuildError when a kernel calls something that neither the program nor Weft defines."""
    wanted: dict[str, str] = {}
    for kernel in kernels:
        for symbol in kernel.builtins:
            wanted.setdefault(symbol, kernel.info.name)
    missing = [symbol for symbol in wanted if catalogue().find_symbol(symbol) is None]
    if missing:
        lines = [
            f"error: kernel '{wanted[s]}' calls '{readable(s)}', {_why_missing(readable(s))}" for s in missing
        ]
        raise BuildError(log + "\n".join(lines) + "\n")


def _why_missing(name: str) -> str:
    if _NOT_SUPPORTED.match(name):
        return "a built-in function that Weft does not support yet"
    return "which is not defined"
