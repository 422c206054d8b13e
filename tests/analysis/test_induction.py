"""Induction variables are found with their steps; trip counts are those that a run of the loop has."""

from itertools import product

import pytest

from weft import ir
from weft.analysis.induction import induction, loop_test, trip_count
from weft.integers import compare
from weft.ir.loops import Loop, loop_forest

# The test stands in the header or in the latch, of the number of this iteration or of the next one.
LOOP = """define void @f(i8 %n) {{
entry:
  br label %head
head:
  %k = phi i8 [ {start}, %entry ], [ %next, %latch ]
  {early}
latch:
  %next = add i8 %k, {step}
  {late}
end:
  ret void
}}"""
PREDICATES = ("eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge")
FORMS = list(product((1, 3, -1, -2), (False, True), (False, True)))


def _loop(predicate: str, start: int, step: int, bound: str, at_latch: bool, exits_first: bool) -> Loop:
    test = f"%test = icmp {predicate} i8 {'%next' if at_latch else '%k'}, {bound}\n"
    inside = "%head" if at_latch else "%latch"
    ways = f"label %end, label {inside}" if exits_first else f"label {inside}, label %end"
    branch = f"{test}  br i1 %test, {ways}"
    early, late = ("br label %latch", branch) if at_latch else (branch, "br label %head")
    text = LOOP.format(start=start, step=step, early=early, late=late)
    (loop,) = loop_forest(ir.parse(text).functions[0]).loops
    return loop


def _run(predicate: str, start: int, step: int, bound: int, at_latch: bool, exits_first: bool) -> int | None:
    """How often the latch is run; None if a number wraps on the way."""
    holds, k, trips = compare(predicate, 8), start, 0
    signed = predicate[0] == "s" or predicate in ("eq", "ne")
    while True:
        if not at_latch and bool(holds(k % 256, bound % 256)) == exits_first:
            return trips
        trips, k = trips + 1, k + step
        if at_latch and bool(holds(k % 256, bound % 256)) == exits_first:
            return trips
        if not (-128 <= k < 128 if signed else 0 <= k < 256):
            return None


@pytest.mark.parametrize("predicate", PREDICATES)
def test_trip_counts(predicate: str) -> None:
    known = 0
    for (step, at_latch, exits_first), start, bound in product(FORMS, (0, 5, 100), (0, 5, 12, 100)):
        loop = _loop(predicate, start, step, str(bound), at_latch, exits_first)
        found, real = trip_count(loop), _run(predicate, start, step, bound, at_latch, exits_first)
        assert found is None or real is None or found == real
        known += found is not None and found == real
    assert known > 40


def test_steps_and_tests() -> None:
    loop = _loop("sge", 4, -2, "%n", at_latch=True, exits_first=True)
    (phi,) = loop.header.phis()
    found = induction(loop, phi)
    assert found is not None and found.step == -2 and not found.signed and not found.unsigned
    assert loop.latch is not None
    test = loop_test(loop, loop.latch)
    assert test is not None and (test.predicate, test.left) == ("slt", found.following)
    assert test.swapped.predicate == "sgt" and test.swapped.right is found.following
    assert loop_test(loop, loop.header) is None and trip_count(loop) is None
    assert induction(loop, test.right) is None
