"""Queries about the addresses of a block of lanes.

`classify` determines the relative addresses of `width` lanes; `condition` finds a statement on the inputs
under which they are consecutive or otherwise usable. Results are proved for all blocks and inputs that the
facts allow, in machine arithmetic, or are unknown. No solver is needed, and a query takes a few hundred
microseconds.
"""

import time
from collections.abc import Callable, Container, Sequence
from itertools import pairwise

from weft.dataclasses import replace

from .blocks import Block
from .candidates import candidates
from .facts import Facts
from .prover import OutOfSteps, Prover
from .simplify import simplified
from .terms import Term
from .verdict import (
    CONSECUTIVE,
    EQUAL,
    ONE_ACCESS,
    PATTERN,
    PERMUTATION,
    PIECES,
    REVERSED,
    STRIDE,
    UNKNOWN,
    Atom,
    Condition,
    Verdict,
)

# The limit of a question just in time, and how many operations a slow machine looks at in a millisecond.
LIMIT_MS = 20.0
STEPS_PER_MS = 100
# Statements are added until the proof succeeds; each round uncovers what was hidden behind the last one.
ROUNDS = 4
MOST_ATOMS = 8
CELLS = "cells"
SIMPLIFICATION = "simplification"


def classify(
    term: Term,
    width: int,
    facts: Facts,
    element: int = 1,
    *,
    pieces: bool = True,
    limit_ms: float = LIMIT_MS,
    prover: Prover | None = None,
) -> Verdict:
    """How the addresses `term` (in bytes) of elements of `element` bytes lie in blocks of `width` lanes.

    `pieces`: whether to look for halves and quarters that are consecutive if the whole is not. A `prover`
    that is kept for several questions (of the same width) does shared work once.
    """
    start = time.thread_time()
    prover = prover or Prover(width)
    prover.limit = int(limit_ms * STEPS_PER_MS)
    found = Verdict(UNKNOWN, width)
    try:
        found = verdict_of(prover.block(term, facts), element)
        if found.kind == UNKNOWN and (shorter := simplified(term)) is not term:
            term = shorter
            found = verdict_of(prover.block(term, facts), element)
            if found.is_yes:
                found = replace(found, procedure=SIMPLIFICATION)
        parts = 2
        while found.kind in (UNKNOWN, PATTERN) and pieces and parts <= 4 and width // parts >= 2:
            found = _in_pieces(term, facts, element, parts, prover) or found
            parts *= 2
    except OutOfSteps:
        pass
    return replace(found, seconds=time.thread_time() - start)


def _in_pieces(term: Term, facts: Facts, element: int, parts: int, prover: Prover) -> Verdict | None:
    size = prover.width // parts
    alignment = 0
    for first in range(0, prover.width, size):
        piece = verdict_of(prover.block(term, facts, range(first, first + size)), element)
        if piece.kind != CONSECUTIVE:
            return None
        alignment = min(alignment, piece.alignment) if alignment else piece.alignment
    return Verdict(PIECES, prover.width, pieces=parts, alignment=alignment, procedure=CELLS)


def verdict_of(block: Block, element: int) -> Verdict:
    """What the numbers of a block's lanes say about its addresses."""
    if block.offsets is None:
        return Verdict(UNKNOWN, 0)
    width = len(block.offsets)
    if any(o % element for o in block.offsets):
        return Verdict(UNKNOWN, width)
    places = tuple(o // element for o in block.offsets)
    kind, stride = _kind(places)
    shown = places if kind in (PERMUTATION, PATTERN) else ()
    return Verdict(kind, width, stride, shown, 1, block.divisor, CELLS)


def _kind(places: Sequence[int]) -> tuple[str, int]:
    count = len(places)
    step = places[1] - places[0] if count > 1 else 1
    if all(b - a == step for a, b in pairwise(places)):
        return {0: EQUAL, 1: CONSECUTIVE, -1: REVERSED}.get(step, STRIDE), step
    return (PERMUTATION if sorted(places) == list(range(count)) else PATTERN), 0


def condition(
    term: Term,
    width: int,
    facts: Facts,
    element: int = 1,
    *,
    kinds: Sequence[str] = ONE_ACCESS,
    available: Container[str] | None = None,
    limit_ms: float = LIMIT_MS,
    prover: Prover | None = None,
) -> Condition | None:
    """A statement on the inputs under which the addresses are of one of some kinds.

    `available` are the keys of the inputs that it may be about, those whose values are known where it will be
    asked; None: all.

    The proof says where it stops without a fact (`candidates.py`); those facts are assumed until it goes
    through, and then those that it does without are dropped again.
    """
    start = time.thread_time()
    prover = prover or Prover(width)
    prover.limit = int(limit_ms * STEPS_PER_MS)
    try:
        found = _assumed(term, facts, element, kinds, prover, available)
    except OutOfSteps:
        return None
    if found is None:
        return None
    return replace(found, verdict=replace(found.verdict, seconds=time.thread_time() - start))


def _assumed(
    term: Term,
    facts: Facts,
    element: int,
    kinds: Sequence[str],
    prover: Prover,
    available: Container[str] | None,
) -> Condition | None:
    def verdict(atoms: tuple[Atom, ...]) -> Verdict:
        return verdict_of(prover.block(term, prover.assume(facts, atoms)), element)

    atoms, found = _first_guess(verdict, kinds, prover)
    for _ in range(ROUNDS):
        if found is not None and found.kind in kinds:
            break
        solver = prover.solver(prover.assume(facts, atoms))
        solver.of(term)
        new = tuple(a for a in candidates(term, solver, available) if a not in atoms)
        if not new or len(atoms) + len(new) > MOST_ATOMS:
            return None
        atoms += new
        found = verdict(atoms)
    if found is None or found.kind not in kinds:
        return None
    for atom in atoms if len(atoms) > 1 else ():
        rest = tuple(a for a in atoms if a is not atom)
        weaker = verdict(rest)
        if weaker.kind == found.kind:
            atoms, found = rest, weaker
    prover.found[atoms] = None
    return Condition(atoms, found)


def _first_guess(
    verdict: Callable[[tuple[Atom, ...]], Verdict], kinds: Sequence[str], prover: Prover
) -> tuple[tuple[Atom, ...], Verdict | None]:
    """Nothing, or what served for another access: accesses of a loop mostly have one condition."""
    found = verdict(())
    if found.kind not in kinds:
        for atoms in prover.found:
            guess = verdict(atoms)
            if guess.kind in kinds:
                return atoms, guess
    return (), found
