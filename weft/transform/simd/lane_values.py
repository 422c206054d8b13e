"""Compute single lanes of varying values.

If lanes access memory in a known order, the address of one lane suffices: it is computed by scalar code for
that lane, and the vectors that would lead to it are not computed.

In masked code any lane may be inactive, and its values are arbitrary. There the vector of addresses is
computed, and the others are derived from an active lane's address.
"""

from typing import TYPE_CHECKING

from weft.analysis.evolution import Evolution
from weft.analysis.lanes import Lanes
from weft.ir import Block, Instruction, Value
from weft.ir.clone import clone_instruction
from weft.ir.loops import Loop
from weft.ir.opcodes import BINARY, CASTS
from weft.ir.slices import backward_slice
from weft.ir.types import I32, I64, IntType, PointerType, VectorType
from weft.ir.values import const_int
from weft.recursion import Definition, Recursion

from .wide_pieces import serves_all
from .wide_vectors import part

if TYPE_CHECKING:
    from .widen import Widener

I8 = IntType(8)
LaneOf = Definition[tuple[Value, int], Value]
_SCALAR = (*BINARY, *CASTS, "icmp", "select", "getelementptr", "freeze")


def only_in_single_lanes(lanes: Lanes, loop: Loop) -> set[Instruction]:
    """Return the instructions of which only single lanes are needed: those that lead to known addresses."""
    ends = {a for a in lanes.assumed if isinstance(a, Instruction) and a.block not in lanes.masked}
    single = set()
    for address in ends:
        pieces = lanes.pieces(address)
        if pieces is not None and serves_all(lanes, address, pieces):
            single.add(address)
    work = [o for a in ends for o in a.operands]
    while work:
        value = work.pop()
        if not isinstance(value, Instruction) or value in single or value.block not in loop.blocks:
            continue
        users_are_single = all(u in single or u in ends for u in value.users)
        if users_are_single and lanes.is_varying(value) and is_single(lanes, value):
            single.add(value)
            work += value.operands
    return single


def is_single(lanes: Lanes, value: Instruction) -> bool:
    """Return whether a lane's value can be computed from its operands in that lane."""
    return value.opcode in _SCALAR and value.block not in lanes.masked


def in_every_lane(w: "Widener", comparison: Instruction) -> Value:
    """Return whether a number is at least a uniform other one in every lane.

    If it is linear, only the smallest is compared: the first lane's or the last lane's.
    """
    number, least = comparison.operands
    shape = w.lanes.of(number)
    if shape is None or shape.needs or not shape.signed:
        vectors = w.b.icmp(comparison.attributes["predicate"], w.vector(number), w.vector(least))
        return w.every_lane(vectors)
    lowest = w.scalar(number)
    if shape.stride < 0:
        lowest = w.b.add(lowest, const_int(lowest.type, (w.width - 1) * shape.stride))
    return w.b.icmp(comparison.attributes["predicate"], lowest, w.scalar(least))


class LaneValues:
    """Computes values of single lanes at the widener's insertion point."""

    def __init__(self, w: "Widener") -> None:
        self._w = w
        self._block: Block | None = None

    def of(self, value: Value, lane: int) -> Value:
        """Return the value of one lane, computed once per block."""
        if self._block is not self._w.b.block:
            self._block = self._w.b.block
            self._values = Recursion(self._of, Value(I64))
        return self._values((value, lane))

    def _of(self, key: tuple[Value, int]) -> LaneOf:
        value, lane = key
        w = self._w
        if not isinstance(value, Instruction) or w.lanes.is_uniform(value):
            return w.scalar(value)
        shape = w.lanes.of(value)
        if shape is not None and w.has_scalar(value) and (lane == 0 or not shape.needs):
            return self._stepped(w.scalar(value), lane * shape.stride)
        if not is_single(w.lanes, value):
            if isinstance(value.type, VectorType):
                return part(w.b, w.vector(value), lane * value.type.count, value.type.count)
            return w.b.emit("extractelement", value.type, [w.vector(value), const_int(I32, lane)])
        operands: dict[Value, Value] = {}
        for operand in value.operands:
            operands[operand] = yield operand, lane
        if value.opcode == "freeze":
            _drop_poison_flags(operands[value.operands[0]])
        return w.insert(clone_instruction(value, operands))

    def first_address(self, address: Instruction, shape: Evolution, mask: Value | None) -> Value:
        """Return the first lane's address of lanes whose addresses are known to be linear."""
        w = self._w
        if is_single(w.lanes, address):
            operands: dict[Value, Value] = {o: self.of(o, 0) for o in address.operands}
            return w.insert(clone_instruction(address, operands))
        addresses = w.widened(address, mask)
        if mask is None:
            return w.b.emit("extractelement", address.type, [addresses, const_int(I32, 0)])
        lane = w.first_active(mask)
        active_address = w.b.emit("extractelement", address.type, [addresses, lane])
        back = w.b.mul(w.b.cast("zext", lane, I64), const_int(I64, -shape.stride))
        return w.b.emit("getelementptr", active_address.type, [active_address, back], element_type=I8)

    def _stepped(self, first: Value, by: int) -> Value:
        if by == 0:
            return first
        if isinstance(first.type, PointerType):
            return self._w.b.emit("getelementptr", first.type, [first, const_int(I64, by)], element_type=I8)
        assert isinstance(first.type, IntType)
        return self._w.b.add(first, const_int(first.type, by))


def _drop_poison_flags(frozen: Value) -> None:
    """Drop the flags of everything that a frozen number is computed from.

    If a flag does not hold, freeze could yield any number for its lane. But other lanes' numbers are derived
    from it, so it must be the number that results when sums wrap.
    """
    for i in backward_slice([frozen], lambda i: i.opcode in _SCALAR):
        i.drop_poison_flags()
