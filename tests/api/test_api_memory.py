"""Buffers and sub-buffers: flags, host pointers, regions, queries, destructors."""

import pytest
from api_support import NULL, World, address, call, check, create, devices, ffi, number, query, refused, sizes

from weft.api import constants as c

RW, RO, WO = c.CL_MEM_READ_WRITE, c.CL_MEM_READ_ONLY, c.CL_MEM_WRITE_ONLY
USE, ALLOC, COPY = c.CL_MEM_USE_HOST_PTR, c.CL_MEM_ALLOC_HOST_PTR, c.CL_MEM_COPY_HOST_PTR
HOST_WO, HOST_RO, HOST_NONE = c.CL_MEM_HOST_WRITE_ONLY, c.CL_MEM_HOST_READ_ONLY, c.CL_MEM_HOST_NO_ACCESS


@pytest.mark.parametrize(
    "flags", [0, RW, RO, WO, ALLOC, RO | HOST_WO, WO | HOST_RO, RW | HOST_NONE, ALLOC | RO]
)
def test_flags_without_host_pointer_are_accepted(world: World, flags: int) -> None:
    buffer = world.buffer(64, flags)
    expected = flags if flags & (RW | RO | WO) else flags | RW
    assert number("clGetMemObjectInfo", buffer, c.CL_MEM_FLAGS) == expected
    check("clReleaseMemObject", buffer)


@pytest.mark.parametrize(
    "flags",
    [
        RW | RO,
        RO | WO,
        RW | WO,
        HOST_WO | HOST_RO,
        HOST_RO | HOST_NONE,
        1 << 40,
        c.CL_MEM_SVM_FINE_GRAIN_BUFFER,
    ],
)
def test_contradicting_flags_are_refused(world: World, flags: int) -> None:
    assert refused("clCreateBuffer", world.context, flags, 64, 0) == c.CL_INVALID_VALUE


@pytest.mark.parametrize("flags", [USE | ALLOC, USE | COPY])
def test_contradicting_pointer_flags_are_refused(world: World, flags: int) -> None:
    place = ffi.new("char[64]")
    assert refused("clCreateBuffer", world.context, flags, 64, address(place)) == c.CL_INVALID_VALUE


@pytest.mark.parametrize("flags", [USE, COPY, COPY | ALLOC])
def test_host_pointer_is_demanded_by_its_flags_and_refused_without(world: World, flags: int) -> None:
    place = ffi.new("char[64]")
    assert refused("clCreateBuffer", world.context, flags, 64, 0) == c.CL_INVALID_HOST_PTR
    check("clReleaseMemObject", world.buffer(64, flags, address(place)))
    assert refused("clCreateBuffer", world.context, RW, 64, address(place)) == c.CL_INVALID_HOST_PTR


def test_buffer_sizes_have_limits(world: World) -> None:
    most = number("clGetDeviceInfo", world.device, c.CL_DEVICE_MAX_MEM_ALLOC_SIZE)
    for size in (0, most + 1, 2**64 - 1):
        assert refused("clCreateBuffer", world.context, RW, size, 0) == c.CL_INVALID_BUFFER_SIZE
    assert refused("clCreateBuffer", 0, RW, 64, 0) == c.CL_INVALID_CONTEXT


def test_use_host_pointer_shares_the_memory(world: World) -> None:
    place = ffi.new("char[]", b"abcdefgh")
    buffer = world.buffer(8, USE, address(place))
    place[0] = b"X"
    assert world.contents(buffer) == b"Xbcdefgh"
    assert number("clGetMemObjectInfo", buffer, c.CL_MEM_HOST_PTR) == address(place)
    mapped = create("clEnqueueMapBuffer", world.queue, buffer, 1, c.CL_MAP_READ, 2, 4, 0, NULL, NULL)
    assert mapped == address(place) + 2


def test_copy_host_pointer_takes_a_copy(world: World) -> None:
    place = ffi.new("char[]", b"abcdefgh")
    buffer = world.buffer(8, COPY, address(place))
    place[0] = b"X"
    assert world.contents(buffer) == b"abcdefgh"
    assert number("clGetMemObjectInfo", buffer, c.CL_MEM_HOST_PTR) == 0


