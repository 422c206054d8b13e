"""Search for a counterexample: a block whose addresses are not consecutive.

Where addresses jump, a quotient changes inside a block: the block starts near a multiple of a divisor or of
an input, or near a power of two. Inputs are tried at the ends of their ranges, at small values and at random.
A candidate is verified lane by lane (`evaluate.py`), with all facts.
"""

from collections.abc import Mapping

import numpy as np

from ..evaluate import Program
from ..facts import Facts
from ..solve import Solver
from ..terms import Term, inputs, walk
from ..verdict import Counterexample
from .arrays import Array, evaluate_arrays

TRIES = 2048
_SEED = 2013  # fixed, so that a query always has the same result


def find(
    term: Term, width: int, facts: Facts, element: int, tries: int = TRIES, block: str | None = None
) -> Counterexample | None:
    """Search for a block that is not consecutive; `block` names the input where blocks start."""
    every = facts.inputs(term)
    rng = np.random.default_rng(_SEED)
    solver = Solver(range(width), facts)
    numbers = _interesting(term)
    values: dict[str, Array] = {}
    for key, leaf in every.items():
        if key != block:
            values[key] = _trial_values(leaf, solver, rng, numbers, tries)
    if block is not None and block in every:
        values[block] = _starts(every[block], solver, rng, numbers, values, tries)
    lanes = np.arange(width)[None, :]
    columns = {k: v[:, None] for k, v in values.items()}
    addresses, defined = evaluate_arrays(term, lanes, columns, facts.flags)
    addresses = np.broadcast_to(addresses, (tries, width))
    fine = np.broadcast_to(defined, (tries, width)).all(axis=1)
    steps = addresses[:, 1:] - addresses[:, :-1]
    if term.width < 64:
        steps = steps & np.uint64((1 << term.width) - 1)
    wrong = fine & (steps != np.uint64(element % (1 << term.width))).any(axis=1)
    # Prefer small numbers, which make a counterexample easy to follow.
    sizes = np.sum([v.astype(float) for v in values.values()], axis=0) if values else np.zeros(tries)
    places = np.flatnonzero(wrong)
    for place in places[np.argsort(sizes[places], kind="stable")][:64]:
        counterexample = checked(term, width, facts, element, {k: int(v[place]) for k, v in values.items()})
        if counterexample is not None:
            return counterexample
    return None


def checked(
    term: Term, width: int, facts: Facts, element: int, values: Mapping[str, int]
) -> Counterexample | None:
    """Return the counterexample for given inputs, if they refute and satisfy the facts."""
    lanes = range(width)
    addresses = Program(term, facts.flags).run_lanes(lanes, values)
    if addresses is None or not facts.hold(lanes, values):
        return None
    for lane in lanes[1:]:
        if (addresses[lane] - addresses[lane - 1] - element) % (1 << term.width):
            used = {k: v for k, v in values.items() if k in inputs(term)}
            return Counterexample(used, tuple(addresses), lane)
    return None


def _interesting(term: Term) -> list[int]:
    return sorted({t.constant for t in walk(term) if t.constant is not None})


def _trial_values(
    leaf: Term, solver: Solver, rng: np.random.Generator, numbers: list[int], tries: int
) -> Array:
    """Choose values for an input: the ends of its range, small and special ones, random ones of all sizes."""
    block = solver.of(leaf)
    low, high = block.low, block.high
    pool = [low, high, low + 1, high - 1, *range(low, low + 20), *(1 << k for k in range(leaf.width))]
    pool += [n + d for n in numbers for d in (-1, 0, 1)]
    sizes = rng.integers(0, leaf.width, tries)
    random = [low + int(rng.integers(0, 1 << int(s), dtype=np.uint64)) for s in sizes]
    picked = [pool[int(i)] for i in rng.integers(0, len(pool), tries)]
    mixed = [r if i % 2 else p for i, (p, r) in enumerate(zip(picked, random, strict=True))]
    return _fitted(mixed, block.modulus, block.residue, low, high)


def _starts(
    leaf: Term,
    solver: Solver,
    rng: np.random.Generator,
    numbers: list[int],
    values: Mapping[str, Array],
    tries: int,
) -> Array:
    """Choose starts of blocks just below multiples of possible divisors."""
    block = solver.of(leaf)
    divisors = [values[k] for k in values] + [np.full(tries, n, np.uint64) for n in numbers if n > 1]
    starts = []
    for i in range(tries):
        number = int(divisors[i % len(divisors)][i]) if divisors else 1 << int(rng.integers(0, leaf.width))
        if number < leaf.width and i % 3 == 0:
            number = 1 << number
        if i % 5 == 0:  # near 0, where inputs at the end of their range wrap
            number = int(rng.integers(0, 64))
        times = int(rng.integers(1, 5))
        starts.append(max(number, 1) * times - int(rng.integers(0, 2)))
    return _fitted(starts, block.modulus, block.residue, block.low, block.high)


def _fitted(numbers: list[int], modulus: int, residue: int, low: int, high: int) -> Array:
    """Move numbers to a residue class within a range."""
    first = low + (residue - low) % modulus
    last = high - (high - residue) % modulus
    fitted = [min(max(n - (n - residue) % modulus, first), max(last, first)) for n in numbers]
    return np.array(fitted, np.uint64)
