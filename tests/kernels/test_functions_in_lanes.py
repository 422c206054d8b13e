"""Functions that stay functions change the private memory of lanes, and the kernel reads what they left."""

import copy

import pytest
from kernel_case import KernelCase, all_cases
from kernel_ways import CompiledWay

NAME = "private/record_changed_by_a_function"


@pytest.mark.parametrize("level", [0, 3])
@pytest.mark.parametrize("lanes", [4, 8, 16])
def test_each_lane_reads_its_own_record(lanes: int, level: int) -> None:
    case: KernelCase = next(case for case in all_cases() if case.name == NAME)
    way = CompiledWay(calls=True, method="simd", lanes=lanes, level=level)
    for launch in case.launches:
        arguments = case.make_arguments(launch)
        expected = copy.deepcopy(arguments)
        case.apply_reference(launch, expected)
        found = way.run(case, launch, arguments)
        assert (found["out"] == expected["out"]).all(), launch.text
