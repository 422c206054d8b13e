"""Kernel and argument information, as clGetKernelInfo and clGetKernelArgInfo give it."""

import pytest

from weft.frontend.compile import compile_source
from weft.frontend.metadata import KernelArgument, KernelInfo
from weft.frontend.options import parse_options
from weft.target import x86


def kernels(source: str, options: str = "") -> tuple[KernelInfo, ...]:
    return compile_source(source, parse_options(options), x86.describe("x86-64-v3")).kernels


def argument(declaration: str, before: str = "") -> KernelArgument:
    (kernel,) = kernels(f"{before}\nkernel void k({declaration}) {{}}")
    (found,) = kernel.arguments
    return found


@pytest.mark.parametrize(
    ("declaration", "type_name"),
    [
        ("float x", "float"),
        ("global float *x", "float*"),
        ("global const float * restrict x", "float*"),
        ("unsigned int x", "uint"),
        ("unsigned x", "uint"),
        ("unsigned char x", "uchar"),
        ("global unsigned short *x", "ushort*"),
        ("unsigned long x", "ulong"),
        ("signed char x", "char"),
        ("global uchar4 *x", "uchar4*"),
        ("constant float16 *x", "float16*"),
        ("local double3 *x", "double3*"),
        ("global half *x", "half*"),
        ("global void *x", "void*"),
        ("global int (*x)[4]", "int[4]*"),
        ("const int x", "int"),
        ("real x", "real"),
        ("global real *x", "real*"),
        ("struct point x", "point"),
        ("global struct point *x", "point*"),
        ("node x", "node"),
        ("global const volatile node *x", "node*"),
        ("enum colour x", "colour"),
        ("union word x", "word"),
        ("global size_t *x", "size_t*"),
        ("read_only image2d_t x", "image2d_t"),
        ("sampler_t x", "sampler_t"),
    ],
)
def test_type_names_are_spelled_as_declared(declaration: str, type_name: str) -> None:
    types = (
        "typedef float real; struct point { int x, y; }; typedef struct { int a[3]; } node;"
        "enum colour { RED }; union word { int i; float f; };"
    )
    found = argument(declaration, types)
    assert (found.name, found.type_name) == ("x", type_name)


@pytest.mark.parametrize(
    ("declaration", "space", "access", "qualifiers"),
    [
        ("int x", "private", "none", ""),
        ("const int x", "private", "none", ""),
        ("global int *x", "global", "none", ""),
        ("local int *x", "local", "none", ""),
        ("constant int *x", "constant", "none", "const"),
        ("global const int *x", "global", "none", "const"),
        ("global int * restrict x", "global", "none", "restrict"),
        ("global volatile int *x", "global", "none", "volatile"),
        ("global const volatile int * restrict x", "global", "none", "const volatile restrict"),
        ("global int * const x", "global", "none", ""),
        ("read_only image2d_t x", "global", "read_only", ""),
        ("write_only image1d_t x", "global", "write_only", ""),
        ("image3d_t x", "global", "read_only", ""),
        ("sampler_t x", "private", "none", ""),
    ],
)
def test_qualifiers_of_an_argument(declaration: str, space: str, access: str, qualifiers: str) -> None:
    found = argument(declaration)
    assert (found.address_space, found.access, found.qualifiers) == (
        space,
        access,
        frozenset(qualifiers.split()),
    )


def test_kernels_are_in_the_order_of_the_source() -> None:
    found = kernels(
        "kernel void zebra(int a, float b) {} int helper(int x) { return x; } __kernel void ant() {}"
    )
    assert [(kernel.name, len(kernel.arguments)) for kernel in found] == [("zebra", 2), ("ant", 0)]


def test_a_program_without_kernels_has_none() -> None:
    assert kernels("int helper(int x) { return x; }") == ()


def test_a_declaration_alone_is_not_a_kernel() -> None:
    found = kernels("kernel void later(int x); kernel void first(void) {} kernel void later(int x) {}")
    assert {kernel.name for kernel in found} == {"first", "later"}


def test_a_kernel_that_calls_a_kernel() -> None:
    found = kernels(
        "kernel void inner(global int *p) { *p = 1; } kernel void outer(global int *p) { inner(p); }"
    )
    assert [kernel.name for kernel in found] == ["inner", "outer"]


@pytest.mark.parametrize(
    ("attribute", "spelled"),
    [
        ("reqd_work_group_size(64, 1, 1)", "reqd_work_group_size(64,1,1)"),
        ("work_group_size_hint(8, 4, 2)", "work_group_size_hint(8,4,2)"),
        ("vec_type_hint(float4)", "vec_type_hint(float4)"),
        ("vec_type_hint(int)", "vec_type_hint(int)"),
        ("vec_type_hint(uint)", "vec_type_hint(uint)"),
        ("vec_type_hint(uchar16)", "vec_type_hint(uchar16)"),
        ("vec_type_hint(short3)", "vec_type_hint(short3)"),
        ("vec_type_hint(ulong2)", "vec_type_hint(ulong2)"),
        ("vec_type_hint(long8)", "vec_type_hint(long8)"),
        ("vec_type_hint(double)", "vec_type_hint(double)"),
    ],
)
def test_attributes_are_spelled_as_in_the_source(attribute: str, spelled: str) -> None:
    (kernel,) = kernels(f"kernel __attribute__(({attribute})) void k(void) {{}}")
    assert kernel.attributes == spelled


def test_several_attributes_are_separated_by_spaces() -> None:
    (kernel,) = kernels(
        "__attribute__((vec_type_hint(float4))) __attribute__((reqd_work_group_size(16, 8, 1))) "
        "kernel void k(global float4 *p) {}"
    )
    assert kernel.reqd_work_group_size == (16, 8, 1)
    assert kernel.work_group_size_hint is None
    assert kernel.vec_type_hint == "float4"
    assert kernel.attributes == "reqd_work_group_size(16,8,1) vec_type_hint(float4)"


def test_a_kernel_without_attributes_has_an_empty_string() -> None:
    (kernel,) = kernels("kernel void k(int a) {}")
    assert (kernel.attributes, kernel.reqd_work_group_size, kernel.vec_type_hint) == ("", None, None)


def test_names_outside_ascii_are_read() -> None:
    (kernel,) = kernels("kernel void größe(global int *länge) {}")
    assert kernel.name == "größe" and kernel.arguments[0].name == "länge"


def test_many_arguments_keep_their_order() -> None:
    (kernel,) = kernels(
        "kernel void k(" + ", ".join(f"global int{w} *a{w}" for w in (2, 3, 4, 8, 16)) + ") {}"
    )
    assert [(a.name, a.type_name) for a in kernel.arguments] == [
        (f"a{w}", f"int{w}*") for w in (2, 3, 4, 8, 16)
    ]


def test_the_information_does_not_depend_on_the_option() -> None:
    source = "kernel void k(global const float *a) {}"
    assert kernels(source) == kernels(source, "-cl-kernel-arg-info")
