"""Keep the lanes of a work-item loop full: refill those whose work-items have left a loop.

    next = 0; no lane is active
    do {                                             ; a round
      idle lanes take work-items next, next + 1, …   ; packed: a running sum of the idle lanes
      they run what stands in front of the loop
      while (at least T lanes are active) an iteration of the loop, under the mask of the active lanes
      lanes that have left the loop run what stands behind it
    } while (there are work-items left)

T is 1 when no work-items are left, so the last round ends with the last lane.

(I. El Hajj, *Dynamic loop vectorization*, 2014, 4.5, packs the active work-items anew for each iteration, and
keeps their state in memory. Here a work-item stays in its lane, and its state in registers; lanes are in
different iterations, so nothing that counts is the same for all, and accesses to memory are gathers.)

Packed is one loop of the work-item loop: the one that does most, of those that work-items leave at different
times. Others run under masks.

Requires what `plan_loop` requires. Refuses a loop that work-items do not enter once (`plan_packing`). The
code grows by one vector body; linear time.
"""

from typing import TYPE_CHECKING

from weft.analysis.lanes import Lanes, lanes
from weft.dataclasses import dataclass
from weft.ir import Block, Function, Instruction, Value
from weft.ir.builder import Builder
from weft.ir.graph import reachable
from weft.ir.loops import Loop, LoopForest
from weft.ir.types import I1, I32, FunctionType, IntType, Type
from weft.ir.values import ConstantZero, Poison, const_int
from weft.recursion import Definition, Recursion

from .cannot_vectorize import CannotVectorize
from .counted_loop import loop_control
from .lanewise import VectorForm
from .legality import InstructionLegality
from .loop_records import LoopRecords
from .loop_state import LoopState, exit_groups, merged
from .masked_code import MaskedCode, order_of
from .masked_loop import iteration, masked
from .schedule import MaskedWalk
from .wide_vectors import shuffled
from .widen import Widener

if TYPE_CHECKING:
    from .loop_plan import LoopPlan

# Iterations that an inner loop counts for, since nothing is known of it.
_TRIPS = 8.0
# Lanes are refilled when fewer than this share of them are active.
FULL_ENOUGH = 0.75


def packable(loop: Loop, shape: Lanes) -> Loop | None:
    """The loop that does most of those in a work-item loop that lanes leave at different times."""
    divergent = [m for m in loop.children if any(inner in shape.divergent_loops for inner in m.nest())]
    return max(divergent, key=Recursion(_work, 0.0), default=None)


def _work(loop: Loop) -> Definition[Loop, float]:
    inner = {b for child in loop.children for b in child.blocks}
    work = float(sum(len(b.instructions) for b in loop.blocks if b not in inner))
    for child in loop.children:
        work += yield child
    return _TRIPS * work


@dataclass(frozen=True)
class Packing:
    """Which loop of a work-item loop is packed, and the blocks in front of it and behind it.

    `shape` is what is known of values when lanes hold any work-items.
    """

    loop: Loop
    shape: Lanes
    front: frozenset[Block]
    behind: frozenset[Block]


def plan_packing(
    function: Function,
    loop: Loop,
    forest: LoopForest,
    counter: Instruction,
    shape: Lanes,
    width: int,
    vector_form: VectorForm,
) -> Packing | None:
    """Plan how work-items are packed; None if the loop has no loop that can be packed.

    `shape` is what is known of values in other ways.
    """
    packed = packable(loop, shape)
    sides = _sides(loop, packed) if packed is not None else None
    if packed is None or sides is None or packed.preheader is None or packed.latch is None:
        return None
    shape = lanes(function, loop, counter, forest, packed=packed)
    packing = Packing(packed, shape, *sides)
    walk = MaskedWalk(shape, InstructionLegality(loop, shape, width, vector_form), "masked")
    try:
        _check(packing, loop, counter, walk)
    except CannotVectorize:
        return None
    return packing


def _check(packing: Packing, loop: Loop, counter: Instruction, walk: MaskedWalk) -> None:
    """Raise CannotVectorize if something in a work-item loop has no form for packed lanes."""
    packed, preheader, latch = packing.loop, packing.loop.preheader, loop.latch
    assert preheader is not None and latch is not None
    walk.block(loop.header)
    inside = order_of(loop)
    for node in inside:
        if node is not loop.header and _is_in(node, packing.front):
            walk.node(node)
    walk.need((preheader, packed.header))
    for phi in packed.header.phis():
        walk.instructions.check_phi(phi)
    walk.iteration(packed)
    for node in inside:
        if node is not latch and _is_in(node, packing.behind):
            walk.node(node)
    for source in latch.predecessors():
        walk.need((source, latch))
    walk.block(latch, loop_control(loop, counter))


