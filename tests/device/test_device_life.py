"""Exit and fork, each in a process of its own."""

import pytest
from device_support import run_program

PREAMBLE = """
import os, sys, threading, time
import numpy as np
from device_support import GROUP, Log, address, function, spin, words
from weft.device.base import Launch, devices
pthread, basic, *_ = devices()
"""


def run(body: str, timeout: float = 30.0) -> str:
    return run_program(PREAMBLE + body, timeout)


def test_exit_with_commands_outstanding() -> None:
    run("""
for device in (pthread, basic):
    queue = device.new_queue()
    for _ in range(2000):
        spin(queue, 100_000, groups=50)
    queue.flush()
""")


def test_exit_with_commands_that_wait_for_ever() -> None:
    run("""
user = pthread.user_command()
queue = pthread.new_queue()
held = [queue.marker((user,)) for _ in range(10)]
held[0].on_status(0, print)
""")


def test_exit_while_daemon_threads_wait_for_ever() -> None:
    run("""
user = pthread.user_command()
queue = pthread.new_queue()
queue.marker((user,))
for target in (queue.finish, user.wait, pthread.new_queue().marker((user,)).wait):
    threading.Thread(target=target, daemon=True).start()
time.sleep(0.05)
""")


@pytest.mark.parametrize("kind", ["pthread", "basic"])
def test_exit_while_a_kernel_runs_for_ever(kind: str) -> None:
    run(f"""
queue = {kind}.new_queue()
command = queue.ndrange(function("forever"), Launch((100,), (1,)), b"", 0, 0)
queue.flush()
while command.status != 1:
    time.sleep(0.001)
""")


def test_exit_while_kernels_print_for_ever() -> None:
    body = """
os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
queue = pthread.new_queue()
command = queue.ndrange(function("chatter"), Launch((100,), (1,)), b"", 0, 0)
queue.flush()
while command.status != 1:
    time.sleep(0.001)
"""
    # With so many threads one of them nearly always has the lock of standard output.
    for _ in range(4):
        run_program(PREAMBLE + body, WEFT_THREADS="16")


def test_exit_while_a_daemon_thread_runs_a_kernel_for_ever() -> None:
    run("""
queue = basic.new_queue()
command = queue.ndrange(function("forever"), GROUP, b"", 0, 0)
threading.Thread(target=queue.finish, daemon=True).start()
while command.status != 1:
    time.sleep(0.001)
""")


def test_exit_right_after_callbacks() -> None:
    run("""
queue = pthread.new_queue()
seen = []
for _ in range(500):
    queue.marker().on_status(0, seen.append)
""")


def test_exit_does_not_wait_for_a_callback_that_does_not_return() -> None:
    run("""
entered = threading.Event()
def callback(status):
    entered.set()
    time.sleep(3600)
pthread.new_queue().marker().on_status(0, callback)
entered.wait()
""")


def test_after_the_pool_has_stopped_commands_fail_and_waits_return() -> None:
    run("""
import atexit
from weft.device._pool import lib
user = pthread.user_command()
queue = pthread.new_queue()
held = queue.marker((user,))
lib.weft_stop()
assert queue.ndrange(function("empty"), GROUP, b"", 0, 0).status in (3, -5)
assert held.wait() == -5
assert queue.finish() == -5
other = pthread.new_queue(out_of_order=True)
assert other.ndrange(function("empty"), GROUP, b"", 0, 0).wait() == -5
lib.weft_stop()
""")


FORK = """
def in_child(check):
    child = os.fork()
    if child == 0:
        try:
            check()
        except BaseException as error:
            print(repr(error), flush=True)
            os._exit(1)
        os._exit(0)
    return child

def reap(child):
    end = time.monotonic() + 20
    while True:
        pid, status = os.waitpid(child, os.WNOHANG)
        if pid:
            assert status == 0, status
            return
        assert time.monotonic() < end, "the child hangs"
        time.sleep(0.002)

def count(device, launches=50):
    counter = np.zeros(1, np.uint64)
    queue = device.new_queue()
    for _ in range(launches):
        queue.ndrange(function("count"), Launch((64,), (1,)), words(address(counter)), 0, 0)
    assert queue.finish() == 0
    assert counter[0] == 64 * launches
"""


LITTLE_MEMORY = """
import resource
def leave(nbytes):
    taken = int(open("/proc/self/statm").read().split()[0]) * os.sysconf("SC_PAGESIZE")
    resource.setrlimit(resource.RLIMIT_AS, (taken + nbytes, resource.RLIM_INFINITY))
"""


def test_freed_memory_is_there_for_other_sizes_where_address_space_is_short() -> None:
    run(
        LITTLE_MEMORY
        + """
blocks = [pthread.allocate(64 << 20, 128) for _ in range(4)]
for block in blocks:
    pthread.free(block)
leave(16 << 20)
pthread.free(pthread.allocate(200 << 20, 128))
"""
    )


