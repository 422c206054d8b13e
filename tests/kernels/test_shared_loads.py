"""Kernels that lack a barrier and work if work-items run in lock step: plain loops add it where they can.

Such kernels have data races, so the interpreter does not define their results.
"""

from collections.abc import Callable

import numpy as np
import pytest
from kernel_case import FOLDER, KernelCase, parse_launch
from kernel_ways import CompiledWay

# The first work-item reads what all have stored: its place is after the loop, outside the branch.
FIRST_READS_ALL = """
kernel void k(global const int *a, global int *o, local int *t) {
    int l = get_local_id(0), n = get_local_size(0), g = get_group_id(0) * n;
    for (int i = l; i < n; i += n)
        t[i] = a[g + i];
    int sum = 0;
    if (l == 0)
        for (int i = 0; i < n; i++)
            sum += t[i];
    o[g + l] = sum;
}
"""
# Each reads what the next one has stored, twice, from a variable and from an argument.
NEXT_IS_READ = """
kernel void k(global const int *a, global int *o, local int *t) {
    local int u[64];
    int l = get_local_id(0), n = get_local_size(0), i = get_global_id(0);
    u[l] = a[i];
    t[l] = u[(l + 1) % n];
    o[i] = t[(l + 1) % n];
}
"""


def first_reads_all(a: np.ndarray) -> np.ndarray:
    result = np.zeros_like(a)
    result[:, 0] = a.sum(1)
    return result


def next_is_read(a: np.ndarray) -> np.ndarray:
    return np.roll(a, -2, 1)


@pytest.mark.parametrize("first", [False, True], ids=["loops", "both tiers"])
@pytest.mark.parametrize("size", [1, 3, 8, 64])
@pytest.mark.parametrize(
    ("source", "reference"), [(FIRST_READS_ALL, first_reads_all), (NEXT_IS_READ, next_is_read)]
)
def test_work_items_read_what_all_have_stored(
    source: str, reference: Callable[[np.ndarray], np.ndarray], size: int, first: bool
) -> None:
    a = np.arange(2 * size, dtype=np.int32) + 5
    arguments = {"a": a, "o": np.zeros_like(a), "t": 4 * size}
    way = CompiledWay(method="loops", first=first)
    case, launch = KernelCase(FOLDER / "shared_loads.cl", source), parse_launch(f"{a.size} / {size}")
    found = way.run(case, launch, arguments)
    np.testing.assert_array_equal(found["o"].reshape(2, size), reference(a.reshape(2, size)))
