"""Images: creation, formats, queries, lifetime."""

import pytest
from api_support import NULL, World, address, attempt, call, check, create, ffi, number, query, refused
from image_support import BOXES, FORMAT, KINDS, creation, description, format_of, image, read, write

from weft.api import constants as c

TYPE_2D = {"type": c.CL_MEM_OBJECT_IMAGE2D, "width": 8, "height": 4}


@pytest.mark.parametrize("kind", list(KINDS))
def test_an_image_tells_what_it_was_made_with(world: World, kind: str) -> None:
    made = image(world, kind)
    shape = KINDS[kind]

    def asked(param: int) -> int:
        return number("clGetImageInfo", made, param)

    assert query("clGetImageInfo", made, c.CL_IMAGE_FORMAT) == bytes(ffi.buffer(format_of(*FORMAT)))
    assert asked(c.CL_IMAGE_ELEMENT_SIZE) == 4
    assert asked(c.CL_IMAGE_WIDTH) == shape["width"]
    assert asked(c.CL_IMAGE_HEIGHT) == shape.get("height", 0)
    assert asked(c.CL_IMAGE_DEPTH) == shape.get("depth", 0)
    assert asked(c.CL_IMAGE_ARRAY_SIZE) == shape.get("layers", 0)
    assert asked(c.CL_IMAGE_ROW_PITCH) == 24
    slices = {"1d_array": 24, "2d_array": 120, "3d": 120}
    assert asked(c.CL_IMAGE_SLICE_PITCH) == slices.get(kind, 0)
    assert asked(c.CL_IMAGE_BUFFER) == 0
    assert asked(c.CL_IMAGE_NUM_MIP_LEVELS) == asked(c.CL_IMAGE_NUM_SAMPLES) == 0
    x, y, z = BOXES[kind]
    assert number("clGetMemObjectInfo", made, c.CL_MEM_SIZE) == x * y * z * 4
    assert number("clGetMemObjectInfo", made, c.CL_MEM_TYPE) == shape["type"]
    assert number("clGetMemObjectInfo", made, c.CL_MEM_FLAGS) == c.CL_MEM_READ_WRITE
    assert number("clGetMemObjectInfo", made, c.CL_MEM_ASSOCIATED_MEMOBJECT) == 0
    assert call("clGetImageInfo", made, 0x1234, 0, 0, NULL) == c.CL_INVALID_VALUE


def test_formats_are_listed_for_every_kind_of_image(world: World) -> None:
    count = ffi.new("uint32_t *")
    buffer = create("clCreateBuffer", world.context, 0, 64, NULL)
    required = {(c.CL_BGRA, c.CL_UNORM_INT8)} | {
        (order, type)
        for order in (c.CL_R, c.CL_RG, c.CL_RGBA)
        for type in (
            c.CL_UNORM_INT8, c.CL_UNORM_INT16, c.CL_SNORM_INT8, c.CL_SNORM_INT16, c.CL_SIGNED_INT8,
            c.CL_SIGNED_INT16, c.CL_SIGNED_INT32, c.CL_UNSIGNED_INT8, c.CL_UNSIGNED_INT16,
            c.CL_UNSIGNED_INT32, c.CL_HALF_FLOAT, c.CL_FLOAT,
        )
    }  # fmt: skip
    for flags in (
        c.CL_MEM_READ_ONLY, c.CL_MEM_WRITE_ONLY, c.CL_MEM_READ_WRITE, c.CL_MEM_KERNEL_READ_AND_WRITE,
    ):  # fmt: skip
        for kind in (*KINDS.values(), {"type": c.CL_MEM_OBJECT_IMAGE1D_BUFFER}):
            arguments = ("clGetSupportedImageFormats", world.context, flags, kind["type"])
            check(*arguments, 0, NULL, count)
            place = ffi.new("uint32_t[]", 2 * count[0])
            check(*arguments, count[0], place, NULL)
            numbers = list(place)
            listed = set(zip(numbers[0::2], numbers[1::2], strict=True))
            assert len(listed) == count[0]
            assert required <= listed
            for order, type in ((c.CL_DEPTH, c.CL_UNORM_INT16), (c.CL_sRGBA, c.CL_UNORM_INT8)):
                memory = 0 if kind["type"] != c.CL_MEM_OBJECT_IMAGE1D_BUFFER else buffer
                code = creation(world, format=(order, type), **({"width": 4} | kind), memory=memory)
                assert code == (c.CL_SUCCESS if (order, type) in listed else c.CL_IMAGE_FORMAT_NOT_SUPPORTED)
            assert ((c.CL_DEPTH, c.CL_FLOAT) in listed) == (kind in (KINDS["2d"], KINDS["2d_array"]))
            one = ffi.new("uint32_t[]", 4)
            check(*arguments, 1, one, NULL)
            assert list(one)[2:] == [0, 0]


