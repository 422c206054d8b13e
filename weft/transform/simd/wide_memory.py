"""Emit loads and stores of W lanes.

The shape of the address selects the form: uniform, consecutive, a small constant stride, or arbitrary. Under
a mask the masked forms are used, because addresses of inactive lanes must not be accessed.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple, TypeVar

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
from .small_arrays import is_in_column, load_small, small_array, store_small
from .wide_pieces import can_load, can_store, load_pieces, store_pieces
from .wide_vectors import components, joined, part, shuffled, spread

if TYPE_CHECKING:
    from .widen import Widener

T = TypeVar("T")
I8 = IntType(8)
# Longest stride, in elements, for which loading everything in between is faster than a gather.
MAX_STRIDE = 4
# Sizes of elements that processors gather; vectors of these sizes are gathered as one element.
GATHERED_BITS = (32, 64)
# Sizes of elements, in bytes, that processors store under a mask.
MASKED_SIZES = (4, 8)


def is_consecutive(w: "Widener", pointer: Value, type: Type) -> bool:
    """Return whether the lanes' elements are contiguous."""
    shape = w.lanes.of(pointer)
    return shape is not None and shape.stride == size_of(type) == store_size_of(type)


def fills_bytes(type: Type) -> bool:
    """Return whether a vector of `type` has the memory layout of an array of it."""
    return not isinstance(type.scalar, IntType) or type.scalar.bits in (8, 16, 32, 64)


def is_near(w: "Widener", pointer: Value, type: Type, masked: bool) -> bool:
    """Return whether full registers reach the lanes' elements: consecutive, or at a small stride."""
    shape = w.lanes.of(pointer)
    if shape is None:
        return False
    few = not masked and not isinstance(type, VectorType) and shape.stride % size_of(type) == 0
    return is_consecutive(w, pointer, type) or (few and abs(shape.stride) <= MAX_STRIDE * size_of(type))


def is_reversed(shape: Evolution | None, type: Type) -> bool:
    """Return whether the lanes' elements are consecutive in reverse."""
    return shape is not None and not isinstance(type, VectorType) and shape.stride == -size_of(type)


def _backwards(w: "Widener", vector: Value) -> Value:
    return shuffled(w.b, vector, None, range(w.width - 1, -1, -1))


def _last_address(w: "Widener", pointer: Value, type: Type) -> Value:
    """Return the last lane's address, for elements that are consecutive in reverse.

    It has no `inbounds`: the first lane may be inactive and its address invalid.
    """
    back = const_int(I64, -(w.width - 1) * size_of(type))
    return w.b.emit("getelementptr", pointer.type, [w.scalar(pointer), back], element_type=I8)


def _by_shape(
    w: "Widener", pointer: Value, near: bool, masked: bool, emit: Callable[[Evolution | None], T]
) -> T:
    """Emit an access for the shape of its addresses.

    If they are linear on a condition and `near` then, the condition is tested: one version for linear
    addresses, one for lanes that wrap. If no lane is active, numbers may be poison, on which code must not
    branch: with `masked`, the condition is frozen.
    """
    shape = w.lanes.of(pointer)
    if shape is None or not shape.needs:
        return emit(shape)
    if not near:
        return emit(None)
    function = w.b.block.parent
    linear, wrapped, after = (function.add_block(f"simd.{n}") for n in ("linear", "wrapped", "accessed"))
    condition = w.does_not_wrap(shape.needs)
    assert condition is not None
    if masked:
        condition = w.b.emit("freeze", I1, [condition])
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
    """Emit the load of all lanes."""
    pointer = i.operands[0]
    if w.lanes.is_uniform(pointer):
        w.note(i, AccessForm.ONE_LOAD)
        w.define_scalar(i, w.clone_scalar(i))
        return
    type = I8 if i.type is I1 else i.type  # an i1 takes a byte in memory
    if not fills_bytes(type):
        w.lane_by_lane(i, mask)
        return
    near = is_near(w, pointer, type, mask is not None)
    loaded = _by_shape(w, pointer, near, mask is not None, lambda shape: _load_as(w, i, type, mask, shape))
    w.define_vector(i, w.b.emit("trunc", w.wide(I1), [loaded]) if i.type is I1 else loaded)


