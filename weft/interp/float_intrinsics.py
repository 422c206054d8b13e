"""LLVM's floating-point intrinsics, as functions of scalars.

Where LLVM leaves a choice, the interpreter fixes it: fmuladd is fused; functions such as llvm.sin call the C
library in double and round the result.
"""

import math
from collections.abc import Callable
from typing import Any

from weft import integers
from weft.ir import ConstantInt, Instruction
from weft.ir.types import FloatType, Type

from . import floating
from .errors import UnsupportedInstruction
from .formats import bits_of_float, float_of_bits, rounder
from .scalar import width_of


def _kind(type: Type) -> str:
    if not isinstance(type, FloatType):
        raise UnsupportedInstruction(f"{type} is not a floating-point type")
    return type.kind


def _exact(
    function: Callable[[float], float],
) -> Callable[[Type, Instruction], Callable[[float], float]]:
    return lambda type, instruction: function


def _per_format(
    maker: Callable[[str], Callable[..., Any]],
) -> Callable[[Type, Instruction], Callable[..., Any]]:
    return lambda type, instruction: maker(_kind(type))


def _library(function: Callable[..., float]) -> Callable[[Type, Instruction], Callable[..., float]]:
    """Compute a function of the C library in double and round the result."""

    def maker(type: Type, instruction: Instruction) -> Callable[..., float]:
        to_format = rounder(_kind(type))

        def compute(*operands: float) -> float:
            try:
                return to_format(function(*operands))
            except OverflowError:
                # The only functions here with negative overflow are odd powers of negative numbers.
                negative = len(operands) == 2 and operands[0] < 0.0 and operands[1] % 2.0 == 1.0
                return -math.inf if negative else math.inf
            except ValueError:
                return math.nan

        return compute

    return maker


def _logarithm(function: Callable[[float], float]) -> Callable[[float], float]:
    return lambda a: -math.inf if a == 0.0 else function(a)


def _power(a: float, b: float) -> float:
    if a == 0.0 and b < 0.0:
        odd = b % 2.0 == 1.0
        return math.copysign(math.inf, a) if odd else math.inf
    return math.pow(a, b)


def _integer_power(type: Type, instruction: Instruction) -> Callable[[float, int], float]:
    bits = width_of(instruction.operands[1].type)
    power = _library(_power)(type, instruction)
    return lambda a, b: power(a, float(integers.signed(b, bits)))


def _load_exponent(type: Type, instruction: Instruction) -> Callable[[float, int], float]:
    bits, kind = width_of(instruction.operands[1].type.scalar), _kind(type)
    to_format = rounder(kind)

    def ldexp(a: float, b: int) -> float:
        exponent = integers.signed(b, bits)
        if a - a != 0.0 or a == 0.0:
            return a
        # Scaling to a subnormal double would round twice.
        if kind == "double" or exponent > -900:
            try:
                return to_format(math.ldexp(a, exponent))
            except OverflowError:
                return math.copysign(math.inf, a)
        return math.copysign(0.0, a)

    return ldexp


def _split_exponent(type: Type, instruction: Instruction) -> Callable[[float], tuple[float, int]]:
    def frexp(a: float) -> tuple[float, int]:
        significand, exponent = math.frexp(a)
        return significand, exponent & 0xFFFFFFFF

    return frexp


def _split_fraction(type: Type, instruction: Instruction) -> Callable[[float], tuple[float, float]]:
    def modf(a: float) -> tuple[float, float]:
        return (math.copysign(0.0, a), a) if abs(a) == math.inf else math.modf(a)

    return modf


def _sine_cosine(type: Type, instruction: Instruction) -> Callable[[float], tuple[float, float]]:
    sine, cosine = _library(math.sin)(type, instruction), _library(math.cos)(type, instruction)
    return lambda a: (sine(a), cosine(a))


