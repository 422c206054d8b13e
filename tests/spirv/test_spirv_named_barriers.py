"""Named barriers: those sub-groups meet that a barrier is for, as often as they come, and no others wait."""

import numpy as np
import pyopencl as cl
import pytest
from assembler import assemble
from kernel_case import FOLDER, KernelCase, parse_launch
from kernel_ways import PROGRAMS, WAYS, interpret, link
from test_spirv_validation import expect_fault, translated

from weft import ir
from weft.abi import MOST_NAMED_BARRIERS
from weft.builtins.library import link_in
from weft.codegen.host import host_target
from weft.compiler.builtin_flags import builtin_flags
from weft.frontend.spirv.source import SpirvSource
from weft.program import build

HEAD = """
OpCapability Kernel
OpCapability Addresses
OpCapability Linkage
OpCapability Int64
OpCapability SubgroupDispatch
OpCapability NamedBarrier
OpMemoryModel Physical64 OpenCL
OpEntryPoint Kernel %k "k"
OpExecutionMode %k SubgroupSize 4
OpName %out "out"
OpDecorate %global_id BuiltIn GlobalLinearId
OpDecorate %local_id BuiltIn LocalInvocationIndex
OpDecorate %group_id BuiltIn SubgroupId
OpDecorate %groups BuiltIn NumSubgroups
OpDecorate %lane_id BuiltIn SubgroupLocalInvocationId
%void = OpTypeVoid
%bool = OpTypeBool
%uint = OpTypeInt 32 0
%ulong = OpTypeInt 64 0
%barrier = OpTypeNamedBarrier
%c0 = OpConstant %uint 0
%c1 = OpConstant %uint 1
%c2 = OpConstant %uint 2
%c3 = OpConstant %uint 3
%c4 = OpConstant %uint 4
%c5 = OpConstant %uint 5
%c7 = OpConstant %uint 7
%c40 = OpConstant %uint 40
%c100 = OpConstant %uint 100
%c1024 = OpConstant %uint 1024
%device = OpConstant %uint 1
%group = OpConstant %uint 2
%ordered = OpConstant %uint 0x308
%none = OpConstant %uint 0
%true = OpConstantTrue %bool
%numbers = OpTypePointer CrossWorkgroup %uint
%array = OpTypeArray %uint %c1024
%locals = OpTypePointer Workgroup %array
%local = OpTypePointer Workgroup %uint
%kept = OpTypePointer Workgroup %barrier
%private = OpTypePointer Function %barrier
%input = OpTypePointer Input %uint
%wide = OpTypePointer Input %ulong
%type = OpTypeFunction %void %numbers
%makes = OpTypeFunction %barrier %uint
%waits = OpTypeFunction %void %barrier
%box = OpVariable %locals Workgroup
%shared = OpVariable %kept Workgroup
%global_id = OpVariable %wide Input
%local_id = OpVariable %wide Input
%group_id = OpVariable %input Input
%groups = OpVariable %input Input
%lane_id = OpVariable %input Input
"""
KERNEL = """
%k = OpFunction %void None %type
%out = OpFunctionParameter %numbers
%entry = OpLabel
"""
VALUES = """
%gid64 = OpLoad %ulong %global_id
%gid = OpUConvert %uint %gid64
%lid64 = OpLoad %ulong %local_id
%lid = OpUConvert %uint %lid64
%id = OpLoad %uint %group_id
%count = OpLoad %uint %groups
%lane = OpLoad %uint %lane_id
%place = OpInBoundsAccessChain %local %box %lid
%target = OpInBoundsPtrAccessChain %numbers %out %gid64
"""
TAIL = """
OpReturn
OpFunctionEnd
"""
WAIT = "OpMemoryNamedBarrier {} %group %ordered\n"

