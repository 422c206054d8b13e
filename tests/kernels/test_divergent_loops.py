"""Divergent loops do the same with each strategy as their reference says, lane by lane or all together.

The kernels of `divergent/` are run with every strategy for each of their launches; `make test-all` runs all
kernels that have loops.
"""

import copy
from typing import Any

import pytest
from kernel_case import KernelCase, Range, all_cases
from kernel_ways import DIVERGENT, DivergentLoops

LOOPS = ("for", "while", "do", "goto")


def runs() -> list[Any]:
    """Every kernel with loops, each launch and each strategy; those not about divergent loops are slow."""
    found = []
    for case in all_cases():
        if case.error is not None or not any(word in case.source for word in LOOPS):
            continue
        marks = () if case.path.parent.name == "divergent" else (pytest.mark.slow,)
        for launch in case.launches:
            for strategy in DIVERGENT:
                name = f"{case.name}:{launch.text.replace(' ', '')}-{strategy}"
                found.append(pytest.param(case, launch, strategy, id=name, marks=marks))
    return found


@pytest.mark.parametrize(("case", "launch", "strategy"), runs())
def test_strategy_equals_the_reference(case: KernelCase, launch: Range, strategy: str) -> None:
    arguments = case.make_arguments(launch)
    expected = copy.deepcopy(arguments)
    case.apply_reference(launch, expected)
    case.compare(expected, DivergentLoops(strategy).run(case, launch, arguments))
