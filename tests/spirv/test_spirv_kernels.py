"""Kernels of `tests/kernels` by the way of SPIR-V do what their references say.

For some kernels clang writes modules that are not valid; they are left out, with the reason.
"""

import copy

import numpy as np
import pytest
from fuzz_kernel import RandomCase, kernel_cases
from fuzz_worker import fuzzing
from hypothesis import given
from kernel_case import KernelCase, all_cases
from kernel_ways import WAYS
from spirv_module import NotCompiled
from spirv_way import run_in_spirv, spirv_program

from weft.errors import BuildError
from weft.program import build

LONG_NULL = "clang writes an OpConstantNull of several words"
TWO_WIDTHS = "clang combines integers of different widths in one OpBitwiseAnd"
NOT_VALID = {
    "group/compaction_with_copies": LONG_NULL,
    "group/copies_in_a_loop": LONG_NULL,
    "group/copy_counts": LONG_NULL,
    "group/copy_every_type": LONG_NULL,
    "group/copy_in_and_out": LONG_NULL,
    "group/strided_copy_every_type": LONG_NULL,
    "plain/integer_widths": TWO_WIDTHS,
    "private/aligned_array_across_barrier": "clang writes an alignment of -128 bytes",
    "private/pointer_in_memory": "clang makes an array of two pointers a variable of one",
    "simd/unused_numbers_of_the_first_lane": TWO_WIDTHS,
}
# What is said of such modules.
CLANGS_FAULTS = ("OpConstantNull", "OpBitwiseAnd: its operands", "is no power of two")
CASES = [case for case in all_cases() if case.error is None]
# One of a kind; the rest is for `make test-all`.
QUICK = (
    "algorithms/histogram",
    "barriers/fences_between",
    "control/switch_divergent",
    "functions/divergent_calls",
    "generic/spaces_at_run_time",
    "plain/tables_of_addresses",
    "simd/vector_relations",
)


def marks(case: KernelCase) -> list[pytest.MarkDecorator]:
    found = [] if case.name in QUICK else [pytest.mark.slow]
    if case.name in NOT_VALID:
        found.append(pytest.mark.skip(NOT_VALID[case.name]))
    return found


@pytest.mark.parametrize("way", ["specialized", "any-size-loops-wide"])
@pytest.mark.parametrize("case", [pytest.param(c, id=c.name, marks=marks(c)) for c in CASES])
def test_kernel_in_spirv_equals_its_reference(case: KernelCase, way: str) -> None:
    launch = case.launches[0]
    arguments = case.make_arguments(launch)
    expected = copy.deepcopy(arguments)
    case.apply_reference(launch, expected)
    case.compare(expected, run_in_spirv(case, launch, way, arguments))


@pytest.mark.parametrize("case", [pytest.param(c, id=c.name) for c in CASES if c.name in QUICK])
def test_kernels_in_spirv_are_described_as_in_opencl_c(case: KernelCase) -> None:
    made, own = spirv_program(case), build(case.source, case.options)
    assert list(made.kernels) == list(own.kernels)
    for name, kernel in made.kernels.items():
        theirs, ours = kernel.info, own.kernels[name].info
        assert theirs.reqd_work_group_size == ours.reqd_work_group_size
        assert [a.name for a in theirs.arguments] == [a.name for a in ours.arguments]
        assert [a.address_space for a in theirs.arguments] == [a.address_space for a in ours.arguments]


@pytest.mark.slow
@fuzzing(500, repeatable=True)
@given(kernel_cases())
def test_random_kernels_in_spirv(case: RandomCase) -> None:
    (launch,) = case.launches
    try:
        found = run_in_spirv(case, launch, "specialized", case.make_arguments(launch))
    except NotCompiled:
        return
    except BuildError as error:
        assert any(reason in error.log for reason in CLANGS_FAULTS), error.log
        return
    expected = WAYS["interpreter"](case, launch, case.make_arguments(launch))
    for name, array in expected.items():
        np.testing.assert_array_equal(found[name], array, err_msg=f"{name}\n{case.source}")
