"""What commands do: every group once, arenas, copies, fills, times, and how many threads work."""

import resource
import struct
import threading
import time

import numpy as np
import pytest
from device_support import GROUP, address, eventually, function, spin, words
from hypothesis import given, settings
from hypothesis import strategies as st

from weft import abi
from weft.device import _pool
from weft.device.base import Device, Launch, Queue, devices

ffi, lib = _pool.ffi, _pool.lib


def test_launch_structure_is_the_one_of_the_binary_interface() -> None:
    offsets = [ffi.offsetof("weft_launch", name) for name in
               ("global_size", "global_offset", "local_size", "num_groups", "work_dim", "block",
                "local_bytes")]  # fmt: skip
    assert offsets == [
        abi.GLOBAL_SIZE, abi.GLOBAL_OFFSET, abi.LOCAL_SIZE, abi.NUM_GROUPS, abi.WORK_DIM, abi.BLOCK,
        abi.LOCAL_BYTES
    ]  # fmt: skip
    assert ffi.sizeof("weft_launch") == abi.LAUNCH_SIZE


def test_launch_packs_sizes_offsets_and_groups() -> None:
    launch = Launch((12, 10, 6), (4, 5, 1), (1, 2, 3))
    packed = struct.unpack("<12QI12x", bytes(ffi.buffer(launch.c)))
    assert packed == (12, 10, 6, 1, 2, 3, 4, 5, 1, 3, 2, 6, 3)
    assert launch.groups == 36
    assert struct.unpack("<12QI12x", bytes(ffi.buffer(Launch((8,), (2,)).c)))[9:] == (4, 1, 1, 1)


@pytest.mark.parametrize("shape", [(1,), (7,), (64,), (1000, 3), (5, 7, 11), (1, 1, 513), (70_001,)])
def test_every_group_runs_exactly_once(queue: Queue, shape: tuple[int, ...]) -> None:
    groups = int(np.prod(shape))
    seen = np.zeros(groups, np.uint8)
    launch = Launch(shape, (1,) * len(shape))
    # Repeated launches are planned by what the first ones took.
    for times in range(1, 6):
        queue.ndrange(function("visit"), launch, words(address(seen)), 0, 0)
        queue.finish()
        assert (seen == times).all()


@pytest.mark.parametrize("shape", [(1, 1), (7, 5), (33, 70, 3), (1000, 3), (64, 64), (1, 90), (90, 1, 2)])
@pytest.mark.parametrize("block", [(1, 1), (4, 2), (3, 7), (32, 32), (65535, 1)])
def test_every_group_runs_exactly_once_in_blocks(
    queue: Queue, shape: tuple[int, ...], block: tuple[int, int]
) -> None:
    seen = np.zeros(int(np.prod(shape)), np.uint8)
    launch = Launch(shape, (1,) * len(shape), block=block)
    for times in range(1, 4):
        queue.ndrange(function("visit"), launch, words(address(seen)), 0, 0)
        queue.finish()
        assert (seen == times).all()


def test_groups_run_block_by_block() -> None:
    basic = next(d for d in devices() if d.kind == "basic").new_queue()
    log, length = np.zeros(15, np.uint64), np.zeros(1, np.uint64)
    launch = Launch((5, 3), (1, 1), block=(2, 2))
    basic.ndrange(function("trace"), launch, words(address(log), address(length)), 0, 0)
    basic.finish()
    assert log.tolist() == [0, 1, 5, 6, 2, 3, 7, 8, 4, 9, 10, 11, 12, 13, 14]


def test_vector_add_by_groups(queue: Queue) -> None:
    n = 1 << 20
    a, b = np.arange(n, dtype=np.float32), np.full(n, 0.5, np.float32)
    out = np.zeros(n, np.float32)
    block = words(address(a), address(b), address(out))
    queue.ndrange(function("add"), Launch((n,), (256,)), block, 0, 0)
    queue.finish()
    assert (out == a + b).all()


