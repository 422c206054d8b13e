"""Programs in SPIR-V by the functions of OpenCL: creation, queries, specialization constants, linking."""

import numpy as np
import pyopencl as cl
import pytest
from assembler import assemble
from test_spirv_kernels import without_translator
from test_spirv_validation import MODULE

from tools.opencl_to_spirv import spirv_of
from weft.api.constants import CL_DEPTH
from weft.errors import BuildError
from weft.frontend.link_options import LinkOptions
from weft.frontend.spirv.source import SpirvSource
from weft.unit import compile_unit, link_executable

SPECIALIZED = """
OpCapability Kernel
OpCapability Addresses
OpCapability Int64
OpMemoryModel Physical64 OpenCL
OpEntryPoint Kernel %k "k"
OpDecorate %count SpecId 7
OpDecorate %chosen SpecId 3
OpDecorate %far SpecId 5
%void = OpTypeVoid
%bool = OpTypeBool
%uint = OpTypeInt 32 0
%ulong = OpTypeInt 64 0
%pointer = OpTypePointer CrossWorkgroup %uint
%type = OpTypeFunction %void %pointer
%count = OpSpecConstant %uint 5
%far = OpSpecConstant %ulong 1L
%chosen = OpSpecConstantFalse %bool
%double = OpSpecConstantOp %uint IAdd %count %count
%less = OpSpecConstantOp %bool ULessThan %count %double
%array = OpTypeArray %uint %double
%private = OpTypePointer Function %array
%place = OpTypePointer Function %uint
%k = OpFunction %void None %type
%a = OpFunctionParameter %pointer
%entry = OpLabel
%v = OpVariable %private Function
%number = OpSelect %uint %chosen %double %count
%element = OpInBoundsAccessChain %place %v %far
OpStore %element %number
%again = OpLoad %uint %element
OpStore %a %again
OpReturn
OpFunctionEnd
"""


GENERIC = """
OpCapability Kernel
OpCapability Addresses
OpCapability GenericPointer
OpMemoryModel Physical64 OpenCL
OpEntryPoint Kernel %k "k"
%void = OpTypeVoid
%bool = OpTypeBool
%uint = OpTypeInt 32 0
%global = OpTypePointer CrossWorkgroup %uint
%private = OpTypePointer Function %uint
%generic = OpTypePointer Generic %uint
%type = OpTypeFunction %void %global
%read = OpTypeFunction %uint %generic
%zero = OpConstant %uint 0
%two = OpConstant %uint 2
%load = OpFunction %uint None %read
%p = OpFunctionParameter %generic
%start = OpLabel
%loaded = OpLoad %uint %p
OpReturnValue %loaded
OpFunctionEnd
%k = OpFunction %void None %type
%a = OpFunctionParameter %global
%entry = OpLabel
%v = OpVariable %private Function
OpStore %a %two
OpStore %v %two
%first = OpPtrCastToGeneric %generic %a
%second = OpPtrCastToGeneric %generic %v
%x = OpFunctionCall %uint %load %first
%y = OpFunctionCall %uint %load %second
%is = OpIEqual %bool %x %zero
%either = OpSelect %generic %is %first %second
%z = OpLoad %uint %either
%xy = OpIAdd %uint %x %y
%xyz = OpIMul %uint %xy %z
OpStore %a %xyz
OpReturn
OpFunctionEnd
"""


COPIED = """
OpCapability Kernel
OpCapability Addresses
OpMemoryModel Physical64 OpenCL
OpEntryPoint Kernel %k "k"
%void = OpTypeVoid
%uint = OpTypeInt 32 0
%two = OpConstant %uint 2
%seven = OpConstant %uint 7
%pair = OpTypeArray %uint %two
%one_type = OpTypeStruct %uint %pair
%other_type = OpTypeStruct %uint %pair
%pointer = OpTypePointer CrossWorkgroup %uint
%type = OpTypeFunction %void %pointer
%k = OpFunction %void None %type
%a = OpFunctionParameter %pointer
%entry = OpLabel
%both = OpCompositeConstruct %pair %two %seven
%one = OpCompositeConstruct %one_type %two %both
%other = OpCopyLogical %other_type %one
%last = OpCompositeExtract %uint %other 1 1
OpStore %a %last
OpReturn
OpFunctionEnd
"""


@pytest.fixture(scope="module")
def context() -> cl.Context:
    (platform,) = (p for p in cl.get_platforms() if p.name == "Weft")
    return cl.Context(platform.get_devices()[:1])


