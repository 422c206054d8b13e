"""Every kernel of this folder, run in every way, does what its reference says."""

import copy

import pytest
from kernel_case import KernelCase, Range, all_cases
from kernel_ways import WAYS, built

from weft.errors import BuildError

CASES = all_cases()
LAUNCHES = [(case, launch) for case in CASES for launch in case.launches]
REFUSED = [case for case in CASES if case.error is not None]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(
    ("case", "launch"), LAUNCHES, ids=[f"{c.name}:{r.text.replace(' ', '')}" for c, r in LAUNCHES]
)
def test_kernel_equals_its_reference(case: KernelCase, launch: Range, way: str) -> None:
    arguments = case.make_arguments(launch)
    expected = copy.deepcopy(arguments)
    case.apply_reference(launch, expected)
    found = WAYS[way](case, launch, arguments)
    case.compare(expected, found)


@pytest.mark.parametrize("case", REFUSED, ids=[c.name for c in REFUSED])
def test_kernel_is_refused(case: KernelCase) -> None:
    with pytest.raises(BuildError) as refusal:
        built(case.source, case.options)
    assert case.error is not None
    assert case.error in refusal.value.log
