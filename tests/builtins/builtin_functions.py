"""The mathematical functions: how accurate the specification wants them, and what they are exactly."""

import numpy as np
from builtin_harness import NUMPY
from builtin_ulp import Reference, arguments, references
from mpmath import mp, mpf

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
# Functions whose result is a number that they find exactly.
EXACT = ("fabs", "ceil", "floor", "rint", "round", "trunc", "logb")
TWO_ARGUMENTS: dict[str, tuple[float, Reference]] = {
    "pow": (16, mp.power),
    "powr": (16, mp.power),
    "atan2": (6, mp.atan2),
    "atan2pi": (6, lambda y, x: mp.atan2(y, x) / mp.pi),
    "hypot": (4, mp.hypot),
}


def exact_values(name: str, function: Reference, values: list[np.ndarray]) -> list[mpf]:
    """What a function should give, to many more digits than are asked for."""
    # A double of a thousand bits needs as many of pi.
    mp.prec = 1300 if name in ("sin", "cos", "tan") and values[0].dtype == np.float64 else 250
    return references(function, values)


def _powers(element: str, count: int, seed: int) -> list[np.ndarray]:
    """Bases of all sizes, near and next to one, with exponents that bring the result anywhere in range."""
    random = np.random.default_rng(seed)
    largest = {"float": 88.0, "double": 709.0}[element]
    near = [random.uniform(0.7, 1.5, count), 1 + random.normal(0, 1e-3, count)]
    x = np.concatenate([np.exp(random.uniform(-largest, largest, count)), *near])
    x = x.astype(NUMPY[element])
    x = np.where(x == 1, NUMPY[element](2), x)
    y = random.uniform(-1.1, 1, 3 * count) * largest / np.abs(np.log(x.astype(float)))
    return [x, y.astype(NUMPY[element])]


def pairs(name: str, element: str, count: int) -> list[np.ndarray]:
    """Arguments for a function of two, some of which are hard for it."""
    if name.startswith("pow"):
        return _powers(element, 2 * count, 3)
    first, second = arguments("any", element, count, 4), arguments("any", element, count, 5)
    size = min(len(first), len(second))
    return [first[:size], second[:size]]
