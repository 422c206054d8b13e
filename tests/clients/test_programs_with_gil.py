"""First uses of kernels by threads while the program waits for them with the GIL held.

Another process builds the programs (`hot_elsewhere.c`); Python adopts the objects later.
"""

import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from test_calls_with_gil import SESSION, library  # noqa: F401

sys.path.append(str(Path(__file__).parent.parent / "spirv"))
from assembler import assemble

Python = Callable[..., str]
Calls = Callable[..., str]

ADD = """
OpCapability Kernel
OpCapability Addresses
OpCapability Int64
OpMemoryModel Physical64 OpenCL
OpEntryPoint Kernel %k "add" %id
OpEntryPoint Kernel %nothing "nothing"
OpDecorate %count SpecId 7
OpDecorate %wide SpecId 9
OpDecorate %chosen SpecId 3
OpDecorate %id BuiltIn GlobalInvocationId
%void = OpTypeVoid
%bool = OpTypeBool
%uint = OpTypeInt 32 0
%ulong = OpTypeInt 64 0
%three = OpTypeVector %ulong 3
%ids = OpTypePointer Input %three
%pointer = OpTypePointer CrossWorkgroup %uint
%type = OpTypeFunction %void %pointer %uint
%empty = OpTypeFunction %void
%count = OpSpecConstant %uint 5
%wide = OpSpecConstant %ulong 1L
%chosen = OpSpecConstantTrue %bool
%id = OpVariable %ids Input
%k = OpFunction %void None %type
%a = OpFunctionParameter %pointer
%n = OpFunctionParameter %uint
%entry = OpLabel
%all = OpLoad %three %id
%i = OpCompositeExtract %ulong %all 0
%place = OpInBoundsPtrAccessChain %pointer %a %i
%old = OpLoad %uint %place
%more = OpIMul %uint %n %count
%new = OpIAdd %uint %old %more
OpStore %place %new
OpReturn
OpFunctionEnd
%nothing = OpFunction %void None %empty
%start = OpLabel
OpReturn
OpFunctionEnd
"""
# The operand of OpIMul is not defined.
BROKEN = ADD.replace("%more = OpIMul %uint %n %count", "%more = OpIMul %uint %n %missing")

MORE = """
from weft.api import handles
codes = [np.full(1, 77, np.int32) for _ in range(8)]
def program_calls(module, options=b"", places=()):  # the first one's result is the program
    kept.append((module, options))
    return [
        call("clCreateProgramWithIL", context, address_of(module), len(module), codes[0]),
        *(call("clSetProgramSpecializationConstant", result(0), *place) for place in places),
        call("clBuildProgram", result(0), 0, 0, address_of(options), 0, 0),
    ]
def address_of(data):
    return ctypes.cast(ctypes.c_char_p(data), ctypes.c_void_p).value
def is_adopted(handle):
    return handle in handles.live
def text_of(name, *about):
    place, length = np.zeros(4096, np.uint8), np.zeros(1, np.uint64)
    assert run(call(name, *about, 4096, place, length)) == [0]
    return bytes(place[: int(length[0])])
def every_query(program, kernels=()):  # their codes and results, by the thread and by Python
    asked = []
    def ask(name, *about):
        place, length = np.full(512, 255, np.uint8), np.zeros(1, np.uint64)
        asked.append((call(name, *about, 512, place, length), place, length))
    for param in 0x1160, 0x1161, 0x1162, 0x1163, 0x1167, 0x1168, 0x116A, 0x116B:
        ask("clGetProgramInfo", program, param)
    for on in device, 0, queue:
        for param in range(0x1180, 0x1187):
            ask("clGetProgramBuildInfo", program, on, param)
    for kernel in kernels:
        for param in range(0x1190, 0x1197):
            ask("clGetKernelInfo", kernel, param)
        for param in [*range(0x11B0, 0x11B6), 0x4109]:
            ask("clGetKernelWorkGroupInfo", kernel, device, param)
        for param in 0x11B9, 0x11BA:
            ask("clGetKernelSubGroupInfo", kernel, device, param, 0, 0)
    native = run(*(made for made, *_ in asked))
    native = [(code, place.tobytes(), int(length[0])) for code, (_, place, length) in zip(native, asked)]
    found = []
    for made, place, length in asked:
        place[:], length[:] = 255, 0
        code = ctypes.PYFUNCTYPE(ctypes.c_int, *[word] * 9)(made.function)(*made.arguments)
        found.append((code, place.tobytes(), int(length[0])))
    for made, one, other in zip(asked, native, found):
        assert one == other, (hex(made[0].arguments[1]), hex(made[0].arguments[2]), one, other)
    return [code for code, *_ in found]
"""


