"""Bufalloc against a model: every byte of the region has an owner, and requests go where first fit says."""

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from weft.device.bufalloc import Bufalloc, NotAllocated, OutOfDeviceMemory

GRAIN = 16
REGION = 64 * GRAIN


class Model:
    """The region as one owner for each grain; None is free."""

    def __init__(self, greedy: bool) -> None:
        self.greedy = greedy
        self.owners: list[int | None] = [None] * (REGION // GRAIN)

    def free_runs(self) -> list[tuple[int, int]]:
        """First grain and number of grains of each free run; the last one ends the region, maybe empty."""
        runs, at, count = [], 0, len(self.owners)
        while at < count:
            end = at
            while end < count and self.owners[end] is None:
                end += 1
            if end > at:
                runs.append((at, end - at))
            at = max(end, at + 1)
        if not runs or sum(runs[-1]) != count:
            runs.append((count, 0))
        return runs

    def place(self, size: int, alignment: int, start: int) -> int | None:
        """The address that a request must get."""
        runs = self.free_runs()
        for first, length in (runs[-1:] if self.greedy else []) + runs:
            padding = -(start + first * GRAIN) % alignment
            if padding + size <= length * GRAIN:
                return start + first * GRAIN + padding
        return None


REQUESTS = st.lists(
    st.one_of(
        st.tuples(st.just("allocate"), st.integers(1, REGION // 2), st.sampled_from((1, 16, 32, 128, 512))),
        st.tuples(st.just("release"), st.integers(0, 1000), st.just(0)),
    ),
    max_size=60,
)


@settings(max_examples=200, deadline=None)
@given(REQUESTS, st.booleans(), st.sampled_from((0, 16, 4096, 48)))
def test_requests_go_where_the_model_says(requests, greedy, start):
    allocator, model = Bufalloc(start, REGION, greedy=greedy, grain=GRAIN), Model(greedy)
    live: dict[int, int] = {}
    peak = extent = 0
    for kind, number, alignment in requests:
        if kind == "allocate":
            expected = model.place(-(-number // GRAIN) * GRAIN, alignment, start)
            if expected is None:
                with pytest.raises(OutOfDeviceMemory, match="bytes of device memory are free"):
                    allocator.allocate(number, alignment)
                continue
            address = allocator.allocate(number, alignment)
            assert address == expected
            live[address] = number
            first = (address - start) // GRAIN
            last = first + -(-number // GRAIN)
            model.owners[first:last] = [address] * (last - first)
            extent = max(extent, last * GRAIN)
        elif live:
            address = sorted(live)[number % len(live)]
            allocator.release(address)
            del live[address]
            model.owners = [None if owner == address else owner for owner in model.owners]
        taken = sum(owner is not None for owner in model.owners) * GRAIN
        peak = max(peak, taken)
        runs = model.free_runs()
        found = allocator.statistics
        assert (found.allocated, found.requested) == (taken, sum(live.values()))
        assert (found.chunks, found.holes) == (len(live), len(runs) - 1)
        assert (found.largest_free, found.peak, found.extent) == (
            max(length for _, length in runs) * GRAIN,
            peak,
            extent,
        )
        assert_well_formed(allocator)


def assert_well_formed(allocator: Bufalloc) -> None:
    """Chunks cover the region, no two free ones are adjacent, and the sentinel is free."""
    chunks = allocator.chunks()
    end = allocator.start
    for start, size, _ in chunks:
        assert start == end
        end = start + size
    assert end == allocator.start + allocator.size
    assert all(size > 0 for _, size, _ in chunks[:-1])
    assert not chunks[-1][2]
    assert all(one[2] or other[2] for one, other in pairwise(chunks))


def test_greedy_mode_keeps_groups_together():
    plain, greedy = (Bufalloc(0, 1 << 20, greedy=mode) for mode in (False, True))
    for allocator in (plain, greedy):
        first = [allocator.allocate(1024) for _ in range(3)]
        allocator.release(first[1])
    assert [plain.allocate(1000), plain.allocate(1000)] == [1024, 3072]
    assert [greedy.allocate(1000), greedy.allocate(1000)] == [3072, 4096]


def test_greedy_mode_fills_holes_when_the_end_is_reached():
    allocator = Bufalloc(0, 4096, greedy=True)
    first, _ = allocator.allocate(2048), allocator.allocate(2048)
    allocator.release(first)
    assert allocator.allocate(1) == first


def test_everything_released_leaves_one_chunk():
    allocator = Bufalloc(1000, 10_000)
    addresses = [allocator.allocate(size, 512) for size in (1, 700, 1300)]
    for address in (addresses[1], addresses[0], addresses[2]):
        allocator.release(address)
    assert allocator.chunks() == [(allocator.start, allocator.size, False)]
    assert allocator.start % 128 == 0
    assert allocator.start + allocator.size <= 11_000


def test_wrong_requests_are_refused():
    allocator = Bufalloc(0, 4096)
    address = allocator.allocate(100)
    with pytest.raises(NotAllocated, match="at 0x1"):
        allocator.release(address + 1)
    allocator.release(address)
    with pytest.raises(NotAllocated):
        allocator.release(address)
    for size, alignment in ((0, 1), (-5, 1), (1, 0), (1, 3)):
        with pytest.raises(ValueError, match="must be"):
            allocator.allocate(size, alignment)
    with pytest.raises(ValueError, match="power of two"):
        Bufalloc(0, 100, grain=3)
    with pytest.raises(OutOfDeviceMemory, match="0 of 0 bytes are free"):
        Bufalloc(1, 60).allocate(1)
