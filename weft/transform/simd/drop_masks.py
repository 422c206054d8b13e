"""Remove redundant masks and sign extensions, so that ids stay linear for SIMD lanes.

    %gid = zext nneg i32 %x to i64                 %p = getelementptr float, ptr %a, i64 %gid
    %i = and i64 %gid, 4294967295
    %p = getelementptr float, ptr %a, i64 %i

Optimizers turn `(uint)get_global_id(0)` as an index into this form while the id may have 64 bits; in the
work-group function it has fewer, and `analysis/lanes.py` finds the address consecutive. An index
`(int)get_local_id(0) - 1` becomes two shifts, which are a sum and one shift if it cannot wrap:

    %up = shl i64 %lid, 32                         %less = add nsw i64 %lid, -1
    %less = add i64 %up, -4294967296               %offset = shl nsw i64 %less, 2
    %offset = ashr exact i64 %less, 30

LLVM's vectorizer would assume that such an address may wrap, test it, and gather in a branch.

Requires a work-group function. Refuses masks of values that may have other bits. Linear time.
"""

from enum import unique

from weft.ir import ConstantInt, Function, Instruction, Value
from weft.ir.builder import Builder
from weft.ir.loops import loop_forest
from weft.ir.types import I32, I64, IntType
from weft.ir.values import const_int
from weft.remarks import SILENT, Message, Remarks
from weft.transform.workgroup.work_item_loops import is_any_work_item_loop

from .counted_loop import counter_of

# How far back a look for bits goes.
_STEPS = 16
# The mask of a conversion to uint.
_UNSIGNED = (1 << 32) - 1
# The least number that is negative as an int.
_SIGN = 1 << 31


@unique
class DroppedMask(Message):
    """What became of a mask."""

    DROPPED = "redundant bit mask removed"
    EXTENDED = "redundant sign extension removed"
    MAY_WRAP = "a value that is converted to int may be out of range"
    HIGH_BITS = "a value that is reduced modulo 2**32 may be larger"


def drop_masks(function: Function, remarks: Remarks = SILENT) -> int:
    """Removes masks and sign extensions that change nothing; returns how many."""
    dropped = 0
    largest: dict[Value, int] | None = None
    for block in function.blocks:
        for i in list(block.instructions):
            extended = _extended(i)
            if extended is not None:
                if largest is None:
                    largest = _largest_counters(function)
                value, addend = extended
                most = _largest(value, largest)
                if most is not None and most + addend < _SIGN:
                    remarks.passed(DroppedMask.EXTENDED, i)
                    _shift_once(i, value, addend)
                    dropped += 1
                else:
                    remarks.missed(DroppedMask.MAY_WRAP, i)
                continue
            if (
                i.opcode != "and"
                or not isinstance(i.type, IntType)
                or not isinstance(i.operands[1], ConstantInt)
            ):
                continue
            value, mask = i.operands[0], i.operands[1].value
            if not possible_bits(value) & ~mask:
                remarks.passed(DroppedMask.DROPPED, i)
                i.replace_all_uses_with(value)
                i.erase()
                dropped += 1
            elif mask == _UNSIGNED and i.type is not I32:
                remarks.missed(DroppedMask.HIGH_BITS, i)
    return dropped


def _extended(i: Instruction) -> tuple[Value, int] | None:
    """What a shift right takes the sign of after 32 bits: a number of 64 bits, and what is added to it."""
    if i.opcode != "ashr" or i.type is not I64 or not isinstance(i.operands[1], ConstantInt):
        return None
    value, addend = i.operands[0], 0
    if (
        isinstance(value, Instruction)
        and value.opcode == "add"
        and isinstance(value.operands[1], ConstantInt)
    ):
        addend, low = divmod(value.operands[1].signed, 1 << 32)
        if low:
            return None
        value = value.operands[0]
    by = value.operands[1] if isinstance(value, Instruction) and value.opcode == "shl" else None
    if not isinstance(by, ConstantInt) or by.value != 32 or i.operands[1].value > 32:
        return None
    assert isinstance(value, Instruction)
    return value.operands[0], addend


def _largest(value: Value, counters: dict[Value, int]) -> int | None:
    """A number that a value is not above, if it is below 2**31 and the value is not negative."""
    if isinstance(value, Instruction) and value.opcode == "zext":
        source = value.operands[0]
        if source in counters:
            return counters[source]
        if "nneg" in value.flags and source.type is I32:
            return _SIGN - 1
    bits = possible_bits(value)
    return bits if bits < _SIGN else None


def _largest_counters(function: Function) -> dict[Value, int]:
    """What the work-item loops count with, and how far, where that is known."""
    found: dict[Value, int] = {}
    for loop in loop_forest(function).loops:
        counted = counter_of(loop) if is_any_work_item_loop(loop) else None
        if counted is not None and isinstance(counted[1], ConstantInt):
            found[counted[0]] = counted[1].value - 1
    return found


def _shift_once(i: Instruction, value: Value, addend: int) -> None:
    """Replaces two shifts of a number that needs no more than 32 bits, with its sign."""
    by = i.operands[1]
    assert isinstance(by, ConstantInt)
    b = Builder(i.parent, i)
    total = b.add(value, const_int(I64, addend), flags=("nsw",))
    i.replace_all_uses_with(b.binary("shl", total, const_int(I64, 32 - by.value), i.name, ("nsw",)))
    i.erase()


def possible_bits(value: Value) -> int:
    """The bits that a number may have, as a mask, as far as a few steps back tell."""
    steps: list[Instruction] = []
    while len(steps) < _STEPS and isinstance(value, Instruction):
        shift = value.opcode in ("shl", "lshr", "and") and isinstance(value.operands[1], ConstantInt)
        if not shift and value.opcode != "zext":
            break
        steps.append(value)
        value = value.operands[0]
    bits = value.value if isinstance(value, ConstantInt) else -1
    bits &= _all_bits(value)
    for step in reversed(steps):
        other = step.operands[-1]
        by = other.value if isinstance(other, ConstantInt) else 0
        match step.opcode:
            case "shl":
                bits = bits << by & _all_bits(step)
            case "lshr":
                bits >>= by
            case "and":
                bits &= by
    return bits


def _all_bits(value: Value) -> int:
    assert isinstance(value.type, IntType)
    return (1 << value.type.bits) - 1
