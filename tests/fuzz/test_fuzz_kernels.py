"""Random kernels do the same compiled as interpreted.

`make test` tries the same 150 each time, `make test-all` thousands of new ones: as many as
WEFT_FUZZ_EXAMPLES says. A failure is shrunk and shown as a file for tests/kernels.
"""

import os
import random
from dataclasses import replace

import pytest
from fuzz_check import PAIRS, SUB_GROUP_PAIRS, check
from fuzz_kernel import RandomCase, kernel_cases
from fuzz_run import run
from fuzz_sub_groups import sub_group_cases
from fuzz_worker import SUB_GROUPS, fuzzing
from hypothesis import given
from hypothesis import strategies as st

FEW = 100
MANY = int(os.environ.get("WEFT_FUZZ_EXAMPLES", "5000"))


@fuzzing(FEW, repeatable=True)
@given(case=kernel_cases(), ways=st.sampled_from(PAIRS))
def test_random_kernel_does_the_same_compiled(case: RandomCase, ways: tuple[str, ...]) -> None:
    check(case, ways)


@fuzzing(FEW // 5, repeatable=True)
@given(case=kernel_cases(), ways=st.sampled_from(PAIRS), less=st.integers(1, 7))
def test_random_kernel_does_the_same_in_groups_of_different_sizes(
    case: RandomCase, ways: tuple[str, ...], less: int
) -> None:
    (launch,) = case.launches
    sizes = tuple(max(size - less, 1) for size in launch.global_size)
    uneven = replace(launch, text=f"{sizes} / {launch.local_size}", global_size=sizes)
    check(replace(case, options="-cl-std=CL3.0", launches=(uneven,)), ways)


@fuzzing(FEW // 5, repeatable=True)
@given(case=sub_group_cases(), ways=st.sampled_from(SUB_GROUP_PAIRS))
def test_random_kernel_with_sub_groups_does_the_same_compiled(
    case: RandomCase, ways: tuple[str, ...]
) -> None:
    check(case, ways)


@pytest.mark.slow
@pytest.mark.parametrize(("kernels", "shapes"), [(MANY, ""), (MANY // 5, SUB_GROUPS)])
def test_many_random_kernels_do_the_same_compiled(
    capsys: pytest.CaptureFixture[str], kernels: int, shapes: str
) -> None:
    seed = random.randrange(10**9)
    with capsys.disabled():
        print(f"\n{kernels} random kernels {shapes} from seed {seed}")
        failures = run(kernels, os.cpu_count() or 1, seed, shapes)
    assert not failures, "\n\n".join(map(str, failures))
