"""Loops that LLVM vectorizes by a wrong test are found in what it prints, and compiled without vectors."""

import pytest

from weft.codegen import isolate
from weft.codegen.backend import Backend, _command
from weft.codegen.host import host_target
from weft.codegen.wrap_tests import lacks_wrap_test, without_functions
from weft.frontend.clang import binary
from weft.limits import run_process

# b[j] = a[j + k] + t[...]: the sum may wrap around in 32 bits.
LOOP = """
source_filename = "loop"
define void @{name}(ptr noalias %b, ptr noalias %a, ptr noalias %t, i32 %k, i32 %n) {{
entry:
  br label %loop
loop:
  %j = phi i32 [ 0, %entry ], [ %next, %loop ]
  %sum = add i32 %j, %k
  %wide.sum = zext i32 %sum to i64
  %p = getelementptr i32, ptr %a, i64 %wide.sum
  %v = load i32, ptr %p
{index}
  %q = getelementptr i32, ptr %t, i64 %index
  %w = load i32, ptr %q
  %both = add i32 %v, %w
  %wide = zext i32 %j to i64
  %r = getelementptr i32, ptr %b, i64 %wide
  store i32 %both, ptr %r
  %next = add i32 %j, 1
  %again = icmp ult i32 %next, %n
  br i1 %again, label %loop, label %end, !llvm.loop !0
end:
  ret void
}}
!0 = distinct !{{!0, !1}}
!1 = !{{!"llvm.loop.vectorize.enable", i1 true}}
"""
MASK = "  %x = and i32 %j, 3\n  %index = zext i32 %x to i64"
NARROW = {
    "mask": MASK,
    "remainder": "  %x = urem i32 %j, 4\n  %index = zext i32 %x to i64",
    "byte": "  %x = trunc i32 %j to i8\n  %index = zext i8 %x to i64",
    "signed byte": "  %s = shl i32 %j, 24\n  %x = ashr i32 %s, 24\n  %index = sext i32 %x to i64",
}
WIDE = {
    "counter": "  %index = zext i32 %j to i64",
    "sum": "  %x = add i32 %j, 7\n  %index = zext i32 %x to i64",
    "lower half": "  %x = zext i32 %sum to i64\n  %y = add i64 %x, 3\n  %index = and i64 %y, 4294967295",
}
# The address of an int by an int of a wide sum, as LLVM writes it: a counter of 34 bits.
SHIFTS = """
source_filename = "shifts"
define void @f(ptr noalias %b, ptr noalias %a, i64 %k, i64 %n) {{
entry:
  br label %loop
loop:
  %j = phi i64 [ 0, %entry ], [ %next, %loop ]
  %sum = add i64 %j, %k
  %up = shl i64 %sum, 32
  %offset = ashr exact i64 %up, 30
  %p = getelementptr i8, ptr %a, i64 %offset
  %v = load i32, ptr %p
{more}
  %r = getelementptr i32, ptr %b, i64 %j
  store i32 %{result}, ptr %r
  %next = add i64 %j, 1
  %again = icmp ult i64 %next, %n
  br i1 %again, label %loop, label %end, !llvm.loop !0
end:
  ret void
}}
!0 = distinct !{{!0, !1}}
!1 = !{{!"llvm.loop.vectorize.enable", i1 true}}
"""


def printed(module: str, level: int = 3) -> bytes:
    command = _command(str(binary()), host_target(), level, False)
    return run_process([*command, b"-"], module.encode(), {}).diagnostics


@pytest.mark.parametrize("level", [1, 2, 3])
@pytest.mark.parametrize("index", NARROW.values(), ids=NARROW)
def test_a_narrow_counter_next_to_a_tested_one_is_found(index: str, level: int):
    assert lacks_wrap_test(printed(LOOP.format(name="f", index=index), level))


@pytest.mark.parametrize("index", WIDE.values(), ids=WIDE)
def test_counters_of_32_bits_stay_in_vectors(index: str):
    text = printed(LOOP.format(name="f", index=index))
    assert b"\nvector.scevcheck:" in text
    assert not lacks_wrap_test(text)


def test_a_counter_of_34_bits_that_is_tested_stays_in_vectors():
    text = printed(SHIFTS.format(more="", result="v"))
    assert b"\nvector.scevcheck:" in text and b" i34 " in text
    assert not lacks_wrap_test(text)


def test_a_counter_of_33_bits_next_to_one_of_34_is_found():
    more = """  %up.1 = shl i64 %j, 32
  %offset.1 = ashr exact i64 %up.1, 31
  %q = getelementptr i8, ptr %a, i64 %offset.1
  %short = load i16, ptr %q
  %w = zext i16 %short to i32
  %both = add i32 %v, %w"""
    text = printed(SHIFTS.format(more=more, result="both"))
    assert b"\nvector.scevcheck:" in text and b" i34 " in text
    assert lacks_wrap_test(text)


def test_a_test_that_llvm_knows_the_end_of_hides_nothing():
    # The wider counter runs from -n to -1: no need to test it.
    text = LOOP.format(name="f", index="  %x = trunc i32 %j to i8\n  %index = zext i8 %x to i64")
    text = text.replace("add i32 %j, %k", "sub i32 %j, %n").replace("icmp ult", "icmp ne")
    diagnostics = printed(text)
    assert b"vector.scevcheck" not in diagnostics
    assert lacks_wrap_test(diagnostics)


def test_a_name_of_two_lines_hides_nothing():
    assert lacks_wrap_test(printed(LOOP.format(name='"f ***\\0A}\\0A"', index=WIDE["counter"])))


def test_what_a_function_says_is_no_error_of_llvm():
    index = '  call void asm "error:", ""()\n' + WIDE["counter"]
    text = LOOP.format(name="f", index=index)
    assert (
        without_functions(
            b"*** IR Dump After P on f ***\n" + text[text.index("define") : text.index("!0 =")].encode()
        )
        == b""
    )


@pytest.mark.parametrize("alone", [False, True])
def test_the_module_is_compiled_without_the_vectorizer_then(alone: bool):
    target = host_target()
    command = _command(str(binary()), target, 3, False)
    for index, options in (MASK, [b"-mllvm", b"-opt-disable=loop-vectorize"]), (WIDE["counter"], []):
        module = (";" + LOOP.format(name="f", index=index)).encode()
        expected = run_process([*command, *options, b"-"], module, {}).output
        assert Backend(target, 3).emit(module, alone) == expected


def test_without_clang_loops_with_a_vectorize_pragma_stay_scalar():
    module = LOOP.format(name="f", index=MASK)
    plain = module.replace(", !llvm.loop !0", "")
    assert isolate.emit([module], host_target(), 3, ()) == isolate.emit([plain], host_target(), 3, ())
