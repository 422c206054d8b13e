"""Kernels that fault: what the program prints before it ends as it would have."""

import platform
import signal
import subprocess
import sys
from pathlib import Path

import pytest

PREAMBLE = """
import ctypes, faulthandler, os, resource, signal, sys, time
sys.path.insert(0, sys.argv[1])
from device_support import function, words
from weft.device._pool import lib
from weft.device.base import Launch, devices
resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
def launch(queue, group=2, address=4096):
    lib.weft_name_function(function("fault"), b"scatter")
    size = Launch((60, 8), (16, 4), (100, 0), clipped=True)
    queue.ndrange(function("fault"), size, words(group, address), 0, 0)
"""
AT = " at 0x1000"
SAID = (
    f"weft: kernel 'scatter': invalid memory access{AT} by work-items with global ids [{{}}, {{}}] x [0, 3]\n"
)


def run(body: str, expected: int = -signal.SIGSEGV) -> str:
    """What a program that ends with a signal prints on standard error."""
    command = [sys.executable, "-c", PREAMBLE + body, str(Path(__file__).parent)]
    result = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert result.returncode == expected, result
    return result.stderr


@pytest.mark.parametrize("device", [0, 1])
def test_waiting_thread(device: int) -> None:
    body = f"queue = devices()[{device}].new_queue(); launch(queue); queue.finish()"
    assert run(body) == SAID.format(132, 147)


def test_worker() -> None:
    body = "queue = devices()[0].new_queue(); launch(queue); queue.flush(); time.sleep(30)"
    assert run(body) == SAID.format(132, 147)


def test_ids_of_the_last_group_end_with_the_range() -> None:
    assert run("queue = devices()[0].new_queue(); launch(queue, 3); queue.finish()") == SAID.format(148, 159)


@pytest.mark.skipif(platform.machine() != "x86_64", reason="others tell each address")
def test_address_that_the_processor_does_not_tell() -> None:
    said = run("queue = devices()[0].new_queue(); launch(queue, address=1 << 60); queue.finish()")
    assert said == SAID.format(132, 147).replace(AT, "")


@pytest.mark.parametrize("first", [True, False])
def test_handler_of_the_program_is_called_as_well(first: bool) -> None:
    order = "faulthandler.enable()", "queue = devices()[0].new_queue()"
    said = run("; ".join(order if first else order[::-1]) + "; launch(queue); queue.finish()")
    told = SAID.format(132, 147)
    assert (
        told if first else told.replace(AT, "")
    ) in said and "Fatal Python error: Segmentation fault" in said


def test_faults_elsewhere_are_not_mentioned() -> None:
    before = "queue = devices()[0].new_queue(); launch(queue, 99); queue.finish(); "
    assert run(before + "ctypes.string_at(8)") == ""
    assert run(before + "os.kill(os.getpid(), signal.SIGBUS)", -signal.SIGBUS) == ""


def test_trap_ends_the_program_with_a_message() -> None:
    said = run(
        """
import numpy as np, pyopencl as cl
device = next(p for p in cl.get_platforms() if p.name == "Weft").get_devices()[0]
context = cl.Context([device])
queue = cl.CommandQueue(context)
source = "kernel void trapped(global int *a) { if (a[0] == 0) __builtin_debugtrap(); a[1] = 1; }"
program = cl.Program(context, source)
buffer = cl.Buffer(context, cl.mem_flags.COPY_HOST_PTR, hostbuf=np.zeros(2, np.int32))
program.build().trapped(queue, (64,), None, buffer)
queue.finish()
""",
        -signal.SIGTRAP,
    )
    assert said == "weft: kernel 'trapped': trap by work-items with global ids [0, 63]\n"


def test_handler_that_repairs_the_fault() -> None:
    """A program that catches faults for its own ends, as virtual machines do, goes on."""
    said = run(
        """
libc = ctypes.CDLL(None)
mmap = libc.mmap
mmap.restype, integer = ctypes.c_void_p, ctypes.c_int
mmap.argtypes = ctypes.c_void_p, ctypes.c_size_t, integer, integer, integer, ctypes.c_long
page = mmap(None, 4096, 0, 0x22, -1, 0)
handler = ctypes.CFUNCTYPE(None, ctypes.c_int)(lambda _signal: libc.mprotect(ctypes.c_void_p(page), 4096, 3))
libc.signal(signal.SIGSEGV, handler)
queue = devices()[0].new_queue()
ctypes.memset(page, 7, 1)
assert ctypes.string_at(page, 1) == b"\\x07"
""",
        0,
    )
    assert said == ""
