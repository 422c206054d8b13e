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

# Limit of a query at run time of the compiler, and the operations that a slow machine processes per
# millisecond.
LIMIT_MS = 20.0
STEPS_PER_MS = 100
# Statements are added until the proof succeeds; each round finds those that the previous one exposes.
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
    """Classify the addresses `term` (in bytes) of elements of `element` bytes in blocks of `width` lanes.

    With `pieces`, halves and quarters are tried if the whole block is not consecutive. A `prover` that is
    reused for several queries of the same width shares work between them.
    """
    start = time.thread_time()
    prover = prover or Prover(width)
    prover.limit = int(limit_ms * STEPS_PER_MS)
    verdict = Verdict(UNKNOWN, width)
    try:
        verdict = verdict_of(prover.block(term, facts), element)
        if verdict.kind == UNKNOWN and (shorter := simplified(term)) is not term:
            term = shorter
            verdict = verdict_of(prover.block(term, facts), element)
            if verdict.is_yes:
                verdict = replace(verdict, procedure=SIMPLIFICATION)
        parts = 2
        while verdict.kind in (UNKNOWN, PATTERN) and pieces and parts <= 4 and width // parts >= 2:
            verdict = _in_pieces(term, facts, element, parts, prover) or verdict
            parts *= 2
    except OutOfSteps:
        pass
    return replace(verdict, seconds=time.thread_time() - start)


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
    """Classify the addresses of a block by the numbers of its lanes."""
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
    """Find a statement on the inputs under which the addresses are of one of some kinds.

    `available` holds the keys of inputs that the statement may use, whose values must be known where it is
    tested; None allows all.

    The facts that are missing where the proof stops (`candidates.py`) are assumed until it succeeds; then
    those that it does not need are dropped.
    """
    start = time.thread_time()
    prover = prover or Prover(width)
    prover.limit = int(limit_ms * STEPS_PER_MS)
    try:
        result = _assumed(term, facts, element, kinds, prover, available)
    except OutOfSteps:
        return None
    if result is None:
        return None
    return replace(result, verdict=replace(result.verdict, seconds=time.thread_time() - start))


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

    atoms, current = _first_guess(verdict, kinds, prover)
    for _ in range(ROUNDS):
        if current is not None and current.kind in kinds:
            break
        solver = prover.solver(prover.assume(facts, atoms))
        solver.of(term)
        new = tuple(a for a in candidates(term, solver, available) if a not in atoms)
        if not new or len(atoms) + len(new) > MOST_ATOMS:
            return None
        atoms += new
        current = verdict(atoms)
    if current is None or current.kind not in kinds:
        return None
    for atom in atoms if len(atoms) > 1 else ():
        fewer = tuple(a for a in atoms if a is not atom)
        weaker = verdict(fewer)
        if weaker.kind == current.kind:
            atoms, current = fewer, weaker
    prover.conditions[atoms] = None
    return Condition(atoms, current)


def _first_guess(
    verdict: Callable[[tuple[Atom, ...]], Verdict], kinds: Sequence[str], prover: Prover
) -> tuple[tuple[Atom, ...], Verdict | None]:
    """Return no statement, or one that was sufficient for another access: accesses of a loop mostly share a
    condition."""
    unconditional = verdict(())
    if unconditional.kind not in kinds:
        for atoms in prover.conditions:
            guess = verdict(atoms)
            if guess.kind in kinds:
                return atoms, guess
    return (), unconditional
