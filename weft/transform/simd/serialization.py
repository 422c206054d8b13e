"""The serial strategy: work-items run a divergent loop sequentially; the rest stays in lanes.

    for each active lane: run the scalar loop

(I. El Hajj, *Dynamic loop vectorization*, 2014, chapter 3: divergent regions are serialized.) Varying values
that the loop uses are stored to memory, one slot per lane; linear values are computed from the first lane's;
values that work-items carry out of the loop are collected in memory. Everything else stays in registers.
"""

from weft.ir import Block, Instruction, Value
from weft.ir.builder import Builder
from weft.ir.loops import Loop
from weft.ir.types import I1, I64, IntType, PointerType, bit_width
from weft.ir.values import Poison, const_int

from .lane_by_lane import first_lane, load_all, load_one, slot, store_all, store_one
from .loop_state import Edge, LoopState, exit_groups
from .masked_code import MaskedCode
from .version_loop import copy_loop


def serial(code: MaskedCode, loop: Loop, state: LoopState) -> LoopState:
    """Run a loop from a state, one lane after the other."""
    return _Serialization(code, loop, state).run()


class _Serialization:
    def __init__(self, code: MaskedCode, loop: Loop, state: LoopState) -> None:
        self.code, self.loop, self.state, self.w = code, loop, state, code.w
        self.slots: dict[Value, Instruction] = {}  # memory of values that differ between lanes

    def run(self) -> LoopState:
        w, state = self.w, self.state
        inputs = self._spill_inputs()
        outs = self._out_slots()
        bits: Value = const_int(I64, (1 << w.width) - 1)
        if state.active is not None:
            bits = self._bits(state.active)
        start_bits = {edge: self._bits(mask) for edge, mask in state.left.items()}
        before = w.b.block
        turn, next_turn, after = (
            self.code.function.add_block(f"simd.{name}") for name in ("turn", "turn.next", "turns.done")
        )
        w.b.cond_br(w.b.icmp("ne", bits, const_int(I64, 0)), turn, after)
        b = Builder(turn)
        remaining = b.phi(I64, "lanes.left")
        remaining.add_incoming(bits, before)
        left = _phis(b, start_bits, before)
        lane = first_lane(b, remaining)
        ends = self._clone(b, inputs, lane, outs, next_turn)
        b = Builder(next_turn)
        left_after_turn = _left_after_turn(b, left, ends, lane)
        rest = b.binary("and", remaining, b.sub(remaining, const_int(I64, 1)))
        b.cond_br(b.icmp("ne", rest, const_int(I64, 0)), turn, after)
        remaining.add_incoming(rest, next_turn)
        w.go_to(after)
        left_after_loop = _phis(w.b, start_bits, before)
        for edge, value in left_after_turn.items():
            left[edge].add_incoming(value, next_turn)
            left_after_loop[edge].add_incoming(value, next_turn)
        return LoopState(
            w.no_lanes(),
            state.phis,
            {edge: self._mask(phi) for edge, phi in left_after_loop.items()},
            {key: load_all(w.b, start.type, outs[key]) for key, start in state.outs.items()},
        )

    def _spill_inputs(self) -> list[Value]:
        """Store values that the loop uses and that differ between lanes; return all that it uses."""
        w, phis = self.w, self.state.phis
        inputs = self._inputs()
        for value in (*inputs, *phis):
            w.drop_poison_flags(value)
        for value in inputs:
            if self._needs_memory(value):
                self._spill(value, w.vector(value))
        for phi, start in phis.items():
            if self._needs_memory(phi):
                self._spill(phi, start)
        return inputs

    def _out_slots(self) -> dict[tuple[Edge, Value], Instruction]:
        """Return memory for the values that lanes carry out of the loop."""
        starts = self.state.outs
        outs = {key: slot(self.code.function, start.type) for key, start in starts.items()}
        for key, start in starts.items():
            if not isinstance(start, Poison):
                store_all(self.w.b, start, outs[key])
        return outs

    def _inputs(self) -> list[Value]:
        """Return the values of the work-item loop that the inner loop uses but does not compute."""
        inputs: dict[Value, None] = {}
        for block in self.loop.blocks:
            for i in block.instructions:
                own = i in self.state.phis
                latch = self.loop.latch
                for operand in [i.incoming_from(latch)] if own and latch is not None else i.operands:
                    inside = isinstance(operand, Instruction) and operand.block in self.loop.blocks
                    if operand in self.code.shape.shapes and not inside:
                        inputs[operand] = None
        return list(inputs)

    def _needs_memory(self, value: Value) -> bool:
        shape = self.code.shape.of(value)
        return shape is None or bool(shape.needs)

    def _spill(self, value: Value, lanes: Value) -> None:
        self.slots[value] = slot(self.code.function, lanes.type)
        store_all(self.w.b, lanes, self.slots[value])

    def _lane_value(self, b: Builder, value: Value, first: Value, lane: Value) -> Value:
        """Return a lane's value; `first` is the first lane's if the value is linear."""
        if value in self.slots:
            return load_one(b, value.type, self.slots[value], lane)
        shape = self.code.shape.of(value)
        assert shape is not None
        return _stepped(b, first, lane, shape.stride)

    def _clone(
        self,
        b: Builder,
        inputs: list[Value],
        lane: Value,
        outs: dict[tuple[Edge, Value], Instruction],
        next_turn: Block,
    ) -> list[tuple[Edge, Block]]:
        """Copy the scalar loop for one lane; return its exits: edge and block."""
        w, loop, code = self.w, self.loop, self.code
        values: dict[Value, Value] = {v: self._lane_value(b, v, w.scalar(v), lane) for v in inputs}
        starts = {phi: self._lane_value(b, phi, start, lane) for phi, start in self.state.phis.items()}
        version = copy_loop(loop, "serial", values, distinct=False)
        for inner in loop.nest():
            code.count_serial(version.block(inner.header), inner)
        preheader = loop.known_preheader
        for phi, start in starts.items():
            new = version.instruction(phi)
            new.remove_incoming(preheader)
            new.add_incoming(start, b.block)
        b.br(version.header)
        ends = []
        for edge, others in exit_groups(loop).items():
            for source, target in (edge, *others):
                stub = code.function.add_block("simd.turn.left")
                exit_b = Builder(stub)
                for (left_by, value), place in outs.items():
                    if left_by == edge:
                        self._hand_out(exit_b, version.value(value), target, value, place, lane, edge)
                exit_b.br(next_turn)
                terminator = version.block(source).terminator
                terminator.set_operands([stub if o is target else o for o in terminator.operands])
                ends.append((edge, stub))
        return ends

    def _hand_out(
        self, b: Builder, value: Value, target: Block, original: Value, place: Value, lane: Value, edge: Edge
    ) -> None:
        """Store a value that a lane carries out of the loop."""
        shapes = (self.code.shape_along(phi, edge, original) for phi in target.phis())
        shape = next((s for s in shapes if s is not None), None)
        if shape is None:
            store_one(b, value, place, lane)
        else:
            store_all(b, _stepped(b, value, lane, -shape.stride), place)

    def _bits(self, mask: Value) -> Value:
        return self.w.b.cast("zext", self.w.b.emit("bitcast", IntType(self.w.width), [mask]), I64)

    def _mask(self, bits: Value) -> Value:
        number = self.w.b.cast("trunc", bits, IntType(self.w.width))
        return self.w.b.emit("bitcast", self.w.wide(I1), [number])


