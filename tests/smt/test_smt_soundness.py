"""No result is a wrong yes or a wrong no: random terms against every block and input by brute force."""

from collections.abc import Iterator

import numpy as np
import pytest
from smt_random_terms import Everything, Query, random_query

from weft.smt.decide import classify, condition
from weft.smt.evaluate import Program, evaluate
from weft.smt.studies.arrays import evaluate_arrays
from weft.smt.studies.integers import variables
from weft.smt.studies.period import values as integer_values
from weft.smt.studies.presburger import Integers, NotPresburger
from weft.smt.studies.smtlib import bit_vector_problem, integer_problem
from weft.smt.studies.thorough import by_elimination, by_period, examine
from weft.smt.studies.z3_solver import decide
from weft.smt.terms import DIVISIONS, SHIFTS, Term, at_lane, binary, cast, input_, walk
from weft.smt.verdict import CONSECUTIVE, NO, UNKNOWN


def everything_of(query: Query, seed: int) -> Everything:
    """All blocks; all inputs of 8 bits, a few of wider ones."""
    some = np.random.default_rng(seed).integers(0, 1 << query.bits, 6) if query.bits > 8 else None
    return Everything(query, some)


def check(seed: int, bits: int) -> str:
    """Queries a random term; returns the kind of the result."""
    query = random_query(seed, bits)
    parts = query.term, query.width, query.facts, query.element
    verdict, found = classify(*parts), condition(*parts)
    if verdict.is_yes or found is not None:
        everything = everything_of(query, seed)
        if verdict.is_yes:
            assert not (wrong := everything.against(verdict)), wrong
        if found is not None:
            among = everything.where(found.term)
            assert not (wrong := everything.against(found.verdict, among)), f"if {found}: {wrong}"
    return verdict.kind if found is None or not found.atoms else "on condition"


@pytest.mark.parametrize(("bits", "count"), [(8, 300), (16, 100)])
def test_no_result_is_a_wrong_yes(bits: int, count: int) -> None:
    kinds = {check(seed, bits) for seed in range(count)}
    assert {"consecutive", "equal", "stride", "unknown", "on condition"} <= kinds


@pytest.mark.slow
@pytest.mark.parametrize("bits", [8, 16])
def test_no_result_among_ten_thousand_terms_is_a_wrong_yes(bits: int) -> None:
    kinds = {check(seed, bits) for seed in range(1000, 11_000)}
    assert {"permutation", "pattern", "reversed", "pieces"} <= kinds


def check_all_procedures(seed: int) -> set[str]:
    """Every procedure on its own: none is wrong, so none contradicts another. Returns those with a result."""
    query = random_query(seed)
    parts = query.term, query.width, query.facts, query.element
    everything = Everything(query)
    consecutive = not everything.against(classify(*parts)) if classify(*parts).kind == CONSECUTIVE else None
    decided = set()
    for verdict in (examine(*parts, z3_ms=0), by_elimination(*parts), by_period(*parts)):
        if verdict is None or verdict.kind == UNKNOWN:
            continue
        decided.add(verdict.procedure)
        if verdict.kind != NO:
            assert not (wrong := everything.against(verdict)), f"{verdict.procedure}: {wrong}"
            continue
        assert consecutive is None, f"{verdict.procedure} contradicts a proof for {query.term}"
        assert verdict.counterexample is not None
        inputs = {"block": 0, "a": 0, **verdict.counterexample.inputs}
        block, number = inputs["block"] // query.width, inputs["a"]
        assert tuple(everything.addresses[block, number]) == verdict.counterexample.addresses
    return decided


def test_procedures_are_right_and_agree() -> None:
    decided = set().union(*(check_all_procedures(seed) for seed in range(2000, 2150)))
    assert {"cells", "period", "search"} <= decided


@pytest.mark.slow
def test_procedures_are_right_and_agree_on_many_terms() -> None:
    decided = set().union(*(check_all_procedures(seed) for seed in range(3000, 6000)))
    assert {"cells", "modulo elimination", "period", "search"} <= decided


def is_consecutive(query: Query) -> bool:
    """By brute force."""
    everything = Everything(query)
    distance = (everything.addresses[:, :, 1:] - everything.addresses[:, :, :-1]) % np.uint64(256)
    return not (everything.holds & (distance != query.element % 256).any(axis=2)).any()


