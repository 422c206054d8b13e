"""Programs and code by the compile server, and what programs do without one that works."""

import contextlib
import io
import os
import pickle
import signal
import socket
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from weft import build_process, group_code, limits
from weft.builtins import library
from weft.codegen.host import host_target
from weft.compile_server import client as module
from weft.compile_server import place, stream
from weft.compile_server import server as server_module
from weft.compile_server.client import Connection, build, client, compile_form
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
from weft.compile_server.server import Server, _load_builtins
from weft.compile_server.stream import Stream
from weft.compiler.builtin_flags import builtin_flags
from weft.errors import BudgetExceeded, BuildError, ToolError
from weft.faults import Fault
from weft.frontend.options import parse_options
from weft.kernel import CodeOptions
from weft.launch_form import LaunchForm

SOURCE = """
kernel void scale(global const float *a, global float *b) {
    b[get_global_id(0)] = 2 * a[get_global_id(0)];
}
"""
OPTIONS = parse_options("")
FORM = LaunchForm((64, 1, 1))
SECONDS = 60.0


@pytest.fixture(scope="module")
def session() -> Iterator[pytest.MonkeyPatch]:
    """A process that has no compiler in memory, as far as it knows, and uses servers."""
    patch = pytest.MonkeyPatch()
    patch.setenv("WEFT_SERVER_IDLE", "600")
    patch.setattr(module, "READY_SECONDS", SECONDS)  # a busy machine is not what is tested
    patch.setattr(module, "_BUILDER", "no such module")
    patch.setattr(module, "_COMPILER", "no such module")
    yield patch
    patch.undo()


@pytest.fixture
def runtime_folder(tmp_path: Path, session: None, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder without a server; this process trusts the next one."""
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    client.after_fork()
    return tmp_path / "weft"


@pytest.fixture(scope="module")
def process(tmp_path_factory: pytest.TempPathFactory, session: pytest.MonkeyPatch) -> Iterator[int]:
    """The number of a server's process."""
    session.setenv("XDG_RUNTIME_DIR", str(tmp_path_factory.mktemp("runtime")))
    client.after_fork()
    first = client.connect(start=True, builds=False)
    assert first is not None
    first.wait_until_ready(SECONDS)
    first.close()
    number = _server_process()
    yield number
    os.kill(number, signal.SIGKILL)


@pytest.fixture
def server(process: int) -> int:
    """The server, of which this process thinks well."""
    client.after_fork()
    return process


def _server_process() -> int:
    """The process that listens."""
    with place.folder() as folder:
        link = place.connect(folder, place.server_name())
    assert link is not None
    with link:
        number: int = struct.unpack("3i", link.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))[0]
    assert number != os.getpid()
    return number


def _wait_for(condition: Callable[[], bool]) -> None:
    end = time.monotonic() + SECONDS
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.01)


def test_a_server_blocks_no_signals_that_its_starter_blocks(runtime_folder: Path) -> None:
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGTERM, signal.SIGINT])
    try:
        first = client.connect(start=True, builds=False)
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
    assert first is not None
    first.wait_until_ready(SECONDS)
    first.close()
    number = _server_process()
    try:
        os.kill(number, signal.SIGTERM)
        _wait_for(lambda: not Path(f"/proc/{number}").exists())
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.kill(number, signal.SIGKILL)


def test_a_server_gives_what_this_process_would_compile(server: int, monkeypatch: pytest.MonkeyPatch) -> None:
    served = build(SOURCE, OPTIONS)
    here = build_process.build(SOURCE, OPTIONS)
    assert served == here
    options = CodeOptions.of(OPTIONS)
    expected = group_code.compile_form(here.kernels[0], options, FORM)
    monkeypatch.setattr(group_code, "compile_form", None)
    assert compile_form(here.kernels[0], options, FORM) == expected


def test_errors_of_a_program_are_those_of_the_server(server: int) -> None:
    with pytest.raises(BuildError) as served:
        build("kernel void f() { undeclared(); }", OPTIONS)
    with pytest.raises(BuildError) as here:
        build_process.build("kernel void f() { undeclared(); }", OPTIONS)
    assert served.value.log == here.value.log


