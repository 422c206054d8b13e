"""Functions of large programs that are not inlined: which may stay functions, and the modules they are in.

If the kernels of a program exceed the inlining budget, the call graph decides which functions are not inlined
(`codegen/call_graph.py`). A remaining function is plain code of one work-item. It is prepared once, when the
program is built (`compiler/canonical_programs.py`). The passes of the kernel compiler see only its
declaration: it may read and write any memory, and its result is divergent. So it must not contain operations
of the work-group:

- barriers, work-group functions, local variables and address-space tests of generic pointers: such functions
  are always inlined;
- work-item functions: their results are passed as arguments (`transform/canonical/ids_to_arguments.py`).
"""

import re

from weft.abi import VARIABLE
from weft.analysis.group_functions import group_function
from weft.analysis.memory_effects import OWN_FUNCTION
from weft.analysis.sub_group_functions import sub_group_function
from weft.analysis.work_items import BARRIERS
from weft.codegen.call_graph import CallGraph
from weft.codegen.program_text import ProgramText
from weft.errors import BuildError
from weft.ir.address_spaces import SPACE_QUERIES
from weft.ir.lexer import unquote
from weft.ir.symbols import readable
from weft.lazy_pattern import lazy_pattern

_VARIABLE = lazy_pattern(r'^(@(?:"[^"]*"|[-\w.$]+)) = ([^{\["@]*)', re.MULTILINE)


def kernel_and_functions(text: str, name: str) -> tuple[str, tuple[str, ...]]:
    """Return the module of a kernel, which declares the functions that it calls, and the modules of these."""
    if f"@{OWN_FUNCTION}" not in text and f'@"{OWN_FUNCTION}' not in text:
        return text, ()
    kernel, functions = ProgramText(text).split(name)
    return kernel, (functions,)


def refuse_recursion(graph: CallGraph) -> None:
    """Raise BuildError if a function is recursive, directly or indirectly."""
    recursive = graph.recursive()
    for kernel in graph.kernels if recursive else ():
        for name in graph.text.reached_from([kernel]):
            if name in recursive:
                raise BuildError(
                    f"error: kernel '{kernel}' calls '{readable(name)}', which is recursive; "
                    "OpenCL C does not support recursion\n"
                )


def separable(text: ProgramText, graph: CallGraph) -> frozenset[str]:
    """Return the functions that need not be inlined: those without work-group operations, also in callees."""
    variables = {
        name
        for name, words in _VARIABLE.findall(text.rest)
        if " constant " not in f" {words} " and not unquote(name).startswith(VARIABLE)
    }
    inlined = {
        name
        for name in graph.order
        if any(map(_concerns_group, text.calls_in(name)))
        or not variables.isdisjoint(text.mentioned_in(name))
        or text.calls_pointers(name)
    }
    return frozenset(graph.order) - graph.leading_to(inlined) - text.addressed() - set(graph.kernels)


def _concerns_group(symbol: str) -> bool:
    """Whether a function is a work-group operation: called by all work-items together, or on group memory."""
    return (
        symbol in BARRIERS
        or symbol in SPACE_QUERIES
        or group_function(symbol) is not None
        or sub_group_function(symbol) is not None
    )
