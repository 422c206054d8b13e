"""Create instructions at an insertion point.

Integer arithmetic on constants is folded, so that passes can write index expressions directly.
"""

from collections.abc import Sequence
from typing import Any

from weft.integers import binary

from .function import Block, Function
from .instruction import Instruction
from .types import (
    I1,
    I64,
    VOID,
    FunctionType,
    IntType,
    PointerType,
    Type,
    VectorType,
    with_shape_of,
)
from .values import ConstantInt, Value, const_int

_FOLDED = frozenset(("add", "sub", "mul", "and", "or", "xor"))


class Builder:
    """Inserts instructions before `before`, or at the end of `block`."""

    def __init__(self, block: Block, before: Instruction | None = None) -> None:
        self.block = block
        self.before = before

    @classmethod
    def at_start(cls, block: Block) -> "Builder":
        """Return a builder after the phis of a block."""
        index = block.first_non_phi
        return cls(block, block.instructions[index] if index < len(block.instructions) else None)

    @classmethod
    def after(cls, instruction: Instruction) -> "Builder":
        """Return a builder after an instruction, and after the phis of its block if it is one of them."""
        block = instruction.parent
        if instruction.opcode == "phi":
            return cls.at_start(block)
        return cls(block, block.instructions[block.index(instruction) + 1])

    @classmethod
    def in_entry(cls, function: Function) -> "Builder":
        """Return a builder at the start of a function, where its allocas are."""
        return cls(function.entry, function.entry.instructions[0])

    def insert(self, instruction: Instruction) -> Instruction:
        """Insert an instruction at the insertion point."""
        if self.before is None:
            return self.block.append(instruction)
        return self.block.insert_before(self.before, instruction)

    def emit(
        self,
        opcode: str,
        type: Type,
        operands: Sequence[Value],
        name: str | None = None,
        flags: tuple[str, ...] = (),
        **attributes: Any,
    ) -> Instruction:
        """Create any instruction."""
        return self.insert(Instruction(opcode, type, operands, name, flags, attributes))

    def binary(
        self, opcode: str, left: Value, right: Value, name: str | None = None, flags: tuple[str, ...] = ()
    ) -> Value:
        """Create left OP right; neutral elements and constant operands are folded."""
        if isinstance(left, ConstantInt) and isinstance(right, ConstantInt) and opcode in _FOLDED:
            return const_int(left.type, binary(opcode, left.type.bits)(left.value, right.value))
        if isinstance(right, ConstantInt):
            if right.value == 0 and opcode in ("add", "sub", "or", "xor", "shl", "lshr", "ashr"):
                return left
            if right.value == 1 and opcode in ("mul", "udiv", "sdiv"):
                return left
        if isinstance(left, ConstantInt) and left.value == 0 and opcode == "add":
            return right
        return self.emit(opcode, left.type, [left, right], name, flags)

    def add(self, left: Value, right: Value, name: str | None = None, flags: tuple[str, ...] = ()) -> Value:
        return self.binary("add", left, right, name, flags)

    def sub(self, left: Value, right: Value, name: str | None = None, flags: tuple[str, ...] = ()) -> Value:
        return self.binary("sub", left, right, name, flags)

    def mul(self, left: Value, right: Value, name: str | None = None, flags: tuple[str, ...] = ()) -> Value:
        return self.binary("mul", left, right, name, flags)

    def icmp(self, predicate: str, left: Value, right: Value, name: str | None = None) -> Instruction:
        return self.emit("icmp", with_shape_of(left.type, I1), [left, right], name, predicate=predicate)

    def cast(self, opcode: str, value: Value, type: Type, name: str | None = None) -> Value:
        """Create a cast, unless the value has the type already."""
        if value.type is type:
            return value
        if (
            isinstance(value, ConstantInt)
            and isinstance(type, IntType)
            and opcode in ("trunc", "zext", "sext")
        ):
            return const_int(type, value.signed if opcode == "sext" else value.value)
        return self.emit(opcode, type, [value], name)

    def load(self, type: Type, pointer: Value, align: int, name: str | None = None) -> Instruction:
        return self.emit("load", type, [pointer], name, align=align)

    def store(self, value: Value, pointer: Value, align: int) -> Instruction:
        return self.emit("store", VOID, [value, pointer], align=align)

    def gep(
        self, element: Type, pointer: Value, indices: Sequence[Value], name: str | None = None
    ) -> Instruction:
        """Create a getelementptr inbounds; a vector operand yields a vector of pointers."""
        type = pointer.type
        for index in indices:
            if not isinstance(type, VectorType):
                type = with_shape_of(index.type, type)
        return self.emit(
            "getelementptr", type, [pointer, *indices], name, ("inbounds",), element_type=element
        )

    def byte_offset(self, pointer: Value, offset: int | Value, name: str | None = None) -> Value:
        """Return a pointer at a byte offset."""
        if isinstance(offset, int):
            if offset == 0:
                return pointer
            offset = const_int(I64, offset)
        return self.gep(IntType(8), pointer, [offset], name)

    def alloca(self, type: Type, align: int, name: str | None = None) -> Instruction:
        return self.emit("alloca", PointerType(0), [], name, allocated=type, align=align)

    def phi(self, type: Type, name: str | None = None) -> Instruction:
        """Create an empty phi after the block's other phis."""
        instruction = Instruction("phi", type, [], name)
        return self.block.insert(self.block.first_non_phi, instruction)

    def select(self, condition: Value, yes: Value, no: Value, name: str | None = None) -> Instruction:
        return self.emit("select", yes.type, [condition, yes, no], name)

    def call(self, function: Function, arguments: Sequence[Value], name: str | None = None) -> Instruction:
        type: FunctionType = function.function_type
        return self.emit("call", type.result, [*arguments, function], name, function_type=type)

    def call_symbol(
        self,
        symbol: str,
        result: Type,
        arguments: Sequence[Value],
        name: str | None = None,
        suffix: tuple[str, ...] = (),
    ) -> Instruction:
        """Call a function by its symbol; if the module has none, it is declared with this suffix."""
        type = FunctionType(result, tuple(argument.type for argument in arguments))
        return self.call(self.block.parent.parent.declare(symbol, type, suffix), arguments, name)

    def br(self, target: Block) -> Instruction:
        return self.emit("br", VOID, [target])

    def cond_br(self, condition: Value, yes: Block, no: Block) -> Instruction:
        return self.emit("br", VOID, [condition, yes, no])

    def ret(self, value: Value | None = None) -> Instruction:
        return self.emit("ret", VOID, [] if value is None else [value])
