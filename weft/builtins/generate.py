"""Generate the translation unit that defines a set of symbols from the templates of the library."""

from collections.abc import Mapping

from weft.dataclasses import replace

from .catalogue import (
    LIBRARY_DIRECTORY,
    REALS,
    SIGNED,
    SIZES,
    Instance,
    address_space,
    catalogue,
    in_float,
    integer_of_size,
)
from .demangle import Signature, Type
from .images import spelled

PRELUDE = "prelude.h"


def prelude() -> str:
    """Return the declarations that every template may use."""
    return (LIBRARY_DIRECTORY / PRELUDE).read_text()


def translation_unit(wanted: Mapping[str, tuple[Signature, Instance]]) -> str:
    """Return OpenCL C that defines each symbol of `wanted`, and nothing else that is visible outside."""
    parts = [f'#line 1 "{PRELUDE}"', prelude()]
    emitted: set[Instance] = set()
    for _, instance in wanted.values():
        for dependency in catalogue().closure(instance):
            if dependency not in emitted:
                emitted.add(dependency)
                parts.append(_instantiate(dependency))
    parts += [_entry(i, symbol, *definition) for i, (symbol, definition) in enumerate(wanted.items())]
    return "\n".join(parts) + "\n"


def _instantiate(instance: Instance) -> str:
    """Return the template's text between definitions of its macros."""
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
        if instance.element in REALS:
            macros.append(("T_IS_FLOATING", "1"))
        elif instance.element in SIGNED:
            macros.append(("T_IS_SIGNED", "1"))
    define = [f"#define {name} {value}" for name, value in macros]
    undefine = [f"#undef {name}" for name, _ in macros]
    template = catalogue().templates[instance.template]
    return "\n".join([*define, f'#line 1 "{template.name}.cl"', template.text, *undefine])


def _entry(index: int, symbol: str, signature: Signature, instance: Instance) -> str:
    """Return the visible function: it has the symbol and the signature, and calls the template's."""
    types = [_spell(parameter) for parameter in signature.parameters]
    parameters = ", ".join(f"{text} a{i}" for i, text in enumerate(types)) or "void"
    name = dict(instance.macros).get("NAME", f"weft_{signature.name}")
    wide = in_float(signature) if instance.through_float else None
    if wide is None:
        example = ", ".join(f"VALUE_OF({text})" for text in types)
        arguments = ", ".join(f"a{i}" for i in range(len(types)))
        body = f"return {name}({arguments});"
    else:
        example = ", ".join(f"VALUE_OF({_spell(parameter)})" for parameter in wide.parameters)
        body = _body_in_float(name, signature, wide)
    result = f"{name}({example})"
    if wide is not None and _returns_half(signature):
        result = f"weft_narrow({result})"
    head = f"ENTRY __typeof__({result}) weft_entry_{index}({parameters})"
    return f'{head} __asm__("{symbol}");\n{head} {{ {body} }}'


def _body_in_float(name: str, signature: Signature, wide: Signature) -> str:
    """Return a body that calls the float function `wide` with widened arguments and narrows its results."""
    before, after, arguments = "", "", []
    for i, (parameter, used) in enumerate(zip(signature.parameters, wide.parameters, strict=True)):
        if parameter == used:
            arguments.append(f"a{i}")
        elif parameter.pointer:
            before += f"{_spell(replace(used, pointer=False))} b{i}; "
            after += f"*a{i} = weft_narrow(b{i}); "
            arguments.append(f"&b{i}")
        else:
            arguments.append(f"weft_widen(a{i})")
    call = f"{name}({', '.join(arguments)})"
    if _returns_half(signature):
        call = f"weft_narrow({call})"
    if not after:
        return f"return {call};"
    return f"{before}__typeof__({call}) result = {call}; {after}return result;"


def _returns_half(signature: Signature) -> bool:
    """Return whether weft_narrow takes the result of a function computed in float (half or int)."""
    return not signature.name.startswith(("convert_", "write_"))


def _spell(parameter: Type) -> str:
    value = spelled(parameter.element) + (str(parameter.width) if parameter.width > 1 else "")
    return f"{address_space(parameter.space)} {value} *" if parameter.pointer else value
