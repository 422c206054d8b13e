"""One clang for many sources: each result is what a clang of its own gives, and no process stays behind."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator

import pytest

from weft.errors import BuildError
from weft.frontend import clang_workers
from weft.frontend import compile as front
from weft.frontend.clang_workers import TASKS, ClangWorker, pool
from weft.frontend.compile import Translation, compile_source
from weft.frontend.options import parse_options
from weft.frontend.several import may_stand, number_types
from weft.target import x86

KERNEL = "kernel void k(global int *a) { a[get_global_id(0)] = NUMBER; }\n"
PAIR = "typedef struct { int x, y; } pair; kernel void k(global pair *a) { a[0] = a[1]; }\n"
WARNED = "kernel void k(global int *a) { 1 == 2; a[0] = VALUE; }\n"


@pytest.fixture(autouse=True)
def fresh() -> Iterator[None]:
    """No process from another test."""
    pool.close()
    yield
    pool.close()


def translate(source: str, options: str = "") -> Translation:
    return compile_source(source, parse_options(options), x86.describe("x86-64"))


def alone(monkeypatch: pytest.MonkeyPatch, source: str, options: str = "") -> Translation:
    with monkeypatch.context() as patch:
        patch.setattr(front, "may_stand", lambda source, options: False)
        return translate(source, options)


def running() -> list[int]:
    return [process._process.pid for process in clang_workers._alive]


def eventually(condition: Callable[[], bool]) -> bool:
    deadline = time.monotonic() + 20
    while not condition() and time.monotonic() < deadline:
        time.sleep(0.02)
    return condition()


def is_gone(pid: int) -> bool:
    """Whether a process has ended; one that nobody waited for yet has."""
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rpartition(")")[2].split()[0] in "ZX"
    except FileNotFoundError:
        return True


def test_one_process_compiles_several_sources() -> None:
    first = translate(KERNEL.replace("NUMBER", "1"))
    pids = running()
    second = translate(KERNEL.replace("NUMBER", "2"))
    assert len(pids) == 1 and running() == pids
    assert "store i32 1," in first.ir and "store i32 2," in second.ir


@pytest.mark.parametrize(
    ("source", "options"),
    [
        (PAIR, ""),
        (WARNED, "-DVALUE=3"),
        (WARNED, "-DVALUE=unknown_name"),
        ("#define VALUE 4\n" + WARNED, "-DVALUE=3"),
        (WARNED + "#error 'no'\n", "-D'VALUE=__LINE__'"),
        ('kernel void k(global int *a) { printf("%struct.pair.1 /dev/fd/3", a[0]); }', ""),
        ("kernel void k(global char *a) { a[0] = __FILE__[0] + __COUNTER__; }", ""),
        ("#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n" + PAIR, "-cl-std=CL3.0"),
        ("typedef float4 big[" + "4" * 3 + "];\n" + "// " + "x" * 200_000 + "\n" + PAIR, "-w"),
    ],
)
def test_the_result_is_that_of_a_clang_of_its_own(
    source: str, options: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def result(make: Callable[[], Translation]) -> object:
        try:
            return make()
        except BuildError as error:
            return error.log

    # A program before it leaves what it leaves.
    translate(PAIR + "#pragma OPENCL FP_CONTRACT OFF\n", options)
    assert result(lambda: translate(source, options)) == result(lambda: alone(monkeypatch, source, options))


def test_a_source_with_errors_does_not_spoil_the_next() -> None:
    with pytest.raises(BuildError) as caught:
        translate("kernel void k(global int *a) { a[0] = none; }")
    assert caught.value.log.startswith("<source>:1:39: error: use of undeclared identifier 'none'")
    assert "@k(" in translate(PAIR).ir


def test_there_is_no_end_to_the_sources() -> None:
    for number in range(TASKS + 2):
        assert f"store i32 {number}," in translate(KERNEL.replace("NUMBER", str(number))).ir
    assert len(running()) == 1


def test_names_of_types_do_not_depend_on_programs_before() -> None:
    first = translate(PAIR).ir
    assert translate(PAIR).ir == first and "%struct.pair = type" in first


def test_types_of_one_name_are_numbered() -> None:
    text = '%struct.s.7 = type { i32 }\n%struct.s.9 = type { i64 }\n@t = global [4 x i8] c"%struct.s.9"\n'
    text += "@g = global %struct.s.9 zeroinitializer\n"
    expected = text.replace("struct.s.7", "struct.s").replace("%struct.s.9 ", "%struct.s.0 ")
    assert number_types(text) == expected
    assert number_types(expected) == expected


@pytest.mark.parametrize(
    ("source", "options", "stands"),
    [
        ("kernel void k() {}", "", True),
        ("kernel void k() {}", "-DN=4 -D'F(x)=((x) + 1)'", True),
        ("#pragma unroll 4\n#pragma OPENCL EXTENSION all : enable", "", True),
        ('#include "a.h"', "", False),
        ('#pragma clang diagnostic ignored "-Wall"', "", False),
        ('_Pragma("unroll")', "", False),
        ("\ufeffkernel void k() {}", "", False),
        ("kernel void k() {}", "-DINFINITY=1", False),
        ("kernel void k() {}", "-DN=1\\\\", False),
        ("kernel void k() {}", "-DN=/*", False),
    ],
)
def test_what_must_be_compiled_alone_is(source: str, options: str, stands: bool) -> None:
    assert may_stand(source, parse_options(options)) == stands


def test_a_process_that_was_killed_is_replaced() -> None:
    translate(PAIR)
    (pid,) = running()
    os.kill(pid, signal.SIGKILL)
    assert eventually(lambda: is_gone(pid))
    assert "@k(" in translate(PAIR).ir
    assert pid not in running()


def test_threads_compile_at_the_same_time() -> None:
    results: dict[int, str] = {}

    def work(number: int) -> None:
        for _ in range(3):
            results[number] = translate(KERNEL.replace("NUMBER", str(number))).ir

    threads = [threading.Thread(target=work, args=[number]) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(f"store i32 {number}," in results[number] for number in range(4))
    assert len(running()) == 1


def test_processes_that_are_idle_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clang_workers, "IDLE_SECONDS", 0.1)
    translate(PAIR)
    (pid,) = running()
    assert eventually(lambda: not running() and not os.path.exists(f"/proc/{pid}"))
    assert eventually(lambda: all(thread.name != "weft-clang" for thread in threading.enumerate()))
    assert "@k(" in translate(PAIR).ir


def test_parent_and_child_of_a_fork_share_no_process() -> None:
    translate(PAIR)
    (pid,) = running()
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        good = not running() and "@k(" in translate(PAIR).ir and pid not in running()
        pool.close()
        os.write(writing, b"y" if good else b"n")
        time.sleep(60)  # holds whatever it has inherited
        os._exit(0)
    try:
        assert os.read(reading, 1) == b"y"
        assert "store i32 5," in translate(KERNEL.replace("NUMBER", "5")).ir
        assert running() == [pid]
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        os.close(reading)
        os.close(writing)


_HOST = """
import signal, sys, time
from weft.frontend import clang_workers
from weft.frontend.compile import compile_source
from weft.frontend.options import parse_options
from weft.target import x86
compile_source("kernel void k() {}", parse_options(""), x86.describe("x86-64"))
print([p._process.pid for p in clang_workers._alive][0], flush=True)
"""


@pytest.mark.parametrize("end", ["", "time.sleep(60)"], ids=["ends", "is killed"])
def test_a_host_that_ends_leaves_no_process(end: str) -> None:
    host = subprocess.Popen([sys.executable, "-c", _HOST + end], stdout=subprocess.PIPE)
    assert host.stdout is not None
    pid = int(host.stdout.readline())
    if end:
        host.kill()
    assert host.wait() == (-signal.SIGKILL if end else 0)
    host.stdout.close()
    assert eventually(lambda: is_gone(pid))


def test_a_host_that_does_not_ignore_broken_pipes_lives_on() -> None:
    script = """
import signal
from weft.frontend.clang_workers import Pool
from weft.target import x86
signal.signal(signal.SIGPIPE, signal.SIG_DFL)
assert Pool().run((b"/bin/true",), b"x" * 1000000) is None
"""
    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == 0


def test_a_process_that_cannot_start_gives_no_result() -> None:
    assert pool.run((b"/no/such/program",), b"x") is None
    before = os.listdir("/proc/self/fd")
    with pytest.raises(OSError):
        ClangWorker((b"/no/such/program",), b"x")
    assert len(os.listdir("/proc/self/fd")) == len(before)


def test_no_process_stays_where_no_thread_would_end_it(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(thread: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    eventually(lambda: pool._janitor is None)
    monkeypatch.setattr(threading.Thread, "start", refuse)
    assert "store i32 7," in translate(KERNEL.replace("NUMBER", "7")).ir
    assert running() == []
