"""Afterwards no number is masked to bits outside of which it has none: ids stay linear for SIMD lanes.

    %gid = zext nneg i32 %x to i64                 %p = getelementptr float, ptr %a, i64 %gid
    %i = and i64 %gid, 4294967295
    %p = getelementptr float, ptr %a, i64 %i

Optimizers write `(uint)get_global_id(0)` as an index this way, as long as the id may have 64 bits; in the
work-group function it has fewer, and `analysis/lanes.py` sees that its neighbours lie side by side.

Requires a work-group function. Refuses nothing. Linear time.
"""

from weft.ir import ConstantInt, Function, Instruction, Value
from weft.ir.types import IntType


def drop_masks(function: Function) -> int:
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
                i.replace_all_uses_with(value)
                i.erase()
                dropped += 1
    return dropped


def possible_bits(value: Value) -> int:
    """The bits that a number may have, as a mask, as far as a few steps back tell."""
    type = value.type
    assert isinstance(type, IntType)
    everything = (1 << type.bits) - 1
    if isinstance(value, ConstantInt):
        return value.value & everything
    if not isinstance(value, Instruction):
        return everything
    match value.opcode:
        case "zext":
            return possible_bits(value.operands[0])
        case "shl" if isinstance(by := value.operands[1], ConstantInt):
            return possible_bits(value.operands[0]) << by.value & everything
        case "lshr" if isinstance(by := value.operands[1], ConstantInt):
            return possible_bits(value.operands[0]) >> by.value
        case "and" if isinstance(mask := value.operands[1], ConstantInt):
            return possible_bits(value.operands[0]) & mask.value
    return everything
