"""Image functions among barriers, loops and branches: the same whichever way work-groups are run."""

from typing import Any

import image_reference as ref
import numpy as np
import pyopencl as cl
import pytest
from image_client import image_of, make_image, pixels_of, queue

from weft.compiler import compile_work_group as compiler

SOURCE = """
constant sampler_t edge = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;
constant sampler_t smooth = CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_MIRRORED_REPEAT | CLK_FILTER_LINEAR;

kernel void tile(read_only image2d_t from, write_only image2d_t to, local float4 *part)
{
    int x = get_local_id(0), y = get_local_id(1), w = get_local_size(0), h = get_local_size(1);
    int2 at = (int2)(get_global_id(0), get_global_id(1));
    part[y * w + x] = read_imagef(from, edge, at);
    barrier(CLK_LOCAL_MEM_FENCE);
    float4 color = part[y * w + (x + 1) % w] + part[(y + 1) % h * w + x];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (at.x % 2 == 0)
        color += read_imagef(from, edge, at - 1);
    write_imagef(to, at, color);
}

kernel void march(read_only image2d_t from, write_only image2d_t to, int steps)
{
    int2 at = (int2)(get_global_id(0), get_global_id(1));
    float2 place = convert_float2(at) / 19.0f;
    float4 sum = 0.0f;
    int i = 0;
    for (; i < steps + at.x * at.y % 7; ++i) {
        float4 color = read_imagef(from, smooth, place);
        sum += color;
        if (sum.x > 3.0f)
            break;
        place += color.xy * 0.3f;
        if (color.z < 0.3f)
            continue;
        sum.w += i;
    }
    write_imagef(to, at, sum + i);
}

kernel void rows(read_only image2d_t from, write_only image2d_t to, int unused)
{
    int2 at = (int2)(get_global_id(0), get_global_id(1));
    float4 sum = 0.0f;
    for (int y = 0; y < get_image_height(from); ++y)
        sum += read_imagef(from, (int2)(at.x, y)) * sin((float)y);
    write_imagef(to, at, sum);
}
"""
SHAPE = (1, 16, 32)


@pytest.fixture(autouse=True, params=["known", "asked"])
def formats(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Kernels are compiled for the formats they are launched with, or ask each image for its own."""
    if request.param == "known":
        monkeypatch.setenv("WEFT_SPECIALIZE_IMAGES", "0")


def result(kernel: cl.Kernel, local_size: tuple[int, int]) -> np.ndarray:
    pixels = np.random.default_rng(3).integers(0, 255, (*SHAPE, 4), np.uint8)
    source = image_of("image2d_t", ref.RGBA, ref.UNORM8, pixels)
    target = make_image("image2d_t", ref.RGBA, ref.FLOAT, SHAPE)
    size = local_size[0] * local_size[1]
    third = cl.LocalMemory(16 * size) if kernel.function_name == "tile" else np.int32(9)
    kernel(queue(), SHAPE[:0:-1], local_size, source, target, third)
    return pixels_of("image2d_t", target, np.zeros((*SHAPE, 4), np.float32))


@pytest.mark.parametrize("local_size", [(8, 4), (32, 1), (1, 1)], ids=str)
@pytest.mark.parametrize("name", ["tile", "march", "rows"])
def test_every_way_of_running_work_groups(
    name: str, local_size: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    results = []
    monkeypatch.setenv("WEFT_VERIFY", "1")
    for method in ("loops", "auto", "simd", "horizontal"):
        monkeypatch.setenv("WEFT_WORKGROUP", method)
        program = cl.Program(queue().context, SOURCE).build()
        results.append(result(cl.Kernel(program, name), local_size))
    assert np.isfinite(results[0]).all() and results[0].std() > 0
    for other in results[1:]:
        np.testing.assert_array_equal(other, results[0])


def test_pixels_as_half_are_those_as_float_rounded() -> None:
    source = """#pragma OPENCL EXTENSION cl_khr_fp16 : enable
    constant sampler_t smooth = CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_MIRRORED_REPEAT | CLK_FILTER_LINEAR;
    kernel void copy(read_only image2d_t from, write_only image2d_t to, int as_half) {
        int2 at = (int2)(get_global_id(0), get_global_id(1));
        float2 place = convert_float2(at) / 19.0f;
        if (as_half)
            write_imageh(to, at, read_imageh(from, smooth, place) + read_imageh(from, at));
        else
            write_imagef(to, at, convert_float4(convert_half4(read_imagef(from, smooth, place))
                                                + convert_half4(read_imagef(from, at))));
    }"""
    pixels = np.random.default_rng(4).integers(0, 255, (*SHAPE, 4), np.uint8)
    image = image_of("image2d_t", ref.RGBA, ref.UNORM8, pixels)
    kernel = cl.Kernel(cl.Program(queue().context, source).build(), "copy")
    results = []
    for as_half in (0, 1):
        target = make_image("image2d_t", ref.RGBA, ref.FLOAT, SHAPE)
        kernel(queue(), SHAPE[:0:-1], None, image, target, np.int32(as_half))
        results.append(pixels_of("image2d_t", target, np.zeros((*SHAPE, 4), np.float32)))
    assert results[0].std() > 0
    np.testing.assert_array_equal(*results)


def test_kernels_are_compiled_for_formats_once_enough_work_items_used_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("WEFT_CACHE", "0")
    monkeypatch.setenv("WEFT_SPECIALIZE_IMAGES", "200")
    known: list[bool] = []
    compile_work_group = compiler.compile_work_group

    def spy(*arguments: Any, **more: Any) -> Any:
        known.append(any(arguments[2].known))
        return compile_work_group(*arguments, **more)

    monkeypatch.setattr(compiler, "compile_work_group", spy)
    source = """
kernel void look(read_only image2d_t image, global uint *out) {
    uint i = get_global_id(0);
    out[i] = read_imageui(image, (int2)(i % 10, i / 10)).x;
}
"""
    pixels = np.random.default_rng(3).integers(0, 255, (1, 10, 10, 1), np.uint8)
    image = image_of("image2d_t", ref.R, ref.UNSIGNED8, pixels)
    buffer = cl.Buffer(queue().context, cl.mem_flags.READ_WRITE, 400)
    kernel = cl.Kernel(cl.Program(queue().context, source).build(), "look")
    for expected in ([False], [False, True], [False, True]):
        kernel(queue(), (100,), None, image, buffer)
        out = np.zeros(100, np.uint32)
        cl.enqueue_copy(queue(), out, buffer)
        np.testing.assert_array_equal(out, pixels.ravel())
        assert known == expected
