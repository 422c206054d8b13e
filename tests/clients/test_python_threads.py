"""Threads of Python that make calls with the GIL and a lock of the client held, as extension modules do.

If Weft let another thread have the GIL within such a call, that thread would keep it while it waits for the
lock (`hot_is_alone`). So programs in SPIR-V are built, and their launches prepared, by another process.
"""

from collections.abc import Callable

import pytest
from test_calls_with_gil import library  # noqa: F401
from test_programs_with_gil import calls  # noqa: F401

Calls = Callable[..., str]

THREADS = """
def locked(*listed):  # the codes that calls returned, made with the GIL and the lock
    own = (Call * len(listed))(*listed)
    kept.append(own)
    assert library.run_locked(own, len(listed)) == len(listed)
    return own
def codes_of(own):
    return [ctypes.c_int32(c.result).value for c in own]
def first_use(round, n):  # of everything: queue, buffers, program, kernel, launch, copies
    code, event, seen = np.full(4, 77, np.int32), new_event(), np.zeros(n, np.int32)
    start = np.arange(n, dtype=np.int32)
    properties = (word * 3)(0x1093, 2, 0)
    kept.extend((code, start, properties, seen))
    own = locked(
        call("clCreateCommandQueueWithProperties", context, device, properties, code[0:]),
        call("clCreateBuffer", context, 1 | 32, 4 * n, start, code[1:]),
        call("clCreateProgramWithIL", context, address_of(ADD), len(ADD), code[2:]),
        call("clSetProgramSpecializationConstant", result(2), 7, 4, np.int32([round + 1])),
        call("clBuildProgram", result(2), 0, 0, 0, 0, 0),
        call("clCreateKernel", result(2), address_of(b"add"), code[3:]),
    )
    queue, buffer, program, kernel = (own[i].result for i in (0, 1, 2, 5))
    assert not code.any() and codes_of(own)[3:5] == [0, 0], (code, codes_of(own))
    own = locked(
        call("clSetKernelArg", kernel, 0, 8, word(buffer)),
        call("clSetKernelArg", kernel, 1, 4, np.int32([2])),
        call("clEnqueueNDRangeKernel", queue, kernel, 1, 0, sizes(n), 0, 0, 0, 0),
        call("clEnqueueReadBuffer", queue, buffer, 0, 0, 4 * n, seen, 0, 0, event),
    )
    assert codes_of(own) == [0] * 4, codes_of(own)
    state = np.full(1, 3, np.int32)
    kept.append(state)
    query = call("clGetEventInfo", event.value, 0x11D3, 4, state, 0)
    assert library.poll_until_ended(ctypes.byref(query), ctypes.c_void_p(at(state))) == 0  # with the GIL
    assert (seen == start + 2 * (round + 1)).all(), seen
    own = locked(
        call("clReleaseEvent", event.value), call("clReleaseKernel", kernel),
        call("clReleaseProgram", program), call("clReleaseMemObject", buffer),
        call("clReleaseCommandQueue", queue),
    )
    assert codes_of(own) == [0] * 5
"""


@pytest.fixture
def threads(calls: Calls) -> Calls:  # noqa: F811
    """Run a program that has what THREADS defines too."""
    return lambda text: calls(THREADS + text)


def test_first_uses_with_a_lock_held(threads: Calls) -> None:
    said = threads(
        """
sys.setswitchinterval(1e-5)
failed = []
def work(thread):
    try:
        for round in range(3):
            first_use(round, 1000 + thread)
    except BaseException as error:
        failed.append(error)
        raise
several = [threading.Thread(target=work, args=(number,)) for number in range(4)]
for thread in several: thread.start()
for thread in several: thread.join()
assert not failed
print("done")
"""
    )
    assert said == "done\n"


def test_one_thread_is_served_by_python(threads: Calls) -> None:
    said = threads(
        """
own = locked(call("clCreateBuffer", context, 1, 64, 0, codes[0]))
assert is_adopted(own[0].result)
thread = threading.Thread(target=(done := threading.Event()).wait)
thread.start()
other = locked(call("clCreateBuffer", context, 1, 64, 0, codes[0]))
assert not is_adopted(other[0].result)
done.set()
thread.join()
if os.fork() == 0:  # where the threads of the parent are not
    os._exit(not is_adopted(locked(call("clCreateBuffer", context, 1, 64, 0, codes[0]))[0].result))
assert os.wait()[1] == 0
print("done")
"""
    )
    assert said == "done\n"


