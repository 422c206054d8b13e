"""Transfers between buffers and host memory: their bounds, overlaps and commands."""

from collections.abc import Sequence

from weft.dataclasses import dataclass
from weft.device.base import Command
from weft.device.residency import DEVICE, DEVICE_UNDEFINED, HOME_READ, HOME_UNDEFINED, HOME_WRITE
from weft.runtime.codes import (
    CL_INVALID_CONTEXT,
    CL_INVALID_VALUE,
    CL_MAP_READ,
    CL_MAP_WRITE,
    CL_MAP_WRITE_INVALIDATE_REGION,
    CL_MEM_COPY_OVERLAP,
)
from weft.runtime.errors import CLError
from weft.runtime.memory import MappedPart, Memory
from weft.runtime.objects import lock
from weft.runtime.queue import CommandQueue

Size = tuple[int, int, int]
Wait = Sequence[Command]
PATTERN_SIZES = (1, 2, 4, 8, 16, 32, 64, 128)


def check_context(queue: CommandQueue, *memories: Memory) -> None:
    """Raise unless the memory objects belong to the queue's context."""
    for memory in memories:
        if memory.context is not queue.context:
            raise CLError(CL_INVALID_CONTEXT, "memory object and queue belong to different contexts")


def check_range(memory: Memory, offset: int, size: int) -> None:
    """Raise unless bytes [offset, offset + size) are inside the buffer and not empty."""
    if size == 0:
        raise CLError(CL_INVALID_VALUE, "size of a transfer must be at least 1, got 0")
    if offset + size > memory.size:
        raise CLError(
            CL_INVALID_VALUE,
            f"bytes {offset} to {offset + size} are outside a buffer of {memory.size} bytes",
        )


def _overlap(a: int, b: int, size: int) -> bool:
    return a < b + size and b < a + size


def read(
    queue: CommandQueue, memory: Memory, offset: int, size: int, pointer: int, wait: Wait = ()
) -> Command:
    """Copy a range of a buffer to host memory."""
    check_context(queue, memory)
    check_range(memory, offset, size)
    _check_pointer(pointer)
    memory.check_host_read()
    return queue.native.copy(pointer, memory.address + offset, size, wait)


def write(
    queue: CommandQueue, memory: Memory, offset: int, size: int, pointer: int, wait: Wait = ()
) -> Command:
    """Copy host memory to a range of a buffer."""
    check_context(queue, memory)
    check_range(memory, offset, size)
    _check_pointer(pointer)
    memory.check_host_write()
    return queue.native.copy(memory.address + offset, pointer, size, wait)


def copy(
    queue: CommandQueue,
    source: Memory,
    destination: Memory,
    source_offset: int,
    destination_offset: int,
    size: int,
    wait: Wait = (),
) -> Command:
    """Copy between two buffers, or within one if the ranges do not overlap."""
    check_context(queue, source, destination)
    check_range(source, source_offset, size)
    check_range(destination, destination_offset, size)
    a, b = source.address + source_offset, destination.address + destination_offset
    if _overlap(a, b, size):
        raise CLError(CL_MEM_COPY_OVERLAP, "source and destination overlap")
    return queue.native.copy(b, a, size, wait)


def fill(
    queue: CommandQueue, memory: Memory, pattern: bytes, offset: int, size: int, wait: Wait = ()
) -> Command:
    """Repeat `pattern` over a range of a buffer, which may be empty."""
    check_context(queue, memory)
    if len(pattern) not in PATTERN_SIZES:
        raise CLError(CL_INVALID_VALUE, f"pattern size must be one of {PATTERN_SIZES}, got {len(pattern)}")
    if offset % len(pattern) or size % len(pattern):
        raise CLError(
            CL_INVALID_VALUE, f"offset {offset} or size {size} is not a multiple of the pattern size"
        )
    if size:
        check_range(memory, offset, size)
    elif offset > memory.size:
        raise CLError(CL_INVALID_VALUE, f"offset {offset} is outside a buffer of {memory.size} bytes")
    if not size:
        return queue.nothing(wait)
    return queue.native.fill(memory.address + offset, pattern, size, wait)


def _check_pointer(pointer: int) -> None:
    if not pointer:
        raise CLError(CL_INVALID_VALUE, "the host pointer is NULL")


