"""What LLVM's passes make of a kernel when its program is built."""

from collections.abc import Sequence

import pytest

from weft.codegen import canonicalise, optimise
from weft.compiler.build_program import compile_program
from weft.frontend.options import parse_options
from weft.target import Target

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


@pytest.mark.parametrize(("uses", "combined"), [(1000, True), (3500, False)])
def test_a_private_array_with_many_uses_is_not_combined(
    uses: int, combined: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    ran = []

    def run_passes(ir: str, passes: Sequence[str], target: Target, parts: Sequence[str] = ()) -> str:
        ran.extend(passes)
        return optimise.run_passes(ir, passes, target, parts)

    monkeypatch.setattr(canonicalise, "run_passes", run_passes)
    lines = "\n".join(f"p[a[{line % 77}] & 63] += {line};" for line in range(uses))
    source = f"kernel void k(global int *a) {{ int p[64]; p[a[0] & 63] = 3;\n{lines}\na[0] = p[a[1] & 63]; }}"
    (kernel,) = compile_program(source, parse_options("")).kernels
    assert "alloca" in kernel.text
    assert ("instcombine" in ran) == combined
    assert {"sroa", "simplifycfg", "newgvn", "lcssa"} <= set(ran)
