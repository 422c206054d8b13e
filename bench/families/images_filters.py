"""Image filters: each texel is computed from its neighbourhood in one or several images."""

from functools import partial

import numpy as np

from bench.case import Argument, Case, Launch, Local, Picture, case

SAMPLER = """
constant sampler_t NEAREST = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;
"""
GROUP = (16, 16)
CHANNELS = {"R8": 1, "RGBA8": 4, "RG16F": 2, "RGBA32F": 4}
SMALL = {"side": 32}


def texels_of(random: np.random.Generator, name: str, *shape: int) -> np.ndarray:
    """Return random texels of a format, with channels from 0 to 1."""
    channels = CHANNELS[name]
    if name.endswith("8"):
        return random.integers(0, 256, (*shape, channels), dtype=np.uint8)
    return random.random((*shape, channels), np.float32).astype(np.float16 if "16F" in name else np.float32)


def numbers_of(texels: np.ndarray) -> np.ndarray:
    """Return the numbers that a kernel reads from texels."""
    return texels / 255.0 if texels.dtype == np.uint8 else texels.astype(np.float64)


def stored(numbers: np.ndarray, dtype: np.dtype) -> np.ndarray:
    """Return the texels of an image after a kernel has written numbers."""
    if dtype != np.uint8:
        return numbers.astype(dtype)
    return np.rint(np.clip(numbers, 0, 1) * 255).astype(np.uint8)


def tolerance_of(expected: np.ndarray) -> float:
    """Return the tolerance: bytes may be off by one because of rounding, floats in their last digits."""
    if expected.dtype == np.uint8:
        return 1.01 / max(int(expected.max()), 1)
    return 2e-3 if expected.dtype == np.float16 else 1e-5


def filter_case(
    source: str,
    launches: list[Launch],
    images: dict[str, Picture],
    numbers: np.ndarray,
    buffers: dict[str, np.ndarray] | None = None,
) -> Case:
    """Return a case whose image `result` must contain `numbers`."""
    expected = stored(numbers, images["result"].texels.dtype)
    return Case(
        source, launches, buffers or {}, {"result": expected}, tolerance=tolerance_of(expected), images=images
    )


def launch_2d(kernel: str, arguments: tuple[Argument, ...], texels: np.ndarray) -> Launch:
    """Return a launch with one work-item per texel of an image."""
    height, width = texels.shape[-3:-1]
    return Launch(kernel, arguments, (width, height), GROUP)


COPY = (
    SAMPLER
    + """
kernel void copy(read_only image2d_t image, write_only image2d_t result) {
    int2 at = (int2)(get_global_id(0), get_global_id(1));
    write_imagef(result, at, read_imagef(image, NEAREST, at));
}

// Without a sampler: coordinates are within the image.
kernel void copy_texels(read_only image2d_t image, write_only image2d_t result) {
    int2 at = (int2)(get_global_id(0), get_global_id(1));
    write_imagef(result, at, read_imagef(image, at));
}

kernel void to_buffer(read_only image2d_t image, global float4 *result) {
    int2 at = (int2)(get_global_id(0), get_global_id(1));
    result[at.y * get_image_width(image) + at.x] = read_imagef(image, NEAREST, at);
}

kernel void from_buffer(global const float4 *buffer, write_only image2d_t result) {
    int2 at = (int2)(get_global_id(0), get_global_id(1));
    write_imagef(result, at, buffer[at.y * get_image_width(result) + at.x]);
}
"""
)


def copy(random: np.random.Generator, side: int, name: str, kernel: str = "copy") -> Case:
    """Copy an image to another one of the same format."""
    image = texels_of(random, name, side, side)
    images = {"image": Picture(image, name), "result": Picture(np.zeros_like(image), name)}
    launch = launch_2d(kernel, ("image", "result"), image)
    return Case(COPY, [launch], {}, {"result": image}, images=images)


for _name in CHANNELS:
    case(f"images/copy/{_name}", sizes={"side": 1024}, small=SMALL)(partial(copy, name=_name))
for _side in (256, 4096):
    case(f"images/copy/RGBA8, {_side}x{_side}", sizes={"side": _side}, small=SMALL)(
        partial(copy, name="RGBA8")
    )
case("images/copy/RGBA8 without a sampler", sizes={"side": 1024}, small=SMALL)(
    partial(copy, name="RGBA8", kernel="copy_texels")
)


