"""Entries that copy contiguous ranges between buffers and host memory, and fill buffers."""

from typing import Any

from weft.api.constants import (
    CL_COMMAND_COPY_BUFFER,
    CL_COMMAND_FILL_BUFFER,
    CL_COMMAND_READ_BUFFER,
    CL_COMMAND_WRITE_BUFFER,
    CL_INVALID_VALUE,
)
from weft.api.memory import buffer_of
from weft.api.memory_access import address, read_bytes
from weft.api.queue import queue_of
from weft.api.registry import entry
from weft.api.wait_list import enqueued, wait_commands
from weft.runtime import transfer
from weft.runtime.errors import CLError


@entry("clEnqueueReadBuffer")
def enqueue_read_buffer(
    command_queue: int, buffer: int, blocking: int, offset: int, size: int, ptr: Any, count: int, events: Any,
    event: Any,
) -> None:  # fmt: skip
    """Copy a range of a buffer to host memory."""
    queue, memory = queue_of(command_queue), buffer_of(buffer)
    wait = wait_commands(queue, count, events)
    command = transfer.read(queue, memory, offset, size, address(ptr), wait)
    enqueued(queue, CL_COMMAND_READ_BUFFER, command, event, bool(blocking))


@entry("clEnqueueWriteBuffer")
def enqueue_write_buffer(
    command_queue: int, buffer: int, blocking: int, offset: int, size: int, ptr: Any, count: int, events: Any,
    event: Any,
) -> None:  # fmt: skip
    """Copy host memory to a range of a buffer."""
    queue, memory = queue_of(command_queue), buffer_of(buffer)
    wait = wait_commands(queue, count, events)
    command = transfer.write(queue, memory, offset, size, address(ptr), wait)
    enqueued(queue, CL_COMMAND_WRITE_BUFFER, command, event, bool(blocking))


@entry("clEnqueueCopyBuffer")
def enqueue_copy_buffer(
    command_queue: int, source: int, destination: int, source_offset: int, destination_offset: int, size: int,
    count: int, events: Any, event: Any,
) -> None:  # fmt: skip
    """Copy a range of one buffer to another."""
    queue = queue_of(command_queue)
    a, b = buffer_of(source), buffer_of(destination)
    wait = wait_commands(queue, count, events)
    command = transfer.copy(queue, a, b, source_offset, destination_offset, size, wait)
    enqueued(queue, CL_COMMAND_COPY_BUFFER, command, event)


@entry("clEnqueueFillBuffer")
def enqueue_fill_buffer(
    command_queue: int, buffer: int, pattern: Any, pattern_size: int, offset: int, size: int, count: int,
    events: Any, event: Any,
) -> None:  # fmt: skip
    """Repeat a pattern over a range of a buffer."""
    queue, memory = queue_of(command_queue), buffer_of(buffer)
    wait = wait_commands(queue, count, events)
    if not pattern or pattern_size not in transfer.PATTERN_SIZES:
        raise CLError(CL_INVALID_VALUE, f"pattern is NULL or has an invalid size ({pattern_size} bytes)")
    command = transfer.fill(queue, memory, read_bytes(pattern, pattern_size), offset, size, wait)
    enqueued(queue, CL_COMMAND_FILL_BUFFER, command, event)
