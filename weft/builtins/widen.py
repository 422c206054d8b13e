"""The vector form of a call by name: `_Z3sinf` on eight lanes is `_Z3sinDv8_f`."""

from dataclasses import replace

from .catalogue import WIDTHS, catalogue
from .demangle import Signature, Type, demangle

_CODES = {"char": "c", "uchar": "h", "short": "s", "ushort": "t", "int": "i", "uint": "j", "long": "l"}
_CODES |= {"ulong": "m", "float": "f", "double": "d"}


def widen(symbol: str, lanes: int) -> str | None:
    """The symbol that applies scalar built-in `symbol` to `lanes` lanes at once.

    None when the library has no such form or the vector form means something else, as it does for relations
    and for select, whose lanes are all ones or nothing.
    """
    signature = demangle(symbol)
    if (
        signature is None
        or lanes not in WIDTHS
        or any(p.width != 1 or p.pointer for p in signature.parameters)
    ):
        return None
    if not catalogue().is_lanewise(signature):
        return None
    name = signature.name
    if name.startswith("convert_"):
        to, _, mode = name.removeprefix("convert_").partition("_")
        name = f"convert_{to}{lanes if lanes > 1 else ''}{'_' + mode if mode else ''}"
    wide = Signature(name, tuple(replace(parameter, width=lanes) for parameter in signature.parameters))
    return mangle(wide) if catalogue().find(wide) else None


def mangle(signature: Signature) -> str:
    """The symbol of a function whose parameters are scalars and vectors."""
    parts: list[str] = []
    seen: list[Type] = []
    for parameter in signature.parameters:
        if parameter.width == 1:
            parts.append(_CODES[parameter.element])
        elif parameter in seen:
            index = seen.index(parameter)
            parts.append("S_" if index == 0 else f"S{index - 1}_")
        else:
            seen.append(parameter)
            parts.append(f"Dv{parameter.width}_{_CODES[parameter.element]}")
    return f"_Z{len(signature.name)}{signature.name}{''.join(parts) or 'v'}"
