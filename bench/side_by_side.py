"""Times benchmarks in several settings of Weft and on the peers, interleaved in one run, for the studies."""

import argparse
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from bench.drive import Driver, Effort
from bench.outcome import BASE, Clock
from bench.platforms import ROOT, Platform, find_platforms
from bench.registry import all_benchmarks


@dataclass(frozen=True)
class Times:
    """The best seconds of one benchmark under each setting and on each peer, or the error."""

    seconds: dict[str, float] = field(default_factory=dict)
    errors: dict[str, str] = field(default_factory=dict)

    def improve(self, others: "Times") -> None:
        """Take over better times and all errors of another round."""
        for name, seconds in others.seconds.items():
            self.seconds[name] = min(seconds, self.seconds.get(name, seconds))
        self.errors.update(others.errors)


def settings_and_peers(settings: Mapping[str, Mapping[str, str]]) -> list[Platform]:
    """Return Weft once for each named setting (environment variables), then the installed peers."""
    weft, *others = find_platforms()
    assert weft.name == BASE
    best = {"WEFT_TIERS": "0"}  # the studies are about running code, not about when it is ready
    return [
        replace(weft, name=name, variables={**best, **variables}) for name, variables in settings.items()
    ] + others


class Timing:
    """Workers for all of them on one core; processor time counts, so that other processes may run too."""

    def __init__(
        self, settings: Mapping[str, Mapping[str, str]], scratch: Path, repeats: int, seconds: float
    ) -> None:
        effort = Effort(repeats=repeats, sample_seconds=seconds, builds=1, cores=1)
        self.driver = Driver(settings_and_peers(settings), scratch, effort)

    @property
    def versions(self) -> dict[str, str]:
        """The versions that the platforms report, once they have run."""
        return {name: str(identity["version"]) for name, identity in self.driver.identities.items()}

    def steps(self) -> int:
        """Return how often `time` calls its `step`."""
        return self.driver.steps()

    def time(self, benchmark: str, step: Callable[[], None]) -> Times:
        """Return the best times of one benchmark."""
        times = Times()
        for name, result in self.driver.run(all_benchmarks()[benchmark], step).items():
            best = Clock.CPU.best(result)
            if best is not None:
                times.seconds[name] = best
            else:
                times.errors[name] = result.error or "not measured"
        return times

    def stop(self) -> None:
        """End the workers."""
        self.driver.stop()


def add_page_options(parser: argparse.ArgumentParser, record: Path) -> None:
    """Add options for the files of a study's record and page."""
    add = parser.add_argument
    add("--record", type=Path, default=record, help=f"file for the record ({record.name} in bench/results)")
    add(
        "--from",
        dest="earlier",
        type=Path,
        metavar="FILE",
        help="measure nothing: write the page of a record",
    )
    add("--docs", type=Path, default=ROOT / "docs", help="folder for the page (docs)")
