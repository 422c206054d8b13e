"""Symbols of OpenCL C's built-in functions, mangled as clang does (Itanium, with OpenCL's address spaces)."""

from weft.dataclasses import dataclass
from weft.frontend.spirv.errors import InvalidModule
from weft.frontend.spirv.types import Float, Int, Opaque, Type, Vector

_SIGNED = {8: "c", 16: "s", 32: "i", 64: "l"}
_UNSIGNED = {8: "h", 16: "t", 32: "j", 64: "m"}
_FLOATS = {16: "Dh", 32: "f", 64: "d"}
_SPACES = {
    "Function": "U9CLprivate",
    "CrossWorkgroup": "U8CLglobal",
    "UniformConstant": "U10CLconstant",
    "Workgroup": "U7CLlocal",
    "Generic": "U9CLgeneric",
}


@dataclass(frozen=True)
class Parameter:
    """A parameter of a built-in: a number, vector or opaque value, or a pointer to one if `storage` is given.

    `qualifiers` apply to the pointee: K for const, V for volatile. `named` is the symbol of an OpenCL C
    enumeration.
    """

    type: Type | None = None
    signed: bool = False
    storage: str = ""
    qualifiers: str = ""
    atomic: bool = False
    named: str = ""


def mangle(name: str, parameters: list[Parameter]) -> str:
    """Return the symbol of a built-in function."""
    seen: dict[str, int] = {}
    parts = [_parameter(parameter, seen) for parameter in parameters]
    return f"_Z{len(name)}{name}{''.join(parts) or 'v'}"


def _parameter(parameter: Parameter, seen: dict[str, int]) -> str:
    if parameter.named:
        return _once(f"{len(parameter.named)}{parameter.named}", "", seen)
    assert parameter.type is not None
    full, short = _value(parameter.type, parameter.signed, seen)
    if not parameter.storage:
        return short
    steps = ["U7_Atomic"] if parameter.atomic else []
    steps += [_SPACES[parameter.storage] + parameter.qualifiers, "P"]
    for step in steps:
        short = _once(step + full, step + short, seen)
        full = step + full
    return short


def _value(type: Type, signed: bool, seen: dict[str, int]) -> tuple[str, str]:
    """Return the full spelling of a type, which identifies substitutions, and the spelling to write."""
    if isinstance(type, Vector):
        full = f"Dv{type.count}_{_scalar(type.element, signed)}"
    elif isinstance(type, Opaque) and type.mangled:
        full = type.mangled
    else:
        full = _scalar(type, signed)
        return full, full  # built-in types are not substituted
    return full, _once(full, full, seen)


def _once(full: str, short: str, seen: dict[str, int]) -> str:
    """Return the mangling of a component: itself, or a substitution if it is repeated."""
    index = seen.get(full)
    if index is None:
        seen[full] = len(seen)
        return short or full
    if not index:
        return "S_"
    digits = ""
    number = index - 1
    while True:
        number, digit = divmod(number, 36)
        digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"[digit] + digits
        if not number:
            return f"S{digits}_"


def _scalar(type: Type, signed: bool) -> str:
    if isinstance(type, Int):
        return (_SIGNED if signed else _UNSIGNED)[type.width]
    if isinstance(type, Float):
        return _FLOATS[type.width]
    raise InvalidModule("the arguments of a built-in function must be numeric")
