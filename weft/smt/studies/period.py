"""Decide terms with constant divisors by examining one period.

An integer function f of the block's start is *quasi-linear* with period P and slope S if f(b + P) = f(b) + S
for all b. Constants have P = 1, S = 0, the start itself P = 1, S = 1. Sums take the least common multiple of
the periods. If f is quasi-linear, so are

    f div k    with period Q = P * k / gcd(k, S) and slope (S * Q / P) / k,  because k divides S * Q / P,
    f mod k    with period Q and slope 0,

and a select between functions of equal slope by a comparison whose sides have equal slope. So the blocks of
one period determine the distance between two lanes' addresses everywhere, and it is constant only if its
slope is 0. The integers are those of `presburger.py`, which model the machine exactly.
"""

from collections.abc import Mapping
from math import gcd, lcm

import numpy as np

from .arrays import Array
from .integers import Choice, Poly, Power, Quotient, Variable, variables

# Maximum number of blocks of a period that are examined.
MOST_BLOCKS = 1 << 20
_FITS = 1 << 62


def quasi_linear(poly: Poly, name: str) -> tuple[int, int] | None:
    """Return period and slope of an expression in one variable; None if it is not quasi-linear."""
    period, slopes = 1, []
    for monomial, factor in poly.parts:
        if len(monomial) > 1:
            return None
        linear = _atom(monomial[0], name) if monomial else (1, 0)
        if linear is None:
            return None
        slopes.append((linear[0], linear[1] * factor))
        period = lcm(period, linear[0])
    return period, sum((slope * (period // p) for p, slope in slopes))


def _atom(atom: object, name: str) -> tuple[int, int] | None:
    if isinstance(atom, Variable):
        return (1, 1) if atom.name == name else None
    if isinstance(atom, Quotient):
        inner, divisor = quasi_linear(atom.a, name), atom.b.constant
        if inner is None or not divisor:
            return None
        period, slope = inner
        whole = period * (abs(divisor) // gcd(abs(divisor), slope))
        return whole, 0 if atom.op == "mod" else slope * (whole // period) // divisor
    if isinstance(atom, Choice):
        return _choice(atom, name)
    return None


def _choice(atom: Choice, name: str) -> tuple[int, int] | None:
    test = quasi_linear(atom.condition.a - atom.condition.b, name)
    yes, no = quasi_linear(atom.yes, name), quasi_linear(atom.no, name)
    if test is None or yes is None or no is None or test[1] != 0:
        return None
    if yes[1] * no[0] != no[1] * yes[0]:
        return None
    period = lcm(test[0], yes[0], no[0])
    return period, yes[1] * (period // yes[0])


def values(poly: Poly, variables: Mapping[str, Array]) -> Array | None:
    """Evaluate an expression for many values of its variables; None if 64 bits do not suffice.

    The result of a division by 0 is arbitrary, because the machine's is undefined.
    """
    if _largest(poly, {k: int(np.abs(v).max(initial=0)) for k, v in variables.items()}) >= _FITS:
        return None
    with np.errstate(divide="ignore"):
        return _values(poly, variables)


def _values(poly: Poly, variables: Mapping[str, Array]) -> Array:
    total: Array = np.zeros((), np.int64)
    for monomial, factor in poly.parts:
        product: Array = np.asarray(factor, np.int64)
        for atom in monomial:
            product = product * _atom_values(atom, variables)
        total = total + product
    return total


def _atom_values(atom: object, variables: Mapping[str, Array]) -> Array:
    if isinstance(atom, Variable):
        return variables[atom.name]
    if isinstance(atom, Quotient):
        a, b = _values(atom.a, variables), _values(atom.b, variables)
        remainder = np.mod(a, np.abs(b))
        return remainder if atom.op == "mod" else (a - remainder) // b
    assert isinstance(atom, Choice)
    a, b = _values(atom.condition.a, variables), _values(atom.condition.b, variables)
    test = {"<": np.less, "<=": np.less_equal, "=": np.equal}[atom.condition.op](a, b)
    return np.where(test, _values(atom.yes, variables), _values(atom.no, variables))


def _largest(poly: Poly, known: Mapping[str, int]) -> int:
    """Return a bound of the absolute values of an expression and its subexpressions."""
    total = most = 0
    for monomial, factor in poly.parts:
        product = abs(factor)
        for atom in monomial:
            bound, largest_part = _largest_atom(atom, known)
            product, most = product * bound, max(most, largest_part)
        total += product
    return max(total, most)


def _largest_atom(atom: object, known: Mapping[str, int]) -> tuple[int, int]:
    if isinstance(atom, Variable):
        return known[atom.name], known[atom.name]
    if isinstance(atom, Quotient):
        a, b = _largest(atom.a, known), _largest(atom.b, known)
        divisor = atom.b.constant
        least = max(abs(divisor or 0), 1)
        return (b if atom.op == "mod" else a // least + 1), max(2 * a, 2 * b)
    if isinstance(atom, Choice):
        parts = (atom.condition.a, atom.condition.b, atom.yes, atom.no)
        bounds = [_largest(p, known) for p in parts]
        return max(bounds[2:]), max(bounds)
    assert isinstance(atom, Power)
    return _FITS, _FITS


def constant_over_blocks(
    poly: Poly, name: str, width: int, low: int, high: int, most_blocks: int = MOST_BLOCKS
) -> int | list[int] | None:
    """Return the value of an expression if it is the same for all multiples of `width` from `low` to `high`.

    Otherwise return a list of the first such multiples with a different value, or None if undecided.
    """
    if not variables(poly) <= {name}:
        return None
    if poly.constant is not None:
        return poly.constant
    linear = quasi_linear(poly, name)
    first = -(-low // width) * width
    blocks = (high - first) // width + 1
    if linear is not None:
        period = lcm(linear[0], width) // width
        # One block beyond a period reveals a slope that is not 0.
        blocks = min(blocks, period + (linear[1] != 0) * period)
    if blocks > most_blocks or blocks < 1:
        return None
    starts = first + width * np.arange(blocks, dtype=np.int64)
    numbers = values(poly, {name: starts})
    if numbers is None:
        return None
    numbers = np.broadcast_to(numbers, starts.shape)
    differs = np.flatnonzero(numbers != numbers[0])
    return [int(starts[i]) for i in differs[:64]] if len(differs) else int(numbers[0])
