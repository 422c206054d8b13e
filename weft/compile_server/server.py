"""The compile server, which `start.py` starts.

`main` takes a listening socket, its name once the server has started, and the idle time after which the
server exits.

The server imports the compiler and forks for each connection. The child serves only that client: with its
settings, within its limits, and no longer than the client lives. So no state or fault of one client affects
another. The server itself reads nothing from clients.

When it has no clients for the first time, it compiles a small program, so that one-time initialization of the
compiler (tables, patterns) is done before the next client connects. From then on it keeps a spare child ready
for the next client, with an idle clang process.
"""

import contextlib
import fcntl
import gc
import os
import select
import signal
import socket
import time
from collections.abc import Callable

from weft import build_process, limits
from weft.codegen.binding import llvm
from weft.compile_server import place
from weft.compile_server.messages import BuildAnswer, BuildRequest, Hello, Ready, Request, receive, send
from weft.compile_server.stream import Stream
from weft.compile_server.worker import compile_request, serve
from weft.dataclasses import dataclass
from weft.errors import WeftError
from weft.faults import suppressed_faults
from weft.frontend.clang_workers import IDLE_SECONDS, pool
from weft.frontend.compile import start_clang
from weft.frontend.options import parse_options
from weft.garbage import own_interpreter
from weft.group_code import compile_form, load_builtins, load_compiler, prepare_baseline
from weft.kernel import CodeOptions
from weft.launch_form import LaunchForm

# A child ends when its client has sent no request for this time; the client connects again.
CHILD_IDLE_SECONDS = 20.0
_LONGEST_WAIT = 3600.0
_PAUSE = 0.1
# How long after a connection its child and the client are probably busy.
_QUIET_SECONDS = 0.3
MOST_CLIENTS = max(16, 4 * (os.cpu_count() or 1))
"""The maximum number of clients at a time; others are rejected."""

_WARM_UP = """
kernel void warm_up(global const float *a, global float *b, int n) {
    int i = get_global_id(0);
    if (i >= n) return;
    float sum = 0.0f;
    for (int k = 0; k < n; k++) sum += a[k * n + i];
    b[i] = sum;
}
"""


class Server:
    """The process that accepts connections and forks."""

    def __init__(self, listener: socket.socket, name: str, idle: float) -> None:
        self._listener = listener
        self._name = name
        self._idle = idle
        self._inode = 0  # inode of the socket
        self._poll = select.poll()
        self._poll.register(listener, select.POLLIN)
        # For each child, the reading end of a pipe that closes when it ends -> its process id.
        self._children: dict[int, int] = {}
        self._spare: _Spare | None = None
        self._preparations: list[Callable[[], object]] = [
            _load_llvm,
            _warm_up,
            _load_builtins,
            self._prepare_spare,
        ]

    def run(self) -> None:
        """Serve until there has been no client for the idle time."""
        if not self._publish():
            return
        since = time.monotonic()
        while True:
            # Preparations for later clients are done one at a time, while there are no clients. LLVM is
            # loaded once no client has connected for a while: children of the first program rarely need it.
            prepares = bool(self._preparations) and (not self._clients or self._preparations[0] is _load_llvm)
            wait = min(self._idle, _LONGEST_WAIT)
            if prepares:
                wait = _QUIET_SECONDS if self._clients else 0
            ready = [found for found, _ in self._poll.poll(1000 * wait)]
            for descriptor in ready:
                if descriptor == self._listener.fileno():
                    self._accept()
                else:
                    self._bury(descriptor)
            if ready or self._clients:
                since = time.monotonic()
            if ready:
                continue
            if prepares:
                self._preparations.pop(0)()
            elif not self._clients and time.monotonic() >= since + self._idle and self._stop_listening():
                return

    @property
    def _clients(self) -> int:
        return len(self._children) - (self._spare is not None)

    def _publish(self) -> bool:
        """Rename the socket to the name that clients look for; False if it does not exist any more."""
        with contextlib.suppress(OSError), place.folder() as folder:
            starting = place.while_starting(self._name)
            self._inode = os.stat(starting, dir_fd=folder, follow_symlinks=False).st_ino
            os.rename(starting, self._name, src_dir_fd=folder, dst_dir_fd=folder)
            return True
        return False

    def _stop_listening(self) -> bool:
        """Remove the socket; False if a client is connecting or starting a server."""
        with contextlib.suppress(OSError), place.folder() as folder, place.lock(folder) as alone:
            if not alone or select.select([self._listener], [], [], 0)[0]:
                return False
            if os.stat(self._name, dir_fd=folder, follow_symlinks=False).st_ino == self._inode:
                os.unlink(self._name, dir_fd=folder)
        return True

    def _accept(self) -> None:
        """Let a child serve a client: the spare one, or a new one."""
        try:
            link, _ = self._listener.accept()
        except OSError:  # the client has disconnected, or there are no free descriptors for now
            time.sleep(_PAUSE)
            return
        with link:
            if not place.is_own(link) or self._clients >= MOST_CLIENTS or _has_left(link):
                return
            spare, self._spare = self._spare, None
            if self._prepare_spare not in self._preparations:
                self._preparations.append(self._prepare_spare)
            if spare is not None:
                with spare.order, contextlib.suppress(OSError):  # it has ended just now
                    socket.send_fds(spare.order, [b"\0"], [link.fileno()])
                    return
            with contextlib.suppress(OSError):  # no process can be created, so the client compiles
                self._fork(lambda: work_for(link))

    def _prepare_spare(self) -> None:
        """Fork a spare child for the next client, with all tools started."""
        with contextlib.suppress(OSError):  # no process can be created; the next client may get one
            order, orders = socket.socketpair()
            try:
                with orders:
                    child = self._fork(lambda: _stand_ready(order, orders))
            except OSError:
                order.close()
                raise
            self._spare = _Spare(child, order)

    def _fork(self, work: Callable[[], None]) -> int:
        """Fork a child that does `work`; return the descriptor that identifies it."""
        ending, living = os.pipe()
        try:
            child = os.fork()
        except OSError:
            os.close(ending)
            os.close(living)
            raise
        if child == 0:
            try:
                self._listener.close()
                if self._spare is not None:
                    self._spare.order.close()
                for descriptor in (ending, *self._children):
                    os.close(descriptor)
                work()
            finally:
                # No code of the server must run in the child. Its client sees the end of the connection.
                os._exit(0)
        os.close(living)
        self._children[ending] = child
        self._poll.register(ending, 0)
        return ending

    def _bury(self, descriptor: int) -> None:
        """Reap a child that has ended."""
        self._poll.unregister(descriptor)
        os.close(descriptor)
        os.waitpid(self._children.pop(descriptor), 0)
        if self._spare is not None and self._spare.child == descriptor:
            self._spare.order.close()
            self._spare = None


