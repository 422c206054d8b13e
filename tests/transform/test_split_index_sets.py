"""Loops over work-items are split by the code that each range of them runs, not by that of the whole loop."""

import pytest
from watched_pass import result_of

SOURCE = """kernel void k(global const float *a, global float *b, int n, int m, int i) {{
    int x = get_global_id(0);
    if (i > 0 && i < m && x > 0 && x < n - 1)
        b[i * n + x] = {inside};
    else
        b[i * n + x] = 0;
}}"""


@pytest.mark.parametrize("terms, split", [(4, True), (16, True), (100, False)])
def test_long_interior_and_short_edge(terms: int, split: bool) -> None:
    """One long loop and four short ones, unless that is too much; a loop is a phi named x."""
    inside = " + ".join(f"a[(i + {k} * m) * n + x + {k % 3} - 1]" for k in range(terms))
    _, text = result_of("bounds-from-guards", SOURCE.format(inside=inside), 16, 64)
    assert (text.count("%x.split") > 0 or text.count(" = phi i32 [") > 1) == split
