"""Entries that map, unmap and migrate memory objects: empty commands, unless there are copies."""

from typing import Any

from weft.api import handles
from weft.api.constants import (
    CL_COMMAND_MAP_BUFFER,
    CL_COMMAND_MIGRATE_MEM_OBJECTS,
    CL_COMMAND_UNMAP_MEM_OBJECT,
    CL_INVALID_MEM_OBJECT,
    CL_INVALID_VALUE,
    CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED,
    CL_MIGRATE_MEM_OBJECT_HOST,
)
from weft.api.memory import buffer_of, memory_of
from weft.api.memory_access import address
from weft.api.queue import queue_of
from weft.api.registry import creator, entry
from weft.api.wait_list import enqueued, wait_commands
from weft.runtime import transfer
from weft.runtime.errors import CLError
from weft.runtime.memory import Memory


@creator("clEnqueueMapBuffer")
def enqueue_map_buffer(
    command_queue: int, buffer: int, blocking: int, flags: int, offset: int, size: int, count: int,
    events: Any, event: Any,
) -> int:  # fmt: skip
    """Map a range of a buffer; return its address, which is usable when the command has ended."""
    queue, memory = queue_of(command_queue), buffer_of(buffer)
    wait = wait_commands(queue, count, events)
    mapped, command = transfer.map_buffer(queue, memory, flags, offset, size, wait)
    enqueued(queue, CL_COMMAND_MAP_BUFFER, command, event, bool(blocking))
    return mapped


@entry("clEnqueueUnmapMemObject")
def enqueue_unmap_mem_object(
    command_queue: int, memobj: int, mapped_ptr: Any, count: int, events: Any, event: Any
) -> None:
    """Undo a mapping."""
    queue, memory = queue_of(command_queue), memory_of(memobj)
    wait = wait_commands(queue, count, events)
    command = transfer.unmap(queue, memory, address(mapped_ptr), wait)
    enqueued(queue, CL_COMMAND_UNMAP_MEM_OBJECT, command, event)


@entry("clEnqueueMigrateMemObjects")
def enqueue_migrate_mem_objects(
    command_queue: int, num: int, mem_objects: Any, flags: int, count: int, events: Any, event: Any
) -> None:
    """Migrate memory objects to the queue's device or to the host."""
    queue = queue_of(command_queue)
    if not num or not mem_objects:
        raise CLError(CL_INVALID_VALUE, "num_mem_objects is 0 or mem_objects is NULL")
    memories = handles.lookup_list(mem_objects, num, Memory, CL_INVALID_MEM_OBJECT)
    if flags & ~(CL_MIGRATE_MEM_OBJECT_HOST | CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED):
        raise CLError(CL_INVALID_VALUE, f"{flags:#x} are not migration flags")
    wait = wait_commands(queue, count, events)
    to_host, undefined = (
        bool(flags & flag) for flag in (CL_MIGRATE_MEM_OBJECT_HOST, CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED)
    )
    command = transfer.migrate(queue, memories, to_host, undefined, wait)
    enqueued(queue, CL_COMMAND_MIGRATE_MEM_OBJECTS, command, event)
