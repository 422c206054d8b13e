"""Code grows no faster than the kernels that are hard on a work-group compiler."""

import pytest

from bench.compile_time import FAMILIES, Family, growth, measure

# The largest kernels are for the benchmark: these show how the code grows.
SMALL = {
    "conditional_barriers": (4, 8, 16, 32),
    "loaded_conditions": (4, 8, 16, 32),
    "conditional_barriers_in_loop": (4, 8, 16, 32),
    "conditions_in_unknown_loop": (16, 24, 32),
    "nested_barriers": (2, 4, 8, 12),
    "nested_loops": (2, 4, 8),
    "twenty_barriers": (500, 1000, 1500),
    "straight_code": (500, 1000, 1500),
    "many_values": (10, 20, 40),
    "early_returns": (8, 16, 32),
    "both_arms_in_unknown_loop": (8, 16, 24),
    "guarded_values": (8, 16, 24),
}


@pytest.mark.parametrize("family", [f for f in FAMILIES if f.linear], ids=lambda f: f.make.__name__)
def test_code_grows_linearly(family: Family) -> None:
    sizes = SMALL[family.make.__name__]
    costs = [measure(family.make(size), "-cl-opt-disable") for size in sizes]
    assert growth(sizes, [c.instructions for c in costs]) < 1.3
    assert growth(sizes, [c.object_bytes for c in costs]) < 1.5


def test_growth_tells_a_square_from_a_line() -> None:
    sizes = (4, 8, 16, 32)
    assert growth(sizes, [100 + 7 * s for s in sizes]) == 1
    assert growth(sizes, [100 + s * s for s in sizes]) > 3
