"""The representation of a variable in its slot: on the stack, or an element of a context array.

Conditions (i1) are stored as bytes, 0 or 1: vectors of bytes have the layout of consecutive bytes, vectors of
bits do not, and LLVM would split them bit by bit.
"""

from collections.abc import Callable

from weft.ir import Instruction, Value
from weft.ir.builder import Builder
from weft.ir.types import I1, IntType, Type, alignment_of
from weft.ir.values import const_int

_BYTE = IntType(8)

# Emits the address of a variable's slot.
Slot = Callable[[Builder], Value]


def stack_slot(b: Builder, type: Type, name: str) -> Instruction:
    """Allocate a stack slot for a variable of `type`."""
    return b.alloca(_in_memory(type), alignment_of(type), name)


def read_slot(b: Builder, type: Type, slot: Value, name: str | None) -> tuple[Value, Instruction]:
    """Load a variable from its slot; return its value and the load."""
    load = b.load(_in_memory(type), slot, alignment_of(type), name)
    return (b.icmp("ne", load, const_int(_BYTE, 0), name) if type is I1 else load), load


def write_slot(b: Builder, value: Value, slot: Value) -> Instruction:
    """Store a variable to its slot; return the store."""
    return b.store(b.cast("zext", value, _in_memory(value.type)), slot, alignment_of(value.type))


def _in_memory(type: Type) -> Type:
    return _BYTE if type is I1 else type
