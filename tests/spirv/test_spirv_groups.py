"""What groups and sub-groups do together, atomic sums of floats, and more that SYCL uses."""

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pyopencl as cl
import pytest
from assembler import assemble
from test_spirv_validation import expect_fault

HEAD = """
OpCapability Kernel
OpCapability Addresses
OpCapability Linkage
OpCapability Int64
OpCapability Int8
OpCapability Groups
OpCapability GenericPointer
OpCapability GroupUniformArithmeticKHR
OpCapability GroupNonUniformArithmetic
OpCapability GroupNonUniformBallot
OpCapability GroupNonUniformVote
OpCapability GroupNonUniformShuffle
OpCapability GroupNonUniformShuffleRelative
OpCapability GroupNonUniformClustered
OpCapability GroupNonUniformRotateKHR
OpCapability SubgroupDispatch
OpCapability SubgroupShuffleINTEL
OpCapability UniformDecoration
OpCapability AtomicFloat32AddEXT
OpCapability AtomicFloat32MinMaxEXT
OpCapability MemoryAccessAliasingINTEL
OpExtension "SPV_KHR_uniform_group_instructions"
OpExtension "SPV_INTEL_subgroups"
OpExtension "SPV_KHR_subgroup_rotate"
OpExtension "SPV_EXT_shader_atomic_float_add"
OpExtension "SPV_EXT_shader_atomic_float_min_max"
OpExtension "SPV_INTEL_memory_access_aliasing"
OpMemoryModel Physical64 OpenCL
OpEntryPoint Kernel %k "k"
OpExecutionMode %k SubgroupSize 4
OpDecorate %at BuiltIn GlobalLinearId
OpDecorate %saturate LinkageAttributes "llvm.usub.sat.i32" Import
OpDecorate %hundred Uniform
OpDecorateId %rows UniformId %group
OpDecorate %size BuiltIn SubgroupSize
OpDecorate %number BuiltIn SubgroupId
OpDecorate %count BuiltIn NumSubgroups
OpDecorate %lane BuiltIn SubgroupLocalInvocationId
%void = OpTypeVoid
%bool = OpTypeBool
%uchar = OpTypeInt 8 0
%uint = OpTypeInt 32 0
%ulong = OpTypeInt 64 0
%float = OpTypeFloat 32
%mask = OpTypeVector %uint 4
%pair = OpTypeVector %uint 2
%numbers = OpTypePointer CrossWorkgroup %uint
%floats = OpTypePointer CrossWorkgroup %float
%private = OpTypePointer Function %uint
%generic = OpTypePointer Generic %uint
%input = OpTypePointer Input %ulong
%input32 = OpTypePointer Input %uint
%type = OpTypeFunction %void %numbers %numbers %floats
%two_numbers = OpTypeFunction %uint %uint %uint
%zero = OpConstant %uint 0
%one = OpConstant %uint 1
%group = OpConstant %uint 2
%single = OpConstant %uint 3
%hundred = OpConstant %uint 100
%relaxed = OpConstant %uint 896
%ordered = OpConstant %uint 912
%rows = OpConstant %ulong {rows}L
%null = OpConstantNull %numbers
%domain = OpAliasDomainDeclINTEL
%scope = OpAliasScopeDeclINTEL %domain
%scopes = OpAliasScopeListDeclINTEL %scope
%at = OpVariable %input Input
%size = OpVariable %input32 Input
%number = OpVariable %input32 Input
%count = OpVariable %input32 Input
%lane = OpVariable %input32 Input
%saturate = OpFunction %uint None %two_numbers
%left = OpFunctionParameter %uint
%right = OpFunctionParameter %uint
OpFunctionEnd
%k = OpFunction %void None %type
%out = OpFunctionParameter %numbers
%in = OpFunctionParameter %numbers
%sum = OpFunctionParameter %floats
%entry = OpLabel
%v = OpVariable %private Function
%index = OpLoad %ulong %at
%source = OpInBoundsPtrAccessChain %numbers %in %index
%x = OpLoad %uint %source Aligned|AliasScopeINTELMask|NoAliasINTELMask 4 %scopes %scopes
%byte = OpUConvert %uchar %x
%odd = OpBitwiseAnd %uint %x %one
%is_odd = OpINotEqual %bool %odd %zero
%real = OpConvertUToF %float %x
%of_number = OpPtrCastToGeneric %generic %source
%of_variable = OpPtrCastToGeneric %generic %v
OpControlBarrier %single %single %ordered
%first = OpIMul %ulong %index %rows
"""


def of_rows(compute: Callable[[np.ndarray], Any]) -> Callable[[np.ndarray], np.ndarray]:
    """What sub-groups of four compute, of which the second has two work-items."""
    return lambda x: np.concatenate([np.asarray(compute(row)) for row in (x[:4], x[4:])])


