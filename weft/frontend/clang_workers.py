"""Persistent clang processes: each compiles a sequence of inputs, and only the first waits for start-up.

clang accepts any number of inputs and compiles them in order. Here each input is a pipe, which clang opens
when it reaches it; the outputs follow each other on its standard output. Two thirds of the time for a small
kernel is start-up (loading the binary, building tables), which is paid once.

The end of a task is detected as follows: every pipe is one page long and contains the first byte of its task
from the start, so it is full. When clang has written the output of a task, it reads the pipe of the next one,
which becomes writable.

A failing process is harmless: the caller starts a new clang for the task, and its result counts. A task also
gets a separate process if all processes for its command line are busy. Processes that are idle for
IDLE_SECONDS are ended, because a host program may wait for all its children.
"""

import atexit
import fcntl
import os
import select
import subprocess
import threading
import time
from contextlib import suppress

from weft import limits
from weft.dataclasses import dataclass
from weft.faults import interrupt_in
from weft.limits import write_some
from weft.threads import start_thread

# Tasks of a process; the memory that LLVM retains for each (types, constants) is freed when it ends.
TASKS = 16
IDLE_SECONDS = 4.0

_CHUNK = 1 << 16
_PAGE = os.sysconf("SC_PAGESIZE")

Command = tuple[bytes, ...]


@dataclass(frozen=True)
class Answer:
    """Output and diagnostics of clang for a task."""

    output: bytes
    diagnostics: bytes


class _Ended(Exception):
    """The process ended before its task was complete."""


class ClangWorker:
    """A process that executes TASKS tasks, all of which start with the byte `first`."""

    def __init__(self, command: Command, first: bytes) -> None:
        self.command = command
        self.idle_since = time.monotonic()
        self._inputs: list[int] = []
        reading = []
        try:
            # One more pipe than tasks: it signals the end of the last task.
            for _ in range(TASKS + 1):
                end, start = os.pipe()
                reading.append(end)
                self._inputs.append(start)
                fcntl.fcntl(start, fcntl.F_SETPIPE_SZ, _PAGE)
                os.write(start, first)
                os.set_blocking(start, False)
            self._process = limits.Process(
                [*command, *(f"/dev/fd/{end}".encode() for end in reading)],
                {},
                stdin=subprocess.DEVNULL,
                descriptors=reading,
            )
        except BaseException:
            _close(self._inputs)
            raise
        finally:
            _close(reading)
        assert self._process.stdout is not None and self._process.stderr is not None
        self._output, self._diagnostics = self._process.stdout.fileno(), self._process.stderr.fileno()
        os.set_blocking(self._output, False)
        os.set_blocking(self._diagnostics, False)
        _alive.add(self)

    @property
    def tasks_left(self) -> int:
        """The number of remaining tasks."""
        return len(self._inputs) - 1

    def run(self, task: bytes, seconds: float | None) -> Answer:
        """Execute a task; raise _Ended if the process ends early, TooSlow if it takes more processor time."""
        received: dict[int, list[bytes]] = {self._output: [], self._diagnostics: []}
        poll = select.poll()
        for source in received:
            poll.register(source, select.POLLIN)
        unsent = memoryview(task)[1:]
        current, following = self._inputs[0], self._inputs[1]
        fcntl.fcntl(current, fcntl.F_SETPIPE_SZ, _CHUNK)
        poll.register(current, select.POLLOUT)
        limits.confine(self._process.pid)
        patience = limits.Patience(self._process.pid, seconds)
        done = False
        while not done:
            for descriptor, event in patience.wait(poll):
                if descriptor == current:
                    unsent = unsent[write_some(current, unsent) :]
                    if not unsent:
                        poll.unregister(current)
                        _close([self._inputs.pop(0)])
                        poll.register(following, select.POLLOUT)
                elif descriptor == following:
                    if event & select.POLLERR:
                        raise _Ended
                    done = True
                elif not _read(descriptor, received[descriptor]):
                    raise _Ended
        for source, pieces in received.items():
            with suppress(BlockingIOError):
                while _read(source, pieces):
                    pass
        self.idle_since = time.monotonic()
        return Answer(b"".join(received[self._output]), b"".join(received[self._diagnostics]))

    def close(self) -> None:
        """End the process."""
        self._process.kill()
        self._close_pipes()
        self._process.wait()

    def disown(self) -> None:
        """Close the pipes of a process that belongs to the parent, after a fork."""
        self._close_pipes()

    def _close_pipes(self) -> None:
        _alive.discard(self)
        _close(self._inputs)
        assert self._process.stdout is not None and self._process.stderr is not None
        self._process.stdout.close()
        self._process.stderr.close()


