"""Unified shared memory (cl_intel_unified_shared_memory) and what else host extensions add."""

import struct
from typing import Any

import pytest
from api_support import (
    NULL,
    World,
    address,
    call,
    check,
    create,
    ffi,
    handles,
    number,
    query,
    refused,
    sizes,
    text,
)

from weft.api import constants as c

SOURCE = """
kernel void add(global int *a, global const int *b, int x) { a[get_global_id(0)] += b[get_global_id(0)] + x; }
kernel void follow(global long *start, global int *out) {
    int sum = 0;
    for (global long *at = start; at; at = (global long *)at[0]) sum += (int)at[1];
    out[0] = sum;
}
kernel __attribute__((reqd_work_group_size(8, 2, 1))) void fixed(local int *unused) {}
"""
KINDS = {
    "clHostMemAllocINTEL": c.CL_MEM_TYPE_HOST_INTEL,
    "clDeviceMemAllocINTEL": c.CL_MEM_TYPE_DEVICE_INTEL,
    "clSharedMemAllocINTEL": c.CL_MEM_TYPE_SHARED_INTEL,
}
HOST, DEVICE, SHARED = KINDS
DEVICE_PLACEMENT = c.CL_MEM_ALLOC_INITIAL_PLACEMENT_DEVICE_INTEL
HOST_PLACEMENT = c.CL_MEM_ALLOC_INITIAL_PLACEMENT_HOST_INTEL


def properties(*values: int) -> Any:
    return ffi.new("uint64_t[]", [*values, 0])


def where(world: World, name: str) -> tuple[int, ...]:
    return (world.context,) if name == HOST else (world.context, world.device)


def alloc(world: World, size: int, name: str = SHARED, listed: Any = NULL, alignment: int = 0) -> int:
    return create(name, *where(world, name), listed, size, alignment)


def free(world: World, pointer: int) -> None:
    check("clMemFreeINTEL", world.context, pointer)


def contents(pointer: int, size: int) -> bytes:
    return bytes(ffi.buffer(ffi.cast("char *", pointer), size))


def kernel_of(world: World, name: str) -> int:
    source = ffi.new("char[]", SOURCE.encode())
    program = create("clCreateProgramWithSource", world.context, 1, ffi.new("char *[]", [source]), NULL)
    check("clBuildProgram", program, 0, NULL, NULL, 0, 0)
    return create("clCreateKernel", program, ffi.new("char[]", name.encode()))


def info(world: World, pointer: int) -> list[int]:
    """Type, base, size, device and flags of the allocation that an address is in."""
    params = (
        c.CL_MEM_ALLOC_TYPE_INTEL,
        c.CL_MEM_ALLOC_BASE_PTR_INTEL,
        c.CL_MEM_ALLOC_SIZE_INTEL,
        c.CL_MEM_ALLOC_DEVICE_INTEL,
        c.CL_MEM_ALLOC_FLAGS_INTEL,
    )
    return [number("clGetMemAllocInfoINTEL", world.context, pointer, param) for param in params]


def test_extensions_are_listed_with_their_versions(world: World) -> None:
    names = text("clGetDeviceInfo", world.device, c.CL_DEVICE_EXTENSIONS).split()
    raw = query("clGetDeviceInfo", world.device, c.CL_DEVICE_EXTENSIONS_WITH_VERSION)
    versions = {name.rstrip(b"\0").decode(): value for value, name in struct.iter_unpack("=I64s", raw)}
    assert list(versions) == names
    assert versions["cl_intel_unified_shared_memory"] == 1 << 22 | 1 << 12
    for param in range(
        c.CL_DEVICE_HOST_MEM_CAPABILITIES_INTEL, c.CL_DEVICE_SHARED_SYSTEM_MEM_CAPABILITIES_INTEL + 1
    ):
        assert number("clGetDeviceInfo", world.device, param) == 0b1111


@pytest.mark.parametrize("name", KINDS)
def test_allocations_tell_what_they_are(world: World, name: str) -> None:
    flags = c.CL_MEM_ALLOC_WRITE_COMBINED_INTEL
    pointer = alloc(world, 100, name, properties(c.CL_MEM_ALLOC_FLAGS_INTEL, flags), 64)
    other = alloc(world, 1, name)
    assert pointer % 128 == 0
    device = 0 if name == HOST else world.device
    for inside in (pointer, pointer + 99):
        assert info(world, inside) == [KINDS[name], pointer, 100, device, flags]
    assert info(world, other) == [KINDS[name], other, 1, device, 0]
    nowhere = [c.CL_MEM_TYPE_UNKNOWN_INTEL, 0, 0, 0, 0]
    assert info(world, pointer + 100) == info(world, 0) == nowhere
    elsewhere = World()
    assert info(elsewhere, pointer) == nowhere
    elsewhere.close()
    free(world, pointer)
    check("clMemBlockingFreeINTEL", world.context, other)
    assert info(world, pointer) == info(world, other) == nowhere
    assert call("clGetMemAllocInfoINTEL", world.context, 0, 0x419E, 0, 0, NULL) == c.CL_INVALID_VALUE
    assert call("clGetMemAllocInfoINTEL", 7, 0, c.CL_MEM_ALLOC_TYPE_INTEL, 0, 0, NULL) == c.CL_INVALID_CONTEXT


