"""Outcomes as a text table: a line per benchmark when it is done, then a line per family."""

import math
from collections.abc import Iterable, Sequence

from bench.outcome import BASE, LIMIT, Outcome, Summary, families, goal_of, peers, summarize
from bench.registry import Benchmark

_TIME, _RATIO, _BUILD, _RATE = 10, 12, 8, 14


class Table:
    """Formats lines with the widths of the columns."""

    def __init__(self, benchmarks: Iterable[Benchmark], platforms: Sequence[str]) -> None:
        self.platforms = platforms
        self.peers = peers(platforms)
        titles = [_title(peer) for peer in self.peers]
        self.left = max(map(len, [*titles, *(b.name for b in benchmarks)]), default=0)

    def header(self) -> str:
        """Return the two header lines."""
        times, builds = _TIME * len(self.platforms), _BUILD * len(self.platforms)
        ratios = _RATIO * len(self.peers)
        above = f"{'':<{self.left}}{'best time':>{times}}{'time / time' if ratios else '':>{ratios}}"
        above += f"{'build (ms)':>{builds}}"
        names = [f"{name:>{_TIME}}" for name in self.platforms]
        names += [f"{f'{BASE}/{peer}':>{_RATIO}}" for peer in self.peers]
        names += [f"{name:>{_BUILD}}" for name in self.platforms]
        return f"{above}\n{'':<{self.left}}{''.join(names)}{f'{self.platforms[0]} rate':>{_RATE}}  notes"

    def line(self, outcome: Outcome) -> str:
        """Format a benchmark: times, ratios (`!` marks those above the limit), builds, rate, notes."""
        cells = [f"{self._time(outcome, name):>{_TIME}}" for name in self.platforms]
        for peer in self.peers:
            ratio = outcome.ratio(peer)
            mark = "!" if ratio is not None and ratio > LIMIT and not outcome.limited else " "
            cells.append(f"{_number(ratio) + mark:>{_RATIO}}")
        for name in self.platforms:
            build = outcome.build(name)
            cells.append(f"{significant(1e3 * build) if build is not None else '-':>{_BUILD}}")
        cells.append(f"{self._rate(outcome):>{_RATE}}  {outcome.remark()}")
        return f"{outcome.benchmark.name:<{self.left}}{''.join(cells)}".rstrip()

    def footer(self, outcomes: Sequence[Outcome]) -> str:
        """Return the geometric means of each family, with their goals."""
        return "\n".join(line for peer in self.peers for line in ["", *self._means(outcomes, peer)])

    def phases(self, outcomes: Sequence[Outcome]) -> str:
        """Return the phases of the best run in milliseconds: a block for each benchmark that distinguishes
        them."""
        lines = []
        for outcome in outcomes:
            by_platform = {name: outcome.phases(name) for name in self.platforms}
            names = dict.fromkeys(phase for phases in by_platform.values() for phase in phases)
            if names:
                heads = "".join(f"{name:>{_TIME}}" for name in self.platforms)
                lines += ["", f"{outcome.benchmark.name + ', phases (ms)':<{self.left}}{heads}"]
            for phase in names:
                times = [by_platform[name].get(phase) for name in self.platforms]
                cells = ["-" if seconds is None else significant(1e3 * seconds) for seconds in times]
                lines.append(f"  {phase:<{self.left - 2}}" + "".join(f"{cell:>{_TIME}}" for cell in cells))
        return "\n".join(lines)

    def _means(self, outcomes: Sequence[Outcome], peer: str) -> list[str]:
        lines = [f"{_title(peer):<{self.left}}{'cases':>8}{'time':>8}{'goal':>8}{'worst':>8}"]
        lines[0] += f"{'build':>8}{'settled':>8}"
        for family in families(outcomes):
            lines.append(self._mean(summarize(outcomes, family, peer)))
        return lines

    def _mean(self, summary: Summary) -> str:
        cells = [str(summary.cases), _number(summary.mean), _number(goal_of(summary.family, summary.peer))]
        cells += [_number(summary.worst), _number(summary.build), _number(summary.settled)]
        verdict = "" if summary.mean is None else "  met" if summary.met else "  short"
        return f"{summary.family:<{self.left}}{''.join(f'{cell:>8}' for cell in cells)}{verdict}"

    def _time(self, outcome: Outcome, name: str) -> str:
        error = outcome.results[name].error
        if error:
            return "wrong" if "AssertionError" in error else "failed"
        return duration(outcome.best(name))

    def _rate(self, outcome: Outcome) -> str:
        benchmark, best = outcome.benchmark, outcome.best(self.platforms[0])
        if best is None or not benchmark.unit.is_rate:
            return ""
        return f"{significant(benchmark.unit.value_of(best, benchmark.work))} {benchmark.unit.value}"


def _title(peer: str) -> str:
    return f"{BASE}/{peer}, geometric means"


def duration(seconds: float | None) -> str:
    """Format a time with its unit."""
    if seconds is None:
        return "-"
    if seconds >= 1:
        return f"{significant(seconds)} s"
    if seconds >= 1e-3:
        return f"{significant(1e3 * seconds)} ms"
    return f"{significant(1e6 * seconds)} µs"


def significant(value: float) -> str:
    """Format three significant digits, without an exponent."""
    digits = max(0, 2 - math.floor(math.log10(value))) if value > 0 else 0
    return f"{value:.{digits}f}"


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f}"
