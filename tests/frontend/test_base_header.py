"""The base header: every type, limit and constant has the value OpenCL C 1.2 and 3.0 give it."""

import math
import re
import struct

import pytest

from weft.errors import BuildError, InvalidBuildOptions
from weft.frontend import options as frontend_options
from weft.frontend.compile import compile_source
from weft.frontend.options import (
    EXTENSIONS,
    FEATURES,
    HOST_EXTENSIONS,
    INTEL_EXTENSIONS,
    NEWER_EXTENSIONS,
    parse_options,
)
from weft.target import x86

TARGET = x86.describe("x86-64-v3")
STANDARDS = ("CL1.2", "CL3.0", "CL3.1", "CLC++2021", "CL2.0", "CLC++1.0")
WIDTHS = (2, 3, 4, 8, 16)
SIZES = {"char": 1, "short": 2, "int": 4, "long": 8, "float": 4, "double": 8}
SIZES |= {f"u{name}": SIZES[name] for name in ("char", "short", "int", "long")}

INTEGERS = {
    "CHAR_BIT": 8,
    "SCHAR_MIN": -(2**7), "SCHAR_MAX": 2**7 - 1, "UCHAR_MAX": 2**8 - 1,
    "CHAR_MIN": -(2**7), "CHAR_MAX": 2**7 - 1,
    "SHRT_MIN": -(2**15), "SHRT_MAX": 2**15 - 1, "USHRT_MAX": 2**16 - 1,
    "INT_MIN": -(2**31), "INT_MAX": 2**31 - 1, "UINT_MAX": 2**32 - 1,
    "LONG_MIN": -(2**63), "LONG_MAX": 2**63 - 1, "ULONG_MAX": 2**64 - 1,
    "FLT_DIG": 6, "FLT_MANT_DIG": 24, "FLT_RADIX": 2,
    "FLT_MAX_EXP": 128, "FLT_MIN_EXP": -125, "FLT_MAX_10_EXP": 38, "FLT_MIN_10_EXP": -37,
    "DBL_DIG": 15, "DBL_MANT_DIG": 53, "DBL_RADIX": 2,
    "DBL_MAX_EXP": 1024, "DBL_MIN_EXP": -1021, "DBL_MAX_10_EXP": 308, "DBL_MIN_10_EXP": -307,
    "FP_ILOGB0": -(2**31), "FP_ILOGBNAN": 2**31 - 1,
    "CLK_LOCAL_MEM_FENCE": 1, "CLK_GLOBAL_MEM_FENCE": 2,
    "CLK_ADDRESS_NONE": 0, "CLK_ADDRESS_CLAMP_TO_EDGE": 2, "CLK_ADDRESS_CLAMP": 4,
    "CLK_ADDRESS_REPEAT": 6, "CLK_ADDRESS_MIRRORED_REPEAT": 8,
    "CLK_NORMALIZED_COORDS_FALSE": 0, "CLK_NORMALIZED_COORDS_TRUE": 1,
    "CLK_FILTER_NEAREST": 0x10, "CLK_FILTER_LINEAR": 0x20,
    "__OPENCL_VERSION__": 310, "__ENDIAN_LITTLE__": 1,
    "CL_VERSION_1_0": 100, "CL_VERSION_1_1": 110, "CL_VERSION_1_2": 120, "CL_VERSION_2_0": 200,
    "CL_VERSION_3_0": 300, "CL_VERSION_3_1": 310,
    "FP_FAST_FMA": 1, "FP_FAST_FMAF": 1,
}  # fmt: skip

# CL/cl.h numbers the channel orders and types one after the other.
ORDERS = "R A RG RA RGB RGBA BGRA ARGB INTENSITY LUMINANCE Rx RGx RGBx DEPTH DEPTH_STENCIL"
TYPES = (
    "SNORM_INT8 SNORM_INT16 UNORM_INT8 UNORM_INT16 UNORM_SHORT_565 UNORM_SHORT_555 UNORM_INT_101010 "
    "SIGNED_INT8 SIGNED_INT16 SIGNED_INT32 UNSIGNED_INT8 UNSIGNED_INT16 UNSIGNED_INT32 "
    "HALF_FLOAT FLOAT UNORM_INT24"
)
INTEGERS |= {f"CLK_{name}": 0x10B0 + i for i, name in enumerate(ORDERS.split())}
INTEGERS |= {f"CLK_{name}": 0x10D0 + i for i, name in enumerate(TYPES.split())}

