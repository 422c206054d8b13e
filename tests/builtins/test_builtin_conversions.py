"""Conversions between all types, with all rounding modes and saturation, against exact arithmetic."""

import math
from fractions import Fraction

import numpy as np
import pytest
from builtin_harness import INTEGERS, NUMPY, Case, compile_cases
from builtin_values import arguments, limits, same

COUNT = 240
WIDTHS = (1, 2, 3, 4, 8, 16)
LIMITED = (("float", "int"), ("double", "long"), ("long", "float"), ("double", "float"))


def round_to_integer(x: float, rounding: str) -> int:
    return {"_rte": round, "_rtz": math.trunc, "_rtp": math.ceil, "_rtn": math.floor, "": math.trunc}[
        rounding
    ](x)


def round_to_float(x: int | float, element: str, rounding: str) -> np.floating:
    """The float of type `element` nearest to x in the direction asked for."""
    kind = NUMPY[element]
    with np.errstate(over="ignore"):
        nearest = kind(x)
    if not np.isfinite(x) or rounding in ("", "_rte"):
        return nearest
    exact = Fraction(x)
    above = nearest == np.inf or (np.isfinite(nearest) and Fraction(float(nearest)) > exact)
    below = nearest == -np.inf or (np.isfinite(nearest) and Fraction(float(nearest)) < exact)
    down = rounding == "_rtn" or (rounding == "_rtz" and exact > 0)
    if above and down:
        return np.nextafter(nearest, kind(-np.inf))
    if below and not down:
        return np.nextafter(nearest, kind(np.inf))
    return nearest


def convert(x: int | float, to: str, saturate: bool, rounding: str) -> object:
    """The converted value; None where the result is left to the implementation."""
    if to not in INTEGERS:
        return round_to_float(x, to, rounding)
    low, high = limits(to)
    if isinstance(x, float):
        if not math.isfinite(x):
            clamped = 0 if math.isnan(x) else high if x > 0 else low
            return clamped if saturate else None
        x = round_to_integer(x, rounding)
        if not low <= x <= high:
            return max(low, min(high, x)) if saturate else None
        return x
    if saturate:
        return max(low, min(high, x))
    return (x - low) % (high - low + 1) + low


def forms(to: str) -> list[tuple[bool, str]]:
    saturations = (False, True) if to in INTEGERS else (False,)
    return [(saturate, mode) for saturate in saturations for mode in ("", "_rte", "_rtz", "_rtp", "_rtn")]


@pytest.mark.parametrize("source", NUMPY)
def test_conversions_are_exact(source: str) -> None:
    cases = []
    for to in NUMPY:
        for saturate, mode in forms(to):
            # Every form gets one width; over all sources and forms every width is taken many times.
            width = WIDTHS[(len(cases) + list(NUMPY).index(source)) % len(WIDTHS)]
            name = f"convert_{to}{width if width > 1 else ''}{'_sat' if saturate else ''}{mode}"
            cases.append((Case(f"{name}(a)", to, (source,), width), to, saturate, mode))
    run = compile_cases([case for case, *_ in cases])
    values = arguments(source, COUNT, 11)
    for case, to, saturate, mode in cases:
        got = run(case, values)
        expected = [convert(x.item(), to, saturate, mode) for x in values]
        decided = np.array([value is not None for value in expected])
        expected = np.array([0 if value is None else value for value in expected], NUMPY[to])
        wrong = decided & ~same(got, expected)
        assert not wrong.any(), (case, values[wrong][:5], got[wrong][:5], expected[wrong][:5])


@pytest.mark.parametrize("source,to", LIMITED)
def test_values_near_the_limits_of_a_conversion(source: str, to: str) -> None:
    cases = [
        (Case(f"convert_{to}4{'_sat' if sat else ''}{mode}(a)", to, (source,), 4), sat, mode)
        for sat, mode in forms(to)
    ]
    run = compile_cases([case for case, *_ in cases])
    if source in INTEGERS:
        values = np.array(
            [v + d for v in (2**24, 2**53, 2**62, -(2**24), 2**63 - 99) for d in range(-8, 8)], np.int64
        )
    else:
        edge = 2.0 ** (31 if to == "int" else 63 if to == "long" else 127)
        values = np.array(
            [edge, -edge, edge * 2, 0.5, 1.5, 2.5, -0.5, -1.5, 1e-46, -1e-46, 1e-40], NUMPY[source]
        )
        with np.errstate(over="ignore"):
            values = np.concatenate(
                [values, np.nextafter(values, NUMPY[source](0)), np.nextafter(values, values * 2)]
            )
        values = np.concatenate([values, values[:3]])
    for case, saturate, mode in cases:
        got = run(case, values)
        for x, y in zip(values, got, strict=True):
            expected = convert(x.item(), to, saturate, mode)
            assert expected is None or same(np.array([y]), np.array([expected], y.dtype))[0], (
                case,
                x,
                y,
                expected,
            )
