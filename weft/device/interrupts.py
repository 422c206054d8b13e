"""Run the signal handlers of a Python program while its main thread waits for commands.

Python runs handlers between two bytecode instructions, which a thread that waits in C never reaches: the pool
calls `weft_check_signals` when a signal has arrived, and ends the wait if a handler raises an exception.
"""

import os
import signal
import threading
from collections.abc import Callable

from weft.device._pool import ffi, lib

INTERRUPTED: int = lib.WEFT_INTERRUPTED

_raised: list[BaseException] = []


def raised() -> BaseException:
    """Return the exception of a signal handler that ended a wait; it has the attribute `ended_wait`."""
    # The list is empty if a second handler raised its exception while the first one was being noted.
    error = _raised.pop() if _raised else KeyboardInterrupt()
    vars(error)["ended_wait"] = True
    return error


def note(error: BaseException) -> None:
    """Make the wait that is about to end with INTERRUPTED raise `error`."""
    _raised.append(error)


def _note(_kind: object, error: BaseException, _trace: object) -> None:
    note(error)


def _check_signals() -> int:
    # Python runs the handlers at the beginning of a function and of a loop iteration.
    for _ in range(2):
        pass
    return 0


_define: Callable[..., object] = ffi.def_extern(name="weft_check_signals", error=1, onerror=_note)
_define(_check_signals)


def _watch() -> None:
    """Enable interrupts of waits in the main thread, if the program is a Python program.

    Another driver may have replaced Python's handler by one that ends the process (pocl's LLVM does). The
    program does not expect that, so Python's handler is restored.
    """
    _raised.clear()
    handler = signal.getsignal(signal.SIGINT)
    if callable(handler):
        if lib.weft_interrupt_ends_process() and threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGINT, handler)
        check = int(ffi.cast("uintptr_t", ffi.addressof(lib, "weft_check_signals")))
        lib.weft_interrupts_on(threading.main_thread().ident or 0, check)


_watch()
os.register_at_fork(after_in_child=_watch)
