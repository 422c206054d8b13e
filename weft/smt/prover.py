"""State shared between proofs: the accesses of a loop have most of their terms in common."""

from .blocks import Block
from .facts import Facts
from .solve import Solver
from .terms import Term
from .verdict import Atom, with_all


class OutOfSteps(Exception):
    """A question took more steps than it may."""


class Prover:
    """Solvers for blocks of `width` lanes, one for each set of facts and piece of the block.

    `limit` counts down the operations that are looked at: that makes answers the same on every machine and
    at every time, as a limit on time would not.
    """

    def __init__(self, width: int) -> None:
        self.width = width
        self._solvers: dict[tuple[range, int], Solver] = {}
        self._facts: list[Facts] = []  # keeps them alive, so that their identities stay unique
        self._assumed: dict[tuple[int, tuple[Atom, ...]], Facts] = {}
        self.found: dict[tuple[Atom, ...], None] = {}  # conditions that served before
        self.limit = 0

    def solver(self, facts: Facts, lanes: range | None = None) -> Solver:
        """The solver for some facts and some lanes of the block, all of them as a rule."""
        lanes = lanes or range(self.width)
        key = (lanes, id(facts))
        found = self._solvers.get(key)
        if found is None:
            self._facts.append(facts)
            found = self._solvers[key] = Solver(lanes, facts)
        return found

    def assume(self, facts: Facts, atoms: tuple[Atom, ...]) -> Facts:
        """Facts together with statements; the same ones give the same facts again."""
        if not atoms:
            return facts
        key = (id(facts), atoms)
        found = self._assumed.get(key)
        if found is None:
            self._facts.append(facts)
            found = self._assumed[key] = with_all(facts, atoms)
        return found

    def block(self, term: Term, facts: Facts, lanes: range | None = None) -> Block:
        """What facts say about a term in some lanes."""
        solver = self.solver(facts, lanes)
        before = len(solver.blocks)
        found = solver.of(term)
        self.limit -= len(solver.blocks) - before
        if self.limit < 0:
            raise OutOfSteps
        return found
