"""Whatever fails in whichever pass of the optimizing tier, launches give right results."""

import zlib

import pytest
from fault_support import EVERYTHING, KINDS, Faults, Store, case_of, fresh, launch

from weft.compiler.passes import LAUNCH_PASSES

# Loops, barriers, divergence, proofs, private arrays, vectors, library calls: each pass has something to do.
KERNELS = (
    "barriers/neighbour_exchange",
    "divergent/between_barriers",
    "divergent/break_continue_return",
    "group/collectives_in_a_loop",
    "loops/for_with_barriers",
    "private/columns_across_barrier",
    "simd/clamped_neighbours",
    "simd/consecutive_by_eights",
    "simd/float4_split_and_joined",
    "simd/rows_traversed_by_lanes",
    "simd/sine_and_cosine",
    "sub_group/shuffle_in_divergent_code",
    "sub_group/shuffles",
    "waiting/ring_of_flags",
)
# Passes of baseline code, of forms that are not launched here, or that run if somebody listens to remarks.
OTHER_FORMS = {
    "separate-local-accesses",
    "derive-local-ids",
    "unroll-and-jam",
    "block-loops",
    "describe-kernel",
}

pytestmark = pytest.mark.usefixtures("store")


def points(seed: str, calls: int, most: int) -> list[int]:
    """Calls of a pass at which it fails: all, or as many, at equal distances from one that the seed gives."""
    start = zlib.crc32(seed.encode())
    return sorted({(start + k * max(calls // most, 1)) % calls + 1 for k in range(min(most, calls))})


def check(name: str, in_a_pass: int, in_all: int, store: Store, capfd: pytest.CaptureFixture[str]) -> None:
    """Launches a kernel with each fault."""
    case = case_of(name)
    range = case.launches[0]
    with Faults().watch() as faults:
        for kernel in (fresh(case), fresh(case)):  # the second time nothing is looked up for the first time
            store.clear()
            faults.calls.clear()
            launch(kernel, case, range)
        assert capfd.readouterr().err == ""
        counted = {**faults.calls, EVERYTHING: sum(faults.calls.values())}
        (optimized,) = store
        store.clear()
        kinds = set()
        for step, calls in counted.items():
            for number in points(f"{name} {step}", calls, in_all if step == EVERYTHING else in_a_pass):
                faults.inject(step, number)
                kernel = fresh(case)
                launch(kernel, case, range)
                where = f"{name}: call {number} of {calls} in {step}"
                assert faults.raised is not None, where
                said = capfd.readouterr().err
                assert said.count("\n") == 1, (where, said)
                assert said.startswith(f"weft: kernel '{kernel.name}' runs baseline code"), (where, said)
                kinds.add(type(faults.raised))
                faults.raised = None
                launch(kernel, case, range)  # nothing is tried again, nor said
                assert faults.raised is None and capfd.readouterr().err == "", where
                assert optimized not in store, where
        assert len(kinds) == len(KINDS)
    # What failed has left nothing behind that others stumble over.
    launch(fresh(case), case, range)
    assert optimized in store and capfd.readouterr().err == ""


@pytest.mark.parametrize("name", KERNELS)
def test_launches_are_right_whichever_pass_fails(
    name: str, store: Store, capfd: pytest.CaptureFixture[str]
) -> None:
    check(name, 1, 4, store, capfd)


def test_no_pass_is_left_out() -> None:
    with Faults().watch() as faults:
        for name in KERNELS:
            case = case_of(name)
            fresh(case).work_group_function(case.launches[0].triple(case.launches[0].local_size))
    assert {p.name for p in LAUNCH_PASSES} - faults.calls.keys() == OTHER_FORMS


@pytest.mark.slow
@pytest.mark.parametrize("name", KERNELS)
def test_launches_are_right_wherever_passes_fail(
    name: str, store: Store, capfd: pytest.CaptureFixture[str]
) -> None:
    check(name, 40, 200, store, capfd)
