"""Functions on a number's parts, exact remainders, and half in memory."""

import math
from fractions import Fraction

import numpy as np
import pytest
from builtin_harness import NUMPY, Case, compile_cases
from builtin_values import floats, same

FLOATS = ("float", "double", "half")
COUNT = 480


def _remainder(x: float, y: float) -> float:
    try:
        return math.remainder(x, y)
    except ValueError:
        return math.nan


def _check(got: np.ndarray, expected: np.ndarray, *given: np.ndarray) -> None:
    agree = same(got, expected.astype(got.dtype))
    assert agree.all(), ([values[~agree][:4] for values in given], got[~agree][:4], expected[~agree][:4])


@pytest.mark.parametrize("element", FLOATS)
@pytest.mark.parametrize("width", (1, 3, 4))
def test_exponents_and_neighbours(element: str, width: int) -> None:
    vector = f"{element}{width}" if width > 1 else element
    integers = f"int{width}" if width > 1 else "int"
    cases = [
        Case("ldexp(a, b)", element, (element, "int"), width),
        Case("ilogb(a)", "int", (element,), width),
        Case("logb(a)", element, (element,), width),
        Case("nextafter(a, b)", element, (element, element), width),
        Case(f"({{ {integers} e; frexp(a, &e); }})", element, (element,), width),
        Case(f"({{ {integers} e; frexp(a, &e); e; }})", "int", (element,), width),
        Case(f"({{ {vector} w; modf(a, &w); }})", element, (element,), width),
        Case(f"({{ {vector} w; modf(a, &w); w; }})", element, (element,), width),
        Case(f"({{ {vector} w; fract(a, &w); }})", element, (element,), width),
        Case(f"({{ {vector} w; fract(a, &w); w; }})", element, (element,), width),
    ]
    run = compile_cases(cases)
    x, y = floats(element, COUNT, 1), floats(element, COUNT, 2)
    limit = {"half": 60, "float": 300, "double": 2200}[element]
    n = np.random.default_rng(3).integers(-limit, limit, COUNT).astype(np.int32)
    n[:4] = [2147483647, -2147483648, 0, 1]
    ordinary = np.isfinite(x) & (x != 0)
    with np.errstate(all="ignore"):
        _check(run(cases[0], x, n), np.ldexp(x, n), x, n)
        exponent = np.frexp(x)[1] - 1
        special = np.where(x == 0, np.iinfo(np.int32).min, np.iinfo(np.int32).max)
        _check(run(cases[1], x), np.where(ordinary, exponent, special), x)
        _check(run(cases[2], x), np.where(ordinary, exponent, np.where(x == 0, -np.inf, x * x)), x)
        _check(run(cases[3], x, y), np.nextafter(x, y), x, y)
        _check(run(cases[4], x), np.frexp(x)[0], x)
        _check(run(cases[5], x), np.where(ordinary, np.frexp(x)[1], 0), x)
        _check(run(cases[6], x), np.modf(x)[0], x)
        _check(run(cases[7], x), np.modf(x)[1], x)
        largest = np.nextafter(NUMPY[element](1), NUMPY[element](0))
        fraction = np.where(np.isinf(x), 0, np.minimum(x - np.floor(x), largest))
        _check(run(cases[8], x), np.where(x == 0, x, fraction), x)
        _check(run(cases[9], x), np.floor(x), x)


@pytest.mark.parametrize("element", FLOATS)
def test_subnormal_results_of_ldexp_are_rounded_once(element: str) -> None:
    case = Case("ldexp(a, b)", element, (element, "int"), 4)
    info = np.finfo(NUMPY[element])
    above = np.nextafter(NUMPY[element](1), NUMPY[element](2))
    least = info.smallest_subnormal
    # Next to the middle between zero and the smallest number, which the nearest even number decides.
    x = np.array([above, -above, 1, -1, 3, above, above, above], NUMPY[element])
    n = np.full(8, int(np.log2(float(least))) - 1, np.int32)
    n[5:] = [n[0] - 1, n[0] + 1, n[0] + 2]
    expected = np.array([least, -least, 0.0, -0.0, 2 * least, 0, least, 2 * least], NUMPY[element])
    _check(compile_cases([case])(case, x, n), expected, x, n)