def test_invalid_queries_of_formats(world: World) -> None:
    name, kind = "clGetSupportedImageFormats", c.CL_MEM_OBJECT_IMAGE2D
    assert call(name, 5, 0, kind, 0, NULL, NULL) == c.CL_INVALID_CONTEXT
    assert call(name, world.context, 1 << 40, kind, 0, NULL, NULL) == c.CL_INVALID_VALUE
    assert call(name, world.context, 0, c.CL_MEM_OBJECT_BUFFER, 0, NULL, NULL) == c.CL_INVALID_VALUE
    place = ffi.new("uint32_t[]", 2)
    assert call(name, world.context, 0, kind, 0, place, NULL) == c.CL_INVALID_VALUE


@pytest.mark.parametrize(
    ("format", "code"),
    [
        ((0, c.CL_FLOAT), c.CL_INVALID_IMAGE_FORMAT_DESCRIPTOR),
        ((c.CL_RGBA, 0), c.CL_INVALID_IMAGE_FORMAT_DESCRIPTOR),
        ((c.CL_RGB, c.CL_UNORM_INT8), c.CL_INVALID_IMAGE_FORMAT_DESCRIPTOR),
        ((c.CL_RGBA, c.CL_UNORM_SHORT_565), c.CL_INVALID_IMAGE_FORMAT_DESCRIPTOR),
        ((c.CL_BGRA, c.CL_FLOAT), c.CL_INVALID_IMAGE_FORMAT_DESCRIPTOR),
        ((c.CL_INTENSITY, c.CL_SIGNED_INT8), c.CL_INVALID_IMAGE_FORMAT_DESCRIPTOR),
        ((c.CL_Rx, c.CL_FLOAT), c.CL_IMAGE_FORMAT_NOT_SUPPORTED),
        ((c.CL_sRGB, c.CL_UNORM_INT8), c.CL_IMAGE_FORMAT_NOT_SUPPORTED),
        ((c.CL_sRGBA, c.CL_UNORM_INT8), c.CL_SUCCESS),
        ((c.CL_sRGBA, c.CL_UNORM_INT16), c.CL_INVALID_IMAGE_FORMAT_DESCRIPTOR),
        ((c.CL_DEPTH, c.CL_FLOAT), c.CL_SUCCESS),
        ((c.CL_DEPTH, c.CL_UNORM_INT8), c.CL_INVALID_IMAGE_FORMAT_DESCRIPTOR),
        ((c.CL_RGB, c.CL_UNORM_INT_101010), c.CL_SUCCESS),
    ],
)
def test_formats_are_checked(world: World, format: tuple[int, int], code: int) -> None:
    assert creation(world, format=format, **TYPE_2D) == code


