"""Threads of a Python process that call OpenCL while the program waits for them with the GIL held.

`calls_with_gil.c` makes the calls. What a thread launches for the first time is prepared when it is free.
"""

from collections.abc import Callable
from pathlib import Path

import pytest

from weft.icd import toolchain

Python = Callable[..., str]
Calls = Callable[[str], str]

SESSION = """
import ctypes, os, sys, threading, time
import numpy as np, pyopencl as cl
platform = next(p for p in cl.get_platforms() if p.name == "Weft")
device = platform.get_devices()[0]
context = cl.Context([device])
queue = cl.CommandQueue(context, properties=cl.command_queue_properties.PROFILING_ENABLE)
program = cl.Program(context, '''
    __kernel void add(__global int *a, int n) { a[get_global_id(0)] += n; }
    __kernel void sums(__global int *a, __global int *b, __local int *scratch, __local int *more) {
        size_t l = get_local_id(0), g = get_global_id(0);
        scratch[l] = a[g];
        more[l] = 1;
        barrier(CLK_LOCAL_MEM_FENCE);
        int sum = 0;
        for (size_t i = 0; i < get_local_size(0); i++) sum += scratch[i] * more[i];
        b[g] = sum;
    }
    __kernel __attribute__((reqd_work_group_size(8, 1, 1))) void eight(__global int *a) {
        a[get_global_id(0)] = get_local_size(0);
    }
''').build()
path = next(line.split()[-1] for line in open("/proc/self/maps") if "libOpenCL" in line)
loader, library = ctypes.CDLL(path), ctypes.PyDLL(LIBRARY)
word = ctypes.c_uint64
class Call(ctypes.Structure):
    _fields_ = [("function", word), ("arguments", word * 9), ("indirect", word), ("from_result", word),
                ("result", ctypes.c_int64)]
kept, results = [], []
def at(thing):  # its address
    kept.append(thing)
    return thing.ctypes.data if isinstance(thing, np.ndarray) else ctypes.addressof(thing)
def sizes(*numbers):
    return at((word * len(numbers))(*numbers))
class value:  # an argument that the thread reads when it makes the call
    def __init__(self, place): self.place = place
class result:  # what another call of the same run returned
    def __init__(self, index): self.index = index
def function(name):
    return ctypes.cast(getattr(loader, name), ctypes.c_void_p).value
def extension(name):
    get = loader.clGetExtensionFunctionAddressForPlatform
    get.restype = ctypes.c_void_p
    return get(word(platform.int_ptr), name.encode())
def call(name, *arguments):
    made = Call(extension(name) if name.endswith(("INTEL", "KHR")) else function(name))
    for index, given in enumerate(arguments):
        if isinstance(given, value):
            made.indirect |= 1 << index
            given = given.place
        elif isinstance(given, result):
            made.from_result |= 1 << index
            given = given.index
        elif isinstance(given, (ctypes._SimpleCData, ctypes.Array, np.ndarray)):
            given = at(given)
        elif hasattr(given, "int_ptr"):
            given = given.int_ptr
        made.arguments[index] = (given or 0) % 2**64
    return made
def run(*calls):  # the codes that they returned; the thread has not waited for the lock
    listed = (Call * len(calls))(*calls)
    kept.append(listed)
    made = library.run(listed, len(calls))
    if made != len(calls):
        print("waits in call", made, flush=True)
        os._exit(1)
    results[:] = [c.result for c in listed]
    return [ctypes.c_int32(c.result).value for c in listed]
def new_event():
    return word()
def of(event):
    return cl.Event.from_int_ptr(event.value, retain=True)
def status(event):
    found = ctypes.c_int32(-1000)
    assert not loader.clGetEventInfo(event, 0x11D3, word(4), ctypes.byref(found), None)
    return found.value
def filled(array):
    return cl.Buffer(context, cl.mem_flags.COPY_HOST_PTR, hostbuf=array)
def read(buffer, count):
    host = np.empty(count, np.int32)
    cl.enqueue_copy(queue, host, buffer)
    return host
"""


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("calls") / "calls_with_gil.so"
    toolchain.compile_c([Path(__file__).parent / "calls_with_gil.c"], made)
    return made


@pytest.fixture
def calls(python: Python, library: Path) -> Calls:
    """Run a program that has what SESSION defines."""
    # Launches of optimized code are kept.
    start = f"import os\nos.environ['WEFT_TIERS'] = '0'\nLIBRARY = {str(library)!r}\n"
    return lambda text: python(start + SESSION + text)


