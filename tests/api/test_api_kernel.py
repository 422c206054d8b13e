"""Kernels: arguments of every kind, queries, launches and their errors."""

import numpy as np
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
from fake_compiler import FakeCompiler

from weft.api import constants as c
from weft.api import handles as table


@pytest.fixture
def made(world: World, compiler: FakeCompiler) -> dict[str, int]:
    """All kernels of the stand-in compiler by name."""
    names = "empty add count visit required hinted locals constants pictures unsupported"
    source = ffi.new("char[]", names.encode())
    program = create("clCreateProgramWithSource", world.context, 1, ffi.new("char *[]", [source]), NULL)
    check("clBuildProgram", program, 0, NULL, NULL, 0, 0)
    return {n: create("clCreateKernel", program, ffi.new("char[]", n.encode())) for n in names.split()}


def set_memory(kernel: int, index: int, buffer: int) -> None:
    """Set a memory object argument."""
    place = handles(buffer)
    check("clSetKernelArg", kernel, index, 8, address(place))


def launch(
    world: World, kernel: int, size: tuple, local: tuple | None = None, offset: tuple | None = None
) -> int:
    """The code of a launch without events."""
    local_size = NULL if local is None else sizes(*local)
    start = NULL if offset is None else sizes(*offset)
    arguments = (len(size), start, sizes(*size), local_size, 0, NULL, NULL)
    return call("clEnqueueNDRangeKernel", world.queue, kernel, *arguments)


def compiled(kernel: int):
    """The stand-in kernel behind a handle."""
    return table.live[kernel].compiled


def test_kernel_tells_about_itself(world: World, made: dict[str, int]) -> None:
    kernel = made["add"]
    assert text("clGetKernelInfo", kernel, c.CL_KERNEL_FUNCTION_NAME) == "add"
    assert number("clGetKernelInfo", kernel, c.CL_KERNEL_NUM_ARGS) == 3
    assert number("clGetKernelInfo", kernel, c.CL_KERNEL_CONTEXT) == world.context
    assert text("clGetKernelInfo", kernel, c.CL_KERNEL_ATTRIBUTES) == ""
    for name, code in ((b"nothing", c.CL_INVALID_KERNEL_NAME), (b"", c.CL_INVALID_KERNEL_NAME)):
        program = number("clGetKernelInfo", kernel, c.CL_KERNEL_PROGRAM)
        assert refused("clCreateKernel", program, ffi.new("char[]", name)) == code
    assert refused("clCreateKernel", program, NULL) == c.CL_INVALID_VALUE
    assert refused("clCreateKernel", 0, NULL) == c.CL_INVALID_PROGRAM


def test_arguments_tell_about_themselves(made: dict[str, int]) -> None:
    info = ("clGetKernelArgInfo", made["locals"])
    assert text(*info, 1, c.CL_KERNEL_ARG_NAME) == "n"
    assert text(*info, 1, c.CL_KERNEL_ARG_TYPE_NAME) == "ulong"
    assert number(*info, 1, c.CL_KERNEL_ARG_ADDRESS_QUALIFIER) == c.CL_KERNEL_ARG_ADDRESS_PRIVATE
    assert number(*info, 0, c.CL_KERNEL_ARG_ADDRESS_QUALIFIER) == c.CL_KERNEL_ARG_ADDRESS_GLOBAL
    assert number(*info, 1, c.CL_KERNEL_ARG_ACCESS_QUALIFIER) == c.CL_KERNEL_ARG_ACCESS_NONE
    assert number(*info, 1, c.CL_KERNEL_ARG_TYPE_QUALIFIER) == 0
    assert call(*info, 3, c.CL_KERNEL_ARG_NAME, 0, 0, NULL) == c.CL_INVALID_ARG_INDEX
    assert call(*info, 0, 0xBAD, 0, 0, NULL) == c.CL_INVALID_VALUE