# The first sub-group consumes what the last one produces, through one place; the others do nothing.
PRODUCER = f"""
{HEAD}{KERNEL}
%full = OpNamedBarrierInitialize %barrier %c2
%empty = OpNamedBarrierInitialize %barrier %c2
{VALUES}
%slot = OpInBoundsAccessChain %local %box %lane
%last = OpISub %uint %count %c1
%consumes = OpIEqual %bool %id %c0
%produces = OpIEqual %bool %id %last
OpBranchConditional %consumes %consume %other
%consume = OpLabel
%p = OpPhi %uint %c0 %entry %p2 %consume
{WAIT.format("%full")}
%v = OpLoad %uint %slot
{WAIT.format("%empty")}
%row = OpIMul %uint %p %c4
%at = OpIAdd %uint %row %lane
%where = OpInBoundsPtrAccessChain %numbers %out %at
OpStore %where %v
%p2 = OpIAdd %uint %p %c1
%again = OpULessThan %bool %p2 %c40
OpBranchConditional %again %consume %end
%other = OpLabel
OpBranchConditional %produces %produce %end
%produce = OpLabel
%q = OpPhi %uint %c0 %other %q2 %produce
%hundreds = OpIMul %uint %q %c100
%w = OpIAdd %uint %hundreds %lane
OpStore %slot %w
{WAIT.format("%full")}
{WAIT.format("%empty")}
%q2 = OpIAdd %uint %q %c1
%further = OpULessThan %bool %q2 %c40
OpBranchConditional %further %produce %end
%end = OpLabel
{TAIL}"""

# All sub-groups meet in each of five phases, between what they write and what they read, and after it.
ALL_MEET = f"""
{HEAD}{KERNEL}
{VALUES}
%all = OpNamedBarrierInitialize %barrier %count
%sevenfold = OpIMul %uint %lid %c7
%further = OpIAdd %uint %sevenfold %c5
%items = OpLoad %uint %out
%other = OpUMod %uint %further %items
%theirs = OpInBoundsAccessChain %local %box %other
OpBranch %phase
%phase = OpLabel
%p = OpPhi %uint %c0 %entry %p2 %phase
%sum = OpPhi %uint %c0 %entry %sum2 %phase
%hundreds = OpIMul %uint %p %c100
%mine = OpIAdd %uint %hundreds %lid
OpStore %place %mine
{WAIT.format("%all")}
%v = OpLoad %uint %theirs
%thrice = OpIMul %uint %sum %c3
%sum2 = OpIAdd %uint %thrice %v
{WAIT.format("%all")}
%p2 = OpIAdd %uint %p %c1
%more = OpULessThan %bool %p2 %c5
OpBranchConditional %more %phase %end
%end = OpLabel
{WAIT.format("%all")}
OpStore %target %sum2
{TAIL}"""

# Sub-groups 0 and 1 meet, and 2 to 4, and then all of these, four times; number 5 and further ones go on.
TEAMS = f"""
{HEAD}
%arrive = OpFunction %void None %waits
%given = OpFunctionParameter %barrier
%start = OpLabel
{WAIT.format("%given")}
{TAIL}
{KERNEL}
%two = OpNamedBarrierInitialize %barrier %c2
%three = OpNamedBarrierInitialize %barrier %c3
%five = OpNamedBarrierInitialize %barrier %c5
{VALUES}
%is_first = OpULessThan %bool %id %c2
%takes_part = OpULessThan %bool %id %c5
OpSelectionMerge %end None
OpBranchConditional %takes_part %choose %end
%choose = OpLabel
OpBranchConditional %is_first %first %second
%first = OpLabel
OpBranch %team
%second = OpLabel
OpBranch %team
%team = OpLabel
%mine = OpPhi %barrier %two %first %three %second
%from = OpPhi %uint %c0 %first %c2 %second
%to = OpPhi %uint %c2 %first %c5 %second
OpBranch %phase
%phase = OpLabel
%p = OpPhi %uint %c0 %team %p2 %summed
%hundreds = OpIMul %uint %p %c100
%v = OpIAdd %uint %hundreds %lid
OpStore %place %v
%no = OpFunctionCall %void %arrive %mine
OpBranch %add
%add = OpLabel
%s = OpPhi %uint %from %phase %s2 %add
%sum = OpPhi %uint %c0 %phase %sum2 %add
%item = OpIMul %uint %s %c4
%item2 = OpIAdd %uint %item %lane
%theirs = OpInBoundsAccessChain %local %box %item2
%w = OpLoad %uint %theirs
%sum2 = OpIAdd %uint %sum %w
%s2 = OpIAdd %uint %s %c1
%more = OpULessThan %bool %s2 %to
OpBranchConditional %more %add %summed
%summed = OpLabel
{WAIT.format("%five")}
%p2 = OpIAdd %uint %p %c1
%again = OpULessThan %bool %p2 %c4
OpBranchConditional %again %phase %store
%store = OpLabel
OpStore %target %sum2
OpBranch %end
%end = OpLabel
{TAIL}"""

