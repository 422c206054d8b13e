"""Export the functions of a program that are not inlined: kernels in other modules call them.

    @t = internal addrspace(2) constant …           @t = linkonce_odr addrspace(2) constant …
    define internal float @f(float %x) #2           define float @weft.function.f(float %x) #2
    attributes #2 = { convergent nounwind }         attributes #2 = { nounwind }

Each function gets the prefix by which kernels refer to it. The program's constants are in the modules of a
kernel and of its functions; the linker merges them, because the program may compare their addresses. Such a
function contains no work-group operations, so nothing is `convergent`.

Refuses nothing. Linear.
"""

from collections.abc import Sequence

from weft.analysis.memory_effects import OWN_FUNCTION
from weft.ir import Function, Module

from .keep_only import drop_convergent

_LINKAGES = frozenset(
    ("private", "internal", "dso_local", "common", "weak", "weak_odr", "linkonce", "linkonce_odr")
)


def export_functions(module: Module, functions: Sequence[Function]) -> int:
    """Rename functions and give them and the constants external linkage; return the number of functions."""
    for function in functions:
        del module.globals[function.name or ""]
        function.name = OWN_FUNCTION + (function.name or "")
        function.prefix = _external(function.prefix)
        module.globals[function.name] = function
    if not functions:
        return 0
    drop_convergent(module)
    for variable in module.variables:
        if variable.is_constant and variable.initializer is not None:
            variable.prefix = ("linkonce_odr", *_external(variable.prefix))
    return len(functions)


def _external(words: Sequence[str]) -> tuple[str, ...]:
    return tuple(w for w in words if w not in _LINKAGES)
