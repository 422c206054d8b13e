"""Builds that would take too long or too much: they fail with a message, and an interrupt ends them."""

import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from weft import build_process, limits
from weft.codegen.host import host_target
from weft.errors import LimitExceeded
from weft.frontend.clang import run_clang
from weft.frontend.options import parse_options
from weft.frontend.program_source import translate_source
from weft.frontend.several import may_stand
from weft.program import build

# Macros that stand for two of one another: 2 to the 40th expressions.
BOMB = (
    "".join(f"#define A{n} A{n - 1} A{n - 1}\n" for n in range(1, 41))
    + """
#define A0 a[0]++;
kernel void k(global int *a) { A40 }
"""
)
OPTIONS = parse_options("")


def switch(cases: int) -> str:
    lines = (f"case {n}: a[{n}] = {n * 7 % 1000}; break;" for n in range(cases))
    return "kernel void k(global int *a) { switch (a[get_global_id(0)]) {" + "\n".join(lines) + "}}"


@pytest.fixture(autouse=True)
def no_cache(monkeypatch):
    monkeypatch.setenv("WEFT_CACHE", "0")


def children() -> set[str]:
    """The processes that this one has started and that have not ended."""
    return set(Path("/proc/thread-self/children").read_text().split())


@pytest.mark.parametrize("word", ["", "#pragma nothing\n"], ids=["worker", "alone"])
def test_a_build_has_an_end(monkeypatch, word):
    monkeypatch.setenv("WEFT_BUILD_SECONDS", "1")
    before = children()
    start = time.monotonic()
    with pytest.raises(LimitExceeded, match="exceeded 1 s; WEFT_BUILD_SECONDS") as caught:
        build(word + BOMB, "")
    assert time.monotonic() - start < 30
    assert caught.value.log.startswith("error: the build exceeded")
    assert children() <= before


def test_what_runs_outside_of_builds_has_an_end_too(monkeypatch):
    monkeypatch.setenv("WEFT_BUILD_SECONDS", "1")
    for reuse in (True, False):
        with pytest.raises(LimitExceeded, match="exceeded 1 s"):
            run_clang(["-x", "cl", "-emit-llvm", "-o", "-"], BOMB, reuse=reuse)


def test_long_sources_are_searched_quickly():
    source = "/* " + "some words, i and e and p and _ " * (1 << 19) + "*/ kernel void k() {}"

    def seconds(action) -> float:
        times = []
        for _ in range(3):
            start = time.process_time()
            action()
            times.append(time.process_time() - start)
        return min(times)

    # A search by one pattern for all words takes forty times as long as one for a word.
    assert seconds(lambda: may_stand(source, OPTIONS)) < 20 * seconds(lambda: "include" in source)


def test_a_build_has_bounded_memory(monkeypatch):
    monkeypatch.setenv("WEFT_BUILD_MEMORY", "280M")
    with pytest.raises(LimitExceeded, match="more than 280 MiB of memory; WEFT_BUILD_MEMORY"):
        build(BOMB.replace("a[0]++;", "+1").replace("{ +1", "{ a[0] = 0 +1"), "")


def test_what_a_process_says_is_bounded(monkeypatch):
    monkeypatch.setenv("WEFT_BUILD_MEMORY", "64M")
    with pytest.raises(LimitExceeded, match="64 MiB"):
        limits.run_process(["sh", "-c", "while :; do echo many words; done"], b"", {})


KILLED = """
import os, sys, threading
from weft.program import build

def kill():
    while True:
        children = open(f"/proc/self/task/{threading.main_thread().native_id}/children").read().split()
        for pid in children:  # one that has worked for 0.1 s
            if int(open(f"/proc/{pid}/stat").read().rsplit(")")[1].split()[11]) > 10:
                print(*children, flush=True)
                os.kill(os.getpid(), 9)

threading.Thread(target=kill).start()
build(sys.stdin.read(), "")
"""


@pytest.mark.parametrize("word", ["", "#pragma nothing\n"], ids=["worker", "alone"])
def test_processes_end_with_a_host_that_is_killed(word):
    host = subprocess.run([sys.executable, "-c", KILLED], input=word + BOMB, capture_output=True, text=True)
    assert host.returncode == -9 and host.stdout.split(), host.stderr

    def is_running(pid: str) -> bool:
        try:
            return Path(f"/proc/{pid}/stat").read_text().rsplit(")")[1].split()[0] not in "ZX"
        except OSError:
            return False

    end = time.monotonic() + 5
    while any(map(is_running, host.stdout.split())):
        assert time.monotonic() < end
        time.sleep(0.01)


