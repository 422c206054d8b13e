"""Commands: nodes of the pool's graph, seen from Python; and the thread that runs their callbacks."""

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
"""How often the host program has waited for commands so far."""


class Command:
    """One enqueued command. Dropping it does not cancel it; copying numbers out of it never blocks."""

    __slots__ = ("c",)

    def __init__(self, c: object) -> None:
        self.c = c

    # The default keeps the function reachable while the interpreter clears this module at exit.
    def __del__(self, release: Callable[[object], None] = _release) -> None:
        release(self.c)

    @property
    def status(self) -> int:
        """OpenCL's execution status: 3 queued, 2 submitted, 1 running, 0 complete, negative: failed."""
        return _status(self.c)

    def wait(self) -> int:
        """Blocks until the command has ended, taking part in its work, and gives its final status.

        Raises what the program's handlers of signals raise in the meantime.
        """
        status = _wait(self.c)
        if status == INTERRUPTED:
            raise raised()
        return status

    def cancel(self) -> None:
        """The command touches no memory from now on: it has ended, or will fail without having begun."""
        lib.weft_command_cancel(self.c)

    def times(self) -> tuple[int, int, int, int]:
        """(queued, submitted, started, ended) in ns of CLOCK_MONOTONIC; zeros unless the queue profiles."""
        times = ffi.new("uint64_t[4]")
        lib.weft_command_times(self.c, times)
        return times[0], times[1], times[2], times[3]

    def on_status(self, status: int, callback: Callable[[int], None]) -> None:
        """Have `callback` called once, from the notification thread, when the status is `status` or less.

        It is given `status`, or the error code if the command failed.
        """
        _notifications.watch(self.c, status, callback)


class UserCommand(Command):
    """A command that the host completes; the basis of user events."""

    __slots__ = ()

    def complete(self, status: int = COMPLETE) -> bool:
        """End the command with 0 or a negative error code, which its dependents then fail with.

        False: it has been completed before, and nothing changes.
        """
        if status > 0:
            raise ValueError("a user command ends with 0 or a negative status")
        return not lib.weft_user_complete(self.c, status)


class _Notifications:
    """The callbacks that wait for a status, and the one thread that runs them, started by the first."""

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
        # Not in the loop: there the callback would live on while the thread waits for the next.
        callback = self._callbacks.pop(token, None)
        try:
            if token == _POSTED and self.posted is not None:
                self.posted()
            elif status != _DROPPED and callback is not None:  # the child of a fork drops those of its parent
                callback(status)
        except Exception as error:  # the thread goes on with other callbacks
            report("the callback of an event failed", Fault.of(error))

    def stop(self) -> None:
        """End the thread; a callback that does not return delays the exit by at most a second."""
        lib.weft_notify_stop()
        if self._thread is not None and self._thread is not threading.current_thread():
            self._thread.join(1.0)

    def _forget(self) -> None:
        """The child of a fork has no notification thread; commands of the parent will never notify it."""
        self._callbacks.clear()
        self._lock = threading.Lock()
        self._thread = None


_notifications = _Notifications()


def on_post(called: Callable[[], None], start: bool) -> None:
    """Let the notification thread call `called` on each weft_notify_post.

    Unless it is to `start` now, the first callback of an event starts it.
    """
    _notifications.posted = called
    if start:
        _notifications.start()
