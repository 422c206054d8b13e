"""`weft opt`: runs passes of the kernel compiler, and of LLVM, over a file of LLVM IR."""

import argparse
import sys
from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path

from weft import ir
from weft.abi import ID_BITS, SMALL_IDS, work_group_symbol
from weft.analysis.annotate import ANALYSES, Analysis
from weft.cli.sizes import read_size
from weft.codegen.canonicalise import canonicalise
from weft.codegen.host import host_target
from weft.codegen.optimise import PASSES as LLVM_PASSES
from weft.codegen.optimise import run_passes
from weft.codegen.optimise import verify as llvm_verify
from weft.compiler.compilation_unit import CompilationUnit, Limits
from weft.compiler.pass_conditions import always
from weft.compiler.passes import BUILD_PASSES, FUNCTION_PASSES, LAUNCH_PASSES, PASSES, Pass
from weft.compiler.pipeline import run_pass
from weft.dataclasses import dataclass, field, fields
from weft.errors import WeftError
from weft.ir.debug import DebugInfo
from weft.ir.verifier import VerificationError, verify
from weft.kernel import CodeOptions
from weft.launch_form import KnownArguments, LaunchForm
from weft.remarks import SILENT, Remark, Remarks
from weft.target import x86
from weft.trace import Trace
from weft.transform.simd.strategies import NAMES

CANONICAL = "canonical"
ALL = "all"
CANONICAL_SUMMARY = "the input form of all passes: functions inlined, SSA, one exit, natural loops, LCSSA"


# Vector registers of 256 bits, unless --lanes is given, so that results do not depend on the machine.
LANES = 8
_LIMITS = {f.name.replace("_", "-"): f.name for f in fields(Limits)}


@dataclass(frozen=True)
class PassOptions:
    """Options of passes."""

    form: LaunchForm
    lanes: int = LANES
    divergent: str = "auto"
    limits: Limits = field(default_factory=Limits)
    remarks: frozenset[str] = frozenset()  # the passes whose remarks are shown

    def unit(self, function: ir.Function) -> CompilationUnit:
        """Create a compilation unit for a function; a strategy of divergent loops other than auto forces
        lanes."""
        code = CodeOptions(
            level=3,
            method="auto",
            lanes=0 if self.divergent == "auto" else self.lanes,
            divergent=self.divergent,
        )
        unit = CompilationUnit.of_function(function, code, self.form, x86.for_lanes(self.lanes))
        unit.limits = self.limits
        return unit


class OptError(WeftError):
    """The input or the arguments are invalid."""


def run(arguments: Sequence[str]) -> int:
    """Run the command and return its exit status."""
    parser = _parser()
    parsed = parser.parse_args(arguments)
    if parsed.passes == "list":
        print(listing())
        return 0
    if parsed.file is None:
        parser.error("no file given; - reads standard input")
    names = [name for name in (parsed.passes or "").split(",") if name]
    remarked = frozenset(PASSES if parsed.remarks == ALL else filter(None, parsed.remarks.split(",")))
    unknown = [n for n in (*names, *sorted(remarked)) if n not in _known()]
    if unknown:
        parser.error(f"unknown pass {unknown[0]!r}; available: {', '.join(_known())} (see -p list)")
    if not names and parsed.analysis is None:
        parser.error("nothing to do: specify passes with -p, or --analysis")
    form = LaunchForm(parsed.local_size, parsed.id_bits, parsed.known, noalias=not parsed.may_overlap)
    options = PassOptions(form, parsed.lanes, parsed.divergent, Limits(**dict(parsed.limit)), remarked)
    analysis = ANALYSES[parsed.analysis] if parsed.analysis else None
    try:
        text = sys.stdin.read() if parsed.file == "-" else Path(parsed.file).read_text()
        result = optimise(text, names, options, parsed.kernel, analysis)
    except (ir.ParseError, UnicodeDecodeError, VerificationError, WeftError) as error:
        print(f"weft opt: {parsed.file}: {error}", file=sys.stderr)
        return 1
    if parsed.output is None or parsed.output == "-":
        print(result, end="")
    else:
        Path(parsed.output).write_text(result)
    return 0


def optimise(
    text: str,
    passes: Sequence[str],
    options: PassOptions,
    kernel: str | None = None,
    analysis: Analysis | None = None,
) -> str:
    """Return the text of a module after passes, with the comments of an analysis if given, and with remarks.

    Passes run on one kernel, or on all. The IR and the contracts of the passes are verified.
    """
    module = ir.parse(text)
    verify(module)
    llvm_verify(text)
    names = _functions(module, kernel)
    remarks: list[Remark] = []
    for ours, group in groupby(passes, lambda name: name in PASSES):
        if ours:
            names = _apply(module, [PASSES[name] for name in group], names, options, remarks)
        else:
            module = ir.parse(_llvm(ir.print_module(module), list(group)))
            names = [n for n in names if n in module.globals]
    result = ir.print_module(module)
    if analysis is not None:
        module = ir.parse(result)  # comments refer to blocks by name, and the printer makes names unique
        for name in names:
            function = module.function(name)
            result = result.replace(ir.print_function(function), analysis.annotated(function))
    return result + "".join(map(_comment, remarks))


def _comment(remark: Remark) -> str:
    """Format a remark as a comment line."""
    place = f" ({remark.location})" if remark.location is not None else ""
    text = f"{remark.kind.value}: {remark.by}: @{remark.function}: {remark.name}: {remark.text}{place}"
    return f"; {' '.join(text.splitlines())}\n"


