"""Expand powers whose exponent is a small constant into multiplications.

    %y = call float @_Z3powff(float %x, float 3.0)      %square = fmul float %x, %x
                                                         %y = fmul float %square, %x

The library takes a logarithm and an exponential of twice the digits, which cost fifty times as much.
Exponents are whole or halves, up to 8; halves multiply by a square root, negative ones start from the
reciprocal. The results differ from the library's within the error that OpenCL C allows: a chain of n factors
from the reciprocal has an error of less than 2 n - 1 units in the last place, of 16 allowed. Overflow and
underflow are those of the result, because each product lies between the argument and the result.

Zeros, infinities and NaNs give what OpenCL C requires: `pow` of a half and `powr` take -0 as 0, `pow` of a
half takes -infinity as infinity, `powr` of a negative number is a NaN.

Runs when a program is built, so that the launch sees arithmetic. Refuses other exponents, `powr` to the power
of 0, which is a NaN for some arguments, and `half`. Linear time.
"""

from enum import unique
from typing import NamedTuple

from weft.ir import Function, Instruction, Value
from weft.ir.builder import Builder
from weft.ir.opcodes import FAST_MATH_FLAGS
from weft.ir.types import I1, FloatType, FunctionType, Type, VectorType, with_shape_of
from weft.ir.values import ConstantAggregate, ConstantFloat, constant_of, zero_of
from weft.lazy_pattern import lazy_pattern
from weft.remarks import SILENT, Message, Remarks

# The largest exponent: 8 factors from a reciprocal stay within the 16 units in the last place allowed.
MOST = 8
_POWER = lazy_pattern(
    r"^_Z(?:3(?P<pow>pow)|4(?P<powr>powr)|4pown)(?P<base>(?:Dv\d+_)?[fd])(?:Dv\d+_i|S_|[fdi])$"
)


@unique
class Powers(Message):
    """What was done to a power with a constant exponent."""

    EXPANDED = "{callee} with the exponent {exponent} expanded into multiplications"
    OTHER_EXPONENT = "{callee} with the exponent {exponent} is left to the library"


class _Power(NamedTuple):
    """A power: twice its constant exponent, and which function it is."""

    call: Instruction
    halves: float
    is_pow: bool
    is_powr: bool
    base: str


def expand_powers(function: Function, remarks: Remarks = SILENT) -> int:
    """Expand the powers of a function; return their number."""
    expanded = 0
    powers = [p for i in function.instructions() if (p := _power(i)) is not None]
    for power in powers:
        can = power.halves.is_integer() and abs(power.halves) <= 2 * MOST
        can &= not (power.is_powr and power.halves == 0)
        message = Powers.EXPANDED if can else Powers.OTHER_EXPONENT
        tell = remarks.passed if can else remarks.missed
        tell(message, power.call, callee=power.call.callee_name, exponent=f"{power.halves / 2:g}")
        if can:
            _expand(power)
            expanded += 1
    return expanded


def _power(i: Instruction) -> _Power | None:
    match = _POWER.match(i.callee_name) if i.opcode == "call" else None
    if match is None or len(i.arguments) != 2:
        return None
    exponent = _number(i.arguments[1])
    if exponent is None:
        return None
    return _Power(i, 2 * exponent, match["pow"] is not None, match["powr"] is not None, match["base"])


def _number(value: Value) -> float | None:
    """Return the number of a constant or of a vector of equal constants."""
    if isinstance(value, ConstantAggregate):
        value = value.splat or value
    if isinstance(value, ConstantFloat):
        return value.value
    whole = constant_of(value)
    return None if whole is None else float(whole)


def _expand(power: _Power) -> None:
    call, type, flags = power.call, power.call.type, _flags(power)
    b = Builder(call.parent, call)
    x = call.arguments[0]
    whole, half = divmod(abs(int(power.halves)), 2)
    base = x
    if power.is_powr or half:
        base = b.emit("fadd", type, [x, zero_of(type)], None, flags)
    if power.is_pow and half:
        infinite = b.emit("fcmp", with_shape_of(type, I1), [x, _all(type, float("-inf"))], predicate="oeq")
        base = b.select(infinite, _all(type, float("inf")), base)
    root = _square_root(b, power, base) if half else None
    if power.halves < 0:
        one = _all(type, 1.0)
        base = b.emit("fdiv", type, [one, base], None, flags) if whole else base
        root = b.emit("fdiv", type, [one, root], None, flags) if root is not None else None
    result = _product(b, base, whole, root, flags)
    if result is None:
        result = _all(type, 1.0)
    if power.is_powr:
        negative = b.emit("fcmp", with_shape_of(type, I1), [x, zero_of(type)], predicate="olt")
        result = b.select(negative, _all(type, float("nan")), result)
    name, call.name = call.name, None
    if isinstance(result, Instruction) and result is not x:
        result.name = name
    callee = call.callee
    call.replace_all_uses_with(result)
    call.erase()
    if isinstance(callee, Function) and not callee.users:
        callee.parent.remove(callee)


def _flags(power: _Power) -> tuple[str, ...]:
    """Return the flags of the arithmetic: those of the call, but negative halves are not reassociated.

    LLVM would compute 1 / (x sqrt(x)) as the reciprocal square root of x^3, which overflows for results that
    do not.
    """
    flags = power.call.flags
    if power.halves > 0 or power.halves % 2 == 0:
        return flags
    return tuple(f for f in (FAST_MATH_FLAGS if "fast" in flags else flags) if f not in ("fast", "reassoc"))


def _product(
    b: Builder, base: Value, whole: int, product: Value | None, flags: tuple[str, ...]
) -> Value | None:
    """Return base^whole times a number by repeated squaring; None if there is no factor."""
    while whole:
        if whole & 1:
            product = base if product is None else b.emit("fmul", base.type, [product, base], None, flags)
        whole >>= 1
        if whole:
            base = b.emit("fmul", base.type, [base, base], None, flags)
    return product


def _square_root(b: Builder, power: _Power, x: Value) -> Instruction:
    """Call sqrt as the power is called."""
    call = power.call
    callee = call.callee
    assert isinstance(callee, Function)
    root = callee.parent.declare(f"_Z4sqrt{power.base}", FunctionType(x.type, (x.type,)), callee.suffix)
    new = b.call(root, [x])
    new.flags = _flags(power)
    if "suffix" in call.attributes:
        new.attributes["suffix"] = call.attributes["suffix"]
    return new


def _all(type: Type, number: float) -> Value:
    """Return the number in each element of a type."""
    scalar = type.scalar
    assert isinstance(scalar, FloatType)
    constant = ConstantFloat.of(scalar, number)
    return ConstantAggregate(type, [constant] * type.count) if isinstance(type, VectorType) else constant
