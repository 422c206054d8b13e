"""Loads and stores of W lanes.

The shape of the address decides: uniform, consecutive, a small constant stride, or anything.
Under a mask the masked forms are used; idle lanes may hold addresses that must not be touched.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

from weft.analysis.evaluation import KnownLanes
from weft.analysis.evolution import Evolution
from weft.analysis.sub_group_facts import SubGroupFacts
from weft.ir import Instruction, Value
from weft.ir.types import (
    I1,
    I32,
    I64,
    VOID,
    IntType,
    Type,
    VectorType,
    intrinsic_suffix,
    size_of,
    store_size_of,
)
from weft.ir.values import Poison, const_int

from .access_forms import AccessForm
from .small_arrays import load_small, small_array, store_small
from .wide_pieces import can_load, can_store, load_pieces, store_pieces
from .wide_vectors import components, joined, part, shuffled, spread

if TYPE_CHECKING:
    from .widen import Widener

T = TypeVar("T")
I8 = IntType(8)
# Longest stride, in elements, for which loading everything in between beats a gather.
MAX_STRIDE = 4
# The elements that processors gather; vectors of the same size are gathered as such.
GATHERED_BITS = (32, 64)
# The sizes of elements that processors store under a mask.
MASKED_SIZES = (4, 8)


def is_consecutive(w: "Widener", pointer: Value, type: Type) -> bool:
    """Whether the lanes' elements are contiguous."""
    shape = w.lanes.of(pointer)
    return shape is not None and shape.stride == size_of(type) == store_size_of(type)


def fills_bytes(type: Type) -> bool:
    """Whether vectors of a type lie in memory as consecutive values would."""
    return not isinstance(type.scalar, IntType) or type.scalar.bits in (8, 16, 32, 64)


def is_near(w: "Widener", pointer: Value, type: Type, masked: bool) -> bool:
    """Whether the lanes' elements are reached by whole registers: consecutive, or at a small stride."""
    shape = w.lanes.of(pointer)
    if shape is None:
        return False
    few = not masked and not isinstance(type, VectorType) and shape.stride % size_of(type) == 0
    return is_consecutive(w, pointer, type) or (few and abs(shape.stride) <= MAX_STRIDE * size_of(type))


def is_reversed(shape: Evolution | None, type: Type) -> bool:
    """Whether the lanes' elements are consecutive in reverse."""
    return shape is not None and not isinstance(type, VectorType) and shape.stride == -size_of(type)


def _backwards(w: "Widener", vector: Value) -> Value:
    return shuffled(w.b, vector, None, range(w.width - 1, -1, -1))


def _last_address(w: "Widener", pointer: Value, type: Type) -> Value:
    """The last lane's address, of lanes that go backwards; the first one may be idle and lie anywhere."""
    back = const_int(I64, -(w.width - 1) * size_of(type))
    return w.b.emit("getelementptr", pointer.type, [w.scalar(pointer), back], element_type=I8)


def _by_shape(w: "Widener", pointer: Value, near: bool, emit: Callable[[Evolution | None], T]) -> T:
    """Emit an access for the shape of its addresses.

    Addresses that are linear on a condition are tested if they are `near` then: there is code for lanes whose
    addresses are linear, and code for those that wrap.
    """
    shape = w.lanes.of(pointer)
    if shape is None or not shape.needs:
        return emit(shape)
    if not near:
        return emit(None)
    function = w.b.block.parent
    linear, wrapped, after = (function.add_block(f"simd.{n}") for n in ("linear", "wrapped", "accessed"))
    condition = w.in_line(shape.needs)
    assert condition is not None
    w.b.cond_br(condition, linear, wrapped)
    results = []
    for block, known in ((linear, shape), (wrapped, None)):
        w.go_to(block)
        results.append((emit(known), w.b.block))
        w.b.br(after)
    w.go_to(after)
    first = results[0][0]
    if not isinstance(first, Value):
        return first
    phi = w.b.phi(first.type)
    for value, block in results:
        assert isinstance(value, Value)
        phi.add_incoming(value, block)
    return phi  # type: ignore[return-value]


def load(w: "Widener", i: Instruction, mask: Value | None) -> None:
    """Emits the load of all lanes."""
    pointer = i.operands[0]
    if w.lanes.is_uniform(pointer):
        w.note(i, AccessForm.ONE_LOAD)
        w.define_scalar(i, w.clone_scalar(i))
        return
    type = I8 if i.type is I1 else i.type  # conditions take a byte in memory
    if not fills_bytes(type):
        w.lane_by_lane(i, mask)
        return
    near = is_near(w, pointer, type, mask is not None)
    found = _by_shape(w, pointer, near, lambda shape: _load_as(w, i, type, mask, shape))
    w.define_vector(i, w.b.emit("trunc", w.wide(I1), [found]) if i.type is I1 else found)


