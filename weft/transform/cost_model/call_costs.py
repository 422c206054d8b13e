"""The costs of calls of functions of the program, recorded in metadata of the calls."""

from collections.abc import Iterable

from weft.dataclasses import dataclass
from weft.ir import Instruction, Module
from weft.ir.metadata import integer_node, node_integers

COST = "weft.cost"


@dataclass(frozen=True)
class CallCost:
    """The cost for one work-item, and for `lanes` lanes at once; None if lanes run sequentially."""

    scalar: float
    wide: float | None
    lanes: int


def set_call_cost(calls: Iterable[Instruction], cost: CallCost) -> None:
    """Record the cost of calls in one module."""
    node = ""
    for call in calls:
        if not node:
            wide = -1 if cost.wide is None else round(cost.wide)
            node = integer_node(_module_of(call), round(cost.scalar), wide, cost.lanes, bits=64)
        call.metadata[COST] = node


def call_cost(call: Instruction) -> CallCost | None:
    """Return the recorded cost of a call, if any."""
    node = call.metadata.get(COST)
    if node is None:
        return None
    scalar, wide, lanes = node_integers(_module_of(call), node)
    return CallCost(float(scalar), None if wide < 0 else float(wide), lanes)


def _module_of(call: Instruction) -> Module:
    return call.parent.parent.parent
