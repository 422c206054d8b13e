"""`weft explain`: shows what the compiler does with the kernels of a program, and why."""

import argparse
import json
import os
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

from weft.cli.sizes import read_size
from weft.cli.words import join_options
from weft.explain.explain import explain
from weft.explain.html import page
from weft.explain.llvm_remarks import llvm_remarks
from weft.explain.text import TextWriter
from weft.frontend.program_source import read_source
from weft.kernel import LocalSize

ANY = "any"


def run(arguments: Sequence[str]) -> int:
    """Run the command and return its exit status."""
    parser = _parser()
    parsed = parser.parse_args(join_options(arguments))
    if parsed.file is None:
        parser.error("no program given; - reads standard input")
    data = sys.stdin.buffer.read() if parsed.file == "-" else Path(parsed.file).read_bytes()
    any_size = parsed.local == ANY
    report = explain(
        read_source(data),
        "standard input" if parsed.file == "-" else parsed.file,
        parsed.options,
        kernels=parsed.kernel,
        local_size=None if any_size else parsed.local,
        any_local_size=any_size,
        global_size=parsed.global_size,
        llvm=parsed.llvm,
    )
    if parsed.html is not None:
        Path(parsed.html).write_text(page(report), "utf-8", "backslashreplace")
    if parsed.llvm_remarks is not None:
        Path(parsed.llvm_remarks).write_text(llvm_remarks(report), "utf-8", "backslashreplace")
    if parsed.json:
        print(json.dumps(report.to_json(), indent=2))
    elif (parsed.html is None and parsed.llvm_remarks is None) or report.failed:
        colour = sys.stdout.isatty() and "NO_COLOR" not in os.environ
        width = min(max(shutil.get_terminal_size((100, 24)).columns, 80), 120)
        print(TextWriter(width, colour).report(report), end="")
    return 1 if report.failed else 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="weft explain",
        description="Shows what the compiler does with the kernels of a program, and why: barriers, "
        "parallel regions, variables, loops, memory accesses and branches.",
        epilog="example: weft explain dct.cl --local 8,8",
    )
    parser.add_argument("file", nargs="?", help="OpenCL C or SPIR-V file; - reads standard input")
    parser.add_argument(
        "--kernel", action="append", default=[], help="explain only this kernel; may be repeated"
    )
    parser.add_argument(
        "--local",
        type=_local_size,
        metavar="X,Y,Z",
        help="local size, or `any`; default: that required by the kernel, or a typical one",
    )
    parser.add_argument(
        "--global",
        dest="global_size",
        type=read_size,
        metavar="X,Y,Z",
        help="global size, which determines the tiles if work-items share nothing",
    )
    parser.add_argument("--options", default="", help="build options of clBuildProgram")
    parser.add_argument(
        "--llvm",
        action="store_true",
        help="run LLVM's optimizer and show what its vectorizer does with each region",
    )
    parser.add_argument(
        "--html",
        metavar="FILE",
        help="write an HTML page with the source, control-flow graphs and all tables",
    )
    parser.add_argument("--json", action="store_true", help="print everything as JSON, for tools")
    parser.add_argument("--llvm-remarks", metavar="FILE", help="write all remarks as YAML for LLVM's viewers")
    return parser


def _local_size(text: str) -> LocalSize | str:
    """Parse a local size or `any`."""
    return ANY if text == ANY else read_size(text)
