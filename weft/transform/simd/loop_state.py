"""The state of a divergent loop, which strategies hand over to each other and to the code after the loop."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from weft.dataclasses import dataclass
from weft.ir import Block, Instruction, Value
from weft.ir.builder import Builder
from weft.ir.loops import Loop

if TYPE_CHECKING:
    from .widen import Widener

Edge = tuple[Block, Block]


@dataclass(frozen=True)
class LoopState:
    """The state of the lanes at the start of an iteration.

    `active` is the mask of active lanes, None for all; `phis` has the values of the header's phis. For each
    edge out of the loop, `left` has the lanes that took it, and `outs` the values that they carry out.
    """

    active: Value | None
    phis: dict[Instruction, Value]
    left: dict[Edge, Value]
    outs: dict[tuple[Edge, Value], Value]

    def phis_at(self, b: Builder) -> "LoopState":
        """Return a state of empty phis for the values of this one, which has a mask of active lanes."""
        assert self.active is not None
        return LoopState(
            b.phi(self.active.type, "active"),
            {p: b.phi(v.type, p.name) for p, v in self.phis.items()},
            {edge: b.phi(v.type, "left") for edge, v in self.left.items()},
            {(edge, out): b.phi(v.type, _name_after(edge, out)) for (edge, out), v in self.outs.items()},
        )

    def arrive(self, other: "LoopState", source: Block) -> None:
        """Add the values of another state at the end of a block to the phis of this state."""
        for phi, value in self._paired(other):
            assert isinstance(phi, Instruction)
            phi.add_incoming(value, source)

    def _paired(self, other: "LoopState") -> Iterator[tuple[Value, Value]]:
        assert self.active is not None and other.active is not None
        yield self.active, other.active
        yield from ((value, other.phis[phi]) for phi, value in self.phis.items())
        yield from ((value, other.left[edge]) for edge, value in self.left.items())
        yield from ((value, other.outs[key]) for key, value in self.outs.items())


def _name_after(edge: Edge, value: Value) -> str | None:
    """Return the name of a value after the loop that it leaves by an edge."""
    return next(phi.name for phi in edge[1].phis() if phi.incoming_from(edge[0]) is value)


def merged(w: "Widener", arrivals: Sequence[tuple[Block, LoopState]]) -> LoopState:
    """Return the merged state in a block with several predecessors, at the widener's insertion point."""

    def one(values: list[Value]) -> Value:
        if all(v is values[0] for v in values):
            return values[0]
        phi = w.b.phi(values[0].type, values[0].name)
        for (block, _), value in zip(arrivals, values, strict=True):
            phi.add_incoming(value, block)
        return phi

    states = [state for _, state in arrivals]
    first, every = states[0], w.all_lanes()
    return LoopState(
        one([s.active or every for s in states]),
        {phi: one([s.phis[phi] for s in states]) for phi in first.phis},
        {edge: one([s.left[edge] for s in states]) for edge in first.left},
        {key: one([s.outs[key] for s in states]) for key in first.outs},
    )


def exit_groups(loop: Loop) -> dict[Edge, list[Edge]]:
    """Group exit edges that need not be distinguished: same target, same values for its phis."""
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
