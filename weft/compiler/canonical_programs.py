"""The canonical form of programs, after LLVM's passes and the passes of the kernel compiler at build time.

Usually everything is inlined into each kernel (`codegen/canonicalise.py`). If the kernels of a program exceed
the inlining budget, each function is simplified separately, the call graph decides which functions are not
inlined (`codegen/call_graph.py`), and the rest is inlined. The passes for these functions are
`FUNCTION_PASSES`, those for all functions `BUILD_PASSES` (`passes.py`).
"""

from collections.abc import Sequence

from weft import ir
from weft.codegen.call_graph import CallGraph, InliningBudget
from weft.codegen.canonicalise import canonicalise, canonicalise_calls, simplify, unroll_marked_loops
from weft.codegen.program_text import ProgramText
from weft.compiler.apply_passes import separate_functions
from weft.compiler.compilation_unit import CompilationUnit
from weft.compiler.passes import BUILD_PASSES, FUNCTION_PASSES
from weft.compiler.pipeline import Contracts, run_pass, run_pipeline
from weft.functions import refuse_recursion, separable
from weft.kernel import CodeOptions
from weft.target import Target
from weft.trace import Trace

_PROGRAM = "program"
"""The name by which dumps and messages refer to a program during its build."""


def canonical_programs(
    text: str,
    kernels: Sequence[str],
    parts: Sequence[str],
    largest: int,
    options: CodeOptions,
    target: Target,
) -> list[tuple[ProgramText, tuple[str, ...]]]:
    """Return canonical modules with the kernels in each: one, or two if only some kernels keep calls.

    `parts` define built-ins to inline, `largest` is the most instructions of a kernel. Raises BuildError for
    recursive functions in a program that is too large for inlining.
    """
    program = ProgramText(text)
    graph = CallGraph(program, [k for k in kernels if program.defines(k)])
    if graph.largest() <= largest:
        whole = canonicalise(program.only(graph.callers_first()), target, parts)
        return [(ProgramText(_after_passes(whole, False, options, target)), tuple(kernels))]
    simple = ProgramText(simplify(program.only(graph.kernels), target))
    large = tuple(k for k in kernels if CallGraph(simple, [k]).largest() > largest)
    small = tuple(k for k in kernels if k not in large)
    programs = []
    if small:
        inlined = canonicalise(program.only(CallGraph(program, small).callers_first()), target, parts)
        programs.append((ProgramText(_after_passes(inlined, False, options, target)), small))
    if large:
        reached = ProgramText(simple.only(large))
        graph = CallGraph(reached, large)
        refuse_recursion(graph)
        kept = graph.to_keep(separable(reached, graph), InliningBudget(largest))
        called = canonicalise_calls(reached, graph.callers_first(), kept, target, parts)
        programs.append((ProgramText(_after_passes(called, True, options, target)), large))
    return programs


def _after_passes(text: str, has_functions: bool, options: CodeOptions, target: Target) -> str:
    """Run the build-time passes over a program in canonical form.

    The text is parsed only if some pass has work in it.
    """
    applicable = [p for p in BUILD_PASSES if p.concerns(text)]
    if not applicable and not has_functions:
        return text
    module = ir.parse(text)
    defined = [f for f in module.functions if not f.is_declaration]
    trace = Trace.from_settings(_PROGRAM, Contracts(_PROGRAM))
    separate = separate_functions(module) if has_functions else []
    if separate:
        run_pipeline(CompilationUnit.of_functions(module, separate, options, target), trace, FUNCTION_PASSES)
    unit = CompilationUnit.of_functions(module, defined, options, target)
    changes = sum(bool(run_pass(p, unit, trace)) for p in applicable)
    if not changes and not separate:
        return text
    text = ir.print_module(module)
    return unroll_marked_loops(text, target) if unit.has_marked_loops else text
