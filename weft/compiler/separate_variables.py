"""Move the definitions of a program's variables in global memory to a separate module.

    @n = addrspace(1) global i32 5, align 4
    define spir_kernel void @k() { ... load i32, ptr addrspace(1) @n ... }

becomes a module of definitions, from which each device allocates the storage of the program
(`weft/program_variables.py`), and one of code, which only declares the variables:

    @weft.variable.n = addrspace(1) global i32 5, align 4

    @weft.variable.n = external addrspace(1) global i32, align 4
    define spir_kernel void @k() { ... load i32, ptr addrspace(1) @weft.variable.n ... }

All kernels and all versions of their code share the storage. Constants stay with the code that reads them,
unless a variable is initialized with their address, which the program may compare. Linear in the length of
the text; programs without such variables are not changed.
"""

import re
from collections.abc import Mapping

from weft import ir
from weft.abi import LARGEST_ALIGNMENT, LARGEST_VARIABLE, LARGEST_VARIABLES, VARIABLE
from weft.codegen.program_text import ProgramText
from weft.errors import BuildError
from weft.ir import GlobalVariable
from weft.ir.types import size_of
from weft.lazy_pattern import lazy_pattern

_GLOBAL = " addrspace(1) global "
_GLOBAL_SPACE = 1
_DEFINITION = lazy_pattern(r'^(@(?:"[^"]*"|[-\w.$]+)) = ', re.MULTILINE)
# Strings are matched too, so that names inside them are skipped.
_NAME_OR_STRING = lazy_pattern(r'@(?:"[^"]*"|[-\w.$]+)|"[^"]*"')
# Characters that are not allowed in a plain name.
_UNUSUAL = lazy_pattern(r"[^\w.]", re.ASCII)
_ALIAS = lazy_pattern(r'^(@(?:"[^"]*"|[-\w.$]+)) = (?:\w+ )*alias ')
_LINKAGES = frozenset(
    (
        *("private", "internal", "dso_local", "common", "weak", "weak_odr", "linkonce", "linkonce_odr"),
        *("local_unnamed_addr", "unnamed_addr", "externally_initialized", "hidden", "protected"),
    )
)


def separate_variables(text: str) -> tuple[str, str]:
    """Return the module of a program with its variables declared, and the module of definitions ("": none).

    Raises BuildError if the variables are too large.
    """
    if _GLOBAL not in text:
        return text, ""
    program = ProgramText(text)
    module = ir.parse(program.skeleton())
    variables = _variables(module, program.rest)
    if not variables:
        return text, ""
    for variable in variables:
        _check_alignment(variable)
    _check_sizes(variables)
    names = {_key(v.reference): f"@{_plain(v.name or '', number)}" for number, v in enumerate(variables)}
    _refuse_aliases(program.rest, names)

    def renamed(part: str) -> str:
        return _NAME_OR_STRING.sub(lambda name: names.get(_key(name[0]), name[0]), part)

    definitions = []
    for variable in variables:
        variable.prefix = tuple(word for word in variable.prefix if word not in _LINKAGES)
        definitions.append(renamed(ir.print_variable(variable)))
    declarations = {}
    for variable in variables:
        variable.prefix, variable.initializer = ("external", *variable.prefix), None
        declarations[_key(variable.reference)] = renamed(ir.print_variable(variable))
    lines = []
    for line in text.split("\n"):
        defined = _DEFINITION.match(line)
        declared = declarations.get(_key(defined[1])) if defined else None
        lines.append(declared or renamed(line))
    head = [line for line in program.rest.split("\n") if line.startswith(("target ", "%"))]
    return "\n".join(lines), ir.print_module(ir.parse("\n".join((*head, *definitions, ""))))


def _variables(module: ir.Module, text: str) -> list[GlobalVariable]:
    """Return the defined variables in global memory, and all that their initial values refer to."""
    # LLVM's own variables are lists of used or annotated symbols.
    own = [v for v in module.variables if not (v.name or "").startswith("llvm.")]
    by_key = {_key(v.reference): v for v in own if v.initializer is not None}
    undefined = {_key(v.reference) for v in own if v.initializer is None}
    moved = {k: v for k, v in by_key.items() if v.type.space == _GLOBAL_SPACE and not v.is_constant}
    referred = {}
    for line in text.split("\n"):
        defined = _DEFINITION.match(line)
        if defined and _key(defined[1]) in by_key:
            names = _NAME_OR_STRING.findall(line, defined.end())
            referred[_key(defined[1])] = [_key(name) for name in names if name[0] == "@"]
    work = list(moved)
    while work:
        key = work.pop()
        for other in referred[key]:
            if other in undefined:
                raise BuildError(
                    f"error: the variable '{by_key[key].name}' is initialized with the address of '{other}', "
                    "which is not defined\n"
                )
            if other in by_key and other not in moved:
                moved[other] = by_key[other]
                work.append(other)
    return [v for k, v in by_key.items() if k in moved]


def _key(reference: str) -> str:
    """Return the name of a variable in a text, without quotation marks; "" for a string."""
    return reference[1:].strip('"') if reference[0] == "@" else ""


def _plain(name: str, number: int) -> str:
    """Return a name that needs no quotation marks and is unique."""
    plain = _UNUSUAL.sub("_", name)
    return f"{VARIABLE}{plain}" if plain == name else f"{VARIABLE}{plain}.{number}"


def _refuse_aliases(text: str, names: Mapping[str, str]) -> None:
    for line in text.split("\n"):
        alias = _ALIAS.match(line)
        if alias and any(_key(name) in names for name in _NAME_OR_STRING.findall(line, alias.end())):
            raise BuildError(f"error: '{_key(alias[1])}' is an alias of a variable, which is not supported\n")


def _check_alignment(variable: GlobalVariable) -> None:
    for word, _, number in (suffix.partition(" ") for suffix in variable.suffix):
        if word == "align" and int(number) > LARGEST_ALIGNMENT:
            raise BuildError(
                f"error: variable '{variable.name}' is aligned to {number} bytes; the limit in global "
                f"memory is {LARGEST_ALIGNMENT}\n"
            )


def _check_sizes(variables: list[GlobalVariable]) -> None:
    total = 0
    for variable in variables:
        size = size_of(variable.value_type)
        total += size
        if size > LARGEST_VARIABLE:
            raise BuildError(
                f"error: variable '{variable.name}' has {size} bytes; the limit in global memory is "
                f"{LARGEST_VARIABLE}\n"
            )
    if total > LARGEST_VARIABLES:
        raise BuildError(
            f"error: the variables in global memory have {total} bytes; the limit of a program is "
            f"{LARGEST_VARIABLES}\n"
        )