def test_python_adopts_what_c_created(threads: Calls) -> None:
    said = threads(
        """
idle = threading.Event()
threading.Thread(target=idle.wait, daemon=True).start()
data, code = np.arange(100, dtype=np.int32), np.full(4, 77, np.int32)
properties = (word * 5)(0x1093, 3, 0x1096, 1, 0)
own = locked(
    call("clCreateCommandQueueWithProperties", context, device, properties, code[0:]),
    call("clCreateBuffer", context, 4 | 8, 400, data, code[1:]),
    call("clCreateBuffer", context, 0, 400, 0, code[2:]),
    call("clEnqueueCopyBuffer", result(0), result(1), result(2), 0, 0, 400, 0, 0, 0),
    call("clEnqueueFillBuffer", result(0), result(2), np.int32([7]), 4, 40, 80, 0, 0, 0),
)
assert codes_of(own)[4] == 0 and not code[:3].any()
handles_of = [c.result for c in own[:3]]
assert not any(map(is_adopted, handles_of))
values = np.zeros(8, np.uint64)
for param, size in (0x1090, 8), (0x1091, 8), (0x1092, 4), (0x1093, 8), (0x1095, 8), (0x1098, 40):
    values[:] = 0
    assert codes_of(locked(call("clGetCommandQueueInfo", handles_of[0], param, 64, values, 0))) == [0]
    native = values.copy()
    found = cl.CommandQueue.from_int_ptr(handles_of[0], retain=True) if param == 0x1098 else None
    if param == 0x1093: assert native[0] == 3
    if param == 0x1098: assert native[:5].tolist() == [0x1093, 3, 0x1096, 1, 0]
assert codes_of(locked(call("clGetCommandQueueInfo", handles_of[0], 0x1094, 64, values, 0))) == [-36]
queue = found
used, own_memory = (cl.Buffer.from_int_ptr(handle, False) for handle in handles_of[1:])
seen = np.zeros(100, np.int32)
queue.finish()
cl.enqueue_copy(queue, seen, own_memory)
wanted = data.copy(); wanted[10:30] = 7
assert (seen == wanted).all()
assert used.flags == 4 | 8 and used.size == 400 and own_memory.flags == 1
assert queue.properties == 3 and queue.context == context and queue.device == device
# What is not valid is refused as Python refuses it.
for flags, size, pointer, wanted in (
    (1 | 2, 4, 0, -30), (1, 0, 0, -61), (1 | 8, 4, 0, -37), (1, 4, data, -37), (8 | 32, 4, data, -30)
):
    locked(call("clCreateBuffer", context, flags, size, pointer, code[0:]))
    assert code[0] == wanted, (flags, size, code[0])
for properties, wanted in (
    ((0x1093, 4, 0), -35), ((0x1093, 64, 0), -30), ((0x1094, 64, 0), -35), ((5, 5, 0), -30)
):
    locked(call("clCreateCommandQueueWithProperties", context, device, (word * 3)(*properties), code[0:]))
    assert code[0] == wanted, (properties, code[0])
only = locked(call("clCreateBuffer", context, 1 | 512, 400, 0, code[0:]))[0].result
outside = locked(
    call("clEnqueueReadBuffer", handles_of[0], only, 0, 0, 4, seen, 0, 0, 0),
    call("clEnqueueReadBuffer", handles_of[0], handles_of[2], 0, 398, 4, seen, 0, 0, 0),
    call("clEnqueueReadBuffer", handles_of[0], handles_of[2], 0, 0, 4, 0, 0, 0, 0),
    call("clEnqueueWriteBuffer", handles_of[0], handles_of[0], 0, 0, 4, seen, 0, 0, 0),
    call("clEnqueueCopyBuffer", handles_of[0], handles_of[2], handles_of[2], 0, 2, 4, 0, 0, 0),
    call("clEnqueueFillBuffer", handles_of[0], handles_of[2], np.int32([7]), 3, 0, 6, 0, 0, 0),
)
assert codes_of(outside) == [-59, -30, -30, -38, -8, -30], codes_of(outside)
print("done")
"""
    )
    assert said == "done\n"


def test_callbacks_are_not_alone(threads: Calls) -> None:
    """A thread of Weft's calls them, and the main thread may run Python meanwhile."""
    said = threads(
        """
seen = []
def ended(event, status, data):
    seen.append(is_adopted(locked(call("clCreateBuffer", context, 1, 64, 0, codes[0]))[0].result))
callback = ctypes.CFUNCTYPE(None, word, ctypes.c_int32, word)(ended)
event = cl.UserEvent(context)
assert not loader.clSetEventCallback(word(event.int_ptr), 0, callback, None)
event.set_status(0)
end = time.monotonic() + 20
while not seen and time.monotonic() < end: time.sleep(0.01)
assert seen == [False]
print("done")
"""
    )
    assert said == "done\n"


def test_memory_is_freed_in_the_child_of_a_fork(threads: Calls) -> None:
    """The child has no thread of notifications; another one is started for what is released."""
    said = threads(
        """
if os.fork() == 0:
    threading.Thread(target=threading.Event().wait, daemon=True).start()
    made = locked(call("clCreateBuffer", context, 1, 64, 0, codes[0]))[0].result
    assert not is_adopted(made)
    locked(call("clReleaseMemObject", made))
    end = time.monotonic() + 20
    while handles.unadopted() and time.monotonic() < end: time.sleep(0.001)
    os._exit(bool(handles.unadopted()))
assert os.wait()[1] == 0
print("done")
"""
    )
    assert said == "done\n"


def test_builders_that_fail_leave_no_memory(threads: Calls) -> None:
    said = threads(
        """
threading.Thread(target=threading.Event().wait, daemon=True).start()
def use():
    buffer = filled(np.zeros(100, np.int32))
    kernel = cl.Kernel(cl.Program(context, ADD).build(), "add")
    kernel(queue, (100,), None, buffer, np.int32(1))
    assert (read(buffer, 100) == 5).all()
for name in "PYTHONMALLOC", "WEFT_DEVICES":  # it does not start; it ends at once
    os.environ[name] = "absent"
    use()
    del os.environ[name]
    assert "weft-code" not in open("/proc/self/maps").read(), name
use()
assert "weft-code" in open("/proc/self/maps").read()
print("done")
"""
    )
    assert said == "done\n"
