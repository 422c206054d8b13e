"""Which functions of a program stay functions."""

from weft.codegen.call_graph import CallGraph, InliningBudget
from weft.codegen.program_text import ProgramText
from weft.compiler.build_program import compile_program
from weft.frontend.options import parse_options


def _function(name: str, size: int, calls: list[str]) -> str:
    lines = [f"  %x{n} = add i32 0, {n}" for n in range(size)]
    lines += [f"  %c{n} = call i32 @{callee}()" for n, callee in enumerate(calls)]
    return "\n".join([f"define i32 @{name}() {{", *lines, "  ret i32 0", "}\n"])


def _graph(*functions: tuple[str, int, list[str]]) -> CallGraph:
    return CallGraph(ProgramText("\n".join(_function(*f) for f in functions)), ["k"])


def test_program_within_budget_keeps_no_function() -> None:
    graph = _graph(("f", 50, []), ("g", 10, ["f", "f"]), ("k", 10, ["g", "f"]))
    assert graph.to_keep(["f", "g"], InliningBudget(1000)) == frozenset()


def test_large_functions_called_often_stay_small_ones_and_those_called_once_do_not() -> None:
    graph = _graph(
        ("small", 5, []),
        ("large", 300, ["small"]),
        ("once", 100, ["small"]),
        ("k", 10, ["large"] * 20 + ["once"]),
    )
    assert graph.to_keep(["small", "large", "once"], InliningBudget(1000)) == {"large"}


def test_functions_that_are_no_candidates_are_inlined_whatever_their_size() -> None:
    graph = _graph(("large", 300, []), ("k", 10, ["large"] * 20))
    assert graph.to_keep([], InliningBudget(1000)) == frozenset()


def test_budget_of_nothing_keeps_all() -> None:
    graph = _graph(("f", 1, []), ("k", 1, ["f"]))
    assert graph.to_keep(["f"], InliningBudget(0)) == {"f"}


def test_sizes_that_double_with_each_call_are_counted_not_built() -> None:
    functions = [("f0", 1, []), *((f"f{n}", 1, [f"f{n - 1}"] * 2) for n in range(1, 200))]
    graph = _graph(*functions, ("k", 1, ["f199"]))
    assert graph.largest() > 2**199
    kept = graph.to_keep([name for name, _, _ in functions], InliningBudget(1000))
    sizes, _ = graph._sizes(kept, 0)
    assert max(sizes.values()) <= 1000


def test_functions_that_lead_back_to_themselves_are_found() -> None:
    graph = _graph(
        ("f", 1, ["g"]), ("g", 1, ["f"]), ("h", 1, ["f"]), ("self", 1, ["self"]), ("k", 1, ["h", "self"])
    )
    assert graph.recursive() == {"f", "g", "self"}


def test_functions_that_lead_to_others_are_found() -> None:
    graph = _graph(("f", 1, []), ("g", 1, ["f"]), ("h", 1, []), ("k", 1, ["g", "h"]))
    assert graph.leading_to(["f"]) == {"f", "g", "k"}


def test_a_chain_of_calls_is_inlined_in_linear_time() -> None:
    def canonical_length(depth: int) -> int:
        functions = ["int f0(int x, global int *p) { if (x & 1) p[x & 7] += x; return x * 3; }"]
        functions += [
            f"int f{n}(int x, global int *p) {{ if (x & {n}) p[x & 7] += x; return f{n - 1}(x * 3, p) + x; }}"
            for n in range(1, depth)
        ]
        source = "\n".join(functions) + f"kernel void k(global int *p) {{ p[0] = f{depth - 1}(p[1], p); }}"
        (kernel,) = compile_program(source, parse_options("")).kernels
        return len(kernel.text)

    # Were callees inlined first, each level would add a suffix to the names of all values below it.
    assert canonical_length(120) < 5 * canonical_length(30)
