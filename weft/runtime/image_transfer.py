"""Transfers between images, buffers and host memory: their bounds, overlaps and commands."""

from collections.abc import Sequence

from weft.device.base import Command
from weft.runtime.codes import (
    CL_IMAGE_FORMAT_MISMATCH,
    CL_INVALID_VALUE,
    CL_MEM_COPY_OVERLAP,
    CL_MEM_OBJECT_IMAGE1D_ARRAY,
)
from weft.runtime.errors import CLError
from weft.runtime.image import Image, Size
from weft.runtime.memory import Memory
from weft.runtime.queue import CommandQueue
from weft.runtime.transfer import check_context, check_map_flags, start_mapping

Wait = Sequence[Command]


def check_region(image: Image, origin: Size, region: Size) -> None:
    """Raise unless the region is not empty and inside the image."""
    if 0 in region:
        raise CLError(CL_INVALID_VALUE, f"region {region} is empty")
    for first, count, there in zip(origin, region, image.box, strict=True):
        if first + count > there:
            raise CLError(CL_INVALID_VALUE, f"region {region} at {origin} is outside an image of {image.box}")


def _bytes(image: Image, region: Size) -> Size:
    """Return a region with its first dimension in bytes."""
    return region[0] * image.format.pixel_bytes, region[1], region[2]


def _host_steps(image: Image, region: Size, row_pitch: int, slice_pitch: int) -> tuple[int, int]:
    """Return the strides of rows and slices in host memory, like `Image.steps` for the image."""
    row = region[0] * image.format.pixel_bytes
    if row_pitch and row_pitch < row:
        raise CLError(CL_INVALID_VALUE, f"row pitch {row_pitch} is less than a row of {row} bytes")
    row_pitch = row_pitch or row
    if not image.has_slices:
        if slice_pitch:
            raise CLError(CL_INVALID_VALUE, "slice pitch must be 0 for an image without slices")
        return row_pitch, row_pitch * region[1]
    layered = image.type == CL_MEM_OBJECT_IMAGE1D_ARRAY
    tight = row_pitch if layered else row_pitch * region[1]
    if slice_pitch and slice_pitch < tight:
        raise CLError(CL_INVALID_VALUE, f"slice pitch {slice_pitch} is less than a slice of {tight} bytes")
    slice_pitch = slice_pitch or tight
    return (slice_pitch, slice_pitch * region[1]) if layered else (row_pitch, slice_pitch)


def read(
    queue: CommandQueue,
    image: Image,
    origin: Size,
    region: Size,
    pitches: tuple[int, int],
    pointer: int,
    wait: Wait = (),
) -> Command:
    """Copy a region of an image to host memory."""
    check_context(queue, image)
    check_region(image, origin, region)
    steps = _host_steps(image, region, *pitches)
    _check_pointer(pointer)
    image.check_host_read()
    source = image.address + image.offset(origin)
    return queue.native.copy_rect(pointer, source, _bytes(image, region), steps, image.steps, wait)


def write(
    queue: CommandQueue,
    image: Image,
    origin: Size,
    region: Size,
    pitches: tuple[int, int],
    pointer: int,
    wait: Wait = (),
) -> Command:
    """Copy host memory to a region of an image."""
    check_context(queue, image)
    check_region(image, origin, region)
    steps = _host_steps(image, region, *pitches)
    _check_pointer(pointer)
    image.check_host_write()
    destination = image.address + image.offset(origin)
    return queue.native.copy_rect(destination, pointer, _bytes(image, region), image.steps, steps, wait)


def copy(
    queue: CommandQueue,
    source: Image,
    destination: Image,
    source_origin: Size,
    destination_origin: Size,
    region: Size,
    wait: Wait = (),
) -> Command:
    """Copy a region of one image to another, or within one image if the regions do not overlap."""
    check_context(queue, source, destination)
    if source.format != destination.format:
        raise CLError(CL_IMAGE_FORMAT_MISMATCH, "the images have different formats")
    check_region(source, source_origin, region)
    check_region(destination, destination_origin, region)
    _check_overlap(source, destination, source_origin, destination_origin, region)
    return queue.native.copy_rect(
        destination.address + destination.offset(destination_origin),
        source.address + source.offset(source_origin),
        _bytes(source, region),
        destination.steps,
        source.steps,
        wait,
    )


