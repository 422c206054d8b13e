"""Shared virtual memory: memory with the same address on the host and in kernels.

On devices that are the host's cores, every address of the process is valid in kernels, including for atomics:
fine-grained system SVM. The device `isolated` can access allocations of clSVMAlloc. Allocations are ordinary
memory; only their extents are recorded, for calls that must distinguish them.
"""

import struct
from collections.abc import Sequence
from functools import partial

from weft.device._pool import lib
from weft.device.base import Command
from weft.runtime.codes import (
    CL_INVALID_VALUE,
    CL_MAP_READ,
    CL_MAP_WRITE,
    CL_MAP_WRITE_INVALIDATE_REGION,
    CL_MEM_COPY_OVERLAP,
    CL_MEM_READ_ONLY,
    CL_MEM_READ_WRITE,
    CL_MEM_SVM_ATOMICS,
    CL_MEM_SVM_FINE_GRAIN_BUFFER,
    CL_MEM_WRITE_ONLY,
    CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED,
    CL_MIGRATE_MEM_OBJECT_HOST,
)
from weft.runtime.context import Context
from weft.runtime.errors import CLError
from weft.runtime.queue import CommandQueue
from weft.runtime.transfer import PATTERN_SIZES, Wait

LARGEST_ALIGNMENT = 128  # that of long16 and double16
ACCESS_FLAGS = CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY | CL_MEM_READ_ONLY
MAP_FLAGS = CL_MAP_READ | CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION

_FREE = struct.Struct("=QQQQ")  # svm_free_arguments in weft/device/svm.c
_POINTER_BYTES = 8


def allocate(context: Context, flags: int, size: int, alignment: int) -> int:
    """Allocate memory and return its address, or 0, because clSVMAlloc has no error code."""
    if flags & ~(ACCESS_FLAGS | CL_MEM_SVM_FINE_GRAIN_BUFFER | CL_MEM_SVM_ATOMICS):
        return 0
    if (flags & ACCESS_FLAGS).bit_count() > 1:
        return 0
    if flags & CL_MEM_SVM_ATOMICS and not flags & CL_MEM_SVM_FINE_GRAIN_BUFFER:
        return 0
    if not 0 < size <= context.max_allocation_bytes:
        return 0
    context.check_support("cl_intel_unified_shared_memory", "shared virtual memory")
    if alignment > LARGEST_ALIGNMENT or alignment & (alignment - 1):
        return 0
    context.collect()
    try:
        address = context.memory.allocate(size, LARGEST_ALIGNMENT)
    except MemoryError:
        return 0
    context.svm[address] = size
    if context.residency is not None:
        context.residency.add(address, size, is_passing=True)
    context.attach()
    return address


def free(context: Context, address: int) -> None:
    """Free memory when no command uses it any more; ignore addresses that are no allocations."""
    size = context.svm.pop(address, None)
    if size is not None:
        context.when_idle(lambda: _free_now(context, address, size))


def _free_now(context: Context, address: int, size: int) -> None:
    if context.residency is not None:
        context.residency.remove(address, size)
    context.memory.free(address)
    context.detach()


def enqueue_free(
    queue: CommandQueue, pointers: Sequence[int], callback: int, user_data: int, wait: Wait
) -> Command:
    """Enqueue a command that frees memory, or calls the client's `callback` to do it."""
    context = queue.context
    known, sizes = pointers, {}
    if not callback:
        # Other memory must not be freed here, and the context must live until the command has run.
        sizes = {pointer: context.svm.pop(pointer) for pointer in pointers if pointer in context.svm}
        known = list(sizes)
    block = _FREE.pack(callback, queue.handle, user_data, len(known))
    block += b"".join(pointer.to_bytes(_POINTER_BYTES, "little") for pointer in known)
    if not callback and (context.residency is not None or not context.memory.is_host):
        command = queue.nothing(wait)
        # `when_idle` waits for the command like for all others.
        for pointer in known:
            context.when_idle(partial(_free_now, context, pointer, sizes[pointer]))
        return command
    command = queue.native.native(lib.weft_svm_free_function(), block, wait)
    if not callback:
        for _ in known:
            context.detach()
    return command


def copy(queue: CommandQueue, destination: int, source: int, size: int, wait: Wait) -> Command:
    """Enqueue a copy of memory."""
    if not destination or not source:
        raise CLError(CL_INVALID_VALUE, "a pointer is NULL")
    if destination < source + size and source < destination + size:
        raise CLError(CL_MEM_COPY_OVERLAP, "source and destination overlap")
    return queue.native.copy(destination, source, size, wait)


def fill(queue: CommandQueue, pointer: int, pattern: bytes, size: int, wait: Wait) -> Command:
    """Enqueue a fill of memory with a pattern."""
    length = len(pattern)
    if not pointer or length not in PATTERN_SIZES:
        raise CLError(CL_INVALID_VALUE, f"the pointer is NULL or the pattern has {length} bytes")
    if pointer % length or size % length:
        raise CLError(CL_INVALID_VALUE, f"address and size must be multiples of the pattern size {length}")
    return queue.native.fill(pointer, pattern, size, wait)


def check_map(pointer: int, size: int, flags: int) -> None:
    """Raise unless a range can be mapped. Mapping does nothing."""
    if not pointer or not size:
        raise CLError(CL_INVALID_VALUE, "svm_ptr is NULL or size is 0")
    if flags & ~MAP_FLAGS or (
        flags & CL_MAP_WRITE_INVALIDATE_REGION and flags != CL_MAP_WRITE_INVALIDATE_REGION
    ):
        raise CLError(CL_INVALID_VALUE, f"{flags:#x} are not map flags")


def check_migration(context: Context, ranges: Sequence[tuple[int, int]], flags: int) -> None:
    """Raise unless all ranges are in allocations of the context. Migration does nothing."""
    if flags & ~(CL_MIGRATE_MEM_OBJECT_HOST | CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED):
        raise CLError(CL_INVALID_VALUE, f"{flags:#x} are not migration flags")
    for pointer, size in ranges:
        room = context.svm_room(pointer)
        if not room or size > room:
            raise CLError(CL_INVALID_VALUE, f"{size} bytes at {pointer:#x} are not in one allocation")
