"""sincos as a sine and a cosine."""

import pytest

from weft.builtins.sincos import sincos_definitions
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


def test_other_declarations_stay() -> None:
    text = """
declare half @_Z6sincosDhPU9CLprivateDh(half noundef, ptr noundef)
declare float @_Z6sincosfPU9CLprivatef(ptr noundef, ptr noundef)
declare float @_Z6sincosfPU8CLgobalf_my_own(float noundef, ptr noundef)
declare float @_Z3sinf(float noundef)
"""
    assert sincos_definitions(text) == []


def test_definition_is_a_module() -> None:
    types = "<3 x double> noundef, ptr addrspace(1) noundef"
    text = f"\ndeclare <3 x double> @_Z6sincosDv3_dPU8CLglobalS_({types})\n"
    (definition,) = sincos_definitions(text)
    assert "store <3 x double> %cosine, ptr addrspace(1) %place, align 32" in definition
    verify(definition)
