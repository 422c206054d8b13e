"""Pipes as memory objects: creation, queries, and what they cannot be used for."""

import pytest
from api_support import (
    NULL,
    World,
    address,
    call,
    check,
    create,
    devices,
    ffi,
    handles,
    number,
    query,
    refused,
)

from weft.api import constants as c
from weft.runtime.pipe import MAX_PACKET_BYTES

SOURCE = b"""
kernel void forward(read_only pipe int from, write_only pipe int to, global int *results) {
    int packet;
    if (read_pipe(from, &packet) == 0)
        results[get_global_id(0)] = write_pipe(to, &packet);
}
"""


def pipe(world: World, packet_size: int = 4, max_packets: int = 16, flags: int = 0) -> int:
    return create("clCreatePipe", world.context, flags, packet_size, max_packets, NULL)


def forward(world: World) -> int:
    """A kernel that reads one pipe and writes another."""
    text = ffi.new("char[]", SOURCE)
    program = create("clCreateProgramWithSource", world.context, 1, ffi.new("char *[]", [text]), NULL)
    check("clBuildProgram", program, 0, NULL, ffi.new("char[]", b"-cl-std=CL3.0"), 0, 0)
    return create("clCreateKernel", program, ffi.new("char[]", b"forward"))


def test_a_pipe_tells_what_it_was_made_with(world: World) -> None:
    made = pipe(world, 12, 1000)
    assert number("clGetPipeInfo", made, c.CL_PIPE_PACKET_SIZE) == 12
    assert number("clGetPipeInfo", made, c.CL_PIPE_MAX_PACKETS) == 1000
    assert query("clGetPipeInfo", made, c.CL_PIPE_PROPERTIES) == b""
    assert call("clGetPipeInfo", made, 0x1123, 0, 0, NULL) == c.CL_INVALID_VALUE
    small = ffi.new("char[2]")
    code = call("clGetPipeInfo", made, c.CL_PIPE_PACKET_SIZE, 2, address(small), NULL)
    assert code == c.CL_INVALID_VALUE
    buffer = world.buffer(4)
    assert call("clGetPipeInfo", buffer, c.CL_PIPE_PACKET_SIZE, 0, 0, NULL) == c.CL_INVALID_MEM_OBJECT
    wanted = {
        c.CL_MEM_TYPE: c.CL_MEM_OBJECT_PIPE,
        c.CL_MEM_FLAGS: c.CL_MEM_READ_WRITE | c.CL_MEM_HOST_NO_ACCESS,
        c.CL_MEM_HOST_PTR: 0,
        c.CL_MEM_MAP_COUNT: 0,
        c.CL_MEM_REFERENCE_COUNT: 1,
        c.CL_MEM_CONTEXT: world.context,
        c.CL_MEM_ASSOCIATED_MEMOBJECT: 0,
        c.CL_MEM_OFFSET: 0,
        c.CL_MEM_USES_SVM_POINTER: 0,
    }
    for param, value in wanted.items():
        assert number("clGetMemObjectInfo", made, param) == value
    assert number("clGetMemObjectInfo", made, c.CL_MEM_SIZE) >= 12 * 1000
    check("clRetainMemObject", made)
    check("clReleaseMemObject", made)
    check("clReleaseMemObject", made)
    assert call("clRetainMemObject", made) == c.CL_INVALID_MEM_OBJECT


def test_flags_of_pipes(world: World) -> None:
    for flags in (c.CL_MEM_READ_WRITE, c.CL_MEM_HOST_NO_ACCESS):
        assert number("clGetMemObjectInfo", pipe(world, flags=flags), c.CL_MEM_FLAGS) == flags
    for flags in (
        c.CL_MEM_READ_ONLY,
        c.CL_MEM_WRITE_ONLY,
        c.CL_MEM_HOST_READ_ONLY,
        c.CL_MEM_USE_HOST_PTR,
        c.CL_MEM_COPY_HOST_PTR,
        1 << 40,
    ):
        assert refused("clCreatePipe", world.context, flags, 4, 4, NULL) == c.CL_INVALID_VALUE


@pytest.mark.parametrize(
    ("size", "packets"), [(0, 1), (1, 0), (MAX_PACKET_BYTES + 1, 1), (2**32 - 1, 2**32 - 1)]
)
def test_sizes_of_pipes_are_checked(world: World, size: int, packets: int) -> None:
    assert refused("clCreatePipe", world.context, 0, size, packets, NULL) == c.CL_INVALID_PIPE_SIZE


def test_what_else_is_checked(world: World) -> None:
    assert refused("clCreatePipe", 5, 0, 4, 4, NULL) == c.CL_INVALID_CONTEXT
    properties = ffi.new("intptr_t[]", [0])
    assert refused("clCreatePipe", world.context, 0, 4, 4, properties) == c.CL_INVALID_VALUE
    code = refused("clCreatePipe", world.context, 0, MAX_PACKET_BYTES, 2**32 - 1, NULL)
    assert code == c.CL_MEM_OBJECT_ALLOCATION_FAILURE


