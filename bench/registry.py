"""The description of a benchmark, and the registry: modules of `bench.families` register with
`@benchmark`."""

import importlib
import pkgutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bench.session import Session


class Unit(Enum):
    """The unit of a result: a time, or an amount of work divided by the time."""

    MICROSECONDS = "µs"
    MILLISECONDS = "ms"
    BANDWIDTH = "GB/s"
    ARITHMETIC = "GFLOP/s"

    @property
    def is_rate(self) -> bool:
        """Whether more is better."""
        return self in (Unit.BANDWIDTH, Unit.ARITHMETIC)

    def value_of(self, seconds: float, work: float) -> float:
        """Return the result in this unit of a run that did `work` (bytes or operations) in `seconds`."""
        if self is Unit.MICROSECONDS:
            return 1e6 * seconds
        if self is Unit.MILLISECONDS:
            return 1e3 * seconds
        return 1e-9 * work / seconds


class Mode(Enum):
    """How runs form a sample."""

    STREAM = "many enqueued, then one wait"
    ROUND_TRIP = "a wait after each"
    SINGLE = "one run is the sample: it cannot be repeated"


class Caches(Enum):
    """Whether a platform may keep compiled kernels on disk."""

    ON = "on"
    OFF = "off"
    FILLED = "on, and filled by another process that ran the same benchmark"


@dataclass(frozen=True)
class Memory:
    """The bytes that a run must read and write at least, each counted once.

    `transposes`: the written matrix is the transpose of the read one, which is square.
    """

    read: float
    written: float
    transposes: bool = False

    @property
    def moved(self) -> float:
        """All bytes."""
        return self.read + self.written


@dataclass(frozen=True)
class Sample:
    """The seconds of one run, in wall time and processor time."""

    seconds: float
    cpu_seconds: float
    phases: Mapping[str, float] = field(default_factory=dict)
    """The times of its phases, if the benchmark distinguishes them, and of what precedes."""


@dataclass(frozen=True)
class Task:
    """A prepared benchmark: `run` enqueues it once, `check` raises AssertionError if a result is wrong."""

    run: Callable[[], None]
    check: Callable[[], None]
    measure: Callable[[], Sample] | None = None
    """Runs it once and returns its time, if that differs from the time of `run` and a wait."""


@dataclass(frozen=True)
class Benchmark:
    """One line of the table."""

    name: str
    prepare: Callable[["Session"], Task]
    unit: Unit
    work: float = 0.0
    mode: Mode = Mode.STREAM
    caches: Caches = Caches.OFF
    memory: Memory | None = None

    @property
    def family(self) -> str:
        """The first part of the name."""
        return self.name.partition("/")[0]


_REGISTRY: dict[str, Benchmark] = {}


def benchmark(
    name: str,
    unit: Unit = Unit.MILLISECONDS,
    *,
    work: float = 0.0,
    mode: Mode = Mode.STREAM,
    caches: Caches = Caches.OFF,
    memory: Memory | None = None,
) -> Callable[[Callable[["Session"], Task]], Callable[["Session"], Task]]:
    """Register a function that prepares a benchmark; `name` is `family/what/size`.

    A bandwidth without `memory` reads two thirds of its work, like a vector addition.
    """
    if memory is None and unit is Unit.BANDWIDTH:
        memory = Memory(work * 2 / 3, work / 3)

    def register(prepare: Callable[["Session"], Task]) -> Callable[["Session"], Task]:
        if name in _REGISTRY:
            raise ValueError(f"there are two benchmarks {name!r}")
        _REGISTRY[name] = Benchmark(name, prepare, unit, work, mode, caches, memory)
        return prepare

    return register


def all_benchmarks() -> dict[str, Benchmark]:
    """Return every benchmark by name, in order of families, and within them of registration."""
    families = importlib.import_module("bench.families")
    for module in pkgutil.iter_modules(families.__path__):
        importlib.import_module(f"bench.families.{module.name}")
    return dict(sorted(_REGISTRY.items(), key=lambda item: item[1].family))


def matching(
    patterns: Sequence[str] = (), families: Sequence[str] = (), cases: Sequence[str] = ()
) -> list[Benchmark]:
    """Return the benchmarks that match every kind of filter; an empty filter matches all.

    `patterns` match the name or its beginning, `families` the first part, `cases` any part after it; all are
    shell patterns.
    """
    return [
        entry
        for name, entry in all_benchmarks().items()
        if (not patterns or any(fnmatchcase(name, p) or fnmatchcase(name, f"{p}/*") for p in patterns))
        and (not families or any(fnmatchcase(entry.family, f) for f in families))
        and (not cases or any(_matches_case(entry, case) for case in cases))
    ]


def _matches_case(entry: Benchmark, pattern: str) -> bool:
    _, *parts = entry.name.split("/")
    return any(
        fnmatchcase("/".join(parts[i:j]), pattern)
        for i in range(len(parts))
        for j in range(i + 1, len(parts) + 1)
    )
