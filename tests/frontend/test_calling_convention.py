"""The calling convention: the same on every processor, and every value passed as itself."""

import re

import llvmlite.binding as llvm
import pytest

from weft.frontend.compile import compile_source
from weft.frontend.options import parse_options
from weft.target import x86


def translate(source: str, cpu: str = "x86-64") -> str:
    return compile_source(source, parse_options(""), x86.describe(cpu)).ir


def test_vectors_of_every_width_reach_built_ins_as_themselves() -> None:
    calls = "".join(f"  v{n}[0] = fmax(v{n}[0], v{n}[1]);\n" for n in (2, 3, 4, 8, 16))
    parameters = ", ".join(f"global float{n} *v{n}" for n in (2, 3, 4, 8, 16))
    text = translate(f"kernel void k({parameters}) {{\n{calls}}}")
    for n in (2, 3, 4, 8, 16):
        declaration = f"declare <{n} x float> @_Z4fmaxDv{n}_fS_(<{n} x float> noundef, <{n} x float> noundef)"
        assert declaration in text


def test_small_integer_vectors_are_not_packed_into_registers() -> None:
    text = translate(
        "kernel void k(global char3 *a, global uchar2 *b) { a[0] = max(a[0], a[1]); b[0] = clz(b[0]); }"
    )
    assert "<3 x i8> @_Z3maxDv3_cS_(<3 x i8> noundef, <3 x i8> noundef)" in text
    assert "<2 x i8> @_Z3clzDv2_h(<2 x i8> noundef)" in text


def test_a_kernel_has_one_parameter_an_argument() -> None:
    text = translate(
        "struct pair { int a, b; }; struct four { float x, y, z; int w; };"
        "kernel void k(struct pair p, struct four f, float16 v, char3 c, global int *o) { *o = p.a + f.w; }"
    )
    (parameters,) = re.findall(r"spir_kernel void @k\((.*)\) #", text)
    assert parameters == (
        "ptr noundef byval(%struct.pair) align 4 %p, ptr noundef byval(%struct.four) align 4 %f, "
        "<16 x float> noundef %v, <3 x i8> noundef %c, ptr addrspace(1) noundef align 4 %o"
    )


def test_the_ir_does_not_depend_on_the_processor_but_for_macros() -> None:
    source = "kernel void k(global float16 *a) { a[0] = sin(a[1]); }"
    assert translate(source, "x86-64") == translate(source, "x86-64-v4")
    assert "target-cpu" not in translate(source) and "target-features" not in translate(source)


def test_the_module_is_one_for_the_host() -> None:
    module = llvm.parse_assembly(translate("kernel void k(global int *a) { *a = 1; }"))
    module.verify()
    llvm.initialize_native_target()
    host = llvm.Target.from_default_triple().create_target_machine()
    assert str(host.target_data) == module.data_layout
    assert "spir" not in module.triple


def test_the_calling_convention_is_removed_but_strings_stay() -> None:
    text = translate(
        'int f(int x) { return x; }\nkernel void k(void) { printf("call spir_func %d\\n", f(1)); }'
    )
    assert r'c"call spir_func %d\0A\00"' in text
    assert text.count("spir_func") == 1
    assert "call i32 @f(i32 noundef 1)" in text


def test_address_spaces_keep_their_numbers_and_names() -> None:
    text = translate(
        "constant int table[2] = {1, 2};"
        "kernel void k(global int *g, constant int *c, local int *l) {"
        "  local int own[4]; int x = 0; atomic_add(g, 1); atomic_add(l, c[0] + table[1]); own[0] = x; }"
    )
    assert "ptr addrspace(1) noundef align 4 %g, ptr addrspace(2) noundef align 4 %c" in text
    assert "@_Z10atomic_addPU8CLglobalVii" in text and "@_Z10atomic_addPU7CLlocalVii" in text
    assert "@table = addrspace(2) constant" in text and "@k.own = internal addrspace(3) global" in text


@pytest.mark.parametrize(
    "body",
    [
        "event_t e = async_work_group_copy(l, g, 4, 0); wait_group_events(1, &e);",
        "event_t e[2]; e[0] = async_work_group_copy(g, l, 4, e[1]); wait_group_events(2, e);",
    ],
)
def test_events_are_plain_pointers(body: str) -> None:
    text = translate(f"kernel void k(global int *g, local int *l) {{ {body} }}")
    assert "spirv" not in text
    llvm.parse_assembly(text).verify()


def test_images_and_samplers_are_plain_pointers() -> None:
    text = translate(
        "constant sampler_t s = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;"
        "kernel void k(read_only image2d_t i, sampler_t t, write_only image2d_t o) {"
        "  int2 p = (int2)(0, 1); write_imagef(o, p, read_imagef(i, s, p) + read_imagef(i, t, p)); }"
    )
    assert "spirv" not in text and "spir_kernel void @k(ptr %i, ptr %t, ptr %o)" in text
    llvm.parse_assembly(text).verify()
