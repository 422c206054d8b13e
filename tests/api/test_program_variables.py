"""Variables of a program in global memory: kept between launches, one storage for a program and a device."""

import ctypes
import sys
from pathlib import Path

import numpy as np
import pyopencl as cl
import pytest

from weft.device.base import Launch, devices
from weft.program import build

sys.path.insert(0, str(Path(__file__).parent.parent / "spirv"))
from assembler import assemble

TOTAL_SIZE = 0x1185  # CL_PROGRAM_BUILD_GLOBAL_VARIABLE_TOTAL_SIZE
LARGEST = 0x104D  # CL_DEVICE_MAX_GLOBAL_VARIABLE_SIZE

COUNTING = """
global int total = 100;
global atomic_int calls = ATOMIC_VAR_INIT(0);
global int *global place = &total;
int number(void) { static int n = 7; return n; }
kernel void add(int n) { atomic_fetch_add(&calls, 1); if (get_global_id(0) == 0) *place += n; }
kernel void read(global int *out) {
    out[0] = total; out[1] = atomic_load(&calls); out[2] = place == &total; out[3] = number(); }
"""


@pytest.fixture
def context() -> cl.Context:
    (platform,) = (p for p in cl.get_platforms() if p.name == "Weft")
    return cl.Context(platform.get_devices()[:1])


@pytest.fixture
def queue(context: cl.Context) -> cl.CommandQueue:
    return cl.CommandQueue(context)


def read(program: cl.Program, queue: cl.CommandQueue) -> list[int]:
    found = np.zeros(4, np.int32)
    out = cl.Buffer(queue.context, cl.mem_flags.WRITE_ONLY, found.nbytes)
    cl.Kernel(program, "read")(queue, (1,), None, out)
    cl.enqueue_copy(queue, found, out)
    return found.tolist()


def built(context: cl.Context, source: str) -> cl.Program:
    return cl.Program(context, source).build("-cl-std=CL3.0")


@pytest.mark.parametrize("tiers", ["0", "1", "baseline"])
def test_values_last_over_launches_kernels_and_tiers(context, queue, monkeypatch, tiers) -> None:
    monkeypatch.setenv("WEFT_TIERS", tiers)
    program = built(context, COUNTING)
    assert read(program, queue) == [100, 0, 1, 7]
    for launch in range(1, 6):
        cl.Kernel(program, "add")(queue, (64,), (16,), np.int32(launch))
        queue.finish()
    assert read(program, queue) == [115, 320, 1, 7]


def test_each_device_has_its_own() -> None:
    source = "global int n = 3; kernel void k(global int *a) { a[0] = n++; }"
    kernel = build(source, "-cl-std=CL3.0").kernels["k"]
    one, other = devices()[:2]
    assert kernel.on(one.memory) is kernel.on(one.memory) is not kernel.on(other.memory)
    found = []
    for device in (one, one, other):
        function = kernel.on(device.memory).work_group_function((1, 1, 1))
        place = device.allocate(4)
        queue = device.new_queue()
        command = queue.ndrange(
            function.address,
            Launch((1,), (1,), (0,)),
            place.to_bytes(8, "little"),
            kernel.local_bytes,
            function.context_bytes((1, 1, 1)),
        )
        queue.finish()
        assert command.status == 0
        found.append(ctypes.c_int32.from_address(place).value)
        device.free(place)
    assert found == [3, 4, 3]


def test_building_again_initializes_them(context, queue) -> None:
    for _ in range(2):
        program = built(context, COUNTING)
        program.add(queue, (1,), None, np.int32(5))
        assert read(program, queue) == [105, 1, 1, 7]


def test_a_binary_has_the_initial_values(context, queue) -> None:
    program = built(context, COUNTING)
    program.add(queue, (1,), None, np.int32(5))
    (binary,) = program.get_info(cl.program_info.BINARIES)
    again = cl.Program(context, context.devices, [binary]).build()
    assert read(again, queue) == [100, 0, 1, 7]


def test_programs_are_linked_by_their_variables(context, queue) -> None:
    uses = """extern global int shared; static global int own = 1;
    int next(void);
    kernel void read(global int *out) { out[0] = shared; out[1] = own; out[2] = next(); out[3] = shared; }"""
    defines = """global int shared = 30; static global int own = 2;
    int next(void) { shared += own; return own; }"""
    parts = [cl.Program(context, text).compile("-cl-std=CL3.0") for text in (uses, defines)]
    program = cl.link_program(context, parts)
    assert [read(program, queue) for _ in range(2)] == [[30, 1, 2, 32], [32, 1, 2, 34]]
    without = cl.Program(context, "int next(void) { return 0; }").compile()
    with pytest.raises(cl.RuntimeError, match="LINK_PROGRAM_FAILURE"):
        cl.link_program(context, [parts[0], without])


