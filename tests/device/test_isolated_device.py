"""The device `isolated`: what it runs, what it survives and what it says."""

import contextlib
import ctypes
import gc
import os
import signal
import struct
import textwrap
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from device_support import eventually, run_program
from hostile_kernels import HOSTILE, LATE, Hostile
from weft.device._pool import lib

from weft.device import isolated
from weft.device.base import Command, Device, Launch
from weft.device.info import host_facts
from weft.device.region import Region
from weft.program import Kernel, build

pytestmark = pytest.mark.skipif(
    not isolated.is_available(), reason="there is no device server for this processor"
)

ITEMS = 1024
GOOD = "kernel void good(global int *a, long n) { int i = get_global_id(0); a[i] = 3 * i + (int)n; }"


class Isolated:
    """A device of its own with 64 MiB, and two threads."""

    def __init__(self) -> None:
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("WEFT_ISOLATED_MEMORY", "64M")
            patch.setenv("WEFT_THREADS", "2")
            self.device = Device(isolated.describe(host_facts()))
        assert isinstance(self.device.memory, Region)
        self.region: Region = self.device.memory
        self.buffer = self.device.allocate(4 * ITEMS)
        self.good = build(GOOD, "").kernels["good"]

    def start(
        self, kernel: Kernel, number: int = 0, items: int = 256, wait: tuple[Command, ...] = ()
    ) -> Command:
        """A command that runs a kernel of the buffer and a number."""
        local = (min(items, 64), 1, 1)
        function = kernel.on(self.region).work_group_function(local)
        context = function.context_bytes(local)
        self.region.reserve_arenas(kernel.local_bytes, context)
        lib.weft_name_function(function.address, kernel.name.encode())
        self.function = function  # as long as the command may run
        self.queue = self.device.new_queue()
        args = struct.pack("<Qq", self.buffer, number)
        return self.queue.ndrange(
            function.address, Launch((items,), local[:1]), args, kernel.local_bytes, context, wait
        )

    def memory(self) -> np.ndarray:
        """The buffer."""
        return np.frombuffer((ctypes.c_int32 * ITEMS).from_address(self.buffer), np.int32)

    def works(self) -> bool:
        """Whether a kernel gives the right result."""
        self.memory()[:] = 0
        command = self.start(self.good, 5, ITEMS)
        return command.wait() == 0 and bool((self.memory() == 3 * np.arange(ITEMS) + 5).all())


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


def has_ended(server: Path) -> bool:
    """Whether all threads of a process have ended; nobody has waited for it yet."""
    status = (server / "status").read_text()
    return "(zombie)" in status and "Threads:\t1\n" in status


def servers() -> list[Path]:
    """The device servers that this process has started and that have not ended."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):  # it has ended
            name, _, rest = (folder / "stat").read_text().rpartition(")")
            if "weft_device_ser" in name and rest.split()[1] == str(os.getpid()):
                found.append(folder)
    return found


PROGRAM = """
    import sys
    sys.path.insert(0, {folder!r})
    from test_isolated_device import Isolated, GOOD, servers
    from weft.program import build
    one = Isolated()
    source = "kernel void loop(global int *a, long n) {{ volatile global int *p = a; while (!p[1]) ; }}"
    loop = build(source, "")
    one.memory()[:] = 0
"""


def run_with_loop(body: str) -> str:
    program = textwrap.dedent(PROGRAM).format(folder=str(Path(__file__).parent)) + textwrap.dedent(body)
    return run_program(program)


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


def test_child_of_a_fork_has_no_such_device() -> None:
    said = run_with_loop("""
        import os
        assert one.works()
        child = os.fork()
        if not child:
            try:
                one.device.allocate(100)
            except MemoryError as error:
                print(error, flush=True)
            os._exit(0)
        os.waitpid(child, 0)
        print(one.works())
    """)
    assert said == "the memory of the device belongs to the parent of this process\nTrue\n"


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


def test_memory_that_a_stray_kernel_touched_goes_back(isolated_device: Isolated) -> None:
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