@dataclass(frozen=True)
class Box:
    """A rectangular region in linear memory: the offset of its first byte, and its pitches in bytes."""

    start: int
    row_pitch: int
    slice_pitch: int

    @classmethod
    def make(cls, origin: Size, region: Size, row_pitch: int, slice_pitch: int) -> "Box":
        """Create the box at `origin`. Pitches of 0 mean tightly packed rows and slices."""
        if 0 in region:
            raise CLError(CL_INVALID_VALUE, f"region {region} is empty")
        row = row_pitch or region[0]
        if row < region[0]:
            raise CLError(CL_INVALID_VALUE, f"row pitch {row} is less than a row of {region[0]} bytes")
        tight = region[1] * row
        slice_ = slice_pitch or tight
        if slice_ < tight or slice_ % row:
            raise CLError(
                CL_INVALID_VALUE, f"slice pitch {slice_} is less than {tight} or not a multiple of {row}"
            )
        return cls(origin[0] + origin[1] * row + origin[2] * slice_, row, slice_)

    def extent(self, region: Size) -> int:
        """Return the number of bytes from the first to the last byte of the region."""
        return (region[2] - 1) * self.slice_pitch + (region[1] - 1) * self.row_pitch + region[0]

    def check_inside(self, memory: Memory, region: Size) -> None:
        """Raise unless the region is inside the buffer."""
        end = self.start + self.extent(region)
        if end > memory.size:
            raise CLError(CL_INVALID_VALUE, f"the region ends at byte {end} of a buffer of {memory.size}")

    @property
    def pitches(self) -> tuple[int, int]:
        """Row and slice pitch."""
        return self.row_pitch, self.slice_pitch


def read_rect(
    queue: CommandQueue, memory: Memory, box: Box, host: Box, region: Size, pointer: int, wait: Wait = ()
) -> Command:
    """Copy a region of a buffer to a region of host memory."""
    check_context(queue, memory)
    _check_pointer(pointer)
    box.check_inside(memory, region)
    memory.check_host_read()
    return queue.native.copy_rect(
        pointer + host.start, memory.address + box.start, region, host.pitches, box.pitches, wait
    )


def write_rect(
    queue: CommandQueue, memory: Memory, box: Box, host: Box, region: Size, pointer: int, wait: Wait = ()
) -> Command:
    """Copy a region of host memory to a region of a buffer."""
    check_context(queue, memory)
    _check_pointer(pointer)
    box.check_inside(memory, region)
    memory.check_host_write()
    return queue.native.copy_rect(
        memory.address + box.start, pointer + host.start, region, box.pitches, host.pitches, wait
    )


def copy_rect(
    queue: CommandQueue,
    source: Memory,
    destination: Memory,
    source_box: Box,
    destination_box: Box,
    region: Size,
    wait: Wait = (),
) -> Command:
    """Copy a region of one buffer to a region of another."""
    check_context(queue, source, destination)
    source_box.check_inside(source, region)
    destination_box.check_inside(destination, region)
    _check_same_buffer(source, destination, source_box, destination_box, region)
    return queue.native.copy_rect(
        destination.address + destination_box.start,
        source.address + source_box.start,
        region,
        destination_box.pitches,
        source_box.pitches,
        wait,
    )


def _check_same_buffer(source: Memory, destination: Memory, a: Box, b: Box, region: Size) -> None:
    """Raise if regions of one buffer overlap, or have different pitches there.

    Regions of sub-buffers of one buffer may have different pitches; then their extents are compared.
    """
    if source is destination and a.pitches != b.pitches:
        raise CLError(CL_INVALID_VALUE, "a copy within one buffer requires equal pitches")
    first, second = source.address + a.start, destination.address + b.start
    low, high = min(first, second), max(first, second)
    extent = a.extent(region) if low == first else b.extent(region)
    if high >= low + extent:
        return
    if a.pitches != b.pitches or _boxes_overlap(high - low, a.row_pitch, a.slice_pitch, region):
        raise CLError(CL_MEM_COPY_OVERLAP, "source and destination regions overlap")


def _boxes_overlap(distance: int, row_pitch: int, slice_pitch: int, region: Size) -> bool:
    """Whether two boxes of the same size overlap if one starts `distance` bytes after the other.

    The second box may start further right (x < row pitch) or, relative to the next row, further left. The
    same applies to rows in slices.
    """
    slices, in_slice = divmod(distance, slice_pitch)
    for z, rest in ((slices, in_slice), (slices + 1, in_slice - slice_pitch)):
        if z >= region[2]:
            continue
        rows, x = divmod(rest, row_pitch)
        for y, column in ((rows, x), (rows + 1, x - row_pitch)):
            if abs(y) < region[1] and abs(column) < region[0]:
                return True
    return False