# Barriers that one function makes are different ones, and so are those that a loop makes one after another.
MADE = f"""
{HEAD}
%make = OpFunction %barrier None %makes
%number = OpFunctionParameter %uint
%start = OpLabel
%made = OpNamedBarrierInitialize %barrier %number
OpReturnValue %made
OpFunctionEnd
{KERNEL}
%variable = OpVariable %private Function
{VALUES}
%all = OpFunctionCall %barrier %make %count
%alone = OpFunctionCall %barrier %make %c1
OpStore %shared %all
OpStore %variable %alone
OpBranch %phase
%phase = OpLabel
%p = OpPhi %uint %c0 %entry %p2 %phase
%last = OpPhi %barrier %all %entry %next %phase
%sum = OpPhi %uint %c0 %entry %sum2 %phase
%mine = OpIAdd %uint %p %lid
OpStore %place %mine
%own = OpLoad %barrier %variable
{WAIT.format("%own")}
{WAIT.format("%last")}
%other = OpBitwiseXor %uint %lid %c4
%theirs = OpInBoundsAccessChain %local %box %other
%v = OpLoad %uint %theirs
%sum2 = OpIAdd %uint %sum %v
{WAIT.format("%last")}
%next = OpFunctionCall %barrier %make %count
%unused = OpFunctionCall %barrier %make %c1
%p2 = OpIAdd %uint %p %c1
%more = OpULessThan %bool %p2 %c40
OpBranchConditional %more %phase %end
%end = OpLabel
OpStore %target %sum2
{TAIL}"""


def run(
    text: str, size: tuple[int, int], out: np.ndarray, way: str = "pthread", options: str = ""
) -> np.ndarray:
    """The numbers after a launch of a module's kernel."""
    case = KernelCase(FOLDER / "named_barriers.cl", text, options)
    PROGRAMS[text, options] = build(SpirvSource(assemble(text)), options)
    launch = parse_launch(f"{size[0]} / {size[1]}")
    try:
        return (interpreted if way == "interpreter" else WAYS[way])(case, launch, {"out": out.copy()})["out"]
    finally:
        del PROGRAMS[text, options]


