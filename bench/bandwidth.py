"""Measure the memory bandwidth of this machine with C loops that move as much memory as a benchmark.

A kernel that takes little longer than such a loop is near the limit of the machine.
"""

import ctypes
import os
from pathlib import Path

from bench.registry import Memory
from weft.icd.toolchain import compile_c

_SOURCE = Path(__file__).with_name("stream.c")
_READ, _ADD, _COPY, _TRANSPOSE = range(4)
# Each loop's share of written bytes, and its number of arrays.
_LOOPS = {_READ: (0.0, 1), _ADD: (1 / 3, 3), _COPY: (1 / 2, 2)}
_SAMPLES, _SECONDS = 9, 0.02
_SLACK = 1 / 0.9


class Bandwidth:
    """Measures loops on demand, and again between the samples of the benchmarks that are compared with them.

    The bandwidth of a shared machine changes from second to second. For a fair comparison, samples have the
    same length as the benchmark's, and the best counts.
    """

    def __init__(self, scratch: Path, cores: int = 0, cpu: bool = False) -> None:
        library = scratch / "stream.so"
        compile_c([_SOURCE], library, arguments=["-O3", "-march=native", "-pthread"])
        loops = ctypes.CDLL(str(library))
        self.transpose = loops.transpose_matrix
        self.transpose.restype = None
        self.transpose.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t]
        self._seconds = loops.stream_seconds
        self._seconds.restype = ctypes.c_double
        self._seconds.argtypes = [ctypes.c_int, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int]
        self.cpu = cpu
        self.threads = cores or len(os.sched_getaffinity(0))
        self._best: dict[tuple[int, int], float] = {}

    def seconds(self, memory: Memory) -> float:
        """Return the minimum time in which a loop moves as many bytes, in an area of the same size."""
        return self._least(*_loop_of(memory))

    def transposition(self, memory: Memory) -> float:
        """Return the minimum time in which a loop transposes a matrix of the same size."""
        return self._least(_TRANSPOSE, _matrix_of(memory))

    def look(self, memory: Memory) -> None:
        """Take one more sample of the loops that a benchmark is compared with."""
        self._sample(*_loop_of(memory))
        if memory.transposes:
            self._sample(_TRANSPOSE, _matrix_of(memory))

    def limits(self, memory: Memory | None, seconds: float) -> bool:
        """Return whether a run of `seconds` is within 10 % of what memory allows."""
        return memory is not None and seconds <= _SLACK * self.seconds(memory)

    def _least(self, kind: int, count: int) -> float:
        if (kind, count) not in self._best:
            for _ in range(_SAMPLES):
                self._sample(kind, count)
        return self._best[kind, count]

    def _sample(self, kind: int, count: int) -> None:
        known = self._best.get((kind, count)) or self._seconds(kind, count, self.threads, 3, self.cpu)
        passes = max(int(_SECONDS / known), 1)
        seconds = float(self._seconds(kind, count, self.threads, passes, self.cpu))
        self._best[kind, count] = min(seconds, self._best.get((kind, count), seconds))


def _loop_of(memory: Memory) -> tuple[int, int]:
    """Return the loop that is most similar to a benchmark, and the floats of each of its arrays."""
    share = memory.written / memory.moved
    kind = min(_LOOPS, key=lambda kind: abs(_LOOPS[kind][0] - share))
    return kind, max(int(memory.moved) // (4 * _LOOPS[kind][1]), 1024)


def _matrix_of(memory: Memory) -> int:
    return max(int(memory.written) // 4, 1024)
