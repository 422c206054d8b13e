"""The common arguments of commands that read kernels from a file or standard input."""

import argparse
import sys
from pathlib import Path

from weft.cli.sizes import read_size
from weft.compiler.build_program import compile_program
from weft.errors import WeftError
from weft.frontend.options import parse_options
from weft.frontend.source_key import source_text
from weft.kernel import KernelCode, LocalSize


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments for program, kernels, build options and local size."""
    parser.add_argument("file", nargs="?", help="OpenCL C or SPIR-V file; - reads standard input")
    parser.add_argument("--kernel", action="append", default=[], help="only this kernel; may be repeated")
    parser.add_argument(
        "--local",
        type=read_size,
        metavar="X,Y,Z",
        help="local size; default: that required by the kernel",
    )
    parser.add_argument("--options", default="", help="build options of clBuildProgram")


def kernels(
    parser: argparse.ArgumentParser, parsed: argparse.Namespace
) -> list[tuple[KernelCode, LocalSize | None]]:
    """Return the requested kernels with their local sizes; raise WeftError if one does not exist."""
    if parsed.file is None:
        parser.error("no program given; - reads standard input")
    data = sys.stdin.buffer.read() if parsed.file == "-" else Path(parsed.file).read_bytes()
    program = compile_program(source_text(data), parse_options(parsed.options), debug_info=True)
    names = [k.info.name for k in program.kernels]
    for name in parsed.kernel:
        if name not in names:
            raise WeftError(f"{parsed.file} has no kernel {name!r}; available: {', '.join(names) or 'none'}")
    return [
        (code, parsed.local or code.info.reqd_work_group_size)
        for code in program.kernels
        if not parsed.kernel or code.info.name in parsed.kernel
    ]