def _load_as(w: "Widener", i: Instruction, type: Type, mask: Value | None, shape: Evolution | None) -> Value:
    """The load of lanes whose addresses have a certain shape; None is any."""
    pointer = i.operands[0]
    wide, align = w.wide(type), i.attributes["align"]
    if shape is not None and is_consecutive(w, pointer, type):
        align = max(align, shape.alignment)
        address = w.scalar(pointer)
        w.note(i, AccessForm.VECTOR_LOAD if mask is None else AccessForm.MASKED_VECTOR_LOAD)
        if mask is None:
            return w.load_like(i, wide, address, align, i.name)
        return _masked_load(w, i, "load", wide, address, spread(w.b, mask, components(type)), align)
    pieces = w.lanes.pieces(pointer)
    if mask is None and pieces is not None and can_load(pieces, type):
        return load_pieces(w, i, type, pieces)
    if isinstance(type, VectorType):
        if shape is None and 8 * store_size_of(type) in GATHERED_BITS:
            w.note(i, AccessForm.VECTOR_GATHER if mask is None else AccessForm.MASKED_VECTOR_GATHER)
            return w.b.emit("bitcast", wide, [_gather(w, i, IntType(8 * store_size_of(type)), mask)])
        return _load_vectors(w, i, type, mask, shape)
    if mask is not None and is_reversed(shape, type):
        w.note(i, AccessForm.REVERSED_MASKED_LOAD)
        last = _last_address(w, pointer, type)
        return _backwards(w, _masked_load(w, i, "load", wide, last, _backwards(w, mask), align))
    if mask is None and shape is not None and (strided := _load_strided(w, i, type)) is not None:
        return strided
    if mask is None and (rearranged := _load_rearranged(w, i, type)) is not None:
        return rearranged
    if shape is None and (array := small_array(pointer, i.type, w.width)) is not None:
        return load_small(w, i, array)
    w.note(i, AccessForm.GATHER if mask is None else AccessForm.MASKED_GATHER)
    return _gather(w, i, type, mask)


def _gather(w: "Widener", i: Instruction, type: Type, mask: Value | None) -> Value:
    """What lies at each lane's address, as a type of the same size as the load's."""
    address = w.vector(i.operands[0])
    return _masked_load(w, i, "gather", w.wide(type), address, mask or w.all_lanes(), i.attributes["align"])


def _masked_load(
    w: "Widener", i: Instruction, kind: str, wide: VectorType, address: Value, mask: Value, align: int
) -> Value:
    """The `load` or `gather` of the lanes of a mask."""
    name = f"llvm.masked.{kind}.{intrinsic_suffix(wide)}.{intrinsic_suffix(address.type)}"
    return w.intrinsic(name, wide, [address, mask, Poison(wide)], (f"align {align}",), i)


def _masked_store(
    w: "Widener", i: Instruction, kind: str, wide: Value, address: Value, mask: Value, align: int
) -> None:
    """The `store` or `scatter` of the lanes of a mask."""
    name = f"llvm.masked.{kind}.{intrinsic_suffix(wide.type)}.{intrinsic_suffix(address.type)}"
    w.intrinsic(name, VOID, [wide, address, mask], (f"align {align}",), i, attributed=1)


def _load_vectors(
    w: "Widener", i: Instruction, type: VectorType, mask: Value | None, shape: Evolution | None
) -> Value:
    """Each lane's vector by a load of its own; idle lanes load what an active one does."""
    pointer = i.operands[0]
    w.note(i, AccessForm.LOAD_BY_LANE)
    loads = []
    addresses: Value | None = None
    if shape is None or mask is not None:
        addresses = w.vector(pointer)
        if mask is not None:
            some = w.b.emit("extractelement", pointer.type, [addresses, w.first_active(mask)])
            addresses = w.b.select(mask, addresses, w.splat(some))
    for lane in range(w.width):
        at = _address_of_lane(w, pointer, lane, addresses, shape)
        loads.append(w.load_like(i, type, at, i.attributes["align"]))
    return joined(w.b, loads)


