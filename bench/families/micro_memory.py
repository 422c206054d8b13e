"""Small memory-only kernels: consecutive, strided and random accesses."""

from functools import partial

import numpy as np

from bench.case import Case, Launch, case
from bench.registry import Memory, Unit

STREAMS = """
__kernel void copy(__global const float *a, __global const float *b, __global float *c, float s) {
    size_t i = get_global_id(0);
    c[i] = a[i];
}
__kernel void scale(__global const float *a, __global const float *b, __global float *c, float s) {
    size_t i = get_global_id(0);
    c[i] = s * a[i];
}
__kernel void triad(__global const float *a, __global const float *b, __global float *c, float s) {
    size_t i = get_global_id(0);
    c[i] = a[i] + s * b[i];
}
"""
# Floats per array: for the first-level cache of a core, the second-level cache, and memory.
SIZES = {"L1, 8 KiB arrays": 2**11, "L2, 256 KiB arrays": 2**16, "memory, 64 MiB arrays": 2**24}
SCALE = np.float32(3.0)


def stream(random: np.random.Generator, count: int, kernel: str) -> Case:
    """One of McCalpin's kernels."""
    a, b = (random.integers(0, 100, count).astype(np.float32) for _ in range(2))
    expected = {"copy": a, "scale": SCALE * a, "triad": a + SCALE * b}[kernel]
    launch = Launch(kernel, ("a", "b", "c", SCALE), (count,), (min(count, 256),))
    return Case(STREAMS, [launch], {"a": a, "b": b, "c": np.zeros_like(a)}, {"c": expected})


for _kernel, _arrays in {"copy": 2, "scale": 2, "triad": 3}.items():
    for _size, _count in SIZES.items():
        case(
            f"micro/{_kernel}/{_size}",
            Unit.BANDWIDTH,
            work=4.0 * _arrays * _count,
            memory=Memory(4.0 * (_arrays - 1) * _count, 4.0 * _count),
            sizes={"count": _count},
            small={"count": 512},
        )(partial(stream, kernel=_kernel))

INDEXED = """
__kernel void gather(__global const float *table, __global const uint *index, __global float *out) {
    size_t i = get_global_id(0);
    out[i] = table[index[i]];
}
__kernel void scatter(__global const float *in, __global const uint *index, __global float *table) {
    size_t i = get_global_id(0);
    table[index[i]] = in[i];
}
"""


@case("micro/gather/L2, 256 KiB table", sizes={"count": 2**18, "entries": 2**16}, small={"count": 256})
@case("micro/gather/memory, 64 MiB table", sizes={"count": 2**18, "entries": 2**24}, small={"entries": 1024})
def gather(random: np.random.Generator, count: int, entries: int) -> Case:
    """Random loads."""
    table = random.random(entries, np.float32)
    index = random.integers(0, entries, count, dtype=np.uint32)
    launch = Launch("gather", ("table", "index", "out"), (count,), (256,))
    buffers = {"table": table, "index": index, "out": np.zeros(count, np.float32)}
    return Case(INDEXED, [launch], buffers, {"out": table[index]})


@case("micro/scatter/L2, 256 KiB table", sizes={"count": 2**16}, small={"count": 256})
@case("micro/scatter/memory, 32 MiB table", sizes={"count": 2**23}, small={"count": 256})
def scatter(random: np.random.Generator, count: int) -> Case:
    """Random stores, each address once."""
    values = random.random(count, np.float32)
    index = random.permutation(count).astype(np.uint32)
    expected = np.empty_like(values)
    expected[index] = values
    launch = Launch("scatter", ("in", "index", "table"), (count,), (256,))
    buffers = {"in": values, "index": index, "table": np.zeros_like(values)}
    return Case(INDEXED, [launch], buffers, {"table": expected})


STRIDED = """
__kernel void strided_load(__global const float *wide, __global float *narrow) {
    size_t i = get_global_id(0);
    float sum = 0.0f;
    for (int k = 0; k < STRIDE; k++)
        sum += wide[STRIDE * i + k];
    narrow[i] = sum;
}
__kernel void strided_store(__global const float *narrow, __global float *wide) {
    size_t i = get_global_id(0);
    float value = narrow[i];
    for (int k = 0; k < STRIDE; k++)
        wide[STRIDE * i + k] = value + k;
}
// Only the first of each: what lies between must not change.
__kernel void sparse_store(__global const float *narrow, __global float *wide) {
    size_t i = get_global_id(0);
    wide[STRIDE * i] = narrow[i];
}
"""
COUNT = 2**17


def strided_load(random: np.random.Generator, count: int, stride: int) -> Case:
    """The sum of `stride` adjacent elements: each load is strided, but together they read everything."""
    wide = random.integers(0, 100, (count, stride)).astype(np.float32)
    return Case(
        STRIDED,
        [Launch("strided_load", ("wide", "narrow"), (count,), (256,))],
        {"wide": wide, "narrow": np.zeros(count, np.float32)},
        {"narrow": wide.sum(axis=1)},
        options=f"-D STRIDE={stride}",
    )


def strided_store(random: np.random.Generator, count: int, stride: int) -> Case:
    """The inverse: one value is written to `stride` adjacent elements."""
    narrow = random.integers(0, 100, count).astype(np.float32)
    return Case(
        STRIDED,
        [Launch("strided_store", ("narrow", "wide"), (count,), (256,))],
        {"narrow": narrow, "wide": np.zeros((count, stride), np.float32)},
        {"wide": narrow[:, None] + np.arange(stride, dtype=np.float32)},
        options=f"-D STRIDE={stride}",
    )


