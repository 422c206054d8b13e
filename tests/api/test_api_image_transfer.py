"""Reading, writing, copying, filling and mapping images, compared with numpy."""

import numpy as np
import pytest
from api_support import NULL, World, address, attempt, call, check, create, ffi, number, sizes
from image_support import BOXES, FORMAT, KINDS, description, format_of, image, read, write

from weft.api import constants as c

ORIGIN = (0, 0, 0)


def pixels(kind: str, seed: int = 0) -> np.ndarray:
    """Random pixels of the small image of a kind, as (z, y, x) of uint32."""
    x, y, z = BOXES[kind]
    return np.random.default_rng(seed).integers(0, 2**32, (z, y, x), np.uint32)


def filled(world: World, kind: str, data: np.ndarray, flags: int = 0) -> int:
    made = image(world, kind, flags=flags)
    write(world, made, data.tobytes(), ORIGIN, BOXES[kind])
    return made


def part(data: np.ndarray, origin: tuple[int, ...], region: tuple[int, ...]) -> np.ndarray:
    x, y, z = origin
    w, h, d = region
    return data[z : z + d, y : y + h, x : x + w]


def inner(kind: str) -> tuple[tuple[int, int, int], tuple[int, int, int]]:
    """Origin and region of a part of the image that touches no edge where there is room."""
    box = BOXES[kind]
    origin = tuple(1 if n > 1 else 0 for n in box)
    return origin, tuple(max(1, n - 2) for n in box)  # type: ignore[return-value]


def triples(*values: tuple[int, ...]) -> list[object]:
    return [sizes(*value) for value in values]


@pytest.mark.parametrize("kind", list(KINDS))
def test_a_region_is_read_and_written_with_pitches(world: World, kind: str) -> None:
    data = pixels(kind)
    made = filled(world, kind, data)
    origin, region = inner(kind)
    assert read(world, made, origin, region) == part(data, origin, region).tobytes()
    row, layered = 4 * region[0] + 8, kind == "1d_array"
    slices = 0 if kind in ("1d", "2d") else row + 4 if layered else row * region[1] + 12
    steps = (slices, 0) if layered else (row, slices)
    place = np.zeros(2000, np.uint8)
    pointer = int(place.ctypes.data)
    arguments = (*triples(origin, region), row, slices, pointer, 0, NULL, NULL)
    check("clEnqueueReadImage", world.queue, made, 1, *arguments)
    for z in range(region[2]):
        for y in range(region[1]):
            start = y * steps[0] + z * steps[1]
            got = place[start : start + 4 * region[0]].view(np.uint32)
            np.testing.assert_array_equal(got, part(data, origin, region)[z, y])
    place = 255 - place
    pointer = int(place.ctypes.data)
    arguments = (*triples(origin, region), row, slices, pointer, 0, NULL, NULL)
    check("clEnqueueWriteImage", world.queue, made, 1, *arguments)
    part(data, origin, region)[:] ^= 0xFFFFFFFF
    assert read(world, made, ORIGIN, BOXES[kind]) == data.tobytes()


@pytest.mark.parametrize("name", ["clEnqueueReadImage", "clEnqueueWriteImage"])
def test_wrong_transfers(world: World, name: str) -> None:
    place = ffi.new("char[]", 4096)

    def code(made: int, origin: tuple[int, ...], region: tuple[int, ...], *pitches: int) -> int:
        row, slices = pitches or (0, 0)
        return call(
            name, world.queue, made, 1, *triples(origin, region), row, slices, address(place), 0, NULL, NULL
        )

    flat, cube, line = image(world, "2d"), image(world, "3d"), image(world, "1d")
    for made, origin, region in (
        (flat, (0, 0, 0), (7, 5, 1)),
        (flat, (1, 0, 0), (6, 5, 1)),
        (flat, (0, 0, 1), (6, 5, 1)),
        (flat, (0, 0, 0), (6, 5, 2)),
        (flat, (0, 0, 0), (6, 0, 1)),
        (flat, (2**64 - 1, 0, 0), (2, 1, 1)),
        (cube, (0, 0, 1), (6, 5, 4)),
        (line, (0, 1, 0), (1, 1, 1)),
    ):
        assert code(made, origin, region) == c.CL_INVALID_VALUE
    assert code(flat, ORIGIN, (6, 5, 1), 23, 0) == c.CL_INVALID_VALUE
    assert code(flat, ORIGIN, (6, 5, 1), 0, 1000) == c.CL_INVALID_VALUE
    assert code(cube, ORIGIN, (6, 5, 4), 0, 119) == c.CL_INVALID_VALUE
    whole = triples(ORIGIN, (6, 5, 1))
    null = call(name, world.queue, flat, 1, *whole, 0, 0, 0, 0, NULL, NULL)
    assert null == c.CL_INVALID_VALUE
    for origin, region in ((NULL, whole[1]), (whole[0], NULL)):
        null = call(name, world.queue, flat, 1, origin, region, 0, 0, address(place), 0, NULL, NULL)
        assert null == c.CL_INVALID_VALUE
    other = World()
    foreign = image(other)
    assert code(foreign, ORIGIN, (1, 1, 1)) == c.CL_INVALID_CONTEXT
    other.close()


