"""Narrow 32-bit integer arithmetic in loops to 16 bits where these suffice.

    %a = zext i16 %x to i32                         %p = mul i16 %x, %y
    %b = zext i16 %y to i32             becomes     store i16 %p
    %p = mul i32 %a, %b
    %s = trunc i32 %p to i16; store i16 %s

OpenCL C promotes smaller types to int, and optimizers for scalar code leave it so. In SIMD lanes this costs
twice the registers, conversions, and 32-bit multiplications, which are slow on many processors.

The number of demanded low bits is propagated from uses to operands: `trunc` demands few, sums and products as
many as are demanded of them, shifts more or fewer, everything else all. Sums, products, bitwise operations,
selects, phis and shifts of which at most 16 bits are demanded are rewritten; a pair of `shl` and `ashr` that
extends a sign is rewritten together. Operands that are not rewritten are truncated.

Loops are refused if the rewrite would add conversions. Only the kernel's own loops are considered: code that
all work-items run once costs little, and LLVM narrows the code that it vectorizes itself. Runs before
work-items get lanes. Linear except for phis, which may be visited once per bit.
"""

from enum import unique
from typing import NamedTuple

from weft.ir import Block, ConstantInt, Function, Instruction, Value
from weft.ir.builder import Builder
from weft.ir.types import I16, I32, IntType
from weft.ir.values import const_int
from weft.recursion import Definition, Recursion
from weft.remarks import SILENT, Message, Remarks
from weft.transform.workgroup.work_item_loops import kernel_loops

# Width of the narrow integers: the smallest with instructions for products.
BITS = 16
_SUMS = frozenset(("add", "sub", "mul"))
_BITWISE = frozenset(("and", "or", "xor"))
_EXTENSIONS = frozenset(("zext", "sext"))
_SHIFTS = frozenset(("shl", "lshr", "ashr"))


@unique
class NarrowedIntegers(Message):
    """Remarks about integer arithmetic in loops whose results are truncated."""

    NARROWED = "{instructions} instructions compute in 16 bits"
    NEEDS_MORE_BITS = "results are truncated to 16 bits, but their operands cannot be"
    MORE_CONVERSIONS = "16 bits would need more conversions than they save"


def narrow_integers(function: Function, remarks: Remarks = SILENT) -> int:
    """Rewrite the loops of a work-group function; return the number of instructions with 16 bits."""
    inside = dict.fromkeys(block for loop in kernel_loops(function) for block in loop.blocks)
    body = [i for block in inside for i in block.instructions]
    if not any(i.opcode == "trunc" and _bits(i) <= BITS and _bits(i.operands[0]) == I32.bits for i in body):
        return 0
    needs = _needs(body)
    chosen = [i for i in body if i.type is I32 and needs[i] <= BITS and _has_narrow_form(i)]
    rewriting = _Rewriting(dict.fromkeys(chosen))
    if not chosen or not rewriting.pays():
        refusal = NarrowedIntegers.MORE_CONVERSIONS if chosen else NarrowedIntegers.NEEDS_MORE_BITS
        remarks.missed(refusal)
        return 0
    _drop_poison_flags(body, needs)
    count = rewriting.run()
    remarks.passed(NarrowedIntegers.NARROWED, instructions=count)
    return count


def _drop_poison_flags(body: list[Instruction], needs: dict[Instruction, int]) -> None:
    """Drop poison-generating flags where an operand may get other high bits, as in `shl nsw %x, 16`."""
    for i in body:
        if any(isinstance(o, Instruction) and needs.get(o, 64) < _bits(o) for o in i.operands):
            i.drop_poison_flags()


def _bits(value: Value) -> int:
    return value.type.bits if isinstance(value.type, IntType) else 0


