"""`weft patterns`: classifies the memory access patterns of kernels."""

import argparse
import json
from collections.abc import Iterator, Sequence

from weft.cli.kernels import add_arguments, kernels
from weft.cli.words import join_options
from weft.dataclasses import asdict
from weft.source.patterns import WORDS, Access, patterns


def run(arguments: Sequence[str]) -> int:
    """Run the command and return its exit status."""
    parser = _parser()
    options = parser.parse_args(join_options(arguments))
    accesses = [access for code, local in kernels(parser, options) for access in patterns(code, local)]
    if options.json:
        print(json.dumps([asdict(access) for access in accesses], indent=2))
    else:
        print("\n".join(_report(accesses)))
    return 0


def _report(accesses: Sequence[Access]) -> Iterator[str]:
    kernel = ""
    for access in accesses:
        if access.kernel != kernel:
            kernel = access.kernel
            yield f"{kernel}:"
        words = ", ".join(part for part in (WORDS.get(access.pattern, ""), access.reason) if part)
        place = f"{access.line}:{access.column}"
        yield f"  {place:>8}  {access.pattern:<4}  {access.kind} {access.object}[{access.index}]  ({words})"
    if not accesses:
        yield "no accesses to global or local memory"


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="weft patterns",
        description="Classifies memory accesses by the elements that a work-item accesses and how adjacent "
        "work-items along x differ: SS (single, separate), RF (row, focused), CS (column, separate), BS "
        "(block, separate), "
        "NS (neighbours, separate), or none of them, with the reason.",
        epilog="example: weft patterns matrix.cl",
    )
    add_arguments(parser)
    parser.add_argument("--json", action="store_true", help="print everything as JSON, for tools")
    return parser