# What is computed, in lines that define %r, and what it gives for the values of a group in order.
ROWS: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "%r = OpGroupIMulKHR %uint %group Reduce %x": lambda x: np.full(len(x), np.prod(x)),
    "%r = OpGroupIMulKHR %uint %group InclusiveScan %x": np.cumprod,
    "%r = OpGroupIMulKHR %uint %group ExclusiveScan %x": lambda x: np.cumprod([1, *x[:-1]]),
    "%r = OpGroupBitwiseXorKHR %uint %group Reduce %x": lambda x: np.full(len(x), np.bitwise_xor.reduce(x)),
    "%s = OpGroupIAdd %uchar %group Reduce %byte\n%r = OpUConvert %uint %s": lambda x: np.full(
        len(x), x.sum() % 256
    ),
    "%s = OpGroupLogicalOrKHR %bool %group Reduce %is_odd\n%r = OpSelect %uint %s %one %zero": lambda x: (
        np.full(len(x), (x % 2).any())
    ),
    "%r = OpGroupIAdd %uint %single Reduce %x": of_rows(lambda x: np.full(len(x), x.sum())),
    "%r = OpGroupUMin %uint %single ExclusiveScan %x": of_rows(
        lambda x: [2**32 - 1, *np.minimum.accumulate(x)[:-1]]
    ),
    "%r = OpGroupSMax %uint %single ExclusiveScan %x": of_rows(
        lambda x: [2**31, *np.maximum.accumulate(x)[:-1]]
    ),
    "%r = OpGroupBroadcast %uint %single %x %one": of_rows(lambda x: np.full(len(x), x[1])),
    "%r = OpGroupNonUniformIMul %uint %single ExclusiveScan %x": of_rows(
        lambda x: np.cumprod([1, *x[:-1]], dtype=np.uint32)
    ),
    "%r = OpGroupNonUniformBitwiseXor %uint %single ClusteredReduce %x %group": of_rows(
        lambda x: np.bitwise_xor.reduce(x.reshape(-1, 2), 1).repeat(2)
    ),
    "%s = OpGroupNonUniformLogicalXor %bool %single Reduce %is_odd\n"
    "%r = OpSelect %uint %s %one %zero": of_rows(lambda x: np.full(len(x), x.sum() % 2)),
    "%s = OpGroupNonUniformAllEqual %bool %single %byte\n%r = OpSelect %uint %s %one %zero": of_rows(
        lambda x: np.zeros(len(x))
    ),
    "%s = OpGroupNonUniformElect %bool %single\n%r = OpSelect %uint %s %one %zero": of_rows(
        lambda x: np.arange(len(x)) == 0
    ),
    "%s = OpGroupNonUniformShuffleXor %bool %single %is_odd %one\n%r = OpSelect %uint %s %one %zero": of_rows(
        lambda x: x[np.arange(len(x)) ^ 1] % 2
    ),
    "%r = OpGroupNonUniformRotateKHR %uint %single %x %one %group": of_rows(
        lambda x: x[np.arange(len(x)) ^ 1]
    ),
    "%r = OpSubgroupShuffleINTEL %uint %x %zero": of_rows(lambda x: np.full(len(x), x[0])),
    "%r = OpSubgroupShuffleDownINTEL %uint %x %hundred %one": of_rows(lambda x: [*x[1:], 100]),
    "%r = OpSubgroupShuffleUpINTEL %uint %hundred %x %one": of_rows(lambda x: [100, *x[:-1]]),
    "%m = OpGroupNonUniformBallot %mask %single %is_odd\n%r = OpCompositeExtract %uint %m 0": of_rows(
        lambda x: np.full(len(x), (x % 2) @ (1 << np.arange(len(x))))
    ),
    "%m = OpGroupNonUniformBallot %mask %single %is_odd\n"
    "%r = OpGroupNonUniformBallotBitCount %uint %single InclusiveScan %m": of_rows(
        lambda x: np.cumsum(x % 2)
    ),
    "%r = OpLoad %uint %size": of_rows(lambda x: np.full(len(x), len(x))),
    "%r = OpLoad %uint %number": lambda x: np.arange(len(x)) // 4,
    "%r = OpLoad %uint %count": lambda x: np.full(len(x), 2),
    "%r = OpLoad %uint %lane": of_rows(lambda x: np.arange(len(x))),
    "%r = OpFunctionCall %uint %saturate %x %hundred": lambda x: np.maximum(x, 100) - 100,
    "%p = OpGenericCastToPtrExplicit %numbers %of_number CrossWorkgroup\n%r = OpLoad %uint %p": lambda x: x,
    "%p = OpGenericCastToPtrExplicit %numbers %of_variable CrossWorkgroup\n"
    "%s = OpPtrEqual %bool %p %null\n%r = OpSelect %uint %s %one %zero": lambda x: np.ones(len(x)),
    "%m = OpBitcast %pair %source\n%p = OpBitcast %numbers %m\n%r = OpLoad %uint %p": lambda x: x,
    "%m = OpBitcast %ulong %source\n%p = OpBitcast %numbers %m\n%r = OpLoad %uint %p": lambda x: x,
    "%either = OpSelect %generic %is_odd %of_number %of_variable\n"
    "%p = OpGenericCastToPtrExplicit %numbers %either CrossWorkgroup\n"
    "%s = OpPtrEqual %bool %p %null\n%r = OpSelect %uint %s %zero %one": lambda x: x % 2,
    "%any_of_both = OpSelect %generic %is_odd %of_number %of_variable\n"
    "%r = OpGenericPtrMemSemantics %uint %any_of_both": lambda x: x % 2 * 0x200,
}
ADDITIONS = """
%unused = OpAtomicFAddEXT %float %sum %group %relaxed %real
%other = OpInBoundsPtrAccessChain %floats %sum %one
%unused2 = OpAtomicFAddEXT %float %other %group %ordered %real
%least = OpInBoundsPtrAccessChain %floats %sum %c2
%unused3 = OpAtomicFMinEXT %float %least %group %relaxed %real
%most = OpInBoundsPtrAccessChain %floats %sum %c3
%unused4 = OpAtomicFMaxEXT %float %most %group %ordered %real
OpReturn
OpFunctionEnd
"""