def run(program: cl.Program) -> int:
    context = program.get_info(cl.program_info.CONTEXT)
    queue = cl.CommandQueue(context)
    buffer = cl.Buffer(context, cl.mem_flags.READ_WRITE, 4)
    cl.Kernel(program, "k")(queue, (1,), (1,), buffer)
    result = np.zeros(1, np.uint32)
    cl.enqueue_copy(queue, result, buffer)
    return int(result[0])


def test_devices_tell_the_versions(context: cl.Context) -> None:
    (device,) = context.devices
    assert device.il_version == "SPIR-V_1.0 SPIR-V_1.1 SPIR-V_1.2 SPIR-V_1.3 SPIR-V_1.4 SPIR-V_1.5 SPIR-V_1.6"
    assert {version.name for version in device.ils_with_version} == {"SPIR-V"}
    assert "cl_khr_il_program" in device.extensions.split()


def test_values_are_copied_to_types_of_the_same_parts(context: cl.Context) -> None:
    assert run(cl.Program(context, assemble(COPIED, (1, 4))).build()) == 7
    wrong = COPIED.replace("OpTypeStruct %uint %pair\n%pointer", "OpTypeStruct %pair %uint\n%pointer")
    with pytest.raises(cl.RuntimeError, match="do not have matching members"):
        cl.Program(context, assemble(wrong.replace("%other 1 1", "%other 1"), (1, 4))).build()


def test_specialization_constants_have_default_values(context: cl.Context) -> None:
    assert run(cl.Program(context, assemble(SPECIALIZED)).build()) == 5


def test_specialization_constants_are_set_before_builds(context: cl.Context) -> None:
    program = cl._cl._create_program_with_il(context, assemble(SPECIALIZED))
    program.set_specialization_constant(7, np.uint32(21))
    program.set_specialization_constant(3, np.uint8(1))
    program._build(b"", context.devices)
    assert run(program) == 42


def test_unknown_specialization_constants_are_errors(context: cl.Context) -> None:
    program = cl._cl._create_program_with_il(context, assemble(SPECIALIZED))
    with pytest.raises(cl.LogicError, match=r"INVALID_SPEC_ID|-71"):
        program.set_specialization_constant(8, np.uint32(1))
    with pytest.raises(cl.LogicError, match="INVALID_VALUE"):
        program.set_specialization_constant(7, np.uint64(1))


def test_what_is_no_module_is_an_invalid_value(context: cl.Context) -> None:
    data = assemble(SPECIALIZED)
    for bad in (b"BC\xc0\xde" + bytes(64), data + bytes(4), data[:-2], data[:12]):
        with pytest.raises(cl.LogicError, match="INVALID_VALUE"):
            cl._cl._create_program_with_il(context, bad)


def test_a_module_that_is_not_supported_fails_to_build_with_a_log(context: cl.Context) -> None:
    text = SPECIALIZED.replace("OpCapability Int64", "OpCapability Int64\nOpCapability DeviceEnqueue")
    program = cl.Program(context, assemble(text))
    with pytest.raises(cl.RuntimeError, match="capability DeviceEnqueue is not supported"):
        program.build()


def test_modules_are_linked_with_opencl_c(context: cl.Context) -> None:
    library = cl.Program(context, assemble(MODULE.replace('OpEntryPoint Kernel %k "k"', "").replace(
        'OpName %a "a"', 'OpDecorate %helper LinkageAttributes "twice" Export'
    )))  # fmt: skip
    main = cl.Program(context, "uint twice(uint); kernel void k(global uint *a) { *a = twice(21); }")
    linked = cl.link_program(context, [library.compile(), main.compile()])
    assert run(linked) == 42


def test_one_of_several_definitions_is_linked(context: cl.Context) -> None:
    """LinkOnceODR of SPV_KHR_linkonce_odr; two exports of a name are an error."""
    text = MODULE.replace("OpMemoryModel", 'OpExtension "SPV_KHR_linkonce_odr"\nOpMemoryModel')
    text = text.replace('OpEntryPoint Kernel %k "k"', "").replace(
        'OpName %a "a"', 'OpDecorate %helper LinkageAttributes "twice" LinkOnceODR'
    )
    main = "uint twice(uint); kernel void k(global uint *a) { *a = twice(21); }"

    def link(libraries: list[str]) -> cl.Program:
        sources = [*map(assemble, libraries), main]
        return cl.link_program(context, [cl.Program(context, source).compile() for source in sources])

    assert run(link([text])) == run(link([text, text])) == 42
    with pytest.raises(cl.RuntimeError):
        link([text.replace("LinkOnceODR", "Export")] * 2)