def map_buffer(
    queue: CommandQueue, memory: Memory, flags: int, offset: int, size: int, wait: Wait = ()
) -> tuple[int, Command]:
    """Map a range; return its address in host memory, and the command to wait for before using it."""
    check_context(queue, memory)
    check_map_flags(flags)
    check_range(memory, offset, size)
    return start_mapping(queue, memory, flags, offset, (size, 1, 1), (size, size), wait)


def check_map_flags(flags: int) -> None:
    """Raise unless the flags are a valid combination of map flags."""
    known = CL_MAP_READ | CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION
    if flags & ~known or (flags & CL_MAP_WRITE_INVALIDATE_REGION and flags & (CL_MAP_READ | CL_MAP_WRITE)):
        raise CLError(CL_INVALID_VALUE, f"{flags:#x} are not map flags")


def start_mapping(
    queue: CommandQueue,
    memory: Memory,
    flags: int,
    offset: int,
    region: Size,
    pitches: tuple[int, int],
    wait: Wait,
) -> tuple[int, Command]:
    """Map a region that starts at `offset`; raises if the host may not access it as the flags request."""
    if flags & CL_MAP_READ:
        memory.check_host_read()
    if flags & (CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION):
        memory.check_host_write()
    address = memory.mapped_address(memory.address + offset)
    part = MappedPart(region, pitches, bool(flags & (CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION)))
    if not memory.is_mirrored and memory.context.residency is not None:
        mode = HOME_UNDEFINED if flags & CL_MAP_WRITE_INVALIDATE_REGION else HOME_READ
        mode = HOME_WRITE if mode == HOME_READ and part.writable else mode
        extent = Box(0, *pitches).extent(region)
        # The client does not write the bytes between the rows of a region.
        mode = HOME_WRITE if mode == HOME_UNDEFINED and extent != region[0] else mode
        command = queue.native.migrate(address, extent, mode, wait)
    elif memory.is_mirrored and not flags & CL_MAP_WRITE_INVALIDATE_REGION:
        command = queue.native.copy_rect(address, memory.address + offset, region, pitches, pitches, wait)
    else:
        command = queue.nothing(wait)
    with lock:
        if memory.is_mirrored:
            memory.mapped_parts.setdefault(address, []).append(part)
        memory.map_count += 1
        if address in memory.mappings:
            memory.mappings[address] += 1
        else:
            memory.mappings[address] = 1
    return address, command


def unmap(queue: CommandQueue, memory: Memory, address: int, wait: Wait = ()) -> Command:
    """Undo one mapping at `address`."""
    check_context(queue, memory)
    with lock:
        # The client does not say which of several mappings at one address it ends.
        parts = list(memory.mapped_parts.get(address, ()))
        if address not in memory.mappings:
            raise CLError(CL_INVALID_VALUE, f"{address:#x} is not a mapped address of this memory object")
        memory.map_count -= 1
        memory.mappings[address] -= 1
        if not memory.mappings[address]:
            del memory.mappings[address]
            memory.mapped_parts.pop(address, None)
    place = address - memory.host_pointer + memory.address
    command: Command | None = None
    for part in parts:
        if part.writable:
            before = wait if command is None else (command,)
            command = queue.native.copy_rect(place, address, part.region, part.pitches, part.pitches, before)
    return queue.nothing(wait) if command is None else command


def migrate(
    queue: CommandQueue, memories: Sequence[Memory], to_host: bool, undefined: bool, wait: Wait = ()
) -> Command:
    """Move memory objects to the host or to the queue's device; if `undefined`, without their contents."""
    check_context(queue, *memories)
    if queue.context.residency is None:
        return queue.nothing(wait)
    if to_host:
        mode = HOME_UNDEFINED if undefined else HOME_READ
    else:
        mode = DEVICE_UNDEFINED if undefined else DEVICE
    return _chain(queue, memories, mode, wait)


def for_host_function(queue: CommandQueue, memories: Sequence[Memory], wait: Wait) -> Wait:
    """Return the wait list of a host function that may read and write the memory objects.

    If the context has copies, it is a migration of the objects to the home memory.
    """
    if queue.context.residency is None or not memories:
        return wait
    return [_chain(queue, memories, HOME_WRITE, wait)]


def _chain(queue: CommandQueue, memories: Sequence[Memory], mode: int, wait: Wait) -> Command:
    """Enqueue migrations sequentially and return the last of them."""
    for memory in memories:
        command = queue.native.migrate(memory.address, memory.size, mode, wait)
        wait = (command,)
    return command
