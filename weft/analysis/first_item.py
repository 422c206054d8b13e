"""Find parallel regions that only the first work-item of a group executes.

    after:                                              ; the region starts after a barrier
      %id = call i64 @_Z19get_local_linear_idv()
      %first = icmp eq i64 %id, 0
      br i1 %first, label %work, label %done
    work:
      …
    done:
      br label %barrier

Such a region needs no work-item loop. `lower_group_functions` emits it for work that is done once per group.
In kernels with sub-groups it is the first work-item of each sub-group: `get_sub_group_local_id` is 0.
"""

from weft.ir import Block, ConstantInt, Instruction

from .barrier_cfg import ParallelRegion
from .work_items import work_item_function


def is_first_item_region(region: ParallelRegion, of_sub_group: bool = False) -> bool:
    """Whether all work-items except the first of the group, or sub-group, go straight to the next barrier."""
    terminator = region.entry.terminator
    if terminator.opcode != "br" or len(terminator.operands) != 3 or len(region.successors) != 1:
        return False
    condition, _, otherwise = terminator.operands
    assert isinstance(otherwise, Block)
    name = "get_sub_group_local_id" if of_sub_group else "get_local_linear_id"
    if not isinstance(condition, Instruction) or not _is_first(condition, name):
        return False
    # Other values that the block computes, or other uses of the condition, concern every work-item.
    only_use = len(condition.users) == 1 and condition.block is region.entry
    expected = (terminator, condition, condition.operands[0])
    return only_use and all(i in expected for i in region.entry.instructions) and _leads_on(otherwise, region)


def _is_first(condition: Instruction, name: str) -> bool:
    if condition.opcode != "icmp" or condition.attributes["predicate"] != "eq":
        return False
    query, zero = condition.operands
    function = work_item_function(query) if isinstance(query, Instruction) else None
    if function is None or function.name != name:
        return False
    return isinstance(zero, ConstantInt) and zero.value == 0


def _leads_on(block: Block, region: ParallelRegion) -> bool:
    """Whether a block leads to the barrier after the region through empty blocks."""
    for _ in region.blocks:
        if block is region.successors[0]:
            return True
        if len(block.instructions) != 1 or len(block.successors()) != 1:
            return False
        (block,) = block.successors()
    return block is region.successors[0]
