"""Kernels of `tests/kernels` by the way of SPIR-V do what their references say.

For some kernels LLVM's back end writes modules that are not valid: they take the way through Khronos's
translator, where that is installed.
"""

import copy

import pytest
from fuzz_check import check
from fuzz_kernel import RandomCase, kernel_cases
from fuzz_worker import fuzzing
from hypothesis import given
from kernel_case import KernelCase, all_cases
from spirv_way import WriterFault, run_in_spirv, spirv_program

from tools.opencl_to_spirv import has_translator
from weft.program import build

# Kernels of which LLVM's back end writes modules that are not valid, and what is wrong with these.
NOT_VALID = {
    "group/compaction_with_copies": "OpConstantNull",
    "group/copies_in_a_loop": "OpConstantNull",
    "group/copy_counts": "OpConstantNull",
    "group/copy_every_type": "OpConstantNull",
    "group/copy_in_and_out": "OpConstantNull",
    "group/strided_copy_every_type": "OpConstantNull",
    "pipes/packets_of_every_size": "alignment",
    "plain/integer_widths": "OpBitwiseAnd",
    "plain/program_variables": "InBoundsPtrAccessChain",
    "private/aligned_array_across_barrier": "alignment",
    "simd/unused_numbers_of_the_first_lane": "OpBitwiseAnd",
}
# There an array of two pointers becomes a variable of one.
NOT_RIGHT = ("private/pointer_in_memory",)
TRANSLATED = (*NOT_VALID, *NOT_RIGHT)
without_translator = pytest.mark.skipif(
    not has_translator(), reason="clang-15 or llvm-spirv-15 is not installed"
)
CASES = [case for case in all_cases() if case.error is None]
# One of a kind; the rest is for `make test-all`.
QUICK = (
    "algorithms/histogram",
    "barriers/fences_between",
    "control/switch_divergent",
    "functions/divergent_calls",
    "generic/spaces_at_run_time",
    "pipes/reservations_of_work_groups",
    "plain/tables_of_addresses",
    "simd/vector_relations",
    "waiting/ring_of_flags",
)


def marks(case: KernelCase) -> list[pytest.MarkDecorator]:
    found = [] if case.name in QUICK else [pytest.mark.slow]
    return [*found, without_translator] if case.name in TRANSLATED else found


@pytest.mark.parametrize("way", ["specialized", "any-size-loops-wide"])
@pytest.mark.parametrize("case", [pytest.param(c, id=c.name, marks=marks(c)) for c in CASES])
def test_kernel_in_spirv_equals_its_reference(case: KernelCase, way: str) -> None:
    launch = case.launches[0]
    arguments = case.make_arguments(launch)
    expected = copy.deepcopy(arguments)
    case.apply_reference(launch, expected)
    writer = "khronos" if case.name in TRANSLATED else "llvm"
    case.compare(expected, run_in_spirv(case, launch, way, arguments, writer))


@pytest.mark.slow
@pytest.mark.parametrize("case", [pytest.param(c, id=c.name) for c in CASES if c.name in NOT_VALID])
def test_modules_that_are_not_valid_are_refused(case: KernelCase) -> None:
    with pytest.raises(WriterFault, match=NOT_VALID[case.name]):
        spirv_program(case)


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
@without_translator
@fuzzing(500, repeatable=True)
@given(kernel_cases())
def test_random_kernels_in_spirv(case: RandomCase) -> None:
    check(case, ("spirv",))
