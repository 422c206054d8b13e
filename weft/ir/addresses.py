"""Constant and variable parts of address computations."""

from collections.abc import Sequence

from .instruction import Instruction
from .types import ArrayType, Type, VectorType, field_offset, size_of, struct_body
from .values import Value, constant_of


def offset_terms(element: Type, indices: Sequence[Value]) -> list[tuple[Value | None, int]]:
    """Return the summands of an offset in order: an index with its scale in bytes, or None with a constant.

    Indices narrower than 64 bits are sign-extended.
    """
    terms: list[tuple[Value | None, int]] = []
    type = element
    for position, index in enumerate(indices):
        number = constant_of(index)
        if position and not isinstance(type, ArrayType | VectorType):
            assert number is not None, "a field is named by a constant"
            terms.append((None, field_offset(type, number)))
            type = struct_body(type).fields[number]
            continue
        if position:
            assert isinstance(type, ArrayType | VectorType)
            type = type.element
        terms.append((index, size_of(type)) if number is None else (None, number * size_of(type)))
    return terms


def constant_distance(pointer: Value) -> tuple[Value, int]:
    """Split a pointer into a base pointer and a constant byte offset."""
    distance = 0
    while isinstance(pointer, Instruction) and pointer.opcode == "getelementptr":
        terms = offset_terms(pointer.attributes["element_type"], pointer.operands[1:])
        if isinstance(pointer.type, VectorType) or any(index is not None for index, _ in terms):
            break
        distance += sum(size for _, size in terms)
        pointer = pointer.operands[0]
    return pointer, distance
