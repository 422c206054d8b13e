"""The catalogue of templates in lib/*.cl, and the search for the template of a signature.

A template is one algorithm, written once for every element type and vector width. Its first lines, which
start with `//!`, declare what it defines and depends on:

    //! types: float double            the element types T stands for in the signatures that follow
    //! widths: 2 3 4                  the vector widths they exist for; default: all
    //! uses: exponent integer:U       templates whose functions this one calls, for T or the named type
    //! once                           the text depends on neither type nor width
    //! not lane by lane               the vector form is not the scalar form on each lane
    //! open                           a few instructions: inlined into kernels before they are analysed
    //! clamp(T, T, T) clamp(T, T1, T1)

In a signature T is the generic type, I and U are the signed and unsigned integers of its size, and other
words are element types. A suffix gives the width: none or N is the width of T (for named types: none is a
scalar), 1 a scalar, M a second width. `*` is a pointer to any address space, except that only `const` ones
may point to constants; `#` in a function's name is N.

A function of `floats` that no template defines for half is computed in float.
"""

import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from weft.dataclasses import dataclass, replace
from weft.lazy_pattern import lazy_pattern

from .demangle import Signature, Type, demangle
from .images import entry_name, find_image_function, read_tags

LIBRARY_DIRECTORY = Path(__file__).parent / "lib"
WIDTHS = (1, 2, 3, 4, 8, 16)
SIGNED = ("char", "short", "int", "long")
UNSIGNED = ("uchar", "ushort", "uint", "ulong")
FLOATS = ("float", "double")
REALS = (*FLOATS, "half")
SIZES = {"char": 1, "short": 2, "int": 4, "long": 8, "float": 4, "double": 8, "half": 2}
SIZES |= {f"u{name}": size for name, size in SIZES.items() if name in SIGNED}
_GROUPS = {
    "signed": SIGNED,
    "unsigned": UNSIGNED,
    "integers": SIGNED + UNSIGNED,
    "floats": FLOATS,
    "reals": REALS,
    "all": SIGNED + UNSIGNED + REALS,
}
_CONVERSION = lazy_pattern(
    r"convert_(?P<to>u?(?:char|short|int|long)|float|double|half)(?P<width>2|3|4|8|16)?"
    r"(?P<sat>_sat)?(?:_(?P<rounding>rte|rtz|rtp|rtn))?"
)
_DIRECTIVE = lazy_pattern(r"^//!.*", re.MULTILINE)
_SIGNATURE = lazy_pattern(r"([\w#]+)\(([^)]*)\)")
_PARAMETER = lazy_pattern(r"(const )?(atomic )?(T|I|U|[a-z_]+)([1NM]?)( ?\*)?")
_HALF_IMAGE = lazy_pattern(r"((?:read|write)_image)h")


@dataclass(frozen=True)
class Instance:
    """A template for one element type and width; `macros` has everything else that its text depends on.

    `through_float`: the function has half where the template has float.
    """

    template: str
    element: str
    width: int
    macros: tuple[tuple[str, str], ...] = ()
    through_float: bool = False


@dataclass(frozen=True)
class _Parameter:
    """A parameter in a template's signature, as the module's docstring describes it."""

    element: str
    width: str
    pointer: bool
    constant: bool
    atomic: bool


@dataclass(frozen=True)
class _Pattern:
    """A signature a template defines; `width` is N where the function's name fixes it."""

    template: str
    types: tuple[str, ...]
    widths: tuple[int, ...]
    parameters: tuple[_Parameter, ...]
    width: int | None
    lanewise: bool


@dataclass(frozen=True)
class Template:
    """The text of one library file, and the templates it depends on as (name, element type)."""

    name: str
    text: str
    uses: tuple[tuple[str, str], ...]
    once: bool
    open: bool


