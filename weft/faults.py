"""Reports of internal errors: one line on standard error, and more on request.

A traceback of Weft's internals does not help users. The line says what happens instead, the reason in a few
words, and how to report it; `WEFT_VERBOSE=1` adds the traceback.
"""

import errno
import os
import resource
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
# Messages of the dynamic loader if there is no room for a library.
_NOT_LOADED = ("failed to map segment", "cannot allocate memory", "Cannot allocate memory")
# Maximum length of a reason, which shares a line with other text.
_LONGEST_REASON = 240
_PACKAGE = os.path.dirname(os.path.abspath(__file__))


@dataclass(frozen=True)
class Fault:
    """An error: the reason in a few words, and the details. It may have happened in another process.

    `deliberate`: not an internal error; an intended limit was reached.
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
            import traceback  # imports other modules; not needed without faults

            details = "".join(traceback.format_exception(error))
        except Exception:  # there may be too little memory or stack to format it
            details = ""
        return cls(_reason(error), details, isinstance(error, BudgetExceeded))


def interrupt_in(error: BaseException) -> BaseException | None:
    """Return the exception of a signal handler of the program if `error` is one or was caused by one.

    Python replaces an exception that is raised while a class is created, in an import, by one of its own.
    """
    seen: set[int] = set()
    at: BaseException | None = error
    while at is not None and id(at) not in seen:
        if _is_interrupt(at):
            return at
        if threading.current_thread() is not threading.main_thread():
            break  # signal handlers run only in the main thread, so a cause is not a handler's exception
        seen.add(id(at))
        at = at.__cause__  # not the context, which may be an exception that the program is handling
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


def lack_of_memory(error: BaseException) -> str:
    """Return a message if an exception says that memory was exhausted; otherwise an empty string."""
    text = str(error)
    # The dynamic loader gives no error number.
    is_memory_short = (
        isinstance(error, MemoryError)
        or (isinstance(error, OSError) and error.errno == errno.ENOMEM)
        or (isinstance(error, OSError | ImportError) and any(words in text for words in _NOT_LOADED))
    )
    if not is_memory_short:
        return ""
    try:
        limit = resource.getrlimit(resource.RLIMIT_AS)[0]
    except (OSError, ValueError):
        limit = resource.RLIM_INFINITY
    if limit == resource.RLIM_INFINITY:
        return text or "not enough memory"
    reason = f" ({text})" if text else ""
    return (
        f"the process may not use more than {limit >> 20} MiB of address space, its limit (ulimit -v){reason}"
    )


def _is_interrupt(error: BaseException) -> bool:
    if isinstance(error, KeyboardInterrupt | SystemExit) or getattr(error, "ended_wait", False):
        return True
    if threading.current_thread() is not threading.main_thread():  # signal handlers run only there
        return False
    handlers = {_code(signal.getsignal(number)) for number in signal.valid_signals()} - {None}
    return bool(handlers) and any(code in handlers for code, _ in _frames(error))


def _code(handler: object) -> CodeType | None:
    """Return the code object of a signal handler; None if it is not implemented in Python."""
    while isinstance(handler, partial):
        handler = handler.func
    if not callable(handler):
        return None
    if not isinstance(handler, FunctionType | MethodType):
        handler = type(handler).__call__
    return getattr(handler, "__code__", None)


def _frames(error: BaseException) -> Iterator[tuple[CodeType, int]]:
    """Yield the code and line of each frame that an exception has passed, outermost first."""
    at = error.__traceback__
    while at is not None:
        yield at.tb_frame.f_code, at.tb_lineno
        at = at.tb_next


def report(what: str, fault: Fault) -> None:
    """Report a fault and its consequences in one line, and with details if WEFT_VERBOSE=1."""
    verbose = is_verbose()
    if fault.deliberate:
        if verbose:
            tell(f"{what}: {fault.reason}")
        return
    tell(f"{what}: {fault.reason}; {REPORT}")
    if verbose and fault.details:
        tell(fault.details.rstrip())


def is_verbose() -> bool:
    """Whether WEFT_VERBOSE requests details."""
    try:
        return bool(settings.get("WEFT_VERBOSE"))
    except settings.InvalidSetting:
        return True  # an invalid value still requests output


def _reason(error: BaseException) -> str:
    """Format an exception in one line, with its location unless it was raised on purpose."""
    try:
        lines = str(error).strip().splitlines()
    except Exception:  # if the exception cannot be formatted, its type can
        lines = []
    words = type(error).__name__
    if lines:
        words = f"{words}: {lines[0].strip()}"
    if len(words) > _LONGEST_REASON:
        words = f"{words[:_LONGEST_REASON]}…"
    place = "" if isinstance(error, WeftError | OSError) else _place(error)
    return f"{words} ({place})" if place else words


def _place(error: BaseException) -> str:
    """Return the innermost location in Weft that an exception has passed: file, line and function."""
    found = ""
    for code, line in _frames(error):
        if code.co_filename.startswith(_PACKAGE + os.sep):
            file = os.path.relpath(code.co_filename, _PACKAGE)
            found = f"{file}:{line}, {code.co_name}"
    return found