def _phis(b: Builder, start_bits: dict[Edge, Value], before: Block) -> dict[Edge, Instruction]:
    """Return a phi for each exit: the lanes that have left there, as bits."""
    left = {edge: b.phi(I64, "left") for edge in start_bits}
    for edge, phi in left.items():
        phi.add_incoming(start_bits[edge], before)
    return left


def _left_after_turn(
    b: Builder, left: dict[Edge, Instruction], ends: list[tuple[Edge, Block]], lane: Value
) -> dict[Edge, Value]:
    """Return, for each exit, the lanes that have left there when the turn of `lane` ends."""
    mine: dict[Edge, Instruction] = {}
    for edge in left:
        mine[edge] = b.phi(I64, "mine")
        for left_by, block in ends:
            mine[edge].add_incoming(const_int(I64, 1 if left_by == edge else 0), block)
    return {edge: b.binary("or", phi, b.binary("shl", mine[edge], lane)) for edge, phi in left.items()}


def _stepped(b: Builder, first: Value, lane: Value, stride: int) -> Value:
    """Return a lane's value of linear numbers or addresses."""
    if stride == 0:
        return first
    distance = b.mul(lane, const_int(I64, stride))
    if isinstance(first.type, PointerType):
        return b.byte_offset(first, distance)
    opcode = "trunc" if bit_width(first.type) < 64 else "zext"
    return b.add(first, b.cast(opcode, distance, first.type) if first.type is not I64 else distance)
