"""Choose the local size if the client passes NULL.

A good size divides the global size, gives every thread several groups (for load balance), is long in x
(adjacent work-items along x become SIMD lanes) and is a multiple of the vector width if possible.
"""

from collections.abc import Sequence

Size = tuple[int, int, int]

# Larger groups have no advantage, and need more memory for values that are live across barriers.
LARGEST_GROUP = 1024
GROUPS_PER_THREAD = 4
LANES = (16, 8, 4)


def choose_local_size(
    global_size: Sequence[int],
    *,
    threads: int,
    max_group_size: int,
    max_item_sizes: Sequence[int] = (LARGEST_GROUP,) * 3,
    required: Size | None = None,
    hint: Size | None = None,
) -> Size:
    """Return the local size for an NDRange of `global_size`: 1 to 3 positive extents, missing ones are 1.

    `required` (reqd_work_group_size) is returned unchanged; `hint` (work_group_size_hint) is used if it
    divides the range and is within the limits of the device.
    """
    if required is not None:
        return required
    extents = (*global_size, 1, 1)[:3]
    if hint is not None and _fits(hint, extents, max_group_size, max_item_sizes):
        return hint
    total = extents[0] * extents[1] * extents[2]
    limit = min(LARGEST_GROUP, max_group_size)
    # In small ranges, a full vector per group matters more than a group for every thread.
    budget = max(min(limit, total // (threads * GROUPS_PER_THREAD)), min(LANES[0], limit))
    x = _divisor(extents[0], min(budget, max_item_sizes[0]), LANES)
    y = _divisor(extents[1], min(budget // x, max_item_sizes[1]))
    z = _divisor(extents[2], min(budget // (x * y), max_item_sizes[2]))
    return x, y, z


def _fits(size: Size, extents: Sequence[int], max_group_size: int, max_item_sizes: Sequence[int]) -> bool:
    if size[0] * size[1] * size[2] > max_group_size:
        return False
    return all(
        0 < n <= most and extent % n == 0
        for n, extent, most in zip(size, extents, max_item_sizes, strict=True)
    )


def _divisor(extent: int, limit: int, multiples: Sequence[int] = ()) -> int:
    """Return the largest divisor of `extent` up to `limit`, preferably a multiple of an early `multiples`."""
    for multiple in multiples:
        if extent % multiple == 0 and multiple <= limit:
            return multiple * _divisor(extent // multiple, limit // multiple)
    for candidate in range(min(extent, limit), 1, -1):
        if extent % candidate == 0:
            return candidate
    return 1
