"""Computes the polynomials of the math templates by Lawson's algorithm and prints them.

Run `python -m tools.minimax [name ...]`. It prints for each polynomial its coefficients, lowest first, as in
the templates, and the largest relative error that it contributes to the function.
"""

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from mpmath import matrix, mp, mpf

Function = Callable[[mpf], mpf]

_GRID = 160
_ROUNDS = 25


@dataclass(frozen=True)
class Polynomial:
    """An approximation of `function` on [low, high] by a polynomial of `degree`; errors are scaled by
    `weight`.

    `bits` is the precision to which coefficients are rounded: 24 for float, 53 for double.
    """

    function: Function
    weight: Function
    low: mpf
    high: mpf
    degree: int
    bits: int


def lawson(wanted: Polynomial) -> tuple[list[mpf], mpf]:
    """Return the coefficients, lowest first, and the largest weighted error.

    Uses least squares over Chebyshev points; the weights of points with large errors increase each round. In
    contrast to exchange algorithms, this works for weights that vanish inside the interval.
    """
    size = wanted.degree + 1
    middle, half = (wanted.high + wanted.low) / 2, (wanted.high - wanted.low) / 2
    grid = [middle - half * mp.cos(mp.pi * (k + mpf(1) / 2) / _GRID) for k in range(_GRID)]
    rows = [
        ([wanted.weight(x) * x**k for k in range(size)], wanted.weight(x) * wanted.function(x)) for x in grid
    ]
    emphasis = [mpf(1) / _GRID] * _GRID
    best: tuple[list[mpf], mpf] = ([], mp.inf)
    for _ in range(_ROUNDS):
        normal, right = matrix(size, size), matrix(size, 1)
        for share, (row, value) in zip(emphasis, rows, strict=True):
            for i in range(size):
                right[i] += share * row[i] * value
                for j in range(i, size):
                    normal[i, j] += share * row[i] * row[j]
                    normal[j, i] = normal[i, j]
        coefficients = list(mp.lu_solve(normal, right))
        errors = [abs(mp.fdot(row, coefficients) - value) for row, value in rows]
        if max(errors) < best[1]:
            best = (coefficients, max(errors))
        total = mp.fsum(share * error for share, error in zip(emphasis, errors, strict=True))
        emphasis = [share * error / total for share, error in zip(emphasis, errors, strict=True)]
    return best


def _odd(function: Function, lead: Function, power: int, high: mpf, degree: int, bits: int) -> Polynomial:
    """Return (function(r) - lead(r)) / r^power as a polynomial in r^2, relative to function(r), for r <=
    high."""

    def value(u: mpf) -> mpf:
        r = mp.sqrt(u)
        return (function(r) - lead(r)) / r**power

    def weight(u: mpf) -> mpf:
        r = mp.sqrt(u)
        return r**power / function(r)

    return Polynomial(value, weight, mpf("1e-9"), high**2, degree, bits)


def _exponential(base: mpf, half: mpf, degree: int, bits: int) -> Polynomial:
    """Return (base^r - 1 - r ln(base)) / r^2 for |r| <= half, relative to base^r."""
    scale = mp.log(base)
    return Polynomial(
        lambda r: (mp.expm1(r * scale) - r * scale) / r**2 if r else scale**2 / 2,
        lambda r: r**2 / base**r,
        -half,
        half,
        degree,
        bits,
    )


def _logarithm(degree: int, bits: int) -> Polynomial:
    """Return (log(1 + f) - f + f^2/2) / f^3 for sqrt(1/2) <= 1 + f < sqrt(2), relative to log(1 + f)."""
    return Polynomial(
        lambda f: (mp.log1p(f) - f + f**2 / 2) / f**3 if abs(f) > 1e-12 else mpf(1) / 3,
        lambda f: f**3 / mp.log1p(f) if abs(f) > 1e-12 else mpf(0),
        mp.sqrt(mpf(1) / 2) - 1,
        mp.sqrt(2) - 1,
        degree,
        bits,
    )


