"""Results of a benchmark: best times, ratios of Weft's time to a peer's, goals."""

import statistics
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum

from bench.drive import Result
from bench.registry import Benchmark

BASE = "weft"

# The geometric mean that a family should reach at most, by peer; families of their own; and the build times'.
GOALS = {"intel": 0.80, "pocl": 0.65}
FAMILY_GOALS = {
    ("math", "intel"): 1.0,
    ("divergent", "intel"): 1.0,
    ("divergence", "intel"): 0.75,
    ("divergence", "pocl"): 0.6,
}
BUILD_GOAL = 0.5
# No kernel should take longer than this share of a peer's time.
LIMIT = 1.15


class Clock(Enum):
    """Which time counts: that of the wall, or that of the processors, which other processes disturb less."""

    WALL = "wall"
    CPU = "cpu"

    def best(self, result: Result | None) -> float | None:
        """The best of a platform's samples; None if it failed."""
        if result is None or result.error:
            return None
        samples = result.seconds if self is Clock.WALL else result.cpu_seconds
        return min(samples, default=None)


@dataclass(frozen=True)
class Outcome:
    """A benchmark's results; `limited` when memory allows no better, `note` is the reason of a bad ratio."""

    benchmark: Benchmark
    results: Mapping[str, Result]
    clock: Clock = Clock.WALL
    limited: bool = False
    note: str = ""
    share_of_c: float | None = None
    """Weft's rate as a share of what a C loop reaches on the same cores."""
    share_of_transposition: float | None = None
    """The same of a loop that transposes a matrix, where Weft does."""

    def best(self, platform: str) -> float | None:
        """The seconds of the best run."""
        return self.clock.best(self.results.get(platform))

    def build(self, platform: str) -> float | None:
        """The seconds of the best build."""
        result = self.results.get(platform)
        return min(result.build_seconds, default=None) if result and not result.error else None

    def settled(self, platform: str) -> float | None:
        """The seconds that the best build and the runs lost before the best code was there."""
        result = self.results.get(platform)
        return min(result.settled_seconds, default=None) if result and not result.error else None

    def phases(self, platform: str) -> Mapping[str, float]:
        """The seconds of the phases of the best run; none where the benchmark does not tell them apart."""
        result = self.results.get(platform)
        if not result or result.error or not result.phases:
            return {}
        samples = result.seconds if self.clock is Clock.WALL else result.cpu_seconds
        return result.phases[samples.index(min(samples))]

    def ratio(self, peer: str) -> float | None:
        """Weft's time as a share of the peer's: below 1, Weft is quicker."""
        return _share(self.best(BASE), self.best(peer))

    def build_ratio(self, peer: str) -> float | None:
        """The same of the build times."""
        return _share(self.build(BASE), self.build(peer))

    def settled_ratio(self, peer: str) -> float | None:
        """The same of all that is lost until the best code runs."""
        return _share(self.settled(BASE), self.settled(peer))

    def remark(self) -> str:
        """What the table says beside the numbers."""
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
    """A family against one peer: geometric means, how many cases they cover, and what was to be reached."""

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
    """The platforms with which Weft is compared."""
    names = list(platforms)
    return [name for name in names if name != BASE] if BASE in names else []


def goal_of(family: str, peer: str) -> float:
    """The mean that a family should reach at most; against peers that nobody named, as quick as they are."""
    return FAMILY_GOALS.get((family, peer), GOALS.get(peer, 1.0))


def summarize(outcomes: Sequence[Outcome], family: str, peer: str) -> Summary:
    """The means of a family. What memory limits counts as met, and still shows in the mean."""
    chosen = [outcome for outcome in outcomes if outcome.benchmark.family == family]
    goal = goal_of(family, peer)
    found = [(ratio, outcome.limited) for outcome in chosen if (ratio := outcome.ratio(peer)) is not None]
    builds = [ratio for outcome in chosen if (ratio := outcome.build_ratio(peer)) is not None]
    settled = [ratio for outcome in chosen if (ratio := outcome.settled_ratio(peer)) is not None]
    counted = [min(ratio, goal) if limited else ratio for ratio, limited in found]
    mean = _mean(counted)
    return Summary(
        family,
        peer,
        len(found),
        _mean([ratio for ratio, _ in found]),
        max((ratio for ratio, _ in found), default=None),
        _mean(builds),
        _mean(settled),
        goal,
        mean is not None and mean <= goal and max(counted) <= LIMIT,
    )


def _mean(ratios: Sequence[float]) -> float | None:
    return statistics.geometric_mean(ratios) if ratios else None


def families(outcomes: Iterable[Outcome]) -> list[str]:
    """The families in their order."""
    return list(dict.fromkeys(outcome.benchmark.family for outcome in outcomes))
