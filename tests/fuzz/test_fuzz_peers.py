"""Random kernels do on other OpenCL implementations what they do here, where such are installed.

A peer that fails to build or run a kernel, or is alone with its result among several, is reported as a
warning. WEFT_FUZZ_PEER_EXAMPLES says how many kernels are tried.
"""

import os
import warnings
from collections.abc import Iterator

import pytest
from fuzz_check import different, front_end_module
from fuzz_kernel import RandomCase, kernel_cases
from fuzz_peers import Peer, peers
from fuzz_worker import fuzzing
from hypothesis import given
from kernel_ways import PROGRAMS, interpret

from weft import ir

EXAMPLES = int(os.environ.get("WEFT_FUZZ_PEER_EXAMPLES", "100"))
PLATFORMS = peers()


@pytest.fixture(scope="module")
def running_peers() -> Iterator[dict[str, Peer]]:
    running = {platform.name: Peer(platform) for platform in PLATFORMS}
    yield running
    for peer in running.values():
        peer.close()


@pytest.mark.slow
@fuzzing(EXAMPLES if PLATFORMS else 1, repeatable=False)
@given(case=kernel_cases(hidden=False))
def test_peers_do_the_same(running_peers: dict[str, Peer], case: RandomCase) -> None:
    (launch,) = case.launches
    expected = interpret(ir.parse(front_end_module(case)), case, launch, case.make_arguments(launch))
    disagreeing = []
    for name, peer in running_peers.items():
        found = peer.run(case)
        if isinstance(found, str):
            warnings.warn(f"{name}: {found}\n\n{case}", stacklevel=1)
        elif (difference := different(expected, found)) is not None:
            disagreeing.append(f"{name}: {difference}")
    PROGRAMS.clear()
    if disagreeing and len(disagreeing) < len(running_peers):
        warnings.warn(f"{disagreeing[0]}\n\n{case}", stacklevel=1)
    else:
        assert not disagreeing, "\n".join([*disagreeing, str(case)])
