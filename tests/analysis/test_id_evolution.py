"""Strides of indices that are cut to 32 bits are probable: choices of loops and tiles follow them."""

import pytest

from weft import ir
from weft.analysis.column_major import Major, access_order
from weft.analysis.id_evolution import ProbableStrides
from weft.analysis.loop_order import innermost_dimension
from weft.analysis.shapes import shapes
from weft.codegen.host import host_target

# a[row * n + column], where one of them is an int of a sum of 64 bits: it may wrap around.
KERNEL = """
declare i64 @_Z13get_global_idj(i32) memory(none)
define void @k(ptr addrspace(1) %a, i32 %n, i64 %k) {{
  %i = call i64 @_Z13get_global_idj(i32 {row})
  %j = call i64 @_Z13get_global_idj(i32 {column})
  %sum = add i64 %j, %k
  %row = trunc i64 %i to i32
  %column = trunc i64 %sum to i32
  %start = mul i32 %row, %n
  %index = add i32 %start, %column
  %wide = sext i32 %index to i64
  %p = getelementptr float, ptr addrspace(1) %a, i64 %wide
  %v = load float, ptr addrspace(1) %p
  store float %v, ptr addrspace(1) %p
  ret void
}}
"""


@pytest.mark.parametrize(("row", "column"), [(0, 1), (1, 0)])
def test_loops_and_tiles_go_along_what_is_probably_consecutive(row: int, column: int):
    function = ir.parse(KERNEL.format(row=row, column=column)).function("k")
    found = shapes(function)
    load = next(i for i in function.instructions() if i.opcode == "load")
    assert found.of(load.operands[0]).strides[:2] == (None, None)
    assert ProbableStrides(found).of(load.operands[0])[column] == 4
    assert innermost_dimension(function, found, (16, 16, 1), 4, host_target().costs) == column
    assert access_order(function, found) is (Major.ROW, Major.COLUMN)[column]
