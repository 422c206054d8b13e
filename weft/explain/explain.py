"""Compile a program and report what the compiler did with each kernel and why."""

from collections.abc import Sequence

from weft.abi import Extents, work_group_symbol
from weft.builtins.library import link_in
from weft.codegen.host import host_target
from weft.codegen.llvm_vectorization import report_vectorization
from weft.compiler.build_program import compile_program
from weft.compiler.builtin_flags import builtin_flags
from weft.compiler.compile_work_group import compile_work_group
from weft.dataclasses import dataclass, replace
from weft.errors import BudgetExceeded, BuildError, InvalidBuildOptions, WeftError
from weft.frontend.metadata import KernelInfo
from weft.frontend.options import parse_options
from weft.frontend.program_source import Source, text_of
from weft.kernel import CodeOptions, KernelCode, LocalSize
from weft.launch_form import LaunchForm
from weft.remarks import Remarks
from weft.tile_policy import TileRefusal
from weft.transform.simd.split_vectors import SplitVectors
from weft.transform.workgroup.context_arrays import capacity
from weft.transform.workgroup.sub_groups_to_lanes import SubGroups
from weft.transform.workgroup.work_group_function import WorkGroupCode

from . import rows
from .choices import Choices
from .graphs import graphs
from .images import assumed_images
from .recorder import Recorder
from .report import Kernel, Report, Tile
from .tiles import report_refusal, size_of_tile, tiles_of

# Typical local sizes and ranges for kernels that use ids of one, two and three dimensions.
TYPICAL_SIZES: tuple[LocalSize, ...] = ((64, 1, 1), (8, 8, 1), (4, 4, 4))
TYPICAL_RANGES: tuple[LocalSize, ...] = ((1 << 20, 1, 1), (1024, 1024, 1), (128, 128, 128))


class UnknownKernel(WeftError):
    """The program has no kernel of that name."""


@dataclass(frozen=True)
class Request:
    """The request: see `explain`. `text` contains the source lines of the kernels."""

    text: str
    local_size: LocalSize | None
    any_local_size: bool
    global_size: LocalSize | None
    llvm: bool


def explain(
    source: Source,
    file: str = "<source>",
    options: str = "",
    *,
    kernels: Sequence[str] = (),
    local_size: LocalSize | None = None,
    any_local_size: bool = False,
    global_size: LocalSize | None = None,
    llvm: bool = False,
) -> Report:
    """Return the report on a program, or on some of its kernels.

    A kernel whose work-items share nothing is compiled for the tiles of a launch over `global_size`, or over
    a typical range, unless only a local size is given. Other kernels are compiled for work-groups of
    `local_size`; by default, of the required size, the hint or a typical size; with `any_local_size`, of all
    sizes. If the local size does not divide `global_size`, they are compiled for non-uniform groups. With
    `llvm`, LLVM optimizes the result and reports what it vectorized.
    """
    text = text_of(source)
    report = Report(file, options, text)
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
    request = Request(text, local_size, any_local_size, global_size, llvm)
    explained = [
        _explain_kernel(code, code_options, request)
        for code in program.kernels
        if not kernels or code.info.name in kernels
    ]
    return replace(report, log=program.log, kernels=tuple(explained))


