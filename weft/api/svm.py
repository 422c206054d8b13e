"""Entries of shared virtual memory."""

from typing import Any

from weft.api import handles
from weft.api.constants import (
    CL_COMMAND_SVM_FREE,
    CL_COMMAND_SVM_MAP,
    CL_COMMAND_SVM_MEMCPY,
    CL_COMMAND_SVM_MEMFILL,
    CL_COMMAND_SVM_MIGRATE_MEM,
    CL_COMMAND_SVM_UNMAP,
    CL_INVALID_ARG_VALUE,
    CL_INVALID_VALUE,
    CL_KERNEL_EXEC_INFO_INDIRECT_DEVICE_ACCESS_INTEL,
    CL_KERNEL_EXEC_INFO_INDIRECT_HOST_ACCESS_INTEL,
    CL_KERNEL_EXEC_INFO_INDIRECT_SHARED_ACCESS_INTEL,
    CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM,
    CL_KERNEL_EXEC_INFO_SVM_PTRS,
    CL_KERNEL_EXEC_INFO_USM_PTRS_INTEL,
)
from weft.api.kernel import kernel_of
from weft.api.memory_access import address, read_bytes, read_sizes
from weft.api.queue import queue_of
from weft.api.registry import entry, failed, plain_entry
from weft.api.wait_list import enqueued, wait_commands
from weft.runtime import svm
from weft.runtime.context import Context
from weft.runtime.errors import CLError
from weft.runtime.kernel import MEMORY_KINDS, Kernel

BOOL_BYTES = 4
POINTER_BYTES = 8

# Execution information of kernels: lists of addresses, and flags for kinds of memory.
_POINTERS = {CL_KERNEL_EXEC_INFO_SVM_PTRS, CL_KERNEL_EXEC_INFO_USM_PTRS_INTEL}
_FLAGS = {
    CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM,
    CL_KERNEL_EXEC_INFO_INDIRECT_HOST_ACCESS_INTEL,
    CL_KERNEL_EXEC_INFO_INDIRECT_DEVICE_ACCESS_INTEL,
    CL_KERNEL_EXEC_INFO_INDIRECT_SHARED_ACCESS_INTEL,
}


@plain_entry("clSVMAlloc")
def svm_alloc(context: int, flags: int, size: int, alignment: int) -> int:
    """Allocate memory that kernels and the host share; NULL if that fails."""
    owner = handles.live.get(context)
    if not isinstance(owner, Context):
        return 0
    try:
        return svm.allocate(owner, flags, size, alignment)
    except BaseException as error:
        failed("clSVMAlloc", error, context)
        return 0


@plain_entry("clSVMFree")
def svm_free(context: int, pointer: Any) -> int:
    """Free shared memory."""
    owner = handles.live.get(context)
    if isinstance(owner, Context):
        try:
            svm.free(owner, address(pointer))
        except BaseException as error:
            failed("clSVMFree", error, context)
    return 0


@entry("clEnqueueSVMFree")
def enqueue_svm_free(
    command_queue: int, num_pointers: int, pointers: Any, pfn_free: Any, user_data: Any, count: int,
    events: Any, event: Any,
) -> None:  # fmt: skip
    """Enqueue a command that frees shared memory."""
    queue = queue_of(command_queue)
    if bool(num_pointers) != bool(pointers):
        raise CLError(CL_INVALID_VALUE, "num_svm_pointers and svm_pointers are inconsistent")
    wait = wait_commands(queue, count, events)
    found = read_sizes(pointers, num_pointers) if num_pointers else ()
    command = svm.enqueue_free(queue, found, address(pfn_free), address(user_data), wait)
    enqueued(queue, CL_COMMAND_SVM_FREE, command, event)


@entry("clEnqueueSVMMemcpy")
def enqueue_svm_memcpy(
    command_queue: int, blocking: int, destination: Any, source: Any, size: int, count: int, events: Any,
    event: Any,
) -> None:  # fmt: skip
    """Copy memory."""
    enqueue_copy(
        CL_COMMAND_SVM_MEMCPY, command_queue, blocking, destination, source, size, count, events, event
    )


def enqueue_copy(
    kind: int, command_queue: int, blocking: int, destination: Any, source: Any, size: int, count: int,
    events: Any, event: Any,
) -> None:  # fmt: skip
    """Enqueue a copy of memory as a command of a kind."""
    queue = queue_of(command_queue)
    wait = wait_commands(queue, count, events)
    command = svm.copy(queue, address(destination), address(source), size, wait)
    enqueued(queue, kind, command, event, bool(blocking))