def test_sizes_are_told(context) -> None:
    (device,) = context.devices
    assert device.get_info(LARGEST) >= 65536
    program = built(context, "global int a[10]; global char b; kernel void k(void) { a[0] = b; }")
    assert program.get_build_info(device, TOTAL_SIZE) == 41
    assert built(context, "kernel void k(void) {}").get_build_info(device, TOTAL_SIZE) == 0


def test_a_variable_may_be_as_large_as_told(context, queue) -> None:
    (device,) = context.devices
    size = device.get_info(LARGEST)
    source = f"""global uchar large[{size}];
    kernel void read(global int *out) {{ large[{size - 1}] += 2; out[0] = large[{size - 1}]; }}"""
    program = built(context, source)
    assert [read(program, queue)[0] for _ in range(2)] == [2, 4]
    with pytest.raises(cl.RuntimeError, match=f"'large' has {size + 1} bytes"):
        built(context, source.replace(f"large[{size}]", f"large[{size + 1}]"))


def test_functions_that_stay_functions_use_them(context, queue, monkeypatch) -> None:
    monkeypatch.setenv("WEFT_INLINE", "0")
    source = """global int n = 5;
    int next(int x) { return n += x; }
    kernel void read(global int *out) { out[0] = next(1) + next(2); out[1] = n; }"""
    program = built(context, source)
    assert read(program, queue)[:2] == [14, 8]
    assert read(program, queue)[1] == 11


def test_a_variable_may_bear_the_name_of_a_library_function(context, queue) -> None:
    source = """typedef struct { int x[100]; } Large;
    global int memcpy = 1; global int memset = 2;
    global Large one; global Large two;
    kernel void read(global int *out) { one.x[7] = memcpy + memset; two = one; out[0] = two.x[7]; }"""
    assert read(built(context, source), queue)[0] == 3


SPIRV = """
OpCapability Kernel
OpCapability Addresses
OpCapability Linkage
OpMemoryModel Physical64 OpenCL
OpEntryPoint Kernel %read "read"
%void = OpTypeVoid
%uint = OpTypeInt 32 0
%numbers = OpTypePointer CrossWorkgroup %uint
%places = OpTypePointer CrossWorkgroup %numbers
%type = OpTypeFunction %void %numbers
%five = OpConstant %uint 5
%two = OpConstant %uint 2
%n = OpVariable %numbers CrossWorkgroup %five
%zero = OpVariable %numbers CrossWorkgroup
%place = OpVariable %places CrossWorkgroup %n
%read = OpFunction %void None %type
%out = OpFunctionParameter %numbers
%entry = OpLabel
%at = OpLoad %numbers %place
%old = OpLoad %uint %at
%new = OpIAdd %uint %old %two
OpStore %at %new
%also = OpLoad %uint %n
%none = OpLoad %uint %zero
%sum = OpIAdd %uint %also %none
OpStore %out %sum
OpReturn
OpFunctionEnd
"""


@pytest.mark.parametrize("variable", ["", "__attribute__((used)) global int v = 1;"])
def test_lists_of_what_is_used_are_no_variables(context, queue, variable) -> None:
    source = """
    __attribute__((used)) static int f(int x) { return x + 1; }
    __attribute__((annotate("y"))) int g(void) { return 1; }
    kernel void read(global int *out) { out[0] = f(2) + g(); }"""
    assert read(built(context, variable + source), queue)[0] == 4


@pytest.mark.parametrize("name", ["a$b", "\u00e9t\u00e9", 'x __asm__("x y")'])
def test_names_that_llvm_quotes(context, queue, name) -> None:
    used = name.split()[0]
    source = f"""
    global int {name} = 3;
    global int *global place = &{used};
    kernel void read(global int *out) {{ out[0] = {used}++; out[1] = *place; out[2] = out[3] = 0; }}"""
    program = cl.Program(context, source).build("-cl-std=CL3.0", cache_dir=False)
    assert [read(program, queue)[:2] for _ in range(2)] == [[3, 4], [4, 5]]


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("extern global int u; global int *global p = &u;", "address of 'u', which is not defined"),
        ("global int a __attribute__((aligned(8192))) = 3;", "'a' is aligned to 8192 bytes"),
        ('global int a; extern global int b __attribute__((alias("a")));', "'b' is an alias of a variable"),
    ],
)
def test_what_no_storage_can_be_made_of(context, source, reason) -> None:
    with pytest.raises(cl.RuntimeError, match="BUILD_PROGRAM_FAILURE") as failed:
        built(context, source + "kernel void k(global int *out) { out[0] = 1; }")
    assert reason in str(failed.value)


def test_modules_of_spirv_have_them(context, queue) -> None:
    program = cl.Program(context, assemble(SPIRV)).build()
    assert [read(program, queue)[0] for _ in range(2)] == [7, 9]
