"""Pipes of modules: packets go from one kernel to another, and what is wrong with a module is named."""

import numpy as np
import pyopencl as cl
import pytest
from assembler import assemble
from test_spirv_validation import translated

from weft.errors import BuildError

MODULE = """
OpCapability Kernel
OpCapability Addresses
OpCapability Linkage
OpCapability Groups
OpCapability GenericPointer
OpCapability Pipes
OpMemoryModel Physical64 OpenCL
OpEntryPoint Kernel %produce "produce"
OpEntryPoint Kernel %consume "consume"
OpName %to "to"
%void = OpTypeVoid
%bool = OpTypeBool
%uint = OpTypeInt 32 0
%reader = OpTypePipe ReadOnly
%writer = OpTypePipe WriteOnly
%id = OpTypeReserveId
%numbers = OpTypePointer CrossWorkgroup %uint
%generic = OpTypePointer Generic %uint
%producer = OpTypeFunction %void %numbers %writer
%consumer = OpTypeFunction %void %numbers %reader
%zero = OpConstant %uint 0
%one = OpConstant %uint 1
%two = OpConstant %uint 2
%four = OpConstant %uint 4
%nothing = OpConstantNull %id
%produce = OpFunction %void None %producer
%in = OpFunctionParameter %numbers
%to = OpFunctionParameter %writer
%start = OpLabel
%source = OpPtrCastToGeneric %generic %in
%second = OpInBoundsPtrAccessChain %generic %source %one
%third = OpInBoundsPtrAccessChain %generic %source %two
%done = OpWritePipe %uint %to %source %four %four
%both = OpGroupReserveWritePipePackets %id %two %to %two %four %four
%valid = OpIsValidReserveId %bool %both
%chosen = OpSelect %id %valid %both %nothing
OpBranchConditional %valid %write %end
%write = OpLabel
%done2 = OpReservedWritePipe %uint %to %chosen %one %second %four %four
%done3 = OpReservedWritePipe %uint %to %chosen %zero %third %four %four
OpBranch %end
%end = OpLabel
%any = OpPhi %id %nothing %start %chosen %write
OpGroupCommitWritePipe %two %to %any %four %four
OpReturn
OpFunctionEnd
%consume = OpFunction %void None %consumer
%out = OpFunctionParameter %numbers
%from = OpFunctionParameter %reader
%start2 = OpLabel
%target = OpPtrCastToGeneric %generic %out
%after = OpInBoundsPtrAccessChain %generic %target %one
%place = OpInBoundsPtrAccessChain %generic %target %two
%most = OpInBoundsPtrAccessChain %generic %target %four
%count = OpGetNumPipePackets %uint %from %four %four
OpStore %place %count Aligned 4
%count2 = OpGetMaxPipePackets %uint %from %four %four
OpStore %most %count2 Aligned 4
%read = OpReadPipe %uint %from %target %four %four
%next = OpReserveReadPipePackets %id %from %one %four %four
%read2 = OpReservedReadPipe %uint %from %next %zero %after %four %four
OpCommitReadPipe %from %next %four %four
OpReturn
OpFunctionEnd
"""

# A pipe of the program's own, written and read by one work-item.
STORAGE = """
OpCapability Kernel
OpCapability Addresses
OpCapability GenericPointer
OpCapability Pipes
OpCapability PipeStorage
OpMemoryModel Physical64 OpenCL
OpEntryPoint Kernel %through "through"
%void = OpTypeVoid
%uint = OpTypeInt 32 0
%numbers = OpTypePointer CrossWorkgroup %uint
%generic = OpTypePointer Generic %uint
%reader = OpTypePipe ReadOnly
%writer = OpTypePipe WriteOnly
%storage = OpTypePipeStorage
%type = OpTypeFunction %void %numbers
%one = OpConstant %uint 1
%four = OpConstant %uint 4
%kept = OpConstantPipeStorage %storage 4 4 8
%through = OpFunction %void None %type
%data = OpFunctionParameter %numbers
%entry = OpLabel
%to = OpCreatePipeFromPipeStorage %writer %kept
%from = OpCreatePipeFromPipeStorage %reader %kept
%first = OpPtrCastToGeneric %generic %data
%second = OpInBoundsPtrAccessChain %generic %first %one
%written = OpWritePipe %uint %to %first %four %four
%count = OpGetNumPipePackets %uint %to %four %four
%room = OpGetMaxPipePackets %uint %from %four %four
%read = OpReadPipe %uint %from %second %four %four
%again = OpReadPipe %uint %from %second %four %four
%product = OpIMul %uint %room %count
%sum = OpIAdd %uint %product %again
OpStore %data %sum Aligned 4
OpReturn
OpFunctionEnd
"""