def test_buffer_tells_about_itself(world: World) -> None:
    buffer = world.buffer(96, RO)
    expected = {
        c.CL_MEM_TYPE: c.CL_MEM_OBJECT_BUFFER,
        c.CL_MEM_SIZE: 96,
        c.CL_MEM_MAP_COUNT: 0,
        c.CL_MEM_REFERENCE_COUNT: 1,
        c.CL_MEM_CONTEXT: world.context,
        c.CL_MEM_ASSOCIATED_MEMOBJECT: 0,
        c.CL_MEM_OFFSET: 0,
        c.CL_MEM_USES_SVM_POINTER: 0,
    }
    assert {param: number("clGetMemObjectInfo", buffer, param) for param in expected} == expected
    assert query("clGetMemObjectInfo", buffer, c.CL_MEM_PROPERTIES) == b""
    assert call("clGetMemObjectInfo", buffer, 0x1, 0, 0, NULL) == c.CL_INVALID_VALUE


def test_buffer_with_properties_knows_none(world: World) -> None:
    empty = ffi.new("uint64_t[]", [0])
    buffer = create("clCreateBufferWithProperties", world.context, empty, RW, 8, 0)
    assert query("clGetMemObjectInfo", buffer, c.CL_MEM_PROPERTIES) == bytes(8)
    some = ffi.new("uint64_t[]", [0xBAD, 1, 0])
    assert refused("clCreateBufferWithProperties", world.context, some, RW, 8, 0) == c.CL_INVALID_PROPERTY


def test_sub_buffer_is_a_window_into_its_parent(world: World) -> None:
    parent = world.filled(bytes(range(256)))
    region = sizes(128, 64)
    sub = create("clCreateSubBuffer", parent, 0, c.CL_BUFFER_CREATE_TYPE_REGION, address(region))
    assert world.contents(sub) == bytes(range(128, 192))
    assert number("clGetMemObjectInfo", sub, c.CL_MEM_OFFSET) == 128
    assert number("clGetMemObjectInfo", sub, c.CL_MEM_ASSOCIATED_MEMOBJECT) == parent
    data = ffi.new("char[]", b"new")
    check("clEnqueueWriteBuffer", world.queue, sub, 1, 0, 3, address(data), 0, NULL, NULL)
    assert world.contents(parent)[128:131] == b"new"


def test_sub_buffer_regions_are_checked(world: World) -> None:
    parent = world.buffer(512)
    region = sizes(128, 64)
    at = address(region)
    for origin, size, code in (
        (128, 0, c.CL_INVALID_BUFFER_SIZE),
        (128, 385, c.CL_INVALID_VALUE),
        (640, 8, c.CL_INVALID_VALUE),
        (2**64 - 128, 256, c.CL_INVALID_VALUE),
        (64, 64, c.CL_MISALIGNED_SUB_BUFFER_OFFSET),
    ):
        region[0], region[1] = origin, size
        assert refused("clCreateSubBuffer", parent, 0, c.CL_BUFFER_CREATE_TYPE_REGION, at) == code
    region[0], region[1] = 128, 64
    assert refused("clCreateSubBuffer", parent, 0, 0x1, at) == c.CL_INVALID_VALUE
    assert refused("clCreateSubBuffer", parent, 0, c.CL_BUFFER_CREATE_TYPE_REGION, 0) == c.CL_INVALID_VALUE
    sub = create("clCreateSubBuffer", parent, 0, c.CL_BUFFER_CREATE_TYPE_REGION, at)
    region[0] = 0
    nested = refused("clCreateSubBuffer", sub, 0, c.CL_BUFFER_CREATE_TYPE_REGION, at)
    assert nested == c.CL_INVALID_MEM_OBJECT


