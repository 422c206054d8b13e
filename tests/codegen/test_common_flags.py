"""LLVM's newgvn does not draw conclusions from the flags of another instruction of the same value."""

import pytest

from weft.codegen.common_flags import with_common_flags
from weft.codegen.host import host_target
from weft.codegen.optimise import run_passes, verify

# What is in the branch need not run; the comparison is of the value from behind it, and of the first one.
LOOP = """
declare void @use({type})
declare void @tell(i1)
declare i32 @of(i32) memory(none) nounwind willreturn
define void @f(i32 %a, i64 %b, float %x, ptr %p, i1 %c) {{
entry:
  br label %round
round:
  %v = phi {type} [ {first}, %entry ], [ %next, %latch ]
  %told = {compared} %v, {second}
  call void @tell(i1 %told)
  br i1 %c, label %branch, label %latch
branch:
  %other = {flagged}
  call void @use({type} %other)
  br label %latch
latch:
  %next = {plain}
  br label %round
}}
@g = external global i32
"""
CASES = {
    "lshr exact": ("lshr {} i32 7, %a", "exact", "icmp eq i32", "1", "0"),
    "udiv exact": ("udiv {} i32 7, %a", "exact", "icmp eq i32", "1", "0"),
    "shl nsw": ("shl {} i32 1, %a", "nsw", "icmp slt i32", "1", "0"),
    "mul nuw": ("mul {} i32 %a, 3", "nuw nsw", "icmp ult i32", "%a", "%a"),
    "fadd nnan": ("fadd {} float %x, 1.0", "nnan", "fcmp uno float", "1.0", "0.0"),
    "gep inbounds": ("getelementptr {} i32, ptr %p, i64 5", "inbounds nuw", "icmp eq ptr", "@g", "null"),
    "call range": ("call {} i32 @of(i32 %a)", "range(i32 1, 9)", "icmp eq i32", "1", "0"),
}


@pytest.mark.parametrize(("what", "flags", "compared", "first", "second"), CASES.values(), ids=CASES)
def test_what_need_not_run_tells_nothing(
    what: str, flags: str, compared: str, first: str, second: str
) -> None:
    def told(flags_behind: str) -> bool:
        text = LOOP.format(
            type=compared.split()[-1],
            flagged=what.format(flags),
            plain=what.format(flags_behind),
            compared=compared,
            first=first,
            second=second,
        )
        return "@tell(i1 %told" not in run_passes(text, ["newgvn"], host_target())

    assert told(flags), "where both have the flags, the comparison is known"
    assert not told("")


SAME = """
define i32 @f(ptr %p, i32 %a, i32 %b, i1 %c) {
  br i1 %c, label %yes, label %no
yes:
  %l = load i32, ptr %p, align 4
  %s = add nuw nsw i32 %l, %a
  %h = lshr exact i32 %s, 1
  %own = add nsw i32 %h, 9
  ret i32 %own
no:
  %m = load i32, ptr %p, align 8
  %t = add nsw i32 %a, %m
  %k = lshr i32 %t, 1
  %other = add nuw i32 %k, %b
  ret i32 %other
}
"""


def test_the_same_operation_of_the_same_values_has_the_same_flags() -> None:
    text = with_common_flags(SAME)
    verify(text)
    assert "%s = add nsw i32" in text and "%t = add nsw i32" in text
    assert "exact" not in text
    assert "%own = add nsw" in text and "%other = add nuw" in text, "other values keep theirs"


def test_right_shifts_of_a_kind_have_the_same_flags() -> None:
    text = with_common_flags(SAME.replace("%k = lshr i32 %t, 1", "%k = lshr i32 %b, 1"))
    assert "exact" not in text
    assert "exact" not in with_common_flags(SAME.replace("%s", '%"!s"').replace("i32 %t, 1", "i32 %b, 1"))
    assert "exact" in with_common_flags(SAME.replace("%k = lshr i32 %t, 1", "%k = lshr i32 %t, 2"))


def test_a_module_without_such_instructions_stays_as_it_is() -> None:
    text = SAME.replace("add nuw nsw", "add nsw").replace("exact ", "")
    assert with_common_flags(text) == text


def test_calling_conventions_stay() -> None:
    """Functions with different ones are called with the same arguments, by address."""
    text = """
define i32 @f(ptr %p, ptr %q, i32 %a) {
  %x = call fastcc noundef i32 %p(i32 %a)
  %y = call i32 %q(i32 %a)
  ret i32 %x
}
"""
    assert with_common_flags(text) == text.replace("noundef ", "")


def test_comparisons_with_exchanged_operands_have_the_same_flags() -> None:
    text = SAME.replace("%own = add nsw i32 %h, 9", "%own = icmp samesign ult i32 %a, %b")
    text = text.replace("%other = add nuw i32 %k, %b", "%other = icmp ugt i32 %b, %a")
    assert "samesign" not in with_common_flags(text)
    assert "samesign" in with_common_flags(text.replace("ugt i32 %b, %a", "ugt i32 %b, %k"))
