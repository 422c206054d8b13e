"""Construct SSA form for a variable with several definitions, placing phis on demand.

The algorithm is that of Braun et al., *Simple and Efficient Construction of Static Single Assignment
Form* (2013), on a finished CFG.
"""

from collections.abc import Container

from .function import Block
from .instruction import Instruction
from .types import Type
from .values import Value


class SSAVariable:
    """A variable: `define` all its definitions first, then query its value at any block that they reach.

    `exits` are blocks that get a phi even with a single predecessor: exits of loops that define it (LCSSA).
    """

    def __init__(self, type: Type, name: str | None = None, exits: Container[Block] = ()) -> None:
        self.type = type
        self.name = name
        self._exits = exits
        self._at_end: dict[Block, Value] = {}
        self._at_start: dict[Block, Value] = {}
        self._phis: dict[Instruction, None] = {}

    def define(self, block: Block, value: Value) -> None:
        """Set the value of the variable at the end of `block`."""
        self._at_end[block] = value

    def at_end(self, block: Block) -> Value:
        """Return the value at the end of a block."""
        value = self._at_end.get(block)
        return value if value is not None else self.at_start(block)

    def at_start(self, block: Block) -> Value:
        """Return the value at the start of a block."""
        if block not in self._at_start:
            self._find(block)
        return self._at_start[block]

    def _find(self, block: Block) -> None:
        """Determine the value at a block and at all blocks that it depends on, without recursion."""
        joins: list[Instruction] = []
        single: dict[Block, Block] = {}  # blocks with a single predecessor, from which they take the value
        work = [block]
        while work:
            at = work.pop()
            if at in self._at_start or at in single:
                continue
            predecessors = at.predecessors()
            assert predecessors, f"%{self.name} is not defined on every way to block %{at.name}"
            if len(predecessors) == 1 and at not in self._exits:
                single[at] = predecessors[0]
                if predecessors[0] not in self._at_end:
                    work.append(predecessors[0])
                continue
            phi = Instruction("phi", self.type, [], self.name)
            at.insert(0, phi)
            self._at_start[at] = phi
            self._phis[phi] = None
            joins.append(phi)
            work += [p for p in predecessors if p not in self._at_end]
        for last, at in single.items():
            chain = [last]
            while at not in self._at_end and at not in self._at_start:
                chain.append(at)
                at = single[at]
            known = self._at_end[at] if at in self._at_end else self._at_start[at]
            self._at_start.update((b, known) for b in chain)
        for phi in joins:
            assert phi.block is not None
            for predecessor in phi.block.predecessors():
                value = self.at_end(predecessor)
                # A switch may have several edges to the block.
                for _ in range(predecessor.terminator.successors().count(phi.block)):
                    phi.add_incoming(value, predecessor)

    def simplify(self) -> None:
        """Remove trivial phis; afterwards the variable must not be queried."""
        work = list(self._phis)
        while work:
            phi = work.pop()
            if phi not in self._phis:
                continue
            values = {value for value, _ in phi.incoming() if value is not phi}
            if len(values) == 1 and phi.block not in self._exits:
                work += [user for user in phi.users if user in self._phis and user is not phi]
                phi.replace_all_uses_with(values.pop())
                phi.erase()
                del self._phis[phi]