def to_buffer(random: np.random.Generator, side: int, name: str) -> Case:
    """Copy an image to a buffer of floats."""
    image = texels_of(random, name, side, side)
    expected = np.zeros((side, side, 4), np.float32)
    expected[..., 3] = 1
    expected[..., : image.shape[-1]] = numbers_of(image)
    return Case(
        COPY,
        [launch_2d("to_buffer", ("image", "result"), image)],
        {"result": np.zeros_like(expected)},
        {"result": expected},
        tolerance=1e-6,
        images={"image": Picture(image, name)},
    )


def from_buffer(random: np.random.Generator, side: int, name: str) -> Case:
    """Copy a buffer of floats to an image."""
    numbers = random.random((side, side, 4), np.float32)
    result = np.zeros_like(texels_of(random, name, side, side))
    launch = launch_2d("from_buffer", ("buffer", "result"), result)
    images = {"result": Picture(result, name)}
    return filter_case(COPY, [launch], images, numbers[..., : result.shape[-1]], {"buffer": numbers})


for _name in ("RGBA8", "RG16F", "RGBA32F"):
    case(f"images/image to buffer/{_name}", sizes={"side": 1024}, small=SMALL)(partial(to_buffer, name=_name))
    case(f"images/buffer to image/{_name}", sizes={"side": 1024}, small=SMALL)(
        partial(from_buffer, name=_name)
    )

BLUR = (
    SAMPLER
    + """
kernel void box(read_only image2d_t image, write_only image2d_t result, int reach) {
    int2 at = (int2)(get_global_id(0), get_global_id(1));
    float4 sum = 0.0f;
    for (int y = -reach; y <= reach; y++)
        for (int x = -reach; x <= reach; x++)
            sum += read_imagef(image, NEAREST, at + (int2)(x, y));
    write_imagef(result, at, sum / (float)((2 * reach + 1) * (2 * reach + 1)));
}

kernel void along(read_only image2d_t image, write_only image2d_t result, constant float *weights, int reach,
                  int2 step) {
    int2 at = (int2)(get_global_id(0), get_global_id(1));
    float4 sum = 0.0f;
    for (int k = -reach; k <= reach; k++)
        sum += weights[k + reach] * read_imagef(image, NEAREST, at + k * step);
    write_imagef(result, at, sum);
}
"""
)
_INT2 = np.dtype([("x", np.int32), ("y", np.int32)])


def _edged(numbers: np.ndarray, reach: int) -> np.ndarray:
    """Return an image with its edges replicated around it."""
    return np.pad(numbers, ((reach, reach), (reach, reach), (0, 0)), mode="edge")


def box_blur(random: np.random.Generator, side: int, name: str, reach: int = 2) -> Case:
    """The mean of 5x5 texels."""
    image = texels_of(random, name, side, side)
    padded, total = _edged(numbers_of(image), reach), np.zeros((side, side, image.shape[-1]))
    for y in range(2 * reach + 1):
        for x in range(2 * reach + 1):
            total += padded[y : y + side, x : x + side]
    images = {"image": Picture(image, name), "result": Picture(np.zeros_like(image), name)}
    launch = launch_2d("box", ("image", "result", np.int32(reach)), image)
    return filter_case(BLUR, [launch], images, total / (2 * reach + 1) ** 2)


def separable_blur(random: np.random.Generator, side: int, name: str, reach: int = 4) -> Case:
    """Rows, then columns, each with nine weights; the intermediate result is in floats."""
    image = texels_of(random, name, side, side)
    weights = np.exp(-0.5 * (np.arange(-reach, reach + 1) / 2.0) ** 2)
    weights /= weights.sum()
    padded = _edged(numbers_of(image), reach)
    rows = sum(w * padded[:, k : k + side] for k, w in enumerate(weights))
    total = sum(w * rows[k : k + side] for k, w in enumerate(weights))
    between = np.zeros((side, side, 4), np.float32)
    images = {
        "image": Picture(image, name),
        "between": Picture(between, "RGBA32F"),
        "result": Picture(np.zeros_like(image), name),
    }
    across, down = np.array([(1, 0), (0, 1)], _INT2)
    launches = [
        launch_2d("along", ("image", "between", "weights", np.int32(reach), across), image),
        launch_2d("along", ("between", "result", "weights", np.int32(reach), down), image),
    ]
    return filter_case(BLUR, launches, images, total, {"weights": weights.astype(np.float32)})


for _name in ("RGBA8", "R8", "RG16F", "RGBA32F"):
    case(f"images/box blur/{_name}", sizes={"side": 1024}, small=SMALL)(partial(box_blur, name=_name))
