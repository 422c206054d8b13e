"""The state of a divergent loop: what the ways to run one take over from each other, and hand out."""

from dataclasses import dataclass

from weft.ir import Block, Instruction, Value
from weft.ir.loops import Loop

Edge = tuple[Block, Block]


@dataclass(frozen=True)
class LoopState:
    """Where the lanes stand at the start of an iteration.

    `active` is the mask of the lanes that run it, None for all; `phis` has the values of the header's phis.
    `left` has for each edge out of the loop the lanes that took it, `outs` what they carried out.
    """

    active: Value | None
    phis: dict[Instruction, Value]
    left: dict[Edge, Value]
    outs: dict[tuple[Edge, Value], Value]


def exit_groups(loop: Loop) -> dict[Edge, list[Edge]]:
    """Exit edges that need not be told apart: same target, same values for its phis."""
    groups: dict[Edge, list[Edge]] = {}
    first: dict[tuple[Value, ...], Edge] = {}
    for edge in dict.fromkeys(loop.exit_edges):
        key = (edge[1], *(phi.incoming_from(edge[0]) for phi in edge[1].phis()))
        if key in first:
            groups[first[key]].append(edge)
        else:
            first[key] = edge
            groups[edge] = []
    return groups
