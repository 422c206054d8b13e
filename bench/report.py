"""Results as a table for people and as a JSON file for programs."""

import json
import math
import os
import platform as machine
import statistics
import sys
import time
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from bench.drive import Result
from bench.registry import Benchmark

BASE = "weft"


class ProgressBar:
    """A line on standard error that shows how far it is; nothing when that is not a terminal."""

    def __init__(self, steps: int) -> None:
        self.steps = max(steps, 1)
        self.done = 0
        self.label = ""

    def step(self) -> None:
        """One more step is done."""
        self.done += 1
        if sys.stderr.isatty():
            bar = "━" * (30 * self.done // self.steps)
            percent = 100 * self.done // self.steps
            print(f"\r\033[K{bar:<30} {percent:3} %  {self.label}", end="", file=sys.stderr, flush=True)

    def clear(self) -> None:
        """Removes the line."""
        if sys.stderr.isatty():
            print("\r\033[K", end="", file=sys.stderr, flush=True)


class Table:
    """Prints a line per benchmark as it is done, and the means at the end."""

    def __init__(self, benchmarks: Iterable[Benchmark], platforms: Sequence[str]) -> None:
        self.platforms = platforms
        self.peers = [name for name in platforms if name != BASE] if BASE in platforms else []
        self.left = max(map(len, ["geometric mean", *(b.name for b in benchmarks)]))
        self.ratios: dict[str, list[float]] = {peer: [] for peer in self.peers}

    def header(self) -> str:
        """The line above the numbers."""
        cells = [f"{name:>18}" for name in self.platforms]
        cells += [f"{f'{BASE}/{peer}':>11}" for peer in self.peers]
        return f"{'best (median)':<{self.left}} {'':<8}{''.join(cells)}"

    def line(self, benchmark: Benchmark, results: Mapping[str, Result]) -> str:
        """A benchmark's results, and how many times quicker Weft is than each peer."""
        cells = [f"{self._cell(benchmark, results[name]):>18}" for name in self.platforms]
        for peer in self.peers:
            found = ratio(results[BASE], results[peer])
            if found:
                self.ratios[peer].append(found)
            cells.append(f"{f'{found:.2f} x' if found else '-':>11}")
        return f"{benchmark.name:<{self.left}} {benchmark.unit.value:<8}{''.join(cells)}"

    def footer(self) -> str:
        """The geometric means of the ratios."""
        blank = " " * 18 * len(self.platforms)
        means = [f"{statistics.geometric_mean(r):.2f} x" if r else "-" for r in self.ratios.values()]
        cells = [f"{mean:>11}" for mean in means]
        return f"{'geometric mean':<{self.left}} {'':<8}{blank}{''.join(cells)}"

    def _cell(self, benchmark: Benchmark, result: Result) -> str:
        if result.error:
            return "wrong" if "AssertionError" in result.error else "failed"
        best = benchmark.unit.value_of(min(result.seconds), benchmark.work)
        median = benchmark.unit.value_of(statistics.median(result.seconds), benchmark.work)
        return f"{significant(best)} ({significant(median)})"


def ratio(weft: Result, peer: Result) -> float | None:
    """How many times quicker Weft is, best against best; None if one of them has no result."""
    if weft.error or peer.error:
        return None
    return min(peer.seconds) / min(weft.seconds)


def significant(value: float) -> str:
    """Three significant digits, without an exponent."""
    digits = max(0, 2 - math.floor(math.log10(value))) if value > 0 else 0
    return f"{value:.{digits}f}"


def write_json(
    folder: Path,
    settings: Mapping[str, Any],
    identities: Mapping[str, Mapping[str, Any]],
    results: Mapping[Benchmark, Mapping[str, Result]],
) -> Path:
    """Writes everything that was measured into a new file and returns its path."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / time.strftime("%Y-%m-%d-%H%M%S.json")
    document = {
        "machine": {"processor": processor_name(), "cores": len(os.sched_getaffinity(0))},
        "system": machine.platform(),
        "settings": dict(settings),
        "platforms": dict(identities),
        "benchmarks": [
            {
                "name": benchmark.name,
                "unit": benchmark.unit.value,
                "work": benchmark.work,
                "mode": benchmark.mode.value,
                "caches": benchmark.caches.value,
                "results": {name: _plain(benchmark, result) for name, result in found.items()},
            }
            for benchmark, found in results.items()
        ],
    }
    path.write_text(json.dumps(document, indent=1, ensure_ascii=False) + "\n")
    return path


def processor_name() -> str:
    """The name of the processor, as the system tells it."""
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return machine.machine()


def _plain(benchmark: Benchmark, result: Result) -> dict[str, Any]:
    if result.error:
        return {"error": result.error, "seconds": result.seconds}
    values = {
        "best": benchmark.unit.value_of(min(result.seconds), benchmark.work),
        "median": benchmark.unit.value_of(statistics.median(result.seconds), benchmark.work),
    }
    return {**values, "seconds": result.seconds}
