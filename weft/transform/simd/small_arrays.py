"""Access small private arrays with a varying index: all elements are loaded, and one is selected.

    sums[k] += x            for each e:  sums[e] = k == e ? sums[e] + x : sums[e]

Element e of all lanes is one register (`private_arrays_by_lane.py`), so an access by a varying index is a
compare and a select for each element. For few elements this is much cheaper than a gather or a scatter, which
access memory lane by lane. Since no address depends on the index any more, LLVM keeps the array in registers.
"""

from typing import TYPE_CHECKING

from weft.analysis.lanes import LANE
from weft.dataclasses import dataclass
from weft.ir import Instruction, Value
from weft.ir.types import I32, ArrayType, IntType, Type, size_of
from weft.ir.values import const_int

from .access_forms import AccessForm

if TYPE_CHECKING:
    from .widen import Widener

# Maximal number of elements, by lanes: half of the registers may hold the array.
MOST_ELEMENTS = {16: 16, 8: 8, 4: 4}


@dataclass(frozen=True)
class SmallArray:
    """The elements of a lane: `start` is the address of the first, `index` the number of the accessed one."""

    start: Value
    index: Value
    count: int
    step: int


def small_array(pointer: Value, type: Type, width: int) -> SmallArray | None:
    """Return the array into which an address points, if it is small and gets a column per lane."""
    if not isinstance(pointer, Instruction) or pointer.opcode != "getelementptr":
        return None
    start, *indices = pointer.operands
    if len(indices) != 1 or not isinstance(start, Instruction) or start.opcode != "getelementptr":
        return None
    array, lane = start.operands[0], start.operands[1]
    if not isinstance(lane, Instruction) or LANE not in lane.metadata:
        return None
    if not isinstance(array, Instruction) or array.opcode != "alloca":
        return None
    allocated, stretch = array.attributes["allocated"], pointer.attributes["element_type"]
    if not isinstance(allocated, ArrayType) or not isinstance(stretch, ArrayType):
        return None
    step, size = size_of(stretch), size_of(type)
    count = size_of(allocated) // step
    whole = step == size or step >= width * size  # dense as yet, or spread into columns
    if allocated.element != type or count * step != size_of(allocated) or not whole:
        return None
    return SmallArray(start, indices[0], count, step) if count <= MOST_ELEMENTS.get(width, 0) else None


def is_in_column(pointer: Value) -> bool:
    """Whether an address lies in a private array of which each lane has a column."""
    while isinstance(pointer, Instruction) and pointer.opcode == "getelementptr":
        pointer, *indices = pointer.operands
        if isinstance(pointer, Instruction) and pointer.opcode == "alloca":
            return any(isinstance(index, Instruction) and LANE in index.metadata for index in indices)
    return False


def load_small(w: "Widener", i: Instruction, array: SmallArray) -> Value:
    """Load each lane's element."""
    w.note(i, AccessForm.SELECTED_ELEMENT, elements=array.count)
    index, result = _index(w, array), None
    for number in range(array.count):
        element = _element(w, i, i.type, array, number)
        result = element if result is None else w.b.select(_is(w, index, number), element, result)
    assert result is not None
    return result


def store_small(w: "Widener", i: Instruction, value: Value, mask: Value | None, array: SmallArray) -> None:
    """Store each lane's value to its element, and leave the others unchanged."""
    w.note(i, AccessForm.SELECTED_ELEMENT, elements=array.count)
    index = _index(w, array)
    for number in range(array.count):
        is_accessed = w.both(mask, _is(w, index, number))
        old = _element(w, i, i.operands[0].type, array, number)
        address = w.b.byte_offset(w.scalar(array.start), number * array.step)
        w.store_like(i, w.b.select(is_accessed, value, old), address, i.attributes["align"])


def _index(w: "Widener", array: SmallArray) -> Value:
    """Return the lanes' indices as i32; there are fewer than 2^32 elements."""
    index = w.vector(array.index)
    wide = isinstance(array.index.type, IntType) and array.index.type.bits > I32.bits
    return w.b.emit("trunc", w.wide(I32), [index]) if wide else index


def _is(w: "Widener", index: Value, number: int) -> Value:
    return w.b.icmp("eq", index, w.splat(const_int(index.type.scalar, number)))


def _element(w: "Widener", i: Instruction, type: Type, array: SmallArray, number: int) -> Value:
    address = w.b.byte_offset(w.scalar(array.start), number * array.step)
    return w.load_like(i, w.wide(type), address, i.attributes["align"])
