"""Image sampling at arbitrary coordinates: scaling, rotations, warps, volumes, arrays of images."""

from collections.abc import Callable
from functools import partial

import numpy as np
import pyopencl as cl

from bench.case import Case, Launch, Picture, Sampling, case
from bench.families.images_filters import (
    SMALL,
    filter_case,
    launch_2d,
    numbers_of,
    stored,
    texels_of,
    tolerance_of,
)

# Implementations may round coordinates before the fraction becomes a weight.
FLOAT_TOLERANCE = 1e-3

Address = Callable[[np.ndarray, int], np.ndarray]


def to_edge(index: np.ndarray, size: int) -> np.ndarray:
    """CLK_ADDRESS_CLAMP_TO_EDGE."""
    return np.clip(index, 0, size - 1)


def mirrored(index: np.ndarray, size: int) -> np.ndarray:
    """CLK_ADDRESS_MIRRORED_REPEAT."""
    turned = index % (2 * size)
    return np.where(turned < size, turned, 2 * size - 1 - turned)


def repeated(index: np.ndarray, size: int) -> np.ndarray:
    """CLK_ADDRESS_REPEAT."""
    return index % size


def linear(numbers: np.ndarray, *coordinates: np.ndarray, address: Address | None) -> np.ndarray:
    """Interpolate numbers at coordinates in texels, x first; without `address`, values outside are 0."""
    sizes = numbers.shape[:-1][::-1]
    corners = [(np.floor(c - 0.5).astype(np.int64), c - 0.5 - np.floor(c - 0.5)) for c in coordinates]
    total = np.zeros((*coordinates[0].shape, numbers.shape[-1]))
    for corner in range(2 ** len(corners)):
        weight = np.ones(coordinates[0].shape)
        place = []
        for axis, ((first, fraction), size) in enumerate(zip(corners, sizes, strict=True)):
            second = corner >> axis & 1
            index = first + second
            weight = weight * (fraction if second else 1 - fraction)
            if address is None:
                weight = weight * ((index >= 0) & (index < size))
            place.append((address or to_edge)(index, size))
        total += weight[..., None] * numbers[tuple(reversed(place))]
    return total


RESIZE = """
constant sampler_t NEAREST = CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;
constant sampler_t LINEAR = CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_LINEAR;

#define RESIZE(name, sampler) \\
    kernel void name(read_only image2d_t image, write_only image2d_t result) { \\
        int2 at = (int2)(get_global_id(0), get_global_id(1)); \\
        float2 place = (convert_float2(at) + 0.5f) / convert_float2(get_image_dim(result)); \\
        write_imagef(result, at, read_imagef(image, sampler, place)); \\
    }
RESIZE(resize_nearest, NEAREST)
RESIZE(resize_linear, LINEAR)

// The sampler comes from the host.
kernel void resize_given(read_only image2d_t image, write_only image2d_t result, sampler_t sampler) {
    int2 at = (int2)(get_global_id(0), get_global_id(1));
    float2 place = (convert_float2(at) + 0.5f) / convert_float2(get_image_dim(result));
    write_imagef(result, at, read_imagef(image, sampler, place));
}
"""


