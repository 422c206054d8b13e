"""Results of queries from kernels: what is proved, on which condition, and what is refuted."""

import pytest

from weft.smt.decide import classify, condition
from weft.smt.facts import Facts
from weft.smt.prover import Prover
from weft.smt.simplify import simplified
from weft.smt.studies.thorough import examine
from weft.smt.terms import Term, binary, cast, compare, constant, input_, lane, select
from weft.smt.verdict import Condition, Verdict, merged

WIDTH = 8
BLOCK = input_("block", 32)
ITEM = binary("add", BLOCK, lane(32), ("nsw", "nuw"))
A, B = input_("a", 32), input_("b", 32)
FACTS = Facts().with_residue(BLOCK, WIDTH).with_range(BLOCK, 0, 2**31 - WIDTH)


def number(value: int) -> Term:
    return constant(value, 32)


def op(name: str, a: Term, b: Term | int, *flags: str) -> Term:
    return binary(name, a, number(b) if isinstance(b, int) else b, flags)


def walsh(step: Term, signed: bool = True) -> Term:
    """2 * step * (i / step) + i % step + step."""
    d, r = ("sdiv", "srem") if signed else ("udiv", "urem")
    nsw = ("nsw",) if signed else ()
    pair = op("add", op("mul", op("shl", step, 1, *nsw), op(d, ITEM, step), *nsw), op(r, ITEM, step), *nsw)
    return cast("sext" if signed else "zext", op("add", pair, step, *nsw), 64)


def bitonic(distance: Term) -> Term:
    """i % (1 << d) + i / (1 << d) * 2 * (1 << d) + (1 << d), as optimizers write it."""
    reach = op("shl", number(1), distance, "nuw")
    low = op("and", op("add", reach, -1), ITEM)
    high = op("shl", op("shl", op("lshr", ITEM, distance), 1), distance)
    return cast("zext", op("add", op("add", low, high), reach), 64)


PROVED = [
    (ITEM, "consecutive"),
    (cast("zext", ITEM, 64), "consecutive"),
    (op("mul", ITEM, 3), "stride 3"),
    (op("sub", A, ITEM), "reversed"),
    (op("udiv", ITEM, 8), "equal"),
    (op("udiv", ITEM, 24), "equal"),
    (op("urem", ITEM, 40), "consecutive"),
    (op("xor", ITEM, 1), "permutation 1,0,3,2,5,4,7,6"),
    (op("xor", ITEM, 7), "reversed"),
    (op("xor", ITEM, 12), "permutation 4,5,6,7,0,1,2,3"),
    (op("and", ITEM, -2), "pattern 0,0,2,2,4,4,6,6"),
    (op("lshr", ITEM, 1), "pattern 0,0,1,1,2,2,3,3"),
    (op("add", op("mul", op("udiv", ITEM, 4), A), op("urem", ITEM, 4)), "consecutive in halves"),
    (op("add", op("mul", op("udiv", ITEM, 2), A), op("urem", ITEM, 2)), "consecutive in quarters"),
    (op("add", op("mul", op("udiv", ITEM, 3), 3), op("urem", ITEM, 3)), "consecutive"),
    (op("add", op("mul", op("udiv", ITEM, A), A), op("urem", ITEM, A)), "consecutive"),
    (op("sub", ITEM, op("urem", op("sub", ITEM, ITEM), 5)), "consecutive"),
    (op("umin", ITEM, op("add", ITEM, 8, "nuw")), "consecutive"),
    (select(compare("ult", ITEM, number(0)), A, ITEM), "consecutive"),
    (select(compare("eq", A, B), op("add", ITEM, A), op("add", ITEM, B)), "consecutive"),
    (walsh(op("shl", A, 3)), "consecutive"),
    (walsh(op("mul", A, 40), signed=False), "consecutive"),
]


@pytest.mark.parametrize(("term", "expected"), PROVED, ids=lambda value: str(value)[:70])
def test_what_is_proved(term: Term, expected: str) -> None:
    assert str(classify(term, WIDTH, FACTS)) == expected


CONDITIONS = [
    (walsh(A), "a % 8 == 0", "consecutive"),
    (walsh(A, signed=False), "a % 8 == 0", "consecutive"),
    (bitonic(A), "a >= 3", "consecutive"),
    (bitonic(op("and", A, 31)), "(a & 31) >= 3", "consecutive"),
    (op("mul", ITEM, A), "a == 1", "consecutive"),
    (op("shl", ITEM, A), "a == 0", "consecutive"),
    (op("xor", ITEM, A), "a % 8 == 0", "consecutive"),
    (op("xor", op("add", ITEM, A), 1), "a % 2 == 0", "permutation 1,0,3,2,5,4,7,6"),
    (op("urem", op("add", ITEM, A, "nuw"), B), "a % 8 == 0 && b % 8 == 0", "consecutive"),
    (op("lshr", ITEM, A), "a >= 3", "equal"),
    (cast("zext", op("add", ITEM, A), 64), "a % 8 == 0", "consecutive"),
    (select(compare("eq", A, number(0)), op("mul", ITEM, 8), ITEM), "!(a == 0)", "consecutive"),
]


