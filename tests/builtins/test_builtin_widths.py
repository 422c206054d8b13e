"""Vector forms of every width have on each lane what the scalar form gives; that has references elsewhere."""

import re
from dataclasses import dataclass

import numpy as np
import pytest
from builtin_harness import NUMPY, Case, compile_cases
from builtin_table import ANY_WIDTH, FLOATS, Call, calls
from builtin_values import arguments, same

from weft.builtins.catalogue import catalogue
from weft.builtins.demangle import Signature, Type

# A sample takes one function in so many; the number has no factor in common with those of types and widths.
STEP = 113
PARTS = 24
COUNT = 96

_TYPE = re.compile(r"(u?(?:char|short|int|long)|float|double|half)(2|3|4|8|16)?")
_CONVERSION = re.compile(
    r"convert_(u?(?:char|short|int|long)|float|double|half)(?:2|3|4|8|16)?(_sat)?(?:_\w+)?"
)
_WIDER = {
    "char": "short",
    "uchar": "ushort",
    "short": "int",
    "ushort": "uint",
    "int": "long",
    "uint": "ulong",
}
_OF_BITS = {"ushort": "half", "uint": "float", "ulong": "double"}
# What is stored through the last parameter: the type of the others, or int.
_STORING = dict.fromkeys(("fract", "modf", "sincos"), "T")
_STORING |= dict.fromkeys(("frexp", "lgamma_r", "remquo"), "int")


@dataclass(frozen=True)
class Lanes:
    """A case of vectors and the scalar case that says what each lane has to be."""

    vector: Case
    scalar: Case


def _split(spelled: str) -> tuple[str, int] | None:
    found = _TYPE.fullmatch(spelled)
    return (found[1], int(found[2] or 1)) if found else None


def _result(name: str, element: str) -> str:
    """The element of what a function returns, whose first parameter has `element`."""
    conversion = _CONVERSION.fullmatch(name)
    if conversion:
        return conversion[1]
    if name in ("abs", "abs_diff"):
        return element if element.startswith("u") else f"u{element}"
    return {"ilogb": "int", "nan": _OF_BITS.get(element, ""), "upsample": _WIDER.get(element, "")}.get(
        name, element
    )


def _lanes(call: Call) -> Lanes | None:
    """The two cases of a vector call; None where it is none, has pointers, or is not lane by lane."""
    types = [_split(parameter) for parameter in call.parameters]
    parts = [part for part in types if part is not None]
    width = max((w for _, w in parts), default=1)
    if width == 1 or len(parts) < len(types):
        return None
    elements = [element for element, _ in parts]
    conversion = _CONVERSION.fullmatch(call.name)
    name = re.sub(r"^(convert_[a-z]+)\d+", r"\1", call.name) if conversion else call.name
    scalar = Signature(name, tuple(Type(element, 1) for element in elements))
    found = catalogue().find(scalar)
    if found is None or not catalogue().is_lanewise(scalar):
        return None
    names = ", ".join("abc"[: len(parts)])
    parameters = tuple(element + ("1" if w == 1 else "") for element, w in parts)
    result = _result(name, elements[0])
    return Lanes(
        Case(f"{call.name}({names})", result, parameters, width),
        Case(f"{name}({names})", result, tuple(elements)),
    )


def _stored(name: str, element: str, width: int) -> list[Lanes]:
    """The same for what a function returns and for what it stores."""
    inputs = "ab" if name == "remquo" else "a"
    found = []
    for what, result in (("returned", element), ("stored", _STORING[name].replace("T", element))):
        cases = []
        for size in (width, 1):
            stored = _STORING[name].replace("T", element) + (str(size) if size > 1 else "")
            given = element + (str(size) if size > 1 else "")
            call = f"{stored} stored; {given} returned = {name}({', '.join(inputs)}, &stored)"
            cases.append(Case(f"({{ {call}; {what}; }})", result, (element,) * len(inputs), size))
        found.append(Lanes(*cases))
    return found


def _every() -> list[Lanes]:
    found = [lanes for call in calls() if (lanes := _lanes(call))]
    for name in _STORING:
        for element in FLOATS:
            for width in ANY_WIDTH[1:]:
                found += _stored(name, element, width)
    return list(dict.fromkeys(found))


def _values(case: Case) -> list[np.ndarray]:
    """Special and random arguments; conversions to integers get what these can hold, unless they saturate."""
    values = [arguments(element.rstrip("1"), COUNT, seed) for seed, element in enumerate(case.parameters)]
    conversion = _CONVERSION.match(case.expression)
    if conversion and not conversion[2] and conversion[1] not in FLOATS and case.parameters[0] in FLOATS:
        low = 0 if conversion[1].startswith("u") else -100
        with np.errstate(invalid="ignore"):
            values = [np.nan_to_num(v).clip(low, 100).astype(v.dtype) for v in values]
    return values


def _check(batch: list[Lanes]) -> None:
    run = compile_cases([case for lanes in batch for case in (lanes.vector, lanes.scalar)])
    wrong = []
    for lanes in batch:
        vector, scalar = lanes.vector, lanes.scalar
        given = [
            values[: COUNT // vector.width] if parameter.endswith("1") else values
            for parameter, values in zip(vector.parameters, _values(vector), strict=True)
        ]
        wide = [np.repeat(v, COUNT // len(v)) for v in given]
        found, expected = run(vector, *given), run(scalar, *wide)
        assert found.dtype == NUMPY[vector.result]
        alike = same(found, expected)
        if not alike.all():
            lane = int(np.argmin(alike))
            wrong.append((vector, [v[lane] for v in wide], found[lane], expected[lane]))
    assert not wrong, wrong


def test_a_sample_of_vector_forms() -> None:
    every = _every()
    assert len(every) > 5000
    _check(every[::STEP])


@pytest.mark.slow
@pytest.mark.parametrize("part", range(PARTS))
def test_all_vector_forms(part: int) -> None:
    _check(_every()[part::PARTS])