for _name in ("RGBA8", "R8", "RGBA32F"):
    case(f"images/separable blur/{_name}", sizes={"side": 1024}, small=SMALL)(
        partial(separable_blur, name=_name)
    )

EDGES = (
    SAMPLER
    + """
#define AT(dx, dy) read_imagef(image, NEAREST, at + (int2)(dx, dy)).x

kernel void sobel(read_only image2d_t image, write_only image2d_t result) {
    int2 at = (int2)(get_global_id(0), get_global_id(1));
    float across = AT(1, -1) - AT(-1, -1) + 2.0f * (AT(1, 0) - AT(-1, 0)) + AT(1, 1) - AT(-1, 1);
    float down = AT(-1, 1) - AT(-1, -1) + 2.0f * (AT(0, 1) - AT(0, -1)) + AT(1, 1) - AT(1, -1);
    write_imagef(result, at, (float4)(0.25f * sqrt(across * across + down * down), 0.0f, 0.0f, 1.0f));
}

// A mean whose weights fall with the distance and with the difference.
kernel void bilateral(read_only image2d_t image, write_only image2d_t result, int reach, float by_distance,
                      float by_difference) {
    int2 at = (int2)(get_global_id(0), get_global_id(1));
    float middle = AT(0, 0), sum = 0.0f, weights = 0.0f;
    for (int y = -reach; y <= reach; y++) {
        for (int x = -reach; x <= reach; x++) {
            float value = AT(x, y), difference = value - middle;
            float weight = exp(-by_distance * (x * x + y * y) - by_difference * difference * difference);
            sum += weight * value;
            weights += weight;
        }
    }
    write_imagef(result, at, (float4)(sum / weights, 0.0f, 0.0f, 1.0f));
}

// The least, or the greatest, of a square.
kernel void erode(read_only image2d_t image, write_only image2d_t result, int reach) {
    int2 at = (int2)(get_global_id(0), get_global_id(1));
    float least = 1.0f;
    for (int y = -reach; y <= reach; y++)
        for (int x = -reach; x <= reach; x++)
            least = fmin(least, AT(x, y));
    write_imagef(result, at, (float4)(least, 0.0f, 0.0f, 1.0f));
}

kernel void dilate(read_only image2d_t image, write_only image2d_t result, int reach) {
    int2 at = (int2)(get_global_id(0), get_global_id(1));
    float greatest = 0.0f;
    for (int y = -reach; y <= reach; y++)
        for (int x = -reach; x <= reach; x++)
            greatest = fmax(greatest, AT(x, y));
    write_imagef(result, at, (float4)(greatest, 0.0f, 0.0f, 1.0f));
}
"""
)


@case("images/Sobel/R8", sizes={"side": 1024}, small=SMALL)
def sobel(random: np.random.Generator, side: int) -> Case:
    """Two differences of nine texels."""
    image = texels_of(random, "R8", side, side)
    at = _edged(numbers_of(image), 1)
    columns, rows = at[:, 2:] - at[:, :-2], at[2:] - at[:-2]
    across = columns[:-2] + 2 * columns[1:-1] + columns[2:]
    down = rows[:, :-2] + 2 * rows[:, 1:-1] + rows[:, 2:]
    images = {"image": Picture(image, "R8"), "result": Picture(np.zeros_like(image), "R8")}
    launch = launch_2d("sobel", ("image", "result"), image)
    return filter_case(EDGES, [launch], images, np.hypot(across, down) / 4)


@case("images/bilateral/R8", sizes={"side": 512}, small=SMALL)
def bilateral(random: np.random.Generator, side: int, reach: int = 3) -> Case:
    """49 exponentials per texel."""
    image = texels_of(random, "R8", side, side)
    numbers = numbers_of(image)
    padded, by_distance, by_difference = _edged(numbers, reach), 0.1, 8.0
    sums, weights = np.zeros_like(numbers), np.zeros_like(numbers)
    for y in range(-reach, reach + 1):
        for x in range(-reach, reach + 1):
            value = padded[y + reach : y + reach + side, x + reach : x + reach + side]
            weight = np.exp(-by_distance * (x * x + y * y) - by_difference * (value - numbers) ** 2)
            sums += weight * value
            weights += weight
    images = {"image": Picture(image, "R8"), "result": Picture(np.zeros_like(image), "R8")}
    factors = np.float32(by_distance), np.float32(by_difference)
    launch = launch_2d("bilateral", ("image", "result", np.int32(reach), *factors), image)
    return filter_case(EDGES, [launch], images, sums / weights)


