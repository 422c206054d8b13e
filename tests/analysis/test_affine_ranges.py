"""Affine expressions hold what work-items compute; induction variables stay between their ends."""

from itertools import product

import pytest

from weft import ir
from weft.analysis.affine import Affine
from weft.analysis.affine_ranges import AffineRange, AffineRanges
from weft.ir import Instruction
from weft.ir.loops import loop_forest

STRAIGHT = """define void @k(i32 %w, i64 %n) {{
entry:
  br label %x
x:
  %c = phi i32 [ 0, %entry ], [ %c.next, %latch ]
  %id = add nuw nsw i32 %w, %c
  {code}
  br label %latch
latch:
  %c.next = add nuw nsw i32 %c, 1
  %more = icmp ult i32 %c.next, 64
  br i1 %more, label %x, label %end
end:
  ret void
}}"""

# What is computed, and how often w and the counter are in it; None: it is not affine.
AFFINE = {
    "%v = add nsw i32 %id, -3": (1, 1, -3),
    "%v = sub nsw i32 9, %id": (-1, -1, 9),
    "%a = mul nsw i32 %id, 3\n %v = sub nsw i32 %a, %w": (2, 3, 0),
    "%a = shl nsw i32 %id, 1\n %v = or disjoint i32 %a, 1": (2, 2, 1),
    "%a = sext i32 %id to i64\n %v = add i64 %a, 5": (1, 1, 5),
    "%a = zext nneg i32 %id to i64\n %b = trunc i64 %a to i32\n %v = add nsw i32 %b, 1": (1, 1, 1),
    "%v = add i32 %id, -3": None,
    "%v = mul nsw i32 %id, %w": None,
    "%a = sext i32 %id to i64\n %v = add i64 %a, %n": None,
    "%a = trunc i64 %n to i32\n %v = add nsw i32 %a, %id": None,
    "%v = mul nsw i32 %id, 70000": None,
}

# A loop over d between two numbers that looks at its start, or at its end, whether it goes on.
AT_START = """x:
  %c = phi i32 [ 0, %entry ], [ %c.next, %latch ]
  br label %head
head:
  %d = phi i32 [ {start}, %x ], [ %d.next, %body ]
  {next_early}
  %test = icmp {predicate} i32 {tested}, {end}
  br i1 %test, label {ways}
body:
  {next_late}
  br label %head"""
AT_END = """x:
  %c = phi i32 [ 0, %entry ], [ %c.next, %latch ]
  br label %head
head:
  %d = phi i32 [ {start}, %x ], [ %d.next, %body ]
  br label %body
body:
  {next_early}
  {next_late}
  %test = icmp {predicate} i32 {tested}, {end}
  br i1 %test, label {ways}"""
HOLDS = {
    "slt": lambda a, b: a < b, "sle": lambda a, b: a <= b, "sgt": lambda a, b: a > b,
    "sge": lambda a, b: a >= b, "ne": lambda a, b: a != b, "eq": lambda a, b: a == b,
}  # fmt: skip


def _ranges(text: str) -> tuple[AffineRanges, dict[str, Instruction]]:
    function = ir.parse(text).function("k")
    values = {i.name: i for i in function.instructions() if i.name}
    forest = loop_forest(function)
    loop = next(m for m in forest.loops if m.header.name == "x")
    return AffineRanges(loop, values["c"], forest), values


@pytest.mark.parametrize("code", AFFINE, ids=AFFINE)
def test_straight_code(code: str) -> None:
    ranges, values = _ranges(STRAIGHT.format(code=code))
    found, expected = ranges.of(values["v"]), AFFINE[code]
    if expected is None:
        assert found is None
        return
    assert found is not None and found.low == found.high and not found.conditions
    names = {value.name: factor for value, factor in found.low.terms}
    assert (names["w"], names["c"], found.low.constant) == expected


def test_number_without_sign_is_one_on_condition() -> None:
    ranges, values = _ranges(STRAIGHT.format(code="%v = zext i32 %id to i64"))
    found = ranges.of(values["v"])
    assert found is not None and found.conditions == (found.low,)


def _numbers(start: int, end: int, step: int, stays: bool, predicate: str, ahead: bool) -> set[int]:
    """What a counter counts; none if it does not come to an end."""
    found, d = set(), start
    while abs(d) < 100:
        found.add(d)
        holds = HOLDS[predicate](d + step if ahead else d, end)
        if holds != stays:
            return found
        d += step
    return set()


@pytest.mark.parametrize("form", (AT_START, AT_END), ids=("at_start", "at_end"))
@pytest.mark.parametrize("predicate", HOLDS)
def test_counter_stays_between_the_ends_of_its_loop(form: str, predicate: str) -> None:
    known = 0
    for step, stays, ahead, (start, end) in product(
        (1, -1), (True, False), (True, False), ((-3, 4), (4, -3), (2, 2), (2, 3), (3, 2))
    ):
        following = f"%d.next = add nsw i32 %d, {step}"
        inside, out = ("%body" if form is AT_START else "%head"), "%latch"
        inner = form.format(
            start=start,
            end=end,
            predicate=predicate,
            tested="%d.next" if ahead else "%d",
            ways=", label ".join((inside, out) if stays else (out, inside)),
            next_early=following if ahead and form is AT_START else "",
            next_late="" if ahead and form is AT_START else following,
        )
        text = STRAIGHT.format(code="")
        begin, behind = text.index("x:"), text.index("latch:")
        ranges, values = _ranges(text[:begin] + inner + "\n" + text[behind:])
        found = ranges.of(values["d"])
        if found is None or any(condition.constant < 0 for condition in found.conditions):
            continue
        counted = _numbers(start, end, step, stays, predicate, ahead)
        assert counted, "a loop that does not end is no loop between two numbers"
        assert found.low.constant <= min(counted) and max(counted) <= found.high.constant
        known += 1
    assert known


def test_sums_and_multiples_of_ranges() -> None:
    span = AffineRange(Affine((), -1), Affine((), 2))
    assert span.plus(span, -2) == AffineRange(Affine((), -5), Affine((), 4))
