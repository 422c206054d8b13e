"""Computes the tables of the math templates and prints them.

Run `python -m tools.math_tables [name ...]`. The table entries of logarithms are chosen such that their
logarithms have few bits: adding an exponent is then exact, and no correction term is needed.
"""

import struct
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from mpmath import matrix, mp, mpf

Function = Callable[[mpf], mpf]

_TRIED = 400_000
ERF_STEP = mpf(51) / 64
ERF_DEGREE = 16


@dataclass(frozen=True)
class Format:
    """A floating-point type: its format for `struct`, its fraction bits, and the entries of a register."""

    number: str
    integer: str
    mantissa: int
    entries: int

    def bits(self, value: mpf) -> int:
        """Return the bits of a number as an integer."""
        return int(struct.unpack(self.integer, struct.pack(self.number, float(value)))[0])

    def value(self, bits: int) -> mpf:
        """Return the number with these bits."""
        return mpf(struct.unpack(self.number, struct.pack(self.integer, bits))[0])

    @property
    def shift(self) -> int:
        """The number of fraction bits below an index."""
        return self.mantissa + 1 - self.entries.bit_length()

    def edge(self, index: int) -> mpf:
        """Return the start of an interval; the first interval is centred around 1. The last bits are zero."""
        least = self.bits(1 - mpf(1) / (3 * self.entries)) >> (self.mantissa - 12) << (self.mantissa - 12)
        return self.value(least + (index << self.shift))


FLOAT = Format("<f", "<i", 23, 16)
DOUBLE = Format("<d", "<q", 52, 8)


@dataclass(frozen=True)
class Logarithms:
    """Numbers near each interval, or near its reciprocals, whose logarithms have `bits` fraction bits."""

    kind: Format
    function: Function
    inverse: Function
    bits: int
    reciprocals: bool

    def entry(self, index: int) -> tuple[mpf, mpf]:
        """Return a number and its logarithm, which is negated for reciprocals."""
        low, high = self.kind.edge(index), self.kind.edge(index + 1)
        middle = (low + high) / 2 if self.reciprocals else mp.sqrt(low * high)
        if self.kind is FLOAT and index in (1, self.kind.entries - 1):
            # Near 1, cancellation should be minimal.
            middle += (high - low) / 4 * (-1 if index == 1 else 1)
        chosen = self._near(1 / middle if self.reciprocals else middle) if index else mpf(1)
        logarithm = mp.nint(self.function(chosen) * mpf(2) ** self.bits) / mpf(2) ** self.bits
        return chosen, -logarithm if self.reciprocals else logarithm

    def _near(self, start: mpf) -> mpf:
        """Return the number near `start` whose logarithm is closest to a representable one."""
        step = mpf(2) ** -self.bits
        exact = self.inverse(mp.nint(self.function(start) / step) * step)
        # Steps of the logarithm are factors of the number.
        factor = self.inverse(step)
        scale = mpf(2) ** self.kind.mantissa * (2 if start < 1 else 1)
        best, found = mpf(1), start
        for _ in range(min(_TRIED, int(1 / step / 128))):
            candidate = mp.nint(exact * scale) / scale
            if abs(candidate - exact) < best:
                best, found = abs(candidate - exact), candidate
            exact *= factor
        return found


def powers(kind: Format) -> list[str]:
    """Return the bits of 2^(j / entries), minus the contribution of j shifted to just below the exponent."""
    return [
        hex(kind.bits(mpf(2) ** (mpf(j) / kind.entries)) - (j << kind.shift)) for j in range(kind.entries)
    ]


def error_function(index: int) -> list[mpf]:
    """Approximate erf around a multiple of ERF_STEP by a polynomial, lowest coefficient first.

    It interpolates erf, or erf(x) / x around zero, at Chebyshev points.
    """
    center, size = index * ERF_STEP, ERF_DEGREE + (1 if index else 0)
    low, high = center - (ERF_STEP / 2 if index else 0), center + ERF_STEP / 2
    low, high = low - (mpf(2) ** -12 if index else 0), high + mpf(2) ** -12
    points = [
        (low + high) / 2 + (high - low) / 2 * mp.cos(mp.pi * (2 * j + 1) / (2 * size)) for j in range(size)
    ]
    rows = matrix(size, size)
    right = matrix(size, 1)
    for i, x in enumerate(points):
        right[i] = mp.erf(x) if index else mp.erf(x) / x
        for j in range(size):
            rows[i, j] = (x - center) ** j
    coefficients = list(mp.lu_solve(rows, right))
    return coefficients if index else [mpf(0), *coefficients]


def root_guesses() -> list[str]:
    """Return the constants from which half of a float's bits are subtracted to estimate 1 / sqrt, for each
    `index`."""
    return [hex(_root_guess(index)) for index in range(FLOAT.entries)]


def root_error(constant: int, index: int) -> mpf:
    """Return the largest 1 - a y^2 of guesses y, for a whose last exponent bit and three more bits are
    `index`."""
    first = FLOAT.bits(mpf(1) / 2) + (index << 20)
    places = [first + (k << 12) for k in range(257)]
    return max(abs(1 - FLOAT.value(a) * FLOAT.value(constant - (a >> 1)) ** 2) for a in places)


def _root_guess(index: int) -> int:
    """Search the constant: the error falls and then rises."""
    low, high = 0x5F200000, 0x5F600000
    while high - low > 2:
        third = (high - low) // 3
        if root_error(low + third, index) < root_error(high - third, index):
            high -= third
        else:
            low += third
    return low + 1


def _log2(x: mpf) -> mpf:
    return mp.log(x, 2)


def _exp2(x: mpf) -> mpf:
    return mpf(2) ** x


LOGARITHMS = {
    "log_float": Logarithms(FLOAT, mp.log, mp.exp, 15, True),
    "log2_float": Logarithms(FLOAT, _log2, _exp2, 15, True),
    "log_double": Logarithms(DOUBLE, mp.log, mp.exp, 39, True),
    "log2_double": Logarithms(DOUBLE, _log2, _exp2, 42, True),
    "pow_double": Logarithms(DOUBLE, _log2, _exp2, 42, False),
}


def main(names: Sequence[str]) -> None:
    """Print the named tables, or all."""
    mp.prec = 200
    for name, kind in (("powers_float", FLOAT), ("powers_double", DOUBLE)):
        if not names or name in names:
            print(f"{name}: {', '.join(powers(kind))}")
    if not names or "rsqrt" in names:
        print(f"rsqrt: {', '.join(root_guesses())}")
    if not names or "erf" in names:
        for column in zip(*map(error_function, range(DOUBLE.entries)), strict=True):
            print(f"erf: {', '.join(float(coefficient).hex() for coefficient in column)}")
    for name, table in LOGARITHMS.items():
        if not names or name in names:
            print(f"{name}: from {hex(table.kind.bits(table.kind.edge(0)))}")
            for index in range(table.kind.entries):
                number, logarithm = table.entry(index)
                print(f"    {float(number).hex()}  {float(logarithm).hex()}")


if __name__ == "__main__":
    main(sys.argv[1:])
