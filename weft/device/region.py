"""A region of memory that a device server shares with this process, including code.

Both processes map it at the same addresses (`protocol.h` defines the layout), so a pointer in a buffer or
argument is valid on both sides, and nothing is copied. The host manages the region: Bufalloc allocates code,
variables of kernels, arenas and buffers.

The region is mapped at its first use, so a device that is only listed costs nothing.
"""

import contextlib
import os
import weakref
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import Any

from weft.codegen.linking.place_object import Detours, ObjectFile
from weft.codegen.load import CodeLoader
from weft.dataclasses import dataclass
from weft.device import server_imports
from weft.device._pool import ffi, lib
from weft.device.bufalloc import Bufalloc, OutOfDeviceMemory, Statistics
from weft.device.memories import KernelCompiler, Memory
from weft.device.residency import DeviceCopies
from weft.errors import ToolError
from weft.locks import new_lock
from weft.target import Target

SERVER = Path(__file__).parent / "weft_device_server"

CODE_BYTES = 256 << 20
VARIABLE_BYTES = 32 << 20
_POINTER_BYTES = 8
_ARENA_STEP = 64 << 10
# Pages of larger blocks are returned to the system when the block is freed.
_KEPT_BYTES = 16 << 20
# The same values as for memory of the host (memory.c).
_HUGE_PAGE, _HUGE_FROM = 2 << 20, 4 << 20


@dataclass(frozen=True)
class RegionPlan:
    """A region to be created: threads of its server, bytes for buffers, time limit of a launch in ns or 0.

    `command` returns the command that starts the server; it raises ToolError if there is none. `target` is
    the processor of the server (None: the host's). `detours` handles instructions that it cannot execute in
    place.
    """

    threads: int
    buffer_bytes: int
    limit_ns: int
    command: Callable[[], Sequence[str]]
    target: Target | None = None
    detours: Detours | None = None


@dataclass(frozen=True, eq=False)
class RegionCode:
    """Code in a region, which is freed with this object."""

    address: int
    data_address: int
    symbols: Mapping[str, int]


