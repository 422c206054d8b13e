"""Buffers and sub-buffers, which the host and kernels use in place.

A buffer is one block of memory, and mapping it copies nothing. CL_MEM_USE_HOST_PTR uses the client's memory
in place, unless a device of the context cannot access it: then the buffer has two copies. The device's copy
is the valid one; the client's is valid while it is mapped, as the specification requires.
"""

from collections.abc import Callable, Sequence

from weft.dataclasses import dataclass
from weft.runtime import host_memory
from weft.runtime.codes import (
    CL_INVALID_BUFFER_SIZE,
    CL_INVALID_HOST_PTR,
    CL_INVALID_MEM_OBJECT,
    CL_INVALID_OPERATION,
    CL_INVALID_VALUE,
    CL_MEM_ALLOC_HOST_PTR,
    CL_MEM_COPY_HOST_PTR,
    CL_MEM_HOST_NO_ACCESS,
    CL_MEM_HOST_READ_ONLY,
    CL_MEM_HOST_WRITE_ONLY,
    CL_MEM_OBJECT_ALLOCATION_FAILURE,
    CL_MEM_OBJECT_BUFFER,
    CL_MEM_READ_ONLY,
    CL_MEM_READ_WRITE,
    CL_MEM_USE_HOST_PTR,
    CL_MEM_WRITE_ONLY,
    CL_MISALIGNED_SUB_BUFFER_OFFSET,
)
from weft.runtime.context import Context
from weft.runtime.errors import CLError
from weft.runtime.hot import lib as hot
from weft.runtime.objects import CLObject

# Large enough for every built-in type, up to long16; also the alignment of sub-buffers.
BASE_ALIGNMENT = 128
# Bytes after each buffer, so that a kernel that writes slightly out of bounds does not damage the heap.
SPARE_BYTES = 256

ACCESS_FLAGS = CL_MEM_READ_WRITE | CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY
HOST_FLAGS = CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_NO_ACCESS
POINTER_FLAGS = CL_MEM_USE_HOST_PTR | CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR


def _one_at_most(flags: int, group: int, what: str) -> None:
    if (flags & group).bit_count() > 1:
        raise CLError(CL_INVALID_VALUE, f"flags {flags:#x} request more than one kind of {what}")


def check_flags(flags: int) -> int:
    """Validate the flags of clCreateBuffer and return them with the default access filled in."""
    if flags & ~(ACCESS_FLAGS | HOST_FLAGS | POINTER_FLAGS):
        raise CLError(CL_INVALID_VALUE, f"flags {flags:#x} are not flags of a buffer")
    _one_at_most(flags, ACCESS_FLAGS, "kernel access")
    _one_at_most(flags, HOST_FLAGS, "host access")
    if flags & CL_MEM_USE_HOST_PTR and flags & (CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR):
        raise CLError(CL_INVALID_VALUE, "CL_MEM_USE_HOST_PTR excludes the ALLOC and COPY flags")
    return flags if flags & ACCESS_FLAGS else flags | CL_MEM_READ_WRITE


@dataclass(frozen=True)
class MappedPart:
    """A mapped region of memory: (bytes in a row, rows, slices), and the pitches of rows and slices."""

    region: tuple[int, int, int]
    pitches: tuple[int, int]
    writable: bool


class Memory(CLObject):
    """Common part of memory objects: flags, destructor callbacks, mappings."""

    kind = "memory object"
    invalid = CL_INVALID_MEM_OBJECT
    native_kind = hot.WEFT_HOT_BUFFER
    type = CL_MEM_OBJECT_BUFFER
    is_buffer = True
    parent: "Memory | None" = None
    origin = 0
    size: int
    address: int
    host_pointer: int

    @property
    def is_mirrored(self) -> bool:
        """Whether the client's memory (CL_MEM_USE_HOST_PTR) is a copy of the memory that kernels use."""
        return bool(self.host_pointer) and self.host_pointer != self.address

    def mapped_address(self, address: int) -> int:
        """Return the address at which the client accesses `address` of the memory while it is mapped."""
        return address - self.address + self.host_pointer if self.is_mirrored else address

    def __init__(self, context: Context, flags: int, properties: Sequence[int] = ()) -> None:
        self.context = context
        self.flags = flags
        self.properties = tuple(properties)
        self.map_count = 0
        self.mappings: dict[int, int] = {}
        # The mapped regions of mirrored memory, by the client's address.
        self.mapped_parts: dict[int, list[MappedPart]] = {}
        self.destructors: list[Callable[[], None]] = []

    def check_host_read(self) -> None:
        """Raise unless the host may read the object."""
        if self.flags & (CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_NO_ACCESS):
            raise CLError(CL_INVALID_OPERATION, "the memory object was created without host read access")

    def check_host_write(self) -> None:
        """Raise unless the host may write the object."""
        if self.flags & (CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS):
            raise CLError(CL_INVALID_OPERATION, "the memory object was created without host write access")

    def delete(self) -> None:
        """Call the destructors and free the memory, when no command uses it any more."""
        hot.weft_hot_next_epoch()
        self.context.when_idle(self._free, prompt=bool(self.destructors))

    def _free(self) -> None:
        for destructor in reversed(self.destructors):
            destructor()
        self.free()
        self.context.detach()

    def free(self) -> None:
        """Free the memory."""


