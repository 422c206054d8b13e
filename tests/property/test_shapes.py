"""What the shape analysis claims of a value is so, in every run of every kernel."""

from collections.abc import Sequence
from typing import Any

import pytest
from fuzz_kernel import RandomCase, kernel_cases
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from kernel_case import FOLDER, KernelCase, Range, all_cases, load, sampled
from kernel_ways import PROGRAMS, interpret, link, the_kernel, variables
from random_arithmetic import arithmetic
from shape_observer import ShapeObserver

from weft import abi, ir
from weft.analysis.shapes import Shapes, shapes
from weft.builtins.library import link_in
from weft.codegen.host import host_target
from weft.compiler.builtin_flags import builtin_flags
from weft.interp import UndefinedBehaviour, run_ndrange

CASES = [case for case in all_cases() if case.error is None]
# Larger groups show nothing more and take the interpreter long.
LARGEST_GROUP = 64


@pytest.mark.parametrize("further", [False, pytest.param(True, marks=pytest.mark.slow)], ids=["", "further"])
@pytest.mark.parametrize("case", sampled(CASES, 3))
def test_shapes_hold_in_every_run(case: KernelCase, further: bool) -> None:
    launches = [r for r in case.launches if max(r.local_size) <= LARGEST_GROUP] or case.launches[:1]
    for launch in launches[1:] if further else launches[:1]:
        analysed = ir.parse(the_kernel(case).code.text).function(the_kernel(case).name)
        assert observe(case, launch, analysed, all_results(analysed, launch)).problems == []


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("plain/vector_add", "%call"),
        ("values/counter_of_divergent_loop", "is run at other times"),
        ("loops/carried_values", "%x."),
        ("control/many_returns", "is left to"),
    ],
)
def test_a_wrong_claim_is_found(name: str, found: str) -> None:
    case = load(FOLDER / f"{name}.cl")
    kernel = the_kernel(case)
    analysed = ir.parse(kernel.code.text).function(kernel.name)
    # What holds for groups of one work-item does not hold for those of the launch.
    observer = observe(case, case.launches[0], analysed, [shapes(analysed, (1, 1, 1))])
    assert any(found in problem for problem in observer.problems)


def all_results(function: ir.Function, launch: Range) -> list[Shapes]:
    """What is found out about a kernel with and without the local size and the instructions' flags."""
    size, wide = launch.triple(launch.local_size), launch.id_bits > abi.INT_IDS
    sizes = (None,) if launch.non_uniform else (None, size)
    return [shapes(function, s, wide, flags) for s in sizes for flags in (True, False)]


def observe(
    case: KernelCase, launch: Range, analysed: ir.Function, results: Sequence[Shapes]
) -> ShapeObserver:
    """Runs a launch and compares it with what was found out about the kernel's function."""
    kernel = the_kernel(case)
    # The compiler analyses the kernel before built-ins are linked: so does this, for the same code.
    library = link_in(kernel.code.builtins, host_target(), builtin_flags(kernel.options))
    module = ir.parse(link([kernel.code.text, *library.modules, *variables(kernel)]))
    function = module.function(kernel.name)
    observer = ShapeObserver(
        function, results, same_places(function, analysed), kernel.code.sub_group_size > 0
    )
    interpret(module, case, launch, case.make_arguments(launch), (observer,))
    observer.finish()
    return observer


def same_places(function: ir.Function, other: ir.Function) -> dict[Any, Any]:
    """The blocks and instructions of a function with the same code."""
    pairs: dict[Any, Any] = dict(zip(function.blocks, other.blocks, strict=True))
    pairs.update(zip(function.instructions(), other.instructions(), strict=True))
    return pairs


# Random kernels

GROUPS = st.sampled_from(((4, 3, 2), (8, 1, 1), (16, 2, 1), (1, 5, 1), (3, 3, 1)))
STARTS = st.one_of(st.integers(0, 300), st.integers(2**31 - 400, 2**31 - 100))
NUMBERS = st.one_of(st.integers(-300, 300), st.integers(2**31 - 64, 2**31 + 64), st.integers(0, 2**64 - 1))


@settings(max_examples=150, deadline=None)
@given(arithmetic(), GROUPS, STARTS, NUMBERS, NUMBERS)
def test_shapes_of_random_arithmetic_hold(
    text: str, local_size: tuple[int, int, int], start: int, u: int, v: int
) -> None:
    module = ir.parse(text)
    function = module.function("k")
    results = [shapes(function, size, flags=flags) for size in (None, local_size) for flags in (True, False)]
    observer = ShapeObserver(function, results, {p: p for p in places(function)})
    global_size = (2 * local_size[0], *local_size[1:])
    try:
        run_ndrange(
            module, "k", global_size, local_size, [u % 2**64, v % 2**64], global_offset=(start, start, 0),
            observers=(observer,),
        )  # fmt: skip
    except UndefinedBehaviour:
        assume(False)  # a poison divisor, or the least number divided by -1
    observer.finish()
    assert observer.problems == []


@settings(
    max_examples=25, deadline=None, database=None, derandomize=True, suppress_health_check=list(HealthCheck)
)
@given(kernel_cases())
def test_shapes_of_random_kernels_hold(case: RandomCase) -> None:
    try:
        kernel = the_kernel(case)
        analysed = ir.parse(kernel.code.text).function(kernel.name)
        (launch,) = case.launches
        assert observe(case, launch, analysed, all_results(analysed, launch)).problems == []
    finally:  # not worth remembering
        PROGRAMS.clear()


def places(function: ir.Function) -> list[Any]:
    """The blocks and instructions of a function."""
    return [*function.blocks, *function.instructions()]
