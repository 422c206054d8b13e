"""The worklist of a fixpoint iteration over instructions."""

import heapq
from collections.abc import Iterable, Iterator

from weft.ir import Block, Instruction


class Worklist:
    """Yields the instructions of blocks in order, and instructions that are added meanwhile.

    With blocks in reverse post-order, an instruction comes after its operands, except around loops.
    """

    def __init__(self, blocks: Iterable[Block]) -> None:
        self._order = [i for block in blocks for i in block.instructions]
        self._number = {instruction: i for i, instruction in enumerate(self._order)}
        self._queue = list(range(len(self._order)))
        self._queued = set(self._queue)

    def __iter__(self) -> Iterator[Instruction]:
        while self._queue:
            number = heapq.heappop(self._queue)
            self._queued.discard(number)
            yield self._order[number]

    def add(self, instructions: Iterable[Instruction]) -> None:
        """Add instructions to visit again; instructions of other blocks are ignored."""
        for instruction in instructions:
            number = self._number.get(instruction)
            if number is not None and number not in self._queued:
                self._queued.add(number)
                heapq.heappush(self._queue, number)