def choose_local_size(code: KernelCode, requested: LocalSize | None) -> tuple[LocalSize, str]:
    """Return the local size to compile for, and its origin."""
    if requested is not None:
        return requested, "given"
    if code.info.reqd_work_group_size is not None:
        return code.info.reqd_work_group_size, "reqd_work_group_size"
    if code.info.work_group_size_hint is not None:
        return code.info.work_group_size_hint, "work_group_size_hint"
    return TYPICAL_SIZES[code.traits.dimensions - 1], "assumed"


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
        chosen, wanted = (",".join(map(str, s)) for s in (size, required))
        return replace(
            kernel,
            error=f"local size {chosen} differs from the required one, {wanted}: no launch can have it",
        )
    non_uniform = (
        size is not None
        and request.global_size is not None
        and why in ("given", "reqd_work_group_size")
        and any(whole % n for n, whole in zip(size, request.global_size, strict=True))
    )
    if non_uniform and code.info.uniform_groups:
        return replace(kernel, error="the local size must divide the global size here")
    tiles = Remarks(code.info.name)
    try:
        if request.global_size is not None or (request.local_size is None and not request.any_local_size):
            assumed = request.global_size is None
            range = request.global_size or TYPICAL_RANGES[code.traits.dimensions - 1]
            form_size = size if code.traits.queries_group else request.local_size or required
            choice = tiles_of(code, options, range, form_size)
            for extents, refusal in choice.refused:
                report_refusal(extents, refusal, tiles)
            for best in () if non_uniform and code.traits.queries_group else choice.tiles[:1]:
                extents = best.extents
                compiled = _compiled(
                    code, options, request, kernel, form_size, extents, best.if_serial is not None
                )
                if compiled is None and best.if_serial is not None:
                    report_refusal(extents, TileRefusal.NOT_IN_LANES, tiles)
                    extents = best.if_serial
                    compiled = _compiled(code, options, request, kernel, form_size, extents)
                assert compiled is not None
                tile = size_of_tile(extents, range, compiled.item_bytes)
                bytes = _context_bytes(tile, compiled.item_bytes, compiled.group_bytes)
                shown = Tile(tile, range, assumed, rows.refused_tiles(tiles))
                remarks = (*tiles, *compiled.kernel.remarks)
                return replace(compiled.kernel, tile=shown, context_bytes=bytes, remarks=remarks)
        if non_uniform:
            kernel = replace(kernel, local_size_source=f"{why}; the last groups are smaller")
        groups = _compiled(code, options, request, kernel, size, None, non_uniform=non_uniform)
        assert groups is not None
        return replace(groups.kernel, remarks=(*tiles, *groups.kernel.remarks))
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
    non_uniform: bool = False,
) -> _Compiled | None:
    """Compile and explain the code for work-groups or tiles; None if `only_in_lanes` and it was not
    vectorized."""
    record = Recorder(code.info.name, request.text)
    form_size = size if (code.traits.queries_group or tile is None) and not non_uniform else None
    known, assumed = assumed_images(code)
    compiled = compile_work_group(
        code,
        options,
        LaunchForm(
            form_size,
            known=known,
            tile=tile,
            noalias=code.traits.benefits_from_noalias,  # as in most launches
            non_uniform=non_uniform,
        ),
        trace=record,
        remarks=record.remarks,
        only_in_lanes=only_in_lanes,
        target=host_target(),
    )
    if not compiled.object_code:
        return None
    remarks = record.remarks
    if request.llvm:
        _report_llvm(record, code, options)
    choices = Choices(remarks, options)
    regions = tuple(choices.region(region) for region in rows.regions(remarks))
    branches = rows.branches(remarks)
    examined = replace(
        kernel,
        notes=(*assumed, *rows.notes(branches)),
        local_bytes=code.local_bytes,
        item_bytes=compiled.item_bytes,
        context_bytes=_context_bytes(kernel.local_size, compiled.item_bytes, compiled.group_bytes),
        vectors="".join(remark.text for remark in remarks.named(*SplitVectors)),
        sub_groups="".join(remark.text for remark in remarks.named(*SubGroups)),
        block=compiled.block,
        barriers=rows.barriers(remarks),
        regions=regions,
        tails=rows.tails(remarks),
        variables=rows.variables(remarks),
        memory=rows.private_memory(remarks),
        loops=rows.loops(remarks),
        promotions=rows.promotions(remarks),
        accesses=choices.accesses({region.number: region.choice for region in regions}),
        branches=branches,
        graphs=graphs(record),
        remarks=tuple(remarks),
    )
    return _Compiled(examined, compiled.item_bytes, compiled.group_bytes)


def _report_llvm(record: Recorder, code: KernelCode, options: CodeOptions) -> None:
    """Add LLVM's vectorization of the code that is left to it to the remarks."""
    target = host_target()
    symbols = [s for s in record.builtins if s.startswith("_Z")]
    library = link_in(symbols, target, builtin_flags(options)).modules
    groups = {r["region"]: r["access_group"] for r in record.remarks.named(WorkGroupCode.REGION)}
    symbol = work_group_symbol(code.info.name)
    with record.remarks.by("llvm"):
        report_vectorization(
            record.module_text, groups, library, target, options.level, symbol, record.remarks
        )


def _context_bytes(size: LocalSize | None, item_bytes: int, group_bytes: int) -> int | None:
    if size is None:
        return None
    return item_bytes * capacity(size[0] * size[1] * size[2]) + group_bytes


def signature(info: KernelInfo) -> str:
    """Return a kernel's declaration in OpenCL C."""
    arguments = []
    for a in info.arguments:
        words = [] if a.address_space == "private" else [a.address_space]
        if "pipe" in a.qualifiers:
            words = [a.access, "pipe"]
        words += [w for w in ("const", "volatile") if w in a.qualifiers]
        type, pointer, _ = a.type_name.partition("*")
        restrict = "restrict " if "restrict" in a.qualifiers else ""
        arguments.append(" ".join([*words, type, f"{pointer}{restrict}{a.name}"]))
    return f"kernel void {info.name}({', '.join(arguments)})"
