"""What LLVM's passes make of a kernel when its program is built."""

import pytest

from weft.codegen import canonicalise
from weft.compiler.build_program import compile_program
from weft.frontend.options import parse_options

BLOCK = """
kernel void f(global const float *a, global float *c, int n) {
    local float tile[16][64];
    int x = get_local_id(0), y = get_local_id(1);
    float sum[4][4];
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++)
            sum[i][j] = 0;
    for (int from = 0; from < n; from += 16) {
        for (int i = 0; i < 4; i++)
            tile[y][4 * x + i] = a[(from + y) * n + 4 * x + i];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < 16; k++)
            for (int i = 0; i < 4; i++)
                for (int j = 0; j < 4; j++)
                    sum[i][j] += tile[k][4 * y + i] * tile[k][4 * x + j];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++)
            c[(4 * y + i) * n + 4 * x + j] = sum[i][j];
}
"""


def test_an_array_of_two_dimensions_dissolves_when_its_loops_are_unrolled() -> None:
    (kernel,) = compile_program(BLOCK, parse_options("")).kernels
    assert "alloca" not in kernel.text


DIVISION = "kernel void g(global int *a, int n) { a[0] /= n; }"


@pytest.mark.parametrize("more", ["", DIVISION], ids=["alone", "with a division"])
@pytest.mark.parametrize("is_large", [False, True], ids=["short functions", "a large function"])
def test_loops_of_large_functions_are_not_unrolled(
    is_large: bool, more: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(canonicalise, "LARGE", 1)
    if is_large:
        monkeypatch.setattr(canonicalise, "LARGE_FUNCTION", 1)
    kernel = compile_program(BLOCK + more, parse_options("")).kernels[0]
    assert ("alloca" in kernel.text) == is_large
