"""Emit masked code: linearized blocks, and loops that run until no lane is active.

`MaskedCode` emits the code under a divergent branch or in a divergent loop. The mask of an edge has the lanes
that take it. The mask of a block is the union of those of its edges; a phi becomes a select by them. A loop
runs by the strategy that was chosen for it (`strategies.py`); values that leave it are kept per exit edge in
`live_out`.
"""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING

from weft.analysis.evolution import Evolution
from weft.analysis.lanes import Lanes
from weft.dataclasses import dataclass
from weft.ir import Block, Function, Instruction, Value
from weft.ir.dominators import dominators_within
from weft.ir.graph import post_order, reachable
from weft.ir.loops import Loop
from weft.ir.types import I64
from weft.ir.values import Poison, const_int

from .loop_records import LoopRecords
from .loop_state import Edge, LoopState, exit_groups
from .widen import Widener

if TYPE_CHECKING:
    from .coherent_loops import CoherentLoops

# Maps a value at the end of a loop, and its replacement if the loop was skipped, to the value after the loop.
Past = Callable[[Value, Value], Value]
# Emits a loop that starts in a state; returns the state in which all lanes have left it.
Strategy = Callable[["MaskedCode", Loop, LoopState], LoopState]


@dataclass
class Restart:
    """Exits at which an iteration of all lanes is abandoned if any lane leaves, and where it restarts."""

    exits: dict[Block, Block]  # for each exit, the successor inside the loop
    target: Block
    sources: list[Block]  # the blocks that branch to `target`