def _address_of_lane(
    w: "Widener", pointer: Value, lane: int, addresses: Value | None, shape: Evolution | None
) -> Value:
    """A lane's address: one of all `addresses`, else so many strides after the first."""
    if addresses is not None:
        return w.b.emit("extractelement", pointer.type, [addresses, const_int(I32, lane)])
    assert shape is not None
    return w.b.byte_offset(w.scalar(pointer), lane * shape.stride)


def _load_strided(w: "Widener", i: Instruction, type: Type) -> Value | None:
    """Elements at a small stride: whole registers are loaded and the elements picked.

    Nothing before the first element or after the last is touched.
    """
    shape, size = w.lanes.of(i.operands[0]), size_of(type)
    if shape is None or shape.stride % size:
        return None
    step = shape.stride // size
    if not 1 <= abs(step) <= MAX_STRIDE:
        return None
    w.note(i, AccessForm.REVERSED_LOAD if step == -1 else AccessForm.STRIDED_LOAD, stride=step)
    span = (w.width - 1) * abs(step) + 1
    address = w.scalar(i.operands[0])
    first = 0 if step > 0 else span - 1  # of the elements loaded, the one of lane 0
    base = w.b.byte_offset(address, -first * size)
    result: Value | None = None
    pieces = []  # (first element, its vector); the last one ends at the last element
    for start in range(0, span, w.width):
        start = min(start, span - w.width)
        at = w.b.byte_offset(base, start * size)
        pieces.append((start, w.load_like(i, w.wide(type), at, size)))
    wanted = [first + step * lane for lane in range(w.width)]
    for start, piece in pieces:
        here = [e - start if start <= e < start + w.width else None for e in wanted]
        if result is None:
            result = shuffled(w.b, piece, None, here)
        else:
            indices = [lane if h is None else w.width + h for lane, h in enumerate(here)]
            result = shuffled(w.b, result, piece, indices)
    return result


