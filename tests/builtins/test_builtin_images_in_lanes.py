"""Image functions in SIMD lanes against numpy: divergent control flow, edges, coordinates of every order."""

from collections.abc import Callable

import image_reference as ref
import numpy as np
import pyopencl as cl
import pytest
from image_client import image_of, pixels_of, queue
from image_reference import colors, encoded, random_pixels, sample

from weft.compiler import compile_work_group as compiler
from weft.transform.simd import vectorize_work_items

WIDTH, HEIGHT = 37, 5
FORMATS = [(ref.RGBA, ref.UNORM8), (ref.R, ref.UNORM8), (ref.RGBA, ref.FLOAT), (ref.RG, ref.HALF)]
# Work-items reach beyond the image on each side.
MARGIN = 3
RANGE = (WIDTH + 2 * MARGIN, HEIGHT + 2 * MARGIN)
AT = f"(int2)((int)get_global_id(0) - {MARGIN}, (int)get_global_id(1) - {MARGIN})"
MODES = {
    "clamp": "CLK_ADDRESS_CLAMP",
    "clamp_to_edge": "CLK_ADDRESS_CLAMP_TO_EDGE",
    "repeat": "CLK_ADDRESS_REPEAT",
    "mirrored_repeat": "CLK_ADDRESS_MIRRORED_REPEAT",
}
PLACE = "int place = get_global_id(1) * get_global_size(0) + get_global_id(0);"


