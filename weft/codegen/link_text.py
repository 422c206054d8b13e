"""Link LLVM modules as text, for clang to parse, which saves parsing and printing them here.

The modules of kernels and built-ins contain only functions, variables, attribute groups and metadata. All but
a few symbols become internal. Other cases (two definitions of a name, comdats, aliases, named metadata in
several modules) are left to LLVM's linker.
"""

from collections.abc import Sequence
from functools import lru_cache

from weft.codegen.flatten import flatten
from weft.codegen.machine import without_processors
from weft.dataclasses import dataclass, field
from weft.lazy_pattern import lazy_pattern
from weft.target import Target

_NAME = lazy_pattern(r'@("[^"]*"|[-\w.$]+)')
_NUMBER = lazy_pattern(r"(?<![\w.$])([#!])(\d+)\b")
# Keywords for the linkage of a symbol, in front of the others.
_LINKAGE = r"(?:(?:private|internal|available_externally|linkonce|weak|linkonce_odr|weak_odr|common) )*"
_FUNCTION = lazy_pattern(rf"define {_LINKAGE}")
_VARIABLE = lazy_pattern(rf"(?<= = ){_LINKAGE}")
_CONSTANT = lazy_pattern(r'@\S+ = [^"@{\[=]*\bconstant ')
_DECLARED_VARIABLE = lazy_pattern(r"@\S+ = (?:\w+ )*?(?:external|extern_weak) ")
# Exceeds the number of attribute groups or metadata nodes of any module.
_STEP = 1 << 16
# Length of modules, in characters, that are not cached.
_LARGE = 1 << 18
_UNUSUAL = ("\0", " comdat", " hidden ", " protected ")
_DROPPED = ("target triple", ";")


class _NotSimple(Exception):
    """The modules contain something that only LLVM's linker can link."""


@dataclass
class _Parts:
    """The contents of a module, in order; symbols by name."""

    # The source file name in the symbol table; the default is LLVM's.
    name: str = 'source_filename = "<string>"'
    layout: str | None = None
    types: dict[str, str] = field(default_factory=dict)
    variables: dict[str, str] = field(default_factory=dict)
    functions: dict[str, str] = field(default_factory=dict)
    declared: dict[str, str] = field(default_factory=dict)
    rest: list[str] = field(default_factory=list)  # attribute groups and metadata
    named: bool = False


def link_text(texts: Sequence[str], target: Target, exported: Sequence[str]) -> str | None:
    """Link modules into one in which all but `exported` is internal; None if LLVM has to link them."""
    try:
        modules = [_parts(text, number) for number, text in enumerate(texts)]
        whole = _join(modules, target)
    except _NotSimple:
        return None
    if not whole.functions.keys() | whole.variables.keys() >= set(exported):
        return None
    if exported:
        _internalise(whole, frozenset(exported))
    layout, triple = f'target datalayout = "{target.data_layout}"', f'target triple = "{target.triple}"'
    symbols = (whole.types, whole.variables, whole.declared, whole.functions)
    return "\n".join(
        (
            "; linked",
            whole.name,
            layout,
            triple,
            *(line for kind in symbols for line in kind.values()),
            *whole.rest,
            "",
        )
    )


def _join(modules: Sequence[_Parts], target: Target) -> _Parts:
    whole = _Parts(modules[0].name)
    for number, module in enumerate(modules):
        if module.layout not in (None, target.data_layout) or (module.named and number):
            raise _NotSimple
        for name, line in module.types.items():
            if whole.types.setdefault(name, line) != line or (number and name.isdigit()):
                raise _NotSimple
        for name, text in module.functions.items():
            if name not in whole.functions:
                whole.functions[name] = text
            elif not text.startswith("define linkonce_odr "):
                raise _NotSimple
        for name, line in module.variables.items():
            known = whole.variables.setdefault(name, line)
            # A kernel and its functions share the program's constants.
            if known is not line and (known != line or not _CONSTANT.match(line)):
                raise _NotSimple
        for name, line in module.declared.items():
            whole.declared.setdefault(name, line)
        whole.rest += module.rest
    if whole.functions.keys() & whole.variables.keys():
        raise _NotSimple
    for name in whole.declared.keys() & (whole.functions.keys() | whole.variables.keys()):
        del whole.declared[name]
    return whole


def _internalise(module: _Parts, exported: frozenset[str]) -> None:
    for name, text in module.functions.items():
        if name not in exported:
            module.functions[name] = _FUNCTION.sub("define internal ", text, count=1)
    for name, line in module.variables.items():
        if name not in exported and not name.startswith("llvm."):
            module.variables[name] = _VARIABLE.sub("internal ", line, count=1)


@lru_cache(maxsize=64)
def _library_parts(text: str, number: int) -> _Parts:
    """Cut the module of a built-in; the same ones are needed again and again."""
    return _cut(_renumbered(flatten(without_processors(text)), number * _STEP))


def _parts(text: str, number: int) -> _Parts:
    if not number:
        return _cut(flatten(without_processors(text)))
    return (_library_parts if len(text) < _LARGE else _library_parts.__wrapped__)(text, number)


def _renumbered(text: str, by: int) -> str:
    """Return the module with attribute groups and metadata renumbered."""
    pieces = text.split('"')
    # Strings stay unchanged; quotes inside them are escaped.
    pieces[::2] = [_NUMBER.sub(lambda m: f"{m[1]}{int(m[2]) + by}", piece) for piece in pieces[::2]]
    return '"'.join(pieces)


def _cut(text: str) -> _Parts:
    if not text.isascii() or any(word in text for word in _UNUSUAL):
        raise _NotSimple
    parts = _Parts()
    position, length = 0, len(text)
    while position < length:
        end = text.find("\n", position)
        end = length if end < 0 else end
        if end == position:
            position += 1
            continue
        if text.startswith("define ", position):
            end = text.find("\n}", position)
            if end < 0:
                raise _NotSimple
            end += 2
            line = text[position:end]
            _add(parts.functions, line)
        else:
            line = text[position:end]
            _sort(parts, line)
        position = end + 1
    return parts


def _sort(parts: _Parts, line: str) -> None:
    if line.startswith("declare "):
        _add(parts.declared, line)
    elif line[0] == "@":
        if " alias " in line or " ifunc " in line:
            raise _NotSimple
        _add(parts.declared if _DECLARED_VARIABLE.match(line) else parts.variables, line)
    elif line[0] == "%":
        name = line.partition(" ")[0]
        parts.types[name[1:]] = line
    elif line.startswith("attributes #") or line[0] == "!":
        parts.named = parts.named or (line[0] == "!" and not line[1].isdigit())
        parts.rest.append(line)
    elif line.startswith('target datalayout = "'):
        parts.layout = line[len('target datalayout = "') : -1]
    elif line.startswith("source_filename"):
        parts.name = line
    elif line.strip() and not line.startswith(_DROPPED):
        raise _NotSimple


def _add(symbols: dict[str, str], text: str) -> None:
    name = _NAME.search(text)
    if name is None or "\\" in name[1] or symbols.setdefault(name[1].strip('"'), text) is not text:
        raise _NotSimple
