"""Kernels that `python -m bench.limits` compares with C on the same machine, with OpenBLAS and pocketfft."""

from functools import partial

import numpy as np

from bench.case import Case, Launch, Local, case

PRODUCT = """
// A work-item has a block of 8 rows and 16 columns in registers.
kernel void product(global const float *a, global const float *b, global float *c, int side) {
    int row = 8 * get_global_id(0), column = 16 * get_global_id(1);
    float16 sum[8];
    for (int r = 0; r < 8; r++)
        sum[r] = 0.0f;
    for (int k = 0; k < side; k++) {
        float16 line = vload16(0, b + k * side + column);
        for (int r = 0; r < 8; r++)
            sum[r] = mad(a[(row + r) * side + k], line, sum[r]);
    }
    for (int r = 0; r < 8; r++)
        vstore16(sum[r], 0, c + (row + r) * side + column);
}
"""


def product(random: np.random.Generator, side: int) -> Case:
    """Register blocking."""
    a, b = random.random((2, side, side), np.float32) - np.float32(0.5)
    return Case(
        PRODUCT,
        [Launch("product", ("a", "b", "c", np.int32(side)), (side // 8, side // 16))],
        {"a": a, "b": b, "c": np.zeros_like(a)},
        {"c": a @ b},
        tolerance=1e-4,
    )


for _side in (512, 2048):
    case(f"limits/matrix product, {_side}", sizes={"side": _side}, small={"side": 64})(product)

FFT = """
float2 times(float2 a, float2 b) {
    return (float2)(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}

// A pass of radix 4 whose results lie in order (Stockham): `count` points are left, `stride` is done.
kernel void fft_pass(global const float2 *in, global float2 *out, global const float2 *roots, uint count,
                     uint stride) {
    uint i = get_global_id(0), q = i & (stride - 1), p = i / stride, quarter = count / 4;
    float2 a = in[q + stride * p], b = in[q + stride * (p + quarter)];
    float2 c = in[q + stride * (p + 2 * quarter)], d = in[q + stride * (p + 3 * quarter)];
    float2 sum = a + c, difference = a - c, other = b + d, turned = (float2)(d.y - b.y, b.x - d.x);
    global float2 *to = out + q + stride * 4 * p;
    to[0] = sum + other;
    to[stride] = times(roots[p * stride], difference - turned);
    to[2 * stride] = times(roots[2 * p * stride], sum - other);
    to[3 * stride] = times(roots[3 * p * stride], difference + turned);
}
"""


@case("limits/FFT, 2^20", sizes={"digits": 10}, small={"digits": 3})
def fft(random: np.random.Generator, digits: int) -> Case:
    """Complex numbers; the size is 4 to the power of `digits`."""
    size = 4**digits
    x = (random.random(2 * size, np.float32) - np.float32(0.5)).view(np.complex64)
    roots = np.exp(-2j * np.pi * np.arange(size) / size).astype(np.complex64)
    names = ["x" if k == 0 else ("even" if k % 2 == 0 else "odd") for k in range(digits + 1)]
    launches = [
        Launch(
            "fft_pass",
            (names[k], names[k + 1], "roots", np.uint32(4 ** (digits - k)), np.uint32(4**k)),
            (size // 4,),
            (min(64, size // 4),),
        )
        for k in range(digits)
    ]
    result = np.fft.fft(x).astype(np.complex64).view(np.float32)
    buffers = {"x": x.view(np.float32), "roots": roots.view(np.float32)}
    buffers |= {name: np.zeros_like(result) for name in ("even", "odd")}
    return Case(FFT, launches, buffers, {names[-1]: result}, tolerance=1e-4)


STREAM = """
kernel void copy(global const float *a, global float *b) {
    size_t i = get_global_id(0);
    b[i] = a[i];
}

// Every work-item adds up its share, then the group its work-items'.
kernel void reduce(global const float *a, global float *sums, local float *tile, uint share) {
    size_t i = get_global_id(0), items = get_global_size(0);
    uint l = get_local_id(0);
    float sum = 0.0f;
    for (uint k = 0; k < share; k++)
        sum += a[k * items + i];
    tile[l] = sum;
    for (uint reach = get_local_size(0) / 2; reach > 0; reach /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (l < reach)
            tile[l] += tile[l + reach];
    }
    if (l == 0)
        sums[get_group_id(0)] = tile[0];
}
"""


@case("limits/copy, 64 MiB", sizes={"count": 2**24}, small={"count": 2**10})
def copy(random: np.random.Generator, count: int) -> Case:
    """Copy one array to another."""
    a = random.random(count, np.float32)
    launch = Launch("copy", ("a", "b"), (count,))
    return Case(STREAM, [launch], {"a": a, "b": np.zeros_like(a)}, {"b": a})


@case(
    "limits/reduction, 64 MiB", sizes={"count": 2**24, "items": 2**14}, small={"count": 2**12, "items": 256}
)
def reduction(random: np.random.Generator, count: int, items: int, group: int = 64) -> Case:
    """Sums of work-groups."""
    a = random.random(count, np.float32)
    sums = a.reshape(-1, items).sum(axis=0, dtype=np.float64).reshape(-1, group).sum(axis=1)
    launch = Launch("reduce", ("a", "sums", Local(4 * group), np.uint32(count // items)), (items,), (group,))
    buffers = {"a": a, "sums": np.zeros(items // group, np.float32)}
    return Case(STREAM, [launch], buffers, {"sums": sums.astype(np.float32)}, tolerance=1e-4)


BODIES = """
kernel void accelerate(global const float4 *bodies, global float4 *result, int count) {
    int i = get_global_id(0);
    float4 here = bodies[i], sum = 0.0f;
    for (int j = 0; j < count; j++) {
        float4 other = bodies[j];
        float3 away = other.xyz - here.xyz;
        float inverse = rsqrt(dot(away, away) + 0.01f);
        sum.xyz += other.w * inverse * inverse * inverse * away;
    }
    result[i] = sum;
}
"""


@case("limits/n-body, 8192", sizes={"count": 8192}, small={"count": 64})
def bodies(random: np.random.Generator, count: int) -> Case:
    """All pairs."""
    positions = random.random((count, 4), np.float32)
    expected = np.zeros_like(positions)
    for start in range(0, count, 256):
        away = positions[None, :, :3] - positions[start : start + 256, None, :3]
        inverse = 1 / np.sqrt((away.astype(np.float64) ** 2).sum(axis=2) + 0.01)
        expected[start : start + 256, :3] = ((positions[:, 3] * inverse**3)[..., None] * away).sum(axis=1)
    launch = Launch("accelerate", ("bodies", "result", np.int32(count)), (count,), (64,))
    return Case(
        BODIES,
        [launch],
        {"bodies": positions, "result": np.zeros_like(positions)},
        {"result": expected},
        tolerance=1e-4,
    )


GRIDS = """
kernel void convolve(global const float *image, constant float *mask, global float *result, int side) {
    int x = get_global_id(0), y = get_global_id(1);
    float sum = 0.0f;
    for (int v = 0; v < 5; v++)
        for (int u = 0; u < 5; u++)
            sum += mask[5 * v + u] * image[(y + v) * (side + 4) + x + u];
    result[y * side + x] = sum;
}

kernel void diffuse(global const float *in, global float *out, int side) {
    int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
    if (x < 1 || y < 1 || z < 1 || x >= side - 1 || y >= side - 1 || z >= side - 1)
        return;
    int i = (z * side + y) * side + x;
    out[i] = 0.4f * in[i] + 0.1f * (in[i - 1] + in[i + 1] + in[i - side] + in[i + side]
                                    + in[i - side * side] + in[i + side * side]);
}
"""


@case("limits/convolution, 2048x2048", sizes={"side": 2048}, small={"side": 32})
def convolution(random: np.random.Generator, side: int) -> Case:
    """25 neighbours; the image has a margin."""
    image, mask = random.random((side + 4, side + 4), np.float32), random.random((5, 5), np.float32)
    expected = np.zeros((side, side), np.float32)
    for (v, u), weight in np.ndenumerate(mask):
        expected += weight * image[v : v + side, u : u + side]
    return Case(
        GRIDS,
        [Launch("convolve", ("image", "mask", "result", np.int32(side)), (side, side))],
        {"image": image, "mask": mask, "result": np.zeros_like(expected)},
        {"result": expected},
        tolerance=1e-4,
    )


@case("limits/stencil, 256x256x256", sizes={"side": 256}, small={"side": 16})
def stencil(random: np.random.Generator, side: int) -> Case:
    """Seven points in three dimensions."""
    field = random.random((side, side, side), np.float32)
    expected = np.zeros_like(field)
    inner = (slice(1, -1),) * 3
    around = np.zeros_like(field[inner])
    for axis in range(3):
        for part in (slice(None, -2), slice(2, None)):
            place = list(inner)
            place[axis] = part
            around += field[tuple(place)]
    expected[inner] = np.float32(0.4) * field[inner] + np.float32(0.1) * around
    return Case(
        GRIDS,
        [Launch("diffuse", ("in", "out", np.int32(side)), (side, side, side))],
        {"in": field, "out": np.zeros_like(field)},
        {"out": expected},
        tolerance=1e-5,
    )


OPTIONS = """
float below(float x) {
    float k = 1.0f / (1.0f + 0.2316419f * fabs(x));
    float high = 1.781477937f + k * (-1.821255978f + k * 1.330274429f);
    float sum = k * (0.31938153f + k * (-0.356563782f + k * high));
    float tail = 0.39894228f * exp(-0.5f * x * x) * sum;
    return x > 0.0f ? 1.0f - tail : tail;
}

kernel void price(global const float *spot, global const float *strike, global const float *years,
                  global float *call) {
    size_t i = get_global_id(0);
    float deviation = 0.3f * sqrt(years[i]);
    float first = (log(spot[i] / strike[i]) + (0.02f + 0.045f) * years[i]) / deviation;
    call[i] = spot[i] * below(first) - strike[i] * exp(-0.02f * years[i]) * below(first - deviation);
}
"""


@case("limits/Black-Scholes, 2^20", sizes={"count": 2**20}, small={"count": 256})
def options(random: np.random.Generator, count: int) -> Case:
    """Exponentials, logarithms and roots of arrays."""
    spot, strike = (random.random((2, count)) * 90 + 10).astype(np.float32)
    years = (random.random(count) * 9 + 1).astype(np.float32)

    def below(x: np.ndarray) -> np.ndarray:
        k = 1 / (1 + 0.2316419 * np.abs(x))
        factors = (1.330274429, -1.821255978, 1.781477937, -0.356563782, 0.31938153)
        total = np.zeros_like(k)
        for factor in factors:
            total = total * k + factor
        tail = 0.39894228 * np.exp(-0.5 * x * x) * total * k
        return np.where(x > 0, 1 - tail, tail)

    s, x, t = (array.astype(np.float64) for array in (spot, strike, years))
    deviation = 0.3 * np.sqrt(t)
    first = (np.log(s / x) + 0.065 * t) / deviation
    call = s * below(first) - x * np.exp(-0.02 * t) * below(first - deviation)
    names = ("spot", "strike", "years", "call")
    return Case(
        OPTIONS,
        [Launch("price", names, (count,))],
        dict(zip(names, (spot, strike, years, np.zeros_like(spot)), strict=True)),
        {"call": call.astype(np.float32)},
        tolerance=1e-5,
    )


MANDELBROT = """
kernel void escape(global int *counts, float left, float top, float step, int limit) {
    int column = get_global_id(0), row = get_global_id(1);
    float cx = left + step * column, cy = top + step * row, x = 0.0f, y = 0.0f;
    int n = 0;
    while (n < limit && x * x + y * y < 4.0f) {
        float next = x * x - y * y + cx;
        y = 2.0f * x * y + cy;
        x = next;
        n++;
    }
    counts[row * get_global_size(0) + column] = n;
}
"""
LEFT, TOP, MANDELBROT_WIDTH, MOST = -2.2, -1.2, 3.2, 256


@case("limits/Mandelbrot, 1024x512", sizes={"width": 1024}, small={"width": 64})
def mandelbrot(random: np.random.Generator, width: int) -> Case:
    """Adjacent work-items leave the loop at different times."""
    height, step = width // 2, np.float32(MANDELBROT_WIDTH / width)
    columns, rows = np.meshgrid(np.arange(width, dtype=np.float32), np.arange(height, dtype=np.float32))
    cx, cy = np.float32(LEFT) + step * columns, np.float32(TOP) + step * rows
    x, y, counts = np.zeros_like(cx), np.zeros_like(cy), np.zeros(cx.shape, np.int32)
    active = np.ones(cx.shape, bool)
    with np.errstate(over="ignore", invalid="ignore"):
        for _ in range(MOST):
            active &= x * x + y * y < 4
            counts += active
            x, y = x * x - y * y + cx, 2 * x * y + cy
    arguments = ("counts", np.float32(LEFT), np.float32(TOP), step, np.int32(MOST))
    return Case(
        MANDELBROT,
        [Launch("escape", arguments, (width, height))],
        {"counts": np.zeros_like(counts)},
        {"counts": counts},
        # Orbits near the set are chaotic: a fused multiplication changes the counts of a few points.
        may_differ=0.05,
    )


SPARSE = """
kernel void multiply(global const int *starts, global const int *columns, global const float *values,
                     global const float *x, global float *y) {
    int row = get_global_id(0);
    float sum = 0.0f;
    for (int k = starts[row]; k < starts[row + 1]; k++)
        sum += values[k] * x[columns[k]];
    y[row] = sum;
}
"""


def sparse(random: np.random.Generator, rows: int, most: int) -> Case:
    """Rows of 1 to `most` numbers, one row per work-item."""
    lengths = random.integers(1, most + 1, rows)
    starts = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int32)
    columns = random.integers(0, rows, starts[-1], dtype=np.int32)
    values, x = random.random(starts[-1], np.float32), random.random(rows, np.float32)
    y = np.add.reduceat(values.astype(np.float64) * x[columns], starts[:-1])
    return Case(
        SPARSE,
        [Launch("multiply", ("starts", "columns", "values", "x", "y"), (rows,), (64,))],
        {"starts": starts, "columns": columns, "values": values, "x": x, "y": np.zeros_like(x)},
        {"y": y.astype(np.float32)},
        tolerance=1e-4,
    )


case("limits/sparse matrix, 2^17 rows", sizes={"rows": 2**17}, small={"rows": 128})(partial(sparse, most=31))
