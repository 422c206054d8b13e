"""In the manner of AMD's APP SDK: matrices, graphs and bodies."""

from collections.abc import Callable

import numpy as np

from bench.case import Argument, Case, Launch, Local, MakeCase, case
from bench.registry import Memory, Unit

PRODUCT = """
__kernel void naive(__global const float *a, __global const float *b, __global float *c, int n) {
    int column = get_global_id(0), row = get_global_id(1);
    float sum = 0.0f;
    for (int k = 0; k < n; k++)
        sum += a[row * n + k] * b[k * n + column];
    c[row * n + column] = sum;
}

#define TILE 16
__kernel void tiled(__global const float *a, __global const float *b, __global float *c, int n,
                    __local float *rows, __local float *columns) {
    int x = get_local_id(0), y = get_local_id(1);
    int column = get_global_id(0), row = get_global_id(1);
    float sum = 0.0f;
    for (int start = 0; start < n; start += TILE) {
        rows[y * TILE + x] = a[row * n + start + x];
        columns[y * TILE + x] = b[(start + y) * n + column];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < TILE; k++)
            sum += rows[y * TILE + k] * columns[k * TILE + x];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    c[row * n + column] = sum;
}

// Each work-item makes a block of 4x4 of the product. Rows are of n / 4 vectors.
__kernel void blocks(__global const float4 *a, __global const float4 *b, __global float4 *c, int n) {
    int x = get_global_id(0), y = get_global_id(1), width = n / 4;
    float4 sum0 = 0.0f, sum1 = 0.0f, sum2 = 0.0f, sum3 = 0.0f;
    for (int k = 0; k < width; k++) {
        float4 a0 = a[(4 * y + 0) * width + k], a1 = a[(4 * y + 1) * width + k];
        float4 a2 = a[(4 * y + 2) * width + k], a3 = a[(4 * y + 3) * width + k];
        float4 b0 = b[(4 * k + 0) * width + x], b1 = b[(4 * k + 1) * width + x];
        float4 b2 = b[(4 * k + 2) * width + x], b3 = b[(4 * k + 3) * width + x];
        sum0 += a0.x * b0 + a0.y * b1 + a0.z * b2 + a0.w * b3;
        sum1 += a1.x * b0 + a1.y * b1 + a1.z * b2 + a1.w * b3;
        sum2 += a2.x * b0 + a2.y * b1 + a2.z * b2 + a2.w * b3;
        sum3 += a3.x * b0 + a3.y * b1 + a3.z * b2 + a3.w * b3;
    }
    c[(4 * y + 0) * width + x] = sum0;
    c[(4 * y + 1) * width + x] = sum1;
    c[(4 * y + 2) * width + x] = sum2;
    c[(4 * y + 3) * width + x] = sum3;
}

// The same; the work-group's part of `a` goes through local memory, a block of 4x4 from each work-item.
__kernel void blocks_local(__global const float4 *a, __global const float4 *b, __global float4 *c, int n,
                           __local float4 *shared) {
    int x = get_global_id(0), y = get_global_id(1), width = n / 4;
    int lx = get_local_id(0), ly = get_local_id(1), size = get_local_size(0);
    float4 sum0 = 0.0f, sum1 = 0.0f, sum2 = 0.0f, sum3 = 0.0f;
    for (int start = 0; start < width; start += size) {
        for (int row = 0; row < 4; row++)
            shared[(4 * ly + row) * size + lx] = a[(4 * y + row) * width + start + lx];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < size; k++) {
            float4 a0 = shared[(4 * ly + 0) * size + k], a1 = shared[(4 * ly + 1) * size + k];
            float4 a2 = shared[(4 * ly + 2) * size + k], a3 = shared[(4 * ly + 3) * size + k];
            int row = 4 * (start + k);
            float4 b0 = b[(row + 0) * width + x], b1 = b[(row + 1) * width + x];
            float4 b2 = b[(row + 2) * width + x], b3 = b[(row + 3) * width + x];
            sum0 += a0.x * b0 + a0.y * b1 + a0.z * b2 + a0.w * b3;
            sum1 += a1.x * b0 + a1.y * b1 + a1.z * b2 + a1.w * b3;
            sum2 += a2.x * b0 + a2.y * b1 + a2.z * b2 + a2.w * b3;
            sum3 += a3.x * b0 + a3.y * b1 + a3.z * b2 + a3.w * b3;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    c[(4 * y + 0) * width + x] = sum0;
    c[(4 * y + 1) * width + x] = sum1;
    c[(4 * y + 2) * width + x] = sum2;
    c[(4 * y + 3) * width + x] = sum3;
}
"""
PRODUCT_SIDE = 256


