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
    """What a handler raised that ended a wait; it has the attribute `ended_wait`."""
    # A second handler may have raised its exception while that of the first was noted.
    error = _raised.pop() if _raised else KeyboardInterrupt()
    vars(error)["ended_wait"] = True
    return error


def note(error: BaseException) -> None:
    """Have the wait that is about to end with INTERRUPTED raise this."""
    _raised.append(error)


def _note(_kind: object, error: BaseException, _trace: object) -> None:
    note(error)


def _check_signals() -> int:
    # Python runs the handlers at the beginning of a function and of a loop.
    for _ in range(2):
        pass
    return 0


_define: Callable[..., object] = ffi.def_extern(name="weft_check_signals", error=1, onerror=_note)
_define(_check_signals)


def _watch() -> None:
    """Interrupts are for the main thread; in a program that is not Python's, Python has no handler.

    Another driver may have replaced Python's handler by one that ends the process (pocl's LLVM does). The
    program does not know of it, so its own is put back.
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
