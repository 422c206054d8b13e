"""Entries that copy rectangular regions between buffers and host memory."""

from typing import Any

from weft.api.constants import (
    CL_COMMAND_COPY_BUFFER_RECT,
    CL_COMMAND_READ_BUFFER_RECT,
    CL_COMMAND_WRITE_BUFFER_RECT,
    CL_INVALID_VALUE,
)
from weft.api.memory import buffer_of
from weft.api.memory_access import address, read_sizes
from weft.api.queue import queue_of
from weft.api.registry import entry
from weft.api.wait_list import enqueued, wait_commands
from weft.runtime import transfer
from weft.runtime.errors import CLError
from weft.runtime.transfer import Box, Size


def _triple(pointer: Any) -> Size:
    if not pointer:
        raise CLError(CL_INVALID_VALUE, "an origin or the region is NULL")
    x, y, z = read_sizes(pointer, 3)
    return x, y, z


@entry("clEnqueueReadBufferRect")
def enqueue_read_buffer_rect(
    command_queue: int, buffer: int, blocking: int, buffer_origin: Any, host_origin: Any, region: Any,
    buffer_row_pitch: int, buffer_slice_pitch: int, host_row_pitch: int, host_slice_pitch: int, ptr: Any,
    count: int, events: Any, event: Any,
) -> None:  # fmt: skip
    """Copy a region of a buffer to a region of host memory."""
    queue, memory = queue_of(command_queue), buffer_of(buffer)
    wait = wait_commands(queue, count, events)
    extent = _triple(region)
    box = Box.make(_triple(buffer_origin), extent, buffer_row_pitch, buffer_slice_pitch)
    host = Box.make(_triple(host_origin), extent, host_row_pitch, host_slice_pitch)
    command = transfer.read_rect(queue, memory, box, host, extent, address(ptr), wait)
    enqueued(queue, CL_COMMAND_READ_BUFFER_RECT, command, event, bool(blocking))


@entry("clEnqueueWriteBufferRect")
def enqueue_write_buffer_rect(
    command_queue: int, buffer: int, blocking: int, buffer_origin: Any, host_origin: Any, region: Any,
    buffer_row_pitch: int, buffer_slice_pitch: int, host_row_pitch: int, host_slice_pitch: int, ptr: Any,
    count: int, events: Any, event: Any,
) -> None:  # fmt: skip
    """Copy a region of host memory to a region of a buffer."""
    queue, memory = queue_of(command_queue), buffer_of(buffer)
    wait = wait_commands(queue, count, events)
    extent = _triple(region)
    box = Box.make(_triple(buffer_origin), extent, buffer_row_pitch, buffer_slice_pitch)
    host = Box.make(_triple(host_origin), extent, host_row_pitch, host_slice_pitch)
    command = transfer.write_rect(queue, memory, box, host, extent, address(ptr), wait)
    enqueued(queue, CL_COMMAND_WRITE_BUFFER_RECT, command, event, bool(blocking))


@entry("clEnqueueCopyBufferRect")
def enqueue_copy_buffer_rect(
    command_queue: int, source: int, destination: int, source_origin: Any, destination_origin: Any,
    region: Any, source_row_pitch: int, source_slice_pitch: int, destination_row_pitch: int,
    destination_slice_pitch: int, count: int, events: Any, event: Any,
) -> None:  # fmt: skip
    """Copy a region of one buffer to a region of another."""
    queue = queue_of(command_queue)
    a, b = buffer_of(source), buffer_of(destination)
    wait = wait_commands(queue, count, events)
    extent = _triple(region)
    from_box = Box.make(_triple(source_origin), extent, source_row_pitch, source_slice_pitch)
    to_box = Box.make(_triple(destination_origin), extent, destination_row_pitch, destination_slice_pitch)
    command = transfer.copy_rect(queue, a, b, from_box, to_box, extent, wait)
    enqueued(queue, CL_COMMAND_COPY_BUFFER_RECT, command, event)
