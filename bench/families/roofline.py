"""Kernels that should approach the speed of C loops on this machine."""

from functools import partial

import numpy as np

from bench.case import Case, Launch, case
from bench.families.matrix import TILED
from bench.registry import Memory, Unit

MOVES = """
__kernel void add(__global const float *a, __global const float *b, __global float *c) {
    size_t i = get_global_id(0);
    c[i] = a[i] + b[i];
}
__kernel void copy(__global const float *a, __global const float *b, __global float *c) {
    size_t i = get_global_id(0);
    c[i] = a[i];
}

#define SIDE 16
__kernel __attribute__((reqd_work_group_size(SIDE, SIDE, 1)))
void transpose(__global const float *in, __global float *out, int n) {
    __local float tile[SIDE][SIDE + 1];
    int x = get_local_id(0), y = get_local_id(1);
    int left = get_group_id(0) * SIDE, top = get_group_id(1) * SIDE;
    tile[y][x] = in[(top + y) * n + left + x];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[(left + y) * n + top + x] = tile[x][y];
}
"""
COUNT = 2**24  # floats per array: 64 MiB, more than the caches hold


def move(random: np.random.Generator, count: int, kernel: str) -> Case:
    """Straight-line code on arrays."""
    a, b = (random.random(count, np.float32) for _ in range(2))
    return Case(
        MOVES,
        [Launch(kernel, ("a", "b", "c"), (count,), (256,))],
        {"a": a, "b": b, "c": np.zeros_like(a)},
        {"c": a + b if kernel == "add" else a},
    )


for _name, _kernel, _read in (("vector add", "add", 2), ("copy", "copy", 1)):
    case(
        f"roofline/{_name}/64 MiB arrays",
        Unit.BANDWIDTH,
        work=4.0 * (_read + 1) * COUNT,
        memory=Memory(4.0 * _read * COUNT, 4.0 * COUNT),
        sizes={"count": COUNT},
        small={"count": 512},
    )(partial(move, kernel=_kernel))


@case(
    "roofline/transpose/64 MiB",
    Unit.BANDWIDTH,
    work=8.0 * COUNT,
    memory=Memory(4.0 * COUNT, 4.0 * COUNT, transposes=True),
    sizes={"side": 4096},
    small={"side": 32},
)
def transpose(random: np.random.Generator, side: int) -> Case:
    """Tiles of 16x16 through local memory."""
    matrix = random.random((side, side), np.float32)
    return Case(
        MOVES,
        [Launch("transpose", ("in", "out", np.int32(side)), (side, side), (16, 16))],
        {"in": matrix, "out": np.zeros_like(matrix)},
        {"out": np.ascontiguousarray(matrix.T)},
    )


SIDE = 512


@case(
    f"roofline/tiled matrix product/{SIDE}",
    Unit.ARITHMETIC,
    work=2.0 * SIDE**3,
    sizes={"side": SIDE},
    small={"side": 32},
)
def product(random: np.random.Generator, side: int) -> Case:
    """The textbook product: tiles of 16x16 in local memory, with a barrier before and after each."""
    a, b = (random.random((side, side), np.float32) for _ in range(2))
    return Case(
        TILED,
        [Launch("product", ("a", "b", "c", np.int32(side)), (side, side), (16, 16))],
        {"a": a, "b": b, "c": np.zeros_like(a)},
        {"c": a @ b},
        tolerance=1e-5,
    )