@entry("clEnqueueSVMMemFill")
def enqueue_svm_mem_fill(
    command_queue: int, pointer: Any, pattern: Any, pattern_size: int, size: int, count: int, events: Any,
    event: Any,
) -> None:  # fmt: skip
    """Repeat a pattern over memory."""
    enqueue_fill(
        CL_COMMAND_SVM_MEMFILL, command_queue, pointer, pattern, pattern_size, size, count, events, event
    )


def enqueue_fill(
    kind: int, command_queue: int, pointer: Any, pattern: Any, pattern_size: int, size: int, count: int,
    events: Any, event: Any,
) -> None:  # fmt: skip
    """Enqueue a fill of memory as a command of a kind."""
    queue = queue_of(command_queue)
    wait = wait_commands(queue, count, events)
    if not pattern or pattern_size not in svm.PATTERN_SIZES:
        raise CLError(CL_INVALID_VALUE, f"pattern is NULL or has an invalid size ({pattern_size} bytes)")
    command = svm.fill(queue, address(pointer), read_bytes(pattern, pattern_size), size, wait)
    enqueued(queue, kind, command, event)


@entry("clEnqueueSVMMap")
def enqueue_svm_map(
    command_queue: int,
    blocking: int,
    flags: int,
    pointer: Any,
    size: int,
    count: int,
    events: Any,
    event: Any,
) -> None:
    """Enqueue a command without work: memory is always mapped."""
    queue = queue_of(command_queue)
    wait = wait_commands(queue, count, events)
    svm.check_map(address(pointer), size, flags)
    enqueued(queue, CL_COMMAND_SVM_MAP, queue.nothing(wait), event, bool(blocking))


@entry("clEnqueueSVMUnmap")
def enqueue_svm_unmap(command_queue: int, pointer: Any, count: int, events: Any, event: Any) -> None:
    """Enqueue a command without work: memory stays mapped."""
    queue = queue_of(command_queue)
    wait = wait_commands(queue, count, events)
    if not address(pointer):
        raise CLError(CL_INVALID_VALUE, "the pointer is NULL")
    enqueued(queue, CL_COMMAND_SVM_UNMAP, queue.nothing(wait), event)


@entry("clEnqueueSVMMigrateMem")
def enqueue_svm_migrate_mem(
    command_queue: int, num_pointers: int, pointers: Any, sizes: Any, flags: int, count: int, events: Any,
    event: Any,
) -> None:  # fmt: skip
    """Enqueue a command without work: all devices share the host's memory."""
    queue = queue_of(command_queue)
    if not num_pointers or not pointers:
        raise CLError(CL_INVALID_VALUE, "num_svm_pointers is 0 or svm_pointers is NULL")
    wait = wait_commands(queue, count, events)
    found = read_sizes(pointers, num_pointers)
    lengths = read_sizes(sizes, num_pointers) if sizes else (0,) * num_pointers
    svm.check_migration(queue.context, list(zip(found, lengths, strict=True)), flags)
    enqueued(queue, CL_COMMAND_SVM_MIGRATE_MEM, queue.nothing(wait), event)


@entry("clSetKernelArgSVMPointer")
def set_kernel_arg_svm_pointer(kernel: int, index: int, pointer: Any) -> None:
    """Set a pointer argument to an address."""
    set_pointer(kernel, index, pointer)


def set_pointer(kernel: int, index: int, pointer: Any) -> None:
    """Set a pointer argument to an address; all addresses of the process are valid."""
    set_pointer_of(kernel_of(kernel), index, pointer)


def set_pointer_of(kernel: Kernel, index: int, pointer: Any) -> None:
    """Set a pointer argument of a kernel to an address."""
    if kernel.argument(index).kind not in MEMORY_KINDS:
        raise CLError(CL_INVALID_ARG_VALUE, f"argument {index} is not a pointer to global or constant memory")
    kernel.set_pointer(index, address(pointer))


@entry("clSetKernelExecInfo")
def set_kernel_exec_info(kernel: int, param: int, size: int, value: Any) -> None:
    """Check the information; it has no effect, because kernels may access all memory of the process."""
    kernel_of(kernel)
    check_exec_info(param, size, value)


def check_exec_info(param: int, size: int, value: Any) -> None:
    """Raise unless the parameters are valid execution information of a kernel."""
    if bool(value) != bool(size):
        raise CLError(CL_INVALID_VALUE, "param_value is NULL or param_value_size is 0")
    if param in _POINTERS:
        # An empty list is valid: it replaces earlier pointers.
        if size % POINTER_BYTES:
            raise CLError(CL_INVALID_VALUE, f"size must be a multiple of the size of a pointer, got {size}")
    elif param in _FLAGS:
        if size != BOOL_BYTES:
            raise CLError(CL_INVALID_VALUE, f"size of a cl_bool must be {BOOL_BYTES}, got {size}")
    else:
        raise CLError(CL_INVALID_VALUE, f"{param:#x} is not a cl_kernel_exec_info")