# Processes that have not ended, idle or not: a child process that keeps their pipes open would block them.
_alive: set[ClangWorker] = set()


class Pool:
    """The idle processes, one per command. Thread-safe."""

    def __init__(self) -> None:
        self.idle_seconds = IDLE_SECONDS
        self._reset()

    def _reset(self) -> None:
        self._waiting: dict[Command, ClangWorker] = {}
        self._lock = threading.Lock()
        self._changed = threading.Condition(self._lock)
        self._janitor: threading.Thread | None = None

    def start(self, command: Command, first: bytes) -> None:
        """Start a process for future tasks, unless an idle one exists."""
        with self._lock:
            missing = command not in self._waiting
        if missing:
            with suppress(OSError):  # a later task will report the error
                self._put(ClangWorker(command, first))

    def run(self, command: Command, task: bytes, seconds: float | None = None) -> Answer | None:
        """Execute a task whose first byte is that of all tasks of its command; return None if there is no
        output.

        Raise TooSlow if it takes more than `seconds` of processor time.
        """
        with self._lock:
            process = self._waiting.pop(command, None)
        try:
            process = process or ClangWorker(command, task[:1])
        except OSError:
            return None
        if process.tasks_left == 1:
            self.start(command, task[:1])
        try:
            answer = process.run(task, seconds)
        except BaseException as error:
            if interrupt_in(error) is not None or not isinstance(error, _Ended | OSError):
                process.close()
                raise
            answer = Answer(b"", b"")
        # After an error, clang writes no more output.
        if answer.output and process.tasks_left:
            self._put(process)
        else:
            process.close()
        return answer if answer.output else None

    def close(self) -> None:
        """End all processes."""
        with self._lock:
            waiting, self._waiting = self._waiting, {}
            self._changed.notify_all()
        for process in waiting.values():
            process.close()

    def after_fork(self) -> None:
        """Drop the parent's processes in a child process."""
        for process in list(_alive):
            process.disown()
        self._reset()  # the lock and the thread are not inherited

    def _put(self, process: ClangWorker) -> None:
        with self._lock:
            stays = self._has_janitor() and self._waiting.setdefault(process.command, process) is process
        if not stays:
            process.close()

    def _has_janitor(self) -> bool:
        """Return whether a thread ends idle processes; start it if needed. The lock must be held."""
        if self._janitor is None:
            try:
                self._janitor = start_thread(self._clean, "weft-clang")
            except RuntimeError:  # no more threads
                return False
        return True

    def _clean(self) -> None:
        """End processes that have been idle for long; return when there are no more."""
        while True:
            with self._lock:
                latest = time.monotonic() - self.idle_seconds
                idle = [c for c, process in self._waiting.items() if process.idle_since <= latest]
                ended = [self._waiting.pop(command) for command in idle]
                if not self._waiting:
                    self._janitor = None
            for process in ended:
                process.close()
            with self._lock:
                if self._janitor is not threading.current_thread():
                    return
                self._changed.wait(IDLE_SECONDS / 2)


pool = Pool()
atexit.register(pool.close)
os.register_at_fork(after_in_child=pool.after_fork)


def _read(descriptor: int, pieces: list[bytes]) -> bool:
    """Read available data; return False at the end of output."""
    data = os.read(descriptor, _CHUNK)
    if data:
        pieces.append(data)
    return bool(data)


def _close(descriptors: list[int]) -> None:
    while descriptors:
        os.close(descriptors.pop())
