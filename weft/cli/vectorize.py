"""`weft vectorize`: rewrites kernels with vector types, as OpenCL C for any device."""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from weft.errors import WeftError
from weft.frontend.compile import source_text
from weft.frontend.options import parse_options
from weft.source.host import c_header, note, python_module
from weft.source.inter import FACTORS
from weft.source.rewrite import INTER, INTRA, Request, Rewritten, vectorize


def run(arguments: Sequence[str]) -> int:
    """Run the command with its arguments; the exit status."""
    parser = _parser()
    given = parser.parse_args(arguments)
    if given.file is None:
        parser.error("a file is needed, or - for standard input")
    if not given.inter and not given.intra:
        parser.error("say how to vectorize: --inter VF, --intra VF or both")
    if given.in_place and (given.file == "-" or given.output):
        parser.error("--in-place needs a file, and no -o")
    path = Path(given.file)
    data = sys.stdin.buffer.read() if given.file == "-" else path.read_bytes()
    name = "<stdin>" if given.file == "-" else given.file
    request = Request(
        inter=given.inter,
        intra=given.intra,
        kernels=tuple(given.kernel),
        exact=given.exact,
        fast_math=given.fast_math,
        order=(INTER, INTRA) if given.inter_first else (INTRA, INTER),
    )
    made = vectorize(source_text(data), parse_options(given.options), name, request)
    _write(made, given, path)
    return 0


def _write(made: Rewritten, given: argparse.Namespace, path: Path) -> None:
    output = path if given.in_place else Path(given.output) if given.output else None
    if output is None:
        print(made.text, end="")
    else:
        if not given.in_place and output.exists() and output.samefile(path):
            raise WeftError(f"{output} is the program itself; --in-place replaces it")
        output.write_text(made.text)
    for merged in made.merged:
        print(note(merged), file=sys.stderr)
        for line, reason in merged.serial:
            print(f"{given.file}:{line}: one lane after the other: {reason}", file=sys.stderr)
    for unrolled in made.unrolled:
        into = f", reducing into {', '.join(unrolled.reductions)}" if unrolled.reductions else ""
        print(f"{given.file}:{unrolled.line}: {unrolled.factor} iterations at once{into}", file=sys.stderr)
        for line, reason in unrolled.serial:
            print(f"{given.file}:{line}: one lane after the other: {reason}", file=sys.stderr)
    for refused in made.left:
        print(f"{refused}: this loop stays as it is", file=sys.stderr)
    if given.host:
        host = Path(given.host)
        host.write_text((python_module if host.suffix == ".py" else c_header)(made.merged))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="weft vectorize",
        description="Rewrites the kernels of a program with vector types. The result is OpenCL C for any "
        "device; what is not rewritten keeps its text.",
        epilog="example: weft vectorize kernel.cl --inter 4 -o kernel-v4.cl --host launch.py",
    )
    parser.add_argument("file", nargs="?", help="the program; - reads standard input")
    parser.add_argument(
        "--inter",
        type=int,
        choices=FACTORS,
        default=0,
        metavar="VF",
        help="merge VF neighbouring work-items along x into one (2, 4, 8 or 16)",
    )
    parser.add_argument(
        "--intra",
        type=int,
        choices=FACTORS,
        default=0,
        metavar="VF",
        help="run VF iterations of innermost loops at once (2, 4, 8 or 16)",
    )
    parser.add_argument("--inter-first", action="store_true", help="of both, merge work-items first")
    parser.add_argument(
        "--fast-math", action="store_true", help="sums and products of floats may be reassociated"
    )
    parser.add_argument(
        "--exact",
        action="store_true",
        help="the global size along x is a multiple of VF: leave the guard for the last block out",
    )
    parser.add_argument("--kernel", action="append", default=[], help="a kernel, once or more; default: all")
    parser.add_argument("--options", default="", help="build options, as for clBuildProgram")
    parser.add_argument("-o", "--output", metavar="FILE", help="where to write; default: standard output")
    parser.add_argument("--in-place", action="store_true", help="replace the program")
    parser.add_argument(
        "--host",
        metavar="FILE",
        help="write what the host needs to launch the kernels: Python if FILE ends in .py, else a C header",
    )
    return parser
