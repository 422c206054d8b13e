"""What handlers of signals raise while a Python program is inside an OpenCL call reaches the program."""

import signal
import subprocess
import sys
from collections.abc import Callable, Mapping

import pytest
from test_python_processes import SESSION

Python = Callable[..., str]

# A signal comes while the program waits for a command, which ends then.
WAITING = (
    SESSION
    + """
import signal, threading, time
context, queue, twice, spin = session()
buffer = cl.Buffer(context, 0, 4000)
go, main = cl.UserEvent(context), threading.get_ident()
def interrupt():
    time.sleep(0.2)
    signal.pthread_kill(main, signal.SIGINT)
    go.set_status(cl.command_execution_status.COMPLETE)
def read():
    threading.Thread(target=interrupt).start()
    try:
        cl.enqueue_copy(queue, np.empty(1000, np.int32), buffer, wait_for=[go])
    except cl.Error:
        while True:
            time.sleep(0.01)
"""
)


def test_an_interrupt_ends_a_blocking_read(python: Python) -> None:
    said = python(
        WAITING
        + """
try:
    read()
except KeyboardInterrupt:
    print("interrupted")
"""
    )
    assert said == "interrupted\n"


def test_a_handler_for_the_last_signal_is_replaced_by_that_of_python(python: Python) -> None:
    said = python(
        "import ctypes; libc = ctypes.CDLL(None); libc.sysv_signal(2, libc._exit)"  # as LLVM in other drivers
        + WAITING
        + """
try:
    read()
except KeyboardInterrupt:
    print("interrupted")
"""
    )
    assert said == "interrupted\n"


def test_a_handler_may_end_the_program(python: Python) -> None:
    said = python(
        WAITING
        + """
signal.signal(signal.SIGINT, lambda *_: exit(0))
try:
    read()
except SystemExit as error:
    print("exit", error.code)
    raise
"""
    )
    assert said == "exit 0\n"


def test_an_interrupt_ends_a_launch_that_waits_for_code(python: Python) -> None:
    said = python(
        "import os; os.environ.update(WEFT_TIERS='1', WEFT_CACHE='0')"
        + SESSION
        + """
import signal, threading, time
from weft.tiers.background import Helper, background
ask = Helper.ask
def stop_and_ask(helper, request):
    os.kill(helper._process.pid, signal.SIGSTOP)
    return ask(helper, request)
Helper.ask = stop_and_ask
parts = session()
check(*parts)
while background._current is None: time.sleep(0.001)
main = threading.get_ident()
threading.Timer(0.2, lambda: signal.pthread_kill(main, signal.SIGINT)).start()
try:
    try:
        check(*parts)
    except cl.Error:
        time.sleep(60)
except KeyboardInterrupt:
    print("interrupted")
Helper.ask = ask
os.kill(background._helper._process.pid, signal.SIGCONT)
check(*parts)
"""
    )
    assert said == "interrupted\n"


# A kernel that runs until the host says so, or for `n` rounds. The main thread launches it and waits for it
# while another one sends the signal.
ENDLESS = """
import os, signal, threading, time
os.environ["WEFT_TIERS"] = "0"
import numpy as np, pyopencl as cl
platform = next(p for p in cl.get_platforms() if p.name == "Weft")
context = cl.Context(platform.get_devices()[:1])
queue = cl.CommandQueue(context)
kernel = cl.Kernel(cl.Program(context, '''
    __kernel void spin(__global volatile int *a, int n) {
        int i = 0;
        while (a[0] == 0 && i != n) i++;
        a[get_global_id(0) + 1] = i;
    }
''').build(), "spin")
host = np.zeros(4096, np.int32)
buffer = cl.Buffer(context, cl.mem_flags.USE_HOST_PTR, hostbuf=host)
other = cl.Buffer(context, 0, 4096)
go, sent = threading.Event(), []
def send():
    while True:
        go.wait()
        go.clear()
        time.sleep(0.3)
        sent.append(time.monotonic())
        os.kill(os.getpid(), signal.SIGINT)
threading.Thread(target=send, daemon=True).start()
def launch(n, size=1):
    return kernel(queue, (size,), None, buffer, np.int32(n))
for size in (1, 64):  # compiled before a signal comes
    launch(3, size)
    queue.finish()
def interrupted(wait, size=1):
    host[0] = 0
    go.set()
    event = launch(-1, size)
    try:
        wait(event)
    except KeyboardInterrupt:
        assert time.monotonic() - sent[-1] < 1
    else:
        raise AssertionError("no interrupt")
    host[0] = 1
    queue.finish()
    return event.command_execution_status
"""


