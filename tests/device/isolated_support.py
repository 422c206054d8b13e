"""What the tests of the device `isolated` share: a device of its own, its servers, programs that use it."""

import contextlib
import ctypes
import os
import struct
import textwrap
from pathlib import Path

import numpy as np
import pytest
from device_support import run_program
from weft.device._pool import lib

from weft.device import isolated
from weft.device.base import Command, Device, Launch, Queue
from weft.device.info import host_facts
from weft.device.region import Region
from weft.program import Kernel, build

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
        self.functions: list[object] = []

    def start(
        self,
        kernel: Kernel,
        number: int = 0,
        items: int = 256,
        wait: tuple[Command, ...] = (),
        queue: Queue | None = None,
    ) -> Command:
        """A command that runs a kernel of the buffer and a number, in a queue of its own if none is given."""
        local = (min(items, 64), 1, 1)
        function = kernel.on(self.region).work_group_function(local)
        context = function.context_bytes(local)
        self.region.reserve_arenas(kernel.local_bytes, context)
        lib.weft_name_function(function.address, kernel.name.encode())
        self.functions.append(function)  # as long as commands may run
        self.queue = queue or self.device.new_queue()
        args = struct.pack("<Qq", self.buffer, number)
        return self.queue.ndrange(
            function.address, Launch((items,), local[:1]), args, kernel.local_bytes, context, wait
        )

    def memory(self) -> np.ndarray:
        """The buffer."""
        return np.frombuffer((ctypes.c_int32 * ITEMS).from_address(self.buffer), np.int32)

    def works(self) -> bool:
        """Whether a kernel gives the right result."""
        self.functions.clear()
        self.memory()[:] = 0
        command = self.start(self.good, 5, ITEMS)
        return command.wait() == 0 and bool((self.memory() == 3 * np.arange(ITEMS) + 5).all())


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
    from isolated_support import Isolated, GOOD, servers
    from weft.program import build
    one = Isolated()
    source = "kernel void loop(global int *a, long n) {{ volatile global int *p = a; while (!p[1]) ; }}"
    loop = build(source, "")
    one.memory()[:] = 0
"""


def run_with_loop(body: str) -> str:
    program = textwrap.dedent(PROGRAM).format(folder=str(Path(__file__).parent)) + textwrap.dedent(body)
    return run_program(program)
