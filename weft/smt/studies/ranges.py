"""Decide a query for every value of one input in a range: the set A of the paper, and its condition.

A proof for a class of inputs (`condition`) decides all of them at once. For the others, a search tests many
inputs at a time for a counterexample, in the blocks around the first multiples of the divisors. The rest is
decided one by one. Every input ends up with a proof, a counterexample, or neither (*unknown*).
"""

import time
from collections.abc import Callable, Iterator
from itertools import pairwise

import numpy as np

from weft.dataclasses import dataclass
from weft.integers import signed

from ..decide import CELLS, condition, verdict_of
from ..evaluate import Program
from ..facts import Facts
from ..solve import Solver
from ..terms import SHIFTS, Term, constant, inputs, walk, with_inputs
from ..verdict import CONSECUTIVE, UNKNOWN, Condition
from .arrays import Array, as_signed, evaluate_arrays
from .synthesis import SetCondition, describe
from .thorough import SEARCH, block_name, examine

YES, NOT, OPEN = 1, 0, -1
Progress = Callable[[int, int], None]
_MULTIPLES = (1, 2, 3)


@dataclass(frozen=True)
class RangeResult:
    """Results for the inputs low, low + 1, …: 1 (consecutive), 0 (not) or -1 (unknown), and the procedures
    used.

    `starts` holds a refuting block for each refuted input; `condition` describes the set of consecutive
    inputs; `proved` is the class of inputs that was proved at once.
    """

    key: str
    low: int
    results: Array
    starts: Array
    procedures: dict[str, int]
    proved: Condition | None
    condition: SetCondition | None
    seconds: float

    @property
    def yes(self) -> int:
        """The number of inputs that are proved to be consecutive."""
        return int((self.results == YES).sum())

    @property
    def no(self) -> int:
        """The number of inputs with a counterexample."""
        return int((self.results == NOT).sum())

    @property
    def unknown(self) -> int:
        """The number of undecided inputs."""
        return int((self.results == OPEN).sum())


def decide_range(
    term: Term,
    key: str,
    low: int,
    end: int,
    width: int,
    facts: Facts,
    element: int = 1,
    *,
    by_class: bool = True,
    progress: Progress | None = None,
) -> RangeResult:
    """Decide for all values low <= value < end of the input `key` whether addresses are consecutive.

    Without `by_class`, every input is decided separately, as in the paper.
    """
    start = time.thread_time()
    leaf = inputs(term)[key]
    numbers = low + np.arange(end - low)
    results = np.full(len(numbers), OPEN, np.int8)
    starts = np.zeros(len(numbers), np.int64)
    procedures: dict[str, int] = {}
    proved = None
    if by_class:
        proved = _proved(term, leaf, low, end, width, facts, element)
        if proved is not None:
            values, _ = evaluate_arrays(proved.term, np.zeros(1, np.int64), {key: numbers})
            results[np.broadcast_to(values == 1, results.shape)] = YES
            procedures[CELLS] = int((results == YES).sum())
        _refute(term, leaf, numbers, results, starts, width, facts, element)
        procedures[SEARCH] = int((results == NOT).sum())
    undecided = np.flatnonzero(results == OPEN)
    single = _OneByOne(term, leaf, width, facts, element)
    for count, place in enumerate(undecided):
        if progress is not None:
            progress(count, len(undecided))
        results[place], procedure, starts[place] = single.decide(int(numbers[place]))
        procedures[procedure] = procedures.get(procedure, 0) + 1
    description = None if (results == OPEN).any() else describe(results == YES, low, leaf)
    used = {name: count for name, count in procedures.items() if count}
    return RangeResult(key, low, results, starts, used, proved, description, time.thread_time() - start)


def _proved(
    term: Term, leaf: Term, low: int, end: int, width: int, facts: Facts, element: int
) -> Condition | None:
    """Return a condition on this input alone for which the proof succeeds, if there is one."""
    if low >= 0:
        facts = facts.with_range(leaf, low, end - 1)
    result = condition(term, width, facts, element, kinds=(CONSECUTIVE,))
    if result is None or any(inputs(a.term).keys() != {leaf.key} for a in result.atoms):
        return None
    return result


