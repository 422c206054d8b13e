"""Own functions are called in vector form where they have one, with the results that they had."""

import numpy as np
import pytest
from kernel_case import FOLDER, KernelCase, parse_launch
from kernel_ways import WAYS

from weft.frontend.options import parse_options
from weft.source.rewrite import Request, Rewritten, vectorize

FUNCTIONS = """
float clip(float x, float low) {
    if (x < low)
        return low;
    if (x > 2.0f) return 2.0f;
    return x;
}
int pick(__global const int *a, int i, int n) {
    int s = 0;
    for (int k = 0; k < n; k++)
        s += a[i + k];
    return s + i;
}
uint mixed(uint v, uchar c) { v ^= v << 3; if (c & 1) v += c; return v; }
float squared(float x) { float y = clip(x, -1.0f); return y * y; }
int leave(int n) { while (n > 10) { if (n & 1) return n; n >>= 1; } return n; }
int store(__global int *p, int v) { *p = v; return v; }
int deeper(int n) { int m = n / 2; if (m) m = deeper(m); int k = deeper(m); return k; }
"""
KERNEL = """
__kernel void k(__global const int *a, __global float *f, __global int *out, __global uint *u, int n) {
    int g = get_global_id(0);
    f[g] = squared(f[g] * 3.0f) + clip(f[g], f[g + 64]);
    out[g] = pick(a, g, n) + pick(a, a[g] & 7, 3) + leave(a[g]) + store(out + 64 + g, a[g]);
    u[g] = mixed(u[g], (uchar)a[g]);
}
__kernel void other(__global float *f) { f[get_global_id(0)] = squared(f[get_global_id(0)]); }
"""
LOOP = """
__kernel void k(__global const int *a, __global float *f, __global int *out, __global uint *u, int n) {
    int g = get_global_id(0), sum = 0;
    for (int i = 0; i < n; i++)
        sum += (int)mixed(a[g + i], 3) - (int)squared(a[i]);
    out[g] = sum;
}
"""


def rewritten(text: str, **how: int | bool) -> Rewritten:
    return vectorize(text, parse_options(""), "k.cl", Request(**how))  # type: ignore[arg-type]


def results(source: str, launch: str) -> dict[str, np.ndarray]:
    arguments = {
        "a": "small_ints(128, int32, 0, 100)",
        "f": "eighths(128)",
        "out": "zeros(128, int32)",
        "u": "small_ints(64, uint32)",
        "n": "5",
    }
    launches = (parse_launch(launch),)
    case = KernelCase(FOLDER / "own.cl", source, "", "k", launches=launches, arguments=arguments)
    return WAYS["specialized-loops-O0"](case, case.launches[0], case.make_arguments(case.launches[0]))


@pytest.mark.parametrize("factor", [2, 8])
def test_merged_work_items_call_vector_forms(factor: int) -> None:
    new = rewritten(FUNCTIONS + KERNEL, inter=factor, exact=True)
    expected = results(FUNCTIONS + KERNEL, "64 / 8")
    found = results(new.text, f"{64 // factor} / {8 // factor}")
    for name, array in expected.items():
        np.testing.assert_array_equal(found[name], array, err_msg=name)
    for name, type in {"clip": "float", "pick": "int", "mixed": "uint", "squared": "float"}.items():
        assert f"static {type}{factor} {name}_v{factor}(" in new.text
    # One form for both kernels.
    assert new.text.count(f" squared_v{factor}(float{factor}") == 1


def test_iterations_call_vector_forms() -> None:
    new = rewritten(FUNCTIONS + LOOP, intra=4)
    text = " ".join(new.text.split())
    assert "convert_int4(mixed_v4(convert_uint4(vload4(0, &a[g + i])), 3))" in text
    expected = results(FUNCTIONS + LOOP, "64 / 8")
    np.testing.assert_array_equal(results(new.text, "64 / 8")["out"], expected["out"])


@pytest.mark.parametrize(
    ("call", "reason"),
    [
        ("leave(a[g])", "leave has no vector variant: work-items return at different places"),
        ("store(out, a[g])", "store writes to memory"),
        ("deeper(a[g])", "deeper calls itself"),
        ("later(a[g])", "later is defined after it is called"),
    ],
)
def test_other_functions_are_called_for_each_lane(call: str, reason: str) -> None:
    head = "int later(int n);\n__kernel void k(__global const int *a, __global int *out) {\n"
    text = (
        f"{FUNCTIONS}{head} int g = get_global_id(0); out[g] = {call}; }}\nint later(int n) {{ return n; }}"
    )
    new = rewritten(text, inter=2, exact=True)
    assert reason in " ".join(why for _, why in new.merged[0].serial)
    if call != "deeper(a[g])":
        assert f"{call.partition('(')[0]}_v2" not in new.text


def test_functions_that_nobody_calls_in_vector_form_get_none() -> None:
    new = rewritten(FUNCTIONS + LOOP, inter=2, exact=True)
    assert "squared_v2" not in new.text and "mixed_v2" in new.text