def test_a_waiting_thread_runs_what_becomes_ready_where_no_worker_can_be_started() -> None:
    run(
        LITTLE_MEMORY
        + """
user, log = pthread.user_command(), Log(1)
first, second = pthread.new_queue(), pthread.new_queue()
before = log.append(first, 7, (user,))
after = second.marker((before,))
waits = threading.Thread(target=after.wait)
waits.start()
time.sleep(0.1)  # it sleeps
leave(4 << 20)  # less than a stack
user.complete()
waits.join()
assert log.read() == [7]
"""
    )


def test_child_of_a_fork_gets_its_own_pool_and_the_parent_continues() -> None:
    run(
        FORK
        + """
for device in (pthread, basic):
    count(device)
    for _ in range(5):
        children = [in_child(lambda: count(device)) for _ in range(2)]
        count(device)
        for child in children:
            reap(child)
"""
    )


def test_commands_of_the_parent_fail_in_the_child() -> None:
    run(
        FORK
        + """
user = pthread.user_command()
queue, other = pthread.new_queue(), pthread.new_queue(out_of_order=True)
done = queue.marker()
held = spin(queue, 1000, wait=(user,))
held_too = spin(other, 1000, wait=(user,))
other.barrier()

def check():
    assert done.status == 0
    assert held.status == held.wait() == held_too.wait() == user.wait() == -5
    user.complete()
    assert queue.marker((held,)).wait() == -14
    assert queue.marker((done,)).wait() == 0
    assert queue.finish() == 0
    for used in (queue, other):
        assert spin(used, 1000, groups=20).wait() == 0
        assert used.finish() == 0
    log = Log(1)
    log.append(other, 5)
    assert other.finish() == 0
    assert log.read() == [5]

reap(in_child(check))
assert held.status == 3
user.complete()
assert queue.finish() == other.finish() == 0
"""
    )


def test_fork_while_other_threads_are_busy() -> None:
    run(
        FORK
        + """
stop = threading.Event()
def busy(device, out_of_order):
    queue = device.new_queue(out_of_order=out_of_order)
    while not stop.is_set():
        for _ in range(20):
            spin(queue, 1000, groups=10)
        queue.finish()

threads = [threading.Thread(target=busy, args=(d, o)) for d in (pthread, basic) for o in (False, True)]
for thread in threads:
    thread.start()
for _ in range(20):
    reap(in_child(lambda: (count(pthread, 5), count(basic, 5))))
stop.set()
for thread in threads:
    thread.join()
"""
    )


def test_a_child_may_drop_what_its_parent_watches() -> None:
    run(
        FORK
        + """
user = [pthread.user_command()]
user[0].on_status(0, print)

def check():
    user.clear()
    mine = threading.Event()
    pthread.new_queue().marker().on_status(0, lambda status: mine.set())
    assert mine.wait(20)
    also = threading.Event()
    pthread.new_queue().marker().on_status(0, lambda status: also.set())
    assert also.wait(20)

reap(in_child(check))
"""
    )


def test_callbacks_are_refused_where_no_thread_can_be_started() -> None:
    run("""
def refuse(thread):
    raise RuntimeError("can't start new thread")
start, threading.Thread.start = threading.Thread.start, refuse
marker = pthread.new_queue().marker()
try:
    marker.on_status(0, print)
except MemoryError:
    pass
else:
    raise AssertionError
threading.Thread.start = start
told = threading.Event()
marker.on_status(0, lambda status: told.set())
assert told.wait(20)
""")


def test_callbacks_work_in_the_child() -> None:
    run(
        FORK
        + """
seen = []
pthread.new_queue().marker().on_status(0, seen.append)

def check():
    mine = threading.Event()
    pthread.new_queue().marker().on_status(0, lambda status: mine.set())
    assert mine.wait(20)

reap(in_child(check))
"""
    )


def test_child_process_exits_cleanly_through_the_interpreter() -> None:
    run(
        FORK
        + """
queue = pthread.new_queue()
spin(queue, 1_000_000, groups=100)
child = os.fork()
if child == 0:
    spin(pthread.new_queue(), 1_000_000, groups=100)
    queue.marker().on_status(0, lambda status: None)
    sys.exit(0)
reap(child)
"""
    )


def test_processes_made_by_multiprocessing_use_the_device() -> None:
    run(
        FORK
        + """
import multiprocessing
context = multiprocessing.get_context("fork")
count(pthread)
workers = [context.Process(target=count, args=(pthread,)) for _ in range(3)]
for worker in workers:
    worker.start()
for worker in workers:
    worker.join(20)
    assert worker.exitcode == 0
"""
    )