def test_an_interrupt_ends_every_kind_of_wait_for_an_endless_kernel(python: Python) -> None:
    said = python(
        ENDLESS
        + """
interrupted(lambda event: queue.finish())
interrupted(lambda event: event.wait())
interrupted(lambda event: cl.enqueue_copy(queue, np.empty(10, np.int32), other))
interrupted(lambda event: (queue.flush(), time.sleep(0.1), queue.finish()), 64)
host[0] = 0
launch(3)
queue.finish()
print(host[1])
"""
    )
    assert said == "3\n"


def test_a_thread_that_runs_an_endless_kernel_itself_leaves_it(python: Python) -> None:
    said = python(
        ENDLESS
        + """
# A kernel that was quick so far is run by the thread that waits, unless another one is faster.
left = []
while -5 not in left and len(left) < 30:
    for _ in range(2000):
        launch(3)
        queue.finish()
    left.append(interrupted(lambda event: queue.finish()))
assert set(left) <= {0, -5} and left[-1] == -5, left
host[0] = 0
launch(3)
queue.finish()
print(host[1])
"""
    )
    assert said == "3\n"


def test_a_wait_continues_if_the_handler_raises_nothing(python: Python) -> None:
    said = python(
        ENDLESS
        + """
for _ in range(500):
    launch(3)
    queue.finish()
seen = []
def handler(*_):
    seen.append(1)
    queue.flush()
    threading.Timer(0.3, host.__setitem__, (0, 1)).start()
signal.signal(signal.SIGINT, handler)
time.sleep(0.1)
for wait in (lambda event: queue.finish(), lambda event: event.wait()):
    host[0] = 0
    go.set()
    event = launch(-1)
    wait(event)
    assert event.command_execution_status == 0 and time.monotonic() - sent[-1] > 0.2
print(len(seen))
"""
    )
    assert said == "2\n"


def test_what_another_handler_raises_ends_a_wait(python: Python) -> None:
    said = python(
        ENDLESS
        + """
def alarm(*_): raise TimeoutError("too long")
signal.signal(signal.SIGALRM, alarm)
launch(-1, 64)
queue.flush()
time.sleep(0.2)
signal.setitimer(signal.ITIMER_REAL, 0.3)
try:
    queue.finish()
except TimeoutError as error:
    print(error)
"""
    )
    assert said == "too long\n"


def test_the_program_ends_though_the_kernel_does_not(environment: Mapping[str, str]) -> None:
    text = ENDLESS + "go.set()\nlaunch(-1, 64)\nqueue.finish()"
    result = subprocess.run(
        [sys.executable, "-c", text], env=environment, capture_output=True, text=True, timeout=60, check=False
    )
    assert result.returncode == -signal.SIGINT and result.stderr.endswith("KeyboardInterrupt\n"), result


ALARM_FUNCTION = """
def alarm(*_): raise TimeoutError
signal.signal(signal.SIGALRM, alarm)
"""
ALARM_OBJECT = """
import functools
class Alarm:
    def __call__(self, kind, *_): raise kind
signal.signal(signal.SIGALRM, functools.partial(Alarm(), TimeoutError))
"""


@pytest.mark.parametrize(
    ("handler", "raised"),
    [
        ("", "KeyboardInterrupt"),
        (ALARM_FUNCTION, "TimeoutError"),
        (ALARM_OBJECT, "TimeoutError"),
    ],
    ids=["Python's", "function", "object"],
)
def test_an_interrupt_ends_a_build(handler: str, raised: str, python: Python) -> None:
    said = python(
        "import os; os.environ.update(WEFT_CACHE='0', PYOPENCL_NO_CACHE='1')"
        + SESSION
        + "import signal, threading, time\n"
        + handler
        + f"""
context, *_ = session()
cases = "".join(f"case {{7 * i}}: r = a[{{i}}] * {{i + 3}} + a[r & {{i}}]; break;" for i in range(20000))
source = f"__kernel void f(__global int *a, int r) {{{{ switch (r) {{{{ {{cases}} }}}} a[0] = r; }}}}"
program = cl.Program(context, source)
sent = []
def send():
    sent.append(time.monotonic())
    os.kill(os.getpid(), signal.{"SIGALRM" if handler else "SIGINT"})
threading.Timer(0.5, send).start()
try:
    program.build()
except {raised}:
    print(time.monotonic() - sent[0] < 1)
"""
    )
    assert said == "True\n"


