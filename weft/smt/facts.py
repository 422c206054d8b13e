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
    """Statements that hold in every lane of every block that a query is about.

    `ranges`: a term lies between two numbers (inclusive) in unsigned interpretation; `signed_ranges`: in
    signed interpretation. `residues`: a term is `residue` modulo the power of two `modulus`. `flags`: every
    lane computes the term and none of its numbers is poison, so flags such as `nsw` hold.
    """

    ranges: Mapping[Term, Range] = field(default_factory=lambda: _NOTHING)
    signed_ranges: Mapping[Term, Range] = field(default_factory=lambda: _NOTHING)
    residues: Mapping[Term, Residue] = field(default_factory=lambda: _NOTHING)
    flags: bool = True

    def with_range(self, term: Term, low: int, high: int, signed: bool = False) -> "Facts":
        """Return these facts and one more range; ranges of the same term are intersected."""
        known = self.signed_ranges if signed else self.ranges
        before = known.get(term)
        if before is not None:
            low, high = max(low, before[0]), min(high, before[1])
        ranges = {**known, term: (low, high)}
        return replace(self, signed_ranges=ranges) if signed else replace(self, ranges=ranges)

    def with_residue(self, term: Term, modulus: int, residue: int = 0) -> "Facts":
        """Return these facts and one more residue; of two residues of a term, keep the one with the larger
        modulus."""
        assert modulus & (modulus - 1) == 0
        before = self.residues.get(term)
        if before is not None and before[0] >= modulus:
            return self
        return replace(self, residues={**self.residues, term: (modulus, residue % modulus)})

    def hold(self, lanes: Sequence[int], inputs: Mapping[str, int]) -> bool:
        """Return whether the facts are true of the lanes of one block."""
        for term in self.terms():
            program = Program(term, self.flags)
            for lane in lanes if term.varies else lanes[:1]:
                value = program.run(lane, inputs)
                if value is None or not self._agree(term, value):
                    return False
        return True

    def _agree(self, term: Term, value: int) -> bool:
        """Return whether all facts about a term are true of a number."""
        low, high = self.ranges.get(term, (value, value))
        number = signed(value, term.width)
        least, most = self.signed_ranges.get(term, (number, number))
        modulus, residue = self.residues.get(term, (1, 0))
        return low <= value <= high and least <= number <= most and value % modulus == residue

    def terms(self) -> list[Term]:
        """Return the terms of all facts."""
        return list(dict.fromkeys((*self.ranges, *self.signed_ranges, *self.residues)))

    def inputs(self, term: Term) -> dict[str, Term]:
        """Return the inputs of a term and of the facts."""
        result = inputs(term)
        for other in self.terms():
            result |= inputs(other)
        return result

    def lines(self) -> list[str]:
        """Return the facts as text, one per line, in a fixed order."""
        lines = [f"{low} <= {text(t)} <= {high}" for t, (low, high) in self.ranges.items()]
        lines += [f"{low} <= {text(t)} <= {high} (signed)" for t, (low, high) in self.signed_ranges.items()]
        lines += [f"{text(t)} % {modulus} == {residue}" for t, (modulus, residue) in self.residues.items()]
        return sorted(lines)
