"""Build the extension module weft.runtime._hot; cffi's declarations come from hot.h."""

from pathlib import Path

import cffi

HERE = Path(__file__).parent
SOURCES = (
    "hot",
    "hot_allocations",
    "hot_arguments",
    "hot_blocks",
    "hot_buffers",
    "hot_builders",
    "hot_commands",
    "hot_deferred",
    "hot_elsewhere",
    "hot_events",
    "hot_launches",
    "hot_pending",
    "hot_programs",
    "hot_queries",
    "hot_queues",
    "hot_references",
    "hot_spirv",
)


def declarations() -> str:
    """Return the part of hot.h that cffi reads."""
    text = (HERE / "hot.h").read_text()
    return text.split("/* cffi begin */")[1].split("/* cffi end */")[0]


ffibuilder = cffi.FFI()
ffibuilder.cdef(declarations())
ffibuilder.set_source(
    "weft.runtime._hot",
    '#include "hot.h"',
    sources=[f"weft/runtime/{name}.c" for name in SOURCES],
    include_dirs=["weft/runtime", "weft/device"],
    extra_compile_args=["-std=gnu11", "-O2", "-fvisibility=hidden", "-pthread"],
    py_limited_api=True,
)
