"""Launches in work-groups that repeat an earlier one with another global size are not prepared again."""

from collections.abc import Iterator

import numpy as np
import pyopencl as cl
import pytest

from weft.api import enqueue

SOURCE = """
kernel void groups(global ulong *out, local uint *shared, ulong first) {
    size_t x = get_global_id(0) - first, y = get_global_id(1), z = get_global_id(2);
    shared[get_local_linear_id()] = get_group_id(0) + 1000 * get_group_id(1) + 1000000 * get_group_id(2);
    barrier(CLK_LOCAL_MEM_FENCE);
    size_t last = get_local_size(0) * get_local_size(1) * get_local_size(2) - 1;
    ulong groups = get_num_groups(0) + 100 * get_num_groups(1) + 10000 * get_num_groups(2);
    size_t item = (z * get_global_size(1) + y) * get_global_size(0) + x;
    out[item] = shared[last - get_local_linear_id()] + (groups << 32);
}

kernel void alone(global ulong *out, global ulong *unused, ulong first) {
    size_t x = get_global_id(0) - first;
    out[x] = x + 10000 * get_global_size(0);
}
"""

ITEMS = 4096

Size = tuple[int, ...]


@pytest.fixture(scope="module")
def program(queue: cl.CommandQueue) -> cl.Program:
    return cl.Program(queue.context, SOURCE).build("-cl-std=CL3.0")


@pytest.fixture
def prepared(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Size]]:
    """The global sizes of launches that Python has prepared."""
    sizes: list[Size] = []
    prepare = enqueue.prepare

    def counted(queue, kernel, work_dim, offset, global_size, local_size):
        sizes.append(global_size)
        return prepare(queue, kernel, work_dim, offset, global_size, local_size)

    monkeypatch.setattr(enqueue, "prepare", counted)
    yield sizes