@dataclass(frozen=True)
class _Spare:
    """A spare child, and the socket through which it receives its client."""

    child: int
    order: socket.socket


def _has_left(link: socket.socket) -> bool:
    """Whether the client of a connection has closed it: it compiles by itself by now."""
    poll = select.poll()
    poll.register(link, select.POLLRDHUP)
    return bool(poll.poll(0))


def _stand_ready(order: socket.socket, orders: socket.socket) -> None:
    order.close()
    pool.idle_seconds = float("inf")
    _start_tools()
    _, descriptors, _, _ = socket.recv_fds(orders, 1, 1)
    orders.close()
    pool.idle_seconds = IDLE_SECONDS
    if descriptors:  # otherwise the server has ended
        work_for(socket.socket(fileno=descriptors[0]))


def work_for(link: socket.socket) -> None:
    """Serve the requests of a client until it disconnects or sends an invalid one."""
    link.settimeout(CHILD_IDLE_SECONDS)
    _, descriptors, _, _ = socket.recv_fds(link, 1, 1)
    if len(descriptors) != 1 or not _end_with(descriptors[0]):
        return
    stream = _PatientStream(link)
    with contextlib.suppress(EOFError, ValueError, OSError):
        hello = receive(stream)
        if not isinstance(hello, Hello):
            return
        os.environ.clear()
        os.environ.update(hello.environment)
        with contextlib.suppress(OSError):  # the folder has been removed, or is empty
            os.chdir(hello.folder)  # settings may be relative to it
        with contextlib.suppress(OSError):  # the system does not allow these processors
            os.sched_setaffinity(0, hello.processors)
        limits.confine(os.getpid(), serves=True)
        if hello.builds:
            _start_tools()
        send(stream, Ready(os.getpid()))
        serve(stream, stream, {Request: compile_request, BuildRequest: _build})


def _start_tools() -> None:
    """Start the clang processes that small programs need first: for OpenCL C, and for baseline code."""
    options = parse_options("")
    start_clang("", options)
    prepare_baseline(CodeOptions.of(options))


class _PatientStream(Stream):
    """A stream that waits for its client for a limited time, before and within a message."""

    def read(self, length: int, /) -> bytes:
        self.end = time.monotonic() + CHILD_IDLE_SECONDS
        try:
            return super().read(length)
        finally:
            self.end = float("inf")


def _end_with(pipe: int) -> bool:
    """Make the system end this process when the other end of a pipe is closed, as at the end of its client.

    See `limits.Process`. Return False if it is closed already.
    """
    fcntl.fcntl(pipe, fcntl.F_SETOWN, os.getpid())
    fcntl.fcntl(pipe, fcntl.F_SETSIG, signal.SIGKILL)
    fcntl.fcntl(pipe, fcntl.F_SETFL, os.O_ASYNC)
    return not select.select([pipe], [], [], 0)[0]


def _build(request: BuildRequest) -> BuildAnswer:
    try:
        with limits.build():
            compiled = build_process.build(request.source, request.options, debug_info=request.debug_info)
        return BuildAnswer(compiled)
    except WeftError as error:
        return BuildAnswer(error=error)
    except Exception:  # the client builds the program itself, and reports the error
        return BuildAnswer()


def _load_llvm() -> None:
    """Load LLVM, which builds need."""
    with suppressed_faults():  # a client with the same problem will report it
        llvm()


def _warm_up() -> None:
    """Compile a program to warm up the compiler."""
    with suppressed_faults():  # a client with the same problem will report it
        options = parse_options("")
        (kernel,) = build_process.build(_WARM_UP, options).kernels
        form, usual = LaunchForm(None, tile=(256, 1, 1), noalias=True), CodeOptions.of(options)
        for tier in (usual.baseline_tier(), usual):
            compile_form(kernel, tier, form)
    pool.close()
    gc.collect()
    gc.freeze()


def _load_builtins() -> None:
    """Have built-ins in memory that kernels often need, for clients whose cache lacks them."""
    with suppressed_faults():  # as above
        load_builtins()
    pool.close()


def _load() -> None:
    """Load the compiler."""
    load_compiler()
    own_interpreter()


def main(descriptor: int, name: str, idle: float) -> None:
    """Run the server with this name."""
    # The thread that has started it may block signals.
    signal.pthread_sigmask(signal.SIG_SETMASK, ())
    # Keep no folder in use, and create files that only the user can access.
    os.chdir("/")
    os.umask(0o077)
    os.environ["WEFT_CACHE"] = "0"  # for its own compilations
    _load()
    with socket.socket(fileno=descriptor) as listener:
        listener.setblocking(False)
        listener.listen()  # again, so that clients see the credentials of this process
        Server(listener, name, idle).run()