def test_processes_do_not_end_with_the_thread_that_started_them():
    started = []
    thread = threading.Thread(target=lambda: started.append(limits.Process(["cat"], dict(os.environ))))
    thread.start()
    thread.join()
    (process,) = started
    assert process.communicate(b"words", timeout=20) == (b"words", b"") and process.returncode == 0


def test_a_process_need_not_read_its_input():
    ended = limits.run_process(["true"], bytes(1 << 20), {"PATH": os.environ["PATH"]})
    assert (ended.returncode, ended.output) == (0, b"")


def test_no_limits_are_a_choice(monkeypatch):
    monkeypatch.setenv("WEFT_BUILD_SECONDS", "0")
    monkeypatch.setenv("WEFT_BUILD_MEMORY", "0")
    assert list(build("#pragma nothing\nkernel void k() {}", "").kernels) == ["k"]


def test_large_programs_are_built_elsewhere_with_the_same_result(monkeypatch):
    source = switch(300)
    here = build_process.build(source, OPTIONS)
    monkeypatch.setattr(build_process, "LARGE", 100)
    assert build_process.is_large([translate_source(source, OPTIONS, host_target()).ir])
    started = []
    run = build_process.run_process
    monkeypatch.setattr(build_process, "run_process", lambda *words: started.append(1) or run(*words))
    assert build_process.build(source, OPTIONS) == here
    assert started


def test_what_is_wrong_with_large_programs_is_told(monkeypatch):
    monkeypatch.setattr(build_process, "LARGE", 0)
    with pytest.raises(Exception, match="which is not defined"):
        build_process.build("int f(int); kernel void k(global int *a) { *a = f(1); }", OPTIONS)


def test_lines_are_counted_with_all_functions_inlined():
    chain = "".join(f"int f{n}(int x) {{ return f{n - 1}(x) + f{n - 1}(x + {n}); }}\n" for n in range(1, 31))
    source = f"int f0(int x) {{ return x; }}\n{chain}kernel void k(global int *a) {{ a[0] = f30(a[1]); }}"
    ir = translate_source(source, OPTIONS, host_target()).ir
    assert 2**31 < build_process.inlined_lines(ir) < 2**36
    recursive = (
        "\ndefine void @f() {\n  call void @f()\n}\ndefine spir_kernel void @k() {\n  call void @f()\n}\n"
    )
    assert build_process.inlined_lines(recursive) < 10


INTERRUPTED = """
import os, signal, sys, threading, time
import pyopencl as cl
from weft.frontend.clang_workers import pool

platform = next(p for p in cl.get_platforms() if p.name == "Weft")
context = cl.Context(platform.get_devices())
cl.Program(context, "kernel void k() {}").build()  # what is done once
source = open(sys.argv[1]).read()
sent = []

def interrupt():
    time.sleep(float(sys.argv[2]))
    sent.append(time.monotonic())
    os.kill(os.getpid(), signal.SIGINT)

threading.Thread(target=interrupt, daemon=True).start()
try:
    try:
        cl.Program(context, source).build()
    except cl.Error:  # the call fails, and the same is raised again a moment later
        time.sleep(5)
    print("not interrupted")
except KeyboardInterrupt:
    took = time.monotonic() - sent[0]
    print("interrupted", took)
    pool.close()  # which stand ready for other builds
    print(open("/proc/thread-self/children").read().split())
"""


@pytest.mark.parametrize(
    ("source", "seconds"),
    [(BOMB, 1.0), (switch(50_000), 2.0), (switch(50_000), 4.0)],
    ids=["bomb", "early", "late"],
)
def test_an_interrupt_ends_a_build_at_once(tmp_path, source, seconds):
    (tmp_path / "source.cl").write_text(source)
    variables = {**os.environ, "PYOPENCL_NO_CACHE": "1", "WEFT_TIERS": "0"}
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", INTERRUPTED, str(tmp_path / "source.cl"), str(seconds)],
        env=variables,
        capture_output=True,
        text=True,
        check=False,
        timeout=200,
    )
    lines = done.stdout.splitlines()
    assert lines and lines[0].startswith("interrupted"), done.stdout + done.stderr
    assert float(lines[0].split()[1]) < 1
    assert lines[1] == "[]"
