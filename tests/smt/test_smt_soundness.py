"""No answer is a wrong yes: random terms, compared with every block and every input by brute force."""

import numpy as np
import pytest
from smt_random_terms import Everything, random_question

from weft.smt.decide import classify, condition
from weft.smt.evaluate import evaluate


def check(seed: int, bits: int) -> str:
    """Asks about a random term; returns the answer's kind."""
    question = random_question(seed, bits)
    verdict = classify(question.term, question.width, question.facts, question.element)
    found = condition(question.term, question.width, question.facts, question.element)
    if verdict.is_yes or found is not None:
        some = np.random.default_rng(seed).integers(0, 1 << bits, 24) if bits > 8 else None
        everything = Everything(question, some)
        if verdict.is_yes:
            assert not (wrong := everything.against(verdict)), wrong
        if found is not None:
            among = everything.where(found.term)
            assert not (wrong := everything.against(found.verdict, among)), f"if {found}: {wrong}"
    return verdict.kind if found is None or not found.atoms else "on condition"


@pytest.mark.parametrize("bits", [8, 16])
def test_no_answer_is_a_wrong_yes(bits: int) -> None:
    kinds = {check(seed, bits) for seed in range(200)}
    assert {"consecutive", "equal", "stride", "unknown", "on condition"} <= kinds


@pytest.mark.slow
@pytest.mark.parametrize("bits", [8, 16])
def test_no_answer_among_ten_thousand_terms_is_a_wrong_yes(bits: int) -> None:
    kinds = {check(seed, bits) for seed in range(200, 10_200)}
    assert {"permutation", "pattern", "reversed", "pieces"} <= kinds


@pytest.mark.parametrize("seed", range(40))
def test_arrays_hold_the_numbers_that_one_lane_has(seed: int) -> None:
    question = random_question(seed)
    everything = Everything(question)
    rng = np.random.default_rng(seed)
    values, defined = everything.of(question.term)
    for _ in range(50):
        block, number, lane = (int(rng.integers(0, n)) for n in values.shape)
        inputs = {"block": block * question.width, "a": number}
        one = evaluate(question.term, lane, inputs, question.facts.flags)
        assert one == (int(values[block, number, lane]) if defined[block, number, lane] else None)
