"""Entries of command buffers (cl_khr_command_buffer, cl_khr_command_buffer_mutable_dispatch)."""

import struct
from collections.abc import Callable, Sequence
from typing import Any

from weft.api import handles
from weft.api.constants import (
    CL_COMMAND_BUFFER_CONTEXT_KHR,
    CL_COMMAND_BUFFER_FLAGS_KHR,
    CL_COMMAND_BUFFER_MUTABLE_DISPATCH_ASSERTS_KHR,
    CL_COMMAND_BUFFER_MUTABLE_KHR,
    CL_COMMAND_BUFFER_NUM_QUEUES_KHR,
    CL_COMMAND_BUFFER_PROPERTIES_ARRAY_KHR,
    CL_COMMAND_BUFFER_QUEUES_KHR,
    CL_COMMAND_BUFFER_REFERENCE_COUNT_KHR,
    CL_COMMAND_BUFFER_SIMULTANEOUS_USE_KHR,
    CL_COMMAND_BUFFER_STATE_KHR,
    CL_COMMAND_COMMAND_BUFFER_KHR,
    CL_COMMAND_NDRANGE_KERNEL,
    CL_INVALID_COMMAND_BUFFER_KHR,
    CL_INVALID_COMMAND_QUEUE,
    CL_INVALID_MUTABLE_COMMAND_KHR,
    CL_INVALID_OPERATION,
    CL_INVALID_SYNC_POINT_WAIT_LIST_KHR,
    CL_INVALID_VALUE,
    CL_MUTABLE_COMMAND_COMMAND_BUFFER_KHR,
    CL_MUTABLE_COMMAND_COMMAND_QUEUE_KHR,
    CL_MUTABLE_COMMAND_COMMAND_TYPE_KHR,
    CL_MUTABLE_COMMAND_PROPERTIES_ARRAY_KHR,
    CL_MUTABLE_DISPATCH_ARGUMENTS_KHR,
    CL_MUTABLE_DISPATCH_ASSERT_NO_ADDITIONAL_WORK_GROUPS_KHR,
    CL_MUTABLE_DISPATCH_ASSERTS_KHR,
    CL_MUTABLE_DISPATCH_DIMENSIONS_KHR,
    CL_MUTABLE_DISPATCH_EXEC_INFO_KHR,
    CL_MUTABLE_DISPATCH_GLOBAL_OFFSET_KHR,
    CL_MUTABLE_DISPATCH_GLOBAL_SIZE_KHR,
    CL_MUTABLE_DISPATCH_GLOBAL_WORK_OFFSET_KHR,
    CL_MUTABLE_DISPATCH_GLOBAL_WORK_SIZE_KHR,
    CL_MUTABLE_DISPATCH_KERNEL_KHR,
    CL_MUTABLE_DISPATCH_LOCAL_SIZE_KHR,
    CL_MUTABLE_DISPATCH_LOCAL_WORK_SIZE_KHR,
    CL_MUTABLE_DISPATCH_UPDATABLE_FIELDS_KHR,
    CL_STRUCTURE_TYPE_MUTABLE_DISPATCH_CONFIG_KHR,
)
from weft.api.image import image_of
from weft.api.info import Query, answer, constant, obj, objs, uint, ulongs
from weft.api.kernel import kernel_of, set_argument
from weft.api.memory import buffer_of
from weft.api.memory_access import address, read_bytes, read_property_list, read_sizes
from weft.api.queue import queue_of
from weft.api.registry import creator, entry
from weft.api.svm import check_exec_info, set_pointer_of
from weft.api.wait_list import enqueued, wait_commands
from weft.runtime import image_transfer, svm, transfer
from weft.runtime.command_buffer import MUTABLE_FIELDS, Change, CommandBuffer, MutableCommand, NDRange
from weft.runtime.errors import CLError
from weft.runtime.kernel import Kernel
from weft.runtime.memory import Memory
from weft.runtime.objects import CLObject
from weft.runtime.queue import Command, CommandQueue
from weft.runtime.transfer import Box

_FLAGS = CL_COMMAND_BUFFER_MUTABLE_KHR | CL_COMMAND_BUFFER_SIMULTANEOUS_USE_KHR
_ASSERTS = CL_MUTABLE_DISPATCH_ASSERT_NO_ADDITIONAL_WORK_GROUPS_KHR
_CONFIG = struct.Struct("=QIIIIQQQQQQ")  # cl_mutable_dispatch_config_khr
_ARGUMENT = struct.Struct("=I4xQQ")  # cl_mutable_dispatch_arg_khr, cl_mutable_dispatch_exec_info_khr


