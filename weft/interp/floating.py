"""Floating-point arithmetic, each operation rounded once to its format.

half, bfloat and float are computed in double and rounded: for + - * / and sqrt the second rounding is
harmless because double has more than twice their digits plus two. fma, where that is not enough,
rounds to odd in between; in double it computes with fractions.
"""

import math
from collections.abc import Callable
from fractions import Fraction

from .formats import bits_of_float, float_of_bits, integer_rounder, rounder, sign_bit, widened
from .poison import POISON

Unary = Callable[[float], float]
Binary = Callable[[float, float], float]
Ternary = Callable[[float, float, float], float]


def binary(opcode: str, kind: str) -> Binary:
    """Return the function of fadd, fsub, fmul, fdiv or frem."""
    to_format = rounder(kind)
    match opcode, kind:
        case "fadd", "double":
            return lambda a, b: a + b
        case "fsub", "double":
            return lambda a, b: a - b
        case "fmul", "double":
            return lambda a, b: a * b
        case "fadd", _:
            return lambda a, b: to_format(a + b)
        case "fsub", _:
            return lambda a, b: to_format(a - b)
        case "fmul", _:
            return lambda a, b: to_format(a * b)
        case "frem", _:
            return _remainder
    return lambda a, b: to_format(_divide(a, b))


def _divide(a: float, b: float) -> float:
    try:
        return a / b
    except ZeroDivisionError:
        if a != a or a == 0.0:
            return math.nan
        return math.copysign(math.inf, a) * math.copysign(1.0, b)


def _remainder(a: float, b: float) -> float:
    # fmod is exact, so no rounding follows.
    try:
        return math.fmod(a, b)
    except ValueError:
        return math.nan


def negate(kind: str) -> Unary:
    """Return the function of fneg, which flips the sign bit, also of a NaN."""
    return lambda a: -a if a == a else float_of_bits(kind, bits_of_float(kind, a) ^ sign_bit(kind))


def absolute(kind: str) -> Unary:
    """Return the function of fabs, which clears the sign bit, also of a NaN."""
    return lambda a: abs(a) if a == a else float_of_bits(kind, bits_of_float(kind, a) & ~sign_bit(kind))


def copy_sign(kind: str) -> Binary:
    """Return the function of copysign, which also works on NaNs."""
    sign = sign_bit(kind)

    def copysign(a: float, b: float) -> float:
        if a == a and b == b:
            return math.copysign(a, b)
        return float_of_bits(kind, bits_of_float(kind, a) & ~sign | bits_of_float(kind, b) & sign)

    return copysign


def fused(kind: str) -> Ternary:
    """Return the function a * b + c with one rounding."""
    if kind == "double":
        return _fused_double
    to_format = rounder(kind)

    def fma(a: float, b: float, c: float) -> float:
        product = a * b  # exact: twice the digits of a float fit in a double
        total = product + c
        if total - total != 0.0:
            return to_format(total)
        # The part of the sum that was lost by rounding (Knuth's two-sum).
        back = total - product
        lost = (product - (total - back)) + (c - back)
        if lost != 0.0 and not bits_of_float("double", total) & 1:
            total = math.nextafter(total, math.inf if lost > 0.0 else -math.inf)
        return to_format(total)

    return fma


def _fused_double(a: float, b: float, c: float) -> float:
    rough = a * b + c
    if a - a != 0.0 or b - b != 0.0:
        return rough
    if c - c != 0.0:
        return c  # the product is finite, even where computing it overflows
    exact = Fraction(a) * Fraction(b) + Fraction(c)
    if not exact:
        # A zero by cancellation is positive; a sum of zeros keeps their common sign.
        return rough if (a == 0.0 or b == 0.0) and c == 0.0 else 0.0
    try:
        return float(exact)
    except OverflowError:
        return math.inf if exact > 0 else -math.inf


_ORDERED: dict[str, Callable[[float, float], bool]] = {
    "eq": lambda a, b: a == b,
    "gt": lambda a, b: a > b,
    "ge": lambda a, b: a >= b,
    "lt": lambda a, b: a < b,
    "le": lambda a, b: a <= b,
    "ne": lambda a, b: a < b or a > b,
    "rd": lambda a, b: a == a and b == b,
}
# An unordered predicate is the negation of the opposite ordered one.
_OPPOSITE = {"eq": "ne", "ne": "eq", "gt": "le", "ge": "lt", "lt": "ge", "le": "gt", "no": "rd"}


