"""Image functions in kernels against the formulae of the specification."""

import image_reference as ref
import numpy as np
import pyopencl as cl
import pytest
from image_client import (
    KINDS,
    coordinate_type,
    image_of,
    make_image,
    packed,
    pixels_of,
    program,
    queue,
    result_suffix,
    run_reads,
)
from image_reference import colors, encoded, random_pixels, sample

from weft.runtime.image_format import SUPPORTED_FORMATS

NAMES = {value: name for name, value in vars(ref).items() if isinstance(value, int)}
FORMATS = [(f.order, f.type) for f in SUPPORTED_FORMATS if not f.is_depth]
# Every order and every type once.
SOME_FORMATS = [f for f in FORMATS if f[0] == ref.RGBA or f[1] in (ref.UNORM8, *ref.FIELDS)]
ADDRESSING = {
    "none": cl.addressing_mode.NONE,
    "clamp_to_edge": cl.addressing_mode.CLAMP_TO_EDGE,
    "clamp": cl.addressing_mode.CLAMP,
    "repeat": cl.addressing_mode.REPEAT,
    "mirrored_repeat": cl.addressing_mode.MIRRORED_REPEAT,
}
SHAPE = (5, 7, 11)

READ = """
kernel void look(read_only {kind} image, global const {coordinates} *at, global {color} *out{more})
{{
    size_t i = get_global_id(0);
    out[i] = read_image{suffix}(image, {sampler}at[i]);
}}
"""
WRITE = """
kernel void paint(write_only {kind} image, global const {color} *in)
{{
    int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
    size_t i = (z * get_global_size(1) + y) * get_global_size(0) + x;
    write_image{suffix}(image, {at}, in[i]);
}}
"""
WRITE_AT = {
    "image1d_t": "x",
    "image1d_buffer_t": "x",
    "image1d_array_t": "(int2)(x, z)",
    "image2d_t": "(int2)(x, y)",
    "image2d_array_t": "(int4)(x, y, z, 0)",
    "image3d_t": "(int4)(x, y, z, 0)",
}


