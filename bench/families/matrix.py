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


@case(
    "matrix/columns times rows/1024",
    Unit.ARITHMETIC,
    work=2.0 * 1024**3,
    sizes={"n": 1024},
    small={"n": 24},
)
def large_columns_times_rows(random: np.random.Generator, n: int) -> Case:
    """The same for matrices that do not fit into a second-level cache; rows are a page apart."""
    return _product(COLUMNS_AND_ROWS, random, n, lambda a, b: a.T @ b)


DISTANCES = """
__kernel void distances(__global const float *a, __global const float *b, __global float *c, int count) {
    int x = get_global_id(0), y = get_global_id(1);
    float sum = 0.0f;
    for (int k = 0; k < 128; k++) {
        float difference = a[k * count + y] - b[k * count + x];
        sum += difference * difference;
    }
    c[y * count + x] = sqrt(sum);
}
"""


@case("matrix/distances/2048", sizes={"count": 2048}, small={"count": 20})
def distances(random: np.random.Generator, count: int) -> Case:
    """The distances between points of 128 dimensions, each dimension in an array of its own."""
    a, b = (random.random((128, count), np.float32) for _ in range(2))
    squares = (a**2).sum(0)[:, None] + (b**2).sum(0)[None, :] - 2 * (a.T.astype(np.float64) @ b)
    launch = Launch("distances", ("a", "b", "c", np.int32(count)), (count, count))
    buffers = {"a": a, "b": b, "c": np.zeros((count, count), np.float32)}
    return Case(DISTANCES, [launch], buffers, {"c": np.sqrt(squares).astype(np.float32)}, tolerance=1e-4)


ROWS_AND_COLUMNS = """
__kernel void product(__global const float *a, __global const float *b, __global float *c, int n) {
    int column = get_global_id(0), row = get_global_id(1);
    float sum = 0.0f;
    for (int k = 0; k < n; k++)
        sum += a[row * n + k] * b[k * n + column];
    c[row * n + column] = sum;
}
"""


@case(
    "matrix/rows times columns/2048",
    Unit.ARITHMETIC,
    work=2.0 * 2048**3,
    sizes={"n": 2048},
    small={"n": 24},
)
def rows_times_columns(random: np.random.Generator, n: int) -> Case:
    """A * B, one element per work-item: the first kernel of every tutorial."""
    return _product(ROWS_AND_COLUMNS, random, n, lambda a, b: a @ b)


BEHIND_GUARD = """
__kernel void product(__global const float *a, __global const float *b, __global float *c, int n) {
    int column = get_global_id(0), row = get_global_id(1);
    if (row < n && column < n) {
        float sum = 0.0f;
        for (int k = 0; k < n; k++)
            sum += a[row * n + k] * b[k * n + column];
        c[row * n + column] = sum;
    }
}
"""


@case(
    "matrix/rows times columns behind a guard/1501",
    Unit.ARITHMETIC,
    work=2.0 * 1501**3,
    sizes={"n": 1501},
    small={"n": 19},
)
def guarded_rows_times_columns(random: np.random.Generator, n: int) -> Case:
    """A * B, one element per work-item, with the guard that most programs have."""
    return _product(BEHIND_GUARD, random, n, lambda a, b: a @ b)


@case(
    "matrix/columns times rows behind a guard/1501",
    Unit.ARITHMETIC,
    work=2.0 * 1501**3,
    sizes={"n": 1501},
    small={"n": 19},
)
def guarded_columns_times_rows(random: np.random.Generator, n: int) -> Case:
    """A^T * B behind the same guard."""
    return _product(BEHIND_GUARD.replace("a[row * n + k]", "a[k * n + row]"), random, n, lambda a, b: a.T @ b)


def _product(
    source: str, random: np.random.Generator, n: int, expected: Callable[[np.ndarray, np.ndarray], np.ndarray]
) -> Case:
    """Return a product of two matrices with a side of `n`, in groups of 8x8."""
    a, b = (random.random((n, n), np.float32) for _ in range(2))
    side = -(-n // 8) * 8
    launch = Launch("product", ("a", "b", "c", np.int32(n)), (side, side), (8, 8))
    buffers = {"a": a, "b": b, "c": np.zeros_like(a)}
    return Case(source, [launch], buffers, {"c": expected(a, b)}, tolerance=1e-5)
