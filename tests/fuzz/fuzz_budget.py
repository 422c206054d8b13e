"""What it may take to compile and run a random kernel in one way: processor time and memory.

Random kernels are small: compiling one takes a second and some megabytes. The limits are far above that, so
that a busy machine keeps them, and far below what a walk takes that visits everything twice at each step.
"""

import resource
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

SECONDS = 20.0
BYTES = 1.5 * 2**30
# The limits are for kernels of up to so many lines, and grow with longer ones.
LINES = 400

_STATUS = Path("/proc/self/status")
_CLEAR = Path("/proc/self/clear_refs")


class OverBudget(AssertionError):
    """A kernel took more time or memory than any kernel of its size should."""


@contextmanager
def within_budget(source: str, way: str, seconds: float = SECONDS, most: float = BYTES) -> Iterator[None]:
    """Raise OverBudget if what runs inside takes more than kernels of that size may.

    Python code is interrupted when its time is over, so that a smaller kernel can be looked for.
    """
    factor = max(1.0, source.count("\n") / LINES)
    seconds, most = seconds * factor, most * factor
    before_seconds, before_bytes = _processor_seconds(), _reset_peak()
    with _interrupted_after(seconds, way) as interrupted:
        yield
    took = _processor_seconds() - before_seconds
    if interrupted or took > seconds:
        raise OverBudget(f"{way}: {took:.1f} s of processor time for a kernel, of {seconds:.1f} s")
    grown = _status_bytes("VmHWM") - before_bytes
    if grown > most:
        raise OverBudget(f"{way}: {grown / 2**20:.0f} MiB for a kernel, of {most / 2**20:.0f} MiB")


@contextmanager
def _interrupted_after(seconds: float, way: str) -> Iterator[list[float]]:
    """Raise OverBudget in the main thread after so many seconds; the list that is yielded tells if it was."""
    interrupted: list[float] = []
    if threading.current_thread() is not threading.main_thread():
        yield interrupted
        return

    def interrupt(_number: int, _frame: FrameType | None) -> None:
        interrupted.append(seconds)
        raise OverBudget(f"{way}: interrupted after {seconds:.1f} s of processor time for a kernel")

    old = signal.signal(signal.SIGPROF, interrupt)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield interrupted
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0.0)
        signal.signal(signal.SIGPROF, old)


def _processor_seconds() -> float:
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(u.ru_utime + u.ru_stime for u in used)


def _reset_peak() -> int:
    """Lower the process's peak of memory to what it holds now; how many bytes that is."""
    _CLEAR.write_text("5")
    return _status_bytes("VmRSS")


def _status_bytes(name: str) -> int:
    line = next(line for line in _STATUS.read_text().splitlines() if line.startswith(f"{name}:"))
    return int(line.split()[1]) * 1024
