"""Interrupts of a Python program during an OpenCL call.

A signal handler runs between two bytecode instructions of the main thread, but the native side defers signals
until the end of a call (`weft/device/interrupt.c`). A call that waits, or takes long, is interrupted. An
exception of the handler (KeyboardInterrupt, TimeoutError) cannot propagate through the client's C code. A
call that waits, builds or launches returns success, and the exception is raised as soon as it returns, so the
program sees no other error. Other calls fail, and the exception is raised right afterwards.
"""

import _thread
import ctypes
import signal
import threading
import time
from collections.abc import Callable

_MOMENT_SECONDS = 0.001


def end_as_wait(error: BaseException) -> None:
    """Make the call that an interrupt ends return success, like a call that waits."""
    vars(error)["ended_wait"] = True


RaiseAgain = Callable[[type[BaseException] | None], None]

_raise_again: list[RaiseAgain] = []


def raise_again_with(function: RaiseAgain) -> None:
    """Set the function that makes the program raise an exception as soon as the current call returns.

    Its argument is the class, or None for an interrupt by Python's own handler.
    """
    _raise_again[:] = [function]


def pass_on(error: BaseException) -> None:
    """Raise an interrupt again in the calling thread, soon.

    If the thread is inside another call by then, that call fails too, and this function is called again.
    """
    _thread.start_new_thread(_raise_soon, (_thread.get_ident(), _again(error)))


def pass_on_at_once(error: BaseException) -> bool:
    """Raise an interrupt again in the calling thread as soon as the call returns; return whether that works.

    The program sees it only if the client does not raise an exception itself.
    """
    if not _raise_again or threading.get_ident() != threading.main_thread().ident:
        return False
    own = isinstance(error, KeyboardInterrupt) and _is_pythons_own()
    _raise_again[0](None if own else _again(error))
    return True


def _is_pythons_own() -> bool:
    return signal.getsignal(signal.SIGINT) is signal.default_int_handler


def _again(error: BaseException) -> type[BaseException]:
    """Return a class whose instances are like `error`: Python can make a thread raise only a class."""
    kind, arguments = type(error), error.args

    def __init__(self: BaseException) -> None:
        kind.__init__(self, *arguments)

    named = {"__init__": __init__, "__module__": kind.__module__, "__qualname__": kind.__qualname__}
    return type(kind.__name__, (kind,), named)


def _raise_soon(thread: int, kind: type[BaseException]) -> None:
    time.sleep(_MOMENT_SECONDS)
    if issubclass(kind, KeyboardInterrupt) and _is_pythons_own():
        signal.pthread_kill(thread, signal.SIGINT)  # which also ends a sleep
        return
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), ctypes.py_object(kind))
