"""Launches whose work-groups are run in tiles: whatever the sizes, results are those of the work-groups."""

from itertools import product

import numpy as np
import pyopencl as cl
import pytest

from weft.launch_form import LaunchForm
from weft.program import Kernel
from weft.tiers.tiered_code import LaunchContext, TieredKernel

SOURCE = """
kernel void ids(global ulong *out, ulong pitch, ulong area) {
    size_t x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
    out[z * area + y * pitch + x] += x + (y << 20) + (z << 40) + ((ulong)get_global_linear_id() << 44);
}

kernel void groups(global uint *out, uint pitch, uint area) {
    uint x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
    uint l = get_local_id(0) + 10 * get_local_id(1) + 100 * get_local_id(2);
    uint g = get_group_id(0) + get_group_id(1) * get_num_groups(0) + get_num_groups(1) * get_local_size(1);
    out[z * area + y * pitch + x] += l + 1000 * g + get_local_linear_id() * 10000000;
}

kernel void assembled(global int *out) {
    int i = get_group_id(0) * get_local_size(0) + get_local_id(0);
    out[i] += i + 1;
}

kernel void escape(global int *out, int rows) {
    int x = get_global_id(0), y = get_global_id(1), n = 0;
    for (uint v = 27 * x + y + 1; v != 1 && n < 200; n++)
        v = v & 1 ? 3 * v + 1 : v / 2;
    out[x * rows + y] = n;
}

kernel void transposed(global const int *in, global int *out, int width, int height) {
    int x = get_global_id(0), y = get_global_id(1);
    out[x * height + y] = in[y * width + x];
}

kernel void rows_along_y(global int *out, global const int *factors, int width, int height, int from) {
    int x = get_global_id(0), y = get_global_id(1);
    if (x < width && y < height - from) out[x * height + y + from] += factors[x] * (y + 1) + 1;
    if (y == 0) out[x * height] -= 7;
}

__attribute__((reqd_work_group_size(3, 1, 1)))
kernel void required(global uint *out) {
    out[get_global_id(0)] += get_local_size(0) * 100 + get_local_id(0);
}

kernel void blocks(global ulong *out) {
    size_t block = get_global_id(0) >> 21;
    out[block] = block + 1;
}
"""

SIZES = (
    ((1,), (1,)), ((5,), (1,)), ((17,), (17,)), ((63,), (7,)), ((1001,), (13,)), ((1009,), None),
    ((4096,), (1,)), ((100, 7), (1, 1)), ((33, 20), (3, 2)), ((64, 64), (8, 8)), ((3, 1000), (3, 1)),
    ((997, 31), None), ((7, 11, 13), None), ((5, 6, 7), (1, 2, 7)), ((2, 3, 100), (1, 1, 1)),
    ((40, 3, 5), (4, 3, 1)),
)  # fmt: skip


@pytest.fixture(scope="module")
def context() -> cl.Context:
    """A context on the Weft platform."""
    (platform,) = [p for p in cl.get_platforms() if p.name == "Weft"]
    return cl.Context(platform.get_devices())


@pytest.fixture(scope="module")
def program(context: cl.Context) -> cl.Program:
    return cl.Program(context, SOURCE).build("-cl-std=CL3.0")


class Run:
    """One queue with an output buffer of zeros."""

    def __init__(self, context: cl.Context, like: np.ndarray) -> None:
        self.queue = cl.CommandQueue(context)
        self.like = like
        flags = cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR
        self.buffer = cl.Buffer(context, flags, hostbuf=like)

    def result(self) -> np.ndarray:
        """The output."""
        found = np.empty_like(self.like)
        cl.enqueue_copy(self.queue, found, self.buffer)
        return found


def enqueue(
    run: Run,
    program: cl.Program,
    name: str,
    size: tuple[int, ...],
    local: tuple[int, ...] | None,
    *arguments: object,
    offset: tuple[int, ...] | None = None,
) -> None:
    """Launches a kernel."""
    kernel = cl.Kernel(program, name)
    kernel.set_args(*arguments)
    cl.enqueue_nd_range_kernel(run.queue, kernel, size, local, offset)


def grids(size: tuple[int, ...]) -> list[np.ndarray]:
    """The work-items' positions in the range as arrays indexed [z, y, x]."""
    x, y, z = (*size, 1, 1)[:3]
    return [grid.T.astype(np.uint64) for grid in np.meshgrid(*map(np.arange, (x, y, z)), indexing="ij")]