def _sizes(sizes: Sequence[int] | None, command: MutableCommand) -> Sequence[int]:
    return sizes[: command.sizes.work_dim] if sizes is not None else (0,) * command.sizes.work_dim


COMMAND_BUFFER_INFO: dict[int, Query] = {
    CL_COMMAND_BUFFER_NUM_QUEUES_KHR: constant(uint, 1),
    CL_COMMAND_BUFFER_QUEUES_KHR: objs(lambda b: [b.queue]),
    CL_COMMAND_BUFFER_REFERENCE_COUNT_KHR: uint(lambda b: b.references),
    CL_COMMAND_BUFFER_STATE_KHR: uint(lambda b: b.state),
    CL_COMMAND_BUFFER_PROPERTIES_ARRAY_KHR: ulongs(lambda b: b.properties),
    CL_COMMAND_BUFFER_CONTEXT_KHR: obj(lambda b: b.context),
}
MUTABLE_COMMAND_INFO: dict[int, Query] = {
    CL_MUTABLE_COMMAND_COMMAND_QUEUE_KHR: obj(lambda c: c.buffer.queue),
    CL_MUTABLE_COMMAND_COMMAND_BUFFER_KHR: obj(lambda c: c.buffer),
    CL_MUTABLE_COMMAND_COMMAND_TYPE_KHR: constant(uint, CL_COMMAND_NDRANGE_KERNEL),
    CL_MUTABLE_COMMAND_PROPERTIES_ARRAY_KHR: ulongs(lambda c: c.properties),
    CL_MUTABLE_DISPATCH_KERNEL_KHR: obj(lambda c: c.kernel),
    CL_MUTABLE_DISPATCH_DIMENSIONS_KHR: uint(lambda c: c.sizes.work_dim),
    CL_MUTABLE_DISPATCH_GLOBAL_WORK_OFFSET_KHR: ulongs(lambda c: _sizes(c.sizes.offset, c)),
    CL_MUTABLE_DISPATCH_GLOBAL_WORK_SIZE_KHR: ulongs(lambda c: _sizes(c.sizes.global_size, c)),
    CL_MUTABLE_DISPATCH_LOCAL_WORK_SIZE_KHR: ulongs(lambda c: _sizes(c.sizes.local_size, c)),
}


def command_buffer_of(handle: int) -> CommandBuffer:
    """Return the command buffer of a handle."""
    return handles.lookup(handle, CommandBuffer, CL_INVALID_COMMAND_BUFFER_KHR)


def _properties(pointer: Any, allowed: dict[int, int]) -> dict[int, int]:
    """Read a property list; `allowed` maps the valid names to their valid bits."""
    values = read_property_list(pointer)
    names = values[::2]
    found = dict(zip(names, values[1::2], strict=True))
    if len(found) < len(names):
        raise CLError(CL_INVALID_VALUE, "a property is given twice")
    for name, value in found.items():
        if value & ~allowed.get(name, 0) or name not in allowed:
            raise CLError(CL_INVALID_VALUE, f"invalid property {name:#x} or value {value:#x}")
    return found


@creator("clCreateCommandBufferKHR")
def create_command_buffer(num_queues: int, queues: Any, properties: Any) -> CommandBuffer:
    """Create an empty command buffer for one queue."""
    if num_queues != 1 or not queues:
        raise CLError(CL_INVALID_VALUE, f"num_queues must be 1, got {num_queues}")
    queue = queue_of(queues[0])
    allowed = {CL_COMMAND_BUFFER_FLAGS_KHR: _FLAGS, CL_COMMAND_BUFFER_MUTABLE_DISPATCH_ASSERTS_KHR: _ASSERTS}
    found = _properties(properties, allowed)
    return CommandBuffer(
        queue,
        found.get(CL_COMMAND_BUFFER_FLAGS_KHR, 0),
        found.get(CL_COMMAND_BUFFER_MUTABLE_DISPATCH_ASSERTS_KHR, 0),
        [*read_property_list(properties), 0] if properties else [],
    )