def listing() -> str:
    """List all passes and analyses, with a sentence each."""
    width = max(map(len, (*PASSES, *ANALYSES)))
    lines = ["at build time:", f"  {CANONICAL:<{width}}  {CANONICAL_SUMMARY}"]
    lines += (line for p in BUILD_PASSES for line in _described(p, width))
    lines += ["", "at build time, before these, for functions that are not inlined:"]
    lines += (line for p in FUNCTION_PASSES for line in _described(p, width))
    lines += ["", "at the first launch of a launch form, in this order:"]
    lines += (line for p in LAUNCH_PASSES for line in _described(p, width))
    lines += ["", "analyses (--analysis):"]
    lines += [f"  {a.name:<{width}}  {a.summary}" for a in ANALYSES.values()]
    lines += ["", "LLVM passes:", *(f"  {name}" for name in LLVM_PASSES)]
    return "\n".join(lines)


def _described(p: Pass, width: int) -> Iterator[str]:
    yield f"  {p.name:<{width}}  {p.summary}"
    if p.when is not always:
        yield f"  {'':<{width}}  runs {p.when.__doc__}"
    if p.requires:
        yield f"  {'':<{width}}  requires {', '.join(f.name for f in p.requires)}"
    if p.establishes:
        yield f"  {'':<{width}}  establishes {', '.join(f.name for f in p.establishes)}"


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="weft opt",
        description="Runs passes of the kernel compiler and of LLVM over a file of LLVM IR.",
        epilog="example: weft opt -p isolate-barriers,place-implicit-barriers kernel.ll",
    )
    parser.add_argument("file", nargs="?", help="LLVM IR file; - reads standard input")
    parser.add_argument("-p", "--passes", help="comma-separated passes, in order; `list` lists all")
    parser.add_argument("-o", "--output", help="output file; default: standard output")
    parser.add_argument("--kernel", help="function to process; default: every kernel of the module")
    parser.add_argument(
        "--local-size",
        type=read_size,
        metavar="X,Y,Z",
        help="specialize for a local size; default: any",
    )
    parser.add_argument(
        "--id-bits", type=int, choices=ID_BITS, default=SMALL_IDS, help="the bits of global ids"
    )
    parser.add_argument(
        "--divergent",
        choices=("auto", *NAMES),
        default="auto",
        help="strategy for loops with divergent trip counts; all but auto force lanes",
    )
    parser.add_argument(
        "--lanes", type=int, default=LANES, help="32-bit lanes of a vector register; default: %(default)s"
    )
    parser.add_argument(
        "--may-overlap", action="store_true", help="assume that buffers of a launch may overlap"
    )
    parser.add_argument(
        "--known",
        type=_known_arguments,
        default=(),
        metavar="ARGUMENTS",
        help="known image formats (channel order,type) and samplers (bits), separated by colons",
    )
    parser.add_argument(
        "--limit",
        type=_limit,
        action="append",
        default=[],
        metavar="NAME=NUMBER",
        help=f"an instruction limit: {', '.join(_LIMITS)}",
    )
    parser.add_argument(
        "--remarks",
        default="",
        metavar="PASSES",
        help="print the remarks of these comma-separated passes, or `all`, as comments",
    )
    parser.add_argument("--analysis", choices=ANALYSES, help="print the result of an analysis as comments")
    return parser


def _known_arguments(text: str) -> KnownArguments:
    return tuple(tuple(int(n, 0) for n in part.split(",") if n) for part in text.split(":"))


def _limit(text: str) -> tuple[str, int]:
    name, _, number = text.partition("=")
    if name not in _LIMITS or not number.isdecimal():
        raise argparse.ArgumentTypeError(f"{text!r} is not LIMIT=NUMBER with a limit of {', '.join(_LIMITS)}")
    return _LIMITS[name], int(number)


def _known() -> list[str]:
    return [CANONICAL, *PASSES, *LLVM_PASSES]


def _functions(module: ir.Module, kernel: str | None) -> list[str]:
    """Return the names of the functions to process."""
    defined = [f for f in module.functions if not f.is_declaration]
    if kernel is not None:
        if kernel not in (f.name for f in defined):
            there = ", ".join(f"@{f.name}" for f in defined) or "none"
            raise OptError(f"the module does not define @{kernel}; functions defined: {there}")
        return [kernel]
    kernels = [f for f in defined if "spir_kernel" in f.prefix]
    return [f.name or "" for f in kernels or defined]


def _apply(
    module: ir.Module, passes: list[Pass], names: list[str], options: PassOptions, remarks: list[Remark]
) -> list[str]:
    """Run passes in order, each on all units; return the names of their functions, and append remarks to
    `told`."""
    trace = Trace("", None, "", None)
    units = [options.unit(module.function(name)) for name in names]
    for p in passes:
        if p.name == "keep-only" and len(units) > 1:
            raise OptError(
                f"keep-only keeps one of {', '.join(f'@{u.function.name}' for u in units)}: "
                "choose with --kernel"
            )
        for unit in units:
            symbol = work_group_symbol(unit.kernel)
            if p.name == "work-group-function" and symbol in module.globals:
                raise OptError(f"the module has @{symbol} already, so work-group-function cannot add it")
            p.check_before(unit.function)
            if p.name in options.remarks:
                unit.remarks = Remarks(unit.kernel, DebugInfo(module))
            run_pass(p, unit, trace)
            remarks += unit.remarks
            unit.remarks = SILENT
            verify(module)
            p.check_after(unit.function)
    return [unit.function.name or "" for unit in units]


def _llvm(text: str, names: list[str]) -> str:
    for canonical, group in groupby(names, lambda name: name == CANONICAL):
        target = host_target()
        text = canonicalise(text, target) if canonical else run_passes(text, list(group), target)
    return text
