"""A self-check of LLVM that fails ends a call of LLVM; programs are built without the pass that it was in."""

import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pyopencl as cl
import pytest
from weft.codegen._self_checks import lib

from weft.codegen import binding, canonicalise, llvm_library, optimise, self_checks
from weft.codegen.binding import LlvmContext
from weft.codegen.host import host_target
from weft.codegen.self_checks import SelfCheckFailed
from weft.icd import toolchain

LOOP = """
define spir_kernel void @k(ptr %p, i32 %n) {
entry:
  br label %head
head:
  %i = phi i32 [ 0, %entry ], [ %next, %body ]
  %more = icmp slt i32 %i, %n
  br i1 %more, label %body, label %end
body:
  %q = getelementptr i32, ptr %p, i32 %i
  store i32 %i, ptr %q
  %next = add nsw i32 %i, 1
  br label %head
end:
  ret void
}
"""


# A library like LLVM's, whose function fails as it is asked to, and one that fails inside of libc.
LIBRARY = """
#include <assert.h>
#include <stdlib.h>
__attribute__((visibility("default"))) void check(long how, long unused, char *heap) {
    assert(how != 1);
    if (how == 2) abort();
    if (how == 3) { free(heap); free(heap); free(heap + 8); }
}
"""


@pytest.fixture(scope="module")
def checks(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The library."""
    folder = tmp_path_factory.mktemp("checks")
    (folder / "checks.c").write_text(LIBRARY)
    toolchain.compile_c([folder / "checks.c"], folder / "checks.so", arguments=["-UNDEBUG"])
    return folder / "checks.so"


def run(checks: Path, program: str) -> subprocess.CompletedProcess[str]:
    """A program that can call the library's function by `check(how)`."""
    head = f"""
    import ctypes, faulthandler, os, signal, threading, time
    from weft.codegen._self_checks import ffi, lib
    function = ctypes.cast(ctypes.CDLL({str(checks)!r}).check, ctypes.c_void_p).value
    unchecked = ctypes.CFUNCTYPE(None, *[ctypes.c_long] * 3)(function)
    def check(how):
        failed = lib.weft_call_checked(function, how, 0, ctypes.addressof(ctypes.create_string_buffer(64)))
        return failed, ffi.string(lib.weft_failed_check()).decode()
    """
    text = textwrap.dedent(head) + textwrap.dedent(program)
    return subprocess.run(
        [sys.executable, "-c", text], timeout=50, check=False, capture_output=True, text=True
    )


def test_a_call_that_fails_is_left(checks: Path):
    done = run(checks, "for how in (0, 1, 2, 1, 0): print(*check(how))")
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == ["0 ", "1 checks.c:5: how != 1", "1 ", "1 checks.c:5: how != 1", "0 "]
    assert not done.stderr


@pytest.mark.parametrize(
    "ends",
    [
        "os.abort()",
        "os.kill(os.getpid(), signal.SIGABRT)",
        "faulthandler.enable(); os.abort()",
        "unchecked(2, 0, 0)",
        "threading.Thread(target=unchecked, args=(1, 0, 0)).start()",
        "check(3)",
    ],
)
def test_all_else_that_aborts_ends_the_program(checks: Path, ends: str):
    done = run(checks, f"check(1); check(2)\n{ends}\ntime.sleep(9)")
    assert done.returncode == -signal.SIGABRT, done


def test_a_module_whose_passes_fail_is_forgotten(monkeypatch: pytest.MonkeyPatch):
    refusing = SimpleNamespace(weft_call_checked=lambda *_: 1, weft_failed_check=lib.weft_failed_check)
    host_target()
    monkeypatch.setattr(self_checks, "lib", refusing)
    monkeypatch.setattr(llvm_library, "lib", refusing)
    for use in (
        lambda: optimise.run_passes(LOOP, ["dce"], host_target()),
        lambda: optimise.optimise(LOOP, host_target()),
    ):
        with pytest.raises(SelfCheckFailed):
            use()
    monkeypatch.undo()
    assert "store i32" in optimise.run_passes(LOOP, ["dce"], host_target())
    assert "store " in optimise.optimise(LOOP, host_target())


def test_what_a_failed_check_leaves_is_not_freed():
    # Whatever else is raised: an interrupt may come before the exception that tells of the check.
    for error in SelfCheckFailed, KeyboardInterrupt:
        with pytest.raises(error), LlvmContext() as context:
            left = context.parse(LOOP)
            binding.abandoned.append((left, context._context))
            raise error("wanted")
        assert not left.closed
    with pytest.raises(ZeroDivisionError), LlvmContext() as context:
        freed = context.parse(LOOP)
        raise ZeroDivisionError
    assert freed.closed


def _refuse(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """Have a pass fail."""

    def run(ir: str, passes: Sequence[str], *others: object) -> str:
        if name in passes:
            raise SelfCheckFailed("wanted")
        return optimise.run_passes(ir, passes, *others)  # type: ignore[arg-type]

    monkeypatch.setattr(canonicalise, "run_passes", run)


@pytest.mark.parametrize("name", sorted(canonicalise._OPTIONAL))
def test_programs_are_built_without_a_pass_that_fails(
    name: str, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
):
    monkeypatch.setenv("WEFT_VERBOSE", "1")
    _refuse(monkeypatch, name)
    source = (
        f"// {name} {time.time_ns()}\n"  # not in any cache
        + """
    kernel void sums(global int *a, int n) {
        int i = get_global_id(0), s = 0;
        for (int k = 0; k < 3; k++) s += a[i] * k;
        for (int k = 0; k < n; k++) s ^= k + a[i];
        a[i] = s / (n - 3) + (n == 3 ? 1 : s % 7);
    }
    """
    )
    a = np.arange(40, dtype=np.int32)
    platform = next(p for p in cl.get_platforms() if p.name == "Weft")
    context = cl.Context(platform.get_devices()[:1])
    queue = cl.CommandQueue(context)
    buffer = cl.Buffer(context, cl.mem_flags.COPY_HOST_PTR, hostbuf=a)
    cl.Kernel(cl.Program(context, source).build(), "sums")(queue, (40,), None, buffer, np.int32(5))
    cl.enqueue_copy(queue, a, buffer)
    s = np.arange(40, dtype=np.int32) * 3
    for k in range(5):
        s ^= k + np.arange(40, dtype=np.int32)
    assert np.array_equal(a, s // 2 + s % 7)
    assert f"LLVM's pass {name} is skipped: wanted" in capfd.readouterr().err


def test_a_pass_that_makes_the_form_must_run(monkeypatch: pytest.MonkeyPatch):
    _refuse(monkeypatch, "lcssa")
    with pytest.raises(SelfCheckFailed):
        canonicalise.canonicalise(LOOP, host_target())
