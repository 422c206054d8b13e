"""How NDRanges are cut into tiles when a kernel cannot tell where its work-groups begin and end."""

from hypothesis import given, settings
from hypothesis import strategies as st

from weft.abi import LARGEST_EXTENT
from weft.runtime.tiles import NARROW, choose_extents, choose_tile

extent = st.one_of(st.integers(1, 40), st.integers(1, 5000), st.sampled_from([1 << 20, (1 << 33) + 1]))
ranges = st.tuples(extent, extent, extent)


@settings(deadline=None)
@given(ranges, st.sampled_from([1, 2, 16]), st.sampled_from([0, 4, 64, 100000]))
def test_tiles_are_what_the_code_counts_on(size: tuple[int, int, int], threads: int, item_bytes: int) -> None:
    for extents in choose_extents(size, None, threads=threads, asks_for_group=False):
        tile = choose_tile(extents, size, threads=threads, item_bytes=item_bytes)
        assert all(1 <= n <= LARGEST_EXTENT for n in tile)
        for known, n, whole in zip(extents, tile, size, strict=True):
            # Code for a fixed extent runs it to the end: nothing is cut off there.
            assert known is None or (n == known and whole % n == 0)


def extents(
    *size: int, local: tuple[int, int, int] | None = None, asks: bool = False
) -> tuple[tuple[int | None, ...], ...]:
    """The choices for a range on two threads."""
    x, y, z = (*size, 1, 1)[:3]
    return tuple(choose_extents((x, y, z), local, threads=2, asks_for_group=asks))


def test_the_local_size_does_not_matter_to_a_kernel_that_does_not_ask() -> None:
    assert len({extents(1 << 20, local=(n, 1, 1)) for n in (1, 2, 64, 256)}) == 1
    assert len({extents(999999, local=(n, 1, 1)) for n in (1, 3, 7, 999)}) == 1


def test_rows_that_good_lines_divide_get_code_for_them() -> None:
    assert extents(1 << 20) == ((1024, 1, 1), (None, 1, 1))
    assert extents(512 * 7)[0] == (896, 1, 1)
    assert extents(1920, 2)[0] == (960, 1, 1)
    assert extents(1000003) == ((None, 1, 1),)


def test_tiles_are_short_where_there_are_few_work_items() -> None:
    assert extents(256)[0] == (64, 1, 1)
    assert choose_tile((None, 1, 1), (1001, 1, 1), threads=2, item_bytes=0)[0] <= 256
    assert choose_tile((None, 1, 1), (1000003, 1, 1), threads=2, item_bytes=0)[0] > 1000


def test_context_arrays_keep_tiles_short() -> None:
    assert choose_tile((None, 1, 1), (1000003, 1, 1), threads=2, item_bytes=64)[0] <= 256


def test_a_few_work_items_are_tasks_of_their_own() -> None:
    assert extents(1) == ()
    assert extents(4, local=(1, 1, 1)) == ()


def test_kernels_that_ask_for_their_group_keep_groups_that_fill_vectors() -> None:
    assert extents(1 << 16, local=(64, 1, 1), asks=True) == ()
    assert extents(1 << 16, local=(16, 16, 1), asks=True) == ()
    assert extents(7 << 16, local=(7, 1, 1), asks=True) != ()


def test_short_rows_are_run_across_or_unrolled() -> None:
    assert extents(3, 300000) == ((1, None, 1), (3, None, 1))
    assert extents(3, 5, 300000) == ((1, 1, None), (3, 5, None))
    x, y, z = choose_tile((3, None, 1), (3, 300000, 1), threads=2, item_bytes=0)
    assert (x, z) == (3, 1) and x * y <= LARGEST_EXTENT


def test_kernels_that_walk_down_columns_have_a_second_choice() -> None:
    assert extents(2048, 2048)[-1] == (*NARROW, 1)
    assert extents(2000, 1001)[-1] == (None, None, 1)
    assert choose_tile((None, None, 1), (2000, 1001, 1), threads=2, item_bytes=0) == (*NARROW, 1)
