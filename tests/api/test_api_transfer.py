"""Reads, writes, copies, fills, rectangles and mappings."""

import numpy as np
import pytest
from api_support import NULL, World, address, call, check, create, ffi, handles, number, refused, sizes

from weft.api import constants as c


def _place(size: int) -> tuple[object, int]:
    place = ffi.new("char[]", size)
    return place, address(place)


@pytest.mark.parametrize("blocking", [0, 1])
def test_write_then_read_gives_the_same_bytes(world: World, blocking: int) -> None:
    buffer = world.buffer(100)
    data = bytes(range(50))
    source = ffi.new("char[]", data)
    check("clEnqueueWriteBuffer", world.queue, buffer, blocking, 25, 50, address(source), 0, NULL, NULL)
    target, at = _place(50)
    check("clEnqueueReadBuffer", world.queue, buffer, blocking, 25, 50, at, 0, NULL, NULL)
    check("clFinish", world.queue)
    assert bytes(ffi.buffer(target)) == data


@pytest.mark.parametrize("name", ["clEnqueueReadBuffer", "clEnqueueWriteBuffer"])
def test_transfers_check_their_parameters(world: World, name: str) -> None:
    buffer = world.buffer(100)
    other = World()
    _keep, at = _place(100)
    strange = handles(other.user_event())
    event = handles(world.user_event())
    for queue, memory, offset, size, pointer, count, events, code in (
        (0, buffer, 0, 4, at, 0, NULL, c.CL_INVALID_COMMAND_QUEUE),
        (world.queue, 0, 0, 4, at, 0, NULL, c.CL_INVALID_MEM_OBJECT),
        (world.queue, world.queue, 0, 4, at, 0, NULL, c.CL_INVALID_MEM_OBJECT),
        (other.queue, buffer, 0, 4, at, 0, NULL, c.CL_INVALID_CONTEXT),
        (world.queue, buffer, 97, 4, at, 0, NULL, c.CL_INVALID_VALUE),
        (world.queue, buffer, 2**64 - 2, 4, at, 0, NULL, c.CL_INVALID_VALUE),
        (world.queue, buffer, 0, 2**64 - 1, at, 0, NULL, c.CL_INVALID_VALUE),
        (world.queue, buffer, 0, 0, at, 0, NULL, c.CL_INVALID_VALUE),
        (world.queue, buffer, 0, 4, 0, 0, NULL, c.CL_INVALID_VALUE),
        (world.queue, buffer, 0, 4, at, 1, NULL, c.CL_INVALID_EVENT_WAIT_LIST),
        (world.queue, buffer, 0, 4, at, 0, event, c.CL_INVALID_EVENT_WAIT_LIST),
        (world.queue, buffer, 0, 4, at, 1, handles(5), c.CL_INVALID_EVENT_WAIT_LIST),
        (world.queue, buffer, 0, 4, at, 1, strange, c.CL_INVALID_CONTEXT),
    ):
        assert call(name, queue, memory, 1, offset, size, pointer, count, events, NULL) == code
    other.close()


def test_host_access_flags_are_enforced(world: World) -> None:
    place, at = _place(8)
    write_only = world.buffer(8, c.CL_MEM_HOST_WRITE_ONLY)
    read_only = world.buffer(8, c.CL_MEM_HOST_READ_ONLY)
    none = world.buffer(8, c.CL_MEM_HOST_NO_ACCESS)
    region, origin = sizes(8, 1, 1), sizes(0, 0, 0)

    def attempts(buffer: int) -> list[int]:
        rest = (0, 0, 0, 0, at, 0, NULL, NULL)
        codes = [
            call("clEnqueueReadBuffer", world.queue, buffer, 1, 0, 8, at, 0, NULL, NULL),
            call("clEnqueueReadBufferRect", world.queue, buffer, 1, origin, origin, region, *rest),
            call("clEnqueueWriteBuffer", world.queue, buffer, 1, 0, 8, at, 0, NULL, NULL),
            call("clEnqueueWriteBufferRect", world.queue, buffer, 1, origin, origin, region, *rest),
        ]
        for flags in (c.CL_MAP_READ, c.CL_MAP_WRITE, c.CL_MAP_WRITE_INVALIDATE_REGION):
            code = ffi.new("int32_t *")
            from api_support import ENTRIES

            ENTRIES["clEnqueueMapBuffer"](world.queue, buffer, 1, flags, 0, 8, 0, NULL, NULL, code)
            codes.append(code[0])
        return codes

    ok, bad = c.CL_SUCCESS, c.CL_INVALID_OPERATION
    assert attempts(write_only) == [bad, bad, ok, ok, bad, ok, ok]
    assert attempts(read_only) == [ok, ok, bad, bad, ok, bad, bad]
    assert attempts(none) == [bad] * 7
    assert place is not None