@pytest.mark.parametrize(("term", "expected", "kind"), CONDITIONS, ids=lambda value: str(value)[:70])
def test_conditions_that_are_found(term: Term, expected: str, kind: str) -> None:
    found = condition(term, WIDTH, FACTS)
    assert found is not None
    assert (str(found), str(found.verdict)) == (expected, kind)


def test_conditions_speak_only_of_inputs_that_are_available() -> None:
    row = op("add", op("mul", A, B), op("urem", ITEM, 16))
    term = cast("sext", row, 64)
    assert str(condition(term, WIDTH, FACTS)) == "(a * b) % 8 == 0"
    assert str(condition(term, WIDTH, FACTS, available={"b"})) == "b % 8 == 0"
    assert condition(term, WIDTH, FACTS, available=()) is None


REFUTED = [
    walsh(number(12)),
    walsh(A),
    bitonic(A),
    op("urem", ITEM, 12),
    op("udiv", ITEM, 3),
    op("xor", ITEM, A),
    cast("zext", op("add", ITEM, A), 64),
    op("umin", ITEM, A),
    op("mul", op("urem", ITEM, 3), op("urem", ITEM, 5)),
]


@pytest.mark.parametrize("term", REFUTED, ids=lambda term: str(term)[:70])
def test_what_is_refuted_has_a_counterexample(term: Term) -> None:
    verdict = examine(term, WIDTH, FACTS, pieces=False, z3_ms=0)
    assert verdict.kind == "no" and verdict.counterexample is not None
    example = verdict.counterexample
    assert example.addresses[example.lane] != example.addresses[example.lane - 1] + 1


def test_unknown_alignment_of_the_block_is_part_of_the_condition() -> None:
    facts = Facts().with_range(BLOCK, 0, 2**31 - WIDTH)
    assert str(condition(walsh(A), WIDTH, facts)) == "block % 8 == 0 && a % 8 == 0"


def test_flags_are_believed_only_if_every_lane_runs_the_access() -> None:
    term = cast("sext", op("add", op("mul", ITEM, 3, "nsw"), A, "nsw"), 64)
    assert classify(term, WIDTH, FACTS).kind == "stride"
    assert classify(term, WIDTH, Facts(FACTS.ranges, residues=FACTS.residues, flags=False)).kind == "unknown"


def test_the_lowest_address_has_the_alignment_that_is_said() -> None:
    pointer = input_("pointer", 64)
    address = binary("add", pointer, binary("mul", walsh(op("shl", A, 4)), constant(4, 64)))
    assert classify(address, WIDTH, FACTS, 4).alignment == 1
    assert classify(address, WIDTH, FACTS.with_residue(pointer, 128), 4).alignment == 32
    assert classify(address, WIDTH, FACTS.with_residue(pointer, 16), 4).alignment == 16


def test_a_query_that_takes_too_long_has_no_result() -> None:
    term = walsh(A)
    assert condition(term, WIDTH, FACTS, limit_ms=0.1) is None
    assert classify(term, WIDTH, FACTS, limit_ms=0.1).kind == "unknown"


def test_a_prover_that_is_kept_takes_a_condition_that_served_before() -> None:
    prover = Prover(WIDTH)
    swapped = op("xor", op("add", ITEM, A), 1)
    assert str(condition(swapped, WIDTH, FACTS, prover=prover)) == "a % 2 == 0"
    for term, _, kind in CONDITIONS:
        found = condition(term, WIDTH, FACTS, prover=prover)
        assert found is not None and str(found.verdict) == kind
    assert str(condition(swapped, WIDTH, FACTS, prover=prover)) == "a % 2 == 0"
    later = Prover(WIDTH)
    assert str(condition(walsh(A), WIDTH, FACTS, prover=later)) == "a % 8 == 0"
    assert str(condition(swapped, WIDTH, FACTS, prover=later)) == "a % 8 == 0"


def test_conditions_of_several_accesses_are_merged() -> None:
    verdict = Verdict("consecutive", WIDTH)
    found = [condition(t, WIDTH, FACTS) for t in (walsh(A), bitonic(B), op("xor", ITEM, A))]
    narrow = condition(walsh(A), 4, FACTS)
    atoms = merged([c for c in (narrow, *found) if c is not None])
    assert str(Condition(atoms, verdict)) == "a % 8 == 0 && b >= 3"


def test_simplification_leaves_other_sums_alone() -> None:
    for term in (walsh(A), bitonic(A), op("add", op("urem", ITEM, 3), op("udiv", ITEM, 3))):
        assert simplified(term) is term or simplified(term) == term


def test_conditions_combined_with_conditions_are_no_error() -> None:
    differs = compare("ult", op("and", A, 7), op("and", op("add", ITEM, 1), 7))
    both = binary("and", differs, compare("ult", number(1), op("and", B, 7)))
    assert condition(select(both, op("mul", ITEM, 3), ITEM), WIDTH, FACTS) is None
