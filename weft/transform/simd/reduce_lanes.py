"""Emit reductions of the lanes of vectors, of several vectors at once.

A reduction combines the upper half of the lanes with the lower half until one lane is left. With vectors a
and b, one step makes one vector of both, whose halves are what the steps for each alone would leave:

    a0 a1 a2 a3                            a0 a1 b2 b3   (blended)
    b0 b1 b2 b3   becomes   the sum of     a2 a3 b0 b1   (shuffled)        = a02 a13 b02 b13

Four vectors of four lanes take three such steps, not eight: the last one leaves all four results in one
register, in order. Each result combines the same numbers in the same order as a reduction of that vector
alone, so it has the same bits. Where the order of the operands matters (`fcmp` and `select`), both operands
are shuffles.
"""

from collections.abc import Sequence

from weft.ir import Value
from weft.ir.builder import Builder
from weft.ir.types import I32, FloatType, VectorType, bit_width
from weft.ir.values import const_int
from weft.transform.reductions import combined

from .wide_vectors import components, part, shuffled

# Wider vectors are halved first: loads and cheap extractions provide the upper half.
WIDEST_STEP = 256


def lanes_of_step(type: VectorType, register_bits: int) -> int:
    """Return the lanes of a vector in which steps for several vectors are made: most vectors at a time."""
    lanes = min(register_bits, WIDEST_STEP) // bit_width(type.element)
    return max(min(lanes, type.count), 1)


def reduced_lanes(b: Builder, operation: str, vectors: Sequence[Value], register_bits: int) -> list[Value]:
    """Return the lanes of each vector, combined; the vectors have one type."""
    type = vectors[0].type
    assert isinstance(type, VectorType)
    lanes, results = lanes_of_step(type, register_bits), list[Value]()
    pieces = [_halved(b, operation, vector, lanes) for vector in vectors]
    while pieces:
        count = min(1 << (len(pieces).bit_length() - 1), lanes)
        results += _reduced_together(b, operation, pieces[:count], lanes)
        pieces = pieces[count:]
    return results


def _halved(b: Builder, operation: str, vector: Value, lanes: int) -> Value:
    """Combine halves of a vector until `lanes` lanes are left."""
    width = components(vector.type)
    while width > lanes:
        width //= 2
        vector = combined(b, operation, part(b, vector, 0, width), part(b, vector, width, width))
    return vector


def _reduced_together(b: Builder, operation: str, vectors: Sequence[Value], lanes: int) -> list[Value]:
    """Reduce as many vectors as a power of two says, at most one for each lane."""
    count, distance, left = len(vectors), lanes, list(vectors)
    while len(left) > 1:
        distance //= 2
        half = len(left) // 2
        left = [_step(b, operation, left[k], left[k + half], distance) for k in range(half)]
    (vector,) = left
    if count == 1:
        vector = _halved(b, operation, vector, 1)
    else:
        while distance > 1:
            distance //= 2
            upper = [lane + distance if not lane & distance else None for lane in range(lanes)]
            vector = combined(b, operation, vector, shuffled(b, vector, None, upper))
    element = vector.type.scalar
    return [
        b.emit("extractelement", element, [vector, const_int(I32, k * (lanes // count))])
        for k in range(count)
    ]


def _step(b: Builder, operation: str, first: Value, second: Value, distance: int) -> Value:
    """Combine lanes of two vectors that are `distance` apart, within blocks of twice as many lanes.

    The lower halves of the blocks get what the first vector leaves, the upper halves that of the second.
    """
    lanes = components(first.type)
    lower = [not lane & distance for lane in range(lanes)]
    if isinstance(first.type.scalar, FloatType) and operation in ("min", "max"):
        one = [lane if lower[lane] else lanes + lane - distance for lane in range(lanes)]
        other = [lane + distance if lower[lane] else lanes + lane for lane in range(lanes)]
    else:
        one = [lane if lower[lane] else lanes + lane for lane in range(lanes)]
        other = [lane + distance if lower[lane] else lanes + lane - distance for lane in range(lanes)]
    return combined(b, operation, shuffled(b, first, second, one), shuffled(b, first, second, other))
