"""Choose the order of the work-groups of a launch: row by row, or in blocks.

    out[x * height + y] = tile[…];          // in groups of 16 x 16: 64 bytes further with each group along y

In a kernel with a column-major access, consecutive groups along x write to rows that are far apart: a small
part of each row, and the adjacent part only with the next row of groups. Neither hardware prefetchers nor
DRAM pages suit that pattern. In blocks of groups, reads along x and writes along y both cover some
consecutive KiB.

The rule: if an access to global memory advances by less than a line (`Costs.group_line` bytes) with each
group along y, and by at least a page (`Costs.group_page`) or an unknown amount along x, groups run in blocks.
The extents of a block along x and y are the number of groups whose accesses fill a line in that direction.
Otherwise groups run in rows: along y if each group is a row of work-items along y and memory is contiguous
only along y, else along x.
"""

from enum import unique

from weft.abi import Extents, GroupBlock
from weft.ir import Function
from weft.ir.address_spaces import GLOBAL
from weft.ir.types import address_space
from weft.remarks import SILENT, Message, Remarks
from weft.target import Costs

from .id_evolution import IdEvolution


@unique
class GroupOrder(Message):
    """The order in which work-groups run."""

    COLUMNS = "work-groups are run along y first: memory is contiguous along y"
    BLOCKS = "work-groups are run in blocks of {wide} x {high}: an access is column-major"


def group_order(
    function: Function, extents: Extents | None, costs: Costs, remarks: Remarks = SILENT
) -> GroupBlock | None:
    """Return the best block of groups (or tiles) of the given extents; None: rows along x."""
    if extents is None:
        return None
    if extents[0] == 1 != extents[1] and _is_contiguous_along_y(function, costs):
        remarks.analysis(GroupOrder.COLUMNS)
        return 1, costs.group_block
    # Strides from one work-group (or tile) to the next.
    along_x, along_y = (
        IdEvolution(dimension, {"get_group_id": 1, "get_global_id": extents[dimension]})
        for dimension in (0, 1)
    )
    line, page = costs.group_line, costs.group_page
    nearest = [line, line]
    walks_columns = False
    for i in function.instructions():
        if i.opcode not in ("load", "store") or address_space(i.operands[-1].type) != GLOBAL:
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


def _is_contiguous_along_y(function: Function, costs: Costs) -> bool:
    """Whether some access is near along y and far apart along x, and none is the reverse."""
    along_x, along_y = (IdEvolution(dimension, {"get_global_id": 1}) for dimension in (0, 1))
    line, page = costs.group_line, costs.group_page
    strides = [
        (along_x.stride(i.operands[-1]), along_y.stride(i.operands[-1]))
        for i in function.instructions()
        if i.opcode in ("load", "store") and address_space(i.operands[-1].type) == GLOBAL
    ]
    columns = any(_is_near(y, line) and _is_far(x, page) for x, y in strides)
    return columns and not any(_is_near(x, line) and _is_far(y, page) for x, y in strides)


def _is_near(step: int | None, line: int) -> bool:
    return step is not None and 0 < abs(step) < line


def _is_far(step: int | None, page: int) -> bool:
    return step is None or abs(step) >= page
