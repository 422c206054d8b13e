"""The client of the compile server: compiles in a child of the server, if there is one.

A process that will probably build a program starts a server when it creates a context (`prepare`). A client
does not wait for a server that is starting, and never fails because of a server: if the server cannot compile
something, or dies, the client compiles it itself and uses no server from then on. A process that has already
imported the compiler uses no server either.
"""

import contextlib
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from typing import Any, TypeVar
from weakref import WeakSet

from weft import group_code, limits, settings
from weft.codegen.host import known_host_target
from weft.codegen.isolate import environment, interpreter
from weft.compile_server import place, start
from weft.compile_server.messages import (
    Answer,
    BuildAnswer,
    BuildRequest,
    Hello,
    Ready,
    Request,
    receive,
    send,
)
from weft.compile_server.stream import Stream
from weft.errors import BudgetExceeded, ToolError
from weft.frontend.headers import reads_files
from weft.frontend.options import BuildOptions
from weft.frontend.program_source import Source
from weft.kernel import CodeOptions, CompiledProgram, KernelCode
from weft.launch_form import LaunchForm
from weft.locks import new_lock
from weft.threads import start_thread

T = TypeVar("T")

# A running server answers within milliseconds, but a busy machine may take longer.
READY_SECONDS = 2.0
# Time for a server that is starting, which loads the compiler in a few seconds.
START_SECONDS = 60.0
# Modules that are loaded in a process that compiles by itself.
_BUILDER, _COMPILER = "weft.build_process", "weft.compiler.compile_work_group"
# Settings under which the compiler prints what it does, for the user of this process.
_TELLING = ("WEFT_VERBOSE", "WEFT_DUMP", "WEFT_PRINT")
# Minimum memory limit of a child of the server; the tools that it starts have the same limit.
_LEAST_MEMORY = 1 << 30


class Connection:
    """A child of the server that works only for this process, and lives as long as this object."""

    def __init__(self, link: socket.socket, *, builds: bool) -> None:
        self._link = link
        self._stream = Stream(link)
        self.is_given_up = False
        """Whether this process has interrupted it."""
        self._stream.end = time.monotonic() + (READY_SECONDS if builds else START_SECONDS)
        reading, living = os.pipe()
        self._living = [living]
        try:
            socket.send_fds(link, [b"\0"], [reading])
            processors = frozenset(os.sched_getaffinity(0))
            send(self._stream, Hello(dict(os.environ), _working_folder(), processors, builds))
        except BaseException:
            self.close()
            raise
        finally:
            os.close(reading)
        _connections.add(self)

    def wait_until_ready(self, seconds: float | None = None) -> None:
        """Wait until it can compile; raises ToolError if it ends instead, or takes too long."""
        self._stream.end = time.monotonic() + (START_SECONDS if seconds is None else seconds)
        self._stream.watched = self._receive(Ready).process

    def ask(self, request: Request) -> Answer:
        """Compile code remotely; raises ToolError if there is no reply."""
        return self.ask_for(Answer, request, float("inf"))

    def ask_for(self, kind: type[T], request: object, end: float) -> T:
        """Send a request and return the reply; raises ToolError if there is none before `end`."""
        self._stream.end = end
        with contextlib.suppress(OSError):  # it has ended, or is too slow, so there will be no answer
            send(self._stream, request)
        return self._receive(kind)

    def _receive(self, kind: type[T]) -> T:
        try:
            found = receive(self._stream)
        except (EOFError, OSError) as error:
            raise ToolError("the compile server does not respond") from error
        except ValueError as error:
            raise ToolError("the compile server's reply cannot be read") from error
        if not isinstance(found, kind):
            raise ToolError(f"the compile server's reply is a {type(found).__name__}")
        return found

    @property
    def has_ended(self) -> bool:
        """Whether the child has ended; it never sends anything without a request."""
        try:
            return self._link.recv(1, socket.MSG_PEEK | socket.MSG_DONTWAIT) == b""
        except BlockingIOError:
            return False
        except OSError:
            return True

    def interrupt(self) -> bool:
        """Shut down the connection, so that another thread stops waiting for an answer."""
        self.is_given_up = True
        with contextlib.suppress(OSError):  # it has ended already
            self._link.shutdown(socket.SHUT_RDWR)
        return True

    def close(self) -> None:
        """End the child; in a forked process, only drop the connection."""
        _connections.discard(self)
        self._link.close()
        with contextlib.suppress(IndexError):
            os.close(self._living.pop())

    disown = close