TURNS = (
    "int there(int x); int back(int x) { return x < 2 ? 1 : there(x - 1) * x; }",
    "int back(int x); int there(int x) { return back(x) + 1; }"
    "kernel void k(global int *a) { *a = there(*a); }",
)
TYPES = (
    "int back(float x) { return x; }",
    "int back(int x); kernel void k(global int *a) { *a = back(*a); }",
)


@pytest.mark.parametrize(
    ("sources", "said"), [(TURNS, "is recursive"), (TYPES, r"'i32 \(i32\)' but defined as 'i32 \(float\)'")]
)
@pytest.mark.parametrize("in_spirv", [(True, True), (True, False), (False, True)])
def test_what_does_not_fit_together_is_not_linked(
    context: cl.Context, sources: tuple[str, str], said: str, in_spirv: tuple[bool, bool]
) -> None:
    pairs = zip(sources, in_spirv, strict=True)
    made = [spirv_of(source) if is_spirv else source for source, is_spirv in pairs]
    units = [compile_unit(SpirvSource(m) if isinstance(m, bytes) else m, "", {}) for m in made]
    with pytest.raises(BuildError, match=said):
        link_executable(units, LinkOptions())
    with pytest.raises(cl.RuntimeError, match="LINK_PROGRAM_FAILURE"):
        cl.link_program(context, [cl.Program(context, m).compile() for m in made])


WRAPPED = """
OpCapability Kernel
OpCapability Addresses
OpCapability Linkage
OpMemoryModel Physical64 OpenCL
OpEntryPoint Kernel %k "k"
OpDecorate %body LinkageAttributes "k" Export
%void = OpTypeVoid
%uint = OpTypeInt 32 0
%pointer = OpTypePointer CrossWorkgroup %uint
%type = OpTypeFunction %void %pointer
%seven = OpConstant %uint 7
%body = OpFunction %void None %type
%b = OpFunctionParameter %pointer
%in_body = OpLabel
OpStore %b %seven Aligned 4
OpReturn
OpFunctionEnd
%k = OpFunction %void None %type
%a = OpFunctionParameter %pointer
%entry = OpLabel
%done = OpFunctionCall %void %body %a
OpReturn
OpFunctionEnd
"""


def test_an_entry_point_may_call_a_function_that_is_exported_by_its_name(context: cl.Context) -> None:
    """llvm-spirv writes kernels so."""
    assert run(cl.Program(context, assemble(WRAPPED)).build()) == 7


FOURTH = """
OpCapability Kernel
OpCapability Addresses
OpCapability Int64
OpMemoryModel Physical64 OpenCL
OpEntryPoint Kernel %k "k" %size
OpDecorate %size BuiltIn GlobalSize
%void = OpTypeVoid
%uint = OpTypeInt 32 0
%ulong = OpTypeInt 64 0
%three = OpTypeVector %ulong 3
%one = OpConstant %uint 1
%input = OpTypePointer Input %three
%pointer = OpTypePointer CrossWorkgroup %uint
%type = OpTypeFunction %void %pointer
%size = OpVariable %input Input
%k = OpFunction %void None %type
%a = OpFunctionParameter %pointer
%entry = OpLabel
%index = OpLoad %uint %a Aligned 4
%sizes = OpLoad %three %size Aligned 32
%found = OpVectorExtractDynamic %ulong %sizes %index
%narrow = OpUConvert %uint %found
%next = OpInBoundsPtrAccessChain %pointer %a %one
OpStore %next %narrow Aligned 4
OpReturn
OpFunctionEnd
"""


@pytest.mark.parametrize(("index", "size"), [(0, 5), (1, 1), (3, 1), (2**32 - 1, 1)])
def test_a_fourth_dimension_of_built_in_variables_is_as_in_opencl_c(
    context: cl.Context, index: int, size: int
) -> None:
    """llvm-spirv writes `get_global_size(i)` so."""
    program = cl.Program(context, assemble(FOURTH)).build()
    queue = cl.CommandQueue(context)
    result = np.array([index, 0], np.uint32)
    buffer = cl.Buffer(context, cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR, hostbuf=result)
    cl.Kernel(program, "k")(queue, (5,), (1,), buffer)
    cl.enqueue_copy(queue, result, buffer)
    assert result[1] == size


