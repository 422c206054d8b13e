"""What the shape analysis claims of a value is so, in every run of every kernel."""

from collections.abc import Sequence
from typing import Any

import pytest
from kernel_case import KernelCase, Range, all_cases
from kernel_ways import interpret, link, the_kernel
from shape_observer import ShapeObserver

from weft import ir
from weft.analysis.shapes import Shapes, shapes
from weft.builtins.library import link_in
from weft.codegen.target import host_target
from weft.compiler import builtin_flags

CASES = [case for case in all_cases() if case.error is None]
# Larger groups show nothing more and take the interpreter long.
LARGEST_GROUP = 64


@pytest.mark.parametrize("case", CASES, ids=[c.name for c in CASES])
def test_shapes_hold_in_every_run(case: KernelCase) -> None:
    launches = [r for r in case.launches if max(r.local_size) <= LARGEST_GROUP] or case.launches[:1]
    for launch in launches:
        size, wide = launch.triple(launch.local_size), launch.needs_wide_ids
        analysed = ir.parse(the_kernel(case).code.text).function(the_kernel(case).name)
        results = [shapes(analysed, s, wide, flags) for s in (None, size) for flags in (True, False)]
        assert observe(case, launch, analysed, results).problems == []


def observe(
    case: KernelCase, launch: Range, analysed: ir.Function, results: Sequence[Shapes]
) -> ShapeObserver:
    """Runs a launch and compares it with what was found out about the kernel's function."""
    kernel = the_kernel(case)
    # The compiler analyses the kernel before built-ins are linked: so does this, for the same code.
    library = link_in(kernel.code.builtins, host_target().cpu, builtin_flags(kernel.options))
    module = ir.parse(link([kernel.code.text, *library.modules]))
    function = module.function(kernel.name)
    observer = ShapeObserver(function, results, same_places(function, analysed))
    interpret(module, case, launch, case.make_arguments(launch), (observer,))
    observer.finish()
    return observer


def same_places(function: ir.Function, other: ir.Function) -> dict[Any, Any]:
    """The blocks and instructions of a function with the same code."""
    pairs: dict[Any, Any] = dict(zip(function.blocks, other.blocks, strict=True))
    pairs.update(zip(function.instructions(), other.instructions(), strict=True))
    return pairs