def compare(predicate: str) -> Callable[[float, float], int]:
    """Return the function of an fcmp predicate; its result is 0 or 1."""
    if predicate in ("false", "true"):
        # Compare the operands nevertheless: poison must propagate.
        result = int(predicate == "true")
        return lambda a, b: (a == b, result)[1]
    if predicate[0] == "o":
        ordered = _ORDERED[predicate[1:]]
        return lambda a, b: 1 if ordered(a, b) else 0
    opposite = _ORDERED[_OPPOSITE[predicate[1:]]]
    return lambda a, b: 0 if opposite(a, b) else 1


def from_integer(kind: str, bits: int, signed: bool, nonnegative: bool = False) -> Callable[[int], float]:
    """Return the function of sitofp or uitofp."""
    convert = integer_rounder(kind)
    sign = 1 << bits >> 1
    if signed:
        return lambda a: convert((a ^ sign) - sign)
    if nonnegative:
        return lambda a: POISON if a & sign else convert(a)
    return lambda a: convert(+a)


def to_integer(bits: int, signed: bool, saturating: bool = False) -> Callable[[float], int]:
    """Return the function of fptosi or fptoui, or of their saturating intrinsics."""
    low, high = (-(1 << bits >> 1), (1 << bits >> 1) - 1) if signed else (0, (1 << bits) - 1)
    mask = (1 << bits) - 1

    def convert(a: float) -> int:
        if a != a:
            return 0 if saturating else POISON
        if a - a != 0.0:
            number = high + 1 if a > 0.0 else low - 1
        else:
            number = int(a)
        if low <= number <= high:
            return number & mask
        if not saturating:
            return POISON
        return (low if number < low else high) & mask

    return convert


def narrow(source: str, kind: str) -> Unary:
    """Return the function of fptrunc."""
    to_format = rounder(kind)
    return lambda a: to_format(a if a == a else widened(source, a))


def widen(source: str) -> Unary:
    """Return the function of fpext, which is exact."""
    return lambda a: a if a == a else widened(source, a)


def truncated(a: float) -> float:
    """Round to an integer towards zero."""
    return a if a - a != 0.0 or abs(a) >= 2.0**53 else math.copysign(float(int(a)), a)


def floored(a: float) -> float:
    """Round down to an integer."""
    return a if a - a != 0.0 or abs(a) >= 2.0**53 else math.copysign(float(math.floor(a)), a)


def ceiled(a: float) -> float:
    """Round up to an integer."""
    return a if a - a != 0.0 or abs(a) >= 2.0**53 else math.copysign(float(math.ceil(a)), a)


def rounded_even(a: float) -> float:
    """Round to the nearest integer, ties to even."""
    return a if a - a != 0.0 or abs(a) >= 2.0**53 else math.copysign(float(round(a)), a)


def rounded_away(a: float) -> float:
    """Round to the nearest integer, ties away from zero."""
    if a - a != 0.0 or abs(a) >= 2.0**53:
        return a
    whole = int(a)
    if abs(a - whole) >= 0.5:
        whole += 1 if a > 0.0 else -1
    return math.copysign(float(whole), a)


def square_root(kind: str) -> Unary:
    """Return the function of sqrt, correctly rounded; NaN for negative numbers."""
    to_format = rounder(kind)
    return lambda a: to_format(math.nan if a < 0.0 else math.sqrt(a))


def _below(a: float, b: float) -> bool:
    """Return whether a < b, where -0 is less than +0."""
    return a < b or (a == b and math.copysign(1.0, a) < math.copysign(1.0, b))


def minimum(a: float, b: float) -> float:
    """Return the minimum; NaN if either operand is NaN."""
    if a != a or b != b:
        return math.nan
    return a if _below(a, b) else b


def maximum(a: float, b: float) -> float:
    """Return the maximum; NaN if either operand is NaN."""
    if a != a or b != b:
        return math.nan
    return b if _below(a, b) else a


def minimum_number(a: float, b: float) -> float:
    """Return the minimum; of a number and a NaN, the number."""
    if a != a or b != b:
        return math.nan if a != a and b != b else (b if a != a else a)
    return a if _below(a, b) else b


def maximum_number(a: float, b: float) -> float:
    """Return the maximum; of a number and a NaN, the number."""
    if a != a or b != b:
        return math.nan if a != a and b != b else (b if a != a else a)
    return b if _below(a, b) else a
