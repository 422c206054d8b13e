"""Lay out private arrays that live across regions such that the SIMD lanes' elements are adjacent.

Work-items are taken in blocks of as many as a vector register has lanes. Within a block, element e of all
work-items is one row, as in the columns that `private_arrays_by_lane` makes of other arrays:

    by item:      [item][element]
    by element:   [item / lanes][element][item % lanes]

    %p = getelementptr float, ptr %a, i64 %k      %p = getelementptr [64 x i8], ptr %a, i64 %k    ; 16 lanes

A loop over the elements that runs in lanes walks through adjacent cache lines, whatever the local size.
Arrays of which `private_array` says no stay as they are. Linear.
"""

from weft.analysis.private_arrays import offsets, private_array
from weft.ir import ConstantInt, Instruction, Value
from weft.ir.builder import Builder
from weft.ir.types import size_of

from .context_arrays import Blocks
from .private_memory_by_lane import step_by


def by_element(memory: Instruction, lanes: int) -> Blocks | None:
    """Lays a private array out by element, if that is possible and it is for more than one lane."""
    array = private_array(memory) if lanes > 1 else None
    if array is None or array.blocks:
        return None
    moved: dict[Value, Value] = {}
    for address in array.addresses:  # each follows the one it starts from
        place = moved.get(address.operands[0], address.operands[0])
        b = Builder(address.parent, address)
        for index, size in offsets(address) or ():
            if not (isinstance(index, ConstantInt) and index.value == 0):
                place = step_by(b, place, index, size * lanes, address.name)
        moved[address] = place
    for access in array.accesses:
        pointer = access.operands[-1]
        access.set_operand(len(access.operands) - 1, moved.get(pointer, pointer))
        access.attributes["align"] = size_of(array.element)
    for address in reversed(array.addresses):
        address.erase()
    return Blocks(lanes, size_of(array.element))
