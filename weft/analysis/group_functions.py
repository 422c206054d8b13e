"""Work-group functions by mangled name, and the memory that they use.

All work-items of a group must call such a function, as they must reach a barrier: asynchronous copies,
`wait_group_events` and the work-group collectives of OpenCL C 3.0. `lower_group_functions` replaces them by
plain code between barriers. That code exchanges values through *group memory*: variables in the local address
space, of two kinds, which are not in the local arena:

    @weft.items.T  = external addrspace(3) global [0 x T]     one element per work-item of the group
    @weft.result.T = external addrspace(3) global T           one for the group

A load with `!weft.uniform` returns the same value for all work-items of a group.
"""

from functools import cache

from weft.dataclasses import dataclass
from weft.ir.types import DOUBLE, FLOAT, HALF, I8, I16, I32, I64, Type, VectorType
from weft.lazy_pattern import lazy_pattern

ITEMS = "weft.items."
RESULT = "weft.result."
SUB_GROUP_RESULT = f"{RESULT}sub_group."
UNIFORM = "weft.uniform"

# Types by their mangled names.
VALUE_TYPES: dict[str, Type] = {
    "c": I8, "a": I8, "h": I8, "s": I16, "t": I16, "i": I32, "j": I32, "l": I64, "m": I64,
    "Dh": HALF, "f": FLOAT, "d": DOUBLE,
}  # fmt: skip
_UNSIGNED = frozenset("htjm")
_FLOATS = frozenset(("Dh", "f", "d"))
# Votes, and the operations that combine their conditions.
VOTES = {"all": "logical_and", "any": "logical_or"}

_COPY = lazy_pattern(
    r"_Z\d+async_work_group_(strided_)?copyPU\d+CL(?:local|global)(?:Dv(\d+)_)?(Dh|[a-z])PU\d+CL(?:local|global)K"
)
_WAIT = lazy_pattern(r"_Z17wait_group_eventsi")
_VOTE = lazy_pattern(r"_Z14work_group_(all|any)i")
_BROADCAST = lazy_pattern(r"_Z20work_group_broadcast(Dh|[ijlmfd])m{1,3}")
_COLLECTIVE = lazy_pattern(
    r"_Z\d+work_group_(reduce|scan_exclusive|scan_inclusive)_(add|min|max)(Dh|[ijlmfd])"
)


@dataclass(frozen=True)
class GroupFunction:
    """The meaning of a group function.

    `kind` is copy, strided_copy, wait, broadcast, all, any, reduce, scan_exclusive or scan_inclusive;
    `operation` combines values in the last five (`transform/reductions.py`). `type` is that of a copied
    element in memory, or of the value.
    """

    kind: str
    type: Type
    operation: str = ""

    @property
    def same_for_all(self) -> bool:
        """Whether all work-items get the same result."""
        return self.kind in ("all", "any", "broadcast", "reduce")


@cache
def group_function(symbol: str) -> GroupFunction | None:
    """Return the group function that a symbol names, if any."""
    if match := _COPY.match(symbol):
        strided, width, letter = match.groups()
        element = VALUE_TYPES[letter]
        # A vector of three elements has the size of one of four.
        type = VectorType(element, 4 if width == "3" else int(width)) if width else element
        return GroupFunction("strided_copy" if strided else "copy", type)
    if _WAIT.match(symbol):
        return GroupFunction("wait", I32)
    if match := _VOTE.fullmatch(symbol):
        return GroupFunction(match[1], I32, VOTES[match[1]])
    if match := _BROADCAST.fullmatch(symbol):
        return GroupFunction("broadcast", VALUE_TYPES[match[1]])
    if match := _COLLECTIVE.fullmatch(symbol):
        kind, operation, letter = match.groups()
        return GroupFunction(kind, VALUE_TYPES[letter], combining_operation(operation, letter))
    return None


def combining_operation(name: str, letter: str) -> str:
    """Return the operation of a reduction or scan of values of a mangled type."""
    if name not in ("min", "max") or letter in _FLOATS:
        return name
    return f"{'u' if letter in _UNSIGNED else 's'}{name}"


def is_group_memory(name: str | None) -> bool:
    """Whether a variable, or the parameter that it became, is group memory."""
    return name is not None and name.startswith((ITEMS, RESULT))