class MaskedCode:
    """Emits masked blocks and loops at the widener's insertion point."""

    def __init__(
        self,
        function: Function,
        widener: Widener,
        strategy: Strategy,
        records: LoopRecords | None = None,
        coherent: "CoherentLoops | None" = None,
    ) -> None:
        """`coherent` versions loops for coherent lanes; `records` counts iterations."""
        self.function, self.w = function, widener
        self._strategy, self._records, self._coherent = strategy, records, coherent
        self._restart: Restart | None = None
        self._leaving: dict[Block, Callable[[Value | None], None]] = {}
        self._always: dict[Block, Value | None] = {}  # masks of blocks that all lanes of an iteration reach
        self._edge_mask: dict[Edge, Value | None] = {}
        self._live_out: dict[tuple[Block, Block, Value], Value] = {}

    @property
    def shape(self) -> Lanes:
        """The shapes of values."""
        return self.w.lanes

    @property
    def strategy(self) -> Strategy:
        """The strategy of divergent loops."""
        return self._strategy

    # Interface for strategies

    @contextmanager
    def restarting(self, exits: dict[Block, Block], target: Block) -> Iterator[Restart]:
        """Emit an iteration of all lanes that branches to `target` if any lane leaves at one of `exits`."""
        outer, self._restart = self._restart, Restart(exits, target, [])
        yield self._restart
        self._restart = outer

    @contextmanager
    def leaving_together(self, block: Block, leave: Callable[[Value | None], None]) -> Iterator[None]:
        """Emit an iteration in which `leave` emits the terminator of `block`, given the mask of its lanes."""
        self._leaving[block] = leave
        yield
        del self._leaving[block]

    @contextmanager
    def in_remainder(self, strategy: Strategy) -> Iterator[None]:
        """Emit the rest of a loop, in which not all lanes are active; its inner loops run by `strategy`."""
        restart, self._restart = self._restart, None
        outer, self._strategy = self._strategy, strategy
        with self.w.without_notes():
            yield
        self._restart, self._strategy = restart, outer

    @contextmanager
    def assuming(self, lanes: Lanes, firsts: dict[Value, Value], loop: Loop) -> Iterator[None]:
        """Emit a loop with other shapes (`Widener.assuming`); discard its masks afterwards."""
        kept = self._always, self._edge_mask, self._live_out
        self._always, self._edge_mask = dict(self._always), dict(self._edge_mask)
        self._live_out = dict(self._live_out)
        with self.w.assuming(lanes, firsts, loop.blocks):
            yield
        self._always, self._edge_mask, self._live_out = kept

    def begin_iteration(self, loop: Loop, active: Value | None) -> None:
        """Reset the masks of an iteration: blocks that all active lanes reach have the mask of the header."""
        inside = loop.blocks
        for block in inside:
            self._always.pop(block, None)
        for key in [key for key in self._live_out if key[0] in inside]:
            del self._live_out[key]
        restart = self._restart.exits if self._restart is not None and active is None else {}
        exiting = [source for source, _ in loop.exit_edges if source not in self._leaving]
        leaving = {source for source in exiting if source not in restart}
        later = blocks_after(loop, leaving)
        for block in blocks_of_all_lanes(loop):
            if block not in later:
                self._always[block] = active

    def count(self, loop: Loop, mode: str) -> None:
        """Count an iteration of all lanes, if iterations are counted."""
        if self._records is not None:
            self._records.count(self.w.b, loop, mode, const_int(I64, self.w.width))

    def count_lanes(self, loop: Loop, mode: str, active: Value) -> None:
        """Count an iteration of the active lanes, if iterations are counted."""
        if self._records is not None:
            self._records.count_lanes(self.w.b, loop, mode, active, self.w.width)

    def count_serial(self, header: Block, loop: Loop) -> None:
        """Count the iterations of scalar code, if iterations are counted."""
        if self._records is not None:
            self._records.count_serial(header, loop)

    # Masks

    def take(self, edge: Edge, mask: Value | None) -> None:
        """Set the mask of an edge."""
        self._edge_mask[edge] = mask

    def leave_loop(self, end: LoopState, groups: dict[Edge, list[Edge]], past: Past) -> None:
        """Record which lanes left a loop by which edge, and the values that they carry out.

        `past` maps a value at the end of the loop, and its replacement if the loop was skipped, to the value
        after it.
        """
        none = self.w.no_lanes()
        for edge, others in groups.items():
            self._edge_mask[edge] = past(end.left[edge], none)
            self._edge_mask.update((other, none) for other in others)
        for (edge, value), out in end.outs.items():
            out_value = past(out, Poison(out.type))
            for source, target in (edge, *groups[edge]):
                self._live_out[source, target, value] = out_value

    # Blocks

    def node(self, node: Block | Loop) -> None:
        if isinstance(node, Loop):
            self.loop(node)
        else:
            self.block(node)

    def block(self, block: Block) -> None:
        """Emit a block under its mask."""
        mask = self._always[block] if block in self._always else self.entry_mask(block)
        for phi in block.phis():
            self.w.define(phi, self.blend(phi, list(phi.incoming()), block))
        self.run(block, mask)

    def run(self, block: Block, mask: Value | None) -> None:
        """Emit the instructions of a block and the masks of its outgoing edges."""
        body = block.instructions[block.first_non_phi : -1]
        if mask is not None and block not in self._always and any(self.w.needs_guard(i) for i in body):
            self._guarded(mask, body)
        else:
            for instruction in body:
                self.w.emit(instruction, mask, self._is_reached(instruction))
        if mask is None and self._restart is not None and block in self._restart.exits:
            self._test_exit(block, self._restart)
        elif block in self._leaving:
            self._leaving[block](mask)
        else:
            self.branch_masks(block, mask)

    def _test_exit(self, block: Block, restart: Restart) -> None:
        """Continue if all lanes stay in the loop; otherwise branch to the restart block."""
        w = self.w
        stays = restart.exits[block]
        (leaves,) = (target for target in block.successors() if target is not stays)
        if block.terminator.opcode == "br":
            condition = w.vector(block.terminator.operands[0])
            leave = condition if block.terminator.operands[1] is leaves else w.inverse(condition)
        else:
            self.branch_masks(block, None)
            some = self._edge_mask[block, leaves]
            assert some is not None
            leave = some
        on = self.function.add_block("simd.all")
        restart.sources.append(w.b.block)
        w.b.cond_br(w.any_lane(leave), restart.target, on)
        w.go_to(on)
        self._edge_mask[block, stays] = None
        self._edge_mask[block, leaves] = w.no_lanes()

    def _is_reached(self, i: Instruction) -> bool:
        """Whether unmasked code has accessed what a store stores to."""
        address = i.operands[1] if i.opcode == "store" else None
        if not isinstance(address, Instruction) or address.parent in self.shape.masked:
            return False
        # What is computed in a block and accessed there is accessed before any other use.
        accesses = (u for u in address.users if u.opcode in ("load", "store") and u.operands[-1] is address)
        return any(u.parent is address.parent for u in accesses)

    def _guarded(self, mask: Value, body: list[Instruction]) -> None:
        """Emit instructions that are skipped when no lane is active."""
        before = self.w.b.block
        inside = self.function.add_block("simd.active")
        after = self.function.add_block("simd.after")
        self.w.b.cond_br(self.w.any_lane(mask), inside, after)
        self.w.go_to(inside)
        for instruction in body:
            self.w.emit(instruction, mask)
        last = self.w.b.block
        self.w.b.br(after)
        self.w.go_to(after)
        for instruction in body:
            if self._outlives(instruction, body):
                self.w.replace(instruction, partial(self._or_poison, last, before, instruction.name))

    def _or_poison(self, last: Block, before: Block, name: str | None, value: Value) -> Value:
        """Return a phi of a value and, if its code was skipped, poison, which is not used then."""
        phi = self.w.b.phi(value.type, name)
        phi.add_incoming(value, last)
        phi.add_incoming(Poison(value.type), before)
        return phi

    def _outlives(self, instruction: Instruction, body: list[Instruction]) -> bool:
        """Return whether a value is used after the instructions of its block.

        Linear values and their operands may be: they are recomputed in all lanes at their uses. Later
        accesses to small arrays use the indices of their addresses (`small_arrays.py`).
        """
        return self._is_linear(instruction) or any(
            u not in body
            or self._is_linear(u)
            or (u.opcode == "getelementptr" and any(access not in body for access in u.users))
            for u in instruction.users
        )

    def _is_linear(self, instruction: Instruction) -> bool:
        shape = self.shape.of(instruction)
        return shape is not None and shape.stride != 0

    def entry_mask(self, block: Block) -> Value | None:
        """Return the lanes that enter a block; None for all."""
        masks = [self.mask_of((s, block)) for s in block.predecessors()]
        mask = masks[0]
        for other in masks[1:]:
            mask = self.w.either(mask, other)
        return mask

    def mask_of(self, edge: Edge) -> Value | None:
        """Return the lanes that take an edge; None for all."""
        return self._edge_mask[edge]

    def branch_masks(self, block: Block, mask: Value | None) -> None:
        """Compute the masks of the outgoing edges of a block."""
        terminator = block.terminator
        w = self.w
        if terminator.opcode == "unreachable":
            return
        if len(terminator.operands) == 1:
            self._edge_mask[block, block.successors()[0]] = mask
        elif terminator.opcode == "br":
            condition = w.vector(terminator.operands[0])
            yes, no = terminator.successors()
            taken, other = w.both(mask, condition), w.both(mask, w.inverse(condition))
            self._edge_mask[block, yes] = taken
            self._edge_mask[block, no] = other if yes is not no else mask
        else:
            value = w.vector(terminator.operands[0])
            left: Value | None = mask
            masks: dict[Block, Value | None] = {}
            for case, target in zip(terminator.operands[2::2], terminator.operands[3::2], strict=True):
                assert isinstance(target, Block)
                hit = w.b.icmp("eq", value, w.splat(case))
                taken = w.both(mask, hit)
                masks[target] = w.either(masks[target], taken) if target in masks else taken
                left = w.both(left, w.inverse(hit))
            default = terminator.operands[1]
            assert isinstance(default, Block)
            masks[default] = w.either(masks[default], left) if default in masks else left
            self._edge_mask.update(((block, t), m) for t, m in masks.items())

    def edge_value(self, value: Value, edge: Edge, varying: bool) -> Value:
        """Return the value that lanes carry along an edge, as a vector or as the first lane's scalar."""
        carried = self._live_out.get((*edge, value))
        if carried is None:
            return self.w.form(value, varying)
        if not varying or carried.type is not value.type:
            return carried
        (stride,) = {s.stride for p in edge[1].phis() if (s := self.shape_along(p, edge, value)) is not None}
        return self.w.from_first(carried, stride)

    def shape_along(self, phi: Instruction, edge: Edge, value: Value) -> Evolution | None:
        """Return the shape of a phi that takes `value` along an edge; None if there is none."""
        return self.shape.of(phi) if phi.incoming_from(edge[0]) is value else None

    def blend(self, phi: Instruction, incoming: list[tuple[Value, Block]], block: Block) -> Value:
        """Return a phi as selects by the masks of its edges."""
        varying = self.shape.is_varying(phi)
        result: Value | None = None
        for value, source in incoming:
            edge = (source, block)
            taken = self.mask_of(edge)
            form = self.edge_value(value, edge, varying)
            if result is None:
                result = form
            elif result is not form:
                if taken is None:
                    result = form
                elif varying:
                    result = self.w.choose(taken, form, result)
                else:
                    result = self.w.b.select(self.w.any_lane(taken), form, result)
        assert result is not None
        return result

    def loop(self, loop: Loop) -> None:
        """Emit a divergent loop by its strategy."""
        w, function = self.w, self.function
        entry = self.mask_of((loop.known_preheader, loop.header))
        skipped: Block | None = None
        after = function.add_block("simd.left")
        if entry is not None:
            skipped = w.b.block
            enter = function.add_block("simd.enter")
            w.b.cond_br(w.any_lane(entry), enter, after)
            w.go_to(enter)
        groups = exit_groups(loop)

        def start() -> LoopState:
            return self.start(loop, entry)

        coherent = self._coherent
        end = self._strategy(self, loop, start()) if coherent is None else coherent.run(self, loop, start)
        bottom = w.b.block
        w.b.br(after)
        w.go_to(after)

        def past(value: Value, otherwise: Value) -> Value:
            """Return a value after a loop that may have been skipped."""
            if skipped is None or value is entry:  # the mask: it is empty if the loop was skipped
                return value
            phi = w.b.phi(value.type, value.name)
            phi.add_incoming(value, bottom)
            phi.add_incoming(otherwise, skipped)
            return phi

        self.leave_loop(end, groups, past)

    def start(self, loop: Loop, entry: Value | None) -> LoopState:
        """Return the state in which lanes enter a loop."""
        preheader, phis = loop.known_preheader, {}
        for phi in loop.header.phis():
            phis[phi] = self.w.form(phi.incoming_from(preheader), self.shape.is_varying(phi))
        return LoopState(entry, phis, *self.no_lane_has_left(loop))

    def no_lane_has_left(self, loop: Loop) -> tuple[dict[Edge, Value], dict[tuple[Edge, Value], Value]]:
        """Return the part of a loop's state about lanes that have left it, for the time when none has."""
        w, edges = self.w, list(exit_groups(loop))
        outs: dict[tuple[Edge, Value], Value] = {}
        for edge in edges:
            for phi in edge[1].phis():
                value = phi.incoming_from(edge[0])
                if isinstance(value, Instruction) and value.block in loop.blocks:
                    # A phi may also vary because of other edges; the first lane's scalar serves the phis that
                    # do not vary.
                    if not self.shape.is_varying(phi):
                        outs[edge, value] = Poison(value.type)
                    elif (edge, value) not in outs:
                        outs[edge, value] = Poison(w.wide(value.type))
        return {edge: w.no_lanes() for edge in edges}, outs


