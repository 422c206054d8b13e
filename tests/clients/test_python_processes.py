"""pyopencl in processes of their own: first calls, fork, and the end of the interpreter."""

from collections.abc import Callable
from pathlib import Path

from weft.icd import toolchain

Python = Callable[..., str]

SESSION = """
import numpy as np, pyopencl as cl
def session():
    platform = next(p for p in cl.get_platforms() if p.name == "Weft")
    context = cl.Context(platform.get_devices()[:1])
    queue = cl.CommandQueue(context)
    program = cl.Program(context, '''
        __kernel void twice(__global int *a) { a[get_global_id(0)] *= 2; }
        __kernel void spin(__global int *a, int n) {
            int x = a[0];
            for (int i = 0; i < n; i++) x = x * 1664525 + 1013904223;
            a[get_global_id(0)] = x;
        }
    ''').build()
    return context, queue, cl.Kernel(program, "twice"), cl.Kernel(program, "spin")
def check(context, queue, twice, spin):
    host = np.arange(1000, dtype=np.int32)
    buffer = cl.Buffer(context, cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR, hostbuf=host)
    twice(queue, host.shape, None, buffer)
    result = np.empty_like(host)
    cl.enqueue_copy(queue, result, buffer)
    assert (result == 2 * host).all()
"""


def test_many_threads_make_the_first_call(python: Python) -> None:
    text = """
import threading, pyopencl as cl
platform = next(p for p in cl.get_platforms() if p.name == "Weft")
line, found = threading.Barrier(8), []
def first():
    line.wait()
    found.append(platform.get_devices()[0])
threads = [threading.Thread(target=first) for _ in range(8)]
for thread in threads: thread.start()
for thread in threads: thread.join()
assert len(found) == 8 and len(set(found)) == 1
"""
    for _ in range(3):
        python(text)


def test_fork_after_work(python: Python) -> None:
    python(
        SESSION
        + """
import os
parts = session()
check(*parts)
child = os.fork()
if child == 0:
    check(*session())
    os._exit(7)
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
check(*parts)
"""
    )


def test_fork_while_the_compiler_is_loaded(python: Python) -> None:
    text = (
        SESSION
        + """
import os, sys
platform = next(p for p in cl.get_platforms() if p.name == "Weft")
context = cl.Context(platform.get_devices()[:1])
assert not any(name.startswith("llvmlite.binding") for name in sys.modules)
child = os.fork()
check(*session())
if child == 0:
    os._exit(7)
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
"""
    )
    for _ in range(3):
        python(text)


def test_multiprocessing_by_fork(python: Python) -> None:
    python(
        SESSION
        + """
import multiprocessing
def work(_):
    check(*session())
    return 1
check(*session())
with multiprocessing.get_context("fork").Pool(2) as pool:
    assert sum(pool.map(work, range(4))) == 4
"""
    )


def test_interpreter_ends_with_objects_alive_and_says_nothing(python: Python) -> None:
    said = python(
        "import os, sys; os.dup2(1, 2)"
        + SESSION
        + """
parts = session()
check(*parts)
buffer = cl.Buffer(parts[0], 0, 4000)
events = [parts[2](parts[1], (1000,), None, buffer) for _ in range(50)]
mapped, event = cl.enqueue_map_buffer(parts[1], buffer, cl.map_flags.READ, 0, (1000,), np.int32)
del mapped
"""
    )
    assert said == ""


def test_what_is_collected_while_the_interpreter_ends_says_nothing(python: Python) -> None:
    """The driver asks all objects at the end; Python may collect, and so release, some of them meanwhile."""
    said = python(
        "import os, sys; os.dup2(1, 2)"
        + SESSION
        + """
import atexit, gc
context, *_ = session()
gc.collect()
gc.disable()
class Holder:
    pass
for number in range(20):
    holder = Holder()
    holder.itself = holder
    holder.program = cl.Program(context, f"kernel void k(global int *a) {{ a[0] = {number}; }}").build()
del holder
@atexit.register  # called before what the driver has registered
def collect_soon():
    gc.set_threshold(gc.get_count()[0] + 150)
    gc.enable()
"""
    )
    assert said == ""


def test_what_is_collected_within_a_call_is_released_after_it(python: Python) -> None:
    """Python may collect objects of the client while the driver builds a program and holds a lock."""
    said = python(
        SESSION
        + """
import gc
context, queue, *_ = session()
class Holder:
    pass
def garbage():
    holder = Holder()
    holder.itself = holder
    holder.parts = [cl.Buffer(context, 0, 4), cl.CommandQueue(context)]
    holder.parts += [cl.Program(context, "kernel void k(global int *a) { a[0] = 1; }")]
    holder.parts += [cl.SVMAllocation(context, 64, 64, cl.svm_mem_flags.READ_WRITE)]
    mapped = cl.Buffer(context, 0, 64)
    holder.parts += cl.enqueue_map_buffer(queue, mapped, cl.map_flags.READ, 0, (16,), np.int32)
gc.disable()
for number in range(300):
    garbage()
    program = cl.Program(context, f"kernel void k(global int *a) {{ a[0] = {number % 3}; }}")
    gc.set_threshold(gc.get_count()[0] + 1 + number)
    gc.enable()
    program.build()
    gc.disable()
print("done")
"""
    )
    assert said == "done\n"


