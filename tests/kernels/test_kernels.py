"""Every kernel of this folder, run in every way, does what its reference says."""

import copy
import json
import re
import zlib
from pathlib import Path

import pytest
from kernel_case import KernelCase, Range, all_cases
from kernel_ways import WAYS, built

from weft.device.emulators import EMULATORS
from weft.errors import BuildError
from weft.tta.errors import Refused

CASES = all_cases()
# A file's first launch goes every way; further ones are there for their sizes.
WAYS_OF_FURTHER_LAUNCHES = ("interpreter", "specialized", "any-size")
# Functions that stay functions: of interest where there are any.
WAYS_WITH_CALLS = ("calls", "any-size-calls-O0", "lanes-calls", "first-calls")
# Several rows or columns in a call: of interest where they are different.
WAYS_WITH_ROWS = ("four-lines", "four-columns")
_FUNCTION = re.compile(r"^(?!//|#)(?!.*\bkernel\b)[\w *]+\([^;]*\) *\{", re.MULTILINE)
RUNS = [
    (case, launch, way)
    for case in CASES
    for number, launch in enumerate(case.launches)
    for way in (WAYS if number == 0 else WAYS_OF_FURTHER_LAUNCHES)
    if way not in WAYS_WITH_CALLS or _FUNCTION.search(case.source)
    if way not in WAYS_WITH_ROWS or "get_global_id(1)" in case.source
]
# The first two compile twice; all differ little from ways that run.
SLOW_WAYS = ("any-size-first-wide", "first-boxes", "any-size-loops-wide")
# Ways that one kernel in so many goes every day, other kernels for each way. The first differ in one property
# from ways that all kernels go. Another loader and another process run the same code. A simulator takes long;
# tests/api/test_pyopencl_ttasim.py has more for it. Devices in qemu are for `make test-targets`: the first
# use of each compiles its server.
SAMPLED_WAYS = {
    **dict.fromkeys(("specialized-simd", "lines", "lines-across-simd", "basic"), 2),
    **dict.fromkeys(("specialized-loops-O0", "specialized-horizontal-wide", "any-size-simd-O0"), 3),
    **dict.fromkeys(("any-size-horizontal-O0", "boxes-horizontal-wide"), 3),
    "isolated": 8,
    "ttasim": 100,
}
# What the machine that the device `ttasim` simulates lacks for a kernel.
LACKING: dict[str, str] = json.loads((Path(__file__).parent.parent / "tta" / "refused.json").read_text())[
    "table2-math"
]
NOT_UNIFORM = "no work-groups of different sizes"
REFUSED = [case for case in CASES if case.error is not None]


def is_left_out(case: KernelCase, way: str) -> bool:
    """Whether a way runs other kernels than this one unless slow tests run."""
    return way in EMULATORS or zlib.crc32(f"{way} {case.name}".encode()) % SAMPLED_WAYS.get(way, 1) != 0


@pytest.mark.parametrize(
    ("case", "launch", "way"),
    [
        pytest.param(
            *(case, launch, way),
            id=f"{case.name}:{launch.text.replace(' ', '')}-{way}",
            marks=pytest.mark.slow if way in SLOW_WAYS or is_left_out(case, way) else (),
        )
        for case, launch, way in RUNS
    ],
)
def test_kernel_equals_its_reference(case: KernelCase, launch: Range, way: str) -> None:
    arguments = case.make_arguments(launch)
    expected = copy.deepcopy(arguments)
    case.apply_reference(launch, expected)
    lacking = NOT_UNIFORM if launch.non_uniform else LACKING.get(case.name)
    if way == "ttasim" and lacking is not None:
        with pytest.raises(Refused, match=re.escape(lacking)):
            WAYS[way](case, launch, arguments)
        return
    found = WAYS[way](case, launch, arguments)
    case.compare(expected, found)


@pytest.mark.parametrize("case", REFUSED, ids=[c.name for c in REFUSED])
def test_kernel_is_refused(case: KernelCase) -> None:
    with pytest.raises(BuildError) as refusal:
        built(case.source, case.options)
    assert case.error is not None
    assert case.error in refusal.value.log
