"""Random kernels give the same results after they were rewritten.

What all platforms of a machine make of them, `platform_run.py` finds out.
"""

import sys
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from kernel_case import KernelCase, Range
from kernel_ways import PROGRAMS, WAYS
from rewritten_case import fits, merged_launch, rewritten, with_source

from weft.source.refusal import Refused

sys.path.insert(0, str(Path(__file__).parent.parent / "fuzz"))

from fuzz_kernel import RandomCase, kernel_cases
from fuzz_worker import fuzzing
from source_kernels import source_kernels

WAY = WAYS["specialized-loops-O0"]


def check_merged(case: KernelCase) -> None:
    (launch,) = case.launches
    for factor in (8, 4, 2):
        try:
            new = rewritten(case, inter=factor)
        except Refused:
            return
        (merged,) = new.merged
        if fits(launch, factor, merged.of_groups):
            items = {merged.items: launch.global_size[0] + launch.offset[0]} if merged.items else {}
            check(case, new.text, merged_launch(launch, factor, merged.of_groups), items)
            return


def check(case: KernelCase, text: str, now: Range, more: Mapping[str, int]) -> None:
    (launch,) = case.launches
    expected = WAY(case, launch, case.make_arguments(launch))
    found = WAY(with_source(case, text), now, {**case.make_arguments(launch), **more})
    PROGRAMS.clear()
    for name, array in expected.items():
        if case.tolerance and array.dtype.kind == "f":
            np.testing.assert_allclose(found[name], array, 1e-4, 1e-3, err_msg=f"{name}\n{text}")
        else:
            np.testing.assert_array_equal(found[name], array, err_msg=f"{name}\n{text}")


def check_both_ways(case: KernelCase) -> None:
    check_merged(case)
    try:
        new = rewritten(case, intra=4, fast_math=True)
    except Refused:
        return
    check(case, new.text, case.launches[0], {})


@fuzzing(12, repeatable=True)
@given(source_kernels())
def test_random_kernels(case: RandomCase) -> None:
    check_both_ways(case)


@pytest.mark.slow
@fuzzing(300, repeatable=False)
@given(source_kernels())
def test_many_random_kernels(case: RandomCase) -> None:
    check_both_ways(case)


@pytest.mark.slow
@fuzzing(300, repeatable=False)
@given(kernel_cases())
def test_many_random_kernels_of_the_compilers_tests(case: RandomCase) -> None:
    check_merged(case)