@pytest.fixture
def calls(python: Python, library: Path) -> Calls:  # noqa: F811
    """Run a program that has what SESSION and MORE define, and the modules."""
    start = f"import os\nLIBRARY = {str(library)!r}\nADD = {assemble(ADD)!r}\nBROKEN = {assemble(BROKEN)!r}\n"
    return lambda text, before="": python(start + before + SESSION + MORE + text)


def test_first_use_of_a_kernel(calls: Calls) -> None:
    calls(
        """
buffer, event = filled(np.zeros(1000, np.int32)), new_event()
found = run(
    *program_calls(ADD),
    call("clCreateKernel", result(0), address_of(b"add"), codes[1]),
    call("clRetainKernel", result(2)),
    call("clSetKernelExecInfo", result(2), 0x11B7, 4, np.int32([1])),
    call("clSetKernelArg", result(2), 0, 8, word(buffer.int_ptr)),
    call("clSetKernelArg", result(2), 1, 4, np.int32([3])),
    call("clEnqueueNDRangeKernel", queue, result(2), 1, 0, sizes(1000), 0, 0, 0, event),
    call("clCreateKernel", result(0), address_of(b"nothing"), codes[2]),
    call("clCreateKernel", result(0), address_of(b"absent"), codes[3]),
    call("clCreateKernel", result(0), 0, codes[4]),
    call("clBuildProgram", 0, 0, 0, 0, 0, 0),
)
program, kernel, nothing = (results[i] for i in (0, 2, 8))
assert found[1] == 0 and found[3:8] == [0] * 5 and found[9:] == [0, 0, -44], found
assert [int(c[0]) for c in codes[:5]] == [0, 0, 0, -46, -30]
assert not is_adopted(nothing)
of(event).wait()
assert (read(buffer, 1000) == 15).all()
assert not is_adopted(program) and not is_adopted(kernel)  # another process prepared the launch too
codes_of_queries = every_query(program, [kernel, nothing])
assert codes_of_queries.count(0) > 40
# Python goes on with what C has set.
kernel = cl.Kernel.from_int_ptr(kernel)
kernel.set_arg(1, np.int32(1))
cl.enqueue_nd_range_kernel(queue, kernel, (500,), None)
assert (read(buffer, 1000) == [20] * 500 + [15] * 500).all()
assert kernel.reference_count == 3 and kernel.function_name == "add"
assert not loader.clRetainKernel(word(nothing)) and not loader.clReleaseKernel(word(nothing))
assert ctypes.PyDLL(path).clBuildProgram(word(program), 0, None, b"", None, None) == -59  # it has kernels
# So does the thread, without another process.
again = run(
    call("clSetKernelArg", kernel, 1, 4, np.int32([2])),
    call("clEnqueueNDRangeKernel", queue, kernel, 1, 0, sizes(1000), 0, 0, 0, event),
    call("clReleaseKernel", kernel),
)
of(event).wait()
assert again == [0, 0, 0] and (read(buffer, 1000) == [30] * 500 + [25] * 500).all()
"""
    )


def test_invalid_programs(calls: Calls) -> None:
    calls(
        """
short, other = ADD[:-1], b"\\x03\\x02\\x23\\x07" + bytes(16)
long = ADD[:-2] + b"\\2\\0"  # the last instruction exceeds the module
found = run(
    *program_calls(BROKEN, b"-cl-fast-relaxed-math"),
    call("clCreateKernel", result(0), address_of(b"add"), codes[1]),
    *(call("clCreateProgramWithIL", on, address_of(data), size, code) for on, data, size, code in (
        (context, short, len(short), codes[2]), (context, other, 20, codes[3]), (0, ADD, len(ADD), codes[4]),
        (context, ADD, 0, codes[5]), (queue, ADD, len(ADD), codes[6]), (context, long, len(long), codes[7]),
    )),
)
assert found[1] == -11 and int(codes[0][0]) == 0 and int(codes[1][0]) == -45, found
assert [int(code[0]) for code in codes[2:]] == [-30, -30, -34, -30, -34, -30]
program = results[0]
log = text_of("clGetProgramBuildInfo", program, device, 0x1183)
assert b"error" in log and not is_adopted(program), log
assert text_of("clGetProgramBuildInfo", program, device, 0x1182) == b"-cl-fast-relaxed-math\\0"
every_query(program)
assert is_adopted(program)
assert text_of("clGetProgramBuildInfo", program, device, 0x1183) == log  # Python found the same
assert ctypes.PyDLL(path).clBuildProgram(word(program), 0, None, b"", None, None) == -11
assert run(call("clReleaseProgram", program)) == [0]
"""
    )


