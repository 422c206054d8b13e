"""Random kernels do the same compiled as interpreted. WEFT_FUZZ_EXAMPLES says how many are tried."""

import os

from fuzz_check import check
from fuzz_kernel import RandomCase, kernel_cases
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from kernel_ways import WAYS

EXAMPLES = int(os.environ.get("WEFT_FUZZ_EXAMPLES", "150"))
# Each kernel is compiled in two ways.
_COMPILED = [way for way in WAYS if way not in ("interpreter", "pthread", "basic")]
PAIRS = list(zip(_COMPILED, _COMPILED[1:] + _COMPILED[:1], strict=True))


@settings(
    max_examples=EXAMPLES, deadline=None, database=None, derandomize=EXAMPLES <= 500,
    suppress_health_check=list(HealthCheck),
    phases=(Phase.explicit, Phase.reuse, Phase.generate, Phase.shrink),
)  # fmt: skip
@given(case=kernel_cases(), ways=st.sampled_from(PAIRS))
def test_random_kernel_does_the_same_compiled(case: RandomCase, ways: tuple[str, ...]) -> None:
    check(case, ways)
