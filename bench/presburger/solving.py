"""Decides the problem sets: Z3 on the paper's formulas, with and without modulo elimination, and Weft."""

import random
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from bench.presburger.problems import ELEMENT, ProblemSet
from weft.analysis.consecutive import relevant
from weft.smt.facts import Facts
from weft.smt.studies.ranges import NOT, YES, RangeResult, decide_range
from weft.smt.studies.smtlib import integer_problem
from weft.smt.studies.z3_solver import decide
from weft.smt.terms import Term, with_inputs

PLAIN, ELIMINATED, ALONE, CLASS = "Z3", "Z3 with modulo elimination", "one by one", "by class"
# Time for an input, as a multiple of the limit per call; if its pairs are not all decided by then, it is a
# time-out.
LIMITS_PER_INPUT = 2
SMALL_SET = 64
_SEED = 2013


@dataclass
class Tally:
    """The results of one method on inputs of a problem set, and the processor time in seconds.

    `wrong` counts results that contradict those of Weft's own procedure.
    """

    inputs: int = 0
    yes: int = 0
    no: int = 0
    unknown: int = 0
    timeouts: int = 0
    seconds: float = 0.0
    wrong: int = 0
    condition: str = ""
    proved: str = ""
    procedures: dict[str, int] = field(default_factory=dict)

    @property
    def answered(self) -> int:
        """Inputs with a proof or a counterexample."""
        return self.yes + self.no


def sampled(problem: ProblemSet, count: int) -> list[int]:
    """Return some inputs of a set, the same in every run; all of a small set."""
    every = range(problem.low, problem.end)
    few = bool(count) and len(every) <= max(count, SMALL_SET)
    return list(every) if few else sorted(random.Random(_SEED).sample(every, count))


def own_tally(decided: RangeResult) -> Tally:
    """Return the results of Weft's own procedures."""
    return Tally(
        len(decided.results),
        decided.yes,
        decided.no,
        decided.unknown,
        0,
        decided.seconds,
        0,
        str(decided.condition or ""),
        str(decided.proved or ""),
        decided.procedures,
    )


def decide_all(problem: ProblemSet, width: int, by_class: bool) -> RangeResult:
    """Decide every input of a set by Weft's own procedures."""
    term, facts = problem.query(width)
    span = problem.key, problem.low, problem.end
    return decide_range(term, *span, width, facts, ELEMENT, by_class=by_class)


def ask_z3(
    problem: ProblemSet,
    width: int,
    inputs: Sequence[int],
    eliminate: bool,
    limit_ms: int,
    known: RangeResult,
    step: Callable[[], None],
) -> Tally:
    """Run Z3 on the paper's formulas: for each input, one problem per pair of lanes until one is refuted."""
    term, facts = problem.query(width)
    tally = Tally()
    for value in inputs:
        answer, seconds = _solve_input(term, facts, problem.key, value, width, eliminate, limit_ms)
        tally.inputs += 1
        tally.seconds += seconds
        tally.yes += answer == "unsat"
        tally.no += answer == "sat"
        tally.unknown += answer == "unknown"
        tally.timeouts += answer == "timeout"
        expected = {YES: "unsat", NOT: "sat"}.get(int(known.results[value - problem.low]))
        tally.wrong += answer in ("sat", "unsat") and answer != expected
        step()
    return tally


def _solve_input(
    term: Term, facts: Facts, key: str, value: int, width: int, eliminate: bool, limit_ms: int
) -> tuple[str, float]:
    index = with_inputs(term, {key: value})
    relevant_facts = relevant(facts, index)
    spent, undecided = 0.0, ""
    start = time.monotonic()
    for lane in range(width - 1):
        if 1000 * (time.monotonic() - start) > LIMITS_PER_INPUT * limit_ms:
            undecided = undecided or "timeout"
            break
        text = integer_problem(
            index, width, relevant_facts, ELEMENT, lanes=(lane,), eliminate=eliminate, bounded=False
        )
        decision = decide(text, limit_ms)
        spent += decision.seconds
        if decision.answer == "sat":
            return "sat", spent
        if decision.answer != "unsat":
            undecided = decision.answer  # another pair may still refute
    return undecided or "unsat", spent
