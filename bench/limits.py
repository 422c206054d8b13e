"""Compare kernels with the limits of the machine: `python -m bench.limits`.

Each kernel of the family `limits` is timed on Weft, and next to it the best alternative on the machine for
the same work: OpenBLAS and pocketfft by numpy, C loops that move memory (`stream.c`), and C loops with
vectors (`limits.c`), compiled by clang for this processor. The table has shares: the limit's time divided by
Weft's.
"""

import argparse
import ctypes
import os
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from bench.bandwidth import Bandwidth
from bench.case import CASES, Case
from bench.drive import Driver, Effort
from bench.families.limits import LEFT, MOST, TOP
from bench.outcome import Clock
from bench.platforms import weft_platform
from bench.record import processor_name
from bench.registry import Memory, all_benchmarks
from bench.table import duration
from weft.icd.toolchain import compile_c

FAMILY = "limits"
SOURCE = Path(__file__).with_name("limits.c")
FLAGS = ("-O3", "-march=native", "-pthread")
GOAL = 0.7

Run = Callable[[], np.ndarray]
"""Performs the work of a case once; returns the result that the case expects."""


class Loops:
    """The C loops, on a number of threads."""

    def __init__(self, scratch: Path, cores: int) -> None:
        path = scratch / "limits.so"
        compile_c([SOURCE], path, arguments=list(FLAGS))
        self.library = ctypes.CDLL(str(path))
        self.library.set_threads(ctypes.c_int(cores))

    def call(self, name: str, *arguments: Any) -> None:
        """Call a loop with arrays and numbers."""
        function = self.library[name]
        function.restype = None
        function(*(_c_value(argument) for argument in arguments))


def _c_value(argument: Any) -> Any:
    if isinstance(argument, np.ndarray):
        return ctypes.c_void_p(argument.ctypes.data)
    if isinstance(argument, np.float32):
        return ctypes.c_float(float(argument))
    return ctypes.c_int(int(argument)) if isinstance(argument, np.int32) else ctypes.c_size_t(argument)


def _bodies(loops: Loops, arrays: Mapping[str, np.ndarray]) -> Run:
    def run() -> np.ndarray:
        loops.call("accelerate", arrays["bodies"], arrays["result"], len(arrays["bodies"]))
        return arrays["result"]

    return run


def _convolution(loops: Loops, arrays: Mapping[str, np.ndarray]) -> Run:
    def run() -> np.ndarray:
        loops.call("convolve", arrays["image"], arrays["mask"], arrays["result"], len(arrays["result"]))
        return arrays["result"]

    return run


def _stencil(loops: Loops, arrays: Mapping[str, np.ndarray]) -> Run:
    def run() -> np.ndarray:
        loops.call("diffuse", arrays["in"], arrays["out"], len(arrays["in"]))
        return arrays["out"]

    return run


def _options(loops: Loops, arrays: Mapping[str, np.ndarray]) -> Run:
    def run() -> np.ndarray:
        loops.call("price", *arrays.values(), len(arrays["call"]))
        return arrays["call"]

    return run


def _mandelbrot(loops: Loops, arrays: Mapping[str, np.ndarray]) -> Run:
    counts = arrays["counts"]
    height, width = counts.shape
    step = np.float32(3.2 / width)

    def run() -> np.ndarray:
        loops.call("escape", counts, width, height, np.float32(LEFT), np.float32(TOP), step, np.int32(MOST))
        return counts

    return run


def _sparse(loops: Loops, arrays: Mapping[str, np.ndarray]) -> Run:
    def run() -> np.ndarray:
        loops.call("multiply", *arrays.values(), len(arrays["y"]))
        return arrays["y"]

    return run


def _product(loops: Loops, arrays: Mapping[str, np.ndarray]) -> Run:
    return lambda: np.matmul(arrays["a"], arrays["b"], out=arrays["c"])


def _fft(loops: Loops, arrays: Mapping[str, np.ndarray]) -> Run:
    return lambda: np.fft.fft(arrays["x"].view(np.complex64)).astype(np.complex64).view(np.float32)


@dataclass(frozen=True)
class Limit:
    """The reference of a case: a function that does its work, or the memory that it moves."""

    what: str
    prepare: Callable[[Loops, Mapping[str, np.ndarray]], Run] | None = None
    memory: Callable[[Case], Memory] | None = None
    goal: float = GOAL


def _copied(case: Case) -> Memory:
    return Memory(case.buffers["a"].nbytes, case.buffers["b"].nbytes)


def _read(case: Case) -> Memory:
    return Memory(case.buffers["a"].nbytes, 0)