@pytest.mark.parametrize(
    ("wrong", "code"),
    [
        ({"type": 0}, c.CL_INVALID_IMAGE_DESCRIPTOR),
        ({"type": c.CL_MEM_OBJECT_BUFFER}, c.CL_INVALID_IMAGE_DESCRIPTOR),
        ({"width": 0}, c.CL_INVALID_IMAGE_DESCRIPTOR),
        ({"height": 0}, c.CL_INVALID_IMAGE_DESCRIPTOR),
        ({"type": c.CL_MEM_OBJECT_IMAGE3D, "depth": 0}, c.CL_INVALID_IMAGE_DESCRIPTOR),
        ({"type": c.CL_MEM_OBJECT_IMAGE2D_ARRAY, "layers": 0}, c.CL_INVALID_IMAGE_DESCRIPTOR),
        ({"type": c.CL_MEM_OBJECT_IMAGE1D_BUFFER}, c.CL_INVALID_IMAGE_DESCRIPTOR),
        ({"row_pitch": 64}, c.CL_INVALID_IMAGE_DESCRIPTOR),
        ({"type": c.CL_MEM_OBJECT_IMAGE3D, "depth": 2, "slice_pitch": 256}, c.CL_INVALID_IMAGE_DESCRIPTOR),
        ({"mip_levels": 1}, c.CL_INVALID_IMAGE_DESCRIPTOR),
        ({"samples": 2}, c.CL_INVALID_IMAGE_DESCRIPTOR),
        ({"memory": 64}, c.CL_INVALID_IMAGE_DESCRIPTOR),
        ({"width": 16385}, c.CL_INVALID_IMAGE_SIZE),
        ({"height": 16385}, c.CL_INVALID_IMAGE_SIZE),
        ({"width": 1 << 62}, c.CL_INVALID_IMAGE_SIZE),
        ({"type": c.CL_MEM_OBJECT_IMAGE3D, "depth": 2049}, c.CL_INVALID_IMAGE_SIZE),
        ({"type": c.CL_MEM_OBJECT_IMAGE1D_ARRAY, "layers": 2049}, c.CL_INVALID_IMAGE_SIZE),
        ({"flags": c.CL_MEM_USE_HOST_PTR}, c.CL_INVALID_HOST_PTR),
        ({"flags": c.CL_MEM_COPY_HOST_PTR}, c.CL_INVALID_HOST_PTR),
        ({"host": 4096}, c.CL_INVALID_HOST_PTR),
        ({"flags": c.CL_MEM_READ_ONLY | c.CL_MEM_WRITE_ONLY}, c.CL_INVALID_VALUE),
        ({"flags": 1 << 33}, c.CL_INVALID_VALUE),
    ],
)
def test_descriptions_are_checked(world: World, wrong: dict[str, int], code: int) -> None:
    assert creation(world, **{**TYPE_2D, **wrong}) == code


def test_null_where_an_image_is_described(world: World) -> None:
    desc = description(**TYPE_2D)
    code = refused("clCreateImage", world.context, 0, NULL, desc, 0)
    assert code == c.CL_INVALID_IMAGE_FORMAT_DESCRIPTOR
    code = refused("clCreateImage", world.context, 0, format_of(*FORMAT), NULL, 0)
    assert code == c.CL_INVALID_IMAGE_DESCRIPTOR
    assert refused("clCreateImage", 5, 0, format_of(*FORMAT), desc, 0) == c.CL_INVALID_CONTEXT


def test_pitches_of_host_memory_are_checked(world: World) -> None:
    place = ffi.new("char[]", 4096)
    given = {"flags": c.CL_MEM_USE_HOST_PTR, "host": address(place)}
    cube = {"type": c.CL_MEM_OBJECT_IMAGE3D, "width": 8, "height": 4, "depth": 2}
    for wrong in ({"row_pitch": 31}, {"row_pitch": 34}, {"slice_pitch": 127}, {"slice_pitch": 130}):
        assert creation(world, **given, **{**cube, **wrong}) == c.CL_INVALID_IMAGE_DESCRIPTOR
    assert creation(world, **given, **cube, row_pitch=36, slice_pitch=180) == c.CL_SUCCESS
    assert creation(world, **given, **cube, row_pitch=1 << 62) == c.CL_MEM_OBJECT_ALLOCATION_FAILURE


