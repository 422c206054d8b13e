"""The canonical form of programs with functions that are too large to inline.

Usually everything is inlined into each kernel (`codegen/canonicalise.py`). If the kernels of a program exceed
the inlining budget, each function is simplified separately, the call graph decides which functions are not
inlined (`codegen/call_graph.py`), and the rest is inlined. A remaining function is plain code of one
work-item. It is prepared once, here. The passes of the kernel compiler see only its declaration: it may read
and write any memory, and its result is divergent. So it must not contain operations of the work-group:

- barriers, work-group functions, local variables and address-space tests of generic pointers: such functions
  are always inlined;
- work-item functions: their results are passed as arguments (`transform/canonical/ids_to_arguments.py`).
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence

from weft import ir
from weft.abi import VARIABLE
from weft.analysis.group_functions import group_function
from weft.analysis.memory_effects import OWN_FUNCTION
from weft.analysis.sub_group_functions import sub_group_function
from weft.analysis.work_items import BARRIERS
from weft.codegen.call_graph import CallGraph, InliningBudget
from weft.codegen.canonicalise import canonicalise, canonicalise_calls, simplify, unroll_marked_loops
from weft.codegen.program_text import ProgramText
from weft.errors import BuildError
from weft.ir.address_spaces import SPACE_QUERIES
from weft.ir.lexer import unquote
from weft.ir.symbols import readable
from weft.lazy_pattern import lazy_pattern
from weft.target import Target
from weft.transform.canonical.ids_to_arguments import ids_to_arguments
from weft.transform.canonical.infer_address_spaces import infer_address_spaces
from weft.transform.canonical.unroll_array_loops import unroll_array_loops
from weft.transform.workgroup.guard_divisions import guard_divisions
from weft.transform.workgroup.keep_calls import keep_calls
from weft.transform.workgroup.keep_only import drop_convergent
from weft.transform.workgroup.lower_printf import lower_printf

# How many instructions built-ins have, of those that are called.
Sizes = Callable[[Iterable[str]], Mapping[str, int]]

_LINKAGES = frozenset(
    ("private", "internal", "dso_local", "common", "weak", "weak_odr", "linkonce", "linkonce_odr")
)
_ARRAY = " = alloca ["
_VECTOR_ARRAY = lazy_pattern(r" = alloca \[\d+ x <")
_VARIABLE = lazy_pattern(r'^(@(?:"[^"]*"|[-\w.$]+)) = ([^{\["@]*)', re.MULTILINE)


def canonical_programs(
    text: str,
    kernels: Sequence[str],
    parts: Sequence[str],
    largest: int,
    sizes: Sizes,
    has_builtin: Callable[[str], bool],
    target: Target,
) -> list[tuple[ProgramText, tuple[str, ...]]]:
    """The canonical form of a module, and whose kernels' it is: one, or two if only some keep calls.

    `parts` define built-ins that are inlined as well, `largest` is the most instructions of a kernel, `sizes`
    tells those of other built-ins, `has_builtin` which there are. Raises BuildError for functions that call
    themselves in a program that is too large to inline them.
    """
    found = _canonical_programs(text, kernels, parts, largest, sizes, target)
    return [
        (ProgramText(_without_short_arrays(_with_inferred_spaces(program, has_builtin), target)), names)
        for program, names in found
    ]


def _with_inferred_spaces(text: str, has_builtin: Callable[[str], bool]) -> str:
    """The program in which generic pointers have the address space that they are known to point to."""
    if "addrspace(4)" not in text:
        return text
    module = ir.parse(text)
    for function in module.functions:
        if not function.is_declaration:
            infer_address_spaces(function, has_builtin)
    unused = [f for f in module.functions if f.is_declaration and not f.users]
    for function in unused:
        module.remove(function)
    return ir.print_module(module)


def _without_short_arrays(text: str, target: Target) -> str:
    """The program without private arrays that dissolve when short loops are unrolled."""
    across_barriers = _ARRAY in text and any(f"@{name}" in text for name in BARRIERS)
    if not across_barriers and not _VECTOR_ARRAY.search(text):
        return text
    module = ir.parse(text)
    marked = sum(unroll_array_loops(f) for f in module.functions if not f.is_declaration)
    return unroll_marked_loops(ir.print_module(module), target) if marked else text


def _canonical_programs(
    text: str, kernels: Sequence[str], parts: Sequence[str], largest: int, sizes: Sizes, target: Target
) -> list[tuple[str, tuple[str, ...]]]:
    budget = InliningBudget(largest)
    program = ProgramText(text)
    graph = CallGraph(program, [k for k in kernels if program.defines(k)])
    if graph.largest() <= largest:
        return [(canonicalise(program.only(graph.callers_first()), target, parts), tuple(kernels))]
    simple = ProgramText(simplify(program.only(graph.kernels), target))
    large = tuple(k for k in kernels if CallGraph(simple, [k]).largest() > largest)
    small = tuple(k for k in kernels if k not in large)
    found = []
    if small:
        inlined = program.only(CallGraph(program, small).callers_first())
        found.append((canonicalise(inlined, target, parts), small))
    if large:
        reached = ProgramText(simple.only(large))
        found.append((_with_calls(reached, large, parts, budget, sizes, target), large))
    return found


def _with_calls(
    text: ProgramText,
    kernels: Sequence[str],
    parts: Sequence[str],
    budget: InliningBudget,
    sizes: Sizes,
    target: Target,
) -> str:
    graph = CallGraph(text, kernels)
    refuse_recursion(graph)
    kept = graph.to_keep(_candidates(text, graph), budget)
    return _prepare(canonicalise_calls(text, graph.callers_first(), kept, target, parts), kernels, sizes)


def kernel_and_functions(text: str, name: str) -> tuple[str, tuple[str, ...]]:
    """The module of a kernel, in which functions that it calls are declared, and theirs if there are any."""
    if f"@{OWN_FUNCTION}" not in text and f'@"{OWN_FUNCTION}' not in text:
        return text, ()
    kernel, functions = ProgramText(text).apart(name)
    return kernel, (functions,)


def refuse_recursion(graph: CallGraph) -> None:
    """Raise BuildError if a function leads back to itself."""
    recursive = graph.recursive()
    for kernel in graph.kernels if recursive else ():
        for name in graph.text.reached_from([kernel]):
            if name in recursive:
                raise BuildError(
                    f"error: kernel '{kernel}' calls '{readable(name)}', which is recursive; "
                    "OpenCL C does not support recursion\n"
                )


def _candidates(text: ProgramText, graph: CallGraph) -> frozenset[str]:
    """The functions that may stay functions: nothing in them, or in what they call, concerns a work-group."""
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
    """Whether work-items call a function together, or it is about the memory of a group."""
    return (
        symbol in BARRIERS
        or symbol in SPACE_QUERIES
        or group_function(symbol) is not None
        or sub_group_function(symbol) is not None
    )


def _prepare(text: str, kernels: Sequence[str], sizes: Sizes) -> str:
    """The program with functions that are ready to be compiled, and kernels that call them."""
    module = ir.parse(text)
    graph = CallGraph(ProgramText(text), kernels)
    functions = [module.function(name) for name in graph.order if name not in kernels]
    for function in functions:
        lower_printf(function)
    ids_to_arguments(functions, [module.function(name) for name in kernels])
    called = [f.name or "" for f in module.functions if f.is_declaration]
    keep_calls(functions, sizes(called))
    for function in functions:
        guard_divisions(function)
        del module.globals[function.name or ""]
        function.name = OWN_FUNCTION + (function.name or "")
        function.prefix = tuple(w for w in function.prefix if w not in _LINKAGES)  # for other modules to call
        module.globals[function.name] = function
    drop_convergent(module)
    for variable in module.variables:
        # The modules of a kernel and of its functions both have the program's constants. Linked, these are
        # one: the program may compare their addresses.
        if variable.is_constant and variable.initializer is not None:
            words = (w for w in variable.prefix if w not in _LINKAGES)
            variable.prefix = ("linkonce_odr", *words)
    return ir.print_module(module)
