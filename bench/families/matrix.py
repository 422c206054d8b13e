"""Matrix products."""

from collections.abc import Callable

import numpy as np

from bench.case import Case, Launch, case
from bench.registry import Task, Unit, benchmark
from bench.session import Session

TILED = """
#define TILE 16
__kernel __attribute__((reqd_work_group_size(TILE, TILE, 1)))
void product(__global const float *a, __global const float *b, __global float *c, int n) {
    __local float rows[TILE][TILE], columns[TILE][TILE];
    int x = get_local_id(0), y = get_local_id(1);
    int column = get_global_id(0), row = get_global_id(1);
    float sum = 0.0f;
    for (int start = 0; start < n; start += TILE) {
        rows[y][x] = a[row * n + start + x];
        columns[y][x] = b[(start + y) * n + column];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < TILE; k++)
            sum += rows[y][k] * columns[k][x];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    c[row * n + column] = sum;
}
"""
SIZE = 512


@benchmark(f"matrix/tiled product/{SIZE}", Unit.ARITHMETIC, work=2.0 * SIZE**3)
def tiled(session: Session) -> Task:
    """Tiles in local memory with a barrier before and after each: the textbook kernel."""
    a, b = (session.random.random((SIZE, SIZE), np.float32) for _ in range(2))
    result = session.buffer(a.nbytes)
    kernel = session.kernel(TILED, "product", session.upload(a), session.upload(b), result, np.int32(SIZE))

    def check() -> None:
        np.testing.assert_allclose(session.download(result, a), a @ b, rtol=1e-4)

    return Task(lambda: session.launch(kernel, (SIZE, SIZE), (16, 16)), check)


ROWS_AND_ROWS = """
__kernel void product(__global const float *a, __global const float *b, __global float *c, int n) {
    int column = get_global_id(0), row = get_global_id(1);
    if (row >= n || column >= n) return;
    float sum = 0.0f;
    for (int k = 0; k < n; k++)
        sum += a[row * n + k] * b[column * n + k];
    c[row * n + column] = sum;
}
"""


@case("matrix/rows times rows/250", Unit.ARITHMETIC, work=2.0 * 250**3, sizes={"n": 250}, small={"n": 13})
def rows_times_rows(random: np.random.Generator, n: int) -> Case:
    """A * B^T, one element per work-item in groups of 8x8, with a guard, because 8 does not divide the
    side."""
    return _product(ROWS_AND_ROWS, random, n, lambda a, b: a @ b.T)


COLUMNS_AND_ROWS = """
__kernel void product(__global const float *a, __global const float *b, __global float *c, int n) {
    int column = get_global_id(0), row = get_global_id(1);
    float sum = 0.0f;
    for (int k = 0; k < n; k++)
        sum += a[k * n + row] * b[k * n + column];
    c[row * n + column] = sum;
}
"""


@case("matrix/columns times rows/256", Unit.ARITHMETIC, work=2.0 * 256**3, sizes={"n": 256}, small={"n": 16})
def columns_times_rows(random: np.random.Generator, n: int) -> Case:
    """A^T * B, one element per work-item in groups of 8x8."""
    return _product(COLUMNS_AND_ROWS, random, n, lambda a, b: a.T @ b)


def _product(
    source: str, random: np.random.Generator, n: int, expected: Callable[[np.ndarray, np.ndarray], np.ndarray]
) -> Case:
    """Return a product of two matrices with a side of `n`, in groups of 8x8."""
    a, b = (random.random((n, n), np.float32) for _ in range(2))
    side = -(-n // 8) * 8
    launch = Launch("product", ("a", "b", "c", np.int32(n)), (side, side), (8, 8))
    buffers = {"a": a, "b": b, "c": np.zeros_like(a)}
    return Case(source, [launch], buffers, {"c": expected(a, b)}, tolerance=1e-5)
