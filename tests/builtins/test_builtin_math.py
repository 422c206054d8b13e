"""Accuracy of the mathematical functions against mpmath, within the limits of the OpenCL specification."""

import numpy as np
import pytest
from builtin_harness import NUMPY, Case, Compiled, compile_cases
from builtin_ulp import Reference, arguments, errors, references
from mpmath import mp, mpf

from weft.builtins.library import BuiltinFlags

FLOATS = ("float", "double")
COUNT = 120

# Name: (limit in ulp, the same for both types, kind of arguments, exact function)
ONE_ARGUMENT: dict[str, tuple[float, str, Reference]] = {
    "sin": (4, "angle", mp.sin),
    "cos": (4, "angle", mp.cos),
    "tan": (5, "angle", mp.tan),
    "exp": (3, "exponent", mp.exp),
    "exp2": (3, "exponent of two", lambda x: mpf(2) ** x),
    "exp10": (3, "exponent of ten", lambda x: mpf(10) ** x),
    "expm1": (3, "exponent", mp.expm1),
    "log": (3, "positive", mp.log),
    "log2": (3, "positive", lambda x: mp.log(x) / mp.ln2),
    "log10": (3, "positive", mp.log10),
    "log1p": (2, "above minus one", mp.log1p),
    "sinh": (4, "exponent", mp.sinh),
    "cosh": (4, "exponent", mp.cosh),
    "tanh": (5, "small", mp.tanh),
    "asinh": (4, "any", mp.asinh),
    "acosh": (4, "above one", mp.acosh),
    "atanh": (5, "unit", mp.atanh),
    "asin": (4, "unit", mp.asin),
    "acos": (4, "unit", mp.acos),
    "atan": (5, "any", mp.atan),
    "asinpi": (5, "unit", lambda x: mp.asin(x) / mp.pi),
    "acospi": (5, "unit", lambda x: mp.acos(x) / mp.pi),
    "atanpi": (5, "any", lambda x: mp.atan(x) / mp.pi),
    "sinpi": (4, "turns", mp.sinpi),
    "cospi": (4, "turns", mp.cospi),
    "tanpi": (6, "turns", lambda x: mp.sinpi(x) / mp.cospi(x)),
    "erf": (16, "small", mp.erf),
    "erfc": (16, "tail", mp.erfc),
    "tgamma": (16, "gamma", mp.gamma),
    "cbrt": (2, "any", lambda x: mp.sign(x) * mp.cbrt(abs(x))),
    "rsqrt": (2, "positive", lambda x: 1 / mp.sqrt(x)),
    "sqrt": (0.5, "positive", mp.sqrt),
}
TWO_ARGUMENTS: dict[str, tuple[float, Reference]] = {
    "pow": (16, mp.power),
    "powr": (16, mp.power),
    "atan2": (6, mp.atan2),
    "atan2pi": (6, lambda y, x: mp.atan2(y, x) / mp.pi),
    "hypot": (4, mp.hypot),
}


@pytest.fixture(scope="module", params=FLOATS)
def compiled(request: pytest.FixtureRequest) -> tuple[str, Compiled]:
    """All functions of one type, in several widths."""
    element = request.param
    cases = [_case(name, element, 1, width) for name in ONE_ARGUMENT for width in (1, 3, 4, 16)]
    cases += [_case(name, element, 2, width) for name in TWO_ARGUMENTS for width in (1, 4)]
    return element, compile_cases(cases, level=2)


@pytest.fixture(scope="module", params=FLOATS)
def without_fma(request: pytest.FixtureRequest) -> tuple[str, Compiled]:
    """All functions as they are for processors without fused arithmetic."""
    element = request.param
    cases = [_case(name, element, 1, 4) for name in ONE_ARGUMENT] + [
        _case(name, element, 2, 4) for name in TWO_ARGUMENTS
    ]
    return element, compile_cases(cases, cpu="x86-64")


def _case(name: str, element: str, parameters: int, width: int) -> Case:
    return Case(f"{name}({', '.join('ab'[:parameters])})", element, (element,) * parameters, width)


def _exact(name: str, function: Reference, values: list[np.ndarray]) -> list[mpf]:
    # A double of a thousand bits needs as many of pi.
    mp.prec = 1300 if name in ("sin", "cos", "tan") and values[0].dtype == np.float64 else 250
    return references(function, values)


def _powers(element: str, seed: int) -> list[np.ndarray]:
    """Bases of all sizes, near and next to one, with exponents that bring the result anywhere in range."""
    random = np.random.default_rng(seed)
    largest = {"float": 88.0, "double": 709.0}[element]
    near = [random.uniform(0.7, 1.5, 240), 1 + random.normal(0, 1e-3, 240)]
    x = np.concatenate([np.exp(random.uniform(-largest, largest, 240)), *near])
    x = x.astype(NUMPY[element])
    x = np.where(x == 1, NUMPY[element](2), x)
    y = random.uniform(-1.1, 1, 720) * largest / np.abs(np.log(x.astype(float)))
    return [x, y.astype(NUMPY[element])]


def _pairs(name: str, element: str) -> list[np.ndarray]:
    if name.startswith("pow"):
        return _powers(element, 3)
    first, second = arguments("any", element, COUNT, 4), arguments("any", element, COUNT, 5)
    size = min(len(first), len(second))
    return [first[:size], second[:size]]