def test_work_group_queries(world: World, made: dict[str, int]) -> None:
    info = ("clGetKernelWorkGroupInfo", made["required"], world.device)
    assert query(*info, c.CL_KERNEL_COMPILE_WORK_GROUP_SIZE) == bytes(ffi.buffer(sizes(4, 2, 1)))
    assert number(*info, c.CL_KERNEL_WORK_GROUP_SIZE) == 8
    assert call(*info, c.CL_KERNEL_GLOBAL_WORK_SIZE, 0, 0, NULL) == c.CL_INVALID_VALUE
    plain = ("clGetKernelWorkGroupInfo", made["locals"], 0)
    most = number("clGetDeviceInfo", world.device, c.CL_DEVICE_MAX_WORK_GROUP_SIZE)
    assert number(*plain, c.CL_KERNEL_WORK_GROUP_SIZE) == most
    assert number(*plain, c.CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE) >= 1
    assert number(*plain, c.CL_KERNEL_PRIVATE_MEM_SIZE) == 0
    assert number(*plain, c.CL_KERNEL_LOCAL_MEM_SIZE) == 100
    check("clSetKernelArg", made["locals"], 0, 64, 0)
    assert number(*plain, c.CL_KERNEL_LOCAL_MEM_SIZE) == 128 + 64
    code = call("clGetKernelWorkGroupInfo", made["add"], 5, c.CL_KERNEL_WORK_GROUP_SIZE, 0, 0, NULL)
    assert code == c.CL_INVALID_DEVICE


def test_arguments_are_checked(world: World, made: dict[str, int]) -> None:
    value = ffi.new("uint64_t[]", [0])
    buffer = handles(world.buffer(64))
    other = World()
    foreign, junk, queue, null = (handles(h) for h in (other.buffer(64), 77, world.queue, 0))
    at = address
    for kernel, index, size, pointer, code in (
        (0, 0, 8, at(buffer), c.CL_INVALID_KERNEL),
        (world.queue, 0, 8, at(buffer), c.CL_INVALID_KERNEL),
        (made["add"], 3, 8, at(buffer), c.CL_INVALID_ARG_INDEX),
        (made["empty"], 0, 8, at(buffer), c.CL_INVALID_ARG_INDEX),
        (made["add"], 0, 4, at(buffer), c.CL_INVALID_ARG_SIZE),
        (made["add"], 0, 8, at(junk), c.CL_INVALID_MEM_OBJECT),
        (made["add"], 0, 8, at(queue), c.CL_INVALID_MEM_OBJECT),
        (made["add"], 0, 8, at(foreign), c.CL_INVALID_CONTEXT),
        (made["add"], 0, 8, at(buffer), c.CL_SUCCESS),
        (made["add"], 0, 8, at(null), c.CL_SUCCESS),
        (made["add"], 0, 8, 0, c.CL_SUCCESS),
        (made["constants"], 0, 8, at(buffer), c.CL_SUCCESS),
        (made["locals"], 0, 0, 0, c.CL_SUCCESS),
        (made["locals"], 0, 16, at(value), c.CL_INVALID_ARG_VALUE),
        (made["locals"], 0, 16, 0, c.CL_SUCCESS),
        (made["locals"], 1, 8, 0, c.CL_INVALID_ARG_VALUE),
        (made["locals"], 1, 4, at(value), c.CL_INVALID_ARG_SIZE),
        (made["locals"], 1, 8, at(value), c.CL_SUCCESS),
        (made["pictures"], 0, 8, at(value), c.CL_INVALID_MEM_OBJECT),
        (made["pictures"], 1, 8, at(value), c.CL_INVALID_SAMPLER),
    ):
        assert call("clSetKernelArg", kernel, index, size, pointer) == code
    other.close()


def test_local_arguments_of_no_bytes(world: World, made: dict[str, int]) -> None:
    kernel = made["locals"]
    check("clSetKernelArg", kernel, 0, 64, 0)
    check("clSetKernelArg", kernel, 0, 0, 0)
    local = number("clGetKernelWorkGroupInfo", kernel, world.device, c.CL_KERNEL_LOCAL_MEM_SIZE)
    assert local == 128


def test_kernel_computes_with_its_arguments(world: World, made: dict[str, int]) -> None:
    kernel = made["add"]
    a, b = np.arange(64, dtype=np.float32), np.full(64, 0.5, np.float32)
    set_memory(kernel, 0, world.filled(a.tobytes()))
    set_memory(kernel, 1, world.filled(b.tobytes()))
    out = world.filled(bytes(256))
    set_memory(kernel, 2, out)
    assert launch(world, kernel, (32,), (8,), (16,)) == c.CL_SUCCESS
    result = np.frombuffer(world.contents(out), np.float32)
    expected = np.zeros(64, np.float32)
    expected[16:48] = a[16:48] + b[16:48]
    assert (result == expected).all()
    # The same sizes again, with another buffer: the prepared launch takes the new argument.
    other = world.filled(bytes(256))
    set_memory(kernel, 2, other)
    assert launch(world, kernel, (32,), (8,), (16,)) == c.CL_SUCCESS
    assert world.contents(other) == expected.tobytes()
    assert len(compiled(kernel).local_sizes) == 1


