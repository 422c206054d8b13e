"""Compiling takes work and memory by a kernel's length, and no depth is too deep.

Work is counted, not timed: calls of Weft's functions, of which a generator's each step is one. The bound is
that of n log n. LLVM's part is left out where work is counted, and runs where results are compared.
"""

import sys
import tracemalloc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from math import log2
from pathlib import Path
from types import FrameType

import numpy as np
import pytest
from growing_kernels import BLOCKS, CHAINS, NESTS
from kernel_case import KernelCase, Range
from kernel_ways import PROGRAMS, CompiledWay, InterpreterWay

import weft
from weft.compiler import compile_work_group as compiler
from weft.compiler.build_program import compile_program
from weft.compiler.compile_work_group import compile_work_group
from weft.frontend.options import parse_options
from weft.kernel import CodeOptions, KernelCode
from weft.launch_form import LaunchForm
from weft.recursion import Recursion, run

GROUP = 16
ROOM = 8192  # elements of the buffers
SCALE = 4
KINDS = CHAINS | BLOCKS
ONE_ROW = LaunchForm((GROUP, 1, 1))
BUILD_OPTIONS = "-cl-std=CL3.0"  # has functions of sub-groups
PLAIN = CodeOptions.of(parse_options(""))
METHODS = {
    "baseline": PLAIN.baseline_tier(),
    "auto": PLAIN,
    "simd": replace(PLAIN, method="simd"),
    "lanes": replace(PLAIN, method="simd", lanes=8),
    "horizontal": replace(PLAIN, method="horizontal"),
    "loops": replace(PLAIN, method="loops"),
}


