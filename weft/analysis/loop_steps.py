"""By how much addresses move from one iteration of a loop to the next, or from one work-group to the next.

The answers are good for choices, not for correctness: numbers that wrap around are not looked for.
"""

from abc import ABC, abstractmethod

from weft.ir import Block, ConstantInt, Instruction, Value
from weft.ir.loops import Loop
from weft.ir.types import ArrayType, Type, VectorType, size_of, struct_body
from weft.recursion import Definition, Recursion

from .induction import induction

UNKNOWN = None
StepOf = Definition[Value, int | None]


class Steps(ABC):
    """Steps of values: a number, 0 for what stays the same, or unknown."""

    def __init__(self) -> None:
        self.of = Recursion(self._step, UNKNOWN)  # the step of a number, in bytes for addresses

    @abstractmethod
    def _is_outside(self, i: Instruction) -> bool:
        """Whether a value stays the same because of its place."""

    @abstractmethod
    def _phi(self, phi: Instruction) -> StepOf: ...

    def _call(self, call: Instruction) -> int | None:
        return UNKNOWN

    def _step(self, i: Value) -> StepOf:
        if not isinstance(i, Instruction) or self._is_outside(i):
            return 0
        match i.opcode:
            case "phi":
                return (yield from self._phi(i))
            case "or" if "disjoint" not in i.flags:
                return (yield from self._invariant(i))
            case "add" | "sub" | "or":
                left, right = (yield i.operands[0]), (yield i.operands[1])
                if left is UNKNOWN or right is UNKNOWN:
                    return UNKNOWN
                return left - right if i.opcode == "sub" else left + right
            case "mul" | "shl":
                return (yield from self._multiple(i))
            case "sext" | "zext" | "trunc" | "freeze" | "addrspacecast":
                return (yield i.operands[0])
            case "ashr" | "lshr":
                # The pair of shifts that stands for a sign extension, with a factor.
                shifted, by = i.operands
                step = yield shifted
                if step is UNKNOWN or not isinstance(by, ConstantInt) or step % (1 << by.value):
                    return UNKNOWN
                return step >> by.value
            case "getelementptr":
                return (yield from self._address(i))
            case "call":
                return self._call(i)
            case "load" | "atomicrmw" | "cmpxchg":
                return UNKNOWN
        return (yield from self._invariant(i))

    def _invariant(self, i: Instruction) -> StepOf:
        """0 if all operands stay the same."""
        for operand in i.operands:
            if not isinstance(operand, Block) and (yield operand) != 0:
                return UNKNOWN
        return 0

    def _multiple(self, i: Instruction) -> StepOf:
        left, right = i.operands
        if i.opcode == "mul" and isinstance(left, ConstantInt):
            left, right = right, left
        step = yield left
        if step == 0 and (yield right) == 0:
            return 0
        if step is UNKNOWN or not isinstance(right, ConstantInt):
            return UNKNOWN
        return step << right.value if i.opcode == "shl" else step * right.signed

    def _address(self, i: Instruction) -> StepOf:
        total = yield i.operands[0]
        type: Type = i.attributes["element_type"]
        for position, index in enumerate(i.operands[1:]):
            step = yield index
            if total is UNKNOWN or step is UNKNOWN:
                return UNKNOWN
            if position and isinstance(type, ArrayType | VectorType):
                type = type.element
            elif position:
                assert isinstance(index, ConstantInt)
                type = struct_body(type).fields[index.value]
                continue
            total += step * size_of(type)
        return total


class LoopSteps(Steps):
    """Steps from one iteration of a loop to the next."""

    def __init__(self, loop: Loop) -> None:
        super().__init__()
        self._loop = loop

    def _is_outside(self, i: Instruction) -> bool:
        return i.block not in self._loop.blocks

    def _phi(self, phi: Instruction) -> StepOf:
        yield from ()
        counter = induction(self._loop, phi)
        return counter.step if counter is not None else UNKNOWN
