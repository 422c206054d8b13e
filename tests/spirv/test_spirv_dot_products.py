"""Dot products of integers, packed and in vectors, with and without an accumulator."""

import numpy as np
import pyopencl as cl
import pytest
from assembler import assemble
from test_spirv_validation import expect_fault

HEAD = """
OpCapability Kernel
OpCapability Addresses
OpCapability Int64
OpCapability Int16
OpCapability Int8
OpCapability DotProduct
OpCapability DotProductInputAll
OpCapability DotProductInput4x8Bit
OpCapability DotProductInput4x8BitPacked
OpExtension "SPV_KHR_integer_dot_product"
OpMemoryModel Physical64 OpenCL
OpEntryPoint Kernel %k "k"
OpDecorate %at BuiltIn GlobalLinearId
%void = OpTypeVoid
%uchar = OpTypeInt 8 0
%ushort = OpTypeInt 16 0
%uint = OpTypeInt 32 0
%ulong = OpTypeInt 64 0
%uchar4 = OpTypeVector %uchar 4
%ushort2 = OpTypeVector %ushort 2
%numbers = OpTypePointer CrossWorkgroup %uint
%results = OpTypePointer CrossWorkgroup %ulong
%input = OpTypePointer Input %ulong
%type = OpTypeFunction %void %results %numbers %numbers %numbers
%rows = OpConstant %ulong {rows}L
%at = OpVariable %input Input
%k = OpFunction %void None %type
%out = OpFunctionParameter %results
%as = OpFunctionParameter %numbers
%bs = OpFunctionParameter %numbers
%cs = OpFunctionParameter %numbers
%entry = OpLabel
%index = OpLoad %ulong %at
%from_a = OpInBoundsPtrAccessChain %numbers %as %index
%from_b = OpInBoundsPtrAccessChain %numbers %bs %index
%from_c = OpInBoundsPtrAccessChain %numbers %cs %index
%a = OpLoad %uint %from_a Aligned 4
%b = OpLoad %uint %from_b Aligned 4
%c = OpLoad %uint %from_c Aligned 4
%a4 = OpBitcast %uchar4 %a
%b4 = OpBitcast %uchar4 %b
%a2 = OpBitcast %ushort2 %a
%b2 = OpBitcast %ushort2 %b
%first = OpIMul %ulong %index %rows
"""

PACKED = "PackedVectorFormat4x8Bit"
ROWS = {
    f"OpSDot %uint %a %b {PACKED}": ("b", "b", "u4"),
    f"OpUDot %uint %a %b {PACKED}": ("B", "B", "u4"),
    f"OpSUDot %uint %a %b {PACKED}": ("b", "B", "u4"),
    "OpSDot %uint %a4 %b4": ("b", "b", "u4"),
    "OpUDot %ulong %a2 %b2": ("u2", "u2", "u8"),
    "OpSUDot %ulong %a2 %b2": ("i2", "u2", "u8"),
    f"OpSDotAccSat %uint %a %b %c {PACKED}": ("b", "b", "i4"),
    "OpUDotAccSat %uint %a4 %b4 %c": ("B", "B", "u4"),
    f"OpSUDotAccSat %uint %a %b %c {PACKED}": ("b", "B", "i4"),
}


def module() -> str:
    """A kernel that writes the result of every row for every work-item, in 64 bits."""
    constants = "".join(f"%c{row} = OpConstant %ulong {row}L\n" for row in range(len(ROWS)))
    parts = [HEAD.format(rows=len(ROWS)).replace("%at = OpVariable", f"{constants}%at = OpVariable")]
    for row, text in enumerate(ROWS):
        parts += [
            f"%r{row} = {text}",
            f"%w{row} = OpUConvert %ulong %r{row}",
            f"%at{row} = OpIAdd %ulong %first %c{row}",
            f"%place{row} = OpInBoundsPtrAccessChain %results %out %at{row}",
            f"OpStore %place{row} %w{row}",
        ]
    return "\n".join([*parts, "OpReturn", "OpFunctionEnd"])


def test_dot_products() -> None:
    """The first numbers are the largest and the smallest; sums with an accumulator saturate."""
    [platform] = [p for p in cl.get_platforms() if p.name == "Weft"]
    context = cl.Context(platform.get_devices())
    queue = cl.CommandQueue(context)
    program = cl.Program(context, assemble(module(), (1, 4))).build()
    random = np.random.default_rng(1)
    edges = [0x7F7F7F7F, 0x80808080, 0xFFFFFFFF, 0]
    a, b, c = (random.integers(0, 1 << 32, 64, dtype=np.uint32) for _ in range(3))
    a[:16], b[:16] = np.repeat(edges, 4), np.tile(edges, 4)
    c[:32] = np.resize(np.array([0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 0x7FFFF000], np.uint32), 32)
    out = np.zeros((64, len(ROWS)), np.uint64)
    flags = cl.mem_flags.COPY_HOST_PTR
    buffers = [cl.Buffer(context, flags, hostbuf=array) for array in (out, a, b, c)]
    program.k(queue, (64,), None, *buffers)
    cl.enqueue_copy(queue, out, buffers[0])
    for row, (text, (left, right, result)) in enumerate(ROWS.items()):
        x, y = (value.view(kind).reshape(64, -1).astype(object) for value, kind in ((a, left), (b, right)))
        sums = (x * y).sum(axis=1)
        if "AccSat" in text:
            limits = np.iinfo(result)
            sums = np.clip(sums + c.view(result).astype(object), limits.min, limits.max)
        bits = 8 * np.dtype(result).itemsize
        assert out[:, row].tolist() == [int(value) % (1 << bits) for value in sums], text


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        (f"%a %b {PACKED}", "%a %b", "must be integer vectors"),
        (f"OpSDot %uint %a %b {PACKED}", f"OpSDot %uint %a4 %b4 {PACKED}", "must be a 32-bit integer"),
        ("OpUDot %ulong %a2 %b2", "OpUDot %ulong %a2 %b4", "the operand types differ"),
        ("OpUDot %ulong %a2 %b2", "OpUDot %uchar %a2 %b2", "wider than the result"),
        ("%a4 %b4 %c", "%a4 %b4 %index", "accumulator"),
    ],
)
def test_faults_are_named(old: str, new: str, reason: str) -> None:
    expect_fault(module(), old, new, reason)