class Buffer(Memory):
    """A buffer with its own or the client's memory."""

    def __init__(
        self, context: Context, flags: int, size: int, host_pointer: int = 0, properties: Sequence[int] = ()
    ) -> None:
        super().__init__(context, check_flags(flags), properties)
        if size == 0 or size > context.max_allocation_bytes:
            most = context.max_allocation_bytes
            raise CLError(CL_INVALID_BUFFER_SIZE, f"buffer size must be 1 to {most}, got {size}")
        wants_pointer = bool(flags & (CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR))
        if wants_pointer != bool(host_pointer):
            message = (
                "host_ptr is NULL, but the flags require it"
                if wants_pointer
                else "host_ptr must be NULL without CL_MEM_USE_HOST_PTR or CL_MEM_COPY_HOST_PTR"
            )
            raise CLError(CL_INVALID_HOST_PTR, message)
        shared = context.svm_room(host_pointer) if flags & CL_MEM_USE_HOST_PTR else 0
        if shared and size > shared:
            raise CLError(CL_INVALID_BUFFER_SIZE, f"{size} bytes; the SVM allocation has {shared} there")
        self.size = size
        context.note_buffer(size)
        self.host_pointer = host_pointer if flags & CL_MEM_USE_HOST_PTR else 0
        self._owned = not (self.host_pointer and context.reaches(host_pointer))
        if context.waiting:
            context.collect()
        if self._owned:
            try:
                self.address = context.memory.allocate(size + SPARE_BYTES, BASE_ALIGNMENT)
            except MemoryError:
                message = f"out of memory for a buffer of {size} bytes"
                raise CLError(CL_MEM_OBJECT_ALLOCATION_FAILURE, message) from None
            if host_pointer:
                host_memory.copy(self.address, host_pointer, size)
        else:
            self.address = host_pointer
        if context.residency is not None:
            # If devices can access the client's memory, programs may also use it other than by the buffer.
            is_passing = not self._owned and not context.only_copies
            is_defined = host_pointer != 0
            context.residency.add(self.address, size, is_passing=is_passing, is_defined=is_defined)
        context.attach()

    @classmethod
    def of_native(cls, context: Context, flags: int, size: int, address: int, host_pointer: int) -> "Buffer":
        """Create the object of a buffer created by C; `host_pointer` is the client's memory, or 0."""
        buffer = cls.__new__(cls)
        Memory.__init__(buffer, context, flags)
        buffer.size, buffer.address, buffer.host_pointer = size, address, host_pointer
        buffer._owned = not host_pointer
        context.note_buffer(size)
        context.attach()
        return buffer

    def free(self) -> None:
        """Free the memory, unless it is the client's."""
        if self.context.residency is not None:
            self.context.residency.remove(self.address, self.size)
        if self._owned:
            self.context.memory.free(self.address)


class SubBuffer(Memory):
    """A region of a buffer."""

    def __init__(self, parent: Memory, flags: int, origin: int, size: int) -> None:
        if not isinstance(parent, Buffer):
            raise CLError(CL_INVALID_MEM_OBJECT, "a sub-buffer cannot be created from a sub-buffer")
        super().__init__(parent.context, inherited_flags(parent.flags, flags))
        if size == 0:
            raise CLError(CL_INVALID_BUFFER_SIZE, "size of a sub-buffer must be at least 1, got 0")
        if origin + size > parent.size:
            raise CLError(
                CL_INVALID_VALUE,
                f"bytes {origin} to {origin + size} are outside a buffer of {parent.size} bytes",
            )
        if origin % BASE_ALIGNMENT:
            message = f"origin {origin} is not a multiple of {BASE_ALIGNMENT} bytes"
            raise CLError(CL_MISALIGNED_SUB_BUFFER_OFFSET, message)
        self.parent = parent
        self.origin = origin
        self.size = size
        self.address = parent.address + origin
        self.host_pointer = parent.host_pointer + origin if parent.host_pointer else 0
        parent.attach()
        parent.context.attach()

    def free(self) -> None:
        """Release the parent."""
        if self.parent is not None:
            self.parent.detach()


def inherited_flags(parent: int, flags: int) -> int:
    """Return the flags of a sub-buffer: its own, checked against the parent's, the others inherited."""
    if flags & ~(ACCESS_FLAGS | HOST_FLAGS):
        raise CLError(CL_INVALID_VALUE, f"flags {flags:#x} are not flags of a sub-buffer")
    _one_at_most(flags, ACCESS_FLAGS, "kernel access")
    _one_at_most(flags, HOST_FLAGS, "host access")
    forbidden = {
        CL_MEM_WRITE_ONLY: CL_MEM_READ_WRITE | CL_MEM_READ_ONLY,
        CL_MEM_READ_ONLY: CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY,
        CL_MEM_HOST_WRITE_ONLY: CL_MEM_HOST_READ_ONLY,
        CL_MEM_HOST_READ_ONLY: CL_MEM_HOST_WRITE_ONLY,
        CL_MEM_HOST_NO_ACCESS: CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_WRITE_ONLY,
    }
    for of_parent, wrong in forbidden.items():
        if parent & of_parent and flags & wrong:
            raise CLError(CL_INVALID_VALUE, f"flags {flags:#x} exceed the access that the buffer allows")
    access = flags & ACCESS_FLAGS or parent & ACCESS_FLAGS
    host = flags & HOST_FLAGS or parent & HOST_FLAGS
    return access | host | parent & POINTER_FLAGS
