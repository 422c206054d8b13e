"""Integer functions against Python's unbounded integers, for every type and several widths."""

import numpy as np
import pytest
from builtin_harness import INTEGERS, NUMPY, Case, compile_cases
from builtin_values import bits, integers, limits

COUNT = 192


def unsigned(element: str) -> str:
    return element if element.startswith("u") else f"u{element}"


def wrap(value: int, element: str) -> int:
    low, _ = limits(element)
    return (value - low) % 2 ** bits(element) + low


def saturate(value: int, element: str) -> int:
    low, high = limits(element)
    return max(low, min(high, value))


def pattern(value: int, element: str) -> int:
    return value % 2 ** bits(element)


def rotate(x: int, y: int, e: str) -> int:
    size, shift = bits(e), y % bits(e)
    value = pattern(x, e)
    return wrap(value << shift | value >> (size - shift), e)


def trailing_zeros(x: int, e: str) -> int:
    value = pattern(x, e)
    return (value & -value).bit_length() - 1 if value else bits(e)


REFERENCES = {
    "abs(a)": lambda e, x: abs(x),
    "abs_diff(a, b)": lambda e, x, y: abs(x - y),
    "add_sat(a, b)": lambda e, x, y: saturate(x + y, e),
    "sub_sat(a, b)": lambda e, x, y: saturate(x - y, e),
    "hadd(a, b)": lambda e, x, y: (x + y) >> 1,
    "rhadd(a, b)": lambda e, x, y: (x + y + 1) >> 1,
    "max(a, b)": lambda e, x, y: max(x, y),
    "min(a, b)": lambda e, x, y: min(x, y),
    "clamp(a, min(b, c), max(b, c))": lambda e, x, y, z: min(max(x, min(y, z)), max(y, z)),
    "clz(a)": lambda e, x: bits(e) - pattern(x, e).bit_length(),
    "ctz(a)": lambda e, x: trailing_zeros(x, e),
    "popcount(a)": lambda e, x: pattern(x, e).bit_count(),
    "rotate(a, b)": lambda e, x, y: rotate(x, y, e),
    "mul_hi(a, b)": lambda e, x, y: x * y >> bits(e),
    "mad_hi(a, b, c)": lambda e, x, y, z: wrap((x * y >> bits(e)) + z, e),
    "mad_sat(a, b, c)": lambda e, x, y, z: saturate(x * y + z, e),
}


def cases_of(element: str) -> list[tuple[Case, object]]:
    found = []
    for expression, reference in REFERENCES.items():
        result = unsigned(element) if expression.startswith("abs") else element
        parameters = (element,) * (1 + (" b" in expression or ", c" in expression) + ("c)" in expression))
        for width in (1, 3, 4, 16):
            found.append((Case(expression, result, parameters, width), reference))
    return found


@pytest.mark.parametrize("element", INTEGERS)
def test_integer_functions_are_exact(element: str) -> None:
    cases = cases_of(element)
    run = compile_cases([case for case, _ in cases])
    values = [integers(element, COUNT, seed) for seed in (1, 2, 3)]
    for case, reference in cases:
        given = values[: len(case.parameters)]
        got = run(case, *given)
        expected = [reference(element, *map(int, row)) for row in zip(*given, strict=False)][: len(got)]
        assert got.tolist() == expected, case


@pytest.mark.parametrize("element", INTEGERS)
def test_a_scalar_bound_serves_all_lanes(element: str) -> None:
    cases = [Case(f"{name}(a, b)", element, (element, f"{element}1"), 4) for name in ("min", "max")]
    run = compile_cases(cases)
    x, y = integers(element, 64, 1), integers(element, 16, 2)
    for case, reference in zip(cases, (np.minimum, np.maximum), strict=True):
        assert np.array_equal(run(case, x, y), reference(x, np.repeat(y, 4)))


@pytest.mark.parametrize("element", ["char", "uchar", "short", "ushort", "int", "uint"])
def test_upsample_joins_two_halves(element: str) -> None:
    wide = {"char": "short", "short": "int", "int": "long"}[element.lstrip("u")]
    wide = f"u{wide}" if element.startswith("u") else wide
    cases = [Case("upsample(a, b)", wide, (element, unsigned(element)), width) for width in (1, 2, 3, 8)]
    run = compile_cases(cases)
    x, y = integers(element, 96, 1), integers(unsigned(element), 96, 2)
    expected = [(int(a) << bits(element)) | int(b) for a, b in zip(x, y, strict=False)]
    for case in cases:
        assert run(case, x, y).tolist() == expected


@pytest.mark.parametrize("element", ["int", "uint"])
def test_products_of_24_bits(element: str) -> None:
    cases = [
        Case("mul24(a, b)", element, (element,) * 2, 4),
        Case("mad24(a, b, c)", element, (element,) * 3, 1),
    ]
    run = compile_cases(cases)
    low, high = (-(2**23), 2**23) if element == "int" else (0, 2**24)
    random = np.random.default_rng(5)
    x, y = (random.integers(low, high, 64).astype(NUMPY[element]) for _ in range(2))
    z = integers(element, 64, 3)
    assert run(cases[0], x, y).tolist() == [
        wrap(int(a) * int(b), element) for a, b in zip(x, y, strict=False)
    ]
    assert run(cases[1], x, y, z).tolist() == [
        wrap(int(a) * int(b) + int(c), element) for a, b, c in zip(x, y, z, strict=False)
    ]
