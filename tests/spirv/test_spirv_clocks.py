"""Reads of clocks (SPV_KHR_shader_clock): in order, in both forms, of each scope."""

import numpy as np
import pyopencl as cl
import pytest
from assembler import assemble
from test_spirv_validation import refusal

HEAD = """
OpCapability Kernel
OpCapability Addresses
OpCapability Int64
OpCapability ShaderClockKHR
OpExtension "SPV_KHR_shader_clock"
OpMemoryModel Physical64 OpenCL
OpEntryPoint Kernel %k "k"
OpDecorate %at BuiltIn GlobalLinearId
%void = OpTypeVoid
%uint = OpTypeInt 32 0
%ulong = OpTypeInt 64 0
%pair = OpTypeVector %uint 2
%numbers = OpTypePointer CrossWorkgroup %ulong
%input = OpTypePointer Input %ulong
%type = OpTypeFunction %void %numbers
%device = OpConstant %uint 1
%group = OpConstant %uint 2
%single = OpConstant %uint 3
%item = OpConstant %uint 4
%four = OpConstant %ulong 4L
%at = OpVariable %input Input
%k = OpFunction %void None %type
%out = OpFunctionParameter %numbers
%entry = OpLabel
%index = OpLoad %ulong %at
%first = OpIMul %ulong %index %four
"""
TAIL = "OpReturn\nOpFunctionEnd\n"
READS = """
%t0 = OpReadClockKHR %ulong %device
%p1 = OpReadClockKHR %pair %group
%t1 = OpBitcast %ulong %p1
%t2 = OpReadClockKHR %ulong %single
%t3 = OpReadClockKHR %ulong %device
"""


def test_clocks_are_read_in_order() -> None:
    lines = HEAD + READS
    for n in range(4):
        lines += f"%o{n} = OpBitwiseOr %ulong %first %n{n}\n"
        lines += f"%place{n} = OpInBoundsPtrAccessChain %numbers %out %o{n}\n"
        lines += f"OpStore %place{n} %t{n} Aligned 8\n"
    constants = "".join(f"%n{n} = OpConstant %ulong {n}L\n" for n in range(4))
    module = assemble(lines.replace("%at = ", f"{constants}%at = ") + TAIL, (1, 4))
    [platform] = [p for p in cl.get_platforms() if p.name == "Weft"]
    context = cl.Context(platform.get_devices())
    queue = cl.CommandQueue(context)
    found = np.zeros((64, 4), np.uint64)
    buffer = cl.Buffer(context, cl.mem_flags.COPY_HOST_PTR, hostbuf=found)
    cl.Program(context, module).build().k(queue, (64,), (16,), buffer)
    cl.enqueue_copy(queue, found, buffer)
    assert (found > 0).all() and (found[:, 1:] >= found[:, :-1]).all()
    assert (found[:, 3] > found[:, 0]).any()


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("%t = OpReadClockKHR %ulong %item", "the clock of scope 4 is not supported"),
        ("%t = OpReadClockKHR %uint %device", "must be a 64-bit integer or a vector of two 32-bit integers"),
    ],
)
def test_other_clocks_are_refused(line: str, reason: str) -> None:
    assert reason in refusal(f"{HEAD}{line}\n{TAIL}")