def test_limits_are_at_least_those_of_the_specification() -> None:
    for device in devices():
        has_pipes = number("clGetDeviceInfo", device, c.CL_DEVICE_PIPE_SUPPORT)
        for param, least in (
            (c.CL_DEVICE_MAX_PIPE_ARGS, 16),
            (c.CL_DEVICE_PIPE_MAX_ACTIVE_RESERVATIONS, 1),
            (c.CL_DEVICE_PIPE_MAX_PACKET_SIZE, 1024),
        ):
            value = number("clGetDeviceInfo", device, param)
            assert value >= least if has_pipes else value == 0
        features = query("clGetDeviceInfo", device, c.CL_DEVICE_OPENCL_C_FEATURES)
        assert (b"__opencl_c_pipes\0" in features) == bool(has_pipes)


def test_a_pipe_is_no_buffer_and_no_image(world: World) -> None:
    made, place = pipe(world), ffi.new("char[64]")
    transfers = [
        ("clEnqueueReadBuffer", (made, 1, 0, 4, address(place), 0, NULL, NULL)),
        ("clEnqueueWriteBuffer", (made, 1, 0, 4, address(place), 0, NULL, NULL)),
        ("clEnqueueFillBuffer", (made, address(place), 4, 0, 4, 0, NULL, NULL)),
        ("clEnqueueCopyBuffer", (made, world.buffer(4), 0, 0, 4, 0, NULL, NULL)),
        ("clEnqueueCopyBuffer", (world.buffer(4), made, 0, 0, 4, 0, NULL, NULL)),
    ]
    for name, rest in transfers:
        assert call(name, world.queue, *rest) == c.CL_INVALID_MEM_OBJECT, name
    mapped = (world.queue, made, 1, c.CL_MAP_READ, 0, 4, 0, NULL, NULL)
    assert refused("clEnqueueMapBuffer", *mapped) == c.CL_INVALID_MEM_OBJECT
    region = ffi.new("size_t[]", [0, 4])
    code = refused("clCreateSubBuffer", made, 0, c.CL_BUFFER_CREATE_TYPE_REGION, address(region))
    assert code == c.CL_INVALID_MEM_OBJECT
    assert call("clGetImageInfo", made, c.CL_IMAGE_WIDTH, 0, 0, NULL) == c.CL_INVALID_MEM_OBJECT
    check("clEnqueueMigrateMemObjects", world.queue, 1, handles(made), 0, 0, NULL, NULL)


def test_pipes_as_arguments(world: World) -> None:
    kernel, results = forward(world), world.buffer(64)
    qualifier = number("clGetKernelArgInfo", kernel, 0, c.CL_KERNEL_ARG_TYPE_QUALIFIER)
    assert qualifier == c.CL_KERNEL_ARG_TYPE_PIPE
    wanted = (
        c.CL_KERNEL_ARG_ACCESS_READ_ONLY,
        c.CL_KERNEL_ARG_ACCESS_WRITE_ONLY,
        c.CL_KERNEL_ARG_ACCESS_NONE,
    )
    for index, access in enumerate(wanted):
        assert number("clGetKernelArgInfo", kernel, index, c.CL_KERNEL_ARG_ACCESS_QUALIFIER) == access
    space = number("clGetKernelArgInfo", kernel, 0, c.CL_KERNEL_ARG_ADDRESS_QUALIFIER)
    assert space == c.CL_KERNEL_ARG_ADDRESS_GLOBAL
    assert query("clGetKernelArgInfo", kernel, 0, c.CL_KERNEL_ARG_TYPE_NAME) == b"int\0"

    def set_argument(index: int, handle: int, size: int = 8) -> int:
        return call("clSetKernelArg", kernel, index, size, address(handles(handle)))

    first, second = pipe(world), pipe(world)
    assert set_argument(0, results) == c.CL_INVALID_MEM_OBJECT
    assert set_argument(0, 0) == c.CL_INVALID_MEM_OBJECT
    assert call("clSetKernelArg", kernel, 0, 8, 0) == c.CL_INVALID_MEM_OBJECT
    assert set_argument(0, first, 4) == c.CL_INVALID_ARG_SIZE
    assert set_argument(2, first) == c.CL_INVALID_MEM_OBJECT
    stranger = create("clCreateContext", NULL, 1, handles(world.device), 0, 0)
    foreign = create("clCreatePipe", stranger, 0, 4, 4, NULL)
    assert set_argument(0, foreign) == c.CL_INVALID_CONTEXT
    for index, handle in enumerate((first, second, results)):
        assert set_argument(index, handle) == c.CL_SUCCESS
    one = ffi.new("size_t[]", [1])
    launch = ("clEnqueueNDRangeKernel", world.queue, kernel, 1, NULL, one, NULL, 0, NULL, NULL)
    check(*launch)
    check(*launch)
    check("clReleaseMemObject", first)
    assert call(*launch) == c.CL_INVALID_KERNEL_ARGS
    assert set_argument(0, pipe(world)) == c.CL_SUCCESS
    check(*launch)
    twin = create("clCloneKernel", kernel)
    check("clEnqueueNDRangeKernel", world.queue, twin, 1, NULL, one, NULL, 0, NULL, NULL)
