"""Work-item loops in any order, unrolled or not, do what the reference says."""

from dataclasses import replace
from typing import Any

import kernel_ways
import pytest
from kernel_case import KernelCase, Range, all_cases

from weft.kernel import CodeOptions

CHOICES = {"y": {"innermost": "y"}, "z": {"innermost": "z"}, "unrolled": {"innermost": "x", "unroll": 16}}

FLAT = [(c, r) for c in all_cases() for r in c.launches if sum(n > 1 for n in r.local_size) > 1]
# One-dimensional launches have no other order; a few of them do for unrolling.
SHORT = [(c, r) for c in all_cases() for r in c.launches[:1] if 1 < r.local_size[0] <= 16]
RUNS = [(c, r, name) for c, r in FLAT for name in CHOICES]
RUNS += [(c, r, "unrolled") for c, r in SHORT[::5] if (c, r) not in FLAT]


@pytest.mark.parametrize(
    ("case", "launch", "choice"), RUNS, ids=[f"{c.name}:{r.text.replace(' ', '')}-{n}" for c, r, n in RUNS]
)
def test_choice_makes_no_difference(
    case: KernelCase, launch: Range, choice: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    compile_work_group = kernel_ways.compile_work_group

    def chosen(code: Any, options: CodeOptions, *rest: Any, **named: Any) -> Any:
        return compile_work_group(code, replace(options, **CHOICES[choice]), *rest, **named)

    monkeypatch.setattr(kernel_ways, "compile_work_group", chosen)
    arguments = case.make_arguments(launch)
    expected = case.make_arguments(launch)
    case.apply_reference(launch, expected)
    found = kernel_ways.CompiledWay(level=2).run(case, launch, arguments)
    case.compare(expected, found)