def test_packets_go_from_one_kernel_to_another() -> None:
    [platform] = [p for p in cl.get_platforms() if p.name == "Weft"]
    context = cl.Context(platform.get_devices())
    queue = cl.CommandQueue(context)
    program = cl.Program(context, assemble(MODULE)).build()
    produce, consume = program.produce, program.consume
    qualifier = produce.get_arg_info(1, cl.kernel_arg_info.TYPE_QUALIFIER)
    assert qualifier == cl.kernel_arg_type_qualifier.PIPE
    assert produce.get_arg_info(1, cl.kernel_arg_info.ACCESS_QUALIFIER) == (
        cl.kernel_arg_access_qualifier.WRITE_ONLY
    )
    pipe = cl.Pipe(context, 0, 4, 8)
    values = np.array([10, 20, 30, 0, 0], np.uint32)
    buffer = cl.Buffer(context, cl.mem_flags.COPY_HOST_PTR, hostbuf=values)
    produce(queue, (1,), (1,), buffer, pipe)
    consume(queue, (1,), (1,), buffer, pipe)
    cl.enqueue_copy(queue, values, buffer)
    assert values.tolist() == [10, 30, 3, 0, 8]


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("OpTypePipe ReadOnly", "OpTypePipe ReadWrite", "either read or written"),
        ("OpReadPipe %uint %from", "OpWritePipe %uint %from", "not write_only"),
        ("OpReadPipe %uint %from", "OpReadPipe %uint %out", "no pipe"),
        ("OpReadPipe %uint %from %target", "OpReadPipe %uint %from %out", "not generic"),
        (
            "OpReadPipe %uint %from %target %four %four",
            "OpReadPipe %uint %from %target %zero %four",
            "0 bytes",
        ),
        ("%from %next %zero %after", "%from %zero %zero %after", "no reservation"),
        ("%id %from %one %four", "%uint %from %one %four", "wrong type"),
        ("%id %two %to %two %four", "%id %one %to %two %four", "neither the work-group nor the sub-group"),
    ],
)
def test_faults_are_named(old: str, new: str, reason: str) -> None:
    assert old in MODULE
    with pytest.raises(BuildError, match=reason):
        translated(MODULE.replace(old, new, 1))


def test_a_pipe_may_be_part_of_the_program() -> None:
    [platform] = [p for p in cl.get_platforms() if p.name == "Weft"]
    context = cl.Context(platform.get_devices())
    queue, kernel = cl.CommandQueue(context), cl.Program(context, assemble(STORAGE)).build().through
    for first in (3, 4):
        found = np.array([first, 77], np.uint32)
        buffer = cl.Buffer(context, cl.mem_flags.COPY_HOST_PTR, hostbuf=found)
        kernel(queue, (1,), None, buffer)
        cl.enqueue_copy(queue, found, buffer)
        assert found.tolist() == [8 * 1 - 1, first]


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("%storage 4 4 8", "%storage 4 4 0", "0 packets"),
        ("%storage 4 4 8", "%storage 4 4 2147483647", "too large"),
        ("OpConstantPipeStorage %storage", "OpConstantPipeStorage %reader", "not that of storage"),
        ("%writer %kept", "%writer %one", "no storage of a pipe"),
        ("%to = OpCreatePipeFromPipeStorage %writer", "%to = OpCreatePipeFromPipeStorage %uint", "no pipe"),
    ],
)
def test_faults_of_storage_are_named(old: str, new: str, reason: str) -> None:
    assert old in STORAGE
    with pytest.raises(BuildError, match=reason):
        translated(STORAGE.replace(old, new, 1))


def test_functions_of_pipes_are_not_imported() -> None:
    text = MODULE.replace('OpName %to "to"', 'OpDecorate %f LinkageAttributes "__read_pipe_2" Import')
    function = "%f = OpFunction %void None %consumer\n%x = OpFunctionParameter %numbers\n"
    function += "%y = OpFunctionParameter %reader\nOpFunctionEnd\n"
    text = text.replace("%produce = OpFunction", f"{function}%produce = OpFunction")
    with pytest.raises(BuildError, match="'__read_pipe_2' cannot be imported"):
        translated(text)
