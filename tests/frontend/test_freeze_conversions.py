"""Conversions of floating-point numbers to integers have a result, whatever the number."""

import re

from weft.codegen.optimise import run_passes, verify
from weft.frontend.compile import compile_source
from weft.frontend.freeze_conversions import freeze_conversions
from weft.frontend.options import parse_options
from weft.target import x86

SOURCE = """
kernel void k(global const float *x, global uchar *c, global int *o, global float4 *v, global uchar4 *w) {
    c[0] = x[0];
    c[1] += x[1];
    o[0] = (int)(double)x[2];
    o[1] = (long)x[3] > 4;
    o[2] = (int)FLT_MAX;
    *w = __builtin_convertvector(*v, uchar4);
}"""
_CONVERSION = re.compile(r" (%\S+) = fpto[su]i .* to (i\d+|<\d+ x i\d+>)")


def conversions(text: str) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = _CONVERSION.findall(text)
    return found


def test_each_conversion_of_the_front_end_is_frozen():
    for debug in (False, True):
        text = compile_source(SOURCE, parse_options(""), x86.describe("x86-64"), debug_info=debug).ir
        verify(text)
        assert len(conversions(text)) == 5
        for name, type in conversions(text):
            assert text.count(f"{name}\n") + text.count(f"{name},") == 1, "it has one use"
            assert f"freeze {type} {name}" in text


def test_a_number_too_large_is_the_largest_integer():
    target = x86.describe("x86-64")
    text = run_passes(compile_source(SOURCE, parse_options(""), target).ir, ("sroa", "instcombine"), target)
    assert "store i32 2147483647" in text


def test_names_of_any_kind_keep_their_module_valid():
    text = freeze_conversions(
        """
define i32 @f(float %a, <2 x half> %b) {
  %1 = fptosi float %a to i32, !weft !0
  %"a name" = fptoui <2 x half> %b to <2 x i16>
  %named.3 = fptoui float 3.0 to i8
  %2 = add i32 %1, %1
  ret i32 %2
}
!0 = !{}
"""
    )
    verify(text)
    assert text.count(" = freeze ") == 3
