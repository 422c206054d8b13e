"""Sub-devices: partitions, their queries and life, and threads that stay within their number."""

import struct
from collections.abc import Iterator

import pytest
from api_support import NULL, call, check, create, ffi, handles, number, query, sizes

from weft.api import constants as c
from weft.api import handles as published
from weft.device import base
from weft.device.info import Description, device_info, host_facts
from weft.runtime.platform import Device, the_platform

EQUALLY, BY_COUNTS = c.CL_DEVICE_PARTITION_EQUALLY, c.CL_DEVICE_PARTITION_BY_COUNTS


@pytest.fixture
def device() -> Iterator[int]:
    """A root device with six compute units, whatever the machine has."""
    info = device_info("pthread", host_facts(), 6)
    root = Device(the_platform(), base.Device(Description(info, threads=6, exclusive=False)))
    yield published.publish(root)
    published.unpublish(root.handle)


def partition(device: int, *properties: int) -> list[int]:
    """The sub-devices that a scheme gives."""
    scheme = ffi.new("intptr_t[]", [*properties, 0])
    count = ffi.new("uint32_t *")
    check("clCreateSubDevices", device, scheme, 0, NULL, count)
    made = handles(*[0] * count[0])
    check("clCreateSubDevices", device, scheme, count[0], made, count)
    return list(made)


def units(device: int) -> int:
    return number("clGetDeviceInfo", device, c.CL_DEVICE_MAX_COMPUTE_UNITS)


def properties(device: int, param: int) -> list[int]:
    data = query("clGetDeviceInfo", device, param)
    return list(struct.unpack(f"{len(data) // 8}q", data))


@pytest.mark.parametrize(("each", "expected"), [(1, [1] * 6), (2, [2] * 3), (4, [4])])
def test_equal_partitions(device: int, each: int, expected: list[int]) -> None:
    parts = partition(device, EQUALLY, each)
    assert [units(part) for part in parts] == expected
    for part in parts:
        assert number("clGetDeviceInfo", part, c.CL_DEVICE_PARENT_DEVICE) == device
        assert properties(part, c.CL_DEVICE_PARTITION_TYPE) == [EQUALLY, each, 0]
        check("clReleaseDevice", part)


def test_partitions_by_counts(device: int) -> None:
    parts = partition(device, BY_COUNTS, 3, 1, 2, 0)
    assert [units(part) for part in parts] == [3, 1, 2]
    assert properties(parts[0], c.CL_DEVICE_PARTITION_TYPE) == [BY_COUNTS, 3, 1, 2, 0, 0]


def test_parts_can_be_partitioned_again(device: int) -> None:
    (four,) = partition(device, EQUALLY, 4)
    parts = partition(four, BY_COUNTS, 1, 3, 0)
    assert [units(part) for part in parts] == [1, 3]
    assert number("clGetDeviceInfo", parts[0], c.CL_DEVICE_PARENT_DEVICE) == four
    assert properties(parts[0], c.CL_DEVICE_PARTITION_PROPERTIES) == [0]
    assert properties(parts[1], c.CL_DEVICE_PARTITION_PROPERTIES) == [EQUALLY, BY_COUNTS]
    check("clReleaseDevice", four)
    assert units(four) == 4  # its parts need it
    for part in parts:
        check("clReleaseDevice", part)
    assert call("clGetDeviceInfo", four, c.CL_DEVICE_TYPE, 0, 0, NULL) == c.CL_INVALID_DEVICE


def test_root_device_tells_how_it_can_be_partitioned(device: int) -> None:
    assert properties(device, c.CL_DEVICE_PARTITION_PROPERTIES) == [EQUALLY, BY_COUNTS]
    assert number("clGetDeviceInfo", device, c.CL_DEVICE_PARTITION_MAX_SUB_DEVICES) == 6
    assert number("clGetDeviceInfo", device, c.CL_DEVICE_PARENT_DEVICE) == 0
    assert properties(device, c.CL_DEVICE_PARTITION_TYPE) == [0]


