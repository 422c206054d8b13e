"""Compiles a program and reports what the compiler did with each kernel and why."""

import re
from collections.abc import Sequence
from dataclasses import replace

from weft import compiler
from weft.abi import work_group_symbol
from weft.analysis.work_items import WORK_ITEM_FUNCTIONS
from weft.builtins.library import link_in
from weft.codegen.target import host_target
from weft.compiler import builtin_flags, compile_program, compile_work_group
from weft.errors import BuildError, InvalidBuildOptions, WeftError
from weft.frontend.metadata import KernelInfo
from weft.frontend.options import parse_options
from weft.kernel import CodeOptions, KernelCode, LocalSize
from weft.transform.workgroup.context_arrays import capacity

from .accesses import explain_accesses
from .control import explain_branches, explain_loops
from .graphs import access_groups, graphs
from .naming import Naming
from .recorder import Recorder
from .regions import Regions
from .report import Branch, Kernel, Region, Report
from .variables import explain_private_memory, explain_variables
from .vectors import lanes_by_region

# Typical local sizes for kernels that ask for positions in one, two and three dimensions.
TYPICAL_SIZES: tuple[LocalSize, ...] = ((64, 1, 1), (8, 8, 1), (4, 4, 4))
_DIMENSION = re.compile(r"@_Z\d+(get_\w+?)j\(i32 (?:noundef )?([012])\)")


class UnknownKernel(WeftError):
    """The program has no kernel of that name."""


def explain(
    source: str,
    file: str = "<source>",
    options: str = "",
    *,
    kernels: Sequence[str] = (),
    local_size: LocalSize | None = None,
    any_local_size: bool = False,
    llvm: bool = False,
) -> Report:
    """The report on a program, or on some of its kernels.

    Without `local_size` a kernel is compiled for the size it requires, its hint or a typical one, and with
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
    found = []
    for code in program.kernels:
        if kernels and code.info.name not in kernels:
            continue
        size, why = (None, "any") if any_local_size else choose_local_size(code, local_size)
        found.append(_explain_kernel(code, code_options, size, why, llvm))
    return replace(report, log=program.log, kernels=tuple(found))


def choose_local_size(code: KernelCode, given: LocalSize | None) -> tuple[LocalSize, str]:
    """The local size to compile for, and where it comes from."""
    if given is not None:
        return given, "given"
    if code.info.reqd_work_group_size is not None:
        return code.info.reqd_work_group_size, "reqd_work_group_size"
    if code.info.work_group_size_hint is not None:
        return code.info.work_group_size_hint, "work_group_size_hint"
    varying = {f.name for f in WORK_ITEM_FUNCTIONS.values() if f.takes_dimension}
    used = [int(d) for name, d in _DIMENSION.findall(code.text) if name in varying]
    return TYPICAL_SIZES[max(used, default=0)], "assumed"


def _explain_kernel(
    code: KernelCode, options: CodeOptions, size: LocalSize | None, why: str, llvm: bool
) -> Kernel:
    kernel = Kernel(code.info.name, signature(code.info), size, why, method=options.method)
    required = code.info.reqd_work_group_size
    if required is not None and size is not None and size != required:
        given, wanted = (",".join(map(str, s)) for s in (size, required))
        return replace(
            kernel, error=f"local size {given} is not the required one, {wanted}: no launch has it"
        )
    found = [kernel]
    always = options.method == "horizontal"
    record = Recorder(
        code.info.name,
        code.text,
        size,
        lambda record: found.append(_examine(kernel, record)),
        always,
        _no_interchange(options, size),
    )
    try:
        compile_work_group(code, options, size, trace=record)
        lanes = _lanes(record, code, options) if llvm else {}
    except WeftError as error:
        return replace(kernel, error=str(error))
    examined = found[-1]
    return replace(
        examined,
        local_bytes=code.local_bytes,
        regions=tuple(_with_loops(r, lanes, record) for r in examined.regions),
    )


def _with_loops(region: Region, llvm: dict[int, int], record: Recorder) -> Region:
    """The region with what became of its work-item loops."""
    loops = (f"region.{region.number}.{axis}" for axis in "xyz")
    width, reason = next((record.lanes[loop] for loop in loops if loop in record.lanes), (0, ""))
    simd = f"{width} lanes" if width > 1 else reason
    bounds = [b for axis in "xyz" for b in record.bounds.get(f"region.{region.number}.{axis}", ())]
    return replace(region, lanes=llvm.get(region.number), simd=simd, bounds=tuple(dict.fromkeys(bounds)))


def _examine(kernel: Kernel, record: Recorder) -> Kernel:
    """Everything that a recorded compilation shows."""
    naming = Naming(kernel.name, record.debug, record.names, record.neighbours)
    regions = Regions(record, naming)
    branches = explain_branches(record, naming)
    layout = record.layout
    return replace(
        kernel,
        notes=tuple(_notes(branches)),
        item_bytes=layout.item_bytes,
        context_bytes=_context_bytes(kernel.local_size, layout.item_bytes, layout.group_bytes),
        barriers=regions.barriers(),
        regions=regions.regions(),
        tails=regions.tails(),
        variables=explain_variables(record, naming, regions),
        memory=explain_private_memory(record, naming),
        loops=explain_loops(record, naming),
        accesses=explain_accesses(record, naming, regions),
        branches=branches,
        graphs=graphs(record, naming, regions),
    )


def _no_interchange(options: CodeOptions, size: LocalSize | None) -> str | None:
    """Why no loop at all is interchanged, if that is so."""
    if options.method not in ("auto", "horizontal"):
        return f"WEFT_WORKGROUP={options.method} keeps kernel loops inside the work-item loop"
    if not compiler.worth_vectorizing(size):
        return "the work-group has too few work-items for SIMD lanes"
    return None


def _lanes(record: Recorder, code: KernelCode, options: CodeOptions) -> dict[int, int]:
    target = host_target()
    symbols = [s for s in record.builtins if s.startswith("_Z")]
    library = link_in(symbols, target.cpu, builtin_flags(options)).modules
    groups = access_groups(record.made)
    symbol = work_group_symbol(code.info.name)
    return lanes_by_region(record.module_text, groups, library, target, options.level, symbol)


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
