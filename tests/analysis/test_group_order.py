"""The order of work-groups follows from how far accesses move on from one group to the next."""

import pytest

from weft import ir
from weft.abi import Extents
from weft.analysis.group_order import group_order
from weft.target import x86

TRANSPOSE = """
define spir_kernel void @k(ptr addrspace(1) %in, ptr addrspace(1) %out, i32 %n) {{
entry:
  %gx = call i64 @_Z12get_group_idj(i32 0)
  %gy = call i64 @_Z12get_group_idj(i32 1)
  %lx = call i64 @_Z12get_local_idj(i32 0)
  %x = call i64 @_Z13get_global_idj(i32 0)
  %y = call i64 @_Z13get_global_idj(i32 1)
  %n.wide = sext i32 %n to i64
  %up = mul i64 %y, %n.wide
  %across = mul i64 %x, %n.wide
  %by.row = add i64 %up, %x
  %by.column = add i64 %across, %y
  %p = getelementptr {read}
  %q = getelementptr {write}
  %v = load float, ptr addrspace(1) %p, align 4
  store float %v, ptr addrspace(1) %q, align 4
  ret void
}}
declare i64 @_Z12get_group_idj(i32)
declare i64 @_Z12get_local_idj(i32)
declare i64 @_Z13get_global_idj(i32)
"""
BY_ROW = "float, ptr addrspace(1) %{}, i64 %by.row"
BY_COLUMN = "float, ptr addrspace(1) %{}, i64 %by.column"


def order(read: str, write: str, extents: Extents | None) -> tuple[int, int] | None:
    text = TRANSPOSE.format(read=read.format("in"), write=write.format("out"))
    return group_order(ir.parse(text).function("k"), extents, x86.for_lanes(16).costs)


@pytest.mark.parametrize(
    ("extents", "block"),
    [((16, 16, 1), (32, 32)), ((8, 32, 1), (64, 16)), ((32, 8, 1), (64, 64)), ((64, 4, 1), (64, 64))],
)
def test_transposed_matrix_is_run_in_blocks_of_whole_lines(extents: Extents, block: tuple[int, int]) -> None:
    assert order(BY_ROW, BY_COLUMN, extents) == block
    assert order(BY_COLUMN, BY_ROW, extents) == block


def test_rows_are_run_in_rows() -> None:
    assert order(BY_ROW, BY_ROW, (16, 16, 1)) is None
    assert order("float, ptr addrspace(1) %{}, i64 %gy", BY_ROW, (16, 16, 1)) is None


def test_groups_of_any_size_are_run_in_rows() -> None:
    assert order(BY_ROW, BY_COLUMN, None) is None
    assert order(BY_ROW, BY_COLUMN, (None, None, 1)) is None


def test_groups_that_fill_a_line_are_run_in_rows() -> None:
    assert order(BY_ROW, BY_COLUMN, (1, 512, 1)) is None


@pytest.mark.parametrize("extents", [(1, 1024, 1), (1, None, 1)])
def test_rows_along_y_are_run_along_y_where_memory_is_contiguous_along_y(extents: Extents) -> None:
    block = order(BY_COLUMN, BY_COLUMN, extents)
    assert block is not None and block[0] == 1 < block[1]
    assert order("float, ptr addrspace(1) %{}, i64 %x", BY_COLUMN, extents) == block
    assert order(BY_ROW, BY_COLUMN, extents) is None
    assert order(BY_ROW, BY_ROW, extents) is None


def test_place_in_the_group_is_no_step() -> None:
    assert order("float, ptr addrspace(1) %{}, i64 %lx", BY_COLUMN, (16, 16, 1)) == (32, 32)


def test_columns_near_each_other_are_no_reason() -> None:
    narrow = "[64 x float], ptr addrspace(1) %{}, i64 %gx, i64 %gy"
    assert order(BY_ROW, narrow, (16, 16, 1)) is None
    wide = "[2048 x float], ptr addrspace(1) %{}, i64 %gx, i64 %gy"
    assert order(BY_ROW, wide, (16, 16, 1)) == (64, 64)