def resize(random: np.random.Generator, side: int, name: str, kernel: str) -> Case:
    """Scale three texels to two in each direction: no coordinate is near the middle between two texels."""
    image = texels_of(random, name, side * 3 // 2, side * 3 // 2)
    places = (np.arange(side) + 0.5) * 1.5
    if kernel == "resize_nearest":
        chosen = places.astype(np.int64)
        numbers = numbers_of(image)[chosen[:, None], chosen]
    else:
        numbers = linear(numbers_of(image), *np.meshgrid(places, places), address=to_edge)
    result = np.zeros((side, side, image.shape[-1]), image.dtype)
    arguments: tuple[str | Sampling, ...] = ("image", "result")
    if kernel == "resize_given":
        edge, between = cl.addressing_mode.CLAMP_TO_EDGE, cl.filter_mode.LINEAR
        arguments = (*arguments, Sampling(True, edge, between))
    expected = stored(numbers, image.dtype)
    return Case(
        RESIZE,
        [launch_2d(kernel, arguments, result)],
        {},
        {"result": expected},
        tolerance=max(tolerance_of(expected), FLOAT_TOLERANCE),
        images={"image": Picture(image, name), "result": Picture(result, name)},
    )


for _name in ("RGBA8", "R8", "RGBA32F"):
    case(f"images/resize/nearest, {_name}", sizes={"side": 1024}, small=SMALL)(
        partial(resize, name=_name, kernel="resize_nearest")
    )
for _name in ("RGBA8", "R8", "RG16F", "RGBA32F"):
    case(f"images/resize/linear, {_name}", sizes={"side": 1024}, small=SMALL)(
        partial(resize, name=_name, kernel="resize_linear")
    )
case("images/resize/linear, RGBA8, sampler as an argument", sizes={"side": 1024}, small=SMALL)(
    partial(resize, name="RGBA8", kernel="resize_given")
)

WARP = """
constant sampler_t OUTSIDE = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_LINEAR;
constant sampler_t MIRRORED = CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_MIRRORED_REPEAT | CLK_FILTER_LINEAR;
constant sampler_t REPEATED = CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_REPEAT | CLK_FILTER_LINEAR;

kernel void turn(read_only image2d_t image, write_only image2d_t result, float cosine, float sine) {
    int2 at = (int2)(get_global_id(0), get_global_id(1));
    float2 middle = 0.5f * convert_float2(get_image_dim(image));
    float2 from = convert_float2(at) + 0.5f - middle;
    float2 place = (float2)(cosine * from.x + sine * from.y, cosine * from.y - sine * from.x) + middle;
    write_imagef(result, at, read_imagef(image, OUTSIDE, place));
}

// Waves that reach beyond the edges.
#define WAVES(name, sampler) \\
    kernel void name(read_only image2d_t image, write_only image2d_t result, float height, float pace) { \\
        int2 at = (int2)(get_global_id(0), get_global_id(1)); \\
        float2 place = (convert_float2(at) + 0.5f) / convert_float2(get_image_dim(image)); \\
        place += height * (float2)(sin(pace * place.y), cos(pace * place.x)); \\
        write_imagef(result, at, read_imagef(image, sampler, place)); \\
    }
WAVES(waves_mirrored, MIRRORED)
WAVES(waves_repeated, REPEATED)
"""


def _warp_case(
    image: np.ndarray, name: str, kernel: str, factors: tuple[float, float], numbers: np.ndarray
) -> Case:
    first, second = factors
    arguments = ("image", "result", np.float32(first), np.float32(second))
    images = {"image": Picture(image, name), "result": Picture(np.zeros_like(image), name)}
    expected = stored(numbers, image.dtype)
    return Case(
        WARP,
        [launch_2d(kernel, arguments, image)],
        {},
        {"result": expected},
        tolerance=max(tolerance_of(expected), FLOAT_TOLERANCE),
        images=images,
    )


def rotation(random: np.random.Generator, side: int, name: str, degrees: float = 30) -> Case:
    """An image rotated around its centre; values outside are 0."""
    image = texels_of(random, name, side, side)
    cosine, sine = np.cos(np.radians(degrees)), np.sin(np.radians(degrees))
    x, y = np.meshgrid(np.arange(side) + 0.5 - side / 2, np.arange(side) + 0.5 - side / 2)
    place = cosine * x + sine * y + side / 2, cosine * y - sine * x + side / 2
    numbers = linear(numbers_of(image), *place, address=None)
    return _warp_case(image, name, "turn", (cosine, sine), numbers)


def warp(random: np.random.Generator, side: int, name: str, kernel: str) -> Case:
    """Adjacent work-items read texels that are nearly adjacent."""
    image = texels_of(random, name, side, side)
    height, pace = 0.05, 12.0
    x, y = np.meshgrid((np.arange(side) + 0.5) / side, (np.arange(side) + 0.5) / side)
    place = side * (x + height * np.sin(pace * y)), side * (y + height * np.cos(pace * x))
    address = mirrored if kernel == "waves_mirrored" else repeated
    return _warp_case(image, name, kernel, (height, pace), linear(numbers_of(image), *place, address=address))


for _name in ("RGBA8", "RGBA32F"):
    case(f"images/rotation/{_name}", sizes={"side": 1024}, small=SMALL)(partial(rotation, name=_name))
case("images/warp/mirrored, RG16F", sizes={"side": 1024}, small=SMALL)(
    partial(warp, name="RG16F", kernel="waves_mirrored")
)
case("images/warp/repeated, R8", sizes={"side": 1024}, small=SMALL)(
    partial(warp, name="R8", kernel="waves_repeated")
)

VOLUME = """
constant sampler_t LINEAR = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_LINEAR;

// The brightest of a ray, which crosses the volume aslant.
kernel void brightest(read_only image3d_t volume, global float *result, int steps, float slant) {
    int x = get_global_id(0), y = get_global_id(1);
    float greatest = 0.0f;
    for (int k = 0; k < steps; k++) {
        float z = k + 0.75f;
        float4 place = (float4)(x + 0.25f + slant * z, y + 0.75f - slant * z, z, 0.0f);
        greatest = fmax(greatest, read_imagef(volume, LINEAR, place).x);
    }
    result[y * get_global_size(0) + x] = greatest;
}
"""


def volume(random: np.random.Generator, side: int, name: str) -> Case:
    """Eight texels per step of a ray."""
    texels = random.random((side, side, side, 1), np.float32)
    if name == "R8":
        texels = stored(texels, np.dtype(np.uint8))
    slant = 0.25
    x, y = np.meshgrid(np.arange(side) + 0.25, np.arange(side) + 0.75)
    numbers, greatest = numbers_of(texels), np.zeros((side, side))
    for k in range(side):
        z = np.full_like(x, k + 0.75)
        samples = linear(numbers, x + slant * z, y - slant * z, z, address=to_edge)
        greatest = np.maximum(greatest, samples[..., 0])
    arguments = ("volume", "result", np.int32(side), np.float32(slant))
    return Case(
        VOLUME,
        [Launch("brightest", arguments, (side, side), (16, 16))],
        {"result": np.zeros((side, side), np.float32)},
        {"result": greatest.astype(np.float32)},
        # A sampler may use only eight bits of a weight.
        tolerance=1e-2,
        images={"volume": Picture(texels, name)},
    )


for _name in ("R8", "R32F"):
    case(f"images/volume/{_name}", sizes={"side": 128}, small={"side": 16})(partial(volume, name=_name))

ARRAY = """
constant sampler_t NEAREST = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;

kernel void mean(read_only image2d_array_t images, write_only image2d_t result) {
    int2 at = (int2)(get_global_id(0), get_global_id(1));
    int layers = get_image_array_size(images);
    float4 sum = 0.0f;
    for (int k = 0; k < layers; k++)
        sum += read_imagef(images, NEAREST, (int4)(at, k, 0));
    write_imagef(result, at, sum / (float)layers);
}
"""


def layers(random: np.random.Generator, side: int, name: str, count: int = 8) -> Case:
    """The mean of an array's images."""
    texels = texels_of(random, name, count, side, side)
    result = np.zeros_like(texels[0])
    images = {"images": Picture(texels, name, is_array=True), "result": Picture(result, name)}
    launch = launch_2d("mean", ("images", "result"), result)
    return filter_case(ARRAY, [launch], images, numbers_of(texels).mean(axis=0))


for _name in ("RGBA8", "RGBA32F"):
    case(f"images/array/{_name}", sizes={"side": 512}, small=SMALL)(partial(layers, name=_name))