@pytest.mark.parametrize(
    ("scheme", "code"),
    [
        ([EQUALLY, 6, 0], c.CL_DEVICE_PARTITION_FAILED),
        ([EQUALLY, 7, 0], c.CL_INVALID_DEVICE_PARTITION_COUNT),
        ([EQUALLY, 0, 0], c.CL_INVALID_VALUE),
        ([EQUALLY, -1, 0], c.CL_INVALID_DEVICE_PARTITION_COUNT),
        ([EQUALLY, 2, EQUALLY, 2, 0], c.CL_INVALID_VALUE),
        ([BY_COUNTS, 4, 3, 0, 0], c.CL_INVALID_DEVICE_PARTITION_COUNT),
        ([BY_COUNTS, 1, -1, 0, 0], c.CL_INVALID_DEVICE_PARTITION_COUNT),
        ([BY_COUNTS, 0, 0], c.CL_INVALID_VALUE),
        ([c.CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN, 1, 0], c.CL_INVALID_VALUE),
        ([0], c.CL_INVALID_VALUE),
    ],
)
def test_what_cannot_be_is_refused(device: int, scheme: list[int], code: int) -> None:
    given = ffi.new("intptr_t[]", scheme)
    assert call("clCreateSubDevices", device, given, 8, handles(*[0] * 8), NULL) == code


def test_parameters_are_checked(device: int) -> None:
    given = ffi.new("intptr_t[]", [EQUALLY, 2, 0])
    for target, scheme, count, out, code in (
        (0, given, 3, handles(0, 0, 0), c.CL_INVALID_DEVICE),
        (device, NULL, 3, handles(0, 0, 0), c.CL_INVALID_VALUE),
        (device, given, 2, handles(0, 0), c.CL_INVALID_VALUE),
        (device, given, 0, handles(0), c.CL_INVALID_VALUE),
        (device, given, 1, NULL, c.CL_INVALID_VALUE),
    ):
        assert call("clCreateSubDevices", target, scheme, count, out, NULL) == code


def test_references_are_counted(device: int) -> None:
    (part,) = partition(device, EQUALLY, 4)
    check("clRetainDevice", part)
    assert number("clGetDeviceInfo", part, c.CL_DEVICE_REFERENCE_COUNT) == 2
    context = create("clCreateContext", NULL, 1, handles(part), 0, 0)
    queue = create("clCreateCommandQueue", context, part, 0)
    for _ in range(2):
        check("clReleaseDevice", part)
    check("clReleaseContext", context)
    assert number("clGetCommandQueueInfo", queue, c.CL_QUEUE_DEVICE) == part
    assert units(part) == 4
    check("clReleaseCommandQueue", queue)
    assert call("clReleaseDevice", part) == c.CL_INVALID_DEVICE


SOURCE = """
kernel void most(global int *running, global int *peak) {
    int now = atomic_inc(running) + 1;
    atomic_max(peak, now);
    for (volatile int i = 0; i < 300000; i++) {}
    atomic_dec(running);
}
"""


@pytest.mark.parametrize("threads", [1, 2])
def test_no_more_threads_than_compute_units_run(device: int, threads: int) -> None:
    part = partition(device, EQUALLY, threads)[0]
    context = create("clCreateContext", NULL, 1, handles(part), 0, 0)
    queue = create("clCreateCommandQueue", context, part, 0)
    text = ffi.new("char[]", SOURCE.encode())
    program = create("clCreateProgramWithSource", context, 1, ffi.new("char *[]", [text]), NULL)
    check("clBuildProgram", program, 0, NULL, NULL, 0, 0)
    kernel = create("clCreateKernel", program, ffi.new("char[]", b"most"))
    memory = ffi.new("int[2]")
    start = int(ffi.cast("uintptr_t", memory))
    for index in range(2):
        check("clSetKernelArgSVMPointer", kernel, index, start + 4 * index)
    check("clEnqueueNDRangeKernel", queue, kernel, 1, NULL, sizes(64), sizes(1), 0, NULL, NULL)
    check("clFinish", queue)
    assert memory[0] == 0
    assert 1 <= memory[1] <= threads
    check("clReleaseKernel", kernel)
    check("clReleaseProgram", program)
    check("clReleaseCommandQueue", queue)
    check("clReleaseContext", context)


def test_programs_built_for_a_device_run_on_its_parts(device: int) -> None:
    part = partition(device, EQUALLY, 2)[0]
    context = create("clCreateContext", NULL, 2, handles(part, device), 0, 0)
    text = ffi.new("char[]", SOURCE.encode())
    program = create("clCreateProgramWithSource", context, 1, ffi.new("char *[]", [text]), NULL)
    check("clBuildProgram", program, 1, handles(device), NULL, 0, 0)
    for one in (device, part):
        assert number("clGetProgramBuildInfo", program, one, c.CL_PROGRAM_BUILD_STATUS) == c.CL_BUILD_SUCCESS


def test_many_partitions_start_no_more_threads(device: int) -> None:
    pools = []
    for _ in range(20):
        (part,) = partition(device, EQUALLY, 4)
        pools.append(published.live[part].native._pool)
        check("clReleaseDevice", part)
    assert len(set(pools)) == 1