def test_argument_blocks_may_be_bytes_buffers_or_cffi_arrays(queue: Queue) -> None:
    counter = np.zeros(1, np.uint64)
    block = words(address(counter))
    array = ffi.new("char[]", len(block))
    ffi.buffer(array)[:] = block
    for given_block in (block, bytearray(block), memoryview(block), np.frombuffer(block, np.uint8), array):
        queue.ndrange(function("count"), GROUP, given_block, 0, 0)
    queue.finish()
    assert counter[0] == 5


def test_a_million_tiny_groups_in_one_launch_and_a_hundred_thousand_tiny_launches(queue: Queue) -> None:
    counter = np.zeros(1, np.uint64)
    queue.ndrange(function("count"), Launch((1_000_000,), (1,)), words(address(counter)), 0, 0)
    block = words(address(counter))
    count, launch = function("count"), GROUP
    for _ in range(100_000):
        queue.ndrange(count, launch, block, 0, 0)
    queue.finish()
    assert counter[0] == 1_100_000


def test_arenas_are_aligned_large_enough_and_grow(queue: Queue) -> None:
    errors, where = np.zeros(1, np.uint64), np.zeros(1, np.uint64)
    for local, context in ((0, 0), (100, 1), (70_000, 10), (10, 300_000), (5 << 20, 128)):
        block = words(address(errors), address(where), local, context)
        queue.ndrange(function("arenas"), Launch((64,), (1,)), block, local, context)
        queue.finish()
    assert errors[0] == 0


def test_arena_of_a_thread_is_reused() -> None:
    queue = devices()[1].new_queue()
    errors, where = np.zeros(1, np.uint64), np.zeros(1, np.uint64)
    addresses = set()
    # Not increasing: whichever thread runs a launch, its arena is large enough for those that follow.
    for size in (200_000, 200_000, 100_000, 10):
        block = words(address(errors), address(where), size, 0)
        queue.ndrange(function("arenas"), GROUP, block, size, 0)
        queue.finish()
        addresses.add(int(where[0]))
    # The waiting thread's arena, and the worker's if it was quicker once.
    assert len(addresses) <= 2


@pytest.mark.parametrize("nbytes", [0, 1, 4095, 1 << 20, (9 << 20) + 13])
def test_copy(queue: Queue, nbytes: int) -> None:
    src = np.random.default_rng(nbytes).integers(0, 256, nbytes + 1, np.uint8)
    dst = np.zeros(nbytes + 1, np.uint8)
    queue.copy(address(dst), address(src), nbytes)
    queue.finish()
    assert (dst[:nbytes] == src[:nbytes]).all()
    assert dst[nbytes] == 0


@pytest.mark.parametrize("shift", [-1_000_003, -1, 1, 1_000_003])
def test_copy_of_overlapping_ranges_moves(queue: Queue, shift: int) -> None:
    data = np.random.default_rng(1).integers(0, 256, 6 << 20, np.uint8)
    nbytes, start = 4 << 20, 1 << 20
    expected = data.copy()
    expected[start + shift : start + shift + nbytes] = data[start : start + nbytes]
    queue.copy(address(data) + start + shift, address(data) + start, nbytes)
    queue.finish()
    assert (data == expected).all()


@settings(max_examples=60, deadline=None)
@given(
    region=st.tuples(st.integers(0, 40), st.integers(0, 12), st.integers(0, 6)),
    origins=st.tuples(*[st.integers(0, 3)] * 6),
    margins=st.tuples(*[st.integers(0, 5)] * 4),
)
def test_rectangle_copy_equals_numpy(
    region: tuple[int, int, int], origins: tuple[int, ...], margins: tuple[int, ...]
) -> None:
    width, height, depth = region
    queue = devices()[0].new_queue()
    sx, sy, sz, dx, dy, dz = origins
    src = np.random.default_rng(0).integers(
        1, 256, (sz + depth, sy + height + margins[0], sx + width + margins[1]), np.uint8
    )
    dst = np.zeros((dz + depth, dy + height + margins[2], dx + width + margins[3]), np.uint8)
    expected = dst.copy()
    expected[dz : dz + depth, dy : dy + height, dx : dx + width] = src[
        sz : sz + depth, sy : sy + height, sx : sx + width
    ]
    (s_slice, s_row, _), (d_slice, d_row, _) = src.strides, dst.strides
    queue.copy_rect(
        address(dst) + dz * d_slice + dy * d_row + dx,
        address(src) + sz * s_slice + sy * s_row + sx,
        region,
        (d_row, d_slice),
        (s_row, s_slice),
    )
    queue.finish()
    assert (dst == expected).all()