def _load_as(w: "Widener", i: Instruction, type: Type, mask: Value | None, shape: Evolution | None) -> Value:
    """Emit the load of lanes whose addresses have the given shape; None: arbitrary."""
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
        last_address = _last_address(w, pointer, type)
        return _backwards(w, _masked_load(w, i, "load", wide, last_address, _backwards(w, mask), align))
    if mask is None and shape is not None and (strided := _load_strided(w, i, type)) is not None:
        return strided
    if mask is None and (rearranged := _load_rearranged(w, i, type)) is not None:
        return rearranged
    if shape is None and (array := small_array(pointer, i.type, w.width)) is not None:
        return load_small(w, i, array)
    w.note(i, AccessForm.GATHER if mask is None else AccessForm.MASKED_GATHER)
    return _gather(w, i, type, mask)


def _gather(w: "Widener", i: Instruction, type: Type, mask: Value | None) -> Value:
    """Gather the lanes' elements as a type of the same size as the load's."""
    address = w.vector(i.operands[0])
    return _masked_load(w, i, "gather", w.wide(type), address, mask or w.all_lanes(), i.attributes["align"])


def _masked_load(
    w: "Widener", i: Instruction, kind: str, wide: VectorType, address: Value, mask: Value, align: int
) -> Value:
    """Emit a masked `load` or `gather`."""
    name = f"llvm.masked.{kind}.{intrinsic_suffix(wide)}.{intrinsic_suffix(address.type)}"
    return w.intrinsic(name, wide, [address, mask, Poison(wide)], (f"align {align}",), i)


def _masked_store(
    w: "Widener", i: Instruction, kind: str, wide: Value, address: Value, mask: Value, align: int
) -> None:
    """Emit a masked `store` or `scatter`."""
    name = f"llvm.masked.{kind}.{intrinsic_suffix(wide.type)}.{intrinsic_suffix(address.type)}"
    w.intrinsic(name, VOID, [wide, address, mask], (f"align {align}",), i, attributed=1)


def _load_vectors(
    w: "Widener", i: Instruction, type: VectorType, mask: Value | None, shape: Evolution | None
) -> Value:
    """Load each lane's vector separately; inactive lanes load from an active lane's address."""
    pointer = i.operands[0]
    w.note(i, AccessForm.LOAD_BY_LANE)
    loads = []
    addresses: Value | None = None
    if shape is None or mask is not None:
        addresses = w.vector(pointer)
        if mask is not None:
            active_address = w.b.emit("extractelement", pointer.type, [addresses, w.first_active(mask)])
            addresses = w.b.select(mask, addresses, w.splat(active_address))
    for lane in range(w.width):
        address = _address_of_lane(w, pointer, lane, addresses, shape)
        loads.append(w.load_like(i, type, address, i.attributes["align"]))
    return joined(w.b, loads)


def _address_of_lane(
    w: "Widener", pointer: Value, lane: int, addresses: Value | None, shape: Evolution | None
) -> Value:
    """Return a lane's address: an element of `addresses`, else the first lane's plus `lane` strides."""
    if addresses is not None:
        return w.b.emit("extractelement", pointer.type, [addresses, const_int(I32, lane)])
    assert shape is not None
    return w.b.byte_offset(w.scalar(pointer), lane * shape.stride)


