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
    """A variable; `define` all its definitions first, then ask for its value anywhere they reach.

    `exits` are blocks that have a phi even for a single predecessor: exits of loops that define it (LCSSA).
    """

    def __init__(self, type: Type, name: str | None = None, exits: Container[Block] = ()) -> None:
        self.type = type
        self.name = name
        self._exits = exits
        self._at_end: dict[Block, Value] = {}
        self._at_start: dict[Block, Value] = {}
        self._phis: dict[Instruction, None] = {}

    def define(self, block: Block, value: Value) -> None:
        """The variable has this value at the end of `block`."""
        self._at_end[block] = value

    def at_end(self, block: Block) -> Value:
        """The value when control leaves a block."""
        found = self._at_end.get(block)
        return found if found is not None else self.at_start(block)

    def at_start(self, block: Block) -> Value:
        """The value when control enters a block."""
        if block not in self._at_start:
            self._find(block)
        return self._at_start[block]

    def _find(self, block: Block) -> None:
        """Find the value at a block and wherever else that takes; without recursion, as graphs are deep."""
        joins: list[Instruction] = []
        behind: dict[Block, Block] = {}  # blocks with a single predecessor, which tells their value
        work = [block]
        while work:
            at = work.pop()
            if at in self._at_start or at in behind:
                continue
            predecessors = at.predecessors()
            assert predecessors, f"%{self.name} is not defined on every way to block %{at.name}"
            if len(predecessors) == 1 and at not in self._exits:
                behind[at] = predecessors[0]
                if predecessors[0] not in self._at_end:
                    work.append(predecessors[0])
                continue
            phi = Instruction("phi", self.type, [], self.name)
            at.insert(0, phi)
            self._at_start[at] = phi
            self._phis[phi] = None
            joins.append(phi)
            work += [p for p in predecessors if p not in self._at_end]
        for last, at in behind.items():
            chain = [last]
            while at not in self._at_end and at not in self._at_start:
                chain.append(at)
                at = behind[at]
            known = self._at_end[at] if at in self._at_end else self._at_start[at]
            self._at_start.update((b, known) for b in chain)
        for phi in joins:
            assert phi.block is not None
            for predecessor in phi.block.predecessors():
                value = self.at_end(predecessor)
                # A switch may come here by several of its cases.
                for _ in range(predecessor.terminator.successors().count(phi.block)):
                    phi.add_incoming(value, predecessor)

    def simplify(self) -> None:
        """Remove phis that only ever have one value; afterwards the variable must not be queried."""
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