# Only in OpenCL C 3.0.
INTEGERS_3 = {
    "CLK_IMAGE_MEM_FENCE": 4,
    "memory_order_relaxed": 0, "memory_order_acquire": 2, "memory_order_release": 3,
    "memory_order_acq_rel": 4,
    "memory_scope_work_item": 0, "memory_scope_work_group": 1, "memory_scope_device": 2,
    "ATOMIC_FLAG_INIT": 0, "ATOMIC_VAR_INIT(7)": 7,
    "CLK_sRGB": 0x10BF, "CLK_sRGBx": 0x10C0, "CLK_sRGBA": 0x10C1, "CLK_sBGRA": 0x10C2, "CLK_ABGR": 0x10C3,
    "CLK_UNORM_INT_101010_2": 0x10E0,
    "__opencl_c_int64": 1, "__opencl_c_fp64": 1,
}  # fmt: skip

CONSTANTS = {
    "E": math.e, "LOG2E": 1 / math.log(2), "LOG10E": 1 / math.log(10), "LN2": math.log(2),
    "LN10": math.log(10),
    "PI": math.pi, "PI_2": math.pi / 2, "PI_4": math.pi / 4, "1_PI": 1 / math.pi, "2_PI": 2 / math.pi,
    "2_SQRTPI": 2 / math.sqrt(math.pi), "SQRT2": math.sqrt(2), "SQRT1_2": math.sqrt(0.5),
}  # fmt: skip
FLOATS = {
    "FLT_MAX": (2 - 2.0**-23) * 2.0**127, "FLT_MIN": 2.0**-126, "FLT_EPSILON": 2.0**-23,
    "MAXFLOAT": (2 - 2.0**-23) * 2.0**127, "HUGE_VALF": math.inf, "INFINITY": math.inf,
} | {f"M_{name}_F": value for name, value in CONSTANTS.items()}  # fmt: skip
DOUBLES = {
    "DBL_MAX": (2 - 2.0**-52) * 2.0**1023, "DBL_MIN": 2.0**-1022, "DBL_EPSILON": 2.0**-52,
    "HUGE_VAL": math.inf,
} | {f"M_{name}": value for name, value in CONSTANTS.items()}  # fmt: skip


def build(source: str, standard: str = "CL1.2", more: str = "") -> str:
    translation = compile_source(source, parse_options(f"-cl-std={standard} {more}"), TARGET)
    assert translation.log == ""
    return translation.ir


def assertions(conditions: list[str]) -> str:
    """Source that compiles only if every condition, a constant expression, holds."""
    lines = [f"typedef char assertion_{i}[({condition}) ? 1 : -1];" for i, condition in enumerate(conditions)]
    return "\n".join(lines) + "\n"


def values(source_type: str, names: list[str], standard: str) -> list[float]:
    """The floating-point values of `names`, read back from the initializer of a constant array."""
    text = build(f"constant {source_type} values[] = {{{', '.join(names)}}};\n", standard)
    (body,) = re.findall(rf"@values = .*constant \[\d+ x {source_type}\] \[(.*)\], align", text)
    found = re.findall(rf"{source_type} (\S+?)(?:,|$)", body)
    return [
        struct.unpack(">d", bytes.fromhex(v[2:].zfill(16)))[0] if v[:2] == "0x" else float(v) for v in found
    ]


@pytest.mark.parametrize("standard", STANDARDS)
def test_types_have_their_sizes_and_alignments(standard: str) -> None:
    conditions = []
    for name, size in SIZES.items():
        conditions += [f"sizeof({name}) == {size}", f"__alignof__({name}) == {size}"]
        for width in WIDTHS:
            total = size * (4 if width == 3 else width)
            vector = f"{name}{width}"
            conditions += [f"sizeof({vector}) == {total}", f"__alignof__({vector}) == {total}"]
            conditions.append(f"vec_step({vector}) == {4 if width == 3 else width}")
    conditions += [
        f"sizeof({name}) == 8" for name in ("size_t", "ptrdiff_t", "intptr_t", "uintptr_t", "void *")
    ]
    conditions += [
        "sizeof(bool) == 1", "sizeof(half) == 2", "sizeof(cl_mem_fence_flags) == 4", "sizeof(event_t) == 8",
    ]  # fmt: skip
    conditions += ["(char)-1 < 0", "(uchar)-1 > 0", "(size_t)-1 > 0", "(ptrdiff_t)-1 < 0", "(intptr_t)-1 < 0"]
    build(assertions(conditions), standard)


