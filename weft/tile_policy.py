"""Choose the tile of an NDRange that one call of compiled code runs, from the kernel's traits and the launch.

The work-items of a kernel without barriers and local memory share nothing, so a call of compiled code need
not run one work-group: it runs a *tile* of the range, of a size that suits the processor. The client's local
size then matters only to kernels that query it.

A tile is a row of work-items along one dimension, usually x, so that the other ids are uniform and memory is
accessed in long rows. Kernels without loops whose rows in memory lie along y get rows along y. Others with
column-major accesses, such as a matrix transposition, get narrow rectangles, those whose addresses
interleave the bits of x and y get squares, and those whose rows load the same data get a few rows, which run
at once. The traits of a kernel are computed at build time (`kernel_traits.py`). Whether its loops run in SIMD
lanes is known only after code generation. Where that matters, a `Tile` has extents for both cases, and the
code records which of them it was compiled for.
"""

from enum import unique
from math import prod

from weft.abi import LARGEST_EXTENT, Extents
from weft.dataclasses import dataclass
from weft.kernel import LEAST_REUSES, ROWS_AT_ONCE, SHORT_ROW, CodeOptions, KernelTraits, LocalSize
from weft.messages import Message

# Rows with fewer work-items do not fill the widest vectors.
FULL_VECTOR = 16
# The number of tiles for each thread, so that no thread waits long for the last one.
TILES_PER_THREAD = 16
# Rows whose length is a multiple of one of these get code for that length, which is compiled in less time
# than code for any length. Long rows are good for loops that run in lock step over all work-items.
GOOD_ROWS = range(1024, 255, -64)
# For column-major accesses: a few cache lines of each column, and as many columns as a cache set has ways.
NARROW = (8, 32)
# Where these do not divide the range, rows took no more time than narrow tiles of any extents, and a third of
# it for images of 1000x1000: columns are not a power of two apart there.
# For loops that run in strips (`analysis/column_reuse.py`): the widths, and the most rows. The strips of a
# tile's columns and its context arrays together fit into a second-level cache of 256 KiB.
BLOCK_WIDTHS = (128, 64)
MOST_BLOCK_ROWS = 64
# With fewer tiles for each thread, loops do not run in strips: smaller tiles keep threads equally busy.
BLOCKS_PER_THREAD = 4
# Below this number of work-items, code for tiles of any width took longer with strips than without: products
# of 720 and 1500, by 15 %. Above it they took less: of 2000 and 2100, by 40 and 50 %. With a guard around the
# loop products of 500 took twice as long, of 1000 as long, and of 2000 less than half, whatever the tiles.
LARGE_RANGE = 1 << 21
# For addresses that interleave bits of x and y: contiguous memory is a square of work-items. Bytes and ints
# in Z-order were equally fast in 8x32 and 32x32; ints took a tenth longer in 16x16, and both did in 16x64.
SQUARE = (32, 32)
# Context arrays of a tile should stay in the first-level cache.
CONTEXT_BYTES = 16384


@unique
class TileRefusal(Message):
    """Why a kernel is not run in tiles of certain extents."""

    COLUMN_MAJOR = "its accesses are contiguous along y, not along x"
    INTERLEAVED = "its addresses interleave the bits of x and y"
    NO_DIVERGENT_LOOP = "it has no divergent loop"
    NOT_IN_LANES = "its loops do not run in SIMD lanes"


@dataclass(frozen=True)
class NDRange:
    """The range of a launch. `local_size` is the local size that the kernel sees; None if it has none."""

    global_size: LocalSize
    local_size: LocalSize | None
    offset: LocalSize = (0, 0, 0)


@dataclass(frozen=True)
class Tile:
    """The extents on which code for tiles may rely, and others if none of its loops runs in SIMD lanes."""

    extents: Extents
    if_serial: Extents | None = None


@dataclass(frozen=True)
class TileChoice:
    """The tiles for a launch, the best first, and those that were refused.

    Later tiles are for kernels that have code for too many lengths already. If none of the tiles is used, the
    launch runs in work-groups.
    """

    tiles: tuple[Tile, ...] = ()
    refused: tuple[tuple[Extents, TileRefusal], ...] = ()


def choose_tiles(traits: KernelTraits, options: CodeOptions, launch: NDRange, *, threads: int) -> TileChoice:
    """Return the tiles in which a launch of a kernel may run."""
    x, y, z = launch.global_size
    # If there are so few work-items, each may be worth a thread, and its loops may be vectorized.
    if x * y * z <= 2 * threads or runs_in_groups(traits, options, launch):
        return TileChoice()
    if x >= FULL_VECTOR:
        return _rows(traits, launch.global_size, threads)
    # Rows are shorter than a vector. Along another dimension, neighbours are far apart in memory, which only
    # pays if there is much computation. Otherwise each row is unrolled, so that several rows can form
    # vectors.
    if y >= FULL_VECTOR:
        return _across(traits, options, 1, (1, None, 1), (x, None, 1))
    if z >= FULL_VECTOR:
        return _across(traits, options, 2, (1, 1, None), (x, y, None))
    return TileChoice()


