"""The measurements as plain data, and their summary: ratios, signs, goals."""

import json
import statistics
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from bench.divergence.counting import Counts
from bench.divergence.rates import Rates
from bench.divergence.subjects import AUTO, BASELINE, FIXED, STRATEGIES, SUBJECTS, Subject
from bench.side_by_side import Times
from weft.errors import WeftError

PEERS = {"intel": 0.75, "pocl": 0.60}
"""The peers, and the largest mean that the ten kernels should have."""
SLACK = 1.03
"""How much longer than the best fixed strategy `auto` may take."""
UNDER_MASKS = ("masked",)
"""Strategies that always load under masks, which valgrind's cache simulation does not see."""
NOISE = 0.01
"""How much times of the same code differ."""
FASTER = 1.5
FASTER_KERNELS = 6
_CHANGE = 0.03
# Fewer misses per thousand accesses are compulsory misses.
_FEW_MISSES = 1e-3


class BadStudy(WeftError):
    """A file does not contain a record of the study."""


@dataclass
class Finding:
    """One kernel: times, counts by strategy, and rates of its divergent loops by strategy."""

    times: Times = field(default_factory=Times)
    counts: dict[str, Counts] = field(default_factory=dict)
    rates: dict[str, Rates] = field(default_factory=dict)

    def speedup(self, strategy: str) -> float | None:
        """Return the speed-up over `serial`."""
        return _share(self.times.seconds.get(BASELINE), self.times.seconds.get(strategy))

    def over_best(self) -> float | None:
        """Return the time of `auto`, relative to the best fixed strategy."""
        best = min((t for strategy, t in self.times.seconds.items() if strategy in FIXED), default=None)
        return _share(self.times.seconds.get(AUTO), best)

    def best_strategy(self) -> str | None:
        """Return the fastest fixed strategy."""
        times = {strategy: t for strategy, t in self.times.seconds.items() if strategy in FIXED}
        return min(times, key=lambda strategy: times[strategy]) if times else None

    def over_peer(self, peer: str) -> float | None:
        """Return the time of `auto`, relative to a peer."""
        return _share(self.times.seconds.get(AUTO), self.times.seconds.get(peer))

    def instructions(self, strategy: str) -> float | None:
        """Return the instructions, relative to `serial`."""
        return _share(self._count(strategy, "instructions"), self._count(BASELINE, "instructions"))

    def misses(self, strategy: str) -> float | None:
        """Return the cache misses, relative to `serial`; None if there are few, or not all are simulated."""
        base = self.counts.get(BASELINE)
        if strategy in UNDER_MASKS or base is None or base.misses < _FEW_MISSES * (base.reads + base.writes):
            return None
        return _share(self._count(strategy, "misses"), base.misses)

    def _count(self, strategy: str, what: str) -> float | None:
        counts = self.counts.get(strategy)
        return None if counts is None else float(getattr(counts, what))


@dataclass
class Study:
    """All kernels by name, and the machine on which they were measured."""

    machine: str
    versions: dict[str, str]
    findings: dict[str, Finding]

    @property
    def subjects(self) -> list[Subject]:
        """The kernels of the study, in the order of the thesis."""
        return [subject for subject in SUBJECTS if subject.name in self.findings]

    def take_counts(self, other: "Study") -> None:
        """Take over the counts of the same kernels from another study; times are kept."""
        for name, finding in self.findings.items():
            if name in other.findings:
                finding.counts, finding.rates = other.findings[name].counts, other.findings[name].rates

    def mean_over(self, peer: str) -> float | None:
        """Return the geometric mean of the times of `auto`, relative to a peer."""
        return _mean(f.over_peer(peer) for f in self.findings.values())

    def verdicts(self) -> list[tuple[str, str, bool]]:
        """Return the goals, the measurements, and whether the goals are met."""
        findings = list(self.findings.items())
        worst = [(ratio, name) for name, f in findings if (ratio := f.over_best()) is not None]
        least = [(ratio, name) for name, f in findings if (ratio := f.speedup(AUTO)) is not None]
        verdicts = []
        if worst:
            ratio, name = max(worst)
            text = f"worst {ratio:.2f} ({name})"
            verdicts.append(
                ("`auto` takes at most 1.03 of the best fixed strategy's time", text, ratio <= SLACK)
            )
        if least:
            ratio, name = min(least)
            text = f"least {ratio:.2f} times as fast ({name})"
            verdicts.append(("`auto` is never slower than `serial`", text, ratio >= 1 - NOISE))
            quick = sum(ratio >= FASTER for ratio, _ in least)
            text = f"{quick} of {len(least)}"
            asked = f"`auto` is {FASTER} times as fast as `serial` on {FASTER_KERNELS} kernels"
            verdicts.append((asked, text, quick >= FASTER_KERNELS))
        for peer, goal in PEERS.items():
            mean = self.mean_over(peer)
            if mean is not None:
                asked = f"geometric mean of the time over {peer}'s at most {goal:.2f}"
                verdicts.append((asked, f"{mean:.2f}", mean <= goal))
        return verdicts

    def document(self) -> dict[str, Any]:
        """Return the study in a form for JSON."""
        return asdict(self)


def sign(ratio: float | None) -> str:
    """Return the thesis' sign for a ratio; less is better."""
    if ratio is None:
        return "0"
    return "+" if ratio < 1 - _CHANGE else "-" if ratio > 1 + _CHANGE else "0"


def load(path: Path) -> Study:
    """Read a study from a file; raise BadStudy if it does not contain one."""
    try:
        fields = json.loads(path.read_text())
        findings = {name: _finding(entry) for name, entry in fields["findings"].items()}
        return Study(fields["machine"], fields["versions"], findings)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise BadStudy(f"{path}: not a record of the study: {error!r}") from None


def save(study: Study, path: Path) -> None:
    """Write a record."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(study.document(), indent=1, ensure_ascii=False) + "\n")


def strategies_of(findings: Iterable[Finding]) -> Sequence[str]:
    """Return the measured strategies, in order."""
    measured = {strategy for finding in findings for strategy in (*finding.times.seconds, *finding.counts)}
    return [strategy for strategy in STRATEGIES if strategy in measured]


def _finding(entry: dict[str, Any]) -> Finding:
    return Finding(
        Times(**entry["times"]),
        {strategy: Counts(**counts) for strategy, counts in entry["counts"].items()},
        {strategy: Rates(**rates) for strategy, rates in entry["rates"].items()},
    )


def _share(part: float | None, whole: float | None) -> float | None:
    return part / whole if part is not None and whole else None


def _mean(ratios: Iterable[float | None]) -> float | None:
    known = [ratio for ratio in ratios if ratio is not None]
    return statistics.geometric_mean(known) if known else None