def test_kernels_are_described(context: cl.Context) -> None:
    source = """
    __attribute__((reqd_work_group_size(4, 2, 1)))
    kernel void k(global float *restrict a, local int *b, constant uchar *c, image2d_t d, float4 e) {
        a[get_global_id(0)] = e.x + c[b[0]] + get_image_width(d);
    }
    """
    kernel = cl.Program(context, spirv_of(source, optimized=True)).build().all_kernels()[0]
    info = cl.kernel_arg_info
    names = [kernel.get_arg_info(index, info.TYPE_NAME) for index in range(5)]
    assert names == ["float*", "uint*", "uchar*", "image2d_t", "float4"]
    assert [kernel.get_arg_info(index, info.NAME) for index in range(5)] == ["a", "b", "c", "d", "e"]
    qualifiers = cl.kernel_arg_type_qualifier
    assert kernel.get_arg_info(0, info.TYPE_QUALIFIER) == qualifiers.RESTRICT
    assert kernel.get_arg_info(2, info.TYPE_QUALIFIER) == qualifiers.CONST
    assert kernel.get_arg_info(3, info.ACCESS_QUALIFIER) == cl.kernel_arg_access_qualifier.READ_ONLY
    size = kernel.get_work_group_info(cl.kernel_work_group_info.COMPILE_WORK_GROUP_SIZE, context.devices[0])
    assert size == [4, 2, 1]


def test_generic_pointers_point_anywhere(context: cl.Context) -> None:
    assert run(cl.Program(context, assemble(GENERIC)).build()) == 8


IMAGES = """
constant sampler_t nearest = CLK_NORMALIZED_COORDS_FALSE | CLK_FILTER_NEAREST | CLK_ADDRESS_CLAMP_TO_EDGE;
kernel void k(read_only image2d_t in, write_only image2d_t out, sampler_t linear, global int *sizes) {
    int2 at = (int2)(get_global_id(0), get_global_id(1));
    float4 near = read_imagef(in, nearest, at + 1), far = read_imagef(in, linear, convert_float2(at) + 0.5f);
    write_imagef(out, at, (near + far) / 2 + read_imagef(in, at));
    sizes[0] = get_image_width(in);
    sizes[1] = get_image_height(in);
    sizes[2] = get_image_channel_order(in);
}
"""


def test_images_are_read_and_written(context: cl.Context) -> None:
    queue = cl.CommandQueue(context)
    pixels = np.random.default_rng(1).random((4, 8, 4), np.float32)
    results = []
    for given in (IMAGES, spirv_of(IMAGES, "-cl-std=CL1.2")):
        given_image = cl.image_from_array(context, pixels, 4)
        written = cl.image_from_array(context, np.zeros_like(pixels), 4, mode="w")
        sampler = cl.Sampler(context, False, cl.addressing_mode.CLAMP, cl.filter_mode.LINEAR)
        sizes = cl.Buffer(context, cl.mem_flags.READ_WRITE, 12)
        kernel = cl.Kernel(cl.Program(context, given).build(), "k")
        kernel(queue, (8, 4), None, given_image, written, sampler, sizes)
        found, told = np.empty_like(pixels), np.empty(3, np.int32)
        cl.enqueue_copy(queue, found, written, origin=(0, 0), region=(8, 4))
        cl.enqueue_copy(queue, told, sizes)
        results.append((found, told))
    np.testing.assert_array_equal(results[0][0], results[1][0])
    np.testing.assert_array_equal(results[0][1], results[1][1])
    assert results[0][1][0] == 8


INTEGERS = """
kernel void k(read_only image2d_t in, write_only image2d_t out, global NUMBER *found) {
    int2 at = (int2)(get_global_id(0), get_global_id(1));
    NUMBER4 pixel = READ(in, at);
    found[at.y * 8 + at.x] = pixel.x;
    WRITE(out, at, pixel + (NUMBER)3);
}
"""


@pytest.mark.parametrize("writer", ["llvm", pytest.param("khronos", marks=without_translator)])
@pytest.mark.parametrize("dtype", [np.uint8, np.int16, np.uint16, np.int8], ids=lambda dtype: dtype.__name__)
def test_integers_of_images_are_read_and_written(context: cl.Context, dtype: type, writer: str) -> None:
    """LLVM's back end does not say whether they are signed."""
    suffix, number = ("ui", np.uint32) if np.iinfo(dtype).min == 0 else ("i", np.int32)
    words = f"-D READ=read_image{suffix} -D WRITE=write_image{suffix} -D NUMBER={number.__name__[:-2]}"
    words += f" -D NUMBER4={number.__name__[:-2]}4 -cl-std=CL3.0"
    queue, flags = cl.CommandQueue(context), cl.mem_flags
    kind = getattr(cl.channel_type, f"{'UN' * (suffix == 'ui')}SIGNED_INT{8 * np.dtype(dtype).itemsize}")
    format = cl.ImageFormat(cl.channel_order.RGBA, kind)
    limits = np.iinfo(dtype)
    pixels = np.random.default_rng(3).integers(limits.min, limits.max, (4, 8, 4), dtype, endpoint=True)
    given = cl.create_image(context, flags.COPY_HOST_PTR, format, (8, 4), hostbuf=pixels)
    written = cl.create_image(context, flags.READ_WRITE, format, (8, 4))
    buffer = cl.Buffer(context, flags.READ_WRITE, 128)
    module = spirv_of(INTEGERS, words, writer=writer)
    cl.Kernel(cl.Program(context, module).build(), "k")(queue, (8, 4), None, given, written, buffer)
    read, back = np.empty((4, 8), number), np.empty_like(pixels)
    cl.enqueue_copy(queue, read, buffer)
    cl.enqueue_copy(queue, back, written, origin=(0, 0), region=(8, 4))
    np.testing.assert_array_equal(read, pixels[..., 0])
    np.testing.assert_array_equal(back, np.clip(pixels.astype(np.int64) + 3, limits.min, limits.max))


