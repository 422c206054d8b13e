"""What LLVM may not conclude from a division: that its divisor is not zero."""

import numpy as np
import pyopencl as cl
import pytest

from weft.codegen.canonicalise import canonicalise
from weft.codegen.hidden_divisions import hide, is_hidden, show, show_harmless, show_known
from weft.codegen.host import host_target
from weft.codegen.optimise import verify
from weft.compiler.build_program import compile_program
from weft.frontend.options import parse_options

DIVISIONS = """
define i32 @f(i32 %a, i32 %b, <2 x i64> %c, <2 x i64> %d) {
  %1 = sdiv i32 %a, %b
  %2 = urem <2 x i64> %c, %d
  %3 = udiv <2 x i64> <i64 1, i64 2>, %2, !weft !0
  %4 = srem i32 %1, -1
  %5 = udiv i32 %4, 0
  %6 = sdiv i32 %5, 12
  %7 = urem <2 x i64> %3, splat (i64 3)
  ret i32 %6
}
!0 = !{}
"""


def test_divisions_by_unknown_or_harmful_divisors_are_hidden_and_restored():
    hidden = hide(DIVISIONS)
    verify(hidden)
    assert is_hidden(hidden) and hidden.count(" call ") == 5
    assert "sdiv i32 %5, 12" in hidden and "urem <2 x i64> %3, splat (i64 3)" in hidden
    assert "!weft !0" in hidden
    back = show(hidden)
    assert not is_hidden(back) and [*filter(None, back.splitlines())] == [
        *filter(None, DIVISIONS.splitlines())
    ]


def test_only_divisions_by_divisors_that_become_constants_are_restored():
    text = hide(DIVISIONS).replace("i32 %b)", "i32 5)", 1)
    known = show_known(text)
    verify(known)
    assert "sdiv i32 %a, 5" in known and known.count(" call ") == 4


def test_divisions_by_powers_of_two_are_restored_once_values_are_known():
    text = hide(
        """
define i32 @f(i32 %a, i32 %b, ptr addrspace(1) %p, i1 %c) {
entry:
  %read = load i32, ptr addrspace(1) %p
  %one = sdiv i32 %a, %read
  %power = shl i32 1, %b
  %two = urem i32 %a, %power
  %wide = zext i32 %power to i64
  %half = udiv i64 7, %wide
  %less = add i32 %b, -1
  br i1 %c, label %yes, label %no
yes:
  br label %no
no:
  %either = phi i32 [ 0, %entry ], [ 3, %yes ]
  %more = mul i32 %either, %b
  %three = udiv i32 %a, %more
  %chosen = select i1 %c, i32 %less, i32 0
  %four = sdiv i32 %three, %chosen
  ret i32 %four
}
"""
    )
    shown = show_harmless(text)
    verify(shown)
    assert "and i32 %a, %weft.two" in shown and "udiv i64 7, %wide" in shown
    assert shown.count(" call ") == 3


def test_divisions_by_shifted_powers_of_two_work_on_bits_and_are_never_undefined():
    text = hide(
        """
define <2 x i32> @f(i32 %a, i32 %b, <2 x i32> %c, <2 x i32> %d) {
  %four = shl i32 4, %b
  %q = udiv i32 %a, %four, !weft !0
  %r = urem i32 %a, %four
  %s = sdiv i32 %a, %four
  %pair = shl nuw <2 x i32> splat (i32 2), %d
  %pairs = urem <2 x i32> %c, %pair
  %more = udiv <2 x i32> %pairs, %pair
  %six = shl i32 6, %b
  %t = udiv i32 %a, %six
  ret <2 x i32> %more
}
!0 = !{}
"""
    )
    shown = show_harmless(text)
    verify(shown)
    assert shown.count(" = call ") == 2, "6 << n may be 0, and so may 4 << n, which is signed"
    assert "%weft.q = lshr i32 %a, 2, !weft !0" in shown and "%q = lshr i32 %weft.q, %b, !weft !0" in shown
    assert "%weft.pairs = add <2 x i32> %pair, splat (i32 -1)" in shown
    assert "%more = lshr <2 x i32> %weft.more, %d" in shown


def test_a_module_without_such_divisions_stays_as_it_is():
    text = "define i32 @f(i32 %a) {\n  %1 = sdiv i32 %a, 7\n  ret i32 %1\n}\n"
    assert hide(text).strip() == text.strip() and not is_hidden(hide(text))


def test_divisions_by_constant_arguments_of_inlined_functions_become_shifts():
    text = canonicalise(
        """
define i32 @share(i32 %a, i32 %n) #0 {
  %q = udiv i32 %a, %n
  ret i32 %q
}
define spir_kernel void @k(ptr addrspace(1) %a) #0 {
  %x = load i32, ptr addrspace(1) %a
  %q = call i32 @share(i32 %x, i32 16)
  store i32 %q, ptr addrspace(1) %a
  ret void
}
attributes #0 = { convergent noinline nounwind }
""",
        host_target(),
    )
    assert "lshr i32 %x, 4" in text and "weft" not in text


def test_divisions_by_powers_of_two_and_by_counters_of_unrolled_loops_become_shifts():
    source = """
    kernel void k(global uint *a, uint n) {
        uint i = get_global_id(0), sum = a[i] / (1u << n) + a[i] % (4u << n) + a[i] / (2u << n);
        for (uint j = 1; j <= 4; j <<= 1) sum += a[i + 1] % j;
        a[i] = sum;
    }"""
    (kernel,) = compile_program(source, parse_options("")).kernels
    assert " = lshr " in kernel.text
    assert not any(f" = {word} " in kernel.text for word in ("udiv", "urem", "call i32"))


@pytest.mark.parametrize(
    "divide",
    [
        "int n = few ? 0 : 2; flag[i] = few ? 7 : 9; int q = a[i] / n;",
        "int n; if (few) { n = 0; flag[i] = 7; } else { n = 2; flag[i] = 9; } int q = a[i] / n;",
        "uint n = few ? 0 : 2; flag[i] = few ? 7 : 9; int q = (uint)a[i] % n + a[i] / 2 - (a[i] & 1);",
        "int n = 0; int q = a[i] / n; flag[i] = q > 3 ? few ? 7 : 9 : few ? 7 : 9; q = a[i] / 2;",
        "int n = 0; if (a[i] % n == 3) flag[i] = 1; flag[i] = few ? 7 : 9; int q = a[i] / 2;",
    ],
)
def test_a_division_by_zero_whose_result_is_not_used_changes_nothing(divide):
    source = f"""
    kernel void k(global const int *a, global int *flag, global int *mean) {{
        size_t i = get_global_id(0);
        int few = a[i] > 40;
        {divide}
        mean[i] = few ? -1 : q;
    }}"""
    platform = next(p for p in cl.get_platforms() if p.name == "Weft")
    context = cl.Context(platform.get_devices()[:1])
    queue = cl.CommandQueue(context)
    a = np.arange(64, dtype=np.int32)
    flag, mean = np.zeros_like(a), np.zeros_like(a)
    buffers = [cl.Buffer(context, cl.mem_flags.COPY_HOST_PTR, hostbuf=v) for v in (a, flag, mean)]
    cl.Kernel(cl.Program(context, source).build(), "k")(queue, (64,), (16,), *buffers)
    cl.enqueue_copy(queue, flag, buffers[1])
    cl.enqueue_copy(queue, mean, buffers[2])
    np.testing.assert_array_equal(flag, np.where(a > 40, 7, 9))
    np.testing.assert_array_equal(mean, np.where(a > 40, -1, a // 2))
