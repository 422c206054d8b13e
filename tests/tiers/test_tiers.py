"""Kernels that start with baseline code and go on with optimized code."""

import gc
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest
from tier_support import launch, only_code, patched_entry, run, sums_kernel, wait_until

import weft
from weft.device.base import devices
from weft.device.command import host_waits
from weft.group_code import WorkGroupFunction, compile_form, load_form
from weft.icd import register
from weft.kernel import LoopWork
from weft.program import Kernel, build
from weft.tiers.tiered_code import MOST_BASELINE_WORK, LaunchContext, State
from weft.tile_policy import Tile


@pytest.fixture(autouse=True)
def settings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WEFT_TIERS", "1")
    monkeypatch.setenv("WEFT_CACHE", "0")


@pytest.fixture
def cached(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    from weft.codegen.cache import Cache
    from weft.tiers import tiered_code

    store = Cache(tmp_path / "cache", 1 << 28)
    monkeypatch.setattr(tiered_code, "default_cache", lambda: store)


def used(kernel: Kernel) -> None:
    """Launches a kernel until its optimized code runs."""
    wait_until(lambda: not launch(kernel))


def test_used_kernels_get_optimized_code() -> None:
    kernel = sums_kernel("used")
    assert launch(kernel)
    used(kernel)
    assert not launch(kernel)


def test_launches_that_have_begun_are_taken_over() -> None:
    kernel = sums_kernel("long")
    function = kernel.work_group_function((64, 1, 1))
    code = only_code(kernel)
    assert function.provisional and not patched_entry(code)

    def taken_over() -> bool:
        run(function, 200)  # as if it were all one launch: no other is prepared
        return bool(patched_entry(code))

    wait_until(taken_over)
    ticks = code.ticks
    run(function, 200)
    assert code.ticks == ticks
    assert patched_entry(code) == kernel.work_group_function((64, 1, 1)).address


def test_a_program_that_comes_back_waits_for_optimized_code() -> None:
    kernel = sums_kernel("comes back")
    assert launch(kernel, waits=5)
    assert not launch(kernel, waits=6)


def test_a_program_that_comes_back_early_compiles_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("weft.tiers.tiered_code.background.want", lambda job: True)
    monkeypatch.setattr("weft.tiers.tiered_code.background.cancel", lambda job: True)  # nobody has begun
    kernel = sums_kernel("early")
    assert launch(kernel, waits=5)
    assert not launch(kernel, waits=6)


def test_launches_go_on_after_optimized_code_could_not_be_compiled(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("WEFT_VERIFY", "0")
    monkeypatch.setattr("weft.tiers.tiered_code.background.want", lambda job: True)
    answers = iter([True, False])
    monkeypatch.setattr("weft.tiers.tiered_code.background.cancel", lambda job: next(answers))
    kernel = sums_kernel("cannot be compiled")
    assert launch(kernel, waits=5)
    monkeypatch.setattr("weft.tiers.tiered_code.compile_form", forbidden)
    assert not launch(kernel, waits=6)  # plain code, for good
    code = only_code(kernel)
    assert code.state is State.BASELINE_ONLY and code._baseline is not None
    assert kernel.work_group_function((64, 1, 1)).address == code._baseline.address
    said = capfd.readouterr().err
    assert said.startswith("weft: kernel 'sums' runs baseline code") and said.count("\n") == 1
    assert not launch(kernel, waits=7)
    assert capfd.readouterr().err == ""


def test_launches_of_many_work_items_have_optimized_code_at_once() -> None:
    kernel = sums_kernel("many")
    assert not kernel.work_group_function(
        (64, 1, 1), context=LaunchContext(items=MOST_BASELINE_WORK)
    ).provisional
    few = sums_kernel("few").work_group_function((64, 1, 1), context=LaunchContext(items=1000))
    assert few.provisional
    long = sums_kernel("long").work_group_function((64, 1, 1), context=LaunchContext(0, 4096, 1 << 18))
    assert not long.provisional
    spread = LaunchContext(items=MOST_BASELINE_WORK, threads=1 << 20)
    assert sums_kernel("spread").work_group_function((64, 1, 1), context=spread).provisional


_LOOPS = """
kernel void to_argument(global float *a, int n) {
    for (int k = 0; k < n; k++) a[get_global_id(0)] += a[k];
}
kernel void by_four(global float *a, global float *b, uint n) {
    for (uint k = 0; k != n; k += 4) a[get_global_id(0)] += b[k];
}
kernel void behind_guard(global float *a, int n) {
    if (get_global_id(0) >= n) return;
    for (int k = 0; k < 100; k++) a[get_global_id(0)] += a[k];
}
kernel void triangle(global float *a, int n) {
    for (int j = get_global_id(0); j < n; j++) {
        float sum = 0;
        for (int k = 0; k < n; k++) sum += a[k];
        a[j] = sum;
    }
    for (int k = n; k > 0; k--) a[k] *= 2;
    for (int k = 0; k < n; k++) a[k] += 1;
}
kernel void to_loaded(global float *a, global int *n) {
    for (int k = 0; k < n[get_global_id(0)]; k++) a[get_global_id(0)] += a[k];
}
kernel void in_loaded(global float *a, global int *n) {
    for (int j = 0; j < n[get_global_id(0)]; j++)
        for (int k = 0; k < 300; k++) a[get_global_id(0)] += a[k];
}
kernel void short_loop(global float *a) {
    int i = get_global_id(0);
    float x = a[i];
    a[i + 1] = native_sin(x) + native_cos(x) * native_exp(x) / (x + 3) - native_sqrt(x + 1);
    a[i + 2] = native_sin(2 * x) + native_cos(3 * x) * native_exp(4 * x) / (x + 5) - native_sqrt(x + 6);
    a[i + 3] = native_sin(x + 9) + native_cos(x - 9) * native_exp(x - 8) / (x + 7) - native_sqrt(x * 5);
    for (int k = 0; k < 1000; k++) a[k] = 0;
}
kernel void constant_in_argument(global float *a, int n) {
    for (int j = 0; j < n; j++)
        for (int k = 7; k < 107; k++) a[get_global_id(0)] += a[k + j];
}
kernel void nested(int m, global float *a, long n) {
    for (int j = 0; j < m; j++)
        for (long k = 0; k < n; k++) a[get_global_id(0)] += a[k + j];
}
"""


def test_work_in_loops_that_count_up_to_arguments_or_constants_is_known() -> None:
    work = {name: kernel.traits.loop_work for name, kernel in build(_LOOPS, "").kernels.items()}
    assert {name: [(loop.divisor, loop.arguments) for loop in loops] for name, loops in work.items()} == {
        "to_argument": [(1, (1,))],
        "by_four": [(4, (2,))],
        "behind_guard": [(1, ())],
        "to_loaded": [],
        "nested": [(1, (0,)), (1, (0, 2))],
        "triangle": [(1, (1,)), (1, (1,)), (1, (1, 1))],
        "in_loaded": [(1, ()), (1, ())],
        "short_loop": [(1, ())],
        "constant_in_argument": [(1, (1,)), (1, (1,))],
    }
    body = work["to_argument"][0].factor
    assert 5 <= body <= 20, "instructions of a[i] += a[k] and of the counter"
    assert work["behind_guard"][0].factor == 100 * body
    assert work["in_loaded"][1].factor == 4 * 300 * body, "several times, whatever the data say"
    assert work["constant_in_argument"][1].factor == 100 * work["nested"][1].factor


@pytest.mark.parametrize(
    ("loop", "values", "instructions"),
    [
        (LoopWork(60, 4, ()), [], 15),
        (LoopWork(60, 4, (0, 2)), [10, 3], 450),
        (LoopWork(60, 7, (1,)), [-5], 8),  # a loop that does not run counts once
    ],
)
def test_values_of_arguments_give_the_work_of_a_loop(
    loop: LoopWork, values: list[int], instructions: int
) -> None:
    assert loop.instructions(values) == instructions


def test_launches_that_are_not_waited_for_belong_together(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "weft.tiers.tiered_code.background.want", lambda job: True
    )  # which would take its time
    kernel = sums_kernel("together")
    assert all(launch(kernel, waits=5) for _ in range(3))


def test_launches_that_take_longer_than_compiling_wait_for_optimized_code() -> None:
    kernel = sums_kernel("loop of launches")
    items = MOST_BASELINE_WORK // kernel.traits.instructions // 5
    context = LaunchContext(waits=5, items=items)
    provisional = [kernel.work_group_function((64, 1, 1), context=context).provisional for _ in range(7)]
    assert provisional[0] and not provisional[-1]


def test_waiting_ends_when_there_is_no_better_code(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    kernel = sums_kernel("no better code")
    assert launch(kernel, waits=5)
    code = only_code(kernel)
    wait_until(lambda: code.state is State.OPTIMIZED)
    other = sums_kernel("none at all")
    monkeypatch.setattr("weft.tiers.tiered_code.background.want", lambda job: False)
    assert launch(other, waits=5) and launch(other, waits=6)


_SWAPS = """
kernel void swaps(global int *a, int n) {
    int i = get_global_id(1) * n + get_global_id(0);
    for (int k = 0; k < get_global_id(1); k++) a[i] = atomic_xchg(a, a[i]);
}
"""


def test_optimized_code_may_be_for_other_tiles_than_baseline_code() -> None:
    kernel = build(_SWAPS, "").kernels["swaps"]
    tile = Tile((1, None, 1), if_serial=(3, None, 1))
    baseline = kernel.tile_function(tile, None)
    assert baseline is not None and baseline.provisional and baseline.tile == (1, None, 1)
    code = only_code(kernel)
    wait_until(lambda: code.state is State.OPTIMIZED)
    optimized = kernel.tile_function(tile, None)
    assert optimized is not None and not optimized.provisional and optimized.tile == (3, None, 1)
    assert not optimized.can_follow(baseline) and not patched_entry(code)


def test_without_tiers_the_first_launch_runs_optimized_code(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WEFT_TIERS", "0")
    assert not launch(sums_kernel("none"))


def test_baseline_code_stays_on_request(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WEFT_TIERS", "baseline")
    kernel = sums_kernel("first")
    assert all(launch(kernel, waits=n) for n in range(9))


@pytest.mark.parametrize(
    "name, value", [("WEFT_LANES", "8"), ("WEFT_DIVERGENT", "masked"), ("WEFT_PRINT", "x")]
)
def test_settings_that_select_code_skip_the_baseline(
    name: str, value: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(name, value)
    assert not launch(sums_kernel(name))


def test_baseline_code_comes_from_the_cache(cached: None, monkeypatch: pytest.MonkeyPatch) -> None:
    kernel = sums_kernel("cache of baseline code")
    assert launch(kernel)
    monkeypatch.setattr("weft.tiers.tiered_code.compile_form", forbidden)
    assert launch(Kernel(kernel.code, kernel.options))


def test_the_cache_holds_optimized_code_in_the_end(cached: None, monkeypatch: pytest.MonkeyPatch) -> None:
    kernel = sums_kernel("cache of optimized code")
    used(kernel)
    code = only_code(kernel)
    wait_until(lambda: code._kernel.load_optimized(code.form) is not None)  # it is kept after it is used
    monkeypatch.setattr("weft.tiers.tiered_code.compile_form", forbidden)
    assert not launch(Kernel(kernel.code, kernel.options))


def test_code_that_comes_too_late_is_kept_for_the_next_program(
    cached: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("weft.tiers.tiered_code.background.want", lambda job: True)
    kernel = sums_kernel("too late")
    assert launch(kernel)
    code, (description, options) = only_code(kernel), (kernel.code, kernel.options)
    data = compile_form(description, options, code.form)
    del kernel
    gc.collect()
    code.finish(data, None)
    monkeypatch.setattr("weft.tiers.tiered_code.compile_form", forbidden)
    assert not launch(Kernel(description, options))


def forbidden(*arguments: object) -> bytes:
    raise AssertionError("it is in the cache")


def test_each_local_size_has_its_own() -> None:
    kernel = sums_kernel("sizes")
    assert launch(kernel, local=64) and launch(kernel, local=32)
    wait_until(lambda: not launch(kernel, local=64) and not launch(kernel, local=32))


def test_children_compile_for_themselves() -> None:
    kernel = sums_kernel("fork")
    used(kernel)  # thread and process are there
    child = os.fork()
    if child == 0:
        status = 1
        try:
            other = sums_kernel("in the child")
            assert launch(other)
            used(other)
            status = 0
        finally:
            os._exit(status)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    parents = sums_kernel("in the parent")
    used(parents)


def test_a_child_can_launch_what_its_parent_was_taking_over(monkeypatch: pytest.MonkeyPatch) -> None:
    taking, go = threading.Event(), threading.Event()

    def slowly(*arguments: Any) -> WorkGroupFunction:
        if threading.current_thread().name == "weft-tiers":
            taking.set()
            go.wait(60)
        return load_form(*arguments)

    monkeypatch.setattr("weft.tiers.tiered_code.load_form", slowly)
    kernel = sums_kernel("fork while taking over")
    assert launch(kernel, waits=5)
    assert taking.wait(60)  # the thread has the kernel's lock
    child = os.fork()
    if child == 0:
        signal.alarm(60)
        go.set()
        status = 1
        try:
            assert not launch(kernel, waits=6)
            status = 0
        finally:
            os._exit(status)
    ended = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    go.set()
    assert ended == 0
    used(kernel)


def test_an_interrupted_launch_can_be_repeated(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("weft.tiers.tiered_code.background.want", lambda job: True)
    monkeypatch.setattr("weft.tiers.tiered_code.background.cancel", lambda job: True)
    kernel = sums_kernel("interrupted")
    assert launch(kernel, waits=5)

    def interrupt(*arguments: object) -> bytes:
        raise KeyboardInterrupt

    with monkeypatch.context() as only:
        only.setattr("weft.tiers.tiered_code.compile_form", interrupt)
        with pytest.raises(KeyboardInterrupt):
            launch(kernel, waits=6)
    assert not launch(kernel, waits=7)


_STRANGE_PLACE = """
import os, shutil, sys
sys.path.insert(0, {folder!r})
from tier_support import launch, sums_kernel, wait_until
{first}
kernel = sums_kernel("strange place")
launch(kernel)
wait_until(lambda: not launch(kernel))
"""


@pytest.mark.parametrize(
    "first",
    [
        pytest.param("", id="a folder with modules of other names"),
        pytest.param("sys.path.append('no folder'); shutil.rmtree(os.getcwd())", id="a folder that is gone"),
        pytest.param("os.close(0); os.close(1)", id="without standard streams"),
    ],
)
def test_the_process_starts_anywhere(first: str, tmp_path: Path) -> None:
    place, site = tmp_path / "place", tmp_path / "site"
    place.mkdir()
    site.mkdir()
    for name in ("pickle", "struct", "weft"):
        (place / f"{name}.py").write_text("raise SystemExit(3)")
    # What every interpreter runs may print something.
    (site / "sitecustomize.py").write_text("print('hello, user', flush=True)")
    script = tmp_path / "script.py"
    script.write_text(_STRANGE_PLACE.format(folder=str(Path(__file__).parent), first=first))
    path = [str(site), str(Path(weft.__file__).parents[1]), *filter(None, [os.environ.get("PYTHONPATH")])]
    done = subprocess.run(
        [sys.executable, str(script)],
        cwd=place,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(path)},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "hello, user\n", "")


_LEAVES = """
import sys
sys.path.insert(0, {folder!r})
from tier_support import launch, run, sums_kernel
from weft.tiers.background import background
kernel = sums_kernel("leaves")
launch(kernel)
{how}
"""
_COMPILING = "while background._helper is None: pass"


@pytest.mark.parametrize(
    "how",
    [
        pytest.param("pass", id="at once"),
        pytest.param(_COMPILING, id="when it starts"),
        pytest.param(f"{_COMPILING}\nimport time; time.sleep(0.3)", id="while it compiles"),
    ],
)
def test_a_process_can_end_at_any_time(how: str) -> None:
    text = _LEAVES.format(folder=str(Path(__file__).parent), how=how)
    done = subprocess.run(
        [sys.executable, "-c", text], capture_output=True, text=True, timeout=60, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


_CLIENT = """
import numpy as np
import pyopencl as cl
context = cl.create_some_context(interactive=False)
queue = cl.CommandQueue(context)
data = np.arange(1 << 14, dtype=np.int32)
buffer = cl.Buffer(context, cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR, hostbuf=data)
text = "kernel void more(global int *a, int n) { int i = get_global_id(0); while (a[i] < n + i) a[i] += 3; }"
kernel = cl.Program(context, text).build().more
for n in range(0, 60, 10):
    kernel(queue, data.shape, (64,), buffer, np.int32(n))
    kernel(queue, data.shape, (64,), buffer, np.int32(n + 5))
    found = np.empty_like(data)
    cl.enqueue_copy(queue, found, buffer)
    i = np.arange(1 << 14)
    assert (found == i + -(-(n + 5) // 3) * 3).all()
print(queue.device.platform.name)
"""


def test_programs_that_come_back_have_right_results(tmp_path: Path) -> None:
    (tmp_path / "weft.icd").write_text(f"{register.library_path()}\n")
    given = {"WEFT_TIERS": "1", "OCL_ICD_VENDORS": str(tmp_path), "PYOPENCL_NO_CACHE": "1"}
    done = subprocess.run(
        [sys.executable, "-c", _CLIENT],
        env={**os.environ, **given},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "") and "Weft" in done.stdout


def test_waiting_of_the_host_is_counted() -> None:
    before = host_waits()
    devices()[0].new_queue().finish()
    assert host_waits() == before
    launch(sums_kernel("counted"))
    assert host_waits() == before + 1
