"""`weft opt`: runs passes of the kernel compiler, and of LLVM, over a file of LLVM IR."""

import argparse
import sys
from collections.abc import Sequence
from itertools import groupby
from pathlib import Path

from weft import ir
from weft.analysis.annotate import ANALYSES, Analysis
from weft.cli.sizes import read_size
from weft.codegen.canonicalise import canonicalise
from weft.codegen.host import host_target
from weft.codegen.optimise import PASSES as LLVM_PASSES
from weft.codegen.optimise import run_passes
from weft.codegen.optimise import verify as llvm_verify
from weft.errors import WeftError
from weft.ir.verifier import VerificationError, verify
from weft.transform.passes import PASSES, PassOptions
from weft.transform.simd.ways import NAMES

CANONICAL = "canonical"
CANONICAL_SUMMARY = "the form all passes start from: functions inlined, SSA, one exit, natural loops, LCSSA"


class OptError(WeftError):
    """The input, or what was asked of it, is wrong."""


def run(arguments: Sequence[str]) -> int:
    """Run the command with its arguments; the exit status."""
    parser = _parser()
    given = parser.parse_args(arguments)
    if given.passes == "list":
        print(listing())
        return 0
    if given.file is None:
        parser.error("a file is needed, or - for standard input")
    names = [name for name in (given.passes or "").split(",") if name]
    unknown = [n for n in names if n not in PASSES and n not in LLVM_PASSES and n != CANONICAL]
    if unknown:
        parser.error(f"there is no pass {unknown[0]!r}; there are: {', '.join(_known())} (see -p list)")
    if not names and given.analysis is None:
        parser.error("nothing to do: give passes with -p, or --analysis")
    options = PassOptions(given.local_size, given.wide_ids, divergent=given.divergent)
    analysis = ANALYSES[given.analysis] if given.analysis else None
    try:
        text = sys.stdin.read() if given.file == "-" else Path(given.file).read_text()
        result = optimise(text, names, options, given.kernel, analysis)
    except (ir.ParseError, UnicodeDecodeError, VerificationError, WeftError) as error:
        print(f"weft opt: {given.file}: {error}", file=sys.stderr)
        return 1
    if given.output is None or given.output == "-":
        print(result, end="")
    else:
        Path(given.output).write_text(result)
    return 0


def optimise(
    text: str,
    passes: Sequence[str],
    options: PassOptions,
    kernel: str | None = None,
    analysis: Analysis | None = None,
) -> str:
    """The text of a module after passes, with the comments of an analysis if one is given.

    Passes run over one kernel, or over all of them. The IR and the passes' contracts are verified.
    """
    module = ir.parse(text)
    verify(module)
    llvm_verify(text)
    names = _functions(module, kernel)
    for ours, group in groupby(passes, lambda name: name in PASSES):
        if ours:
            for name in group:
                names = _apply(module, name, names, options)
        else:
            module = ir.parse(_llvm(ir.print_module(module), list(group)))
            names = [n for n in names if n in module.globals]
    result = ir.print_module(module)
    if analysis is not None:
        module = ir.parse(result)  # the printer made names unique, by which comments refer to blocks
        for name in names:
            function = module.function(name)
            result = result.replace(ir.print_function(function), analysis.annotated(function))
    return result


def listing() -> str:
    """All passes and analyses, with a sentence each."""
    width = max(map(len, (*PASSES, *ANALYSES)))
    lines = ["passes of the kernel compiler, in their order:", f"  {CANONICAL:<{width}}  {CANONICAL_SUMMARY}"]
    for p in PASSES.values():
        lines.append(f"  {p.name:<{width}}  {p.summary}")
        if p.requires:
            lines.append(f"  {'':<{width}}  requires {', '.join(f.name for f in p.requires)}")
    lines += ["", "analyses (--analysis):"]
    lines += [f"  {a.name:<{width}}  {a.summary}" for a in ANALYSES.values()]
    lines += ["", "passes of LLVM:", *(f"  {name}" for name in LLVM_PASSES)]
    return "\n".join(lines)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="weft opt",
        description="Runs passes of the kernel compiler, and of LLVM, over a file of LLVM IR.",
        epilog="example: weft opt -p isolate-barriers,place-implicit-barriers kernel.ll",
    )
    parser.add_argument("file", nargs="?", help="the IR; - reads standard input")
    parser.add_argument("-p", "--passes", help="passes in order, with commas between; `list` shows them all")
    parser.add_argument("-o", "--output", help="the file to write; default: standard output")
    parser.add_argument("--kernel", help="the function to work on; default: every kernel of the module")
    parser.add_argument(
        "--local-size",
        type=read_size,
        metavar="X,Y,Z",
        help="specialize for a local size; default: any",
    )
    parser.add_argument("--wide-ids", action="store_true", help="let global ids exceed 31 bits")
    parser.add_argument(
        "--divergent",
        choices=("auto", *NAMES),
        default="auto",
        help="the way of loops that work-items leave at different times; other ways than auto force lanes",
    )
    parser.add_argument("--analysis", choices=ANALYSES, help="show the result of an analysis as comments")
    return parser


def _known() -> list[str]:
    return [CANONICAL, *PASSES, *LLVM_PASSES]


def _functions(module: ir.Module, kernel: str | None) -> list[str]:
    """Names of the functions to work on."""
    defined = [f for f in module.functions if not f.is_declaration]
    if kernel is not None:
        if kernel not in (f.name for f in defined):
            there = ", ".join(f"@{f.name}" for f in defined) or "none"
            raise OptError(f"the module does not define @{kernel}; functions defined: {there}")
        return [kernel]
    kernels = [f for f in defined if "spir_kernel" in f.prefix]
    return [f.name or "" for f in kernels or defined]


def _apply(module: ir.Module, name: str, functions: list[str], options: PassOptions) -> list[str]:
    if name == "keep-only" and len(functions) > 1:
        raise OptError(
            f"keep-only keeps one of {', '.join(f'@{f}' for f in functions)}: choose with --kernel"
        )
    result = []
    for function in map(module.function, functions):
        PASSES[name].check_before(function)
        made = PASSES[name].apply(function, options)
        verify(module)
        PASSES[name].check_after(made)
        result.append(made.name or "")
    return result


def _llvm(text: str, names: list[str]) -> str:
    for canonical, group in groupby(names, lambda name: name == CANONICAL):
        target = host_target()
        text = canonicalise(text, target) if canonical else run_passes(text, list(group), target)
    return text