@pytest.mark.parametrize("standard", STANDARDS)
def test_integer_constants_have_their_values(standard: str) -> None:
    expected = INTEGERS | (INTEGERS_3 if standard in ("CL3.0", "CL3.1") else {})
    conditions = []
    for name, value in expected.items():
        # The most negative value has no literal of its own.
        literal = (
            f"({value + 1}L - 1)" if value < -(2**32) else f"{value}UL" if value >= 2**63 else f"{value}L"
        )
        conditions.append(f"({name}) == {literal}")
    build(assertions(conditions), standard)


@pytest.mark.parametrize("standard", STANDARDS)
def test_limits_have_their_types(standard: str) -> None:
    # A built-in of 32 bits is called with the first two, one of 64 bits with the others.
    total = "abs(INT_MIN) + clz(UINT_MAX) + clz(LONG_MIN) + clz(ULONG_MAX)"
    source = f"kernel void k(global ulong *p) {{ *p = {total}; }}"
    text = build(source, standard)
    for symbol in ("_Z3absi", "_Z3clzj", "_Z3clzl", "_Z3clzm"):
        assert f"@{symbol}(" in text


@pytest.mark.parametrize("standard", STANDARDS)
def test_float_constants_have_their_values(standard: str) -> None:
    found = values("float", list(FLOATS), standard)
    expected = [struct.unpack("f", struct.pack("f", value))[0] for value in FLOATS.values()]
    assert found == expected
    assert all(math.isnan(value) for value in values("float", ["NAN"], standard))
    conditions = [f"sizeof({name}) == 4" for name in [*FLOATS, "NAN"]]
    build(assertions(conditions), standard)


@pytest.mark.parametrize("standard", STANDARDS)
def test_double_constants_have_their_values(standard: str) -> None:
    found = values("double", list(DOUBLES), standard)
    # Python's 1 / log(2) and the like are themselves rounded twice.
    assert found == pytest.approx(list(DOUBLES.values()), rel=4e-16)
    assert found[:4] == list(DOUBLES.values())[:4]
    build(assertions([f"sizeof({name}) == 8" for name in DOUBLES]), standard)


@pytest.mark.parametrize("standard", STANDARDS)
def test_reinterpretation_exists_between_all_types_of_a_size(standard: str) -> None:
    body = []
    shapes = [(name, width) for name in SIZES for width in (1, *WIDTHS)]
    for name, width in shapes:
        for other, count in shapes:
            # A vector of three takes the room of four, and three may stand for four.
            same = SIZES[name] * (4 if width == 3 else width) == SIZES[other] * (4 if count == 3 else count)
            if same:
                source, target = (f"{n}{w if w > 1 else ''}" for n, w in ((other, count), (name, width)))
                body.append(f"{{ {source} s = 0; {target} t = as_{target}(s); (void)t; }}")
    build("kernel void k(void) {\n" + "\n".join(body) + "\n}\n", standard)


def test_reinterpretation_keeps_the_bits() -> None:
    source = (
        "kernel void k(global uint *p, float f, long n, float4 v) {"
        " p[0] = as_uint(f); p[1] = as_uint2(n).y; p[2] = as_int3(v).z; p[3] = as_size_t(n) > 0; }"
    )
    text = build(source)
    assert "bitcast float" in text and "bitcast i64" in text and "fptoui" not in text
    with pytest.raises(BuildError, match="sizes of"):
        build("kernel void k(float f) { as_long(f); }")


@pytest.mark.parametrize("standard", ["CL1.0", "CL1.1", *STANDARDS])
def test_version_macros_follow_the_option(standard: str) -> None:
    versions = {"CL1.0": 100, "CL1.1": 110, "CL1.2": 120, "CL3.0": 300, "CL3.1": 310, "CLC++2021": 202100}
    versions |= {"CL2.0": 200, "CLC++1.0": 100}
    macro = "__OPENCL_CPP_VERSION__" if "++" in standard else "__OPENCL_C_VERSION__"
    build(assertions([f"{macro} == {versions[standard]}", "__OPENCL_VERSION__ == 310"]), standard)


