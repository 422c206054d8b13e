"""Loops over work-items do the same in lanes as one by one, with every strategy for divergent loops."""

import os

import numpy as np
import pytest
from fuzz_worker import fuzzing
from hypothesis import given
from hypothesis import strategies as st
from random_work_items import MARGIN, OUTPUTS, work_item_loops

from weft import ir
from weft.codegen.host import host_target
from weft.codegen.optimise import run_passes
from weft.interp.arguments import allocation_of
from weft.interp.memory import POISONED
from weft.interp.ndrange import run_function
from weft.ir.loops import loop_forest
from weft.ir.verifier import verify
from weft.transform.simd.cannot_vectorize import CannotVectorize
from weft.transform.simd.counted_loop import work_item_lanes
from weft.transform.simd.loop_plan import PlanOptions, plan_loop
from weft.transform.simd.strategies import NAMES
from weft.transform.simd.vectorize_loop import emit_loop

FEW = 60
MANY = int(os.environ.get("WEFT_FUZZ_EXAMPLES", "5000")) // 2
SHORT = ("sroa", "loop-simplify", "lcssa")
LONG = (
    *("sroa", "simplifycfg", "instcombine", "jump-threading", "simplifycfg", "newgvn", "dce"),
    *("loop-simplify", "lcssa"),
)
N = 3

words = st.integers(0, 2**32 - 1)
inputs = st.tuples(
    st.lists(words, min_size=8, max_size=17), st.lists(st.integers(0, 3), min_size=8, max_size=8)
)


def outputs(module: ir.Module, own: list[int], shared: list[int]) -> np.ndarray:
    """What the work-items leave in memory."""
    out = np.arange(OUTPUTS * len(own), dtype=np.uint32)
    memory = allocation_of(out, "out")
    around = np.pad(np.array(own, np.uint32), MARGIN)
    run_function(module, "f", [around, np.array(shared, np.uint32), memory, N, len(own)])
    assert memory.shadow is None or POISONED not in memory.shadow, "poison in memory"
    return out


def check(text: str, given_inputs: tuple[list[int], list[int]], width: int) -> int:
    """Compares all strategies for a function; how many of them there are for it."""
    expected = outputs(ir.parse(text), *given_inputs)
    ran = 0
    for strategy in NAMES:
        module = ir.parse(text)
        function = module.function("f")
        forest = loop_forest(function)
        loop = next(m for m in forest.loops if m.parent is None)
        try:
            options = PlanOptions(width, lambda symbol, lanes: None, strategy)
            plan = plan_loop(loop, forest, work_item_lanes(loop, forest), options)
        except CannotVectorize:
            continue
        emit_loop(plan)
        verify(module)
        np.testing.assert_array_equal(outputs(module, *given_inputs), expected, err_msg=f"{strategy}\n{text}")
        ran += 1
    return ran


def test_random_loops_do_the_same_in_lanes() -> None:
    ran: list[int] = []

    @fuzzing(FEW, repeatable=True)
    @given(work_item_loops(), st.sampled_from((SHORT, LONG)), inputs, st.sampled_from((4, 8)))
    def try_one(
        text: str, passes: tuple[str, ...], given_inputs: tuple[list[int], list[int]], width: int
    ) -> None:
        ran.append(check(run_passes(text, passes, host_target()), given_inputs, width))

    try_one()
    assert sum(ran) > 0.8 * len(NAMES) * len(ran)


@pytest.mark.slow
@fuzzing(MANY, repeatable=False)
@given(work_item_loops(), st.sampled_from((SHORT, LONG)), inputs, st.sampled_from((4, 8)))
def test_many_random_loops_do_the_same_in_lanes(
    text: str, passes: tuple[str, ...], given_inputs: tuple[list[int], list[int]], width: int
) -> None:
    check(run_passes(text, passes, host_target()), given_inputs, width)
