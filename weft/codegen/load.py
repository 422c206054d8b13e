"""Load object code into the memory of this process.

On x86-64 Weft's own linker does that (`linking/`), so a process whose code comes from the cache, or from
another process, does not need LLVM. LLVM's linker (`jit.py`) handles the other cases (routines for `half`,
very large objects, other processors) and diagnoses invalid objects.
"""

import contextlib
import ctypes
import mmap
import os
from collections.abc import Mapping
from functools import cache
from types import MappingProxyType
from typing import Protocol

from weft.codegen.imports import IMPORTS, process_address
from weft.codegen.linking.place_object import ObjectFile
from weft.errors import ToolError
from weft.target import Target

# Processors that need no instruction cache flush for new code.
_PROCESSORS = ("x86_64",)
# Maximal size of an object and of its variables, in bytes, for which Python is fast enough.
_LARGEST = 1 << 19
_MOST_VARIABLES = 1 << 24
_POINTER_BYTES = 8
_NO_ADDRESSES: Mapping[str, int] = MappingProxyType({})


class LoadedCode(Protocol):
    """Machine code where it runs; it stays there as long as this object lives."""

    @property
    def address(self) -> int: ...
    @property
    def data_address(self) -> int: ...


class CodeLoader(Protocol):
    """A device that loads machine code into its own memory."""

    @property
    def target(self) -> Target | None:
        """The processor that the code must be for; None: the host's."""

    def load(
        self, object_code: bytes, symbol: str, *, data: str | None = None, variables: Mapping[str, int] = ...
    ) -> LoadedCode:
        """Load an object file; find `symbol` in it, and the variable `data` if given.

        `variables`: addresses of variables that it may refer to without defining them.
        """


class PlacedCode:
    """Machine code that Weft's own linker placed in memory, which is freed with this object."""

    def __init__(self, symbol: str, address: int, data_address: int, memory: mmap.mmap) -> None:
        self.symbol = symbol
        self.address = address
        self.data_address = data_address
        self._memory = memory

    def __repr__(self) -> str:
        return f"<PlacedCode {self.symbol} at {self.address:#x}>"


def load(
    object_code: bytes,
    symbol: str,
    imports: Mapping[str, int] | None = None,
    data: str | None = None,
    variables: Mapping[str, int] = _NO_ADDRESSES,
) -> LoadedCode:
    """Load an object file; find `symbol` in it, and the variable `data` if given. Raises ToolError.

    `imports`: addresses of other functions that it may call; `variables`: addresses of variables that it may
    refer to without defining them.
    """
    if os.uname().machine in _PROCESSORS and len(object_code) <= _LARGEST:
        with contextlib.suppress(ToolError):  # the other loader may succeed, or reports the error
            return _place(object_code, symbol, imports or _NO_ADDRESSES, data, variables)
    from weft.codegen import jit  # imports LLVM, which most processes do not need

    return jit.load(object_code, symbol, imports, data, variables)


def _place(
    object_code: bytes,
    symbol: str,
    imports: Mapping[str, int],
    data: str | None,
    variables: Mapping[str, int],
) -> PlacedCode:
    file = ObjectFile(object_code, variables)
    if max(file.alignment, file.variable_bytes) > _MOST_VARIABLES:
        raise ToolError("the object code needs much memory")
    called = {
        name: imports.get(name) or IMPORTS.get(name) or process_address(name) for name in file.undefined
    }
    addresses = [address for address in called.values() if address]
    if len(addresses) < len(called):
        raise ToolError("the object code calls an undefined function")
    # First code and constants, with the table of called addresses; variables are on separate pages.
    unit = max(mmap.PAGESIZE, file.alignment)
    table_at = -(-file.code_bytes // _POINTER_BYTES) * _POINTER_BYTES
    table = b"".join(address.to_bytes(_POINTER_BYTES, "little") for address in addresses)
    code_bytes = -(-(table_at + len(table)) // unit) * unit
    size = code_bytes + file.variable_bytes
    if not size:
        raise ToolError("the object code is empty")
    try:
        room = size + unit - mmap.PAGESIZE
        memory = mmap.mmap(-1, room, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    except OSError as error:
        raise ToolError(f"out of memory for code: {error.strerror}") from error
    start_of_memory = ctypes.addressof(ctypes.c_char.from_buffer(memory))
    start = -(-start_of_memory // unit) * unit
    entries = {name: start + table_at + _POINTER_BYTES * n for n, name in enumerate(called)}
    placed = file.place(start, start + code_bytes, entries, _NO_ADDRESSES)
    memory.seek(start - start_of_memory)
    memory.write(placed.code.ljust(table_at, b"\0") + table)
    memory.seek(start - start_of_memory + code_bytes)
    memory.write(placed.variables)
    _make_executable(start, code_bytes)
    try:
        return PlacedCode(symbol, placed.symbols[symbol], placed.symbols[data] if data else 0, memory)
    except KeyError as error:
        raise ToolError(f"the object code does not define {error}") from None


def _make_executable(address: int, size: int) -> None:
    if size and _mprotect()(address, size, mmap.PROT_READ | mmap.PROT_EXEC):
        raise ToolError("the system does not allow executable memory")


@cache
def _mprotect() -> "ctypes._FuncPointer":
    function = ctypes.CDLL(None).mprotect
    function.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)
    return function
