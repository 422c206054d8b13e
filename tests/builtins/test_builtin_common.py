"""Common, relational and geometric functions on floats and doubles."""

import numpy as np
import pytest
from builtin_harness import NUMPY, Case, compile_cases
from builtin_values import floats, same
from mpmath import mp

FLOATS = ("float", "double", "half")
COUNT = 480
# What references in float or double may differ by, relative to the result.
NEAR = {"float": 1e-5, "double": 1e-5, "half": 1e-3}


def half_away(x: np.ndarray) -> np.ndarray:
    with np.errstate(invalid="ignore"):
        whole = np.trunc(x)
        return np.copysign(np.where(np.abs(x - whole) >= 0.5, np.abs(whole) + 1, np.abs(whole)), x)


def by_magnitude(x: np.ndarray, y: np.ndarray, larger: bool) -> np.ndarray:
    first = np.abs(x) > np.abs(y) if larger else np.abs(x) < np.abs(y)
    second = np.abs(y) > np.abs(x) if larger else np.abs(y) < np.abs(x)
    return np.where(first, x, np.where(second, y, (np.fmax if larger else np.fmin)(x, y)))


EXACT = {
    "fabs(a)": np.abs,
    "copysign(a, b)": np.copysign,
    "floor(a)": np.floor,
    "ceil(a)": np.ceil,
    "trunc(a)": np.trunc,
    "rint(a)": np.rint,
    "round(a)": half_away,
    "sqrt(a)": np.sqrt,
    "sign(a)": lambda x: np.where(np.isnan(x), 0, np.where(x == 0, x, np.sign(x))),
    "min(a, b)": lambda x, y: np.where(y < x, y, x),
    "max(a, b)": lambda x, y: np.where(x < y, y, x),
    "step(a, b)": lambda x, y: np.where(y < x, 0, 1),
    "fdim(a, b)": lambda x, y: np.where(x <= y, 0, x - y),
}
# Where zeros of both signs meet, either may be the result.
EITHER_ZERO = {
    "fmin(a, b)": np.fmin,
    "fmax(a, b)": np.fmax,
    "maxmag(a, b)": lambda x, y: by_magnitude(x, y, True),
    "minmag(a, b)": lambda x, y: by_magnitude(x, y, False),
}


@pytest.mark.parametrize("element", FLOATS)
def test_simple_functions_are_exact(element: str) -> None:
    both = EXACT | EITHER_ZERO
    cases = [
        Case(e, element, (element,) * (1 + ("b" in e.split("(")[1])), width)
        for e in both
        for width in (1, 3, 4, 16)
    ]
    run = compile_cases(cases)
    x, y = floats(element, COUNT, 1), floats(element, COUNT, 2)
    for case in cases:
        got = run(case, *(x, y)[: len(case.parameters)])
        with np.errstate(all="ignore"):
            expected = both[case.expression](*(x, y)[: len(case.parameters)]).astype(got.dtype)
        agree = same(got, expected)
        if case.expression in EITHER_ZERO:
            agree |= (got == 0) & (expected == 0)
        assert agree.all(), (case, x[~agree][:4], y[~agree][:4], got[~agree][:4], expected[~agree][:4])


@pytest.mark.parametrize("element", FLOATS)
def test_fma_rounds_once(element: str) -> None:
    case = Case("fma(a, b, c)", element, (element,) * 3, 4)
    run = compile_cases([case])
    random = np.random.default_rng(3)
    x, y = (random.normal(size=64).astype(NUMPY[element]) for _ in range(2))
    z = -(x * y)
    mp.prec = 300
    expected = np.array(
        [float(mp.mpf(float(a)) * float(b) + float(c)) for a, b, c in zip(x, y, z, strict=True)]
    )
    assert np.array_equal(run(case, x, y, z), expected.astype(x.dtype))


@pytest.mark.parametrize("element", FLOATS)
def test_scalar_forms_apply_to_all_lanes(element: str) -> None:
    scalar = f"{element}1"
    cases = [
        Case("clamp(a, b, c)", element, (element, scalar, scalar), 4),
        Case("mix(a, b, c)", element, (element, element, scalar), 4),
        Case("step(a, b)", element, (scalar, element), 4),
        Case("smoothstep(a, b, c)", element, (scalar, scalar, element), 4),
        Case("fmax(a, b)", element, (element, scalar), 4),
    ]
    run = compile_cases(cases)
    random = np.random.default_rng(3)
    x, y = (random.normal(size=64).astype(NUMPY[element]) for _ in range(2))
    low = random.normal(size=16).astype(NUMPY[element])
    wide = np.repeat(low, 4)
    assert np.array_equal(run(cases[0], x, low, low + 1), np.clip(x, wide, wide + 1))
    double, other, factor = (v.astype(float) for v in (x, y, wide))
    near = NEAR[element]
    assert np.allclose(run(cases[1], x, y, low), double + (other - double) * factor, near, near)
    assert np.array_equal(run(cases[2], low, x), np.where(x < wide, 0, 1))
    t = np.clip((double - factor) / ((wide + 2).astype(float) - factor), 0, 1)
    assert np.allclose(run(cases[3], low, low + 2, x), t * t * (3 - 2 * t), 10 * near, near / 10)
    assert np.array_equal(run(cases[4], x, low), np.maximum(x, wide))