def _check_overlap(source: Image, destination: Image, a: Size, b: Size, region: Size) -> None:
    """Raise if the regions overlap: in one image, or in the memory of two images of one buffer.

    For images of one buffer, the memory from the first to the last pixel of each region counts.
    """
    if source is destination:
        overlap = all(abs(i - j) < n for i, j, n in zip(a, b, region, strict=True))
    else:
        first, second = _span(source, a, region), _span(destination, b, region)
        overlap = first[0] < second[1] and second[0] < first[1]
    if overlap:
        raise CLError(CL_MEM_COPY_OVERLAP, "source and destination regions overlap")


def _span(image: Image, origin: Size, region: Size) -> tuple[int, int]:
    last = (origin[0] + region[0] - 1, origin[1] + region[1] - 1, origin[2] + region[2] - 1)
    end = image.address + image.offset(last) + image.format.pixel_bytes
    return image.address + image.offset(origin), end


def _tight(image: Image, region: Size) -> tuple[int, int]:
    row = region[0] * image.format.pixel_bytes
    return row, row * region[1]


def _check_buffer(image: Image, region: Size, buffer: Memory, offset: int) -> None:
    size = region[0] * region[1] * region[2] * image.format.pixel_bytes
    if offset + size > buffer.size:
        raise CLError(
            CL_INVALID_VALUE,
            f"bytes {offset} to {offset + size} are outside a buffer of {buffer.size} bytes",
        )


def to_buffer(
    queue: CommandQueue,
    source: Image,
    destination: Memory,
    origin: Size,
    region: Size,
    offset: int,
    wait: Wait = (),
) -> Command:
    """Copy a region of an image to consecutive pixels in a buffer."""
    check_context(queue, source, destination)
    check_region(source, origin, region)
    _check_buffer(source, region, destination, offset)
    place, start = destination.address + offset, source.address + source.offset(origin)
    return queue.native.copy_rect(
        place, start, _bytes(source, region), _tight(source, region), source.steps, wait
    )


def from_buffer(
    queue: CommandQueue,
    source: Memory,
    destination: Image,
    offset: int,
    origin: Size,
    region: Size,
    wait: Wait = (),
) -> Command:
    """Copy consecutive pixels in a buffer to a region of an image."""
    check_context(queue, source, destination)
    check_region(destination, origin, region)
    _check_buffer(destination, region, source, offset)
    place, start = destination.address + destination.offset(origin), source.address + offset
    return queue.native.copy_rect(
        place, start, _bytes(destination, region), destination.steps, _tight(destination, region), wait
    )


def fill(
    queue: CommandQueue, image: Image, color: bytes, origin: Size, region: Size, wait: Wait = ()
) -> Command:
    """Set the pixels of a region to a colour: fill the first row, copy it to the first slice, then that."""
    check_context(queue, image)
    check_region(image, origin, region)
    row, rows, slices = _bytes(image, region)
    start = image.address + image.offset(origin)
    row_step, slice_step = image.steps
    command = queue.native.fill(start, image.format.pixel(color), row, wait)
    if rows > 1:
        box, to = (row, rows - 1, 1), start + row_step
        command = queue.native.copy_rect(to, start, box, image.steps, (0, 0), [command])
    if slices > 1:
        box, to = (row, rows, slices - 1), start + slice_step
        command = queue.native.copy_rect(to, start, box, image.steps, (row_step, 0), [command])
    return command


def map_image(
    queue: CommandQueue, image: Image, flags: int, origin: Size, region: Size, wait: Wait = ()
) -> tuple[int, Command]:
    """Map a region; return the address of its first pixel, and the command to wait for before using it."""
    check_context(queue, image)
    check_map_flags(flags)
    check_region(image, origin, region)
    return start_mapping(queue, image, flags, image.offset(origin), _bytes(image, region), image.steps, wait)


def _check_pointer(pointer: int) -> None:
    if not pointer:
        raise CLError(CL_INVALID_VALUE, "the host pointer is NULL")