def runs_in_groups(traits: KernelTraits, options: CodeOptions, launch: NDRange) -> bool:
    """Whether a launch runs in work-groups, as do all launches with the same local size and offset."""
    if not traits.shares_nothing or options.level == 0:
        return True
    return traits.queries_group and not _may_ignore_groups(launch)


def tile_size(extents: Extents, global_size: LocalSize, *, threads: int, item_bytes: int) -> LocalSize:
    """Return the size of the tiles; `item_bytes` is the size of a work-item's elements of context arrays."""
    x, height, z = extents
    if x is None and height is not None and height >= LEAST_REUSES:
        return _even(global_size[0], BLOCK_WIDTHS[0]), height, z or 1
    total = prod(global_size)
    least = max(min(GOOD_ROWS[-1], total // (2 * threads)), SHORT_ROW)
    budget = min(max(total // (threads * TILES_PER_THREAD), least), LARGEST_EXTENT)
    if item_bytes:
        budget = max(min(budget, CONTEXT_BYTES // item_bytes), SHORT_ROW)
    budget = max(budget // prod(n for n in extents if n is not None), 1)
    x, y, z = (
        _even(whole, budget) if n is None else n for n, whole in zip(extents, global_size, strict=True)
    )
    return x, y, z


def _may_ignore_groups(launch: NDRange) -> bool:
    """Whether tiles pay off for a kernel that queries its group.

    Local ids are computed from global ids, which requires an offset of 0. Groups that fill vectors need no
    tiles.
    """
    if any(launch.offset):
        return False
    size = launch.local_size
    return size is None or (size[0] % FULL_VECTOR != 0 and size[0] < SHORT_ROW)


def _rows(traits: KernelTraits, global_size: LocalSize, threads: int) -> TileChoice:
    """Return tiles along x, squares for interleaved bits, rows along y or narrow tiles if column-major."""
    x, y, z = global_size
    total = x * y * z
    at_once = ROWS_AT_ONCE if traits.reuses_rows and y % ROWS_AT_ONCE == 0 else 1
    rows: tuple[Extents, ...] = tuple((n, at_once, 1) for n in _lengths(x, total // at_once, threads))
    guarded = traits.guards_columns
    block = _block(global_size, at_once, guarded, threads) if traits.shares_columns else None
    if block is not None:
        rows = (block,)
    width, height = SQUARE
    if traits.interleaves_bits and x % width == 0 == y % height:
        refused = tuple((row, TileRefusal.INTERLEAVED) for row in rows)
        return TileChoice((Tile((width, height, 1)),), refused)
    if not traits.column_major:
        return TileChoice(tuple(map(Tile, rows)))
    refused = tuple((row, TileRefusal.COLUMN_MAJOR) for row in rows)
    if traits.rows_along_y and y >= SHORT_ROW:
        return TileChoice(tuple(Tile((1, n, 1)) for n in _lengths(y, total, threads)), refused)
    width, height = NARROW
    if y >= height and (x % width or y % height):
        return TileChoice(tuple(map(Tile, rows)))
    return TileChoice((Tile((width, height, 1)),) if y >= height else (), refused)


def _block(global_size: LocalSize, at_once: int, guarded: bool, threads: int) -> Extents | None:
    """Return a tile of many rows, a multiple of `at_once`, in which loops run in strips; None if the range is
    too small."""
    x, y, z = global_size
    height = next((n for n in range(MOST_BLOCK_ROWS, 0, -at_once) if y % n == 0), 1)
    width = next((n for n in BLOCK_WIDTHS if x % n == 0), None)
    tiles = x * y * z // ((width or BLOCK_WIDTHS[0]) * height)
    if height < LEAST_REUSES * at_once or tiles < BLOCKS_PER_THREAD * threads:
        return None
    if (guarded or width is None) and x * y < LARGE_RANGE:
        return None
    return width, height, 1


def _lengths(whole: int, total: int, threads: int) -> tuple[int | None, ...]:
    """Return the lengths of tiles along a dimension of `whole` work-items, best first."""
    most = total // (2 * threads)
    lengths = GOOD_ROWS if most >= GOOD_ROWS[-1] else (SHORT_ROW,)
    fixed = next((n for n in lengths if n <= most and whole % n == 0), None)
    return (fixed, None) if fixed else (None,)


def _across(
    traits: KernelTraits, options: CodeOptions, dimension: int, across: Extents, rows: Extents
) -> TileChoice:
    """Return tiles across rows whose work-items leave loops at different times; vector code gains most then.

    Otherwise whole rows, or work-groups if a row is one work-item.
    """
    short = () if rows[0] == 1 else (Tile(rows),)
    if not traits.divergent_exits[dimension]:
        return TileChoice(short, ((across, TileRefusal.NO_DIVERGENT_LOOP),))
    if not options.vectorizes(traits):
        return TileChoice(short, ((across, TileRefusal.NOT_IN_LANES),))
    return TileChoice((Tile(across, if_serial=rows if short else None),))


def _even(whole: int, most: int) -> int:
    """Divide `whole` into pieces of similar size, at most `most`, and of whole vectors if they are long."""
    pieces = -(-whole // most)
    piece = -(-whole // pieces)
    if piece > FULL_VECTOR:
        piece = -(-piece // FULL_VECTOR) * FULL_VECTOR
    return min(piece, whole, most)
