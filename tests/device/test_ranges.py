"""Sets of bytes against Python's sets."""

from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from weft.device.ranges import Ranges

BOUNDS = st.tuples(st.integers(0, 40), st.integers(0, 40))
STEPS = st.lists(st.tuples(st.booleans(), BOUNDS), max_size=12)


@settings(deadline=None)
@given(STEPS, BOUNDS)
def test_ranges_are_sets_of_numbers(
    steps: list[tuple[bool, tuple[int, int]]], asked: tuple[int, int]
) -> None:
    ranges, model = Ranges(), set[int]()
    for adds, bounds in steps:
        (ranges.add if adds else ranges.remove)(*bounds)
        model = model | set(range(*bounds)) if adds else model - set(range(*bounds))
    pieces = list(ranges)
    assert {number for piece in pieces for number in range(*piece)} == model
    assert all(a < b for a, b in pieces) and all(p[1] < q[0] for p, q in pairwise(pieces))
    within, missing = ranges.within(*asked), ranges.missing(*asked)
    whole = set(range(*asked))
    assert {number for piece in within for number in range(*piece)} == whole & model
    assert {number for piece in missing for number in range(*piece)} == whole - model
    assert ranges.covers(*asked) == (whole <= model)
