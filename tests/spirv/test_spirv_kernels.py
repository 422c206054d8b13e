"""Kernels of `tests/kernels` by the way of SPIR-V do what their references say.

For some kernels clang writes modules that are not valid; they are left out, with the reason.
"""

import copy
from dataclasses import replace

import pytest
from kernel_case import KernelCase, all_cases
from kernel_ways import PROGRAMS, WAYS
from spirv_module import spirv_of

from weft.frontend.spirv.source import SpirvSource
from weft.program import Program, build

LONG_NULL = "clang writes an OpConstantNull of several words"
NOT_VALID = {
    "control/tail_recursion_with_arrays": "clang leaves a recursive function, which SPIR-V has not",
    "group/compaction_with_copies": LONG_NULL,
    "group/copies_in_a_loop": LONG_NULL,
    "group/copies_in_helper_functions": LONG_NULL,
    "group/copy_counts": LONG_NULL,
    "group/copy_every_type": LONG_NULL,
    "group/copy_in_and_out": LONG_NULL,
    "group/strided_copy_every_type": LONG_NULL,
    "private/aligned_array_across_barrier": "clang writes an alignment of -128 bytes",
    "private/pointer_in_memory": "clang makes an array of pointers a variable of one byte",
}
CASES = [case for case in all_cases() if case.error is None]
# One of a kind; the rest is for `make test-all`.
QUICK = (
    "algorithms/histogram",
    "barriers/fences_between",
    "control/switch_divergent",
    "functions/divergent_calls",
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
def test_kernel_in_spirv_equals_its_reference(
    case: KernelCase, way: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = build(SpirvSource(spirv_of(case.source, case.options)), case.options)
    own = build(case.source, case.options)
    assert list(made.kernels) == list(own.kernels)
    # Modules do not tell signed integers from others, which arguments are converted by.
    codes = [replace(kernel.code, info=own.kernels[name].info) for name, kernel in made.kernels.items()]
    for name, kernel in made.kernels.items():
        theirs, ours = kernel.info, own.kernels[name].info
        assert theirs.reqd_work_group_size == ours.reqd_work_group_size
        assert [a.name for a in theirs.arguments] == [a.name for a in ours.arguments]
        assert [a.address_space for a in theirs.arguments] == [a.address_space for a in ours.arguments]
    monkeypatch.setitem(PROGRAMS, (case.source, case.options), Program(tuple(codes), "", case.options))
    launch = case.launches[0]
    arguments = case.make_arguments(launch)
    expected = copy.deepcopy(arguments)
    case.apply_reference(launch, expected)
    case.compare(expected, WAYS[way](case, launch, arguments))