@pytest.mark.parametrize(
    ("flag", "reads", "writes"),
    [
        (c.CL_MEM_HOST_WRITE_ONLY, False, True),
        (c.CL_MEM_HOST_READ_ONLY, True, False),
        (c.CL_MEM_HOST_NO_ACCESS, False, False),
    ],
)
def test_the_host_has_the_access_it_asked_for(world: World, flag: int, reads: bool, writes: bool) -> None:
    made = image(world, flags=flag)
    place = ffi.new("char[]", 4)
    rest = (*triples(ORIGIN, (1, 1, 1)), 0, 0, address(place), 0, NULL, NULL)
    expected = {True: c.CL_SUCCESS, False: c.CL_INVALID_OPERATION}
    assert call("clEnqueueReadImage", world.queue, made, 1, *rest) == expected[reads]
    assert call("clEnqueueWriteImage", world.queue, made, 1, *rest) == expected[writes]
    pitch = ffi.new("size_t *")
    for flags, may in ((c.CL_MAP_READ, reads), (c.CL_MAP_WRITE, writes)):
        region = triples(ORIGIN, (1, 1, 1))
        _, code = attempt(
            "clEnqueueMapImage", world.queue, made, 1, flags, *region, pitch, NULL, 0, NULL, NULL
        )
        assert code == expected[may]


@pytest.mark.parametrize("target", list(KINDS))
@pytest.mark.parametrize("source", list(KINDS))
def test_copies_between_kinds_of_images(world: World, source: str, target: str) -> None:
    a, b = pixels(source, 1), pixels(target, 2)
    first, second = filled(world, source, a), filled(world, target, b)
    from_origin, to_origin = inner(source)[0], inner(target)[0]
    region = tuple(
        min(n - i, m - j)
        for n, m, i, j in zip(BOXES[source], BOXES[target], from_origin, to_origin, strict=True)
    )
    places = triples(from_origin, to_origin, region)
    check("clEnqueueCopyImage", world.queue, first, second, *places, 0, NULL, NULL)
    part(b, to_origin, region)[:] = part(a, from_origin, region)
    assert read(world, second, ORIGIN, BOXES[target]) == b.tobytes()


def test_copies_that_overlap_or_do_not_match(world: World) -> None:
    data = pixels("2d")
    made = filled(world, "2d", data)

    def code(source: int, target: int, *places: tuple[int, ...]) -> int:
        return call("clEnqueueCopyImage", world.queue, source, target, *triples(*places), 0, NULL, NULL)

    assert code(made, made, (0, 0, 0), (1, 1, 0), (2, 2, 1)) == c.CL_MEM_COPY_OVERLAP
    assert code(made, made, (0, 0, 0), (2, 0, 0), (2, 5, 1)) == c.CL_SUCCESS
    data[:, :, 2:4] = data[:, :, 0:2]
    assert read(world, made, ORIGIN, BOXES["2d"]) == data.tobytes()
    assert code(made, made, (0, 0, 0), (4, 0, 0), (3, 1, 1)) == c.CL_INVALID_VALUE
    other = image(world, format=(c.CL_RGBA, c.CL_UNORM_INT8))
    assert code(made, other, ORIGIN, ORIGIN, (1, 1, 1)) == c.CL_IMAGE_FORMAT_MISMATCH
    assert code(made, world.buffer(64), ORIGIN, ORIGIN, (1, 1, 1)) == c.CL_INVALID_MEM_OBJECT
    buffer = world.buffer(256)
    twins = [
        create(
            "clCreateImage", world.context, 0, format_of(*FORMAT),
            description(c.CL_MEM_OBJECT_IMAGE2D, 8, 8, memory=buffer), 0,
        )
        for _ in range(2)
    ]  # fmt: skip
    assert code(*twins, (0, 0, 0), (0, 1, 0), (8, 2, 1)) == c.CL_MEM_COPY_OVERLAP
    assert code(*twins, (0, 0, 0), (0, 2, 0), (8, 2, 1)) == c.CL_SUCCESS


