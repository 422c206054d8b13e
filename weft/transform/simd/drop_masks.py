"""Remove masks of bits that a number cannot have, so that ids stay linear for SIMD lanes.

    %gid = zext nneg i32 %x to i64                 %p = getelementptr float, ptr %a, i64 %gid
    %i = and i64 %gid, 4294967295
    %p = getelementptr float, ptr %a, i64 %i

Optimizers write `(uint)get_global_id(0)` as an index this way, as long as the id may have 64 bits; in the
work-group function it has fewer, and `analysis/lanes.py` sees that its neighbours lie side by side.

Requires a work-group function. Refuses masks of numbers that may have other bits. Linear time.
"""

from enum import unique

from weft.ir import ConstantInt, Function, Instruction, Value
from weft.ir.types import I32, IntType
from weft.remarks import SILENT, Message, Remarks

# How far back a look for bits goes.
_STEPS = 16
# The mask of a conversion to uint.
_UNSIGNED = (1 << 32) - 1


@unique
class DroppedMask(Message):
    """What became of a mask."""

    DROPPED = "a mask of bits that are zero is removed"
    HIGH_BITS = "a number that is taken modulo 2**32 may be larger"


def drop_masks(function: Function, remarks: Remarks = SILENT) -> int:
    """Removes masks that change nothing; returns how many."""
    dropped = 0
    for block in function.blocks:
        for i in list(block.instructions):
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