def test_large_rectangle_copy_is_split_and_right(queue: Queue) -> None:
    src = np.random.default_rng(3).integers(0, 256, (20, 300, 1000), np.uint8)
    dst = np.zeros((20, 310, 1024), np.uint8)
    queue.copy_rect(address(dst), address(src), (1000, 300, 20), (1024, 1024 * 310), (1000, 300_000))
    queue.finish()
    assert (dst[:, :300, :1000] == src).all()
    assert not dst[:, 300:].any() and not dst[:, :, 1000:].any()


@pytest.mark.parametrize("size", [1, 2, 3, 4, 8, 12, 16, 32, 64, 100, 128])
def test_fill_with_patterns_of_every_size(queue: Queue, size: int) -> None:
    pattern = bytes(np.random.default_rng(size).integers(0, 256, size, np.uint8))
    for count in (0, 1, 5, 3000, (6 << 20) // size):
        out = np.zeros((count + 1) * size, np.uint8)
        queue.fill(address(out), pattern, count * size)
        queue.finish()
        assert out.tobytes() == pattern * count + bytes(size)


def test_fill_refuses_patterns_that_do_not_fit(queue: Queue) -> None:
    for pattern, nbytes in ((b"", 8), (bytes(129), 129), (b"abc", 4)):
        with pytest.raises(ValueError):
            queue.fill(0, pattern, nbytes)


def test_times_of_a_command_are_in_order(device: Device) -> None:
    queue = device.new_queue(profiling=True)
    user = device.user_command()
    commands = [
        spin(queue, 300_000),
        spin(queue, 10, groups=5),
        queue.marker(),
        queue.fill(address(np.zeros(8, np.uint8)), b"x", 8, (user,)),
    ]
    user.complete()
    queue.finish()
    before = 0
    for command in commands:
        queued, submitted, started, ended = command.times()
        assert before <= queued <= submitted <= started <= ended
        assert started >= commands[0].times()[2]
        before = queued
    assert commands[0].times()[3] - commands[0].times()[2] >= 300_000


def test_times_are_zero_without_profiling(queue: Queue) -> None:
    command = spin(queue, 10)
    queue.finish()
    assert command.times() == (0, 0, 0, 0)


def test_finish_on_the_basic_device_runs_one_group_at_a_time_on_few_threads() -> None:
    device = devices()[1]
    inside, most = np.zeros(1, np.uint64), np.zeros(1, np.uint64)
    block = words(address(inside), address(most), 20_000)

    def work() -> None:
        queue = device.new_queue()
        for _ in range(20):
            queue.ndrange(function("crowd"), Launch((5,), (1,)), block, 0, 0)
            queue.finish()

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert most[0] == 1


def test_waiting_thread_takes_part_in_the_work(queue: Queue) -> None:
    out = np.zeros(1, np.uint64)
    ran_here = 0
    for _ in range(50):
        queue.ndrange(function("thread"), GROUP, words(address(out)), 0, 0)
        queue.finish()
        ran_here += int(out[0]) == threading.get_ident()
    assert ran_here > 0


def test_workers_share_a_long_launch() -> None:
    pool = lib.weft_pool_new(3, 0)
    queue = Queue(pool)
    out = np.zeros(60, np.uint64)
    for _ in range(20):
        spin(queue, 200_000, groups=60)
        queue.ndrange(function("thread"), Launch((60,), (1,)), words(address(out)), 0, 0)
        queue.finish()
        if lib.weft_pool_workers(pool) >= 2:
            break
    assert lib.weft_pool_workers(pool) >= 2
    assert lib.weft_pool_workers(pool) <= 3


def test_launch_that_turns_out_long_gets_workers() -> None:
    pool = lib.weft_pool_new(4, 0)
    queue = Queue(pool)
    for _ in range(10):
        spin(queue, 1, groups=8)
        queue.finish()
    inside, most = np.zeros(1, np.uint64), np.zeros(1, np.uint64)
    block = words(address(inside), address(most), 0)
    for _ in range(10):
        queue.ndrange(function("crowd"), Launch((8,), (1,)), block, 0, 0)
        queue.finish()
    queue.ndrange(
        function("crowd"), Launch((8,), (1,)), words(address(inside), address(most), 20_000_000), 0, 0
    )
    queue.finish()
    assert most[0] >= 2


def test_groups_of_independent_queues_overlap() -> None:
    pool = lib.weft_pool_new(2, 0)
    first, second = Queue(pool), Queue(pool)
    inside, most = np.zeros(1, np.uint64), np.zeros(1, np.uint64)
    block = words(address(inside), address(most), 30_000_000)
    first.ndrange(function("crowd"), GROUP, block, 0, 0)
    second.ndrange(function("crowd"), GROUP, block, 0, 0)
    first.flush()
    assert first.finish() == second.finish() == 0
    assert most[0] == 2


def test_kernels_see_default_floating_point_modes_on_the_waiting_thread() -> None:
    set_modes = ffi.cast("void (*)(void *)", function("set_modes"))
    queue = devices()[1].new_queue()
    products = []
    set_modes(ffi.cast("void *", 1))
    try:
        # Again and again, because the pool's worker may be quicker than this thread now and then.
        for _ in range(20):
            numbers = np.array([1e-30, 1e-10, 0], np.float32)
            queue.ndrange(function("modes"), GROUP, words(address(numbers)), 0, 0)
            queue.finish()
            products.append(int(numbers.view(np.uint32)[2]))
        # The thread has its own modes back.
        assert np.float32(1e-30) * np.float32(1e-10) == 0
    finally:
        set_modes(ffi.NULL)
    assert 0 < min(products) < 0x00800000


def test_memory_is_aligned_writable_and_can_be_given_back(device: Device) -> None:
    for nbytes, alignment in ((1, 1), (100, 128), (4096, 4096), (8 << 20, 128)):
        where = device.allocate(nbytes, alignment)
        assert where % alignment == 0
        queue = device.new_queue()
        queue.fill(where, b"z", nbytes)
        queue.finish()
        assert bytes(ffi.buffer(ffi.cast("char *", where), nbytes)) == b"z" * nbytes
        device.free(where)
    device.free(0)


def test_large_memory_is_used_again_for_sizes_that_are_not_much_smaller(device: Device) -> None:
    mebi = 1 << 20
    first = device.allocate(40 * mebi)
    device.free(first)
    assert device.allocate(36 * mebi) == first
    device.free(first)
    smaller, larger = device.allocate(9 * mebi), device.allocate(44 * mebi)
    assert first not in (smaller, larger)
    assert device.allocate(40 * mebi) == first
    for where in (smaller, larger, first):
        device.free(where)


def test_of_freed_memory_only_some_is_kept(device: Device) -> None:
    def mapped_mebi() -> int:
        with open("/proc/self/status") as file:
            rows = dict(line.split(":", 1) for line in file)
        return int(rows["VmSize"].split()[0]) >> 10

    before = mapped_mebi()
    blocks = [device.allocate(50 << 20) for _ in range(40)]
    assert mapped_mebi() >= before + 20 * 50  # the others were kept before
    for where in blocks:
        device.free(where)
    assert mapped_mebi() <= before + 1024


def test_memory_that_cannot_be_had_is_an_error(device: Device) -> None:
    for nbytes in (2**47 + 2**46, 2**62, 2**63 - 1, 2**64, 2**80):
        with pytest.raises(MemoryError):
            device.allocate(nbytes)
    for bad in ((0, 128), (-1, 128), (8, 3), (8, 0)):
        with pytest.raises(ValueError):
            device.allocate(*bad)


def test_idle_workers_sleep() -> None:
    pool = lib.weft_pool_new(2, 0)
    queue = Queue(pool)
    spin(queue, 1000, groups=100)
    queue.finish()

    def quiet() -> bool:
        before = resource.getrusage(resource.RUSAGE_SELF)
        time.sleep(0.05)
        after = resource.getrusage(resource.RUSAGE_SELF)
        return (after.ru_utime + after.ru_stime) - (before.ru_utime + before.ru_stime) < 0.02

    assert eventually(quiet)