def test_specialization_constants(calls: Calls) -> None:
    calls(
        """
buffer, event = filled(np.zeros(1000, np.int32)), new_event()
places = [(7, 4, np.int32([11])), (8, 4, np.int32([1])), (7, 8, np.int64([1])), (7, 4, 0),
          (7, 0, np.int32([1])), (9, 8, np.int64([1])), (9, 4, np.int64([1])), (3, 1, np.int8([1])),
          (3, 4, np.int32([1])), (7, 4, np.int32([2]))]
found = run(
    *program_calls(ADD, b"", places),
    call("clCreateKernel", result(0), address_of(b"add"), codes[1]),
    call("clSetKernelArg", result(12), 0, 8, word(buffer.int_ptr)),
    call("clSetKernelArg", result(12), 1, 4, np.int32([3])),
    call("clEnqueueNDRangeKernel", queue, result(12), 1, 0, sizes(1000), 0, 0, 0, event),
)
assert found[1:12] == [0, -71, -30, -30, -30, 0, -30, 0, -30, 0, 0] and not any(found[13:]), found
of(event).wait()
assert (read(buffer, 1000) == 6).all()
# Python finds the same.
twin = cl.Program(context, ADD)
python = ctypes.PYFUNCTYPE(ctypes.c_int, *[word] * 9)
for (id, size, data), code in zip(places, found[1:]):
    made = call("clSetProgramSpecializationConstant", twin, id, size, data)
    assert python(made.function)(*made.arguments) == code, (id, size)
# A constant that Python has set counts for a build by the thread, and the other way round.
made = call("clSetProgramSpecializationConstant", twin, 7, 4, np.int32([9]))
assert python(made.function)(*made.arguments) == 0
assert run(call("clSetProgramSpecializationConstant", twin, 9, 8, np.int64([1]))) == [0]
assert run(call("clBuildProgram", twin, 0, 0, 0, 0, 0)) == [0]
made = call("clSetProgramSpecializationConstant", twin, 7, 4, np.int32([100]))  # for the next build
assert python(made.function)(*made.arguments) == 0
kernel = cl.Kernel(twin, "add")
kernel(queue, (1000,), None, buffer, np.int32(1))
assert (read(buffer, 1000) == 15).all()
"""
    )


def test_objects_are_released_before_python_adopts_them(calls: Calls) -> None:
    calls(
        """
loader.clCreateContext.restype = ctypes.c_void_p
own = loader.clCreateContext(None, 1, ctypes.byref(word(device.int_ptr)), None, None, None)
found = run(
    call("clCreateProgramWithIL", own, address_of(ADD), len(ADD), codes[0]),
    call("clReleaseContext", own),
    call("clBuildProgram", result(0), 1, word(device.int_ptr), address_of(b""), 0, 0),
    *(call("clCreateKernel", result(0), address_of(b"add"), codes[1]) for _ in range(100)),
    call("clReleaseProgram", result(0)),
    call("clGetProgramInfo", result(0), 0x1160, 4, np.zeros(1, np.uint32), 0),  # kernels keep it
    *(call("clReleaseKernel", result(3 + i)) for i in range(100)),
    call("clGetProgramInfo", result(0), 0x1160, 4, np.zeros(1, np.uint32), 0),
    call("clReleaseKernel", result(3)),
    call("clReleaseProgram", result(0)),
    call("clBuildProgram", result(0), 0, 0, 0, 0, 0),
    call("clCreateKernel", result(0), address_of(b"add"), codes[2]),
)
assert found[1:3] == [0, 0] and found[103:205] == [0] * 102, found
assert found[205:209] == [-44, -48, -44, -44] and int(codes[2][0]) == -44
assert not any(is_adopted(results[i]) for i in range(103) if i not in (1, 2))
deadline = time.monotonic() + 40
while loader.clRetainContext(word(own)) != -34:  # it is deleted with them
    assert not loader.clReleaseContext(word(own)) and time.monotonic() < deadline
"""
    )


