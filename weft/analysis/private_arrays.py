"""Private arrays that are accessed only by whole elements, so that their layout may be changed.

    %h = alloca [16 x i32]
    %p = getelementptr i32, ptr %h, i64 %bin
    %n = load i32, ptr %p                        ; all accesses are of i32

The elements are scalars of one type, or, on request, vectors of such scalars. Addresses are used only by
loads, stores, address arithmetic, lifetime markers, and fills and copies of a few elements: not by phis,
comparisons or calls, and they are not stored.
"""

from weft.dataclasses import dataclass, field
from weft.ir import ConstantInt, Instruction, Value
from weft.ir.types import ArrayType, FloatType, IntType, Type, VectorType, size_of

from .memory_effects import is_lifetime_marker
from .private_memory import is_copy, is_fill

# The most elements of a fill or copy that is expanded.
FEW_ELEMENTS = 64


@dataclass
class PrivateArray:
    """An alloca, the type and number of its elements, and its uses."""

    alloca: Instruction
    element: Type
    count: int
    addresses: list[Instruction] = field(default_factory=list)
    accesses: list[Instruction] = field(default_factory=list)  # loads and stores
    blocks: list[Instruction] = field(default_factory=list)  # fills and copies


def private_array(alloca: Instruction, vectors: bool = False) -> PrivateArray | None:
    """Return the array in an alloca, if all its uses are known and access whole elements.

    With `vectors`, an access may cover several elements as a vector without padding in memory.
    """
    if alloca.operands:
        return None
    array = PrivateArray(alloca, IntType(8), 0)
    types: dict[Type, None] = {}
    work = [alloca]
    while work:
        pointer = work.pop()
        for user in pointer.users:
            if user.opcode == "getelementptr":
                if offsets(user) is None:
                    return None
                array.addresses.append(user)
                work.append(user)
            elif user.opcode in ("load", "store") and user.operands[-1] is pointer and not user.is_ordered:
                value = user if user.opcode == "load" else user.operands[0]
                if value is pointer:
                    return None
                types[_element(value.type) if vectors else value.type] = None
                array.accesses.append(user)
            elif is_fill(user) or is_copy(user):
                array.blocks.append(user)
            elif not is_lifetime_marker(user):
                return None
    if len(types) != 1:
        return None
    (array.element,) = types
    size = size_of(array.element)
    whole = size_of(alloca.attributes["allocated"])
    if not isinstance(array.element, IntType | FloatType) or array.element.bits % 8 or whole % size:
        return None
    array.count = whole // size
    if any(int(a.attributes.get("align", 1)) < size for a in array.accesses):
        return None
    return array if all(_is_split_by_element(b, size) for b in array.blocks) else None


def _element(type: Type) -> Type:
    """Return the element type of a vector without padding in memory, else the type itself."""
    if isinstance(type, VectorType) and size_of(type) == type.count * size_of(type.element):
        return type.element
    return type


def offsets(address: Instruction) -> list[tuple[Value, int]] | None:
    """Return the indices of a getelementptr with their scales in bytes; None if it selects fields."""
    if any(isinstance(o.type, VectorType) for o in address.operands):
        return None
    type = address.attributes["element_type"]
    scaled = []
    for position, index in enumerate(address.operands[1:]):
        if position:
            if not isinstance(type, ArrayType):
                return None
            type = type.element
        scaled.append((index, size_of(type)))
    return scaled


def _is_split_by_element(block: Instruction, size: int) -> bool:
    """Whether a fill or copy covers a few whole elements, with a constant value if it is a fill."""
    length, volatile = block.arguments[2], block.arguments[3]
    if not isinstance(length, ConstantInt) or not isinstance(volatile, ConstantInt) or volatile.value:
        return False
    if length.value % size or length.value // size > FEW_ELEMENTS:
        return False
    return not is_fill(block) or isinstance(block.arguments[1], ConstantInt)
