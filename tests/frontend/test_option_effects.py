"""What each build option changes in the IR."""

import re
from pathlib import Path

import pytest

from weft.errors import BuildError, ToolError
from weft.frontend.compile import compile_source
from weft.frontend.options import parse_options
from weft.target import x86

TARGET = x86.describe("x86-64-v3")
ARITHMETIC = """
kernel void k(global float *a) {
    a[0] = a[1] / a[2];
    a[3] = a[4] * a[5] + a[6];
    float product = a[7] * a[8];
    a[9] = product - a[10];
    a[11] *= 0.1;
}
"""


def ir(options: str = "", source: str = ARITHMETIC) -> str:
    return compile_source(source, parse_options(options), TARGET).ir


def lines(text: str, operation: str) -> list[str]:
    return re.findall(rf"^  .*= {operation} .*$", text, re.MULTILINE)


def test_by_default_products_are_fused_within_an_expression_only() -> None:
    text = ir()
    assert text.count("call float @llvm.fmuladd.f32(") == 1
    assert re.search(r"= fmul float", text) and re.search(r"= fsub float", text)
    assert "fast" not in text and "nnan" not in text and "contract" not in text


def test_the_pragma_turns_fusing_off() -> None:
    text = ir(source="#pragma OPENCL FP_CONTRACT OFF\n" + ARITHMETIC)
    assert "fmuladd" not in text


@pytest.mark.parametrize(
    "option", ["-cl-mad-enable", "-cl-unsafe-math-optimizations", "-cl-fast-relaxed-math"]
)
def test_relaxed_options_fuse_across_expressions(option: str) -> None:
    text = ir(option)
    assert all("contract" in line or "fast" in line for line in lines(text, "fmul") + lines(text, "fsub"))


def test_mad_enable_allows_nothing_but_fusing() -> None:
    text = ir("-cl-mad-enable")
    for flag in ("nnan", "ninf", "nsz", "reassoc", "arcp", "afn", "fast "):
        assert f" {flag}" not in "\n".join(lines(text, "f(?:mul|add|sub|div)"))


def test_fast_relaxed_math_sets_all_fast_flags_and_the_macro() -> None:
    assert "fdiv fast float" in ir("-cl-fast-relaxed-math")
    macro = "#ifdef __FAST_RELAXED_MATH__\nkernel void fast(void) {}\n#endif\n"
    assert "@fast(" in ir("-cl-fast-relaxed-math", macro)
    assert "@fast(" not in ir("", macro)


def test_unsafe_math_reassociates_but_keeps_nan_and_infinity() -> None:
    (division,) = lines(ir("-cl-unsafe-math-optimizations"), "fdiv")
    assert "reassoc" in division and "nsz" in division and "nnan" not in division and "ninf" not in division


def test_finite_math_only_assumes_no_nan_and_no_infinity() -> None:
    (division,) = lines(ir("-cl-finite-math-only"), "fdiv")
    assert "nnan ninf" in division and "reassoc" not in division and "nsz" not in division


def test_no_signed_zeros() -> None:
    (division,) = lines(ir("-cl-no-signed-zeros"), "fdiv")
    assert "fdiv nsz float" in division


def test_denorms_are_zero_marks_the_functions() -> None:
    mark = '"denormal-fp-math-f32"="preserve-sign,preserve-sign"'
    assert mark in ir("-cl-denorms-are-zero")
    assert mark not in ir()


def test_single_precision_constant_makes_literals_float() -> None:
    assert "fmul double" in ir()
    assert "double" not in ir("-cl-single-precision-constant")


def test_correctly_rounded_division_takes_the_allowance_away() -> None:
    assert "!fpmath" in lines(ir(), "fdiv")[0]
    assert "!fpmath" not in lines(ir("-cl-fp32-correctly-rounded-divide-sqrt"), "fdiv")[0]


@pytest.mark.parametrize("option", ["-cl-opt-disable", "-fno-strict-aliasing"])
def test_accesses_of_different_types_may_alias(option: str) -> None:
    assert "!tbaa" in ir() and "!tbaa" in ir("-fstrict-aliasing")
    assert "tbaa" not in ir(option)
    assert "optnone" not in ir(option) and "noinline" not in ir(option)


@pytest.mark.parametrize("option", ["-g", "-cl-kernel-arg-info", "-cl-uniform-work-group-size"])
def test_options_for_later_stages_leave_the_ir_alone(option: str) -> None:
    assert ir(option) == ir()
    assert "optnone" not in ir(option) and "noinline" not in ir(option)


def test_macros_reach_the_program() -> None:
    source = "kernel void NAME(global int *p) { *p = SIZE(VALUE, 2); }"
    text = ir("-DNAME=renamed -D VALUE=40 '-DSIZE(a, b)=((a) + (b))'", source)
    assert "spir_kernel void @renamed(" in text and "store i32 42," in text


def test_fast_fma_is_announced_where_the_processor_has_it() -> None:
    source = "#ifdef FP_FAST_FMAF\nkernel void fused(void) {}\n#endif\n"
    options = parse_options("")
    assert compile_source(source, options, x86.describe("znver3")).kernels
    assert compile_source(source, options, x86.describe("haswell")).kernels
    assert not compile_source(source, options, x86.describe("x86-64")).kernels


@pytest.mark.parametrize("length", [10, 1_000_000])
@pytest.mark.parametrize("included", [False, True])
def test_macros_of_any_length_come_before_the_header(length: int, included: bool, tmp_path: Path) -> None:
    # The header has the word `x`, so that the macros cannot be part of the source.
    (tmp_path / "size.h").write_text("constant int size = SIZE;\n")
    options = f"-DSIZE='sizeof(\"{'s' * length}\")' -Dx=y -I {tmp_path}"
    text = '#include "size.h"\n' if included else "constant int size = SIZE;\n"
    assert f" {length + 1}, align 4" in ir(options, text)
    with pytest.raises(BuildError) as caught:
        ir(options, f"{text}kernel void k() {{ x; }}")
    assert "use of undeclared identifier 'y'" in caught.value.log
    assert "expanded from macro 'x'" in caught.value.log and "<command line>:" in caught.value.log


def test_more_folders_than_the_system_takes_are_an_error_that_says_so() -> None:
    options = " ".join(f"-I/missing/folder/{number}" for number in range(200_000))
    with pytest.raises(ToolError, match="the build options are longer than the system allows"):
        ir(options, '#include "missing.h"\n')
