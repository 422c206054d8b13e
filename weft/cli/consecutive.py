"""`weft consecutive`: proves which memory accesses of a kernel are consecutive, and for which inputs."""

import argparse
import json
import re
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from weft.analysis.address_terms import GLOBAL_BLOCK, LOCAL_BLOCK
from weft.analysis.consecutive import prepared
from weft.cli.kernels import add_arguments, kernels
from weft.cli.words import join_options
from weft.codegen.cache import default_cache, digest
from weft.consecutive import Finding, Span, findings
from weft.errors import WeftError
from weft.smt.studies.presburger import NotPresburger
from weft.smt.studies.query_cache import QueryCache
from weft.smt.studies.ranges import NOT, RangeResult
from weft.smt.studies.smtlib import bit_vector_problem, integer_problem
from weft.smt.verdict import NO, Counterexample

WIDTHS = (2, 4, 8, 16, 32)
_BAR = 30


class NoSuchInput(WeftError):
    """A range was specified for an input that no access depends on."""


def run(arguments: Sequence[str]) -> int:
    """Run the command and return its exit status."""
    parser = _parser()
    options = parser.parse_args(join_options(arguments))
    cache = QueryCache(default_cache(), digest)
    bar = _Bar()
    results: list[Finding] = []
    for code, local in kernels(parser, options):
        results += findings(
            prepared(code.text, code.info.name, local),
            options.width,
            tuple(options.range),
            z3_ms=options.z3_ms,
            cache=cache,
            progress=bar.show,
        )
    bar.clear()
    used = {decided.key for f in results for decided in f.ranges}
    for span in options.range:
        if span.key not in used:
            raise NoSuchInput(f"no access depends on the input {span.key!r}")
    if options.smt_lib is not None:
        _export(results, options.width, Path(options.smt_lib))
    if options.json:
        print(json.dumps([_plain(f) for f in results], indent=2))
    else:
        print("\n".join(_report(results, options.width)))
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="weft consecutive",
        description="Proves which memory accesses are consecutive for adjacent work-items along x, and "
        "for which inputs. `gid` and `lid` are the global and the local id.",
        epilog="example: weft consecutive walsh.cl --width 8 --range step=1:65536",
    )
    add_arguments(parser)
    parser.add_argument(
        "--width", type=int, choices=WIDTHS, default=8, help="number of adjacent work-items; default: 8"
    )
    parser.add_argument(
        "--range",
        action="append",
        default=[],
        type=_span,
        metavar="INPUT=FIRST:END",
        help="decide for each value FIRST <= value < END of an input",
    )
    parser.add_argument(
        "--z3-ms", type=int, default=2000, help="time limit for Z3 on undecided queries; 0 disables Z3"
    )
    parser.add_argument("--smt-lib", metavar="FOLDER", help="write each query as SMT-LIB problems")
    parser.add_argument("--json", action="store_true", help="print everything as JSON, for tools")
    return parser


def _span(text: str) -> Span:
    matched = re.fullmatch(r"(.+)=(-?\d+):(-?\d+)", text)
    if matched is None or int(matched[2]) >= int(matched[3]):
        raise argparse.ArgumentTypeError(f"{text!r} is not of the form step=1:65536")
    return Span(matched[1], int(matched[2]), int(matched[3]))