def test_what_a_thread_of_weft_collects_is_released_later(python: Python) -> None:
    """Python may collect objects of the client in the thread that deletes what others could not."""
    said = python(
        SESSION
        + """
import ctypes, gc, sys, threading, time
from weft.api import handles
from weft.runtime import objects
context, queue, *_ = session()
path = next(line.split()[-1] for line in open("/proc/self/maps") if "libOpenCL" in line)
loader = ctypes.CDLL(path)  # whose functions are called without the GIL
class Holder:
    pass
def garbage():
    holder = Holder()
    holder.itself = holder
    holder.parts = [cl.Buffer(context, 0, 4), cl.CommandQueue(context)]
    holder.parts += [cl.SVMAllocation(context, 64, 64, cl.svm_mem_flags.READ_WRITE)]
collections = []
class Collecting:
    def __init__(self, lock):
        self.lock = lock
    def __enter__(self):
        self.lock.acquire()
        if threading.current_thread().name == "weft-callbacks" and gc.collect(0):
            collections.append(self.lock)
    def __exit__(self, *_):
        self.lock.release()
gc.disable()
held = objects.lock
for module in list(sys.modules.values()):
    if vars(module).get("lock") is held:
        module.lock = Collecting(held)
handles.adoption_lock = Collecting(handles.adoption_lock)
for _ in range(20):
    garbage()
    buffer = cl.Buffer(context, 0, 64)
    handle = ctypes.c_void_p(buffer.int_ptr)
    loader.clRetainMemObject(handle)
    del buffer
    loader.clReleaseMemObject(handle)
    time.sleep(0.005)
print(bool(collections))
"""
    )
    assert said == "True\n"


def test_child_of_a_fork_does_not_wait_for_what_its_parent_deletes(python: Python) -> None:
    said = python(
        SESSION
        + """
import ctypes, os, threading, time
context, queue, *_ = session()
path = next(line.split()[-1] for line in open("/proc/self/maps") if "libOpenCL" in line)
loader = ctypes.CDLL(path)
deleting, forked = threading.Event(), threading.Event()
def when_deleted(*_):
    deleting.set()
    forked.wait(30)
callback = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p)(when_deleted)
buffers = [cl.Buffer(context, 0, 64)]
loader.clSetMemObjectDestructorCallback(ctypes.c_void_p(buffers[0].int_ptr), callback, None)
program = cl.Program(context, "kernel void k(global int *a) { a[0] = 1; }").build()
kernel = cl.Kernel(program, "k")
thread = threading.Thread(target=buffers.clear)
thread.start()
assert deleting.wait(30)
child = os.fork()
if child == 0:
    start = time.monotonic()
    code = loader.clBuildProgram(ctypes.c_void_p(program.int_ptr), 0, None, b"", None, None)
    os._exit(7 if code == -59 and time.monotonic() - start < 0.8 else 8)
code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
forked.set()
thread.join()
print(code)
"""
    )
    assert said == "7\n"


def test_what_is_released_with_the_interpreter_says_nothing(python: Python) -> None:
    said = python(
        "import os, sys; os.dup2(1, 2)"
        + SESSION
        + """
context, queue, twice, spin = session()
memory = cl.SVM(cl.csvm_empty(context, 1000, np.int32))
with memory.map_rw(queue) as array:
    array[:] = 1
twice(queue, (1000,), None, memory)
mapped = memory.map_ro(queue)
assert mapped.array[0] == 2
allocation = cl.SVMAllocation(context, 4096, 0, cl.svm_mem_flags.READ_WRITE, queue=queue)
pooled = cl.tools.SVMPool(cl.tools.SVMAllocator(context, queue=queue))(1000)
buffer = cl.tools.MemoryPool(cl.tools.ImmediateAllocator(queue))(4000)
copied = cl.enqueue_copy(queue, np.empty(1000, np.int32), buffer, is_blocking=False)
sys.left = [memory, mapped, allocation, pooled, buffer, copied, queue, context]
"""
    )
    assert said == ""