def _load_strided(w: "Widener", i: Instruction, type: Type) -> Value | None:
    """Load elements at a small stride: load full registers and select the elements by shuffles.

    Nothing before the first element or after the last one is accessed.
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
    first = 0 if step > 0 else span - 1  # index of lane 0's element among those loaded
    base = w.b.byte_offset(address, -first * size)
    result: Value | None = None
    pieces = []  # (first element, vector); the last one ends at the last element
    for start in range(0, span, w.width):
        start = min(start, span - w.width)
        at = w.b.byte_offset(base, start * size)
        pieces.append((start, w.load_like(i, w.wide(type), at, size)))
    indices_wanted = [first + step * lane for lane in range(w.width)]
    for start, piece in pieces:
        selected = [e - start if start <= e < start + w.width else None for e in indices_wanted]
        if result is None:
            result = shuffled(w.b, piece, None, selected)
        else:
            indices = [lane if h is None else w.width + h for lane, h in enumerate(selected)]
            result = shuffled(w.b, result, piece, indices)
    return result


def _load_rearranged(w: "Widener", i: Instruction, type: Type) -> Value | None:
    """Load elements whose offsets are known for each lane, in any order: one vector load and a shuffle."""
    base_and_offsets = known_places(w.known, i, type)
    if base_and_offsets is None or not w.lanes.is_uniform(base_and_offsets[0]):
        return None
    base, offsets = base_and_offsets
    first, size = min(offsets), size_of(type)
    places = [(o - first) // size for o in offsets]
    w.note(i, AccessForm.SHUFFLED_LOAD)
    at = w.b.byte_offset(w.scalar(base), first)
    vector = w.load_like(i, VectorType(type, max(places) + 1), at, i.attributes["align"], i.name)
    return shuffled(w.b, vector, None, places)


def known_places(known: KnownLanes | None, i: Instruction, type: Type) -> tuple[Value, list[int]] | None:
    """Return the base of a load's address and each lane's offset if one vector covers all of them."""
    if known is None or isinstance(type, VectorType) or not fills_bytes(type):
        return None
    base, offsets = known.address(i.operands[0])
    first, size = min(offsets), size_of(type)
    near = max(offsets) - first < known.width * size and not any((o - first) % size for o in offsets)
    return (base, offsets) if near else None


def store(w: "Widener", i: Instruction, mask: Value | None, reached: bool) -> None:
    """Emit the store of all lanes; if several store to one address, one of them wins.

    `reached`: unmasked code has accessed the address, so it may be accessed if no lane is active.
    """
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
    masked = mask is not None
    _by_shape(
        w, pointer, near, masked, lambda shape: _store_as(w, _Store(i, type, wide, mask, shape, reached))
    )


def is_one_of_sub_group(w: "Widener", type: Type) -> bool:
    """Return whether a store to a uniform address may be done by one chosen lane of its sub-group."""
    return isinstance(w.lanes.assumed, SubGroupFacts) and not isinstance(type, VectorType)


class _Store(NamedTuple):
    """A store of lanes: the elements in one register, and the shape of their addresses; None: arbitrary.

    `reached`: unmasked code has accessed the addresses, so they may be accessed if no lane is active.
    """

    instruction: Instruction
    type: Type
    wide: Value
    mask: Value | None
    shape: Evolution | None
    reached: bool

    @property
    def pointer(self) -> Value:
        return self.instruction.operands[1]

    @property
    def align(self) -> int:
        align: int = self.instruction.attributes["align"]
        return align


def _store_as(w: "Widener", store: _Store) -> None:
    """Emit a store in the first of these forms that serves the shape of its addresses."""
    i, type, mask, shape = store.instruction, store.type, store.mask, store.shape
    pieces = w.lanes.pieces(store.pointer)
    linear = shape if shape is not None and not shape.needs else None
    if mask is None and pieces is not None and can_store(pieces, type):
        store_pieces(w, i, type, store.wide, pieces)
    elif shape is not None and is_consecutive(w, store.pointer, type):
        _store_consecutive(w, store, max(store.align, shape.alignment))
    elif w.lanes.is_uniform(store.pointer) and (mask is None or is_one_of_sub_group(w, type)):
        _store_last_lane(w, store)
    elif is_reversed(linear, type):
        _store_reversed(w, store)
    elif isinstance(type, VectorType):
        _store_vectors(w, store, type)
    elif linear is not None and is_sparse(linear, type):
        _store_sparse(w, store, linear.stride // size_of(type))
    elif shape is None and (array := small_array(store.pointer, i.operands[0].type, w.width)) is not None:
        store_small(w, i, store.wide, mask, array)
    else:
        w.note(i, AccessForm.SCATTER if mask is None else AccessForm.MASKED_SCATTER)
        addresses, lanes = w.vector(store.pointer), mask or w.all_lanes()
        _masked_store(w, i, "scatter", store.wide, addresses, lanes, store.align)


def _store_consecutive(w: "Widener", store: _Store, align: int) -> None:
    """Store consecutive elements as one vector."""
    i, mask, address = store.instruction, store.mask, w.scalar(store.pointer)
    if mask is None:
        w.note(i, AccessForm.VECTOR_STORE)
        w.store_like(i, store.wide, address, align)
        return
    if store.reached and is_in_column(store.pointer):
        w.note(i, AccessForm.BLENDED_VECTOR_STORE)
        old = w.load_like(i, store.wide.type, address, align)
        w.store_like(i, w.b.select(mask, store.wide, old), address, align)
        return
    w.note(i, AccessForm.MASKED_VECTOR_STORE)
    mask = spread(w.b, mask, components(store.type))
    _masked_store(w, i, "store", store.wide, address, mask, align)


def _store_last_lane(w: "Widener", store: _Store) -> None:
    """Store the element of the last active lane: all lanes store to one address."""
    type, wide = store.type, store.wide
    w.note(store.instruction, AccessForm.LAST_LANE_STORE)
    if store.mask is not None:
        element: Value = w.b.emit("extractelement", type, [wide, w.last_active(store.mask)])
    else:
        count = components(type)
        element = part(w.b, wide, (w.width - 1) * count, count)
        if not isinstance(type, VectorType):
            element = w.b.emit("extractelement", type, [wide, const_int(I32, w.width - 1)])
    w.b.store(element, w.scalar(store.pointer), store.align)


def _store_reversed(w: "Widener", store: _Store) -> None:
    """Store elements that are consecutive in reverse."""
    i, mask = store.instruction, store.mask
    address = _last_address(w, store.pointer, store.type)
    wide = _backwards(w, store.wide)
    if mask is None:
        w.note(i, AccessForm.REVERSED_STORE)
        w.store_like(i, wide, address, store.align)
        return
    w.note(i, AccessForm.REVERSED_MASKED_STORE)
    _masked_store(w, i, "store", wide, address, _backwards(w, mask), store.align)


def is_sparse(shape: Evolution | None, type: Type) -> bool:
    """Return whether lanes store with gaps so small that masked stores of full registers reach them."""
    size = size_of(type)
    if shape is None or isinstance(type, VectorType) or size not in MASKED_SIZES:
        return False
    return shape.stride % size == 0 and 2 <= shape.stride // size <= MAX_STRIDE


def _store_sparse(w: "Widener", store: _Store, step: int) -> None:
    """Store elements with gaps: spread over registers, and stored under masks that omit the gaps."""
    i = store.instruction
    w.note(i, AccessForm.SPREAD_STORE)
    address = w.scalar(store.pointer)
    lanes = store.mask or w.all_lanes()
    for first in range(0, (w.width - 1) * step + 1, w.width):
        places = [divmod(first + k, step) for k in range(w.width)]
        piece = shuffled(w.b, store.wide, None, [lane if gap == 0 else None for lane, gap in places])
        indices = [lane if gap == 0 else w.width for lane, gap in places]
        stored = shuffled(w.b, lanes, w.no_lanes(), indices)
        at = w.b.byte_offset(address, first * size_of(store.type))
        _masked_store(w, i, "store", piece, at, stored, store.align)


def _store_vectors(w: "Widener", store: _Store, type: VectorType) -> None:
    """Store each lane's vector separately."""
    i, shape = store.instruction, store.shape
    if store.mask is not None:
        w.lane_by_lane(i, store.mask)
        return
    w.note(i, AccessForm.STORE_BY_LANE)
    addresses = w.vector(store.pointer) if shape is None else None
    for lane in range(w.width):
        address = _address_of_lane(w, store.pointer, lane, addresses, shape)
        one = part(w.b, store.wide, lane * type.count, type.count)
        w.store_like(i, one, address, store.align)