@pytest.mark.parametrize(("size", "local"), SIZES)
def test_every_work_item_runs_once(
    context: cl.Context, program: cl.Program, size: tuple[int, ...], local: tuple[int, ...] | None
) -> None:
    for offset in (None, (3, 40, 5)[: len(size)]):
        x, y, z = grids(size)
        ox, oy, oz = (*(offset or ()), 0, 0, 0)[:3]
        width, height = x.shape[2] + ox, x.shape[1] + oy
        run = Run(context, np.zeros((x.shape[0] + oz, height, width), np.uint64))
        arguments = (run.buffer, np.uint64(width), np.uint64(width * height))
        enqueue(run, program, "ids", size, local, *arguments, offset=offset)
        expected = np.zeros_like(run.like)
        linear = (z * x.shape[1] + y) * x.shape[2] + x
        ids = (x + ox) + ((y + oy) << 20) + ((z + oz) << 40) + (linear << 44)
        expected[oz:, oy:, ox:] = ids
        np.testing.assert_array_equal(run.result(), expected)


@pytest.mark.parametrize(("size", "local"), [(s, n) for s, n in SIZES if n is not None])
def test_groups_are_those_of_the_client(
    context: cl.Context, program: cl.Program, size: tuple[int, ...], local: tuple[int, ...]
) -> None:
    for offset in (None, (2, 1, 3)[: len(size)]):
        position = grids(size)
        sizes = (*local, 1, 1)[:3]
        counts = [-(-n // s) for n, s in zip((*size, 1, 1), sizes, strict=False)]
        lx, ly, lz = (p % s for p, s in zip(position, sizes, strict=True))
        gx, gy, _ = (p // s for p, s in zip(position, sizes, strict=True))
        linear = (lz * sizes[1] + ly) * sizes[0] + lx
        g = gx + gy * counts[0] + counts[1] * sizes[1]
        ids = (lx + 10 * ly + 100 * lz + 1000 * g + linear * 10000000).astype(np.uint32)
        ox, oy, oz = (*(offset or ()), 0, 0, 0)[:3]
        shape = [n + o for n, o in zip(ids.shape, (oz, oy, ox), strict=True)]
        run = Run(context, np.zeros(shape, np.uint32))
        arguments = (run.buffer, np.uint32(shape[2]), np.uint32(shape[1] * shape[2]))
        enqueue(run, program, "groups", size, local, *arguments, offset=offset)
        expected = np.zeros_like(run.like)
        expected[oz:, oy:, ox:] = ids
        np.testing.assert_array_equal(run.result(), expected)


@pytest.mark.parametrize("local", [1, 3, 7, 64, 231])
def test_global_ids_can_be_put_together(context: cl.Context, program: cl.Program, local: int) -> None:
    count = local * (2000 // local + 1)
    run = Run(context, np.zeros(count, np.int32))
    enqueue(run, program, "assembled", (count,), (local,), run.buffer)
    np.testing.assert_array_equal(run.result(), np.arange(count) + 1)


@pytest.mark.parametrize(("columns", "rows"), [(3, 1000), (100, 50), (1, 300), (15, 16)])
def test_short_rows_of_diverging_work_items(
    context: cl.Context, program: cl.Program, columns: int, rows: int
) -> None:
    run = Run(context, np.zeros(columns * rows, np.int32))
    enqueue(run, program, "escape", (columns, rows), (1, 1), run.buffer, np.int32(rows))

    def steps(v: int) -> int:
        n = 0
        while v != 1 and n < 200:
            v, n = (3 * v + 1 if v & 1 else v // 2), n + 1
        return n

    expected = [steps(27 * x + y + 1) for x, y in product(range(columns), range(rows))]
    np.testing.assert_array_equal(run.result(), expected)


@pytest.mark.parametrize("local", [None, (1, 1), (16, 8)])
def test_columns_become_rows(context: cl.Context, program: cl.Program, local: tuple[int, int] | None) -> None:
    width, height = (176, 168) if local else (179, 167)
    matrix = np.arange(width * height, dtype=np.int32).reshape(height, width)
    run = Run(context, np.zeros((width, height), np.int32))
    flags = cl.mem_flags.READ_ONLY | cl.mem_flags.COPY_HOST_PTR
    source = cl.Buffer(context, flags, hostbuf=matrix)
    arguments = (source, run.buffer, np.int32(width), np.int32(height))
    enqueue(run, program, "transposed", (width, height), local, *arguments)
    np.testing.assert_array_equal(run.result(), matrix.T)


@pytest.mark.parametrize("size", [(64, 1024), (40, 2048), (33, 1001), (1000, 64), (100, 63), (20, 20)])
@pytest.mark.parametrize("offset", [(0, 0), (3, 40)])
def test_rows_that_lie_along_y(
    context: cl.Context, program: cl.Program, size: tuple[int, int], offset: tuple[int, int]
) -> None:
    width, height = (n + o for n, o in zip(size, offset, strict=True))
    before = 5
    factors = np.arange(width, dtype=np.int32) * 31
    flags = cl.mem_flags.READ_ONLY | cl.mem_flags.COPY_HOST_PTR
    buffer = cl.Buffer(context, flags, hostbuf=factors)
    run = Run(context, np.zeros((width, height), np.int32))
    arguments = (run.buffer, buffer, np.int32(width - 2), np.int32(height), np.int32(before))
    for _ in range(2):  # in baseline code, then in optimized code
        enqueue(run, program, "rows_along_y", size, None, *arguments, offset=offset)
        run.queue.finish()
    x, y = np.meshgrid(np.arange(width), np.arange(height), indexing="ij")
    expected = np.zeros((width, height), np.int64)
    ran = (x >= offset[0]) & (x < width - 2) & (y >= offset[1] + before)
    expected[ran] = (factors[x] * (y - before + 1) + 1)[ran]
    if offset[1] == 0:
        expected[offset[0] :, 0] -= 7
    np.testing.assert_array_equal(run.result(), 2 * expected)


def test_a_required_size_is_what_the_kernel_sees(context: cl.Context, program: cl.Program) -> None:
    run = Run(context, np.zeros(3000, np.uint32))
    for local in (None, (3,)):
        enqueue(run, program, "required", (3000,), local, run.buffer)
    np.testing.assert_array_equal(run.result(), 2 * (300 + np.arange(3000) % 3))
    with pytest.raises(cl.LogicError):
        enqueue(run, program, "required", (3000,), (1,), run.buffer)


def test_more_work_items_than_fit_in_31_bits(context: cl.Context, program: cl.Program) -> None:
    run = Run(context, np.zeros(1030, np.uint64))
    enqueue(run, program, "blocks", ((1 << 31) + 5,), None, run.buffer)
    np.testing.assert_array_equal(run.result(), [*range(1, 1026), 0, 0, 0, 0, 0])


def test_nothing_runs_for_an_empty_range(context: cl.Context, program: cl.Program) -> None:
    run = Run(context, np.zeros(8, np.int32))
    enqueue(run, program, "assembled", (0,), None, run.buffer)
    enqueue(run, program, "assembled", (8,), None, run.buffer)
    np.testing.assert_array_equal(run.result(), np.arange(8) + 1)


def test_the_local_size_must_still_divide_the_range(context: cl.Context) -> None:
    run = Run(context, np.zeros(1000, np.int32))
    program = cl.Program(context, SOURCE).build("-cl-std=CL3.0 -cl-uniform-work-group-size")
    with pytest.raises(cl.LogicError):
        enqueue(run, program, "assembled", (1000,), (7,), run.buffer)


def test_a_launch_tells_how_often_its_loops_run(context: cl.Context, monkeypatch: pytest.MonkeyPatch) -> None:
    seen = []
    real = TieredKernel.starts_with_baseline

    def watch(kernel: TieredKernel, form: LaunchForm, launch: LaunchContext) -> bool:
        seen.append((launch.items, launch.in_loops, launch.threads))
        return real(kernel, form, launch)

    monkeypatch.setattr(TieredKernel, "starts_with_baseline", watch)
    # Or the code may be there before the first launch.
    monkeypatch.setattr(Kernel, "anticipation", lambda kernel, extents: None)
    source = """
    kernel void sum(int m, global float *a, long n) {
        for (int j = 0; j < m; j++)
            for (long k = 0; k < n; k++) a[get_global_id(0)] += a[k + j];
    }
    """
    queue = cl.CommandQueue(context)
    kernel = cl.Program(context, source).build().sum
    buffer = cl.Buffer(context, cl.mem_flags.READ_WRITE, 4 * 1024)
    for items, m, n in ((512, 30, 2), (256, -5, 7)):
        kernel(queue, (items,), None, np.int32(m), buffer, np.int64(n))
    queue.finish()
    threads = context.devices[0].max_compute_units
    sizes = [(items, threads) for items, _, threads in seen]
    assert sizes[0] == (512, threads) and all(size == (256, threads) for size in sizes[1:])
    (outer, inner) = 30, 30 * 2
    first, *others = (in_loops for _, in_loops, _ in seen)
    assert 5 * (outer + inner) < first < 20 * (outer + inner)
    assert all(5 * (1 + 7) < other < 20 * (1 + 7) for other in others)
