"""What the divergence analysis calls uniform is the same for all work-items, in every run of every kernel."""

from collections.abc import Callable

import pytest
from kernel_case import FOLDER, KernelCase, Range, all_cases, load
from kernel_ways import interpret, link, the_kernel, variables
from uniformity import UniformityObserver

from weft import ir
from weft.analysis.divergence import Divergence, divergence
from weft.builtins.library import link_in
from weft.codegen.host import host_target
from weft.compiler.builtin_flags import builtin_flags

CASES = [case for case in all_cases() if case.error is None]
# Larger groups show nothing more and take the interpreter long.
LARGEST_GROUP = 64


@pytest.mark.parametrize("case", CASES, ids=[c.name for c in CASES])
def test_uniform_values_are_equal_in_all_work_items(case: KernelCase) -> None:
    launches = [r for r in case.launches if max(r.local_size) <= LARGEST_GROUP] or case.launches[:1]
    for launch in launches:
        assert observe(case, launch, divergence).problems == []


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("plain/vector_add", "%call"),
        ("values/counter_of_divergent_loop", "is run"),
        ("loops/carried_values", "%x."),
    ],
)
def test_a_wrong_claim_is_found(name: str, found: str) -> None:
    case = load(FOLDER / f"{name}.cl")
    observer = observe(case, case.launches[0], lambda function: Divergence(frozenset(), frozenset()))
    assert any(found in problem for problem in observer.problems)


def observe(
    case: KernelCase, launch: Range, analyse: Callable[[ir.Function], Divergence]
) -> UniformityObserver:
    """Runs a launch and compares it with what an analysis claims."""
    kernel = the_kernel(case)
    library = link_in(kernel.code.builtins, host_target(), builtin_flags(kernel.options))
    text = link([kernel.code.text, *library.modules, *variables(kernel)])
    module = ir.parse(text)
    function = module.function(kernel.name)
    # The compiler analyses the kernel before built-ins are linked: so does this, for the same code.
    alone = ir.parse(kernel.code.text).function(kernel.name)
    observer = UniformityObserver(
        function, transferred(analyse(alone), alone, function), kernel.code.sub_group_size > 0
    )
    interpret(module, case, launch, case.make_arguments(launch), (observer,))
    observer.finish()
    return observer


def transferred(shape: Divergence, analysed: ir.Function, function: ir.Function) -> Divergence:
    """The divergence of a function, for another one with the same code."""
    pairs: dict[ir.Value, ir.Value] = dict(zip(analysed.blocks, function.blocks, strict=True))
    pairs.update(zip(analysed.instructions(), function.instructions(), strict=True))
    values = frozenset(pairs[v] for v in shape.values)
    return Divergence(values, frozenset(pairs[b] for b in shape.blocks))  # type: ignore[misc]