DEPTHS = """
constant sampler_t nearest = CLK_NORMALIZED_COORDS_FALSE | CLK_FILTER_NEAREST | CLK_ADDRESS_CLAMP_TO_EDGE;
kernel void k(read_only image2d_depth_t in, read_only image2d_array_depth_t layers,
              write_only image2d_depth_t out, global int *sizes) {
    int2 at = (int2)(get_global_id(0), get_global_id(1));
    float depth = read_imagef(in, nearest, at + 1) + 2 * read_imagef(in, at);
    float2 middle = convert_float2(at) + 0.5f;
    write_imagef(out, at, depth + 4 * read_imagef(layers, nearest, (float4)(middle, 1, 0)));
    sizes[0] = get_image_width(in);
    sizes[1] = get_image_array_size(layers);
    sizes[2] = get_image_channel_order(in);
}
"""


@pytest.mark.parametrize("writer", ["llvm", pytest.param("khronos", marks=without_translator)])
def test_depth_images_are_read_and_written(context: cl.Context, writer: str) -> None:
    queue, flags = cl.CommandQueue(context), cl.mem_flags
    format = cl.ImageFormat(CL_DEPTH, cl.channel_type.FLOAT)
    depths = np.random.default_rng(2).random((3, 4, 8), np.float32)
    single = cl.create_image(context, flags.COPY_HOST_PTR, format, (8, 4), hostbuf=depths[0])
    layers = cl.create_image(context, flags.COPY_HOST_PTR, format, (8, 4, 3), hostbuf=depths, is_array=True)
    written = cl.create_image(context, flags.READ_WRITE, format, (8, 4))
    sizes = cl.Buffer(context, flags.READ_WRITE, 12)
    kernel = cl.Kernel(cl.Program(context, spirv_of(DEPTHS, "-cl-std=CL3.0", writer=writer)).build(), "k")
    assert kernel.get_arg_info(1, cl.kernel_arg_info.TYPE_NAME) == "image2d_array_depth_t"
    kernel(queue, (8, 4), None, single, layers, written, sizes)
    found, told = np.empty((4, 8), np.float32), np.empty(3, np.int32)
    cl.enqueue_copy(queue, found, written, origin=(0, 0), region=(8, 4))
    cl.enqueue_copy(queue, told, sizes)
    edge = np.pad(depths[0], ((0, 1), (0, 1)), "edge")[1:, 1:]
    np.testing.assert_allclose(found, edge + 2 * depths[0] + 4 * depths[1], rtol=1e-6)
    assert told.tolist() == [8, 3, CL_DEPTH]


def test_last_work_groups_may_be_smaller_unless_the_options_say_no(context: cl.Context) -> None:
    source = """kernel void uneven(global uint *out) {
        out[get_global_id(0)] = 100 * get_local_size(0) + get_enqueued_local_size(0);
    }"""
    module, queue = spirv_of(source, "-cl-std=CL3.0"), cl.CommandQueue(context)
    found = np.zeros(20, np.uint32)
    buffer = cl.Buffer(context, cl.mem_flags.READ_WRITE, found.nbytes)
    cl.Kernel(cl.Program(context, module).build(), "uneven")(queue, (20,), (16,), buffer)
    cl.enqueue_copy(queue, found, buffer)
    assert found.tolist() == [1616] * 16 + [416] * 4
    uniform = cl.Program(context, module).build(["-cl-uniform-work-group-size"])
    with pytest.raises(cl.LogicError, match="INVALID_WORK_GROUP_SIZE"):
        cl.Kernel(uniform, "uneven")(queue, (20,), (16,), buffer)