def _load_rearranged(w: "Widener", i: Instruction, type: Type) -> Value | None:
    """Elements at distances that are known for each lane, in any order: one vector load and a shuffle."""
    found = known_places(w.known, i, type)
    if found is None or not w.lanes.is_uniform(found[0]):
        return None
    base, offsets = found
    first, size = min(offsets), size_of(type)
    places = [(o - first) // size for o in offsets]
    w.note(i, AccessForm.SHUFFLED_LOAD)
    at = w.b.byte_offset(w.scalar(base), first)
    all_of_them = w.load_like(i, VectorType(type, max(places) + 1), at, i.attributes["align"], i.name)
    return shuffled(w.b, all_of_them, None, places)


def known_places(known: KnownLanes | None, i: Instruction, type: Type) -> tuple[Value, list[int]] | None:
    """What the address of a load is computed from, and distances if a vector holds all elements."""
    if known is None or isinstance(type, VectorType) or not fills_bytes(type):
        return None
    base, offsets = known.address(i.operands[0])
    first, size = min(offsets), size_of(type)
    near = max(offsets) - first < known.width * size and not any((o - first) % size for o in offsets)
    return (base, offsets) if near else None


def store(w: "Widener", i: Instruction, mask: Value | None) -> None:
    """Emits the store of all lanes; of stores to one address some lane's wins."""
    value, pointer = i.operands
    if w.lanes.is_uniform(pointer) and w.lanes.is_uniform(value):
        w.note(i, AccessForm.ONE_STORE)
        w.clone_scalar(i)
        return
    if value.type is not I1 and not fills_bytes(value.type):
        w.lane_by_lane(i, mask)
        return
    type, wide = value.type, w.vector(value)
    if type is I1:
        type, wide = I8, w.b.emit("zext", w.wide(I8), [wide])
    near = is_consecutive(w, pointer, type)
    _by_shape(w, pointer, near, lambda shape: _store_as(w, i, type, wide, mask, shape))


def is_one_of_sub_group(w: "Widener", type: Type) -> bool:
    """Whether lanes that store to one address do so for their sub-group: one is chosen by its number."""
    return isinstance(w.lanes.assumed, SubGroupFacts) and not isinstance(type, VectorType)


def _store_as(
    w: "Widener", i: Instruction, type: Type, wide: Value, mask: Value | None, shape: Evolution | None
) -> None:
    """The store of lanes whose addresses have a certain shape; None is any."""
    pointer, align = i.operands[1], i.attributes["align"]
    consecutive = shape is not None and is_consecutive(w, pointer, type)
    if shape is not None and consecutive:
        align = max(align, shape.alignment)
    pieces = w.lanes.pieces(pointer)
    if mask is None and pieces is not None and can_store(pieces, type):
        store_pieces(w, i, type, wide, pieces)
    elif mask is None and consecutive:
        w.note(i, AccessForm.VECTOR_STORE)
        w.store_like(i, wide, w.scalar(pointer), align)
    elif mask is None and w.lanes.is_uniform(pointer):
        w.note(i, AccessForm.LAST_LANE_STORE)
        count = components(type)
        last = part(w.b, wide, (w.width - 1) * count, count)
        if not isinstance(type, VectorType):
            last = w.b.emit("extractelement", type, [wide, const_int(I32, w.width - 1)])
        w.b.store(last, w.scalar(pointer), align)
    elif mask is not None and w.lanes.is_uniform(pointer) and is_one_of_sub_group(w, type):
        w.note(i, AccessForm.LAST_LANE_STORE)
        last = w.b.emit("extractelement", type, [wide, w.last_active(mask)])
        w.b.store(last, w.scalar(pointer), align)
    elif consecutive:
        assert mask is not None
        w.note(i, AccessForm.MASKED_VECTOR_STORE)
        _masked_store(w, i, "store", wide, w.scalar(pointer), spread(w.b, mask, components(type)), align)
    elif shape is not None and is_reversed(shape, type) and not shape.needs:
        _store_reversed(w, i, type, wide, mask)
    elif isinstance(type, VectorType):
        _store_vectors(w, i, type, wide, mask, shape)
    elif shape is not None and not shape.needs and is_sparse(shape, type):
        _store_sparse(w, i, type, wide, mask, shape.stride // size_of(type))
    elif shape is None and (array := small_array(pointer, i.operands[0].type, w.width)) is not None:
        store_small(w, i, wide, mask, array)
    else:
        w.note(i, AccessForm.SCATTER if mask is None else AccessForm.MASKED_SCATTER)
        _masked_store(w, i, "scatter", wide, w.vector(pointer), mask or w.all_lanes(), align)


def _store_reversed(w: "Widener", i: Instruction, type: Type, wide: Value, mask: Value | None) -> None:
    """Elements that are consecutive in reverse."""
    align = i.attributes["align"]
    address = _last_address(w, i.operands[1], type)
    wide = _backwards(w, wide)
    if mask is None:
        w.note(i, AccessForm.REVERSED_STORE)
        w.store_like(i, wide, address, align)
        return
    w.note(i, AccessForm.REVERSED_MASKED_STORE)
    _masked_store(w, i, "store", wide, address, _backwards(w, mask), align)


def is_sparse(shape: Evolution | None, type: Type) -> bool:
    """Whether lanes store with small gaps between, so that masked stores of whole registers reach them."""
    size = size_of(type)
    if shape is None or isinstance(type, VectorType) or size not in MASKED_SIZES:
        return False
    return shape.stride % size == 0 and 2 <= shape.stride // size <= MAX_STRIDE


def _store_sparse(
    w: "Widener", i: Instruction, type: Type, wide: Value, mask: Value | None, step: int
) -> None:
    """Elements with gaps between: spread over registers, stored under masks that leave out the gaps."""
    w.note(i, AccessForm.SPREAD_STORE)
    address, align = w.scalar(i.operands[1]), i.attributes["align"]
    lanes = mask or w.all_lanes()
    for first in range(0, (w.width - 1) * step + 1, w.width):
        places = [divmod(first + k, step) for k in range(w.width)]
        piece = shuffled(w.b, wide, None, [lane if gap == 0 else None for lane, gap in places])
        indices = [lane if gap == 0 else w.width for lane, gap in places]
        stored = shuffled(w.b, lanes, w.no_lanes(), indices)
        at = w.b.byte_offset(address, first * size_of(type))
        _masked_store(w, i, "store", piece, at, stored, align)


def _store_vectors(
    w: "Widener", i: Instruction, type: VectorType, wide: Value, mask: Value | None, shape: Evolution | None
) -> None:
    """Each lane's vector by a store of its own."""
    if mask is not None:
        w.lane_by_lane(i, mask)
        return
    pointer = i.operands[1]
    w.note(i, AccessForm.STORE_BY_LANE)
    addresses = w.vector(pointer) if shape is None else None
    for lane in range(w.width):
        at = _address_of_lane(w, pointer, lane, addresses, shape)
        one = part(w.b, wide, lane * type.count, type.count)
        w.store_like(i, one, at, i.attributes["align"])
