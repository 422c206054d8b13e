"""Kernels that start with first code and go on with the best."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from tier_support import launch, run, sums_kernel, wait_until

from weft.program import Kernel, build
from weft.tiers.first_code import LAUNCHES


@pytest.fixture(autouse=True, params=["1", "quick"])
def settings(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("WEFT_TIERS", request.param)
    monkeypatch.setenv("WEFT_CACHE", "0")


@pytest.fixture
def cached(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    from weft import program
    from weft.codegen.cache import Cache

    store = Cache(tmp_path / "cache", 1 << 28)
    monkeypatch.setattr(program, "default_cache", lambda: store)


def used(kernel: Kernel) -> None:
    """Launches a kernel until its best code runs."""
    wait_until(lambda: not launch(kernel))


def test_used_kernels_get_their_best_code() -> None:
    kernel = sums_kernel("used")
    assert launch(kernel)
    used(kernel)
    assert not launch(kernel)


def test_launches_that_have_begun_are_taken_over() -> None:
    kernel = sums_kernel("long")
    function = kernel.work_group_function((64, 1, 1))
    first = next(iter(kernel._first.values()))
    assert function.first and not first._better.value

    def taken_over() -> bool:
        run(function, 200)  # as if it were all one launch: no other is prepared
        return bool(first._better.value)

    wait_until(taken_over)
    ticks = first.ticks
    run(function, 200)
    assert first.ticks == ticks
    assert first._better.value == kernel.work_group_function((64, 1, 1)).address


def test_only_loops_in_several_ways_have_the_likeliest_first(
    cached: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    kernel = build("kernel void twice(global int *a) { a[get_global_id(0)] *= 2; }", "").kernels["twice"]
    monkeypatch.setenv("WEFT_TIERS", "1")
    assert not kernel.work_group_function((64, 1, 1)).first
    monkeypatch.setattr("weft.program.compile_form", forbidden)  # it is the best code for others too
    monkeypatch.setenv("WEFT_TIERS", "0")
    assert not Kernel(kernel.code, kernel.options).work_group_function((64, 1, 1)).first


def test_without_tiers_the_best_code_comes_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WEFT_TIERS", "0")
    assert not launch(sums_kernel("none"))


def test_first_code_stays_on_request(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WEFT_TIERS", "first")
    kernel = sums_kernel("first")
    assert all(launch(kernel) for _ in range(2 * LAUNCHES))


@pytest.mark.parametrize(
    "name, value", [("WEFT_LANES", "8"), ("WEFT_DIVERGENT", "masked"), ("WEFT_PRINT", "x")]
)
def test_who_asks_for_certain_code_gets_it(name: str, value: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(name, value)
    assert not launch(sums_kernel(name))


def test_first_code_comes_from_the_cache(cached: None, monkeypatch: pytest.MonkeyPatch) -> None:
    kernel = sums_kernel("cache of first code")
    assert launch(kernel)
    monkeypatch.setattr("weft.program.compile_form", forbidden)
    assert launch(Kernel(kernel.code, kernel.options))


def test_the_cache_holds_the_best_code_in_the_end(cached: None, monkeypatch: pytest.MonkeyPatch) -> None:
    kernel = sums_kernel("cache of the best code")
    used(kernel)
    monkeypatch.setattr("weft.program.compile_form", forbidden)
    assert not launch(Kernel(kernel.code, kernel.options))


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


_LEAVES = """
import sys
sys.path.insert(0, {folder!r})
from tier_support import launch, run, sums_kernel
from weft.tiers.background import background
from weft.tiers.first_code import LAUNCHES
kernel = sums_kernel("leaves")
for _ in range(LAUNCHES + 1):
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
