"""How NDRanges are cut into tiles when a kernel cannot tell where its work-groups begin and end."""

from dataclasses import replace
from typing import Any

import pytest
from fake_compiler import TRAITS
from hypothesis import given, settings
from hypothesis import strategies as st

from weft.abi import LARGEST_EXTENT
from weft.kernel import MOST_VECTORIZED, CodeOptions
from weft.program import build
from weft.tiers.tiered_code import MOST_BASELINE_WORK, LaunchContext
from weft.tile_policy import (
    NARROW,
    SQUARE,
    NDRange,
    Tile,
    TileChoice,
    TileRefusal,
    choose_tiles,
    runs_in_groups,
    tile_size,
)

extent = st.one_of(st.integers(1, 40), st.integers(1, 5000), st.sampled_from([1 << 20, (1 << 33) + 1]))
ranges = st.tuples(extent, extent, extent)
flags = st.tuples(st.booleans(), st.booleans(), st.booleans())

OPTIONS = CodeOptions(level=2, method="auto")
ALONE = replace(TRAITS, shares_nothing=True, queries_group=False)
COLUMNS = replace(ALONE, column_major=True)
ROWS_ALONG_Y = replace(COLUMNS, rows_along_y=True)
DIVERGES = replace(ALONE, divergent_exits=(True, True, True))


@settings(deadline=None)
@given(ranges, st.sampled_from([1, 2, 16]), st.sampled_from([0, 4, 64, 100000]), flags)
def test_tiles_are_what_the_code_counts_on(
    size: tuple[int, int, int], threads: int, item_bytes: int, traits: tuple[bool, bool, bool]
) -> None:
    columns, along_y, diverges = traits
    kernel = replace(
        ALONE, column_major=columns, rows_along_y=columns and along_y, divergent_exits=(diverges,) * 3
    )
    tiles = choose_tiles(kernel, OPTIONS, NDRange(size, None), threads=threads).tiles
    for extents in {t.extents for t in tiles} | {t.if_serial for t in tiles if t.if_serial}:
        tile = tile_size(extents, size, threads=threads, item_bytes=item_bytes)
        assert all(1 <= n <= LARGEST_EXTENT for n in tile)
        for known, n, whole in zip(extents, tile, size, strict=True):
            # Code for a fixed extent runs it to the end: nothing is cut off there.
            assert known is None or (n == known and whole % n == 0)


def choice(
    *size: int, local: tuple[int, int, int] | None = None, traits: Any = ALONE, options: Any = OPTIONS
) -> TileChoice:
    """The choice for a range on two threads."""
    x, y, z = (*size, 1, 1)[:3]
    return choose_tiles(traits, options, NDRange((x, y, z), local), threads=2)


def extents(*size: int, **more: Any) -> tuple[tuple[int | None, ...], ...]:
    """The tiles for a range on two threads."""
    return tuple(tile.extents for tile in choice(*size, **more).tiles)


def test_the_local_size_does_not_matter_to_a_kernel_that_does_not_ask() -> None:
    assert len({extents(1 << 20, local=(n, 1, 1)) for n in (1, 2, 64, 256)}) == 1
    assert len({extents(999999, local=(n, 1, 1)) for n in (1, 3, 7, 999)}) == 1


def test_rows_that_good_lengths_divide_get_code_for_them() -> None:
    assert extents(1 << 20) == ((1024, 1, 1), (None, 1, 1))
    assert extents(512 * 7)[0] == (896, 1, 1)
    assert extents(1920, 2)[0] == (960, 1, 1)
    assert extents(1000003) == ((None, 1, 1),)


def test_rows_that_load_the_same_run_four_at_once() -> None:
    alike = replace(ALONE, reuses_rows=True)
    assert extents(256, 256, traits=alike) == ((256, 4, 1), (None, 4, 1))
    assert extents(256, 255, traits=alike) == ((256, 1, 1), (None, 1, 1))
    assert extents(64, 64, traits=alike) == ((None, 4, 1),)
    assert extents(256, 256, traits=replace(alike, column_major=True)) == ((8, 32, 1),)


