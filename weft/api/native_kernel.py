"""The entry that runs a C function of the client as a command."""

from typing import Any

from weft.api import handles
from weft.api.constants import (
    CL_COMMAND_NATIVE_KERNEL,
    CL_INVALID_MEM_OBJECT,
    CL_INVALID_OPERATION,
    CL_INVALID_VALUE,
)
from weft.api.memory_access import address, ffi, read_bytes
from weft.api.queue import queue_of
from weft.api.registry import entry
from weft.api.wait_list import enqueued, wait_commands
from weft.runtime import transfer
from weft.runtime.errors import CLError
from weft.runtime.kernel import POINTER
from weft.runtime.memory import Memory


@entry("clEnqueueNativeKernel")
def enqueue_native_kernel(
    command_queue: int, user_func: Any, args: Any, cb_args: int, num_mem_objects: int, mem_list: Any,
    args_mem_loc: Any, count: int, events: Any, event: Any,
) -> None:  # fmt: skip
    """Enqueue a call of a function with a copy of `args`, in which addresses replace memory objects."""
    queue = queue_of(command_queue)
    if queue.device.info.is_accelerator:
        raise CLError(CL_INVALID_OPERATION, "the device does not support native kernels")
    if not user_func:
        raise CLError(CL_INVALID_VALUE, "user_func is NULL")
    if bool(args) != bool(cb_args) or (num_mem_objects and not args):
        raise CLError(CL_INVALID_VALUE, "args is NULL but cb_args is not 0, or vice versa")
    if not bool(num_mem_objects) == bool(mem_list) == bool(args_mem_loc):
        raise CLError(CL_INVALID_VALUE, "num_mem_objects, mem_list and args_mem_loc are inconsistent")
    memories = handles.lookup_list(mem_list, num_mem_objects, Memory, CL_INVALID_MEM_OBJECT)
    transfer.check_context(queue, *memories)
    block = bytearray(read_bytes(args, cb_args))
    places = ffi.unpack(ffi.cast("uintptr_t *", args_mem_loc), num_mem_objects) if memories else ()
    for memory, place in zip(memories, places, strict=True):
        offset = place - address(args)
        if not 0 <= offset <= cb_args - POINTER.size:
            raise CLError(CL_INVALID_VALUE, "an entry of args_mem_loc is outside args")
        POINTER.pack_into(block, offset, memory.address)
    wait = wait_commands(queue, count, events)
    settled = transfer.for_host_function(queue, memories, wait)
    command = queue.native.native(address(user_func), block, settled)
    enqueued(queue, CL_COMMAND_NATIVE_KERNEL, command, event)