@pytest.mark.parametrize("seed", range(40))
def test_the_problem_over_bit_vectors_says_what_brute_force_says(seed: int) -> None:
    query = random_query(7000 + seed)
    problem = bit_vector_problem(query.term, query.width, query.facts, query.element)
    assert decide(problem, 20_000).answer == ("unsat" if is_consecutive(query) else "sat")


@pytest.mark.parametrize("eliminate", [False, True])
@pytest.mark.parametrize("seed", range(30))
def test_the_problem_over_integers_says_what_brute_force_says(seed: int, eliminate: bool) -> None:
    """Integers do not know that division by zero is undefined, so divisors are numbers here."""
    query = next(_linear_queries(8000 + 100 * seed))
    parts = query.term, query.width, query.facts, query.element
    problem = integer_problem(*parts, eliminate=eliminate)
    assert decide(problem, 20_000).answer == ("unsat" if is_consecutive(query) else "sat")


def _linear_queries(seed: int) -> Iterator[Query]:
    """Random queries that integers express, without selections and unknown divisors or shifts."""
    while True:
        seed += 1
        query = random_query(seed)
        divisors = [t.args[1] for t in walk(query.term) if t.op in DIVISIONS | SHIFTS]
        if any(t.op == "select" for t in walk(query.term)) or not divisors:
            continue
        if all(d.constant and d.constant < 8 for d in divisors) and not _promises_exactness(query.term):
            try:
                integer_problem(query.term, query.width, query.facts)
            except NotPresburger:
                continue
            yield query


def _promises_exactness(term: Term) -> bool:
    """Whether flags say more than ranges can."""
    return any(t.flags & {"exact", "disjoint"} for t in walk(term))


@pytest.mark.parametrize("seed", range(60))
def test_integers_are_the_numbers_of_the_machine(seed: int) -> None:
    """Wherever facts hold and the term is defined, its integer form has the same value."""
    query = random_query(9000 + seed)
    everything = Everything(query)
    integers = Integers(range(query.width), query.facts)
    for lane in range(query.width):
        try:
            poly = integers.read(at_lane(query.term, lane))
        except NotPresburger:
            return
        given = {k: v[:, :, 0].astype(np.int64) for k, v in everything.inputs.items()}
        if not variables(poly) <= given.keys():
            return
        numbers = integer_values(poly, given)
        if numbers is None:
            return  # powers of an unknown number
        numbers = np.broadcast_to(numbers, everything.holds.shape)
        expected = everything.addresses[:, :, lane].astype(np.int64)
        assert (numbers == expected)[everything.holds].all(), f"{query.term} as {poly}"


@pytest.mark.parametrize("seed", range(40))
def test_arrays_hold_the_numbers_that_one_lane_has(seed: int) -> None:
    query = random_query(seed)
    everything = Everything(query)
    rng = np.random.default_rng(seed)
    values, defined = everything.of(query.term)
    program = Program(query.term, query.facts.flags)
    for _ in range(50):
        block, number, lane = (int(rng.integers(0, n)) for n in values.shape)
        inputs = {"block": block * query.width, "a": number}
        one = evaluate(query.term, lane, inputs, query.facts.flags)
        assert one == (int(values[block, number, lane]) if defined[block, number, lane] else None)
        assert one == program.run(lane, inputs)


@pytest.mark.parametrize(
    ("op", "flag"),
    [(op, flag) for op in ("add", "sub", "mul", "shl", "trunc") for flag in ("nsw", "nuw")]
    + [(op, "exact") for op in ("udiv", "sdiv", "lshr", "ashr")],
)
def test_arrays_of_64_bits_keep_the_same_promises(op: str, flag: str) -> None:
    a, b = input_("a", 64), input_("b", 64)
    term = cast("trunc", a, 32, (flag,)) if op == "trunc" else binary(op, a, b, (flag,))
    rng = np.random.default_rng(64)
    special = np.array([0, 1, 2, 3, 2**31, 2**32, 2**62, 2**63 - 1, 2**63, 2**64 - 1, 2**64 - 2], np.uint64)
    x = np.concatenate([special.repeat(len(special)), rng.integers(0, 2**64, 200, np.uint64)])
    y = np.concatenate([np.tile(special, len(special)), rng.integers(0, 70, 200).astype(np.uint64)])
    values, defined = evaluate_arrays(term, np.zeros(1), {"a": x, "b": y})
    for i, (p, q) in enumerate(zip(x.tolist(), y.tolist(), strict=True)):
        one = evaluate(term, 0, {"a": p, "b": q})
        assert one == (int(values[i]) if np.broadcast_to(defined, x.shape)[i] else None), (op, flag, p, q)
