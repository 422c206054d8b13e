"""Work-item functions and barriers of OpenCL C, by mangled name.

Kernels call them; the work-group passes replace them. No other module contains these names.
"""

from enum import unique

from weft.dataclasses import dataclass
from weft.ir import Instruction
from weft.remarks import Message


@dataclass(frozen=True)
class WorkItemFunction:
    """A work-item function; it is `varying` if its result differs between the work-items of a group.

    In a kernel with sub-groups the analyses treat a sub-group as the group: values that are the same for all
    work-items of a sub-group, such as its id, are not varying.
    """

    name: str
    varying: bool = False
    takes_dimension: bool = True
    default: int = 0  # the result for a dimension outside the NDRange


_FUNCTIONS = (
    WorkItemFunction("get_global_id", varying=True),
    WorkItemFunction("get_local_id", varying=True),
    WorkItemFunction("get_global_linear_id", varying=True, takes_dimension=False),
    WorkItemFunction("get_local_linear_id", varying=True, takes_dimension=False),
    WorkItemFunction("get_group_id"),
    WorkItemFunction("get_global_offset"),
    WorkItemFunction("get_global_size", default=1),
    WorkItemFunction("get_local_size", default=1),
    WorkItemFunction("get_enqueued_local_size", default=1),
    WorkItemFunction("get_num_groups", default=1),
    WorkItemFunction("get_work_dim", takes_dimension=False),
    WorkItemFunction("get_sub_group_local_id", varying=True, takes_dimension=False),
    WorkItemFunction("get_sub_group_id", takes_dimension=False),
    WorkItemFunction("get_sub_group_size", takes_dimension=False),
    WorkItemFunction("get_max_sub_group_size", takes_dimension=False),
    WorkItemFunction("get_num_sub_groups", takes_dimension=False),
    WorkItemFunction("get_enqueued_num_sub_groups", takes_dimension=False),
)

WORK_ITEM_FUNCTIONS = {f"_Z{len(f.name)}{f.name}{'j' if f.takes_dimension else 'v'}": f for f in _FUNCTIONS}

# Queries about the group of a work-item; the others concern the NDRange only.
GROUP_QUERIES = frozenset(
    (
        "get_local_id",
        "get_local_linear_id",
        "get_group_id",
        "get_local_size",
        "get_enqueued_local_size",
        "get_num_groups",
    )
)

# Queries about the sub-group of a work-item.
SUB_GROUP_QUESTIONS = frozenset(symbol for symbol, f in WORK_ITEM_FUNCTIONS.items() if "sub_group" in f.name)

IMPLICIT_BARRIER = "weft.barrier"
SUB_GROUP_BARRIER = "weft.sub_group_barrier"
SUB_GROUP_BARRIERS = frozenset(
    (SUB_GROUP_BARRIER, "_Z17sub_group_barrierj", "_Z17sub_group_barrierj12memory_scope")
)
BARRIERS = SUB_GROUP_BARRIERS | {
    IMPLICIT_BARRIER, "_Z7barrierj", "_Z18work_group_barrierj", "_Z18work_group_barrierj12memory_scope"
}  # fmt: skip


def work_item_function(instruction: Instruction) -> WorkItemFunction | None:
    """Return the work-item function that an instruction calls, if any."""
    return WORK_ITEM_FUNCTIONS.get(instruction.callee_name)


def is_barrier(instruction: Instruction) -> bool:
    """Whether an instruction is a barrier of a work-group or a sub-group, explicit or implicit."""
    return instruction.callee_name in BARRIERS


def is_work_group_barrier(instruction: Instruction) -> bool:
    """Whether all work-items of a group wait for one another at an instruction.

    This excludes implicit barriers within the code of one sub-group, such as those at deciding branches.
    """
    if not is_barrier(instruction) or instruction.callee_name in SUB_GROUP_BARRIERS:
        return False
    return barrier_origin(instruction) in _OF_WORK_GROUPS


@unique
class BarrierOrigin(Message):
    """Why a barrier exists: an attribute (`ORIGIN`) of implicit barriers, which is not printed."""

    WRITTEN = "it is in the source"
    ENTRY = "every kernel starts with one"
    EXIT = "every kernel ends with one"
    DECISION = "the branch after it decides which barrier comes next"
    INTERCHANGE = "the inner loop runs in lock step over all work-items"
    STRIP = "the inner loop runs in strips over all work-items"
    LOCAL_MEMORY = "work-items may read local memory that others have stored to"
    GROUP_FUNCTION = "part of a work-group function"
    SUB_GROUP_FUNCTION = "part of a sub-group function"
    MERGED_TAIL = "a long tail of several barriers, which is not replicated"
    GATHERED = "several barriers merged, so that their tails are not replicated"


ORIGIN = "origin"
_OF_WORK_GROUPS = (
    BarrierOrigin.WRITTEN,
    BarrierOrigin.ENTRY,
    BarrierOrigin.EXIT,
    BarrierOrigin.GROUP_FUNCTION,
)


def barrier_origin(barrier: Instruction) -> BarrierOrigin:
    """Return why a barrier exists."""
    origin = barrier.attributes.get(ORIGIN, BarrierOrigin.WRITTEN)
    assert isinstance(origin, BarrierOrigin)
    return origin
