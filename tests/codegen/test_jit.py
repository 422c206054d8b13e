"""Object code in memory: calls, symbols, lifetime, threads, fork."""

import ctypes
import os
import resource
import signal
import subprocess
import sys
import threading

import numpy as np
import pytest
from codegen_modules import ADD_ONE, WORK_ITEM_LOOP, calls

from weft.codegen import jit, load, optimise, support
from weft.codegen.host import host_target
from weft.errors import ToolError

link = load.load


@pytest.fixture(params=[load.load, jit.load], ids=["weft", "llvm"], autouse=True)
def loader(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each test with Weft's linker and with LLVM's."""
    monkeypatch.setitem(globals(), "link", request.param)


UNARY = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_int32)


def compiled(ir: str, symbol: str, level: int = 3) -> bytes:
    return optimise.emit_object(ir, host_target(), level, [symbol])


@pytest.mark.parametrize("level", [0, 3])
def test_a_function_is_called_through_its_address(level):
    code = link(compiled(ADD_ONE, "add_one", level), "add_one")
    assert UNARY(code.address)(41) == 42
    assert "add_one" in repr(code)


@pytest.mark.parametrize("count", [0, 1, 7, 16, 1000])
def test_vector_code_of_a_work_item_loop_computes_the_right_numbers(count):
    code = link(compiled(WORK_ITEM_LOOP, "saxpy"), "saxpy")
    x = np.arange(count + 8, dtype=np.float32)
    y = np.full(count + 8, 3, dtype=np.float32)
    function = ctypes.CFUNCTYPE(
        None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_float, ctypes.c_int64, ctypes.c_int32
    )(code.address)
    function(x.ctypes.data, y.ctypes.data, 2.0, 5, count)
    expected = np.full(count + 8, 3, dtype=np.float32)
    expected[5 : 5 + count] += 2 * x[5 : 5 + count]
    assert np.array_equal(y, expected)


def test_memory_and_mathematics_routines_resolve_from_the_process():
    ir = """
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
declare void @llvm.memmove.p0.p0.i64(ptr, ptr, i64, i1)
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
define double @f(ptr %d, ptr %s, i64 %n, double %x) {
  call void @llvm.memset.p0.i64(ptr %d, i8 120, i64 8, i1 false)
  call void @llvm.memcpy.p0.p0.i64(ptr %d, ptr %s, i64 %n, i1 false)
  %next = getelementptr i8, ptr %d, i64 1
  call void @llvm.memmove.p0.p0.i64(ptr %next, ptr %d, i64 %n, i1 false)
  %r = frem double %x, 3.0
  ret double %r
}
"""
    code = compiled(ir, "f")
    assert {"memcpy", "memmove", "fmod"} <= set(jit.undefined_symbols(code))
    loaded = link(code, "f")
    function = ctypes.CFUNCTYPE(
        ctypes.c_double, ctypes.c_char_p, ctypes.c_char_p, ctypes.c_int64, ctypes.c_double
    )(loaded.address)
    target = ctypes.create_string_buffer(9)
    assert function(target, b"abcd", 4, 10.0) == 1.0
    assert target.value == b"aabcdxxx"


def test_constants_and_state_of_an_object_are_its_own():
    ir = """
@count = internal global i32 10
define i32 @f(i32 %x) {
  %old = load i32, ptr @count
  %new = add i32 %old, %x
  store i32 %new, ptr @count
  ret i32 %new
}
"""
    code = compiled(ir, "f")
    first, second = link(code, "f"), link(code, "f")
    assert first.address != second.address
    assert [UNARY(first.address)(1), UNARY(first.address)(1), UNARY(second.address)(5)] == [11, 12, 15]


def test_missing_symbols_are_named():
    with pytest.raises(ToolError, match="no_such_function"):
        link(compiled(calls("no_such_function"), "f"), "f")


def test_functions_of_the_host_process_are_not_found_by_chance():
    with pytest.raises(ToolError, match="system"):
        link(compiled(calls("system"), "f"), "f")


def test_a_symbol_that_the_object_does_not_define_is_named():
    with pytest.raises(ToolError, match="other_name"):
        link(compiled(ADD_ONE, "add_one"), "other_name")


def test_imports_provide_addresses():
    called = []
    callback = ctypes.CFUNCTYPE(None)(lambda: called.append(1))
    address = ctypes.cast(callback, ctypes.c_void_p).value
    code = link(compiled(calls("host_service"), "f"), "f", {"host_service": address})
    ctypes.CFUNCTYPE(None)(code.address)()
    assert called == [1]


@pytest.mark.parametrize("damage", [b"", b"garbage" * 40, "cut", "header"])
def test_damaged_object_code_is_an_error(damage):
    good = compiled(ADD_ONE, "add_one")
    data = {"cut": good[: len(good) // 2], "header": good[:40]}.get(damage, damage)
    with pytest.raises(ToolError):
        link(data, "add_one")


def test_loading_works_after_failures():
    for _ in range(3):
        with pytest.raises(ToolError):
            link(compiled(ADD_ONE, "add_one"), "other_name")
    assert UNARY(link(compiled(ADD_ONE, "add_one"), "add_one").address)(1) == 2


def test_dropped_code_is_freed():
    code = compiled(ADD_ONE, "add_one")

    def mapped_kilobytes() -> int:
        with open("/proc/self/statm") as file:
            return int(file.read().split()[0]) * resource.getpagesize() // 1024

    for _ in range(100):
        link(code, "add_one")
    before = mapped_kilobytes()
    for _ in range(300):
        link(code, "add_one")
    assert mapped_kilobytes() - before < 900  # less than a page for each load


def test_code_outlives_many_later_loads():
    code = compiled(ADD_ONE, "add_one")
    first = link(code, "add_one")
    for _ in range(100):
        link(code, "add_one")
    assert UNARY(first.address)(6) == 7


def test_threads_load_call_and_drop_at_the_same_time():
    wrong = []

    def work(number: int) -> None:
        code = compiled(ADD_ONE.replace("%x, 1", f"%x, {number}"), "add_one")
        for _ in range(30):
            loaded = link(code, "add_one")
            if UNARY(loaded.address)(100) != 100 + number:
                wrong.append(number)

    threads = [threading.Thread(target=work, args=(n,)) for n in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_the_jit_still_works_in_a_forked_child_while_other_threads_compile():
    old = link(compiled(ADD_ONE, "add_one"), "add_one")
    stop = threading.Event()

    def keep_compiling() -> None:
        while not stop.is_set():
            link(compiled(WORK_ITEM_LOOP, "saxpy"), "saxpy")

    thread = threading.Thread(target=keep_compiling)
    thread.start()
    try:
        for _ in range(5):
            child = os.fork()
            if child == 0:
                signal.alarm(60)  # a deadlock ends the child instead of the test run
                new = link(compiled(ADD_ONE.replace("%x, 1", "%x, 5"), "add_one"), "add_one")
                good = UNARY(old.address)(1) == 2 and UNARY(new.address)(1) == 6
                os._exit(0 if good else 1)
            assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    finally:
        stop.set()
        thread.join()
    assert UNARY(old.address)(1) == 2


def test_a_fork_waits_for_a_thread_that_loads_llvm() -> None:
    text = """
import os, signal, threading, time
import llvmlite.binding
from weft.codegen.binding import llvm

def initialize() -> None:
    with llvmlite.binding.ffi.lib._lock:
        begun.set()
        time.sleep(0.5)

begun = threading.Event()
llvmlite.binding.initialize_native_target = initialize
thread = threading.Thread(target=llvm)
thread.start()
begun.wait()
child = os.fork()
if child == 0:
    signal.alarm(30)
    llvm().create_context().close()
    os._exit(0)
assert os.waitpid(child, 0)[1] == 0
thread.join()
llvm().create_context().close()
if os.fork() == 0:
    os._exit(0)
"""
    done = subprocess.run(
        [sys.executable, "-c", text], capture_output=True, text=True, timeout=60, check=True
    )
    assert not done.stderr


def test_a_fork_waits_for_a_thread_that_imports_the_compiler() -> None:
    text = """
import os, signal, sys, threading, time
from weft.program import build

class Slow:
    def find_spec(self, name, *_):
        if name == "weft.compiler.build_program" and not begun.is_set():
            begun.set()
            time.sleep(0.5)

begun = threading.Event()
sys.meta_path.insert(0, Slow())
source = "kernel void k(global int *p) { p[0] = 1; }"
thread = threading.Thread(target=build, args=(source, ""))
thread.start()
begun.wait()
child = os.fork()
if child == 0:
    signal.alarm(30)
    os._exit(0 if list(build(source, "").kernels) == ["k"] else 1)
assert os.waitpid(child, 0)[1] == 0
thread.join()
"""
    settings = {"WEFT_CACHE": "0", "WEFT_SERVER_IDLE": "0"}
    command = [sys.executable, "-c", text]
    subprocess.run(command, env={**os.environ, **settings}, timeout=60, check=True)


def test_double_to_half_rounds_once_and_to_even():
    ir = """
define void @f(ptr %from, ptr %to, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %p = getelementptr double, ptr %from, i64 %i
  %q = getelementptr half, ptr %to, i64 %i
  %x = load double, ptr %p
  %h = fptrunc double %x to half
  store half %h, ptr %q
  %next = add nuw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %exit
exit:
  ret void
}
"""
    loaded = link(compiled(ir, "f"), "f")
    function = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64)(loaded.address)
    numbers = interesting_numbers(np.float64)
    result = np.zeros(len(numbers), np.float16)
    function(numbers.ctypes.data, result.ctypes.data, len(numbers))
    assert_same_halves(result, to_half(numbers))


@pytest.mark.parametrize(("symbol", "kind"), [("__truncdfhf2", np.float64), ("__truncsfhf2", np.float32)])
def test_support_routines_round_as_numpy_does(symbol, kind):
    name = "double" if kind is np.float64 else "float"
    ir = f"""
declare half @{symbol}({name})
define void @f(ptr %from, ptr %to) {{
  %x = load {name}, ptr %from
  %h = call half @{symbol}({name} %x)
  store half %h, ptr %to
  ret void
}}
"""
    loaded = link(compiled(ir, "f"), "f")
    function = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p)(loaded.address)
    numbers = interesting_numbers(kind)[::3].copy()
    result = np.zeros(len(numbers), np.float16)
    for i in range(len(numbers)):
        function(numbers.ctypes.data + i * numbers.itemsize, result.ctypes.data + 2 * i)
    assert_same_halves(result, to_half(numbers))


def test_every_half_extends_to_the_same_float_as_in_numpy():
    ir = (
        support.MODULE
        + """
define void @f(ptr %from, ptr %to) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %p = getelementptr half, ptr %from, i64 %i
  %q = getelementptr float, ptr %to, i64 %i
  %x = load half, ptr %p
  %y = call float @__extendhfsf2(half %x)
  store float %y, ptr %q
  %next = add nuw i64 %i, 1
  %more = icmp ult i64 %next, 65536
  br i1 %more, label %loop, label %exit
exit:
  ret void
}
"""
    )
    loaded = link(compiled(ir, "f"), "f")
    halves = np.arange(65536, dtype=np.uint16).view(np.float16)
    result = np.zeros(65536, np.float32)
    ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p)(loaded.address)(
        halves.ctypes.data, result.ctypes.data
    )
    expected = halves.astype(np.float32)
    numbers = ~np.isnan(expected)
    assert np.array_equal(result.view(np.uint32)[numbers], expected.view(np.uint32)[numbers])
    assert np.isnan(result[~numbers]).all()


def interesting_numbers(kind: type) -> np.ndarray:
    """All halves, the points half-way between them, and their neighbours; specials; random numbers."""
    halves = np.arange(0x7C00, dtype=np.uint16).view(np.float16)[::7].astype(kind)
    middle = (halves[1:] + halves[:-1]) / 2
    special = [0.0, np.inf, np.nan, 65504, 65519.99, 65520, 65536, 1e30, 2**-24, 2**-25, 1e-38]
    rng = np.random.default_rng(1)
    random = np.exp2(rng.uniform(-30, 20, 2000)).astype(kind)
    neighbours = [np.nextafter(middle, 0), np.nextafter(middle, kind(1e9))]
    positive = np.concatenate([halves, middle, *neighbours, special, random]).astype(kind)
    return np.concatenate([positive, -positive])


def to_half(numbers: np.ndarray) -> np.ndarray:
    with np.errstate(over="ignore"):
        return numbers.astype(np.float16)


def assert_same_halves(result: np.ndarray, expected: np.ndarray) -> None:
    assert np.array_equal(np.isnan(result), np.isnan(expected))
    numbers = ~np.isnan(expected)
    assert np.array_equal(result.view(np.uint16)[numbers], expected.view(np.uint16)[numbers])