@pytest.mark.parametrize("kind", list(KINDS))
def test_copies_between_images_and_buffers(world: World, kind: str) -> None:
    data = pixels(kind)
    made = filled(world, kind, data)
    origin, region = inner(kind)
    inside = part(data, origin, region).tobytes()
    buffer = world.filled(bytes(len(inside) + 8))
    places = triples(origin, region)
    check("clEnqueueCopyImageToBuffer", world.queue, made, buffer, *places, 8, 0, NULL, NULL)
    assert world.contents(buffer) == bytes(8) + inside
    code = call("clEnqueueCopyImageToBuffer", world.queue, made, buffer, *places, 9, 0, NULL, NULL)
    assert code == c.CL_INVALID_VALUE
    other = filled(world, kind, np.zeros_like(data))
    check("clEnqueueCopyBufferToImage", world.queue, buffer, other, 8, *places, 0, NULL, NULL)
    want = np.zeros_like(data)
    part(want, origin, region)[:] = part(data, origin, region)
    assert read(world, other, ORIGIN, BOXES[kind]) == want.tobytes()
    code = call("clEnqueueCopyBufferToImage", world.queue, buffer, other, 9, *places, 0, NULL, NULL)
    assert code == c.CL_INVALID_VALUE
    for wrong in (("clEnqueueCopyImageToBuffer", buffer, made), ("clEnqueueCopyImageToBuffer", made, other)):
        code = call(wrong[0], world.queue, *wrong[1:], *places, 0, 0, NULL, NULL)
        assert code == c.CL_INVALID_MEM_OBJECT


@pytest.mark.parametrize("kind", list(KINDS))
def test_a_region_is_filled(world: World, kind: str) -> None:
    data = pixels(kind)
    made = filled(world, kind, data)
    origin, region = inner(kind)
    color = ffi.new("uint32_t[]", [1, 2, 300, 4])
    check("clEnqueueFillImage", world.queue, made, address(color), *triples(origin, region), 0, NULL, NULL)
    part(data, origin, region)[:] = 0x04FF0201
    assert read(world, made, ORIGIN, BOXES[kind]) == data.tobytes()
    code = call("clEnqueueFillImage", world.queue, made, 0, *triples(origin, region), 0, NULL, NULL)
    assert code == c.CL_INVALID_VALUE
    outside = triples((6, 0, 0), (1, 1, 1))
    code = call("clEnqueueFillImage", world.queue, made, address(color), *outside, 0, NULL, NULL)
    assert code == c.CL_INVALID_VALUE


@pytest.mark.parametrize(
    ("format", "color", "want"),
    [
        ((c.CL_R, c.CL_UNORM_INT8), [0.5, 0, 0, 0], b"\x80"),
        ((c.CL_BGRA, c.CL_UNORM_INT8), [0, 0.2, 1, 2], b"\xff\x33\x00\xff"),
        ((c.CL_ARGB, c.CL_SNORM_INT8), [-1, 1, -2, float("nan")], b"\x80\x81\x7f\x80"),
        ((c.CL_RA, c.CL_UNORM_INT16), [1, 0, 0, float("-inf")], b"\xff\xff\x00\x00"),
        ((c.CL_A, c.CL_HALF_FLOAT), [0, 0, 0, 1e6], b"\x00\x7c"),
        ((c.CL_LUMINANCE, c.CL_FLOAT), [1.5, 0, 0, 0], b"\x00\x00\xc0\x3f"),
        ((c.CL_RGB, c.CL_UNORM_SHORT_565), [1, 0, 1, 0], b"\x1f\xf8"),
        ((c.CL_RGB, c.CL_UNORM_INT_101010), [0, 1, 0, 0], b"\x00\xfc\x0f\x00"),
        ((c.CL_RG, c.CL_SIGNED_INT16), [-40000, 7, 0, 0], b"\x00\x80\x07\x00"),
    ],
)
def test_colours_become_pixels(world: World, format: tuple[int, int], color: list, want: bytes) -> None:
    made = image(world, "1d", format)
    kind = "int32_t[]" if isinstance(color[0], int) and format[1] == c.CL_SIGNED_INT16 else "float[]"
    place = ffi.new(kind, color)
    check("clEnqueueFillImage", world.queue, made, address(place), *triples(ORIGIN, (6, 1, 1)), 0, NULL, NULL)
    assert read(world, made, ORIGIN, (6, 1, 1), len(want)) == want * 6


