"""The device `isolated`: what it runs, what it survives and what it says."""

import ctypes
import gc
import os
import signal
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest
from device_support import eventually
from hostile_kernels import HOSTILE, LATE, Hostile
from isolated_support import ITEMS, Isolated, has_ended, run_with_loop, servers

from weft.device import isolated
from weft.program import build

pytestmark = pytest.mark.skipif(
    not isolated.is_available(), reason="there is no device server for this processor"
)


@pytest.fixture(scope="module")
def isolated_device() -> Isolated:
    return Isolated()


@pytest.fixture
def limited(isolated_device: Isolated) -> Iterator[Isolated]:
    isolated_device.region.set_limit(20_000_000_000)
    yield isolated_device
    isolated_device.region.set_limit(0)


def run_hostile(limited: Isolated, hostile: Hostile) -> int:
    limited.memory()[:] = 0
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("WEFT_INLINE", "0" if hostile.before else "1")
        kernel = build(hostile.source, "").kernels[hostile.name]
    if hostile.told == LATE:
        limited.region.set_limit(300_000_000)
    status = limited.start(kernel, hostile.number, hostile.items).wait()
    limited.region.set_limit(20_000_000_000)
    return status


@pytest.mark.parametrize("hostile", HOSTILE, ids=lambda hostile: hostile.name)
def test_host_survives_hostile_kernel(
    limited: Isolated, hostile: Hostile, capfd: pytest.CaptureFixture[str]
) -> None:
    assert limited.works()
    capfd.readouterr()
    servers = limited.region.starts
    status = run_hostile(limited, hostile)
    said = capfd.readouterr().err
    if hostile.told is not None:
        assert status == -5
    if status:
        assert said.startswith(f"weft: kernel '{hostile.name}': ")
        assert said.count("\n") == 1
        assert (hostile.told or "") in said
    assert limited.works()
    assert limited.region.starts == servers + (status != 0)


def test_fault_names_address_and_work_items(
    isolated_device: Isolated, capfd: pytest.CaptureFixture[str]
) -> None:
    source = (
        "kernel void scatter(global int *a, long n) { if (get_global_id(0) == 70) *(global int *)n = 1; }"
    )
    kernel = build(source, "-cl-opt-disable").kernels["scatter"]
    assert isolated_device.start(kernel, 4096).wait() == -5
    said = "weft: kernel 'scatter': invalid memory access at 0x1000 by work-items with global ids [64, 127]\n"
    assert capfd.readouterr().err == said


def test_commands_that_wait_for_a_fault_fail_and_others_run(isolated_device: Isolated) -> None:
    bad = build("kernel void bad(global int *a, long n) { *(global int *)n = 1; }", "").kernels["bad"]
    first = isolated_device.start(bad, 8)
    assert isolated_device.start(isolated_device.good, 5, ITEMS, (first,)).wait() == -14
    assert isolated_device.works()


def test_buffers_keep_what_was_written_before_a_fault(isolated_device: Isolated) -> None:
    other = isolated_device.device.allocate(4096)
    ctypes.memset(other, 0x5A, 4096)
    bad = build("kernel void bad(global int *a, long n) { *(global int *)n = 1; }", "").kernels["bad"]
    assert isolated_device.start(bad, 8).wait() == -5
    assert ctypes.string_at(other, 4096) == b"\x5a" * 4096
    isolated_device.device.free(other)


def test_code_and_buffers_go_back(isolated_device: Isolated) -> None:
    assert isolated_device.works()
    gc.collect()
    before = {name: part.allocated for name, part in isolated_device.region.statistics().items()}
    kernel = build("kernel void once(global int *a, long n) { a[get_global_id(0)] = 9; }", "").kernels["once"]
    assert isolated_device.start(kernel).wait() == 0
    assert isolated_device.region.statistics()["code"].allocated > before["code"]
    address = isolated_device.device.allocate(20 << 20)
    isolated_device.device.free(address)
    del kernel
    assert isolated_device.works()
    gc.collect()
    assert {name: part.allocated for name, part in isolated_device.region.statistics().items()} == before


def test_server_that_ended_on_its_own_is_no_failure_of_the_next_kernel(isolated_device: Isolated) -> None:
    assert isolated_device.works()
    for server in servers():
        os.kill(int(server.name), signal.SIGKILL)
        assert eventually(partial(has_ended, server))
    started = isolated_device.region.starts
    assert isolated_device.works()
    assert isolated_device.region.starts == started + 1


def test_devices_share_the_buffers_of_one_of_them(isolated_device: Isolated) -> None:
    other = Isolated()
    source = "global int n; kernel void count(global int *a, long m) { a[0] = ++n; }"
    count = build(source, "-cl-std=CL3.0").kernels["count"]
    assert other.start(count, items=1).wait() == 0
    assert other.region.share(isolated_device.region)
    other.buffer = isolated_device.buffer
    assert other.start(count, items=1).wait() == 0
    assert isolated_device.memory()[0] == 2  # another server, the same variables
    assert other.works()
    assert other.region.share(isolated_device.region)
    assert other.region.starts == 2
    assert isolated_device.works()


