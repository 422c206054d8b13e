"""State shared between proofs: the accesses of a loop have most of their terms in common."""

from .blocks import Block
from .facts import Facts
from .solve import Solver
from .terms import Term
from .verdict import Atom, with_all


class OutOfSteps(Exception):
    """A query exceeded its step limit."""


class Prover:
    """Solvers for blocks of `width` lanes, one for each set of facts and piece of the block.

    `limit` is the remaining number of operations. In contrast to a time limit, it makes results the same on
    every machine and in every run.
    """

    def __init__(self, width: int) -> None:
        self.width = width
        self._solvers: dict[tuple[range, int], Solver] = {}
        self._facts: list[Facts] = []  # keeps them alive, so that their ids stay unique
        self._assumed: dict[tuple[int, tuple[Atom, ...]], Facts] = {}
        self.conditions: dict[
            tuple[Atom, ...], None
        ] = {}  # conditions that were sufficient for earlier queries
        self.limit = 0

    def solver(self, facts: Facts, lanes: range | None = None) -> Solver:
        """Return the solver for some facts and lanes of the block; None means all lanes."""
        lanes = lanes or range(self.width)
        key = (lanes, id(facts))
        solver = self._solvers.get(key)
        if solver is None:
            self._facts.append(facts)
            solver = self._solvers[key] = Solver(lanes, facts)
        return solver

    def assume(self, facts: Facts, atoms: tuple[Atom, ...]) -> Facts:
        """Add statements to facts; equal arguments return the same object."""
        if not atoms:
            return facts
        key = (id(facts), atoms)
        extended = self._assumed.get(key)
        if extended is None:
            self._facts.append(facts)
            extended = self._assumed[key] = with_all(facts, atoms)
        return extended

    def block(self, term: Term, facts: Facts, lanes: range | None = None) -> Block:
        """Return the block of a term in some lanes under the facts."""
        solver = self.solver(facts, lanes)
        before = len(solver.blocks)
        block = solver.of(term)
        self.limit -= len(solver.blocks) - before
        if self.limit < 0:
            raise OutOfSteps
        return block