@entry("clFinalizeCommandBufferKHR")
def finalize_command_buffer(command_buffer: int) -> None:
    """End the recording."""
    command_buffer_of(command_buffer).finalize()


@entry("clRetainCommandBufferKHR")
def retain_command_buffer(command_buffer: int) -> None:
    """Add a reference."""
    command_buffer_of(command_buffer).retain()


@entry("clReleaseCommandBufferKHR")
def release_command_buffer(command_buffer: int) -> None:
    """Drop a reference."""
    command_buffer_of(command_buffer).release()


@entry("clGetCommandBufferInfoKHR")
def get_command_buffer_info(command_buffer: int, param: int, size: int, value: Any, size_ret: Any) -> None:
    """Answer a query about a command buffer."""
    answer(COMMAND_BUFFER_INFO, command_buffer_of(command_buffer), param, size, value, size_ret)


@entry("clEnqueueCommandBufferKHR")
def enqueue_command_buffer(
    num_queues: int, queues: Any, command_buffer: int, count: int, events: Any, event: Any
) -> None:
    """Enqueue the commands of a buffer to its queue, or to another one of the same device and context."""
    buffer = command_buffer_of(command_buffer)
    if bool(num_queues) != bool(queues) or num_queues > 1:
        raise CLError(CL_INVALID_VALUE, f"num_queues must be 0 or 1, got {num_queues}")
    queue = queue_of(queues[0]) if queues else buffer.queue
    buffer.check_queue(queue)
    wait = wait_commands(queue, count, events)
    enqueued(queue, CL_COMMAND_COMMAND_BUFFER_KHR, buffer.enqueue(queue, wait), event)


Record = Callable[[CommandQueue, Sequence[Command]], Command]


def _waits(buffer: CommandBuffer, count: int, points: Any) -> list[Any]:
    if bool(count) != bool(points):
        message = "sync_point_wait_list must be NULL if and only if num_sync_points_in_wait_list is 0"
        raise CLError(CL_INVALID_SYNC_POINT_WAIT_LIST_KHR, message)
    return buffer.waits([int(points[index]) for index in range(count)])


def _recording(command_buffer: int, queue: int) -> CommandBuffer:
    """Return the command buffer of a call that records; `queue` must be NULL, because there is only one."""
    buffer = command_buffer_of(command_buffer)
    if queue:
        raise CLError(
            CL_INVALID_COMMAND_QUEUE, "command_queue must be NULL: the command buffer has one queue"
        )
    buffer.check_recording()
    return buffer


def _record(
    command_buffer: int, queue: int, properties: Any, held: Sequence[CLObject], record: Record, count: int,
    points: Any, sync_point: Any, mutable_handle: Any,
) -> None:  # fmt: skip
    """Record a command that cannot be changed later; `record` enqueues it to the queue passed to it."""
    buffer = _recording(command_buffer, queue)
    if mutable_handle:
        raise CLError(CL_INVALID_VALUE, "mutable_handle must be NULL: only kernel launches are mutable")
    _properties(properties, {})
    wait = _waits(buffer, count, points)
    point = buffer.add(record(buffer.recording, wait))
    buffer.hold(*held)
    if sync_point:
        sync_point[0] = point


@entry("clCommandBarrierWithWaitListKHR")
def command_barrier(
    command_buffer: int, queue: int, properties: Any, count: int, points: Any, sync_point: Any, handle: Any
) -> None:
    """Record a barrier."""

    def record(recording: CommandQueue, wait: Sequence[Command]) -> Command:
        return recording.native.barrier(wait)

    _record(command_buffer, queue, properties, (), record, count, points, sync_point, handle)


@entry("clCommandCopyBufferKHR")
def command_copy_buffer(
    command_buffer: int, queue: int, properties: Any, source: int, destination: int, source_offset: int,
    destination_offset: int, size: int, count: int, points: Any, sync_point: Any, handle: Any,
) -> None:  # fmt: skip
    """Copy a range of one buffer to another."""
    command_buffer_of(command_buffer)
    a, b = buffer_of(source), buffer_of(destination)

    def record(recording: CommandQueue, wait: Sequence[Command]) -> Command:
        return transfer.copy(recording, a, b, source_offset, destination_offset, size, wait)

    _record(command_buffer, queue, properties, (a, b), record, count, points, sync_point, handle)


