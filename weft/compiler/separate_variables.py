"""Take the variables of a program in global memory out of its module.

    @n = addrspace(1) global i32 5, align 4
    define spir_kernel void @k() { ... load i32, ptr addrspace(1) @n ... }

becomes a module of definitions, from which each device makes the storage of the program
(`weft/program_variables.py`), and one of code, which only declares them:

    @weft.variable.n = addrspace(1) global i32 5, align 4

    @weft.variable.n = external addrspace(1) global i32, align 4
    define spir_kernel void @k() { ... load i32, ptr addrspace(1) @weft.variable.n ... }

All kernels and all their code share the storage. Constants stay with the code that reads them, unless a
variable is initialized with their address: the program may compare it. Linear in the length of the text;
programs without variables are left as they are.
"""

import re

from weft import ir
from weft.abi import LARGEST_VARIABLE, LARGEST_VARIABLES, VARIABLE
from weft.codegen.program_text import ProgramText
from weft.errors import BuildError
from weft.ir import GlobalVariable
from weft.ir.types import quoted, size_of

_GLOBAL = " addrspace(1) global "
_GLOBAL_SPACE = 1
_DEFINITION = re.compile(r'^(@(?:"[^"]*"|[-\w.$]+)) = ', re.MULTILINE)
# Strings are passed over: what they hold is no name.
_NAME_OR_STRING = re.compile(r'@(?:"[^"]*"|[-\w.$]+)|"[^"]*"')
_LINKAGES = frozenset(
    (
        *("private", "internal", "dso_local", "common", "weak", "weak_odr", "linkonce", "linkonce_odr"),
        *("local_unnamed_addr", "unnamed_addr", "externally_initialized", "hidden", "protected"),
    )
)


def separate_variables(text: str) -> tuple[str, str]:
    """The module of a program that declares its variables, and the module that defines them ("": none).

    Raises BuildError if they are too large.
    """
    if _GLOBAL not in text:
        return text, ""
    program = ProgramText(text)
    module = ir.parse(program.skeleton())
    found = _variables(module, program.rest)
    if not found:
        return text, ""
    _check_sizes(found)
    names = {v.reference: f"@{quoted(VARIABLE + (v.name or ''))}" for v in found}

    def renamed(part: str) -> str:
        return _NAME_OR_STRING.sub(lambda name: names.get(name[0], name[0]), part)

    definitions = []
    for variable in found:
        variable.prefix = tuple(word for word in variable.prefix if word not in _LINKAGES)
        definitions.append(renamed(ir.print_variable(variable)))
    declarations = {}
    for variable in found:
        variable.prefix, variable.initializer = ("external", *variable.prefix), None
        declarations[variable.reference] = renamed(ir.print_variable(variable))
    lines = []
    for line in text.split("\n"):
        defined = _DEFINITION.match(line)
        lines.append(declarations[defined[1]] if defined and defined[1] in declarations else renamed(line))
    head = [line for line in program.rest.split("\n") if line.startswith(("target ", "%"))]
    return "\n".join(lines), ir.print_module(ir.parse("\n".join((*head, *definitions, ""))))


def _variables(module: ir.Module, text: str) -> list[GlobalVariable]:
    """The variables in global memory that are defined, and all that their initial values refer to."""
    by_reference = {v.reference: v for v in module.variables if v.initializer is not None}
    wanted = {r: v for r, v in by_reference.items() if v.type.space == _GLOBAL_SPACE and not v.is_constant}
    referred = {}
    for line in text.split("\n"):
        defined = _DEFINITION.match(line)
        if defined and defined[1] in by_reference:
            referred[defined[1]] = _NAME_OR_STRING.findall(line, defined.end())
    work = list(wanted)
    while work:
        for reference in referred[work.pop()]:
            if reference in by_reference and reference not in wanted:
                wanted[reference] = by_reference[reference]
                work.append(reference)
    return [v for r, v in by_reference.items() if r in wanted]


def _check_sizes(variables: list[GlobalVariable]) -> None:
    total = 0
    for variable in variables:
        size = size_of(variable.value_type)
        total += size
        if size > LARGEST_VARIABLE:
            raise BuildError(
                f"error: variable '{variable.name}' has {size} bytes; a variable in global memory may have "
                f"{LARGEST_VARIABLE}\n"
            )
    if total > LARGEST_VARIABLES:
        raise BuildError(
            f"error: the variables in global memory have {total} bytes; those of a program may have "
            f"{LARGEST_VARIABLES}\n"
        )
