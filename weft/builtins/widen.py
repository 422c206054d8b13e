"""The symbol of the vector variant of a built-in: `_Z3sinf` on eight lanes is `_Z3sinDv8_f`."""

from weft.dataclasses import replace
from weft.lazy_pattern import lazy_pattern

from .catalogue import WIDTHS, catalogue
from .demangle import Signature, Type, demangle

_CONVERSION = lazy_pattern(
    r"^(convert_u?(?:char|short|int|long|float|double|half))(?:2|3|4|8|16)?((?:_\w+)?)$"
)
CODES = {"char": "c", "uchar": "h", "short": "s", "ushort": "t", "int": "i", "uint": "j", "long": "l"}
CODES |= {"ulong": "m", "float": "f", "double": "d", "half": "Dh"}


def widen(symbol: str, lanes: int) -> str | None:
    """Return the symbol that applies a built-in to `lanes` elements; `symbol` is its form for fewer or one.

    None if the library has no such form or the vector form has another meaning, as for relational functions
    and select, whose vector results are all ones or zero.
    """
    signature = demangle(symbol)
    if signature is None or lanes not in WIDTHS or any(p.pointer for p in signature.parameters):
        return None
    if len({p.width for p in signature.parameters}) != 1:
        return None
    if not catalogue().is_lanewise(signature):
        return None
    name = _CONVERSION.sub(rf"\g<1>{lanes if lanes > 1 else ''}\g<2>", signature.name)
    wide = Signature(name, tuple(replace(parameter, width=lanes) for parameter in signature.parameters))
    return mangle(wide) if catalogue().find(wide) else None


def mangle(signature: Signature) -> str:
    """Return the symbol of a function whose parameters are scalars and vectors."""
    parts: list[str] = []
    seen: list[Type] = []
    for parameter in signature.parameters:
        if parameter.width == 1:
            parts.append(CODES[parameter.element])
        elif parameter in seen:
            index = seen.index(parameter)
            parts.append("S_" if index == 0 else f"S{index - 1}_")
        else:
            seen.append(parameter)
            parts.append(f"Dv{parameter.width}_{CODES[parameter.element]}")
    return f"_Z{len(signature.name)}{signature.name}{''.join(parts) or 'v'}"
