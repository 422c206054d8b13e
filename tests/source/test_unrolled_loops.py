"""Loops that run several iterations at once do what they did before."""

import copy

import numpy as np
import pytest
from kernel_case import FOLDER, KernelCase, load, parse_launch
from kernel_ways import WAYS
from rewritten_case import rewritten, with_source

from weft.frontend.options import parse_options
from weft.source.refusal import Refused
from weft.source.rewrite import Request, vectorize

CASES = ["algorithms/convolution_row", "algorithms/matrix_product_tiled", "divergent/uniform_by_sub_group"]

REDUCTIONS = """
__kernel void k(__global const int *a, __global const float *f, __global int *restrict out,
                __global float *fout, int n, int m) {
    int g = get_global_id(0);
    int sum = g, big = -500, some = 0, found = 3;
    bool every = g != 5, odd = false;
    short narrow = 3;
    uint product = 1;
    float least = 1e30f;
    for (int i = 0; i < n; i++) {
        int x = a[g + i];
        sum -= x * i;
        big = max(big, x);
        if (x > 30) some |= x;
        if (x == 41) found = 7;
        if (x < -48) every = false;
        odd |= x == 17;
        narrow += x;
        product = (uint)(x | 1) * product;
        least = fmin(f[i] - g, least);
    }
    for (long j = m; j <= a[0]; j += 3) {
        if (j < 0) continue;
        sum += j;
    }
    for (uint k = g; k < 20; ++k)
        out[64 + 32 * g + k] = a[k] + (a[k] > 0 ? a[k + 1] : 7);
    out[g] = sum + 3 * big + some + narrow + (int)product + 1000 * found + 100000 * every + 50000 * odd;
    fout[g] = least;
}
"""


def reductions(source: str) -> KernelCase:
    arguments = {
        "a": "concatenate([[23], small_ints(99)]).astype(int32)",
        "f": "eighths(64)",
        "out": "zeros(2000, int32)",
        "fout": "zeros(64, float32)",
        "n": "29",
        "m": "2",
    }
    launches = (parse_launch("32 / 8"),)
    return KernelCase(FOLDER / "reductions.cl", source, launches=launches, arguments=arguments)


@pytest.mark.parametrize("name", CASES)
def test_result_is_that_of_the_original(name: str) -> None:
    case = load(FOLDER / f"{name}.cl")
    new = rewritten(case, intra=4, fast_math=True)
    launch = case.launches[0]
    arguments = case.make_arguments(launch)
    expected = copy.deepcopy(arguments)
    case.apply_reference(launch, expected)
    case.compare(expected, WAYS["specialized-loops-O0"](with_source(case, new.text), launch, arguments))


@pytest.mark.parametrize("factor", [2, 16])
def test_reductions_remainders_and_lanes(factor: int) -> None:
    source = REDUCTIONS.replace("if (j < 0) continue;", "")
    case = reductions(source)
    (launch,) = case.launches
    new = rewritten(case, intra=factor)
    assert len(new.unrolled) == 3 and not new.not_rewritten
    way = WAYS["specialized-loops-O0"]
    expected = way(case, launch, case.make_arguments(launch))
    found = way(reductions(new.text), launch, case.make_arguments(launch))
    for name, array in expected.items():
        np.testing.assert_array_equal(found[name], array)


def test_both_together() -> None:
    case = reductions(REDUCTIONS.replace("if (j < 0) continue;", ""))
    (launch,) = case.launches
    way = WAYS["specialized-loops-O0"]
    expected = way(case, launch, case.make_arguments(launch))
    new = rewritten(case, inter=2, intra=2, exact=True)
    merged = parse_launch("16 / 4")
    found = way(reductions(new.text), merged, case.make_arguments(launch))
    for name, array in expected.items():
        np.testing.assert_array_equal(found[name], array)


REFUSED = {
    "for (int i = 0; i < n; i++) a[i + 1] = a[i];": "iterations may depend on each other",
    "for (int i = 0; i < n; i++) b[i] = a[i];": "`restrict` on the pointers would rule out aliasing",
    "for (int i = 0; i < n; i++) a[0] += i;": "iterations write to one location",
    "float s = 0; for (int i = 0; i < n; i++) s += b[i]; b[0] = s;": "allow that with --fast-math",
    "int x = 0; for (int i = 0; i < n; i++) x = a[x + i]; a[0] = x;": "x carries a value",
    "for (int i = 0; i < n; i++) if (a[i]) break;": "the loop has an early exit here",
    "int x = 0; for (int i = 0; i < n; i++) x = x || a[i]; a[0] = x;": "x |= ... would become vectors",
    "int x = n; while (x) x = a[x];": "only counted for loops",
    "for (int i = 0; i < n; i++) atomic_inc(&a[i]);": "side effects are ordered",
    "LOOP a[i] = 3;": "a macro hides parts of this loop",
}


@pytest.mark.parametrize(("body", "reason"), REFUSED.items())
def test_dependences_are_refused(body: str, reason: str) -> None:
    macro = "#define LOOP for (int i = 0; i < n; i++)\n"
    text = f"{macro}__kernel void k(__global int *a, __global float *b, int n) {{ {body} }}"
    with pytest.raises(Refused) as refused:
        vectorize(text, parse_options(""), "k.cl", Request(intra=4))
    assert reason in refused.value.reason
    assert refused.value.line == 2
