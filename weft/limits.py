"""Time and memory limits of builds, and the processes that run under them.

The time limit covers a whole build, from its start (`build`). The memory limit applies to each process of the
build. A process that reaches a limit is killed, and the build fails with a message that names the setting. An
interrupt or the end of the host program ends the process too.
"""

import errno
import fcntl
import os
import resource
import select
import signal
import subprocess
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from weakref import WeakSet

from weft import settings
from weft.dataclasses import dataclass
from weft.errors import LimitExceeded, ToolError, TooSlow
from weft.signals import blocked

_CHUNK = 1 << 16
# Messages of LLVM, clang and Python if memory is exhausted.
_OUT_OF_MEMORY = (b"out of memory", b"bad_alloc", b"MemoryError")

_state = threading.local()


@contextmanager
def build() -> Iterator[None]:
    """Count the time of one build within this context; a nested build shares the time of the outer one."""
    if getattr(_state, "deadline", None) is not None:
        yield
        return
    _state.deadline = _deadline()
    try:
        yield
    finally:
        _state.deadline = None


def _deadline() -> float:
    seconds = settings.get("WEFT_BUILD_SECONDS")
    return time.monotonic() + seconds if seconds else float("inf")


def deadline() -> float:
    """Return the deadline of the current build (time.monotonic()); outside of builds the limit starts now."""
    found: float | None = getattr(_state, "deadline", None)
    return _deadline() if found is None else found


def check_time() -> None:
    """Raise LimitExceeded if the current build has used all its time."""
    if time.monotonic() >= deadline():
        raise out_of_time()


def out_of_time() -> LimitExceeded:
    """Return the error of a build that exceeds its time limit."""
    seconds = settings.get("WEFT_BUILD_SECONDS")
    return LimitExceeded(f"the build exceeded {seconds} s; WEFT_BUILD_SECONDS sets this limit")


def out_of_memory() -> LimitExceeded:
    """Return the error of a build that exceeds its memory limit."""
    size = settings.get("WEFT_BUILD_MEMORY") >> 20
    return LimitExceeded(f"the build needs more than {size} MiB of memory; WEFT_BUILD_MEMORY sets this limit")


class Patience:
    """Limits of a wait for a process: the build's deadline, and the processor time of the process."""

    def __init__(self, process: int, seconds: float | None = None) -> None:
        self._process = process
        self._end = deadline()
        self._most = None if seconds is None else _processor_seconds(process) + seconds
        self._step = 3600.0 if seconds is None else min(1.0, seconds)

    def wait(self, poll: select.poll) -> list[tuple[int, int]]:
        """Return what is ready; raises LimitExceeded at the deadline, TooSlow without processor time left."""
        while True:
            left = self._end - time.monotonic()
            if left <= 0:
                raise out_of_time()
            if ready := poll.poll(min(left, self._step) * 1000):
                return ready
            if self._most is not None and _processor_seconds(self._process) >= self._most:
                raise TooSlow("a compiler process exceeded its processor-time limit")


def _processor_seconds(process: int) -> float:
    """Return the processor time that a child process has used; 0 if unknown."""
    return sum(map(int, _status_fields(process)[11:13])) / os.sysconf("SC_CLK_TCK")


class Idleness:
    """Detects whether a process and its descendants have used no processor time for some seconds."""

    def __init__(self, process: int, seconds: float) -> None:
        self._process = process
        self._seconds = seconds
        self._ticks = self._used()
        self._since = time.monotonic()

    def is_reached(self) -> bool:
        """Whether they have been idle for that long; must be called at shorter intervals."""
        used, now = self._used(), time.monotonic()
        if used != self._ticks:
            self._ticks, self._since = used, now
        return now >= self._since + self._seconds

    def _used(self) -> dict[int, int]:
        """Return the processor time of each process, including that of its ended children."""
        parents: dict[int, int] = {}
        used: dict[int, int] = {}
        for name in os.listdir("/proc"):
            if name.isdecimal() and (fields := _status_fields(int(name))):
                parents[int(name)] = int(fields[1])
                used[int(name)] = sum(map(int, fields[11:15]))
        found = {self._process: used.get(self._process, 0)}
        grows = True
        while grows:  # once more than processes have descendants
            more = {p: used[p] for p, parent in parents.items() if parent in found and p not in found}
            found |= more
            grows = bool(more)
        return found


def _status_fields(process: int) -> list[bytes]:
    """Return the fields of /proc/PID/stat from the state on; empty if not available."""
    try:
        with open(f"/proc/{process}/stat", "rb") as file:
            # The name before the last parenthesis may contain any characters.
            fields = file.read().rpartition(b")")[2].split()
    except OSError:
        return []
    return fields if len(fields) > 15 else []


def confine(process: int, serves: bool = False) -> None:
    """Limit the memory of a child process, and its processor time in case this process ends before it.

    A process that `serves` many builds or launches has no time limit.
    """
    memory, seconds = settings.get("WEFT_BUILD_MEMORY"), settings.get("WEFT_BUILD_SECONDS")
    with suppress(OSError, ValueError):  # it has ended, or the limits of the system are lower
        if memory:
            resource.prlimit(process, resource.RLIMIT_AS, (memory, memory))
        if seconds and not serves:
            # Higher than the time limit, because several threads may share the work.
            limit = 16 * seconds + 60
            resource.prlimit(process, resource.RLIMIT_CPU, (limit, limit))


