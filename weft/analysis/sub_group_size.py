"""The sub-group size of a kernel.

A sub-group is a row of consecutive work-items of a work-group, in the order of local linear ids. Its size is
a power of two: the one that the kernel requires (`intel_reqd_sub_group_size`), or 16; the last
sub-group of a work-group may have fewer work-items.

If work-items may diverge within a sub-group where they call a function that applies to those that call it
together, only a sub-group of one work-item is always converged: `sub_group_size` then returns 1.
"""

from weft.abi import DEFAULT_SUB_GROUP_SIZE
from weft.ir import Function, Instruction
from weft.ir.metadata import node_integers

from .divergence import divergence
from .sub_group_functions import concerns_sub_groups, sub_group_function

REQUIRED_SIZE = "intel_reqd_sub_group_size"


def uses_sub_groups(function: Function) -> bool:
    """Whether a kernel queries its sub-groups, or calls their functions."""
    return any(concerns_sub_groups(i.callee_name) for i in function.instructions() if i.opcode == "call")


def required_size(function: Function) -> int | None:
    """Return the sub-group size that a kernel requires."""
    node = function.metadata.get(REQUIRED_SIZE)
    if node is None or function.module is None:
        return None
    return next(iter(node_integers(function.module, node)), None)


def alone_in_sub_groups(function: Function) -> Instruction | None:
    """Return a call that possibly only some work-items of a sub-group reach together, if there is one."""
    calls = [i for i in function.instructions() if i.opcode == "call"]
    some = [i for i in calls if (f := sub_group_function(i.callee_name)) is not None and not f.by_all]
    if not some:
        return None
    shape = divergence(function)
    return next((i for i in some if i.block is not None and not shape.runs_uniformly(i.block)), None)


def sub_group_size(function: Function) -> int:
    """Return the size of a kernel's sub-groups; 0 if it does not use them."""
    if not uses_sub_groups(function):
        return 0
    return required_size(function) or (
        1 if alone_in_sub_groups(function) is not None else DEFAULT_SUB_GROUP_SIZE
    )
