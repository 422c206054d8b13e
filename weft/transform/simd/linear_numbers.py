"""Numbers that differ from lane to lane by a stride, where the first lane's does not tell the others.

It does not where numbers are linear only as long as they do not wrap, and where the first lane may be idle:
its number is poison then if a promise (`nsw` and the like) does not hold for that lane. There, all lanes are
computed as vectors (`vector`), or the first lane's number without promises in 64 bits (`exact`).

Both are made once in a block, however many instructions there use them. Linear time.
"""

from typing import TYPE_CHECKING

from weft.analysis.lanes import Lanes
from weft.ir import Block, ConstantInt, Instruction, Value
from weft.ir.types import I64, IntType
from weft.ir.values import const_int
from weft.recursion import Definition, Recursion

if TYPE_CHECKING:
    from .widen import Widener


class LinearNumbers:
    """Computes linear values at a widener's place."""

    def __init__(self, w: "Widener") -> None:
        self._w = w
        self._lanes: Lanes | None = None
        self._block: Block | None = None

    def _here(self) -> None:
        """Forgets what is known of other lanes, and what was made in other blocks."""
        w = self._w
        if self._lanes is not w.lanes:
            self._lanes = w.lanes
            self._block = None
            self._is_promised = Recursion(self._promised, False)
        if self._block is not w.b.block:
            self._block = w.b.block
            self._vectors = Recursion(self._vector, Value(I64))
            self._exacts = Recursion(self._exact, Value(I64))

    def is_linear(self, value: Value) -> bool:
        """Whether a value differs from lane to lane by a stride that is not 0."""
        shape = self._w.lanes.of(value)
        return shape is not None and shape.stride != 0

    def extends(self, i: Instruction) -> bool:
        """Whether an extension is one of signed numbers that differ from lane to lane by a stride."""
        shape = self._w.lanes.of(i)
        if shape is None or shape.stride == 0 or i in shape.needs:
            return False
        return i.opcode == "sext" or "nneg" in i.flags

    # All lanes

    def vector(self, value: Value) -> Value | None:
        """All lanes of a number, computed in all lanes; None if the first lane's number tells them."""
        self._here()
        return self._vectors(value) if self._is_apart(value) else None

    def _is_apart(self, value: Value) -> bool:
        """Whether the first lane's number does not tell those of the others."""
        shape = self._w.lanes.of(value)
        if shape is None:
            return False
        return bool(shape.needs) or (shape.stride != 0 and self._is_promised(value))

    def _vector(self, value: Value) -> Definition[Value, Value]:
        w = self._w
        if not self._is_apart(value):
            return w.vector(value)
        assert isinstance(value, Instruction)
        operands = []
        for operand in value.operands:
            if value.opcode == "getelementptr" and w.lanes.is_uniform(operand):
                operands.append(w.scalar(operand))
            else:
                operands.append((yield operand))
        new = Instruction(value.opcode, w.wide(value.type), operands, None, (), dict(value.attributes))
        return w.b.insert(new)

    def _promised(self, value: Value) -> Definition[Value, bool]:
        """Whether the number of the first lane is poison if a promise does not hold for that lane.

        It need not: a lane may compute what it does not use, as the other side of a selection.
        """
        if not isinstance(value, Instruction) or not isinstance(value.type, IntType):
            return False  # the first lane's address is that of an access
        varying = self._w.lanes.is_varying
        if value.opcode == "phi" or not self.is_linear(value) or any(map(varying, value.operands)):
            return False
        if self.extends(value):
            return False  # computed without promises
        if value.has_promises:
            return True
        for operand in value.operands:
            if (yield operand):
                return True
        return False

    # The first lane

    def exact(self, value: Value) -> Value:
        """The first lane's number in 64 bits, computed so that it does not wrap even if that lane is idle."""
        self._here()
        return self._exacts(value)

    def _exact(self, value: Value) -> Definition[Value, Value]:
        w = self._w
        if isinstance(value, ConstantInt):
            return const_int(I64, value.signed)
        # What is assumed to be linear, as in `coherent_loops.py`, may be made of what varies.
        made_in_line = isinstance(value, Instruction) and not any(map(w.lanes.is_varying, value.operands))
        if made_in_line and not w.lanes.is_uniform(value) and value.type is not I64:
            assert isinstance(value, Instruction)
            match value.opcode:
                case "add" | "sub" | "mul" | "or":
                    left, right = (yield value.operands[0]), (yield value.operands[1])
                    # An `or` is disjoint, or it would not be linear.
                    return w.b.binary("add" if value.opcode == "or" else value.opcode, left, right)
                case "shl":
                    shift = value.operands[1]
                    assert isinstance(shift, ConstantInt)
                    return w.b.binary("shl", (yield value.operands[0]), const_int(I64, shift.value))
                case "sext" | "zext" if self.extends(value):
                    return (yield value.operands[0])
                case "trunc" if isinstance(value.operands[0], Instruction):
                    source = value.operands[0]
                    if source.opcode in ("sext", "zext") and source.operands[0].type is value.type:
                        return (yield source.operands[0])
        return w.b.cast("sext", w.scalar(value), I64)
