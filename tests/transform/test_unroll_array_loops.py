"""Which loops are unrolled when a program is built, so that private arrays become values."""

import pytest

from weft import ir
from weft.transform.canonical.unroll_array_loops import (
    MOST_INSTRUCTIONS,
    MOST_TRIPS,
    UNROLLED,
    unroll_array_loops,
)

KERNEL = """
declare void @_Z7barrierj(i32)

define void @f(ptr addrspace(1) %out, i32 %n) {
entry:
  %array = alloca [64 x float], align 4
  %first = getelementptr float, ptr %array, i64 3
  store float 1.0, ptr %first, align 4
  BARRIER
  %other = getelementptr float, ptr %array, i32 OTHER
  store float 2.0, ptr %other, align 4
  br label %loop

loop:
  %k = phi i32 [ START, %entry ], [ %next, %loop ]
  %index = shl i32 %k, 1
  %at = getelementptr float, ptr %array, i32 INDEX
  %element = load float, ptr %at, align 4
  %place = getelementptr float, ptr addrspace(1) %out, i32 %k
FILL  store float %element, ptr addrspace(1) %place, align 4
  INSIDE
  %next = add i32 %k, 1
  %again = icmp slt i32 %next, LIMIT
  br i1 %again, label %loop, label %endNOTE

end:
  ret void
}

!0 = distinct !{!0, !1}
!1 = !{!"llvm.loop.unroll.disable"}
"""
FILL = "  %f{} = fmul float %element, %element\n"
BARRIER = "call void @_Z7barrierj(i32 1)"
PLAIN = {
    "BARRIER": BARRIER, "OTHER": "4", "START": "0", "INDEX": "%index", "FILL": "", "INSIDE": "",
    "LIMIT": "9", "NOTE": "",
}  # fmt: skip


def marked(**changed: str) -> str:
    text = KERNEL
    for word, value in (PLAIN | changed).items():
        text = text.replace(word, value)
    function = ir.parse(text).function("f")
    found = unroll_array_loops(function)
    printed = ir.print_module(function.module)
    assert found == (UNROLLED in printed)
    return printed


def test_the_loop_that_decides_the_other_elements_is_unrolled() -> None:
    assert marked().count(UNROLLED) == 1


@pytest.mark.parametrize(
    "changed",
    [
        {"BARRIER": ""},
        {"OTHER": "%n"},
        {"INDEX": "%n"},
        {"START": "%n"},
        {"LIMIT": "%n"},
        {"LIMIT": str(MOST_TRIPS + 1)},
        {"FILL": "".join(map(FILL.format, range(MOST_INSTRUCTIONS // 9)))},
        {"INSIDE": BARRIER},
        {"NOTE": ", !llvm.loop !0"},
    ],
    ids=lambda changed: next(iter(changed)),
)
def test_no_loop_is_unrolled_if_the_array_stays(changed: dict[str, str]) -> None:
    assert UNROLLED not in marked(**changed)


VECTORS = """
define void @f(ptr addrspace(1) %out, i32 %n) {
entry:
  %array = alloca [8 x <4 x float>], align 16
  br label %loop

loop:
  %k = phi i32 [ 0, %entry ], [ %next, %loop ]
  %at = getelementptr <4 x float>, ptr %array, i32 INDEX
  %element = load <4 x float>, ptr %at, align 16
  %place = getelementptr <4 x float>, ptr addrspace(1) %out, i32 %k
  store <4 x float> %element, ptr addrspace(1) %place, align 16
  %next = add i32 %k, 1
  %again = icmp slt i32 %next, 8
  br i1 %again, label %loop, label %end

end:
  ret void
}
"""


@pytest.mark.parametrize(("index", "loops"), [("%k", 1), ("%n", 0)])
def test_vectors_need_no_barrier(index: str, loops: int) -> None:
    function = ir.parse(VECTORS.replace("INDEX", index)).function("f")
    assert unroll_array_loops(function) == bool(loops)
    assert ir.print_module(function.module).count(UNROLLED) == loops
