"""Pipes of modules: packets go from one kernel to another, and what is wrong with a module is named."""

import numpy as np
import pyopencl as cl
import pytest
from assembler import assemble
from test_spirv_validation import expect_fault, refusal

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


# Calls that cannot succeed.
MISUSES = (
    "OpReservedWritePipe %uint %to %nothing %zero %source %four %four",
    "OpReservedWritePipe %uint %to %too_many %zero %source %four %four",
    "OpReservedWritePipe %uint %to %open %two %source %four %four",
    "OpReservedWritePipe %uint %to %open %huge %source %four %four",
    "OpReservedWritePipe %uint %to %open %zero %source %eight %four",
    "OpWritePipe %uint %to %source %eight %four",
    "OpReservedWritePipe %uint %to %closed %zero %source %four %four",
)


def misuse() -> str:
    """A module whose producer writes two packets, misuses the pipe, and stores what the calls return."""
    head, _, rest = MODULE.partition("%produce = ")
    numbers = "".join(f"%n{n} = OpConstant %uint {n}\n" for n in range(len(MISUSES)))
    calls = "".join(
        f"%result{n} = {call}\n%place{n} = OpInBoundsPtrAccessChain %numbers %in %n{n}\n"
        f"OpStore %place{n} %result{n} Aligned 4\n"
        for n, call in enumerate(MISUSES)
    )
    return f"""{head}{numbers}%eight = OpConstant %uint 8
%huge = OpConstant %uint 4294967295
%produce = OpFunction %void None %producer
%in = OpFunctionParameter %numbers
%to = OpFunctionParameter %writer
%start = OpLabel
%source = OpPtrCastToGeneric %generic %in
%closed = OpReserveWritePipePackets %id %to %one %four %four
%done = OpReservedWritePipe %uint %to %closed %zero %source %four %four
OpCommitWritePipe %to %closed %four %four
%too_many = OpReserveWritePipePackets %id %to %huge %four %four
%open = OpReserveWritePipePackets %id %to %one %four %four
%done2 = OpReservedWritePipe %uint %to %open %zero %source %four %four
OpCommitWritePipe %to %nothing %four %four
OpCommitWritePipe %to %too_many %four %four
OpCommitWritePipe %to %closed %four %four
{calls}OpCommitWritePipe %to %open %four %four
OpReturn
OpFunctionEnd
%consume = {rest.partition("%consume = ")[2]}"""


def weft_queue() -> cl.CommandQueue:
    [platform] = [p for p in cl.get_platforms() if p.name == "Weft"]
    return cl.CommandQueue(cl.Context(platform.get_devices()))


def test_packets_go_from_one_kernel_to_another() -> None:
    queue = weft_queue()
    context = queue.context
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


def test_misused_pipes_stay_whole() -> None:
    queue = weft_queue()
    program = cl.Program(queue.context, assemble(misuse())).build()
    pipe = cl.Pipe(queue.context, 0, 4, 8)
    results = np.full(len(MISUSES), 21, np.int32)
    buffer = cl.Buffer(queue.context, cl.mem_flags.COPY_HOST_PTR, hostbuf=results)
    program.produce(queue, (1,), (1,), buffer, pipe)
    cl.enqueue_copy(queue, results, buffer)
    assert (results < 0).all()
    read = np.zeros(5, np.uint32)
    buffer = cl.Buffer(queue.context, cl.mem_flags.COPY_HOST_PTR, hostbuf=read)
    program.consume(queue, (1,), (1,), buffer, pipe)
    cl.enqueue_copy(queue, read, buffer)
    assert read.tolist() == [21, 21, 2, 0, 8]


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("OpTypePipe ReadOnly", "OpTypePipe ReadWrite", "a pipe must be read-only or write-only"),
        ("OpReadPipe %uint %from", "OpWritePipe %uint %from", "not write_only"),
        ("OpReadPipe %uint %from", "OpReadPipe %uint %out", "is not a pipe"),
        ("OpReadPipe %uint %from %target", "OpReadPipe %uint %from %out", "is not a Generic pointer"),
        (
            "OpReadPipe %uint %from %target %four %four",
            "OpReadPipe %uint %from %target %zero %four",
            "0 bytes",
        ),
        ("%from %next %zero %after", "%from %zero %zero %after", "is not a reservation id"),
        ("%id %from %one %four", "%uint %from %one %four", "invalid result type"),
        ("%id %two %to %two %four", "%id %one %to %two %four", "the scope must be Workgroup or Subgroup"),
    ],
)
def test_faults_are_named(old: str, new: str, reason: str) -> None:
    expect_fault(MODULE, old, new, reason)


def test_a_pipe_may_be_part_of_the_program() -> None:
    queue = weft_queue()
    context = queue.context
    kernel = cl.Program(context, assemble(STORAGE)).build().through
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
        ("OpConstantPipeStorage %storage", "OpConstantPipeStorage %reader", "is not OpTypePipeStorage"),
        ("%writer %kept", "%writer %one", "is not a pipe storage"),
        (
            "%to = OpCreatePipeFromPipeStorage %writer",
            "%to = OpCreatePipeFromPipeStorage %uint",
            "is not a pipe",
        ),
    ],
)
def test_faults_of_storage_are_named(old: str, new: str, reason: str) -> None:
    expect_fault(STORAGE, old, new, reason)


def test_functions_of_pipes_are_not_imported() -> None:
    text = MODULE.replace('OpName %to "to"', 'OpDecorate %f LinkageAttributes "__read_pipe_2" Import')
    function = "%f = OpFunction %void None %consumer\n%x = OpFunctionParameter %numbers\n"
    function += "%y = OpFunctionParameter %reader\nOpFunctionEnd\n"
    text = text.replace("%produce = OpFunction", f"{function}%produce = OpFunction")
    assert "'__read_pipe_2' cannot be imported" in refusal(text)
