"""Vectorize integer division through floating point, because processors have no integer vector division.

The quotient of numbers of up to 32 bits, rounded to 53 bits, truncates to the correct integer: a quotient
that is not an integer differs from the nearest one by at least 1 / dividend of itself, far more than the
rounding error. For numbers of up to 16 bits, 24 bits suffice.

A divisor that all lanes share is inverted once. Adding one half to the dividend then keeps exact quotients
from falling below their integer; it is too little to reach the next one.

None of this traps, so inactive lanes may hold any divisor.
"""

from typing import TYPE_CHECKING

from weft.ir import Instruction, Value
from weft.ir.types import FloatType, IntType, VectorType, intrinsic_suffix
from weft.ir.values import Constant, ConstantAggregate, ConstantFloat

if TYPE_CHECKING:
    from .widen import Widener

_DIVISIONS = ("udiv", "sdiv", "urem", "srem")


def divides_by_floats(i: Instruction) -> bool:
    """Return whether an instruction divides integers of at most 32 bits by a divisor that is not constant."""
    element = i.type.scalar
    if i.opcode not in _DIVISIONS or not isinstance(element, IntType) or element.bits > 32:
        return False
    return not isinstance(i.operands[1], Constant) and element.bits in (8, 16, 32)


def divide(w: "Widener", i: Instruction) -> Value:
    """Return the quotients or remainders of all lanes."""
    b = w.b
    dividend, divisor = (w.vector(o) for o in i.operands)
    type = dividend.type
    assert isinstance(type, VectorType) and isinstance(type.element, IntType)
    signed = i.opcode[0] == "s"
    floats = VectorType(FloatType("double" if type.element.bits > 16 else "float"), type.count)
    to_float, to_integer = ("sitofp", "fptosi") if signed else ("uitofp", "fptoui")
    numerator, denominator = (b.emit(to_float, floats, [v]) for v in (dividend, divisor))
    if w.lanes.is_uniform(i.operands[1]):
        half = _splat(floats, 0.5)
        if signed:
            half = b.call_symbol(f"llvm.copysign.{intrinsic_suffix(floats)}", floats, [half, numerator])
        inverse = b.emit("fdiv", floats, [_splat(floats, 1.0), denominator])
        exact = b.emit("fmul", floats, [b.emit("fadd", floats, [numerator, half]), inverse])
    else:
        exact = b.emit("fdiv", floats, [numerator, denominator])
    # The result of a division by zero is not an integer; the conversion gives poison unless it is frozen.
    quotient = b.emit("freeze", type, [b.emit(to_integer, type, [exact])], i.name)
    if i.opcode.endswith("div"):
        return quotient
    rest = b.binary("sub", dividend, b.binary("mul", quotient, divisor), i.name)
    if signed:
        return rest
    # Analyses assume that a remainder is at most its divisor, even if that is 0.
    return b.call_symbol(f"llvm.umin.{intrinsic_suffix(type)}", type, [rest, divisor])


def _splat(type: VectorType, number: float) -> Value:
    assert isinstance(type.element, FloatType)
    return ConstantAggregate(type, [ConstantFloat.of(type.element, number)] * type.count)
