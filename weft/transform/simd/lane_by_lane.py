"""Run instructions without a vector form lane by lane.

Varying operands go to memory, one slot per lane; a loop over the active lanes runs the scalar instruction and
stores its results to memory. Atomic operations, calls of built-ins with pointers, and functions without a
vector variant are handled this way.
"""

from weft.ir import Function, Instruction, Value
from weft.ir.builder import Builder
from weft.ir.clone import clone_instruction
from weft.ir.types import I1, I64, VOID, ArrayType, IntType, Type, VectorType, size_of
from weft.ir.values import const_int

from .wide_vectors import components

I8 = IntType(8)


class LaneLoop:
    """A loop over the lanes of a mask, with varying operands in memory."""

    def __init__(self, b: Builder, width: int) -> None:
        self.b, self.width = b, width

    def run(
        self, i: Instruction, wide: dict[Value, Value], scalar: dict[Value, Value], mask: Value | None
    ) -> Value | None:
        """Emit the loop; return the results of all lanes and leave the builder after the loop.

        `wide` and `scalar` have the operands as vectors of lanes and as scalars that all lanes share.
        """
        before = self.b.block
        function = before.parent
        slots = {o: slot(function, v.type) for o, v in wide.items()}
        for operand, value in wide.items():
            store_all(self.b, value, slots[operand])
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
        lane = first_lane(b, left)
        values = dict(scalar)
        for operand, place in slots.items():
            values[operand] = load_one(b, operand.type, place, lane)
        new = b.insert(clone_instruction(i, values))
        new.metadata = {}
        result = None
        if i.type is not VOID:
            result = slot(function, VectorType(i.type.scalar, components(i.type) * self.width))
            store_one(b, new, result, lane)
        rest = b.binary("and", left, b.sub(left, const_int(I64, 1)))
        left.add_incoming(rest, body)
        b.cond_br(b.icmp("ne", rest, const_int(I64, 0)), body, after)
        self.b = Builder(after)
        if result is None:
            return None
        type = VectorType(i.type.scalar, components(i.type) * self.width)
        return load_all(self.b, type, result)


def slot(function: Function, type: Type) -> Instruction:
    """Allocate memory for a value of all lanes in the frame of the function."""
    element = I8 if type.scalar is I1 else type.scalar
    count = components(type)
    return Builder.in_entry(function).alloca(ArrayType(element, count), 64, "lanes")


def store_all(b: Builder, value: Value, place: Value) -> None:
    """Store the values of all lanes to a slot."""
    b.store(_bytes(b, value), place, 1)


def load_all(b: Builder, type: Type, place: Value) -> Value:
    """Load the values of all lanes from a slot."""
    return b.cast("trunc", b.load(_in_memory(type), place, 1), type)


def store_one(b: Builder, value: Value, place: Value, lane: Value) -> None:
    """Store a lane's value to a slot."""
    b.store(_bytes(b, value), b.byte_offset(place, _offset(b, value.type, lane)), 1)


def load_one(b: Builder, type: Type, place: Value, lane: Value) -> Value:
    """Load a lane's value from a slot."""
    return load_all(b, type, b.byte_offset(place, _offset(b, type, lane)))


def _offset(b: Builder, type: Type, lane: Value) -> Value:
    return b.mul(lane, const_int(I64, components(type) * max(1, size_of(type.scalar))))


def first_lane(b: Builder, bits: Value) -> Value:
    """Return the first lane of a mask that is not empty."""
    return b.call_symbol("llvm.cttz.i64", I64, [bits, const_int(I1, 1)], "lane")


def _in_memory(type: Type) -> Type:
    """Return the type with a byte for each i1."""
    if type.scalar is not I1:
        return type
    return VectorType(I8, type.count) if isinstance(type, VectorType) else I8


def _bytes(b: Builder, value: Value) -> Value:
    """Return the value with a byte for each i1."""
    return b.cast("zext", value, _in_memory(value.type))
