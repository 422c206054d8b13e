"""How a variable lies in its slot: a place of the stack, or an element of a context array.

Conditions (i1) are bytes there, 0 or 1: vectors of bytes lie in memory as consecutive bytes would,
vectors of bits do not, and LLVM would take them apart bit by bit.
"""

from collections.abc import Callable

from weft.ir import Instruction, Value
from weft.ir.builder import Builder
from weft.ir.types import I1, IntType, Type, alignment_of
from weft.ir.values import const_int

_BYTE = IntType(8)

# Makes the address of a variable's slot.
Slot = Callable[[Builder], Value]


def stack_slot(b: Builder, type: Type, name: str) -> Instruction:
    """Makes a slot on the stack for a variable of `type`."""
    return b.alloca(_in_memory(type), alignment_of(type), name)


def read_slot(b: Builder, type: Type, slot: Value, name: str | None) -> tuple[Value, Instruction]:
    """Reads a variable from its slot; returns its value and the load."""
    load = b.load(_in_memory(type), slot, alignment_of(type), name)
    return (b.icmp("ne", load, const_int(_BYTE, 0), name) if type is I1 else load), load


def write_slot(b: Builder, value: Value, slot: Value) -> Instruction:
    """Writes a variable to its slot; returns the store."""
    return b.store(b.cast("zext", value, _in_memory(value.type)), slot, alignment_of(value.type))


def _in_memory(type: Type) -> Type:
    return _BYTE if type is I1 else type
