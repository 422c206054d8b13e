"""Run several rows of work-items at once, where they load the same data in inner loops.

    %y = call i64 @get_global_id(i32 1)          %y = call i64 @get_global_id(i32 1)
                                                 %y.1 = add nuw nsw i64 %y, 1
    for each k:                                  for each k:
      %a = load %A + %y * n + k                    %a = load %A + %y * n + k
                                                   %a.1 = load %A + %y.1 * n + k
      %b = load %B + %x * n + k                    %b = load %B + %x * n + k
      %s = fma(%a, %b, %s)                         %s = fma(%a, %b, %s)
                                                   %s.1 = fma(%a.1, %b, %s.1)

Of what depends on the row there is a copy for each, all else is there once: the outer work-item loop is
unrolled, and the iterations are jammed into the kernel's own loops (Callahan, Carr and Kennedy, "Improving
register allocation for subscripted variables", PLDI 1990). A matrix product loads and transposes each vector
once for four rows.

The work-items of a tile share nothing, so that their order is free. Requires a kernel whose branches are the
same for all rows. Refuses kernels whose rows share no loads (`analysis/row_reuse.py`), or whose sums would
not stay in registers. Linear time.
"""

from enum import unique

from weft.analysis.row_reuse import NoRowReuse, row_reuse
from weft.analysis.work_items import work_item_function
from weft.ir import Function, Instruction
from weft.ir.builder import Builder
from weft.ir.clone import ValueMap, clone_instruction
from weft.ir.types import I64
from weft.ir.values import const_int
from weft.remarks import SILENT, Message, Reason, Remarks


@unique
class RowsAtOnce(Message):
    """Whether rows of work-items run at once."""

    JAMMED = "{rows} work-items along {axis} run at once: they load the same data"
    NOT_JAMMED = "work-items along {axis} do not run at once: {why}"


def unroll_and_jam(function: Function, along: int, rows: int, lanes: int, remarks: Remarks = SILENT) -> bool:
    """Have each work-item do what several of them do that differ in the dimension `along`.

    `lanes` is the dimension of the work-items that run in SIMD lanes. Returns whether it did.
    """
    axis, found = "xyz"[along], row_reuse(function, along, lanes)
    if isinstance(found, NoRowReuse):
        if found is not NoRowReuse.NOTHING_SHARED:
            remarks.missed(RowsAtOnce.NOT_JAMMED, axis=axis, why=Reason(found))
        return False
    for row in reversed(range(1, rows)):
        _add_row(found.varying, row)
    remarks.passed(RowsAtOnce.JAMMED, rows=rows, axis=axis)
    return True


def _add_row(varying: tuple[Instruction, ...], row: int) -> None:
    """Adds what depends on the row for one more row."""
    values: ValueMap = {}
    copies: list[Instruction] = []
    for i in varying:
        block = i.parent
        b = Builder(block, block.instructions[block.index(i) + 1])
        if work_item_function(i) is not None:
            values[i] = b.add(i, const_int(I64, row), i.name, ("nuw", "nsw"))
        else:
            copy = b.insert(clone_instruction(i, {}))
            values[i] = copy
            copies.append(copy)
    for copy in copies:
        copy.set_operands([values.get(o, o) for o in copy.operands])
