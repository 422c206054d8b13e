"""Access private vectors and arrays of them by components, so that they get a column for each SIMD lane.

    %a = alloca [12 x <2 x float>]                 %a = alloca [12 x <2 x float>]
    %p = getelementptr <2 x float>, ptr %a, i64 %m  %p = getelementptr <2 x float>, ptr %a, i64 %m
    %v = load <2 x float>, ptr %p                   %v.0 = load float, ptr %p
    %x = extractelement <2 x float> %v, i32 0       %p.1 = getelementptr float, ptr %p, i32 1
                                                    %v.1 = load float, ptr %p.1

Arrays of scalars are laid out by lane (`private_arrays_by_lane.py`), or by element if they live across
barriers: with a uniform index, the first components of all lanes are then one vector load. Without that,
work-items share the array in sequence, and none of them runs in lanes. A private vector is an array of one
vector: it is in memory because the program selects components by number, `((float *)&v)[k]`.

Skips arrays of vectors that fill a register: a work-item that computes with these gains nothing from lanes.
Refuses arrays whose addresses are used by anything but loads and stores of one scalar type, and of vectors of
it. Linear in the number of components.
"""

from enum import unique

from weft.analysis.private_arrays import PrivateArray, private_array
from weft.ir import ConstantInt, Function, Instruction, Value
from weft.ir.builder import Builder
from weft.ir.types import I32, ArrayType, VectorType, size_of
from weft.ir.values import Poison, const_int
from weft.remarks import SILENT, Message, Remarks
from weft.target import Target

from .vector_webs import fills_register
from .wide_vectors import insertions


@unique
class PrivateVectors(Message):
    """Remarks about private arrays of vectors."""

    SPLIT = "a private array of {bytes} bytes is accessed by vector components"
    FILLS_REGISTER = "a private array of {bytes} bytes is not split: its vectors fill a register"
    NOT_BY_VECTORS = (
        "a private array of {bytes} bytes has accesses other than loads and stores of one vector type"
    )


def split_private_vectors(function: Function, target: Target, remarks: Remarks = SILENT) -> int:
    """Split the accesses to private vectors and arrays of vectors; return their number."""
    split = 0
    for alloca in [i for i in function.instructions() if i.opcode == "alloca"]:
        array = array_to_split(alloca, target)
        if array is None:
            continue
        bytes = size_of(alloca.attributes["allocated"])
        if isinstance(array, PrivateVectors):
            remarks.missed(array, alloca, bytes=bytes)
            continue
        remarks.passed(PrivateVectors.SPLIT, alloca, bytes=bytes)
        for access in array.accesses:
            if isinstance(access.accessed_type, VectorType):
                _split(access, access.accessed_type)
                split += 1
    return split


def array_to_split(alloca: Instruction, target: Target) -> PrivateArray | PrivateVectors | None:
    """Return the array that an alloca of vectors is, or why it is not split; None for other allocas."""
    type = alloca.attributes["allocated"]
    vector = type.element if isinstance(type, ArrayType) else type
    if not isinstance(vector, VectorType):
        return None
    if fills_register(vector, target):
        return PrivateVectors.FILLS_REGISTER
    return private_array(alloca, vectors=True) or PrivateVectors.NOT_BY_VECTORS


def _split(access: Instruction, type: VectorType) -> None:
    """Replace an access to a vector by accesses to its components."""
    b, size = Builder(access.parent, access), size_of(type.element)
    pointer = access.operands[-1]
    places = [b.gep(type.element, pointer, [const_int(I32, k)]) if k else pointer for k in range(type.count)]
    accesses: list[Instruction] = []
    if access.opcode == "store":
        values = _components(b, access.operands[0], type)
        accesses = [b.store(value, place, size) for value, place in zip(values, places, strict=True)]
    else:
        accesses = [b.load(type.element, place, size) for place in places]
        _replace_load(b, access, accesses)
    for new in accesses:
        new.metadata.update(access.metadata)
    access.erase()


def _components(b: Builder, vector: Value, type: VectorType) -> list[Value]:
    """Return the components of a vector, taken from the insertions that built it where possible."""
    inserted, _ = insertions(vector)
    return [
        inserted[k] if k in inserted else b.emit("extractelement", type.element, [vector, const_int(I32, k)])
        for k in range(type.count)
    ]


def _replace_load(b: Builder, load: Instruction, components: list[Instruction]) -> None:
    """Replace a loaded vector by its components; reassemble it for users that need it whole."""
    for user in list(load.users):
        index = user.operands[1] if user.opcode == "extractelement" else None
        if isinstance(index, ConstantInt) and index.value < len(components):
            user.replace_all_uses_with(components[index.value])
            user.erase()
    if load.users:
        vector: Value = Poison(load.type)
        for k, component in enumerate(components):
            vector = b.emit("insertelement", load.type, [vector, component, const_int(I32, k)])
        load.replace_all_uses_with(vector)
