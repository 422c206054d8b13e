"""Reductions."""

from collections.abc import Callable

import numpy as np
import pyopencl as cl

from bench.registry import Task, Unit, benchmark
from bench.session import BoundKernel, Session

TREE = """
__kernel void sum(__global const float *values, __global float *partial, __local float *shared) {
    size_t me = get_local_id(0);
    shared[me] = values[get_global_id(0)];
    for (size_t reach = get_local_size(0) / 2; reach > 0; reach /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (me < reach) shared[me] += shared[me + reach];
    }
    if (me == 0) partial[get_group_id(0)] = shared[0];
}
"""
COLLECTIVE = """
__kernel void sum(__global const float *values, __global float *partial) {
    float total = work_group_reduce_add(values[get_global_id(0)]);
    if (get_local_id(0) == 0) partial[get_group_id(0)] = total;
}
"""
COUNT, GROUP = 2**22, 256


@benchmark(f"reduction/local memory/{COUNT * 4 >> 20} MiB", Unit.BANDWIDTH, work=4.0 * COUNT)
def tree(session: Session) -> Task:
    """A tree in local memory with a barrier at each level; one partial sum per work-group."""
    return _partial_sums(session, lambda v, p: session.kernel(TREE, "sum", v, p, cl.LocalMemory(4 * GROUP)))


@benchmark(f"reduction/work-group function/{COUNT * 4 >> 20} MiB", Unit.BANDWIDTH, work=4.0 * COUNT)
def collective(session: Session) -> Task:
    """The same sums with work_group_reduce_add of OpenCL C 3.0."""

    def bound(values: cl.Buffer, partial: cl.Buffer) -> BoundKernel:
        kernel = cl.Kernel(session.program(COLLECTIVE, "-cl-std=CL3.0"), "sum")
        kernel.set_args(values, partial)
        return BoundKernel(kernel, (values, partial))

    return _partial_sums(session, bound)


def _partial_sums(session: Session, bind: Callable[[cl.Buffer, cl.Buffer], BoundKernel]) -> Task:
    """Return the task of a kernel that writes the sum of each work-group's values."""
    values = session.random.random(COUNT, np.float32)
    partial = session.buffer(4 * COUNT // GROUP)
    kernel = bind(session.upload(values), partial)

    def check() -> None:
        sums = values.reshape(-1, GROUP).sum(axis=1, dtype=np.float64)
        result = session.download(partial, np.empty(COUNT // GROUP, np.float32))
        np.testing.assert_allclose(result, sums, rtol=1e-5)

    return Task(lambda: session.launch(kernel, (COUNT,), (GROUP,)), check)
