"""Random kernels do on other OpenCL implementations what they do here, where such are installed.

A peer that fails to build or run a kernel, or is alone with its result among several, is reported as a
warning. WEFT_FUZZ_PEER_EXAMPLES says how many kernels are tried.
"""

import os
import warnings
from collections.abc import Iterator

import pytest
from fuzz_kernel import RandomCase, kernel_cases
from fuzz_peers import Peer, compare, peers, running_peers
from fuzz_worker import fuzzing
from hypothesis import given

EXAMPLES = int(os.environ.get("WEFT_FUZZ_PEER_EXAMPLES", "100"))


@pytest.fixture(scope="module")
def installed() -> Iterator[dict[str, Peer]]:
    with running_peers() as running:
        yield running


@pytest.mark.slow
@fuzzing(EXAMPLES if peers() else 1, repeatable=False)
@given(case=kernel_cases(hidden=False))
def test_peers_do_the_same(installed: dict[str, Peer], case: RandomCase) -> None:
    findings = compare(case, installed)
    for name, problem in findings.failed.items():
        warnings.warn(f"{name}: {problem}\n\n{case}", stacklevel=1)
    disagreeing = [f"{name}: {difference}" for name, difference in findings.different.items()]
    if disagreeing and len(disagreeing) < len(installed):
        warnings.warn(f"{disagreeing[0]}\n\n{case}", stacklevel=1)
    else:
        assert not disagreeing, "\n".join([*disagreeing, str(case)])
