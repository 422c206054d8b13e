"""The device `isolated` while commands of several queues run: faults, ends of servers and what they leave."""

import os
import signal
import textwrap
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from device_support import eventually, run_program
from isolated_support import ITEMS, Isolated, servers

from weft.device import isolated
from weft.device.base import Command
from weft.program import Kernel, build

pytestmark = pytest.mark.skipif(
    not isolated.is_available(), reason="there is no device server for this processor"
)

SECOND = 1_000_000_000
SOURCE = """
    kernel void bad(global int *a, long n) { *(volatile global int *)8 = 1; }
    kernel void loop(global int *a, long n) { volatile global int *p = a; while (p[1] != 77) ; }
    kernel void second(global int *a, long n) {
        volatile int x[64];
        volatile global int *p = a;
        if (get_group_id(0) < 2) while (p[1] != 77) ;
        for (long k = 0;; k -= 64) x[k] = 1;
    }
    kernel void meet(global int *a, long n) {
        volatile global int *p = a;
        if (get_local_id(0) == 0) { atomic_inc(p); while (*p < 2) ; }
        barrier(CLK_LOCAL_MEM_FENCE);
        if (get_group_id(0) == 1) { volatile int x[64]; for (long k = 0;; k -= 64) x[k] = 1; }
        while (p[1] != 77) ;
    }
    kernel void flood(global int *a, long n) {
        for (long k = 0; k < n; k++) printf("%50d %50d %50d %50d\\n", (int)k, 1, 2, 3);
    }
    kernel void endless_flood(global int *a, long n) { for (;;) printf("%100d\\n", (int)n); }
"""


@pytest.fixture(scope="module")
def one() -> Isolated:
    return Isolated()


@pytest.fixture(scope="module")
def kernels() -> dict[str, Kernel]:
    return dict(build(SOURCE, "").kernels)


@pytest.fixture
def limited(one: Isolated) -> Iterator[Isolated]:
    one.memory()[:] = 0
    one.region.set_limit(20 * SECOND)
    yield one
    one.region.set_limit(0)


def server_of(one: Isolated) -> int:
    """The process of a device that has run something."""
    known = set(servers())
    for server in known:
        os.kill(int(server.name), signal.SIGKILL)
        os.waitpid(int(server.name), 0)
    assert one.works()
    (server,) = servers()
    return int(server.name)


