"""Command buffers: recording, replaying, changing launches, queries, and what is refused."""

import struct
from collections.abc import Iterator
from itertools import count
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
kernel void add(global int *a, int x) { a[get_global_id(0)] += x; }
kernel void scale(global int *a, int x) { a[get_global_id(0)] *= x; }
kernel void late(global int *a, int n) {
    for (volatile int i = 0; i < n; i++) {}
    a[get_global_id(0)] = 7;
}
kernel void sums(global int *out, local int *part) {
    int l = get_local_id(0);
    part[l] = get_global_id(0);
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = part[get_local_size(0) - 1 - l] + 1000 * (int)get_num_groups(0);
}
"""
COUNT = 64
RECORDING, EXECUTABLE, FINALIZED = (
    c.CL_COMMAND_BUFFER_STATE_RECORDING_KHR,
    c.CL_COMMAND_BUFFER_STATE_EXECUTABLE_KHR,
    c.CL_COMMAND_BUFFER_STATE_FINALIZED_KHR,
)
NO_SYNC = (0, NULL, NULL, NULL)
HEAD = (0, NULL)  # no queue, no properties


@pytest.fixture(params=[0, c.CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE], ids=["in-order", "out-of-order"])
def world(request: pytest.FixtureRequest) -> Iterator[World]:
    made = World(request.param)
    yield made
    made.close()


def kernel_of(world: World, name: str, *arguments: int) -> int:
    """A kernel whose arguments are buffers (handles) and ints, each as it is."""
    source = ffi.new("char[]", SOURCE.encode())
    program = create("clCreateProgramWithSource", world.context, 1, ffi.new("char *[]", [source]), NULL)
    check("clBuildProgram", program, 0, NULL, NULL, 0, 0)
    kernel = create("clCreateKernel", program, ffi.new("char[]", name.encode()))
    for index, value in enumerate(arguments):
        set_argument(kernel, index, value)
    return kernel


def set_argument(kernel: int, index: int, value: int) -> None:
    place = ffi.new("uint64_t *", value)
    check("clSetKernelArg", kernel, index, 8 if value > 1 << 32 else 4, address(place))


def properties(*values: int) -> Any:
    return ffi.new("uint64_t[]", [*values, 0])


def make(world: World, flags: int = 0, *more: int) -> int:
    listed = properties(c.CL_COMMAND_BUFFER_FLAGS_KHR, flags, *more) if flags else NULL
    return create("clCreateCommandBufferKHR", 1, handles(world.queue), listed)


def launch(
    buffer: int,
    kernel: int,
    after: tuple[int, ...] = (),
    listed: Any = NULL,
    size: int = COUNT,
    local: int = 0,
) -> tuple[int, int]:
    """Record a launch; its sync point and its handle."""
    point, handle = ffi.new("uint32_t *"), handles(0)
    waits = ffi.new("uint32_t[]", after) if after else NULL
    group = sizes(local) if local else NULL
    check(
        "clCommandNDRangeKernelKHR", buffer, 0, listed, kernel, 1, NULL, sizes(size), group, len(after),
        waits, point, handle,
    )  # fmt: skip
    return point[0], handle[0]


def replay(world: World, buffer: int) -> None:
    event = handles(0)
    check("clEnqueueCommandBufferKHR", 0, NULL, buffer, 0, NULL, event)
    check("clWaitForEvents", 1, event)
    assert number("clGetEventInfo", event[0], c.CL_EVENT_COMMAND_TYPE) == c.CL_COMMAND_COMMAND_BUFFER_KHR
    check("clReleaseEvent", event[0])


def ints(world: World, memory: int) -> list[int]:
    return [value for (value,) in struct.iter_unpack("=i", world.contents(memory))]


def config(command: int, arguments: list[tuple[int, bytes]] = [], **places: Any) -> tuple[Any, list[Any]]:  # noqa: B006
    """A cl_mutable_dispatch_config_khr, and what it points to."""
    kept: list[Any] = [ffi.new("char[]", value) for _, value in arguments]
    packed = b"".join(
        struct.pack("=I4xQQ", index, len(value), address(place))
        for (index, value), place in zip(arguments, kept, strict=True)
    )
    kept.append(ffi.new("char[]", packed))
    listed = address(kept[-1]) if arguments else 0
    where = [address(places[name]) if name in places else 0 for name in ("offset", "size", "local")]
    kept += places.values()
    made = struct.pack("=QIIIIQQQQQQ", command, len(arguments), 0, 0, 0, listed, 0, 0, *where)
    return ffi.new("char[]", made), kept


def update(buffer: int, *configs: tuple[Any, list[Any]]) -> int:
    kinds = ffi.new("uint32_t[]", len(configs))
    places = handles(*[address(made) for made, _ in configs])
    return call("clUpdateMutableCommandsKHR", buffer, len(configs), kinds, places)


def test_extensions_and_capabilities_are_reported(world: World) -> None:
    names = text("clGetDeviceInfo", world.device, c.CL_DEVICE_EXTENSIONS).split()
    assert {"cl_khr_command_buffer", "cl_khr_command_buffer_mutable_dispatch"} <= {*names}
    ask = "clGetDeviceInfo", world.device
    assert number(*ask, c.CL_DEVICE_COMMAND_BUFFER_CAPABILITIES_KHR) == 0b101
    assert number(*ask, c.CL_DEVICE_COMMAND_BUFFER_SUPPORTED_QUEUE_PROPERTIES_KHR) == 0b11
    assert number(*ask, c.CL_DEVICE_COMMAND_BUFFER_REQUIRED_QUEUE_PROPERTIES_KHR) == 0
    assert number(*ask, c.CL_DEVICE_MUTABLE_DISPATCH_CAPABILITIES_KHR) == 0b11111


def test_commands_run_in_the_order_of_sync_points_every_time(world: World) -> None:
    memory, copy = world.filled(bytes(4 * COUNT)), world.buffer(4 * COUNT)
    add, scale = kernel_of(world, "add", memory, 3), kernel_of(world, "scale", memory, 2)
    buffer = make(world)
    first, _ = launch(buffer, add)
    set_argument(add, 1, 1000)  # after it was recorded: for nothing
    second, _ = launch(buffer, scale, (first,))
    waits, point = ffi.new("uint32_t[]", [second]), ffi.new("uint32_t *")
    check("clCommandCopyBufferKHR", buffer, *HEAD, memory, copy, 0, 0, 4 * COUNT, 1, waits, point, NULL)
    check("clFinalizeCommandBufferKHR", buffer)
    value = 0
    for _ in range(3):
        replay(world, buffer)
        value = (value + 3) * 2
        assert ints(world, copy) == [value] * COUNT
    check("clReleaseCommandBufferKHR", buffer)


def test_barrier_orders_what_has_no_sync_points(world: World) -> None:
    memory = world.filled(bytes(4 * COUNT))
    buffer = make(world)
    pattern = ffi.new("int *", 5)
    for step in range(20):
        check("clCommandFillBufferKHR", buffer, *HEAD, memory, address(pattern), 4, 0, 4 * COUNT, *NO_SYNC)
        check("clCommandBarrierWithWaitListKHR", buffer, *HEAD, *NO_SYNC)
        launch(buffer, kernel_of(world, "add", memory, step)) if step in (0, 19) else None
        check("clCommandBarrierWithWaitListKHR", buffer, *HEAD, *NO_SYNC)
    check("clFinalizeCommandBufferKHR", buffer)
    replay(world, buffer)
    assert ints(world, memory) == [24] * COUNT
    check("clReleaseCommandBufferKHR", buffer)


def test_all_kinds_of_transfers(world: World) -> None:
    data = bytes(range(64))
    source, target = world.filled(data), world.filled(bytes(64))
    rows, back = world.filled(bytes(64)), world.filled(bytes(64))
    layout = ffi.new("uint32_t[]", [c.CL_RGBA, c.CL_UNSIGNED_INT8])
    shape = struct.pack("=I4xQQQQQQIIQ", c.CL_MEM_OBJECT_IMAGE2D, 4, 4, 0, 0, 0, 0, 0, 0, 0)
    description = ffi.new("char[]", shape)
    images = [
        create("clCreateImage", world.context, c.CL_MEM_READ_WRITE, layout, description, 0) for _ in range(2)
    ]
    pointer = create("clSharedMemAllocINTEL", world.context, world.device, NULL, 128, 0)
    buffer, points = make(world), count(1)

    def record(name: str, *arguments: Any) -> None:
        """Each waits for the one before."""
        number_of = next(points)
        wait = ffi.new("uint32_t[]", [number_of - 1]) if number_of > 1 else NULL
        point = ffi.new("uint32_t *")
        check(name, buffer, *HEAD, *arguments, int(number_of > 1), wait, point, NULL)
        assert point[0] == number_of

    whole, start = sizes(4, 4, 1), sizes(0, 0, 0)
    record("clCommandCopyBufferRectKHR", source, target, start, start, sizes(16, 4, 1), 16, 64, 16, 64)
    record("clCommandCopyBufferToImageKHR", target, images[0], 0, start, whole)
    record("clCommandCopyImageKHR", images[0], images[1], start, start, whole)
    color = ffi.new("uint32_t[]", [9, 8, 7, 6])
    record("clCommandFillImageKHR", images[1], address(color), sizes(1, 1, 0), sizes(2, 2, 1))
    record("clCommandCopyImageToBufferKHR", images[1], rows, start, whole, 0)
    pattern = ffi.new("char[]", b"ab")
    record("clCommandSVMMemFillKHR", pointer, address(pattern), 2, 64)
    record("clCommandSVMMemcpyKHR", pointer + 64, pointer, 64)
    record("clCommandFillBufferKHR", back, address(pattern), 2, 0, 64)
    check("clFinalizeCommandBufferKHR", buffer)
    for _ in range(2):
        replay(world, buffer)
        assert world.contents(target) == data
        expected = bytearray(data)
        for row in (1, 2):
            expected[16 * row + 4 : 16 * row + 12] = bytes([9, 8, 7, 6] * 2)
        assert world.contents(rows) == bytes(expected)
        assert bytes(ffi.buffer(ffi.cast("char *", pointer), 128)) == b"ab" * 64
        assert world.contents(back) == b"ab" * 32
    check("clReleaseCommandBufferKHR", buffer)
    check("clMemFreeINTEL", world.context, pointer)


def test_objects_live_as_long_as_the_command_buffer(world: World) -> None:
    memory, copy = world.filled(bytes(4 * COUNT)), world.buffer(4 * COUNT)
    kernel = kernel_of(world, "add", memory, 7)
    buffer = make(world)
    first, _ = launch(buffer, kernel)
    waits = ffi.new("uint32_t[]", [first])
    check("clCommandCopyBufferKHR", buffer, *HEAD, memory, copy, 0, 0, 4 * COUNT, 1, waits, NULL, NULL)
    check("clFinalizeCommandBufferKHR", buffer)
    check("clReleaseKernel", kernel)
    check("clReleaseMemObject", memory)
    replay(world, buffer)
    assert ints(world, copy) == [7] * COUNT
    check("clRetainCommandBufferKHR", buffer)
    assert number("clGetCommandBufferInfoKHR", buffer, c.CL_COMMAND_BUFFER_REFERENCE_COUNT_KHR) == 2
    check("clReleaseCommandBufferKHR", buffer)
    check("clReleaseCommandBufferKHR", buffer)
    assert call("clGetMemObjectInfo", memory, c.CL_MEM_SIZE, 0, 0, NULL) == c.CL_INVALID_MEM_OBJECT
    assert call("clReleaseCommandBufferKHR", buffer) == c.CL_INVALID_COMMAND_BUFFER_KHR


def test_waits_for_events_and_fails_with_them(world: World) -> None:
    memory = world.filled(bytes(4 * COUNT))
    buffer = make(world)
    launch(buffer, kernel_of(world, "add", memory, 1))
    launch(buffer, kernel_of(world, "add", world.filled(bytes(4 * COUNT)), 1))
    check("clFinalizeCommandBufferKHR", buffer)
    for status in (0, -1):
        gate, event = world.user_event(), handles(0)
        check("clEnqueueCommandBufferKHR", 0, NULL, buffer, 1, handles(gate), event)
        assert world.status(event[0]) > 0
        check("clSetUserEventStatus", gate, status)
        assert call("clWaitForEvents", 1, event) == (-14 if status else 0)
        assert ints(world, memory) == [1] * COUNT
    check("clReleaseCommandBufferKHR", buffer)


def test_arguments_and_sizes_are_changed(world: World) -> None:
    memory, other = world.filled(bytes(4 * COUNT)), world.filled(bytes(4 * COUNT))
    buffer = make(world, c.CL_COMMAND_BUFFER_MUTABLE_KHR)
    _, command = launch(buffer, kernel_of(world, "add", memory, 1))
    made = config(command, [(1, struct.pack("=i", 10))])
    assert update(buffer, made) == c.CL_INVALID_OPERATION  # not finalized
    check("clFinalizeCommandBufferKHR", buffer)
    replay(world, buffer)
    assert update(buffer, made) == 0
    replay(world, buffer)
    assert ints(world, memory) == [11] * COUNT
    to_other = config(
        command, [(0, struct.pack("=Q", other))], offset=sizes(8), size=sizes(16), local=sizes(4)
    )
    again = config(command, [(1, struct.pack("=i", 5))])
    assert update(buffer, to_other, again) == 0
    replay(world, buffer)
    assert ints(world, memory) == [11] * COUNT
    assert ints(world, other) == [0] * 8 + [5] * 16 + [0] * (COUNT - 24)
    ask = "clGetMutableCommandInfoKHR", command
    assert number(*ask, c.CL_MUTABLE_DISPATCH_GLOBAL_WORK_OFFSET_KHR) == 8
    assert number(*ask, c.CL_MUTABLE_DISPATCH_GLOBAL_WORK_SIZE_KHR) == 16
    assert number(*ask, c.CL_MUTABLE_DISPATCH_LOCAL_WORK_SIZE_KHR) == 4
    # A change that fails changes nothing, not even what comes before it in the same call.
    bad = config(command, [(1, b"too long for it")])
    assert update(buffer, config(command, [(1, bytes(4))]), bad) == c.CL_INVALID_ARG_SIZE
    assert update(buffer, config(command, local=sizes(5))) == c.CL_INVALID_WORK_GROUP_SIZE
    replay(world, buffer)
    assert ints(world, other)[8] == 10
    check("clReleaseCommandBufferKHR", buffer)
    assert call(*ask, c.CL_MUTABLE_DISPATCH_DIMENSIONS_KHR, 0, 0, NULL) == c.CL_INVALID_MUTABLE_COMMAND_KHR


def test_local_memory_and_groups_are_changed(world: World) -> None:
    out = world.buffer(4 * COUNT)
    kernel = kernel_of(world, "sums", out)
    check("clSetKernelArg", kernel, 1, 4 * 8, 0)
    no_more = c.CL_COMMAND_BUFFER_MUTABLE_DISPATCH_ASSERTS_KHR, 1
    buffer = make(world, c.CL_COMMAND_BUFFER_MUTABLE_KHR, *no_more)
    _, command = launch(buffer, kernel, local=8)
    check("clFinalizeCommandBufferKHR", buffer)
    replay(world, buffer)
    assert ints(world, out) == [8 * (i // 8) + 7 - i % 8 + 8000 for i in range(COUNT)]
    packed = ffi.new("char[]", struct.pack("=I4xQQ", 1, 4 * 16, 0))
    places = struct.pack("=QIIIIQQQQQQ", command, 1, 0, 0, 1, address(packed), 0, 0, 0, 0, 0)
    wider = sizes(16)
    with_local = ffi.new("char[]", places[:-8] + struct.pack("=Q", address(wider)))
    assert update(buffer, (with_local, [])) == 0
    replay(world, buffer)
    assert ints(world, out) == [16 * (i // 16) + 15 - i % 16 + 4000 for i in range(COUNT)]
    assert update(buffer, config(command, local=sizes(4))) == c.CL_INVALID_VALUE  # 16 groups after 4
    check("clReleaseCommandBufferKHR", buffer)


def test_arguments_may_be_set_by_an_update_only(world: World) -> None:
    memory = world.filled(bytes(4 * COUNT))
    kernel = kernel_of(world, "add", memory)
    point = ffi.new("uint32_t *")
    plain = make(world)
    arguments = plain, *HEAD, kernel, 1, NULL, sizes(COUNT), NULL, 0, NULL, point, NULL
    assert call("clCommandNDRangeKernelKHR", *arguments) == c.CL_INVALID_KERNEL_ARGS
    check("clReleaseCommandBufferKHR", plain)
    buffer = make(world, c.CL_COMMAND_BUFFER_MUTABLE_KHR)
    _, command = launch(buffer, kernel)
    check("clFinalizeCommandBufferKHR", buffer)
    assert number("clGetCommandBufferInfoKHR", buffer, c.CL_COMMAND_BUFFER_STATE_KHR) == FINALIZED
    assert call("clEnqueueCommandBufferKHR", 0, NULL, buffer, 0, NULL, NULL) == c.CL_INVALID_OPERATION
    assert update(buffer, config(command, [(1, struct.pack("=i", 4))])) == 0
    assert number("clGetCommandBufferInfoKHR", buffer, c.CL_COMMAND_BUFFER_STATE_KHR) == EXECUTABLE
    replay(world, buffer)
    assert ints(world, memory) == [4] * COUNT
    check("clReleaseCommandBufferKHR", buffer)


def test_only_what_was_declared_mutable_is_changed(world: World) -> None:
    memory = world.filled(bytes(4 * COUNT))
    fields = c.CL_MUTABLE_DISPATCH_UPDATABLE_FIELDS_KHR, c.CL_MUTABLE_DISPATCH_GLOBAL_SIZE_KHR
    buffer = make(world, c.CL_COMMAND_BUFFER_MUTABLE_KHR)
    kernel = kernel_of(world, "add", memory, 1)
    _, command = launch(buffer, kernel, (), properties(*fields))
    check("clFinalizeCommandBufferKHR", buffer)
    assert update(buffer, config(command, [(1, bytes(4))])) == c.CL_INVALID_OPERATION
    assert update(buffer, config(command, size=sizes(8))) == 0
    replay(world, buffer)
    assert ints(world, memory) == [1] * 8 + [0] * (COUNT - 8)
    ask = "clGetMutableCommandInfoKHR", command
    assert query(*ask, c.CL_MUTABLE_COMMAND_PROPERTIES_ARRAY_KHR) == struct.pack("=QQQ", *fields, 0)
    for param, value in (
        (c.CL_MUTABLE_COMMAND_COMMAND_QUEUE_KHR, world.queue),
        (c.CL_MUTABLE_COMMAND_COMMAND_BUFFER_KHR, buffer),
        (c.CL_MUTABLE_COMMAND_COMMAND_TYPE_KHR, c.CL_COMMAND_NDRANGE_KERNEL),
        (c.CL_MUTABLE_DISPATCH_KERNEL_KHR, kernel),
        (c.CL_MUTABLE_DISPATCH_DIMENSIONS_KHR, 1),
    ):
        assert number(*ask, param) == value
    elsewhere = make(world, c.CL_COMMAND_BUFFER_MUTABLE_KHR)
    check("clFinalizeCommandBufferKHR", elsewhere)
    assert update(elsewhere, config(command, size=sizes(8))) == c.CL_INVALID_MUTABLE_COMMAND_KHR
    check("clReleaseCommandBufferKHR", elsewhere)
    check("clReleaseCommandBufferKHR", buffer)


def test_any_queue_of_the_device(world: World) -> None:
    """The extension's version 0.9.8: the order of commands is that of the queue they were recorded for."""
    memory = world.filled(bytes(4 * COUNT))
    buffer = make(world)
    first, _ = launch(buffer, kernel_of(world, "late", memory, 20_000_000), size=1)
    launch(buffer, kernel_of(world, "add", memory, 1), (first,) if world.properties else ())
    check("clFinalizeCommandBufferKHR", buffer)
    ordered, profiled = c.CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, c.CL_QUEUE_PROFILING_ENABLE
    made = [
        create("clCreateCommandQueue", world.context, world.device, properties)
        for properties in (0, ordered, profiled, ordered | profiled)
    ]
    for times, queue in enumerate(made, 1):
        event = handles(0)
        check("clEnqueueCommandBufferKHR", 1, handles(queue), buffer, 0, NULL, event)
        check("clWaitForEvents", 1, event)
        assert ints(world, memory) == [8] + [times] * (COUNT - 1)
        if times > 2:
            stamps = (c.CL_PROFILING_COMMAND_QUEUED, c.CL_PROFILING_COMMAND_START, c.CL_PROFILING_COMMAND_END)
            queued, start, end = (number("clGetEventProfilingInfo", event[0], stamp) for stamp in stamps)
            assert 0 < queued <= start <= end
        check("clReleaseEvent", event[0])
    enqueue = "clEnqueueCommandBufferKHR"
    assert call(enqueue, 1, NULL, buffer, 0, NULL, NULL) == c.CL_INVALID_VALUE
    assert call(enqueue, 2, handles(*made[:2]), buffer, 0, NULL, NULL) == c.CL_INVALID_VALUE
    check("clReleaseCommandBufferKHR", buffer)
    for queue in made:
        check("clReleaseCommandQueue", queue)


