"""Lay out private arrays that live across regions element by element in their context arrays.

Work-items lie side by side then, as the lanes that run them do: element e of all of them is one row.

    by item:      [item][element]      address = start + item * size(array) + e * size(element)
    by element:   [element][item]      address = start + e * capacity * size(element) + item * size(element)

    %p = getelementptr float, ptr %a, i64 %k       %p = getelementptr [256 x i8], ptr %a, i64 %k   ; of 64

Requires a local size that is known, which is a factor in the addresses. Arrays of which `private_array` says
no, with addresses of several indices, or with more than MOST elements stay as they are: with rows that far
apart a work-item that runs alone would have each element in another line of the cache. Linear.
"""

from collections.abc import Sequence

from weft.analysis.private_arrays import offsets, private_array
from weft.ir import ConstantInt, Instruction, Value
from weft.ir.types import I8, ArrayType, size_of

from .context_arrays import capacity

# Elements of arrays whose rows are still close to each other in memory.
MOST = 32


def by_element(memory: Instruction, extents: Sequence[int | None]) -> int:
    """Lays a private array out by element; returns the size of an element, or 0 if it stays as it is."""
    items = 1
    for extent in extents:
        if extent is None:
            return 0
        items *= extent
    array = private_array(memory)
    if (
        array is None
        or array.count > MOST
        or array.blocks
        or any(len(_steps(a)) > 1 for a in array.addresses)
    ):
        return 0
    rows = capacity(items)
    for address in array.addresses:
        ((index, size),) = _steps(address) or [(address.operands[1], 0)]
        address.set_operands((address.operands[0], index))
        address.attributes["element_type"] = ArrayType(I8, size * rows)
        address.flags = ()
    for access in array.accesses:
        access.attributes["align"] = size_of(array.element)
    return size_of(array.element)


def _steps(address: Instruction) -> list[tuple[Value, int]]:
    """The indices of an address that are not 0, each with the bytes it counts."""
    found = offsets(address) or []
    return [(i, size) for i, size in found if not (isinstance(i, ConstantInt) and i.value == 0)]
