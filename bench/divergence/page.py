"""Writes docs/divergence.md and its charts from the measurements."""

from collections.abc import Callable, Sequence
from pathlib import Path

from bench.divergence import counting
from bench.divergence.charts import BarChart, ShareChart
from bench.divergence.findings import PEERS, UNDER_MASKS, Finding, Study, sign, strategies_of
from bench.divergence.subjects import AUTO, BASELINE, Subject
from bench.table import duration
from weft.profile import MODES

PAGE = "divergence.md"
_SIGNED = "dvec-s"
"""The strategy whose signs are shown next to the thesis' signs for DVEC-S."""

_PREFACE = Path(__file__).with_name("preface.md")


def write(study: Study, docs: Path) -> Path:
    """Write the page and its charts below `docs`; return the path of the page."""
    images = docs / "images"
    images.mkdir(parents=True, exist_ok=True)
    for name, text in _charts(study).items():
        (images / f"divergence-{name}.svg").write_text(text)
    path = docs / PAGE
    path.write_text(text_of(study))
    return path


def text_of(study: Study) -> str:
    """Return the page."""
    strategies = strategies_of(study.findings.values())
    parts = [_PREFACE.read_text(), _where(study), _goals(study), _times(study, strategies)]
    if any(finding.counts for finding in study.findings.values()):
        parts.append(_counts(study, strategies))
    if any(finding.rates for finding in study.findings.values()):
        parts.append(_rates(study, strategies))
    parts.append(_table(study))
    return "\n".join(parts)


def _charts(study: Study) -> dict[str, str]:
    strategies = [strategy for strategy in strategies_of(study.findings.values()) if strategy != BASELINE]

    def bars(title: str, value: Callable[[Finding, str], float | None], most: float) -> str:
        values = {
            s.name: {strategy: value(study.findings[s.name], strategy) for strategy in strategies}
            for s in study.subjects
        }
        return BarChart(title, values, strategies, 1 / most, most).svg()

    charts = {"speedup": bars("Speed, serial = 1 (longer to the right is better)", Finding.speedup, 8.0)}
    if any(finding.counts for finding in study.findings.values()):
        title = "Instructions, serial = 1 (to the left is better)"
        charts["instructions"] = bars(title, Finding.instructions, 16.0)
        title = "Misses of the first-level data cache, serial = 1 (to the left is better)"
        charts["misses"] = bars(title, Finding.misses, 8.0)
    rates = {s.name: study.findings[s.name].rates.get(_SIGNED) for s in study.subjects}
    shares = {name: rate.shares() for name, rate in rates.items() if rate is not None}
    if shares:
        charts["convergence"] = ShareChart(
            "Iterations of divergent loops in each mode of dvec-s", shares, MODES
        ).svg()
    return charts


def _where(study: Study) -> str:
    versions = "; ".join(f"{name}: {text}" for name, text in study.versions.items())
    how = "one core, processor time, best of interleaved samples from several processes"
    return f"Measured on: {study.machine}, {how}. {versions}.\n"


def _goals(study: Study) -> str:
    lines = ["## Goals", "", "| | measured | |", "|---|---|---|"]
    lines += [
        f"| {what} | {finding} | {'yes' if ok else '**no**'} |" for what, finding, ok in study.verdicts()
    ]
    return "\n".join([*lines, ""])


def _times(study: Study, strategies: Sequence[str]) -> str:
    peers = [p for p in PEERS if any(p in f.times.seconds for f in study.findings.values())]
    columns = [*strategies, *peers, "best fixed", f"{AUTO}/best", *(f"{AUTO}/{peer}" for peer in peers)]
    lines = ["## Time", "", "![speed against serial](images/divergence-speedup.svg)", ""]
    lines += [f"| kernel | {' | '.join(columns)} |", f"|---|{'---:|' * len(columns)}"]
    for subject in study.subjects:
        finding = study.findings[subject.name]
        cells = [_time(finding, name) for name in (*strategies, *peers)]
        cells += [f"`{finding.best_strategy()}`", _number(finding.over_best())]
        cells += [_number(finding.over_peer(peer)) for peer in peers]
        lines.append(f"| {subject.name} | {' | '.join(cells)} |")
    means = [_number(study.mean_over(peer)) for peer in peers]
    lines.append(f"| geometric mean |{' |' * (len(strategies) + len(peers) + 2)} {' | '.join(means)} |")
    return "\n".join([*lines, ""])


