"""A thread that looks which kernels are used, and has a process compile their best code.

It looks when a kernel is launched and now and then while its launches run; it holds first code weakly, so
that programs which are gone cost nothing. The process ends when it has had nothing to do for a while, and at
the latest with this one. What goes wrong is printed once for each kernel, which goes on with its first code.
"""

import atexit
import os
import signal
import subprocess
import sys
import threading
import time
import weakref
from collections.abc import Callable
from contextlib import suppress
from functools import cache

from weft.codegen.isolate import interpreter
from weft.errors import ToolError
from weft.tiers.first_code import FirstCode
from weft.tiers.messages import Answer, Request, receive, send

SHORTEST_LOOK, LONGEST_LOOK = 0.005, 0.25  # seconds between two looks at what runs
WATCHED_SECONDS = 60.0  # after the last launch of a kernel
IDLE_SECONDS = 4.0  # a host program may wait for all its children


@cache
def possible() -> bool:
    """Whether there is a Python interpreter to run the process."""
    try:
        interpreter()
    except ToolError:
        return False
    return True


class Background:
    """What one process knows of the first code of its kernels; safe to use from several threads."""

    def __init__(self, start: "Callable[[], Helper] | None" = None) -> None:
        self._start = start or Helper
        self._changed = threading.Condition()
        self._watched: dict[int, weakref.ref[FirstCode]] = {}
        self._thread: threading.Thread | None = None
        self._helper: Helper | None = None
        self._pause = SHORTEST_LOOK
        self._closed = False

    def launched(self, first: FirstCode) -> None:
        """Looks at first code from now on, which is about to run."""
        first.launched()
        with self._changed:
            if self._closed or first.asked:
                return
            self._watched[id(first)] = weakref.ref(first)
            self._pause = SHORTEST_LOOK
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="weft-tiers", daemon=True)
                self._thread.start()
            elif first.is_due:
                self._changed.notify()

    def close(self) -> None:
        """Ends the process, and the thread soon after."""
        with self._changed:
            self._closed = True
            self._watched.clear()
            helper, self._helper = self._helper, None
            self._changed.notify()
        if helper is not None:
            helper.close()

    def after_fork(self) -> None:
        """In a child process: neither the thread nor the helper are the child's."""
        if self._helper is not None:
            self._helper.disown()
        self.__init__(self._start)  # type: ignore[misc]

    def _run(self) -> None:
        # Writing to a helper that has died must not end the host program.
        signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGPIPE])
        idle_since = time.monotonic()
        while True:
            first = self._next_due()
            if first is not None:
                self._compile(first)
                del first
                idle_since = time.monotonic()
                continue
            with self._changed:
                idle = time.monotonic() - idle_since >= IDLE_SECONDS
                helper = self._helper if idle else None
                if idle:
                    self._helper = None
                if self._closed or (not self._watched and self._helper is None):
                    self._thread = None
                    self._stop(helper)
                    return
                self._stop(helper)
                self._changed.wait(self._pause)
                self._pause = min(self._pause * 1.5, LONGEST_LOOK)

    @staticmethod
    def _stop(helper: "Helper | None") -> None:
        if helper is not None:
            helper.close()

    def _next_due(self) -> FirstCode | None:
        """The most used of the first codes that are due, which is no longer looked at then."""
        latest = time.monotonic() - WATCHED_SECONDS
        with self._changed:
            found: FirstCode | None = None
            for key, reference in list(self._watched.items()):
                first = reference()
                if first is None or (first.latest < latest and not first.is_due):
                    del self._watched[key]
                elif first.is_due and (found is None or first.ticks > found.ticks):
                    found = first
            if found is not None:
                found.asked = True
                del self._watched[id(found)]
            return found

    def _compile(self, first: FirstCode) -> None:
        try:
            if self._helper is None:
                helper = self._start()
                with self._changed:
                    if self._closed:
                        helper.close()
                        return
                    self._helper = helper
            answer = self._helper.ask(Request(first.code, first.options, first.form))
            if not answer.error:
                first.finish(first, answer.data)
                return
            reason = answer.error
        except Exception as error:  # the thread goes on with other kernels; this one is told of below
            reason = f"{type(error).__name__}: {error}"
            if self._helper is not None:
                self._helper.close()
                self._helper = None
        if not self._closed:
            name = first.code.info.name
            print(f"weft: kernel {name!r} keeps its first code: {reason.strip()}", file=sys.stderr)


class Helper:
    """The process, as its user sees it."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [interpreter(), "-m", "weft.tiers.helper"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            bufsize=0,  # a buffer has a lock, which a fork might find taken
            env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
            # An interrupt from the terminal is the host program's affair.
            start_new_session=True,
        )

    def ask(self, request: Request) -> Answer:
        """Has it compile something; raises ToolError if it ends instead."""
        assert self._process.stdin is not None and self._process.stdout is not None
        try:
            send(self._process.stdin, request)
            answer = receive(self._process.stdout)
        except (EOFError, OSError) as error:
            raise ToolError(f"the compiler ended with status {self._process.wait()}") from error
        assert isinstance(answer, Answer)
        return answer

    def close(self) -> None:
        """Ends the process, whatever it does."""
        self._process.kill()
        self._process.wait()
        self._close_pipes()

    def disown(self) -> None:
        """Lets go of a process that is another process's child: after a fork."""
        self._close_pipes()
        self._process.returncode = 0

    def _close_pipes(self) -> None:
        for stream in (self._process.stdin, self._process.stdout):
            assert stream is not None
            with suppress(OSError):  # what was not written yet need not arrive
                stream.close()


background = Background()
atexit.register(background.close)
os.register_at_fork(after_in_child=background.after_fork)
