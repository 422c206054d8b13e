"""The addresses of accesses in work-item loops as terms, with what the IR says about their inputs."""

import pytest

from weft import ir
from weft.analysis.address_terms import AddressTerm, NotExpressible, loop_terms
from weft.analysis.lanes import lanes
from weft.ir.dominators import dominators
from weft.ir.loops import loop_forest
from weft.smt.decide import classify, condition

LOOP = """
declare i32 @llvm.umin.i32(i32, i32)

define void @f(ptr align 16 %a, ptr %b, i32 %n, i32 range(i32 0, 100) %m) {
entry:
  br label %x
x:
  %i = phi i32 [ 0, %entry ], [ %i.next, %latch ]
  ACCESS
  br label %latch
latch:
  %i.next = add nuw nsw i32 %i, 1
  %more = icmp ult i32 %i.next, 64
  br i1 %more, label %x, label %exit
exit:
  ret void
}
"""


def loop_access(code: str, width: int = 8) -> AddressTerm:
    """The address of the last load in the body of a work-item loop."""
    function = ir.parse(LOOP.replace("ACCESS", code)).function("f")
    forest = loop_forest(function)
    (outer,) = [loop for loop in forest.loops if loop.parent is None]
    counter = outer.header.phis()[0]
    shape = lanes(outer, counter, forest)
    terms = loop_terms(outer, counter, shape, width)
    load = [i for i in function.instructions() if i.opcode == "load"][-1]
    return terms.access(load, dominators(function), load.block in shape.masked)


def answer(code: str, width: int = 8) -> str:
    address = loop_access(code, width)
    found = classify(address.term, width, address.facts, address.element)
    if found.is_yes:
        return str(found)
    under = condition(address.term, width, address.facts, address.element, available=address.outside)
    return f"{under.verdict} if {under}" if under is not None else str(found)


INDEX = "%w = sext i32 %at to i64\n %p = getelementptr i32, ptr %a, i64 %w\n %v = load i32, ptr %p, align 4"


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("%at = add i32 %i, 0", "consecutive"),
        ("%at = urem i32 %i, %n", "consecutive if n % 8 == 0"),
        ("%q = udiv i32 %i, 16\n %at = mul i32 %q, %n", "equal"),
        ("%at = xor i32 %i, 1", "permutation 1,0,3,2,5,4,7,6"),
        ("%at = mul i32 %i, %n", "consecutive if n == 1"),
        ("%h = shl i32 %m, 3\n %at = xor i32 %i, %h", "consecutive"),
        ("%at = call i32 @llvm.umin.i32(i32 %i, i32 64)", "consecutive"),
        ("%at = call i32 @llvm.umin.i32(i32 %i, i32 8)", "unknown"),
        ("%fz = freeze i32 %i\n %at = urem i32 %fz, 24", "consecutive"),
    ],
)
def test_addresses_in_work_item_loops(code: str, expected: str) -> None:
    assert answer(f"{code}\n {INDEX}") == expected


def test_guards_that_lead_to_an_access_are_facts() -> None:
    code = f"""
  %small = and i32 %n, 7
  %whole = icmp eq i32 %small, 0
  br i1 %whole, label %then, label %latch
then:
  %at = urem i32 %i, %n
  {INDEX}"""
    assert answer(code) == "consecutive"


def test_arguments_have_the_ranges_and_alignments_that_are_declared() -> None:
    address = loop_access(f"%at = add i32 %i, %m\n {INDEX}")
    assert "0 <= m <= 99" in address.facts.lines()
    assert "a % 16 == 0" in address.facts.lines()


def test_inputs_that_change_in_the_loop_are_not_outside() -> None:
    address = loop_access(f"%s = load i32, ptr %b\n %at = add i32 %i, %s\n {INDEX}")
    assert "s" not in address.outside and "a" in address.outside
    assert answer(f"%s = load i32, ptr %b\n %at = add i32 %i, %s\n {INDEX}") == "unknown"


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        ("%c = getelementptr i8, ptr %b, i32 %i\n %u = load i8, ptr %c\n %at = zext i8 %u to i32", "memory"),
        ("%d = sitofp i32 %i to float\n %at = fptosi float %d to i32", "fptosi"),
    ],
)
def test_what_has_no_term_says_why(code: str, reason: str) -> None:
    with pytest.raises(NotExpressible, match=reason):
        loop_access(f"{code}\n {INDEX}")
