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
    """Have the call that an interrupt ends succeed, as if it had only been waiting."""
    vars(error)["ended_wait"] = True


RaiseAgain = Callable[[type[BaseException] | None], None]

_raise_again: list[RaiseAgain] = []


def raise_again_with(function: RaiseAgain) -> None:
    """Have `function` see to it that the program raises an exception as soon as the present call returns.

    It is given the class, or None for an interrupt by Python's own handler.
    """
    _raise_again[:] = [function]


def pass_on(error: BaseException) -> None:
    """Have an interrupt raised again in the calling thread, soon.

    If that is inside a call by then, which fails as well, it comes here once more.
    """
    _thread.start_new_thread(_raise_soon, (_thread.get_ident(), _again(error)))


def pass_on_at_once(error: BaseException) -> bool:
    """Have an interrupt raised again in the calling thread as soon as the call returns; whether it can be.

    The program gets to it only if the client raises nothing itself.
    """
    if not _raise_again or threading.get_ident() != threading.main_thread().ident:
        return False
    own = isinstance(error, KeyboardInterrupt) and _is_pythons_own()
    _raise_again[0](None if own else _again(error))
    return True


def _is_pythons_own() -> bool:
    return signal.getsignal(signal.SIGINT) is signal.default_int_handler


def _again(error: BaseException) -> type[BaseException]:
    """A class whose instances are like `error`: another thread can be made to raise a class only."""
    kind, arguments = type(error), error.args

    def __init__(self: BaseException) -> None:
        kind.__init__(self, *arguments)

    named = {"__init__": __init__, "__module__": kind.__module__, "__qualname__": kind.__qualname__}
    return type(kind.__name__, (kind,), named)


def _raise_soon(thread: int, kind: type[BaseException]) -> None:
    time.sleep(_MOMENT_SECONDS)
    if issubclass(kind, KeyboardInterrupt) and _is_pythons_own():
        signal.pthread_kill(thread, signal.SIGINT)  # which ends a sleep as well
        return
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), ctypes.py_object(kind))