class Groups:
    """Launches of a kernel and checks what its work-items have stored."""

    def __init__(self, queue: cl.CommandQueue, program: cl.Program) -> None:
        self.queue, self.kernel = queue, cl.Kernel(program, "groups")
        self.out = cl.Buffer(queue.context, cl.mem_flags.READ_WRITE, ITEMS * 8)
        self.local_bytes = 256

    def check(self, size: Size, local: Size, offset: Size | None = None) -> None:
        """Launch with these sizes; an offset is along x only."""
        first = offset[0] if offset else 0
        self.kernel.set_args(self.out, cl.LocalMemory(self.local_bytes), np.uint64(first))
        cl.enqueue_fill_buffer(self.queue, self.out, np.uint64(77), 0, ITEMS * 8)
        cl.enqueue_nd_range_kernel(self.queue, self.kernel, size, local, offset)
        found = np.empty(ITEMS, np.uint64)
        cl.enqueue_copy(self.queue, found, self.out)
        x, y, z = (*size, 1, 1)[:3]
        lx, ly, lz = (*local, 1, 1)[:3]
        ids = np.meshgrid(np.arange(z), np.arange(y), np.arange(x), indexing="ij")
        groups = -(-x // lx) + 100 * -(-y // ly) + 10000 * -(-z // lz)
        group_x = ids[2] // lx
        expected = group_x + 1000 * (ids[1] // ly) + 1000000 * (ids[0] // lz) + (groups << 32)
        assert (found[: x * y * z] == expected.ravel().astype(np.uint64)).all(), (size, local, offset)
        assert (found[x * y * z :] == 77).all(), (size, local, offset)

    def keep(self, size: Size, local: Size, offset: Size | None = None) -> None:
        """Launch until there is optimized code, so that the launch is kept."""
        for _ in range(3):
            self.check(size, local, offset)
            self.queue.finish()


@pytest.fixture
def groups(queue: cl.CommandQueue, program: cl.Program) -> Groups:
    return Groups(queue, program)


def test_other_numbers_of_groups(groups: Groups, prepared: list[Size]) -> None:
    groups.keep((64,), (16,))
    prepared.clear()
    for size in (16, 4096, 32, 1008, 64, 2048):
        groups.check((size,), (16,))
    assert not prepared


def test_in_three_dimensions(groups: Groups, prepared: list[Size]) -> None:
    groups.keep((8, 4, 2), (4, 2, 2))
    groups.keep((8, 4), (4, 2))
    prepared.clear()
    for size in ((4, 2, 2), (16, 16, 4), (4, 64, 8), (128, 2, 6), (4, 2, 128), (64, 64), (4, 6)):
        groups.check(size, (4, 2, 2)[: len(size)])
    assert not prepared


def test_other_local_sizes_and_offsets_are_prepared(groups: Groups, prepared: list[Size]) -> None:
    groups.keep((64,), (16,))
    prepared.clear()
    groups.check((96,), (32,))
    groups.check((96,), (16,), (5,))
    groups.check((96, 2), (16, 1))
    assert prepared == [(96,), (96,), (96, 2)]


def test_groups_that_do_not_divide_the_range_are_prepared(
    queue: cl.CommandQueue, program: cl.Program, prepared: list[Size]
) -> None:
    kernel, out = cl.Kernel(program, "groups"), cl.Buffer(queue.context, cl.mem_flags.READ_WRITE, ITEMS * 8)
    kernel.set_args(out, cl.LocalMemory(64), np.uint64(0))
    for _ in range(3):
        cl.enqueue_nd_range_kernel(queue, kernel, (64,), (16,)).wait()
    prepared.clear()
    cl.enqueue_nd_range_kernel(queue, kernel, (40,), (16,)).wait()
    found = np.empty(ITEMS, np.uint64)
    cl.enqueue_copy(queue, found, out)
    assert prepared == [(40,)]
    assert (found[:40] >> np.uint64(32) == 10103).all()


def test_no_work_items(groups: Groups) -> None:
    groups.keep((64,), (16,))
    groups.check((0,), (16,))


def test_ids_that_need_other_code(groups: Groups, prepared: list[Size]) -> None:
    """Code for ids of 29 bits is not used beyond them."""
    offset = (1 << 29) - 64
    groups.keep((32,), (16,), (offset,))
    prepared.clear()
    groups.check((64,), (16,), (offset,))
    assert not prepared
    groups.check((80,), (16,), (offset,))
    assert prepared == [(80,)]


def test_too_many_work_items(groups: Groups) -> None:
    groups.keep((16, 16, 1), (4, 2, 1))
    with pytest.raises(cl.RuntimeError) as raised:
        cl.enqueue_nd_range_kernel(groups.queue, groups.kernel, (1 << 28, 1 << 28, 1 << 28), (4, 2, 1))
    assert raised.value.code == cl.status_code.OUT_OF_RESOURCES


def test_other_local_memory(groups: Groups, prepared: list[Size]) -> None:
    """The size of a local pointer belongs to a kept launch."""
    groups.keep((64,), (16,))
    prepared.clear()
    groups.local_bytes = 512
    groups.check((128,), (16,))
    assert prepared == [(128,)]


def test_tiles_depend_on_the_range(queue: cl.CommandQueue, program: cl.Program, prepared: list[Size]) -> None:
    """A kernel whose work-items share nothing runs in tiles, which the global size determines."""
    kernel, out = cl.Kernel(program, "alone"), cl.Buffer(queue.context, cl.mem_flags.READ_WRITE, ITEMS * 8)
    kernel.set_args(out, out, np.uint64(0))
    for size in (64, 64, 64, 1024, 48):
        prepared.clear()
        cl.enqueue_nd_range_kernel(queue, kernel, (size,), (16,)).wait()
        found = np.empty(ITEMS, np.uint64)
        cl.enqueue_copy(queue, found, out)
        assert (found[:size] == np.arange(size) + 10000 * size).all()
    assert prepared == [(48,)]
