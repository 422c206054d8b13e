"""Mathematical functions of half: of every number there is, against the same functions of double."""

from fractions import Fraction

import numpy as np
import pytest
from builtin_functions import ONE_ARGUMENT, TWO_ARGUMENTS
from builtin_harness import Case, Compiled, compile_cases
from builtin_ulp import half_errors
from builtin_values import same

from weft.target import x86

WIDTHS = (1, 3, 8, 16)
# Whole vectors of every width; what is left over is repeated.
EVERY = np.concatenate([np.arange(2**16), np.arange(32)]).astype(np.uint16).view(np.float16)
# Computed in float and rounded once more: a little more than half a unit, where the specification allows two.
LIMIT = 0.51
PAIRS = (*TWO_ARGUMENTS, "fmod", "remainder", "fdim", "nextafter", "maxmag", "minmag")
EXACTLY = ("fmod", "remainder", "nextafter", "maxmag", "minmag")


def _case(name: str, element: str, parameters: int, width: int) -> Case:
    return Case(f"{name}({', '.join('ab'[:parameters])})", element, (element,) * parameters, width)


@pytest.fixture(scope="module")
def compiled() -> Compiled:
    """All functions of half and of double."""
    cases = [_case(name, "half", 1, width) for name in ONE_ARGUMENT for width in WIDTHS]
    cases += [_case(name, "half", 2, width) for name in PAIRS for width in (1, 16)]
    cases += [_case(name, "double", 1, 8) for name in ONE_ARGUMENT]
    cases += [_case(name, "double", 2, 8) for name in PAIRS if name != "nextafter"]
    return compile_cases(cases, level=1)


@pytest.mark.parametrize("name", ONE_ARGUMENT)
def test_every_half_through_functions_of_one_argument(name: str, compiled: Compiled) -> None:
    exact = compiled(_case(name, "double", 1, 8), EVERY.astype(np.float64))
    for width in WIDTHS:
        got = compiled(_case(name, "half", 1, width), EVERY)
        found = half_errors(got, exact[: len(got)])
        assert found.max() <= LIMIT, (width, EVERY[found.argmax()], got[found.argmax()], found.max())


def _half_away(x: np.ndarray) -> np.ndarray:
    return np.copysign(np.floor(np.abs(x.astype(np.float64)) + 0.5), x)


@pytest.mark.parametrize("width", WIDTHS)
def test_every_half_is_rounded_to_an_integer(width: int) -> None:
    wanted = {"floor": np.floor, "ceil": np.ceil, "trunc": np.trunc, "rint": np.rint, "round": _half_away}
    cases = {name: _case(name, "half", 1, width) for name in wanted}
    run = compile_cases(list(cases.values()), level=2)
    for name, function in wanted.items():
        got = run(cases[name], EVERY)
        with np.errstate(invalid="ignore"):
            agree = same(got, function(EVERY).astype(np.float16)[: len(got)])
        assert agree.all(), (name, EVERY[: len(got)][~agree][:5], got[~agree][:5])


