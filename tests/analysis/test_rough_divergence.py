"""The rough analysis never takes for uniform what the shape analysis finds divergent."""

import re
from pathlib import Path

import pytest

from weft import ir
from weft.analysis.divergence import divergence
from weft.analysis.rough_divergence import rough_divergence
from weft.compiler.build_program import compile_program
from weft.frontend.options import parse_options

KERNELS = Path(__file__).parents[1] / "kernels"
FILES = [path for folder in ("barriers", "control", "divergent", "group", "local") for path in
         sorted((KERNELS / folder).rglob("*.cl"))]  # fmt: skip


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_all_that_is_divergent_is_found(path: Path) -> None:
    source = path.read_text()
    options = re.search(r"^//! options: (.*)$", source, re.MULTILINE)
    for kernel in compile_program(source, parse_options(options.group(1) if options else "")).kernels:
        function = ir.parse(kernel.text).function(kernel.info.name)
        for size in (None, (64, 1, 1), (8, 8, 1), (1, 1, 1)):
            exact, rough = divergence(function, size), rough_divergence(function, size)
            assert exact.values <= rough.values
            assert exact.blocks <= rough.blocks


_SOURCE = """
kernel void k(global const int *restrict a, global int *b, constant int *c, int n) {
    int i = get_global_id(0), g = get_group_id(0), l = get_local_id(1), s = 0, t = 0;
    for (int r = 0; r < n; r++) s += c[r] * g;          // the same for all
    for (int r = 0; r < i; r++) t += a[r];              // left at different times
    int x = b[0];                                       // may have been written meanwhile
    b[i] = s + t + x + a[n] + a[i] + l + get_local_size(0);
}
"""


def test_only_what_differs_is_divergent() -> None:
    (kernel,) = compile_program(_SOURCE, parse_options("")).kernels
    function = ir.parse(kernel.text).function("k")
    for size in (None, (64, 1, 1)):
        exact, rough = divergence(function, size), rough_divergence(function, size)
        assert exact == rough
        loads = [i for i in function.instructions() if i.opcode == "load"]
        assert {rough.is_uniform(load) for load in loads} == {True, False}
