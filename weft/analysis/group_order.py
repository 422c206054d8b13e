"""In which order the work-groups of a launch are best run: row by row, or in blocks.

    out[x * height + y] = tile[…];          // in groups of 16 x 16: 64 bytes further with each group along y

A kernel that goes through memory along y writes, with each group along x, to rows that lie far apart: a bit
of each, and the next bit with the next row of groups. Neither the processor, which fetches ahead along rows,
nor memory, which opens rows of its own, is made for that. In blocks of groups both what is read along x and
what is written along y is some KiB in a line.

The rule: if some access to global memory moves on by less than a line (`Costs.group_line` bytes) with each
group along y, and by a page (`Costs.group_page`) or more along x, or nobody knows how far, groups are run in
blocks. A block has so many groups along x and along y as make a line of the accesses that go along x and
along y. Without such an access groups are run in rows.
"""

from enum import unique

from weft.abi import Extents, GroupBlock
from weft.ir import Function
from weft.ir.types import address_space
from weft.remarks import SILENT, Message, Remarks
from weft.target import Costs

from .id_evolution import IdEvolution

_GLOBAL = 1  # the address space


@unique
class GroupOrder(Message):
    """In which order work-groups are run."""

    BLOCKS = "work-groups are run in blocks of {wide} x {high}: an access is column-major"


def group_order(
    function: Function, extents: Extents | None, costs: Costs, remarks: Remarks = SILENT
) -> GroupBlock | None:
    """The blocks in which groups (or tiles) of so many work-items are best run; None: in rows along x."""
    if extents is None:
        return None
    # From one work-group (or tile) to the next.
    along_x, along_y = (
        IdEvolution(dimension, {"get_group_id": 1, "get_global_id": extents[dimension]})
        for dimension in (0, 1)
    )
    line, page = costs.group_line, costs.group_page
    nearest = [line, line]
    walks_columns = False
    for i in function.instructions():
        if i.opcode not in ("load", "store") or address_space(i.operands[-1].type) != _GLOBAL:
            continue
        x, y = along_x.stride(i.operands[-1]), along_y.stride(i.operands[-1])
        if _is_near(y, line) and _is_far(x, page):
            walks_columns = True
            nearest[1] = min(nearest[1], abs(y or line))
        elif _is_near(x, line) and _is_far(y, page):
            nearest[0] = min(nearest[0], abs(x or line))
    if not walks_columns:
        return None
    wide, high = (min(line // step, costs.group_block) for step in nearest)
    wide = max(wide, high)
    remarks.analysis(GroupOrder.BLOCKS, wide=wide, high=high)
    return wide, high


def _is_near(step: int | None, line: int) -> bool:
    return step is not None and 0 < abs(step) < line


def _is_far(step: int | None, page: int) -> bool:
    return step is None or abs(step) >= page
