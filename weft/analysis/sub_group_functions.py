"""Sub-group functions by mangled name.

All work-items of a sub-group must call some functions together, like a barrier. Others, such as shuffles,
apply to the work-items that call them together.
"""

from functools import cache

from weft.dataclasses import dataclass
from weft.ir.types import I32, Type, VectorType
from weft.lazy_pattern import lazy_pattern

from .group_functions import VALUE_TYPES, combining_operation
from .work_items import SUB_GROUP_BARRIERS, SUB_GROUP_QUESTIONS

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
# Those whose result depends only on their arguments.
_OF_ARGUMENTS = frozenset(
    (
        *("sub_group_ballot_bit_extract", "sub_group_ballot_bit_count"),
        *("sub_group_ballot_find_lsb", "sub_group_ballot_find_msb"),
    )
)
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
# Kinds whose result is the same for all work-items that call the function together.
_SAME_FOR_ALL = frozenset(("all", "any", "all_equal", "ballot", "broadcast", "broadcast_first", "reduce"))


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
    by_all: bool = True

    @property
    def same_for_all(self) -> bool:
        """Whether all work-items that call it together get the same result."""
        return self.kind in _SAME_FOR_ALL

    @property
    def depends_on_arguments_only(self) -> bool:
        """Whether work-items that pass the same arguments get the same result."""
        return self.kind in _OF_ARGUMENTS


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
    element = VALUE_TYPES[letter]
    type = VectorType(element, int(width)) if width else element
    if name in _KINDS:
        kind, by_all = _KINDS[name]
        return SubGroupFunction(kind, type, by_all=by_all)
    combined = _COMBINED.fullmatch(name)
    if combined is None or width:
        return None
    how, kind, operation = combined.groups()
    kind = "clustered_reduce" if how == "clustered_" else kind
    return SubGroupFunction(kind, type, combining_operation(operation, letter), how is None)


def concerns_sub_groups(symbol: str) -> bool:
    """Whether a kernel that calls a symbol depends on sub-groups."""
    if "sub_group" not in symbol:
        return False
    if symbol in SUB_GROUP_QUESTIONS or symbol in SUB_GROUP_BARRIERS:
        return True
    return sub_group_function(symbol) is not None