def _logarithm_near_one(function: Function, low: str, high: str, degree: int, bits: int) -> Polynomial:
    """Return (function(r) - r function'(0)) / r^2 for the r after table reduction, relative to
    function(r)."""
    slope = mp.diff(function, 0)
    return Polynomial(
        lambda r: (function(r) - r * slope) / r**2 if abs(r) > 1e-12 else -slope / 2,
        lambda r: r**2 / function(r) if abs(r) > 1e-12 else mpf(0),
        mpf(low),
        mpf(high),
        degree,
        bits,
    )


def _complementary_error(middle: mpf, far: mpf, degree: int, bits: int) -> Polynomial:
    """Return exp(x^2) erfc(x) (1 + 2x) for 1 <= x <= far, as a polynomial in (x - middle) / (x + middle)."""

    def function(t: mpf) -> mpf:
        x = middle * (1 + t) / (1 - t)
        return mp.exp(x * x) * mp.erfc(x) * (1 + 2 * x)

    low, high = (1 - middle) / (1 + middle), (far - middle) / (far + middle)
    return Polynomial(function, lambda t: 1 / function(t), low, high, degree, bits)


def _error_exponent(far: mpf, degree: int, bits: int) -> Polynomial:
    """Return -log(erfc(x)) / x for 0 <= x <= far, relative to erf(x)."""
    return Polynomial(
        lambda x: -mp.log(mp.erfc(x)) / x,
        lambda x: x * mp.erfc(x) / mp.erf(x),
        mpf("1e-9"),
        far,
        degree,
        bits,
    )


def _stirling(least: mpf, degree: int) -> Polynomial:
    """Return gamma(z) e^z z^(1/2 - z) for z >= least, as a polynomial in 1/z."""

    def function(w: mpf) -> mpf:
        z = 1 / w
        return mp.exp(mp.loggamma(z) + z + (mpf(1) / 2 - z) * mp.log(z))

    return Polynomial(function, lambda w: 1 / function(w), mpf("1e-4"), 1 / least, degree, 53)


