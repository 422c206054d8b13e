"""Zeros, infinities, NaN and subnormal numbers through the mathematical functions, as C and OpenCL ask."""

import itertools
import math

import numpy as np
import pytest
from builtin_harness import NUMPY, Case, compile_cases
from builtin_values import same

FLOATS = ("float", "double", "half")
# Processors whose forms differ: without fused arithmetic, with it, and with tables in registers.
PROCESSORS = ("x86-64", "x86-64-v3", "x86-64-v4")
INF, NAN = math.inf, math.nan
NEAR = {"float": 1e-6, "double": 1e-6, "half": 1e-3}

# Function: pairs of argument and result; of each odd function the negative arguments follow.
ODD = {
    "sin": [(0.0, 0.0), (INF, NAN)],
    "tan": [(0.0, 0.0), (INF, NAN)],
    "asin": [(0.0, 0.0), (1.5, NAN), (INF, NAN)],
    "atan": [(0.0, 0.0), (INF, math.pi / 2)],
    "sinh": [(0.0, 0.0), (INF, INF), (5000.0, INF)],
    "tanh": [(0.0, 0.0), (INF, 1.0), (50.0, 1.0)],
    "asinh": [(0.0, 0.0), (INF, INF)],
    "atanh": [(0.0, 0.0), (1.0, INF), (1.5, NAN), (INF, NAN)],
    "erf": [(0.0, 0.0), (INF, 1.0), (40.0, 1.0)],
    "cbrt": [(0.0, 0.0), (INF, INF), (27.0, 3.0), (1000.0, 10.0)],
    "sinpi": [(0.0, 0.0), (1.0, 0.0), (2.0, 0.0), (0.5, 1.0), (1.5, -1.0), (INF, NAN)],
    "tanpi": [(0.0, 0.0), (1.0, -0.0), (2.0, 0.0), (0.5, INF), (1.5, -INF), (0.25, 1.0), (INF, NAN)],
    "asinpi": [(0.0, 0.0), (1.0, 0.5), (2.0, NAN)],
    "atanpi": [(0.0, 0.0), (1.0, 0.25), (INF, 0.5)],
}
OTHER = {
    "cos": [(0.0, 1.0), (-0.0, 1.0), (INF, NAN), (-INF, NAN)],
    "cospi": [(0.0, 1.0), (0.5, 0.0), (1.5, 0.0), (1.0, -1.0), (-1.0, -1.0), (INF, NAN)],
    "acos": [(1.0, 0.0), (1.5, NAN), (-1.5, NAN), (-1.0, math.pi), (0.0, math.pi / 2)],
    "acospi": [(1.0, 0.0), (-1.0, 1.0), (0.0, 0.5), (2.0, NAN)],
    "exp": [(0.0, 1.0), (-0.0, 1.0), (INF, INF), (-INF, 0.0), (5000.0, INF), (-5000.0, 0.0)],
    "exp2": [(0.0, 1.0), (3.0, 8.0), (-1.0, 0.5), (INF, INF), (-INF, 0.0), (5000.0, INF), (-5000.0, 0.0)],
    "exp10": [(0.0, 1.0), (1.0, 10.0), (INF, INF), (-INF, 0.0), (5000.0, INF), (-5000.0, 0.0)],
    "expm1": [(0.0, 0.0), (-0.0, -0.0), (INF, INF), (-INF, -1.0), (5000.0, INF), (-5000.0, -1.0)],
    "log": [(1.0, 0.0), (0.0, -INF), (-0.0, -INF), (INF, INF), (-1.0, NAN), (-INF, NAN)],
    "log2": [(1.0, 0.0), (8.0, 3.0), (0.25, -2.0), (0.0, -INF), (-0.0, -INF), (INF, INF), (-1.0, NAN)],
    "log10": [(1.0, 0.0), (1000.0, 3.0), (0.0, -INF), (-0.0, -INF), (INF, INF), (-1.0, NAN)],
    "log1p": [(0.0, 0.0), (-0.0, -0.0), (-1.0, -INF), (INF, INF), (-2.0, NAN), (-INF, NAN)],
    "cosh": [(0.0, 1.0), (-0.0, 1.0), (INF, INF), (-INF, INF), (5000.0, INF)],
    "acosh": [(1.0, 0.0), (INF, INF), (0.5, NAN), (-5.0, NAN), (-INF, NAN)],
    "erfc": [(0.0, 1.0), (INF, 0.0), (-INF, 2.0), (50.0, 0.0), (-50.0, 2.0)],
    "tgamma": [
        (0.0, INF),
        (-0.0, -INF),
        (1.0, 1.0),
        (5.0, 24.0),
        (INF, INF),
        (-INF, NAN),
        (-3.0, NAN),
        (500.0, INF),
    ],
    "lgamma": [(0.0, INF), (1.0, 0.0), (2.0, 0.0), (INF, INF), (-INF, INF), (-3.0, INF)],
    "sqrt": [(0.0, 0.0), (-0.0, -0.0), (4.0, 2.0), (INF, INF), (-1.0, NAN)],
    "rsqrt": [(4.0, 0.5), (INF, 0.0), (0.0, INF), (-1.0, NAN)],
}


