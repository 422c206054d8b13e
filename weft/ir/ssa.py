"""Gives a variable with several definitions its SSA form, phis placed on demand.

The algorithm is that of Braun et al., *Simple and Efficient Construction of Static Single Assignment
Form* (2013), on a finished CFG.
"""

from .function import Block
from .instruction import Instruction
from .types import Type
from .values import Value


class SSAVariable:
    """A variable; `define` all its definitions first, then ask for its value anywhere they reach."""

    def __init__(self, type: Type, name: str | None = None) -> None:
        self.type = type
        self.name = name
        self._at_end: dict[Block, Value] = {}
        self._at_start: dict[Block, Value] = {}
        self._phis: list[Instruction] = []

    def define(self, block: Block, value: Value) -> None:
        """The variable has this value at the end of `block`."""
        self._at_end[block] = value

    def at_end(self, block: Block) -> Value:
        """The value when control leaves a block."""
        found = self._at_end.get(block)
        return found if found is not None else self.at_start(block)

    def at_start(self, block: Block) -> Value:
        """The value when control enters a block."""
        found = self._at_start.get(block)
        if found is not None:
            return found
        predecessors = block.predecessors()
        assert predecessors, f"%{self.name} is not defined on every way to block %{block.name}"
        if len(predecessors) == 1:
            value = self.at_end(predecessors[0])
            self._at_start[block] = value
            return value
        phi = Instruction("phi", self.type, [], self.name)
        block.insert(0, phi)
        self._at_start[block] = phi
        self._phis.append(phi)
        for predecessor in predecessors:
            value = self.at_end(predecessor)
            # A switch may come here by several of its cases.
            for _ in range(predecessor.terminator.successors().count(block)):
                phi.add_incoming(value, predecessor)
        return phi

    def simplify(self) -> None:
        """Removes phis that only ever have one value; afterwards the variable is not to be asked again."""
        changed = True
        while changed:
            changed = False
            for phi in list(self._phis):
                values = {value for value, _ in phi.incoming() if value is not phi}
                if len(values) == 1:
                    phi.replace_all_uses_with(values.pop())
                    phi.erase()
                    self._phis.remove(phi)
                    changed = True