def _counts(study: Study, strategies: Sequence[str]) -> str:
    size, associativity, line = counting.CACHE.split(",")
    titles = [f"{strategy}: {what}" for what in ("instructions", "misses") for strategy in strategies]
    lines = [
        "## Instructions and locality",
        "",
        "Counted by valgrind's callgrind with smaller inputs, for the kernels alone, compiled for "
        f"{counting.LEVEL} (valgrind does not",
        "support AVX-512). The counts are deterministic except for `auto`, whose choice varies. The "
        "simulated "
        "first-level data cache has",
        f"{int(size) // 1024} KiB, {associativity} ways and lines of {line} bytes. There is no ratio for a "
        "kernel with very few misses. The simulation",
        "does not see masked vector loads and stores (`vmaskmov`): misses of `masked` are not "
        "given, and those of `dvec-s`",
        "omit its masked iterations.",
        "",
        "![instructions against serial](images/divergence-instructions.svg)",
        "",
        "![misses against serial](images/divergence-misses.svg)",
        "",
        f"| kernel | {' | '.join(titles)} |",
        f"|---|{'---:|' * len(titles)}",
    ]
    for subject in study.subjects:
        counts = study.findings[subject.name].counts
        cells = [
            f"{counts[strategy].instructions:,}" if strategy in counts else "-" for strategy in strategies
        ]
        seen = [strategy for strategy in counts if strategy not in UNDER_MASKS]
        cells += [f"{counts[strategy].misses:,}" if strategy in seen else "-" for strategy in strategies]
        lines.append(f"| {subject.name} | {' | '.join(cells)} |")
    return "\n".join([*lines, ""])


def _rates(study: Study, strategies: Sequence[str]) -> str:
    lines = [
        "## Convergence",
        "",
        f"The iterations of all divergent loops of a kernel, by the mode in which `{_SIGNED}` runs them",
        "(Fig. 6.2 of the thesis), each counted once per participating work-item. The table lists the",
        "share of iterations in lanes for each strategy, and the share of active lanes in masked iterations.",
        "",
        "![convergence rates](images/divergence-convergence.svg)",
        "",
        f"| kernel | {' | '.join(strategies)} | lanes used by `masked` |",
        f"|---|{'---:|' * (len(strategies) + 1)}",
    ]
    for subject in study.subjects:
        rates = study.findings[subject.name].rates
        cells = [
            _percent(1 - rates[strategy].shares()["serial"]) if strategy in rates else "-"
            for strategy in strategies
        ]
        used = rates["masked"].used_lanes() if "masked" in rates else None
        lines.append(f"| {subject.name} | {' | '.join(cells)} | {_percent(used)} |")
    return "\n".join([*lines, ""])


def _table(study: Study) -> str:
    lines = [
        "## Table 6.1",
        "",
        f"The effect of `{_SIGNED}` against `{BASELINE}`, the thesis' sign and ours: `+` better, `-` worse,",
        f"`0` within 3 %. The last column is the same for the time of `{AUTO}`.",
        "",
        "| kernel | time, thesis | here | instructions, thesis | here | locality, thesis | here "
        f"| pattern (thesis) | access (thesis) | time of `{AUTO}` |",
        "|---|:-:|:-:|:-:|:-:|:-:|:-:|---|---|:-:|",
    ]
    lines += [_row(subject, study.findings[subject.name]) for subject in study.subjects]
    return "\n".join([*lines, ""])


def _row(subject: Subject, finding: Finding) -> str:
    times = finding.times.seconds
    here = _ratio(times.get(_SIGNED), times.get(BASELINE))
    auto = _ratio(times.get(AUTO), times.get(BASELINE))
    cells = [
        *(subject.time, _sign(here), subject.instructions, _sign(finding.instructions(_SIGNED))),
        *(subject.locality, sign(finding.misses(_SIGNED)) if finding.counts else "-"),
        *(subject.pattern, subject.access, _sign(auto)),
    ]
    return f"| {subject.name} | {' | '.join(cells)} |"


def _sign(ratio: float | None) -> str:
    return "-" if ratio is None else sign(ratio)


def _ratio(part: float | None, whole: float | None) -> float | None:
    return part / whole if part is not None and whole else None


def _time(finding: Finding, name: str) -> str:
    if name in finding.times.errors:
        return "wrong" if "AssertionError" in finding.times.errors[name] else "failed"
    return duration(finding.times.seconds.get(name))


def _percent(share: float | None) -> str:
    return "-" if share is None else f"{100 * share:.0f} %"


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f}"