@pytest.mark.parametrize("cpu", PROCESSORS)
@pytest.mark.parametrize("element", FLOATS)
def test_special_arguments(element: str, cpu: str) -> None:
    table = {name: [*pairs, *((-x, -y) for x, y in pairs)] for name, pairs in ODD.items()} | OTHER
    cases = {
        (name, width): Case(f"{name}(a)", element, (element,), width) for name in table for width in (1, 4)
    }
    run = compile_cases(list(cases.values()), cpu=cpu)
    for (name, width), case in cases.items():
        pairs = [*table[name], (NAN, NAN)]
        # One lane of the special value among ordinary ones: lanes must not disturb each other.
        given = np.array([[x, *(0.5,) * (width - 1)] for x, _ in pairs], NUMPY[element])
        got = run(case, given.reshape(-1)).reshape(-1, width)[:, 0]
        expected = np.array([y for _, y in pairs], NUMPY[element])
        agree = same(got, expected) | (
            np.isfinite(expected) & (expected != 0) & np.isclose(got, expected, NEAR[element])
        )
        assert agree.all(), (case, given[~agree][:, 0], got[~agree], expected[~agree])


def _power(x: float, y: float) -> float:
    """C's pow, which Python's becomes where it raises."""
    try:
        return math.pow(x, y)
    except (ValueError, OverflowError):
        odd = math.isfinite(y) and y % 2 == 1
        return NAN if x < 0 and y % 1 else -INF if odd and math.copysign(1, x) < 0 else INF


def _power_of_positive(x: float, y: float) -> float:
    """OpenCL's powr: as exp(y * log(x))."""
    if math.isnan(x) or math.isnan(y) or x < 0:
        return NAN
    if (x in (0, INF) and y == 0) or (x == 1 and math.isinf(y)):
        return NAN
    return _power(abs(x), y)


SPECIAL = [0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 2.0, -2.0, 3.0, -3.0, 2.5, -2.5, 1e30, -1e30, INF, -INF, NAN]


