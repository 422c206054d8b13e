"""Read the iteration counters of divergent loops.

With WEFT_PROFILE=1, compiled code counts the iterations of divergent loops by mode, in records next to the
machine code (docs/divergence-design.md). With WEFT_PROFILE_FILE, a process appends the counters of its
kernels to that file at exit, one line of JSON per kernel. `weft profile` sets both and prints the result.
"""

import atexit
import ctypes
import json
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path
from signal import SIGXFSZ
from typing import Any

from weft import abi, settings
from weft.dataclasses import asdict, dataclass
from weft.errors import tell
from weft.signals import blocked

# The loop of a record: its name, the strategies that it was compiled with, its source line.
Recorded = tuple[str, tuple[str, ...], int]

MODES = ("full", "sub-group", "masked", "serial")


@dataclass(frozen=True)
class Trial:
    """The cost of a strategy while it was tried."""

    strategy: str
    calls: int
    items: int
    cycles: int

    @property
    def cycles_per_item(self) -> float | None:
        """The cycles per work-item; None if none was measured."""
        return self.cycles / self.items if self.items else None


@dataclass(frozen=True)
class LoopProfile:
    """One loop: its iterations of work-items by mode, and the strategies tried if there are several."""

    name: str
    line: int
    iterations: dict[str, int]
    lanes: int
    """The number of lanes of masked iterations, active or not."""
    trials: tuple[Trial, ...] = ()
    chosen: str = ""
    """The strategy that was selected."""

    @property
    def total(self) -> int:
        """The number of iterations of all work-items."""
        return sum(self.iterations.values())

    @property
    def used_lanes(self) -> float | None:
        """The share of active lanes in masked iterations."""
        return self.iterations["masked"] / self.lanes if self.lanes else None


@dataclass(frozen=True)
class KernelProfile:
    """The loops of one kernel."""

    kernel: str
    loops: tuple[LoopProfile, ...]


@dataclass(frozen=True)
class Watched:
    """Records in memory, and the machine code to which they belong."""

    kernel: str
    code: object
    address: int
    loops: Sequence[Recorded]

    def read(self) -> KernelProfile:
        """Return the current contents of the records."""
        nbytes = len(self.loops) * abi.LOOP_RECORD_SIZE
        return read(self.kernel, ctypes.string_at(self.address, nbytes), self.loops)


def read(kernel: str, records: bytes, loops: Sequence[Recorded]) -> KernelProfile:
    """Parse the records of a kernel's loops."""
    found = []
    for number, (name, strategies, line) in enumerate(loops):
        start = number * abi.LOOP_RECORD_SIZE
        found.append(parse_record(records[start : start + abi.LOOP_RECORD_SIZE], name, strategies, line))
    return KernelProfile(kernel, tuple(found))


def parse_record(record: bytes, name: str, strategies: Sequence[str], line: int) -> LoopProfile:
    """Parse a record."""

    def number(offset: int) -> int:
        return int.from_bytes(record[offset : offset + 8], "little")

    trials = []
    for index, strategy in enumerate(strategies):
        first = abi.LOOP_TIMES + index * abi.LOOP_TIMES_SIZE
        trials.append(Trial(strategy, number(first), number(first + 8), number(first + 16)))
    strategy_number = number(abi.LOOP_STRATEGY)
    return LoopProfile(
        name,
        line,
        {mode: number(abi.LOOP_COUNTS[mode]) for mode in MODES},
        number(abi.LOOP_COUNTS["lanes"]),
        tuple(trials),
        strategies[strategy_number - 1] if 0 < strategy_number <= len(strategies) else "",
    )


@cache
def _watched() -> list[Watched]:
    """Return all watched records; the first call registers `write` for the exit of Python."""
    atexit.register(write)
    return []


def watch(kernel: str, code: object, address: int, loops: Sequence[Recorded]) -> None:
    """Keep code, and so its records, until the process ends, if there is a file for profiles."""
    if loops and settings.get("WEFT_PROFILE_FILE"):
        _watched().append(Watched(kernel, code, address, loops))


def write() -> None:
    """Append the counters of the kernels of this process to the file."""
    path = settings.get("WEFT_PROFILE_FILE")
    lines = [json.dumps(asdict(watched.read())) for watched in _watched()]
    try:
        # One write: other processes append to the same file.
        with blocked(SIGXFSZ), open(path, "a", encoding="utf-8") as file:
            file.write("".join(f"{line}\n" for line in lines))
    except OSError as error:
        tell(f"cannot write {path}: {error.strerror}")


def load(path: Path) -> list[KernelProfile]:
    """Read the profiles that processes have written; merge kernels of the same name."""
    found = [_kernel(json.loads(line)) for line in path.read_text().splitlines()]
    names = dict.fromkeys(kernel.kernel for kernel in found)
    return [
        KernelProfile(name, merge(loop for kernel in found if kernel.kernel == name for loop in kernel.loops))
        for name in names
    ]


def merge(loops: Iterable[LoopProfile]) -> tuple[LoopProfile, ...]:
    """Merge the records of loops that were compiled several times; sort loops by source order."""
    merged: dict[tuple[str, int, tuple[str, ...]], LoopProfile] = {}
    for loop in loops:
        key = (loop.name, loop.line, tuple(trial.strategy for trial in loop.trials))
        merged[key] = _sum(merged[key], loop) if key in merged else loop
    return tuple(sorted(merged.values(), key=lambda loop: (loop.line, loop.name)))


def _sum(first: LoopProfile, second: LoopProfile) -> LoopProfile:
    trials = tuple(
        Trial(a.strategy, a.calls + b.calls, a.items + b.items, a.cycles + b.cycles)
        for a, b in zip(first.trials, second.trials, strict=True)
    )
    chosen = dict.fromkeys(
        strategy for loop in (first, second) for strategy in loop.chosen.split(", ") if strategy
    )
    return LoopProfile(
        first.name,
        first.line,
        {mode: first.iterations[mode] + second.iterations[mode] for mode in MODES},
        first.lanes + second.lanes,
        trials,
        ", ".join(chosen),
    )


def _kernel(fields: dict[str, Any]) -> KernelProfile:
    loops = (
        LoopProfile(**{**loop, "trials": tuple(Trial(**trial) for trial in loop["trials"])})
        for loop in fields["loops"]
    )
    return KernelProfile(fields["kernel"], tuple(loops))