def test_loops_that_run_in_strips_get_tiles_of_many_rows() -> None:
    walks = replace(ALONE, shares_columns=True)
    alike = replace(walks, reuses_rows=True)
    assert extents(1024, 1024, traits=walks) == extents(1024, 1024, traits=alike) == ((128, 64, 1),)
    assert extents(1024, 1000, traits=alike) == ((128, 40, 1),)
    assert extents(1088, 1023, traits=walks) == ((64, 33, 1),)
    # Too few work-items for all threads; too few rows that share a column; short rows of any length.
    assert extents(256, 128, traits=alike) == ((256, 4, 1), (None, 4, 1))
    assert extents(1024, 1028, traits=alike)[0] == (1024, 4, 1)
    assert extents(1000, 1000, traits=alike) == ((None, 4, 1),)
    assert extents(2000, 2000, traits=alike) == ((None, 40, 1),)
    assert tile_size((None, 40, 1), (2000, 2000, 1), threads=2, item_bytes=16) == (128, 40, 1)
    # A guard around the loop.
    guarded = replace(alike, guards_columns=True)
    assert extents(1024, 1024, traits=guarded) == ((1024, 4, 1), (None, 4, 1))
    assert extents(2048, 2048, traits=guarded) == ((128, 64, 1),)


def test_tiles_are_short_where_there_are_few_work_items() -> None:
    assert extents(256)[0] == (64, 1, 1)
    assert tile_size((None, 1, 1), (1001, 1, 1), threads=2, item_bytes=0)[0] <= 256
    assert tile_size((None, 1, 1), (1000003, 1, 1), threads=2, item_bytes=0)[0] > 1000


def test_context_arrays_keep_tiles_short() -> None:
    assert tile_size((None, 1, 1), (1000003, 1, 1), threads=2, item_bytes=64)[0] <= 256


def test_a_few_work_items_are_tasks_of_their_own() -> None:
    assert choice(1) == choice(4, local=(1, 1, 1)) == TileChoice()


def test_work_items_that_share_something_and_code_that_is_not_optimized_run_in_groups() -> None:
    assert choice(1 << 20, traits=replace(ALONE, shares_nothing=False)) == TileChoice()
    assert choice(1 << 20, options=replace(OPTIONS, level=0)) == TileChoice()


def test_kernels_that_ask_for_their_group_keep_groups_that_fill_vectors() -> None:
    asks = replace(ALONE, queries_group=True)
    assert extents(1 << 16, local=(64, 1, 1), traits=asks) == ()
    assert extents(1 << 16, local=(16, 16, 1), traits=asks) == ()
    assert extents(7 << 16, local=(7, 1, 1), traits=asks) != ()
    offset = NDRange((7 << 16, 1, 1), (7, 1, 1), (1, 0, 0))
    assert choose_tiles(asks, OPTIONS, offset, threads=2) == TileChoice()
    assert choose_tiles(ALONE, OPTIONS, offset, threads=2).tiles


@settings(deadline=None)
@given(ranges, ranges, flags, st.sampled_from([0, 2]))
def test_what_runs_in_groups_runs_in_groups_in_every_range(
    size: tuple[int, int, int], local: tuple[int, int, int], traits: tuple[bool, bool, bool], level: int
) -> None:
    alone, asks, diverges = traits
    kernel = replace(TRAITS, shares_nothing=alone, queries_group=asks, divergent_exits=(diverges,) * 3)
    options, launch = replace(OPTIONS, level=level), NDRange(size, local)
    if runs_in_groups(kernel, options, launch):
        assert choose_tiles(kernel, options, launch, threads=2) == TileChoice()
        assert runs_in_groups(kernel, options, NDRange((1, 1, 1), local))


def test_short_rows_are_unrolled() -> None:
    refused = TileRefusal.NO_DIVERGENT_LOOP
    assert choice(3, 300000) == TileChoice((Tile((3, None, 1)),), (((1, None, 1), refused),))
    assert choice(3, 5, 300000) == TileChoice((Tile((3, 5, None)),), (((1, 1, None), refused),))
    assert choice(3, 5, 7) == TileChoice()
    assert choice(1, 300000) == TileChoice((), (((1, None, 1), refused),))
    x, y, z = tile_size((3, None, 1), (3, 300000, 1), threads=2, item_bytes=0)
    assert (x, z) == (3, 1) and x * y <= LARGEST_EXTENT


