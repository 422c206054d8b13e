"""Emit operations across the lanes of a sub-group (`analysis/cross_lane.py`) in registers.

Lanes are the work-items of one sub-group, so its functions are shuffles of a vector:

    reduce          a call, for which `merge_reductions.py` emits shuffles, with other reductions if possible
    scan            each lane is combined with the one 1, 2, 4, … before it
    cluster         each lane is combined with the one whose number differs in bit 0, 1, …
    shuffle         a shuffle if the source lanes are known, else a lookup of lanes by number
    broadcast       one lane
    ballot          the mask as a number

All lanes are active at such an operation: all work-items of a sub-group reach it, or none.
"""

from typing import TYPE_CHECKING

from weft.analysis.cross_lane import CrossLane
from weft.analysis.lane_reduction import reduction_symbol
from weft.analysis.sub_group_facts import SubGroupFacts
from weft.ir import ConstantInt, Instruction, Value
from weft.ir.builder import Builder
from weft.ir.types import I1, I32, FloatType, IntType, Type, VectorType
from weft.ir.values import Constant, ConstantAggregate, ConstantFloat, Poison, const_int
from weft.transform.reductions import combined, identity

from .wide_vectors import component, components, interleaved, joined, part, shuffled

if TYPE_CHECKING:
    from .widen import Widener


def emit_cross_lane(w: "Widener", i: Instruction, cross_lane: CrossLane) -> None:
    """Emit an operation across lanes."""
    assert cross_lane.size == w.width, "lanes are a sub-group"
    value, *rest = i.arguments
    wide = w.vector(value)
    match cross_lane.kind:
        case "reduce":
            w.define_scalar(i, _reduced(w.b, cross_lane, wide))
        case "broadcast":
            w.define_scalar(i, _lane(w, wide, rest[0], value.type))
        case "ballot":
            bits = w.b.emit("bitcast", IntType(w.width), [wide])
            w.define_scalar(i, bits if w.width == 32 else w.b.cast("zext", bits, I32, i.name))
        case "cluster":
            assert isinstance(rest[0], ConstantInt)
            w.define_vector(i, _clustered(w.b, cross_lane, wide, w.width, rest[0].value))
        case "shuffle":
            w.define_vector(i, _shuffled(w, wide, rest[0], value.type))
        case _:
            w.define_vector(i, _scanned(w.b, cross_lane, wide, w.width))


def _reduced(b: Builder, cross_lane: CrossLane, wide: Value) -> Value:
    """Call a reduction, which `merge-reductions` replaces by shuffles."""
    type = wide.type
    assert isinstance(type, VectorType)
    symbol = reduction_symbol(cross_lane.operation, type)
    return b.call_symbol(symbol, type.element, [wide])


def _clustered(b: Builder, cross_lane: CrossLane, wide: Value, width: int, cluster: int) -> Value:
    distance = 1
    while distance < cluster:
        other = shuffled(b, wide, None, [lane ^ distance for lane in range(width)])
        wide = combined(b, cross_lane.operation, wide, other)
        distance *= 2
    return wide


def _scanned(b: Builder, cross_lane: CrossLane, wide: Value, width: int) -> Value:
    type, operation, distance = wide.type, cross_lane.operation, 1
    assert isinstance(type, VectorType)
    neutral = _neutral(operation, type.element)
    while distance < width:
        # The first lanes have no predecessor and keep their values.
        if neutral is not None:
            wide = combined(b, operation, _shifted_up(b, wide, distance, neutral), wide)
        else:
            before = shuffled(b, wide, None, [None] * distance + list(range(width - distance)))
            both = combined(b, operation, before, wide)
            wide = shuffled(b, wide, both, [k if k < distance else width + k for k in range(width)])
        distance *= 2
    if cross_lane.kind == "scan_inclusive":
        return wide
    return _shifted_up(b, wide, 1, identity(operation, type.element))


def _shifted_up(b: Builder, wide: Value, distance: int, fill: Constant) -> Value:
    """Move each lane's value `distance` lanes up, and fill the first lanes."""
    count = components(wide.type)
    first = ConstantAggregate(wide.type, [fill] * count)
    return shuffled(b, first, wide, [k if k < distance else count + k - distance for k in range(count)])


