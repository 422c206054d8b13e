"""Random kernels do the same compiled as interpreted.

`make test` tries the same few hundred each time, `make test-all` thousands of new ones: as many as
WEFT_FUZZ_EXAMPLES says. A failure is shrunk and shown as a file for tests/kernels.
"""

import os

import pytest
from fuzz_check import check
from fuzz_kernel import RandomCase, kernel_cases
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from kernel_ways import WAYS

FEW = 200
MANY = int(os.environ.get("WEFT_FUZZ_EXAMPLES", "5000"))

COMPILED = [way for way in WAYS if way not in ("interpreter", "pthread", "basic")]
PAIRS = list(zip(COMPILED, COMPILED[1:] + COMPILED[:1], strict=True))


def fuzzing(examples: int, repeatable: bool) -> settings:
    """Settings under which nothing but a failure ends the search for one."""
    return settings(
        max_examples=examples,
        deadline=None,
        database=None,
        derandomize=repeatable,
        print_blob=False,
        suppress_health_check=list(HealthCheck),
        phases=(Phase.generate, Phase.shrink),
    )


@fuzzing(FEW, repeatable=True)
@given(case=kernel_cases(), way=st.sampled_from(COMPILED))
def test_random_kernel_does_the_same_compiled(case: RandomCase, way: str) -> None:
    check(case, [way])


@pytest.mark.slow
@fuzzing(MANY, repeatable=False)
@given(case=kernel_cases(), ways=st.sampled_from(PAIRS))
def test_many_random_kernels_do_the_same_compiled(case: RandomCase, ways: tuple[str, ...]) -> None:
    check(case, ways)
