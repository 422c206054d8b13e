"""Functions of a whole work-group through pyopencl, on every device, and what the device says of them."""

import numpy as np
import pyopencl as cl
import pytest

from weft.abi import SUB_GROUP_SIZES

SOURCE = """
kernel void normalize_rows(global const float *in, global float *out, local float *row)
{
    size_t n = get_local_size(0);
    event_t e = async_work_group_copy(row, in + get_group_id(0) * n, n, 0);
    wait_group_events(1, &e);
    row[get_local_id(0)] /= work_group_reduce_max(fabs(row[get_local_id(0)]));
    barrier(CLK_LOCAL_MEM_FENCE);
    e = async_work_group_copy(out + get_group_id(0) * n, row, n, 0);
    wait_group_events(1, &e);
}

kernel void ranks(global const int *in, global int *out)
{
    size_t i = get_global_id(0);
    out[i] = work_group_scan_exclusive_add(in[i] > 0);
}
"""


def weft_devices() -> list[cl.Device]:
    (platform,) = [p for p in cl.get_platforms() if p.name == "Weft"]
    return platform.get_devices()


@pytest.fixture(params=range(len(weft_devices())))
def queue(request: pytest.FixtureRequest) -> cl.CommandQueue:
    context = cl.Context([weft_devices()[request.param]])
    return cl.CommandQueue(context)


@pytest.mark.parametrize("size", [1, 7, 64, 1000])
def test_copies_and_reductions(queue: cl.CommandQueue, size: int) -> None:
    program = cl.Program(queue.context, SOURCE).build(["-cl-std=CL3.0"])
    given = np.random.default_rng(size).normal(size=(5, size)).astype(np.float32)
    result = np.empty_like(given)
    flags = cl.mem_flags
    source = cl.Buffer(queue.context, flags.READ_ONLY | flags.COPY_HOST_PTR, hostbuf=given)
    target = cl.Buffer(queue.context, flags.WRITE_ONLY, given.nbytes)
    program.normalize_rows(queue, (given.size,), (size,), source, target, cl.LocalMemory(4 * size))
    cl.enqueue_copy(queue, result, target)
    np.testing.assert_array_equal(result, given / abs(given).max(1, keepdims=True))


def test_a_group_of_the_runtimes_choice_works_together(queue: cl.CommandQueue) -> None:
    program = cl.Program(queue.context, SOURCE).build(["-cl-std=CL3.0"])
    given = np.random.default_rng(1).integers(-1, 2, 96).astype(np.int32)
    result = np.empty_like(given)
    flags = cl.mem_flags
    source = cl.Buffer(queue.context, flags.READ_ONLY | flags.COPY_HOST_PTR, hostbuf=given)
    target = cl.Buffer(queue.context, flags.WRITE_ONLY, given.nbytes)
    program.ranks(queue, (96,), None, source, target)
    cl.enqueue_copy(queue, result, target)
    starts = np.flatnonzero(result == 0)
    expected = (given > 0).cumsum() - (given > 0)
    sizes = [s for s in range(1, 97) if 96 % s == 0]
    whole = [expected.reshape(-1, s) - expected.reshape(-1, s)[:, :1] for s in sizes]
    assert starts[0] == 0 and any((w.ravel() == result).all() for w in whole)


def test_the_device_announces_collectives() -> None:
    for device in weft_devices():
        assert device.get_info(cl.device_info.WORK_GROUP_COLLECTIVE_FUNCTIONS_SUPPORT)
        names = [feature.name for feature in device.opencl_c_features]
        assert "__opencl_c_work_group_collective_functions" in names
        assert "__opencl_c_subgroups" in names
        assert device.get_info(cl.device_info.MAX_NUM_SUB_GROUPS) > 0


def test_no_work_group_has_more_sub_groups_than_the_device_reports(queue: cl.CommandQueue) -> None:
    device = queue.device
    source = f"""
    __attribute__((intel_reqd_sub_group_size({min(SUB_GROUP_SIZES)})))
    kernel void count(global uint *out) {{ out[0] = get_num_sub_groups(); }}
    """
    program = cl.Program(queue.context, source).build()
    result = np.empty(1, np.uint32)
    target = cl.Buffer(queue.context, cl.mem_flags.WRITE_ONLY, 4)
    program.count(queue, (device.max_work_group_size,), (device.max_work_group_size,), target)
    cl.enqueue_copy(queue, result, target)
    assert result[0] == device.get_info(cl.device_info.MAX_NUM_SUB_GROUPS)
