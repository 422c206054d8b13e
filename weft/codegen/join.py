"""Link several modules into one, before optimization."""

from collections.abc import Iterator, Sequence
from typing import Any

from weft.codegen.binding import LlvmContext, complaints, llvm
from weft.dataclasses import dataclass
from weft.errors import ToolError
from weft.ir.symbols import readable
from weft.lazy_pattern import lazy_pattern

# A structure that is passed by value through a pointer.
_BY_VALUE = lazy_pattern(r"(?:byval|sret)\((.*)\)")
# Modules of one context have different names for the same structure: `%struct.S` and `%struct.S.0`.
_NAMED = lazy_pattern(r'%(?:"[^"]*"|[-\w.$]+)')


def join(modules: Sequence[str]) -> str:
    """Link modules into one.

    Raises ToolError if two define the same symbol, or a function is defined with other types than it is
    declared with: in LLVM, calls of it would be undefined behaviour.
    """
    joined = None
    defined: dict[str, _Signature] = {}
    declared: dict[str, list[_Signature]] = {}
    with LlvmContext() as context:
        for text in modules:
            with complaints("read a compiled program"):
                part = context.parse(text)
                part.verify()
            for name, signature, is_declaration in _signatures(part):
                if name in defined:
                    _check(name, defined[name], signature)
                if is_declaration:
                    declared.setdefault(name, []).append(signature)
                    continue
                defined[name] = signature
                for other in declared.get(name, ()):
                    _check(name, signature, other)
            if joined is None:
                joined = part
            else:
                with complaints("link the programs"):
                    joined.link_in(part)
        return str(joined)


@dataclass(frozen=True)
class _Signature:
    """The types of a function, and the sizes of structures passed by value, by argument number.

    Sizes that SPIR-V programs do not state are missing.
    """

    types: str
    sizes: dict[int, int]


def _check(name: str, defined: _Signature, declared: _Signature) -> None:
    if defined.types != declared.types:
        raise ToolError(
            f"the function '{readable(name)}' is declared as '{declared.types}' "
            f"but defined as '{defined.types}'"
        )
    for number, size in defined.sizes.items():
        if declared.sizes.get(number, size) != size:
            raise ToolError(
                f"the function '{readable(name)}' is declared with a structure of {declared.sizes[number]} "
                f"bytes but defined with one of {size} bytes"
            )


def _signatures(module: Any) -> Iterator[tuple[str, _Signature, bool]]:
    """Yield the functions that other modules can see: name, types, and whether it is only declared."""
    hidden = (llvm().Linkage.internal, llvm().Linkage.private)
    layout = llvm().create_target_data(module.data_layout)
    structures = {str(type).partition(" = ")[0]: type for type in module.struct_types}
    for function in module.functions:
        if function.linkage in hidden:
            continue
        sizes = {}
        for number, argument in enumerate(function.arguments):
            for attribute in argument.attributes:
                by_value = _BY_VALUE.fullmatch(attribute.decode())
                if by_value and by_value[1] in structures:
                    sizes[number] = layout.get_abi_size(structures[by_value[1]])
        types = _NAMED.sub(lambda name: _body(name[0], structures), str(function.global_value_type))
        yield function.name, _Signature(types, sizes), bool(function.is_declaration)


def _body(name: str, structures: dict[str, Any]) -> str:
    """Return the contents of a named structure, without the names of nested ones."""
    body = str(structures[name]).partition(" = type ")[2] if name in structures else name
    return _NAMED.sub("%", body)
