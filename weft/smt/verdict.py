"""Results of queries: the relative addresses of a block of lanes, and the inputs for which they hold."""

from collections.abc import Iterable, Mapping

from weft.dataclasses import dataclass

from .facts import Facts
from .terms import Term, binary, compare, constant, text

CONSECUTIVE = "consecutive"
EQUAL = "equal"
REVERSED = "reversed"
STRIDE = "stride"
PERMUTATION = "permutation"
PATTERN = "pattern"
PIECES = "pieces"
NO = "no"
UNKNOWN = "unknown"
# Kinds that one vector access can serve, possibly with a shuffle.
ONE_ACCESS = (CONSECUTIVE, EQUAL, REVERSED, PERMUTATION)


@dataclass(frozen=True)
class Counterexample:
    """A block whose addresses are not consecutive: its inputs, and the address of each lane."""

    inputs: Mapping[str, int]
    addresses: tuple[int, ...]
    lane: int  # the first one that is not consecutive


@dataclass(frozen=True)
class Verdict:
    """The classification of the addresses of `width` lanes, for all blocks and inputs that the facts allow.

    `consecutive`, `equal`, `reversed`, and `stride` with `stride` in elements; `permutation`: lane t accesses
    element `places[t]` of `width` consecutive ones; `pattern`: element `places[t]` from the lowest address,
    with gaps; `pieces`: each of `pieces` equal parts of the block is consecutive; `no`: a block is known that
    is not consecutive (`counterexample`); `unknown`: not decided. `alignment` is a power of two that divides
    the lowest address in bytes of the block (or of each piece).
    """

    kind: str
    width: int
    stride: int = 0
    places: tuple[int, ...] = ()
    pieces: int = 1
    alignment: int = 1
    procedure: str = ""
    seconds: float = 0.0
    counterexample: Counterexample | None = None

    @property
    def is_yes(self) -> bool:
        """Whether the vectorizer can use the verdict."""
        return self.kind not in (NO, UNKNOWN)

    def __str__(self) -> str:
        match self.kind:
            case "stride":
                return f"stride {self.stride}"
            case "permutation" | "pattern":
                return f"{self.kind} {','.join(map(str, self.places))}"
            case "pieces":
                names = {2: "consecutive in halves", 4: "consecutive in quarters"}
                return names.get(self.pieces, f"consecutive in {self.pieces} pieces")
        return self.kind


@dataclass(frozen=True)
class Atom:
    """A statement on one uniform term: multiple of, at least, or equal to a number."""

    relation: str  # "multiple", "at least", "equals"
    term: Term
    number: int

    @property
    def condition(self) -> Term:
        """The statement as a term of width 1."""
        width = self.term.width
        number = constant(self.number, width)
        if self.relation == "multiple":
            residue = binary("and", self.term, constant(self.number - 1, width))
            return compare("eq", residue, constant(0, width))
        return compare("uge" if self.relation == "at least" else "eq", self.term, number)

    def added_to(self, facts: Facts) -> Facts:
        """Return facts that include the statement."""
        if self.relation == "multiple":
            return facts.with_residue(self.term, self.number)
        high = self.number if self.relation == "equals" else (1 << self.term.width) - 1
        return facts.with_range(self.term, self.number, high)

    def __str__(self) -> str:
        name = text(self.term) if not self.term.args else f"({text(self.term)})"
        if self.term.width == 1 and self.relation == "equals":
            return name if self.number else f"!{name}"
        match self.relation:
            case "multiple":
                return f"{name} % {self.number} == 0"
            case "at least":
                return f"{name} >= {self.number}"
        return f"{name} == {self.number}"


@dataclass(frozen=True)
class Condition:
    """A statement on the inputs under which a verdict holds, proved for all inputs that satisfy it."""

    atoms: tuple[Atom, ...]
    verdict: Verdict

    @property
    def term(self) -> Term:
        """The condition as a term of width 1."""
        conjunction = constant(1, 1)
        for number, atom in enumerate(self.atoms):
            conjunction = binary("and", conjunction, atom.condition) if number else atom.condition
        return conjunction

    def __str__(self) -> str:
        return " && ".join(str(a) for a in self.atoms) or "always"


def with_all(facts: Facts, atoms: Iterable[Atom]) -> Facts:
    """Return facts that include several statements."""
    for atom in atoms:
        facts = atom.added_to(facts)
    return facts


def merged(conditions: Iterable[Condition]) -> tuple[Atom, ...]:
    """Combine the statements of several conditions; of two on the same term, keep the stronger one."""
    strongest: dict[tuple[str, Term, int], Atom] = {}
    for condition in conditions:
        for atom in condition.atoms:
            # Two different numbers in `equals` contradict each other: keep both.
            key = atom.relation, atom.term, atom.number if atom.relation == "equals" else 0
            before = strongest.get(key)
            if before is None or before.number < atom.number:
                strongest[key] = atom
    return tuple(strongest.values())
