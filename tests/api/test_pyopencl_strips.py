"""Loops that walk down columns run in strips over all work-items of a tile, with the same results."""

import numpy as np
import pyopencl as cl
import pytest

# Each kernel walks along a row of `a` or down a column of it, and down a column of `b`.
SOURCE = """
#define WALK(name, declare, loop, result) \\
    kernel void name(global const int *a, global const int *b, global int *out, int n, int width) { \\
        int x = get_global_id(0), y = get_global_id(1); \\
        declare \\
        loop \\
        out[y * width + x] = result; \\
    }
WALK(product, int sum = 0;, for (int k = 0; k < n; k++) sum += a[y * n + k] * b[k * width + x];, sum)
WALK(at_least_once, int k = 0; int sum = 7;,
     do { sum = sum * 3 + (a[y * n + k] ^ b[k * width + x]); } while (++k < n);, sum + k)
WALK(largest, int best = -1000000; int at = -1;,
     for (int k = 0; k < n; k++) {
         int v = a[y * n + k] + b[k * width + x];
         if (v > best) { best = v; at = k; }
     }, best * 1000 + at)
WALK(pointer, global const int *p = b + x; int sum = 0;,
     for (int k = 0; k < n; k++) { sum += *p * (a[y * n + k] + k); p += width; }, sum)
WALK(backwards, int sum = 0;,
     for (int k = n - 1; k >= 0; k--) sum = sum * 5 - a[y * n + k] * b[k * width + x];, sum)
WALK(two_columns, long sum = 0; int other = 1;,
     for (int k = 0; k < n; k += 2) {
         sum += (long)a[k * width + y] * b[k * width + x];
         other = other * b[k * width + x] + 1;
     }, (int)sum + other)
WALK(shared_along_x, int sum = 0; int odd = 0;,
     for (int k = 0; k < n; k++) { sum += b[k * width + y] * (x + k); odd ^= b[k * width + y] >> (x & 3); },
     sum + odd)
WALK(four_sums, int4 sums = (int4)(1, 2, 3, 4);,
     for (int k = 0; k < n; k++) sums = sums * (int4)(3, 5, 7, 9) + a[y * n + k] * b[k * width + x];,
     sums.x ^ sums.y ^ sums.z ^ sums.w)
"""
TRIPS = (1, 127, 128, 129, 256, 300)


@pytest.fixture(scope="module")
def program(queue: cl.CommandQueue) -> cl.Program:
    return cl.Program(queue.context, SOURCE).build()


def expected(name: str, a: np.ndarray, b: np.ndarray, n: int, width: int, height: int) -> np.ndarray:
    """Compute the result of a kernel, iteration by iteration, as C's int does."""
    x, y = np.arange(width, dtype=np.int32), np.arange(height, dtype=np.int32)[:, None]
    zero = np.zeros((height, width), np.int32)
    rows = a[: height * n].reshape(height, n)
    order = range(n - 1, -1, -1) if name == "backwards" else range(0, n, 2 if name == "two_columns" else 1)
    sum, other = zero + (7 if name == "at_least_once" else 0), zero + (1 if name == "two_columns" else 0)
    best, at = zero - 1000000, zero - 1
    for k in map(np.int32, order):
        left, right = rows[:, k, None], b[k * width + x]
        match name:
            case "product":
                sum = sum + left * right
            case "at_least_once":
                sum = sum * 3 + (left ^ right)
            case "largest":
                v = left + right
                best, at = np.where(v > best, v, best), np.where(v > best, k, at)
            case "pointer":
                sum = sum + right * (left + k)
            case "backwards":
                sum = sum * 5 - left * right
            case "two_columns":
                sum, other = sum + a[k * width + y] * right, other * right + 1
            case "shared_along_x":
                column = b[k * width + y]
                sum, other = sum + column * (x + k), other ^ (column >> (x & 3))
    results = {"at_least_once": sum + n, "largest": best * 1000 + at}
    return results.get(name, sum + other)


@pytest.mark.parametrize("trips", TRIPS)
@pytest.mark.parametrize(
    "name",
    ["product", "at_least_once", "largest", "pointer", "backwards", "two_columns", "shared_along_x"],
)
def test_strips_give_the_result_of_whole_loops(
    queue: cl.CommandQueue, program: cl.Program, name: str, trips: int
) -> None:
    width, height = (320, 16) if name == "shared_along_x" else (256, 320)
    random = np.random.default_rng(trips)
    size = max(width, height) * (trips + 1)
    a, b = random.integers(-100, 100, (2, size), dtype=np.int32)
    flags = cl.mem_flags.READ_ONLY | cl.mem_flags.COPY_HOST_PTR
    left, right = (cl.Buffer(queue.context, flags, hostbuf=array) for array in (a, b))
    out = np.zeros((height, width), np.int32)
    result = cl.Buffer(queue.context, cl.mem_flags.WRITE_ONLY, out.nbytes)
    kernel = cl.Kernel(program, name)
    kernel(queue, (width, height), None, left, right, result, np.int32(trips), np.int32(width))
    cl.enqueue_copy(queue, out, result)
    np.testing.assert_array_equal(out, expected(name, a, b, trips, width, height))


def test_a_loop_that_does_not_run_leaves_what_it_carries(queue: cl.CommandQueue, program: cl.Program) -> None:
    out = np.ones((320, 256), np.int32)
    result = cl.Buffer(queue.context, cl.mem_flags.COPY_HOST_PTR, hostbuf=out)
    empty = cl.Buffer(queue.context, cl.mem_flags.READ_ONLY, 4)
    kernel = cl.Kernel(program, "largest")
    kernel(queue, (256, 320), None, empty, empty, result, np.int32(0), np.int32(256))
    cl.enqueue_copy(queue, out, result)
    assert (out == -1000000 * 1000 - 1).all()


def test_narrower_tiles_at_the_end_of_rows_keep_values_of_work_items_separate(
    queue: cl.CommandQueue, program: cl.Program
) -> None:
    width, height, trips = 1500, 1452, 3
    a, b = np.random.default_rng(1).integers(-100, 100, (2, max(width, height) * trips), dtype=np.int32)
    flags = cl.mem_flags.READ_ONLY | cl.mem_flags.COPY_HOST_PTR
    left, right = (cl.Buffer(queue.context, flags, hostbuf=array) for array in (a, b))
    out = np.zeros((height, width), np.int32)
    result = cl.Buffer(queue.context, cl.mem_flags.WRITE_ONLY, out.nbytes)
    kernel = cl.Kernel(program, "four_sums")
    kernel(queue, (width, height), None, left, right, result, np.int32(trips), np.int32(width))
    cl.enqueue_copy(queue, out, result)
    sums = [np.full((height, width), start, np.int32) for start in (1, 2, 3, 4)]
    for k in range(trips):
        product = a[: height * trips].reshape(height, trips)[:, k, None] * b[k * width : (k + 1) * width]
        sums = [sum * factor + product for sum, factor in zip(sums, (3, 5, 7, 9), strict=True)]
    np.testing.assert_array_equal(out, sums[0] ^ sums[1] ^ sums[2] ^ sums[3])