def test_a_queue_of_another_device_is_refused() -> None:
    parts = ffi.new("uintptr_t[2]")
    end = c.CL_DEVICE_PARTITION_BY_COUNTS_LIST_END
    by_counts = ffi.new("intptr_t[]", [c.CL_DEVICE_PARTITION_BY_COUNTS, 1, end, 0])
    world = World()
    check("clCreateSubDevices", world.device, by_counts, 1, parts, NULL)
    context = create("clCreateContext", NULL, 2, handles(world.device, parts[0]), 0, 0)
    whole, part = (create("clCreateCommandQueue", context, device, 0) for device in (world.device, parts[0]))
    buffer = create("clCreateCommandBufferKHR", 1, handles(whole), NULL)
    check("clFinalizeCommandBufferKHR", buffer)
    assert call("clEnqueueCommandBufferKHR", 1, handles(part), buffer, 0, NULL, NULL) == c.CL_INVALID_DEVICE
    for name, handle in (("CommandBufferKHR", buffer), ("CommandQueue", whole), ("CommandQueue", part)):
        check(f"clRelease{name}", handle)
    check("clReleaseContext", context)
    check("clReleaseDevice", parts[0])
    world.close()


def test_no_more_work_groups_than_recorded(world: World) -> None:
    """CL_MUTABLE_DISPATCH_ASSERT_NO_ADDITIONAL_WORK_GROUPS_KHR counts from what was recorded."""
    memory = world.filled(bytes(4 * COUNT))
    asserts = c.CL_MUTABLE_DISPATCH_ASSERT_NO_ADDITIONAL_WORK_GROUPS_KHR
    buffer = make(
        world, c.CL_COMMAND_BUFFER_MUTABLE_KHR, c.CL_COMMAND_BUFFER_MUTABLE_DISPATCH_ASSERTS_KHR, asserts
    )
    _, command = launch(buffer, kernel_of(world, "add", memory, 1), local=8)
    check("clFinalizeCommandBufferKHR", buffer)
    for size in (16, 32, 64):
        assert update(buffer, config(command, size=sizes(size))) == c.CL_SUCCESS
        replay(world, buffer)
    assert ints(world, memory) == [3] * 16 + [2] * 16 + [1] * 32
    assert update(buffer, config(command, size=sizes(72))) == c.CL_INVALID_VALUE
    check("clReleaseCommandBufferKHR", buffer)