def test_library_calls_after_the_interpreter_has_ended(python: Python, tmp_path: Path) -> None:
    library = tmp_path / "late_calls.so"
    toolchain.compile_c([Path(__file__).parent / "late_calls.c"], library)
    said = python(
        SESSION
        + f"""
import ctypes
late = ctypes.CDLL({str(library)!r})
context, queue, twice, spin = session()
buffer = cl.Buffer(context, 0, 4000)
loader = ctypes.CDLL(next(line.split()[-1] for line in open("/proc/self/maps") if "libOpenCL" in line))
handles = ctypes.c_void_p(buffer.int_ptr), ctypes.c_void_p(queue.int_ptr)
late.call_last(loader.clGetMemObjectInfo, loader.clFinish, *handles)
"""
    )
    assert said == "0 0 4000\n"


def test_interpreter_ends_with_work_outstanding(python: Python) -> None:
    python(
        SESSION
        + """
context, queue, twice, spin = session()
buffer = cl.Buffer(context, 0, 4000)
never = cl.UserEvent(context)
spin(queue, (1000,), None, buffer, np.int32(50000000))
waiting = twice(queue, (1000,), None, buffer, wait_for=[never])
queue.flush()
"""
    )


def test_calls_from_python_exit_hooks(python: Python) -> None:
    python(
        "import atexit\n"
        + SESSION
        + """
parts = session()
atexit.register(lambda: check(*parts))
check(*parts)
"""
    )


def test_thread_calls_while_the_program_waits_for_it_with_the_gil(python: Python, tmp_path: Path) -> None:
    library = tmp_path / "waits_with_gil.so"
    toolchain.compile_c([Path(__file__).parent / "waits_with_gil.c"], library)
    said = python(
        SESSION
        + f"""
import ctypes, os, time
context, _, twice, _ = session()
queue = cl.CommandQueue(context, properties=cl.command_queue_properties.PROFILING_ENABLE)
buffer, host = cl.Buffer(context, 0, 4000), np.zeros(1000, np.int32)
twice(queue, host.shape, None, buffer).wait()
path = next(line.split()[-1] for line in open("/proc/self/maps") if "libOpenCL" in line)
loader, waits = ctypes.CDLL(path), ctypes.PyDLL({str(library)!r})
for name in "clCreateBuffer", "clCreateUserEvent", "clGetExtensionFunctionAddressForPlatform":
    getattr(loader, name).restype = ctypes.c_void_p
word = ctypes.c_uint64
platform = context.devices[0].platform.int_ptr
def extension(name):
    return loader.clGetExtensionFunctionAddressForPlatform(word(platform), name)
allocate = ctypes.CFUNCTYPE(ctypes.c_void_p, *[word] * 3, ctypes.c_uint32, word)
allocate = allocate(extension(b"clHostMemAllocINTEL"))
shared = allocate(context.int_ptr, 0, 4096, 0, 0)
launched = twice(queue, host.shape, None, buffer)
copied, code = word(), ctypes.c_int()
loader.clEnqueueWriteBuffer(
    word(queue.int_ptr), word(buffer.int_ptr), 0, word(0), word(4000), ctypes.c_void_p(host.ctypes.data), 0,
    None, ctypes.byref(copied),
)
user = loader.clCreateUserEvent(word(context.int_ptr), ctypes.byref(code))
memory = loader.clCreateBuffer(word(context.int_ptr), word(1), word(4000), None, ctypes.byref(code))
loader.clSetMemObjectDestructorCallback(word(memory), waits.on_delete, None)
program = twice.get_info(cl.kernel_info.PROGRAM)
objects = (word * 12)(
    context.int_ptr, queue.int_ptr, program.int_ptr, twice.int_ptr, buffer.int_ptr, memory, launched.int_ptr,
    copied.value, user, shared, extension(b"clMemBlockingFreeINTEL"), extension(b"clMemFreeINTEL"),
)
print(waits.run(path.encode(), objects), flush=True)
deadline = time.monotonic() + 40
while not waits.is_deleted() and time.monotonic() < deadline:
    time.sleep(0.01)
print(waits.is_deleted(), flush=True)
shared = allocate(context.int_ptr, 0, 4096, 0, 0)
release = ctypes.PYFUNCTYPE(ctypes.c_int, word, word)(extension(b"clMemFreeINTEL"))
print(release(context.int_ptr, shared), release(context.int_ptr, shared), flush=True)
os._exit(0)
"""  # a thread that waits for ever must not hold up the end
    )
    assert said == "24\n1\n0 -30\n"


def test_no_thread_loads_a_library_when_a_context_is_made(python: Python) -> None:
    """A process that exits meanwhile would run the library's destructors beside its constructors."""
    text = """
import time, pyopencl as cl
platform = next(p for p in cl.get_platforms() if p.name == "Weft")
context = cl.Context(platform.get_devices()[:1])
end = time.monotonic() + 0.3
while time.monotonic() < end:
    with open("/proc/self/maps") as maps:
        assert "libllvmlite" not in maps.read()
    time.sleep(0.01)
print("ok")
"""
    assert python(text) == "ok\n"