def _refute(
    term: Term,
    leaf: Term,
    numbers: Array,
    results: Array,
    starts: Array,
    width: int,
    facts: Facts,
    element: int,
) -> None:
    """Search counterexamples for many inputs at once."""
    name = block_name(term)
    if name is None or not inputs(term).keys() <= {name, leaf.key}:
        return
    lanes = np.arange(width)[None, :]
    modulus = facts.residues.get(inputs(term)[name], (width, 0))[0]
    for divisor in _divisors(term, leaf):
        for times in _MULTIPLES:
            undecided = np.flatnonzero(results == OPEN)
            if not len(undecided):
                return
            values_of_leaf = {leaf.key: numbers[undecided]}
            sizes, defined = evaluate_arrays(divisor, np.zeros(1, np.int64), values_of_leaf)
            size = np.abs(as_signed(np.broadcast_to(sizes, undecided.shape).copy(), divisor.width))
            at = size * times // modulus * modulus
            columns = {leaf.key: numbers[undecided][:, None], name: at[:, None]}
            fine = np.broadcast_to(defined, undecided.shape) & _hold(facts, lanes, columns)
            addresses, valid = evaluate_arrays(term, lanes, columns, facts.flags)
            shape = (len(undecided), width)
            addresses = np.broadcast_to(addresses, shape)
            steps = (addresses[:, 1:] - addresses[:, :-1]) & np.uint64((1 << term.width) - 1)
            wrong = (steps != np.uint64(element)).any(axis=1)
            refuted = fine & wrong & np.broadcast_to(valid, shape).all(axis=1)
            results[undecided[refuted]] = NOT
            starts[undecided[refuted]] = at[refuted]


def _hold(facts: Facts, lanes: Array, columns: dict[str, Array]) -> Array:
    """Return for which blocks and inputs all facts hold."""
    shape = (len(next(iter(columns.values()))), lanes.shape[1])
    held = np.ones(shape, bool)
    for t, (low, high) in facts.ranges.items():
        values, defined = evaluate_arrays(t, lanes, columns, facts.flags)
        held &= (values >= np.uint64(low)) & (values <= np.uint64(high)) & defined
    for t, (low, high) in facts.signed_ranges.items():
        values, defined = evaluate_arrays(t, lanes, columns, facts.flags)
        held &= (as_signed(values, t.width) >= low) & (as_signed(values, t.width) <= high) & defined
    for t, (modulus, residue) in facts.residues.items():
        values, defined = evaluate_arrays(t, lanes, columns, facts.flags)
        held &= (values & np.uint64(modulus - 1) == np.uint64(residue)) & defined
    return np.asarray(held.all(axis=1))


def _divisors(term: Term, leaf: Term) -> Iterator[Term]:
    """Yield the divisors of a term; shift amounts count as powers of two."""
    divisors: dict[Term, None] = {}
    for at in walk(term):
        if at.op in ("udiv", "sdiv", "urem", "srem"):
            divisors[at.args[1]] = None
        elif at.op in SHIFTS and at.op != "shl":
            divisors[_power(at.args[1])] = None
    for divisor in divisors:
        if inputs(divisor).keys() <= {leaf.key} and not divisor.varies:
            yield divisor
    yield constant(0, leaf.width)


def _power(amount: Term) -> Term:
    return Term("shl", amount.width, (constant(1, amount.width), amount))


class _OneByOne:
    """Decides one value of the input at a time: by a nearby counterexample, or by a proof."""

    def __init__(self, term: Term, leaf: Term, width: int, facts: Facts, element: int) -> None:
        self.term, self.leaf, self.width, self.facts, self.element = term, leaf, width, facts, element
        self.block = block_name(term)
        alone = self.block is not None and inputs(term).keys() <= {self.block, leaf.key}
        self.divisors = [(Program(d), d.width) for d in _divisors(term, leaf)] if alone else []
        self.program = Program(term, facts.flags)
        self.modulus = width
        if self.block is not None:
            self.modulus = facts.residues.get(inputs(term)[self.block], (width, 0))[0]

    def decide(self, number: int) -> tuple[int, str, int]:
        """Return the result, the procedure, and the refuting block."""
        values = {self.leaf.key: number}
        for divisor, bits in self.divisors:
            size = divisor.run(0, values)
            if size is not None:
                start = abs(signed(size, bits)) // self.modulus * self.modulus
                if self._refutes({**values, str(self.block): start}):
                    return NOT, SEARCH, start
        value = number % (1 << self.leaf.width)
        known = self.facts.with_range(self.leaf, value, value)
        verdict = verdict_of(Solver(range(self.width), known).of(self.term), self.element)
        if verdict.kind == UNKNOWN:
            verdict = examine(
                with_inputs(self.term, values), self.width, self.facts, self.element, z3_ms=0, pieces=False
            )
        if verdict.counterexample is not None:
            return NOT, verdict.procedure, verdict.counterexample.inputs.get(str(self.block), 0)
        return {CONSECUTIVE: YES, UNKNOWN: OPEN}.get(verdict.kind, NOT), verdict.procedure, 0

    def _refutes(self, values: dict[str, int]) -> bool:
        """Return whether the addresses of a block are not consecutive although the facts allow it."""
        addresses = self.program.run_lanes(range(self.width), values)
        if addresses is None:
            return False
        size = 1 << self.term.width
        consecutive = all((b - a - self.element) % size == 0 for a, b in pairwise(addresses))
        return not consecutive and self.facts.hold(range(self.width), values)
