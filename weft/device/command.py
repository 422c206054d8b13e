"""Commands of the pool as Python objects, and the thread that runs their callbacks."""

import atexit
import itertools
import os
import threading
from collections.abc import Callable

from weft.device._pool import ffi, lib
from weft.device.interrupts import INTERRUPTED, raised
from weft.faults import Fault, report
from weft.threads import start_thread

COMPLETE = 0
RUNNING = 1
SUBMITTED = 2
QUEUED = 3
OUT_OF_RESOURCES = -5
FAILED_WAIT_LIST = -14

_DROPPED = -(2**31)
_POSTED = 0  # the token of weft_notify_post
_release = lib.weft_command_release
_status = lib.weft_command_status
_wait = lib.weft_command_wait

host_waits: Callable[[], int] = lib.weft_waits
"""The number of times that the host program has waited for a command so far."""


class Command:
    """An enqueued command. Deleting the object does not cancel the command; its queries never block."""

    __slots__ = ("c",)

    def __init__(self, c: object) -> None:
        self.c = c

    # The default argument keeps the function reachable while the interpreter clears this module at exit.
    def __del__(self, release: Callable[[object], None] = _release) -> None:
        release(self.c)

    @property
    def status(self) -> int:
        """The execution status of OpenCL: 3 queued, 2 submitted, 1 running, 0 complete, negative: failed."""
        return _status(self.c)

    def wait(self) -> int:
        """Wait until the command has ended, helping to run it, and return its final status.

        Raises exceptions that signal handlers of the program raise in the meantime.
        """
        status = _wait(self.c)
        if status == INTERRUPTED:
            raise raised()
        return status

    def cancel(self) -> None:
        """Cancel the command: on return it has ended, or will fail without running. It accesses no memory."""
        lib.weft_command_cancel(self.c)

    def times(self) -> tuple[int, int, int, int]:
        """Return (queued, submitted, started, ended) in ns of CLOCK_MONOTONIC; zeros without profiling."""
        times = ffi.new("uint64_t[4]")
        lib.weft_command_times(self.c, times)
        return times[0], times[1], times[2], times[3]

    def on_status(self, status: int, callback: Callable[[int], None]) -> None:
        """Call `callback` once, from the notification thread, when the status is `status` or less.

        Its argument is `status`, or the error code if the command has failed.
        """
        _notifications.watch(self.c, status, callback)


class UserCommand(Command):
    """A command that the host completes; the basis of user events."""

    __slots__ = ()

    def complete(self, status: int = COMPLETE) -> bool:
        """End the command with 0 or a negative error code; with an error its dependents fail.

        Return False, without effect, if it has been completed before.
        """
        if status > 0:
            raise ValueError("a user command ends with 0 or a negative status")
        return not lib.weft_user_complete(self.c, status)


class _Notifications:
    """The callbacks that wait for a status, and the thread that runs them, which the first one starts."""

    def __init__(self) -> None:
        self._callbacks: dict[int, Callable[[int], None]] = {}
        self._tokens = itertools.count(1)
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self.posted: Callable[[], None] | None = None
        atexit.register(self.stop)
        os.register_at_fork(after_in_child=self._forget)

    def start(self) -> None:
        if self._thread is not None:
            return
        with self._lock:
            if self._thread is None:
                try:
                    self._thread = start_thread(self._run, "weft-callbacks")
                except RuntimeError as error:
                    raise MemoryError("no thread for event callbacks") from error

    def watch(self, c: object, status: int, callback: Callable[[int], None]) -> None:
        self.start()
        token = next(self._tokens)
        self._callbacks[token] = callback
        if lib.weft_command_watch(c, status, token):
            del self._callbacks[token]
            raise MemoryError("no memory for an event callback")

    def _run(self) -> None:
        token = ffi.new("uint64_t *")
        status = ffi.new("int32_t *")
        while lib.weft_notify_next(token, status):
            self._deliver(token[0], status[0])

    def _deliver(self, token: int, status: int) -> None:
        # Not in the loop, where a local variable would keep the callback alive during the wait.
        callback = self._callbacks.pop(token, None)
        try:
            if token == _POSTED and self.posted is not None:
                self.posted()
            elif status != _DROPPED and callback is not None:  # None: dropped in the child of a fork
                callback(status)
        except Exception as error:  # report it and continue with other callbacks
            report("the callback of an event failed", Fault.of(error))

    def stop(self) -> None:
        """Stop the thread; a callback that does not return delays the exit by at most a second."""
        lib.weft_notify_stop()
        if self._thread is not None and self._thread is not threading.current_thread():
            self._thread.join(1.0)

    def _forget(self) -> None:
        """Reset in the child of a fork, where there is no thread and no command of the parent ends."""
        self._callbacks.clear()
        self._lock = threading.Lock()
        self._thread = None


_notifications = _Notifications()


def on_post(called: Callable[[], None], start: bool) -> None:
    """Make the notification thread call `called` on each weft_notify_post.

    `start`: start the thread now; otherwise the first callback of an event starts it.
    """
    _notifications.posted = called
    if start:
        _notifications.start()
