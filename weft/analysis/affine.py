"""Affine expressions: a sum of values with factors, plus a constant.

    4 * %i + 8 * %n + 12

Values narrower than 64 bits are read as signed numbers. In `affine_ranges.py` expressions are over the
integers, for sums that cannot wrap; in `locations.py` they are addresses, modulo 2^64.
"""

from typing import NamedTuple

from weft.ir import Value


class Affine(NamedTuple):
    """Values with nonzero factors, and a constant."""

    terms: tuple[tuple[Value, int], ...]
    constant: int

    def plus(self, other: "Affine", factor: int = 1) -> "Affine":
        """Add `factor` times another expression."""
        terms = dict(self.terms)
        for value, count in other.terms:
            terms[value] = terms.get(value, 0) + factor * count
        kept = tuple((value, count) for value, count in terms.items() if count)
        return Affine(kept, self.constant + factor * other.constant)

    def modulo(self, size: int) -> "Affine":
        """Reduce the factors and the constant to [0, size)."""
        terms = tuple((value, count % size) for value, count in self.terms if count % size)
        return Affine(terms, self.constant % size)

    def factor_of(self, value: Value) -> int:
        """Return the factor of a value; 0 if it does not occur."""
        return dict(self.terms).get(value, 0)


NOTHING = Affine((), 0)