def polynomials() -> dict[str, Polynomial]:
    """Return all polynomials of the templates, by name."""
    mp.prec = 250
    quarter = mp.pi / 4 * mpf("1.0001")
    step = mp.log(2) / 2 * mpf("1.0001")
    ratio = (mp.sqrt(2) - 1) / (mp.sqrt(2) + 1) * mpf("1.00001")
    result = {}
    for bits, sine, cosine, power, series in ((24, 2, 2, 4, 8), (53, 5, 5, 9, 6)):
        suffix = "float" if bits == 24 else "double"
        result[f"sin_{suffix}"] = _odd(mp.sin, lambda r: r, 3, quarter, sine, bits)
        result[f"cos_{suffix}"] = _odd(mp.cos, lambda r: 1 - r**2 / 2, 4, quarter, cosine, bits)
        result[f"exp_{suffix}"] = _exponential(mp.e, step, power, bits)
        result[f"exp2_{suffix}"] = _exponential(mpf(2), mpf("0.50001"), power, bits)
        result[f"exp10_{suffix}"] = _exponential(mpf(10), step / mp.log(10), power, bits)
        if bits == 24:
            result["log_float"] = _logarithm(series, bits)
        else:
            # log((1+s)/(1-s)) = 2s + s^3 R(s^2)
            result["log_double"] = _odd(lambda s: 2 * mp.atanh(s), lambda s: 2 * s, 3, ratio, series, bits)
    # For sine and cosine with reduction by half turns.
    result["sin_wide_float"] = _odd(mp.sin, lambda r: r, 3, mp.pi / 2 * mpf("1.0001"), 3, 24)
    eighth = mp.tan(mp.pi / 8) * mpf("1.00001")
    for bits, arctangent, arcsine in ((24, 4, 4), (53, 10, 12)):
        suffix = "float" if bits == 24 else "double"
        result[f"atan_{suffix}"] = _odd(mp.atan, lambda z: z, 3, eighth, arctangent, bits)
        result[f"asin_{suffix}"] = _odd(mp.asin, lambda x: x, 3, mpf("0.50001"), arcsine, bits)
    for bits, degree, middle, far, tail in ((24, 6, 2, "10.1", 8), (53, 11, 4, "28", 20)):
        suffix = "float" if bits == 24 else "double"
        result[f"erf_{suffix}"] = _odd(mp.erf, lambda x: mpf(0), 1, mpf("1.00001"), degree, bits)
        result[f"erfc_{suffix}"] = _complementary_error(mpf(middle), mpf(far), tail, bits)
    result["gamma_double"] = _stirling(mpf(6), 11)
    for bits, far, degree in ((24, "3.95", 8), (53, "5.95", 20)):
        suffix = "float" if bits == 24 else "double"
        result[f"erf_exponent_{suffix}"] = _error_exponent(mpf(far), degree, bits)
    # For pow: log2((1+s)/(1-s)) = u + u^3 P(u^2) with u = 2s/ln(2), in double for a part of the interval.
    half_ratio = (mp.root(2, 4) - 1) / (mp.root(2, 4) + 1) * mpf("1.00001")
    parts = (("float", ratio, 3, 24), ("double", half_ratio, 5, 53), ("parts_double", mpf("0.02855"), 3, 53))
    for suffix, largest, degree, bits in parts:
        result[f"pow_{suffix}"] = _odd(
            lambda u: mp.atanh(u * mp.ln2 / 2) * 2 / mp.ln2,
            lambda u: u,
            3,
            largest * 2 / mp.ln2,
            degree,
            bits,
        )
    # (1 / sqrt(1 - e) - 1) / e for the error of an estimate from half of the bits, with a table first.
    for degree, most in ((2, "0.0267"), (3, "0.06817"), (4, "0.06817")):
        result[f"rsqrt_{degree}_float"] = Polynomial(
            lambda e: (1 / mp.sqrt(1 - e) - 1) / e if abs(e) > 1e-12 else mpf(1) / 2,
            lambda e: e * mp.sqrt(1 - e),
            -mpf(most),
            mpf(most),
            degree,
            24,
        )
    # With a table of numbers near the argument.
    for suffix, low, high, degree, bits in (
        ("float", "-0.0302", "0.0545", 3, 24),
        ("double", "-0.05662", "0.05662", 9, 53),
    ):
        result[f"log_parts_{suffix}"] = _logarithm_near_one(mp.log1p, low, high, degree, bits)
        result[f"log2_parts_{suffix}"] = _logarithm_near_one(
            lambda r: mp.log1p(r) / mp.ln2, low, high, degree, bits
        )
    # With a table of powers of two.
    for suffix, parts_of_two, degree, bits in (("float", 16, 1, 24), ("double", 8, 5, 53)):
        half = mpf("0.5001") / parts_of_two
        result[f"exp_parts_{suffix}"] = _exponential(mp.e, half * mp.ln2, degree, bits)
        result[f"exp2_parts_{suffix}"] = _exponential(mpf(2), half, degree, bits)
        result[f"exp10_parts_{suffix}"] = _exponential(mpf(10), half * mp.log(2, 10), degree, bits)
    return result


def _hexadecimal(value: mpf, bits: int) -> str:
    """Format a value, rounded to `bits` bits, as a C hexadecimal constant."""
    with mp.workprec(bits):
        return float(+value).hex() + ("f" if bits == 24 else "")


def main(names: Sequence[str]) -> None:
    """Print the named polynomials, or all."""
    for name, wanted in polynomials().items():
        if not names or name in names:
            coefficients, error = lawson(wanted)
            print(f"{name}: relative error 2^{float(mp.log(error, 2)):.1f}")
            for coefficient in coefficients:
                print(f"    {_hexadecimal(coefficient, wanted.bits)}")


if __name__ == "__main__":
    main(sys.argv[1:])