def module() -> str:
    """A kernel that writes the result of every row for every work-item."""
    parts = [HEAD.format(rows=len(ROWS))]
    for index, lines in enumerate(ROWS):
        parts.append(re.sub(r"%([rsmp])\b", rf"%\g<1>{index}", lines))
        parts.append(f"%at{index} = OpIAdd %ulong %first %c{index}")
        parts.append(f"%place{index} = OpInBoundsPtrAccessChain %numbers %out %at{index}")
        parts.append(f"OpStore %place{index} %r{index}")
    constants = "".join(f"%c{index} = OpConstant %ulong {index}L\n" for index in range(len(ROWS)))
    return "\n".join(parts).replace("%null = ", f"{constants}%null = ") + ADDITIONS


@pytest.fixture(scope="module")
def results() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Numbers, what the kernel made of each, and their sums; groups are two by three work-items."""
    [platform] = [p for p in cl.get_platforms() if p.name == "Weft"]
    context = cl.Context(platform.get_devices())
    queue = cl.CommandQueue(context)
    program = cl.Program(context, assemble(module(), (1, 6))).build()
    numbers = np.arange(90, 114, dtype=np.uint32)
    out = np.zeros((24, len(ROWS)), np.uint32)
    sums = np.array([0, 0, 1000, 0], np.float32)
    flags = cl.mem_flags.COPY_HOST_PTR
    buffers = [cl.Buffer(context, flags, hostbuf=array) for array in (out, numbers, sums)]
    program.k(queue, (4, 6), (2, 3), *buffers)
    cl.enqueue_copy(queue, out, buffers[0])
    cl.enqueue_copy(queue, sums, buffers[2])
    return numbers, out, sums


@pytest.mark.parametrize("row", range(len(ROWS)), ids=lambda index: list(ROWS)[index].split()[2])
def test_groups(results: tuple[np.ndarray, np.ndarray, np.ndarray], row: int) -> None:
    numbers, out, _ = results
    by_place = numbers.reshape(6, 4), out[:, row].reshape(6, 4)
    expected = list(ROWS.values())[row]
    for y in (0, 3):
        for x in (0, 2):
            given, found = (array[y : y + 3, x : x + 2].ravel() for array in by_place)
            wanted = np.asarray(expected(given.astype(np.uint32))).astype(np.uint64).astype(np.uint32)
            assert found.tolist() == wanted.tolist()


def test_floats_are_added_and_compared_atomically(results: tuple[np.ndarray, np.ndarray, np.ndarray]) -> None:
    numbers, _, sums = results
    assert sums.tolist() == [numbers.sum(), numbers.sum(), numbers.min(), numbers.max()]


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("KHR %uint %group Reduce", "KHR %uint %one Reduce", "the scope must be Workgroup or Subgroup"),
        ("NonUniformIMul %uint %single", "NonUniformIMul %uint %group", "the scope must be Subgroup"),
        ("%of_number CrossWorkgroup", "%of_number Function", "storage class"),
        ("OpBitcast %pair %source", "OpBitcast %mask %source", "64 bits"),
        ("OpAtomicFAddEXT %float %sum", "OpAtomicFAddEXT %float %out", "differs from the pointee type"),
        ('"llvm.usub.sat.i32" Import', '"llvm.usub.sat.i64" Import', "the wrong types"),
        ('"llvm.usub.sat.i32" Import', '"_Z9get_fencePU3AS4v" Import', "the wrong types"),
        ('"llvm.usub.sat.i32" Import', '"__to_global" Import', "the wrong types"),
        ('"llvm.usub.sat.i32" Import', '"_Z17sub_group_barrierj" Import', "the wrong types"),
        ('"llvm.usub.sat.i32" Import', '"_Z17sub_group_barrierj12memory_scope" Import', "the wrong types"),
        ('"llvm.usub.sat.i32" Import', '"_Z17sub_group_barrierv" Import', "the wrong types"),
        ('"llvm.usub.sat.i32" Import', '"_Z16atomic_fetch_minPU3AS1VU7_Atomicff" Import', "the wrong types"),
    ],
)  # fmt: skip
def test_faults_are_named(old: str, new: str, reason: str) -> None:
    expect_fault(module(), old, new, reason)
