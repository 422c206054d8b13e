"""Compute values of the straight code at the start of a work-item loop before the loop, for one work-item."""

from weft.ir import Block, Instruction, Value
from weft.ir.builder import Builder
from weft.ir.clone import ValueMap, clone_instruction
from weft.ir.opcodes import BINARY
from weft.ir.types import I1
from weft.ir.values import Constant, Poison, Undef
from weft.recursion import Definition, Recursion

from .bounds import Numbers

# What may be computed for no work-item at all: it neither traps nor gives poison.
_TOTAL = frozenset(
    (
        *("phi", "add", "sub", "mul", "and", "or", "xor", "zext", "sext", "trunc", "icmp", "fcmp", "select"),
        *("fneg", "fadd", "fsub", "fmul", "sitofp", "uitofp", "fpext", "fptrunc"),
        *("getelementptr", "addrspacecast", "bitcast", "ptrtoint"),
    )
)
_SHIFTS = frozenset(("shl", "lshr", "ashr"))


def needed(value: Value, blocks: tuple[Block, ...]) -> list[Instruction]:
    """What a value is computed from in straight code."""
    found: dict[Instruction, None] = {}
    work = [value]
    while work:
        value = work.pop()
        if isinstance(value, Instruction) and value.block in blocks and value not in found:
            found[value] = None
            if value.opcode != "phi" or len(value.operands) == 2:
                work += [o for o in value.operands if not isinstance(o, Block)]
    return list(found)


def is_total(i: Instruction) -> bool:
    """Whether an instruction has a result for any operands, once it has lost its flags."""
    if any(isinstance(o, Poison | Undef) for o in i.operands):
        return False
    return i.opcode in _TOTAL or (i.opcode in _SHIFTS and isinstance(i.operands[1], Constant))


class FirstItem:
    """Computes values of straight code for one work-item; `known` holds the counter and what was computed.

    `promised`: the work-item is there and asks for them, so that what their flags promise is true.
    """

    def __init__(self, builder: Builder, blocks: tuple[Block, ...], known: ValueMap, promised: bool) -> None:
        self.b, self.blocks, self.promised = builder, blocks, promised
        self._made = Recursion(self._make, Value(I1), known)

    def value(self, value: Value) -> Value:
        """The value for the work-item, made at the builder's place."""
        return self._made(value) if self._differs(value) else value

    def _differs(self, value: Value) -> bool:
        """Whether a value is one of the loop's, not one that is there before it."""
        own = isinstance(value, Instruction) and value.block in self.blocks
        return own or value in self._made.known

    def _make(self, value: Value) -> Definition[Value, Value]:
        assert isinstance(value, Instruction)
        operands = []
        for operand in value.operands:
            operands.append((yield operand) if self._differs(operand) else operand)
        flags = value.flags if self.promised else ()
        made: Value
        if value.opcode == "phi":
            made = operands[0]
        elif value.opcode in BINARY:
            made = self.b.binary(value.opcode, operands[0], operands[1], value.name, flags)
        elif value.opcode == "icmp":
            made = Numbers(self.b).compare(value.attributes["predicate"], *operands)
        elif value.opcode in ("zext", "sext", "trunc"):
            made = self.b.cast(value.opcode, operands[0], value.type, value.name)
            if isinstance(made, Instruction) and made.opcode == value.opcode:
                made.flags = flags
        else:
            copy = clone_instruction(value, dict(zip(value.operands, operands, strict=True)))
            copy.flags = flags
            made = self.b.insert(copy)
        return made