@dataclass(frozen=True)
class Catalogue:
    """All templates, and the signatures they define by function name."""

    templates: Mapping[str, Template]
    patterns: Mapping[str, tuple[_Pattern, ...]]

    def find(self, signature: Signature) -> Instance | None:
        """Return the instance that defines `signature`; None if the library has no such function."""
        match = self._matching(signature)
        if match is not None:
            return match[1]
        return (
            _find_conversion(signature) or _find_image_function(signature) or self._find_in_float(signature)
        )

    def _matching(self, signature: Signature) -> tuple[_Pattern, Instance] | None:
        for pattern in self.patterns.get(signature.name, ()):
            instance = _match(pattern, signature.parameters)
            if instance:
                return pattern, instance
        return None

    def _find_in_float(self, signature: Signature) -> Instance | None:
        """Return the float instance that computes a function of half; None if only float has the function."""
        wide = in_float(signature)
        if wide is None:
            return None
        match = self._matching(wide)
        if match is not None:
            instance = match[1] if "double" in match[0].types else None
        else:
            instance = _find_conversion(wide) or _find_image_function(wide)
        return replace(instance, through_float=True) if instance is not None else None

    def find_symbol(self, symbol: str) -> tuple[Signature, Instance] | None:
        """Return the signature of `symbol`, which may have image tags, and the instance that defines it."""
        tagged = read_tags(symbol)
        signature = demangle(tagged.symbol)
        instance = self.find(signature) if signature is not None else None
        if signature is None or instance is None:
            return None
        if instance.template.startswith("image_"):
            macros = dict(instance.macros) | dict(tagged.macros) | {"NAME": entry_name(symbol)}
            instance = replace(instance, macros=tuple(macros.items()))
        return signature, instance

    def is_lanewise(self, signature: Signature) -> bool:
        """Return whether the vector form of `signature` is the scalar form on each lane."""
        wide = in_float(signature) or signature
        match = self._matching(signature) or self._matching(wide)
        if match is None:
            return (_find_conversion(signature) or _find_conversion(wide)) is not None
        pattern = match[0]
        plain = all(p.width == "N" and not p.pointer for p in pattern.parameters)
        return pattern.lanewise and plain and bool(pattern.parameters)

    def closure(self, instance: Instance) -> list[Instance]:
        """Return the dependencies of `instance`, each before its users, followed by `instance` itself."""
        ordered: list[Instance] = [Instance("half_and_float", "", 1)] if instance.through_float else []
        for name, word in self.templates[instance.template].uses:
            element = named_element(word, instance.element)
            once = self.templates[name].once
            user = Instance(name, "", 1) if once else Instance(name, element, instance.width)
            for dependency in self.closure(user):
                if dependency not in ordered:
                    ordered.append(dependency)
        return [*ordered, replace(instance, through_float=False)]


@cache
def catalogue() -> Catalogue:
    """Return the catalogue of the installed library."""
    templates: dict[str, Template] = {}
    patterns: dict[str, list[_Pattern]] = {}
    for path in sorted(LIBRARY_DIRECTORY.glob("*.cl")):
        text = path.read_text()
        templates[path.stem] = _read_template(path.stem, text, patterns)
    return Catalogue(templates, {name: tuple(found) for name, found in patterns.items()})


def _read_template(template: str, text: str, patterns: dict[str, list[_Pattern]]) -> Template:
    """Read the directives of one template; add the signatures it defines to `patterns`."""
    uses: list[tuple[str, str]] = []
    types: tuple[str, ...] = ()
    widths: tuple[int, ...] = WIDTHS
    once = opened = False
    lanewise = "//! not lane by lane" not in text
    for line in _DIRECTIVE.findall(text):
        key, _, value = line[3:].strip().partition(":")
        if key == "types":
            types = tuple(t for word in value.split() for t in _GROUPS.get(word, (word,)))
            widths = WIDTHS
        elif key == "widths":
            widths = tuple(map(int, value.split()))
        elif key == "uses":
            for name, _, element in (word.partition(":") for word in value.split()):
                uses.append((name, element or "T"))
        elif key == "once":
            once = True
        elif key == "open":
            opened = True
        else:
            for name, parameters in _SIGNATURE.findall(line):
                read = tuple(_read_parameter(word.strip()) for word in parameters.split(",") if word.strip())
                for fixed in WIDTHS[1:] if "#" in name else (None,):
                    pattern = _Pattern(template, types, widths, read, fixed, lanewise)
                    patterns.setdefault(name.replace("#", str(fixed)), []).append(pattern)
    return Template(template, text, tuple(uses), once, opened)


@cache
def _read_parameter(text: str) -> _Parameter:
    match = _PARAMETER.fullmatch(text)
    if not match:
        raise ValueError(f"parameter {text!r} in the library is not readable")
    constant, atomic, element, width, pointer = match.groups()
    default = "N" if element in "TIU" else "1"
    return _Parameter(element, width or default, bool(pointer), bool(constant), bool(atomic))