def test_kernel_of_a_program_that_python_built(calls: Calls) -> None:
    calls(
        """
program = cl.Program(context, ADD).build("-cl-mad-enable")
buffer, event = filled(np.zeros(1000, np.int32)), new_event()
found = run(
    call("clCreateKernel", program, address_of(b"add"), codes[0]),
    call("clCreateKernel", program, address_of(b"absent"), codes[1]),
    call("clSetKernelArg", result(0), 0, 8, word(buffer.int_ptr)),
    call("clSetKernelArg", result(0), 1, 4, np.int32([3])),
    call("clEnqueueNDRangeKernel", queue, result(0), 1, 0, sizes(1000), 0, 0, 0, event),
    call("clReleaseKernel", result(0)),
)
assert found[2:] == [0] * 4 and int(codes[1][0]) == -46
of(event).wait()
assert (read(buffer, 1000) == 15).all()
every_query(program.int_ptr)
deadline = time.monotonic() + 40
while loader.clRetainKernel(word(results[0])) != -48:
    assert not loader.clReleaseKernel(word(results[0])) and time.monotonic() < deadline
program.build("")  # it has no kernels any more
"""
    )


def test_python_works_while_a_thread_builds(calls: Calls) -> None:
    calls(
        """
library, done = ctypes.CDLL(LIBRARY), threading.Event()  # the lock is free
def work():
    while not done.is_set():
        filled(np.zeros(10, np.int32))
others = [threading.Thread(target=work) for _ in range(2)]
for thread in others: thread.start()
found = run(
    *program_calls(ADD),
    call("clCreateKernel", result(0), address_of(b"add"), codes[1]),
    call("clCreateKernel", result(0), address_of(b"absent"), codes[2]),
)
done.set()
for thread in others: thread.join()
assert found[1] == 0 and [int(c[0]) for c in codes[:3]] == [0, 0, -46]
library = ctypes.PyDLL(LIBRARY)
every_query(results[0], [results[2]])
"""
    )


def test_process_that_cannot_build_is_made_up_for(calls: Calls) -> None:
    calls(
        """
os.environ["WEFT_DEVICES"] = "unknown"  # this process has its devices, and another one gets none
listed = (Call * 2)(*program_calls(ADD))
assert library.start(listed, 2, 1500) == 1  # it waits for the lock
deadline = time.monotonic() + 40
while library.made_by_now() != 2: assert time.monotonic() < deadline; time.sleep(0.01)
assert listed[1].result == 0 and is_adopted(listed[0].result)
every_query(listed[0].result)
"""
    )


def test_fork_and_exit_with_objects_that_python_has_not_met(calls: Calls) -> None:
    calls(
        """
found = run(*program_calls(ADD), call("clCreateKernel", result(0), address_of(b"add"), codes[1]))
program, kernel = results[0], results[2]
child = os.fork()
if not child:
    buffer = filled(np.zeros(1000, np.int32))
    cl.Kernel.from_int_ptr(kernel)(cl.CommandQueue(context), (1000,), None, buffer, np.int32(1)).wait()
    assert not loader.clRetainProgram(word(program))
    os._exit(7 if (read(buffer, 1000) == 5).all() else 8)
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
assert not is_adopted(program) and not is_adopted(kernel)
late = cl.Program(context, ADD).build()
"""
    )


def test_without_a_cache(calls: Calls) -> None:
    calls(
        """
buffer, event = filled(np.zeros(1000, np.int32)), new_event()
found = run(
    *program_calls(ADD),
    call("clCreateKernel", result(0), address_of(b"add"), codes[1]),
    call("clSetKernelArg", result(2), 0, 8, word(buffer.int_ptr)),
    call("clSetKernelArg", result(2), 1, 4, np.int32([3])),
    call("clEnqueueNDRangeKernel", queue, result(2), 1, 0, sizes(1000), 0, 0, 0, event),
    call("clReleaseKernel", result(2)),
    call("clReleaseProgram", result(0)),
)
assert found[1] == 0 and found[3:] == [0] * 5
of(event).wait()
assert (read(buffer, 1000) == 15).all()
""",
        "os.environ['WEFT_CACHE'] = '0'\n",
    )
