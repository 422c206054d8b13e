"""Facts about integers if the lanes of a vector iteration are the work-items of one sub-group.

The lanes belong to a loop over local ids along x whose first lane is a multiple of the sub-group size. The
low bits of the induction variable are then the lane number in the sub-group, and the other bits are uniform:

    %lane = and i32 %x, 15       ; 0, 1, 2, … 15
    %id = lshr i32 %x, 4         ; uniform
"""

from collections.abc import Collection
from functools import cached_property, partial

from weft.ir import Block, ConstantInt, Instruction, Value
from weft.ir.loops import Loop
from weft.ir.types import IntType

from .evaluation import Evaluation, in_each_lane
from .evolution import INVARIANT, Evolution
from .lanes import Assumed

_CASTS = ("zext", "sext", "trunc")
# Work-item loops count in 32 bits.
_COUNTER_BITS = 32


class SubGroupFacts(Assumed):
    """Facts about a loop whose `counter` counts work-items, in vector iterations of `size` lanes."""

    def __init__(self, loop: Loop, counter: Instruction, size: int, without: Collection[Block] = ()) -> None:
        """Collect the facts, except for instructions in the blocks `without`."""
        self._places: set[Value] = set()
        evolutions: dict[Value, Evolution] = {}
        for i in loop.instructions():
            evolution = self._evolution(i, counter, size)
            if evolution is not None and i.block not in without:
                evolutions[i] = evolution
        super().__init__(evolutions, size)

    def _evolution(self, i: Instruction, counter: Instruction, size: int) -> Evolution | None:
        if i.opcode not in ("and", "lshr") or not isinstance(i.operands[1], ConstantInt):
            return None
        if not _is_counter(i.operands[0], counter):
            return None
        by = i.operands[1].value
        if i.opcode == "lshr":
            return INVARIANT if by >= size.bit_length() - 1 else None
        if by % size == 0:
            return INVARIANT
        if (by + 1) % size:
            return None
        if by == size - 1:
            self._places.add(i)
        return Evolution(1)

    @cached_property
    def _lanes(self) -> list[Evaluation]:
        def lane_number(lane: int, value: Value) -> int | None:
            return lane if value in self._places else None

        return [Evaluation(partial(lane_number, lane)) for lane in range(self.width)]

    def numbers(self, value: Value) -> list[int] | None:
        """Return an integer's number in each lane, if it depends only on constants and the lane number."""
        return in_each_lane(self._lanes, value)


def _is_counter(number: Value, counter: Instruction) -> bool:
    """Whether a number is the counter, or a conversion of it to a type of at least 32 bits."""
    while isinstance(number.type, IntType) and number.type.bits >= _COUNTER_BITS:
        if number is counter:
            return True
        if not isinstance(number, Instruction) or number.opcode not in _CASTS:
            return False
        number = number.operands[0]
    return False