def _triple(pointer: Any) -> tuple[int, int, int]:
    if not pointer:
        raise CLError(CL_INVALID_VALUE, "an origin or the region is NULL")
    x, y, z = read_sizes(pointer, 3)
    return x, y, z


@entry("clCommandCopyBufferRectKHR")
def command_copy_buffer_rect(
    command_buffer: int, queue: int, properties: Any, source: int, destination: int, source_origin: Any,
    destination_origin: Any, region: Any, source_row_pitch: int, source_slice_pitch: int,
    destination_row_pitch: int, destination_slice_pitch: int, count: int, points: Any, sync_point: Any,
    handle: Any,
) -> None:  # fmt: skip
    """Copy a region of one buffer to a region of another."""
    command_buffer_of(command_buffer)
    a, b = buffer_of(source), buffer_of(destination)
    extent = _triple(region)
    from_box = Box.make(_triple(source_origin), extent, source_row_pitch, source_slice_pitch)
    to_box = Box.make(_triple(destination_origin), extent, destination_row_pitch, destination_slice_pitch)

    def record(recording: CommandQueue, wait: Sequence[Command]) -> Command:
        return transfer.copy_rect(recording, a, b, from_box, to_box, extent, wait)

    _record(command_buffer, queue, properties, (a, b), record, count, points, sync_point, handle)


@entry("clCommandCopyBufferToImageKHR")
def command_copy_buffer_to_image(
    command_buffer: int, queue: int, properties: Any, source: int, destination: int, offset: int, origin: Any,
    region: Any, count: int, points: Any, sync_point: Any, handle: Any,
) -> None:  # fmt: skip
    """Copy a buffer to a region of an image."""
    command_buffer_of(command_buffer)
    a, b = buffer_of(source), image_of(destination)
    place = _triple(origin), _triple(region)

    def record(recording: CommandQueue, wait: Sequence[Command]) -> Command:
        return image_transfer.from_buffer(recording, a, b, offset, *place, wait)

    _record(command_buffer, queue, properties, (a, b), record, count, points, sync_point, handle)


@entry("clCommandCopyImageKHR")
def command_copy_image(
    command_buffer: int, queue: int, properties: Any, source: int, destination: int, source_origin: Any,
    destination_origin: Any, region: Any, count: int, points: Any, sync_point: Any, handle: Any,
) -> None:  # fmt: skip
    """Copy a region of one image to another."""
    command_buffer_of(command_buffer)
    a, b = image_of(source), image_of(destination)
    places = _triple(source_origin), _triple(destination_origin), _triple(region)

    def record(recording: CommandQueue, wait: Sequence[Command]) -> Command:
        return image_transfer.copy(recording, a, b, *places, wait)

    _record(command_buffer, queue, properties, (a, b), record, count, points, sync_point, handle)


@entry("clCommandCopyImageToBufferKHR")
def command_copy_image_to_buffer(
    command_buffer: int, queue: int, properties: Any, source: int, destination: int, origin: Any, region: Any,
    offset: int, count: int, points: Any, sync_point: Any, handle: Any,
) -> None:  # fmt: skip
    """Copy a region of an image to a buffer."""
    command_buffer_of(command_buffer)
    a, b = image_of(source), buffer_of(destination)
    place = _triple(origin), _triple(region)

    def record(recording: CommandQueue, wait: Sequence[Command]) -> Command:
        return image_transfer.to_buffer(recording, a, b, *place, offset, wait)

    _record(command_buffer, queue, properties, (a, b), record, count, points, sync_point, handle)


def _pattern(pattern: Any, size: int) -> bytes:
    if not pattern or size not in transfer.PATTERN_SIZES:
        raise CLError(CL_INVALID_VALUE, f"pattern is NULL or has an invalid size ({size} bytes)")
    return read_bytes(pattern, size)


@entry("clCommandFillBufferKHR")
def command_fill_buffer(
    command_buffer: int, queue: int, properties: Any, buffer: int, pattern: Any, pattern_size: int,
    offset: int, size: int, count: int, points: Any, sync_point: Any, handle: Any,
) -> None:  # fmt: skip
    """Repeat a pattern over a range of a buffer."""
    command_buffer_of(command_buffer)
    memory, data = buffer_of(buffer), _pattern(pattern, pattern_size)

    def record(recording: CommandQueue, wait: Sequence[Command]) -> Command:
        return transfer.fill(recording, memory, data, offset, size, wait)

    _record(command_buffer, queue, properties, (memory,), record, count, points, sync_point, handle)


