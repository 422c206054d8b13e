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


# With n = 3 no work-item loads: %row is poison, and so is the number that the wrap test looks at.
WRAP_TEST_OF_NO_LANE = """
define void @f(ptr addrspace(1) %in, ptr addrspace(1) %uni, ptr addrspace(1) %out, i32 %n, i32 %count) {
entry:
  br label %item
item:
  %x = phi i32 [ 0, %entry ], [ %x.next, %latch ]
  %own = getelementptr i32, ptr addrspace(1) %in, i32 %x
  %number = load i32, ptr addrspace(1) %own, !llvm.access.group !0
  %odd = trunc i32 %number to i1
  br i1 %odd, label %more, label %latch
more:
  %small = icmp ult i32 %n, 3
  br i1 %small, label %rows, label %latch
rows:
  %row = load i32, ptr addrspace(1) %uni, !llvm.access.group !0
  %few = icmp ult i32 %row, 2
  br i1 %few, label %last, label %elements
last:
  br label %elements
elements:
  %back = phi i32 [ 0, %rows ], [ 1, %last ]
  %column = add i32 %x, %row
  %index = sext i32 %column to i64
  %element = getelementptr i32, ptr addrspace(1) %in, i64 %index
  %loaded = load i32, ptr addrspace(1) %element, !llvm.access.group !0
  %sum = add i32 %loaded, %back
  %target = getelementptr i32, ptr addrspace(1) %out, i32 %x
  store i32 %sum, ptr addrspace(1) %target, !llvm.access.group !0
  br label %latch
latch:
  %x.next = add nuw nsw i32 %x, 1
  %again = icmp ult i32 %x.next, %count
  br i1 %again, label %item, label %exit
exit:
  ret void
}
!0 = distinct !{}
"""


def test_a_wrap_test_where_no_lane_is_active_is_defined() -> None:
    text = run_passes(WRAP_TEST_OF_NO_LANE, SHORT, host_target())
    assert check(text, ([1, 2, 3, 4, 5, 6, 7, 8, 9], [0] * 8), 8) == len(NAMES)


@pytest.mark.slow
@fuzzing(MANY, repeatable=False)
@given(work_item_loops(), st.sampled_from((SHORT, LONG)), inputs, st.sampled_from((4, 8)))
def test_many_random_loops_do_the_same_in_lanes(
    text: str, passes: tuple[str, ...], given_inputs: tuple[list[int], list[int]], width: int
) -> None:
    check(run_passes(text, passes, host_target()), given_inputs, width)
