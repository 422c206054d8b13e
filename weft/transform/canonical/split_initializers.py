"""Split stores of constants to several elements of a private array into stores of the elements.

    short m[4] = {0, 9, 9, 9};

    store i64 2533313445167104, ptr %m, align 2    ->  store i16 0, ptr %m, align 2
                                                       %m.1 = getelementptr i16, ptr %m, i64 1
                                                       store i16 9, ptr %m.1, align 2
                                                       …

LLVM initializes an array of up to eight bytes by one store of an integer. In lanes each work-item has a
column of a private array, if all accesses are to whole elements of one type (`private_arrays_by_lane.py`).

Requires and establishes no form. Refuses an array that is also accessed by other types than its element: the
stores then stay. Linear.
"""

from enum import unique

from weft.ir import ConstantInt, Function, Instruction
from weft.ir.builder import Builder
from weft.ir.types import I64, ArrayType, FloatType, IntType, Type, size_of
from weft.ir.values import Constant, ConstantFloat, const_int
from weft.remarks import SILENT, Message, Remarks


@unique
class SplitInitializers(Message):
    """What was done to a store of a constant to a private array."""

    SPLIT = "one store initializes {count} elements of a private array: split"
    OTHER_TYPES = "one store initializes {count} elements: kept, since others access {bytes} bytes"


def split_initializers(function: Function, remarks: Remarks = SILENT) -> int:
    """Split stores of constants to elements of private arrays; return how many."""
    count = 0
    for alloca in [i for i in function.entry.instructions if i.opcode == "alloca"]:
        element = _element(alloca.attributes["allocated"])
        if element is None or alloca.operands:
            continue
        accesses = _accesses(alloca)
        wide = [i for i in accesses if _is_initializer(i, element)]
        other = next((i for i in accesses if i not in wide and i.accessed_type is not element), None)
        for store in wide:
            elements = size_of(store.accessed_type) // size_of(element)
            if other is not None:
                bytes = size_of(other.accessed_type)
                remarks.missed(SplitInitializers.OTHER_TYPES, store, count=elements, bytes=bytes)
                continue
            remarks.passed(SplitInitializers.SPLIT, store, count=elements)
            _split(store, element)
            count += 1
    return count


def _element(allocated: Type) -> Type | None:
    """Return the type of the scalars that an array consists of; None if it consists of something else."""
    element = allocated
    while isinstance(element, ArrayType):
        element = element.element
    return element if element is not allocated and isinstance(element, IntType | FloatType) else None


def _accesses(alloca: Instruction) -> dict[Instruction, None]:
    """Return the loads and stores by addresses that are computed from an alloca."""
    found: dict[Instruction, None] = {}
    pointers = [alloca]
    while pointers:
        pointer = pointers.pop()
        for user in pointer.users:
            if user.opcode == "getelementptr":
                pointers.append(user)
            elif user.opcode in ("load", "store") and user.operands[-1] is pointer:
                found[user] = None
    return found


def _is_initializer(access: Instruction, element: Type) -> bool:
    """Whether an access stores a constant to several whole elements."""
    if access.opcode != "store" or access.is_ordered or not isinstance(access.operands[0], ConstantInt):
        return False
    bits = access.operands[0].type.bits
    return bits > 8 * size_of(element) and bits % (8 * size_of(element)) == 0


def _split(store: Instruction, element: Type) -> None:
    value, pointer = store.operands
    assert isinstance(value, ConstantInt) and isinstance(element, IntType | FloatType)
    bits = 8 * size_of(element)
    align = min(int(store.attributes.get("align", 1)), size_of(element))
    b = Builder(store.parent, store)
    for place in range(value.type.bits // bits):
        part = value.value >> (bits * place) & (1 << bits) - 1
        constant: Constant = (
            const_int(element, part) if isinstance(element, IntType) else ConstantFloat(element, part)
        )
        address = pointer
        if place:
            index = [pointer, const_int(I64, place)]
            address = b.emit("getelementptr", pointer.type, index, element_type=element)
        b.store(constant, address, align)
    store.erase()
