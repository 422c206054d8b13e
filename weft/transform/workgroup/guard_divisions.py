"""Make integer divisions total, so that none traps.

In OpenCL C the result of a division by zero, and of the smallest number by -1, is unspecified, but the
division is harmless (section 6.3, operators). The processor's instruction traps, and in LLVM it is undefined
behaviour.

    %q = sdiv i32 %a, %b      %1 = add i32 %b, 1
                              %odd = icmp ult i32 %1, 2             ; -1 or 0
                              %safe = select i1 %odd, i32 1, i32 %b
                              %q.1 = sdiv i32 %a, %safe
                              %2 = sub i32 0, %a
                              %q = select i1 %odd, i32 %2, i32 %q.1

Unsigned numbers are divided by 1 instead of 0. Divisions by constants other than 0 and -1 are not changed.
Runs late, because the address analyses recognize divisions, but not guarded ones. Refuses nothing. Linear
time.
"""

from enum import unique

from weft.ir import Function, Instruction, Value
from weft.ir.builder import Builder
from weft.ir.types import IntType, Type, VectorType
from weft.ir.values import ConstantAggregate, ConstantInt, const_int, zero_of
from weft.remarks import SILENT, Message, Remarks

_DIVISIONS = ("udiv", "sdiv", "urem", "srem")


@unique
class Divisions(Message):
    """What was done to integer divisions."""

    GUARDED = "an integer division ({opcode}) is guarded: it may trap"


def guard_divisions(function: Function, remarks: Remarks = SILENT) -> int:
    """Guard the divisions of a function; return their number."""
    divisions = [i for i in function.instructions() if i.opcode in _DIVISIONS and not _is_harmless(i)]
    for division in divisions:
        remarks.passed(Divisions.GUARDED, division, opcode=division.opcode)
        _guard(division)
    return len(divisions)


def _is_harmless(division: Instruction) -> bool:
    """Whether the divisor is a constant other than 0, and other than -1 for signed types."""
    divisor = division.operands[1]
    parts = divisor.elements if isinstance(divisor, ConstantAggregate) else [divisor]
    signed = division.opcode[0] == "s"
    return all(isinstance(p, ConstantInt) and p.value != 0 and not (signed and p.signed == -1) for p in parts)


def _guard(division: Instruction) -> None:
    b = Builder(division.parent, division)
    dividend, divisor = division.operands
    type = divisor.type
    one = _number(type, 1)
    if division.opcode[0] == "u":
        odd = b.icmp("eq", divisor, zero_of(type))
    else:
        odd = b.icmp("ult", b.emit("add", type, [divisor, one]), _number(type, 2))
    division.set_operand(1, b.select(odd, one, divisor))
    if division.opcode == "sdiv":
        negated = b.emit("sub", type, [zero_of(type), dividend])
        result = Builder.after(division).select(odd, negated, division)
        division.replace_all_uses_with(result)
        result.set_operand(2, division)


def _number(type: Type, value: int) -> Value:
    if isinstance(type, VectorType):
        assert isinstance(type.element, IntType)
        return ConstantAggregate(type, [const_int(type.element, value)] * type.count)
    return const_int(type, value)
