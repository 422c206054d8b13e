"""Accuracy of the mathematical functions against mpmath, within the limits of the OpenCL specification."""

import numpy as np
import pytest
from builtin_functions import ONE_ARGUMENT, TWO_ARGUMENTS, exact_values, pairs
from builtin_harness import NUMPY, Case, Compiled, compile_cases
from builtin_ulp import arguments, errors, references
from builtin_values import same
from mpmath import mp, mpf

from weft.builtins.library import BuiltinFlags

FLOATS = ("float", "double")
COUNT = 120


@pytest.fixture(scope="module", params=FLOATS)
def compiled(request: pytest.FixtureRequest) -> tuple[str, Compiled]:
    """All functions of one type, in several widths."""
    element = request.param
    cases = [_case(name, element, 1, width) for name in ONE_ARGUMENT for width in (1, 3, 4, 16)]
    cases += [_case(name, element, 2, width) for name in TWO_ARGUMENTS for width in (1, 4)]
    return element, compile_cases(cases, level=2)


# Processors whose forms differ: without fused arithmetic, with it, and with tables in registers.
PROCESSORS = ("x86-64", "x86-64-v3", "x86-64-v4")


@pytest.fixture(
    scope="module",
    params=[
        # What has AVX-512 is like the processor of the other tests, if that has it.
        pytest.param((element, cpu), marks=pytest.mark.slow if cpu == "x86-64-v4" else ())
        for element in FLOATS
        for cpu in PROCESSORS
    ],
)
def for_processor(request: pytest.FixtureRequest) -> tuple[str, Compiled]:
    """All functions as they are for other processors."""
    element, cpu = request.param
    cases = [_case(name, element, 1, width) for name in ONE_ARGUMENT for width in (1, 4)]
    cases += [_case(name, element, 2, width) for name in TWO_ARGUMENTS for width in (1, 4)]
    return element, compile_cases(cases, cpu=cpu)


def _case(name: str, element: str, parameters: int, width: int) -> Case:
    return Case(f"{name}({', '.join('ab'[:parameters])})", element, (element,) * parameters, width)


@pytest.mark.parametrize("name", ONE_ARGUMENT)
def test_functions_of_one_argument(name: str, compiled: tuple[str, Compiled]) -> None:
    element, run = compiled
    limit, kind, function = ONE_ARGUMENT[name]
    values = [arguments(kind, element, COUNT, 1)]
    exact = exact_values(name, function, values)
    for width in (1, 3, 4, 16):
        found = errors(run(_case(name, element, 1, width), *values), exact)
        assert found.max() <= limit, (width, values[0][found.argmax()], found.max())


@pytest.mark.parametrize("name", TWO_ARGUMENTS)
def test_functions_of_two_arguments(name: str, compiled: tuple[str, Compiled]) -> None:
    element, run = compiled
    limit, function = TWO_ARGUMENTS[name]
    values = pairs(name, element, COUNT)
    exact = exact_values(name, function, values)
    for width in (1, 4):
        found = errors(run(_case(name, element, 2, width), *values), exact)
        worst = found.argmax()
        assert found[worst] <= limit, (width, values[0][worst], values[1][worst], found[worst])


