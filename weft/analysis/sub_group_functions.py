"""Sub-group functions by mangled name, and the sub-group size of a kernel.

A sub-group is a row of consecutive work-items of a work-group, in the order of local linear ids. Its size is
a power of two: the one that the kernel requires (`intel_reqd_sub_group_size`), or 16; the last
sub-group of a work-group may have fewer work-items.

All work-items of a sub-group must call some functions together, like a barrier. Others, such as shuffles,
apply to the work-items that call them together. If work-items may diverge within a sub-group, only a
sub-group of one work-item is always converged: `sub_group_size` then returns 1.
"""

from functools import cache

from weft.abi import DEFAULT_SUB_GROUP_SIZE
from weft.dataclasses import dataclass
from weft.ir import Function, Instruction
from weft.ir.metadata import node_integers
from weft.ir.types import DOUBLE, FLOAT, HALF, I8, I16, I32, I64, Type, VectorType
from weft.lazy_pattern import lazy_pattern

from .divergence import divergence
from .work_items import SUB_GROUP_BARRIERS, SUB_GROUP_QUESTIONS

REQUIRED_SIZE = "intel_reqd_sub_group_size"

_TYPES: dict[str, Type] = {
    "c": I8, "a": I8, "h": I8, "s": I16, "t": I16, "i": I32, "j": I32, "l": I64, "m": I64,
    "Dh": HALF, "f": FLOAT, "d": DOUBLE,
}  # fmt: skip
_UNSIGNED = frozenset("htjm")
_NAME = lazy_pattern(r"_Z(\d+)((?:get_)?sub_group_\w+)")
_PARAMETER = lazy_pattern(r"(?:Dv(\d+)_)?(Dh|[cahstijlmfd])")
_COMBINED = lazy_pattern(
    r"sub_group_(non_uniform_|clustered_)?(reduce|scan_exclusive|scan_inclusive)_"
    r"(add|mul|min|max|and|or|xor|logical_and|logical_or|logical_xor)"
)
# Functions of a work-item's index in its sub-group and of a mask with a bit for each index; they need no
# other work-item.
MASKS = frozenset(f"get_sub_group_{which}_mask" for which in ("eq", "ge", "gt", "le", "lt")) | {
    "sub_group_inverse_ballot",
    "sub_group_ballot_bit_extract",
    "sub_group_ballot_bit_count",
    "sub_group_ballot_inclusive_scan",
    "sub_group_ballot_exclusive_scan",
    "sub_group_ballot_find_lsb",
    "sub_group_ballot_find_msb",
}
# Functions by name: their kind, and whether all work-items of the sub-group must call them.
_KINDS = {
    "sub_group_all": ("all", True),
    "sub_group_any": ("any", True),
    "sub_group_non_uniform_all": ("all", False),
    "sub_group_non_uniform_any": ("any", False),
    "sub_group_non_uniform_all_equal": ("all_equal", False),
    "sub_group_elect": ("elect", False),
    "sub_group_ballot": ("ballot", False),
    "sub_group_broadcast": ("broadcast", True),
    "sub_group_non_uniform_broadcast": ("broadcast", False),
    "sub_group_broadcast_first": ("broadcast_first", False),
    "sub_group_shuffle": ("shuffle", False),
    "sub_group_shuffle_xor": ("shuffle_xor", False),
    "sub_group_shuffle_up": ("shuffle_up", False),
    "sub_group_shuffle_down": ("shuffle_down", False),
    "sub_group_rotate": ("rotate", True),
    "sub_group_clustered_rotate": ("clustered_rotate", True),
}


@dataclass(frozen=True)
class SubGroupFunction:
    """The meaning of a sub-group function.

    `kind` is one of `_KINDS` or `MASKS`, reduce, clustered_reduce, scan_exclusive or scan_inclusive;
    `operation` is that of the last four. `type` is that of the value. `by_all`: all work-items of a sub-group
    must call it.
    """

    kind: str
    type: Type
    operation: str = ""
    signed: bool = True
    by_all: bool = True


@cache
def sub_group_function(symbol: str) -> SubGroupFunction | None:
    """Return the sub-group function that a symbol names, if any."""
    match = _NAME.match(symbol)
    if match is None:
        return None
    start = match.start(2)
    name, parameters = symbol[start : start + int(match[1])], symbol[start + int(match[1]) :]
    if name in MASKS:
        return SubGroupFunction(name, I32)
    parameter = _PARAMETER.match(parameters)
    if parameter is None:
        return SubGroupFunction("elect", I32, by_all=False) if name == "sub_group_elect" else None
    width, letter = parameter.groups()
    element = _TYPES[letter]
    type = VectorType(element, int(width)) if width else element
    if name in _KINDS:
        kind, by_all = _KINDS[name]
        return SubGroupFunction(kind, type, by_all=by_all)
    combined = _COMBINED.fullmatch(name)
    if combined is None or width:
        return None
    how, kind, operation = combined.groups()
    kind = "clustered_reduce" if how == "clustered_" else kind
    return SubGroupFunction(kind, type, operation, letter not in _UNSIGNED, how is None)


def concerns_sub_groups(symbol: str) -> bool:
    """Whether a kernel that calls a symbol depends on sub-groups."""
    if "sub_group" not in symbol:
        return False
    if symbol in SUB_GROUP_QUESTIONS or symbol in SUB_GROUP_BARRIERS:
        return True
    return sub_group_function(symbol) is not None


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
