"""Run all procedures in sequence, for `weft consecutive`, reports and tables.

The compiler's procedure (`decide.py`) comes first, then modulo elimination and one period over the integers,
a search for a counterexample, and Z3 if it is installed. Every *no* has a counterexample, and every *yes* a
proof.
"""

import time

from weft.dataclasses import replace

from ..blocks import make_block
from ..decide import classify, verdict_of
from ..facts import Facts
from ..solve import Solver
from ..terms import Term, at_lane, inputs
from ..verdict import NO, UNKNOWN, Verdict
from .integers import number, substituted, without_modulo
from .period import constant_over_blocks
from .presburger import LANE_NAME, Integers, NotPresburger
from .search import checked, find
from .smtlib import bit_vector_problem
from .z3_solver import decide, is_available

ELIMINATION = "modulo elimination"
PERIOD = "period"
SEARCH = "search"
Z3 = "z3"
# Names of the inputs that hold the start of a block.
BLOCKS = ("block", "global_block", "local_block")


def examine(
    term: Term, width: int, facts: Facts, element: int = 1, *, z3_ms: int = 2000, pieces: bool = True
) -> Verdict:
    """Classify addresses by the first procedure that decides; `z3_ms` is the time limit of Z3, 0 to skip
    it."""
    start = time.thread_time()
    verdict = classify(term, width, facts, element, pieces=pieces)
    if verdict.kind == UNKNOWN:
        verdict = by_elimination(term, width, facts, element) or verdict
    if verdict.kind == UNKNOWN:
        verdict = by_period(term, width, facts, element) or verdict
    if verdict.kind == UNKNOWN:
        counterexample = find(term, width, facts, element, block=block_name(term))
        if counterexample is not None:
            verdict = Verdict(NO, width, procedure=SEARCH, counterexample=counterexample)
    if verdict.kind == UNKNOWN and z3_ms and is_available():
        verdict = by_z3(term, width, facts, element, z3_ms)
    return replace(verdict, seconds=time.thread_time() - start)


def block_name(term: Term) -> str | None:
    """Return the input that holds the start of the block."""
    return next((b for b in BLOCKS if b in inputs(term)), None)


def by_elimination(term: Term, width: int, facts: Facts, element: int) -> Verdict | None:
    """Decide by modulo elimination: the distances between lanes are constants without `x mod k`."""
    try:
        poly = without_modulo(Integers(range(width), facts).read(term))
    except NotPresburger:
        return None
    first = substituted(poly, {LANE_NAME: number(0)})
    offsets = []
    for lane in range(width):
        distance = (substituted(poly, {LANE_NAME: number(lane)}) - first).constant
        if distance is None:
            return None
        offsets.append(distance)
    verdict = verdict_of(make_block(term.width, tuple(offsets), 1, 0), element)
    return replace(verdict, procedure=ELIMINATION) if verdict.is_yes else None


def by_period(term: Term, width: int, facts: Facts, element: int) -> Verdict | None:
    """Decide by one period of the distances between lanes, if all inputs except the block's start cancel or
    are known."""
    name = block_name(term)
    if name is None:
        return None
    leaf = inputs(term)[name]
    bounds = Solver(range(width), facts).of(leaf)
    integers = Integers(range(width), facts)
    try:
        polys = [integers.read(at_lane(term, lane)) for lane in range(width)]
    except NotPresburger:
        return None
    offsets = []
    for poly in polys:
        distance = without_modulo(poly - polys[0])
        known = constant_over_blocks(distance, name, max(bounds.modulus, 1), bounds.low, bounds.high)
        if isinstance(known, list):
            return _refuted(term, width, facts, element, name, known)
        if known is None:
            return None
        offsets.append(known)
    verdict = verdict_of(make_block(term.width, tuple(offsets), 1, 0), element)
    if verdict.is_yes:
        return replace(verdict, procedure=PERIOD)
    return None


def _refuted(
    term: Term, width: int, facts: Facts, element: int, name: str, starts: list[int]
) -> Verdict | None:
    """Return a verdict with the first of some blocks that machine arithmetic confirms as counterexample."""
    solver = Solver(range(width), facts)
    others = {key: solver.of(leaf).low for key, leaf in facts.inputs(term).items()}
    for start in starts:
        counterexample = checked(term, width, facts, element, {**others, name: start})
        if counterexample is not None:
            return Verdict(NO, width, procedure=PERIOD, counterexample=counterexample)
    return None


def by_z3(term: Term, width: int, facts: Facts, element: int, limit_ms: int) -> Verdict:
    """Decide with Z3 in machine arithmetic."""
    answer = decide(bit_vector_problem(term, width, facts, element), limit_ms)
    if answer.answer == "unsat":
        return Verdict("consecutive", width, 1, procedure=Z3, seconds=answer.seconds)
    if answer.answer == "sat":
        values = {key: answer.model.get(key, 0) for key in facts.inputs(term)}
        counterexample = checked(term, width, facts, element, values)
        if counterexample is not None:
            return Verdict(NO, width, procedure=Z3, seconds=answer.seconds, counterexample=counterexample)
    return Verdict(UNKNOWN, width, procedure=Z3, seconds=answer.seconds)
