"""Facts about terms that a query may assume: ranges, residues, and whether flags hold."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from weft.dataclasses import dataclass, field, replace
from weft.integers import signed

from .evaluate import Program
from .terms import Term, inputs, text

Range = tuple[int, int]
Residue = tuple[int, int]
_NOTHING: Mapping[Term, Range] = MappingProxyType({})


@dataclass(frozen=True)
class Facts:
    """Statements that hold in every lane of every block a question is about.

    `ranges`: a term lies between two numbers (both included) when read without sign; `signed_ranges`: when
    read with sign. `residues`: a term is `rest` modulo the power of two `modulus`. `flags`: every lane
    computes the term, and none of its numbers is poison, so `nsw` and its like may be believed.
    """

    ranges: Mapping[Term, Range] = field(default_factory=lambda: _NOTHING)
    signed_ranges: Mapping[Term, Range] = field(default_factory=lambda: _NOTHING)
    residues: Mapping[Term, Residue] = field(default_factory=lambda: _NOTHING)
    flags: bool = True

    def with_range(self, term: Term, low: int, high: int, signed: bool = False) -> "Facts":
        """These facts and one more range; ranges of the same term are intersected."""
        known = self.signed_ranges if signed else self.ranges
        before = known.get(term)
        if before is not None:
            low, high = max(low, before[0]), min(high, before[1])
        made = {**known, term: (low, high)}
        return replace(self, signed_ranges=made) if signed else replace(self, ranges=made)

    def with_residue(self, term: Term, modulus: int, rest: int = 0) -> "Facts":
        """These facts and one more residue, of two for a term the one that says more."""
        assert modulus & (modulus - 1) == 0
        before = self.residues.get(term)
        if before is not None and before[0] >= modulus:
            return self
        return replace(self, residues={**self.residues, term: (modulus, rest % modulus)})

    def hold(self, lanes: Sequence[int], inputs: Mapping[str, int]) -> bool:
        """Whether the facts are true of the lanes of one block."""
        for term in self.terms():
            program = Program(term, self.flags)
            for lane in lanes if term.varies else lanes[:1]:
                value = program.run(lane, inputs)
                if value is None or not self._agree(term, value):
                    return False
        return True

    def _agree(self, term: Term, value: int) -> bool:
        """Whether all facts about a term are true of a number."""
        low, high = self.ranges.get(term, (value, value))
        number = signed(value, term.width)
        least, most = self.signed_ranges.get(term, (number, number))
        modulus, rest = self.residues.get(term, (1, 0))
        return low <= value <= high and least <= number <= most and value % modulus == rest

    def terms(self) -> list[Term]:
        """The terms that something is said about."""
        return list(dict.fromkeys((*self.ranges, *self.signed_ranges, *self.residues)))

    def inputs(self, term: Term) -> dict[str, Term]:
        """The inputs of a term and of the facts."""
        found = inputs(term)
        for other in self.terms():
            found |= inputs(other)
        return found

    def lines(self) -> list[str]:
        """The facts in words, one a line, always in the same order."""
        found = [f"{low} <= {text(t)} <= {high}" for t, (low, high) in self.ranges.items()]
        found += [f"{low} <= {text(t)} <= {high} (signed)" for t, (low, high) in self.signed_ranges.items()]
        found += [f"{text(t)} % {modulus} == {rest}" for t, (modulus, rest) in self.residues.items()]
        return sorted(found)