RELATIONS = {
    "isequal(a, b)": np.equal,
    "isnotequal(a, b)": np.not_equal,
    "isgreater(a, b)": np.greater,
    "isgreaterequal(a, b)": np.greater_equal,
    "isless(a, b)": np.less,
    "islessequal(a, b)": np.less_equal,
    "islessgreater(a, b)": lambda x, y: (x < y) | (x > y),
    "isordered(a, b)": lambda x, y: ~(np.isnan(x) | np.isnan(y)),
    "isunordered(a, b)": lambda x, y: np.isnan(x) | np.isnan(y),
    "isfinite(a)": lambda x, y: np.isfinite(x),
    "isinf(a)": lambda x, y: np.isinf(x),
    "isnan(a)": lambda x, y: np.isnan(x),
    "isnormal(a)": lambda x, y: np.isfinite(x) & (np.abs(x) >= np.finfo(x.dtype).tiny),
    "signbit(a)": lambda x, y: np.signbit(x),
}


@pytest.mark.parametrize("element", FLOATS)
def test_relations_are_one_for_scalars_and_all_bits_for_lanes(element: str) -> None:
    lane = {"float": "int", "double": "long", "half": "short"}[element]
    cases = [
        Case(e, "int" if width == 1 else lane, (element,) * (1 + ("b)" in e)), width)
        for e in RELATIONS
        for width in (1, 3, 4)
    ]
    run = compile_cases(cases)
    x = floats(element, COUNT, 1)
    y = np.where(np.arange(COUNT) % 3 == 0, x, floats(element, COUNT, 2))
    for case in cases:
        got = run(case, *(x, y)[: len(case.parameters)])
        true = 1 if case.width == 1 else -1
        assert np.array_equal(got, np.where(RELATIONS[case.expression](x, y), true, 0)), case


@pytest.mark.parametrize("element", FLOATS)
@pytest.mark.parametrize("width", (2, 3, 4))
def test_lengths_survive_extreme_components(element: str, width: int) -> None:
    scalar = f"{element}1"
    cases = [
        Case("length(a)", scalar, (element,), width),
        Case("distance(a, b)", scalar, (element, element), width),
        Case("normalize(a)", element, (element,), width),
        Case("dot(a, b)", scalar, (element, element), width),
    ]
    run = compile_cases(cases)
    random = np.random.default_rng(7)
    top = np.finfo(NUMPY[element]).maxexp - 2
    scale = np.repeat(2.0 ** random.integers(-top, top, 120), width)
    scale[: 4 * width] = 2.0**top
    x = (random.uniform(-1.9, 1.9, 120 * width) * scale).astype(NUMPY[element])
    rows = [[mp.mpf(float(v)) for v in row] for row in x.reshape(-1, width)]
    lengths = [mp.sqrt(mp.fsum(v * v for v in row)) for row in rows]
    eps = float(np.finfo(NUMPY[element]).eps)
    tiny = float(np.finfo(NUMPY[element]).tiny)
    for got in (run(cases[0], x), run(cases[1], x, np.zeros_like(x))):
        for value, exact in zip(got, lengths, strict=True):
            assert abs(mp.mpf(float(value)) - exact) <= 4 * eps * max(exact, tiny)
    unit = run(cases[2], x).reshape(-1, width)
    for row, given, exact in zip(unit, rows, lengths, strict=True):
        for value, component in zip(row, given, strict=True):
            assert abs(mp.mpf(float(value)) - component / exact) <= 4 * eps
    ordinary = random.normal(size=120 * width).astype(NUMPY[element])
    products = (ordinary.astype(float) ** 2).reshape(-1, width).sum(1)
    assert np.allclose(run(cases[3], ordinary, ordinary), products, rtol=8 * eps)


@pytest.mark.parametrize("element", FLOATS)
def test_special_vectors_have_lengths_and_directions(element: str) -> None:
    cases = [Case("length(a)", f"{element}1", (element,), 4), Case("normalize(a)", element, (element,), 4)]
    run = compile_cases(cases)
    x = np.array([np.inf, 1, 0, 0, 0, 0, 0, 0, -np.inf, np.inf, 2, 0], NUMPY[element])
    assert run(cases[0], x).tolist() == [np.inf, 0, np.inf]
    unit = run(cases[1], x)
    assert np.allclose(unit, [1, 0, 0, 0, 0, 0, 0, 0, -np.sqrt(0.5), np.sqrt(0.5), 0, 0], NEAR[element])


@pytest.mark.parametrize("element", FLOATS)
def test_cross_products(element: str) -> None:
    cases = [Case("cross(a, b)", element, (element, element), width) for width in (3, 4)]
    run = compile_cases(cases)
    random = np.random.default_rng(9)
    x, y = (random.normal(size=48).astype(NUMPY[element]) for _ in range(2))
    wide = [v.astype(float) for v in (x, y)]
    near = {"rtol": 10 * NEAR[element], "atol": NEAR[element] / 10}
    assert np.allclose(run(cases[0], x, y), np.cross(*(v.reshape(-1, 3) for v in wide)).reshape(-1), **near)
    got = run(cases[1], x, y).reshape(-1, 4)
    assert np.allclose(got[:, :3], np.cross(*(v.reshape(-1, 4)[:, :3] for v in wide)), **near)
    assert (got[:, 3] == 0).all()


def test_nan_carries_its_payload() -> None:
    cases = [Case("as_int(nan(a))", "int", ("uint",)), Case("as_long4(nan(a))", "long", ("ulong",), 4)]
    run = compile_cases(cases)
    assert run(cases[0], np.array([5, 0], np.uint32)).tolist() == [0x7FC00005, 0x7FC00000]
    assert run(cases[1], np.array([5, 0, 1, 2], np.uint64))[0] == 0x7FF8000000000005