def test_shared_memory_may_belong_to_no_device_and_be_placed(world: World) -> None:
    flags = properties(c.CL_MEM_ALLOC_FLAGS_INTEL, HOST_PLACEMENT)
    pointer = create(SHARED, world.context, 0, flags, 16, 0)
    assert info(world, pointer) == [c.CL_MEM_TYPE_SHARED_INTEL, pointer, 16, 0, HOST_PLACEMENT]
    free(world, pointer)


@pytest.mark.parametrize("name", KINDS)
@pytest.mark.parametrize(
    ("listed", "size", "alignment", "code"),
    [
        ((), 0, 0, c.CL_INVALID_BUFFER_SIZE),
        ((), 1 << 62, 0, c.CL_INVALID_BUFFER_SIZE),
        ((), 16, 3, c.CL_INVALID_VALUE),
        ((), 16, 256, c.CL_INVALID_VALUE),
        ((0x419E, 1), 16, 0, c.CL_INVALID_PROPERTY),
        ((c.CL_MEM_ALLOC_FLAGS_INTEL, 1 << 3), 16, 0, c.CL_INVALID_PROPERTY),
        ((c.CL_MEM_ALLOC_FLAGS_INTEL, 0) * 2, 16, 0, c.CL_INVALID_PROPERTY),
        ((c.CL_MEM_ALLOC_FLAGS_INTEL, HOST_PLACEMENT | DEVICE_PLACEMENT), 16, 0, c.CL_INVALID_PROPERTY),
    ],
)
def test_what_cannot_be_allocated_has_its_code(
    world: World, name: str, listed: tuple[int, ...], size: int, alignment: int, code: int
) -> None:
    assert refused(name, *where(world, name), properties(*listed), size, alignment) == code


def test_wrong_objects_are_refused(world: World) -> None:
    other = World()
    for name in KINDS:
        devices = where(world, name)[1:]
        assert refused(name, 7, *devices, NULL, 16, 0) == c.CL_INVALID_CONTEXT
    parts = handles(0, 0)
    plan = ffi.new("intptr_t[]", [c.CL_DEVICE_PARTITION_BY_COUNTS, 1, 0, 0])
    check("clCreateSubDevices", world.device, plan, 2, parts, NULL)
    for name in (DEVICE, SHARED):
        for device in (7, world.context, parts[0]):
            assert refused(name, world.context, device, NULL, 16, 0) == c.CL_INVALID_DEVICE
    assert refused(DEVICE, world.context, 0, NULL, 16, 0) == c.CL_INVALID_DEVICE
    for name in (HOST, DEVICE):
        flags = properties(c.CL_MEM_ALLOC_FLAGS_INTEL, HOST_PLACEMENT)
        assert refused(name, *where(world, name), flags, 16, 0) == c.CL_INVALID_PROPERTY
    pointer = alloc(world, 64)
    for release in ("clMemFreeINTEL", "clMemBlockingFreeINTEL"):
        assert call(release, 7, pointer) == c.CL_INVALID_CONTEXT
        assert call(release, other.context, pointer) == c.CL_INVALID_VALUE
        assert call(release, world.context, pointer + 1) == c.CL_INVALID_VALUE
        check(release, world.context, 0)
    free(world, pointer)
    assert call("clMemFreeINTEL", world.context, pointer) == c.CL_INVALID_VALUE
    check("clReleaseDevice", parts[0])
    other.close()