@pytest.mark.parametrize("name", ONE_ARGUMENT)
def test_functions_of_one_argument(name: str, compiled: tuple[str, Compiled]) -> None:
    element, run = compiled
    limit, kind, function = ONE_ARGUMENT[name]
    values = [arguments(kind, element, COUNT, 1)]
    exact = _exact(name, function, values)
    for width in (1, 3, 4, 16):
        found = errors(run(_case(name, element, 1, width), *values), exact)
        assert found.max() <= limit, (width, values[0][found.argmax()], found.max())


@pytest.mark.parametrize("name", TWO_ARGUMENTS)
def test_functions_of_two_arguments(name: str, compiled: tuple[str, Compiled]) -> None:
    element, run = compiled
    limit, function = TWO_ARGUMENTS[name]
    values = _pairs(name, element)
    exact = _exact(name, function, values)
    for width in (1, 4):
        found = errors(run(_case(name, element, 2, width), *values), exact)
        worst = found.argmax()
        assert found[worst] <= limit, (width, values[0][worst], values[1][worst], found[worst])


@pytest.mark.parametrize("name", [*ONE_ARGUMENT, *TWO_ARGUMENTS])
def test_accuracy_without_fused_arithmetic(name: str, without_fma: tuple[str, Compiled]) -> None:
    element, run = without_fma
    if name in ONE_ARGUMENT:
        limit, kind, function = ONE_ARGUMENT[name]
        values = [arguments(kind, element, COUNT // 2, 2)]
    else:
        limit, function = TWO_ARGUMENTS[name]
        values = _pairs(name, element)
    found = errors(run(_case(name, element, len(values), 4), *values), _exact(name, function, values))
    assert found.max() <= limit, ([v[found.argmax()] for v in values], found.max())


@pytest.mark.parametrize("element", FLOATS)
def test_sincos_gives_both(element: str) -> None:
    cases = [
        Case(f"({{ {element}4 c; {element}4 s = sincos(a, &c); s; }})", element, (element,), 4),
        Case(f"({{ {element}4 c; sincos(a, &c); c; }})", element, (element,), 4),
        _case("sin", element, 1, 4),
        _case("cos", element, 1, 4),
    ]
    run = compile_cases(cases)
    x = arguments("angle", element, COUNT, 1)
    assert np.array_equal(run(cases[0], x), run(cases[2], x))
    assert np.array_equal(run(cases[1], x), run(cases[3], x))


@pytest.mark.parametrize("element", FLOATS)
def test_integer_powers_and_roots(element: str) -> None:
    cases = [
        Case(f"{name}(a, b)", element, (element, "int"), width)
        for name in ("pown", "rootn")
        for width in (1, 4)
    ]
    run = compile_cases(cases)
    random = np.random.default_rng(8)
    x = (random.normal(size=400) * 10.0 ** random.integers(-3, 4, 400)).astype(NUMPY[element])
    n = random.integers(-9, 10, 400).astype(np.int32)
    n = np.where((n % 2 == 0) & (x < 0), n - 1, n).astype(np.int32)
    n = np.where(n == 0, 3, n).astype(np.int32)
    mp.prec = 250
    power = references(lambda base, k: base**k, [x, n])
    root = references(lambda base, k: mp.sign(base) * abs(base) ** (mpf(1) / k), [x, n])
    for case in cases:
        found = errors(run(case, x, n), power if case.expression.startswith("pown") else root)
        assert found.max() <= 16, (case, x[found.argmax()], n[found.argmax()])


@pytest.mark.parametrize("name", ["sin", "cos", "tan"])
def test_relaxed_angles_are_accurate_where_they_are_ordinary(name: str) -> None:
    cases = [_case(prefix + name, "float", 1, 4) for prefix in ("", "native_", "half_")]
    run = compile_cases(cases, flags=BuiltinFlags(fast_relaxed_math=True))
    ordinary = np.random.default_rng(1).uniform(-1000, 1000, 480).astype(np.float32)
    far = np.array([1e20, -1e30, 2e9, 3e38], np.float32)
    exact = _exact(name, getattr(mp, name), [ordinary])
    for case in cases:
        assert errors(run(case, ordinary), exact).max() <= 5
        assert not np.isnan(run(case, far)).any()


@pytest.mark.parametrize("element", FLOATS)
def test_the_logarithm_of_gamma_and_its_sign(element: str) -> None:
    cases = [
        Case("lgamma(a)", element, (element,), 4),
        Case("({ int4 s; lgamma_r(a, &s); s; })", "int", (element,), 4),
    ]
    run = compile_cases(cases)
    random = np.random.default_rng(6)
    x = np.concatenate([random.uniform(-20, 60, 200), 10.0 ** random.uniform(-30, 34, 200)]).astype(
        NUMPY[element]
    )
    mp.prec = 250
    exact = [mp.gamma(mpf(float(v))) if v < 100 else mp.inf for v in x]
    values = [
        mp.log(abs(g)) if mp.isfinite(g) else mp.loggamma(float(v)) for g, v in zip(exact, x, strict=True)
    ]
    # Near its zeros the logarithm is right as a sum, not as a number of its own size.
    scale = 40 * float(np.finfo(NUMPY[element]).eps)
    for got, value in zip(run(cases[0], x), values, strict=True):
        assert abs(mpf(float(got)) - value) <= scale * max(1, abs(value))
    assert np.array_equal(run(cases[1], x), [1 if g > 0 else -1 for g in exact])