def test_loop_in_one_queue_ends_and_the_other_queue_continues(
    limited: Isolated, kernels: dict[str, Kernel]
) -> None:
    limited.region.set_limit(SECOND // 2)
    first, second = limited.device.new_queue(), limited.device.new_queue()
    looping = limited.start(kernels["loop"], queue=first)
    first.flush()
    later = [limited.start(limited.good, 5, ITEMS, queue=queue) for queue in (second, first)]
    second.flush()
    limited.region.set_limit(SECOND // 2)
    assert [later[0].wait(), later[1].wait(), looping.wait()] == [0, 0, -5]


def test_fault_in_each_of_many_queues_fails_its_own_commands_only(
    limited: Isolated, kernels: dict[str, Kernel], capfd: pytest.CaptureFixture[str]
) -> None:
    commands: list[tuple[Command, int]] = []
    for number in range(8):
        queue = limited.device.new_queue(out_of_order=number % 2 == 1)
        faults = number % 3 == 0
        first = limited.start(kernels["bad"] if faults else limited.good, queue=queue)
        commands += [(first, -5 if faults else 0), (limited.start(limited.good, queue=queue), 0)]
        queue.flush()
    found: list[list[int]] = [[] for _ in range(3)]

    def wait(into: list[int]) -> None:
        into.extend(command.wait() for command, _ in commands)

    threads = [threading.Thread(target=wait, args=(into,)) for into in found]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert found == [[expected for _, expected in commands]] * 3
    assert capfd.readouterr().err.count("kernel 'bad': invalid memory access at 0x8") == 3


def test_fault_propagates_through_a_chain_that_a_user_command_starts(
    limited: Isolated, kernels: dict[str, Kernel]
) -> None:
    start = limited.device.user_command()
    queue = limited.device.new_queue(out_of_order=True)
    bad = limited.start(kernels["bad"], wait=(start,), queue=queue)
    chain = [bad]
    for _ in range(5):
        chain.append(limited.start(limited.good, wait=(chain[-1],), queue=queue))
    copied = queue.copy(limited.buffer, limited.buffer + 2048, 1024, (chain[-1],))
    beside = limited.start(limited.good, queue=queue)
    seen: list[int] = []
    for command in (bad, copied, beside):
        command.on_status(0, seen.append)
    start.complete(0)
    assert [command.wait() for command in chain] == [-5] + [-14] * 5
    assert (copied.wait(), beside.wait()) == (-14, 0)
    assert eventually(lambda: len(seen) == 3)
    assert sorted(seen) == [-14, -5, 0]


@pytest.mark.parametrize("name", ["second", "meet"])
def test_stack_overflow_while_other_threads_run_the_kernel(
    limited: Isolated, kernels: dict[str, Kernel], capfd: pytest.CaptureFixture[str], name: str
) -> None:
    if name == "meet" and len(os.sched_getaffinity(0)) < 2:
        pytest.skip("its work-groups wait for each other")
    assert limited.start(kernels[name], items=128 if name == "meet" else 512).wait() == -5
    said = capfd.readouterr().err
    assert said.startswith(f"weft: kernel '{name}': ")
    assert limited.works()


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSEGV, signal.SIGTERM])
def test_signal_from_outside_ends_the_launch_that_runs(
    limited: Isolated, kernels: dict[str, Kernel], capfd: pytest.CaptureFixture[str], number: int
) -> None:
    server = server_of(limited)
    limited.memory()[:] = 0
    command = limited.start(kernels["loop"])
    limited.queue.flush()
    assert eventually(lambda: command.status == 1)
    os.kill(server, number)
    assert command.wait() == -5
    assert capfd.readouterr().err.startswith("weft: kernel 'loop': ")
    assert limited.works()


def stop(server: int) -> None:
    """Stop a process; returns when all its threads have stopped."""

    def is_stopped(thread: Path) -> bool:
        return (thread / "stat").read_text().rpartition(") ")[2].startswith("T")

    os.kill(server, signal.SIGSTOP)
    assert eventually(lambda: all(map(is_stopped, Path(f"/proc/{server}/task").iterdir())))


