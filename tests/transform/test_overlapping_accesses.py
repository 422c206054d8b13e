"""Which loops LLVM has to interleave, because vector loads would wait for vector stores."""

import pytest
from watched_pass import result_of

BOARD = """\
kernel void k(global float *u) {
    int x = get_global_id(0) + 1;
    if (x & 1) u[x] = u[x - 1] + u[x + 1];
}
"""
ROWS = """\
kernel void k(global const int *costs, global int *out, int n) {
    local int before[64], after[64];
    int x = get_local_id(0);
    before[x] = costs[x];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = 0; i < n; i++) {
        if (x > i && x < 63 - i) after[x] = min(before[x - 1], before[x + 1]) + costs[i * 64 + x];
        barrier(CLK_LOCAL_MEM_FENCE);
        if (x > i && x < 63 - i) before[x] = after[x];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[x] = before[x];
}
"""


@pytest.mark.parametrize(("source", "is_interleaved"), [(BOARD, True), (ROWS, False)], ids=["one", "two"])
def test_loads_from_the_array_that_is_stored_to_are_interleaved(source: str, is_interleaved: bool) -> None:
    _, module = result_of("vectorize-work-items", source, 16, 64)
    assert ("llvm.loop.interleave.count" in module) == is_interleaved
