"""Transpose a small matrix in registers: rows in, columns out.

Each step takes two registers and shuffles them into two others. First, elements are exchanged within pieces
of 128 bits (the unpack instructions of x86 and the zips of ARM), then whole pieces are: 2 log2(n) shuffles
for n elements, each a single instruction on x86.

    a0 a1 a2 a3      a0 b0 a1 b1      a0 b0 c0 d0
    b0 b1 b2 b3  →   a2 b2 a3 b3  →   a1 b1 c1 d1
    c0 c1 c2 c3      c0 d0 c1 d1      a2 b2 c2 d2
    d0 d1 d2 d3      c2 d2 c3 d3      a3 b3 c3 d3
"""

from collections.abc import Callable, Sequence

from weft.ir import Value
from weft.ir.builder import Builder
from weft.ir.types import VectorType, size_of

from .wide_vectors import joined, part, shuffled

# Bytes within which unpack and zip instructions exchange elements.
PIECE_BYTES = 16
# The elements of two registers, numbered consecutively, in the order of the two new registers.
Step = tuple[list[int], list[int]]


def transposed(b: Builder, rows: Sequence[Value]) -> list[Value]:
    """Return the columns of `rows`.

    The number of rows and their length are powers of two, so one divides the other.
    """
    type = rows[0].type
    assert isinstance(type, VectorType)
    side = min(len(rows), type.count)
    groups = [list(rows[i : i + side]) for i in range(0, len(rows), side)]
    columns = []
    for start in range(0, type.count, side):
        squares = [
            _square(b, [row if side == type.count else part(b, row, start, side) for row in group])
            for group in groups
        ]
        columns += [joined(b, list(parts)) for parts in zip(*squares, strict=True)]
    return columns


def _square(b: Builder, rows: list[Value]) -> list[Value]:
    side = len(rows)
    type = rows[0].type
    assert isinstance(type, VectorType)
    piece = min(PIECE_BYTES // size_of(type.element), side)
    values = list(rows)
    # (row, column) of each element in the registers, to identify the columns at the end.
    positions = [[(row, column) for column in range(side)] for row in range(side)]
    distance = 1
    while distance < side:
        step: Callable[[int, int, int], Step] = _unpack if distance < piece else _separate
        first, second = step(side, piece, distance)
        for i in range(side):
            if not i & distance:
                j = i + distance
                pair = positions[i] + positions[j]
                positions[i], positions[j] = [pair[k] for k in first], [pair[k] for k in second]
                values[i], values[j] = (shuffled(b, values[i], values[j], order) for order in (first, second))
        distance *= 2
    by_column = {of[0][1]: value for of, value in zip(positions, values, strict=True)}
    return [by_column[column] for column in range(side)]


def _unpack(side: int, piece: int, distance: int) -> Step:
    """Interleave units of `distance` elements of both registers within each piece."""
    low, high = [], []
    for start in range(0, side, piece):
        units = [range(at, at + distance) for at in range(start, start + piece, distance)]
        both = [[k + which for k in unit] for unit in units for which in (0, side)]
        half = len(both) // 2
        low += [k for unit in both[:half] for k in unit]
        high += [k for unit in both[half:] for k in unit]
    return low, high


def _separate(side: int, piece: int, distance: int) -> Step:
    """Separate the even pieces of both registers from the odd ones."""
    pieces = [list(range(at, at + piece)) for at in range(0, 2 * side, piece)]
    return [k for p in pieces[::2] for k in p], [k for p in pieces[1::2] for k in p]