@pytest.mark.parametrize("cpu", PROCESSORS)
@pytest.mark.parametrize("element", FLOATS)
@pytest.mark.parametrize("name,reference", [("pow", _power), ("powr", _power_of_positive)])
def test_powers_of_special_numbers(element: str, name: str, reference: object, cpu: str) -> None:
    cases = [Case(f"{name}(a, b)", element, (element, element), width) for width in (1, 4)]
    run = compile_cases(cases, cpu=cpu)
    with np.errstate(over="ignore"):
        special = [float(NUMPY[element](value)) for value in SPECIAL]
        pairs = list(itertools.product(special, special))
        pairs = pairs[: len(pairs) // 4 * 4]
        x, y = (np.array(column, NUMPY[element]) for column in zip(*pairs, strict=True))
        expected = np.array([reference(a, b) for a, b in pairs]).astype(NUMPY[element])
    for case in cases:
        got = run(case, x, y)
        agree = same(got, expected) | (
            np.isfinite(expected) & (expected != 0) & np.isclose(got, expected, 10 * NEAR[element])
        )
        assert agree.all(), (case, x[~agree], y[~agree], got[~agree], expected[~agree])


@pytest.mark.parametrize("cpu", PROCESSORS)
@pytest.mark.parametrize("element", FLOATS)
def test_integer_powers_and_roots_of_special_numbers(element: str, cpu: str) -> None:
    cases = [Case(f"{name}(a, b)", element, (element, "int"), 4) for name in ("pown", "rootn")]
    run = compile_cases(cases, cpu=cpu)
    rows = [
        # x, n, x^n, nth root of x
        (NAN, 0, 1.0, NAN),
        (5.0, 0, 1.0, NAN),
        (0.0, 3, 0.0, 0.0),
        (-0.0, 3, -0.0, -0.0),
        (-0.0, 2, 0.0, 0.0),
        (-0.0, -3, -INF, -INF),
        (-0.0, -2, INF, INF),
        (-8.0, 3, -512.0, -2.0),
        (-4.0, 2, 16.0, NAN),
        (INF, 2, INF, INF),
        (-INF, 3, -INF, -INF),
        (INF, -1, 0.0, 0.0),
        (2.0, -1, 0.5, 0.5),
        (NAN, 1, NAN, NAN),
        (1.0, 2147483647, 1.0, 1.0),
        (-1.0, -2147483648, 1.0, NAN),
    ]
    x = np.array([row[0] for row in rows], NUMPY[element])
    n = np.array([row[1] for row in rows], np.int32)
    for case, column in zip(cases, (2, 3), strict=True):
        expected = np.array([row[column] for row in rows], NUMPY[element])
        got = run(case, x, n)
        agree = same(got, expected) | np.isclose(got, expected, NEAR[element])
        assert agree.all(), (case, x[~agree], n[~agree], got[~agree], expected[~agree])


@pytest.mark.parametrize("element", FLOATS)
def test_the_angle_of_special_points(element: str) -> None:
    case = Case("atan2(a, b)", element, (element, element), 4)
    run = compile_cases([case])
    special = [0.0, -0.0, 1.0, -1.0, INF, -INF, NAN, 1e-40]
    pairs = list(itertools.product(special, special))
    y, x = (np.array(column, NUMPY[element]) for column in zip(*pairs, strict=True))
    expected = np.arctan2(y.astype(float), x.astype(float)).astype(NUMPY[element])
    got = run(case, y, x)
    agree = same(got, expected) | np.isclose(got, expected, NEAR[element], 0)
    assert agree.all(), (y[~agree], x[~agree], got[~agree], expected[~agree])


@pytest.mark.parametrize("element", FLOATS)
def test_subnormal_numbers_are_not_lost(element: str) -> None:
    names = ("sin", "tan", "asin", "atan", "sinh", "tanh", "asinh", "atanh", "expm1", "log1p")
    cases = {name: Case(f"{name}(a)", element, (element,), 4) for name in names}
    scaled = Case(f"exp2(log2(a) + ({element})0.25f)", element, (element,), 4)
    run = compile_cases([*cases.values(), scaled])
    tiny = np.finfo(NUMPY[element]).smallest_subnormal * np.arange(1, 9, dtype=NUMPY[element])
    for name, case in cases.items():
        assert np.array_equal(run(case, tiny), tiny), name
    assert np.allclose(run(scaled, tiny) / tiny[0], np.arange(1, 9) * 2**0.25, atol=0.51)


@pytest.mark.parametrize("element", FLOATS)
def test_lengths_of_special_legs(element: str) -> None:
    case = Case("hypot(a, b)", element, (element, element), 4)
    x = np.array([INF, NAN, -INF, 0.0, 3.0, NAN, 0.0, np.finfo(NUMPY[element]).max], NUMPY[element])
    y = np.array([NAN, INF, 1.0, -0.0, 4.0, 1.0, 5.0, 0.0], NUMPY[element])
    expected = np.array([INF, INF, INF, 0.0, 5.0, NAN, 5.0, x[-1]], NUMPY[element])
    assert same(compile_cases([case])(case, x, y), expected).all()
