"""Evaluate integers for given values.

`KnownLanes` is for loops whose iterations are all lanes of one vector iteration: the induction variable is a
constant in each lane, and so is every value computed only from it and constants. `(lid + 1) % 16` is 1, 2, …,
15, 0. Values at such offsets from a uniform base can be loaded by a vector load and a shuffle.
"""

from collections.abc import Callable, Iterable
from functools import cached_property

from weft.integers import operation, signed
from weft.ir import ConstantInt, Instruction, Value
from weft.ir.types import IntType, size_of
from weft.recursion import Definition, Recursion

from .lanes import LANE


class Evaluation:
    """Evaluates integers; `known` returns the numbers of some values. Linear in the computation of a value.

    Poison evaluates to the result of the operation without its flags. But the operand of a `freeze` must not
    be poison, since it could become another number: with `flags`, poison has no number.
    """

    def __init__(self, known: Callable[[Value], int | None], flags: bool = False) -> None:
        self._known, self._flags = known, flags
        # The nonnegative number of an integer; None if it is unknown or undefined in the IR.
        self.of = Recursion(self._number, None)

    def _number(self, value: Value) -> Definition[Value, int | None]:
        if isinstance(value, ConstantInt):
            return value.value
        leaf = self._known(value)
        if leaf is not None:
            return leaf
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
        return Evaluation(self._known, flags=True)

    def _function(self, i: Instruction) -> Callable[..., int | None] | None:
        """Return the function of integers that an instruction computes, or None."""
        source = i.operands[0].type if i.operands else None
        if not isinstance(i.type, IntType) or not isinstance(source, IntType):
            return None
        flags = frozenset(i.flags if self._flags else ())
        return operation(i.opcode, i.type.bits, source.bits, flags, i.attributes.get("predicate", ""))


def _of_lane(counter: Instruction, number: int, lane: int) -> Evaluation:
    def known(value: Value) -> int | None:
        if isinstance(value, Instruction) and LANE in value.metadata:
            return lane
        return number if value is counter else None

    return Evaluation(known)


def in_each_lane(lanes: Iterable[Evaluation], value: Value) -> list[int] | None:
    """Return the number of an integer in each lane; None if one of them is unknown."""
    numbers = []
    for lane in lanes:
        number = lane.of(value)
        if number is None:
            return None
        numbers.append(number)
    return numbers


class KnownLanes:
    """Evaluates integers for each iteration of a loop that counts up by one from `start`."""

    def __init__(self, counter: Instruction, start: int, width: int) -> None:
        self.width = width
        self._lanes = [_of_lane(counter, start + lane, lane) for lane in range(width)]

    def of(self, value: Value) -> list[int] | None:
        """Return the nonnegative number of an integer in each lane; None if they are unknown."""
        return in_each_lane(self._lanes, value)

    def address(self, pointer: Value) -> tuple[Value, list[int]]:
        """Split a pointer into one that it is computed from and the known byte offset in each lane."""
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