def _class_test(type: Type, instruction: Instruction) -> Callable[[float], int]:
    kind, tested = _kind(type), instruction.operands[1]
    assert isinstance(tested, ConstantInt)
    mask = tested.value
    bits = width_of(type)
    significand = {"half": 10, "bfloat": 7, "float": 23, "double": 52}[kind]

    def test(a: float) -> int:
        pattern = bits_of_float(kind, a)
        exponent = pattern >> significand & (1 << (bits - 1 - significand)) - 1
        fraction = pattern & (1 << significand) - 1
        if a != a:
            index = 1 if fraction >> (significand - 1) else 0
        else:
            # From zero outwards: zero, subnormal, normal, infinity.
            distance = 3 if abs(a) == math.inf else 2 if exponent else 1 if fraction else 0
            index = 5 - distance if pattern >> (bits - 1) else 6 + distance
        return mask >> index & 1

    return test


def _saturating_conversion(signed: bool) -> Callable[[Type, Instruction], Callable[[float], int]]:
    return lambda type, instruction: floating.to_integer(
        width_of(instruction.type.scalar), signed, saturating=True
    )


def _to_half(type: Type, instruction: Instruction) -> Callable[[float], int]:
    convert = floating.narrow(_kind(type), "half")
    return lambda a: bits_of_float("half", convert(a))


def _from_half(type: Type, instruction: Instruction) -> Callable[[int], float]:
    widen, to_format = floating.widen("half"), rounder(_kind(instruction.type.scalar))
    return lambda a: to_format(widen(float_of_bits("half", a)))


# name -> (number of relevant operands, maker of the scalar function)
FLOAT_INTRINSICS: dict[str, tuple[int, Callable[[Type, Instruction], Callable[..., Any]]]] = {
    "fma": (3, _per_format(floating.fused)),
    "fmuladd": (3, _per_format(floating.fused)),
    "fabs": (1, _per_format(floating.absolute)),
    "copysign": (2, _per_format(floating.copy_sign)),
    "sqrt": (1, _per_format(floating.square_root)),
    "canonicalize": (1, _per_format(rounder)),
    "floor": (1, _exact(floating.floored)),
    "ceil": (1, _exact(floating.ceiled)),
    "trunc": (1, _exact(floating.truncated)),
    "rint": (1, _exact(floating.rounded_even)),
    "nearbyint": (1, _exact(floating.rounded_even)),
    "roundeven": (1, _exact(floating.rounded_even)),
    "round": (1, _exact(floating.rounded_away)),
    "minnum": (2, lambda type, instruction: floating.minimum_number),
    "maxnum": (2, lambda type, instruction: floating.maximum_number),
    "minimumnum": (2, lambda type, instruction: floating.minimum_number),
    "maximumnum": (2, lambda type, instruction: floating.maximum_number),
    "minimum": (2, lambda type, instruction: floating.minimum),
    "maximum": (2, lambda type, instruction: floating.maximum),
    **{
        name: (1, _library(getattr(math, name)))
        for name in ["sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "exp"]
    },
    "exp2": (1, _library(lambda a: _power(2.0, a))),
    "exp10": (1, _library(lambda a: _power(10.0, a))),
    "log": (1, _library(_logarithm(math.log))),
    "log2": (1, _library(_logarithm(math.log2))),
    "log10": (1, _library(_logarithm(math.log10))),
    "atan2": (2, _library(math.atan2)),
    "pow": (2, _library(_power)),
    "powi": (2, _integer_power),
    "ldexp": (2, _load_exponent),
    "frexp": (1, _split_exponent),
    "modf": (1, _split_fraction),
    "sincos": (1, _sine_cosine),
    "is.fpclass": (1, _class_test),
    "fptosi.sat": (1, _saturating_conversion(signed=True)),
    "fptoui.sat": (1, _saturating_conversion(signed=False)),
    "convert.to.fp16": (1, _to_half),
    "convert.from.fp16": (1, _from_half),
}
