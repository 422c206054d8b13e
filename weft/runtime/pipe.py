"""Pipes: packets in a ring of global memory, first in, first out.

Kernels do all the work (`weft/builtins/lib/pipe.cl`); the host only initializes the memory.
"""

from weft.pipe_layout import ALIGNMENT, header, packets_offset, pipe_bytes
from weft.runtime import host_memory
from weft.runtime.codes import (
    CL_INVALID_PIPE_SIZE,
    CL_INVALID_VALUE,
    CL_MEM_HOST_NO_ACCESS,
    CL_MEM_OBJECT_ALLOCATION_FAILURE,
    CL_MEM_OBJECT_PIPE,
    CL_MEM_READ_WRITE,
)
from weft.runtime.context import Context
from weft.runtime.errors import CLError
from weft.runtime.hot import lib as hot
from weft.runtime.memory import SPARE_BYTES, Memory

PIPES = "__opencl_c_pipes"
MAX_PACKET_BYTES = 1024
MAX_ARGUMENTS = 16
MAX_ACTIVE_RESERVATIONS = 1024
"""The limit of a work-item that queries report. Only the capacity of the pipe limits reservations."""

FLAGS = CL_MEM_READ_WRITE | CL_MEM_HOST_NO_ACCESS


class Pipe(Memory):
    """A pipe of at most `max_packets` packets of `packet_size` bytes each."""

    kind = "pipe"
    native_kind = hot.WEFT_HOT_IMAGE  # which the native side treats as a memory object other than a buffer
    type = CL_MEM_OBJECT_PIPE
    is_buffer = False
    host_pointer = 0

    def __init__(self, context: Context, flags: int, packet_size: int, max_packets: int) -> None:
        context.check_support(PIPES, "pipes")
        if flags & ~FLAGS:
            raise CLError(CL_INVALID_VALUE, f"flags {flags:#x} are not flags of a pipe")
        if not 1 <= packet_size <= MAX_PACKET_BYTES:
            message = f"packet size must be 1 to {MAX_PACKET_BYTES}, got {packet_size}"
            raise CLError(CL_INVALID_PIPE_SIZE, message)
        if max_packets == 0:
            raise CLError(CL_INVALID_PIPE_SIZE, "pipe_max_packets must be at least 1, got 0")
        super().__init__(context, flags or FLAGS)
        self.packet_size = packet_size
        self.max_packets = max_packets
        self.size = pipe_bytes(packet_size, max_packets)
        if self.size > context.max_allocation_bytes:
            raise CLError(CL_MEM_OBJECT_ALLOCATION_FAILURE, f"a pipe of {self.size} bytes is too large")
        if context.waiting:
            context.collect()
        try:
            self.address = context.memory.allocate(self.size + SPARE_BYTES, ALIGNMENT)
        except MemoryError:
            message = f"out of memory for a pipe of {self.size} bytes"
            raise CLError(CL_MEM_OBJECT_ALLOCATION_FAILURE, message) from None
        host_memory.clear(self.address, packets_offset(max_packets))
        host_memory.write(self.address, header(packet_size, max_packets))
        context.attach()

    def free(self) -> None:
        """Free the memory."""
        self.context.memory.free(self.address)
