"""The state of a divergent loop: what the strategies take over from each other, and hand out."""

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
    """Where the lanes stand at the start of an iteration.

    `active` is the mask of the lanes that run it, None for all; `phis` has the values of the header's phis.
    `left` has for each edge out of the loop the lanes that took it, `outs` what they carried out.
    """

    active: Value | None
    phis: dict[Instruction, Value]
    left: dict[Edge, Value]
    outs: dict[tuple[Edge, Value], Value]

    def phis_at(self, b: Builder) -> "LoopState":
        """A state of empty phis for the values of this one, of which some lanes are active."""
        assert self.active is not None
        return LoopState(
            b.phi(self.active.type, "active"),
            {p: b.phi(v.type, p.name) for p, v in self.phis.items()},
            {edge: b.phi(v.type, "left") for edge, v in self.left.items()},
            {(edge, out): b.phi(v.type, _name_after(edge, out)) for (edge, out), v in self.outs.items()},
        )

    def arrive(self, other: "LoopState", source: Block) -> None:
        """Give the phis of this state the values that another has at the end of a block."""
        for phi, value in self._beside(other):
            assert isinstance(phi, Instruction)
            phi.add_incoming(value, source)

    def _beside(self, other: "LoopState") -> Iterator[tuple[Value, Value]]:
        assert self.active is not None and other.active is not None
        yield self.active, other.active
        yield from ((value, other.phis[phi]) for phi, value in self.phis.items())
        yield from ((value, other.left[edge]) for edge, value in self.left.items())
        yield from ((value, other.outs[key]) for key, value in self.outs.items())


def _name_after(edge: Edge, value: Value) -> str | None:
    """The name that a value has outside the loop that it leaves by an edge."""
    return next(phi.name for phi in edge[1].phis() if phi.incoming_from(edge[0]) is value)


def merged(w: "Widener", arrivals: Sequence[tuple[Block, LoopState]]) -> LoopState:
    """The state in a block that is reached from several ones, at the widener's place."""

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