def test_first_launch_of_a_kernel(calls: Calls) -> None:
    calls(
        """
add, buffer = cl.Kernel(program, "add"), filled(np.zeros(1000, np.int32))
first, second, marker, found = new_event(), new_event(), new_event(), np.full(3, -1000, np.int32)
codes = run(
    call("clSetKernelArg", add, 0, 8, word(buffer.int_ptr)),
    call("clSetKernelArg", add, 1, 4, np.int32([3])),
    call("clEnqueueNDRangeKernel", queue, add, 1, 0, sizes(1000), 0, 0, 0, first),
    call("clSetKernelArg", add, 1, 4, np.int32([40])),
    call("clEnqueueNDRangeKernel", queue, add, 1, sizes(10), sizes(20), sizes(10), 1, first, second),
    call("clEnqueueMarkerWithWaitList", queue, 1, second, marker),
    call("clSetKernelArg", add, 1, 4, np.int32([500])),
    call("clFlush", queue),
    *(
        call("clGetEventInfo", value(at(e)), 0x11D3, 4, found[i:], 0)
        for i, e in enumerate((first, second, marker))
    ),
)
assert codes == [0] * 11, codes
assert (found == 3).all(), found
of(marker).wait()
host = np.full(1000, 3)
host[10:30] += 40
assert (read(buffer, 1000) == host).all()
times = of(first).profile
assert times.queued <= times.submit <= times.start <= times.end
assert of(second).command_type == cl.command_type.NDRANGE_KERNEL
# Both have been prepared, and a third one with the same sizes needs Python no more.
codes = run(
    call("clEnqueueNDRangeKernel", queue, add, 1, 0, sizes(1000), 0, 0, 0, first),
    call("clFinish", queue),
)
assert codes == [0, 0] and status(first) == 0
assert (read(buffer, 1000) == host + 500).all()
"""
    )


def test_local_pointers(calls: Calls) -> None:
    calls(
        """
sums = cl.Kernel(program, "sums")
source, target = filled(np.arange(64, dtype=np.int32)), filled(np.zeros(64, np.int32))
def launch(local, scratch, more):
    event = new_event()
    codes = run(
        call("clSetKernelArg", sums, 0, 8, word(source.int_ptr)),
        call("clSetKernelArg", sums, 1, 8, word(target.int_ptr)),
        call("clSetKernelArg", sums, 2, scratch, 0),
        call("clSetKernelArg", sums, 3, more, 0),
        call("clEnqueueNDRangeKernel", queue, sums, 1, 0, sizes(64), sizes(local), 0, 0, event),
    )
    return codes, event
for local, scratch, more in (8, 32, 32), (16, 64, 64), (16, 4096, 64), (8, 32, 32), (64, 256, 256):
    codes, event = launch(local, scratch, more)
    assert codes == [0] * 5, codes
    of(event).wait()
    expected = np.arange(64).reshape(-1, local).sum(1).repeat(local)
    assert (read(target, 64) == expected).all(), (local, scratch)
    # and by Python, with what C has set
    cl.enqueue_fill_buffer(queue, target, np.int32(7), 0, 256)
    cl.enqueue_nd_range_kernel(queue, sums, (64,), (local,))
    assert (read(target, 64) == expected).all(), (local, scratch)
assert launch(8, 2**64 - 1, 2**64 - 1)[0] == [0, 0, 0, 0, -5]
assert launch(8, 1 << 40, 32)[0] == [0, 0, 0, 0, -5]
assert run(call("clSetKernelArg", sums, 2, 32, sizes(0))) == [-50]
assert sums.get_work_group_info(cl.kernel_work_group_info.LOCAL_MEM_SIZE, device) > 1 << 40
"""
    )