def test_tiles_lead_across_short_rows_of_divergent_loops_if_these_run_in_lanes() -> None:
    assert choice(3, 300000, traits=DIVERGES) == TileChoice((Tile((1, None, 1), (3, None, 1)),))
    assert choice(3, 5, 300000, traits=DIVERGES) == TileChoice((Tile((1, 1, None), (3, 5, None)),))
    assert choice(1, 300000, traits=DIVERGES) == TileChoice((Tile((1, None, 1)),))
    # What counts is that work-items of one tile diverge.
    along_x = replace(ALONE, divergent_exits=(True, False, False))
    assert extents(3, 300000, traits=along_x) == ((3, None, 1),)
    serial = TileChoice((Tile((3, None, 1)),), (((1, None, 1), TileRefusal.NOT_IN_LANES),))
    assert choice(3, 300000, traits=DIVERGES, options=replace(OPTIONS, method="loops")) == serial
    assert choice(3, 300000, traits=replace(DIVERGES, may_block_progress=True)) == serial
    assert choice(3, 300000, traits=replace(DIVERGES, own_instructions=MOST_VECTORIZED + 1)) == serial


def test_kernels_with_column_major_accesses_get_narrow_tiles() -> None:
    refused = TileRefusal.COLUMN_MAJOR
    rows = (((1024, 1, 1), refused), ((None, 1, 1), refused))
    assert choice(2048, 2048, traits=COLUMNS) == TileChoice((Tile((*NARROW, 1)),), rows)
    assert choice(2048, 20, traits=COLUMNS) == TileChoice((), rows)
    assert choice(2000, 1001, traits=COLUMNS) == choice(2000, 1001)


def test_kernels_whose_rows_in_memory_lie_along_y_get_rows_along_y() -> None:
    rows = tuple((row, TileRefusal.COLUMN_MAJOR) for row in ((1024, 1, 1), (None, 1, 1)))
    along_y = (Tile((1, 1024, 1)), Tile((1, None, 1)))
    assert choice(2048, 2048, traits=ROWS_ALONG_Y) == TileChoice(along_y, rows)
    assert extents(2000, 1001, traits=ROWS_ALONG_Y) == ((1, None, 1),)
    assert choice(2048, 60, traits=ROWS_ALONG_Y) == choice(2048, 60, traits=COLUMNS)
    x, y, z = tile_size((1, None, 1), (2000, 1001, 1), threads=2, item_bytes=0)
    assert (x, z) == (1, 1) and y > 256


def test_kernels_that_interleave_bits_of_ids_get_squares() -> None:
    curve = replace(ALONE, interleaves_bits=True)
    refused = tuple((row, TileRefusal.INTERLEAVED) for row in ((1024, 1, 1), (None, 1, 1)))
    assert choice(2048, 2048, traits=curve) == TileChoice((Tile((*SQUARE, 1)),), refused)
    # Squares that the range would cut off are not worth code for any size.
    assert choice(2048, 20, traits=curve) == choice(2048, 20)
    assert choice(2000, 1001, traits=curve) == choice(2000, 1001)


