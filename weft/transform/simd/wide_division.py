"""Vectorize integer division through floating point, because processors have no integer vector division.

The quotient of numbers of up to 32 bits, rounded to 53 bits, is cut off to the right integer: what is not an
integer is at least 1 / dividend of itself away from one, far more than the error. Numbers of up to 16 bits
need 24 bits only.

A divisor that all lanes share is inverted once. Half a unit more of the dividend then keeps quotients that
are integers from falling below them; it is too little to reach the next one.

None of this traps, so inactive lanes may hold any divisor.
"""

from typing import TYPE_CHECKING

from weft.ir import Instruction, Value
from weft.ir.types import FloatType, FunctionType, IntType, VectorType, intrinsic_suffix
from weft.ir.values import Constant, ConstantAggregate, ConstantFloat

if TYPE_CHECKING:
    from .widen import Widener

_DIVISIONS = ("udiv", "sdiv", "urem", "srem")


def divides_by_floats(i: Instruction) -> bool:
    """Whether an instruction divides integers that are few bits long, by a divisor that is not known."""
    element = i.type.scalar
    if i.opcode not in _DIVISIONS or not isinstance(element, IntType) or element.bits > 32:
        return False
    return not isinstance(i.operands[1], Constant) and element.bits in (8, 16, 32)


def divide(w: "Widener", i: Instruction) -> Value:
    """The quotients or remainders of all lanes."""
    b = w.b
    dividend, divisor = (w.vector(o) for o in i.operands)
    type = dividend.type
    assert isinstance(type, VectorType) and isinstance(type.element, IntType)
    signed = i.opcode[0] == "s"
    floats = VectorType(FloatType("double" if type.element.bits > 16 else "float"), type.count)
    there, back = ("sitofp", "fptosi") if signed else ("uitofp", "fptoui")
    above, below = (b.emit(there, floats, [v]) for v in (dividend, divisor))
    if w.lanes.is_uniform(i.operands[1]):
        half = _splat(floats, 0.5)
        if signed:
            copysign = w.module.declare(
                f"llvm.copysign.{intrinsic_suffix(floats)}", FunctionType(floats, (floats, floats))
            )
            half = b.call(copysign, [half, above])
        inverse = b.emit("fdiv", floats, [_splat(floats, 1.0), below])
        exact = b.emit("fmul", floats, [b.emit("fadd", floats, [above, half]), inverse])
    else:
        exact = b.emit("fdiv", floats, [above, below])
    # What a division by zero gives is no integer, and poison unless it is frozen.
    quotient = b.emit("freeze", type, [b.emit(back, type, [exact])], i.name)
    if i.opcode.endswith("div"):
        return quotient
    rest = b.binary("sub", dividend, b.binary("mul", quotient, divisor), i.name)
    if signed:
        return rest
    # Analyses count on a remainder to be no greater than its divisor, also where that is 0.
    least = w.module.declare(f"llvm.umin.{intrinsic_suffix(type)}", FunctionType(type, (type, type)))
    return b.call(least, [rest, divisor])


def _splat(type: VectorType, number: float) -> Value:
    assert isinstance(type.element, FloatType)
    return ConstantAggregate(type, [ConstantFloat.of(type.element, number)] * type.count)
