"""When kernels are specialized for the formats of their images."""

import pytest

from weft.program import MOST_GENERIC_NS, PREPARE_NS, Kernel, build
from weft.tiers.tiered_code import LaunchContext

SOURCE = """
kernel void look(read_only image2d_t image, global float *out, int n) {
    int at = get_global_id(0);
    float sum = 0;
    for (int k = 0; k < n; k++) sum += read_imagef(image, (int2)(at, k)).x;
    out[at] = sum;
}
"""
BYTES, FLOATS = ((5, 2), (), ()), ((5, 14), (), ())


@pytest.fixture
def kernel() -> Kernel:
    return build(SOURCE, "").kernels["look"]


def test_many_work_items_with_the_same_formats(kernel: Kernel) -> None:
    items = LaunchContext(items=100_000)
    assert not kernel.worth_specializing(BYTES, items)
    assert not kernel.worth_specializing(FLOATS, items)
    assert not kernel.worth_specializing(BYTES, items)
    assert kernel.worth_specializing(BYTES, items)


def test_work_items_whose_loops_run_often(kernel: Kernel) -> None:
    traits, items = kernel.traits, 1000
    for trips, worth in ((10, False), (2000, True)):
        in_loops = sum(loop.instructions([trips]) for loop in traits.loop_work)
        assert kernel.worth_specializing(BYTES, LaunchContext(0, items, in_loops)) == worth


def test_a_few_slow_work_items(kernel: Kernel) -> None:
    few = LaunchContext(items=10)
    assert not kernel.worth_specializing(BYTES, few, 0)
    assert not kernel.worth_specializing(BYTES, few, MOST_GENERIC_NS / 100)
    assert kernel.worth_specializing(BYTES, few, MOST_GENERIC_NS / 10)


def test_many_launches_of_one_work_item(kernel: Kernel) -> None:
    most = MOST_GENERIC_NS // PREPARE_NS
    worth = [kernel.worth_specializing(BYTES, LaunchContext(items=1), 1) for _ in range(most + 1)]
    assert not any(worth[: most - 1]) and worth[most]
