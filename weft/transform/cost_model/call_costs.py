"""What calls of functions of the program cost, written at the calls."""

import re
from collections.abc import Iterable

from weft.dataclasses import dataclass
from weft.ir import Instruction, Module

COST = "weft.cost"


@dataclass(frozen=True)
class CallCost:
    """The cost for one work-item, and for so many lanes; None if they go one by one."""

    scalar: float
    wide: float | None
    lanes: int


def set_call_cost(calls: Iterable[Instruction], cost: CallCost) -> None:
    """Writes the cost of calls in one module down."""
    node = ""
    for call in calls:
        if not node:
            wide = -1 if cost.wide is None else round(cost.wide)
            text = f"!{{i64 {round(cost.scalar)}, i64 {wide}, i64 {cost.lanes}}}"
            node = _module_of(call).add_metadata(text)
        call.metadata[COST] = node


def call_cost(call: Instruction) -> CallCost | None:
    """What was written down of a call."""
    node = call.metadata.get(COST)
    if node is None:
        return None
    text = _module_of(call).metadata[int(node[1:])]
    scalar, wide, lanes = (int(n) for n in re.findall(r"i64 (-?\d+)", text))
    return CallCost(float(scalar), None if wide < 0 else float(wide), lanes)


def _module_of(call: Instruction) -> Module:
    return call.parent.parent.parent
