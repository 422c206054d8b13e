"""Modules that are malformed, or use what Weft has not, are refused with a reason."""

import struct

import pytest
from assembler import assemble

from weft.codegen.host import host_target
from weft.errors import BuildError
from weft.frontend.options import parse_options
from weft.frontend.spirv import grammar
from weft.frontend.spirv.compile import compile_spirv
from weft.frontend.spirv.grammar_tables import ENUMERATIONS
from weft.frontend.spirv.source import SpirvSource

HEAD = """
OpCapability Kernel
OpCapability Addresses
OpCapability Linkage
OpCapability Int64
%std = OpExtInstImport "OpenCL.std"
OpMemoryModel Physical64 OpenCL
"""
MODULE = (
    HEAD
    + """
OpEntryPoint Kernel %k "k"
OpName %a "a"
%void = OpTypeVoid
%bool = OpTypeBool
%uint = OpTypeInt 32 0
%ulong = OpTypeInt 64 0
%float = OpTypeFloat 32
%v4 = OpTypeVector %float 4
%pointer = OpTypePointer CrossWorkgroup %uint
%private = OpTypePointer Function %uint
%type = OpTypeFunction %void %pointer %uint
%helper_type = OpTypeFunction %uint %uint
%zero = OpConstant %uint 0
%one = OpConstant %uint 1
%half = OpConstant %float 0.5
%true = OpConstantTrue %bool
%helper = OpFunction %uint None %helper_type
%h = OpFunctionParameter %uint
%in_helper = OpLabel
%twice = OpIAdd %uint %h %h
OpReturnValue %twice
OpFunctionEnd
%k = OpFunction %void None %type
%a = OpFunctionParameter %pointer
%n = OpFunctionParameter %uint
%entry = OpLabel
%v = OpVariable %private Function
%x = OpLoad %uint %a Aligned 4
%small = OpULessThan %bool %x %n
OpBranchConditional %small %then %end
%then = OpLabel
%y = OpFunctionCall %uint %helper %x
OpBranch %end
%end = OpLabel
%z = OpPhi %uint %x %entry %y %then
OpStore %a %z Aligned 4
OpReturn
OpFunctionEnd
"""
)


def translated(text: str) -> str:
    return compile_spirv(SpirvSource(assemble(text)), parse_options(""), host_target()).ir


def refusal(text: str | bytes) -> str:
    data = assemble(text) if isinstance(text, str) else text
    with pytest.raises(BuildError) as error:
        compile_spirv(SpirvSource(data), parse_options(""), host_target())
    return error.value.log


def expect_fault(text: str, old: str, new: str, reason: str) -> None:
    """Check that a module is refused for `reason` when one of its lines is changed."""
    assert old in text
    log = refusal(text.replace(old, new, 1))
    assert log.startswith("error: SPIR-V: ")
    assert reason in log


def test_a_module_becomes_a_kernel() -> None:
    ir = translated(MODULE)
    assert "spir_kernel void @k(ptr addrspace(1) noundef %a, i32 noundef %a." in ir
    assert "phi i32" in ir


@pytest.mark.parametrize(
    ("line", "instead", "reason"),
    [
        ("%twice = OpIAdd %uint %h %h", "%twice = OpIAdd %uint %h %half", "OpIAdd: operand types differ"),
        ("%twice = OpIAdd %uint %h %h", "%twice = OpIAdd %uint %h %nowhere", "is not defined"),
        ("%twice = OpIAdd %uint %h %h", "%twice = OpIAdd %uint %h %x", "is not a value of the function"),
        ("%twice = OpIAdd %uint %h %h", "%twice = OpIAdd %uint %h %uint", "is not a value"),
        ("%twice = OpIAdd %uint %h %h", "%twice = OpFunctionCall %uint %h %h", "is not a function"),
        ("%twice = OpIAdd %uint %h %h", "%twice = OpFNegate %uint %h", "OpFNegate: operand type"),
        (
            "%twice = OpIAdd %uint %h %h",
            "%twice = OpExtInst %uint %std sqrt %half",
            "sqrt: invalid result type",
        ),
        (
            "%twice = OpIAdd %uint %h %h",
            "%twice = OpExtInst %ulong %std u_upsample %h %half",
            "u_upsample: the operands differ in type",
        ),
        ("OpReturnValue %twice", "OpReturn", "a function with a result must return a value"),
        ("OpReturnValue %twice", "", "no terminator"),
        ("%z = OpPhi %uint %x %entry %y %then", "%z = OpPhi %uint %x %entry", "missing for a predecessor"),
        ("%z = OpPhi %uint %x %entry %y %then", "%z = OpPhi %uint %y %entry %x %then", "does not dominate"),
        ("%z = OpPhi %uint %x %entry %y %then", "%z = OpIAdd %uint %y %y", "does not dominate its use"),
        ("OpBranch %end", "OpBranch %entry", "targets the entry block"),
        ("OpBranch %end", "OpBranch %in_helper", "is not a block of the function"),
        (
            "OpBranchConditional %small %then %end",
            "OpBranchConditional %x %then %end",
            "the condition is not a bool",
        ),
        ("OpStore %a %z Aligned 4", "OpStore %a %z Aligned 3", "must be a power of two"),
        ("OpStore %a %z Aligned 4", "OpStore %a %half", "the pointee has a different type"),
        (
            "OpStore %a %z Aligned 4",
            "OpControlBarrier %zero %zero %zero",
            "the scope must be Workgroup or Subgroup",
        ),
        ("%x = OpLoad %uint %a Aligned 4", "%x = OpLoad %uint %n", "is not a pointer"),
        ("%zero = OpConstant %uint 0", "%zero = OpConstant %v4 0", "the type of a literal"),
        ("%v4 = OpTypeVector %float 4", "%v4 = OpTypeVector %float 5", "vectors of 5 elements"),
        ("%v4 = OpTypeVector %float 4", "%v4 = OpTypeFloat 80", "80-bit floats"),
        ("OpCapability Int64", "OpCapability Shader", "capability Shader is not supported"),
        ("OpCapability Int64", 'OpExtension "SPV_KHR_none"', "extension 'SPV_KHR_none'"),
        ("OpMemoryModel Physical64 OpenCL", "OpMemoryModel Physical32 OpenCL", "Physical32"),
        ("OpMemoryModel Physical64 OpenCL", "", "exactly one OpMemoryModel"),
        ('OpEntryPoint Kernel %k "k"', 'OpEntryPoint Kernel %k "llvm.trap"', "invalid name 'llvm.trap'"),
        ('OpEntryPoint Kernel %k "k"', 'OpEntryPoint Kernel %uint "k"', "is not a function"),
        ('OpEntryPoint Kernel %k "k"', 'OpEntryPoint Kernel %helper "k"', "an entry point cannot be called"),
        (
            'OpName %a "a"',
            'OpDecorate %helper LinkageAttributes "_Z4sqrtf" Import',
            "an imported function cannot have a body",
        ),
    ],
)
def test_a_fault_is_named(line: str, instead: str, reason: str) -> None:
    assert MODULE.count(line) == 1
    expect_fault(MODULE, line, instead, reason)


