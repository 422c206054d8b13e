"""Loops over columns run in strips over all work-items of a tile, with the same results."""

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


# The same under guards: not all work-items enter the loop.
GUARDED = """
#define WALK(name, guard, before, declare, loop, result) \\
    kernel void name(global const int *a, global const int *b, global int *out, int n, int width, \\
                     int columns, int rows) { \\
        int x = get_global_id(0), y = get_global_id(1); \\
        guard { before declare loop out[y * width + x] = result; } \\
    }
#define INSIDE if (x < columns && y < rows)
#define FROM_ZERO for (int k = 0; k < n; k++)
WALK(product, INSIDE,, int sum = 0;, FROM_ZERO sum += a[y * n + k] * b[k * width + x];, sum)
WALK(early_return, if (x >= columns || y >= rows) return;,, int sum = 0;,
     FROM_ZERO sum += a[y * n + k] * b[k * width + x];, sum)
WALK(starts_at_a_column, if (x >= columns),, int sum = 0;,
     FROM_ZERO sum = sum * 3 + (a[y * n + k] ^ b[k * width + x]);, sum)
WALK(scaled, INSIDE, int scale = b[x];, int sum = a[y];,
     FROM_ZERO sum += scale * (a[y * n + k] - b[k * width + x]);, sum + 5 * scale)
WALK(backwards, INSIDE,, int sum = 0; int k;,
     for (k = n - 1; k >= 0; k--) sum = sum * 5 - a[y * n + k] * b[k * width + x];, sum + k)
WALK(by_three, INSIDE,, int sum = 0; int k = 1;,
     for (; k < n; k += 3) sum = sum * 5 - a[y * n + k] * b[k * width + x];, sum + k)
WALK(pointer, INSIDE,, global const int *p = b + x; int sum = 0;,
     FROM_ZERO { sum += *p * (a[y * n + k] + k); p += width; }, sum)
WALK(at_least_once, INSIDE,, int sum = 7; int k = 0;,
     do { sum = sum * 3 + (a[y * n + k] ^ b[k * width + x]); } while (++k < n);, sum + k)
WALK(seen, if (x < columns),, bool seen = b[x] > 90; bool same = true;,
     FROM_ZERO {
         int v = b[k * width + x] + a[get_global_id(1) * n + k];
         seen = seen || v > 150;
         same = same != (v > 50);
     }, 2 * seen + same)
WALK(chosen, INSIDE,, int sum = b[x];,
     if (rows > 100) {
         sum += 3;
         if (n > 2) FROM_ZERO sum = sum * 3 + (a[y * n + k] ^ b[k * width + x]);
     }, sum)
"""


@pytest.fixture(scope="module")
def guarded(queue: cl.CommandQueue) -> cl.Program:
    return cl.Program(queue.context, GUARDED).build()


def expected_inside(name: str, a: np.ndarray, b: np.ndarray, n: int, width: int, height: int) -> np.ndarray:
    """Compute the result of a guarded kernel as if all work-items were inside."""
    rows = a[: height * n].reshape(height, n)
    scale, zero = b[:width], np.zeros((height, width), np.int32)
    seen, same = scale > 90, np.ones((height, width), bool)
    starts = {"scaled": zero + a[:height, None], "at_least_once": zero + 7, "chosen": zero + scale + 3}
    sum = starts.get(name, zero)
    order = {"backwards": range(n - 1, -1, -1), "by_three": range(1, n, 3)}.get(name, range(n))
    for k in map(np.int32, order) if name != "chosen" or n > 2 else ():
        left, right = rows[:, k, None], b[k * width : (k + 1) * width]
        match name:
            case "product" | "early_return":
                sum = sum + left * right
            case "starts_at_a_column" | "at_least_once" | "chosen":
                sum = sum * 3 + (left ^ right)
            case "scaled":
                sum = sum + scale * (left - right)
            case "backwards" | "by_three":
                sum = sum * 5 - left * right
            case "pointer":
                sum = sum + right * (left + k)
            case "seen":
                seen, same = seen | (left + right > 150), same ^ (left + right > 50)
    if name == "seen":
        return 2 * seen + same
    after = {"scaled": 5 * scale, "backwards": -1, "at_least_once": n, "by_three": 1 + 3 * len(order)}
    return sum + after.get(name, 0)


@pytest.mark.parametrize("trips", (*TRIPS, 2))
@pytest.mark.parametrize("jammed", (True, False))
@pytest.mark.parametrize(
    "name",
    ["product", "early_return", "starts_at_a_column", "scaled", "backwards", "by_three", "pointer", "chosen",
     "at_least_once", "seen"],
)  # fmt: skip
def test_guarded_strips_give_the_result_of_whole_loops(
    queue: cl.CommandQueue,
    guarded: cl.Program,
    monkeypatch: pytest.MonkeyPatch,
    name: str,
    jammed: bool,
    trips: int,
) -> None:
    monkeypatch.setattr("weft.tile_policy.LARGE_RANGE", 0)
    width, height = 256, 320 if jammed else 315
    columns, rows = 203, 301
    random = np.random.default_rng(trips)
    a, b = random.integers(-100, 100, (2, max(width, height) * (trips + 1)), dtype=np.int32)
    flags = cl.mem_flags.READ_ONLY | cl.mem_flags.COPY_HOST_PTR
    left, right = (cl.Buffer(queue.context, flags, hostbuf=array) for array in (a, b))
    out = np.full((height, width), -5, np.int32)
    result = cl.Buffer(queue.context, cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR, hostbuf=out)
    kernel = cl.Kernel(guarded, name)
    sizes = map(np.int32, (trips, width, columns, rows))
    kernel(queue, (width, height), None, left, right, result, *sizes)
    cl.enqueue_copy(queue, out, result)
    inside = np.full((height, width), -5, np.int32)
    only_columns = {"starts_at_a_column": np.s_[:, columns:], "seen": np.s_[:, :columns]}
    chosen = only_columns.get(name, np.s_[:rows, :columns])
    inside[chosen] = expected_inside(name, a, b, trips, width, height)[chosen]
    np.testing.assert_array_equal(out, inside)


def test_strips_of_loops_with_many_iterations_are_longer(
    queue: cl.CommandQueue, guarded: cl.Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("weft.tile_policy.LARGE_RANGE", 0)
    # A few more iterations than fill the most strips of the shortest length; few work-items are inside.
    trips, width, columns, rows = 140_001, 4, 3, 2
    random = np.random.default_rng(5)
    a, b = random.integers(-100, 100, (2, max(width, rows) * trips), dtype=np.int32)
    flags = cl.mem_flags.READ_ONLY | cl.mem_flags.COPY_HOST_PTR
    left, right = (cl.Buffer(queue.context, flags, hostbuf=array) for array in (a, b))
    out = np.full((rows, width), -5, np.int32)
    result = cl.Buffer(queue.context, cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR, hostbuf=out)
    sizes = map(np.int32, (trips, width, columns, rows))
    cl.Kernel(guarded, "product")(queue, (256, 320), None, left, right, result, *sizes)
    cl.enqueue_copy(queue, out, result)
    expected = np.full((rows, width), -5, np.int32)
    expected[:, :columns] = (a[: rows * trips].reshape(rows, trips) @ b.reshape(trips, width))[:, :columns]
    np.testing.assert_array_equal(out, expected)
