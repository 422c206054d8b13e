"""Depth images in kernels and under transfers, against numpy."""

import image_reference as ref
import numpy as np
import pyopencl as cl
import pytest
from image_client import image_of, make_image, packed, pixels_of, program, queue, run_reads
from image_reference import colors, encoded, random_pixels, sample

KINDS = {"image2d_depth_t": ("image2d_t", 1, 2), "image2d_array_depth_t": ("image2d_array_t", 3, 4)}
TYPES = {"float": ref.FLOAT, "unorm16": ref.UNORM16}
READ = """
constant sampler_t s = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_{addressing} | CLK_FILTER_{filter};
kernel void look(read_only {kind} image, global const {coordinates} *at, global float *out)
{{
    size_t i = get_global_id(0);
    out[i] = read_imagef(image, {sampler}at[i]);
}}
"""


@pytest.fixture(autouse=True, params=["known", "asked"])
def formats(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Kernels are compiled for the formats they are launched with, or ask each image for its own."""
    program.cache_clear()
    if request.param == "known":
        monkeypatch.setenv("WEFT_SPECIALIZE_IMAGES", "0")


@pytest.mark.parametrize("filter", ["NEAREST", "LINEAR"])
@pytest.mark.parametrize("type", list(TYPES))
@pytest.mark.parametrize("kind", list(KINDS))
def test_depths_are_sampled(kind: str, type: str, filter: str) -> None:
    plain, layers, width = KINDS[kind]
    rng = np.random.default_rng(7)
    pixels = random_pixels(rng, (layers, 5, 6), ref.DEPTH, TYPES[type])
    at = rng.uniform(-2, 8, (200, min(width, 3))).astype(np.float32)
    image, depths = image_of(plain, ref.DEPTH, TYPES[type], pixels), colors(pixels, ref.DEPTH, TYPES[type])
    options = {"normalized": False, "linear": filter == "LINEAR"}
    for addressing in ("CLAMP", "CLAMP_TO_EDGE"):
        out = np.empty(len(at), np.float32)
        words = {"kind": kind, "filter": filter, "addressing": addressing, "sampler": "s, "}
        run_reads(READ.format(coordinates=f"float{width}", **words), image, packed(at, np.float32), out)
        want = sample(depths, ref.DEPTH, at, 2, addressing=addressing.lower(), **options)[:, 0]
        np.testing.assert_allclose(out, want, rtol=0, atol=1e-6 * np.abs(depths).max())
    whole = np.stack([rng.integers(0, n, 50) for n in (6, 5, layers)[: min(width, 3)]], axis=-1)
    out = np.empty(len(whole), np.float32)
    run_reads(
        READ.format(coordinates=f"int{width}", **(words | {"sampler": ""})),
        image, packed(whole, np.int32), out,
    )  # fmt: skip
    layer = whole[:, 2] if width == 4 else 0
    np.testing.assert_allclose(out, depths[layer, whole[:, 1], whole[:, 0], 0], rtol=2e-7)


@pytest.mark.parametrize("type", list(TYPES))
@pytest.mark.parametrize("kind", list(KINDS))
def test_depths_are_written_filled_copied_and_mapped(kind: str, type: str) -> None:
    plain, layers, width = KINDS[kind]
    at = "(int2)(x, y)" if width == 2 else "(int4)(x, y, z, 0)"
    layer_count = "get_image_array_size(image)" if width == 4 else "1"
    source = f"""
kernel void paint(write_only {kind} image, global const float *in, global int *about)
{{
    int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
    write_imagef(image, {at}, in[(z * get_image_height(image) + y) * get_image_width(image) + x]);
    about[0] = get_image_channel_order(image) == CLK_DEPTH;
    about[1] = get_image_dim(image).y;
    about[2] = {layer_count};
}}
"""
    shape = (layers, 4, 7)
    values = np.random.default_rng(8).uniform(-0.2, 1.2, (*shape, 1)).astype(np.float32)
    want = encoded(values, ref.DEPTH, TYPES[type])
    image = make_image(plain, ref.DEPTH, TYPES[type], shape)
    flags = cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR
    given, about = (
        cl.Buffer(queue().context, flags, hostbuf=values),
        cl.Buffer(queue().context, flags, hostbuf=np.zeros(3, np.int32)),
    )
    program(source).paint(queue(), shape[::-1], None, image, given, about)
    np.testing.assert_array_equal(pixels_of(plain, image, want), want)
    told = np.zeros(3, np.int32)
    cl.enqueue_copy(queue(), told, about)
    assert list(told) == [1, 4, layers]
    region = (7, 4, layers)
    other = make_image(plain, ref.DEPTH, TYPES[type], shape)
    cl.enqueue_fill_image(queue(), other, np.array([0.25], np.float32), (0, 0, 0), region)
    quarter = encoded(np.full((*shape, 1), 0.25, np.float32), ref.DEPTH, TYPES[type])
    np.testing.assert_array_equal(pixels_of(plain, other, want), quarter)
    cl.enqueue_copy(queue(), other, image, src_origin=(0, 0, 0), dest_origin=(0, 0, 0), region=region)
    mapped, *_ = cl.enqueue_map_image(
        queue(), other, cl.map_flags.READ, (0, 0, 0), region, (layers, 4, 7), want.dtype
    )
    np.testing.assert_array_equal(mapped, want[..., 0])
    mapped.base.release(queue())


def test_kernels_tell_depth_images_from_others() -> None:
    source = "kernel void look(read_only {} image, global float *out) {{ out[0] = get_image_width(image); }}"
    out = cl.Buffer(queue().context, cl.mem_flags.READ_WRITE, 4)
    depth = make_image("image2d_t", ref.DEPTH, ref.FLOAT, (1, 2, 2))
    plain = make_image("image2d_t", ref.R, ref.FLOAT, (1, 2, 2))
    for kind, right, wrong in (("image2d_t", plain, depth), ("image2d_depth_t", depth, plain)):
        kernel = cl.Kernel(program(source.format(kind)), "look")
        kernel.set_args(right, out)
        with pytest.raises(cl.LogicError):
            kernel.set_args(wrong, out)


def test_colours_of_srgb_images_are_filled_as_kernels_write_them() -> None:
    color = np.array([0.5, 0.002, 1.5, 0.5], np.float32)
    image = make_image("image2d_t", ref.sBGRA, ref.UNORM8, (1, 2, 3))
    cl.enqueue_fill_image(queue(), image, color, (0, 0, 0), (3, 2, 1))
    want = encoded(np.broadcast_to(color, (1, 2, 3, 4)), ref.sBGRA, ref.UNORM8)
    np.testing.assert_array_equal(pixels_of("image2d_t", image, want), want)
    assert list(want[0, 0, 0]) == [255, 7, 188, 128]
