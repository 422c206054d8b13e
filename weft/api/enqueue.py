"""Entries for kernel launches, markers and barriers."""

from typing import Any

from weft.api import handles
from weft.api.constants import (
    CL_COMMAND_BARRIER,
    CL_COMMAND_MARKER,
    CL_COMMAND_NDRANGE_KERNEL,
    CL_COMMAND_TASK,
    CL_INVALID_EVENT,
    CL_INVALID_VALUE,
)
from weft.api.interrupts import end_as_wait
from weft.api.kernel import kernel_of
from weft.api.memory_access import ffi, read_sizes
from weft.api.queue import queue_of
from weft.api.registry import entry, failed, hot_entry
from weft.api.wait_list import enqueued, not_enqueued, wait_commands
from weft.faults import interrupt_in
from weft.runtime.errors import CLError
from weft.runtime.event import Event
from weft.runtime.hot import lib as hot
from weft.runtime.kernel import Kernel
from weft.runtime.launch import prepare, release_command, remember, suggest_local_size

live = handles.live
publish = handles.publish
current_epoch = hot.weft_hot_epoch
_unpack = ffi.unpack

Size = tuple[int, ...]


def _key(queue: int, work_dim: int, offset: Any, global_size: Any, local_size: Any) -> Any:
    """Return the key of a launch of a kernel: the queue and the sizes from the client, None for NULL."""
    return (
        queue,
        work_dim,
        *_unpack(global_size, work_dim),
        *(_unpack(local_size, work_dim) if local_size else (None,)),
        *(_unpack(offset, work_dim) if offset else (None,)),
    )


def key_of(queue: int, start: Size | None, extents: Size, local: Size | None) -> Any:
    """Return the same key for sizes that have been read already."""
    dimensions = (len(extents),) if len(extents) > 1 else ()
    return (queue, *dimensions, *extents, *(local or (None,)), *(start or (None,)))


@hot_entry("clEnqueueNDRangeKernel")
def enqueue_ndrange_kernel(
    command_queue: int, kernel: int, work_dim: int, offset: Any, global_size: Any, local_size: Any,
    count: int, events: Any, event: Any,
) -> int:  # fmt: skip
    """Launch a kernel, with a fast path if a launch with these sizes has been prepared before."""
    try:
        target: Any = live.get(kernel)
        key: Any = None
        if target.__class__ is Kernel and global_size and 1 <= work_dim <= 3:
            if work_dim == 1:
                key = (
                    command_queue,
                    global_size[0],
                    local_size[0] if local_size else None,
                    offset[0] if offset else None,
                )
            else:
                key = _key(command_queue, work_dim, offset, global_size, local_size)
            target.forget_other_layouts()
            launch = target.prepared.get(key)
            # The handle of a deleted queue is 0, so the comparison also checks that it is alive.
            if (
                launch is not None
                and launch.queue.handle == command_queue
                and (not launch.requires_noalias or target.buffers_are_disjoint())
            ):
                epoch = current_epoch()
                if target.ready_epoch != epoch:
                    target.check_arguments()
                started = None if count or events else launch.start(epoch)
                if not started:
                    command = launch.enqueue(target, wait_commands(launch.queue, count, events))
                    enqueued(launch.queue, CL_COMMAND_NDRANGE_KERNEL, command, event)
                    return 0
                if event:
                    event[0] = publish(Event(launch.queue, CL_COMMAND_NDRANGE_KERNEL, started))
                else:
                    release_command(started)
                return 0
        _enqueue(command_queue, kernel, work_dim, offset, global_size, local_size, count, events, event, key)
    except BaseException as error:
        return failed("clEnqueueNDRangeKernel", error, command_queue)
    return 0


