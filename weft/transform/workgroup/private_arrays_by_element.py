"""Lay out private arrays that live across regions such that the SIMD lanes' elements are adjacent.

Blocks have as many work-items as run in lanes at a time: two vector registers of 32-bit elements. Within a
block, element e of all work-items is one row, like the columns that `private_arrays_by_lane` gives to other
arrays:

    by item:      [item][element]
    by element:   [item / lanes][element][item % lanes]

    %p = getelementptr float, ptr %a, i64 %k      %p = getelementptr [128 x i8], ptr %a, i64 %k    ; 32 lanes

A vectorized loop over the elements accesses adjacent cache lines, whatever the local size. Arrays that
`private_array` rejects are not changed. Linear.
"""

from weft.analysis.private_arrays import private_array
from weft.ir import Instruction
from weft.ir.types import I8, ArrayType, Type, size_of

from .context_arrays import Blocks


def by_element(memory: Instruction, lanes: int) -> Blocks | None:
    """Lay a private array out by element, if that is possible and there is more than one lane."""
    array = private_array(memory) if lanes > 1 else None
    if array is None or array.blocks:
        return None
    # In place, because it is already decided which values are stored and which are recomputed.
    for address in array.addresses:
        address.attributes["element_type"] = _spread(address.attributes["element_type"], lanes)
        address.flags = ()
    for access in array.accesses:
        access.attributes["align"] = size_of(array.element)
    return Blocks(lanes, size_of(array.element))


def _spread(type: Type, lanes: int) -> Type:
    """Return a type whose steps are `lanes` times as long, with unchanged indices."""
    if isinstance(type, ArrayType):
        return ArrayType(_spread(type.element, lanes), type.count)
    return ArrayType(I8, size_of(type) * lanes)