def morphology(random: np.random.Generator, side: int, name: str, reach: int = 1) -> Case:
    """Erosion, then dilation: objects smaller than a square vanish."""
    image = texels_of(random, name, side, side)
    numbers = numbers_of(image)
    for extreme in (np.minimum, np.maximum):
        padded = _edged(numbers, reach)
        span = 2 * reach + 1
        parts = [padded[y : y + side, x : x + side] for y in range(span) for x in range(span)]
        numbers = extreme.reduce(parts)
    images = {
        "image": Picture(image, name),
        "between": Picture(np.zeros_like(image), name),
        "result": Picture(np.zeros_like(image), name),
    }
    launches = [
        launch_2d("erode", ("image", "between", np.int32(reach)), image),
        launch_2d("dilate", ("between", "result", np.int32(reach)), image),
    ]
    return filter_case(EDGES, launches, images, numbers)


for _side in (256, 1024):
    case(f"images/morphology/R8, {_side}x{_side}", sizes={"side": _side}, small=SMALL)(
        partial(morphology, name="R8")
    )

COLOURS = (
    SAMPLER
    + """
// Brightness for each texel, two colour differences for four of them.
kernel void to_rgb(read_only image2d_t brightness, read_only image2d_t differences,
                   write_only image2d_t result) {
    int2 at = (int2)(get_global_id(0), get_global_id(1));
    float y = 1.164f * (read_imagef(brightness, NEAREST, at).x - 0.0625f);
    float2 uv = read_imagef(differences, NEAREST, at / 2).xy - 0.5f;
    float4 colour = (float4)(y + 1.596f * uv.y, y - 0.392f * uv.x - 0.813f * uv.y, y + 2.017f * uv.x, 1.0f);
    write_imagef(result, at, clamp(colour, 0.0f, 1.0f));
}

// 256 bins of a group in local memory, then of all.
kernel void histogram(read_only image2d_t image, global uint *bins, local uint *near) {
    uint item = get_local_id(1) * get_local_size(0) + get_local_id(0);
    uint items = get_local_size(0) * get_local_size(1);
    for (uint k = item; k < 256; k += items)
        near[k] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int y = get_global_id(1); y < get_image_height(image); y += get_global_size(1))
        for (int x = get_global_id(0); x < get_image_width(image); x += get_global_size(0))
            atomic_inc(&near[read_imageui(image, NEAREST, (int2)(x, y)).x]);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint k = item; k < 256; k += items)
        atomic_add(&bins[k], near[k]);
}
"""
)


@case("images/YUV to RGB", sizes={"side": 1024}, small=SMALL)
def to_rgb(random: np.random.Generator, side: int) -> Case:
    """Two images of different sizes to one with four channels."""
    brightness = random.integers(0, 256, (side, side, 1), dtype=np.uint8)
    differences = random.integers(0, 256, (side // 2, side // 2, 2), dtype=np.uint8)
    y = 1.164 * (numbers_of(brightness)[..., 0] - 0.0625)
    u, v = (numbers_of(differences).repeat(2, axis=0).repeat(2, axis=1) - 0.5).transpose(2, 0, 1)
    colours = [y + 1.596 * v, y - 0.392 * u - 0.813 * v, y + 2.017 * u, np.ones_like(y)]
    result = np.zeros((side, side, 4), np.uint8)
    images = {
        "brightness": Picture(brightness, "R8"),
        "differences": Picture(differences, "RG8"),
        "result": Picture(result, "RGBA8"),
    }
    launch = launch_2d("to_rgb", ("brightness", "differences", "result"), result)
    return filter_case(COLOURS, [launch], images, np.stack(colours, axis=-1))


@case("images/histogram/R8UI", sizes={"side": 1024, "items": 128}, small={"side": 64, "items": 16})
def histogram(random: np.random.Generator, side: int, items: int) -> Case:
    """A histogram of integer texels in local memory."""
    image = random.integers(0, 256, (side, side, 1), dtype=np.uint8)
    bins = np.bincount(image.ravel(), minlength=256).astype(np.uint32)
    return Case(
        COLOURS,
        [Launch("histogram", ("image", "bins", Local(1024)), (items, items), (16, 8))],
        {"bins": np.zeros_like(bins)},
        {"bins": bins},
        restore=("bins",),
        images={"image": Picture(image, "R8UI")},
    )