def _enqueue(
    command_queue: int, kernel: int, work_dim: int, offset: Any, global_size: Any, local_size: Any,
    count: int, events: Any, event: Any, key: Any,
) -> None:  # fmt: skip
    """Validate and prepare a launch, enqueue it, and keep it under `key` for later launches."""
    queue, target = queue_of(command_queue), kernel_of(kernel)

    def sizes(pointer: Any) -> tuple[int, ...] | None:
        return read_sizes(pointer, min(work_dim, 3)) if pointer else None

    start, extents, local = sizes(offset), sizes(global_size), sizes(local_size)
    try:
        launch = prepare(queue, target, work_dim, start, extents, local)
    except BaseException as error:
        interrupt = interrupt_in(error)
        if interrupt is not None:
            not_enqueued(queue, CL_COMMAND_NDRANGE_KERNEL, event)
            end_as_wait(interrupt)
        raise
    wait = wait_commands(queue, count, events)
    if launch is None or extents is None:
        command = queue.nothing(wait)
    else:
        remember(target, key, launch, start, extents, local)
        command = launch.enqueue(target, wait)
    enqueued(queue, CL_COMMAND_NDRANGE_KERNEL, command, event)


@entry("clGetKernelSuggestedLocalWorkSize")
def get_kernel_suggested_local_work_size(
    command_queue: int, kernel: int, work_dim: int, offset: Any, global_size: Any, suggested: Any
) -> None:
    """Return the local size of a launch for which the client passes none."""
    queue, target = queue_of(command_queue), kernel_of(kernel)
    if not suggested:
        raise CLError(CL_INVALID_VALUE, "suggested_local_work_size is NULL")
    start = read_sizes(offset, min(work_dim, 3)) if offset else None
    extents = read_sizes(global_size, min(work_dim, 3)) if global_size else None
    for index, size in enumerate(suggest_local_size(queue, target, work_dim, start, extents)[:work_dim]):
        suggested[index] = size


@entry("clEnqueueTask")
def enqueue_task(command_queue: int, kernel: int, count: int, events: Any, event: Any) -> None:
    """Launch a kernel with one work-item."""
    queue, target = queue_of(command_queue), kernel_of(kernel)
    launch = prepare(queue, target, 1, None, (1,), (1,))
    wait = wait_commands(queue, count, events)
    command = launch.enqueue(target, wait) if launch is not None else queue.nothing(wait)
    enqueued(queue, CL_COMMAND_TASK, command, event)


def _marker(command_queue: int, count: int, events: Any, event: Any) -> None:
    queue = queue_of(command_queue)
    wait = wait_commands(queue, count, events)
    enqueued(queue, CL_COMMAND_MARKER, queue.native.marker(wait), event)


def _barrier(command_queue: int, count: int, events: Any, event: Any) -> None:
    queue = queue_of(command_queue)
    wait = wait_commands(queue, count, events)
    enqueued(queue, CL_COMMAND_BARRIER, queue.native.barrier(wait), event)


@entry("clEnqueueMarkerWithWaitList")
def enqueue_marker_with_wait_list(command_queue: int, count: int, events: Any, event: Any) -> None:
    """Enqueue a marker."""
    _marker(command_queue, count, events, event)


@entry("clEnqueueBarrierWithWaitList")
def enqueue_barrier_with_wait_list(command_queue: int, count: int, events: Any, event: Any) -> None:
    """Enqueue a barrier."""
    _barrier(command_queue, count, events, event)


@entry("clEnqueueMarker")
def enqueue_marker(command_queue: int, event: Any) -> None:
    """Enqueue a marker, as in OpenCL 1.0; the event is required."""
    queue_of(command_queue)
    if not event:
        raise CLError(CL_INVALID_VALUE, "event is NULL")
    _marker(command_queue, 0, None, event)


@entry("clEnqueueBarrier")
def enqueue_barrier(command_queue: int) -> None:
    """Enqueue a barrier, as in OpenCL 1.0."""
    _barrier(command_queue, 0, None, None)


@entry("clEnqueueWaitForEvents")
def enqueue_wait_for_events(command_queue: int, num_events: int, event_list: Any) -> None:
    """Enqueue a barrier with a wait list, as in OpenCL 1.0."""
    queue = queue_of(command_queue)
    if not num_events or not event_list:
        raise CLError(CL_INVALID_VALUE, "no events")
    listed = handles.lookup_list(event_list, num_events, Event, CL_INVALID_EVENT)
    queue.native.barrier(queue.wait_commands(listed))