def test_an_interrupt_while_a_class_is_made_is_still_an_interrupt(python: Python) -> None:
    """A build imports modules; before Python 3.12 an exception in `__set_name__` becomes a RuntimeError."""
    said = python(
        "import os; os.environ.update(WEFT_CACHE='0', PYOPENCL_NO_CACHE='1')"
        + """
import signal, sys, threading, time
import pyopencl as cl
platform = next(p for p in cl.get_platforms() if p.name == "Weft")
context = cl.Context(platform.get_devices()[:1])
class Attribute:
    def __set_name__(self, *_):
        signal.raise_signal(signal.SIGINT)
        while True:
            time.sleep(0.01)
class Finder:
    def find_spec(self, name, *_):
        if name.startswith("weft.") and threading.current_thread() is threading.main_thread():
            sys.meta_path.remove(self)
            type("Class", (), {"attribute": Attribute()})
program = cl.Program(context, "kernel void k(global int *a) { a[0] = 1; }")
finder = Finder()
sys.meta_path.insert(0, finder)
try:
    program.build()
except KeyboardInterrupt:
    print("interrupted", finder in sys.meta_path)
cl.Program(context, "kernel void k(global int *a) { a[0] = 2; }").build()
"""
    )
    assert said == "interrupted False\n"


def test_an_interrupt_during_a_call_is_delivered_after_the_call(python: Python) -> None:
    said = python(
        SESSION
        + """
import signal
from weft.api import handles
context, queue, twice, spin = session()
publish = handles.publish
def publish_and_interrupt(made):
    signal.raise_signal(signal.SIGINT)
    return publish(made)
handles.publish = publish_and_interrupt
made = []
for create in (
    lambda: cl.Buffer(context, 0, 4000),
    lambda: cl.CommandQueue(context),
    lambda: cl.Program(context, "__kernel void f() {}").build().f,
    lambda: cl.UserEvent(context),
):
    try:
        made.append(create())
        print("no interrupt")
    except KeyboardInterrupt:
        print("interrupted")
handles.publish = publish
queue.finish()
"""
    )
    assert said == "interrupted\n" * 4


def test_an_interrupt_just_before_a_call_does_not_fail_the_call(python: Python) -> None:
    """The call is the first to notice: nothing but C comes between the two."""
    said = python(
        SESSION
        + """
import ctypes, functools, operator
from weft.icd.prototypes import prototypes
context, *_ = session()
pointers = ctypes.POINTER(ctypes.c_void_p)
table = ctypes.cast(ctypes.cast(context.int_ptr, pointers)[0], pointers)
void, number, size = ctypes.c_void_p, ctypes.c_uint, ctypes.c_size_t
query = ctypes.PYFUNCTYPE(ctypes.c_int, void, number, size, void, void)(
    table[next(p.index for p in prototypes() if p.name == "clGetContextInfo")])
interrupt = ctypes.pythonapi.PyErr_SetInterrupt
interrupt.restype = None
count, results = number(77), []
calls = [interrupt, functools.partial(query, context.int_ptr, 0x1083, 4, ctypes.addressof(count), None)]
try:
    results.extend(map(operator.call, calls))
except KeyboardInterrupt:
    print("interrupted", results, count.value)
"""
    )
    assert said == "interrupted [None, 0] 1\n"


def test_an_interrupt_ends_a_launch_that_takes_long(python: Python) -> None:
    said = python(
        SESSION
        + """
import signal, time
from weft.api import enqueue
parts = session()
prepare = enqueue.prepare
def prepare_slowly(*arguments):
    signal.raise_signal(signal.SIGINT)
    time.sleep(60)
enqueue.prepare = prepare_slowly
start = time.monotonic()
try:
    check(*parts)
except KeyboardInterrupt:
    print(time.monotonic() - start < 1)
enqueue.prepare = prepare
check(*parts)
"""
    )
    assert said == "True\n"


def test_an_interrupt_ends_a_kernel_that_prints(python: Python) -> None:
    said = python(
        ENDLESS
        + """
kernel = cl.Kernel(cl.Program(context, '''
    __kernel void spin(__global volatile int *a, int n) {
        for (int i = 0; a[0] == 0 && i != n; i++) printf("");
    }
''').build(), "spin")
for _ in range(2000):
    launch(3)
    queue.finish()
for _ in range(5):
    interrupted(lambda event: queue.finish())
print("done")
"""
    )
    assert said == "done\n"


def test_a_handler_cannot_wait_for_the_kernel_that_it_interrupts(python: Python) -> None:
    said = python(
        ENDLESS
        + """
for _ in range(2000):
    launch(3)
    queue.finish()
def handler(*_):
    queue.finish()
    raise KeyboardInterrupt
signal.signal(signal.SIGINT, handler)
time.sleep(0.1)
for _ in range(3):
    host[0] = 0
    go.set()
    launch(-1)
    # If a worker runs the kernel, the handler waits for it.
    timer = threading.Timer(3.0, host.__setitem__, (0, 1))
    timer.start()
    try:
        queue.finish()
    except (cl.Error, KeyboardInterrupt):
        print("ended")
    timer.cancel()
    timer.join()
    host[0] = 1
    queue.finish()
"""
    )
    assert said == "ended\n" * 3


