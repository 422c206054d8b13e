"""The shared object as a loader sees it: opened by path, its functions called through the dispatch table."""

import subprocess
from pathlib import Path
from typing import Any

from cffi import FFI

from weft.icd import register, toolchain
from weft.icd.prototypes import Prototype, prototypes

ffi = FFI()
ffi.cdef(
    """
    int32_t clIcdGetPlatformIDsKHR(uint32_t, uintptr_t *, uint32_t *);
    int32_t clGetPlatformInfo(uintptr_t, uint32_t, size_t, uintptr_t, size_t *);
    uintptr_t clGetExtensionFunctionAddress(const char *);
    """
)


def open_library() -> Any:
    """The exported functions."""
    return ffi.dlopen(str(register.library_path()))


def platform(library: Any) -> int:
    """The platform's handle."""
    found = ffi.new("uintptr_t *")
    assert library.clIcdGetPlatformIDsKHR(1, found, ffi.NULL) == 0
    return int(found[0])


def slot(handle: int, index: int) -> int:
    """The address in a slot of the dispatch table that `handle` leads to."""
    return int(ffi.cast("uintptr_t **", handle)[0][index])


def function(prototype: Prototype, address: int) -> Any:
    """A callable for the function at `address`."""
    return ffi.cast(prototype.declaration("(*)"), address)


def by_name(name: str) -> Prototype:
    """The prototype of one entry."""
    return next(p for p in prototypes() if p.name == name)


def probe(library: Path, folder: Path) -> tuple[str, str]:
    """What a C program that asks `library` for its devices says: code and whether there are any; errors."""
    program = folder / "probe"
    source = Path(__file__).parent / "probe.c"
    toolchain.compile_c([source], program, shared=False, arguments=["-ldl"])
    environment = {"HOME": str(folder)}
    result = subprocess.run(
        [str(program), str(library)], env=environment, capture_output=True, text=True, timeout=60, check=True
    )
    return result.stdout, result.stderr
