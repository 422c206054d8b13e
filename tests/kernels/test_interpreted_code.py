"""Code in lanes does what its reference says on the interpreter too, which knows poison where LLVM may not.

The kernels are those in which work-items do not compute what others do; `make test-all` runs all that can be.
"""

import copy
from typing import Any

import pytest
from interpreted_code import interpreted_code
from kernel_case import KernelCase, Range, all_cases

from weft.interp.errors import UnknownFunction, UnsupportedInstruction

LANES = 4
WAYS = ("serial", "masked", "dvec", "dvec-s")
KERNELS = (
    "divergent/left_by_cases",
    "simd/cases_bring_few_bits",
    "simd/cases_bring_one_value",
    "divergent/begins_with_a_remainder",
    "private/index_of_some_work_items",
    "simd/copies_under_masks",
    "simd/functions_of_some_work_items",
    "simd/consecutive_from_a_masked_load",
    "simd/number_after_loop",
    "simd/low_bits_become_high",
    "simd/one_value_two_phis",
    "simd/one_linear_value_two_phis",
    "simd/unused_numbers_of_the_first_lane",
)
FEW = 200


def runs() -> list[Any]:
    """Every kernel with a launch of few work-items, that one, and each way to run divergent loops."""
    found = []
    for case in all_cases():
        # A group of one work-item has no code in lanes.
        small = [launch for launch in case.launches if work_items(launch) <= FEW and _has_lanes(launch)]
        marks = () if case.name in KERNELS else (pytest.mark.slow,)
        for launch in small[:1]:
            for way in WAYS:
                name = f"{case.name}:{launch.text.replace(' ', '')}-{way}"
                found.append(pytest.param(case, launch, way, id=name, marks=marks))
    return found


def _has_lanes(launch: Range) -> bool:
    return launch.triple(launch.local_size) != (1, 1, 1)


def work_items(launch: Range) -> int:
    x, y, z = launch.triple(launch.global_size)
    return x * y * z


@pytest.mark.parametrize(("case", "launch", "way"), runs())
def test_code_equals_the_reference(case: KernelCase, launch: Range, way: str) -> None:
    arguments = case.make_arguments(launch)
    expected = copy.deepcopy(arguments)
    case.apply_reference(launch, expected)
    try:
        found = interpreted_code(case, launch, arguments, method="simd", lanes=LANES, divergent=way)
    except (UnknownFunction, UnsupportedInstruction):
        assert case.name not in KERNELS
        return  # the library may use what is the processor's own
    case.compare(expected, found)
