"""Entries that copy pixels between images, buffers and host memory, fill images and map them."""

from typing import Any

from weft.api.constants import (
    CL_COMMAND_COPY_BUFFER_TO_IMAGE,
    CL_COMMAND_COPY_IMAGE,
    CL_COMMAND_COPY_IMAGE_TO_BUFFER,
    CL_COMMAND_FILL_IMAGE,
    CL_COMMAND_MAP_IMAGE,
    CL_COMMAND_READ_IMAGE,
    CL_COMMAND_WRITE_IMAGE,
    CL_INVALID_VALUE,
)
from weft.api.image import image_of
from weft.api.memory import buffer_of
from weft.api.memory_access import address, read_bytes, read_sizes
from weft.api.queue import queue_of
from weft.api.registry import creator, entry
from weft.api.wait_list import enqueued, wait_commands
from weft.runtime import image_transfer as transfer
from weft.runtime.errors import CLError
from weft.runtime.image import Size


def _triple(pointer: Any) -> Size:
    if not pointer:
        raise CLError(CL_INVALID_VALUE, "an origin or the region is NULL")
    x, y, z = read_sizes(pointer, 3)
    return x, y, z


@entry("clEnqueueReadImage")
def enqueue_read_image(
    command_queue: int, image: int, blocking: int, origin: Any, region: Any, row_pitch: int,
    slice_pitch: int, ptr: Any, count: int, events: Any, event: Any,
) -> None:  # fmt: skip
    """Copy a region of an image to host memory."""
    queue, source = queue_of(command_queue), image_of(image)
    wait = wait_commands(queue, count, events)
    place, pitches = (_triple(origin), _triple(region)), (row_pitch, slice_pitch)
    command = transfer.read(queue, source, *place, pitches, address(ptr), wait)
    enqueued(queue, CL_COMMAND_READ_IMAGE, command, event, bool(blocking))


@entry("clEnqueueWriteImage")
def enqueue_write_image(
    command_queue: int, image: int, blocking: int, origin: Any, region: Any, row_pitch: int,
    slice_pitch: int, ptr: Any, count: int, events: Any, event: Any,
) -> None:  # fmt: skip
    """Copy host memory to a region of an image."""
    queue, destination = queue_of(command_queue), image_of(image)
    wait = wait_commands(queue, count, events)
    place, pitches = (_triple(origin), _triple(region)), (row_pitch, slice_pitch)
    command = transfer.write(queue, destination, *place, pitches, address(ptr), wait)
    enqueued(queue, CL_COMMAND_WRITE_IMAGE, command, event, bool(blocking))


@entry("clEnqueueCopyImage")
def enqueue_copy_image(
    command_queue: int, source: int, destination: int, source_origin: Any, destination_origin: Any,
    region: Any, count: int, events: Any, event: Any,
) -> None:  # fmt: skip
    """Copy a region of one image to another."""
    queue = queue_of(command_queue)
    a, b = image_of(source), image_of(destination)
    wait = wait_commands(queue, count, events)
    places = (_triple(source_origin), _triple(destination_origin), _triple(region))
    command = transfer.copy(queue, a, b, *places, wait)
    enqueued(queue, CL_COMMAND_COPY_IMAGE, command, event)


@entry("clEnqueueCopyImageToBuffer")
def enqueue_copy_image_to_buffer(
    command_queue: int, source: int, destination: int, origin: Any, region: Any, offset: int, count: int,
    events: Any, event: Any,
) -> None:  # fmt: skip
    """Copy a region of an image to a buffer."""
    queue = queue_of(command_queue)
    a, b = image_of(source), buffer_of(destination)
    wait = wait_commands(queue, count, events)
    command = transfer.to_buffer(queue, a, b, _triple(origin), _triple(region), offset, wait)
    enqueued(queue, CL_COMMAND_COPY_IMAGE_TO_BUFFER, command, event)


@entry("clEnqueueCopyBufferToImage")
def enqueue_copy_buffer_to_image(
    command_queue: int, source: int, destination: int, offset: int, origin: Any, region: Any, count: int,
    events: Any, event: Any,
) -> None:  # fmt: skip
    """Copy a buffer to a region of an image."""
    queue = queue_of(command_queue)
    a, b = buffer_of(source), image_of(destination)
    wait = wait_commands(queue, count, events)
    command = transfer.from_buffer(queue, a, b, offset, _triple(origin), _triple(region), wait)
    enqueued(queue, CL_COMMAND_COPY_BUFFER_TO_IMAGE, command, event)


@entry("clEnqueueFillImage")
def enqueue_fill_image(
    command_queue: int, image: int, color: Any, origin: Any, region: Any, count: int, events: Any, event: Any
) -> None:
    """Set all pixels of a region to a colour."""
    queue, destination = queue_of(command_queue), image_of(image)
    wait = wait_commands(queue, count, events)
    if not color:
        raise CLError(CL_INVALID_VALUE, "fill_color is NULL")
    place = _triple(origin), _triple(region)
    command = transfer.fill(
        queue, destination, read_bytes(color, destination.format.color_bytes), *place, wait
    )
    enqueued(queue, CL_COMMAND_FILL_IMAGE, command, event)


@creator("clEnqueueMapImage")
def enqueue_map_image(
    command_queue: int, image: int, blocking: int, flags: int, origin: Any, region: Any, row_pitch: Any,
    slice_pitch: Any, count: int, events: Any, event: Any,
) -> int:  # fmt: skip
    """Map a region of an image; return its address, which is usable when the command has ended."""
    queue, memory = queue_of(command_queue), image_of(image)
    wait = wait_commands(queue, count, events)
    if not row_pitch or (memory.has_slices and not slice_pitch):
        raise CLError(CL_INVALID_VALUE, "image_row_pitch or image_slice_pitch is NULL")
    mapped, command = transfer.map_image(queue, memory, flags, _triple(origin), _triple(region), wait)
    row_pitch[0] = memory.row_pitch
    if slice_pitch:
        slice_pitch[0] = memory.slice_pitch if memory.has_slices else 0
    enqueued(queue, CL_COMMAND_MAP_IMAGE, command, event, bool(blocking))
    return mapped
