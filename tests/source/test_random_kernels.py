"""Random kernels give the same results after their work-items were merged."""

import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from kernel_ways import WAYS
from rewritten_case import fits, merged_launch, rewritten, with_source

from weft.source.refusal import Refused

sys.path.insert(0, str(Path(__file__).parent.parent / "fuzz"))

from fuzz_kernel import RandomCase, kernel_cases

WAY = WAYS["specialized-loops-O0"]


def check(case: RandomCase) -> None:
    (launch,) = case.launches
    factor = next((f for f in (8, 4, 2) if fits(launch, f, True)), 0)
    if not factor:
        return
    try:
        new = rewritten(case, inter=factor)
    except Refused:
        return
    expected = WAY(case, launch, case.make_arguments(launch))
    found = WAY(with_source(case, new.text), merged_launch(launch, factor, True), case.make_arguments(launch))
    for name, array in expected.items():
        np.testing.assert_array_equal(found[name], array, err_msg=f"{name}\n{new.text}")


@settings(
    max_examples=12,
    derandomize=True,
    database=None,
    deadline=None,
    phases=[Phase.generate],
    suppress_health_check=list(HealthCheck),
)
@given(kernel_cases())
def test_random_kernels(case: RandomCase) -> None:
    check(case)


@pytest.mark.slow
@settings(max_examples=300, database=None, deadline=None, suppress_health_check=list(HealthCheck))
@given(kernel_cases())
def test_many_random_kernels(case: RandomCase) -> None:
    check(case)
