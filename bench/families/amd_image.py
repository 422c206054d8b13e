"""In the manner of AMD's APP SDK: image processing."""

import numpy as np

from bench.case import Case, Launch, Local, case

DCT = """
// A work-group transforms a block of 8x8: first its columns into local memory, then the rows of that.
#define BLOCK 8
__kernel void dct(__global float *result, __global const float *image, __global const float *basis,
                  uint width, uint inverse, __local float *half_done) {
    uint x = get_local_id(0), y = get_local_id(1);
    uint place = (get_group_id(1) * BLOCK + y) * width + get_group_id(0) * BLOCK + x;
    uint corner = get_group_id(1) * BLOCK * width + get_group_id(0) * BLOCK;
    float sum = 0.0f;
    for (uint k = 0; k < BLOCK; k++) {
        uint at = inverse ? k * BLOCK + y : y * BLOCK + k;
        sum += basis[at] * image[corner + k * width + x];
    }
    half_done[y * BLOCK + x] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    sum = 0.0f;
    for (uint k = 0; k < BLOCK; k++) {
        uint at = inverse ? k * BLOCK + x : x * BLOCK + k;
        sum += half_done[y * BLOCK + k] * basis[at];
    }
    result[place] = sum;
}
"""


@case("amd/DCT", sizes={"side": 512}, small={"side": 16})
def dct(random: np.random.Generator, side: int) -> Case:
    """The cosine transform of blocks of 8x8; each block is multiplied by an 8x8 matrix."""
    image = random.random((side, side), np.float32)
    k, n = np.meshgrid(np.arange(8), np.arange(8), indexing="ij")
    basis = np.where(k == 0, np.sqrt(1 / 8), 0.5) * np.cos((2 * n + 1) * k * np.pi / 16)
    blocks = image.reshape(side // 8, 8, side // 8, 8).transpose(0, 2, 1, 3)
    transformed = (basis @ blocks @ basis.T).transpose(0, 2, 1, 3).reshape(side, side)
    arguments = ("result", "image", "basis", np.uint32(side), np.uint32(0), Local(256))
    return Case(
        DCT,
        [Launch("dct", arguments, (side, side), (8, 8))],
        {"result": np.zeros_like(image), "image": image, "basis": basis.astype(np.float32)},
        {"result": transformed.astype(np.float32)},
        tolerance=1e-5,
    )


HISTOGRAM = """
#define BINS 256
#define SHARE 256   // the values of one work-item

// Each work-item has bins of a byte in local memory; then they are added up, two bins for each work-item.
__kernel void histogram_bytes(__global const uint *data, __global uint *partial, __local uchar *bins) {
    uint lid = get_local_id(0), size = get_local_size(0), group = get_group_id(0);
    for (uint b = 0; b < BINS; b++)
        bins[lid * BINS + b] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint k = 0; k < SHARE; k++) {
        uint value = data[group * size * SHARE + k * size + lid];
        bins[lid * BINS + value]++;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint b = lid; b < BINS; b += size) {
        uint sum = 0;
        for (uint k = 0; k < size; k++)
            sum += bins[k * BINS + b];
        partial[group * BINS + b] = sum;
    }
}

// The bins of a work-group are shared: atomics.
__kernel void histogram_atomic(__global const uint *data, __global uint *partial, __local uint *bins) {
    uint lid = get_local_id(0), size = get_local_size(0), group = get_group_id(0);
    for (uint b = lid; b < BINS; b += size)
        bins[b] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint k = 0; k < SHARE; k++)
        atomic_inc(&bins[data[group * size * SHARE + k * size + lid]]);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint b = lid; b < BINS; b += size)
        partial[group * BINS + b] = bins[b];
}

// Sixteen bins fit into the private memory of a work-item.
__kernel void histogram_private(__global const uint *data, __global uint *counts) {
    uint item = get_global_id(0), items = get_global_size(0);
    uint bins[16];
    for (uint b = 0; b < 16; b++)
        bins[b] = 0;
    for (uint k = 0; k < SHARE; k++)
        bins[data[k * items + item] >> 4]++;
    for (uint b = 0; b < 16; b++)
        counts[b * items + item] = bins[b];
}
"""


def _histogram(random: np.random.Generator, groups: int, group: int, kernel: str, local: int) -> Case:
    data = random.integers(0, 256, (groups, 256, group), dtype=np.uint32)
    counts = np.stack([np.bincount(part.ravel(), minlength=256) for part in data]).astype(np.uint32)
    return Case(
        HISTOGRAM,
        [Launch(kernel, ("data", "partial", Local(local)), (groups * group,), (group,))],
        {"data": data, "partial": np.zeros_like(counts)},
        {"partial": counts},
    )


# A byte counts to 255; only 256 equal values in one work-item would overflow.
@case("amd/Histogram/bytes in local memory", sizes={"groups": 32}, small={"groups": 2, "group": 16})
def histogram_bytes(random: np.random.Generator, groups: int, group: int = 128) -> Case:
    """256 one-byte bins per work-item of a group."""
    return _histogram(random, groups, group, "histogram_bytes", 256 * group)


@case("amd/Histogram/atomics in local memory", sizes={"groups": 32}, small={"groups": 2, "group": 16})
def histogram_atomic(random: np.random.Generator, groups: int, group: int = 128) -> Case:
    """256 bins per work-group."""
    return _histogram(random, groups, group, "histogram_atomic", 1024)


@case("amd/Histogram/private memory", sizes={"items": 4096}, small={"items": 64, "group": 32})
def histogram_private(random: np.random.Generator, items: int, group: int = 128) -> Case:
    """16 bins per work-item, in a private array."""
    data = random.integers(0, 256, (256, items), dtype=np.uint32)
    counts = np.stack([(data >> 4 == value).sum(axis=0) for value in range(16)]).astype(np.uint32)
    return Case(
        HISTOGRAM,
        [Launch("histogram_private", ("data", "counts"), (items,), (group,))],
        {"data": data, "counts": np.zeros_like(counts)},
        {"counts": counts},
    )


MANDELBROT = """
__kernel void mandelbrot(__global uint *counts, float left, float top, float step, uint limit) {
    int column = get_global_id(0), row = get_global_id(1);
    float cx = left + step * column, cy = top - step * row;
    float x = 0.0f, y = 0.0f;
    uint n;
    for (n = 0; n < limit; n++) {
        float xx = x * x, yy = y * y;
        if (xx + yy > 4.0f)
            break;
        y = 2.0f * x * y + cy;
        x = xx - yy + cx;
    }
    counts[row * get_global_size(0) + column] = n;
}

// Four neighbours in a vector: it goes on until all have left, and counts those that have not.
__kernel void mandelbrot4(__global uint4 *counts, float left, float top, float step, uint limit) {
    int column = get_global_id(0), row = get_global_id(1);
    float4 cx = left + step * (convert_float4((int4)(4 * column)) + (float4)(0.0f, 1.0f, 2.0f, 3.0f));
    float cy = top - step * row;
    float4 x = 0.0f, y = 0.0f;
    int4 n = 0, inside = -1;
    for (uint k = 0; k < limit && any(inside); k++) {
        float4 xx = x * x, yy = y * y;
        inside &= xx + yy <= 4.0f;
        n -= inside;
        y = 2.0f * x * y + cy;
        x = xx - yy + cx;
    }
    counts[row * get_global_size(0) + column] = as_uint4(n);
}
"""
LEFT, TOP, WIDTH = -2.2, 1.1, 3.2


def _mandelbrot(width: int, height: int, limit: int, lanes: int) -> Case:
    step = np.float32(WIDTH / width)
    columns, rows = np.meshgrid(np.arange(width, dtype=np.float32), np.arange(height, dtype=np.float32))
    cx, cy = np.float32(LEFT) + step * columns, np.float32(TOP) - step * rows
    x, y = np.zeros_like(cx), np.zeros_like(cy)
    counts = np.zeros((height, width), np.uint32)
    active = np.ones(counts.shape, bool)
    with np.errstate(over="ignore", invalid="ignore"):
        for _ in range(limit):
            active &= x * x + y * y <= 4
            counts += active
            x, y = x * x - y * y + cx, 2 * x * y + cy
    arguments = ("counts", np.float32(LEFT), np.float32(TOP), step, np.uint32(limit))
    kernel = "mandelbrot4" if lanes == 4 else "mandelbrot"
    return Case(
        MANDELBROT,
        [Launch(kernel, arguments, (width // lanes, height), (64, 1))],
        {"counts": np.zeros_like(counts)},
        {"counts": counts},
        # Orbits near the set are chaotic: a fused multiplication changes the counts of a few points.
        may_differ=0.05,
    )


@case("amd/Mandelbrot", sizes={"width": 512, "height": 256}, small={"width": 64, "height": 8})
def mandelbrot(random: np.random.Generator, width: int, height: int, limit: int = 256) -> Case:
    """One point per work-item; adjacent work-items leave the loop at different times."""
    return _mandelbrot(width, height, limit, 1)


@case("amd/Mandelbrot/float4", sizes={"width": 512, "height": 256}, small={"width": 256, "height": 4})
def mandelbrot_float4(random: np.random.Generator, width: int, height: int, limit: int = 256) -> Case:
    """Four points per work-item, in vectors."""
    return _mandelbrot(width, height, limit, 4)


CONVOLUTION = """
// The sum over a mask around each pixel, as far as it lies within the picture.
__kernel void convolve(__global const uint *image, __global const float *mask, __global uint *result,
                       int width, int height, int side) {
    int i = get_global_id(0), x = i % width, y = i / width, reach = (side - 1) / 2;
    int left = max(x - reach, 0), right = min(x + reach, width - 1);
    int top = max(y - reach, 0), bottom = min(y + reach, height - 1);
    float sum = 0.0f;
    for (int v = top; v <= bottom; v++)
        for (int u = left; u <= right; u++)
            sum += mask[(v - (y - reach)) * side + u - (x - reach)] * (float)image[v * width + u];
    result[i] = (uint)(sum + 0.5f);
}

// The picture has a margin: every pixel has all its neighbours.
__kernel void convolve_padded(__global const float *image, __global const float *mask, __global float *result,
                              int width, int padded, int side) {
    int x = get_global_id(0), y = get_global_id(1);
    float sum = 0.0f;
    for (int v = 0; v < side; v++)
        for (int u = 0; u < side; u++)
            sum += mask[v * side + u] * image[(y + v) * padded + x + u];
    result[y * width + x] = sum;
}
"""


def _convolution(image: np.ndarray, mask: np.ndarray) -> np.ndarray:
    """Return the sums for an image with a margin."""
    reach = len(mask) - 1
    height, width = image.shape[0] - reach, image.shape[1] - reach
    total = np.zeros((height, width))
    for (v, u), weight in np.ndenumerate(mask):
        total += np.float64(weight) * image[v : v + height, u : u + width]
    return total


@case("amd/SimpleConvolution", sizes={"side": 512}, small={"side": 32})
def simple_convolution(random: np.random.Generator, side: int, mask_side: int = 5) -> Case:
    """A mask of 5x5, clipped at the edges: loop bounds differ between some work-items."""
    image = random.integers(0, 256, (side, side), dtype=np.uint32)
    mask = np.full((mask_side, mask_side), 1 / mask_side**2, np.float32)
    # With equal weights, the sums are multiples of 1/25, none of which is near a rounding boundary.
    expected = np.floor(_convolution(np.pad(image, mask_side // 2), mask) + 0.5).astype(np.uint32)
    arguments = ("image", "mask", "result", np.int32(side), np.int32(side), np.int32(mask_side))
    return Case(
        CONVOLUTION,
        [Launch("convolve", arguments, (side * side,), (256,))],
        {"image": image, "mask": mask, "result": np.zeros_like(image)},
        {"result": expected},
    )


@case("amd/SimpleConvolution/padded", sizes={"side": 512}, small={"side": 32})
def simple_convolution_padded(random: np.random.Generator, side: int, mask_side: int = 5) -> Case:
    """A mask of 5x5 over an image with a margin."""
    margin = mask_side - 1
    image = random.random((side + margin, side + margin), np.float32)
    mask = random.random((mask_side, mask_side), np.float32)
    arguments = ("image", "mask", "result", np.int32(side), np.int32(side + margin), np.int32(mask_side))
    expected = _convolution(image, mask).astype(np.float32)
    return Case(
        CONVOLUTION,
        [Launch("convolve_padded", arguments, (side, side), (16, 16))],
        {"image": image, "mask": mask, "result": np.zeros_like(expected)},
        {"result": expected},
        tolerance=1e-5,
    )


SOBEL = """
__kernel void sobel(__global const uchar4 *image, __global uchar4 *result) {
    uint x = get_global_id(0), y = get_global_id(1), width = get_global_size(0), height = get_global_size(1);
    uint i = y * width + x;
    if (x == 0 || x >= width - 1 || y == 0 || y >= height - 1)
        return;
    float4 nw = convert_float4(image[i - width - 1]), n = convert_float4(image[i - width]);
    float4 ne = convert_float4(image[i - width + 1]), w = convert_float4(image[i - 1]);
    float4 e = convert_float4(image[i + 1]), sw = convert_float4(image[i + width - 1]);
    float4 s = convert_float4(image[i + width]), se = convert_float4(image[i + width + 1]);
    float4 across = nw + 2.0f * w + sw - ne - 2.0f * e - se;
    float4 down = nw + 2.0f * n + ne - sw - 2.0f * s - se;
    result[i] = convert_uchar4(hypot(across, down) / 2.0f);
}
"""


@case("amd/SobelFilter", sizes={"side": 512}, small={"side": 32})
def sobel_filter(random: np.random.Generator, side: int) -> Case:
    """Edge detection in an image with four one-byte channels."""
    # Values up to 88 keep the results within a byte.
    image = random.integers(0, 89, (side, side, 4), dtype=np.uint8)
    at = image.astype(np.float64)
    columns = at[:, :-2] - at[:, 2:]
    rows = at[:-2] - at[2:]
    across = columns[:-2] + 2 * columns[1:-1] + columns[2:]
    down = rows[:, :-2] + 2 * rows[:, 1:-1] + rows[:, 2:]
    expected = np.zeros_like(image)
    expected[1:-1, 1:-1] = np.hypot(across, down) / 2
    return Case(
        SOBEL,
        [Launch("sobel", ("image", "result"), (side, side), (16, 16))],
        {"image": image, "result": np.zeros_like(image)},
        {"result": expected},
        # Off by one where the value is just below an integer.
        tolerance=1.01 / 255,
    )