C_VECTORS = "C with vectors"
LIMITS = {
    "matrix product, 512": Limit("OpenBLAS", _product, goal=0.8),
    "matrix product, 2048": Limit("OpenBLAS", _product, goal=0.8),
    "FFT, 2^20": Limit("pocketfft, one core", _fft),
    "copy, 64 MiB": Limit("C loop that copies", memory=_copied, goal=0.95),
    "reduction, 64 MiB": Limit("C loop that adds", memory=_read, goal=0.95),
    "n-body, 8192": Limit(C_VECTORS, _bodies),
    "convolution, 2048x2048": Limit(C_VECTORS, _convolution),
    "stencil, 256x256x256": Limit(C_VECTORS, _stencil),
    "Black-Scholes, 2^20": Limit(C_VECTORS, _options),
    "Mandelbrot, 1024x512": Limit(C_VECTORS, _mandelbrot),
    "sparse matrix, 2^17 rows": Limit("C, a row at a time", _sparse),
}


def prepared(limit: Limit, case: Case, loops: Loops) -> Run:
    """Return a function for the work of a case, on arrays of its own; raise AssertionError if the result is
    wrong."""
    assert limit.prepare
    run = limit.prepare(loops, {name: array.copy() for name, array in case.buffers.items()})
    (name,) = case.expected
    case.compare(name, run())
    return run


def best_seconds(run: Run, effort: Effort, clock: Clock) -> float:
    """Return the best time of a run, from samples of sufficient length."""
    now = time.process_time if clock is Clock.CPU else time.perf_counter
    started = now()
    run()
    count = max(int(effort.sample_seconds / max(now() - started, 1e-6)), 1)
    best = float("inf")
    for _ in range(effort.repeats):
        started = now()
        for _ in range(count):
            run()
        best = min(best, (now() - started) / count)
    return best


@dataclass(frozen=True)
class Distance:
    """A kernel's time and that of its limit."""

    name: str
    limit: Limit
    weft: float | None
    machine: float
    error: str = ""

    @property
    def share(self) -> float | None:
        """The limit's time divided by Weft's; 1 if they are equal."""
        return self.machine / self.weft if self.weft else None


def table(distances: Sequence[Distance]) -> str:
    """Format a row per kernel; `!` marks shares below the goal."""
    lines = ["| kernel | Weft | the limit | | share | goal |", "|---|---:|---:|---|---:|---:|"]
    for distance in distances:
        share = (
            "failed"
            if distance.share is None
            else f"{distance.share:.2f}{' !' * (distance.share < distance.limit.goal)}"
        )
        times = f"{duration(distance.weft)} | {duration(distance.machine)} | {distance.limit.what}"
        lines.append(f"| {distance.name} | {times} | {share} | {distance.limit.goal:.2f} |")
    return "\n".join(lines)


def measure(names: Sequence[str], effort: Effort, clock: Clock, scratch: Path) -> list[Distance]:
    """Measure Weft's times and the limits, one kernel after the other."""
    benchmarks, distances = all_benchmarks(), []
    loops = Loops(scratch, len(os.sched_getaffinity(0)))
    bandwidth = Bandwidth(scratch, cpu=clock is Clock.CPU)
    driver = Driver([weft_platform()], scratch, effort)
    try:
        for name in names:
            limit, case = LIMITS[name], CASES[f"{FAMILY}/{name}"].full(np.random.default_rng(1))
            if limit.memory:
                machine = bandwidth.seconds(limit.memory(case))
            else:
                machine = best_seconds(prepared(limit, case, loops), effort, clock)
            result = driver.run(benchmarks[f"{FAMILY}/{name}"], lambda: None)["weft"]
            distances.append(Distance(name, limit, clock.best(result), machine, result.error or ""))
            print(f"{name}: {result.error or distances[-1].share}", file=sys.stderr)
    finally:
        driver.stop()
    return distances


def main(arguments: Sequence[str]) -> int:
    """Print the table; return 1 if Weft failed in a kernel."""
    parser = argparse.ArgumentParser(prog="python -m bench.limits", description=__doc__)
    parser.add_argument("only", nargs="*", metavar="KERNEL", help=f"default: all ({'; '.join(LIMITS)})")
    parser.add_argument("--repeats", type=int, default=15, help="samples of each time; the best counts (15)")
    parser.add_argument("--seconds", type=float, default=0.05, help="length of a sample (0.05)")
    parser.add_argument(
        "--cpu", action="store_true", help="count processor time, for machines that others use; see taskset"
    )
    options = parser.parse_args(arguments)
    unknown = [name for name in options.only if name not in LIMITS]
    if unknown:
        parser.error(f"not known: {', '.join(unknown)}")
    effort = Effort(options.repeats, options.seconds, builds=1)
    clock = Clock.CPU if options.cpu else Clock.WALL
    with tempfile.TemporaryDirectory(prefix="weft-limits-") as scratch:
        distances = measure(options.only or list(LIMITS), effort, clock, Path(scratch))
    cores = len(os.sched_getaffinity(0))
    unit = "core" if cores == 1 else "cores"
    print(f"{processor_name()}, {cores} {unit}, {clock.value} time\n\n{table(distances)}")
    return int(any(distance.error for distance in distances))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