_connections: WeakSet[Connection] = WeakSet()


class _Client:
    """The connections of this process that wait for requests; safe to use from several threads."""

    def __init__(self) -> None:
        self._reset()

    def _reset(self) -> None:
        self._lock = new_lock()
        self._waiting: list[Connection] = []
        self._disappointed = False
        self._starting = new_lock()
        self._preparation: threading.Event | None = None
        """Set when a child of a server is ready for the first build, or when there is none yet."""
        self._starts: Connection | None = None
        """The connection with a server that is starting, for a later build."""
        self._builds_here = False

    @property
    def is_wanted(self) -> bool:
        """Whether this process should use a server."""
        if self._disappointed or not settings.get("WEFT_SERVER_IDLE"):
            return False
        if 0 < settings.get("WEFT_BUILD_MEMORY") < _LEAST_MEMORY:
            return False
        return not any(map(settings.get, _TELLING))

    def prepare(self, is_expected: Callable[[], bool]) -> bool:
        """Prepare a child of a server for a build, unless `is_expected` returns that there will be none.

        A server is started if there is none; this does not wait for it. Return False if none is wanted.
        """
        if _BUILDER in sys.modules or not self.is_wanted:
            return False
        with self._lock:
            if self._preparation is not None:
                return True
            self._preparation = done = threading.Event()
        try:
            start_thread(self._prepare, "weft-compile-server", is_expected, done)
        except RuntimeError:  # no thread can be started
            done.set()
        return True

    def _prepare(self, is_expected: Callable[[], bool], done: threading.Event) -> None:
        # A write to a server that has died must not end the host program.
        signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGPIPE])
        connection: Connection | None = None
        try:
            if not is_expected():
                return
            connection = self._ready(self.connect(start=False, builds=True), READY_SECONDS)
        except settings.InvalidSetting:  # the build reports it
            return
        finally:
            if connection is not None:
                self._keep(connection)
            done.set()
        if connection is None:
            connection = self.connect(start=True, builds=True)
            with self._lock:
                self._starts, is_late = connection, self._builds_here
            if connection is not None and is_late:
                connection.interrupt()
            connection = self._ready(connection, START_SECONDS)
            if connection is not None:
                with self._lock:
                    self._starts = None  # other threads may use it from now on
                    self._waiting.append(connection)

    def builds_here(self) -> None:
        """Give up the child of a server that is starting: this process builds by itself."""
        with self._lock:
            self._builds_here = True
            if self._starts is not None:
                self._starts.interrupt()

    def connect(self, *, start: bool, builds: bool) -> Connection | None:
        """Return a new child of the server, which may not be ready yet.

        `start`: start a server unless there is one. `builds`: the child will build programs.
        """
        if not builds and self._preparation is not None:
            self._preparation.wait(READY_SECONDS)  # the spare child of the server is for the first build
        if not self.is_wanted or not (name := place.server_name()):
            return None
        with contextlib.suppress(OSError, ToolError), place.folder(make=start) as folder:
            link = place.connect(folder, name)
            if link is None and start:
                with self._starting:  # two threads may try to start a server
                    link = _start(folder, name)
            if link is not None:
                return Connection(link, builds=builds)
        return None

    def ask(self, kind: type[T], request: object, end: float) -> T | None:
        """Return the answer of a server; None if there is no server or no answer."""
        connection = self._take()
        if connection is None:
            return None
        try:
            found = connection.ask_for(kind, request, end)
        except BaseException as error:
            connection.close()
            if not isinstance(error, ToolError):
                raise
            self.disappoint()
            return None
        self._keep(connection)
        return found

    def _keep(self, connection: Connection) -> None:
        with self._lock:
            self._waiting.append(connection)

    def disappoint(self) -> None:
        """Use no servers from now on."""
        self._disappointed = True

    def _take(self) -> Connection | None:
        if self._preparation is not None:
            self._preparation.wait(READY_SECONDS)
        while self.is_wanted:
            with self._lock:
                if not self._waiting:
                    break
                connection = self._waiting.pop()
            if not connection.has_ended:
                return connection
            connection.close()
        return self._ready(self.connect(start=False, builds=True), READY_SECONDS)

    def _ready(self, connection: Connection | None, seconds: float) -> Connection | None:
        """Wait until a new child can compile, and return it; None if there is none."""
        if connection is not None:
            try:
                connection.wait_until_ready(seconds)
            except BaseException as error:
                connection.close()
                if not isinstance(error, ToolError):
                    raise
                if not connection.is_given_up:
                    self.disappoint()
                return None
        return connection

    def after_fork(self) -> None:
        """Reset in the child of a fork: the connections belong to the parent."""
        for connection in list(_connections):
            connection.disown()
        self._reset()


