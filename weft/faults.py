"""Reports of internal errors: one line on standard error, and more on request.

A user has no use for a traceback of Weft's internals. The line says what happens instead, why in a few words,
and how to report it; `WEFT_VERBOSE=1` adds the traceback.
"""

import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from types import CodeType, FunctionType, MethodType

from weft import settings
from weft.dataclasses import dataclass
from weft.errors import BudgetExceeded, WeftError, tell

REPORT = "this is a bug in Weft; please report it with the output of WEFT_VERBOSE=1"
# Characters of a reason: it shares a line with more.
_LONGEST_REASON = 240
_PACKAGE = os.path.dirname(os.path.abspath(__file__))


@dataclass(frozen=True)
class Fault:
    """What went wrong: in a few words, and at length. It may have happened in another process.

    `deliberate`: it is no fault; a limit was reached that is there on purpose.
    """

    reason: str
    details: str = ""
    deliberate: bool = False

    @classmethod
    def of(cls, error: BaseException) -> "Fault":
        """Return the fault for an exception; an interrupt of the program is raised again."""
        interrupt = interrupt_in(error)
        if interrupt is not None:
            raise interrupt
        try:
            import traceback  # with a few others, which a process without faults does not need

            details = "".join(traceback.format_exception(error))
        except Exception:  # there may be no memory, or no room on the stack, to put it into words
            details = ""
        return cls(_reason(error), details, isinstance(error, BudgetExceeded))


def interrupt_in(error: BaseException) -> BaseException | None:
    """What a handler of signals raised, the program's exception and not Weft's, if `error` is that or was
    raised because of that.

    Python replaces an exception that comes while a class is made, in an import, by one of its own.
    """
    seen: set[int] = set()
    at: BaseException | None = error
    while at is not None and id(at) not in seen:
        if _is_interrupt(at):
            return at
        if threading.current_thread() is not threading.main_thread():
            break  # handlers run nowhere else, so that what was raised with a cause is what it seems
        seen.add(id(at))
        at = at.__cause__  # the context may be an exception that the program is handling just now
    return None


@contextmanager
def suppressed_faults() -> Iterator[None]:
    """Suppress exceptions of the body, except interrupts of the program."""
    try:
        yield
    except Exception as error:
        interrupt = interrupt_in(error)
        if interrupt is not None:
            raise interrupt from None


def _is_interrupt(error: BaseException) -> bool:
    if isinstance(error, KeyboardInterrupt | SystemExit) or getattr(error, "ended_wait", False):
        return True
    if threading.current_thread() is not threading.main_thread():  # handlers run nowhere else
        return False
    handlers = {_code(signal.getsignal(number)) for number in signal.valid_signals()} - {None}
    return bool(handlers) and any(code in handlers for code, _ in _frames(error))


def _code(handler: object) -> CodeType | None:
    """Return the code of what Python calls for a signal; None if there is none in Python."""
    while isinstance(handler, partial):
        handler = handler.func
    if not callable(handler):
        return None
    if not isinstance(handler, FunctionType | MethodType):
        handler = type(handler).__call__
    return getattr(handler, "__code__", None)


def _frames(error: BaseException) -> Iterator[tuple[CodeType, int]]:
    """Return the code and the line of each frame that an exception came through, the outermost first."""
    at = error.__traceback__
    while at is not None:
        yield at.tb_frame.f_code, at.tb_lineno
        at = at.tb_next


def report(what: str, fault: Fault) -> None:
    """Tells the user what becomes of a fault, in one line, and at length under WEFT_VERBOSE=1."""
    verbose = is_verbose()
    if fault.deliberate:
        if verbose:
            tell(f"{what}: {fault.reason}")
        return
    tell(f"{what}: {fault.reason}; {REPORT}")
    if verbose and fault.details:
        tell(fault.details.rstrip())


def is_verbose() -> bool:
    """Whether the user wants to see all there is to see."""
    try:
        return bool(settings.get("WEFT_VERBOSE"))
    except settings.InvalidSetting:
        return True  # somebody wants to see something


def _reason(error: BaseException) -> str:
    """Return an exception in one line, with its place unless it was raised on purpose."""
    try:
        lines = str(error).strip().splitlines()
    except Exception:  # an exception that cannot be put into words still has a name
        lines = []
    words = type(error).__name__
    if lines:
        words = f"{words}: {lines[0].strip()}"
    if len(words) > _LONGEST_REASON:
        words = f"{words[:_LONGEST_REASON]}…"
    place = "" if isinstance(error, WeftError | OSError) else _place(error)
    return f"{words} ({place})" if place else words


def _place(error: BaseException) -> str:
    """Return the innermost line of Weft's that an exception came through: file, line and function."""
    found = ""
    for code, line in _frames(error):
        if code.co_filename.startswith(_PACKAGE + os.sep):
            file = os.path.relpath(code.co_filename, _PACKAGE)
            found = f"{file}:{line}, {code.co_name}"
    return found