def order_of(loop: Loop) -> list[Block | Loop]:
    """Return the blocks and inner loops of a loop in topological order."""
    children = {b: child for child in loop.children for b in child.blocks}

    def following(node: Block | Loop) -> list[Block | Loop]:
        targets = node.exits if isinstance(node, Loop) else node.successors()
        inside = [t for t in targets if t in loop.blocks and t is not loop.header]
        return [children.get(t, t) for t in reversed(inside)]

    start: Block | Loop = loop.header
    return post_order([start], following)[::-1]


def blocks_of_all_lanes(loop: Loop) -> list[Block]:
    """Return, in order, the blocks that each lane reaches once in an iteration that it does not leave."""
    inner = {b for child in loop.children for b in child.blocks}
    tree = dominators_within(loop.blocks)
    blocks = []
    block = loop.latch
    while block is not None:
        if block not in inner:
            blocks.append(block)
        block = tree.idom(block)
    return blocks[::-1]


def blocks_after(loop: Loop, sources: Iterable[Block]) -> set[Block]:
    """Return the blocks that an iteration may reach after `sources`."""
    starts = [s for source in sources for s in source.successors()]
    return set(reachable(starts, Block.successors, lambda b: b in loop and b is not loop.header))


def simd_name(block: Block) -> str | None:
    """Return the name of the vector form of a block."""
    return f"{block.name}.simd" if block.name else None
