"""Recognize gathers and scatters in a work-group function, and the accesses that they may alias."""

from weft.analysis.memory_effects import base_of, has_no_effects
from weft.ir import Argument, Instruction, Value
from weft.ir.address_spaces import LOCAL, SHARED
from weft.ir.types import FloatType, IntType, Type, VectorType, address_space
from weft.ir.values import ConstantAggregate, ConstantInt

from .lanewise import FOLDS, LANEWISE

# Vectors of fewer lanes are shorter than any vector register.
LEAST_LANES = 4


def is_masked_call(i: Instruction, kind: str) -> bool:
    """Return whether an instruction is a masked `gather`, `scatter`, `load` or `store`."""
    return i.callee_name.startswith(f"llvm.masked.{kind}.")


def is_whole(mask: Value) -> bool:
    """Return whether a mask has all lanes."""
    lane = mask.splat if isinstance(mask, ConstantAggregate) else None
    return isinstance(lane, ConstantInt) and lane.value == 1


def can_be_transposed(type: object) -> bool:
    """Return whether vectors of a type can be assembled from rows: 2^n lanes, of full bytes each."""
    if not isinstance(type, VectorType) or type.count < LEAST_LANES or type.count & (type.count - 1):
        return False
    return is_of_whole_bytes(type.element)


def is_of_whole_bytes(type: Type) -> bool:
    """Return whether numbers of a type are contiguous in vectors, as they are in memory."""
    return isinstance(type, FloatType) or (isinstance(type, IntType) and type.bits in (8, 16, 32, 64))


def alignment(call: Instruction, position: int) -> int:
    """Return the alignment that a call states for the addresses in one of its arguments, or 1."""
    words = call.attributes.get("argument_attributes", ())
    known = [
        int(w.removeprefix("align ")) for w in (words[position] if words else ()) if w.startswith("align ")
    ]
    return known[0] if known else 1


def like(call: Instruction, i: Instruction) -> Instruction:
    """Copy the type-based alias metadata of an access to one that replaces it."""
    if "tbaa" in call.metadata:
        i.metadata["tbaa"] = call.metadata["tbaa"]
    return i


def may_write(i: Instruction) -> bool:
    """Return whether an instruction may change memory."""
    return (
        i.info.writes and not is_masked_call(i, "gather") and not is_masked_call(i, "load") and not is_pure(i)
    )


def is_pure(i: Instruction) -> bool:
    """Return whether an instruction neither reads nor writes memory."""
    if i.opcode != "call":
        return not i.info.reads and not i.info.writes
    name = i.callee_name
    if name.startswith("llvm.vector.reduce."):
        return name.split(".")[3] in FOLDS
    if name.startswith("llvm."):
        return name.removeprefix("llvm.").rsplit(".", 1)[0] in LANEWISE
    return has_no_effects(i)


def accessed(i: Instruction) -> Value | None:
    """Return the address or addresses of a plain or masked access; None for other instructions."""
    if i.opcode in ("load", "store") and not i.attributes.get("ordering"):
        return i.operands[-1]
    if is_masked_call(i, "gather") or is_masked_call(i, "load"):
        return i.arguments[0]
    if is_masked_call(i, "scatter") or is_masked_call(i, "store"):
        return i.arguments[1]
    return None


def may_alias(i: Instruction, space: int) -> bool:
    """Return whether an instruction may access memory in a space, or affects accesses of others."""
    if is_pure(i):
        return False
    pointer = accessed(i)
    if pointer is None:
        return True
    other = address_space(pointer.type)
    if other != space and other in SHARED:
        return False
    base = base_of(pointer)
    if isinstance(base, Argument) and "noalias" in base.attributes:
        # The arenas of local memory and of context arrays are such arguments, without an address space of
        # their own.
        return space in (other, LOCAL)
    return not isinstance(base, Instruction)  # a variable on the stack belongs to one work-item