def test_errors_that_need_no_python(calls: Calls) -> None:
    calls(
        """
add, eight = cl.Kernel(program, "add"), cl.Kernel(program, "eight")
buffer = filled(np.zeros(1000, np.int32))
other = cl.Context([device])
foreign = cl.Buffer(other, 0, 64)
foreign_queue, foreign_event = cl.CommandQueue(other), cl.UserEvent(other)
n = np.int32([1])
def launch(kernel, dimensions=1, offset=0, size=sizes(64), local=0, count=0, events=0, on=queue):
    return call("clEnqueueNDRangeKernel", on, kernel, dimensions, offset, size, local, count, events, 0)
def tried(*calls):
    found = run(*calls)
    # Python finds the same.
    by_python = [ctypes.CFUNCTYPE(ctypes.c_int, *[word] * 9)(c.function)(*c.arguments) for c in calls]
    assert found == by_python, (found, by_python)
    return found
assert tried(launch(add), launch(eight), launch(0), launch(buffer)) == [-52, -52, -48, -48]
assert tried(launch(add, on=0), launch(add, on=buffer)) == [-36, -36]
assert tried(
    call("clSetKernelArg", 0, 0, 8, n),
    call("clSetKernelArg", queue, 0, 8, n),
    call("clSetKernelArg", add, 2, 4, n),
    call("clSetKernelArg", add, 1, 8, n),
    call("clSetKernelArg", add, 1, 4, 0),
    call("clSetKernelArg", add, 0, 4, word(buffer.int_ptr)),
    call("clSetKernelArg", add, 0, 8, word(queue.int_ptr)),
    call("clSetKernelArg", add, 0, 8, word(12345)),
    call("clSetKernelArg", add, 0, 8, word(foreign.int_ptr)),
    call("clSetKernelArgSVMPointer", add, 1, n),
    call("clSetKernelArgSVMPointer", add, 9, n),
    call("clSetKernelArgSVMPointer", 0, 0, n),
    call("clSetKernelExecInfo", add, 1, 4, n),
    call("clSetKernelExecInfo", add, 0x11B7, 8, n),
    call("clSetKernelExecInfo", add, 0x11B6, 4, n),
    call("clSetKernelExecInfo", 0, 0x11B7, 4, n),
) == [-48, -48, -49, -51, -50, -51, -38, -38, -34, -50, -49, -48, -30, -30, -30, -48]
assert tried(
    call("clSetKernelArg", add, 0, 8, 0),
    call("clSetKernelArg", add, 1, 4, n),
    call("clSetKernelArg", eight, 0, 8, word(buffer.int_ptr)),
    call("clSetKernelExecInfo", add, 0x11B7, 4, n),
    call("clSetKernelExecInfo", add, 0x11B6, 0, 0),
    call("clSetKernelArg", add, 0, 8, word(buffer.int_ptr)),
) == [0] * 6
big = 1 << 63
assert tried(
    launch(add, 0),
    launch(add, 4),
    launch(add, on=foreign_queue),
    launch(add, 1, sizes(2**64 - 63)),
    launch(add, 2, 0, sizes(big, 2)),
    launch(add, 3, 0, sizes(1 << 30, 1 << 30, 8)),
    launch(add, 1, 0, sizes(64), sizes(0)),
    launch(add, 1, 0, sizes(64), sizes(1 << 20)),
    launch(add, 2, 0, sizes(64, 64), sizes(4096, 4096)),
    launch(eight, 1, 0, sizes(64), sizes(16)),
    launch(eight, 2, 0, sizes(64, 2), sizes(8, 2)),
    launch(add, count=1),
    launch(add, events=sizes(1)),
    launch(add, count=1, events=sizes(0)),
    launch(add, count=1, events=sizes(queue.int_ptr)),
    launch(add, count=1, events=sizes(foreign_event.int_ptr)),
) == [-53, -53, -34, -56, -5, -5, -54, -55, -54, -54, -54, -57, -57, -57, -57, -34]
buffer.release()
assert tried(launch(add)) == [-52]
text = "__kernel __attribute__((reqd_work_group_size(8, 2, 1))) void rows() {}"
rows = cl.Kernel(cl.Program(context, text).build(["-cl-std=CL3.0"]), "rows")
assert tried(
    launch(rows, 1),
    launch(rows, 1, 0, sizes(64), sizes(8)),
    launch(rows, 2, 0, sizes(8, 3)),
    launch(rows, 2, 0, sizes(8, 2)),
) == [-54, -54, 0, 0]
queue.finish()
"""
    )


def test_launches_without_work_items(calls: Calls) -> None:
    calls(
        """
add, buffer = cl.Kernel(program, "add"), filled(np.zeros(8, np.int32))
add.set_args(buffer, np.int32(1))
never, first, second = cl.UserEvent(context), new_event(), new_event()
codes = run(
    call("clEnqueueNDRangeKernel", queue, add, 1, 0, 0, 0, 1, word(never.int_ptr), first),
    call("clEnqueueNDRangeKernel", queue, add, 2, 0, sizes(4, 0), 0, 0, 0, second),
)
assert codes == [0, 0] and status(first) > 0 and status(second) > 0  # they wait for the user event
never.set_status(0)
of(second).wait()
assert status(first) == 0 and not read(buffer, 8).any()
"""
    )


