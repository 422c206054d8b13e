"""Load a C++ library so that it allocates and frees with the same allocator.

An allocator that a program adds with `RTLD_GLOBAL` when libstdc++ is already loaded (pyluxcore does that with
TBB's) replaces `operator new` for every library loaded later, but not for libstdc++, and not the variants of
`operator delete` that it does not define. A C++ library loaded then frees what it did not allocate, and the
process ends with `free(): invalid pointer`. `RTLD_DEEPBIND` lets the library take libstdc++'s operators. An
allocator that came first (the program's own, `LD_PRELOAD`) serves libstdc++ too, and must stay in use.
"""

import ctypes
import os
from pathlib import Path

_OPERATOR_NEW = "_Znwm"
_RTLD_DI_LINKMAP = 2


class _Symbol(ctypes.Structure):
    """`Dl_info` of <dlfcn.h>."""

    _fields_ = [
        ("file", ctypes.c_char_p),
        ("base", ctypes.c_void_p),
        ("name", ctypes.c_char_p),
        ("address", ctypes.c_void_p),
    ]


class _LinkMap(ctypes.Structure):
    """`struct link_map` of <link.h>."""

    _fields_ = [
        ("base", ctypes.c_void_p),
        ("file", ctypes.c_char_p),
        ("dynamic", ctypes.c_void_p),
        ("next", ctypes.c_void_p),
    ]


def mode() -> int:
    """Return the mode for loading a C++ library: with libstdc++'s operators if needed.

    They are needed if an allocator was added late.
    """
    return os.RTLD_NOW | (os.RTLD_DEEPBIND if is_added_late() else 0)


def load(library: Path, how: int) -> None:
    """Load `library` in the given mode.

    Python's lock is released meanwhile, as in all ctypes calls. If the library cannot be loaded, nothing
    happens: its first use reports the error.
    """
    open_library = ctypes.CDLL(None).dlopen
    open_library.restype = ctypes.c_void_p
    open_library(os.fsencode(library), ctypes.c_int(how))


def is_added_late() -> bool:
    """Return whether the process's `operator new` belongs to a library loaded after libstdc++."""
    process = ctypes.CDLL(None)
    try:
        new, dladdr = process[_OPERATOR_NEW], process["dladdr"]
    except AttributeError:
        return False
    symbol = _Symbol()
    if not dladdr(new, ctypes.byref(symbol)):
        return False
    order = _loaded(process)
    libstdcxx = next((n for n, (file, _) in enumerate(order) if b"/libstdc++.so" in file), len(order))
    owner = next((n for n, (_, base) in enumerate(order) if base == symbol.base), 0)
    return owner > libstdcxx


def _loaded(process: ctypes.CDLL) -> list[tuple[bytes, int | None]]:
    """Return file and address of all loaded libraries, in loading order."""
    entry = ctypes.c_void_p()
    if process["dlinfo"](ctypes.c_void_p(process._handle), _RTLD_DI_LINKMAP, ctypes.byref(entry)):
        return []
    libraries = []
    while entry.value:
        item = _LinkMap.from_address(entry.value)
        libraries.append((item.file or b"", item.base))
        entry = ctypes.c_void_p(item.next)
    return libraries
