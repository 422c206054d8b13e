"""What has no vector form is run for one lane after the other.

Operands that differ between lanes go to memory, one slot a lane; a loop over the active lanes runs the
instruction as it was and collects its results in memory. Atomic operations, calls of built-ins that take
pointers, and whatever the library has no wide form of are done this way.
"""

from weft.ir import Function, Instruction, Module, Value
from weft.ir.builder import Builder
from weft.ir.clone import clone_instruction
from weft.ir.types import I1, I64, VOID, ArrayType, FunctionType, IntType, Type, VectorType, size_of
from weft.ir.values import const_int

from .wide_vectors import components

I8 = IntType(8)


class LaneLoop:
    """A loop over the lanes of a mask, with operands that differ between them in memory."""

    def __init__(self, module: Module, b: Builder, width: int) -> None:
        self.module, self.b, self.width = module, b, width

    def run(
        self, i: Instruction, wide: dict[Value, Value], scalar: dict[Value, Value], mask: Value | None
    ) -> Value | None:
        """Emits the loop; returns the results of all lanes and leaves the builder behind the loop.

        `wide` and `scalar` are the operands as vectors of lanes and as scalars that all lanes share.
        """
        before = self.b.block
        function = before.function
        assert function is not None
        slots = {o: self._slot(function, v.type) for o, v in wide.items()}
        for operand, value in wide.items():
            self.b.store(self._stored(value), slots[operand], 1)
        all_bits = (1 << self.width) - 1
        bits: Value = const_int(I64, all_bits)
        if mask is not None:
            bits = self.b.cast("zext", self.b.emit("bitcast", IntType(self.width), [mask]), I64)
        body, after = function.add_block("simd.lane"), function.add_block("simd.lanes")
        if mask is None:
            self.b.br(body)
        else:
            self.b.cond_br(self.b.icmp("ne", bits, const_int(I64, 0)), body, after)
        b = Builder(body)
        left = b.phi(I64, "lanes.left")
        left.add_incoming(bits, before)
        lane = b.call(self._cttz(), [left, const_int(I1, 1)], "lane")
        values = dict(scalar)
        for operand, slot in slots.items():
            values[operand] = self._element(b, slot, operand.type, lane)
        new = b.insert(clone_instruction(i, values))
        new.metadata = {}
        result = None
        if i.type is not VOID:
            result = self._slot(function, VectorType(i.type.scalar, components(i.type) * self.width))
            stored = b.cast("zext", new, I8) if i.type is I1 else new
            b.store(stored, b.byte_offset(result, self._offset(b, i.type, lane)), 1)
        rest = b.binary("and", left, b.sub(left, const_int(I64, 1)))
        left.add_incoming(rest, body)
        b.cond_br(b.icmp("ne", rest, const_int(I64, 0)), body, after)
        self.b = Builder(after)
        return self._loaded(result, i.type) if result is not None else None

    def _slot(self, function: Function, type: Type) -> Instruction:
        """Memory for a value of all lanes, in the frame of the function."""
        entry = function.blocks[0]
        element = I8 if type.scalar is I1 else type.scalar
        count = components(type)
        return Builder(entry, entry.instructions[0]).alloca(ArrayType(element, count), 64, "lanes")

    def _stored(self, value: Value) -> Value:
        if value.type.scalar is I1:
            return self.b.emit("zext", VectorType(I8, components(value.type)), [value])
        return value

    def _loaded(self, slot: Value, type: Type) -> Value:
        count = components(type) * self.width
        if type.scalar is I1:
            found = self.b.load(VectorType(I8, count), slot, 1)
            return self.b.emit("trunc", VectorType(I1, count), [found])
        return self.b.load(VectorType(type.scalar, count), slot, 1)

    def _element(self, b: Builder, slot: Value, type: Type, lane: Value) -> Value:
        place = b.byte_offset(slot, self._offset(b, type, lane))
        if type is I1:
            return b.emit("trunc", I1, [b.load(I8, place, 1)])
        return b.load(type, place, 1)

    @staticmethod
    def _offset(b: Builder, type: Type, lane: Value) -> Value:
        return b.mul(lane, const_int(I64, components(type) * max(1, size_of(type.scalar))))

    def _cttz(self) -> Function:
        name = "llvm.cttz.i64"
        found = self.module.globals.get(name)
        if isinstance(found, Function):
            return found
        return self.module.add_function(name, FunctionType(I64, (I64, I1)))