def test_programs_that_include_files_are_not_the_servers(server: int) -> None:
    for directive in ("#include", "#inc\\\nlude", "#inc??/\nlude"):
        assert build(f'{directive} "x.h"\n' + SOURCE, OPTIONS) is None


def test_settings_are_those_of_the_client(server: int, monkeypatch: pytest.MonkeyPatch) -> None:
    source = "float twice(float x) { return cbrt(x) * 2 * x; }\n" + SOURCE.replace("2 * a", "twice(a") + ")"
    source = source.replace("(0)];\n}\n)", "(0)]);\n}\n")
    usual = build(source, OPTIONS)
    client.after_fork()
    monkeypatch.setenv("WEFT_INLINE", "0")
    served = build(source, OPTIONS)
    assert served == build_process.build(source, OPTIONS)
    assert served != usual


def test_children_end_with_their_clients(server: int) -> None:
    connection = client.connect(start=False, builds=True)
    assert connection is not None
    connection.wait_until_ready(SECONDS)
    os.close(connection._living.pop())
    with pytest.raises(ToolError, match="does not respond"):
        connection.ask(
            Request(build_process.build(SOURCE, OPTIONS).kernels[0], CodeOptions.of(OPTIONS), FORM)
        )
    connection.close()


@pytest.mark.parametrize(
    "said", [b"", b"x" * 100, b"weft.msg" + b"\xff" * 100, b"weft.msg\4\0\0\0\0\0\0\0abcd"]
)
def test_nonsense_ends_a_connection_and_nothing_else(server: int, said: bytes) -> None:
    with place.folder() as folder:
        link = place.connect(folder, place.server_name())
    assert link is not None
    link.setblocking(True)
    link.settimeout(SECONDS)
    with contextlib.suppress(ConnectionError):
        link.sendall(said)
        link.shutdown(socket.SHUT_WR)
    with contextlib.suppress(ConnectionError):
        assert link.recv(1) == b""
    link.close()
    assert build(SOURCE, OPTIONS) is not None


def test_messages_make_nothing_but_records() -> None:
    for bad in (print, os.system, Path("x"), {"a": [Connection]}, subprocess.Popen):
        data = pickle.dumps(bad)
        ours, theirs = socket.socketpair()
        with ours, theirs:
            ours.sendall(struct.pack("<8sQ", b"weft.msg", len(data)) + data)
            with pytest.raises(ValueError, match="not a message"):
                receive(Stream(theirs))