SOURCE = """
uint spread(uint x) {
    x = (x | x << 8) & 0x00ff00ff;
    x = (x | x << 4) & 0x0f0f0f0f;
    x = (x | x << 2) & 0x33333333;
    return (x | x << 1) & 0x55555555;
}

kernel void curve(global int *a, int n) { a[spread(get_global_id(0)) | spread(get_global_id(1)) << 1] = n; }

kernel void bit_by_bit(global int *a, int n) {
    uint x = get_global_id(0), y = get_global_id(1), at = 0;
    for (int bit = 0; bit < 8; bit++) at |= (x >> bit & 1) << 2 * bit | (y >> bit & 1) << 2 * bit + 1;
    a[at] = n;
}

kernel void in_blocks(global int *a, int n) {
    int x = get_global_id(0), y = get_global_id(1);
    a[(y >> 3) * n + (x >> 3) * 64 + (y & 7) * 8 + (x & 7)] = n;
}

kernel void row_major(global int *a, int n) { a[get_global_id(1) * n + get_global_id(0)] = n; }

kernel void column_major(global int *a, int n) { a[get_global_id(0) * n + get_global_id(1)] = n; }

kernel void outer_product(global int *a, global const int *b, int n) {
    a[get_global_id(0) * n + get_global_id(1)] = b[get_global_id(0)] * b[get_global_id(1)];
}

kernel void transposition(global int *a, global const int *b, int n) {
    a[get_global_id(0) * n + get_global_id(1)] = b[get_global_id(1) * n + get_global_id(0)];
}

kernel void transposed_image(read_only image2d_t a, write_only image2d_t b, int n) {
    int2 at = (int2)(get_global_id(0), get_global_id(1));
    write_imagef(b, at.yx, read_imagef(a, at + (int2)(1, 0)));
}

kernel void turned_image(read_only image2d_array_t a, write_only image2d_t b, int n) {
    int2 at = (int2)(get_global_id(0), get_global_id(1));
    write_imagef(b, at, read_imagef(a, (int4)(n - at.y, at.x, 3, 0)));
}

kernel void copied_image(read_only image2d_t a, write_only image2d_t b, int n) {
    int2 at = (int2)(get_global_id(0), get_global_id(1));
    write_imagef(b, at, read_imagef(a, at - n) + read_imagef(a, (int2)(at.x * at.y, n)));
}

kernel void product(global int *a, global const int *b, int n) {
    int sum = 0;
    for (int k = 0; k < n; k++) sum += b[get_global_id(0) * n + k] * b[k * n + get_global_id(1)];
    a[get_global_id(0) * n + get_global_id(1)] = sum;
}

kernel void in_groups(global int *a, int n) {
    a[(get_group_id(0) * 3 + get_local_id(0)) * n + get_global_id(1)] = n;
}

kernel void diverges_along_y(global int *a, int n) {
    int sum = get_global_id(0);
    for (int k = 0; k < get_global_id(1); k++) sum = sum * 3 + n;
    a[get_global_id(1) * n + get_global_id(0)] = sum;
}

kernel void shared(global int *a, local int *b, int n) {
    b[get_local_id(1)] = n;
    barrier(CLK_LOCAL_MEM_FENCE);
    a[get_global_id(0) * n + get_global_id(1)] = b[get_local_id(1) ^ 1];
}

kernel void sums(global int *a, global const int *b, int n) {
    for (int k = 0; k < n; k++) a[get_global_id(0)] += b[k];
}
"""


@pytest.fixture(scope="module")
def kernels() -> Any:
    return build(SOURCE, "").kernels


def test_traits_are_found_when_a_program_is_built(kernels: Any) -> None:
    traits = {name: kernel.traits for name, kernel in kernels.items()}
    along_y = ["column_major", "outer_product", "in_groups"]
    assert [name for name, t in traits.items() if t.rows_along_y] == along_y
    column_major = {name for name, t in traits.items() if t.column_major}
    assert column_major == {*along_y, "transposition", "transposed_image", "turned_image", "product"}
    assert [name for name, t in traits.items() if t.interleaves_bits] == ["curve", "bit_by_bit"]
    assert [name for name, t in traits.items() if t.queries_group] == ["in_groups", "shared"]
    assert [name for name, t in traits.items() if not t.shares_nothing] == ["shared"]
    assert [name for name, t in traits.items() if t.benefits_from_noalias] == ["product", "sums"]
    assert traits["diverges_along_y"].divergent_exits == (False, True, False)
    assert not any(any(t.divergent_exits) for name, t in traits.items() if name != "diverges_along_y")
    assert not any(t.may_block_progress for t in traits.values())
    assert all(10 < t.own_instructions == t.instructions for t in traits.values())


def test_few_lengths_of_rows_get_code_of_their_own() -> None:
    kernel = build(SOURCE, "").kernels["sums"]
    for length in (64, 128, 192, 128):
        assert kernel.tile_function(Tile((length, 1, 1)), None).tile == (length, 1, 1)
    assert kernel.tile_function(Tile((256, 1, 1)), None) is None
    assert kernel.tile_function(Tile((256, 1, 1)), None, id_bits=64).tile == (256, 1, 1)
    assert kernel.tile_function(Tile((None, 1, 1)), None).tile == (None, 1, 1)


def test_code_for_rows_of_any_length_is_not_followed_by_others() -> None:
    kernel = build(SOURCE, "").kernels["sums"]
    long = LaunchContext(items=MOST_BASELINE_WORK)  # in optimized code
    assert kernel.tile_function(Tile((None, 1, 1)), None, context=long).tile == (None, 1, 1)
    assert kernel.tile_function(Tile((64, 1, 1)), None, context=long) is None
    assert kernel.tile_function(Tile((8, 32, 1)), None, context=long).tile == (8, 32, 1)


def test_code_says_which_tile_it_is_for(kernels: Any) -> None:
    across = Tile((1, None, 1), if_serial=(3, None, 1))
    assert kernels["row_major"].tile_function(across, None).tile == (3, None, 1)
    assert kernels["diverges_along_y"].tile_function(across, None).tile == (1, None, 1)
