"""Work-groups that exchange values by sub-group functions, and the same through local memory.

Each pair performs the same work: a reduction and an exclusive scan per work-group, and sorting of rows of 16
numbers.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import pyopencl as cl

from bench.families.reduction import TREE
from bench.registry import Task, Unit, benchmark
from bench.session import BoundKernel, Session

REDUCE = """
kernel void sum(global const float *values, global float *partial, local float *shared) {
    float sum = sub_group_reduce_add(values[get_global_id(0)]);
    if (get_sub_group_local_id() == 0) shared[get_sub_group_id()] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_sub_group_id() == 0) {
        uint lane = get_sub_group_local_id();
        float total = sub_group_reduce_add(lane < get_num_sub_groups() ? shared[lane] : 0);
        if (lane == 0) partial[get_group_id(0)] = total;
    }
}
"""
SCAN_LOCAL = """
kernel void scan(global const int *values, global int *sums, local int *shared) {
    size_t me = get_local_id(0), size = get_local_size(0);
    int value = values[get_global_id(0)], sum = value;
    shared[me] = value;
    for (size_t reach = 1; reach < size; reach *= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        int before = me >= reach ? shared[me - reach] : 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        sum += before;
        shared[me] = sum;
    }
    sums[get_global_id(0)] = sum - value;
}
"""
SCAN = """
kernel void scan(global const int *values, global int *sums, local int *shared) {
    int value = values[get_global_id(0)];
    int sum = sub_group_scan_exclusive_add(value);
    uint last = get_sub_group_size() - 1;
    if (get_sub_group_local_id() == last) shared[get_sub_group_id()] = sum + value;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_sub_group_id() == 0) {
        uint lane = get_sub_group_local_id();
        int of_group = lane < get_num_sub_groups() ? shared[lane] : 0;
        of_group = sub_group_scan_exclusive_add(of_group);
        if (lane < get_num_sub_groups()) shared[lane] = of_group;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    sums[get_global_id(0)] = sum + shared[get_sub_group_id()];
}
"""
_SORT = """
kernel void sort(global const float *values, global float *sorted, local float *shared) {
    uint me = get_local_id(0), lane = me % 16;
    float value = values[get_global_id(0)];
    for (uint size = 2; size <= 16; size *= 2)
        for (uint reach = size / 2; reach > 0; reach /= 2) {
            EXCHANGE
            bool up = (lane & size) == 0, low = (lane & reach) == 0;
            value = up == low ? fmin(value, other) : fmax(value, other);
        }
    sorted[get_global_id(0)] = value;
}
"""
SORT_LOCAL = _SORT.replace(
    "EXCHANGE",
    """barrier(CLK_LOCAL_MEM_FENCE);
            shared[me] = value;
            barrier(CLK_LOCAL_MEM_FENCE);
            float other = shared[me ^ reach];""",
)
SORT = _SORT.replace("EXCHANGE", "float other = sub_group_shuffle_xor(value, reach);")
COUNT, GROUP, ROW = 2**17, 256, 16  # the values fit into a second-level cache


def _prepared(session: Session, source: str, name: str, values: np.ndarray, result: cl.Buffer) -> BoundKernel:
    kernel = cl.Kernel(session.program(source, "-cl-std=CL3.0"), name)
    arguments: tuple[Any, ...] = (session.upload(values), result, cl.LocalMemory(4 * GROUP))
    kernel.set_args(*arguments)
    return BoundKernel(kernel, arguments)


def _task(
    session: Session, source: str, name: str, values: np.ndarray, expected: Callable[[], np.ndarray]
) -> Task:
    wanted: Any = expected()
    result = session.buffer(wanted.nbytes)
    kernel = _prepared(session, source, name, values, result)

    def check() -> None:
        np.testing.assert_allclose(session.download(result, wanted), wanted, rtol=1e-5)

    return Task(lambda: session.launch(kernel, (COUNT,), (GROUP,)), check)


def _add(case: str, source: str, name: str) -> None:
    """Register a benchmark of one kernel."""

    @benchmark(f"sub-groups/{case}", Unit.MICROSECONDS)
    def measured(session: Session) -> Task:
        if name == "scan":
            integers = session.random.integers(-99, 99, COUNT, np.int32)
            rows = integers.reshape(-1, GROUP)
            return _task(session, source, name, integers, lambda: rows.cumsum(1, dtype=np.int32) - rows)
        values = session.random.random(COUNT, np.float32)
        if name == "sum":
            return _task(session, source, name, values, lambda: values.reshape(-1, GROUP).sum(axis=1))
        return _task(session, source, name, values, lambda: np.sort(values.reshape(-1, ROW), axis=1).ravel())


_add("reduction/local memory", TREE, "sum")
_add("reduction/sub-groups", REDUCE, "sum")
_add("scan/local memory", SCAN_LOCAL, "scan")
_add("scan/sub-groups", SCAN, "scan")
_add("sort/local memory", SORT_LOCAL, "sort")
_add("sort/sub-groups", SORT, "sort")
