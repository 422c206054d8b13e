"""Compute values of the straight code at the start of a work-item loop for one work-item, before the loop."""

from weft.ir import Block, Instruction, Value
from weft.ir.builder import Builder
from weft.ir.clone import ValueMap, clone_instruction
from weft.ir.opcodes import BINARY
from weft.ir.types import I1
from weft.ir.values import Constant, Poison, Undef
from weft.recursion import Definition, Recursion

from .bounds import Numbers

# Instructions that may be computed even if there is no work-item: they neither trap nor give poison.
_TOTAL = frozenset(
    (
        *("phi", "add", "sub", "mul", "and", "or", "xor", "zext", "sext", "trunc", "icmp", "fcmp", "select"),
        *("fneg", "fadd", "fsub", "fmul", "sitofp", "uitofp", "fpext", "fptrunc"),
        *("getelementptr", "addrspacecast", "bitcast", "ptrtoint"),
    )
)
_SHIFTS = frozenset(("shl", "lshr", "ashr"))


def needed(value: Value, blocks: tuple[Block, ...]) -> list[Instruction]:
    """Return the instructions of straight code from which a value is computed."""
    instructions: dict[Instruction, None] = {}
    work = [value]
    while work:
        value = work.pop()
        if isinstance(value, Instruction) and value.block in blocks and value not in instructions:
            instructions[value] = None
            if value.opcode != "phi" or len(value.operands) == 2:
                work += [o for o in value.operands if not isinstance(o, Block)]
    return list(instructions)


def is_total(i: Instruction) -> bool:
    """Return whether an instruction is defined for all operands once its flags are dropped."""
    if any(isinstance(o, Poison | Undef) for o in i.operands):
        return False
    return i.opcode in _TOTAL or (i.opcode in _SHIFTS and isinstance(i.operands[1], Constant))


class FirstItem:
    """Computes values of straight code for one work-item; `known` has the counter and earlier results.

    `promised`: the work-item exists and computes them too, so their flags hold.
    """

    def __init__(self, builder: Builder, blocks: tuple[Block, ...], known: ValueMap, promised: bool) -> None:
        self.b, self.blocks, self.promised = builder, blocks, promised
        self._values = Recursion(self._compute, Value(I1), known)

    def value(self, value: Value) -> Value:
        """Return the value for the work-item, emitted at the builder's insertion point."""
        return self._values(value) if self._differs(value) else value

    def _differs(self, value: Value) -> bool:
        """Return whether a value belongs to the loop, not to the code before it."""
        own = isinstance(value, Instruction) and value.block in self.blocks
        return own or value in self._values.known

    def _compute(self, value: Value) -> Definition[Value, Value]:
        assert isinstance(value, Instruction)
        operands = []
        for operand in value.operands:
            operands.append((yield operand) if self._differs(operand) else operand)
        flags = value.flags if self.promised else ()
        result: Value
        if value.opcode == "phi":
            result = operands[0]
        elif value.opcode in BINARY:
            result = self.b.binary(value.opcode, operands[0], operands[1], value.name, flags)
        elif value.opcode == "icmp":
            result = Numbers(self.b).compare(value.attributes["predicate"], *operands)
        elif value.opcode in ("zext", "sext", "trunc"):
            result = self.b.cast(value.opcode, operands[0], value.type, value.name)
            if isinstance(result, Instruction) and result.opcode == value.opcode:
                result.flags = flags
        else:
            copy = clone_instruction(value, dict(zip(value.operands, operands, strict=True)))
            copy.flags = flags
            result = self.b.insert(copy)
        return result
