"""Entries of unified shared memory (cl_intel_unified_shared_memory)."""

from typing import Any

from weft.api import handles
from weft.api.constants import (
    CL_COMMAND_MEMADVISE_INTEL,
    CL_COMMAND_MEMCPY_INTEL,
    CL_COMMAND_MEMFILL_INTEL,
    CL_COMMAND_MIGRATEMEM_INTEL,
    CL_INVALID_DEVICE,
    CL_INVALID_VALUE,
    CL_MEM_ALLOC_BASE_PTR_INTEL,
    CL_MEM_ALLOC_DEVICE_INTEL,
    CL_MEM_ALLOC_FLAGS_INTEL,
    CL_MEM_ALLOC_SIZE_INTEL,
    CL_MEM_ALLOC_TYPE_INTEL,
    CL_MEM_TYPE_DEVICE_INTEL,
    CL_MEM_TYPE_HOST_INTEL,
    CL_MEM_TYPE_SHARED_INTEL,
    CL_MEM_TYPE_UNKNOWN_INTEL,
)
from weft.api.context import context_of
from weft.api.info import Query, answer, uint, ulong
from weft.api.memory_access import address, read_property_list
from weft.api.queue import queue_of
from weft.api.registry import creator, entry
from weft.api.svm import enqueue_copy, enqueue_fill, set_pointer
from weft.api.wait_list import enqueued, wait_commands
from weft.runtime import allocations, usm
from weft.runtime.context import Context
from weft.runtime.errors import CLError
from weft.runtime.hot import ffi as hot_ffi
from weft.runtime.platform import Device

# The result for an address that is in no allocation: memory of an unknown kind.
NOWHERE = hot_ffi.new("weft_hot_allocation *", {"kind": CL_MEM_TYPE_UNKNOWN_INTEL})

ALLOCATION_INFO: dict[int, Query] = {
    CL_MEM_ALLOC_TYPE_INTEL: uint(lambda a: a.kind),
    CL_MEM_ALLOC_BASE_PTR_INTEL: ulong(lambda a: a.address),
    CL_MEM_ALLOC_SIZE_INTEL: ulong(lambda a: a.size),
    CL_MEM_ALLOC_DEVICE_INTEL: ulong(lambda a: a.device),
    CL_MEM_ALLOC_FLAGS_INTEL: ulong(lambda a: a.flags),
}


def _allocate(owner: Context, kind: int, device: int, properties: Any, size: int, alignment: int) -> int:
    target = handles.lookup(device, Device, CL_INVALID_DEVICE) if device else None
    flags = usm.flags_of(read_property_list(properties), CL_MEM_ALLOC_FLAGS_INTEL)
    return usm.allocate(owner, kind, target, flags, size, alignment)


@creator("clHostMemAllocINTEL")
def host_mem_alloc(context: int, properties: Any, size: int, alignment: int) -> int:
    """Allocate memory of the host."""
    return _allocate(context_of(context), CL_MEM_TYPE_HOST_INTEL, 0, properties, size, alignment)


@creator("clDeviceMemAllocINTEL")
def device_mem_alloc(context: int, device: int, properties: Any, size: int, alignment: int) -> int:
    """Allocate memory of a device."""
    owner = context_of(context)
    handles.lookup(device, Device, CL_INVALID_DEVICE)
    return _allocate(owner, CL_MEM_TYPE_DEVICE_INTEL, device, properties, size, alignment)


@creator("clSharedMemAllocINTEL")
def shared_mem_alloc(context: int, device: int, properties: Any, size: int, alignment: int) -> int:
    """Allocate memory of the host and a device, or all devices if `device` is NULL."""
    return _allocate(context_of(context), CL_MEM_TYPE_SHARED_INTEL, device, properties, size, alignment)


@entry("clMemFreeINTEL")
def mem_free(context: int, pointer: Any) -> None:
    """Free memory."""
    usm.free(context_of(context), address(pointer), blocking=False)


@entry("clMemBlockingFreeINTEL")
def mem_blocking_free(context: int, pointer: Any) -> None:
    """Wait for the commands in all queues, then free memory."""
    usm.free(context_of(context), address(pointer), blocking=True)


@entry("clGetMemAllocInfoINTEL")
def get_mem_alloc_info(context: int, pointer: Any, param: int, size: int, value: Any, size_ret: Any) -> None:
    """Answer a query about the allocation that contains an address."""
    found = allocations.find(context_of(context).handle, address(pointer))
    answer(ALLOCATION_INFO, found or NOWHERE, param, size, value, size_ret)


@entry("clSetKernelArgMemPointerINTEL")
def set_kernel_arg_mem_pointer(kernel: int, index: int, pointer: Any) -> None:
    """Set a pointer argument to an address, like clSetKernelArgSVMPointer."""
    set_pointer(kernel, index, pointer)


@entry("clEnqueueMemFillINTEL")
def enqueue_mem_fill(
    command_queue: int, pointer: Any, pattern: Any, pattern_size: int, size: int, count: int, events: Any,
    event: Any,
) -> None:  # fmt: skip
    """Repeat a pattern over memory."""
    enqueue_fill(
        CL_COMMAND_MEMFILL_INTEL, command_queue, pointer, pattern, pattern_size, size, count, events, event
    )


@entry("clEnqueueMemcpyINTEL")
def enqueue_memcpy(
    command_queue: int, blocking: int, destination: Any, source: Any, size: int, count: int, events: Any,
    event: Any,
) -> None:  # fmt: skip
    """Copy memory."""
    enqueue_copy(
        CL_COMMAND_MEMCPY_INTEL, command_queue, blocking, destination, source, size, count, events, event
    )


@entry("clEnqueueMigrateMemINTEL")
def enqueue_migrate_mem(
    command_queue: int, pointer: Any, size: int, flags: int, count: int, events: Any, event: Any
) -> None:
    """Enqueue a command without work: all devices share the host's memory."""
    queue = queue_of(command_queue)
    wait = wait_commands(queue, count, events)
    usm.check_migration(flags)
    enqueued(queue, CL_COMMAND_MIGRATEMEM_INTEL, queue.nothing(wait), event)


@entry("clEnqueueMemAdviseINTEL")
def enqueue_mem_advise(
    command_queue: int, pointer: Any, size: int, advice: int, count: int, events: Any, event: Any
) -> None:
    """Enqueue a command without work. The extension defines no advice values yet; only 0 is valid."""
    queue = queue_of(command_queue)
    wait = wait_commands(queue, count, events)
    if advice:
        raise CLError(CL_INVALID_VALUE, f"{advice:#x} is not a valid advice")
    enqueued(queue, CL_COMMAND_MEMADVISE_INTEL, queue.nothing(wait), event)
