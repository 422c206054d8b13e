"""Device memories, which hold buffers and code.

The host can read and write most of them. There, transfers, fills and mappings are commands of the worker
pool, and one copy of a buffer serves all devices of a context. A memory that only its device can access holds
copies of buffers (`residency.py`).
"""

from typing import TYPE_CHECKING, Protocol

from weft.codegen.load import CodeLoader
from weft.device._pool import ffi, lib
from weft.device.bufalloc import Statistics
from weft.device.residency import DeviceCopies

if TYPE_CHECKING:
    from weft.kernel import CodeOptions, KernelCode, LocalSize


class DeviceFunction(Protocol):
    """A compiled kernel for work-groups of one size."""

    @property
    def address(self) -> int: ...
    @property
    def local_bytes(self) -> int: ...


class KernelCompiler(Protocol):
    """Compiles kernels for a device that does not run machine code of the host's kind."""

    def compile(
        self, code: "KernelCode", options: "CodeOptions", local_size: "LocalSize", id_bits: int
    ) -> DeviceFunction:
        """Compile a kernel for a work-group size; `id_bits` is the width of global ids. Raises WeftError."""


class Memory(Protocol):
    """The interface of a device's memory."""

    is_host: bool
    """Every address of this process is valid in kernels."""
    loader: CodeLoader | None
    """Loads code for kernels; None: the compiler's loader does."""
    compiler: KernelCompiler | None
    """Compiles kernels for the device; None: the device runs machine code."""
    copies: DeviceCopies | None
    """The copies of buffers in a memory that only its device can access; None: the host can access it too."""

    def share(self, other: "Memory") -> bool:
        """Let kernels use buffers of another memory in place from now on; return whether they can."""

    def allocate(self, nbytes: int, alignment: int) -> int:
        """Allocate memory and return its address; raises MemoryError."""

    def free(self, address: int) -> None:
        """Free memory; no command may use it any more."""

    def reserve_arenas(self, local_bytes: int, context_bytes: int) -> None:
        """Ensure that each thread of the device has arenas of at least these sizes; raises MemoryError."""

    def statistics(self) -> dict[str, Statistics]:
        """Return the statistics of the allocators of the memory's parts, by the names of the parts."""


class HostMemory:
    """The memory of this process, from the C library; the pool's threads grow their arenas."""

    is_host = True
    loader: CodeLoader | None = None
    compiler: KernelCompiler | None = None
    copies: DeviceCopies | None = None

    def share(self, other: "Memory") -> bool:
        """Kernels can use all memory that the host has mapped."""
        return True

    def allocate(self, nbytes: int, alignment: int) -> int:
        """Allocate memory of the C library, in huge pages if it is large."""
        address = 0 if nbytes >= 2**63 else int(ffi.cast("uintptr_t", lib.weft_allocate(nbytes, alignment)))
        if not address:
            raise MemoryError(f"cannot allocate {nbytes} bytes")
        return address

    def free(self, address: int) -> None:
        """Free memory; large blocks are kept for later allocations."""
        lib.weft_free(ffi.cast("void *", address))

    def reserve_arenas(self, local_bytes: int, context_bytes: int) -> None:
        """Do nothing: the threads of the pool grow their arenas."""

    def statistics(self) -> dict[str, Statistics]:
        """Return nothing: the C library has no such statistics."""
        return {}