def _sides(loop: Loop, packed: Loop) -> tuple[frozenset[Block], frozenset[Block]] | None:
    """The blocks from which the packed loop may be entered, and those behind it, if work-items pass both."""
    front = reachable(
        packed.entering,
        lambda block: [] if block is loop.header else block.predecessors(),
        lambda block: block in loop,
    )
    behind = frozenset(b for b in loop.blocks if b not in front and b not in packed.blocks)
    return (frozenset(front), behind) if loop.header in front and loop.latch in behind else None


def _is_in(node: Block | Loop, blocks: frozenset[Block]) -> bool:
    return (node.header if isinstance(node, Loop) else node) in blocks


class Compaction:
    """Emits the rounds of a work-item loop with a packed loop in it."""

    def __init__(self, plan: "LoopPlan", packing: Packing, records: LoopRecords | None) -> None:
        self.function, self.loop, self.packed = plan.function, plan.loop, packing.loop
        self.counter, self.limit = plan.counter, plan.limit
        self.control = loop_control(plan.loop, plan.counter)
        self.shape, self.front, self.behind = packing.shape, packing.front, packing.behind
        self.w = Widener(plan.function.parent, self.shape, plan.width, plan.vector_form)
        self.code = MaskedCode(plan.function, self.w, masked, records)

    def run(self) -> None:
        """Emits the rounds and lets them replace the loop."""
        w, function, packed = self.w, self.function, self.packed
        preheader, before = packed.preheader, self.loop.preheader
        assert preheader is not None and before is not None
        refill, drain = function.add_block("pack.refill"), function.add_block("pack.drain")
        w.go_to(refill)
        begin = self.counter.incoming_from(before)
        next_item, active = w.b.phi(I32, "next"), w.b.phi(w.wide(I1), "active")
        item = w.b.phi(w.wide(I32), "item")
        kept = self._kept()
        old = {v: w.b.phi(self._type(v), v.name) for v in (*kept, *packed.header.phis())}
        fresh, items, following = self._take(next_item, active, item)
        w.define_vector(self.counter, items)
        state = self._front(fresh, kept, old, active, preheader)
        more_items = w.b.icmp("ult", following, self.limit)
        most = max(1, int(w.width * FULL_ENOUGH))
        enough = w.b.select(more_items, const_int(I32, most), const_int(I32, 1))
        end_of_front = w.b.block
        end, bottom = self._loop(state, enough, drain)
        # Behind the loop: either nobody ran it in this round, or some lanes have left it.
        w.go_to(drain)
        final = merged(w, [(end_of_front, state), (bottom, end)])
        self._behind(final)
        last = w.b.block
        w.b.cond_br(more_items, refill, self.loop.exits[0])
        assert final.active is not None
        for phi, first, later in (
            (next_item, begin, following),
            (active, w.no_lanes(), final.active),
            (item, Poison(item.type), items),
        ):
            phi.add_incoming(first, before)
            phi.add_incoming(later, last)
        for value, phi in old.items():
            current = final.phis[value] if value in final.phis else w.form(value, self._varies(value))
            phi.add_incoming(Poison(phi.type), before)
            phi.add_incoming(current, last)
        before.terminator.erase()
        Builder(before).br(refill)

    # Rounds

    def _take(self, next_item: Value, active: Value, item: Value) -> tuple[Value, Value, Value]:
        """Idle lanes take the next work-items; returns which do, all lanes' work-items, and the next one."""
        w, b = self.w, self.w.b
        idle = w.inverse(active)
        one_each = b.emit("zext", w.wide(I32), [idle])
        sums: Value = one_each
        step = 1
        while step < w.width:
            places = [w.width if lane < step else lane - step for lane in range(w.width)]
            sums = b.add(sums, shuffled(b, sums, ConstantZero(w.wide(I32)), places))
            step *= 2
        number = b.add(w.splat(next_item), b.sub(sums, one_each))
        inside = b.icmp("ult", number, w.splat(self.limit))
        fresh = w.both(idle, inside)
        items = b.select(fresh, number, item)
        taken = b.emit("extractelement", I32, [sums, const_int(I32, w.width - 1)])
        reached = b.add(next_item, taken)
        following = b.select(b.icmp("ult", reached, self.limit), reached, self.limit)
        return fresh, items, following

    def _front(
        self,
        fresh: Value,
        kept: list[Instruction],
        old: dict[Instruction, Instruction],
        active: Value,
        preheader: Block,
    ) -> LoopState:
        """New work-items run what stands in front of the loop; returns in what state lanes enter it."""
        w, code, packed = self.w, self.code, self.packed
        header = self.loop.header
        code.run(header, fresh, skip=False)
        self._nodes(self.front, header)
        entered = code.mask_of((preheader, packed.header))
        entered = fresh if entered is None else entered
        phis: dict[Instruction, Value] = {}
        for phi in packed.header.phis():
            phis[phi] = w.choose(entered, w.vector(phi.incoming_from(preheader)), old[phi])
        for value in kept:
            if self._varies(value):
                w.define_vector(value, w.choose(fresh, w.vector(value), old[value]))
            elif w.has_scalar(value):
                mask = code.mask_of_block(value.parent)
                ran = w.any_lane(fresh if mask is None else mask)
                w.define_scalar(value, w.b.select(ran, w.scalar(value), old[value]))
        return LoopState(w.b.binary("or", active, entered), phis, *code.nothing_left(packed))

    def _loop(self, state: LoopState, enough: Value, drain: Block) -> tuple[LoopState, Block]:
        """The packed loop, until too few lanes are active; returns its end and where that is."""
        w, code = self.w, self.code
        top = self.function.add_block("pack.loop")
        before = w.b.block
        assert state.active is not None
        w.b.cond_br(self._at_least(state.active, enough), top, drain)
        w.go_to(top)
        here = state.phis_at(w.b)
        for phi, value in here.phis.items():
            w.define_vector(phi, value)
        assert here.active is not None
        code.count_lanes(self.packed, "masked", here.active)
        end = iteration(code, self.packed, here)
        assert end.active is not None
        again = self._at_least(end.active, enough)
        bottom = w.b.block
        w.b.cond_br(again, top, drain)
        here.arrive(state, before)
        here.arrive(end, bottom)
        return end, bottom

    def _behind(self, final: LoopState) -> None:
        """Lanes that have left the loop, or never entered it, run what stands behind it."""
        w, code, latch = self.w, self.code, self.loop.latch
        assert latch is not None
        code.leave_loop(final, exit_groups(self.packed), lambda value, _: value)
        self._nodes(self.behind, latch)
        for phi in latch.phis():
            w.define(phi, code.blend(phi, list(phi.incoming()), latch))
        mask = code.entry_mask(latch)
        for i in latch.instructions[latch.first_non_phi : -1]:
            if i not in self.control:
                w.emit(i, mask)

    # Parts

    def _nodes(self, blocks: frozenset[Block], but: Block) -> None:
        """Emits masked blocks and loops but for one, each before what it leads to."""
        for node in order_of(self.loop):
            if node is not but and _is_in(node, blocks):
                self.code.node(node)

    def _kept(self) -> list[Instruction]:
        """The values of the front that lanes need later.

        A phi takes what it gets from the front in the round in which the lane is there: it need not be kept.
        """
        found = []
        for block in (block for block in self.loop.blocks if block in self.front):
            for i in block.instructions:
                if i is not self.counter and any(self._needed_later(i, user) for user in i.users):
                    found.append(i)
        return found

    def _needed_later(self, value: Instruction, user: Instruction) -> bool:
        sources = [s for v, s in user.incoming() if v is value] if user.opcode == "phi" else [user.block]
        return any(source in self.packed.blocks or source in self.behind for source in sources)

    def _varies(self, value: Instruction) -> bool:
        return self.shape.is_varying(value)

    def _type(self, value: Instruction) -> Type:
        return self.w.wide(value.type) if self._varies(value) else value.type

    def _at_least(self, mask: Value, enough: Value) -> Value:
        """Whether so many lanes are active."""
        w, b = self.w, self.w.b
        number: Value = b.emit("bitcast", IntType(w.width), [mask])
        if w.width < 32:
            number = b.cast("zext", number, I32)
        bits = number.type
        assert isinstance(bits, IntType)
        count = w.module.declare(f"llvm.ctpop.i{bits.bits}", FunctionType(bits, (bits,)))
        found: Value = b.call(count, [number])
        if bits.bits > 32:
            found = b.cast("trunc", found, I32)
        return b.icmp("uge", found, enough)
