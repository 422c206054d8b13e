"""Code that requires buffers not to overlap runs only where they do not, whatever each launch passes."""

import numpy as np
import pyopencl as cl
import pytest

ITEMS, TIMES, SHIFT = 64, 5, 32

# What a work-item reads is what it adds to, if the buffers are the same place.
SOURCE = """
kernel void add(global int *out, global const int *a, int shift, int n) {
    int i = get_global_id(0);
    for (int k = 0; k < n; k++)
        out[i + shift] += a[i];
}

kernel void add_in_groups(global int *out, global const int *a, int shift, int n) {
    local int turn[1];
    int i = get_global_id(0);
    if (get_local_id(0) == 0)
        turn[0] = 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 0; k < n; k++)
        out[i + shift] += a[i] * turn[0];
}

kernel void add_restricted(global int *restrict out, global const int *restrict a, int shift, int n) {
    int i = get_global_id(0);
    for (int k = 0; k < n; k++)
        out[i + shift] += a[i];
}

kernel void count_along_rows(global int *out, global const int *a, int width, int n) {
    int i = get_global_id(0);
    for (int k = 0; k < n; k++)
        out[i * width + k + 1] = a[i * width + k] + 1;
}
"""


@pytest.fixture(scope="module")
def program(queue: cl.CommandQueue) -> cl.Program:
    return cl.Program(queue.context, SOURCE).build()


@pytest.fixture(params=["add", "add_in_groups"])
def kernel(request: pytest.FixtureRequest, program: cl.Program) -> cl.Kernel:
    return cl.Kernel(program, request.param)


def buffer(queue: cl.CommandQueue, values: np.ndarray) -> cl.Buffer:
    flags = cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR
    return cl.Buffer(queue.context, flags, hostbuf=values.astype(np.int32))


def content(queue: cl.CommandQueue, source: cl.Buffer) -> np.ndarray:
    found = np.empty(source.size // 4, np.int32)
    cl.enqueue_copy(queue, found, source)
    return found


def launch(queue: cl.CommandQueue, kernel: cl.Kernel, out: cl.Buffer, a: cl.Buffer, shift: int = 0) -> None:
    kernel(queue, (ITEMS,), (8,), out, a, np.int32(shift), np.int32(TIMES))


def test_disjoint_buffers(queue: cl.CommandQueue, kernel: cl.Kernel) -> None:
    out, a = buffer(queue, np.arange(ITEMS)), buffer(queue, np.arange(ITEMS) * 3)
    launch(queue, kernel, out, a)
    assert (content(queue, out) == np.arange(ITEMS) * (1 + 3 * TIMES)).all()


def test_the_same_buffer_twice(queue: cl.CommandQueue, kernel: cl.Kernel) -> None:
    both = buffer(queue, np.arange(ITEMS))
    launch(queue, kernel, both, both)
    assert (content(queue, both) == np.arange(ITEMS) << TIMES).all()


def test_one_after_the_other(queue: cl.CommandQueue, kernel: cl.Kernel) -> None:
    """A launch of the same sizes is kept; buffers are looked at each time."""
    for _ in range(3):
        for same in (False, False, True, True, False):
            out = buffer(queue, np.arange(ITEMS))
            a = out if same else buffer(queue, np.ones(ITEMS))
            launch(queue, kernel, out, a)
            expected = np.arange(ITEMS) << TIMES if same else np.arange(ITEMS) + TIMES
            assert (content(queue, out) == expected).all(), same


def test_only_the_argument_is_set_again(queue: cl.CommandQueue, kernel: cl.Kernel) -> None:
    out, a = buffer(queue, np.arange(ITEMS)), buffer(queue, np.ones(ITEMS))
    launch(queue, kernel, out, a)
    for argument, expected in ((out, (np.arange(ITEMS) + TIMES) << TIMES), (a, None)):
        kernel.set_arg(1, argument)
        cl.enqueue_nd_range_kernel(queue, kernel, (ITEMS,), (8,))
        if expected is not None:
            assert (content(queue, out) == expected).all()
    assert (content(queue, out) == ((np.arange(ITEMS) + TIMES) << TIMES) + TIMES).all()


@pytest.mark.parametrize("shift", [0, SHIFT])
def test_parts_of_a_buffer_that_overlap(queue: cl.CommandQueue, kernel: cl.Kernel, shift: int) -> None:
    whole = buffer(queue, np.arange(2 * ITEMS))
    out = whole[: 4 * (ITEMS + SHIFT)]
    a = whole[4 * shift : 4 * (ITEMS + shift)]
    launch(queue, kernel, out, a, shift)
    expected = np.arange(2 * ITEMS)
    expected[shift : shift + ITEMS] <<= TIMES
    assert (content(queue, whole) == expected).all()


def test_parts_of_a_buffer_that_do_not_overlap(queue: cl.CommandQueue, kernel: cl.Kernel) -> None:
    whole = buffer(queue, np.arange(2 * ITEMS))
    launch(queue, kernel, whole[: 4 * ITEMS], whole[4 * ITEMS :])
    expected = np.arange(2 * ITEMS)
    expected[:ITEMS] += TIMES * expected[ITEMS:]
    assert (content(queue, whole) == expected).all()


def test_buffers_on_the_same_memory_of_the_host(queue: cl.CommandQueue, kernel: cl.Kernel) -> None:
    memory = np.zeros(ITEMS + 32, np.int32)
    start = -memory.ctypes.data // 4 % 32
    shared = memory[start : start + ITEMS]
    shared[:] = np.arange(ITEMS)
    flags = cl.mem_flags.READ_WRITE | cl.mem_flags.USE_HOST_PTR
    one, other = (cl.Buffer(queue.context, flags, hostbuf=shared) for _ in range(2))
    launch(queue, kernel, one, other)
    assert (content(queue, one) == np.arange(ITEMS) << TIMES).all()


def test_restricted_pointers(queue: cl.CommandQueue, program: cl.Program) -> None:
    out, a = buffer(queue, np.arange(ITEMS)), buffer(queue, np.ones(ITEMS))
    for turn in range(1, 3):
        launch(queue, cl.Kernel(program, "add_restricted"), out, a)
        assert (content(queue, out) == np.arange(ITEMS) + turn * TIMES).all()


def test_rows_that_work_items_traverse(queue: cl.CommandQueue, program: cl.Program) -> None:
    """Pieces of rows are loaded ahead of stores only where these do not reach them."""
    width, n = 48, 41
    kernel = cl.Kernel(program, "count_along_rows")
    start = np.arange(ITEMS * width).reshape(ITEMS, width)
    counted, moved = start.copy(), start.copy()
    counted[:, : n + 1] = counted[:, :1] + np.arange(n + 1)
    moved[:, 1 : n + 1] = start[:, :n] + 1
    for same in (False, True, False, True):
        a = buffer(queue, start)
        out = a if same else buffer(queue, start)
        kernel(queue, (ITEMS,), (8,), out, a, np.int32(width), np.int32(n))
        assert (content(queue, out).reshape(start.shape) == (counted if same else moved)).all(), same