@entry("clCommandFillImageKHR")
def command_fill_image(
    command_buffer: int, queue: int, properties: Any, image: int, color: Any, origin: Any, region: Any,
    count: int, points: Any, sync_point: Any, handle: Any,
) -> None:  # fmt: skip
    """Set all pixels of a region to a colour."""
    command_buffer_of(command_buffer)
    target = image_of(image)
    if not color:
        raise CLError(CL_INVALID_VALUE, "fill_color is NULL")
    data, place = read_bytes(color, target.format.color_bytes), (_triple(origin), _triple(region))

    def record(recording: CommandQueue, wait: Sequence[Command]) -> Command:
        return image_transfer.fill(recording, target, data, *place, wait)

    _record(command_buffer, queue, properties, (target,), record, count, points, sync_point, handle)


@entry("clCommandSVMMemcpyKHR")
def command_svm_memcpy(
    command_buffer: int, queue: int, properties: Any, destination: Any, source: Any, size: int, count: int,
    points: Any, sync_point: Any, handle: Any,
) -> None:  # fmt: skip
    """Copy shared memory."""

    def record(recording: CommandQueue, wait: Sequence[Command]) -> Command:
        return svm.copy(recording, address(destination), address(source), size, wait)

    _record(command_buffer, queue, properties, (), record, count, points, sync_point, handle)


@entry("clCommandSVMMemFillKHR")
def command_svm_mem_fill(
    command_buffer: int, queue: int, properties: Any, pointer: Any, pattern: Any, pattern_size: int,
    size: int, count: int, points: Any, sync_point: Any, handle: Any,
) -> None:  # fmt: skip
    """Repeat a pattern over shared memory."""
    command_buffer_of(command_buffer)
    data = _pattern(pattern, pattern_size)

    def record(recording: CommandQueue, wait: Sequence[Command]) -> Command:
        return svm.fill(recording, address(pointer), data, size, wait)

    _record(command_buffer, queue, properties, (), record, count, points, sync_point, handle)


def _memory_of(kernel: Kernel) -> list[CLObject]:
    """Return the memory objects among the arguments of a kernel."""
    named = (handles.find(a.memory, Memory) for a in kernel.native_arguments if a.memory)
    return [*(found for found in named if found is not None), *kernel.images.values(), *kernel.pipes.values()]


@entry("clCommandNDRangeKernelKHR")
def command_ndrange_kernel(
    command_buffer: int, queue: int, properties: Any, kernel: int, work_dim: int, offset: Any,
    global_size: Any, local_size: Any, count: int, points: Any, sync_point: Any, mutable_handle: Any,
) -> None:  # fmt: skip
    """Launch a kernel with its current arguments."""
    buffer = _recording(command_buffer, queue)
    target = kernel_of(kernel)
    allowed = {
        CL_MUTABLE_DISPATCH_UPDATABLE_FIELDS_KHR: MUTABLE_FIELDS,
        CL_MUTABLE_DISPATCH_ASSERTS_KHR: _ASSERTS,
    }
    found = _properties(properties, allowed)
    wait = _waits(buffer, count, points)
    dimensions = min(work_dim, 3)

    def sizes(pointer: Any) -> tuple[int, ...] | None:
        return read_sizes(pointer, dimensions) if pointer else None

    launch = MutableCommand(
        buffer,
        target,
        NDRange(work_dim, sizes(offset), sizes(global_size), sizes(local_size)),
        found.get(CL_MUTABLE_DISPATCH_UPDATABLE_FIELDS_KHR, MUTABLE_FIELDS),
        found.get(CL_MUTABLE_DISPATCH_ASSERTS_KHR, 0),
        [*read_property_list(properties), 0] if properties else [],
    )
    point = buffer.add_launch(launch, wait)
    buffer.hold(*_memory_of(launch.own))
    if mutable_handle:
        mutable_handle[0] = handles.publish(launch)
    if sync_point:
        sync_point[0] = point


def _arguments(pointer: int, count: int) -> list[tuple[int, int, int]]:
    """Return (index or name, size, value) of each element of an array of arguments."""
    if bool(pointer) != bool(count):
        raise CLError(CL_INVALID_VALUE, "a list is NULL but its length is not 0, or vice versa")
    return list(_ARGUMENT.iter_unpack(read_bytes(pointer, count * _ARGUMENT.size))) if count else []