def test_kernel_and_queue_are_released_before_the_launch_is_prepared(calls: Calls) -> None:
    calls(
        """
buffer = filled(np.zeros(1000, np.int32))
events = [new_event() for _ in range(50)]
loader.clCreateCommandQueueWithProperties.restype = loader.clCreateKernel.restype = ctypes.c_void_p
for round in range(4):
    own = loader.clCreateCommandQueueWithProperties(word(context.int_ptr), word(device.int_ptr), None, None)
    kernel = loader.clCreateKernel(word(program.int_ptr), b"add", None)
    calls = [
        call("clSetKernelArg", kernel, 0, 8, word(buffer.int_ptr)),
        call("clSetKernelArg", kernel, 1, 4, np.int32([1])),
    ]
    calls += [
        call("clEnqueueNDRangeKernel", own, kernel, 1, 0, sizes(1000 - i), 0, 0, 0, event)
        for i, event in enumerate(events)
    ]
    calls += [call("clReleaseKernel", kernel), call("clReleaseCommandQueue", own)]
    assert not any(run(*calls))
    of(events[-1]).wait()
    assert all(status(event) == 0 for event in events)
    for event in events:
        loader.clReleaseEvent(event)
    assert read(buffer, 1000).tolist() == [min(50, 1000 - i) * (round + 1) for i in range(1000)]
deadline = time.monotonic() + 40
while loader.clRetainKernel(word(kernel)) != -48:  # it is deleted in the end
    assert not loader.clReleaseKernel(word(kernel)) and time.monotonic() < deadline
"""
    )


def test_buffer_is_released_before_the_launch_is_prepared(calls: Calls) -> None:
    calls(
        """
add, host, event = cl.Kernel(program, "add"), np.zeros(1000, np.int32), new_event()
shared = cl.Buffer(context, cl.mem_flags.USE_HOST_PTR, hostbuf=host)
codes = run(
    call("clSetKernelArg", add, 0, 8, word(shared.int_ptr)),
    call("clSetKernelArg", add, 1, 4, np.int32([6])),
    call("clEnqueueNDRangeKernel", queue, add, 1, 0, sizes(1000), 0, 0, 0, event),
    call("clReleaseMemObject", shared),
)
assert codes == [0] * 4
of(event).wait()
assert (host == 6).all()
assert run(call("clEnqueueNDRangeKernel", queue, add, 1, 0, sizes(1000), 0, 0, 0, 0)) == [-52]
os._exit(0)  # pyopencl would release the buffer again
"""
    )


def test_launch_that_cannot_be_prepared_ends_its_event(calls: Calls) -> None:
    said = calls(
        """
halves = device.create_sub_devices([cl.device_partition_property.EQUALLY, 1])
told = []
both = cl.Context(halves[:2])
text = "__kernel void one(__global int *a) { a[get_global_id(0)] = 1; }"
built = cl.Program(both, text).build(devices=halves[:1])
one, buffer, other = cl.Kernel(built, "one"), cl.Buffer(both, 0, 4000), cl.CommandQueue(both, halves[1])
event, marker, waits, called = new_event(), new_event(), new_event(), threading.Event()
codes = run(
    call("clSetKernelArg", one, 0, 8, word(buffer.int_ptr)),
    call("clEnqueueNDRangeKernel", other, one, 1, 0, sizes(1000), 0, 0, 0, event),
    call("clEnqueueMarkerWithWaitList", other, 1, event, waits),
    call("clEnqueueMarkerWithWaitList", other, 0, 0, marker),
)
assert codes == [0] * 4
def tell(status):
    told.append(status)
    called.set()
of(event).set_callback(cl.command_execution_status.COMPLETE, tell)
assert called.wait(40)
print(told, status(event))
of(marker).wait()
print(status(waits), status(marker))
"""
    )
    assert said == "[-45] -45\n-14 0\n"


def test_program_is_built_again_while_launches_of_released_kernels_wait(calls: Calls) -> None:
    calls(
        """
text = ctypes.c_char_p(b"__kernel void add(__global int *a, int n) { a[get_global_id(0)] += n; }")
loader.clCreateKernel.restype = loader.clCreateProgramWithSource.restype = ctypes.c_void_p
build = ctypes.PyDLL(path).clBuildProgram  # the lock is not free before the call
for round in range(5):
    made = loader.clCreateProgramWithSource(word(context.int_ptr), 1, ctypes.byref(text), None, None)
    assert not build(word(made), 0, None, b"", None, None)
    kernel, buffer = loader.clCreateKernel(word(made), b"add", None), filled(np.zeros(1000, np.int32))
    codes = run(
        call("clSetKernelArg", kernel, 0, 8, word(buffer.int_ptr)),
        call("clSetKernelArg", kernel, 1, 4, np.int32([1])),
        *(call("clEnqueueNDRangeKernel", queue, kernel, 1, 0, sizes(1000 - i), 0, 0, 0, 0) for i in range(5)),
        call("clReleaseKernel", kernel),
    )
    assert not any(codes) and not build(word(made), 0, None, b"-DX", None, None)
    assert (read(buffer, 1000)[:996] == 5).all()
    kernel = loader.clCreateKernel(word(made), b"add", None)
    assert build(word(made), 0, None, b"", None, None) == -59  # it is the client's
"""
    )