@pytest.mark.parametrize(
    ("size", "local"), [((24,), (4,)), ((8, 6), (4, 3)), ((4, 6, 10), (2, 3, 5)), ((5, 7, 3), (1, 1, 1))]
)
def test_every_group_runs_once_each_time(
    world: World, made: dict[str, int], size: tuple, local: tuple
) -> None:
    groups = int(np.prod(size) // np.prod(local))
    seen = world.filled(bytes(groups + 8))
    set_memory(made["visit"], 0, seen)
    for _ in range(3):
        assert launch(world, made["visit"], size, local) == c.CL_SUCCESS
    assert world.contents(seen) == b"\3" * groups + bytes(8)


BIG = 2**64 - 1


@pytest.mark.parametrize(
    ("dimensions", "offset", "size", "local", "code"),
    [
        (0, None, (1,), None, c.CL_INVALID_WORK_DIMENSION),
        (4, None, (1, 1, 1, 1), None, c.CL_INVALID_WORK_DIMENSION),
        (2**32 - 1, None, (1, 1, 1, 1), None, c.CL_INVALID_WORK_DIMENSION),
        (1, (BIG,), (2,), None, c.CL_INVALID_GLOBAL_OFFSET),
        (2, (0, BIG), (2, 2), (1, 1), c.CL_INVALID_GLOBAL_OFFSET),
        (1, (BIG,), (1,), None, c.CL_SUCCESS),
        (1, None, (64,), (0,), c.CL_INVALID_WORK_GROUP_SIZE),
        (1, None, (64,), (7,), c.CL_INVALID_WORK_GROUP_SIZE),
        (1, None, (64,), (128,), c.CL_INVALID_WORK_GROUP_SIZE),
        (2, None, (64, 64), (8, 3), c.CL_INVALID_WORK_GROUP_SIZE),
        (3, None, (64, 64, 64), (32, 32, 32), c.CL_INVALID_WORK_GROUP_SIZE),
        (1, None, (1 << 20,), (1 << 20,), c.CL_INVALID_WORK_ITEM_SIZE),
        (3, None, (1 << 40, 1 << 40, 1 << 40), (1, 1, 1), c.CL_OUT_OF_RESOURCES),
        (1, None, (BIG,), None, c.CL_OUT_OF_RESOURCES),
        (1, None, (0,), None, c.CL_SUCCESS),
        (2, None, (8, 0), (4, 4), c.CL_SUCCESS),
        (1, None, None, None, c.CL_SUCCESS),
    ],
)
def test_launch_sizes_are_checked(
    world: World,
    made: dict[str, int],
    dimensions: int,
    offset: tuple | None,
    size: tuple | None,
    local: tuple | None,
    code: int,
) -> None:
    pointers = [NULL if values is None else sizes(*values) for values in (offset, size, local)]
    event = handles(0)
    for _ in range(2):
        arguments = (dimensions, *pointers, 0, NULL, event)
        assert call("clEnqueueNDRangeKernel", world.queue, made["empty"], *arguments) == code
    if code == c.CL_SUCCESS:
        check("clWaitForEvents", 1, event)
        assert number("clGetEventInfo", event[0], c.CL_EVENT_COMMAND_TYPE) == c.CL_COMMAND_NDRANGE_KERNEL
    else:
        assert event[0] == 0


def test_launch_checks_objects_and_arguments(world: World, made: dict[str, int]) -> None:
    other = World()
    one = sizes(1)
    add = made["add"]
    for queue, kernel, code in (
        (0, made["empty"], c.CL_INVALID_COMMAND_QUEUE),
        (made["empty"], made["empty"], c.CL_INVALID_COMMAND_QUEUE),
        (world.queue, 0, c.CL_INVALID_KERNEL),
        (world.queue, world.queue, c.CL_INVALID_KERNEL),
        (other.queue, made["empty"], c.CL_INVALID_CONTEXT),
        (world.queue, add, c.CL_INVALID_KERNEL_ARGS),
        (world.queue, made["unsupported"], c.CL_OUT_OF_RESOURCES),
    ):
        for _ in range(2):
            arguments = (1, NULL, one, NULL, 0, NULL, NULL)
            assert call("clEnqueueNDRangeKernel", queue, kernel, *arguments) == code
            assert call("clEnqueueTask", queue, kernel, 0, NULL, NULL) == code
    foreign = handles(other.user_event())
    for count, events, code in (
        (1, NULL, c.CL_INVALID_EVENT_WAIT_LIST),
        (0, foreign, c.CL_INVALID_EVENT_WAIT_LIST),
        (1, handles(1), c.CL_INVALID_EVENT_WAIT_LIST),
        (1, foreign, c.CL_INVALID_CONTEXT),
    ):
        for _ in range(2):
            arguments = (1, NULL, one, NULL, count, events, NULL)
            assert call("clEnqueueNDRangeKernel", world.queue, made["empty"], *arguments) == code
    other.close()


def test_required_size_is_enforced_and_used(world: World, made: dict[str, int]) -> None:
    kernel = made["required"]
    set_memory(kernel, 0, world.buffer(64))
    assert launch(world, kernel, (8, 8), (4, 2)) == c.CL_SUCCESS
    assert launch(world, kernel, (8, 8)) == c.CL_SUCCESS
    assert set(compiled(kernel).local_sizes) == {(4, 2, 1)}
    assert launch(world, kernel, (8, 8), (2, 4)) == c.CL_INVALID_WORK_GROUP_SIZE
    assert launch(world, kernel, (7, 8)) == c.CL_INVALID_WORK_GROUP_SIZE
    assert launch(world, kernel, (8,), (4,)) == c.CL_INVALID_WORK_GROUP_SIZE


def test_hinted_size_is_used_when_it_divides(world: World, made: dict[str, int]) -> None:
    set_memory(made["hinted"], 0, world.buffer(4096))
    assert launch(world, made["hinted"], (64,)) == c.CL_SUCCESS
    assert launch(world, made["hinted"], (63,)) == c.CL_SUCCESS
    first, second = compiled(made["hinted"]).local_sizes
    assert first == (8, 1, 1)
    assert 63 % second[0] == 0


def test_large_global_ids_take_code_of_their_own(world: World, made: dict[str, int]) -> None:
    for offset in (0, 2**29 - 16, 2**29 - 15, 2**31 - 16, 2**31 - 15, 2**40):
        assert launch(world, made["empty"], (16,), (16,), (offset,)) == c.CL_SUCCESS
    assert compiled(made["empty"]).id_bits == [29, 29, 31, 31, 64, 64]


def test_local_size_zero_is_not_the_chosen_size(world: World, made: dict[str, int]) -> None:
    assert launch(world, made["empty"], (64,)) == c.CL_SUCCESS
    assert launch(world, made["empty"], (64,), (0,)) == c.CL_INVALID_WORK_GROUP_SIZE


def test_local_memory_is_limited(world: World, made: dict[str, int]) -> None:
    kernel = made["locals"]
    value = ffi.new("uint64_t *")
    most = number("clGetDeviceInfo", world.device, c.CL_DEVICE_LOCAL_MEM_SIZE)
    check("clSetKernelArg", kernel, 0, 16, 0)
    check("clSetKernelArg", kernel, 1, 8, address(value))
    assert launch(world, kernel, (4,), (4,)) == c.CL_INVALID_KERNEL_ARGS
    check("clSetKernelArg", kernel, 2, most, 0)
    assert launch(world, kernel, (4,), (4,)) == c.CL_OUT_OF_RESOURCES
    check("clSetKernelArg", kernel, 2, 1024, 0)
    assert launch(world, kernel, (4,), (4,)) == c.CL_SUCCESS
    # 100 bytes of automatic locals, then each argument at a multiple of 128.
    block = np.frombuffer(bytes(table.live[kernel].block), np.uint64)
    assert block.tolist() == [128, 0, 256]


def test_released_memory_is_not_used(world: World, made: dict[str, int]) -> None:
    seen = world.filled(bytes(4))
    set_memory(made["visit"], 0, seen)
    assert launch(world, made["visit"], (4,), (1,)) == c.CL_SUCCESS
    check("clReleaseMemObject", seen)
    assert launch(world, made["visit"], (4,), (1,)) == c.CL_INVALID_KERNEL_ARGS
    fresh = world.filled(bytes(4))
    set_memory(made["visit"], 0, fresh)
    assert launch(world, made["visit"], (4,), (1,)) == c.CL_SUCCESS
    assert world.contents(fresh) == b"\1\1\1\1"


def test_prepared_launch_is_not_used_on_a_new_queue(world: World, made: dict[str, int]) -> None:
    for _ in range(3):
        queue = create("clCreateCommandQueue", world.context, world.device, 0)
        arguments = (1, NULL, sizes(64), sizes(8), 0, NULL, NULL)
        check("clEnqueueNDRangeKernel", queue, made["empty"], *arguments)
        check("clFinish", queue)
        check("clReleaseCommandQueue", queue)
        assert call("clEnqueueNDRangeKernel", queue, made["empty"], *arguments) == c.CL_INVALID_COMMAND_QUEUE


def test_task_is_one_work_item(world: World, made: dict[str, int]) -> None:
    seen = world.filled(bytes(4))
    set_memory(made["visit"], 0, seen)
    event = handles(0)
    check("clEnqueueTask", world.queue, made["visit"], 0, NULL, event)
    assert world.contents(seen) == b"\1\0\0\0"
    assert number("clGetEventInfo", event[0], c.CL_EVENT_COMMAND_TYPE) == c.CL_COMMAND_TASK


def test_launches_wait_for_events_and_give_them(world: World, made: dict[str, int]) -> None:
    seen = world.filled(bytes(4))
    set_memory(made["visit"], 0, seen)
    for _ in range(2):
        gate, event = world.user_event(), handles(0)
        arguments = (1, NULL, sizes(4), sizes(1), 1, handles(gate), event)
        check("clEnqueueNDRangeKernel", world.queue, made["visit"], *arguments)
        assert world.status(event[0]) > c.CL_COMPLETE
        check("clSetUserEventStatus", gate, c.CL_COMPLETE)
        check("clWaitForEvents", 1, event)
        assert world.status(event[0]) == c.CL_COMPLETE
    assert world.contents(seen) == b"\2\2\2\2"


def test_clone_has_its_own_arguments(world: World, made: dict[str, int]) -> None:
    first, second = world.filled(bytes(4)), world.filled(bytes(4))
    set_memory(made["visit"], 0, first)
    twin = create("clCloneKernel", made["visit"])
    set_memory(made["visit"], 0, second)
    assert launch(world, twin, (4,), (1,)) == c.CL_SUCCESS
    assert world.contents(first) == b"\1\1\1\1"
    assert world.contents(second) == bytes(4)
    assert refused("clCloneKernel", 0) == c.CL_INVALID_KERNEL


@pytest.mark.parametrize("name", ["clGetKernelSubGroupInfo", "clGetKernelSubGroupInfoKHR"])
def test_sub_groups_are_rows_of_sixteen_work_items(world: World, made: dict[str, int], name: str) -> None:
    def asked(kernel: str, param: int, given: tuple[int, ...] = (), room: int = 1) -> tuple[int, ...]:
        numbers, found = ffi.new("size_t[]", [*given, 0]), ffi.new("size_t[]", room)
        count = ffi.new("size_t *")
        arguments = (8 * len(given), address(numbers), 8 * room, address(found), count)
        check(name, made[kernel], world.device, param, *arguments)
        assert count[0] == 8 * room
        return tuple(found)

    assert asked("add", c.CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE, (10, 10)) == (16,)
    assert asked("add", c.CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE, (5,)) == (5,)
    assert asked("add", c.CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE, (10, 10, 2)) == (13,)
    assert asked("add", c.CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT, (3,), 3) == (48, 1, 1)
    assert asked("add", c.CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT, (3,)) == (48,)
    assert asked("add", c.CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT, (1 << 40,), 2) == (0, 0)
    assert asked("add", c.CL_KERNEL_MAX_NUM_SUB_GROUPS)[0] > 1
    assert asked("add", c.CL_KERNEL_COMPILE_NUM_SUB_GROUPS) == (0,)
    assert asked("add", c.CL_KERNEL_COMPILE_SUB_GROUP_SIZE_INTEL) == (0,)


def test_queries_of_sub_groups_are_checked(world: World, made: dict[str, int]) -> None:
    numbers, found = ffi.new("size_t[]", [4] * 5), ffi.new("size_t[]", 5)
    for param, size, room in (
        (c.CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE, 0, 8),
        (c.CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE, 12, 8),
        (c.CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE, 32, 8),
        (c.CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE, 8, 4),
        (c.CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT, 16, 8),
        (c.CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT, 8, 32),
        (0x2099, 0, 8),
    ):
        arguments = (param, size, address(numbers), room, address(found), NULL)
        assert call("clGetKernelSubGroupInfo", made["add"], world.device, *arguments) == c.CL_INVALID_VALUE
    arguments = (c.CL_KERNEL_MAX_NUM_SUB_GROUPS, 0, NULL, 8, address(found), NULL)
    assert call("clGetKernelSubGroupInfo", 0, world.device, *arguments) == c.CL_INVALID_KERNEL
    assert call("clGetKernelSubGroupInfo", made["add"], made["add"], *arguments) == c.CL_INVALID_DEVICE
