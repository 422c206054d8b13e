"""Which straight loops LLVM is told to leave alone, because its vector code would scatter."""

import pytest
from watched_pass import result_of

from weft.transform.simd.cannot_vectorize import NotVectorized

KERNEL = """\
typedef struct {{ float x, y, z, w; }} P;
kernel void k(global P *p, global const float *a, global const int *to, global float *b) {{
    int i = get_global_id(0);
    {body}
}}
"""
THREE_OF_FOUR = "p[i].x += a[i]; p[i].y += a[i]; p[i].z += a[i];"
SOME_OF_THEM = "b[8 * i] += a[i]; b[8 * i + 1] += a[i]; if (a[i] > 1) b[8 * i + 2]++;"
SOMEWHERE = "b[to[i]] = a[i];"
FAR_APART = "b[8 * i] = a[i];"
DIAGONAL = "int r = 99 - i; b[(r + 1) * 33 + i] = fmax(b[r * 33 + i] * 3, b[r * 33 + i + 1]) + a[i] * a[i];"
DIAGONAL_STORES = "int r = 99 - i; b[(r + 1) * 33 + i] = fmax(a[i] * 3, a[i + 1]) + a[i + 2] * a[i + 3];"
ALL_FOUR = "p[i].x += a[i]; p[i].w += a[i]; p[i].y += a[i]; p[i].z += a[i];"
PAIRS = "b[2 * i] = a[i]; b[2 * i + 1] = a[i] + 1;"
SIDE_BY_SIDE = "b[i] = a[i] + 1;"
BACKWARDS = "b[1000 - i] = a[i] + 1;"
MUCH_TO_DO = "float v = a[i]; for (int k = 0; k < 12; k++) v = v * v + k; b[8 * i] = v;"


def is_left_alone(body: str, lanes: int = 16) -> bool:
    """Whether the work-item loop of a kernel stays scalar, also for LLVM."""
    outcomes, text = result_of("vectorize-work-items", KERNEL.format(body=body), lanes, 128)
    (outcome,) = outcomes
    told = '!{!"llvm.loop.vectorize.enable", i1 false}' in text
    refusal = outcome.refusal
    assert told == (refusal is not None and refusal.message is NotVectorized.SCATTERS)
    return told


@pytest.mark.parametrize("body", [THREE_OF_FOUR, SOME_OF_THEM, FAR_APART, DIAGONAL])
def test_loops_that_would_scatter_stay_scalar(body: str) -> None:
    assert is_left_alone(body)


OTHERS = [DIAGONAL_STORES, ALL_FOUR, PAIRS, SOMEWHERE, SIDE_BY_SIDE, BACKWARDS, MUCH_TO_DO]


@pytest.mark.parametrize("body", OTHERS)
def test_other_loops_are_left_to_llvm(body: str) -> None:
    assert not is_left_alone(body)


def test_processors_that_do_not_scatter_are_left_to_llvm() -> None:
    assert not is_left_alone(THREE_OF_FOUR, lanes=8)