def test_callback_that_is_told_of_a_launch_builds_a_program(calls: Calls) -> None:
    said = calls(
        """
halves = device.create_sub_devices([cl.device_partition_property.EQUALLY, 1])
called, codes = threading.Event(), []
def tell(*_):
    if not codes:
        codes.append(None)  # the build tells of its own error
        codes[:] = [build(word(other.int_ptr), 0, None, b"", None, None)]
        called.set()
notify = ctypes.CFUNCTYPE(None, *[word] * 4)(tell)
loader.clCreateContext.restype = ctypes.c_void_p
listed = (word * 2)(*(half.int_ptr for half in halves[:2]))
both = cl.Context.from_int_ptr(loader.clCreateContext(None, 2, listed, notify, None, None), retain=False)
build = ctypes.PyDLL(path).clBuildProgram
text = "__kernel void one(__global int *a) { a[get_global_id(0)] = 1; }"
built, other = cl.Program(both, text).build(devices=halves[:1]), cl.Program(both, text + " ").build()
one, kernel = cl.Kernel(built, "one"), cl.Kernel(other, "one")
buffer, queue = cl.Buffer(both, 0, 4000), cl.CommandQueue(both, halves[1])
assert run(
    call("clSetKernelArg", one, 0, 8, word(buffer.int_ptr)),
    call("clEnqueueNDRangeKernel", queue, one, 1, 0, sizes(1000), 0, 0, 0, 0),
    call("clEnqueueNDRangeKernel", queue, one, 1, 0, sizes(999), 0, 0, 0, 0),
) == [0] * 3
assert called.wait(40)
try:
    queue.finish()
except cl.Error as error:
    print(cl.status_code.to_string(error.code), codes)
"""
    )
    # The program has a kernel, which is not one that waits for its launches.
    assert said == "OUT_OF_RESOURCES [-59]\n"


def test_callbacks_do_not_wait_for_launches_to_be_prepared(calls: Calls) -> None:
    calls(
        """
from weft.api import deferred
loader.clCreateKernel.restype = ctypes.c_void_p
kernel, called = loader.clCreateKernel(word(program.int_ptr), b"add", None), threading.Event()
with deferred._preparing:  # as a thread that has a kernel compiled
    assert run(call("clReleaseKernel", kernel)) == [0]
    time.sleep(0.1)  # the thread of notifications deletes it
    cl.enqueue_marker(queue).set_callback(cl.command_execution_status.COMPLETE, lambda status: called.set())
    assert called.wait(40)
os._exit(0)  # pyopencl's callback may not have returned, and aborts in an interpreter that shuts down
"""
    )


def test_program_with_a_subinterpreter(calls: Calls) -> None:
    calls(
        """
try:
    import _interpreters as interpreters
except ImportError:
    import _xxsubinterpreters as interpreters
interpreters.create()
# Python's check whether a thread has the lock is true for all threads from here on.
add, buffer = cl.Kernel(program, "add"), filled(np.zeros(1000, np.int32))
def work():
    own = cl.CommandQueue(context)
    for _ in range(20):
        read(buffer, 10)
        own.finish()
threads = [threading.Thread(target=work) for _ in range(3)]
for thread in threads: thread.start()
for thread in threads: thread.join()
event = new_event()
codes = run(
    call("clSetKernelArg", add, 0, 8, word(buffer.int_ptr)),
    call("clSetKernelArg", add, 1, 4, np.int32([3])),
    call("clEnqueueNDRangeKernel", queue, add, 1, 0, sizes(1000), 0, 0, 0, event),
)
assert codes == [0] * 3
of(event).wait()
queue.finish()
assert (read(buffer, 1000) == 3).all()
"""
    )


def test_waits_with_the_lock_give_it_up(calls: Calls) -> None:
    calls(
        """
add, buffer = cl.Kernel(program, "add"), filled(np.zeros(1000, np.int32))
waits = ctypes.PyDLL(path)
event = new_event()
codes = run(
    call("clSetKernelArg", add, 0, 8, word(buffer.int_ptr)),
    call("clSetKernelArg", add, 1, 4, np.int32([1])),
    call("clEnqueueNDRangeKernel", queue, add, 1, 0, sizes(1000), 0, 0, 0, event),
)
assert not any(codes) and not waits.clWaitForEvents(1, ctypes.byref(event))
assert not any(run(call("clEnqueueNDRangeKernel", queue, add, 1, 0, sizes(500), 0, 0, 0, event)))
assert not waits.clFinish(word(queue.int_ptr)) and status(event) == 0
assert (read(buffer, 1000) == [2] * 500 + [1] * 500).all()
"""
    )