def _needs(body: list[Instruction]) -> dict[Instruction, int]:
    """Return how many low bits of each integer are demanded."""
    needs = dict.fromkeys(body, 0)
    for i in body:
        if any(user not in needs for user in i.users):
            needs[i] = _bits(i)  # all bits of values that leave the loops
    work = body[:]
    while work:
        user = work.pop()
        for position, operand in enumerate(user.operands):
            if isinstance(operand, Instruction) and operand in needs:
                demanded = min(_demanded_bits(user, position, needs[user]), _bits(operand))
                if demanded > needs[operand]:
                    needs[operand] = demanded
                    work.append(operand)
    return needs


def _demanded_bits(user: Instruction, position: int, need: int) -> int:
    """Return how many low bits an instruction demands of an operand if `need` of its own are demanded."""
    everything = 64
    if user.opcode in _SUMS or user.opcode == "phi":
        return need
    if user.opcode in _BITWISE:
        other = user.operands[1 - position]
        if user.opcode == "and" and isinstance(other, ConstantInt):
            return min(need, other.value.bit_length())
        return need
    if user.opcode == "select":
        return need if position else everything
    if user.opcode == "trunc" or user.opcode in _EXTENSIONS:
        return need
    by = _amount(user)
    if by is None:
        return everything
    return max(need - by, 0) if user.opcode == "shl" else need + by


def _amount(i: Instruction) -> int | None:
    """Return the shift amount if it is constant and less than the width."""
    if i.opcode not in _SHIFTS or not isinstance(i.operands[1], ConstantInt):
        return None
    by = i.operands[1].value
    return by if by < _bits(i) else None


def _has_narrow_form(i: Instruction) -> bool:
    if i.opcode in _SHIFTS:
        return _narrow_shift(i) is not None
    return i.opcode in _SUMS or i.opcode in _BITWISE or i.opcode in ("phi", "select")


class _ShiftPair(NamedTuple):
    """A 16-bit `shl` by `left`, and a shift back by `right` with `opcode`."""

    value: Value
    left: int
    opcode: str
    right: int


def _narrow_shift(i: Instruction) -> _ShiftPair | None:
    """Return a shift as a pair of 16-bit shifts; None if it has no such form."""
    by, value = _amount(i), i.operands[0]
    if by is None:
        return None
    if i.opcode == "shl":
        return _ShiftPair(value, by, "shl", 0) if by < BITS else None
    if not isinstance(value, Instruction):
        return None
    if value.opcode in _EXTENSIONS and _bits(value.operands[0]) <= BITS:
        signed = value.opcode == "sext"
        if signed and i.opcode == "lshr" and by > BITS:
            return None  # zeros follow the copies of the sign
        if signed:
            return _ShiftPair(value, 0, "ashr", min(by, BITS - 1))
        return _ShiftPair(value, 0, "lshr", by)
    left_amount = _amount(value) if value.opcode == "shl" else None
    if left_amount is not None and i.opcode == "ashr" and left_amount >= BITS and by >= left_amount:
        return _ShiftPair(value.operands[0], left_amount - BITS, "ashr", min(by - BITS, BITS - 1))
    return None


