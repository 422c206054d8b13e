"""Writes the translation unit that defines a set of symbols, from the templates of the library."""

from collections.abc import Mapping

from .catalogue import (
    FLOATS,
    LIBRARY_DIRECTORY,
    SIGNED,
    SIZES,
    Instance,
    address_space,
    catalogue,
    integer_of_size,
)
from .demangle import Signature, Type
from .images import spelled

PRELUDE = "prelude.h"


def prelude() -> str:
    """The declarations every template may use."""
    return (LIBRARY_DIRECTORY / PRELUDE).read_text()


def translation_unit(wanted: Mapping[str, tuple[Signature, Instance]]) -> str:
    """OpenCL C that defines each symbol of `wanted`, and nothing else that is visible outside."""
    parts = [f'#line 1 "{PRELUDE}"', prelude()]
    emitted: set[Instance] = set()
    for _, instance in wanted.values():
        for needed in catalogue().closure(instance):
            if needed not in emitted:
                emitted.add(needed)
                parts.append(_instantiate(needed))
    parts += [_entry(i, symbol, *found) for i, (symbol, found) in enumerate(wanted.items())]
    return "\n".join(parts) + "\n"


def _instantiate(instance: Instance) -> str:
    """The template's text between definitions of the macros it is written in."""
    macros = [("N", str(instance.width)), *instance.macros]
    macros += [
        (f"{name}_IS_LOCAL", "1") for name, value in instance.macros if value == address_space("local")
    ]
    if instance.element in SIZES:
        size = SIZES[instance.element]
        macros += [
            ("T1", instance.element),
            ("I1", integer_of_size(size, unsigned=False)),
            ("U1", integer_of_size(size, unsigned=True)),
            ("T_SIZE", str(size)),
            (f"T_IS_{instance.element.upper()}", "1"),
        ]
        if instance.element in FLOATS:
            macros.append(("T_IS_FLOATING", "1"))
        elif instance.element in SIGNED:
            macros.append(("T_IS_SIGNED", "1"))
    define = [f"#define {name} {value}" for name, value in macros]
    undefine = [f"#undef {name}" for name, _ in macros]
    template = catalogue().templates[instance.template]
    return "\n".join([*define, f'#line 1 "{template.name}.cl"', template.text, *undefine])


def _entry(index: int, symbol: str, signature: Signature, instance: Instance) -> str:
    """The visible function: named by the symbol, typed by the signature, returning what the template does."""
    types = [_spell(parameter) for parameter in signature.parameters]
    parameters = ", ".join(f"{text} a{i}" for i, text in enumerate(types)) or "void"
    arguments = ", ".join(f"a{i}" for i in range(len(types)))
    example = ", ".join(f"VALUE_OF({text})" for text in types)
    name = dict(instance.macros).get("NAME", f"weft_{signature.name}")
    head = f"ENTRY __typeof__({name}({example})) weft_entry_{index}({parameters})"
    return f'{head} __asm__("{symbol}");\n{head} {{ return {name}({arguments}); }}'


def _spell(given: Type) -> str:
    value = spelled(given.element) + (str(given.width) if given.width > 1 else "")
    return f"{address_space(given.space)} {value} *" if given.pointer else value