class _Bar:
    """A progress bar on the terminal for the values of an input."""

    def __init__(self) -> None:
        self.terminal = sys.stderr.isatty()
        self._shown = 0.0

    def show(self, done: int, total: int) -> None:
        now = time.monotonic()
        if self.terminal and now - self._shown > 0.1:
            self._shown = now
            bar = "━" * (_BAR * done // max(total, 1))
            print(f"\r\033[K{bar:<{_BAR}} {done} of {total} inputs", end="", file=sys.stderr, flush=True)

    def clear(self) -> None:
        if self.terminal and self._shown:
            print("\r\033[K", end="", file=sys.stderr, flush=True)


# Text


def _report(results: list[Finding], width: int) -> Iterator[str]:
    kernel = ""
    for finding in results:
        if finding.kernel != kernel:
            if kernel:
                yield ""
            kernel = finding.kernel
            yield f"{kernel}: {width} adjacent work-items"
        yield from _lines(finding)
    if not results:
        yield "no accesses to global or local memory"


def _lines(finding: Finding) -> Iterator[str]:
    where = str(finding.place) if finding.place is not None else "?"
    if finding.reason:
        yield f"  {where}  {finding.kind} {finding.object}: unknown, {finding.reason}"
        return
    yield f"  {where}  {finding.kind} {finding.object}[{finding.before}]"
    if finding.after != finding.before:
        yield f"      without modulo: {finding.after}"
    verdict = finding.verdict
    assert verdict is not None
    procedure = f" ({verdict.procedure}, {1e3 * verdict.seconds:.2f} ms)" if verdict.procedure else ""
    some = verdict.kind == NO and finding.condition is not None
    yield f"      {'not for all inputs' if some else verdict}{procedure}"
    if finding.condition is not None and finding.condition.atoms:
        under = finding.condition.verdict
        spent = f"{under.procedure}, {1e3 * under.seconds:.2f} ms"
        yield f"      {under} if {finding.condition} ({spent})"
    if verdict.counterexample is not None:
        yield f"      counterexample: {_example(verdict.counterexample, finding.element)}"
    for decided in finding.ranges:
        yield from _range_lines(decided)


def _example(example: Counterexample, element: int) -> str:
    ids = {GLOBAL_BLOCK: "gid from", LOCAL_BLOCK: "lid from"}
    names = sorted(example.inputs, key=lambda key: (key in ids, key))
    inputs = ", ".join(f"{ids.get(key, f'{key} =')} {example.inputs[key]}" for key in names)
    places = ", ".join(str(a // element) if a % element == 0 else f"{a} B" for a in example.addresses)
    return f"{inputs or 'any block'}: elements {places}"


def _range_lines(decided: RangeResult) -> Iterator[str]:
    total = len(decided.results)
    end = decided.low + total
    counts = f"{decided.yes} consecutive, {decided.no} not, {decided.unknown} unknown"
    yield f"      {decided.low} <= {decided.key} < {end}: {counts} ({decided.seconds:.2f} s)"
    if decided.condition is not None:
        how = ", proved for all such inputs" if decided.proved is not None else ""
        yield f"      consecutive if {decided.condition}{how}"
    by = ", ".join(f"{name} {count}" for name, count in decided.procedures.items())
    yield f"      decided by: {by}"
    refuted = (decided.results == NOT).nonzero()[0]
    if len(refuted):
        first = int(refuted[0])
        start = int(decided.starts[first])
        yield f"      not consecutive: {decided.key} = {decided.low + first}, from {start} on"


# JSON


def _plain(finding: Finding) -> dict[str, Any]:
    verdict, under = finding.verdict, finding.condition
    result: dict[str, Any] = {
        "kernel": finding.kernel,
        "line": finding.place.line if finding.place is not None else None,
        "column": finding.place.column if finding.place is not None else None,
        "kind": finding.kind,
        "object": finding.object,
        "element": finding.element,
        "term": finding.before,
        "without_modulo": finding.after,
        "reason": finding.reason,
        "answer": str(verdict) if verdict is not None else "unknown",
    }
    if verdict is not None:
        result |= {"procedure": verdict.procedure, "seconds": verdict.seconds, "alignment": verdict.alignment}
        if verdict.counterexample is not None:
            example = verdict.counterexample
            result["counterexample"] = {
                "inputs": dict(example.inputs),
                "addresses": list(example.addresses),
                "lane": example.lane,
            }
    if under is not None and under.atoms:
        result["condition"] = {
            "if": str(under),
            "answer": str(under.verdict),
            "seconds": under.verdict.seconds,
        }
    result["ranges"] = [
        {
            "input": a.key,
            "first": a.low,
            "end": a.low + len(a.results),
            "consecutive": a.yes,
            "not": a.no,
            "unknown": a.unknown,
            "condition": str(a.condition) if a.condition is not None else None,
            "procedures": a.procedures,
            "seconds": a.seconds,
        }
        for a in finding.ranges
    ]
    return result


# SMT-LIB


def _export(results: list[Finding], width: int, folder: Path) -> None:
    """Write each query in three forms: bit vectors, integers, and integers without modulo elimination."""
    folder.mkdir(parents=True, exist_ok=True)
    for number, finding in enumerate(results):
        if finding.offset is None or finding.facts is None:
            continue
        line = finding.place.line if finding.place is not None else 0
        stem = f"{finding.kernel}-{number}-line{line}-{finding.kind}-w{width}"
        query = finding.offset, width, finding.facts, finding.element
        note = f"; {finding.kernel}, line {line}: {finding.kind} {finding.object}[{finding.before}]\n"
        note += "; satisfiable if some block of work-items does not access consecutive elements\n"
        (folder / f"{stem}-bits.smt2").write_text(note + bit_vector_problem(*query))
        try:
            (folder / f"{stem}-integers.smt2").write_text(note + integer_problem(*query))
            modulo = integer_problem(*query, eliminate=False)
        except NotPresburger:
            continue
        (folder / f"{stem}-integers-modulo.smt2").write_text(note + modulo)
