"""Results of a benchmark: best times, ratios of Weft's time to a peer's, goals."""

import statistics
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum

from bench.drive import Result
from bench.registry import Benchmark

BASE = "weft"

# The largest geometric mean that a family should have, by peer; those of particular families; and that of
# build times.
GOALS = {"intel": 0.80, "pocl": 0.65}
FAMILY_GOALS = {
    ("math", "intel"): 1.0,
    ("divergent", "intel"): 1.0,
    ("divergence", "intel"): 0.75,
    ("divergence", "pocl"): 0.6,
}
BUILD_GOAL = 0.5
# The maximum ratio of a kernel's time to a peer's.
LIMIT = 1.15


class Clock(Enum):
    """The time that counts: wall time, or processor time, which other processes disturb less."""

    WALL = "wall"
    CPU = "cpu"

    def best(self, result: Result | None) -> float | None:
        """Return the best of a platform's samples; None if it failed."""
        if result is None or result.error:
            return None
        samples = result.seconds if self is Clock.WALL else result.cpu_seconds
        return min(samples, default=None)


@dataclass(frozen=True)
class Outcome:
    """A benchmark's results; `limited`: memory is the limit; `note` is the reason for a bad ratio."""

    benchmark: Benchmark
    results: Mapping[str, Result]
    clock: Clock = Clock.WALL
    limited: bool = False
    note: str = ""
    share_of_c: float | None = None
    """Weft's rate, relative to a C loop on the same cores."""
    share_of_transposition: float | None = None
    """The same relative to a loop that transposes a matrix, if the benchmark does."""

    def best(self, platform: str) -> float | None:
        """Return the seconds of the best run."""
        return self.clock.best(self.results.get(platform))

    def build(self, platform: str) -> float | None:
        """Return the seconds of the best build."""
        result = self.results.get(platform)
        return min(result.build_seconds, default=None) if result and not result.error else None

    def settled(self, platform: str) -> float | None:
        """Return the seconds that are lost until the optimized code runs: the best build and slower runs."""
        result = self.results.get(platform)
        return min(result.settled_seconds, default=None) if result and not result.error else None

    def phases(self, platform: str) -> Mapping[str, float]:
        """Return the phases of the best run in seconds; empty if the benchmark does not distinguish any."""
        result = self.results.get(platform)
        if not result or result.error or not result.phases:
            return {}
        samples = result.seconds if self.clock is Clock.WALL else result.cpu_seconds
        return result.phases[samples.index(min(samples))]

    def ratio(self, peer: str) -> float | None:
        """Return Weft's time relative to the peer's; below 1, Weft is faster."""
        return _share(self.best(BASE), self.best(peer))

    def build_ratio(self, peer: str) -> float | None:
        """Return the ratio of the build times."""
        return _share(self.build(BASE), self.build(peer))

    def settled_ratio(self, peer: str) -> float | None:
        """Return the ratio of the times that are lost until the optimized code runs."""
        return _share(self.settled(BASE), self.settled(peer))

    def remark(self) -> str:
        """Return the remarks in the table."""
        remarks = [] if self.share_of_c is None else [f"{self.share_of_c:.2f} of a C loop"]
        if self.share_of_transposition is not None:
            remarks = [
                f"{self.share_of_transposition:.2f} of a C loop that transposes",
                f"{remarks[0]} that copies",
            ]
        return "; ".join([*remarks, *["at memory bandwidth"] * self.limited, *[self.note] * bool(self.note)])


def _share(weft: float | None, peer: float | None) -> float | None:
    return weft / peer if weft is not None and peer else None


@dataclass(frozen=True)
class Summary:
    """A family against one peer: geometric means, the number of cases, and the goal."""

    family: str
    peer: str
    cases: int
    mean: float | None
    worst: float | None
    build: float | None
    settled: float | None
    goal: float
    met: bool


def peers(platforms: Iterable[str]) -> list[str]:
    """Return the platforms with which Weft is compared."""
    names = list(platforms)
    return [name for name in names if name != BASE] if BASE in names else []


def goal_of(family: str, peer: str) -> float:
    """Return the largest mean that a family should have; 1 for peers without a goal."""
    return FAMILY_GOALS.get((family, peer), GOALS.get(peer, 1.0))


def summarize(outcomes: Sequence[Outcome], family: str, peer: str) -> Summary:
    """Return the means of a family. Memory-limited benchmarks count as met, but are part of the mean."""
    chosen = [outcome for outcome in outcomes if outcome.benchmark.family == family]
    goal = goal_of(family, peer)
    ratios = [(ratio, outcome.limited) for outcome in chosen if (ratio := outcome.ratio(peer)) is not None]
    builds = [ratio for outcome in chosen if (ratio := outcome.build_ratio(peer)) is not None]
    settled = [ratio for outcome in chosen if (ratio := outcome.settled_ratio(peer)) is not None]
    counted = [min(ratio, goal) if limited else ratio for ratio, limited in ratios]
    mean = _mean(counted)
    return Summary(
        family,
        peer,
        len(ratios),
        _mean([ratio for ratio, _ in ratios]),
        max((ratio for ratio, _ in ratios), default=None),
        _mean(builds),
        _mean(settled),
        goal,
        mean is not None and mean <= goal and max(counted) <= LIMIT,
    )


def _mean(ratios: Sequence[float]) -> float | None:
    return statistics.geometric_mean(ratios) if ratios else None


def families(outcomes: Iterable[Outcome]) -> list[str]:
    """Return the families in order."""
    return list(dict.fromkeys(outcome.benchmark.family for outcome in outcomes))
