"""A `switch` whose cases are all values has one of them as its default."""

import pytest

from weft.codegen.optimise import verify
from weft.codegen.reachable_defaults import reachable_defaults
from weft.compiler.build_program import compile_program
from weft.frontend.options import parse_options

CASES = """
define i32 @f(i8 %x, i1 %y) {
entry:
  br i1 %y, label %"first one", label %never

"first one":                                      ; preds = %entry
  switch i8 %x, label %never [
    i8 0, label %a
    i8 1, label %b
    i8 2, label %b
  ], !prof !0

a:                                                ; preds = %"first one"
  switch i8 %x, label %"not here" [
    i8 3, label %b
    i8 4, label %a.2
  ]

a.2:                                              ; preds = %a
  ret i32 2

b:                                                ; preds = %a, %"first one", %"first one"
  %n = phi i32 [ 1, %"first one" ], [ 1, %"first one" ], [ 5, %a ]
  ret i32 %n

"not here":                                       ; preds = %a
  unreachable

never:                                            ; preds = %"first one", %entry
  unreachable
}
!0 = !{!"branch_weights", i32 1, i32 1, i32 1, i32 1}
"""


def test_last_case_becomes_the_default() -> None:
    text = reachable_defaults(CASES)
    verify(text)
    assert "switch i8 %x, label %b [\n    i8 0, label %a\n    i8 1, label %b\n  ]" in text
    assert "switch i8 %x, label %a.2 [\n    i8 3, label %b\n  ]" in text
    # Its block is removed unless other code leads there.
    assert "not here" not in text and text.count("unreachable") == 1


def test_defaults_may_lead_to_one_dead_end() -> None:
    text = """
define i32 @f(i8 %x, i1 %y) {
entry:
  switch i8 %x, label %never.1 [
    i8 0, label %a
    i8 1, label %b
  ]

a:                                                ; preds = %entry
  switch i8 %x, label %never.2 [
    i8 3, label %b
    i8 4, label %c
  ]

never.1:                                          ; preds = %entry
  br label %never.3

never.2:                                          ; preds = %a
  br label %"never comes"

never.3:                                          ; preds = %never.1
  br label %"never comes"

b:                                                ; preds = %a, %entry
  br label %c

c:                                                ; preds = %b, %a
  ret i32 2

"never comes":                                    ; preds = %never.3, %never.2
  unreachable
}
"""
    text = reachable_defaults(text)
    verify(text)
    assert "switch i8 %x, label %b [" in text and "switch i8 %x, label %c [" in text
    assert "never" not in text and "unreachable" not in text and "b:  " in text


def test_defaults_that_do_something_stay() -> None:
    text = CASES.replace("  unreachable", "  ret i32 0")
    assert reachable_defaults(text) == text
    text = CASES.replace("label %never [", "label %b [").replace('label %"not here" [', "label %b [")
    assert reachable_defaults(text) == text


@pytest.mark.parametrize("switches", [1, 2, 3])
def test_kernel_has_no_unreachable_way(switches: int) -> None:
    again = """switch (op[i + 1] & 3) { case 0: a[i] += 2; break; case 1: a[i] *= 5; break; case 2: a[i] = 8;
                                        break; default: a[i] ^= 7; }"""
    source = f"""kernel void k(global int *a, global const uchar *op) {{
        int i = get_global_id(0);
        switch (op[i] & 3) {{ case 0: a[i] += 1; break; case 1: a[i] *= 3; break; case 2: a[i] = 4; break;
                             default: a[i] ^= 9; }}
        {again * (switches - 1)}
    }}"""
    (kernel,) = compile_program(source, parse_options("")).kernels
    assert "switch i8" in kernel.text and "unreachable" not in kernel.text
