"""Sets of bytes against Python's sets."""

import time
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


def test_many_small_pieces_take_no_quadratic_time() -> None:
    pieces = Ranges()
    begin = time.monotonic()
    for start in range(0, 320_000, 8):
        pieces.add(start, start + 4)
    for start in range(0, 320_000, 16):
        pieces.remove(start, start + 2)
    assert pieces.missing(0, 16) == [(0, 2), (4, 8), (12, 16)]
    assert time.monotonic() - begin < 20  # some tenths of a second; if all were looked at each time, minutes
