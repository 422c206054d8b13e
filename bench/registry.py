"""What a benchmark is, and the list of all: modules of `bench.families` add theirs with `@benchmark`."""

import importlib
import pkgutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bench.session import Session


class Unit(Enum):
    """How a result reads: a time as it is, or an amount of work divided by the time."""

    MICROSECONDS = "µs"
    MILLISECONDS = "ms"
    BANDWIDTH = "GB/s"
    ARITHMETIC = "GFLOP/s"

    def value_of(self, seconds: float, work: float) -> float:
        """The result in this unit, of a run that did `work` (bytes or operations) in `seconds`."""
        if self is Unit.MICROSECONDS:
            return 1e6 * seconds
        if self is Unit.MILLISECONDS:
            return 1e3 * seconds
        return 1e-9 * work / seconds


class Mode(Enum):
    """How runs make a sample."""

    STREAM = "many enqueued, then one wait"
    ROUND_TRIP = "a wait after each"
    SINGLE = "one run is the sample: it cannot be repeated"


class Caches(Enum):
    """Whether a platform may keep compiled kernels on disk."""

    ON = "on"
    OFF = "off"
    FILLED = "on, and filled by another process that ran the same benchmark"


@dataclass(frozen=True)
class Task:
    """A prepared benchmark: `run` enqueues it once, `check` raises AssertionError if a result is wrong."""

    run: Callable[[], None]
    check: Callable[[], None]


@dataclass(frozen=True)
class Benchmark:
    """One line of the table."""

    name: str
    prepare: Callable[["Session"], Task]
    unit: Unit
    work: float
    mode: Mode
    caches: Caches


_REGISTRY: dict[str, Benchmark] = {}


def benchmark(
    name: str, unit: Unit, *, work: float = 0.0, mode: Mode = Mode.STREAM, caches: Caches = Caches.ON
) -> Callable[[Callable[["Session"], Task]], Callable[["Session"], Task]]:
    """Registers a function that prepares a benchmark; `name` is `family/what/size`."""

    def register(prepare: Callable[["Session"], Task]) -> Callable[["Session"], Task]:
        if name in _REGISTRY:
            raise ValueError(f"there are two benchmarks {name!r}")
        _REGISTRY[name] = Benchmark(name, prepare, unit, work, mode, caches)
        return prepare

    return register


def all_benchmarks() -> dict[str, Benchmark]:
    """Every benchmark by name, in the order of the families and within them."""
    families = importlib.import_module("bench.families")
    for module in pkgutil.iter_modules(families.__path__):
        importlib.import_module(f"bench.families.{module.name}")
    return dict(_REGISTRY)


def matching(patterns: Sequence[str]) -> list[Benchmark]:
    """The benchmarks whose name, or its beginning, matches one of the shell patterns, or all."""
    return [
        found
        for name, found in all_benchmarks().items()
        if not patterns or any(fnmatchcase(name, p) or fnmatchcase(name, f"{p}/*") for p in patterns)
    ]