class _Rewriting:
    """The rewrite of 32-bit instructions, all of which have a 16-bit form."""

    def __init__(self, chosen: dict[Instruction, None]) -> None:
        self.chosen = chosen
        # Maps a chosen value to its 16-bit form; operands are computed first.
        self._narrow = Recursion(self._narrowed_one, Value(I16))
        self.results = self._narrow.known

    def pays(self) -> bool:
        """Return whether at least as many conversions disappear as are added."""
        removed: dict[Value, None] = {}
        added: dict[Value, None] = {}
        for i in self.chosen:
            for operand in self._operands(i):
                if isinstance(operand, Instruction) and operand not in self.chosen:
                    extended = operand.opcode in _EXTENSIONS and _bits(operand.operands[0]) <= BITS
                    (removed if extended else added)[operand] = None
            for user in i.users:
                if user not in self.chosen and not self._is_half(user):
                    (removed if user.opcode == "trunc" else added)[user] = None
        return len(removed) >= max(len(added), 1)

    def _operands(self, i: Instruction) -> list[Value]:
        shift = _narrow_shift(i)
        if shift is not None:
            return [shift.value]
        return [o for o in i.operands if not isinstance(o, Block) and o.type is I32]

    def _is_half(self, i: Instruction) -> bool:
        """Return whether an instruction is the first of two shifts that are rewritten together."""
        return i.opcode == "shl" and all(user in self.chosen for user in i.users)

    def run(self) -> int:
        phis = [i for i in self.chosen if i.opcode == "phi"]
        for phi in phis:
            self.results[phi] = Builder(phi.parent).phi(I16, phi.name)
        for i in self.chosen:
            self._narrow(i)
        for phi in phis:
            new = self.results[phi]
            assert isinstance(new, Instruction)
            ends: dict[Block, Value] = {}  # several cases of a switch may lead to one block
            for value, block in phi.incoming():
                if block not in ends:
                    ends[block] = self._at_end(value, block)
                new.add_incoming(ends[block], block)
        self._replace_uses()
        return len(self.chosen)

    def _narrowed_one(self, i: Value) -> Definition[Value, Value]:
        assert isinstance(i, Instruction) and i.block is not None
        shift = _narrow_shift(i)
        if shift is not None:
            operand = yield from self._operand(shift.value, i)
            b = Builder(i.block, i)
            result: Value = const_int(I16, 0)
            if shift.right < BITS:
                result = b.binary("shl", operand, const_int(I16, shift.left)) if shift.left else operand
                if shift.right:
                    result = b.binary(shift.opcode, result, const_int(I16, shift.right))
        elif i.opcode == "select":
            yes = yield from self._operand(i.operands[1], i)
            no = yield from self._operand(i.operands[2], i)
            result = Builder(i.block, i).select(i.operands[0], yes, no)
        else:
            one = yield from self._operand(i.operands[0], i)
            other = yield from self._operand(i.operands[1], i)
            result = Builder(i.block, i).binary(i.opcode, one, other)
        return result

    def _operand(self, value: Value, user: Instruction) -> Definition[Value, Value]:
        if isinstance(value, Instruction) and value in self.chosen:
            return (yield value)
        return _narrowed(Builder(user.parent, user), value)

    def _at_end(self, value: Value, block: Block) -> Value:
        if value in self.results:
            return self.results[value]
        return _narrowed(Builder(block, block.terminator), value)

    def _replace_uses(self) -> None:
        """Replace the operands of remaining instructions, and erase the old ones."""
        for i in self.chosen:
            new = self.results[i]
            for user in list(i.users):
                if user in self.chosen or user.block is None or self._is_half(user):
                    continue
                b = Builder(user.block, user)
                if user.opcode == "trunc":
                    user.replace_all_uses_with(b.cast("trunc", new, user.type, user.name))
                    user.erase()
                else:
                    assert user.opcode != "phi", "phis that demand few bits are rewritten"
                    user.replace_operand(i, b.cast("zext", new, I32))
        halves = dict.fromkeys(u for i in self.chosen for u in i.users if u not in self.chosen)
        _erase([*self.chosen, *halves])


def _erase(old: list[Instruction]) -> None:
    """Erase instructions that use only each other, and conversions that only they used."""
    sources = [o for i in old for o in i.operands if isinstance(o, Instruction) and o.opcode in _EXTENSIONS]
    for i in old:
        i.set_operands(())
    for i in old:
        i.erase()
    for source in sources:
        if not source.users and source.block is not None:
            source.erase()


def _narrowed(b: Builder, value: Value) -> Value:
    """Return the low 16 bits of a number."""
    if isinstance(value, Instruction) and value.opcode in _EXTENSIONS and _bits(value.operands[0]) <= BITS:
        return b.cast(value.opcode, value.operands[0], I16)
    return b.cast("trunc", value, I16)