def test_copy_moves_bytes_between_buffers(world: World) -> None:
    source, target = world.filled(b"abcdefgh"), world.filled(b"........")
    check("clEnqueueCopyBuffer", world.queue, source, target, 2, 4, 3, 0, NULL, NULL)
    assert world.contents(target) == b"....cde."
    check("clEnqueueCopyBuffer", world.queue, source, source, 0, 4, 4, 0, NULL, NULL)
    assert world.contents(source) == b"abcdabcd"


def test_copy_checks_its_parameters(world: World) -> None:
    a, b = world.buffer(512), world.buffer(512)
    region = sizes(128, 128)
    sub = create("clCreateSubBuffer", a, 0, c.CL_BUFFER_CREATE_TYPE_REGION, address(region))
    other = World()
    foreign = other.buffer(512)
    for source, target, source_offset, target_offset, size, code in (
        (a, b, 500, 0, 13, c.CL_INVALID_VALUE),
        (a, b, 0, 500, 13, c.CL_INVALID_VALUE),
        (a, b, 0, 0, 0, c.CL_INVALID_VALUE),
        (a, a, 0, 7, 8, c.CL_MEM_COPY_OVERLAP),
        (a, a, 7, 0, 8, c.CL_MEM_COPY_OVERLAP),
        (sub, a, 0, 100, 64, c.CL_MEM_COPY_OVERLAP),
        (a, 0, 0, 0, 1, c.CL_INVALID_MEM_OBJECT),
        (0, b, 0, 0, 1, c.CL_INVALID_MEM_OBJECT),
        (a, foreign, 0, 0, 1, c.CL_INVALID_CONTEXT),
        (a, a, 0, 8, 8, c.CL_SUCCESS),
        (sub, a, 0, 64, 64, c.CL_SUCCESS),
    ):
        arguments = (source, target, source_offset, target_offset, size, 0, NULL, NULL)
        assert call("clEnqueueCopyBuffer", world.queue, *arguments) == code
    other.close()


