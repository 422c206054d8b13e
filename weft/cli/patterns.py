"""`weft patterns`: classifies the memory accesses of kernels by what work-items walk over."""

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path

from weft.cli.sizes import read_size
from weft.compiler.build_program import compile_program
from weft.errors import WeftError
from weft.frontend.compile import source_text
from weft.frontend.options import parse_options
from weft.source.patterns import WORDS, Access, patterns


def run(arguments: Sequence[str]) -> int:
    """Runs the command with its arguments; the exit status."""
    parser = _parser()
    given = parser.parse_args(arguments)
    if given.file is None:
        parser.error("a file is needed, or - for standard input")
    data = sys.stdin.buffer.read() if given.file == "-" else Path(given.file).read_bytes()
    program = compile_program(source_text(data), parse_options(given.options), debug_info=True)
    names = [k.info.name for k in program.kernels]
    for name in given.kernel:
        if name not in names:
            raise WeftError(f"{given.file} has no kernel {name!r}; there are: {', '.join(names) or 'none'}")
    found: list[Access] = []
    for code in program.kernels:
        if not given.kernel or code.info.name in given.kernel:
            found += patterns(code, given.local or code.info.reqd_work_group_size)
    if given.json:
        print(json.dumps([asdict(access) for access in found], indent=2))
    else:
        print("\n".join(_report(found)))
    return 0


def _report(found: Sequence[Access]) -> Iterator[str]:
    kernel = ""
    for access in found:
        if access.kernel != kernel:
            kernel = access.kernel
            yield f"{kernel}:"
        words = ", ".join(part for part in (WORDS.get(access.pattern, ""), access.reason) if part)
        place = f"{access.line}:{access.column}"
        yield f"  {place:>8}  {access.pattern:<4}  {access.kind} {access.object}[{access.index}]  ({words})"
    if not found:
        yield "there are no accesses to memory that work-items share"


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="weft patterns",
        description="Classifies memory accesses by what a work-item walks over and how its neighbours along "
        "x differ: SS (single, separate), RF (row, focused), CS (column, separate), BS (block, separate), "
        "NS (neighbours, separate), or none of them, with the reason.",
        epilog="example: weft patterns matrix.cl",
    )
    parser.add_argument("file", nargs="?", help="the program; - reads standard input")
    parser.add_argument("--kernel", action="append", default=[], help="a kernel, once or more; default: all")
    parser.add_argument(
        "--local",
        type=read_size,
        metavar="X,Y,Z",
        help="the local size; default: the one the kernel requires",
    )
    parser.add_argument("--options", default="", help="build options, as for clBuildProgram")
    parser.add_argument("--json", action="store_true", help="print everything as JSON, for tools")
    return parser
