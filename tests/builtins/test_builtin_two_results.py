"""sincos as a sine and a cosine, remquo as a remainder and a quotient."""

import pytest

from weft.builtins.two_results import two_result_definitions
from weft.codegen.optimise import verify
from weft.compiler.build_program import compile_program
from weft.frontend.options import parse_options

FORMS = [("float", "f"), ("float3", "Dv3_f"), ("float16", "Dv16_f"), ("double", "d"), ("double4", "Dv4_d")]


@pytest.mark.parametrize(("type", "mangled"), FORMS)
@pytest.mark.parametrize("place", ["&c", "p + 1", "l"])
@pytest.mark.parametrize("debug_info", [False, True])
def test_kernels_call_both(type: str, mangled: str, place: str, debug_info: bool) -> None:
    source = f"""
        kernel void f(global {type} *p, local {type} *l) {{
            {type} c = p[2];
            p[0] = sincos(p[3], {place});
            p[4] = c;
        }}"""
    (kernel,) = compile_program(source, parse_options(""), debug_info=debug_info).kernels
    assert f"@_Z3sin{mangled}(" in kernel.text
    assert f"@_Z3cos{mangled}(" in kernel.text
    assert "sincos" not in kernel.text.replace("sincos(p[3]", "")
    assert "alloca" not in kernel.text


@pytest.mark.parametrize(("type", "mangled"), FORMS)
@pytest.mark.parametrize("place", ["&q", "p + 1", "l"])
def test_remquo_is_a_remainder_and_a_quotient(type: str, mangled: str, place: str) -> None:
    integers = type.replace("float", "int").replace("double", "int")
    source = f"""
        kernel void f(global {type} *a, global {integers} *p, local {integers} *l) {{
            {integers} q = p[2];
            a[0] = remquo(a[3], a[4], {place});
            p[4] = q;
        }}"""
    (kernel,) = compile_program(source, parse_options("")).kernels
    both = mangled + ("S_" if mangled.startswith("Dv") else mangled)
    assert f"@_Z9remainder{both}(" in kernel.text
    assert f"@_Z15__weft_quotient{both}(" in kernel.text
    assert "remquo" not in kernel.text
    assert "alloca" not in kernel.text


def test_other_declarations_stay() -> None:
    text = """
declare half @_Z6sincosDhPU9CLprivateDh(half noundef, ptr noundef)
declare float @_Z6sincosfPU9CLprivatef(ptr noundef, ptr noundef)
declare float @_Z6sincosfPU8CLgobalf_my_own(float noundef, ptr noundef)
declare float @_Z3sinf(float noundef)
declare float @_Z6remquofPU9CLprivatei(float noundef, ptr noundef)
declare half @_Z6remquoDhDhPU9CLprivatei(half noundef, half noundef, ptr noundef)
declare float @_Z6sincosffPU9CLprivatef(float noundef, float noundef, ptr noundef)
"""
    assert two_result_definitions(text) == []


def test_definition_is_a_module() -> None:
    types = "<3 x double> noundef, ptr addrspace(1) noundef"
    text = f"\ndeclare <3 x double> @_Z6sincosDv3_dPU8CLglobalS_({types})\n"
    (definition,) = two_result_definitions(text)
    assert "store <3 x double> %second, ptr addrspace(1) %place, align 32" in definition
    verify(definition)


def test_definition_of_remquo_is_a_module() -> None:
    types = "<3 x double> noundef, <3 x double> noundef, ptr addrspace(1) noundef"
    text = f"\ndeclare <3 x double> @_Z6remquoDv3_dS_PU8CLglobalDv3_i({types})\n"
    (definition,) = two_result_definitions(text)
    assert "store <3 x i32> %second, ptr addrspace(1) %place, align 16" in definition
    verify(definition)
