"""Evaluate integers for given values.

`KnownLanes` is for loops whose iterations are all lanes of one pass: the induction variable is a constant in
every lane, and so is every value computed only from it and constants. `(lid + 1) % 16` is 1, 2, … 15, 0.
Addresses at such offsets from a uniform base can be loaded by a vector load and a shuffle.
"""

from collections.abc import Callable, Iterable
from functools import cached_property

from weft.integers import operation, signed
from weft.ir import ConstantInt, Instruction, Value
from weft.ir.types import IntType, size_of
from weft.recursion import Definition, Recursion

from .lanes import LANE


class Evaluation:
    """Evaluates integers; `given` tells the numbers of some values. Linear in what a value is computed of.

    Poison is the number that the operation gives without its flags. Only what is frozen must not be poison,
    for then it could become another number: with `flags`, poison has no number.
    """

    def __init__(self, given: Callable[[Value], int | None], flags: bool = False) -> None:
        self._given, self._flags = given, flags
        # The number of an integer, not negative; None if it is not known or the IR leaves it undefined.
        self.of = Recursion(self._number, None)

    def _number(self, value: Value) -> Definition[Value, int | None]:
        if isinstance(value, ConstantInt):
            return value.value
        given = self._given(value)
        if given is not None:
            return given
        function = self._function(value) if isinstance(value, Instruction) else None
        if function is None:
            return None
        assert isinstance(value, Instruction)
        if value.opcode == "freeze" and not self._flags:
            return self._without_poison.of(value.operands[0])
        numbers: list[int] = []
        for operand in value.operands:
            number = yield operand
            if number is None:
                return None
            numbers.append(number)
        return function(*numbers)

    @cached_property
    def _without_poison(self) -> "Evaluation":
        return Evaluation(self._given, flags=True)

    def _function(self, i: Instruction) -> Callable[..., int | None] | None:
        """What an instruction computes of integers; None for others."""
        source = i.operands[0].type if i.operands else None
        if not isinstance(i.type, IntType) or not isinstance(source, IntType):
            return None
        flags = frozenset(i.flags if self._flags else ())
        return operation(i.opcode, i.type.bits, source.bits, flags, i.attributes.get("predicate", ""))


def _of_lane(counter: Instruction, number: int, lane: int) -> Evaluation:
    def given(value: Value) -> int | None:
        if isinstance(value, Instruction) and LANE in value.metadata:
            return lane
        return number if value is counter else None

    return Evaluation(given)


def in_each_lane(lanes: Iterable[Evaluation], value: Value) -> list[int] | None:
    """The numbers of an integer in all lanes; None if one of them is not known."""
    found = []
    for lane in lanes:
        number = lane.of(value)
        if number is None:
            return None
        found.append(number)
    return found


class KnownLanes:
    """Evaluates integers for each of the iterations of a loop that counts from `start` by ones."""

    def __init__(self, counter: Instruction, start: int, width: int) -> None:
        self.width = width
        self._lanes = [_of_lane(counter, start + lane, lane) for lane in range(width)]

    def of(self, value: Value) -> list[int] | None:
        """The numbers of an integer, none of them negative; None if they are not known."""
        return in_each_lane(self._lanes, value)

    def address(self, pointer: Value) -> tuple[Value, list[int]]:
        """A pointer as one that it is computed from, and the known distance from it in bytes."""
        offsets = [0] * self.width
        while (
            isinstance(pointer, Instruction)
            and pointer.opcode == "getelementptr"
            and len(pointer.operands) == 2
            and isinstance(type := pointer.operands[1].type, IntType)
            and (index := self.of(pointer.operands[1])) is not None
        ):
            size = size_of(pointer.attributes["element_type"])
            offsets = [o + size * signed(i, type.bits) for o, i in zip(offsets, index, strict=True)]
            pointer = pointer.operands[0]
        return pointer, offsets