def _product(
    random: np.random.Generator, side: int, kernel: str, item: int, group: int, *local: Local
) -> Case:
    a, b = (random.random((side, side), np.float32) for _ in range(2))
    arguments: tuple[Argument, ...] = ("a", "b", "c", np.int32(side), *local)
    return Case(
        PRODUCT,
        [Launch(kernel, arguments, (side // item, side // item), (group, group))],
        {"a": a, "b": b, "c": np.zeros_like(a)},
        {"c": a @ b},
        tolerance=1e-5,
    )


def _product_case(name: str, small: int) -> Callable[[MakeCase], MakeCase]:
    work = 2.0 * PRODUCT_SIDE**3
    sizes = {"side": PRODUCT_SIDE}
    return case(name, Unit.ARITHMETIC, work=work, sizes=sizes, small={"side": small})


@_product_case("amd/MatrixMultiplication/naive", 16)
def product_naive(random: np.random.Generator, side: int) -> Case:
    """One element per work-item."""
    return _product(random, side, "naive", 1, 16)


@_product_case("amd/MatrixMultiplication/tiled", 32)
def product_tiled(random: np.random.Generator, side: int) -> Case:
    """Tiles of 16x16 in local memory."""
    return _product(random, side, "tiled", 1, 16, Local(1024), Local(1024))


@_product_case("amd/MatrixMultiplication/float4 blocks", 32)
def product_blocks(random: np.random.Generator, side: int) -> Case:
    """A block of 4x4 per work-item, in four vectors."""
    return _product(random, side, "blocks", 4, 8)


@_product_case("amd/MatrixMultiplication/float4 blocks, local memory", 64)
def product_blocks_local(random: np.random.Generator, side: int) -> Case:
    """The same with a tile of one matrix in local memory."""
    return _product(random, side, "blocks_local", 4, 8, Local(16 * 8 * 32))


TRANSPOSE = """
#define TILE 16
__kernel void transpose(__global const float *in, __global float *out, int width, int height,
                        __local float *tile) {
    int x = get_local_id(0), y = get_local_id(1);
    int left = get_group_id(0) * TILE, top = get_group_id(1) * TILE;
    tile[y * TILE + x] = in[(top + y) * width + left + x];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[(left + y) * height + top + x] = tile[x * TILE + y];
}

// Each work-item turns a block of 4x4, in vectors.
__kernel void transpose_blocks(__global const float4 *in, __global float4 *out, int width, int height,
                               __local float4 *tile) {
    int x = get_local_id(0), y = get_local_id(1), size = get_local_size(0);
    int columns = width / 4, rows = height / 4;
    int left = get_group_id(0) * size, top = get_group_id(1) * size;
    for (int k = 0; k < 4; k++)
        tile[(4 * y + k) * size + x] = in[(4 * (top + y) + k) * columns + left + x];
    barrier(CLK_LOCAL_MEM_FENCE);
    float4 a = tile[(4 * x + 0) * size + y], b = tile[(4 * x + 1) * size + y];
    float4 c = tile[(4 * x + 2) * size + y], d = tile[(4 * x + 3) * size + y];
    int row = 4 * (left + y), column = top + x;
    out[(row + 0) * rows + column] = (float4)(a.x, b.x, c.x, d.x);
    out[(row + 1) * rows + column] = (float4)(a.y, b.y, c.y, d.y);
    out[(row + 2) * rows + column] = (float4)(a.z, b.z, c.z, d.z);
    out[(row + 3) * rows + column] = (float4)(a.w, b.w, c.w, d.w);
}
"""
TRANSPOSE_SIDE = 1024


def _transpose(random: np.random.Generator, side: int, kernel: str, item: int, local: Local) -> Case:
    matrix = random.random((side, side), np.float32)
    arguments = ("in", "out", np.int32(side), np.int32(side), local)
    return Case(
        TRANSPOSE,
        [Launch(kernel, arguments, (side // item, side // item), (16, 16))],
        {"in": matrix, "out": np.zeros_like(matrix)},
        {"out": np.ascontiguousarray(matrix.T)},
    )


def _transpose_case(name: str, small: int) -> Callable[[MakeCase], MakeCase]:
    nbytes = 4.0 * TRANSPOSE_SIDE**2
    return case(
        name,
        Unit.BANDWIDTH,
        work=2 * nbytes,
        memory=Memory(nbytes, nbytes),
        sizes={"side": TRANSPOSE_SIDE},
        small={"side": small},
    )


@_transpose_case("amd/MatrixTranspose", 32)
def transpose(random: np.random.Generator, side: int) -> Case:
    """A tile of 16x16 goes through local memory."""
    return _transpose(random, side, "transpose", 1, Local(1024))


@_transpose_case("amd/MatrixTranspose/float4 blocks", 64)
def transpose_blocks(random: np.random.Generator, side: int) -> Case:
    """A block of 4x4 per work-item, a tile of 64x64 per group."""
    return _transpose(random, side, "transpose_blocks", 4, Local(16 * 16 * 64))


FLOYD_WARSHALL = """
__kernel void relax(__global uint *distances, __global uint *vias, uint n, uint through) {
    uint x = get_global_id(0), y = get_global_id(1);
    uint direct = distances[y * n + x];
    uint detour = distances[y * n + through] + distances[through * n + x];
    if (detour < direct) {
        distances[y * n + x] = detour;
        vias[y * n + x] = through;
    }
}
"""


@case("amd/FloydWarshall", sizes={"nodes": 256}, small={"nodes": 16})
def floyd_warshall(random: np.random.Generator, nodes: int) -> Case:
    """Shortest paths: one launch per intermediate node."""
    distances = random.integers(1, 200, (nodes, nodes), dtype=np.uint32)
    np.fill_diagonal(distances, 0)
    vias = np.zeros_like(distances)
    expected, expected_vias = distances.copy(), vias.copy()
    for k in range(nodes):
        detour = expected[:, k : k + 1] + expected[k : k + 1, :]
        shorter = detour < expected
        expected[shorter], expected_vias[shorter] = detour[shorter], k
    launches = [
        Launch("relax", ("distances", "vias", np.uint32(nodes), np.uint32(k)), (nodes, nodes), (16, 16))
        for k in range(nodes)
    ]
    return Case(
        FLOYD_WARSHALL,
        launches,
        {"distances": distances, "vias": vias},
        {"distances": expected, "vias": expected_vias},
        restore=("distances", "vias"),
    )


EIGENVALUE = """
// How many eigenvalues of a symmetric tridiagonal matrix are less than x: negative pivots of A - xI.
uint count_below(__global const float *diagonal, __global const float *beside, uint n, float x) {
    uint count = 0;
    float pivot = diagonal[0] - x;
    count += pivot < 0.0f;
    for (uint k = 1; k < n; k++) {
        pivot = diagonal[k] - x - beside[k - 1] * beside[k - 1] / pivot;
        count += pivot < 0.0f;
    }
    return count;
}

// How many eigenvalues lie in each interval.
__kernel void count_in_intervals(__global uint *counts, __global const float2 *intervals,
                                 __global const float *diagonal, __global const float *beside, uint n) {
    uint i = get_global_id(0);
    float2 interval = intervals[i];
    counts[i] = count_below(diagonal, beside, n, interval.y) - count_below(diagonal, beside, n, interval.x);
}

// The interval that holds eigenvalue i: half of the one that held it alone, or a share of one that held many.
__kernel void refine(__global float2 *refined, __global const float2 *intervals, __global const uint *counts,
                     __global const float *diagonal, __global const float *beside, uint n) {
    uint i = get_global_id(0), before = 0, at = 0;
    while (i >= before + counts[at]) {
        before += counts[at];
        at++;
    }
    float low = intervals[at].x, high = intervals[at].y;
    uint inside = counts[at];
    if (inside == 1) {
        float middle = (low + high) / 2.0f;
        bool left = count_below(diagonal, beside, n, middle) > i;
        refined[i] = left ? (float2)(low, middle) : (float2)(middle, high);
    } else {
        float share = (high - low) / inside;
        refined[i] = (float2)(low + share * (i - before), low + share * (i - before + 1));
    }
}
"""


@case("amd/EigenValue", sizes={"n": 256}, small={"n": 64, "rounds": 4, "group": 32})
def eigenvalue(random: np.random.Generator, n: int, rounds: int = 12, group: int = 256) -> Case:
    """Eigenvalues of a tridiagonal matrix by bisection, one interval per work-item."""
    # The eigenvalues are near 0, 4, 8, …, so rounding hardly ever decides on which side of a bound one is.
    diagonal = (4 * random.permutation(n)).astype(np.float32)
    beside = (0.5 + 0.25 * random.random(n - 1)).astype(np.float32)
    matrix = np.diag(diagonal.astype(np.float64)) + np.diag(beside, 1) + np.diag(beside, -1)
    values = np.linalg.eigvalsh(matrix)
    bounds = np.tile(np.array([-1.7, 4 * n - 0.3], np.float32), (n, 1))
    bounds[1:, 0] = bounds[1:, 1]  # the first interval contains all eigenvalues, the others are empty
    names = ["even", "odd"]
    size, launches = np.uint32(n), []
    expected = bounds
    for k in range(rounds):
        now, then = names[k % 2], names[1 - k % 2]
        launches += [
            Launch("count_in_intervals", ("counts", now, "diagonal", "beside", size), (n,), (group,)),
            Launch("refine", (then, now, "counts", "diagonal", "beside", size), (n,), (group,)),
        ]
        expected = _refine(expected, values)
    return Case(
        EIGENVALUE,
        launches,
        {
            "even": bounds,
            "odd": np.zeros_like(bounds),
            "counts": np.zeros(n, np.uint32),
            "diagonal": diagonal,
            "beside": beside,
        },
        {names[rounds % 2]: expected},
        tolerance=1e-5,
        may_differ=0.02,
        restore=("even",),
    )


def _refine(intervals: np.ndarray, values: np.ndarray) -> np.ndarray:
    below = np.searchsorted(values, intervals)
    counts = below[:, 1] - below[:, 0]
    refined = np.empty_like(intervals)
    owners = np.repeat(np.arange(len(counts)), counts)
    befores = np.cumsum(counts) - counts
    for i, at in enumerate(owners):
        low, high = intervals[at]
        if counts[at] == 1:
            middle = (low + high) / 2
            refined[i] = (low, middle) if np.searchsorted(values, middle) > i else (middle, high)
        else:
            share = (high - low) / counts[at]
            refined[i] = (low + share * (i - befores[at]), low + share * (i - befores[at] + 1))
    return refined


NBODY = """
// The acceleration that one body causes at a place; the mass is in w.
float4 pull(float4 there, float4 here, float softening) {
    float4 way = there - here;
    float squared = way.x * way.x + way.y * way.y + way.z * way.z + softening;
    float inverse = 1.0f / sqrt(squared);
    return there.w * inverse * inverse * inverse * way;
}

__kernel void bodies(__global const float4 *positions, __global const float4 *velocities, uint count,
                     float dt, float softening, __global float4 *new_positions,
                     __global float4 *new_velocities) {
    uint i = get_global_id(0);
    float4 here = positions[i], sum = 0.0f;
    for (uint k = 0; k < count; k++)
        sum += pull(positions[k], here, softening);
    float4 velocity = velocities[i], place = here + velocity * dt + 0.5f * dt * dt * sum;
    place.w = here.w;
    velocity += sum * dt;
    velocity.w = 0.0f;
    new_positions[i] = place;
    new_velocities[i] = velocity;
}

// The bodies come through local memory, as many at a time as a work-group has work-items.
__kernel void bodies_local(__global const float4 *positions, __global const float4 *velocities, uint count,
                           float dt, float softening, __global float4 *new_positions,
                           __global float4 *new_velocities, __local float4 *shared) {
    uint i = get_global_id(0), lid = get_local_id(0), size = get_local_size(0);
    float4 here = positions[i], sum = 0.0f;
    for (uint start = 0; start < count; start += size) {
        shared[lid] = positions[start + lid];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint k = 0; k < size; k++)
            sum += pull(shared[k], here, softening);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    float4 velocity = velocities[i], place = here + velocity * dt + 0.5f * dt * dt * sum;
    place.w = here.w;
    velocity += sum * dt;
    velocity.w = 0.0f;
    new_positions[i] = place;
    new_velocities[i] = velocity;
}
"""
DT, SOFTENING = 0.005, 0.01


def _bodies(random: np.random.Generator, count: int, kernel: str, group: int, *local: Local) -> Case:
    positions = random.random((count, 4), np.float32)
    velocities = random.random((count, 4), np.float32)
    velocities[:, 3] = 0
    places, masses = positions[:, :3].astype(np.float64), positions[:, 3].astype(np.float64)
    way = places[None] - places[:, None]
    force = masses * ((way**2).sum(axis=2) + SOFTENING) ** -1.5
    pulled = (force[:, :, None] * way).sum(axis=1)
    new_positions, new_velocities = positions.copy(), velocities.copy()
    new_positions[:, :3] = places + velocities[:, :3] * DT + 0.5 * DT * DT * pulled
    new_velocities[:, :3] = velocities[:, :3] + pulled * DT
    numbers = (np.uint32(count), np.float32(DT), np.float32(SOFTENING))
    names = ("new positions", "new velocities")
    arguments: tuple[Argument, ...] = ("positions", "velocities", *numbers, *names, *local)
    return Case(
        NBODY,
        [Launch(kernel, arguments, (count,), (group,))],
        {
            "positions": positions,
            "velocities": velocities,
            "new positions": np.zeros_like(positions),
            "new velocities": np.zeros_like(velocities),
        },
        {"new positions": new_positions, "new velocities": new_velocities},
        tolerance=1e-4,
    )


@case("amd/NBody", sizes={"count": 1024}, small={"count": 64, "group": 32})
def bodies(random: np.random.Generator, count: int, group: int = 256) -> Case:
    """All pairs of bodies interact; positions are float4."""
    return _bodies(random, count, "bodies", group)


@case("amd/NBody/local memory", sizes={"count": 1024}, small={"count": 64, "group": 32})
def bodies_local(random: np.random.Generator, count: int, group: int = 256) -> Case:
    """The same, with a tile of bodies in local memory."""
    return _bodies(random, count, "bodies_local", group, Local(16 * group))
