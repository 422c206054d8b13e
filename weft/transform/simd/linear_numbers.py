"""Compute values that are linear in the lane but cannot be derived from the first lane's value.

These are numbers that are linear only as long as they do not wrap, and numbers in code where the first lane
may be inactive: its value is poison if a flag (`nsw` and the like) does not hold for that lane. There, all
lanes are computed as vectors (`vector`), or the first lane's number without flags in 64 bits (`exact`).

Both are computed once per block, however many instructions use them there. Linear time.
"""

from typing import TYPE_CHECKING

from weft.analysis.evolution import before_extension
from weft.analysis.lanes import Lanes
from weft.ir import Block, ConstantInt, Instruction, Value
from weft.ir.types import I64, IntType
from weft.ir.values import const_int
from weft.recursion import Definition, Recursion

if TYPE_CHECKING:
    from .widen import Widener


class LinearNumbers:
    """Computes linear values at the widener's insertion point."""

    def __init__(self, w: "Widener") -> None:
        self._w = w
        self._lanes: Lanes | None = None
        self._block: Block | None = None

    def _invalidate(self) -> None:
        """Discard cached facts of other shapes, and cached values of other blocks."""
        w = self._w
        if self._lanes is not w.lanes:
            self._lanes = w.lanes
            self._block = None
            self._flag_dependent = Recursion(self._depends_on_flags, False)
        if self._block is not w.b.block:
            self._block = w.b.block
            self._vectors = Recursion(self._vector, Value(I64))
            self._exacts = Recursion(self._exact, Value(I64))

    def is_linear(self, value: Value) -> bool:
        """Return whether a value has a nonzero stride."""
        shape = self._w.lanes.of(value)
        return shape is not None and shape.stride != 0

    def extends(self, i: Instruction) -> bool:
        """Return whether an instruction extends signed numbers with a nonzero stride."""
        shape = self._w.lanes.of(i)
        if shape is None or shape.stride == 0 or i in shape.needs:
            return False
        return i.opcode == "sext" or "nneg" in i.flags

    # All lanes

    def vector(self, value: Value) -> Value | None:
        """Return all lanes of a number, computed in all lanes; None if they follow from the first lane."""
        self._invalidate()
        return self._vectors(value) if self._needs_vector(value) else None

    def _needs_vector(self, value: Value) -> bool:
        """Return whether other lanes do not follow from the first lane's number."""
        shape = self._w.lanes.of(value)
        if shape is None:
            return False
        return bool(shape.needs) or (shape.stride != 0 and self._flag_dependent(value))

    def _vector(self, value: Value) -> Definition[Value, Value]:
        w = self._w
        if not self._needs_vector(value):
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

    def _depends_on_flags(self, value: Value) -> Definition[Value, bool]:
        """Return whether the first lane's number is poison if a flag does not hold for that lane.

        A lane may compute a value that it does not use, such as the other operand of a select.
        """
        if not isinstance(value, Instruction) or not isinstance(value.type, IntType):
            return False  # the first lane's address belongs to an access
        varying = self._w.lanes.is_varying
        if value.opcode == "phi" or not self.is_linear(value) or any(map(varying, value.operands)):
            return False
        if self.extends(value):
            return False  # computed without flags
        if value.has_poison_flags:
            return True
        for operand in value.operands:
            if (yield operand):
                return True
        return False

    # The first lane

    def exact(self, value: Value) -> Value:
        """Return the first lane's number in 64 bits; it does not wrap even if that lane is inactive."""
        self._invalidate()
        return self._exacts(value)

    def _exact(self, value: Value) -> Definition[Value, Value]:
        w = self._w
        if isinstance(value, ConstantInt):
            return const_int(I64, value.signed)
        # Values that are assumed to be linear, as in `coherent_loops.py`, may depend on varying ones.
        is_computed = isinstance(value, Instruction) and not any(map(w.lanes.is_varying, value.operands))
        if is_computed and not w.lanes.is_uniform(value) and value.type is not I64:
            assert isinstance(value, Instruction)
            match value.opcode:
                case "add" | "sub" | "mul" | "or":
                    left, right = (yield value.operands[0]), (yield value.operands[1])
                    # The `or` is disjoint, otherwise it would not be linear.
                    return w.b.binary("add" if value.opcode == "or" else value.opcode, left, right)
                case "shl":
                    shift = value.operands[1]
                    assert isinstance(shift, ConstantInt)
                    return w.b.binary("shl", (yield value.operands[0]), const_int(I64, shift.value))
                case "sext" | "zext" if self.extends(value):
                    return (yield value.operands[0])
                case "trunc" if (source := before_extension(value)) is not None:
                    return (yield source)
        return w.b.cast("sext", w.scalar(value), I64)
