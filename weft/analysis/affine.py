"""Affine expressions: a sum of values with factors, and a constant.

    4 * %i + 8 * %n + 12

Values narrower than 64 bits count as signed numbers. `affine_ranges.py` has expressions over the integers, of
values whose sums cannot wrap; `locations.py` those of addresses, modulo 2^64.
"""

from typing import NamedTuple

from weft.ir import Value


class Affine(NamedTuple):
    """Values with factors, none of which is 0, and a constant."""

    terms: tuple[tuple[Value, int], ...]
    constant: int

    def plus(self, other: "Affine", factor: int = 1) -> "Affine":
        """Add a multiple of another expression."""
        terms = dict(self.terms)
        for value, count in other.terms:
            terms[value] = terms.get(value, 0) + factor * count
        kept = tuple((value, count) for value, count in terms.items() if count)
        return Affine(kept, self.constant + factor * other.constant)

    def modulo(self, size: int) -> "Affine":
        """The same modulo a number: factors and the constant are not negative, and below it."""
        terms = tuple((value, count % size) for value, count in self.terms if count % size)
        return Affine(terms, self.constant % size)

    def factor_of(self, value: Value) -> int:
        """The factor of a value."""
        return dict(self.terms).get(value, 0)


NOTHING = Affine((), 0)