def test_fork_and_exit_with_launches_that_are_not_prepared(calls: Calls) -> None:
    calls(
        """
add, buffer = cl.Kernel(program, "add"), filled(np.zeros(1000, np.int32))
events = [new_event() for _ in range(20)]
def enqueue():
    calls = [
        call("clSetKernelArg", add, 0, 8, word(buffer.int_ptr)),
        call("clSetKernelArg", add, 1, 4, np.int32([1])),
    ]
    for i, event in enumerate(events):
        calls.append(call("clEnqueueNDRangeKernel", queue, add, 1, 0, sizes(1000 - i), 0, 0, 0, event))
    assert not any(run(*calls))
enqueue()
child = os.fork()
if not child:
    assert all(status(event) in (0, -5) for event in events)
    own = filled(np.zeros(1000, np.int32))
    add.set_args(own, np.int32(1))
    run(call("clEnqueueNDRangeKernel", queue, add, 1, 0, sizes(999), sizes(333), 0, 0, events[0]))
    of(events[0]).wait()
    os._exit(7 if (read(own, 1000)[:999] == 1).all() else 8)
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
of(events[-1]).wait()
assert read(buffer, 1000)[:900].tolist() == [20] * 900
for i in range(30):
    add = cl.Kernel(program, "add")
    enqueue()
"""
    )


def test_many_threads_enqueue_while_python_works(calls: Calls) -> None:
    calls(
        """
buffers = [filled(np.zeros(1000, np.int32)) for _ in range(8)]
def work(buffer):
    own, add = cl.CommandQueue(context), cl.Kernel(program, "add")
    for i in range(60):
        event = new_event()
        listed = (Call * 4)(
            call("clSetKernelArg", add, 0, 8, word(buffer.int_ptr)),
            call("clSetKernelArg", add, 1, 4, np.int32([i])),
            call("clEnqueueNDRangeKernel", own, add, 1, 0, sizes(1000 - i % 7), 0, 0, 0, event),
            call("clReleaseEvent", value(at(event))),
        )
        for made in listed:
            code = ctypes.CFUNCTYPE(ctypes.c_int, *[word] * 9)(made.function)(
                *(ctypes.cast(a, ctypes.POINTER(word))[0] if made.indirect >> n & 1 else a
                  for n, a in enumerate(made.arguments)))
            assert not code
    own.finish()
threads = [threading.Thread(target=work, args=[buffer]) for buffer in buffers]
for thread in threads: thread.start()
for thread in threads: thread.join()
for buffer in buffers:
    assert read(buffer, 1000)[0] == sum(range(60)), read(buffer, 1000)[:5]
"""
    )


def test_queries(calls: Calls) -> None:
    calls(
        """
add, eight, sums = (cl.Kernel(program, name) for name in ("add", "eight", "sums"))
assert not loader.clSetKernelArg(word(sums.int_ptr), 2, word(1000), None)
def query(name, *first, room=4096, known=True):
    place, length = np.full(4096, 255, np.uint8), np.zeros(1, np.uint64)
    return call(name, *first, room if known else 0, place if known else 0, length), place, length
asked = []
for name, handle, params in (
    ("clGetDeviceInfo", device.int_ptr, [*range(0x1000, 0x1080), *range(0x4190, 0x41A0), 1]),
    ("clGetContextInfo", context.int_ptr, range(0x1080, 0x1086)),
    ("clGetCommandQueueInfo", queue.int_ptr, range(0x1090, 0x1099)),
    ("clGetKernelInfo", add.int_ptr, range(0x1190, 0x1197)),
    ("clGetKernelInfo", eight.int_ptr, range(0x1190, 0x1197)),
):
    for param in params:
        asked += [query(name, handle, param), query(name, handle, param, room=3)]
        asked += [query(name, handle, param, known=False), query(name, 0, param)]
        asked += [query(name, program.int_ptr, param)]
for kernel in add, eight, sums:
    for on in device.int_ptr, 0, queue.int_ptr, 77:
        for param in [*range(0x11B0, 0x11B6), 0x4109]:
            asked += [query("clGetKernelWorkGroupInfo", kernel, on, param)]
            asked += [query("clGetKernelWorkGroupInfo", kernel, on, param, room=7)]
        for param in 0x2033, 0x2034, 0x11B8, 0x11B9, 0x11BA, 0x410A, 0x1000:
            about = "clGetKernelSubGroupInfo", kernel, on, param
            large = (2**63, 4), (2**63, 4, 0), (1 << 40,)
            for given in (), (64,), (8, 3), (1, 2, 3), (1, 2, 3, 4), (0,), (1,), *large:
                for room in 0, 8, 16, 24, 32:
                    asked += [query(*about, len(given) * 8, sizes(*given), room=room)]
            asked += [query(*about, 7, sizes(1)), query(*about, 0, 0, known=False)]
asked = [a for a in asked if a[0].arguments[1] != 0x104E]  # SPIR-V is not loaded
codes = run(*(made for made, *_ in asked))
python = ctypes.PYFUNCTYPE(ctypes.c_int, *[word] * 9)
good = 0
for code, (made, place, length) in zip(codes, asked):
    before, size = place.copy(), length.copy()
    place[:] = 255
    length[:] = 0
    expected = python(made.function)(*made.arguments)
    assert code == expected and (place == before).all() and length == size, (*made.arguments, code, expected)
    good += not code
assert good > 600, good
"""
    )