@pytest.mark.parametrize("size", [1, 2, 4, 8, 16, 32, 64, 128])
def test_fill_repeats_patterns_of_all_sizes(world: World, size: int) -> None:
    buffer = world.filled(bytes(512))
    pattern = bytes(range(1, size + 1))
    place = ffi.new("char[]", pattern)
    check("clEnqueueFillBuffer", world.queue, buffer, address(place), size, size, 256, 0, NULL, NULL)
    assert world.contents(buffer) == (bytes(size) + pattern * (256 // size)).ljust(512, b"\0")


def test_fill_checks_its_parameters(world: World) -> None:
    buffer = world.buffer(64)
    _keep, at = _place(256)
    for pattern, pattern_size, offset, size, code in (
        (0, 4, 0, 64, c.CL_INVALID_VALUE),
        (at, 0, 0, 64, c.CL_INVALID_VALUE),
        (at, 3, 0, 63, c.CL_INVALID_VALUE),
        (at, 256, 0, 64, c.CL_INVALID_VALUE),
        (at, 4, 2, 4, c.CL_INVALID_VALUE),
        (at, 4, 0, 6, c.CL_INVALID_VALUE),
        (at, 4, 4, 64, c.CL_INVALID_VALUE),
        (at, 4, 68, 0, c.CL_INVALID_VALUE),
        (at, 4, 64, 0, c.CL_SUCCESS),
    ):
        arguments = (buffer, pattern, pattern_size, offset, size, 0, NULL, NULL)
        assert call("clEnqueueFillBuffer", world.queue, *arguments) == code


def test_rect_transfers_move_boxes(world: World) -> None:
    volume = np.arange(8 * 10 * 12, dtype=np.uint8).reshape(8, 10, 12)
    buffer = world.filled(volume.tobytes())
    origin, zero, region = sizes(3, 2, 1), sizes(0, 0, 0), sizes(5, 4, 3)
    out = np.zeros((3, 4, 5), np.uint8)
    pitches = (12, 120, 0, 0)
    rest = (*pitches, out.ctypes.data, 0, NULL, NULL)
    check("clEnqueueReadBufferRect", world.queue, buffer, 1, origin, zero, region, *rest)
    assert (out == volume[1:4, 2:6, 3:8]).all()
    out[:] = 7
    check("clEnqueueWriteBufferRect", world.queue, buffer, 1, origin, zero, region, *rest)
    volume[1:4, 2:6, 3:8] = 7
    assert world.contents(buffer) == volume.tobytes()
    target = world.filled(bytes(volume.size))
    check(
        "clEnqueueCopyBufferRect",
        world.queue,
        buffer,
        target,
        origin,
        zero,
        region,
        12,
        120,
        5,
        20,
        0,
        NULL,
        NULL,
    )
    assert world.contents(target)[:60] == bytes([7] * 60)


def test_rect_transfers_check_their_parameters(world: World) -> None:
    buffer = world.buffer(1000)
    _keep, at = _place(4000)
    zero = sizes(0, 0, 0)
    for origin, region, row, slice_, pointer, code in (
        (zero, sizes(10, 10, 10), 0, 0, at, c.CL_SUCCESS),
        (zero, sizes(10, 10, 11), 0, 0, at, c.CL_INVALID_VALUE),
        (sizes(0, 0, 1), sizes(10, 10, 10), 0, 0, at, c.CL_INVALID_VALUE),
        (zero, sizes(0, 10, 10), 0, 0, at, c.CL_INVALID_VALUE),
        (zero, sizes(10, 10, 2), 9, 0, at, c.CL_INVALID_VALUE),
        (zero, sizes(10, 10, 2), 10, 99, at, c.CL_INVALID_VALUE),
        (zero, sizes(10, 10, 2), 10, 105, at, c.CL_INVALID_VALUE),
        (zero, sizes(10, 10, 2), 10, 110, at, c.CL_SUCCESS),
        (zero, sizes(10, 10, 2), 0, 0, 0, c.CL_INVALID_VALUE),
        (NULL, sizes(10, 10, 2), 0, 0, at, c.CL_INVALID_VALUE),
        (zero, NULL, 0, 0, at, c.CL_INVALID_VALUE),
        (sizes(2**64 - 1, 0, 0), sizes(2, 1, 1), 0, 0, at, c.CL_INVALID_VALUE),
        (sizes(0, 2**63, 2**63), sizes(2, 1, 1), 0, 0, at, c.CL_INVALID_VALUE),
    ):
        for name in ("clEnqueueReadBufferRect", "clEnqueueWriteBufferRect"):
            rest = (row, slice_, 0, 0, pointer, 0, NULL, NULL)
            assert call(name, world.queue, buffer, 1, origin, zero, region, *rest) == code


@pytest.mark.parametrize(
    ("a", "b", "region", "overlaps"),
    [
        ((0, 0, 0), (4, 0, 0), (4, 4, 4), False),  # side by side in a row
        ((0, 0, 0), (3, 0, 0), (4, 4, 4), True),
        ((0, 0, 0), (0, 4, 0), (8, 4, 4), False),  # one above the other
        ((0, 0, 0), (0, 3, 0), (8, 4, 4), True),
        ((0, 0, 0), (0, 0, 4), (8, 8, 4), False),
        ((0, 0, 0), (0, 0, 3), (8, 8, 4), True),
        ((4, 0, 0), (0, 1, 0), (4, 4, 4), False),  # the second starts left of the first, a row later
        ((4, 1, 0), (1, 0, 1), (4, 4, 4), True),
    ],
)
def test_rect_copy_inside_one_buffer_finds_overlaps(
    world: World, a: tuple, b: tuple, region: tuple, overlaps: bool
) -> None:
    buffer = world.buffer(8 * 8 * 8)
    for first, second in ((a, b), (b, a)):
        arguments = (sizes(*first), sizes(*second), sizes(*region), 8, 64, 8, 64, 0, NULL, NULL)
        code = call("clEnqueueCopyBufferRect", world.queue, buffer, buffer, *arguments)
        assert code == (c.CL_MEM_COPY_OVERLAP if overlaps else c.CL_SUCCESS)


def test_rect_copy_inside_one_buffer_needs_equal_pitches(world: World) -> None:
    buffer = world.buffer(512)
    arguments = (sizes(0, 0, 0), sizes(0, 0, 4), sizes(4, 4, 1), 8, 64, 16, 64, 0, NULL, NULL)
    assert call("clEnqueueCopyBufferRect", world.queue, buffer, buffer, *arguments) == c.CL_INVALID_VALUE


def test_mapping_is_the_memory_itself_and_is_counted(world: World) -> None:
    buffer = world.filled(b"abcdefgh")
    first = create("clEnqueueMapBuffer", world.queue, buffer, 1, c.CL_MAP_WRITE, 2, 4, 0, NULL, NULL)
    second = create("clEnqueueMapBuffer", world.queue, buffer, 1, c.CL_MAP_READ, 2, 2, 0, NULL, NULL)
    assert first == second
    assert number("clGetMemObjectInfo", buffer, c.CL_MEM_MAP_COUNT) == 2
    ffi.cast("char *", first)[0] = b"X"
    assert world.contents(buffer) == b"abXdefgh"
    for _ in range(2):
        check("clEnqueueUnmapMemObject", world.queue, buffer, first, 0, NULL, NULL)
    assert number("clGetMemObjectInfo", buffer, c.CL_MEM_MAP_COUNT) == 0
    gone = call("clEnqueueUnmapMemObject", world.queue, buffer, first, 0, NULL, NULL)
    assert gone == c.CL_INVALID_VALUE


def test_mapping_checks_its_parameters(world: World) -> None:
    buffer = world.buffer(64)
    for flags, offset, size in (
        (1 << 10, 0, 4),
        (c.CL_MAP_READ | c.CL_MAP_WRITE_INVALIDATE_REGION, 0, 4),
        (c.CL_MAP_READ, 61, 4),
        (c.CL_MAP_READ, 0, 0),
    ):
        arguments = (buffer, 1, flags, offset, size, 0, NULL, NULL)
        assert refused("clEnqueueMapBuffer", world.queue, *arguments) == c.CL_INVALID_VALUE
    assert call("clEnqueueUnmapMemObject", world.queue, 0, 8, 0, NULL, NULL) == c.CL_INVALID_MEM_OBJECT


def test_migration_is_an_ordered_no_operation(world: World) -> None:
    buffer = world.buffer(64)
    event = handles(0)
    check("clEnqueueMigrateMemObjects", world.queue, 1, handles(buffer), 1, 0, NULL, event)
    check("clWaitForEvents", 1, event)
    kind = number("clGetEventInfo", event[0], c.CL_EVENT_COMMAND_TYPE)
    assert kind == c.CL_COMMAND_MIGRATE_MEM_OBJECTS
    for count, memories, flags, code in (
        (0, NULL, 0, c.CL_INVALID_VALUE),
        (1, NULL, 0, c.CL_INVALID_VALUE),
        (1, handles(3), 0, c.CL_INVALID_MEM_OBJECT),
        (1, handles(buffer), 8, c.CL_INVALID_VALUE),
    ):
        arguments = (count, memories, flags, 0, NULL, NULL)
        assert call("clEnqueueMigrateMemObjects", world.queue, *arguments) == code
