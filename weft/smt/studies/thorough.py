"""Run all procedures in sequence, for `weft consecutive`, reports and tables.

The compiler's procedure (`decide.py`) comes first, then modulo elimination and one period over the integers,
a search for a counterexample, and Z3 if it is installed. Every *no* has a counterexample, and every *yes* a
proof.
"""

import time

from weft.dataclasses import replace

from ..blocks import made
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
# Names of the inputs that say where a block starts.
BLOCKS = ("block", "global_block", "local_block")


def examine(
    term: Term, width: int, facts: Facts, element: int = 1, *, z3_ms: int = 2000, pieces: bool = True
) -> Verdict:
    """How the addresses lie, by whichever procedure can tell; `z3_ms`: the time that Z3 gets, 0 for none."""
    start = time.thread_time()
    found = classify(term, width, facts, element, pieces=pieces)
    if found.kind == UNKNOWN:
        found = by_elimination(term, width, facts, element) or found
    if found.kind == UNKNOWN:
        found = by_period(term, width, facts, element) or found
    if found.kind == UNKNOWN:
        counterexample = find(term, width, facts, element, block=block_name(term))
        if counterexample is not None:
            found = Verdict(NO, width, procedure=SEARCH, counterexample=counterexample)
    if found.kind == UNKNOWN and z3_ms and is_available():
        found = by_z3(term, width, facts, element, z3_ms)
    return replace(found, seconds=time.thread_time() - start)


def block_name(term: Term) -> str | None:
    """The input that says where the block starts."""
    return next((b for b in BLOCKS if b in inputs(term)), None)


def by_elimination(term: Term, width: int, facts: Facts, element: int) -> Verdict | None:
    """Modulo elimination: where the distances between lanes are numbers once `x mod k` is gone."""
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
    found = verdict_of(made(term.width, tuple(offsets), 1, 0), element)
    return replace(found, procedure=ELIMINATION) if found.is_yes else None


def by_period(term: Term, width: int, facts: Facts, element: int) -> Verdict | None:
    """One period of the distances between lanes, if all inputs but the block's start cancel or are known."""
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
    found = verdict_of(made(term.width, tuple(offsets), 1, 0), element)
    if found.is_yes:
        return replace(found, procedure=PERIOD)
    return None


def _refuted(
    term: Term, width: int, facts: Facts, element: int, name: str, starts: list[int]
) -> Verdict | None:
    """A block among some in which distances change, if the machine agrees."""
    solver = Solver(range(width), facts)
    others = {key: solver.of(leaf).low for key, leaf in facts.inputs(term).items()}
    for start in starts:
        found = checked(term, width, facts, element, {**others, name: start})
        if found is not None:
            return Verdict(NO, width, procedure=PERIOD, counterexample=found)
    return None


def by_z3(term: Term, width: int, facts: Facts, element: int, limit_ms: int) -> Verdict:
    """Z3 on the machine's own arithmetic."""
    answer = decide(bit_vector_problem(term, width, facts, element), limit_ms)
    if answer.answer == "unsat":
        return Verdict("consecutive", width, 1, procedure=Z3, seconds=answer.seconds)
    if answer.answer == "sat":
        given = {key: answer.model.get(key, 0) for key in facts.inputs(term)}
        found = checked(term, width, facts, element, given)
        if found is not None:
            return Verdict(NO, width, procedure=Z3, seconds=answer.seconds, counterexample=found)
    return Verdict(UNKNOWN, width, procedure=Z3, seconds=answer.seconds)
