"""The tables of the mathematical templates hold what they should."""

import re

import pytest
from mpmath import mp, mpf

from tools.math_tables import (
    DOUBLE,
    FLOAT,
    LOGARITHMS,
    Format,
    error_function,
    powers,
    root_error,
)
from weft.builtins.catalogue import LIBRARY_DIRECTORY

_NUMBERS = re.compile(
    r"(TABLE\(\w+, \d+, )numbers\) = {([^}]*)};\s*TABLE\(\w+, \d+, logarithms\) = {([^}]*)};"
)


def _values(text: str) -> list[mpf]:
    return [mpf(float.fromhex(item.strip().rstrip("f"))) for item in text.split(",")]


def _tables() -> dict[str, tuple[list[mpf], list[mpf]]]:
    """The tables of log.cl, in its order, and of pow_parts.cl."""
    names = ("log_float", "log2_float", "log_double", "log2_double", "pow_double")
    text = "".join((LIBRARY_DIRECTORY / name).read_text() for name in ("log.cl", "pow_parts.cl"))
    found = [(_values(numbers), _values(logarithms)) for _, numbers, logarithms in _NUMBERS.findall(text)]
    return dict(zip(names, found, strict=True))


@pytest.mark.parametrize("name", LOGARITHMS)
def test_logarithms_end_early(name: str) -> None:
    """They are those of the numbers beside them, to more digits than the type has, and nothing is behind."""
    table = LOGARITHMS[name]
    numbers, logarithms = _tables()[name]
    sign = -1 if table.reciprocals else 1
    assert len(numbers) == len(logarithms) == table.kind.entries
    mp.prec = 200
    for index, (number, logarithm) in enumerate(zip(numbers, logarithms, strict=True)):
        assert abs(table.function(number) - sign * logarithm) < mpf(2) ** -(table.kind.mantissa * 5 // 4)
        assert logarithm * 2**table.bits == int(logarithm * 2**table.bits)
        low, high = table.kind.edge(index), table.kind.edge(index + 1)
        assert low < (1 / number if table.reciprocals else number) < high


def test_the_error_function_has_the_polynomials_of_the_tool() -> None:
    """But for the constant of the last one, which is a unit larger."""
    mp.prec = 160
    text = " ".join((LIBRARY_DIRECTORY / "erf.cl").read_text().split())
    columns = [_values(found) for found in re.findall(r"COLUMN\(c\d+, ([^)]*)\)", text)]
    expected = [[float(c) for c in row] for row in zip(*map(error_function, range(8)), strict=True)]
    assert columns[0][7] == expected[0][7] + 2.0**-53
    expected[0][7] += 2.0**-53
    for column, row in zip(columns, expected, strict=True):
        assert [float(c) for c in column] == pytest.approx(row, rel=1e-10, abs=1e-14)


@pytest.mark.parametrize("kind", [FLOAT, DOUBLE])
def test_powers_of_two(kind: Format) -> None:
    mp.prec = 200
    text = "".join((LIBRARY_DIRECTORY / "exponent.cl").read_text().split())
    assert ",".join(powers(kind)) in text


def test_first_guesses_of_roots_are_as_near_as_the_polynomial_takes_for_granted() -> None:
    text = (LIBRARY_DIRECTORY / "rsqrt.cl").read_text()
    found = re.search(r"wholes\) = {([^}]*)}", text)
    assert found
    constants = [int(item, 16) for item in found[1].split(",")]
    assert len(constants) == FLOAT.entries
    for index, constant in enumerate(constants):
        assert root_error(constant, index) < mpf("0.0267")