def is_memory_short(diagnostics: bytes) -> bool:
    """Whether the output of a failed process says that memory was exhausted."""
    return any(words in diagnostics for words in _OUT_OF_MEMORY)


class Process(subprocess.Popen[bytes]):
    """A child process in its own session, which the system kills when this process ends, however it ends.

    The child holds the reading end of a pipe whose only writing end is in this process. The kernel sends
    SIGKILL to the owner of the reading end when the writing end is closed. (The parent death signal of Linux
    would be sent when the thread ends that has started the child.)
    """

    def __init__(
        self,
        command: Sequence[str | bytes],
        environment: Mapping[str, str],
        *,
        stdin: int = subprocess.PIPE,
        stdout: int = subprocess.PIPE,
        stderr: int = subprocess.PIPE,
        descriptors: Sequence[int] = (),
    ) -> None:
        reading, writing = os.pipe()
        self._writing = [writing]
        try:
            super().__init__(
                command,
                stdin=stdin,
                stdout=stdout,
                stderr=stderr,
                bufsize=0,
                pass_fds=[*descriptors, reading],
                env=dict(environment),
                # An interrupt from the terminal must only reach the host program.
                start_new_session=True,
            )
            with suppress(OSError):  # it has ended already
                fcntl.fcntl(reading, fcntl.F_SETOWN, self.pid)
                fcntl.fcntl(reading, fcntl.F_SETSIG, signal.SIGKILL)
                fcntl.fcntl(reading, fcntl.F_SETFL, os.O_ASYNC)
        except BaseException:
            os.close(writing)
            raise
        finally:
            os.close(reading)
        _processes.add(self)

    def wait(self, timeout: float | None = None) -> int:
        """Wait for its end and return the exit status."""
        status = super().wait(timeout)
        self._let_go()
        return status

    def disown(self) -> None:
        """Drop a process that is a child of the parent, after a fork."""
        self._let_go()
        self.returncode = 0  # there is nothing to wait for

    def _let_go(self) -> None:
        _processes.discard(self)
        with suppress(IndexError):  # two threads may have waited for it
            os.close(self._writing.pop())


_processes: WeakSet[Process] = WeakSet()


def _disown_all() -> None:
    for process in list(_processes):
        process.disown()


os.register_at_fork(after_in_child=_disown_all)


@dataclass(frozen=True)
class Ended:
    """The result of a process: exit status (negative: a signal), standard output and standard error."""

    returncode: int
    output: bytes
    diagnostics: bytes


def run_process(
    command: Sequence[str | bytes],
    data: bytes,
    environment: Mapping[str, str],
    seconds: float | None = None,
) -> Ended:
    """Run a process with `data` as its standard input, within the limits of the current build.

    Raises LimitExceeded, TooSlow if it takes more than `seconds` of processor time, or ToolError if it cannot
    be started. In all cases the process has ended afterwards.
    """
    try:
        process = Process(command, environment)
    except OSError as error:
        if error.errno == errno.E2BIG:
            raise ToolError("error: the build options are longer than the system allows\n") from error
        name = os.fsdecode(command[0])
        raise ToolError(f"cannot start '{name}': {error.strerror or error}") from error
    try:
        confine(process.pid)
        output, diagnostics = _converse(process, data, Patience(process.pid, seconds))
        status = process.wait()
    except BaseException:
        process.kill()
        raise
    finally:
        for stream in (process.stdin, process.stdout, process.stderr):
            assert stream is not None
            with suppress(OSError):
                stream.close()
        process.wait()
    if status != 0 and is_memory_short(diagnostics):
        raise out_of_memory()
    return Ended(status, output, diagnostics)


def _converse(process: Process, data: bytes, patience: Patience) -> tuple[bytes, bytes]:
    """Write all input to a process and read all its output; LimitExceeded if that exceeds time or memory."""
    assert process.stdin is not None and process.stdout is not None and process.stderr is not None
    source, output, diagnostics = (s.fileno() for s in (process.stdin, process.stdout, process.stderr))
    received: dict[int, list[bytes]] = {output: [], diagnostics: []}
    poll = select.poll()
    for stream in (output, diagnostics):
        poll.register(stream, select.POLLIN)
    os.set_blocking(source, False)
    poll.register(source, select.POLLOUT)
    rest = memoryview(data)
    # The output is stored and parsed in this process, which needs more memory than the text itself.
    room = (settings.get("WEFT_BUILD_MEMORY") or 1 << 62) // 8
    open_streams = {source, output, diagnostics}
    while open_streams:
        for stream, _ in patience.wait(poll):
            if stream == source:
                try:
                    rest = rest[write_some(source, rest) :]
                except BrokenPipeError:  # it reads no more input
                    rest = rest[:0]
                done = not rest
                if done:
                    process.stdin.close()
            else:
                piece = os.read(stream, _CHUNK)
                received[stream].append(piece)
                room -= len(piece)
                done = not piece
                if room < 0:
                    raise out_of_memory()
            if done:
                poll.unregister(stream)
                open_streams.discard(stream)
    return b"".join(received[output]), b"".join(received[diagnostics])


def write_some(descriptor: int, data: memoryview) -> int:
    """Write as much as a pipe accepts and return the amount; OSError if it has no reader."""
    with blocked(signal.SIGPIPE):
        return os.write(descriptor, data[:_CHUNK]) if data else 0