def test_device_reaches_no_buffers_of_others_that_it_does_not_share(isolated_device: Isolated) -> None:
    other = Isolated()
    other.buffer = isolated_device.buffer
    isolated_device.memory()[:] = 1
    assert other.start(other.good, 5, ITEMS).wait() == -5
    assert (isolated_device.memory() == 1).all()


def test_memory_is_bounded(isolated_device: Isolated) -> None:
    with pytest.raises(MemoryError, match="bytes of device memory are free"):
        isolated_device.device.allocate(65 << 20)
    assert isolated_device.works()


def test_server_has_no_system_calls_and_no_more_memory(isolated_device: Isolated) -> None:
    assert isolated_device.works()
    server = next(iter(servers()))
    status = (server / "status").read_text().splitlines()
    assert "Seccomp:\t2" in status
    assert "NoNewPrivs:\t1" in status
    (memory,) = (line for line in (server / "limits").read_text().splitlines() if "address space" in line)
    assert memory.split()[3:5] == ["0", "0"]


def test_server_ends_with_the_program() -> None:
    pid = run_with_loop("""
        import time
        command = one.start(loop.kernels["loop"])
        one.queue.flush()
        while not servers() or one.region.starts != 1:
            time.sleep(0.01)
        time.sleep(0.1)
        print(servers()[0].name)
    """)
    assert not Path(f"/proc/{pid.strip()}").exists()


@pytest.mark.parametrize("taken_by", ["main thread", "worker"])
def test_interrupt_ends_an_endless_kernel(taken_by: str) -> None:
    said = run_with_loop(f"""
        import os, signal, threading, time
        from weft.device import interrupts
        command = one.start(loop.kernels["loop"])
        if {taken_by == "worker"}:
            one.queue.flush()
            while not one.region.starts:
                time.sleep(0.01)
        threading.Timer(0.7, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
        try:
            command.wait()
        except KeyboardInterrupt:
            print("interrupted")
        print(one.works())
    """)
    assert said == "interrupted\nTrue\n"


def test_child_of_a_fork_has_a_copy_of_the_memory_and_no_server() -> None:
    said = run_with_loop("""
        import ctypes, os
        assert one.works()
        before = one.memory().copy()
        reader, writer = os.pipe()
        child = os.fork()
        if not child:
            os.dup2(writer, 2)
            copy, queue = one.device.allocate(4096), one.device.new_queue()
            print(queue.copy(copy, one.buffer, 4096).wait(), queue.fill(one.buffer, b"x", 4096).wait())
            print(ctypes.string_at(copy, 4096) == before.tobytes(), set(ctypes.string_at(one.buffer, 4096)))
            one.device.free(copy)
            print(one.start(one.good).wait(), one.start(loop.kernels["loop"]).wait(), flush=True)
            os._exit(0)
        assert os.waitpid(child, 0)[1] == 0
        print(os.read(reader, 1000).decode(), end="")
        print((one.memory() == before).all(), one.works())
    """)
    assert said == (
        "0 0\nTrue {120}\n-5 -5\n"
        "weft: kernel 'good': the device runs no kernels in the child of a fork\n"
        "weft: kernel 'loop': the device runs no kernels in the child of a fork\n"
        "True True\n"
    )


# sendto(SERVER_SOCKET, reply, 32, MSG_NOSIGNAL, NULL, 0); it never comes back, so registers may be lost.
FORGE = r"""
    kernel void forge(global int *a, long n) {
        global long *reply = (global long *)a;
        reply[0] = 5; reply[1] = n; reply[2] = -1; reply[3] = -1;
        __asm__ volatile("movq %0, %%rsi\n movl $44, %%eax\n movl $3, %%edi\n movl $32, %%edx\n"
                         "movl $0x4000, %%r10d\n xorl %%r8d, %%r8d\n xorl %%r9d, %%r9d\n syscall\n 1: jmp 1b"
                         :: "r"(reply) : "memory");
    }
"""


def test_kernel_cannot_say_that_a_launch_is_done(capfd: pytest.CaptureFixture[str]) -> None:
    fresh = Isolated()
    fresh.region.set_limit(20_000_000_000)
    fresh.memory()[:] = 0
    kernel = build(FORGE, "").kernels["forge"]
    assert fresh.start(kernel, 1, 1).wait() == -5
    assert capfd.readouterr().err == "weft: kernel 'forge': its process sent what is no message\n"
    assert fresh.works()


