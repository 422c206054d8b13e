"""How an NDRange is cut for the worker threads when nobody can tell where its work-groups begin and end.

The work-items of a kernel without barriers and local memory have nothing to do with each other, so a call of
compiled code need not run one work-group: it runs a *tile* of the range, of a size that suits the processor.
The client's local size then only decides what the kernel is told, if it asks at all.

A tile is a line of work-items along one dimension, x as a rule, so that the code knows the other ids to be
the same for all of them, and memory is read and written in long rows. Kernels that walk down columns, as when
a matrix is transposed, get narrow rectangles; the compiler tells which they are (`UnsuitableTile`).
"""

from collections.abc import Sequence
from math import prod

from weft.abi import LARGEST_EXTENT, Extents
from weft.runtime.local_size import LANES, Size

# Tiles for each thread, so that no thread waits long for the last one to be done.
TILES_PER_THREAD = 16
# A tile with fewer work-items feels the cost of the call.
SHORT_LINE = 64
# Rows that lines of such a length divide get code for just that length, which is compiled in less time than
# code for any length. Long ones are good for loops that run in lock step over all work-items.
GOOD_LINES = range(1024, 255, -64)
# Where columns are walked down: a few cache lines of each, of as many columns as a set of the cache can hold.
NARROW = (8, 32)
# Context arrays of a tile should stay in the first-level cache.
CONTEXT_BYTES = 16384


def choose_extents(
    global_size: Size, local_size: Size | None, *, threads: int, asks_for_group: bool
) -> Sequence[Extents]:
    """What the code of a kernel whose work-items share nothing may count on, the best choice first.

    The compiler may find that a choice does not suit the kernel, or that there is code for too many lengths
    already. Behind the last choice, or if there is none, work-groups are run as they are. `local_size` is
    None if the client leaves it open.
    """
    x, y, z = global_size
    # So few work-items are tasks of their own: each may be worth a thread, and its loops be vectorized.
    if x * y * z <= 2 * threads:
        return ()
    if asks_for_group and local_size is not None and _suits(local_size[0]):
        return ()
    if x >= LANES[0]:
        most = x * y * z // (2 * threads)
        lengths = GOOD_LINES if most >= GOOD_LINES[-1] else (SHORT_LINE,)
        fixed = next((line for line in lengths if line <= most and x % line == 0), None)
        lines: tuple[Extents, ...] = ((fixed, 1, 1), (None, 1, 1)) if fixed else ((None, 1, 1),)
        width, height = NARROW
        narrow: Extents = (width, height, 1) if x % width == 0 == y % height else (None, None, 1)
        return (*lines, narrow) if y >= height else lines
    # Rows shorter than a vector: along another dimension neighbours lie far apart in memory, which only pays
    # if there is much to compute. Else each row is unrolled, so that the rows can make up the vectors.
    if y >= LANES[0]:
        return (1, None, 1), (x, None, 1)
    if z >= LANES[0]:
        return (1, 1, None), (x, y, None)
    return ()


def choose_tile(extents: Extents, global_size: Size, *, threads: int, item_bytes: int) -> Size:
    """The size of the tiles; `item_bytes` is what the code keeps in context arrays for a work-item."""
    if extents == (None, None, 1):
        return *NARROW, 1
    total = prod(global_size)
    least = max(min(GOOD_LINES[-1], total // (2 * threads)), SHORT_LINE)
    budget = min(max(total // (threads * TILES_PER_THREAD), least), LARGEST_EXTENT)
    if item_bytes:
        budget = max(min(budget, CONTEXT_BYTES // item_bytes), SHORT_LINE)
    budget = max(budget // prod(n for n in extents if n is not None), 1)
    x, y, z = (
        _even(whole, budget) if n is None else n for n, whole in zip(extents, global_size, strict=True)
    )
    return x, y, z


def _suits(size: int) -> bool:
    """Whether rows of work-groups fill vectors."""
    return size % LANES[0] == 0 or size >= SHORT_LINE


def _even(whole: int, most: int) -> int:
    """Cuts `whole` into pieces of about the same size, at most `most`, of whole vectors if they are long."""
    pieces = -(-whole // most)
    piece = -(-whole // pieces)
    if piece > LANES[0]:
        piece = -(-piece // LANES[0]) * LANES[0]
    return min(piece, whole, most)
