"""What was measured, as plain data, and what it comes to: ratios, signs, goals."""

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
"""The peers, and the mean that the ten kernels should reach at most."""
SLACK = 1.03
"""`auto` may take so much longer than the best fixed strategy."""
UNDER_MASKS = ("masked",)
"""Strategies that load under masks all the time, which valgrind's simulation of caches does not see."""
NOISE = 0.01
"""Times of the same code differ by so much."""
FASTER = 1.5
FASTER_KERNELS = 6
_CHANGE = 0.03
# Fewer misses than this in a thousand accesses are those of a first touch.
_FEW_MISSES = 1e-3


class BadStudy(WeftError):
    """A file that holds no record of the study."""


@dataclass
class Finding:
    """One kernel: times, counts by strategy, and how its divergent loops ran by strategy."""

    times: Times = field(default_factory=Times)
    counts: dict[str, Counts] = field(default_factory=dict)
    rates: dict[str, Rates] = field(default_factory=dict)

    def speedup(self, strategy: str) -> float | None:
        """How many times as fast as `serial`."""
        return _share(self.times.seconds.get(BASELINE), self.times.seconds.get(strategy))

    def over_best(self) -> float | None:
        """The time of `auto` as a share of the best fixed strategy's."""
        best = min((t for strategy, t in self.times.seconds.items() if strategy in FIXED), default=None)
        return _share(self.times.seconds.get(AUTO), best)

    def best_strategy(self) -> str | None:
        """The quickest fixed strategy."""
        found = {strategy: t for strategy, t in self.times.seconds.items() if strategy in FIXED}
        return min(found, key=lambda strategy: found[strategy]) if found else None

    def over_peer(self, peer: str) -> float | None:
        """The time of `auto` as a share of a peer's."""
        return _share(self.times.seconds.get(AUTO), self.times.seconds.get(peer))

    def instructions(self, strategy: str) -> float | None:
        """Instructions as a share of those of `serial`."""
        return _share(self._count(strategy, "instructions"), self._count(BASELINE, "instructions"))

    def misses(self, strategy: str) -> float | None:
        """Cache misses as a share of those of `serial`; None if there are few, or not all are seen."""
        base = self.counts.get(BASELINE)
        if strategy in UNDER_MASKS or base is None or base.misses < _FEW_MISSES * (base.reads + base.writes):
            return None
        return _share(self._count(strategy, "misses"), base.misses)

    def _count(self, strategy: str, what: str) -> float | None:
        counts = self.counts.get(strategy)
        return None if counts is None else float(getattr(counts, what))


@dataclass
class Study:
    """All kernels by name, and where they were measured."""

    machine: str
    versions: dict[str, str]
    findings: dict[str, Finding]

    @property
    def subjects(self) -> list[Subject]:
        """What was studied, in the order of the thesis."""
        return [subject for subject in SUBJECTS if subject.name in self.findings]

    def take_counts(self, other: "Study") -> None:
        """Take what was counted for the same kernels in another study; the times stay."""
        for name, finding in self.findings.items():
            if name in other.findings:
                finding.counts, finding.rates = other.findings[name].counts, other.findings[name].rates

    def mean_over(self, peer: str) -> float | None:
        """The geometric mean of the times of `auto` as shares of a peer's."""
        return _mean(f.over_peer(peer) for f in self.findings.values())

    def verdicts(self) -> list[tuple[str, str, bool]]:
        """What should hold, what was measured, and whether it holds."""
        found = list(self.findings.items())
        worst = [(ratio, name) for name, f in found if (ratio := f.over_best()) is not None]
        least = [(ratio, name) for name, f in found if (ratio := f.speedup(AUTO)) is not None]
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
        """As JSON can hold it."""
        return asdict(self)


def sign(ratio: float | None) -> str:
    """The thesis' sign of a ratio in which less is better."""
    if ratio is None:
        return "0"
    return "+" if ratio < 1 - _CHANGE else "-" if ratio > 1 + _CHANGE else "0"


def load(path: Path) -> Study:
    """The study that a file holds; raises BadStudy if it holds none."""
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
    """The strategies that were measured, in their order."""
    found = {strategy for finding in findings for strategy in (*finding.times.seconds, *finding.counts)}
    return [strategy for strategy in STRATEGIES if strategy in found]


def _finding(entry: dict[str, Any]) -> Finding:
    return Finding(
        Times(**entry["times"]),
        {strategy: Counts(**counts) for strategy, counts in entry["counts"].items()},
        {strategy: Rates(**rates) for strategy, rates in entry["rates"].items()},
    )


def _share(part: float | None, whole: float | None) -> float | None:
    return part / whole if part is not None and whole else None


def _mean(ratios: Iterable[float | None]) -> float | None:
    found = [ratio for ratio in ratios if ratio is not None]
    return statistics.geometric_mean(found) if found else None
