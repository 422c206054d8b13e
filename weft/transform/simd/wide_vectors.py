"""Handle OpenCL C vectors of W work-items in one vector: the components of lane 0, then those of lane 1, etc.

Componentwise operations become operations on W times as many components. Extracting and inserting components
becomes shuffles, which are emitted here with a `Builder`.
"""

from collections.abc import Callable, Sequence

from weft.ir import Instruction, Value
from weft.ir.builder import Builder
from weft.ir.types import I32, Type, VectorType
from weft.ir.values import ConstantAggregate, ConstantInt, ConstantZero, Poison, Undef, const_int


def components(type: Type) -> int:
    """Return the number of components of a work-item's value."""
    return type.count if isinstance(type, VectorType) else 1


def insertions(
    vector: Value, follow: Callable[[Instruction], bool] = lambda insertion: True
) -> tuple[dict[int, Value], Value]:
    """Return the components that are inserted into a vector, by index, and the vector before that.

    Insertions at constant indices are followed as far as `follow` permits.
    """
    inserted: dict[int, Value] = {}
    while isinstance(vector, Instruction) and vector.opcode == "insertelement" and follow(vector):
        before, component, index = vector.operands
        if not isinstance(index, ConstantInt):
            break
        inserted.setdefault(index.value, component)
        vector = before
    return inserted, vector


def shuffled(b: Builder, left: Value, right: Value | None, indices: Sequence[int | None]) -> Value:
    """Select elements of one or two vectors by number; None: arbitrary."""
    type = left.type
    assert isinstance(type, VectorType)
    if right is None and list(indices) == list(range(type.count)):
        return left
    mask = ConstantAggregate(
        VectorType(I32, len(indices)),
        [Poison(I32) if index is None else const_int(I32, index) for index in indices],
    )
    result = VectorType(type.element, len(indices))
    return b.emit("shufflevector", result, [left, right if right is not None else Poison(type), mask])


def joined(b: Builder, parts: Sequence[Value]) -> Value:
    """Concatenate vectors of one type."""
    size = components(parts[0].type)
    full = 1 << (len(parts) - 1).bit_length()
    pieces = [*parts, *[Poison(parts[0].type)] * (full - len(parts))]
    while len(pieces) > 1:
        count = 2 * components(pieces[0].type)
        pieces = [shuffled(b, x, y, range(count)) for x, y in zip(pieces[::2], pieces[1::2], strict=True)]
    return part(b, pieces[0], 0, size * len(parts))


def padded(b: Builder, vector: Value, count: int) -> Value:
    """Extend a vector to `count` elements; the new ones are arbitrary."""
    have = components(vector.type)
    return shuffled(b, vector, None, [k if k < have else None for k in range(count)])


def part(b: Builder, vector: Value, first: int, count: int) -> Value:
    """Return `count` consecutive elements of a vector."""
    return shuffled(b, vector, None, range(first, first + count))


def spread(b: Builder, vector: Value, count: int) -> Value:
    """Repeat each element `count` times: scalars of the lanes become vectors of equal components."""
    if count == 1:
        return vector
    return shuffled(b, vector, None, [k // count for k in range(components(vector.type) * count)])


def component(b: Builder, vector: Value, count: int, index: int) -> Value:
    """Return component `index` of each lane's vector of `count` components."""
    return shuffled(b, vector, None, range(index, components(vector.type), count))


def interleaved(b: Builder, scalars: Sequence[Value]) -> Value:
    """Build each lane's vector from `scalars`, which has one vector of lanes per component."""
    width = components(scalars[0].type)
    line = joined(b, scalars)
    return shuffled(b, line, None, [c * width + k for k in range(width) for c in range(len(scalars))])


def with_component(b: Builder, vector: Value, count: int, index: int, scalars: Value) -> Value:
    """Replace component `index` of each lane's vector."""
    width = components(scalars.type)
    spaced = [k if c == index else None for k in range(width) for c in range(count)]
    placed = shuffled(b, scalars, None, spaced)
    if isinstance(vector, Poison | Undef):
        return placed
    total = width * count
    return shuffled(b, vector, placed, [total + e if e % count == index else e for e in range(total)])


def lane_shuffle(
    b: Builder, wide: tuple[Value, Value], width: int, counts: tuple[int, int], mask: Sequence[int | None]
) -> Value:
    """Apply the same shuffle of two vectors, of `counts` components each, in all `width` lanes."""
    first, second = counts
    indices: list[int | None] = []
    for lane in range(width):
        for index in mask:
            if index is None:
                indices.append(None)
            elif index < first:
                indices.append(lane * first + index)
            else:
                indices.append(width * first + lane * second + index - first)
    left, right = wide
    return shuffled(b, left, None if isinstance(right, Poison | Undef) else right, indices)


def shuffle_mask(i: Instruction) -> list[int | None]:
    """Return the element numbers of a shufflevector."""
    mask = i.operands[2]
    assert isinstance(i.type, VectorType)
    if isinstance(mask, ConstantZero):
        return [0] * i.type.count
    if isinstance(mask, ConstantAggregate):
        return [e.value if isinstance(e, ConstantInt) else None for e in mask.elements]
    return [None] * i.type.count