def interpreted(case: KernelCase, launch: object, arguments: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    kernel = PROGRAMS[case.source, case.options].kernels["k"]
    library = link_in(kernel.code.builtins, host_target(), builtin_flags(kernel.options)).modules
    return interpret(ir.parse(link([kernel.code.text, *library])), case, launch, arguments)


def met(items: int) -> np.ndarray:
    """What the work-items of a group store in ALL_MEET."""
    theirs = (7 * np.arange(items) + 5) % items
    sums = np.zeros(items, np.uint32)
    for phase in range(5):
        sums = 3 * sums + (100 * phase + theirs).astype(np.uint32)
    return sums


SOME_WAYS = (
    "interpreter",
    "specialized",
    "specialized-loops-O0",
    "any-size-simd-O0",
    "any-size-loops-wide",
    "any-size-horizontal-O0",
    "basic",
)


@pytest.mark.parametrize("options", ["", "-cl-no-subgroup-ifp", "-cl-opt-disable"])
def test_values_go_from_one_sub_group_to_another(options: str) -> None:
    found = run(PRODUCER, (16, 16), np.zeros(160, np.uint32), options=options)
    np.testing.assert_array_equal(found.reshape(40, 4), 100 * np.arange(40)[:, None] + np.arange(4))


@pytest.mark.parametrize("way", SOME_WAYS)
@pytest.mark.parametrize("text", [PRODUCER, TEAMS, MADE], ids=["producer", "teams", "made"])
def test_all_ways_do_what_the_first_does(text: str, way: str) -> None:
    out = np.zeros(160, np.uint32)
    np.testing.assert_array_equal(run(text, (24, 24), out, way), run(text, (24, 24), out))


@pytest.mark.parametrize("size", [1, 2, 4, 5, 7, 8, 13, 16, 31, 64, 100, 255, 1024])
def test_all_sub_groups_of_a_group_of_any_size_synchronize(size: int) -> None:
    out = np.full(3 * size, size, np.uint32)
    # Work-item 0 stores to where the others read the size, but only when all have met.
    np.testing.assert_array_equal(run(ALL_MEET, (size, size), out[:size]), met(size))
    if size > 1:
        np.testing.assert_array_equal(run(ALL_MEET, (size, size), out[:size], "any-size"), met(size))


def test_a_group_may_be_smaller_than_the_others() -> None:
    # The last group has seven work-items, and so two sub-groups.
    found = run(PRODUCER, (12, 12), np.zeros(160, np.uint32))
    np.testing.assert_array_equal(run(PRODUCER, (31, 12), np.zeros(160, np.uint32)), found)


def test_barriers_are_for_different_numbers_of_sub_groups() -> None:
    found = run(TEAMS, (28, 28), np.full(28, 9, np.uint32)).reshape(7, 4)
    values = 300 + np.arange(28).reshape(7, 4)
    np.testing.assert_array_equal(found[:2], np.tile(values[:2].sum(0), (2, 1)))
    np.testing.assert_array_equal(found[2:5], np.tile(values[2:5].sum(0), (3, 1)))
    np.testing.assert_array_equal(found[5:], 9)


def test_each_initialization_makes_another_barrier() -> None:
    assert MOST_NAMED_BARRIERS < 2 * 40
    found = run(MADE, (16, 16), np.zeros(16, np.uint32))
    np.testing.assert_array_equal(found, sum(range(40)) + 40 * (np.arange(16) ^ 4))


def test_any_sub_groups_may_synchronize() -> None:
    text = ALL_MEET[: ALL_MEET.index("OpBranch %phase")].replace(
        "OpNamedBarrierInitialize %barrier %count", "OpNamedBarrierInitialize %barrier %c2"
    )
    text += f"{WAIT.format('%all')}OpStore %target %id\n{TAIL}"
    np.testing.assert_array_equal(run(text, (32, 32), np.full(32, 32, np.uint32)), np.arange(32) // 4)


def test_a_barrier_for_none_stops_nobody() -> None:
    text = PRODUCER.replace("%full = OpNamedBarrierInitialize %barrier %c2", "{0}\n{1}").format(
        "%nobody = OpNamedBarrierInitialize %barrier %c0\nOpMemoryNamedBarrier %nobody %group %none",
        "%full = OpNamedBarrierInitialize %barrier %c2",
    )
    found = run(text, (16, 16), np.zeros(160, np.uint32))
    np.testing.assert_array_equal(found.reshape(40, 4), 100 * np.arange(40)[:, None] + np.arange(4))


def test_kernels_without_named_barriers_take_nothing_for_them() -> None:
    other = "\n%k2 = OpFunction %void None %type\n%out2 = OpFunctionParameter %numbers\n%entry2 = OpLabel\n"
    text = PRODUCER.replace('%k "k"\n', '%k "k"\nOpEntryPoint Kernel %k2 "k2"\n', 1) + other + TAIL
    kernels = build(SpirvSource(assemble(text)), "").kernels
    assert kernels["k2"].local_bytes == 0 and not kernels["k2"].traits.may_wait
    assert kernels["k"].local_bytes >= 16 * MOST_NAMED_BARRIERS and kernels["k"].traits.may_wait


def test_functions_of_other_modules_make_barriers() -> None:
    make = 'OpDecorate %make LinkageAttributes "make" {}\n%void = OpTypeVoid\n'
    _, _, rest = MADE.partition("%make = OpFunction")
    body = rest.partition("OpFunctionEnd\n")[0]
    user = MADE.replace(
        f"%make = OpFunction{body}",
        "%make = OpFunction %barrier None %makes\n%number = OpFunctionParameter %uint\n",
    ).replace("%void = OpTypeVoid\n", make.format("Import"))
    library = HEAD.replace('OpEntryPoint Kernel %k "k"\nOpExecutionMode %k SubgroupSize 4\n', "")
    library = library.replace("%void = OpTypeVoid\n", make.format("Export"))
    library += f"%make = OpFunction{body}OpFunctionEnd\n"
    [platform] = [p for p in cl.get_platforms() if p.name == "Weft"]
    context = cl.Context(platform.get_devices()[:1])
    queue = cl.CommandQueue(context)
    parts = [cl.Program(context, assemble(text)).compile() for text in (user, library)]
    program = cl.link_program(context, parts)
    found = np.zeros(16, np.uint32)
    buffer = cl.Buffer(context, cl.mem_flags.COPY_HOST_PTR, hostbuf=found)
    program.k(queue, (16,), (16,), buffer)
    cl.enqueue_copy(queue, found, buffer)
    np.testing.assert_array_equal(found, sum(range(40)) + 40 * (np.arange(16) ^ 4))


def test_a_scope_beyond_the_work_group_takes_fences() -> None:
    assert "atomic_work_item_fence" not in translated(PRODUCER)
    wide = translated(PRODUCER.replace("%group %ordered", "%device %ordered", 1))
    assert wide.count("call void @_Z22atomic_work_item_fence") == 2


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("%full = OpNamedBarrierInitialize %barrier %c2", "%full = OpNamedBarrierInitialize %uint %c2",
         "OpNamedBarrierInitialize: the result type is not OpTypeNamedBarrier"),
        ("%full = OpNamedBarrierInitialize %barrier %c2", "%full = OpNamedBarrierInitialize %barrier %true",
         "OpNamedBarrierInitialize: the number of sub-groups must be a 32-bit integer"),
        ("OpMemoryNamedBarrier %full %group %ordered", "OpMemoryNamedBarrier %c2 %group %ordered",
         "OpMemoryNamedBarrier: the operand is not a named barrier"),
        ("OpMemoryNamedBarrier %full %group %ordered", "OpMemoryNamedBarrier %full %c40 %ordered",
         "OpMemoryNamedBarrier: unsupported scope"),
        ("OpMemoryNamedBarrier %full %group %ordered", "OpMemoryNamedBarrier %full %c40 %none",
         "OpMemoryNamedBarrier: unsupported scope"),
        ("OpMemoryNamedBarrier %full %group %ordered", "OpMemoryNamedBarrier %full %group %c7",
         "OpMemoryNamedBarrier: unknown memory semantics 0x7"),
        ("OpMemoryNamedBarrier %full %group %ordered", "OpMemoryNamedBarrier %full %group %lane",
         "is not an integer constant"),
        ("%true = OpConstantTrue %bool", "%null = OpConstantNull %barrier\n%true = OpConstantTrue %bool",
         "OpConstantNull: the type has no null value"),
        ("%full = OpNamedBarrierInitialize %barrier %c2",
         "%full = OpNamedBarrierInitialize %barrier %c2\n%which = OpSelect %barrier %true %full %full",
         "OpSelect: invalid operand types"),
        ("%full = OpNamedBarrierInitialize %barrier %c2",
         "%full = OpNamedBarrierInitialize %barrier %c2\n%same = OpIEqual %bool %full %full",
         "OpIEqual"),
        ("%type = OpTypeFunction %void %numbers", "%type = OpTypeFunction %void %barrier",
         "the parameters differ from those of the function type"),
    ],
)  # fmt: skip
def test_modules_with_invalid_barriers_are_refused(old: str, new: str, reason: str) -> None:
    expect_fault(PRODUCER, old, new, reason)


def test_hosts_cannot_set_named_barriers() -> None:
    text = MADE.replace(
        "%type = OpTypeFunction %void %numbers", "%type = OpTypeFunction %void %numbers %barrier"
    )
    expect_fault(
        text,
        "%out = OpFunctionParameter %numbers\n",
        "%out = OpFunctionParameter %numbers\n%b = OpFunctionParameter %barrier\n",
        "OpEntryPoint: a kernel parameter has a type that the host cannot set",
    )