def test_queries_and_refusals(world: World) -> None:
    memory = world.filled(bytes(4 * COUNT))
    flags = c.CL_COMMAND_BUFFER_MUTABLE_KHR | c.CL_COMMAND_BUFFER_SIMULTANEOUS_USE_KHR
    buffer = make(world, flags)
    ask = "clGetCommandBufferInfoKHR", buffer
    assert number(*ask, c.CL_COMMAND_BUFFER_NUM_QUEUES_KHR) == 1
    assert number(*ask, c.CL_COMMAND_BUFFER_QUEUES_KHR) == world.queue
    assert number(*ask, c.CL_COMMAND_BUFFER_CONTEXT_KHR) == world.context
    assert number(*ask, c.CL_COMMAND_BUFFER_STATE_KHR) == RECORDING
    listed = struct.pack("=QQQ", c.CL_COMMAND_BUFFER_FLAGS_KHR, flags, 0)
    assert query(*ask, c.CL_COMMAND_BUFFER_PROPERTIES_ARRAY_KHR) == listed
    assert call("clEnqueueCommandBufferKHR", 0, NULL, buffer, 0, NULL, NULL) == c.CL_INVALID_OPERATION
    copy = memory, memory, 0, 32, 16
    refuse = "clCommandCopyBufferKHR"
    bad_point = 1, ffi.new("uint32_t[]", [0]), NULL, NULL
    assert call(refuse, buffer, *HEAD, *copy, *bad_point) == c.CL_INVALID_SYNC_POINT_WAIT_LIST_KHR
    assert call(refuse, buffer, *HEAD, *copy, 1, NULL, NULL, NULL) == c.CL_INVALID_SYNC_POINT_WAIT_LIST_KHR
    assert call(refuse, buffer, world.queue, NULL, *copy, *NO_SYNC) == c.CL_INVALID_COMMAND_QUEUE
    assert call(refuse, buffer, *HEAD, *copy, 0, NULL, NULL, handles(0)) == c.CL_INVALID_VALUE
    assert call(refuse, memory, *HEAD, *copy, *NO_SYNC) == c.CL_INVALID_COMMAND_BUFFER_KHR
    other = World()
    foreign = other.buffer(64)
    assert call(refuse, buffer, *HEAD, memory, foreign, 0, 0, 16, *NO_SYNC) == c.CL_INVALID_CONTEXT
    check("clFinalizeCommandBufferKHR", buffer)
    assert number(*ask, c.CL_COMMAND_BUFFER_STATE_KHR) == EXECUTABLE
    assert call("clFinalizeCommandBufferKHR", buffer) == c.CL_INVALID_OPERATION
    assert call(refuse, buffer, *HEAD, *copy, *NO_SYNC) == c.CL_INVALID_OPERATION
    replay(world, buffer)  # with nothing in it
    check("clReleaseCommandBufferKHR", buffer)
    queues = handles(world.queue, world.queue)
    twice = properties(*[c.CL_COMMAND_BUFFER_FLAGS_KHR, flags] * 2)
    wrong = properties(c.CL_COMMAND_BUFFER_FLAGS_KHR, 1 << 40)
    for arguments in ((2, queues, NULL), (1, NULL, NULL), (1, queues, twice), (1, queues, wrong)):
        assert refused("clCreateCommandBufferKHR", *arguments) == c.CL_INVALID_VALUE
    assert refused("clCreateCommandBufferKHR", 1, handles(memory), NULL) == c.CL_INVALID_COMMAND_QUEUE
    other.close()