def test_copies_fills_and_hints_are_commands(world: World) -> None:
    a, b = alloc(world, 64, DEVICE), alloc(world, 64, HOST)
    pattern = ffi.new("char[]", b"abcd")
    events = [handles(0) for _ in range(4)]
    check("clEnqueueMemFillINTEL", world.queue, a, address(pattern), 4, 64, 0, NULL, events[0])
    check("clEnqueueMigrateMemINTEL", world.queue, a, 64, 0, 0, NULL, events[1])
    check("clEnqueueMemAdviseINTEL", world.queue, a, 64, 0, 0, NULL, events[2])
    check("clEnqueueMemcpyINTEL", world.queue, 1, b, a, 64, 1, events[0], events[3])
    assert contents(b, 64) == b"abcd" * 16
    kinds = [number("clGetEventInfo", event[0], c.CL_EVENT_COMMAND_TYPE) for event in events]
    assert kinds == [
        c.CL_COMMAND_MEMFILL_INTEL,
        c.CL_COMMAND_MIGRATEMEM_INTEL,
        c.CL_COMMAND_MEMADVISE_INTEL,
        c.CL_COMMAND_MEMCPY_INTEL,
    ]
    for arguments, code in (
        ((0, a, 4), c.CL_INVALID_VALUE),
        ((a, 0, 4), c.CL_INVALID_VALUE),
        ((a, a + 4, 8), c.CL_MEM_COPY_OVERLAP),
    ):
        assert call("clEnqueueMemcpyINTEL", world.queue, 1, *arguments, 0, NULL, NULL) == code
    filling = address(pattern)
    for fill in (
        (0, filling, 4, 64),
        (a + 1, filling, 4, 60),
        (a, 0, 4, 64),
        (a, filling, 3, 63),
        (a, filling, 4, 63),
    ):
        assert call("clEnqueueMemFillINTEL", world.queue, *fill, 0, NULL, NULL) == c.CL_INVALID_VALUE
    assert call("clEnqueueMigrateMemINTEL", world.queue, a, 64, 4, 0, NULL, NULL) == c.CL_INVALID_VALUE
    assert call("clEnqueueMemAdviseINTEL", world.queue, a, 64, 0x4208, 0, NULL, NULL) == c.CL_INVALID_VALUE
    calls: tuple[tuple[str, tuple[int, ...]], ...] = (
        ("clEnqueueMemcpyINTEL", (0, b, a, 4)),
        ("clEnqueueMemFillINTEL", (a, filling, 4, 4)),
        ("clEnqueueMigrateMemINTEL", (a, 4, 0)),
        ("clEnqueueMemAdviseINTEL", (a, 4, 0)),
    )
    for name, given in calls:
        assert call(name, 7, *given, 0, NULL, NULL) == c.CL_INVALID_COMMAND_QUEUE
        assert call(name, world.queue, *given, 1, NULL, NULL) == c.CL_INVALID_EVENT_WAIT_LIST
    free(world, a)
    free(world, b)


def test_a_blocking_free_waits_for_the_commands(world: World) -> None:
    a, b = alloc(world, 1 << 20), alloc(world, 1 << 20)
    event = handles(0)
    ffi.memmove(ffi.cast("char *", a), b"x" * (1 << 20), 1 << 20)
    check("clEnqueueMemcpyINTEL", world.queue, 0, b, a, 1 << 20, 0, NULL, event)
    check("clMemBlockingFreeINTEL", world.context, a)
    assert world.status(event[0]) == c.CL_COMPLETE
    assert contents(b, 1 << 20) == b"x" * (1 << 20)
    free(world, b)


