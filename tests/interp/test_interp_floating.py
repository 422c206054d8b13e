"""Rounding, fused operations and NaNs, against exact arithmetic."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from weft.interp import POISON, floating, formats

NUMPY = {"half": np.float16, "float": np.float32, "double": np.float64}


def floats(kind: str) -> st.SearchStrategy[float]:
    return st.floats(
        width={"half": 16, "float": 32, "double": 64}[kind], allow_nan=False, allow_infinity=False
    )


def nearest(kind: str, exact: Fraction) -> float:
    """The number of a format nearest to an exact one, ties to even, by search among its neighbours."""
    to_format = NUMPY[kind]
    with np.errstate(over="ignore"):
        middle = to_format(float(min(max(exact, -(Fraction(10) ** 300)), Fraction(10) ** 300)))
        candidates = [np.nextafter(middle, to_format(d)) for d in (-np.inf, np.inf)] + [middle]
    infinity = Fraction(2) ** {"half": 16, "float": 128, "double": 1024}[kind]

    def distance(candidate: np.floating) -> tuple[Fraction, int]:
        value = infinity * (1 if candidate > 0 else -1) if np.isinf(candidate) else Fraction(float(candidate))
        return abs(value - exact), int(candidate.view(f"u{candidate.itemsize}")) & 1

    return float(min(candidates, key=distance))


@pytest.mark.parametrize("kind", ["half", "float"])
@given(data=st.data())
@settings(max_examples=300, deadline=None)
def test_fused_multiply_add_rounds_once(kind: str, data: st.DataObject) -> None:
    a, b, c = (data.draw(floats(kind)) for _ in range(3))
    exact = Fraction(a) * Fraction(b) + Fraction(c)
    if exact:
        assert floating.fused(kind)(a, b, c) == nearest(kind, exact)


@given(floats("double"), floats("double"), floats("double"))
@settings(max_examples=300, deadline=None)
def test_fused_multiply_add_of_doubles_rounds_once(a: float, b: float, c: float) -> None:
    exact = Fraction(a) * Fraction(b) + Fraction(c)
    try:
        expected = exact.numerator / exact.denominator
    except OverflowError:
        expected = math.inf if exact > 0 else -math.inf
    assert floating.fused("double")(a, b, c) == expected


@pytest.mark.parametrize("kind", ["half", "float", "double"])
@given(number=st.integers(-(2**127), 2**127))
@settings(max_examples=300, deadline=None)
def test_integers_round_once(kind: str, number: int) -> None:
    if number:
        assert formats.integer_rounder(kind)(number) == nearest(kind, Fraction(number))


@given(st.floats(allow_nan=False))
@settings(max_examples=500, deadline=None)
def test_rounding_to_bfloat(number: float) -> None:
    rounded = formats.rounder("bfloat")(number)
    if math.isinf(number):
        assert rounded == number
        return
    bits = formats.bits_of_float("bfloat", rounded)
    assert formats.float_of_bits("bfloat", bits) == rounded
    error = abs(Fraction(number) - Fraction(rounded)) if math.isfinite(rounded) else None
    for neighbour in (bits - 1, bits + 1):
        if 0 <= neighbour < 1 << 16 and error is not None:
            other = formats.float_of_bits("bfloat", neighbour)
            if math.isfinite(other):
                assert error <= abs(Fraction(number) - Fraction(other))


@pytest.mark.parametrize("kind", ["half", "bfloat"])
def test_every_pattern_of_a_short_format_survives(kind: str) -> None:
    for bits in range(1 << 16):
        assert formats.bits_of_float(kind, formats.float_of_bits(kind, bits)) == bits


@pytest.mark.parametrize(
    ("kind", "bits"),
    [
        ("float", 0x7F800001),
        ("float", 0xFFC12345),
        ("double", 0x7FF0000000000001),
        ("double", 0xFFF8DEADBEEF0000),
    ],
)
def test_signaling_and_quiet_nans_keep_their_bits(kind: str, bits: int) -> None:
    number = formats.float_of_bits(kind, bits)
    sign = formats.sign_bit(kind)
    assert formats.bits_of_float(kind, number) == bits
    assert formats.bits_of_float(kind, floating.negate(kind)(number)) == bits ^ sign
    assert formats.bits_of_float(kind, floating.absolute(kind)(number)) == bits & ~sign


def test_widening_a_signaling_nan_makes_it_quiet() -> None:
    wide = floating.widen("float")(formats.float_of_bits("float", 0xFF800001))
    assert formats.bits_of_float("double", wide) == 0xFFF8000020000000
    back = floating.narrow("double", "float")(wide)
    assert formats.bits_of_float("float", back) == 0xFFC00001


def test_conversion_of_what_does_not_fit_is_poison_or_saturates() -> None:
    assert floating.to_integer(8, signed=True)(127.9) == 127
    assert floating.to_integer(8, signed=True)(128.0) is POISON
    assert floating.to_integer(8, signed=False)(-0.9) == 0
    assert floating.to_integer(8, signed=False)(-1.0) is POISON
    assert floating.to_integer(32, signed=True)(math.nan) is POISON
    assert floating.to_integer(8, signed=True, saturating=True)(-1e30) == 0x80
    assert floating.to_integer(8, signed=False, saturating=True)(math.inf) == 0xFF
