"""What built-ins, and comparisons that LLVM recognizes, become in kernels that run in SIMD lanes."""

import re

import pytest

from weft import ir
from weft.codegen.optimise import optimise
from weft.compiler.build_program import compile_program
from weft.compiler.compilation_unit import CompilationUnit
from weft.compiler.pipeline import run_pipeline
from weft.frontend.options import parse_options
from weft.kernel import CodeOptions
from weft.launch_form import LaunchForm
from weft.target import x86
from weft.trace import Trace

TARGET = x86.describe("x86-64-v4")


def optimized(source: str) -> str:
    """The kernel of a program for tiles of 1024 work-items, as LLVM's optimizer leaves it."""
    parsed = parse_options("")
    (kernel,) = compile_program(source, parsed, target=TARGET).kernels
    form = LaunchForm(None, tile=(1024, 1, 1), noalias=True)
    unit = CompilationUnit.of_kernel(kernel, CodeOptions.of(parsed), form, TARGET)
    run_pipeline(unit, Trace(kernel.info.name, None, "", None))
    modules = [ir.print_module(unit.module), *unit.functions, *unit.library]
    return optimise(modules, TARGET, 3, [f"weft.workgroup.{kernel.info.name}"])


@pytest.mark.parametrize("element", ["long", "ulong"])
@pytest.mark.parametrize("width", ["", "4"])
def test_high_parts_of_64_bits_are_products_of_32_bits(element: str, width: str) -> None:
    """LLVM recognizes the product and would multiply lanes one by one, as integers of 128 bits."""
    kind = element + width
    text = optimized(
        f"kernel void f(global const {kind} *a, global const {kind} *b, global {kind} *c)"
        "{ size_t i = get_global_id(0); c[i] = mul_hi(a[i], b[i]); }"
    )
    assert " i128" not in text
    assert re.search(r" = mul .*<(8|16) x i64>", text)


def test_high_part_of_a_scalar_is_one_product() -> None:
    text = optimized(
        "kernel void f(global ulong *a, ulong b) {"
        "    ulong x = b;"
        "    for (ulong y = b; y > 1; y = mul_hi(y, y)) x += y;"
        "    if (get_global_id(0) == 0) *a = x;"
        "}"
    )
    assert "mul nuw i128" in text


@pytest.mark.parametrize("width", ["2", "4", "8", "16"])
@pytest.mark.parametrize("aligned", ["", "a"])
def test_halves_are_loaded_and_stored_in_vectors(width: str, aligned: str) -> None:
    text = optimized(
        "kernel void f(global const half *x, global half *y, float a) {"
        "    size_t i = get_global_id(0);"
        f"    vstore{aligned}_half{width}(a * vload{aligned}_half{width}(i, x), i, y);"
        "}"
    )
    assert re.search(r"fpext <(16|32|64) x half>", text)
    assert re.search(r"fptrunc <(16|32|64) x float>", text)
    assert not re.search(r"(load|store) (half|i16)\b", text)


def test_a_half_of_each_work_item_is_part_of_a_vector() -> None:
    text = optimized(
        "kernel void f(global const half *x, global half *y, float a) {"
        "    size_t i = get_global_id(0);"
        "    vstore_half_rtz(a * vload_half(i, x), i, y);"
        "}"
    )
    assert re.search(r"fpext <(8|16|32) x half>", text)
    assert not re.search(r"(load|store) (half|i16)\b", text)


@pytest.mark.parametrize(
    ("call", "part", "vector"),
    [
        ("fract", "float", r"@llvm\.floor\.v\d+f32"),
        ("modf", "float", r"@llvm\.trunc\.v\d+f32"),
        ("frexp", "int", r"and <\d+ x i32>"),
    ],
)
def test_results_through_private_pointers_are_values(call: str, part: str, vector: str) -> None:
    """A call with a pointer to memory of the work-item would be made for one lane after the other."""
    text = optimized(
        "kernel void f(global const float *x, global float *y, int n) {"
        f"    size_t i = get_global_id(0); float a = x[i]; {part} whole;"
        f"    for (int k = 0; k < n; k++) {{ float rest = {call}(a, &whole); a = rest * 2 + whole; }}"
        "    y[i] = a;"
        "}"
    )
    assert "alloca" not in text
    assert re.search(vector, text)


@pytest.mark.parametrize(
    ("step", "made"),
    [
        ("s += (x + k > y) - (x + k < y);", "scmp"),
        ("s += ((uint)x + k > (uint)y) - ((uint)x + k < (uint)y);", "ucmp"),
        ("float z = as_float(x + k); s += z == 0 || !(fabs(z) < INFINITY);", "is.fpclass"),
    ],
    ids=["scmp", "ucmp", "fpclass"],
)
def test_comparisons_are_made_in_all_lanes_at_once(step: str, made: str) -> None:
    text = optimized(
        "kernel void f(global const int *a, global const int *b, global int *c, int n) {"
        "    size_t i = get_global_id(0); int x = a[i], y = b[i], s = 0;"
        f"    for (int k = 0; k < n; k++) {{ {step} }}"
        "    c[i] = s;"
        "}"
    )
    assert re.search(rf"call .*@llvm\.{made}\.v\d+", text)
    assert not re.search(rf"@llvm\.{made}\.[if]", text)