def test_children_of_forks_do_not_hide_the_end_of_a_server() -> None:
    said = run_with_loop("""
        import os, signal, threading, time
        call = '__asm__ volatile("movl $39, %%eax; syscall" ::: "memory");'  # ends without a message
        source = f"kernel void bad(global int *a, long n) {{ {call} a[0] = n; }}"
        bad = build(source, "").kernels["bad"]
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
        one.start(bad).wait()
        statuses = []
        def run():
            for _ in range(12):
                statuses.append(one.start(bad).wait())
        thread = threading.Thread(target=run)
        thread.start()
        children = []
        until = time.monotonic() + 20
        while thread.is_alive() and time.monotonic() < until:
            if len(children) < 150:
                child = os.fork()
                if not child:
                    signal.pause()
                children.append(child)
            thread.join(0.001)
        print(statuses == [-5] * 12, flush=True)
        for child in children:
            os.kill(child, signal.SIGKILL)
        os._exit(0)
    """)
    assert said == "True\n"


def test_process_that_has_the_number_of_a_former_server_is_left_alone(isolated_device: Isolated) -> None:
    bad = build("kernel void bad(global int *a, long n) { __builtin_trap(); }", "").kernels["bad"]
    assert isolated_device.start(bad).wait() == -5
    others = set(servers())
    assert isolated_device.works()
    (server,) = (int(server.name) for server in set(servers()) - others)
    os.kill(server, signal.SIGKILL)
    os.waitpid(server, 0)
    try:
        Path("/proc/sys/kernel/ns_last_pid").write_text(str(server - 1))
    except OSError:
        pytest.skip("the numbers of new processes can be set by privileged users only")
    child = os.fork()
    if not child:
        signal.pause()
    try:
        assert isolated_device.works()
        assert os.waitpid(child, os.WNOHANG) == (0, 0)
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
    if child != server:
        pytest.skip("another process was given the number")


def test_memory_that_a_stray_kernel_touched_is_returned(isolated_device: Isolated) -> None:
    walk = "kernel void walk(global int *a, long n) { for (volatile global int *p = a;; p += 1024) *p = n; }"
    kernel = build(walk, "").kernels["walk"]
    assert isolated_device.start(kernel, 1, 1).wait() == -5
    largest = isolated_device.region.statistics()["buffers"].largest_free
    address = isolated_device.device.allocate(largest)
    assert not any(ctypes.string_at(address + largest - (1 << 20), 1 << 20))
    isolated_device.device.free(address)


def test_server_whose_main_thread_is_lost_ends_with_the_program() -> None:
    pid = run_with_loop(r"""
        import os, time
        import numpy as np
        from pathlib import Path
        source = r'''
            kernel void stay(global int *a, long n) {
                global long *m = (global long *)a;
                __asm__ volatile("leaq 1f(%%rip), %0; jmp 2f; 1: jmp 1b; 2:" : "=r"(m[0]) :: "memory");
                for (long p = m[1]; p < m[2]; p += 8) *(volatile global long *)p = m[0];
                *(volatile global long *)&m[3] = 1;
                for (;;) *(volatile global long *)m;
            }'''
        stay = build(source, "").kernels["stay"]
        assert one.works()
        (server,) = servers()
        try:
            places = (server / "maps").read_text().splitlines()
        except PermissionError:
            print(0)
            os._exit(0)
        (stack,) = (line.split()[0] for line in places if "[stack]" in line)
        words = one.memory().view(np.int64)
        words[1:4] = [int(end, 16) for end in stack.split("-")] + [0]
        command = one.start(stay, 0, 1)
        one.queue.flush()
        while not words[3]:
            time.sleep(0.01)
        print(server.name, flush=True)
        os._exit(0)
    """)
    server = Path("/proc") / pid.strip()
    if server.name == "0":
        pytest.skip("only a privileged user sees where the server's stack is")

    def is_gone() -> bool:
        return not server.exists() or "(zombie)" in (server / "status").read_text()

    try:
        assert eventually(is_gone, 5)
    finally:
        if not is_gone():
            os.kill(int(server.name), signal.SIGKILL)


def test_servers_start_wherever_their_region_lies(capfd: pytest.CaptureFixture[str]) -> None:
    # Regions lie at 64 places. All are taken but the one that comes last.
    step, first, private, anonymous, fixed = 1 << 39, 1 << 45, 0x2, 0x20, 0x100000
    libc = ctypes.CDLL(None, use_errno=True)
    libc.mmap.restype = ctypes.c_void_p
    libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, *[ctypes.c_int] * 3, ctypes.c_long]
    libc.munmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
    places = [first + (os.getpid() + i) % 64 * step for i in range(64)]
    taken = []
    try:
        for place in places[:-1]:
            if libc.mmap(place, 4096, 0, private | anonymous | fixed, -1, 0) == place:
                taken.append(place)
        device = Isolated()
        assert device.region.allocate(1, 1) >= places[-1]
        assert device.works()
    finally:
        for place in taken:
            libc.munmap(place, 4096)
    assert capfd.readouterr().err == ""