def sparse_store(random: np.random.Generator, count: int, stride: int) -> Case:
    """One of `stride` adjacent elements is written."""
    narrow = random.integers(0, 100, count).astype(np.float32)
    wide = random.random((count, stride), np.float32)
    expected = wide.copy()
    expected[:, 0] = narrow
    return Case(
        STRIDED,
        [Launch("sparse_store", ("narrow", "wide"), (count,), (256,))],
        {"narrow": narrow, "wide": wide},
        {"wide": expected},
        options=f"-D STRIDE={stride}",
    )


for _stride in (2, 3, 4):
    _bytes = Memory(4.0 * _stride * COUNT, 4.0 * COUNT)
    for _name, _make, _memory in (
        ("load", strided_load, _bytes),
        ("store", strided_store, Memory(_bytes.written, _bytes.read)),
    ):
        case(
            f"micro/strided {_name}/{_stride}",
            Unit.BANDWIDTH,
            work=_bytes.moved,
            memory=_memory,
            sizes={"count": COUNT},
            small={"count": 512},
        )(partial(_make, stride=_stride))
case("micro/sparse store/2", sizes={"count": 2**18}, small={"count": 512})(partial(sparse_store, stride=2))

SUMS = """
// A work-item has a row of the upper triangle and mirrors it.
kernel void products_of_columns(global const float *data, global float *result, int side) {
    int first = get_global_id(0);
    for (int second = first; second < side; second++) {
        result[first * side + second] = 0.0f;
        for (int k = 0; k < side; k++)
            result[first * side + second] += data[k * side + first] * data[k * side + second];
        result[second * side + first] = result[first * side + second];
    }
}

typedef struct { float x, y, z, distance; } Sums;

kernel void distances(global const float *at, global Sums *sums, int count) {
    int i = get_global_id(0);
    for (int k = 0; k < count; k++) {
        float x = at[3 * k] - at[3 * i], y = at[3 * k + 1] - at[3 * i + 1], z = at[3 * k + 2] - at[3 * i + 2];
        sums[i].x += x;
        sums[i].y += y;
        sums[i].z += z;
        sums[i].distance += x * x + y * y + z * z;
    }
}
"""


@case("micro/sum in memory/elements", sizes={"side": 256}, small={"side": 32})
def sum_in_elements(random: np.random.Generator, side: int) -> Case:
    """Sums that are accumulated in memory, as the program is written; lanes are far apart."""
    data = random.integers(0, 10, (side, side)).astype(np.float32)
    return Case(
        SUMS,
        [Launch("products_of_columns", ("data", "result", np.int32(side)), (side,), (min(side, 256),))],
        {"data": data, "result": np.zeros_like(data)},
        {"result": data.T @ data},
    )


@case("micro/sum in memory/members", sizes={"count": 1024}, small={"count": 64})
def sum_in_members(random: np.random.Generator, count: int) -> Case:
    """The same in members of a structure."""
    at = random.integers(0, 10, (count, 3)).astype(np.float32)
    sums = random.integers(0, 10, (count, 4)).astype(np.float32)
    apart = at[None, :] - at[:, None]
    totals = np.concatenate([apart, (apart * apart).sum(2, keepdims=True)], axis=2).sum(1)
    return Case(
        SUMS,
        [Launch("distances", ("at", "sums", np.int32(count)), (count,), (64,))],
        {"at": at, "sums": sums},
        {"sums": sums + totals},
        restore=("sums",),
    )


COUNTS = """
__kernel void counts_of_rows(__global const uchar *a, __global uint *counts, int width) {
    int row = get_global_id(0);
    uint own[32];
    for (int value = 0; value < 32; value++) own[value] = 0;
    for (int x = 0; x < width; x++) own[a[row * width + x]]++;
    for (int value = 0; value < 32; value++) counts[row * 32 + value] = own[value];
}
__kernel void modes_of_columns(__global const int *a, __global int *modes, int height) {
    int column = get_global_id(0), most = 0;
    ushort own[64];
    for (int value = 0; value < 64; value++) own[value] = 0;
    for (int y = 0; y < height; y++) own[a[y * get_global_size(0) + column]]++;
    for (int value = 1; value < 64; value++) if (own[value] > own[most]) most = value;
    modes[column] = most;
}
"""


@case("micro/counts in private memory/rows", sizes={"rows": 512}, small={"rows": 64})
def counts_of_rows(random: np.random.Generator, rows: int, width: int = 512) -> Case:
    """A histogram of the bytes of a row, one row per work-item."""
    data = random.integers(0, 32, (rows, width)).astype(np.uint8)
    expected = np.stack([np.bincount(row, minlength=32) for row in data]).astype(np.uint32)
    launch = Launch("counts_of_rows", ("a", "counts", np.int32(width)), (rows,), (16,))
    return Case(COUNTS, [launch], {"a": data, "counts": np.zeros_like(expected)}, {"counts": expected})


@case("micro/counts in private memory/columns", sizes={"columns": 4096}, small={"columns": 64})
def modes_of_columns(random: np.random.Generator, columns: int, height: int = 200) -> Case:
    """The most frequent number of a column, one column per work-item."""
    data = random.integers(0, 64, (height, columns)).astype(np.int32)
    expected = np.array([np.bincount(column, minlength=64).argmax() for column in data.T]).astype(np.int32)
    launch = Launch("modes_of_columns", ("a", "modes", np.int32(height)), (columns,), (64,))
    return Case(COUNTS, [launch], {"a": data, "modes": np.zeros_like(expected)}, {"modes": expected})