@pytest.mark.parametrize("name", PAIRS)
def test_functions_of_two_arguments(name: str, compiled: Compiled) -> None:
    random = np.random.default_rng(11)
    x, y = random.permutation(EVERY), random.permutation(EVERY)
    x[: len(x) // 4] = random.normal(0, 3, len(x) // 4)
    y[: len(y) // 4] = random.normal(0, 3, len(y) // 4)
    with np.errstate(all="ignore"):
        if name == "nextafter":
            exact = np.nextafter(x, y).astype(np.float64)
        else:
            exact = compiled(_case(name, "double", 2, 8), x.astype(np.float64), y.astype(np.float64))
        for width in (1, 16):
            got = compiled(_case(name, "half", 2, width), x, y)
            if name in EXACTLY:
                agree = same(got, exact.astype(np.float16)) | ((got == 0) & (exact == 0))
                assert agree.all(), (x[~agree][:4], y[~agree][:4], got[~agree][:4], exact[~agree][:4])
            found = half_errors(got, exact)
            assert found.max() <= LIMIT, (width, x[found.argmax()], y[found.argmax()], found.max())


def _nearest(value: Fraction) -> float:
    """The nearest half, ties to even."""
    if abs(value) >= 65520:
        return float("inf") if value > 0 else float("-inf")
    exponent = -24
    while abs(value) >= Fraction(2) ** (exponent + 11):
        exponent += 1
    return float(round(value / Fraction(2) ** exponent) * Fraction(2) ** exponent)


@pytest.mark.parametrize("width", (1, 3, 16))
def test_fma_of_half_rounds_once(width: int) -> None:
    case = Case("fma(a, b, c)", "half", ("half",) * 3, width)
    random = np.random.default_rng(5)
    a, b, c = (random.permutation(EVERY)[:2400] for _ in range(3))
    ordinary = slice(0, 1600)
    for array in (a, b, c):
        array[ordinary] = random.normal(0, 1, 1600) * 2.0 ** random.integers(-12, 8, 1600)
    # Sums next to the middle between two halves, on either side of it.
    a[:400], b[:400] = 1 + 2.0**-10, random.integers(1024, 2048, 400) * 2.0**-10
    c[:400] = random.choice([-1.0, 1.0], 400) * 2.0 ** random.integers(-24, 1, 400)
    finite = np.isfinite(a) & np.isfinite(b) & np.isfinite(c)
    a, b, c = (np.where(finite, v, np.float16(1)) for v in (a, b, c))
    got = compile_cases([case])(case, a, b, c)
    rows = zip(*(v.astype(float) for v in (a, b, c)), strict=True)
    expected = np.array([_nearest(Fraction(p) * Fraction(q) + Fraction(r)) for p, q, r in rows], np.float16)
    agree = got == expected
    assert agree.all(), (a[~agree][:4], b[~agree][:4], c[~agree][:4], got[~agree][:4], expected[~agree][:4])


@pytest.mark.parametrize("width", (1, 2, 16))
def test_results_through_pointers(width: int) -> None:
    vector = f"half{width}" if width > 1 else "half"
    cases = [
        Case(f"({{ {vector} c; sincos(a, &c); }})", "half", ("half",), width),
        Case(f"({{ {vector} c; sincos(a, &c); c; }})", "half", ("half",), width),
    ]
    run = compile_cases(cases)
    with np.errstate(invalid="ignore"):
        wide = EVERY.astype(np.float64)
        assert half_errors(run(cases[0], EVERY), np.sin(wide)).max() <= LIMIT
        assert half_errors(run(cases[1], EVERY), np.cos(wide)).max() <= LIMIT


@pytest.mark.parametrize("width", (1, 4, 16))
def test_integer_powers_and_roots_of_half(width: int) -> None:
    cases = [Case(f"{name}(a, b)", "half", ("half", "int"), width) for name in ("pown", "rootn")]
    wide = [Case(f"{name}(a, b)", "double", ("double", "int"), 4) for name in ("pown", "rootn")]
    run = compile_cases([*cases, *wide])
    n = np.random.default_rng(2).integers(-12, 13, len(EVERY)).astype(np.int32)
    for narrow, other in zip(cases, wide, strict=True):
        exact = run(other, EVERY.astype(np.float64), n)
        found = half_errors(run(narrow, EVERY, n), exact)
        assert found.max() <= LIMIT, (narrow, EVERY[found.argmax()], n[found.argmax()], found.max())


def test_a_processor_needs_no_instructions_for_half(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("builtin_harness.host_target", lambda: x86.describe("x86-64"))
    cases = [Case("a * a + (half)1", "half", ("half",), 8), Case("sin(a)", "half", ("half",), 8)]
    run = compile_cases(cases, level=2)
    with np.errstate(all="ignore"):
        square = EVERY * EVERY
        assert half_errors(run(cases[0], EVERY), square.astype(np.float64) + 1).max() <= 0.5
        assert half_errors(run(cases[1], EVERY), np.sin(EVERY.astype(np.float64))).max() <= LIMIT


def test_nan_of_half_carries_its_payload() -> None:
    case = Case("as_ushort4(nan(a))", "ushort", ("ushort",), 4)
    got = compile_cases([case])(case, np.array([5, 0, 0x1FF, 0xFFFF], np.uint16))
    assert got.tolist() == [0x7E05, 0x7E00, 0x7FFF, 0x7FFF]
