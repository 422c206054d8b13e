"""Build the extension module weft.device._pool; cffi's declarations come from pool.h."""

from pathlib import Path

import cffi

HERE = Path(__file__).parent
SOURCES = (
    "command.c",
    "execute.c",
    "faults.c",
    "format.c",
    "interrupt.c",
    "kept.c",
    "lifecycle.c",
    "loop_choice.c",
    "memory.c",
    "notify.c",
    "pool.c",
    "printf.c",
    "queue.c",
    "remote.c",
    "settle.c",
    "simulation.c",
    "stacks.c",
    "sub_groups.c",
    "svm.c",
    "sync.c",
    "testing.c",
    "worker.c",
)
COMPILE_ARGUMENTS = ("-std=gnu11", "-O2", "-fno-sanitize=all", "-fvisibility=hidden", "-pthread")


def declarations() -> str:
    """Return the part of pool.h that cffi reads."""
    text = (HERE / "pool.h").read_text()
    return text.split("/* cffi begin */")[1].split("/* cffi end */")[0]


ffibuilder = cffi.FFI()
ffibuilder.cdef(declarations())
ffibuilder.cdef('extern "Python" int weft_check_signals(void);')
ffibuilder.cdef('extern "Python" int64_t weft_simulate(const weft_simulated *launch);')
ffibuilder.cdef('extern "Python" int32_t weft_settle_copies(const weft_access *access);')
ffibuilder.set_source(
    "weft.device._pool",
    '#include "pool.h"',
    sources=[f"weft/device/{name}" for name in SOURCES],
    include_dirs=["weft/device"],
    extra_compile_args=list(COMPILE_ARGUMENTS),
    py_limited_api=True,
)