def test_devices_without_all_of_3_1_have_3_0() -> None:
    options = parse_options("-cl-std=CL3.0").for_device(embedded=True, only=["__opencl_c_int64"])
    compile_source(assertions(["__OPENCL_VERSION__ == 300", "__OPENCL_C_VERSION__ == 300"]), options, TARGET)
    with pytest.raises(InvalidBuildOptions, match=r"the device supports only OpenCL C 3\.0"):
        parse_options("-cl-std=CL3.1").for_device(embedded=False, only=FEATURES)


def test_without_an_option_the_language_is_1_2() -> None:
    compile_source(assertions(["__OPENCL_C_VERSION__ == 120"]), parse_options(""), TARGET)


@pytest.mark.parametrize("standard", STANDARDS)
def test_macros_tell_what_the_device_has_and_nothing_else(standard: str) -> None:
    newest = NEWER_EXTENSIONS + FEATURES if standard != "CL1.2" else ()
    listed = EXTENSIONS + INTEL_EXTENSIONS + HOST_EXTENSIONS + newest
    listed += ("__IMAGE_SUPPORT__",)
    absent = {
        "cl_khr_fp16", "cl_khr_int64_base_atomics", "cl_khr_depth_images", "cl_khr_subgroups",
        "__opencl_c_images", "__opencl_c_pipes", "__opencl_c_generic_address_space", "__opencl_c_subgroups",
        "__opencl_c_device_enqueue", "__SPIR__", "__SPIR64__",
        "__FAST_RELAXED_MATH__", "__GNUC__",
    } - set(listed)  # fmt: skip
    checks = [f"#ifndef {name}\n#error {name} is missing\n#endif\n" for name in listed]
    checks += [f"#ifdef {name}\n#error {name} is there\n#endif\n" for name in sorted(absent)]
    build("".join(checks), standard)


@pytest.mark.parametrize("standard", STANDARDS)
def test_extension_pragmas_of_the_device_are_silent(standard: str) -> None:
    # The others need none.
    names = EXTENSIONS + tuple(name for name in INTEL_EXTENSIONS if name.startswith("cl_intel_subgroups"))
    pragmas = "".join(f"#pragma OPENCL EXTENSION {name} : enable\n" for name in names)
    build(pragmas + "kernel void k(global double *d) { *d = 1; }", standard)


def test_sub_group_ids_need_no_word_of_the_extension() -> None:
    kernel = "kernel void k(global uint *p) { p[get_sub_group_local_id()] = get_num_sub_groups(); }\n"
    assert "@_Z18get_num_sub_groupsv(" in build(kernel, "CL1.2")


def test_programs_in_1_2_may_define_functions_named_like_those_of_sub_groups() -> None:
    function = "uint sub_group_reduce_add(uint x) { return x + 1; }\n"
    assert "call" in build(function + "kernel void k(global uint *p) { *p = sub_group_reduce_add(*p); }\n")


def test_another_extension_is_one_entry_away(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(frontend_options, "EXTENSIONS", (*EXTENSIONS, "cl_khr_fp16"))
    conditions = [f"sizeof(half{n}) == {2 * (4 if n == 3 else n)}" for n in WIDTHS]
    conditions += ["HALF_DIG == 3", "HALF_MANT_DIG == 11", "HALF_MAX_EXP == 16", "HALF_MIN_EXP == -13"]
    conditions += ["sizeof(HALF_MAX) == 2", "sizeof(M_PI_H) == 2", "HALF_RADIX == 2", "HALF_MIN_10_EXP == -4"]
    pragma = "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n"
    kernel = "kernel void k(global half4 *p) { p[0] = sin(p[1]) * (half)2 + as_half4(as_short4(p[2])); }\n"
    text = build(pragma + assertions(conditions) + kernel)
    assert "@llvm.fmuladd.v4f16(" in text and "@_Z3sinDv4_Dh(" in text


def test_kernel_exec_and_null() -> None:
    build("#ifndef __kernel_exec\n#error\n#endif")
    text = build("kernel_exec(64, float4) void k(global int *p) { if (p != NULL) *p = 1; }")
    assert "!work_group_size_hint" in text and "!vec_type_hint" in text
