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
    """A kernel for work-groups of one size, as launches name it."""

    @property
    def address(self) -> int: ...
    @property
    def local_bytes(self) -> int: ...


class KernelCompiler(Protocol):
    """What makes programs of kernels for a device that does not run machine code."""

    def compile(
        self, code: "KernelCode", options: "CodeOptions", local_size: "LocalSize", id_bits: int
    ) -> DeviceFunction:
        """A kernel for work-groups of a size; `id_bits` are those of global ids. Raises WeftError."""


class Memory(Protocol):
    """What the runtime needs of a device's memory."""

    is_host: bool
    """Every address of this process means the same to kernels."""
    loader: CodeLoader | None
    """None: kernels run where the compiler's own loader puts them."""
    compiler: KernelCompiler | None
    """None: the device runs machine code."""
    copies: DeviceCopies | None
    """The copies of buffers in a memory that only its device reaches; None: the host reaches it too."""

    def share(self, other: "Memory") -> bool:
        """Have kernels use buffers of another memory in place from now on; whether they can."""

    def allocate(self, nbytes: int, alignment: int) -> int:
        """The address of new memory; raises MemoryError."""

    def free(self, address: int) -> None:
        """Give memory back; no command may still use it."""

    def reserve_arenas(self, local_bytes: int, context_bytes: int) -> None:
        """Ensure that each thread of the device has arenas of so many bytes; raises MemoryError."""

    def statistics(self) -> dict[str, Statistics]:
        """What the allocators of the memory's parts say, by the names of the parts."""


class HostMemory:
    """The memory of this process, from the C library; the pool's threads grow their arenas."""

    is_host = True
    loader: CodeLoader | None = None
    compiler: KernelCompiler | None = None
    copies: DeviceCopies | None = None

    def share(self, other: "Memory") -> bool:
        """Kernels use all memory that the host has mapped in place."""
        return True

    def allocate(self, nbytes: int, alignment: int) -> int:
        """Memory from the C library, in huge pages if it is large."""
        address = 0 if nbytes >= 2**63 else int(ffi.cast("uintptr_t", lib.weft_allocate(nbytes, alignment)))
        if not address:
            raise MemoryError(f"cannot allocate {nbytes} bytes")
        return address

    def free(self, address: int) -> None:
        """Large blocks are kept for the next of their size."""
        lib.weft_free(ffi.cast("void *", address))

    def reserve_arenas(self, local_bytes: int, context_bytes: int) -> None:
        """The pool does it."""

    def statistics(self) -> dict[str, Statistics]:
        """The C library keeps none."""
        return {}