@pytest.fixture(autouse=True, params=["known", "asked"])
def formats(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Kernels are compiled for the formats they are launched with, or ask each image for its own."""
    if request.param == "known":
        monkeypatch.setenv("WEFT_SPECIALIZE_IMAGES", "0")


def named(format: tuple[int, int]) -> str:
    return f"{NAMES[format[0]]}-{NAMES[format[1]]}"


def read_source(kind: str, type: int, element: str, sampler: str = "", more: str = "") -> str:
    suffix, color, _ = result_suffix(type)
    return READ.format(
        kind=kind,
        coordinates=coordinate_type(kind, element),
        color=color,
        suffix=suffix,
        sampler=sampler,
        more=more,
    )


def close(got: np.ndarray, want: np.ndarray, units: float = 1.5) -> None:
    """Equal for integers; for normalized numbers within some units in the last place."""
    if got.dtype.kind != "f":
        np.testing.assert_array_equal(got, want)
        return
    error = np.abs(got.astype(np.float64) - want) / np.spacing(np.abs(want).astype(np.float32) + 1e-30)
    assert error.max() <= units


def check_reads(kind: str, order: int, type: int, depth: int = 1) -> None:
    rng = np.random.default_rng(order * type)
    pixels = random_pixels(rng, (depth, SHAPE[1], SHAPE[2]), order, type)
    at = np.stack([rng.integers(0, n, 200) for n in (SHAPE[2], SHAPE[1])], axis=-1)
    out = np.empty((200, 4), result_suffix(type)[2])
    run_reads(read_source(kind, type, "int"), image_of(kind, order, type, pixels), packed(at, np.int32), out)
    units = 16 if order in (ref.sRGBA, ref.sBGRA) else 1.5
    close(out, colors(pixels, order, type)[0, at[:, 1], at[:, 0]], units)


@pytest.mark.parametrize("format", SOME_FORMATS, ids=named)
def test_pixels_are_read_as_the_format_says(format: tuple[int, int]) -> None:
    program.cache_clear()
    check_reads("image2d_t", *format)


def test_one_kernel_reads_more_formats_than_it_is_compiled_for() -> None:
    for format in FORMATS:
        check_reads("image2d_t", *format)


def painted(rng: np.random.Generator, shape: tuple[int, int, int], type: int) -> np.ndarray:
    """Colours to write: within the range of the format, beyond it, and none that is a number."""
    dtype = result_suffix(type)[2]
    if dtype is np.float32:
        values = rng.uniform(-1.3, 1.3, (*shape, 4)).astype(np.float32)
        special = np.array([0, -0.0, 1, -1, 0.5, np.nan, np.inf, -np.inf, 1e-7, 1e6, -1e30], np.float32)
        values.reshape(-1)[: len(special)] = special
        return values
    limits = np.iinfo(dtype)
    small = rng.integers(-300 if limits.min < 0 else 0, 300, (*shape, 4)).astype(dtype)
    large = rng.integers(limits.min, limits.max, (*shape, 4), dtype, endpoint=True)
    return np.where(rng.random((*shape, 4)) < 0.5, small, large)


def check_writes(kind: str, order: int, type: int, shape: tuple[int, int, int]) -> None:
    rng = np.random.default_rng(order + type)
    suffix, color, _ = result_suffix(type)
    values = painted(rng, shape, type)
    image = make_image(kind, order, type, shape)
    buffer = cl.Buffer(queue().context, cl.mem_flags.READ_ONLY | cl.mem_flags.COPY_HOST_PTR, hostbuf=values)
    kernel = cl.Kernel(
        program(WRITE.format(kind=kind, color=color, suffix=suffix, at=WRITE_AT[kind])), "paint"
    )
    kernel(queue(), (shape[2], shape[1], shape[0]), None, image, buffer)
    want = encoded(values, order, type)
    np.testing.assert_array_equal(pixels_of(kind, image, want), want)


@pytest.mark.parametrize("format", SOME_FORMATS, ids=named)
def test_pixels_are_written_as_the_format_says(format: tuple[int, int]) -> None:
    program.cache_clear()
    check_writes("image2d_t", *format, (1, 6, 9))


def test_one_kernel_writes_more_formats_than_it_is_compiled_for() -> None:
    for format in FORMATS:
        check_writes("image2d_t", *format, (1, 6, 9))


@pytest.mark.parametrize("kind", list(WRITE_AT))
def test_every_kind_of_image_is_written(kind: str) -> None:
    shape = {
        "image1d_t": (1, 1, 11),
        "image1d_buffer_t": (1, 1, 11),
        "image1d_array_t": (5, 1, 11),
        "image2d_t": (1, 7, 11),
    }.get(kind, SHAPE)
    check_writes(kind, ref.RGBA, ref.UNSIGNED8, shape)


def test_writes_outside_of_an_image_do_nothing() -> None:
    source = """
kernel void paint(write_only image2d_t image) {
    int2 at = (int2)((int)get_global_id(0) - 4, (int)get_global_id(1) - 4);
    write_imagei(image, at, (int4)(7));
}
"""
    image = image_of("image2d_t", ref.R, ref.SIGNED32, np.zeros((1, 3, 3, 1), np.int32))
    program(source).paint(queue(), (12, 12), None, image)
    np.testing.assert_array_equal(pixels_of("image2d_t", image, np.zeros((1, 3, 3, 1), np.int32)), 7)


def shape_of(kind: str) -> tuple[int, int, int]:
    dimensions, array = KINDS[kind]
    return (SHAPE[0] if array or dimensions == 3 else 1), (SHAPE[1] if dimensions > 1 else 1), SHAPE[2]


def points(rng: np.random.Generator, kind: str, normalized: bool) -> np.ndarray:
    """Coordinates inside the image, around its edges and far out."""
    dimensions, array = KINDS[kind]
    size = np.array([SHAPE[2], SHAPE[1], SHAPE[0]][:dimensions])
    at = rng.uniform(-1.6, 2.6, (400, dimensions)) * size
    at[:50] = np.rint(at[:50])
    at[50:100] = np.rint(at[50:100]) + 0.5
    at[100:110] *= 1000
    if normalized:
        at = at / size
    if array:
        at = np.concatenate([at, rng.uniform(-2, SHAPE[0] + 2, (400, 1))], axis=-1)
    return at.astype(np.float32)


@pytest.mark.parametrize("where", ["argument", "program"])
@pytest.mark.parametrize("addressing", list(ADDRESSING))
@pytest.mark.parametrize("linear", [False, True], ids=["nearest", "linear"])
@pytest.mark.parametrize("kind", list(KINDS))
def test_samplers(kind: str, linear: bool, addressing: str, where: str) -> None:
    order, type = (ref.RGBA, ref.UNORM8) if where == "program" else (ref.R, ref.FLOAT)
    rng = np.random.default_rng(len(kind) + len(addressing))
    pixels = random_pixels(rng, shape_of(kind), order, type)
    image = image_of(kind, order, type, pixels)
    dimensions = KINDS[kind][0]
    for normalized in (True,) if "repeat" in addressing else (False, True):
        at = points(rng, kind, normalized)
        if addressing == "none":
            size = np.array([SHAPE[2], SHAPE[1], SHAPE[0]][:dimensions])
            low, high = (0.51, size - 0.51) if not normalized else (0.51 / size, 1 - 0.51 / size)
            at[:, :dimensions] = np.clip(at[:, :dimensions], low, high)
        out = np.empty((len(at), 4), np.float32)
        filter = cl.filter_mode.LINEAR if linear else cl.filter_mode.NEAREST
        if where == "argument":
            sampler = cl.Sampler(queue().context, normalized, ADDRESSING[addressing], filter)
            source = read_source(kind, type, "float", "s, ", ", sampler_t s")
            run_reads(source, image, packed(at, np.float32), out, sampler)
        else:
            words = (
                f"CLK_NORMALIZED_COORDS_{str(normalized).upper()}",
                f"CLK_ADDRESS_{addressing.upper()}",
                "CLK_FILTER_LINEAR" if linear else "CLK_FILTER_NEAREST",
            )
            source = f"constant sampler_t s = {' | '.join(words)};\n" + read_source(
                kind, type, "float", "s, "
            )
            run_reads(source, image, packed(at, np.float32), out)
        want = sample(
            colors(pixels, order, type), order, at, dimensions, normalized=normalized, addressing=addressing,
            linear=linear,
        )  # fmt: skip
        scale = np.abs(colors(pixels, order, type)).max()
        np.testing.assert_allclose(out, want, rtol=0, atol=1e-6 * scale)


@pytest.mark.parametrize("addressing", ["none", "clamp_to_edge", "clamp"])
@pytest.mark.parametrize("kind", list(KINDS))
@pytest.mark.parametrize("type", [ref.UNSIGNED16, ref.SIGNED8, ref.HALF], ids=NAMES.get)
def test_integer_coordinates(kind: str, addressing: str, type: int) -> None:
    rng = np.random.default_rng(type)
    pixels = random_pixels(rng, shape_of(kind), ref.RG, type)
    at = np.rint(points(rng, kind, False))
    dimensions = KINDS[kind][0]
    if addressing == "none":
        limits = [SHAPE[2], SHAPE[1], SHAPE[0]][:dimensions]
        at[:, :dimensions] = np.clip(at[:, :dimensions], 0, np.array(limits) - 1)
    sampler = cl.Sampler(queue().context, False, ADDRESSING[addressing], cl.filter_mode.NEAREST)
    out = np.empty((len(at), 4), result_suffix(type)[2])
    source = read_source(kind, type, "int", "s, ", ", sampler_t s")
    run_reads(source, image_of(kind, ref.RG, type, pixels), packed(at, np.int32), out, sampler)
    values = colors(pixels, ref.RG, type)
    options = {"normalized": False, "addressing": addressing, "linear": False}
    np.testing.assert_array_equal(out, sample(values, ref.RG, at, dimensions, **options))


def test_coordinates_that_are_not_numbers_read_some_pixel() -> None:
    at = np.array([[np.nan, 1], [np.inf, 1], [-np.inf, np.nan], [1e38, -1e38]], np.float32)
    pixels = np.full((1, 4, 4, 1), 3, np.uint8)
    image = image_of("image2d_t", ref.R, ref.UNSIGNED8, pixels)
    for normalized in (False, True):
        for mode in ADDRESSING.values():
            sampler = cl.Sampler(queue().context, normalized, mode, cl.filter_mode.NEAREST)
            out = np.full((4, 4), 99, np.uint32)
            source = read_source("image2d_t", ref.UNSIGNED8, "float", "s, ", ", sampler_t s")
            run_reads(source, image, at, out, sampler)
            assert set(out[:, 0]) <= {0, 3}


def test_images_tell_their_sizes_and_formats() -> None:
    source = """
kernel void look(read_only image1d_t a, read_only image1d_array_t b, read_only image2d_t c,
                 write_only image2d_array_t d, read_only image3d_t e, write_only image1d_buffer_t f,
                 global int *out)
{
    out[0] = get_image_width(a);
    out[1] = get_image_width(b);
    out[2] = (int)get_image_array_size(b);
    out[3] = get_image_width(c);
    out[4] = get_image_height(c);
    vstore2(get_image_dim(c), 0, out + 5);
    out[7] = get_image_width(d);
    out[8] = get_image_height(d);
    out[9] = (int)get_image_array_size(d);
    vstore2(get_image_dim(d), 0, out + 10);
    vstore4(get_image_dim(e), 0, out + 12);
    out[16] = get_image_depth(e);
    out[17] = get_image_channel_order(c) == CLK_RGBA;
    out[18] = get_image_channel_data_type(d) == CLK_SIGNED_INT16;
    out[19] = get_image_width(f);
}
"""
    images = [
        make_image("image1d_t", ref.R, ref.FLOAT, (1, 1, 3)),
        make_image("image1d_array_t", ref.R, ref.FLOAT, (6, 1, 4)),
        make_image("image2d_t", ref.RGBA, ref.UNORM8, (1, 5, 7)),
        make_image("image2d_array_t", ref.RG, ref.SIGNED16, (8, 9, 10)),
        make_image("image3d_t", ref.R, ref.FLOAT, (11, 12, 13)),
        make_image("image1d_buffer_t", ref.R, ref.FLOAT, (1, 1, 14)),
    ]
    out = np.zeros(20, np.int32)
    result = cl.Buffer(queue().context, cl.mem_flags.WRITE_ONLY, out.nbytes)
    program(source).look(queue(), (1,), None, *images, result)
    cl.enqueue_copy(queue(), out, result)
    assert list(out) == [3, 4, 6, 7, 5, 7, 5, 10, 9, 8, 10, 9, 13, 12, 11, 0, 11, 1, 1, 14]


def test_an_image_that_is_one_of_several_is_read_by_its_descriptor() -> None:
    source = """
kernel void look(read_only image2d_t a, read_only image2d_t b, global float4 *out, int which)
{
    size_t i = get_global_id(0);
    int2 at = (int2)(i, 0);
    float4 color;
    if (which)
        color = read_imagef(a, at);
    else
        color = read_imagef(b, at);
    out[i] = color;
}
"""
    first = image_of("image2d_t", ref.R, ref.FLOAT, np.full((1, 1, 4, 1), 2.5, np.float32))
    second = image_of("image2d_t", ref.RGBA, ref.UNORM8, np.full((1, 1, 4, 4), 255, np.uint8))
    out = np.zeros((4, 4), np.float32)
    result = cl.Buffer(queue().context, cl.mem_flags.WRITE_ONLY, out.nbytes)
    kernel = cl.Kernel(program(source), "look")
    for which, want in ((1, [2.5, 0, 0, 1]), (0, [1, 1, 1, 1])):
        kernel(queue(), (4,), None, first, second, result, np.int32(which))
        cl.enqueue_copy(queue(), out, result)
        np.testing.assert_array_equal(out, [want] * 4)


def test_read_write_images_see_their_own_writes() -> None:
    source = """
kernel void look(read_write image2d_t image)
{
    int2 at = (int2)(get_global_id(0), get_global_id(1));
    for (int i = 0; i < 3; ++i)
        write_imageui(image, at, read_imageui(image, at) * 2u + 1u);
}
"""
    pixels = np.arange(12, dtype=np.uint32).reshape(1, 3, 4, 1)
    image = image_of("image2d_t", ref.R, ref.UNSIGNED32, pixels)
    built = cl.Program(queue().context, source).build(["-cl-std=CL3.0"])
    built.look(queue(), (4, 3), None, image)
    np.testing.assert_array_equal(pixels_of("image2d_t", image, pixels), pixels * 8 + 7)
