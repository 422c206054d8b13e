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
    """The instructions of which only single lanes are needed: those that lead to addresses in order."""
    ends = {a for a in lanes.assumed if isinstance(a, Instruction) and a.block not in lanes.masked}
    found = set()
    for address in ends:
        pieces = lanes.pieces(address)
        if pieces is not None and serves_all(lanes, address, pieces):
            found.add(address)
    work = [o for a in ends for o in a.operands]
    while work:
        value = work.pop()
        if not isinstance(value, Instruction) or value in found or value.block not in loop.blocks:
            continue
        users_are_single = all(u in found or u in ends for u in value.users)
        if users_are_single and lanes.is_varying(value) and is_single(lanes, value):
            found.add(value)
            work += value.operands
    return found


def is_single(lanes: Lanes, value: Instruction) -> bool:
    """Whether a value of one lane can be computed from its operands in that lane."""
    return value.opcode in _SCALAR and value.block not in lanes.masked


def in_every_lane(w: "Widener", comparison: Instruction) -> Value:
    """Whether a number is at least another, the same in all lanes, in every one of them.

    Of linear numbers it is the first lane's that is the least, or the last one's.
    """
    number, least = comparison.operands
    shape = w.lanes.of(number)
    if shape is None or shape.needs or not shape.signed:
        vectors = w.b.icmp(comparison.attributes["predicate"], w.vector(number), w.vector(least))
        return w.every_lane(vectors)
    found = w.scalar(number)
    if shape.stride < 0:
        found = w.b.add(found, const_int(found.type, (w.width - 1) * shape.stride))
    return w.b.icmp(comparison.attributes["predicate"], found, w.scalar(least))


class LaneValues:
    """Computes values of single lanes at a widener's place."""

    def __init__(self, w: "Widener") -> None:
        self._w = w
        self._block: Block | None = None

    def of(self, value: Value, lane: int) -> Value:
        """The value of one lane, made once in a block."""
        if self._block is not self._w.b.block:
            self._block = self._w.b.block
            self._made = Recursion(self._of, Value(I64))
        return self._made((value, lane))

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
            _promise_nothing(operands[value.operands[0]])
        return w.insert(clone_instruction(value, operands))

    def first_address(self, address: Instruction, shape: Evolution, mask: Value | None) -> Value:
        """The first lane's address, of lanes whose addresses are known to be linear."""
        w = self._w
        if is_single(w.lanes, address):
            operands: dict[Value, Value] = {o: self.of(o, 0) for o in address.operands}
            return w.insert(clone_instruction(address, operands))
        all_of_them = w.widened(address, mask)
        if mask is None:
            return w.b.emit("extractelement", address.type, [all_of_them, const_int(I32, 0)])
        lane = w.first_active(mask)
        at = w.b.emit("extractelement", address.type, [all_of_them, lane])
        back = w.b.mul(w.b.cast("zext", lane, I64), const_int(I64, -shape.stride))
        return w.b.emit("getelementptr", at.type, [at, back], element_type=I8)

    def _stepped(self, first: Value, by: int) -> Value:
        if by == 0:
            return first
        if isinstance(first.type, PointerType):
            return self._w.b.emit("getelementptr", first.type, [first, const_int(I64, by)], element_type=I8)
        assert isinstance(first.type, IntType)
        return self._w.b.add(first, const_int(first.type, by))


def _promise_nothing(frozen: Value) -> None:
    """Drops the flags of all that a frozen number is computed of.

    Any number would do for its lane if one is broken, but other lanes' numbers follow from it: it must be the
    one that comes out when sums wrap.
    """
    seen: set[Value] = set()
    waiting = [frozen]
    while waiting:
        value = waiting.pop()
        if isinstance(value, Instruction) and value.opcode in _SCALAR and value not in seen:
            seen.add(value)
            value.drop_promises()
            waiting += value.operands
