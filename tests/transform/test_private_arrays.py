"""Private arrays that get a column for each lane when a loop is about to run in lanes."""

import pytest

from weft import ir
from weft.ir.clone import clone_blocks
from weft.ir.loops import loop_forest
from weft.transform.workgroup.private_arrays_by_lane import private_arrays_by_lane
from weft.transform.workgroup.work_item_loops import INNERMOST

LOOP = f"""
define void @f(i32 %n) {{
entry:
  %h = alloca [4 x i32], align 4
  br label %items

items:
  %x = phi i32 [ 0, %entry ], [ %next, %items ]
  %e = and i32 %x, 3
  %p = getelementptr i32, ptr %h, i32 %e
  store i32 %x, ptr %p, align 4, !llvm.access.group !1
  %next = add i32 %x, 1
  %more = icmp ult i32 %next, %n
  br i1 %more, label %items, label %end, !llvm.loop !0

end:
  ret void
}}

!0 = distinct !{{!0, !2, !3}}
!1 = distinct !{{}}
!2 = !{{!"llvm.loop.parallel_accesses", !1}}
!3 = !{{!"{INNERMOST}"}}
"""


@pytest.mark.parametrize(("times", "scale"), [(0, 1), (1, 8), (2, 8)])
def test_all_copies_of_a_loop_agree_on_the_layout(times: int, scale: int) -> None:
    function = ir.parse(LOOP).function("f")
    arrays = private_arrays_by_lane(function, 8)
    (loop,) = loop_forest(function).loops
    clone_blocks(list(loop.blocks), function, {}, "copy")
    (array,) = arrays
    assert array.is_used_in(loop)
    for _ in range(times):
        array.spread()
    assert array.alloca.attributes["allocated"].count == 4 * scale
    steps = [
        i.attributes["element_type"].count
        for block in function.blocks
        for i in block.instructions
        if i.opcode == "getelementptr" and i.operands[0] is not array.alloca
    ]
    assert steps == [4 * scale, 4 * scale]