def test_a_forked_child_leaves_the_connections_of_its_parent_alone(server: int) -> None:
    assert build(SOURCE, OPTIONS) is not None
    assert len(client._waiting) == 1
    child = os.fork()
    if child == 0:
        signal.alarm(60)
        good = not client._waiting and build(SOURCE, OPTIONS) is not None
        os._exit(0 if good else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert not client._waiting[0].has_ended
    assert build(SOURCE, OPTIONS) is not None


def test_a_connection_that_ended_of_itself_is_replaced(server: int) -> None:
    assert build(SOURCE, OPTIONS) is not None
    (connection,) = client._waiting
    connection._link.shutdown(socket.SHUT_WR)
    _wait_for(lambda: connection.has_ended)
    assert build(SOURCE, OPTIONS) is not None
    assert client._waiting != [connection]


def test_several_threads_are_served_at_once(server: int) -> None:
    found: list[object] = []
    sources = [SOURCE.replace("2 *", f"{number} *") for number in range(4)]
    threads = [threading.Thread(target=lambda s=s: found.append(build(s, OPTIONS))) for s in sources]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 4 and None not in found


def test_a_child_works_in_the_folder_of_its_client(
    server: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)  # WEFT_CACHE_DIR may be relative
    assert build(SOURCE, OPTIONS) is not None
    (connection,) = client._waiting
    assert os.readlink(f"/proc/{connection._stream.watched}/cwd") == str(tmp_path)
    client.after_fork()
    (tmp_path / "gone").mkdir()
    monkeypatch.chdir(tmp_path / "gone")
    (tmp_path / "gone").rmdir()
    assert build(SOURCE, OPTIONS) is not None


def test_a_child_that_is_stopped_is_not_waited_for(server: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stream, "IDLE_SECONDS", 1.0)
    (kernel,) = build_process.build(SOURCE, OPTIONS).kernels
    connection = client.connect(start=False, builds=True)
    assert connection is not None
    connection.wait_until_ready(SECONDS)
    child = connection._stream.watched
    os.kill(child, signal.SIGSTOP)
    client._waiting.append(connection)
    options = CodeOptions.of(OPTIONS).baseline_tier()
    assert compile_form(kernel, options, FORM) == group_code.compile_form(kernel, options, FORM)
    assert not client.is_wanted
    _wait_for(lambda: not Path(f"/proc/{child}").exists() or _is_zombie(child))


def test_a_child_that_works_long_is_waited_for(server: int, monkeypatch: pytest.MonkeyPatch) -> None:
    ours, theirs = socket.socketpair()
    busy = subprocess.Popen(
        [sys.executable, "-c", "import subprocess, sys; subprocess.run([sys.executable, '-c', 'while 1: 0'])"]
    )
    try:
        with ours, theirs:
            monkeypatch.setattr(stream, "IDLE_SECONDS", 2.0)
            patient = Stream(ours)
            patient.watched = busy.pid
            threading.Timer(5.0, theirs.send, [b"x"]).start()
            assert patient.read(1) == b"x"
    finally:
        busy_child = limits.Idleness(busy.pid, 1.0)._used().keys() - {busy.pid}
        busy.kill()
        for process in busy_child:
            os.kill(process, signal.SIGKILL)
        busy.wait()


# Servers that do not work


def _serve(work: Callable[[socket.socket, Stream], None], *, starting: bool = False) -> threading.Thread:
    """A thread that does with the next client what it likes."""
    name = place.server_name()
    with place.folder(make=True) as folder:
        listener = place.listen(folder, place.while_starting(name) if starting else name)

    def run() -> None:
        with listener:
            link, _ = listener.accept()
            with link:
                socket.recv_fds(link, 1, 1)
                work(link, Stream(link))

    thread = threading.Thread(target=run)
    thread.start()
    return thread


def _end_at_once(link: socket.socket, stream: Stream) -> None:
    receive(stream)


def _end_at_a_request(link: socket.socket, stream: Stream) -> None:
    assert isinstance(receive(stream), Hello)
    send(stream, Ready())
    assert isinstance(receive(stream), BuildRequest)


def _talk_nonsense(link: socket.socket, stream: Stream) -> None:
    _end_at_a_request(link, stream)
    stream.write(memoryview(b"nonsense" * 100))


def _answer_something_else(link: socket.socket, stream: Stream) -> None:
    _end_at_a_request(link, stream)
    send(stream, Answer(b"code"))


def _answer_half(link: socket.socket, stream: Stream) -> None:
    _end_at_a_request(link, stream)
    stream.write(memoryview(struct.pack("<8sQ", b"weft.msg", 1000) + b"x" * 500))


def _be_silent(link: socket.socket, stream: Stream) -> None:
    receive(stream)
    assert stream.read(1) == b""


@pytest.mark.parametrize(
    "work",
    [_end_at_once, _end_at_a_request, _talk_nonsense, _answer_something_else, _answer_half, _be_silent],
)
def test_a_process_that_a_server_fails_compiles_by_itself(
    work: Callable[[socket.socket, Stream], None], runtime_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "READY_SECONDS", 0.3 if work is _be_silent else SECONDS)
    thread = _serve(work)
    assert build(SOURCE, OPTIONS) is None
    thread.join()
    assert not client.is_wanted  # it is not asked again


def test_a_build_that_takes_too_long_is_not_waited_for(
    runtime_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def be_slow(link: socket.socket, stream: Stream) -> None:
        _end_at_a_request(link, stream)
        assert stream.read(1) == b""

    thread = _serve(be_slow)
    start = time.monotonic()
    assert client.ask(BuildAnswer, BuildRequest(SOURCE, OPTIONS, False), start + 0.2) is None
    assert time.monotonic() >= start + 0.2
    thread.join()


def test_what_costs_too_much_is_not_tried_again(
    runtime_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def give_up(link: socket.socket, stream: Stream) -> None:
        assert isinstance(receive(stream), Hello)
        send(stream, Ready())
        assert isinstance(receive(stream), Request)
        send(stream, Answer(fault=Fault.of(BudgetExceeded("too many loops"))))

    (kernel,) = build_process.build(SOURCE, OPTIONS).kernels
    thread = _serve(give_up)
    monkeypatch.setattr(group_code, "compile_form", None)
    with pytest.raises(BudgetExceeded, match=r"^too many loops$"):
        compile_form(kernel, CodeOptions.of(OPTIONS), FORM)
    thread.join()
    assert client.is_wanted


def test_a_request_that_is_not_read_is_not_waited_for(runtime_folder: Path) -> None:
    def read_nothing(link: socket.socket, stream: Stream) -> None:
        assert isinstance(receive(stream), Hello)
        send(stream, Ready())
        done.wait(SECONDS)

    done = threading.Event()
    thread = _serve(read_nothing)
    long = SOURCE + "// long\n" * (1 << 20)
    assert client.ask(BuildAnswer, BuildRequest(long, OPTIONS, False), time.monotonic() + 0.2) is None
    done.set()
    thread.join()


def test_settings_that_are_not_read_are_not_waited_for(
    runtime_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "READY_SECONDS", 0.3)
    monkeypatch.setattr(module, "START_SECONDS", 0.3)
    for number in range(64):
        monkeypatch.setenv(f"WEFT_TEST_{number}", "x" * 65536)
    with place.folder(make=True) as folder, place.listen(folder, place.server_name()):
        assert client.connect(start=True, builds=False) is None


def test_there_need_not_be_a_server(runtime_folder: Path) -> None:
    assert build(SOURCE, OPTIONS) is None
    assert client.is_wanted and not runtime_folder.exists()


@pytest.mark.parametrize("mode", [0o755, 0o770, 0o701, 0o500])
def test_a_folder_that_others_can_enter_is_not_used(runtime_folder: Path, mode: int) -> None:
    runtime_folder.mkdir(0o700)
    thread = _serve(_end_at_once)
    runtime_folder.chmod(mode)
    assert client.connect(start=True, builds=False) is None
    runtime_folder.chmod(0o700)
    assert build(SOURCE, OPTIONS) is None
    thread.join()


def test_a_folder_may_have_the_bit_for_groups(runtime_folder: Path) -> None:
    runtime_folder.mkdir(0o700)
    runtime_folder.chmod(0o2700)
    thread = _serve(_end_at_once)
    connection = client.connect(start=False, builds=True)
    assert connection is not None
    connection.close()
    thread.join()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a folder away")
def test_another_users_session_is_left_alone(
    runtime_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    os.chown(tmp_path, 12345, 12345)
    with contextlib.suppress(OSError), place.folder(make=True):
        pass
    assert not runtime_folder.exists()


def test_a_link_in_the_folders_place_is_not_followed(runtime_folder: Path, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir(0o700)
    runtime_folder.symlink_to("elsewhere")
    assert client.connect(start=True, builds=False) is None
    assert list((tmp_path / "elsewhere").iterdir()) == []


def test_no_server_is_asked_where_none_is_wanted(server: int, monkeypatch: pytest.MonkeyPatch) -> None:
    refusals = {"SERVER_IDLE": "0", "VERBOSE": "1", "PRINT": "changed", "BUILD_MEMORY": "512M"}
    for name, value in refusals.items():
        with monkeypatch.context() as patch:
            patch.setenv(f"WEFT_{name}", value)
            assert client.connect(start=True, builds=False) is None
            assert build(SOURCE, OPTIONS) is None


# Its life

_ONE_PROGRAM = f"""
import sys
from weft.compile_server import client
from weft.program import build
from weft.tiers.tiered_code import LaunchContext
client.READY_SECONDS = {SECONDS}
kernel = build({SOURCE!r} + "// " + sys.argv[1], "").kernels["scale"]
kernel.work_group_function((64, 1, 1), context=LaunchContext(0, 64))
print("weft.build_process" in sys.modules, "llvmlite" in sys.modules)
"""


def _run(note: str) -> str:
    command = [sys.executable, "-c", _ONE_PROGRAM, note]
    done = subprocess.run(command, stdout=subprocess.PIPE, check=True, timeout=120)
    return done.stdout.decode().strip()


def test_the_first_program_starts_a_server_for_the_next_which_ends_when_idle(
    runtime_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WEFT_TIERS", "1")
    monkeypatch.setenv("WEFT_SERVER_IDLE", "6")
    monkeypatch.setenv("WEFT_CACHE", "0")
    name = runtime_folder / place.server_name()
    assert _run("first").startswith("True")
    _wait_for(name.is_socket)
    assert _run("second") == "False False"
    process = _server_process()
    assert f"PPid:\t{os.getpid()}\n" not in Path(f"/proc/{process}/status").read_text()
    _wait_for(lambda: not name.exists())
    _wait_for(lambda: not Path(f"/proc/{process}").exists() or _is_zombie(process))


def _is_zombie(process: int) -> bool:
    """Whether it has ended and whoever it belongs to has not looked."""
    try:
        return "\nState:\tZ" in Path(f"/proc/{process}/status").read_text()
    except OSError:
        return True


def test_a_server_that_can_start_no_process_turns_clients_away(
    runtime_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fork() -> int:
        raise BlockingIOError

    with place.folder(make=True) as folder:
        listener = place.listen(folder, place.while_starting(place.server_name()))
        server = Server(listener, place.server_name(), 1.0)
        monkeypatch.setattr(os, "fork", fork)
        descriptors = len(os.listdir("/proc/self/fd"))
        server._prepare_spare()
        link = place.connect(folder, place.while_starting(place.server_name()))
        assert link is not None
        server._accept()
        link.settimeout(SECONDS)
        assert link.recv(1) == b""
        link.close()
        assert len(os.listdir("/proc/self/fd")) == descriptors
        assert server._clients == 0 and server._prepare_spare in server._preparations
        listener.close()


def test_a_client_that_has_left_gets_no_child(runtime_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "fork", lambda: pytest.fail("a process is started for nobody"))
    name = place.server_name()
    with place.folder(make=True) as folder:
        listener = place.listen(folder, place.while_starting(name))
    with listener:
        server = Server(listener, name, 1.0)
        for end in (Connection.close, Connection.interrupt):
            connection = client.connect(start=True, builds=True)
            assert connection is not None
            end(connection)
            server._accept()
            assert server._clients == 0
            connection.close()


def test_a_process_that_builds_by_itself_gives_up_a_child_of_a_server_that_starts(
    runtime_folder: Path,
) -> None:
    name = place.server_name()
    with place.folder(make=True) as folder:
        listener = place.listen(folder, place.while_starting(name))
    with listener:  # a server that never comes up
        assert client.prepare(lambda: True)
        _wait_for(lambda: client._starts is not None)
        first = client._starts
        assert build(SOURCE, OPTIONS) is None
        _wait_for(lambda: first is not None and first.is_given_up and first._living == [])
        assert client.is_wanted and not client._waiting
        # A thread that comes late does not wait either.
        client._preparation = None
        assert client.prepare(lambda: True)
        _wait_for(lambda: client._starts is not first and client._starts._living == [])
        assert client.is_wanted and not client._waiting


def test_a_build_in_a_server_continues_while_another_thread_builds_by_itself(
    runtime_folder: Path,
) -> None:
    asked, go = threading.Event(), threading.Event()

    def work(link: socket.socket, stream: Stream) -> None:
        assert isinstance(receive(stream), Hello)
        send(stream, Ready())
        assert isinstance(receive(stream), BuildRequest)
        asked.set()
        assert go.wait(SECONDS)
        send(stream, BuildAnswer(build_process.build(SOURCE, OPTIONS)))

    serving = _serve(work, starting=True)
    assert client.prepare(lambda: True)
    _wait_for(lambda: bool(client._waiting))
    with ThreadPoolExecutor(1) as pool:
        answer = pool.submit(build, SOURCE, OPTIONS)
        assert asked.wait(SECONDS)
        assert build('#include "a.h"\n', OPTIONS) is None
        go.set()
        assert answer.result() == build_process.build(SOURCE, OPTIONS)
    assert client.is_wanted
    serving.join()


def test_a_process_that_has_built_by_itself_compiles_by_itself(
    server: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    (kernel,) = build_process.build(SOURCE, OPTIONS).kernels
    monkeypatch.setattr(module, "_BUILDER", "weft.build_process")
    monkeypatch.setattr(client, "ask", lambda *_: pytest.fail("the server is asked"))
    assert build(SOURCE, OPTIONS) is None
    assert compile_form(kernel, CodeOptions.of(OPTIONS), FORM)


def test_a_server_that_another_thread_is_starting_is_used(runtime_folder: Path) -> None:
    """A child that is being forked may hold the lock after the thread that started the server."""
    name = place.server_name()
    with place.folder(make=True) as folder, place.lock(folder):
        assert client.connect(start=True, builds=False) is None
        with place.listen(folder, place.while_starting(name)):
            connection = client.connect(start=True, builds=False)
            assert connection is not None
            connection.close()


def test_a_request_names_the_processor_to_a_process_that_has_no_llvm(tmp_path: Path) -> None:
    (kernel,) = build_process.build(SOURCE, OPTIONS).kernels
    options = CodeOptions.of(OPTIONS)
    expected = Answer(group_code.compile_form(kernel, options, FORM))
    requests = tmp_path / "requests"
    for host, has_llvm in ((host_target(), False), (None, True)):
        with requests.open("wb") as file:
            send(file, Request(kernel, options, FORM, host))
        command = [sys.executable, "-c", _ONE_REQUEST, str(requests)]
        done = subprocess.run(command, stdout=subprocess.PIPE, check=True, timeout=120)
        said, _, answer = done.stdout.partition(b"\n")
        assert said.decode() == str(has_llvm)
        assert receive(io.BytesIO(answer)) == expected


_ONE_REQUEST = """
import os, sys
from weft.compile_server.messages import Request, receive, send
from weft.compile_server.worker import compile_request
with open(sys.argv[1], "rb") as file, os.fdopen(1, "wb") as output:
    answer = compile_request(receive(file))
    output.write(b"%r\\n" % ("llvmlite" in sys.modules))
    send(output, answer)
"""


def test_a_server_has_common_built_ins_in_memory(server: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WEFT_CACHE", "0")
    _load_builtins()
    monkeypatch.setattr(library, "run_clang", lambda *_, **__: pytest.fail("the library is compiled again"))
    symbols = ["_Z3expf", "_Z3powff"]
    found = library.link_in(symbols, host_target(), builtin_flags(CodeOptions.of(OPTIONS)))
    assert len(found.modules) == len(symbols) and not found.missing


def test_a_socket_whose_server_is_gone_is_replaced(runtime_folder: Path) -> None:
    runtime_folder.mkdir(0o700)
    for name in (place.server_name(), place.while_starting(place.server_name())):
        with place.folder() as folder:
            place.listen(folder, name).close()
    assert build(SOURCE, OPTIONS) is None and client.is_wanted
    connection = client.connect(start=True, builds=False)
    assert connection is not None
    connection.wait_until_ready(SECONDS)
    connection.close()
    process = _server_process()
    assert build(SOURCE, OPTIONS) is not None
    os.kill(process, signal.SIGKILL)


def test_threads_that_start_a_server_at_once_share_it(
    runtime_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WEFT_SERVER_IDLE", "1")
    together = threading.Barrier(4)

    def connect() -> Connection | None:
        together.wait(SECONDS)
        return client.connect(start=True, builds=False)

    with ThreadPoolExecutor(4) as pool:
        connections = [job.result(SECONDS) for job in [pool.submit(connect) for _ in range(4)]]
    for connection in connections:
        assert connection is not None
        connection.wait_until_ready(SECONDS)
        connection.close()
    name = runtime_folder / place.server_name()
    _wait_for(lambda: not name.exists())


_PREPARED = f"""
import sys, time
from weft.compile_server.client import client
from weft.program import build, preload
preload()
end = time.monotonic() + {SECONDS}
while sys.argv[1] == "wait" and not (client._preparation.is_set() and client._waiting):
    assert time.monotonic() < end
    time.sleep(0.01)
if sys.argv[1] != "end":
    build({SOURCE!r}, "")
    print("weft.build_process" in sys.modules)
"""


def _prepare(word: str) -> str:
    command = [sys.executable, "-c", _PREPARED, word]
    done = subprocess.run(command, capture_output=True, check=True, timeout=120)
    assert not done.stderr
    return done.stdout.decode().strip()


def test_a_context_has_a_server_started_for_the_build_that_follows(
    runtime_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WEFT_SERVER_IDLE", "3")
    monkeypatch.setenv("WEFT_CACHE", "0")
    assert _prepare("wait") == "False"
    name = runtime_folder / place.server_name()
    _wait_for(lambda: not name.exists())


def test_a_program_may_end_while_its_server_starts(
    runtime_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WEFT_SERVER_IDLE", "1")
    monkeypatch.setenv("WEFT_CACHE", "0")
    assert _prepare("end") == ""
    name = place.server_name()
    _wait_for(lambda: not any((runtime_folder / n).exists() for n in (name, place.while_starting(name))))


def test_no_server_is_started_for_a_program_that_found_its_last_build_in_the_cache(
    runtime_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WEFT_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("WEFT_SERVER_IDLE", "0")
    assert _prepare("build") == "True"
    assert _prepare("build") == "False"
    monkeypatch.setenv("WEFT_SERVER_IDLE", "1")
    assert _prepare("build") == "False"
    assert not runtime_folder.exists()


_ANTICIPATED = f"""
import sys, time
from weft.program import build
from weft.tiers.background import background
from weft.tiers.tiered_code import LaunchContext
from weft.tile_policy import Tile
kernel = build({SOURCE!r}, "", buffers=tuple(map(int, sys.argv[2:]))).kernels["scale"]
assert len(sys.argv) <= 2 or not background._early
end = time.monotonic() + 60
while background._early or background._current_early:
    assert time.monotonic() < end
    time.sleep(0.01)
row, noalias = int(sys.argv[1]), kernel.benefits_from_noalias
found = kernel.tile_function(Tile((row, 1, 1)), None, noalias=noalias, context=LaunchContext(0, 1 << 16))
print(found.provisional, "weft.build_process" in sys.modules)
"""


@pytest.mark.parametrize(
    ("row", "buffers", "provisional"),
    [(1024, (), False), (320, (), True), (320, (4 * 320 * 1009,), False), (1024, (4 * 320 * 1009,), True)],
)
def test_the_first_launch_finds_the_code_of_a_likely_form(
    server: int,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    row: int,
    buffers: tuple[int, ...],
    provisional: bool,
) -> None:
    monkeypatch.setenv("WEFT_TIERS", "1")
    monkeypatch.setenv("WEFT_CACHE_DIR", str(tmp_path))
    command = [sys.executable, "-c", _ANTICIPATED, *map(str, (row, *buffers))]
    done = subprocess.run(command, stdout=subprocess.PIPE, check=True, timeout=120)
    assert done.stdout.decode().split() == [str(provisional), "False"]


def test_the_spare_child_is_for_the_first_build(server: int, monkeypatch: pytest.MonkeyPatch) -> None:
    prepared, made = threading.Event(), threading.Event()
    monkeypatch.setattr(client, "_preparation", prepared)

    def connect() -> None:
        connection = client.connect(start=False, builds=False)
        assert connection is not None
        connection.close()
        made.set()

    thread = threading.Thread(target=connect)
    thread.start()
    assert not made.wait(0.2)
    prepared.set()
    thread.join(60)
    assert made.is_set()


def test_a_program_of_another_scheduling_class_has_another_server(monkeypatch: pytest.MonkeyPatch) -> None:
    name = place.server_name()
    monkeypatch.setattr(os, "sched_getscheduler", lambda process: os.SCHED_BATCH)
    assert name and place.server_name.__wrapped__() != name


def test_a_server_without_llvm_continues(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail() -> None:
        raise ImportError("no llvmlite")

    monkeypatch.setattr(server_module, "llvm", fail)
    monkeypatch.setattr(server_module, "load_builtins", fail)
    server_module._load_llvm()
    _load_builtins()