def _neutral(operation: str, type: Type) -> Constant | None:
    """Return the value that leaves every other unchanged bit by bit; None if there is none."""
    if not isinstance(type, FloatType):
        return identity(operation, type)
    if operation == "add":
        return ConstantFloat.of(type, -0.0)
    return ConstantFloat.of(type, 1.0) if operation == "mul" else None


def _lane(w: "Widener", wide: Value, place: Value, type: Type) -> Value:
    """Return the value of the lane whose number the first lane has in `place`."""
    lane_index = w.scalar(place) if not w.lanes.is_varying(place) else None
    if lane_index is None:
        lane_index = w.b.emit("extractelement", I32, [w.vector(place), const_int(I32, 0)])
    if not isinstance(type, VectorType):
        return w.b.emit("extractelement", type, [wide, lane_index])
    if isinstance(lane_index, ConstantInt):
        return part(w.b, wide, lane_index.value * type.count, type.count)
    result: Value = Poison(type)
    for number in range(type.count):
        index = w.b.add(w.b.mul(lane_index, const_int(I32, type.count)), const_int(I32, number))
        element = w.b.emit("extractelement", type.element, [wide, index])
        result = w.b.emit("insertelement", type, [result, element, const_int(I32, number)])
    return result


def _shuffled(w: "Widener", wide: Value, place: Value, type: Type) -> Value:
    """Return for each lane the value of the lane whose number it has in `place`."""
    count, facts = components(type), w.lanes.assumed
    known = facts.numbers(place) if isinstance(facts, SubGroupFacts) else None
    if known is not None:
        return shuffled(w.b, wide, None, [lane * count + k for lane in known for k in range(count)])
    places = w.vector(place)
    parts = [_lookup(w.b, component(w.b, wide, count, k), places, w.width, w.register) for k in range(count)]
    return parts[0] if count == 1 else interleaved(w.b, parts)


def _lookup(b: Builder, table: Value, places: Value, width: int, register: int) -> Value:
    """Look up elements of a vector by varying indices, one register at a time.

    `register` is the number of 32-bit elements of a register. Shorter elements are extended, because not all
    processors can look them up.
    """
    type = table.type.scalar
    bits = type.bits if isinstance(type, IntType | FloatType) else 64
    if bits < 32:
        number = IntType(bits)
        integers = (
            table if isinstance(type, IntType) else b.emit("bitcast", VectorType(number, width), [table])
        )
        wider = b.cast("zext", integers, VectorType(I32, width))
        narrow: Value = b.cast("trunc", _lookup(b, wider, places, width, register), VectorType(number, width))
        return narrow if isinstance(type, IntType) else b.emit("bitcast", table.type, [narrow])
    size = min(width, max(register * 32 // bits, 1))
    pieces = [part(b, table, first, size) for first in range(0, width, size)]
    results = []
    for first in range(0, width, size):
        place = part(b, places, first, size)
        inside = b.binary("and", place, _splat(size - 1, size))
        result = _register_lookup(b, pieces[0], inside, size)
        for piece in range(1, len(pieces)):
            beyond = b.emit(
                "icmp", VectorType(I1, size), [place, _splat(piece * size, size)], predicate="uge"
            )
            result = b.select(beyond, _register_lookup(b, pieces[piece], inside, size), result)
        results.append(result)
    return joined(b, results)


def _register_lookup(b: Builder, table: Value, places: Value, size: int) -> Value:
    """Emit a lookup in one register in the form that LLVM's back ends recognize."""
    result: Value = Poison(table.type)
    for lane in range(size):
        place = b.emit("extractelement", I32, [places, const_int(I32, lane)])
        element = b.emit("extractelement", table.type.scalar, [table, place])
        result = b.emit("insertelement", table.type, [result, element, const_int(I32, lane)])
    return result


def _splat(number: int, count: int) -> Value:
    return ConstantAggregate(VectorType(I32, count), [const_int(I32, number)] * count)
