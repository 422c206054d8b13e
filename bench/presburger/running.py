"""Table 6: the two kernels in several settings of Weft and on the peers, turn by turn in one run."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path

from bench.platforms import find_platforms
from weft.bench.drive import Driver, Effort
from weft.bench.outcome import BASE, Clock
from weft.bench.platforms import Platform
from weft.bench.registry import all_benchmarks

KERNELS = ("amd/FastWalshTransform", "amd/BitonicSort")
SCALAR, LANES, WITHOUT, WITH = "scalar", "lanes", "without proofs", "with proofs"
WAYS = {
    SCALAR: {"WEFT_WORKGROUP": "loops", "WEFT_PROOFS": "0"},
    LANES: {"WEFT_LANES": "8", "WEFT_PROOFS": "0"},
    WITHOUT: {"WEFT_PROOFS": "0"},
    WITH: {"WEFT_PROOFS": "1"},
}


@dataclass
class Times:
    """The best seconds of each way and peer for one kernel, or what went wrong there."""

    seconds: dict[str, float] = field(default_factory=dict)
    errors: dict[str, str] = field(default_factory=dict)


def ways_and_peers() -> list[Platform]:
    """Weft once for each setting, then the peers that are installed."""
    weft, *others = find_platforms()
    assert weft.name == BASE
    return [replace(weft, name=name, variables=variables) for name, variables in WAYS.items()] + others


class Timing:
    """Workers for all of them on one core; processor time counts, so that others may work too."""

    def __init__(self, scratch: Path, repeats: int, seconds: float) -> None:
        effort = Effort(repeats=repeats, sample_seconds=seconds, builds=1, cores=1)
        self.driver = Driver(ways_and_peers(), scratch, effort)

    def steps(self) -> int:
        """How often `time` calls its `step`."""
        return self.driver.steps()

    @property
    def versions(self) -> dict[str, str]:
        """What the platforms say of themselves, once they have run."""
        return {name: str(found["version"]) for name, found in self.driver.identities.items()}

    def time(self, kernel: str, step: Callable[[], None]) -> Times:
        """The best times of a kernel."""
        times = Times()
        for name, result in self.driver.run(all_benchmarks()[kernel], step).items():
            best = Clock.CPU.best(result)
            if best is not None:
                times.seconds[name] = best
            else:
                times.errors[name] = result.error or "not measured"
        return times

    def stop(self) -> None:
        """Ends the workers."""
        self.driver.stop()