@pytest.mark.parametrize("kind", list(KINDS))
def test_a_mapped_region_is_the_memory_itself(world: World, kind: str) -> None:
    data = pixels(kind)
    made = filled(world, kind, data)
    origin, region = inner(kind)
    row, slices = ffi.new("size_t *", 1), ffi.new("size_t *", 1)
    flags = c.CL_MAP_READ | c.CL_MAP_WRITE
    places = triples(origin, region)
    mapped, code = attempt(
        "clEnqueueMapImage", world.queue, made, 1, flags, *places, row, slices, 0, NULL, NULL
    )
    assert code == c.CL_SUCCESS
    assert row[0] == number("clGetImageInfo", made, c.CL_IMAGE_ROW_PITCH)
    assert slices[0] == number("clGetImageInfo", made, c.CL_IMAGE_SLICE_PITCH)
    assert number("clGetMemObjectInfo", made, c.CL_MEM_MAP_COUNT) == 1
    first = ffi.cast("uint32_t *", mapped)
    assert first[0] == part(data, origin, region)[0, 0, 0]
    first[0] = 99
    check("clEnqueueUnmapMemObject", world.queue, made, mapped, 0, NULL, NULL)
    assert number("clGetMemObjectInfo", made, c.CL_MEM_MAP_COUNT) == 0
    part(data, origin, region)[0, 0, 0] = 99
    assert read(world, made, ORIGIN, BOXES[kind]) == data.tobytes()
    for wrong in ((flags, *places, NULL, slices), (1 << 5, *places, row, slices)):
        _, code = attempt("clEnqueueMapImage", world.queue, made, 1, *wrong, 0, NULL, NULL)
        assert code == c.CL_INVALID_VALUE
    if slices[0]:
        _, code = attempt("clEnqueueMapImage", world.queue, made, 1, flags, *places, row, NULL, 0, NULL, NULL)
        assert code == c.CL_INVALID_VALUE


def test_commands_tell_their_types_and_wait(world: World) -> None:
    made, buffer = image(world), world.buffer(256)
    gate = world.user_event()
    events = ffi.new("uintptr_t[]", [gate])
    place = ffi.new("char[]", 256)
    color = ffi.new("uint32_t[]", [0x11, 0x11, 0x11, 0x11])
    corner, extent = triples(ORIGIN, (2, 2, 1))
    away = sizes(3, 3, 0)
    commands = {
        c.CL_COMMAND_FILL_IMAGE: ("clEnqueueFillImage", made, address(color), corner, extent),
        c.CL_COMMAND_COPY_IMAGE: ("clEnqueueCopyImage", made, made, corner, away, extent),
        c.CL_COMMAND_READ_IMAGE: ("clEnqueueReadImage", made, 0, away, extent, 0, 0, address(place)),
        c.CL_COMMAND_WRITE_IMAGE: ("clEnqueueWriteImage", made, 0, corner, extent, 0, 0, address(place)),
        c.CL_COMMAND_COPY_IMAGE_TO_BUFFER: ("clEnqueueCopyImageToBuffer", made, buffer, away, extent, 0),
        c.CL_COMMAND_COPY_BUFFER_TO_IMAGE: ("clEnqueueCopyBufferToImage", buffer, made, 0, away, extent),
    }
    event = ffi.new("uintptr_t *")
    for kind, (name, *arguments) in commands.items():
        check(name, world.queue, *arguments, 1, events, event)
        assert number("clGetEventInfo", event[0], c.CL_EVENT_COMMAND_TYPE) == kind
        assert world.status(event[0]) > c.CL_COMPLETE
        bad = call(name, world.queue, *arguments, 1, NULL, NULL)
        assert bad == c.CL_INVALID_EVENT_WAIT_LIST
    check("clSetUserEventStatus", gate, c.CL_COMPLETE)
    check("clFinish", world.queue)
    assert world.status(event[0]) == c.CL_COMPLETE
    assert bytes(ffi.buffer(place, 16)) == b"\x11" * 16