client = _Client()
os.register_at_fork(after_in_child=client.after_fork)


def build(source: Source, options: BuildOptions, *, debug_info: bool = False) -> CompiledProgram | None:
    """Return the result or exception of `build_process.build` in a server; None to build here."""
    if _BUILDER not in sys.modules and client.is_wanted and not _reads_files(source, options):
        end = limits.deadline()
        answer = client.ask(BuildAnswer, BuildRequest(source, options, debug_info), end)
        limits.check_time()
        if answer is not None and answer.error is not None:
            raise answer.error
        if answer is not None and answer.program is not None:
            return answer.program
    client.builds_here()
    return None


def compile_form(code: KernelCode, options: CodeOptions, form: LaunchForm) -> bytes:
    """`group_code.compile_form`, in a server if there is one; raises the same exceptions."""
    # A process that has built a program has most of the compiler in memory, and a clang that waits.
    if _BUILDER not in sys.modules and _COMPILER not in sys.modules and client.is_wanted:
        request = Request(code, options, form, known_host_target())
        answer = client.ask(Answer, request, float("inf"))
        if answer is not None and answer.fault is None:
            return answer.data
        if answer is not None and answer.fault is not None and answer.fault.deliberate:
            # Compiling it here would exceed the budget too.
            raise BudgetExceeded(answer.fault.reason.removeprefix("BudgetExceeded: "))
    return group_code.compile_form(code, options, form)


def _reads_files(source: Source, options: BuildOptions) -> bool:
    """Whether a build depends on the program's folders, which may differ from the server's."""
    texts = [source] if isinstance(source, str) else []
    return reads_files([*texts, *(definition for _, definition in options.defines)])


def _working_folder() -> str:
    try:
        return os.getcwd()
    except OSError:  # the folder has been removed
        return ""


def _start(folder: int, name: str) -> socket.socket | None:
    """Return a connection with a server that starts; None if there can be none."""
    starting = place.while_starting(name)
    with place.lock(folder) as alone:
        # Another process or thread may have started one in the meantime. A process that was being forked then
        # may hold the lock a moment longer.
        link = place.connect(folder, name) or place.connect(folder, starting)
        if link is not None or not alone:
            return link
        with place.listen(folder, starting) as listener:
            _run_server(listener, name)
            return place.connect(folder, starting)


def _run_server(listener: socket.socket, name: str) -> None:
    words: list[Any] = [listener.fileno(), name, settings.get("WEFT_SERVER_IDLE")]
    # -P: do not search modules in the folder of the program. -S: `environment` has all folders that `site`
    # would add, and importing `site` takes longer than starting Python.
    command = [interpreter(), "-P", "-S", start.__file__, *map(str, words)]
    process = subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        pass_fds=[listener.fileno()],
        env=environment(),
        start_new_session=True,
    )
    # The process ends as soon as it has forked.
    process.wait()
