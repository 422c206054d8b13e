"""Constants that have no result are numbers, not reasons to remove code."""

import numpy as np
import pyopencl as cl

from weft.codegen.optimise import verify
from weft.frontend.replace_poison import replace_poison

POISON = """
define i32 @f(i32 %a, ptr %p) {
  store i32 poison, ptr %p
  store i8 poison, ptr %p
  store <2 x i32> poison, ptr %p
  store float poison, ptr %p
  store ptr poison, ptr %p
  %1 = icmp sgt i32 %a, poison
  %2 = select i1 %1, i32 poison, i32 poison
  %3 = call i32 @f(i32 poison, ptr %p)
  %4 = add nsw i32 %2, poison
  %5 = insertelement <2 x i32> poison, i32 %3, i64 0
  %6 = shufflevector <2 x i32> %5, <2 x i32> poison, <4 x i32> <i32 0, i32 1, i32 poison, i32 poison>
  %7 = insertelement <2 x i32> %5, i32 poison, i64 1
  %8 = getelementptr i32, ptr %p, i64 poison
  %9 = call zeroext i8 @g(i8 noundef signext poison, i32 noundef poison)
  %10 = insertelement <2 x i32> poison, i32 %3, i32 1
  br i1 poison, label %poison, label %b
poison:
  br label %b
b:
  %11 = phi i32 [ poison, %0 ], [ 3, %poison ]
  ret i32 poison
}
declare zeroext i8 @g(i8, i32)
"""


def test_poison_becomes_numbers_but_where_vectors_begin():
    text = replace_poison(POISON)
    verify(text)
    least = -(2**31)
    kept = [line for line in text.splitlines() if " poison" in line]
    assert len(kept) == 3, "a pointer, the beginning of a vector, a shuffle"
    assert "store <2 x i32> zeroinitializer, ptr %p" in text and "store float 0.0, ptr %p" in text
    assert f"<2 x i32> %5, i32 {least}, i64 1" in text and f"[ {least}, %0 ], [ 3, %poison ]" in text
    assert "br i1 false, label %poison" in text and f"ptr %p, i64 {-(2**63)}" in text
    assert f"store i32 {least}, ptr %p" in text and "store i8 0, ptr %p" in text
    assert f"icmp sgt i32 %a, {least}" in text and f"add nsw i32 %2, {least}" in text
    assert f"@g(i8 noundef signext 0, i32 noundef {least})" in text
    assert "insertelement <2 x i32> zeroinitializer, i32 %3, i32 1" in text
    assert f"select i1 %1, i32 {least}, i32 {least}" in text and f"@f(i32 {least}, ptr %p)" in text


def test_a_number_too_large_for_an_integer_removes_no_code():
    source = """
    kernel void k(global const int *a, global int *out, int n) {
        size_t i = get_global_id(0);
        int least = (int)FLT_MAX, at = -1;
        for (int j = 0; j < n; j++)
            if (a[i + j] < least || j == 3) {
                least = a[i + j];
                at = j;
            }
        if (at < (int)INFINITY && at > (int)-INFINITY) out[i] = least <= 100;
    }"""
    platform = next(p for p in cl.get_platforms() if p.name == "Weft")
    context = cl.Context(platform.get_devices()[:1])
    queue = cl.CommandQueue(context)
    a, out = np.arange(80, dtype=np.int32), np.zeros(64, np.int32)
    buffers = [cl.Buffer(context, cl.mem_flags.COPY_HOST_PTR, hostbuf=v) for v in (a, out)]
    cl.Kernel(cl.Program(context, source).build(), "k")(queue, (64,), (16,), *buffers, np.int32(8))
    cl.enqueue_copy(queue, out, buffers[1])
    assert out.all()
