"""Writes docs/presburger.md from the measurements."""

from collections.abc import Iterable, Sequence
from pathlib import Path

from bench.presburger.problems import PROBLEMS, WIDTHS, ProblemSet, Row
from bench.presburger.running import KERNELS, LANES, SCALAR, WITH, WITHOUT
from bench.presburger.solving import ALONE, CLASS, ELIMINATED, PLAIN, Tally
from bench.presburger.study import PEERS, Study

PAGE = "presburger.md"
TIMES = "\u00d7"
_PREFACE = Path(__file__).with_name("preface.md")
# Milliseconds in the paper's table 6: scalar, WFV, WFV with proofs, Intel.
_PAPER_TIMES = {"amd/FastWalshTransform": (303, 309, 299, 313), "amd/BitonicSort": (236, 121, 58, 680)}


def write(study: Study, docs: Path) -> Path:
    """Write the page below `docs`; return its path."""
    path = docs / PAGE
    path.write_text(text_of(study))
    return path


def text_of(study: Study) -> str:
    """Return the page."""
    parts = [_PREFACE.read_text(), f"Measured on {study.processor}, one core.\n", _goals(study)]
    parts += [_answers(problem, study) for problem in PROBLEMS if problem.name in study.tallies]
    parts.append(_sets(study))
    if study.times:
        parts.append(_times(study))
    return "\n".join(parts)


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def _goals(study: Study) -> str:
    rows = [(what, finding, "met" if ok else "**short**") for what, finding, ok in study.verdicts()]
    return "## Goals\n\n" + _table(("goal", "found", ""), rows)


# Tables 1 to 4


def _answers(problem: ProblemSet, study: Study) -> str:
    total = problem.end - problem.low
    numbers = "1 and 2" if problem.name == "FastWalshTransform" else "3 and 4"
    text = (
        f"## {problem.name} (tables {numbers} of the paper)\n\n"
        f"Inputs {problem.low} to {problem.end - 1}. Z3 {study.z3} gets {study.limit_ms / 1000:g} s per call "
        "and twice that per input. If it decides a sample, `all inputs` is its time per input times their "
        "number. Limits are wall-clock time, results are processor time. The paper used Z3 4.3.1 with 60 s "
        "per call.\n\n"
    )
    rows: list[Sequence[str]] = []
    for width, tallies in study.tallies[problem.name].items():
        rows.append(_paper_row(width, "paper, Z3", problem.plain[width]))
        rows.append(_paper_row(width, "paper, Z3 with modulo elimination", problem.eliminated[width]))
        plain = tallies.get(PLAIN)
        for way in (PLAIN, ELIMINATED, ALONE, CLASS):
            if way in tallies:
                rows.append(_row(width, way, tallies[way], total, plain))
    head = (
        "lanes",
        "procedure",
        "inputs",
        "consecutive",
        "not",
        "unknown",
        "time-outs",
        "CPU time",
        "all inputs",
        "speed-up",
    )
    return text + _table(head, rows)


def _paper_row(width: int, name: str, row: Row) -> Sequence[str]:
    total = row.yes + row.no + row.timeouts
    return (
        str(width), name, f"{total:,}", f"{row.yes:,}", f"{row.no:,}", "0", f"{row.timeouts:,}", row.cpu,
        row.cpu, "",
    )  # fmt: skip


def _row(width: int, way: str, tally: Tally, total: int, plain: Tally | None) -> Sequence[str]:
    name = {ALONE: "Weft, one by one", CLASS: "Weft, by class"}.get(way, way)
    per_input = tally.seconds / max(tally.inputs, 1)
    speedup = ""
    if plain is not None and way != PLAIN and per_input:
        speedup = f"{plain.seconds / plain.inputs / per_input:,.0f} {TIMES}"
    return (
        str(width), name, f"{tally.inputs:,}", f"{tally.yes:,}", f"{tally.no:,}", f"{tally.unknown:,}",
        f"{tally.timeouts:,}", _duration(tally.seconds), _duration(per_input * total), speedup,
    )  # fmt: skip


def _duration(seconds: float) -> str:
    if seconds < 1:
        return f"{1e3 * seconds:.2g} ms" if seconds < 0.1 else f"{1e3 * seconds:.0f} ms"
    if seconds < 120:
        return f"{seconds:.1f} s"
    return f"{seconds / 60:.0f} min" if seconds < 7200 else f"{seconds / 3600:.0f} h"


# Table 5


def _sets(study: Study) -> str:
    rows = []
    for problem in PROBLEMS:
        for width in WIDTHS:
            own = study.tallies.get(problem.name, {}).get(width, {}).get(CLASS)
            if own is not None:
                size = f"{own.yes:,} of {own.inputs:,}"
                rows.append(
                    (
                        problem.name,
                        str(width),
                        problem.sets[width],
                        size,
                        f"`{own.condition}`",
                        f"`{own.proved}`",
                    )
                )
    text = (
        "## The sets and their conditions (table 5)\n\n"
        "The paper's authors derived conditions from the sets by hand. Weft derives the condition twice: "
        "from "
        "the set of all decided inputs, and from the proof, whose condition holds for all inputs of the "
        "type, not only for those of the range.\n\n"
    )
    head = (
        "problem set",
        "lanes",
        "the paper's set",
        "size",
        "condition of the set",
        "condition that is proved",
    )
    return text + _table(head, rows)


# Table 6


def _times(study: Study) -> str:
    names = {
        SCALAR: "scalar",
        LANES: "8 lanes, gathers",
        WITHOUT: "Weft without proofs",
        WITH: "Weft with proofs",
    }
    columns = [*names, *PEERS]
    rows: list[Sequence[str]] = []
    for kernel in KERNELS:
        times = study.times.get(kernel)
        if times is None:
            continue
        cells = [f"{1e3 * times.seconds[c]:.2f}" if c in times.seconds else "" for c in columns]
        before, after = times.seconds.get(WITHOUT), times.seconds.get(WITH)
        gain = f"{before / after:.2f} {TIMES}" if before and after else ""
        rows.append((kernel, *cells, gain))
        scalar, wfv, proofs, intel = _PAPER_TIMES[kernel]
        rows.append(
            (
                "the paper's",
                str(scalar),
                str(wfv),
                "",
                str(proofs),
                str(intel),
                "",
                f"{wfv / proofs:.2f} {TIMES}",
            )
        )
    text = (
        "## Run times (table 6)\n\n"
        "Milliseconds of processor time on one core, best of many runs: whole transforms of 2^18 values and "
        "whole sorts of 2^15 keys, including launches for which the condition does not hold. `scalar` is a "
        "work-item loop that is left to LLVM; `8 lanes` forces whole-function vectorization; `without "
        "proofs` "
        "and `with proofs` are Weft's choices. The paper's figures are medians of single runs over 2^24 and "
        "2^20 elements on four cores without AVX, where memory matters more and vector units less.\n\n"
    )
    return text + _table(("kernel", *names.values(), *PEERS, "gain by proofs"), rows)