@pytest.fixture
def without_llvm(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leaves LLVM's code generator out of what is measured."""
    monkeypatch.setattr(compiler, "emit_object", lambda *_, **__: b"")


def front_end(source: str) -> KernelCode:
    (kernel,) = compile_program(source, parse_options(BUILD_OPTIONS)).kernels
    return kernel


@contextmanager
def counted_calls() -> Iterator[list[int]]:
    """Counts the calls of Weft's functions; generators count each time that they go on."""
    folder = str(Path(weft.__file__).parent)
    found = [0]

    def count(frame: FrameType, event: str, _: object) -> None:
        if event == "call" and frame.f_code.co_filename.startswith(folder):
            found[0] += 1

    sys.setprofile(count)
    try:
        yield found
    finally:
        sys.setprofile(None)


def calls(source: str, options: CodeOptions, form: LaunchForm) -> int:
    """How many calls it takes to compile a kernel."""
    kernel = front_end(source)
    with counted_calls() as found:
        compile_work_group(kernel, options, form)
    return found[0]


def check_growth(
    kind: Callable[[int], str], options: CodeOptions, n: int, form: LaunchForm = ONE_ROW
) -> None:
    few, many = calls(kind(n), options, form), calls(kind(SCALE * n), options, form)
    bound = SCALE * log2(SCALE * n) / log2(n)
    assert many <= bound * few, f"{few} calls for {n}, {many} for {SCALE * n}: {many / few:.1f} times as many"


@pytest.mark.parametrize("kind", [*KINDS, *NESTS])
def test_work_grows_by_length(kind: str, without_llvm: None) -> None:
    check_growth((KINDS | NESTS)[kind], METHODS["auto"], 16)


def test_work_of_a_build_grows_by_length() -> None:
    def work(n: int) -> int:
        steps = "".join(f"v = (v * {2 * k + 3} + x) ^ (y + {k}); o[v & 4095] = {k};\n" for k in range(n))
        ids = "uint x = get_global_id(0), y = get_global_id(1), v = x ^ y;"
        source = f"kernel void k(global int *o) {{ {ids} {steps} }}"
        with counted_calls() as found:
            front_end(source)
        return found[0]

    work(1)  # which imports what builds need
    assert work(SCALE * 128) <= SCALE * log2(SCALE * 128) / log2(128) * work(128)


@pytest.mark.parametrize("kind", ["barriers", "barriers around clamped indices"])
def test_work_grows_by_regions_with_remainder_loops(kind: str, without_llvm: None) -> None:
    check_growth(KINDS[kind], replace(PLAIN, lanes=4), 16, LaunchForm(None))


@pytest.mark.slow
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("kind", KINDS)
def test_work_grows_by_length_in_every_way(kind: str, method: str, without_llvm: None) -> None:
    check_growth(KINDS[kind], METHODS[method], 100)


def peak(source: str, options: CodeOptions) -> int:
    """How many bytes are in use at most while a kernel is compiled."""
    kernel = front_end(source)
    tracemalloc.start()
    try:
        compile_work_group(kernel, options, ONE_ROW)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("kind", ["sums of int", "ifs"])
def test_memory_grows_by_length(kind: str, without_llvm: None) -> None:
    few, many = peak(KINDS[kind](30), PLAIN), peak(KINDS[kind](120), PLAIN)
    assert many <= 1.3 * SCALE * few, f"{many / few:.1f} times the memory for {SCALE} times the length"


DEEP = 3000
LONG = dict.fromkeys(CHAINS, DEEP) | {
    "tree": 3000, "loads": 2000, "stores": 2000, "vectors": 500, "ifs": 1000, "ifs in a loop": 1000,
    "uniform ifs": 1000, "else ifs": 500, "switch": 1000, "switch in a loop": 1000, "loops": 300,
    "divergent loops": 100, "barriers": 500, "barriers around clamped indices": 200, "barriers in ifs": 60,
    "reductions": 1000, "reductions at once": 1000, "reductions in regions": 500,
    "nested ifs": 200, "nested loops": 80, "guards": 200,
}  # fmt: skip


@pytest.mark.parametrize("kind", ["sums of int", "index", "mixed", "linear"])
def test_deep_kernels_compile(kind: str, without_llvm: None) -> None:
    compile_work_group(front_end(KINDS[kind](DEEP)), PLAIN, ONE_ROW)


@pytest.mark.slow
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("kind", LONG)
def test_deep_kernels_compile_in_every_way(kind: str, method: str, without_llvm: None) -> None:
    kernel = front_end((KINDS | NESTS)[kind](LONG[kind]))
    compile_work_group(kernel, METHODS[method], ONE_ROW)


def check_results(kind: str, n: int, ways: list[CompiledWay]) -> None:
    """Compares what a kernel does in some ways with what the interpreter says."""
    case = KernelCase(Path(f"{kind}.cl"), (KINDS | NESTS)[kind](n), BUILD_OPTIONS)
    launch = Range("", (2 * GROUP,), (GROUP,), (0,))
    given = np.random.default_rng(n).integers(0, 12, ROOM).astype(np.int32)
    arguments = {"o": np.zeros(ROOM, np.float32), "a": given, "m": np.int32(3), "p": np.int32(1)}
    try:
        # The interpreter works on the arrays themselves, and a kernel may add to what is there.
        own = arguments | {"o": np.zeros(ROOM, np.float32)}
        expected = InterpreterWay().run(case, launch, own)["o"]
        for way in ways:
            found = way.run(case, launch, arguments)["o"]
            np.testing.assert_allclose(found, expected, rtol=1e-5, err_msg=f"{kind} of {n}, {way}")
    finally:
        PROGRAMS.clear()


@pytest.mark.parametrize("kind", ["sums of int", "index", "linear", "ifs in a loop"])
def test_results_are_right(kind: str) -> None:
    check_results(kind, 12, [CompiledWay(), CompiledWay(lanes=8, method="simd"), CompiledWay(first=True)])


@pytest.mark.slow
@pytest.mark.parametrize("kind", [*KINDS, *NESTS])
def test_results_of_long_kernels_are_right(kind: str) -> None:
    methods = ("auto", "simd", "horizontal", "loops")
    ways = [CompiledWay(method=m, level=1, verify=False) for m in methods]
    ways += [CompiledWay(lanes=8, method="simd", level=1), CompiledWay(first=True, level=1)]
    check_results(kind, 30, ways)  # sums of int must not overflow


def test_a_recursion_evaluates_each_key_once() -> None:
    asked: list[int] = []

    def ways(n: int) -> Iterator[int]:
        asked.append(n)
        return 1 if n < 2 else (yield n - 1) + (yield n - 2)

    number = Recursion(ways, 0)  # type: ignore[arg-type]
    assert number(90) == 4660046610375530309
    assert sorted(asked) == list(range(91))


def test_a_recursion_is_deeper_than_pythons() -> None:
    depth = Recursion(lambda n: (1 + (yield n - 1)) if n else 0, 0)  # type: ignore[misc, arg-type]
    assert depth(100_000) == 100_000


def test_a_recursion_forgets_what_it_could_not_evaluate() -> None:
    fails = True

    def answer(n: int) -> Iterator[int]:
        if n == 0 and fails:
            raise ValueError("nothing yet")
        return 0 if n == 0 else 1 + (yield n - 1)

    depth = Recursion(answer, -1)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="nothing yet"):
        depth(3)
    fails = False
    assert depth(3) == 3


def test_a_cycle_is_told_what_is_open() -> None:
    found = Recursion(lambda n: [n, *(yield (n + 1) % 3)], [])  # type: ignore[misc, arg-type]
    assert found(0) == [0, 1, 2]


def test_procedures_run_deep() -> None:
    def steps(n: int) -> Iterator[Iterator[int]]:
        return n and 1 + (yield steps(n - 1))

    assert run(steps(100_000)) == 100_000  # type: ignore[arg-type]