@pytest.mark.parametrize("name", [*ONE_ARGUMENT, *TWO_ARGUMENTS])
def test_accuracy_on_other_processors(name: str, for_processor: tuple[str, Compiled]) -> None:
    element, run = for_processor
    if name in ONE_ARGUMENT:
        limit, kind, function = ONE_ARGUMENT[name]
        values = [arguments(kind, element, COUNT // 2, 2)]
    else:
        limit, function = TWO_ARGUMENTS[name]
        values = pairs(name, element, COUNT)
    exact = exact_values(name, function, values)
    scalar, vector = (run(_case(name, element, len(values), width), *values) for width in (1, 4))
    found = errors(vector, exact)
    assert found.max() <= limit, ([v[found.argmax()] for v in values], found.max())
    assert same(scalar, vector).all()


@pytest.mark.parametrize("cpu", PROCESSORS)
def test_the_largest_and_smallest_powers_of_what_is_farthest_from_its_table(cpu: str) -> None:
    cases = [_case(name, "double", 2, 4) for name in ("pow", "powr")]
    run = compile_cases(cases, cpu=cpu)
    # Found by looking for large errors next to the fourth root of 2.
    x = [1.189206293553614, 1.1892043186221046, 1.1892251688176327, 1.1892070824296403]
    y = [-4080.056263873781, 4095.5461218947885, -4079.682588028178, 4095.9606474282537]
    values = [np.array(x), np.array(y)]
    exact = exact_values("pow", mp.power, values)
    for case in cases:
        assert errors(run(case, *values), exact).max() <= TWO_ARGUMENTS["pow"][0]


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
    exact = exact_values(name, getattr(mp, name), [ordinary])
    for case in cases:
        assert errors(run(case, ordinary), exact).max() <= 5
        assert not np.isnan(run(case, far)).any()


@pytest.mark.parametrize("name", ["sin", "cos"])
@pytest.mark.parametrize("cpu", PROCESSORS)
def test_relaxed_angles_keep_to_the_limits_of_all_processors(name: str, cpu: str) -> None:
    cases = [
        _case(name, "float", 1, 16),
        Case("({ T b; sincos(a, &b); b; })".replace("T", "float4"), "float", ("float",), 4),
    ]
    run = compile_cases(cases, cpu=cpu, flags=BuiltinFlags(fast_relaxed_math=True))
    x = np.linspace(-np.pi, np.pi, 4800).astype(np.float32)
    exact = getattr(np, name)(x.astype(float))
    assert np.abs(run(cases[0], x) - exact).max() <= 2.0**-22
    assert np.abs(run(cases[1], x) - np.cos(x.astype(float))).max() <= 2.0**-22
    far = (10.0 ** np.random.default_rng(2).uniform(5, 38, 480)).astype(np.float32)
    assert np.abs(run(cases[0], far)).max() <= 1 + 2.0**-22


@pytest.mark.parametrize("cpu", PROCESSORS)
def test_native_exponentials_and_logarithms_are_near(cpu: str) -> None:
    names = ("native_exp", "native_exp2", "native_exp10", "native_log", "native_log2", "native_log10")
    cases = {name: _case(name, "float", 1, 16) for name in names}
    run = compile_cases(list(cases.values()), cpu=cpu)
    random = np.random.default_rng(4)
    for name, limit, exact in (("exp", 87.3, np.exp), ("exp2", 126.0, np.exp2), ("exp10", 37.9, None)):
        x = random.uniform(-limit, limit, 9600).astype(np.float32)
        expected = exact(x.astype(float)) if exact else 10.0 ** x.astype(float)
        assert np.abs(run(cases[f"native_{name}"], x) / expected - 1).max() < 2.0**-20
        extreme = run(cases[f"native_{name}"], np.array([-1e3, -np.inf, np.nan, 0] * 4, np.float32))
        np.testing.assert_array_equal(extreme[:4], [0, 0, np.nan, 1])
        assert (run(cases[f"native_{name}"], np.full(16, 1e3, np.float32)) > 1e38).all()
    x = np.concatenate([random.uniform(0.5, 2, 4800), 2.0 ** random.uniform(-126, 127.9, 4800)])
    x = x.astype(np.float32)
    for name in ("log", "log2", "log10"):
        expected = getattr(np, name)(x.astype(float))
        error = np.abs(run(cases[f"native_{name}"], x) - expected)
        assert (error <= np.maximum(2.0**-21, 4 * np.spacing(np.abs(expected).astype(np.float32)))).all()
        special = run(cases[f"native_{name}"], np.array([0, np.nan] * 8, np.float32))
        np.testing.assert_array_equal(special[:2], [-np.inf, np.nan])


@pytest.mark.parametrize("cpu", PROCESSORS)
def test_native_roots_are_near_and_special_ones_exact(cpu: str) -> None:
    cases = [_case(name, "float", 1, width) for name in ("native_sqrt", "half_sqrt") for width in (1, 8, 16)]
    run = compile_cases(cases, cpu=cpu)
    random = np.random.default_rng(6)
    x = np.concatenate([2.0 ** random.uniform(-126, 127.9, 4800), random.uniform(1, 4, 4800)])
    x = x.astype(np.float32)
    exact = np.sqrt(x.astype(float))
    largest, least = np.finfo(np.float32).max, np.finfo(np.float32).smallest_subnormal
    special = [0.0, -0.0, -1.0, np.inf, -np.inf, np.nan, least, -least, 1e-40, -largest, 4.0, 0.25]
    extreme = np.array([*special, largest, np.finfo(np.float32).tiny, 1.0, 2.0], np.float32)
    with np.errstate(invalid="ignore"):
        roots = np.sqrt(extreme)
    for case in cases:
        assert (np.abs(run(case, x) - exact) / np.spacing(exact.astype(np.float32))).max() <= 1.2
        assert same(run(case, extreme), roots).all()
        # One lane that is not ordinary must not disturb the others.
        mixed = x[:16].copy()
        mixed[3] = np.nan
        others = np.arange(16) != 3
        assert np.isclose(run(case, mixed)[others], exact[:16][others], 1e-6).all()


def test_relaxed_powers_are_near() -> None:
    cases = [_case(name, "float", 2, width) for name in ("pow", "powr") for width in (1, 4, 16)]
    run = compile_cases(cases, flags=BuiltinFlags(fast_relaxed_math=True))
    random = np.random.default_rng(3)
    x = np.exp2(random.uniform(-20, 20, 960)).astype(np.float32)
    y = random.uniform(-6, 6, 960).astype(np.float32)
    exact = references(lambda base, exponent: base**exponent, [x, y])
    whole = np.rint(y)
    signed = references(lambda base, exponent: base ** int(exponent), [-x, whole])
    for case in cases:
        assert errors(run(case, x, y), exact).max() <= 8192
        if case.expression.startswith("pow("):
            assert errors(run(case, -x, whole), signed).max() <= 8192
            assert np.isnan(run(case, -x, whole + np.float32(0.5))).all()
            assert (run(case, np.zeros_like(x), np.abs(y)) == 0).all()
            assert (run(case, np.zeros_like(x), np.zeros_like(y)) == 1).all()


@pytest.mark.parametrize("element", FLOATS)
def test_the_logarithm_of_gamma_and_its_sign(element: str) -> None:
    cases = [
        Case("lgamma(a)", element, (element,), 4),
        Case("({ int4 s; lgamma_r(a, &s); s; })", "int", (element,), 4),
    ]
    run = compile_cases(cases)
    random = np.random.default_rng(6)
    most = {"float": 34, "double": 305}[element]
    least = float(np.finfo(NUMPY[element]).smallest_subnormal)
    tiny = np.concatenate([10.0 ** random.uniform(-most, -20, 40), least * np.array([1, 3, 100, 12345])])
    x = np.concatenate([random.uniform(-20, 60, 200), 10.0 ** random.uniform(-30, most, 200), tiny, -tiny])
    x = x.astype(NUMPY[element])
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


@pytest.mark.parametrize("name", ["log", "log2", "log10", "rsqrt", "cbrt", "sqrt", "pow"])
@pytest.mark.parametrize("element", FLOATS)
def test_subnormal_arguments(name: str, element: str) -> None:
    count = 2 if name == "pow" else 1
    tiny = np.finfo(NUMPY[element]).tiny
    x = (tiny * 2.0 ** np.random.default_rng(5).uniform(-22, 1, 96)).astype(NUMPY[element])
    values = [x, np.full_like(x, -0.75)][:count]
    limit = TWO_ARGUMENTS[name][0] if count == 2 else ONE_ARGUMENT[name][0]
    function = TWO_ARGUMENTS[name][1] if count == 2 else ONE_ARGUMENT[name][2]
    cases = [_case(name, element, count, width) for width in (1, 4)]
    run = compile_cases(cases)
    exact = exact_values(name, function, values)
    for case in cases:
        assert errors(run(case, *values), exact).max() <= limit


def test_short_powers_are_near() -> None:
    cases = [_case(name, "float", 2, 4) for name in ("half_powr", "native_powr")]
    run = compile_cases(cases)
    values = pairs("powr", "float", COUNT)
    exact = exact_values("powr", TWO_ARGUMENTS["powr"][1], values)
    normal = np.array([abs(value) > 1.2e-38 for value in exact])
    for case in cases:
        assert errors(run(case, *values), exact)[normal].max() <= 8192
