"""Synthesize a condition from a set of inputs: the shortest form that describes the set exactly.

The set is the result of some procedure, input by input. Forms are tried from the simplest to the longest; a
form is accepted only if it agrees with the set on every input of the range (section 5 of the paper leaves
this step open).
"""

from collections.abc import Iterator

import numpy as np

from weft.dataclasses import dataclass

from ..terms import Term, binary, compare, constant, text
from .arrays import Array, evaluate_arrays

# Residues for moduli up to this one are tried.
LARGEST_MODULUS = 64
FEW = 4


@dataclass(frozen=True)
class SetCondition:
    """A condition on one input that agrees with a set on a range, as a term of width 1 and as text."""

    term: Term
    words: str

    def __str__(self) -> str:
        return self.words


def describe(members: Array, low: int, leaf: Term) -> SetCondition | None:
    """Return the condition on input `leaf` that holds for exactly the members among low, low + 1, …."""
    numbers = low + np.arange(len(members))
    for form in _forms(members, numbers, leaf):
        values, defined = evaluate_arrays(form.term, np.zeros(1, np.int64), {leaf.key: numbers})
        if bool((defined & ((values == 1) == members)).all()):
            return form
    return None


def _forms(members: Array, numbers: Array, leaf: Term) -> Iterator[SetCondition]:
    matching = numbers[members]
    if not len(matching):
        yield SetCondition(constant(0, 1), "never")
        return
    if members.all():
        yield SetCondition(constant(1, 1), "always")
        return
    least, most = int(matching[0]), int(matching[-1])
    bounds = [_at_least(leaf, least)] if least > int(numbers[0]) else []
    if most < int(numbers[-1]):
        bounds.append(_at_most(leaf, most))
    if bounds:
        yield _all(bounds)
    forms = [*_residues(matching, leaf)]
    if least > 0 and not (matching & (matching - 1)).any():
        forms.append(_power_of_two(leaf))
    for form in forms:
        yield form
        for bound in bounds:
            yield _all([form, bound])
        yield _all([form, *bounds])
    if len(matching) <= FEW:
        yield _any([_equals(leaf, int(n)) for n in matching])
    outside = numbers[~members]
    if len(outside) <= FEW:
        yield _all([_differs(leaf, int(n)) for n in outside])


def _residues(matching: Array, leaf: Term) -> Iterator[SetCondition]:
    """Yield `a % m == r` for all m that the members allow, largest m first: it is the strongest."""
    for modulus in range(LARGEST_MODULUS, 1, -1):
        residues = np.unique(matching % modulus)
        if len(residues) == 1:
            residue = int(residues[0])
            test = compare(
                "eq",
                binary("urem", leaf, constant(modulus, leaf.width)),
                constant(residue, leaf.width),
            )
            yield SetCondition(test, f"{text(leaf)} % {modulus} == {residue}")


def _at_least(leaf: Term, number: int) -> SetCondition:
    predicate = "sge" if number <= 0 else "uge"
    return SetCondition(compare(predicate, leaf, constant(number, leaf.width)), f"{text(leaf)} >= {number}")


def _at_most(leaf: Term, number: int) -> SetCondition:
    predicate = "sle" if number < 0 else "ule"
    return SetCondition(compare(predicate, leaf, constant(number, leaf.width)), f"{text(leaf)} <= {number}")


def _equals(leaf: Term, number: int) -> SetCondition:
    return SetCondition(compare("eq", leaf, constant(number, leaf.width)), f"{text(leaf)} == {number}")


def _differs(leaf: Term, number: int) -> SetCondition:
    return SetCondition(compare("ne", leaf, constant(number, leaf.width)), f"{text(leaf)} != {number}")


def _power_of_two(leaf: Term) -> SetCondition:
    below = binary("sub", leaf, constant(1, leaf.width))
    test = compare("eq", binary("and", leaf, below), constant(0, leaf.width))
    return SetCondition(test, f"{text(leaf)} & ({text(leaf)} - 1) == 0")


def _all(parts: list[SetCondition]) -> SetCondition:
    term = parts[0].term
    for part in parts[1:]:
        term = binary("and", term, part.term)
    return SetCondition(term, " && ".join(p.words for p in parts))


def _any(parts: list[SetCondition]) -> SetCondition:
    term = parts[0].term
    for part in parts[1:]:
        term = binary("or", term, part.term)
    return SetCondition(term, " || ".join(p.words for p in parts))