def test_queries_of_a_sub_device_that_has_the_handle_of_another(calls: Calls) -> None:
    calls(
        """
def halves():
    made = device.create_sub_devices([cl.device_partition_property.EQUALLY, 1])
    for half in made:  # pyopencl retains what it has just made
        assert not loader.clReleaseDevice(word(half.int_ptr))
    return made
before = halves()
known = {half.int_ptr for half in before}
cl.Context(before)  # results of queries are kept with it
del before
for _ in range(10000):  # a handle is used again after thousands of others
    found = halves()
    if known & {half.int_ptr for half in found}:
        break
else:
    assert False, "no handle is used again"
again = next(half for half in found if half.int_ptr in known)
both, units = cl.Context(found), np.zeros(1, np.uint32)
assert run(call("clGetDeviceInfo", again, 0x1002, 4, units, 0)) == [0] and units == 1
"""
    )


def test_shared_memory(calls: Calls) -> None:
    calls(
        """
HOST, DEVICE, SHARED = "clHostMemAllocINTEL", "clDeviceMemAllocINTEL", "clSharedMemAllocINTEL"
code = np.full(1, 77, np.int32)
def allocated(name, *arguments):  # address and code
    code[:] = 77
    made = call(name, *arguments, code)
    listed = (Call * 1)(made)
    kept.append(listed)
    if library.run(listed, 1) != 1:
        print("waits in", name, flush=True)
        os._exit(1)
    return listed[0].result, int(code[0])
def by_python(name, *arguments):
    made = call(name, *arguments, code)
    address = ctypes.PYFUNCTYPE(word, *[word] * 9)(made.function)(*made.arguments)
    return address, int(code[0])
def told(pointer, param, size=8):
    place, length = np.zeros(1, np.uint64), np.zeros(1, np.uint64)
    asked = call("clGetMemAllocInfoINTEL", context, pointer, param, size, place, length)
    found = run(asked)[0], int(place[0]), int(length[0])
    place[:], length[:] = 0, 0
    python = ctypes.PYFUNCTYPE(ctypes.c_int32, *[word] * 9)(asked.function)(*asked.arguments)
    assert found == (python, place[0], length[0])
    return found
flags = lambda *values: sizes(*values, 0)
add, events = cl.Kernel(program, "add"), [new_event(), new_event()]
for name, kind, given in (
    (HOST, 0x4197, ()), (DEVICE, 0x4198, (device,)), (SHARED, 0x4199, (device,)), (SHARED, 0x4199, (0,)),
):
    pointer, code_found = allocated(name, context, *given, flags(0x4195, 1), 4000, 64)
    assert code_found == 0 and pointer and pointer % 128 == 0
    assert told(pointer, 0x419A) == (0, kind, 4) and told(pointer + 3999, 0x419B) == (0, pointer, 8)
    assert told(pointer + 5, 0x419C) == (0, 4000, 8) and told(pointer + 4000, 0x419A) == (0, 0x4196, 4)
    assert told(pointer, 0x419D) == (0, device.int_ptr if given and given[0] else 0, 8)
    assert told(pointer, 0x4195) == (0, 1, 8)
    assert told(pointer, 0x419E)[0] == told(pointer, 0x4195, 4)[0] == -30
    codes = run(
        call("clEnqueueMemFillINTEL", queue, pointer, np.int32([5]), 4, 4000, 0, 0, 0),
        call("clSetKernelArgMemPointerINTEL", add, 0, pointer),
        call("clSetKernelArg", add, 1, 4, np.int32([3])),
        call("clEnqueueNDRangeKernel", queue, add, 1, 0, sizes(1000), 0, 0, 0, events[0]),
        call("clMemFreeINTEL" if given else "clMemBlockingFreeINTEL", context, pointer),
    )
    assert codes == [0] * 5, codes
    of(events[0]).wait()
# Hints are commands too.
pointer = allocated(SHARED, context, device, 0, 64, 0)[0]
hints = [
    call("clEnqueueMigrateMemINTEL", queue, pointer, 64, 3, 0, 0, events[0]),
    call("clEnqueueMemAdviseINTEL", queue, pointer, 64, 0, 1, events[0], events[1]),
    call("clEnqueueMigrateMemINTEL", queue, pointer, 64, 4, 0, 0, 0),
    call("clEnqueueMemAdviseINTEL", queue, pointer, 64, 1, 0, 0, 0),
    call("clEnqueueMigrateMemINTEL", context, pointer, 64, 0, 0, 0, 0),
    call("clEnqueueMemAdviseINTEL", queue, pointer, 64, 0, 1, 0, 0),
]
assert run(*hints) == [0, 0, -30, -30, -36, -57]
of(events[1]).wait()
assert [of(event).command_type for event in events] == [0x4206, 0x4207] and status(events[0]) == 0
python = ctypes.PYFUNCTYPE(ctypes.c_int, *[word] * 9)
assert [python(hint.function)(*hint.arguments) for hint in hints[2:]] == [-30, -30, -36, -57]
# Freed by Python what C allocated, and the other way round; and what is not there any more is not freed.
free = ctypes.PYFUNCTYPE(ctypes.c_int, word, word)(extension("clMemFreeINTEL"))
pointer = allocated(SHARED, context, device, 0, 64, 0)[0]
array = (ctypes.c_int * 16).from_address(pointer)
array[:] = range(16)
assert sum(array) == 120 and free(context.int_ptr, pointer) == 0
deadline = time.monotonic() + 40
assert free(context.int_ptr, pointer) == -30 and told(pointer, 0x419A)[1] == 0x4196
pointer = by_python(SHARED, context, device, 0, 64, 0)[0]
assert told(pointer, 0x419C)[1] == 64 and run(call("clMemFreeINTEL", context, pointer)) == [0]
kind = np.zeros(1, np.uint32)
while kind[0] != 0x4196:
    assert run(call("clGetMemAllocInfoINTEL", context, pointer, 0x419A, 4, kind, 0)) == [0]
    assert time.monotonic() < deadline
# Errors are those of Python.
for name, *arguments in (
    (HOST, 0, 0, 64, 0), (HOST, queue, 0, 64, 0), (HOST, context, 0, 0, 0), (HOST, context, 0, 2**62, 0),
    (HOST, context, 0, 64, 3), (HOST, context, 0, 64, 256), (HOST, context, flags(0x4195, 2), 64, 0),
    (HOST, context, flags(1, 2), 64, 0), (HOST, context, flags(0x4195, 1, 0x4195, 1), 64, 0),
    (SHARED, context, device, flags(0x4195, 6), 64, 0), (SHARED, context, queue, 0, 64, 0),
    (DEVICE, context, 0, 0, 64, 0), (DEVICE, context, 55, 0, 64, 0), (DEVICE, context, device, 0, 2**62, 0),
):
    found = allocated(name, *arguments)
    assert found[0] == 0 and found == by_python(name, *arguments), (name, arguments, found)
# An allocation keeps its context.
loader.clCreateContext.restype = ctypes.c_void_p
own = loader.clCreateContext(None, 1, ctypes.byref(word(device.int_ptr)), None, None, None)
pointer = allocated(DEVICE, own, device, 0, 64, 0)[0]
assert run(call("clReleaseContext", own)) == [0]
count = lambda: run(call("clGetContextInfo", own, 0x1080, 4, np.zeros(1, np.uint64), 0))[0]
time.sleep(0.1)
assert count() == 0 and free(own, pointer) == 0
while count() != -34: assert time.monotonic() < deadline
"""
    )