class _Opened:
    """The mapped region with its allocators."""

    def __init__(self, plan: RegionPlan, pool: Any) -> None:
        page = os.sysconf("SC_PAGE_SIZE")
        data_bytes = VARIABLE_BYTES + -(-plan.buffer_bytes // page) * page
        self.remote = lib.weft_remote_new(
            plan.threads, server_imports.KEY, CODE_BYTES, VARIABLE_BYTES, data_bytes, plan.limit_ns,
        )  # fmt: skip
        if not self.remote:
            raise MemoryError(f"no region of {data_bytes} bytes can be mapped for a device server")
        places = ffi.new("uint64_t[4]")
        lib.weft_remote_places(self.remote, places)
        imports, code, self.data, self.pristine = places
        self.entries = {n: imports + i * _POINTER_BYTES for i, n in enumerate(server_imports.NAMES)}
        self.code = Bufalloc(code, CODE_BYTES)
        self.variables = Bufalloc(self.data, VARIABLE_BYTES)
        self.buffers = Bufalloc(self.data + VARIABLE_BYTES, data_bytes - VARIABLE_BYTES)
        lib.weft_pool_use(pool, self.remote)

    def set_command(self, command: Sequence[str]) -> None:
        """Set the command that starts servers."""
        words = [ffi.new("char[]", os.fsencode(word)) for word in command]
        if not lib.weft_remote_command(self.remote, ffi.new("char *[]", [*words, ffi.NULL])):
            raise MemoryError("out of memory for a command of the device server")

    def write_variables(self, address: int, data: bytes) -> None:
        """Write variables and their initial values, with which a new server starts."""
        ffi.memmove(ffi.cast("char *", self.pristine + address - self.data), data, len(data))
        lib.weft_remote_statics(self.remote, self.variables.statistics.extent)
        ffi.memmove(ffi.cast("char *", address), data, len(data))


class Region:
    """The memory of a device whose kernels run in another process."""

    is_host = False
    compiler: KernelCompiler | None = None
    copies: DeviceCopies | None = None

    def __init__(self, plan: RegionPlan, pool: Any) -> None:
        self._plan = plan
        self._pool = pool
        self._opened: _Opened | None = None
        self._opening, self._growing = new_lock(), new_lock()
        self._sizes: dict[int, int] = {}
        self._arena = (0, 0)
        self._vacated = self._startable = False
        self.target = plan.target
        self.loader: CodeLoader | None = self

    @property
    def _region(self) -> _Opened:
        """Return the region; map it at the first call. The child of a fork has a copy, without a server."""
        with self._opening:
            if self._opened is None:
                self._opened = _Opened(self._plan, self._pool)
        return self._opened

    def allocate(self, nbytes: int, alignment: int) -> int:
        """Allocate a chunk of the region."""
        region = self._region
        try:
            address = _place(region.buffers, nbytes, alignment)
        except OutOfDeviceMemory as error:
            raise MemoryError(str(error)) from None
        lib.weft_remote_allocated(region.remote, address, nbytes)
        self._sizes[address] = nbytes
        return address

    def share(self, other: Memory) -> bool:
        """Make the server map the buffers of another region at their addresses, for use in place."""
        return isinstance(other, Region) and bool(
            lib.weft_remote_share(self._region.remote, other._region.remote)
        )

    def free(self, address: int) -> None:
        """Free a chunk."""
        size = self._sizes.pop(address)
        if size > _KEPT_BYTES:
            lib.weft_remote_discard(address, size)
        self._region.buffers.release(address)

    def load(
        self,
        object_code: bytes,
        symbol: str,
        *,
        data: str | None = None,
        variables: Mapping[str, int] = MappingProxyType({}),
    ) -> RegionCode:
        """Relocate an object file for the region and write it there."""
        from weft.codegen.support import SYMBOLS

        file = ObjectFile(object_code, variables, self._plan.detours)
        region = self._region
        with self._opening:
            if not self._startable:
                region.set_command(self._plan.command())
                self._startable = True
        helpers = self._support if not set(SYMBOLS).isdisjoint(file.undefined) else {}
        return self._write(file, symbol, data, helpers)

    @cached_property
    def _support(self) -> dict[str, int]:
        """Return the addresses of routines that LLVM calls and no library has."""
        from weft.codegen.jit import support_object  # imports LLVM, which the caller has loaded already
        from weft.codegen.support import SYMBOLS

        code = self._write(
            ObjectFile(support_object(self.target), detours=self._plan.detours), SYMBOLS[0], None, {}
        )
        self._kept = code
        return {name: code.symbols[name] for name in SYMBOLS}

    def _write(self, file: ObjectFile, symbol: str, data: str | None, helpers: dict[str, int]) -> RegionCode:
        region = self._region
        code_at = self._room(region.code, file.code_bytes, file.alignment)
        variables_at = self._room(region.variables, file.variable_bytes, file.alignment)
        try:
            placed = file.place(code_at, variables_at, region.entries, helpers)
            for name in (symbol, data):
                if name is not None and name not in placed.symbols:
                    raise ToolError(f"the object code does not define {name!r}")
        except ToolError:
            self._unload(code_at, variables_at)
            raise
        if self._vacated:
            lib.weft_remote_replaced(region.remote)
        ffi.memmove(ffi.cast("char *", code_at), placed.code, len(placed.code))
        if placed.variables:
            region.write_variables(variables_at, placed.variables)
        code = RegionCode(
            placed.symbols[symbol], placed.symbols[data] if data is not None else 0, placed.symbols
        )
        weakref.finalize(code, self._unload, code_at, variables_at).atexit = False
        return code

    def _room(self, allocator: Bufalloc, size: int, alignment: int) -> int:
        """Allocate memory for a part of an object, also if it is empty."""
        try:
            return allocator.allocate(max(size, 1), alignment)
        except OutOfDeviceMemory as error:
            raise ToolError(f"out of memory for the code of a kernel: {error}") from None

    def _unload(self, code_at: int, variables_at: int) -> None:
        region = self._region
        self._vacated = True
        region.code.release(code_at)
        region.variables.release(variables_at)

    def reserve_arenas(self, local_bytes: int, context_bytes: int) -> None:
        """Grow the arenas of the server's threads. Old ones are kept, because launches may be using them."""
        with self._growing:
            local, context = self._arena
            if local_bytes < local and context_bytes < context:
                return
            # One byte more, because kernels may compare pointers with the address after the last byte.
            local, context = _grown(local, local_bytes + 1), _grown(context, context_bytes + 1)
            address = self.allocate((local + context) * self._plan.threads, _ARENA_STEP)
            lib.weft_remote_arenas(self._region.remote, address, local, context)
            self._arena = (local, context)

    def statistics(self) -> dict[str, Statistics]:
        """Return the statistics of buffers with arenas, of code and of variables."""
        region = self._region
        parts = {"buffers": region.buffers, "code": region.code, "variables": region.variables}
        return {name: allocator.statistics for name, allocator in parts.items()}

    def set_limit(self, nanoseconds: int) -> None:
        """Set the time limit of launches; 0: none."""
        lib.weft_remote_limit(self._region.remote, nanoseconds)

    @property
    def starts(self) -> int:
        """The number of servers started so far."""
        return int(lib.weft_remote_starts(self._region.remote))


def _place(buffers: Bufalloc, nbytes: int, alignment: int) -> int:
    """Allocate a buffer; if it is large, aligned to a huge page if possible."""
    if nbytes >= _HUGE_FROM:
        with contextlib.suppress(OutOfDeviceMemory):
            return buffers.allocate(nbytes, max(alignment, _HUGE_PAGE))
    return buffers.allocate(nbytes, alignment)


def _grown(old: int, wanted: int) -> int:
    """Return a new size, at least twice the old one, so that the sum of all is bounded by the last."""
    if wanted <= old:
        return old
    return -(-max(wanted, 2 * old) // _ARENA_STEP) * _ARENA_STEP