@pytest.mark.parametrize(
    ("parent_flags", "flags"),
    [
        (WO, RW), (WO, RO), (RO, RW), (RO, WO), (HOST_WO, HOST_RO), (HOST_RO, HOST_WO),
        (HOST_NONE, HOST_RO), (HOST_NONE, HOST_WO), (RW, USE), (RW, ALLOC), (RW, COPY), (RW, RO | WO),
    ],
)  # fmt: skip
def test_sub_buffer_cannot_widen_access(world: World, parent_flags: int, flags: int) -> None:
    parent = world.buffer(512, parent_flags)
    region = sizes(0, 64)
    code = refused("clCreateSubBuffer", parent, flags, c.CL_BUFFER_CREATE_TYPE_REGION, address(region))
    assert code == c.CL_INVALID_VALUE


@pytest.mark.parametrize(
    ("parent_flags", "flags", "expected"),
    [
        (RW, 0, RW), (RW, RO, RO), (RO | HOST_RO, 0, RO | HOST_RO), (RW | ALLOC, WO, WO | ALLOC),
        (RW, HOST_NONE, RW | HOST_NONE), (RW | HOST_RO, HOST_NONE, RW | HOST_NONE),
    ],
)  # fmt: skip
def test_sub_buffer_inherits_flags(world: World, parent_flags: int, flags: int, expected: int) -> None:
    parent = world.buffer(512, parent_flags)
    region = sizes(0, 64)
    sub = create("clCreateSubBuffer", parent, flags, c.CL_BUFFER_CREATE_TYPE_REGION, address(region))
    assert number("clGetMemObjectInfo", sub, c.CL_MEM_FLAGS) == expected


def test_parent_lives_as_long_as_its_sub_buffer(world: World) -> None:
    parent = world.filled(bytes(range(256)))
    region = sizes(0, 256)
    sub = create("clCreateSubBuffer", parent, 0, c.CL_BUFFER_CREATE_TYPE_REGION, address(region))
    check("clReleaseMemObject", parent)
    assert world.contents(sub) == bytes(range(256))
    assert number("clGetMemObjectInfo", sub, c.CL_MEM_ASSOCIATED_MEMOBJECT) == parent
    check("clReleaseMemObject", sub)
    assert call("clRetainMemObject", parent) == c.CL_INVALID_MEM_OBJECT


def test_destructors_run_last_registered_first_when_memory_is_idle(world: World) -> None:
    calls: list[tuple[int, int]] = []

    @ffi.callback("void(uintptr_t, void *)")
    def destructor(memory: int, data: object) -> None:
        calls.append((memory, int(ffi.cast("uintptr_t", data))))

    buffer = world.buffer(64)
    at = address(destructor)
    check("clSetMemObjectDestructorCallback", buffer, at, 1)
    check("clSetMemObjectDestructorCallback", buffer, at, 2)
    assert call("clSetMemObjectDestructorCallback", buffer, 0, 0) == c.CL_INVALID_VALUE
    gate = world.user_event()
    waits = ffi.new("uintptr_t[]", [gate])
    pattern = ffi.new("char[]", b"x")
    check("clEnqueueFillBuffer", world.queue, buffer, address(pattern), 1, 0, 64, 1, waits, NULL)
    check("clReleaseMemObject", buffer)
    assert calls == []
    check("clSetUserEventStatus", gate, c.CL_COMPLETE)
    check("clFinish", world.queue)
    for _ in range(1000):
        if len(calls) == 2:
            break
        check("clFinish", world.queue)
        __import__("time").sleep(0.001)
    assert calls == [(buffer, 2), (buffer, 1)]


def test_memory_handles_of_other_kinds_are_refused(world: World) -> None:
    for handle in (0, 77, world.context, world.queue, devices()[0]):
        assert call("clRetainMemObject", handle) == c.CL_INVALID_MEM_OBJECT
        assert call("clReleaseMemObject", handle) == c.CL_INVALID_MEM_OBJECT
        assert call("clGetMemObjectInfo", handle, c.CL_MEM_SIZE, 0, 0, NULL) == c.CL_INVALID_MEM_OBJECT
