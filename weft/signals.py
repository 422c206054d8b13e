"""Signals that a write of Weft causes, and that must not end the host program.

Python ignores SIGPIPE and SIGXFSZ, but a host program that Weft starts Python in may not: a write to a pipe
without a reader, or beyond the limit on the size of files (RLIMIT_FSIZE), would end it.
"""

import signal
from collections.abc import Iterator
from contextlib import contextmanager, suppress


@contextmanager
def blocked(number: signal.Signals) -> Iterator[None]:
    """Block a signal in this thread and discard one that the thread causes: the call fails instead."""
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, [number])
    try:
        yield
    finally:
        if number not in mask:
            with suppress(OSError):
                signal.sigtimedwait([number], 0)
            signal.pthread_sigmask(signal.SIG_SETMASK, mask)
