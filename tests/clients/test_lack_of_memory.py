"""A program whose address space is limited gets an error that says so."""

from collections.abc import Callable

TEXT = """
import os, resource, sys
os.environ.update(WEFT_CACHE="0", WEFT_SERVER_IDLE="0", PYOPENCL_NO_CACHE="1")
import pyopencl as cl

context = cl.Context(cl.get_platforms()[0].get_devices())
program = cl._cl._Program(context, "kernel void k(global int *o) { o[get_global_id(0)] = 7; }".encode())
with open("/proc/self/statm") as file:
    used = int(file.read().split()[0]) * resource.getpagesize()
# LLVM's library alone has more.
resource.setrlimit(resource.RLIMIT_AS, (used + (64 << 20),) * 2)
try:
    program._build(b"", context.devices)
except cl.Error as error:
    print(cl.status_code.to_string(error.code))
print(program.get_build_info(context.devices[0], cl.program_build_info.LOG).strip())
"""


def test_a_build_without_room_for_llvm_names_the_limit(python: Callable[..., str]) -> None:
    code, log = python(TEXT).splitlines()
    assert code == "OUT_OF_HOST_MEMORY"
    assert log.startswith("error: the process may not use more than ") and "(ulimit -v)" in log
