"""Floating-point formats: rounding and bit representation.

A number of any format is a Python float that the format can represent. NaN payloads survive: those of a
double in the Python float itself, those of narrower formats, which Python would change, in a `NaN` object.
Arithmetic turns both into plain floats.
"""

import math
import struct
from array import array
from collections.abc import Callable

from .errors import UnsupportedInstruction

# format -> (bits of the significand without the hidden one, bits of the exponent)
_FIELDS = {"half": (10, 5), "bfloat": (7, 8), "float": (23, 8), "double": (52, 11)}
WIDTHS = {"half": 16, "bfloat": 16, "float": 32, "double": 64}
_PACK = {"half": struct.Struct("<e"), "float": struct.Struct("<f"), "double": struct.Struct("<d")}
_UNSIGNED = {16: struct.Struct("<H"), 32: struct.Struct("<I"), 64: struct.Struct("<Q")}


class NaN(float):
    """A NaN of a format narrower than double, with its bits."""

    __slots__ = ("bits",)
    bits: int

    def __new__(cls, bits: int) -> "NaN":
        self = super().__new__(cls, "nan")
        self.bits = bits
        return self


def sign_bit(kind: str) -> int:
    """Return the sign bit of a format."""
    return 1 << (WIDTHS[kind] - 1)


def float_of_bits(kind: str, bits: int) -> float:
    """Return the number that a bit pattern represents."""
    if kind == "bfloat":
        number = float(_PACK["float"].unpack(_UNSIGNED[32].pack(bits << 16))[0])
    else:
        number = float(_PACK[kind].unpack(_UNSIGNED[WIDTHS[kind]].pack(bits))[0])
    return number if number == number or kind == "double" else NaN(bits)


def bits_of_float(kind: str, number: float) -> int:
    """Return the bits of a number that the format can represent."""
    if number != number:
        return _nan_bits(kind, number)
    if kind == "bfloat":
        return int(_UNSIGNED[32].unpack(_PACK["float"].pack(number))[0]) >> 16
    return int(_UNSIGNED[WIDTHS[kind]].unpack(_PACK[kind].pack(number))[0])


def _nan_bits(kind: str, number: float) -> int:
    if isinstance(number, NaN):
        return number.bits
    wide = int(_UNSIGNED[64].unpack(_PACK["double"].pack(number))[0])
    if kind == "double":
        return wide
    significand, exponent = _FIELDS[kind]
    quiet = 1 << (significand - 1)
    payload = (wide & ((1 << 52) - 1)) >> (52 - significand)
    return (wide >> 63) << (significand + exponent) | ((1 << exponent) - 1) << significand | payload | quiet


def widened(kind: str, number: float) -> float:
    """Convert a number of format `kind` to double; a NaN becomes quiet and keeps sign and payload."""
    if not isinstance(number, NaN):
        return number
    significand, exponent = _FIELDS[kind]
    sign = number.bits >> (significand + exponent)
    payload = (number.bits & ((1 << significand) - 1)) << (52 - significand)
    return float_of_bits("double", sign << 63 | 0x7FF << 52 | 1 << 51 | payload)


def rounder(kind: str) -> Callable[[float], float]:
    """Return a function that rounds a double to the nearest number of a format, ties to even.

    The function for `float` uses a cell of its own, so threads must not share it.
    """
    if kind == "double":
        return float
    if kind == "float":
        # An array cell converts as C does, including overflow to infinity, and faster than struct.
        cell = array("f", [0.0])

        def round_float(number: float) -> float:
            cell[0] = number
            return cell[0]

        return round_float
    if kind == "half":
        return _round_half
    if kind == "bfloat":
        return _round_bfloat
    raise UnsupportedInstruction(f"arithmetic in {kind} is not supported")


def _round_half(number: float) -> float:
    pack = _PACK["half"]
    try:
        return float(pack.unpack(pack.pack(number))[0])
    except OverflowError:
        return math.copysign(math.inf, number)


def _round_bfloat(number: float) -> float:
    if number - number != 0.0 or number == 0.0:
        return number
    if abs(number) >= 2.0**128:
        return math.copysign(math.inf, number)
    _, exponent = math.frexp(number)
    quantum = max(exponent - 8, -133)
    rounded = math.ldexp(float(round(math.ldexp(number, -quantum))), quantum)
    if abs(rounded) >= 2.0**128:
        return math.copysign(math.inf, number)
    return math.copysign(rounded, number)


def integer_rounder(kind: str) -> Callable[[int], float]:
    """Return a function that rounds an integer of any size to the nearest number of a format, once."""
    to_format = rounder(kind)

    def convert(number: int) -> float:
        if -(1 << 53) <= number <= 1 << 53:
            return to_format(float(number))
        # Rounding to odd first makes the second rounding correct (Boldo and Melquiond, 2008).
        shift = number.bit_length() - 53
        magnitude = abs(number)
        if kind == "double":
            return float(number)
        odd = magnitude >> shift | (magnitude & ((1 << shift) - 1) != 0)
        return to_format(math.ldexp(float(odd if number > 0 else -odd), shift))

    return convert
