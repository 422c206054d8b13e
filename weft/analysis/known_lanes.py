"""The numbers that values have in each lane, for loops of which all iterations are the lanes of one pass.

Then the counter is a constant in every lane, and so is what is computed from it and from constants alone:
`(lid + 1) % 16` is 1, 2, … 15, 0. Addresses at such distances from one that all lanes share are in reach of
a vector load, whatever their order.
"""

from weft.ir import ConstantInt, Instruction, Value
from weft.ir.types import IntType, size_of
from weft.recursion import Definition, Recursion

Numbers = list[int]


class KnownLanes:
    """Evaluates integers for each of the iterations of a loop that counts from `start`."""

    def __init__(self, counter: Instruction, start: int, width: int) -> None:
        self.width = width
        known: dict[Value, Numbers | None] = {counter: [start + lane for lane in range(width)]}
        # The numbers of an integer, none of them negative; None if they are not known.
        self.of = Recursion(self._computed, None, known)

    def address(self, pointer: Value) -> tuple[Value, Numbers]:
        """A pointer as one that it is computed from, and the known distance from it in bytes."""
        offsets = [0] * self.width
        while (
            isinstance(pointer, Instruction)
            and pointer.opcode == "getelementptr"
            and len(pointer.operands) == 2
            and (index := self._signed(pointer.operands[1])) is not None
        ):
            size = size_of(pointer.attributes["element_type"])
            offsets = [o + size * i for o, i in zip(offsets, index, strict=True)]
            pointer = pointer.operands[0]
        return pointer, offsets

    def _signed(self, value: Value) -> Numbers | None:
        numbers = self.of(value)
        if numbers is None or not isinstance(value.type, IntType):
            return None
        bits = value.type.bits
        return [n - (1 << bits) if n >> (bits - 1) else n for n in numbers]

    def _computed(self, i: Value) -> Definition[Value, Numbers | None]:
        if isinstance(i, ConstantInt):
            return [i.value] * self.width
        if not isinstance(i, Instruction) or not isinstance(i.type, IntType):
            return None
        operands: list[Numbers] = []
        for operand in i.operands:
            known = yield operand
            if known is None:
                return None
            operands.append(known)
        if i.opcode == "icmp" and i.operands[0].type.is_pointer:
            return None
        found = []
        for numbers in zip(*operands, strict=True):
            number = self._one(i, numbers)
            if number is None:
                return None
            found.append(number % (1 << i.type.bits))
        return found

    @staticmethod
    def _one(i: Instruction, numbers: tuple[int, ...]) -> int | None:
        a, b = numbers[0], numbers[-1]
        match i.opcode:
            case "add":
                return a + b
            case "sub":
                return a - b
            case "mul":
                return a * b
            case "and":
                return a & b
            case "or":
                return a | b
            case "xor":
                return a ^ b
            case "shl" | "lshr" | "ashr" if b < i.type.bits:  # type: ignore[attr-defined]
                if i.opcode == "ashr":
                    half = 1 << (i.type.bits - 1)  # type: ignore[attr-defined]
                    a = (a ^ half) - half
                return a << b if i.opcode == "shl" else a >> b
            case "urem" if b:
                return a % b
            case "zext" | "trunc":
                return a
            case "sext":
                half = 1 << (i.operands[0].type.bits - 1)  # type: ignore[attr-defined]
                return (a ^ half) - half
            case "select":
                return numbers[1] if a else b
            case "icmp":
                return _compared(i, a, b)
        return None


def _compared(i: Instruction, a: int, b: int) -> int:
    predicate = i.attributes["predicate"]
    half = 1 << (i.operands[0].type.bits - 1)  # type: ignore[attr-defined]
    if predicate[0] == "s":
        a, b = a ^ half, b ^ half  # in the order of signed numbers
    truth = {"eq": a == b, "ne": a != b, "lt": a < b, "le": a <= b, "gt": a > b, "ge": a >= b}
    return int(truth[predicate if predicate in truth else predicate[1:]])
