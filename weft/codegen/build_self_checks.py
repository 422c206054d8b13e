"""Build the extension module weft.codegen._self_checks; cffi's declarations are in self_checks.h."""

from pathlib import Path

import cffi

HERE = Path(__file__).parent


def declarations() -> str:
    """Return the part of self_checks.h that cffi reads."""
    text = (HERE / "self_checks.h").read_text()
    return text.split("/* cffi begin */")[1].split("/* cffi end */")[0]


ffibuilder = cffi.FFI()
ffibuilder.cdef(declarations())
ffibuilder.set_source(
    "weft.codegen._self_checks",
    '#include "self_checks.h"',
    sources=["weft/codegen/self_checks.c"],
    include_dirs=["weft/codegen"],
    extra_compile_args=["-std=gnu11", "-O2", "-fno-sanitize=all", "-fvisibility=hidden"],
    py_limited_api=True,
)