@pytest.mark.parametrize("flag", [c.CL_MEM_USE_HOST_PTR, c.CL_MEM_COPY_HOST_PTR])
def test_images_of_host_memory_keep_its_pitches(world: World, flag: int) -> None:
    data = bytes(i % 251 for i in range(2 * 200))
    place = ffi.new("char[]", data)
    shape = description(c.CL_MEM_OBJECT_IMAGE3D, 6, 5, 2, row_pitch=36, slice_pitch=180)
    made = create("clCreateImage", world.context, flag, format_of(*FORMAT), shape, address(place))
    assert number("clGetImageInfo", made, c.CL_IMAGE_ROW_PITCH) == 36
    assert number("clGetImageInfo", made, c.CL_IMAGE_SLICE_PITCH) == 180
    used = flag == c.CL_MEM_USE_HOST_PTR
    assert number("clGetMemObjectInfo", made, c.CL_MEM_HOST_PTR) == (address(place) if used else 0)
    got = read(world, made, (1, 2, 1), (3, 2, 1))
    start = 180 + 2 * 36 + 4
    assert got == data[start : start + 12] + data[start + 36 : start + 48]
    write(world, made, b"\xff" * 4, (0, 0, 0), (1, 1, 1))
    assert (bytes(ffi.buffer(place, 4)) == b"\xff" * 4) == used


def test_images_of_the_first_versions(world: World) -> None:
    flat = create("clCreateImage2D", world.context, 0, format_of(*FORMAT), 8, 4, 0, 0)
    assert number("clGetMemObjectInfo", flat, c.CL_MEM_TYPE) == c.CL_MEM_OBJECT_IMAGE2D
    cube = create("clCreateImage3D", world.context, 0, format_of(*FORMAT), 8, 4, 2, 0, 0, 0)
    assert number("clGetImageInfo", cube, c.CL_IMAGE_DEPTH) == 2
    code = refused("clCreateImage2D", world.context, 0, format_of(*FORMAT), 0, 4, 0, 0)
    assert code == c.CL_INVALID_IMAGE_SIZE
    code = refused("clCreateImage2D", world.context, 0, format_of(*FORMAT), 8, 4, 64, 0)
    assert code == c.CL_INVALID_IMAGE_SIZE
    code = refused("clCreateImage3D", world.context, 0, NULL, 8, 4, 2, 0, 0, 0)
    assert code == c.CL_INVALID_IMAGE_FORMAT_DESCRIPTOR


def test_properties_of_images(world: World) -> None:
    arguments = (0, format_of(*FORMAT), description(**TYPE_2D), 0)
    plain = create("clCreateImageWithProperties", world.context, NULL, *arguments)
    assert query("clGetMemObjectInfo", plain, c.CL_MEM_PROPERTIES) == b""
    nothing = ffi.new("uint64_t[]", [0])
    empty = create("clCreateImageWithProperties", world.context, nothing, *arguments)
    assert query("clGetMemObjectInfo", empty, c.CL_MEM_PROPERTIES) == bytes(8)
    unknown = ffi.new("uint64_t[]", [77, 1, 0])
    code = refused("clCreateImageWithProperties", world.context, unknown, *arguments)
    assert code == c.CL_INVALID_PROPERTY