def test_a_handler_inside_a_kernel_waits_for_others_or_gets_an_error(python: Python) -> None:
    said = python(
        "import os; os.environ['WEFT_DEVICES'] = 'basic'"  # runs one kernel at a time
        + ENDLESS
        + """
second = cl.CommandQueue(context)
found = np.ones(8, np.int32)
def handler(*_):
    cl.enqueue_fill_buffer(second, other, np.int32(5), 0, 32)
    cl.enqueue_copy(second, found, other)
    try:
        cl.enqueue_copy(second, found[:4], other, wait_for=[event])
    except cl.Error:
        refused.append(True)
    host[0] = 1
signal.signal(signal.SIGINT, handler)
for _ in range(3):
    host[0], refused = 0, []
    event = launch(-1)
    go.set()
    # If the worker runs the kernel, the handler waits for it.
    timer = threading.Timer(3.0, host.__setitem__, (0, 1))
    timer.start()
    event.wait()
    timer.cancel()
    timer.join()
    queue.finish()
    second.finish()
    assert (found == 5).all()
    print("done")
"""
    )
    assert said == "done\n" * 3


def test_a_handler_that_interrupts_the_wait_of_another_waits_too(python: Python) -> None:
    said = python(
        "import os; os.environ['WEFT_DEVICES'] = 'basic'"
        + ENDLESS
        + """
second, third = cl.CommandQueue(context), cl.CommandQueue(context)
first_found, found = np.ones(8, np.int32), np.ones(8, np.int32)
depth = 0
def handler(*_):
    global depth
    depth += 1
    if depth == 1:
        gate = cl.UserEvent(context)
        def later():
            time.sleep(0.2)
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(1)
            gate.set_status(cl.command_execution_status.COMPLETE)
        threading.Thread(target=later).start()
        cl.enqueue_copy(second, first_found, other, wait_for=[gate])
        host[0] = 1
    else:
        cl.enqueue_fill_buffer(third, other, np.int32(depth), 0, 32)
        cl.enqueue_copy(third, found, other)
signal.signal(signal.SIGINT, handler)
for _ in range(3):
    host[0], depth = 0, 0
    event = launch(-1)
    go.set()
    timer = threading.Timer(3.0, host.__setitem__, (0, 1))
    timer.start()
    event.wait()
    timer.cancel()
    timer.join()
    queue.finish()
    assert depth < 2 or (found == depth).all()
    print("done")
"""
    )
    assert said == "done\n" * 3


def test_a_child_of_another_thread_is_interrupted_as_any_program(python: Python) -> None:
    said = python(
        ENDLESS
        + """
for _ in range(2000):
    launch(3)
    queue.finish()
host[0] = 0
def fork():
    time.sleep(0.3)  # the main thread is inside the kernel
    child = os.fork()
    if not child:
        try:
            signal.raise_signal(signal.SIGINT)
        except KeyboardInterrupt:
            os._exit(7)
        os._exit(8)
    status.append(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
    host[0] = 1
status = []
thread = threading.Thread(target=fork)
thread.start()
launch(-1)
queue.finish()
thread.join()
print(*status)
"""
    )
    assert said == "7\n"


@pytest.mark.parametrize("device", ["pthread", "isolated"])
def test_an_interrupt_ends_a_kernel_whose_sub_groups_wait(python: Python, device: str) -> None:
    said = python(
        f"import os; os.environ['WEFT_DEVICES'] = '{device}'"
        + SESSION
        + """
import signal, threading
context, _, _, _ = session()
source = '''
kernel void chain(volatile global int *flags, int last) {
    int row = get_local_id(0) / 16, rows = get_local_size(0) / 16;
    if (get_local_id(0) % 16 == 0) {
        if (row < rows - 1 || !last)
            while (flags[row + 1] == 0);
        flags[row] = rows - row;
    }
}'''
chain = cl.Program(context, source).build().chain
def run(last):
    flags = np.zeros(9, np.int32)
    buffer = cl.Buffer(context, cl.mem_flags.COPY_HOST_PTR, hostbuf=flags)
    queue = cl.CommandQueue(context)  # a worker may still be inside the kernel that was interrupted
    chain(queue, (128,), (128,), buffer, np.int32(last))
    cl.enqueue_copy(queue, flags, buffer)
    return flags.tolist()
print(run(1))
threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
try:
    run(0)
except KeyboardInterrupt:
    print("interrupted")
print(run(1))
"""
    )
    assert said == "[8, 7, 6, 5, 4, 3, 2, 1, 0]\ninterrupted\n[8, 7, 6, 5, 4, 3, 2, 1, 0]\n"