def test_stopped_server_is_ended_by_the_limit(limited: Isolated) -> None:
    server = server_of(limited)
    stop(server)
    limited.region.set_limit(SECOND // 2)
    assert limited.start(limited.good).wait() == -5
    limited.region.set_limit(20 * SECOND)
    assert limited.works()
    assert str(server) not in [path.name for path in servers()]


def test_stopped_server_continues(limited: Isolated) -> None:
    server = server_of(limited)
    stop(server)
    threading.Timer(0.3, os.kill, (server, signal.SIGCONT)).start()
    assert limited.works()
    assert [path.name for path in servers()] == [str(server)]


def test_flood_of_output_arrives_whole(
    limited: Isolated, kernels: dict[str, Kernel], capfd: pytest.CaptureFixture[str]
) -> None:
    assert limited.start(kernels["flood"], 20_000, 1).wait() == 0
    lines = capfd.readouterr().out.splitlines()
    assert len(lines) == 20_000
    assert [int(line.split()[0]) for line in lines] == list(range(20_000))


def test_endless_flood_of_output_is_ended_by_the_limit(
    limited: Isolated, kernels: dict[str, Kernel], capfd: pytest.CaptureFixture[str]
) -> None:
    limited.region.set_limit(SECOND // 4)
    assert limited.start(kernels["endless_flood"]).wait() == -5
    assert "longer than WEFT_ISOLATED_SECONDS" in capfd.readouterr().err
    limited.region.set_limit(20 * SECOND)
    assert limited.works()


def resources() -> tuple[int, int]:
    """Open files and mappings of this process."""
    return len(os.listdir("/proc/self/fd")), Path("/proc/self/maps").read_text().count("\n")


def test_a_hundred_faults_leave_nothing(limited: Isolated, kernels: dict[str, Kernel]) -> None:
    def fault(times: int) -> None:
        for number in range(times):
            name = "bad" if number % 10 else "second"
            limited.memory()[:] = 0
            assert limited.start(kernels[name], items=512).wait() == -5
            limited.functions.clear()

    fault(5)
    (files, maps), started, others = resources(), limited.region.starts, len(servers())
    statistics = limited.region.statistics()
    fault(100)
    assert limited.region.starts == started + 100
    files_now, maps_now = resources()
    assert files_now == files
    assert maps_now < maps + 10  # the heap of the C library may grow; even each tenth fault would show
    assert len(servers()) == others
    assert limited.region.statistics() == statistics
    assert limited.works()


# A system call with arguments of the kernel's own; it does not come back, so registers may be lost.
CALL = r"""
    kernel void call(global int *a, long n) {
        __asm__ volatile("movq %0, %%rax\n movq 8(%%rax), %%rdi\n movq 16(%%rax), %%rsi\n"
                         "movq 24(%%rax), %%rdx\n movq 32(%%rax), %%r10\n movq 40(%%rax), %%r8\n"
                         "movq 48(%%rax), %%r9\n movq (%%rax), %%rax\n"
                         "syscall\n 1: jmp 1b" :: "r"(a) : "memory");
    }
"""
EXECUTABLE, ANONYMOUS, SHARED_FUTEX_WAKE, LOCK_PI = 7, 0x22, 1, 6
CALLS = {
    "mmap, executable": (9, 0, 4096, EXECUTABLE, ANONYMOUS, -1, 0),
    "mprotect": (10, 0, 4096, EXECUTABLE),
    "madvise": (28, 0, 4096, 4),
    "open": (2, 0, 0, 0),
    "clone": (56, 0x11, 0, 0),
    "execve": (59, 0, 0, 0),
    "kill": (62, 1, 9),
    "tgkill": (234, 1, 1, 9),
    "ptrace": (101, 16, 1, 0, 0),
    "sendmsg, which passes files": (46, 3, 0, 0),
    "socket": (41, 1, 1, 0),
    "sendto on another file": (44, 6, 0, 0, 0, 0, 0),
    "sendto another address": (44, 3, 0, 0, 0, 4096, 16),
    "prlimit64": (302, 0, 9, 0, 0),
    "process_vm_writev": (311, 1, 0, 0, 0, 0, 0),
    "futex of another process": (202, 0, SHARED_FUTEX_WAKE, 1, 0, 0, 0),
    "futex that raises priorities": (202, 0, LOCK_PI | 128, 0, 0, 0, 0),
    "rt_sigaction": (13, 11, 0, 0, 8),
    "io_uring_setup": (425, 1, 0),
    "x32 exit": (0x40000000 + 60, 0),
}


@pytest.mark.parametrize("name", CALLS)
def test_kernel_cannot_make_system_call(
    limited: Isolated, capfd: pytest.CaptureFixture[str], name: str
) -> None:
    kernel = build(CALL, "").kernels["call"]
    words = limited.memory().view("int64")
    words[:8] = [*CALLS[name], *[0] * (8 - len(CALLS[name]))]
    limited.region.set_limit(5 * SECOND)
    assert limited.start(kernel, 0, 1).wait() == -5
    assert capfd.readouterr().err == "weft: kernel 'call': a system call that kernels may not make\n"
    assert limited.works()


# What programs see, with callbacks, mappings, sub-buffers and the release of everything.
PROGRAM = """
    import threading, time, warnings
    import numpy as np
    warnings.simplefilter("ignore")
    import pyopencl as cl
    (platform,) = (p for p in cl.get_platforms() if p.name == "Weft")
    context = cl.Context(platform.get_devices())
    unordered = cl.command_queue_properties.OUT_OF_ORDER_EXEC_MODE_ENABLE
    queue, other = cl.CommandQueue(context), cl.CommandQueue(context, properties=unordered)
    program = cl.Program(context, '''
        kernel void bad(global int *a) { *(volatile global int *)8 = 1; }
        kernel void add(global int *a) { a[get_global_id(0)] += 1; }
        kernel void loop(global int *a) { volatile global int *p = a; while (p[0] != 77) ; }
    ''').build()
    bad, add, loop = program.bad, program.add, program.loop
    flags = cl.mem_flags.READ_WRITE
    buffer = cl.Buffer(context, flags, 4096)
    part = buffer.get_sub_region(1024, 1024)
    cl.enqueue_fill_buffer(queue, buffer, np.int32(5), 0, 4096)
    queue.finish()
    def failed(event):
        try:
            event.wait()
        except cl.RuntimeError:
            pass
        return event.command_execution_status
"""


def run_client(body: str) -> str:
    program = textwrap.dedent(PROGRAM) + textwrap.dedent(body)
    quiet = "import os; os.dup2(os.open(os.devnull, os.O_WRONLY), 2)\n"
    return run_program(quiet + program, 300, WEFT_DEVICES="isolated", PYOPENCL_NO_CACHE="1")


def test_mapped_pointers_and_parts_of_buffers_outlive_a_fault() -> None:
    said = run_client("""
        access = cl.map_flags.READ | cl.map_flags.WRITE
        mapped, _ = cl.enqueue_map_buffer(queue, part, access, 0, (256,), np.int32)
        mapped[:] = 7
        print(failed(bad(other, (256,), None, part)))
        print(set(mapped.tolist()))
        mapped[:] = 8
        mapped.base.release(queue)
        add(queue, (256,), None, part)
        found = np.zeros(1024, np.int32)
        cl.enqueue_copy(queue, found, buffer)
        print(set(found[:256].tolist()), set(found[256:512].tolist()), set(found[512:].tolist()))
    """)
    assert said == "-5\n{7}\n{5} {9} {5}\n"


def test_callbacks_and_profiles_of_commands_around_a_fault() -> None:
    said = run_client("""
        start, seen = cl.UserEvent(context), []
        events = [bad(other, (256,), None, buffer, wait_for=[start])]
        events.append(add(other, (256,), None, buffer, wait_for=[events[0]]))
        events.append(cl.enqueue_fill_buffer(other, part, np.int32(1), 0, 1024, wait_for=[events[1]]))
        events.append(add(other, (1024,), None, buffer, wait_for=[start]))
        ended = cl.command_execution_status.COMPLETE
        for number, event in enumerate(events):
            event.set_callback(ended, lambda status, n=number: seen.append((n, status)))
        other.flush()
        start.set_status(0)
        print([failed(event) for event in events])
        until = time.monotonic() + 20
        while len(seen) < 4 and time.monotonic() < until:
            time.sleep(0.01)
        print(sorted(seen))
    """)
    assert said == "[-5, -14, -14, 0]\n[(0, -5), (1, -14), (2, -14), (3, 0)]\n"


def test_everything_can_be_released_while_a_kernel_faults_or_loops() -> None:
    said = run_client("""
        for round in range(5):
            some = [cl.Buffer(context, flags, 1 << 16) for _ in range(4)]
            queues = [cl.CommandQueue(context) for _ in range(3)]
            for one in queues:
                for each in some:
                    (bad if round % 2 else add)(one, (256,), None, each)
                one.flush()
            for each in some:
                each.release()
            del queues, one
        last = cl.CommandQueue(context)
        loop(last, (1,), None, buffer)
        last.flush()
        del last
        part.release()
        buffer.release()
        del program, bad, add, loop, queue, other
        print("released")
    """)
    assert said == "released\n"
