"""Times the kernels in every way and on the peers, turn by turn in one run."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from bench.divergence.subjects import Subject
from bench.platforms import find_platforms
from weft.bench.drive import Driver, Effort
from weft.bench.outcome import BASE, Clock
from weft.bench.platforms import Platform
from weft.bench.registry import all_benchmarks


@dataclass(frozen=True)
class Times:
    """The best seconds of each way and peer, or what went wrong there."""

    seconds: dict[str, float] = field(default_factory=dict)
    errors: dict[str, str] = field(default_factory=dict)

    def improve(self, others: "Times") -> None:
        """Takes what was better in another round, and every failure."""
        for name, seconds in others.seconds.items():
            self.seconds[name] = min(seconds, self.seconds.get(name, seconds))
        self.errors.update(others.errors)


def ways_as_platforms(ways: Sequence[str]) -> list[Platform]:
    """Weft once for each way; then the peers that are installed."""
    weft, *others = find_platforms()
    assert weft.name == BASE
    return [replace(weft, name=way, variables={"WEFT_DIVERGENT": way}) for way in ways] + others


class Timing:
    """Workers for all ways and peers on one core; processor time counts, so that others may work too."""

    def __init__(self, ways: Sequence[str], scratch: Path, repeats: int, seconds: float) -> None:
        effort = Effort(repeats=repeats, sample_seconds=seconds, builds=1, cores=1)
        self.driver = Driver(ways_as_platforms(ways), scratch, effort)

    @property
    def names(self) -> list[str]:
        """What is compared."""
        return [platform.name for platform in self.driver.platforms]

    @property
    def versions(self) -> dict[str, str]:
        """What the platforms say of themselves, once they have run."""
        return {name: str(found["version"]) for name, found in self.driver.identities.items()}

    def steps(self) -> int:
        """How often `time` calls its `step`."""
        return self.driver.steps()

    def time(self, subject: Subject, step: Callable[[], None]) -> Times:
        """The best times of one kernel."""
        results = self.driver.run(all_benchmarks()[subject.benchmark], step)
        times = Times()
        for name, result in results.items():
            best = Clock.CPU.best(result)
            if best is not None:
                times.seconds[name] = best
            else:
                times.errors[name] = result.error or "not measured"
        return times

    def stop(self) -> None:
        """Ends the workers."""
        self.driver.stop()
