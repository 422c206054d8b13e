"""Use the ranges of ids: remove redundant masks and sign extensions, and mark arithmetic that cannot wrap.

    %gid = zext nneg i32 %x to i64                 %p = getelementptr float, ptr %a, i64 %gid
    %i = and i64 %gid, 4294967295
    %p = getelementptr float, ptr %a, i64 %i

Optimizers turn the index `(uint)get_global_id(0)` into this form because the id may have 64 bits; in the
work-group function it has fewer, and `analysis/lanes.py` then finds the address consecutive. The index
`(int)get_local_id(0) - 1` becomes two shifts, which are a sum and one shift if it cannot wrap;
`int i = 3 * get_global_id(0)` becomes a product and a shift:

    %up = mul i64 %gid, 12884901888                %i = mul nsw i64 %gid, 3
    %less = add i64 %up, -4294967296               %less = add nsw i64 %i, -1
    %offset = ashr exact i64 %less, 30             %offset = shl nsw i64 %less, 2

`uint i = 2 * get_global_id(0)` is 32-bit arithmetic, which gets the flags `nuw` and `nsw`. Otherwise LLVM's
vectorizer would assume that such addresses may wrap, test for it, and gather in one branch.

The metadata of a global id has its number of bits (`workgroup/positions.py`). This bounds products and sums
of ids, counters of work-item loops and constants.

Requires a work-group function. Refuses masks of values that may have other bits. Linear time.
"""

from enum import unique
from typing import NamedTuple

from weft.analysis.intervals import Intervals, possible_bits
from weft.integers import Interval
from weft.ir import ConstantInt, Function, Instruction, Value
from weft.ir.builder import Builder
from weft.ir.loops import loop_forest
from weft.ir.types import I32, I64, IntType
from weft.ir.values import const_int
from weft.remarks import SILENT, Message, Remarks
from weft.transform.workgroup.positions import id_bits
from weft.transform.workgroup.work_item_loops import is_any_work_item_loop

from .counted_loop import work_item_range

# The mask of a conversion to uint.
_UNSIGNED = (1 << 32) - 1
# The smallest unsigned number that is negative as an int.
_SIGN = 1 << 31


@unique
class DroppedMask(Message):
    """Remarks about masks, and about arithmetic with ids."""

    DROPPED = "redundant bit mask removed"
    EXTENDED = "redundant sign extension removed"
    MAY_WRAP = "a value that is converted to int may be out of range"
    HIGH_BITS = "a value that is reduced modulo 2**32 may be larger"


class _Product(NamedTuple):
    """The number value * factor + addend."""

    value: Value
    factor: int
    addend: int

    def at(self, number: int) -> int:
        """Return the number for a value."""
        return number * self.factor + self.addend


def drop_masks(function: Function, remarks: Remarks = SILENT) -> int:
    """Remove redundant masks and sign extensions, and add flags; return the number of removals."""
    dropped = 0
    intervals = _intervals(function)
    for block in function.blocks:
        for i in list(block.instructions):
            extended = _extended(i)
            if extended is not None:
                bounds = intervals.of(extended.value)
                if bounds is not None and all(_is_int(extended.at(bound)) for bound in bounds):
                    remarks.passed(DroppedMask.EXTENDED, i)
                    _shift_once(i, extended)
                    dropped += 1
                else:
                    remarks.missed(DroppedMask.MAY_WRAP, i)
                continue
            _add_flags(i, intervals)
            if (
                i.opcode != "and"
                or not isinstance(i.type, IntType)
                or not isinstance(i.operands[1], ConstantInt)
            ):
                continue
            value, mask = i.operands[0], i.operands[1].value
            if not possible_bits(value) & ~mask or _is_below(intervals.of(value), mask):
                remarks.passed(DroppedMask.DROPPED, i)
                i.replace_all_uses_with(value)
                i.erase()
                dropped += 1
            elif mask == _UNSIGNED and i.type is not I32:
                remarks.missed(DroppedMask.HIGH_BITS, i)
    return dropped


def _is_below(interval: Interval | None, mask: int) -> bool:
    """Return whether a mask keeps all bits of a value."""
    return interval is not None and mask & (mask + 1) == 0 and interval[0] >= 0 and interval[1] <= mask


def _is_int(number: int) -> bool:
    return -_SIGN <= number < _SIGN


def _extended(i: Instruction) -> _Product | None:
    """Return the product and sum whose low 32 bits a right shift sign-extends; None for anything else."""
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
    if not isinstance(value, Instruction) or value.opcode not in ("shl", "mul") or i.operands[1].value > 32:
        return None
    by = value.operands[1]
    if not isinstance(by, ConstantInt):
        return None
    if value.opcode == "shl" and by.value >= 64:
        return None
    factor, low = divmod(1 << by.value if value.opcode == "shl" else by.signed, 1 << 32)
    return None if low else _Product(value.operands[0], factor, addend)


def _intervals(function: Function) -> Intervals:
    """Return intervals based on global ids and the counters of work-item loops."""
    known: dict[Value, Interval] = {}
    for loop in loop_forest(function).loops:
        work_items = work_item_range(loop) if is_any_work_item_loop(loop) else None
        if work_items is not None and isinstance(work_items.limit, ConstantInt):
            known[work_items.counter] = (0, work_items.limit.value - 1)
    return Intervals(_id_interval, known)


def _id_interval(i: Instruction) -> Interval | None:
    bits = id_bits(i)
    return (0, (1 << bits) - 1) if bits is not None else None


def _add_flags(i: Instruction, intervals: Intervals) -> None:
    """Add no-wrap flags to a sum or product whose interval implies them."""
    if i.opcode not in ("add", "mul", "shl") or i.type not in (I32, I64):
        return
    intervals_found = [intervals.of(value) for value in (i, *i.operands)]
    if None not in intervals_found:
        unsigned = "nuw" in i.flags or all(
            interval is not None and interval[0] >= 0 for interval in intervals_found
        )
        i.flags = ("nuw", "nsw") if unsigned else ("nsw",)


def _shift_once(i: Instruction, extended: _Product) -> None:
    """Replace two shifts of a number that fits in 32 bits, with its sign, by one."""
    by = i.operands[1]
    assert isinstance(by, ConstantInt)
    b = Builder(i.parent, i)
    product = b.mul(extended.value, const_int(I64, extended.factor), flags=("nsw",))
    total = b.add(product, const_int(I64, extended.addend), flags=("nsw",))
    i.replace_all_uses_with(b.binary("shl", total, const_int(I64, 32 - by.value), i.name, ("nsw",)))
    i.erase()