def test_an_image_of_a_buffer_is_the_buffer(world: World) -> None:
    buffer = world.filled(bytes(range(200)), c.CL_MEM_READ_ONLY)
    line = description(c.CL_MEM_OBJECT_IMAGE1D_BUFFER, 50, memory=buffer)
    with_pitch = description(c.CL_MEM_OBJECT_IMAGE1D_BUFFER, 50, row_pitch=200, memory=buffer)
    flat = description(c.CL_MEM_OBJECT_IMAGE2D, 5, 4, row_pitch=40, memory=buffer)
    for shape, region, want in (
        (line, (2, 1, 1), range(8)),
        (with_pitch, (2, 1, 1), range(8)),
        (flat, (1, 2, 1), (0, 1, 2, 3, 40, 41, 42, 43)),
    ):
        made = create("clCreateImage", world.context, 0, format_of(*FORMAT), shape, 0)
        assert number("clGetImageInfo", made, c.CL_IMAGE_BUFFER) == buffer
        assert number("clGetMemObjectInfo", made, c.CL_MEM_ASSOCIATED_MEMOBJECT) == buffer
        assert number("clGetMemObjectInfo", made, c.CL_MEM_FLAGS) & c.CL_MEM_READ_ONLY
        assert read(world, made, (0, 0, 0), region) == bytes(want)
        check("clReleaseMemObject", made)
    too_wide = {"type": c.CL_MEM_OBJECT_IMAGE1D_BUFFER, "width": 51, "memory": buffer}
    assert creation(world, **too_wide) == c.CL_INVALID_IMAGE_DESCRIPTOR
    wider_access = {**too_wide, "width": 50, "flags": c.CL_MEM_WRITE_ONLY}
    assert creation(world, **wider_access) == c.CL_INVALID_VALUE
    assert creation(world, **KINDS["3d"], memory=buffer) == c.CL_INVALID_IMAGE_DESCRIPTOR
    assert creation(world, **KINDS["2d"], memory=image(world)) == c.CL_INVALID_IMAGE_DESCRIPTOR


def test_a_buffer_outlives_its_client_while_images_use_it(world: World) -> None:
    buffer = world.filled(bytes(range(64)))
    shape = description(c.CL_MEM_OBJECT_IMAGE1D_BUFFER, 16, memory=buffer)
    made = create("clCreateImage", world.context, 0, format_of(*FORMAT), shape, 0)
    check("clReleaseMemObject", buffer)
    assert read(world, made, (15, 0, 0), (1, 1, 1)) == bytes(range(60, 64))
    check("clReleaseMemObject", made)
    assert call("clReleaseMemObject", buffer) == c.CL_INVALID_MEM_OBJECT


def test_images_are_counted_and_destructors_called(world: World) -> None:
    made = image(world)
    called = []

    @ffi.callback("void(uintptr_t, void *)")
    def note(memory: int, _data: object) -> None:
        called.append(memory)

    check("clSetMemObjectDestructorCallback", made, address(note), 0)
    check("clRetainMemObject", made)
    assert number("clGetMemObjectInfo", made, c.CL_MEM_REFERENCE_COUNT) == 2
    check("clReleaseMemObject", made)
    assert not called
    check("clReleaseMemObject", made)
    assert called == [made]
    assert call("clGetImageInfo", made, c.CL_IMAGE_WIDTH, 0, 0, NULL) == c.CL_INVALID_MEM_OBJECT


def test_buffers_and_images_are_not_exchanged(world: World) -> None:
    made, buffer = image(world), world.buffer(256)
    place = ffi.new("char[]", 64)
    code = call("clEnqueueReadBuffer", world.queue, made, 1, 0, 4, address(place), 0, NULL, NULL)
    assert code == c.CL_INVALID_MEM_OBJECT
    _, code = attempt("clEnqueueMapBuffer", world.queue, made, 1, c.CL_MAP_READ, 0, 4, 0, NULL, NULL)
    assert code == c.CL_INVALID_MEM_OBJECT
    corner = ffi.new("size_t[]", [0, 0, 0])
    extent = ffi.new("size_t[]", [1, 1, 1])
    code = call(
        "clEnqueueReadImage", world.queue, buffer, 1, corner, extent, 0, 0, address(place), 0, NULL, NULL
    )
    assert code == c.CL_INVALID_MEM_OBJECT
    region = ffi.new("size_t[]", [0, 64])
    code = refused("clCreateSubBuffer", made, 0, c.CL_BUFFER_CREATE_TYPE_REGION, address(region))
    assert code == c.CL_INVALID_MEM_OBJECT
