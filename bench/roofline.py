"""Compares benchmarks with C loops on the same cores, in the same run.

Memory rates are compared with a loop that moves as many bytes; that of a transposition also with a loop that
transposes a matrix of the same size (both in `stream.c`). Arithmetic rates are compared with single-precision
multiply-adds in registers (`peak.c`).
"""

import ctypes
from collections.abc import Callable
from functools import cached_property
from pathlib import Path

from bench.bandwidth import Bandwidth
from bench.registry import Benchmark, Unit
from weft.icd.toolchain import compile_c

_SOURCE = Path(__file__).with_name("peak.c")
_SAMPLES, _PASSES = 9, 50


class Roofline:
    """Measures the loops; `cpu`: in processor time, like the benchmarks."""

    def __init__(self, scratch: Path, cores: int = 0, cpu: bool = False) -> None:
        self.bandwidth = Bandwidth(scratch, cores, cpu)
        self._library = scratch / "peak.so"
        self._operations = 0.0

    @property
    def operations(self) -> float:
        """The maximum number of multiplications and additions per second, with all cores."""
        if not self._operations:
            for _ in range(_SAMPLES):
                self._sample()
        return self._operations

    def look(self, benchmark: Benchmark) -> None:
        """Take one more sample of the loops that a benchmark is compared with."""
        if benchmark.memory is not None:
            self.bandwidth.look(benchmark.memory)
        elif benchmark.unit is Unit.ARITHMETIC:
            self._sample()

    def _sample(self) -> None:
        rate = float(self._peak(self.bandwidth.threads, _PASSES, self.bandwidth.cpu))
        self._operations = max(self._operations, rate)

    @cached_property
    def _peak(self) -> Callable[[int, int, bool], float]:
        compile_c([_SOURCE], self._library, arguments=["-O3", "-march=native", "-pthread"])
        measure = ctypes.CDLL(str(self._library)).peak_operations
        measure.restype = ctypes.c_double
        measure.argtypes = [ctypes.c_int, ctypes.c_int, ctypes.c_int]
        peak: Callable[[int, int, bool], float] = measure
        return peak

    def limits(self, benchmark: Benchmark, seconds: float) -> bool:
        """Return whether a run of `seconds` is within 10 % of what memory allows."""
        return self.bandwidth.limits(benchmark.memory, seconds)

    def share(self, benchmark: Benchmark, seconds: float) -> float | None:
        """Return the rate of a run of `seconds`, relative to a loop; None if there is no corresponding
        loop."""
        if benchmark.memory is not None:
            return self.bandwidth.seconds(benchmark.memory) / seconds
        if benchmark.unit is Unit.ARITHMETIC:
            return benchmark.work / seconds / self.operations
        return None

    def share_of_transposition(self, benchmark: Benchmark, seconds: float) -> float | None:
        """Return the rate of a run, relative to a loop that transposes; None if the benchmark does not."""
        if benchmark.memory is None or not benchmark.memory.transposes:
            return None
        return self.bandwidth.transposition(benchmark.memory) / seconds