@pytest.mark.parametrize("element", FLOATS)
@pytest.mark.parametrize("width", (1, 4))
def test_remainders_are_exact(element: str, width: int) -> None:
    integers = f"int{width}" if width > 1 else "int"
    cases = [
        Case("fmod(a, b)", element, (element, element), width),
        Case("remainder(a, b)", element, (element, element), width),
        Case(f"({{ {integers} q; remquo(a, b, &q); }})", element, (element, element), width),
        Case(f"({{ {integers} q; remquo(a, b, &q); q; }})", "int", (element, element), width),
    ]
    run = compile_cases(cases)
    x, y = floats(element, COUNT, 1), floats(element, COUNT, 2)
    with np.errstate(all="ignore"):
        x[:40] = y[:40] * np.arange(40, dtype=NUMPY[element]) * NUMPY[element](0.5)
        _check(run(cases[0], x, y), np.fmod(x, y), x, y)
    expected = np.array([_remainder(float(a), float(b)) for a, b in zip(x, y, strict=True)])
    _check(run(cases[1], x, y), expected, x, y)
    _check(run(cases[2], x, y), expected, x, y)
    quotients = run(cases[3], x, y)
    for a, b, quotient in zip(x, y, quotients, strict=True):
        if np.isfinite(a) and np.isfinite(b) and b != 0:
            exact = round(Fraction(float(a)) / Fraction(float(b)))
            assert quotient == (abs(exact) % 128) * (1 if exact >= 0 else -1), (a, b)


@pytest.mark.parametrize("width", (1, 2, 3, 4, 16))
def test_every_half_is_loaded_as_it_is(width: int) -> None:
    suffix = str(width) if width > 1 else ""
    # The bits are stored and read back through a pointer to half.
    lanes = "".join(f"m[{i}] = a{f'.s{i:x}' if width > 1 else ''}; " for i in range(width))
    load = f"({{ ushort m[16]; {lanes}vload_half{suffix}(0, (half *)m); }})"
    case = Case(load, "float", ("ushort",), width)
    bits = np.arange(65520 // 48 * 48, dtype=np.uint16)
    _check(compile_cases([case])(case, bits), bits.view(np.float16).astype(np.float32), bits)


def _half(x: np.floating, mode: str) -> np.float16:
    with np.errstate(over="ignore", invalid="ignore"):
        nearest = np.float16(x)
    if np.isnan(x) or np.isinf(x) or mode in ("", "_rte"):
        return nearest
    value = float(nearest)
    above, below = value > float(x), value < float(x)
    down = mode == "_rtn" or (mode == "_rtz" and x > 0)
    if above and down:
        return np.nextafter(nearest, np.float16(-np.inf))
    if below and not down:
        return np.nextafter(nearest, np.float16(np.inf))
    return nearest


@pytest.mark.parametrize("element", ("float", "double"))
@pytest.mark.parametrize("width", (1, 3, 8))
def test_stores_as_half_round_as_asked(element: str, width: int) -> None:
    suffix = str(width) if width > 1 else ""
    modes = ("", "_rte", "_rtz", "_rtp", "_rtn")
    spelled = "m[0]" if width == 1 else f"(ushort{width})({', '.join(f'm[{i}]' for i in range(width))})"
    cases = [
        Case(
            f"({{ ushort m[16]; vstore_half{suffix}{mode}(a, 0, (half *)m); {spelled}; }})",
            "ushort",
            (element,),
            width,
        )
        for mode in modes
    ]
    run = compile_cases(cases)
    random = np.random.default_rng(4)
    with np.errstate(over="ignore", invalid="ignore"):
        ordinary = random.normal(size=240) * 10.0 ** random.integers(-9, 5, 240)
        x = np.concatenate([floats(element, 240, 1), ordinary]).astype(NUMPY[element])
    for case, mode in zip(cases, modes, strict=True):
        _check(run(case, x).view(np.float16), np.array([_half(v, mode) for v in x], np.float16), x)
