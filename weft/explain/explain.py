"""Compiles a program and reports what the compiler did with each kernel and why."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from weft.abi import Extents, work_group_symbol
from weft.analysis.work_items import WORK_ITEM_FUNCTIONS
from weft.builtins.library import link_in
from weft.codegen.host import host_target
from weft.compiler.build_program import compile_program
from weft.compiler.builtin_flags import builtin_flags
from weft.compiler.compile_work_group import compile_work_group
from weft.errors import BudgetExceeded, BuildError, InvalidBuildOptions, WeftError
from weft.frontend.metadata import KernelInfo
from weft.frontend.options import parse_options
from weft.ir import Instruction
from weft.kernel import CodeOptions, KernelCode, LocalSize
from weft.launch_form import LaunchForm
from weft.remarks import Reason
from weft.tile_policy import TileRefusal
from weft.transform.workgroup.context_arrays import capacity
from weft.transform.workgroup.interchange_inner_loops import Interchange

from .accesses import explain_accesses
from .choices import Choices, merged
from .control import explain_branches, explain_loops
from .graphs import access_groups, graphs
from .naming import Naming
from .recorder import Recorder
from .regions import Regions
from .report import Access, Branch, Kernel, Region, Report, Tile
from .tiles import largest, refusal_words, size_of_tile, tiles_of
from .variables import explain_private_memory, explain_variables
from .vectors import MadeByLLVM, made_by_llvm

# Typical local sizes and ranges for kernels that ask for positions in one, two and three dimensions.
TYPICAL_SIZES: tuple[LocalSize, ...] = ((64, 1, 1), (8, 8, 1), (4, 4, 4))
TYPICAL_RANGES: tuple[LocalSize, ...] = ((1 << 20, 1, 1), (1024, 1024, 1), (128, 128, 128))
_DIMENSION = re.compile(r"@_Z\d+(get_\w+?)j\(i32 (?:noundef )?([012])\)")


class UnknownKernel(WeftError):
    """The program has no kernel of that name."""


@dataclass(frozen=True)
class Request:
    """What is asked for: see `explain`."""

    source: str
    local_size: LocalSize | None
    any_local_size: bool
    global_size: LocalSize | None
    llvm: bool


def explain(
    source: str,
    file: str = "<source>",
    options: str = "",
    *,
    kernels: Sequence[str] = (),
    local_size: LocalSize | None = None,
    any_local_size: bool = False,
    global_size: LocalSize | None = None,
    llvm: bool = False,
) -> Report:
    """The report on a program, or on some of its kernels.

    A kernel whose work-items share nothing is compiled for the tiles that a launch over `global_size` would
    run, or over a typical range, unless only a local size is given. Other kernels are compiled for
    work-groups of `local_size`, without it for the size they require, their hint or a typical one, and with
    `any_local_size` for all sizes. With `llvm`, LLVM optimizes the result and tells what it vectorized.
    """
    report = Report(file, options, source)
    try:
        build_options = parse_options(options)
        program = compile_program(source, build_options, debug_info=True)
    except (BuildError, InvalidBuildOptions) as error:
        return replace(report, error=str(error))
    names = [k.info.name for k in program.kernels]
    for name in kernels:
        if name not in names:
            raise UnknownKernel(f"{file} has no kernel {name!r}; there are: {', '.join(names) or 'none'}")
    code_options = CodeOptions.of(build_options)
    request = Request(source, local_size, any_local_size, global_size, llvm)
    found = [
        _explain_kernel(code, code_options, request)
        for code in program.kernels
        if not kernels or code.info.name in kernels
    ]
    return replace(report, log=program.log, kernels=tuple(found))


def choose_local_size(code: KernelCode, given: LocalSize | None) -> tuple[LocalSize, str]:
    """The local size to compile for, and where it comes from."""
    if given is not None:
        return given, "given"
    if code.info.reqd_work_group_size is not None:
        return code.info.reqd_work_group_size, "reqd_work_group_size"
    if code.info.work_group_size_hint is not None:
        return code.info.work_group_size_hint, "work_group_size_hint"
    return TYPICAL_SIZES[_dimensions(code) - 1], "assumed"


def _dimensions(code: KernelCode) -> int:
    """In how many dimensions a kernel asks for positions."""
    varying = {f.name for f in WORK_ITEM_FUNCTIONS.values() if f.takes_dimension}
    return max((int(d) for name, d in _DIMENSION.findall(code.text) if name in varying), default=0) + 1


def _explain_kernel(code: KernelCode, options: CodeOptions, request: Request) -> Kernel:
    size, why = (None, "any") if request.any_local_size else choose_local_size(code, request.local_size)
    kernel = Kernel(code.info.name, signature(code.info), size, why, method=options.method)
    try:
        options = options.for_kernel(code.traits)
    except BudgetExceeded as error:
        return replace(kernel, error=str(error))
    kernel = replace(kernel, method=options.method)
    required = code.info.reqd_work_group_size
    if required is not None and size is not None and size != required:
        given, wanted = (",".join(map(str, s)) for s in (size, required))
        return replace(
            kernel, error=f"local size {given} is not the required one, {wanted}: no launch has it"
        )
    try:
        if request.global_size is not None or (request.local_size is None and not request.any_local_size):
            assumed = request.global_size is None
            range = request.global_size or TYPICAL_RANGES[_dimensions(code) - 1]
            told = size if code.traits.asks_for_group else request.local_size or required
            choice = tiles_of(code, options, range, told)
            refused = [refusal_words(*refusal) for refusal in choice.refused]
            for best in choice.tiles[:1]:
                extents = best.extents
                found = _compiled(code, options, request, kernel, told, extents, best.if_serial is not None)
                if found is None and best.if_serial is not None:
                    refused.append(refusal_words(extents, TileRefusal.NOT_IN_LANES))
                    extents = best.if_serial
                    found = _compiled(code, options, request, kernel, told, extents)
                assert found is not None
                tile = size_of_tile(extents, range, found.item_bytes)
                bytes = _context_bytes(tile, found.item_bytes, found.group_bytes)
                shown = Tile(tile, range, assumed, tuple(refused))
                return replace(found.kernel, tile=shown, context_bytes=bytes)
        groups = _compiled(code, options, request, kernel, size, None)
        assert groups is not None
        return groups.kernel
    except WeftError as error:
        return replace(kernel, error=str(error))


@dataclass(frozen=True)
class _Compiled:
    kernel: Kernel
    item_bytes: int
    group_bytes: int


def _compiled(
    code: KernelCode,
    options: CodeOptions,
    request: Request,
    kernel: Kernel,
    size: LocalSize | None,
    tile: Extents | None,
    only_in_lanes: bool = False,
) -> _Compiled | None:
    """The explanation of the code for work-groups, or for tiles; None if code in lanes alone is useful."""
    found: list[tuple[Kernel, list[tuple[Instruction, Access]]]] = []
    together = largest(tile) if tile is not None else size
    record = Recorder(
        code.info.name,
        code.text,
        together,
        lambda record: found.append(_examine(kernel, record, request.source)),
        options.method == "horizontal",
        _no_interchange(options, together),
    )
    told = size if code.traits.asks_for_group or tile is None else None
    compiled = compile_work_group(
        code,
        options,
        LaunchForm(told, tile=tile),
        trace=record,
        only_in_lanes=only_in_lanes,
        target=host_target(),
    )
    if not compiled.object_code:
        return None
    made = _made_by_llvm(record, code, options) if request.llvm else MadeByLLVM({}, {})
    examined, accesses = found[-1]
    forms = {record.tagged[tag]: form for tag, form in made.forms.items()}
    choices = Choices(record, options, forms)
    regions = [choices.region(r, examined.barriers) for r in examined.regions]
    chosen = {r.number: r.choice for r in regions}
    layout = record.layout
    examined = replace(
        examined,
        local_bytes=code.local_bytes,
        vectors=_vectors(record),
        block=compiled.block,
        regions=tuple(_with_loops(r, made.lanes, record) for r in regions),
        accesses=merged([choices.access(access, i, chosen) for i, access in accesses]),
    )
    return _Compiled(examined, layout.item_bytes, layout.group_bytes)


def _with_loops(region: Region, llvm: dict[int, int], record: Recorder) -> Region:
    """The region with what else became of its work-item loops."""
    bounds = [b for axis in "xyz" for b in record.bounds.get(f"region.{region.number}.{axis}", ())]
    # LLVM is asked only about what is left to it.
    in_lanes = region.choice is not None and region.choice.kind == "lanes"
    lanes = None if in_lanes else llvm.get(region.number)
    split = any(header.startswith(f"region.{region.number}.x.split") for header in record.bounds)
    return replace(region, lanes=lanes, bounds=tuple(dict.fromkeys(bounds)), split=split)


def _vectors(record: Recorder) -> str:
    """What became of vectors that differ between work-items."""
    if record.split_vectors:
        return (
            "vectors are split into components, each a scalar of its own: components are mixed oftener than "
            "vectors are loaded and stored"
        )
    return (
        "vectors are kept whole: they are loaded and stored oftener than taken apart"
        if record.vectors
        else ""
    )


def _examine(
    kernel: Kernel, record: Recorder, source: str
) -> tuple[Kernel, list[tuple[Instruction, Access]]]:
    """Everything that a recorded compilation shows of the kernel before its loops are vectorized.

    The accesses come with their instructions.
    """
    naming = Naming(kernel.name, record.debug, record.names, record.neighbours)
    regions = Regions(record, naming)
    branches = explain_branches(record, naming)
    layout = record.layout
    examined = replace(
        kernel,
        notes=tuple(_notes(branches)),
        item_bytes=layout.item_bytes,
        context_bytes=_context_bytes(kernel.local_size, layout.item_bytes, layout.group_bytes),
        barriers=regions.barriers(),
        regions=regions.regions(),
        tails=regions.tails(),
        variables=explain_variables(record, naming, regions),
        memory=explain_private_memory(record, naming),
        loops=explain_loops(record, naming, source.split("\n")),
        branches=branches,
        graphs=graphs(record, naming, regions),
    )
    return examined, explain_accesses(record, naming, regions, host_target())


def _no_interchange(options: CodeOptions, size: LocalSize | None) -> Reason | None:
    """Why no loop at all is interchanged, if that is so."""
    if options.method not in ("auto", "horizontal"):
        if options.level == 0:
            return Reason(Interchange.NOT_OPTIMIZED)
        if options.waits:
            return Reason(Interchange.MAY_WAIT)
        return Reason(Interchange.METHOD, method=options.method)
    if not LaunchForm(size).worth_vectorizing:
        return Reason(Interchange.TOO_FEW_WORK_ITEMS)
    return None


def _made_by_llvm(record: Recorder, code: KernelCode, options: CodeOptions) -> MadeByLLVM:
    target = host_target()
    symbols = [s for s in record.builtins if s.startswith("_Z")]
    library = link_in(symbols, target, builtin_flags(options)).modules
    groups = access_groups(record.made)
    symbol = work_group_symbol(code.info.name)
    return made_by_llvm(record.module_text, groups, library, target, options.level, symbol)


def _context_bytes(size: LocalSize | None, item_bytes: int, group_bytes: int) -> int | None:
    if size is None:
        return None
    return item_bytes * capacity(size[0] * size[1] * size[2]) + group_bytes


def _notes(branches: Sequence[Branch]) -> list[str]:
    """What a programmer should look at."""
    notes = []
    for branch in branches:
        if branch.barriers_differ and branch.divergent:
            where = f"the {branch.kind} at {branch.place}" if branch.place else f"a {branch.kind}"
            notes.append(
                f"{where} decides which barrier comes next, but {branch.reason}: "
                "if work-items of a group disagree there, the kernel breaks OpenCL's rules"
            )
    return notes


def signature(info: KernelInfo) -> str:
    """A kernel's declaration in OpenCL C."""
    arguments = []
    for a in info.arguments:
        words = [] if a.address_space == "private" else [a.address_space]
        words += [w for w in ("const", "volatile") if w in a.qualifiers]
        type, pointer, _ = a.type_name.partition("*")
        restrict = "restrict " if "restrict" in a.qualifiers else ""
        arguments.append(" ".join([*words, type, f"{pointer}{restrict}{a.name}"]))
    return f"kernel void {info.name}({', '.join(arguments)})"