def _change(buffer: CommandBuffer, config: int, before: dict[MutableCommand, Change]) -> Change:
    """Prepare the change of a cl_mutable_dispatch_config_khr; `before` are earlier changes of the call."""
    handle, args, svm_args, infos, work_dim, *pointers = _CONFIG.unpack(read_bytes(config, _CONFIG.size))
    command = handles.lookup(handle, MutableCommand, CL_INVALID_MUTABLE_COMMAND_KHR)
    if command.buffer is not buffer:
        raise CLError(CL_INVALID_MUTABLE_COMMAND_KHR, "the command belongs to another command buffer")
    if work_dim not in (0, command.sizes.work_dim):
        raise CLError(CL_INVALID_VALUE, f"work_dim must be {command.sizes.work_dim} or 0, got {work_dim}")
    values, addresses, exec_infos = (
        _arguments(pointer, count) for pointer, count in zip(pointers, (args, svm_args, infos), strict=False)
    )
    needed = {
        CL_MUTABLE_DISPATCH_ARGUMENTS_KHR: values or addresses,
        CL_MUTABLE_DISPATCH_EXEC_INFO_KHR: exec_infos,
        CL_MUTABLE_DISPATCH_GLOBAL_OFFSET_KHR: pointers[3],
        CL_MUTABLE_DISPATCH_GLOBAL_SIZE_KHR: pointers[4],
        CL_MUTABLE_DISPATCH_LOCAL_SIZE_KHR: pointers[5],
    }
    for field, given in needed.items():
        if given and not command.fields & field:
            raise CLError(CL_INVALID_OPERATION, f"{field:#x} is not an updatable field")
    earlier = before.get(command)
    sizes = earlier.sizes if earlier is not None else command.sizes
    kernel = (earlier.kernel if earlier is not None else command.own).clone()
    offset, extents, local = (
        read_sizes(pointer, sizes.work_dim) if pointer else old
        for pointer, old in zip(
            pointers[3:], (sizes.offset, sizes.global_size, sizes.local_size), strict=True
        )
    )
    try:
        for index, size, value in values:
            set_argument(kernel, index, size, value)
        for index, _, value in addresses:
            set_pointer_of(kernel, index, value)
        for name, size, value in exec_infos:
            check_exec_info(name, size, value)
        return Change.prepare(command, kernel, NDRange(sizes.work_dim, offset, extents, local))
    except BaseException:
        kernel.release()
        raise


@entry("clUpdateMutableCommandsKHR")
def update_mutable_commands(command_buffer: int, num_configs: int, types: Any, configs: Any) -> None:
    """Change arguments and sizes of launches for later enqueues of the buffer: all of them or none."""
    buffer = command_buffer_of(command_buffer)
    if not buffer.is_finalized or not buffer.is_mutable:
        raise CLError(CL_INVALID_OPERATION, "the command buffer is not finalized or not mutable")
    if bool(num_configs) != bool(types) or bool(num_configs) != bool(configs):
        raise CLError(
            CL_INVALID_VALUE, "configs or config_types is NULL but num_configs is not 0, or vice versa"
        )
    changes: dict[MutableCommand, Change] = {}
    try:
        for index in range(num_configs):
            if types[index] != CL_STRUCTURE_TYPE_MUTABLE_DISPATCH_CONFIG_KHR or not configs[index]:
                raise CLError(CL_INVALID_VALUE, f"update {index} is NULL or has an unknown type")
            change = _change(buffer, configs[index], changes)
            if change.command in changes:
                changes[change.command].kernel.release()
            changes[change.command] = change
    except BaseException:
        for change in changes.values():
            change.kernel.release()
        raise
    for change in changes.values():
        buffer.hold(*_memory_of(change.kernel))
    buffer.update(list(changes.values()))


@entry("clGetMutableCommandInfoKHR")
def get_mutable_command_info(command: int, param: int, size: int, value: Any, size_ret: Any) -> None:
    """Answer a query about a launch of a command buffer."""
    target = handles.lookup(command, MutableCommand, CL_INVALID_MUTABLE_COMMAND_KHR)
    answer(MUTABLE_COMMAND_INFO, target, param, size, value, size_ret)