@pytest.fixture(autouse=True, params=["auto", "simd 4 lanes", "simd 16 lanes", "loops"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """How work-groups are run; formats are known from the first launch on."""
    method, *lanes = request.param.split()
    monkeypatch.setenv("WEFT_SPECIALIZE_IMAGES", "0")
    monkeypatch.setenv("WEFT_WORKGROUP", method)
    monkeypatch.setenv("WEFT_LANES", lanes[0] if lanes else "0")
    monkeypatch.setenv("WEFT_VERIFY", "1")
    return request.param


def run(source: str, *arguments: cl.MemoryObject, size: tuple[int, ...] = RANGE) -> None:
    """Runs kernel `k` of a program over `size` work-items."""
    kernel = cl.Kernel(cl.Program(queue().context, source).build(), "k")
    kernel(queue(), size, None, *arguments)
    queue().finish()


def read(source: str, *arguments: cl.MemoryObject) -> np.ndarray:
    """As `run`; what the kernel writes to its last argument, four floats for each work-item."""
    out = np.zeros((RANGE[1], RANGE[0], 4), np.float32)
    buffer = cl.Buffer(queue().context, cl.mem_flags.READ_WRITE, out.nbytes)
    run(source, *arguments, buffer)
    cl.enqueue_copy(queue(), out, buffer)
    return out


def picture(order: int, type: int, layers: int = 1) -> np.ndarray:
    return random_pixels(np.random.default_rng(5), (layers, HEIGHT, WIDTH), order, type)


def columns_and_rows() -> tuple[np.ndarray, np.ndarray]:
    """The coordinates of the work-items of RANGE."""
    x, y = np.meshgrid(np.arange(RANGE[0]) - MARGIN, np.arange(RANGE[1]) - MARGIN)
    return x, y


def looked_up(pixels: np.ndarray, order: int, type: int, x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """What reads at integer coordinates give that are clamped to the edge."""
    return colors(pixels, order, type)[0, np.clip(y, 0, HEIGHT - 1), np.clip(x, 0, WIDTH - 1)]


EDGE = """
constant sampler_t EDGE = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;
"""
INTEGER_PLACES: dict[str, tuple[str, Callable[[np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray]]]] = {
    "neighbours": (f"{AT} + (int2)(2, -1)", lambda x, y: (x + 2, y - 1)),
    "backwards": (f"(int2)({WIDTH}, 2) - {AT}", lambda x, y: (WIDTH - x, 2 - y)),
    "every third": (f"3 * {AT}", lambda x, y: (3 * x, 3 * y)),
    "in halves": (f"{AT} / 2", lambda x, y: (np.trunc(x / 2).astype(int), np.trunc(y / 2).astype(int))),
    "columns": (f"{AT}.yx", lambda x, y: (y, x)),
    "uniform": ("(int2)(7, 2)", lambda x, y: (np.full_like(x, 7), np.full_like(y, 2))),
    "wrapping": (f"{AT} + (int2)(0x7fffffff)", lambda x, y: (_wrapped(x), _wrapped(y))),
}


def _wrapped(x: np.ndarray) -> np.ndarray:
    return (x + 0x7FFFFFFF + 2**31) % 2**32 - 2**31


@pytest.mark.parametrize("place", list(INTEGER_PLACES))
def test_integer_coordinates_of_every_order(place: str) -> None:
    text, of = INTEGER_PLACES[place]
    source = f"""
{EDGE}
kernel void k(read_only image2d_t image, global float4 *out) {{
    {PLACE}
    out[place] = read_imagef(image, EDGE, {text});
}}
"""
    for order, type in FORMATS:
        pixels = picture(order, type)
        got = read(source, image_of("image2d_t", order, type, pixels))
        np.testing.assert_allclose(got, looked_up(pixels, order, type, *of(*columns_and_rows())), rtol=2e-7)


@pytest.mark.parametrize("shift", [0, -150, 2**31 - 80, -(2**31) + 3], ids=str)
def test_neighbourhoods_inside_and_at_the_edges(shift: int) -> None:
    """Most lanes are inside the image, some beyond its sides, and some coordinates wrap between lanes."""
    source = f"""
{EDGE}
kernel void k(read_only image2d_t image, write_only image2d_t result, int reach, int2 shift) {{
    int2 at = (int2)(get_global_id(0), get_global_id(1));
    float4 sum = 0.0f;
    for (int y = -reach; y <= reach; y++)
        for (int x = -reach; x <= reach; x++)
            sum += read_imagef(image, EDGE, at + (int2)(x, y) + shift);
    write_imagef(result, at, sum);
}}
"""
    width, height, reach = 300, 3, 2
    for order, type in [(ref.RGBA, ref.FLOAT), (ref.R, ref.UNORM8)]:
        pixels = random_pixels(np.random.default_rng(6), (1, height, width), order, type)
        image = image_of("image2d_t", order, type, pixels)
        result = image_of("image2d_t", ref.RGBA, ref.FLOAT, np.zeros((1, height, width, 4), np.float32))
        kernel = cl.Kernel(cl.Program(queue().context, source).build(), "k")
        kernel(queue(), (width, height), None, image, result, np.int32(reach), np.array([shift, 0], np.int32))
        x, y = np.meshgrid(np.arange(width), np.arange(height))
        total = np.zeros((height, width, 4))
        values = colors(pixels, order, type)[0]
        for dy in range(-reach, reach + 1):
            for dx in range(-reach, reach + 1):
                column = (x + dx + shift + 2**31) % 2**32 - 2**31
                total += values[np.clip(y + dy, 0, height - 1), np.clip(column, 0, width - 1)]
        got = pixels_of("image2d_t", result, np.zeros((1, height, width, 4), np.float32))[0]
        np.testing.assert_allclose(got, total, rtol=1e-5, atol=1e-5 * np.abs(values).max())


def test_sums_that_no_coordinate_depends_on_wrap() -> None:
    """Away from the edges coordinates do not wrap; of other sums nothing was tested."""
    source = f"""
{EDGE}
kernel void k(read_only image2d_t image, int by, int far, global const int *table, global long *out) {{
    int2 at = (int2)(get_global_id(0), 0), other = at + (int2)(far, 0);
    out[at.x] = (long)other.x + table[clamp(other.x, 100, 120)]
        + (long)read_imagef(image, EDGE, at + (int2)(by, 0)).x;
}}
"""
    width, far = 300, 2**31 - 150
    pixels = np.arange(width, dtype=np.float32).reshape(1, 1, width, 1)
    image = image_of("image2d_t", ref.R, ref.FLOAT, pixels)
    table, out = np.arange(121, dtype=np.int32), np.zeros(width, np.int64)
    flags = cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR
    buffers = [cl.Buffer(queue().context, flags, hostbuf=array) for array in (table, out)]
    kernel = cl.Kernel(cl.Program(queue().context, source).build(), "k")
    kernel(queue(), (width,), None, image, np.int32(1), np.int32(far), *buffers)
    cl.enqueue_copy(queue(), out, buffers[1])
    x = np.arange(width)
    other = (x + far + 2**31) % 2**32 - 2**31
    np.testing.assert_array_equal(out, other + np.clip(other, 100, 120) + np.minimum(x + 1, width - 1))


@pytest.mark.parametrize("linear", [False, True], ids=["nearest", "linear"])
@pytest.mark.parametrize("mode", list(MODES))
def test_addressing_modes_beyond_each_side(mode: str, linear: bool) -> None:
    normalized = "repeat" in mode
    scale = f" / (float2)({WIDTH}, {HEIGHT})" if normalized else ""
    source = f"""
constant sampler_t SAMPLER = CLK_NORMALIZED_COORDS_{"TRUE" if normalized else "FALSE"} | {MODES[mode]}
    | CLK_FILTER_{"LINEAR" if linear else "NEAREST"};
kernel void k(read_only image2d_t image, global float4 *out) {{
    {PLACE}
    out[place] = read_imagef(image, SAMPLER, (convert_float2({AT}) + (float2)(0.25f, 0.75f)){scale});
}}
"""
    x, y = columns_and_rows()
    at = np.stack([x, y], axis=-1).astype(np.float32) + np.array([0.25, 0.75], np.float32)
    if normalized:
        at = at / np.array([WIDTH, HEIGHT], np.float32)
    for order, type in FORMATS:
        pixels = picture(order, type)
        got = read(source, image_of("image2d_t", order, type, pixels))
        values = colors(pixels, order, type)
        want = sample(values, order, at, 2, normalized=normalized, addressing=mode, linear=linear)
        np.testing.assert_allclose(got, want, rtol=1e-5, atol=1e-3 * np.abs(values).max())


def test_reads_and_writes_under_divergent_control_flow() -> None:
    source = f"""
{EDGE}
kernel void k(read_only image2d_t image, write_only image2d_t result) {{
    int2 at = {AT};
    float4 sum = 0.0f;
    if (at.x % 3 == 0)
        sum = read_imagef(image, EDGE, at + 1);
    else if (at.x % 3 == 1)
        for (int k = 0; k <= (at.x & 7); k++)
            sum += read_imagef(image, EDGE, (int2)(at.x - k, at.y));
    if (at.x % 5 != 2)
        write_imagef(result, at, sum);
    if (at.x == 11)
        return;
    if (at.y == 2)
        write_imagef(result, at, (float4)(1.0f) - sum);
}}
"""
    order, type = ref.RGBA, ref.FLOAT
    pixels = picture(order, type)
    want = np.full_like(pixels, 9)
    result = image_of("image2d_t", order, type, want)
    run(source, image_of("image2d_t", order, type, pixels), result)
    for y in range(HEIGHT):
        for x in range(WIDTH):
            total = np.zeros(4, np.float32)
            if x % 3 == 0:
                total = pixels[0, min(y + 1, HEIGHT - 1), min(x + 1, WIDTH - 1)]
            elif x % 3 == 1:
                for k in range((x & 7) + 1):
                    total = total + pixels[0, y, max(x - k, 0)]
            if x % 5 != 2:
                want[0, y, x] = total
            if x != 11 and y == 2:
                want[0, y, x] = np.float32(1) - total
    np.testing.assert_array_equal(pixels_of("image2d_t", result, want), want)


@pytest.mark.parametrize("format", FORMATS, ids=str)
def test_writes_beyond_each_side_do_nothing(format: tuple[int, int]) -> None:
    source = f"""
kernel void k(write_only image2d_t result) {{
    int2 at = {AT};
    float4 value = (float4)(at.x, at.y, at.x - at.y, 7.0f) / 64.0f;
    for (int k = 0; k < 2; k++)
        write_imagef(result, at + (int2)(k, 0), value + (float)k / 8.0f);
}}
"""
    x, y = columns_and_rows()
    value = (np.stack([x, y, x - y, np.full_like(x, 7)], axis=-1) / 64).astype(np.float32)
    pixels = np.zeros_like(picture(*format))
    result = image_of("image2d_t", *format, pixels)
    run(source, result, size=(RANGE[0], RANGE[1]))
    first = value[MARGIN : MARGIN + HEIGHT, MARGIN : MARGIN + WIDTH]
    second = value[MARGIN : MARGIN + HEIGHT, MARGIN - 1 : MARGIN + WIDTH - 1] + np.float32(1 / 8)
    got = pixels_of("image2d_t", result, pixels)[0]
    # Neighbours write the same pixels: either of both values may be the last.
    same = [(got == encoded(v, *format)).all(axis=-1) for v in (first, second)]
    assert (same[0] | same[1]).all()


@pytest.mark.parametrize("mode", list(MODES))
def test_coordinates_that_are_no_numbers_read_some_pixel(mode: str) -> None:
    source = f"""
constant sampler_t SAMPLER = CLK_NORMALIZED_COORDS_TRUE | {MODES[mode]} | CLK_FILTER_NEAREST;
kernel void k(read_only image2d_t image, global float4 *out) {{
    {PLACE}
    uint x = get_global_id(0);
    float some = x % 4 == 0 ? NAN : x % 4 == 1 ? INFINITY : x % 4 == 2 ? -INFINITY : 1e30f;
    out[place] = read_imagef(image, SAMPLER, x % 8 < 4 ? (float2)(some, 0.5f) : (float2)(0.5f, some));
}}
"""
    order, type = ref.RGBA, ref.UNORM8
    pixels = picture(order, type)
    got = read(source, image_of("image2d_t", order, type, pixels))
    pixel = {tuple(color) for color in np.rint(got.reshape(-1, 4) * 255).astype(int)}
    assert pixel <= {(0, 0, 0, 0), *(tuple(map(int, p)) for p in pixels.reshape(-1, 4))}


def test_layers_of_an_array() -> None:
    source = f"""
{EDGE}
kernel void k(read_only image2d_array_t images, write_only image2d_array_t result, global float4 *out) {{
    {PLACE}
    int2 at = {AT};
    float4 sum = 0.0f;
    for (int k = -1; k <= (int)get_image_array_size(images); k++)
        sum += read_imagef(images, EDGE, (int4)(at, k, 0));
    write_imagef(result, (int4)(at, at.x & 3, 0), sum);
    out[place] = sum + read_imagef(images, EDGE, (int4)(at, at.x, 0));
}}
"""
    order, type, layers = ref.RGBA, ref.FLOAT, 3
    pixels = picture(order, type, layers)
    result = image_of("image2d_array_t", order, type, np.zeros_like(pixels))
    got = read(source, image_of("image2d_array_t", order, type, pixels), result)
    x, y = columns_and_rows()
    row, column = np.clip(y, 0, HEIGHT - 1), np.clip(x, 0, WIDTH - 1)
    total = np.zeros((*x.shape, 4), np.float32)
    for k in (0, 0, 1, 2, 2):
        total = total + pixels[k, row, column]
    np.testing.assert_array_equal(got, total + pixels[np.clip(x, 0, layers - 1), row, column])
    want = np.zeros_like(pixels)
    inside = (x >= 0) & (x < WIDTH) & (y >= 0) & (y < HEIGHT) & ((x & 3) < layers)
    want[(x & 3)[inside], y[inside], x[inside]] = total[inside]
    np.testing.assert_array_equal(pixels_of("image2d_array_t", result, want), want)


def test_read_write_images_are_read_as_they_were_written() -> None:
    source = f"""
kernel void k(read_write image2d_t image) {{
    int2 at = {AT};
    write_imagef(image, at, read_imagef(image, at) * 0.5f);
    atomic_work_item_fence(CLK_IMAGE_MEM_FENCE, memory_order_acq_rel, memory_scope_work_item);
    write_imagef(image, at, read_imagef(image, at) + 1.0f);
}}
"""
    order, type = ref.RGBA, ref.FLOAT
    pixels = picture(order, type)
    image = image_of("image2d_t", order, type, pixels)
    kernel = cl.Kernel(cl.Program(queue().context, source).build("-cl-std=CL3.0"), "k")
    kernel(queue(), RANGE, None, image)
    want = pixels * np.float32(0.5) + np.float32(1)
    np.testing.assert_array_equal(pixels_of("image2d_t", image, want), want)


def test_loops_with_image_functions_run_in_lanes(way: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The optimized code of a filter has vector loads, not calls."""
    monkeypatch.setenv("WEFT_CACHE", "0")
    units = []
    of_kernel = compiler.CompilationUnit.of_kernel

    def noted(*arguments: object, **named: object) -> object:
        units.append(of_kernel(*arguments, **named))  # type: ignore[arg-type]
        return units[-1]

    monkeypatch.setattr(compiler.CompilationUnit, "of_kernel", noted)
    source = f"""
{EDGE}
kernel void k(read_only image2d_t image, write_only image2d_t result) {{
    int2 at = {AT};
    float4 sum = 0.0f;
    for (int k = -1; k <= 1; k++)
        sum += read_imagef(image, EDGE, at + (int2)(k, 0));
    write_imagef(result, at, sum / 3.0f);
}}
"""
    order, type = ref.RGBA, ref.UNORM8
    images = [image_of("image2d_t", order, type, picture(order, type)) for _ in range(2)]
    run(source, *images)
    optimized = [unit for unit in units if unit.form.known]
    assert optimized, "the kernel was compiled for its formats"
    for unit in optimized:
        called = {i.callee_name for i in unit.function.instructions() if "_image" in i.callee_name}
        assert bool(called) == (way == "loops")
        if way != "loops":
            assert any(outcome.width > 1 for outcome in unit.outcomes)


def test_clamped_coordinates_need_no_proofs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is put to the prover where addresses are in order inside of the image."""
    monkeypatch.setenv("WEFT_CACHE", "0")
    asked = []

    def noted(*arguments: object) -> vectorize_work_items.ProvedCases:
        asked.append(arguments)
        return vectorize_work_items.NOTHING

    monkeypatch.setattr(vectorize_work_items, "proved_cases", noted)
    source = f"""
{EDGE}
kernel void k(read_only image2d_t image, write_only image2d_t result) {{
    int2 at = (int2)(get_global_id(0), get_global_id(1));
    write_imagef(result, at, read_imagef(image, EDGE, at - 1) + read_imagef(image, EDGE, at + 1));
}}
"""
    pixels = random_pixels(np.random.default_rng(7), (1, 2, 256), ref.R, ref.FLOAT)
    run(source, *(image_of("image2d_t", ref.R, ref.FLOAT, pixels) for _ in range(2)), size=(256, 2))
    assert not asked
