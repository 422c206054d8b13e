"""Which loops walk along rows by whole pieces, and what that counts on."""

import pytest
from watched_pass import result_of

PROCESSORS = pytest.mark.parametrize("lanes", [16, 8, 4])

KERNEL = """\
kernel void k(global float *a, global const float *b, global float *out, int n) {{
    int i = get_global_id(0);
    float sum = 0;
    {body}
    out[i] = sum;
}}
"""
SUM = "for (int j = 0; j < n; j++) sum += b[i * n + j];"
GUARDED = f"if (i >= n) return; {SUM}"
SUM_TO = "for (size_t j = 1; j <= n; j++) sum += b[i * (size_t)n + j];"
TWO = "for (int j = 0; j < n; j++) sum += b[i * n + j] * a[i * 64 + j];"
FROM_TO = "for (int j = 0; j < n; j++) { a[i * n + j] = b[i * n + j] * 3; sum++; }"
IN_PLACE = "for (int j = 0; j < n; j++) { sum += a[i * n + j]; a[i * n + j] = sum; }"
IN_MEMORY = "for (int j = 0; j < n; j++) a[i] += b[i * n + j];"
PREFIX = "for (int j = 1; j < n; j++) { sum += a[i * n + j - 1]; a[i * n + j] = sum; }"
READ_ELSEWHERE = "for (int j = 0; j < n; j++) { a[i * n + j] = j; sum += a[(i + j) * n]; }"
EVERY_OTHER = "for (int j = 0; j < n; j += 2) sum += b[i * n + j];"
BACKWARDS = "for (int j = n; j > 0; j--) sum += b[i * n + j];"
SOME_OF_THEM = "for (int j = 0; j < n; j++) if (a[j] > 0) sum += b[i * n + j];"
BREAKS = "for (int j = 0; j < n; j++) { if (a[j] > 0) break; sum += b[i * n + j]; }"
DIVERGENT = "for (int j = 0; j < i; j++) sum += b[i * n + j];"


def walked(body: str, lanes: int, apart: bool = True) -> tuple[int, bool]:
    """How many gathers and scatters pieces of rows stand for, and whether that requires noalias."""
    rows, _ = result_of("strip-mine-rows", KERNEL.format(body=body), lanes, 64, apart)
    return len(rows.calls), rows.requires_noalias


@PROCESSORS
@pytest.mark.parametrize("apart", [False, True])
# A guarded loop runs once for full vectors, and once for those of which some lanes have nothing to do.
@pytest.mark.parametrize("body, rows", [(SUM, 1), (GUARDED, 2), (SUM_TO, 1), (TWO, 2), (IN_PLACE, 2)])
def test_rows_are_strip_mined_for_any_buffers(body: str, rows: int, lanes: int, apart: bool) -> None:
    assert walked(body, lanes, apart) == (rows, False)


@PROCESSORS
def test_rows_are_strip_mined_if_buffers_are_disjoint(lanes: int) -> None:
    assert walked(FROM_TO, lanes) == (2, True)
    assert walked(FROM_TO, lanes, apart=False) == (0, False)


@PROCESSORS
def test_sum_in_memory_is_in_a_register_if_buffers_are_disjoint(lanes: int) -> None:
    assert walked(IN_MEMORY, lanes) == (1, False)
    assert walked(IN_MEMORY, lanes, apart=False) == (0, False)


@PROCESSORS
@pytest.mark.parametrize(
    "body", [PREFIX, READ_ELSEWHERE, EVERY_OTHER, BACKWARDS, SOME_OF_THEM, BREAKS, DIVERGENT]
)
def test_other_loops_stay_as_they_are(body: str, lanes: int) -> None:
    assert walked(body, lanes) == (0, False)