def test_kernels_take_pointers_and_follow_them(world: World) -> None:
    numbers = [alloc(world, 64, name) for name in (SHARED, HOST)]
    for pointer in numbers:
        ffi.memmove(ffi.cast("char *", pointer), struct.pack("=16i", *range(16)), 64)
    kernel = kernel_of(world, "add")
    for index, pointer in enumerate((numbers[0] + 16, numbers[1])):
        check("clSetKernelArgMemPointerINTEL", kernel, index, pointer)
    check("clSetKernelArg", kernel, 2, 4, address(ffi.new("int *", 100)))
    check("clEnqueueNDRangeKernel", world.queue, kernel, 1, NULL, sizes(4), NULL, 0, NULL, NULL)
    check("clFinish", world.queue)
    expected = [*range(4), *(4 + 2 * n + 100 for n in range(4)), *range(8, 16)]
    assert struct.unpack("=16i", contents(numbers[0], 64)) == tuple(expected)
    assert call("clSetKernelArgMemPointerINTEL", 7, 0, numbers[0]) == c.CL_INVALID_KERNEL
    assert call("clSetKernelArgMemPointerINTEL", kernel, 3, numbers[0]) == c.CL_INVALID_ARG_INDEX
    assert call("clSetKernelArgMemPointerINTEL", kernel, 2, numbers[0]) == c.CL_INVALID_ARG_VALUE

    follow = kernel_of(world, "follow")
    links = [alloc(world, 16, DEVICE) for _ in range(3)]
    for index, pointer in enumerate(links):
        following = links[index + 1] if index < 2 else 0
        ffi.memmove(ffi.cast("char *", pointer), struct.pack("=qq", following, 10**index), 16)
    value = ffi.new("uint32_t *", 1)
    for param in (
        c.CL_KERNEL_EXEC_INFO_INDIRECT_HOST_ACCESS_INTEL,
        c.CL_KERNEL_EXEC_INFO_INDIRECT_DEVICE_ACCESS_INTEL,
        c.CL_KERNEL_EXEC_INFO_INDIRECT_SHARED_ACCESS_INTEL,
    ):
        check("clSetKernelExecInfo", follow, param, 4, address(value))
        assert call("clSetKernelExecInfo", follow, param, 8, address(value)) == c.CL_INVALID_VALUE
    used = ffi.new("uintptr_t[]", links)
    check("clSetKernelExecInfo", follow, c.CL_KERNEL_EXEC_INFO_USM_PTRS_INTEL, 24, address(used))
    code = call("clSetKernelExecInfo", follow, c.CL_KERNEL_EXEC_INFO_USM_PTRS_INTEL, 12, address(used))
    assert code == c.CL_INVALID_VALUE
    check("clSetKernelArgMemPointerINTEL", follow, 0, links[0])
    check("clSetKernelArgMemPointerINTEL", follow, 1, numbers[0])
    check("clEnqueueNDRangeKernel", world.queue, follow, 1, NULL, sizes(1), NULL, 0, NULL, NULL)
    check("clFinish", world.queue)
    assert struct.unpack("=i", contents(numbers[0], 4)) == (111,)
    for pointer in (*numbers, *links):
        check("clMemBlockingFreeINTEL", world.context, pointer)


def test_memory_outlives_the_clients_reference_to_the_context() -> None:
    world = World()
    pointer = alloc(world, 64)
    world.close()
    ffi.memmove(ffi.cast("char *", pointer), b"y" * 64, 64)
    assert number("clGetContextInfo", world.context, c.CL_CONTEXT_NUM_DEVICES) == 1
    free(world, pointer)
    ended = call("clGetContextInfo", world.context, c.CL_CONTEXT_NUM_DEVICES, 0, 0, NULL)
    assert ended == c.CL_INVALID_CONTEXT


def test_the_suggested_local_size_is_the_one_that_is_chosen(world: World) -> None:
    kernel = kernel_of(world, "add")
    pointer = alloc(world, 4096)
    found = sizes(77, 77, 77)

    def suggest(queue: int, target: int, dimensions: int, offset: Any, extents: Any, place: Any) -> int:
        return call("clGetKernelSuggestedLocalWorkSize", queue, target, dimensions, offset, extents, place)

    range_of_1024 = (world.queue, kernel, 1, NULL, sizes(1024), found)
    assert suggest(*range_of_1024) == c.CL_INVALID_KERNEL_ARGS
    for index in range(2):
        check("clSetKernelArgMemPointerINTEL", kernel, index, pointer)
    check("clSetKernelArg", kernel, 2, 4, address(ffi.new("int *", 1)))
    assert suggest(*range_of_1024) == c.CL_SUCCESS
    assert 1024 % found[0] == 0 and list(found)[1:] == [77, 77]
    fixed = kernel_of(world, "fixed")
    check("clSetKernelArg", fixed, 0, 16, 0)
    assert suggest(world.queue, fixed, 2, sizes(1, 2), sizes(64, 64), found) == c.CL_SUCCESS
    assert list(found) == [8, 2, 77]
    top = (1 << 64) - 1
    for arguments, code in (
        ((7, kernel, 1, NULL, sizes(8), found), c.CL_INVALID_COMMAND_QUEUE),
        ((world.queue, 7, 1, NULL, sizes(8), found), c.CL_INVALID_KERNEL),
        ((world.queue, kernel, 0, NULL, sizes(8), found), c.CL_INVALID_WORK_DIMENSION),
        ((world.queue, kernel, 4, NULL, sizes(8, 8, 8, 8), found), c.CL_INVALID_WORK_DIMENSION),
        ((world.queue, kernel, 1, NULL, NULL, found), c.CL_INVALID_GLOBAL_WORK_SIZE),
        ((world.queue, kernel, 2, NULL, sizes(8, 0), found), c.CL_INVALID_GLOBAL_WORK_SIZE),
        ((world.queue, kernel, 1, sizes(top), sizes(8), found), c.CL_INVALID_GLOBAL_OFFSET),
        ((world.queue, kernel, 1, NULL, sizes(8), NULL), c.CL_INVALID_VALUE),
    ):
        assert suggest(*arguments) == code
    free(world, pointer)
