"""How fast this machine moves memory: plain C loops that read and write as much as a benchmark does.

A kernel that takes little longer than such a loop is as quick as it can be, whatever the others do.
"""

import ctypes
import os
from functools import lru_cache
from pathlib import Path

from weft.bench.registry import Memory
from weft.icd.toolchain import compile_c

_SOURCE = Path(__file__).with_name("stream.c")
_READ, _ADD, _COPY, _TRANSPOSE = range(4)
# The loop's share of written bytes, and how many arrays it moves.
_LOOPS = {_READ: (0.0, 1), _ADD: (1 / 3, 3), _COPY: (1 / 2, 2)}
_SECONDS = 0.25
_SLACK = 1 / 0.9


class Bandwidth:
    """Measures loops as they are asked for; each is compiled and measured once."""

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
        self.measured = lru_cache(self._measure)

    def seconds(self, memory: Memory) -> float:
        """The least time in which a loop moves as many bytes, within an area as large."""
        share = memory.written / memory.moved
        kind = min(_LOOPS, key=lambda kind: abs(_LOOPS[kind][0] - share))
        count = max(int(memory.moved) // (4 * _LOOPS[kind][1]), 1024)
        return float(self.measured(kind, count))

    def transposition(self, memory: Memory) -> float:
        """The least time in which a loop transposes a matrix of as many bytes."""
        return float(self.measured(_TRANSPOSE, max(int(memory.written) // 4, 1024)))

    def limits(self, memory: Memory | None, seconds: float) -> bool:
        """Whether a run of `seconds` is within 10 % of what memory allows."""
        return memory is not None and seconds <= _SLACK * self.seconds(memory)

    def _measure(self, kind: int, count: int) -> float:
        once = self._seconds(kind, count, self.threads, 3, self.cpu)
        passes = min(max(int(_SECONDS / once), 20), 2000)
        return float(min(once, self._seconds(kind, count, self.threads, passes, self.cpu)))
