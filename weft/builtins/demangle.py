"""Demangle Itanium symbols of OpenCL built-ins: `_Z5clampDv4_fS_S_` is clamp(float4, float4, float4).

Only the grammar that clang emits for OpenCL C is supported: scalar and vector types, pointers with address
spaces and qualifiers, atomic types, named opaque types and substitutions. Anything else is not a built-in.
"""

from typing import Any

from weft.dataclasses import dataclass, replace

_SCALARS = {
    "v": "void",
    "b": "bool",
    "c": "char",
    "a": "char",
    "h": "uchar",
    "s": "short",
    "t": "ushort",
    "i": "int",
    "j": "uint",
    "l": "long",
    "m": "ulong",
    "f": "float",
    "d": "double",
    "Dh": "half",
}
_SPACES = {
    "CLprivate": "private",
    "CLglobal": "global",
    "CLlocal": "local",
    "CLconstant": "constant",
    "CLgeneric": "generic",
}
_QUALIFIERS = {"K": "const", "V": "volatile", "r": "restrict"}


@dataclass(frozen=True)
class Type:
    """A parameter type: an element type, a vector width and, for pointers, the address space pointed to."""

    element: str
    width: int = 1
    pointer: bool = False
    space: str = "private"
    atomic: bool = False

    def __str__(self) -> str:
        value = self.element + (str(self.width) if self.width > 1 else "")
        value = f"atomic_{value}" if self.atomic else value
        return f"{self.space} {value} *" if self.pointer else value


@dataclass(frozen=True)
class Signature:
    """The name of a function and its parameter types."""

    name: str
    parameters: tuple[Type, ...]

    def __str__(self) -> str:
        return f"{self.name}({', '.join(map(str, self.parameters))})"


class _NotMangled(Exception):
    """The text does not follow the grammar."""


def demangle(symbol: str) -> Signature | None:
    """Return the signature that `symbol` encodes; None if it is not a mangled OpenCL function."""
    if not symbol.startswith("_Z"):
        return None
    reader = _Reader(symbol, 2)
    try:
        name = reader.identifier()
        parameters = []
        while not reader.at_end():
            parameters.append(reader.type())
    except _NotMangled:
        return None
    if not parameters:
        return None
    if parameters == [Type("void")]:
        parameters = []
    return Signature(name, tuple(parameters))


class _Reader:
    """A cursor over the symbol, with the substitution candidates read so far."""

    def __init__(self, text: str, position: int) -> None:
        self._text = text
        self._position = position
        self._candidates: list[Type] = []

    def at_end(self) -> bool:
        return self._position >= len(self._text)

    def _take(self, token: str) -> bool:
        if self._text.startswith(token, self._position):
            self._position += len(token)
            return True
        return False

    def _number(self) -> int:
        start = self._position
        while not self.at_end() and self._text[self._position] in "0123456789":
            self._position += 1
        if start == self._position:
            raise _NotMangled
        return int(self._text[start : self._position])

    def identifier(self) -> str:
        length = self._number()
        name = self._text[self._position : self._position + length]
        if len(name) != length or length == 0:
            raise _NotMangled
        self._position += length
        return name

    def type(self) -> Type:
        modifiers: list[dict[str, Any]] = []  # modifiers in front of the type; there may be many
        while (result := self._innermost()) is None:
            modifiers.append(self._modifier())
        for modifier in reversed(modifiers):
            result = replace(result, **modifier)
            self._candidates.append(result)
        return result

    def _innermost(self) -> Type | None:
        """Read a type that does not consist of another one; None if a modifier comes first."""
        if self.at_end():
            raise _NotMangled
        for code, element in _SCALARS.items():
            if self._take(code):
                return Type(element)
        if self._take("S"):
            return self._substitution()
        if self._text[self._position] in "PUKVr" or self._text.startswith("Dv", self._position):
            return None
        named = Type(self.identifier())
        self._candidates.append(named)
        return named

    def _modifier(self) -> dict[str, Any]:
        """Read one modifier of the type after it."""
        if self._take("Dv"):
            width = self._number()
            if not self._take("_"):
                raise _NotMangled
            return {"width": width}
        if self._take("P"):
            return {"pointer": True}
        return self._qualified()

    def _qualified(self) -> dict[str, Any]:
        """Read vendor and cv qualifiers; definitions do not depend on `const` and the like."""
        space, atomic = None, False
        while self._take("U"):
            vendor = self.identifier()
            if vendor == "_Atomic":
                atomic = True
                break  # _Atomic wraps the next type in a type of its own, which is a substitution candidate
            if vendor not in _SPACES:
                raise _NotMangled
            space = _SPACES[vendor]
        while not atomic and not self.at_end() and self._text[self._position] in _QUALIFIERS:
            self._position += 1
        words: dict[str, Any] = {"atomic": True} if atomic else {}
        return words | {"space": space} if space else words

    def _substitution(self) -> Type:
        index = 0
        if not self._take("_"):
            digits = ""
            while not self.at_end() and self._text[self._position] != "_":
                digits += self._text[self._position]
                self._position += 1
            if not self._take("_") or not digits.isalnum() or digits != digits.upper():
                raise _NotMangled
            index = int(digits, 36) + 1
        if index >= len(self._candidates):
            raise _NotMangled
        return self._candidates[index]