def test_types_are_not_nested_without_end() -> None:
    types = "".join(f"%t{n} = OpTypeArray %t{n - 1} %one\n" for n in range(1, 400))
    text = MODULE.replace("%half = ", f"%t0 = OpTypeInt 8 0\n{types}%half = ")
    assert "nested" in refusal(text)


def test_types_are_not_larger_than_memory() -> None:
    types = "%many = OpConstant %uint 0x7fffffff\n%t = OpTypeArray %uint %many\n"
    assert "too large" in refusal(MODULE.replace("%half = ", f"{types}%half = "))


def test_a_size_that_clusters_require_is_not_left_out() -> None:
    text = MODULE.replace(
        "OpCapability Int64\n", "OpCapability Int64\nOpCapability GroupNonUniformClustered\n"
    )
    collective = "%sum = OpGroupNonUniformIAdd %uint %three ClusteredReduce %h"
    text = text.replace("%one = OpConstant", "%three = OpConstant %uint 3\n%one = OpConstant")
    text = text.replace("%twice = OpIAdd", f"{collective} %one\n%twice = OpIAdd")
    assert "sub_group_clustered_reduce" in translated(text)
    expect_fault(text, f"{collective} %one", collective, "OpGroupNonUniformIAdd: missing operands")


def test_operands_of_the_grammar_are_of_known_kinds() -> None:
    tables = [grammar.instructions(), *map(grammar.enumeration, ENUMERATIONS), grammar.opencl_std()]
    for entry in (entry for table in tables for entry in table.values()):
        for operand in entry.operands:
            assert operand.rstrip("?*") in ENUMERATIONS or set(operand.rstrip("?*")) <= set("TRILSNXO"), entry


def test_instruction_with_the_longest_name_is_refused() -> None:
    number, words = 5771, struct.unpack(f"<{len(assemble(MODULE)) // 4}I", assemble(MODULE))
    entry = grammar.instructions()[number]
    assert entry.needs == ("SubgroupAvcMotionEstimationINTEL",)
    log = refusal(struct.pack(f"<{len(words) + 1}I", *words, 1 << 16 | number))
    assert f"Op{entry.name} needs the capability {entry.needs[0]}, which is not supported" in log


def test_headers_are_checked() -> None:
    data = assemble(MODULE)
    assert "truncated" in refusal(data[:-2])
    assert "invalid instruction length" in refusal(data + bytes(4))
    assert "magic number" in refusal(b"\0" * len(data))
    assert "version 1.9" in refusal(data[:4] + struct.pack("<I", 0x10900) + data[8:])
    assert "bound" in refusal(data[:12] + struct.pack("<I", 0xFFFFFFFF) + data[16:])


def test_bitcode_is_refused() -> None:
    assert "LLVM bitcode (SPIR 1.2 or 2.0) is not supported" in refusal(b"BC\xc0\xde" + bytes(64))


def test_the_other_byte_order_is_read() -> None:
    data = assemble(MODULE)
    words = struct.unpack(f"<{len(data) // 4}I", data)
    swapped = struct.pack(f">{len(words)}I", *words)
    own = compile_spirv(SpirvSource(data), parse_options(""), host_target())
    assert compile_spirv(SpirvSource(swapped), parse_options(""), host_target()) == own


def test_unreachable_blocks_are_left_out() -> None:
    text = MODULE.replace("OpBranchConditional %small %then %end", "OpBranch %end").replace(
        "%z = OpPhi %uint %x %entry %y %then", "%z = OpPhi %uint %x %entry"
    )
    assert "call i32" not in translated(text)


def test_lines_become_debug_locations() -> None:
    text = MODULE.replace('OpName %a "a"', '%file = OpString "k.cl"\nOpName %a "a"').replace(
        "%x = OpLoad", "OpLine %file 7 3\n%x = OpLoad"
    )
    source = SpirvSource(assemble(text))
    ir = compile_spirv(source, parse_options(""), host_target(), debug_info=True).ir
    assert "!DILocation(line: 7, column: 3" in ir
    assert '!DIFile(filename: "k.cl"' in ir
    assert "DILocation" not in compile_spirv(source, parse_options(""), host_target()).ir