def test_memory_is_collected_while_a_launch_is_prepared(calls: Calls) -> None:
    calls(
        """
import gc
from weft.api import deferred
shared = ctypes.PYFUNCTYPE(word, *[word] * 6)(extension("clSharedMemAllocINTEL"))
free = ctypes.PYFUNCTYPE(ctypes.c_int, word, word)(extension("clMemBlockingFreeINTEL"))
class Holder:
    def __init__(self):
        self.itself = self
        self.memory = shared(context.int_ptr, device.int_ptr, 0, 64, 0, 0)
    def __del__(self):
        freed.append((threading.current_thread().name, free(context.int_ptr, self.memory)))
freed, prepared = [], deferred._prepared
def collect_and_prepare(found):
    gc.collect()
    return prepared(found)
deferred._prepared = collect_and_prepare
gc.disable()
timer = threading.Timer(30, os._exit, [1])  # the thread would wait for its own launch
timer.daemon = True
timer.start()
add, buffer, event = cl.Kernel(program, "add"), filled(np.zeros(1000, np.int32)), new_event()
add.set_args(buffer, np.int32(3))
Holder()
assert not any(run(call("clEnqueueNDRangeKernel", queue, add, 1, 0, sizes(1000), 0, 0, 0, event)))
of(event).wait()
assert len(freed) == 1 and freed[0][1] == 0 and freed[0][0] != "MainThread", freed
assert (read(buffer, 1000) == 3).all()
"""
    )
