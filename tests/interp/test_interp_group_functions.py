"""Functions that a work-group calls as one: what they do, and what OpenCL forbids."""

from typing import Any

import numpy as np
import pytest
from interp_support import FORMS, compile_kernel

from weft.interp import BarrierDivergence, Local, OutOfBounds, UndefinedBehaviour, run_ndrange

OPTIONS = "-cl-std=CL3.0"


def run(body: str, *arguments: Any, form: str = "optimised", size: Any = 8, group: Any = 4) -> np.ndarray:
    """Runs a kernel over `a`, 8 numbers, with the local memory `t`; returns `a`."""
    source = f"kernel void k(global int *a, local int *t) {{ int i = get_global_id(0); {body} }}"
    a = np.arange(8, dtype=np.int32)
    run_ndrange(compile_kernel(source, form, OPTIONS), "k", size, group, [a, Local(64)], *arguments)
    return a


@pytest.mark.parametrize("form", FORMS)
def test_results_of_a_collective(form: str) -> None:
    assert list(run("a[i] = work_group_reduce_add(i);", form=form)) == [6] * 4 + [22] * 4
    assert list(run("a[i] = work_group_scan_exclusive_max(i);", form=form))[1:4] == [0, 1, 2]
    assert list(run("a[i] = work_group_broadcast(i, 2);", form=form)) == [2] * 4 + [6] * 4


@pytest.mark.parametrize("form", FORMS)
def test_copies_are_complete_when_all_have_waited(form: str) -> None:
    body = """
        event_t e = async_work_group_strided_copy(t, a, 4, 2, 0);
        wait_group_events(1, &e);
        int v = t[3 - get_local_id(0)];
        barrier(0);
        a[i] = v;
    """
    assert list(run(body, form=form, size=4)) == [6, 4, 2, 0, 4, 5, 6, 7]


def test_a_collective_does_not_disturb_the_next_one() -> None:
    body = """
        for (int k = 0; k < 3; ++k) i = work_group_scan_inclusive_add(i) - work_group_reduce_max(i);
        a[get_global_id(0)] = i;
    """
    expected = np.arange(8).reshape(2, 4)
    for _ in range(3):
        expected = expected.cumsum(1) - expected.max(1, keepdims=True)
    assert list(run(body)) == list(expected.ravel())


def test_operands_must_be_the_same_for_all() -> None:
    with pytest.raises(UndefinedBehaviour, match="is not uniform"):
        run("a[i] = work_group_broadcast(i, get_local_id(0) & 1);")
    with pytest.raises(UndefinedBehaviour, match="is not uniform"):
        run("async_work_group_copy(t, a + i, 1, 0);")
    with pytest.raises(UndefinedBehaviour, match="is not uniform"):
        run("async_work_group_copy(t, a, i, 0);")


def test_all_work_items_must_call() -> None:
    with pytest.raises(BarrierDivergence):
        run("if (i & 1) a[i] = work_group_reduce_add(i);")
    with pytest.raises(BarrierDivergence):
        run("if (i & 1) async_work_group_copy(t, a, 1, 0);", form="frontend")


def test_broadcast_from_outside_the_group() -> None:
    with pytest.raises(UndefinedBehaviour, match=r"work-item \(4,\), which is not in the group"):
        run("a[i] = work_group_broadcast(i, 4);")
    with pytest.raises(UndefinedBehaviour, match=r"work-item \(0, 2\), which is not in the group"):
        run("a[i] = work_group_broadcast(i, 0, 2);", size=(4, 4), group=(2, 2))


def test_copies_stay_inside_their_buffers() -> None:
    with pytest.raises(OutOfBounds, match="'t', which has 64 bytes"):
        run("async_work_group_strided_copy(a, t, 17, 0, 0);")
    with pytest.raises(OutOfBounds, match="'a', which has 32 bytes"):
        run("async_work_group_strided_copy(a, t, 2, 8, 0);")


class Watcher:
    """Counts what is reported."""

    def __init__(self) -> None:
        self.loads: list[int] = []
        self.undefined_loads = 0

    def load(self, item: Any, pointer: Any, size: int, instruction: Any) -> None:
        self.loads.append(size)

    def undefined(self, item: Any, pointer: Any, size: int, instruction: Any) -> None:
        self.undefined_loads += 1


def test_observers_see_copies_and_unwritten_memory_stays_so() -> None:
    source = """
        kernel void k(global double3 *a, global double3 *b, local double3 *t) {
            async_work_group_copy(a, t, 2, 0);
            barrier(0);
            b[0] = a[1];
        }
    """
    watcher = Watcher()
    a, b = np.ones((2, 4)), np.ones((2, 4))
    run_ndrange(compile_kernel(source), "k", 1, 1, [a, b, Local(64)], observers=[watcher])
    assert watcher.loads[:2] == [32, 32]
    assert watcher.undefined_loads == 1 and not b[0, :3].any()
