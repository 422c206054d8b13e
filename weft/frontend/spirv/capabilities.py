"""Supported SPIR-V versions, capabilities, extensions and extended instruction sets."""

# All are listed in CL_DEVICE_IL_VERSION.
VERSIONS = ((1, 0), (1, 1), (1, 2), (1, 3), (1, 4), (1, 5), (1, 6))

CAPABILITIES = frozenset(
    (
        "Addresses",
        "Linkage",
        "Kernel",
        "Vector16",
        "Float16Buffer",
        "Float16",
        "Float64",
        "Int64",
        "Int64Atomics",
        "Int16",
        "Int8",
        "ImageBasic",
        "ImageReadWrite",
        "Sampled1D",
        "Image1D",
        "SampledBuffer",
        "ImageBuffer",
        "LiteralSampler",
        "Groups",
        "GenericPointer",
        "Pipes",
        "PipeStorage",
        "ExpectAssumeKHR",
        "BitInstructions",
        "DotProduct",
        "DotProductInputAll",
        "DotProductInput4x8Bit",
        "DotProductInput4x8BitPacked",
        "OptNoneINTEL",
        "MemoryAccessAliasingINTEL",
        "FPFastMathModeINTEL",
        "AtomicFloat16AddEXT",
        "AtomicFloat32AddEXT",
        "AtomicFloat64AddEXT",
        "AtomicFloat16MinMaxEXT",
        "AtomicFloat32MinMaxEXT",
        "AtomicFloat64MinMaxEXT",
        "GroupUniformArithmeticKHR",
        "GroupNonUniform",
        "GroupNonUniformVote",
        "GroupNonUniformArithmetic",
        "GroupNonUniformBallot",
        "GroupNonUniformShuffle",
        "GroupNonUniformShuffleRelative",
        "GroupNonUniformClustered",
        "GroupNonUniformRotateKHR",
        "ShaderClockKHR",
        "SubgroupDispatch",
        "NamedBarrier",
        "UniformDecoration",
        "SubgroupShuffleINTEL",
    )
)

EXTENSIONS = frozenset(
    (
        "SPV_KHR_no_integer_wrap_decoration",
        "SPV_KHR_expect_assume",
        "SPV_KHR_bit_instructions",
        "SPV_KHR_integer_dot_product",
        "SPV_KHR_non_semantic_info",
        "SPV_KHR_linkonce_odr",
        "SPV_INTEL_optnone",
        "SPV_EXT_optnone",
        "SPV_INTEL_memory_access_aliasing",
        "SPV_INTEL_fp_fast_math_mode",
        "SPV_INTEL_subgroups",
        "SPV_EXT_shader_atomic_float16_add",
        "SPV_KHR_subgroup_rotate",
        "SPV_KHR_shader_clock",
        "SPV_EXT_shader_atomic_float_add",
        "SPV_EXT_shader_atomic_float_min_max",
        "SPV_KHR_uniform_group_instructions",
    )
)

OPENCL_STD = "OpenCL.std"
# Instructions of these sets do not affect what a module computes.
IGNORED_SETS = ("NonSemantic.", "OpenCL.DebugInfo.100", "DebugInfo")