def _match(pattern: _Pattern, actual: tuple[Type, ...]) -> Instance | None:
    """Bind T, N and M of `pattern` to the actual parameter types, if they fit."""
    if len(actual) != len(pattern.parameters):
        return None
    pairs = list(zip(pattern.parameters, actual, strict=True))
    element = next((argument.element for parameter, argument in pairs if parameter.element == "T"), "")
    if element and element not in pattern.types:
        return None
    widths = {"1": 1} | ({"N": pattern.width} if pattern.width else {})
    macros: list[tuple[str, str]] = []
    for parameter, argument in pairs:
        if parameter.pointer != argument.pointer or parameter.atomic != argument.atomic:
            return None
        if argument.pointer and argument.space == "constant" and not parameter.constant:
            return None
        if argument.element != named_element(parameter.element, element):
            return None
        if widths.setdefault(parameter.width, argument.width) != argument.width:
            return None
        if argument.pointer:
            macros.append((f"AS{len(macros) or ''}", address_space(argument.space)))
    if "M" in widths:
        macros.append(("M", str(widths["M"])))
    width = widths.get("N", 1)
    if width not in pattern.widths or widths.get("M", 2) not in WIDTHS[1:]:
        return None
    return Instance(pattern.template, element, width, tuple(macros))


def named_element(word: str, element: str) -> str:
    """Return the element type that `word` of a signature denotes if T's is `element`."""
    if word == "T":
        return element
    if word in "IU":
        return integer_of_size(SIZES.get(element, 0), unsigned=word == "U")
    return {"size_t": "ulong"}.get(word, word)


def integer_of_size(size: int, unsigned: bool) -> str:
    """Return the name of the integer type of `size` bytes; empty if there is none."""
    return next((name for name in (UNSIGNED if unsigned else SIGNED) if SIZES[name] == size), "")


def address_space(space: str) -> str:
    """Return the spelling of an address space before a pointed-to type in OpenCL C."""
    # OpenCL C 1.2 cannot name the generic space; its number in clang's map of distinct spaces is 4.
    return "__attribute__((address_space(4)))" if space == "generic" else f"__{space}"


def in_float(signature: Signature) -> Signature | None:
    """Return the float function that computes a function of half; results by pointer go to private memory."""
    half = [p.element == "half" for p in signature.parameters]
    image = _HALF_IMAGE.fullmatch(signature.name)
    if not any(half) and signature.name != "read_imageh":
        return None
    parameters = tuple(
        replace(p, element="float", space="private") if is_half else p
        for p, is_half in zip(signature.parameters, half, strict=True)
    )
    return Signature(f"{image[1]}f" if image else signature.name, parameters)


def _find_image_function(signature: Signature) -> Instance | None:
    template = find_image_function(signature)
    return Instance(template[0], "", 1, template[1]) if template is not None else None


def _find_conversion(signature: Signature) -> Instance | None:
    """Find convert_<type>[_sat][_<rounding>]: the name, not the parameters, selects the function."""
    match = _CONVERSION.fullmatch(signature.name)
    if not match or len(signature.parameters) != 1:
        return None
    source, width = signature.parameters[0], int(match["width"] or 1)
    if source.pointer or source.width != width or source.element not in (*SIGNED, *UNSIGNED, *FLOATS):
        return None
    if match["sat"] and match["to"] in REALS:
        return None
    rounding = match["rounding"] or ("rte" if match["to"] in REALS else "rtz")
    kinds = [
        f"{side}_IS_{'FLOAT' if name in REALS else 'SIGNED' if name in SIGNED else 'UNSIGNED'}"
        for side, name in (("FROM", source.element), ("TO", match["to"]))
    ]
    macros = [
        ("NAME", f"weft_{signature.name}"),
        ("TO1", match["to"]),
        ("TO_SIZE", str(SIZES[match["to"]])),
        ("TO_BITS", integer_of_size(SIZES[match["to"]], unsigned=False)),
        ("SATURATE", "1" if match["sat"] else "0"),
        (f"ROUND_{rounding.upper()}", "1"),
        *((kind, "1") for kind in kinds),
    ]
    return Instance("convert", source.element, width, tuple(macros))
