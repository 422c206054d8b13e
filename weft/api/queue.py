"""Entries of command queues."""

from typing import Any

from weft.api import handles
from weft.api.constants import (
    CL_INVALID_COMMAND_QUEUE,
    CL_INVALID_DEVICE,
    CL_INVALID_OPERATION,
    CL_INVALID_QUEUE_PROPERTIES,
    CL_INVALID_VALUE,
    CL_QUEUE_CONTEXT,
    CL_QUEUE_DEVICE,
    CL_QUEUE_DEVICE_DEFAULT,
    CL_QUEUE_PRIORITY_KHR,
    CL_QUEUE_PROPERTIES,
    CL_QUEUE_PROPERTIES_ARRAY,
    CL_QUEUE_REFERENCE_COUNT,
    CL_QUEUE_SIZE,
    CL_QUEUE_THROTTLE_KHR,
)
from weft.api.context import context_of
from weft.api.info import Query, answer, constant, obj, uint, ulong, ulongs
from weft.api.memory_access import read_property_list
from weft.api.registry import creator, entry, failed, hot_entry
from weft.runtime.errors import CLError
from weft.runtime.platform import Device
from weft.runtime.queue import CommandQueue

live = handles.live


# Hints are accepted and ignored: every queue may use all cores of its device.
_HINTS = (CL_QUEUE_PRIORITY_KHR, CL_QUEUE_THROTTLE_KHR)
_HINT_VALUES = (1 << 0, 1 << 1, 1 << 2)  # high, medium, low


def _on_device_only(_queue: CommandQueue) -> bytes:
    raise CLError(CL_INVALID_COMMAND_QUEUE, "the queue is not an on-device queue")


QUEUE_INFO: dict[int, Query] = {
    CL_QUEUE_CONTEXT: obj(lambda q: q.context),
    CL_QUEUE_DEVICE: obj(lambda q: q.device),
    CL_QUEUE_REFERENCE_COUNT: uint(lambda q: q.references),
    CL_QUEUE_PROPERTIES: ulong(lambda q: q.properties),
    CL_QUEUE_PROPERTIES_ARRAY: ulongs(lambda q: q.property_list),
    CL_QUEUE_SIZE: _on_device_only,
    CL_QUEUE_DEVICE_DEFAULT: constant(obj, None),
}


def queue_of(handle: int) -> CommandQueue:
    """Return the queue of a handle."""
    return handles.lookup(handle, CommandQueue, CL_INVALID_COMMAND_QUEUE)


@creator("clCreateCommandQueue")
def create_command_queue(context: int, device: int, properties: int) -> CommandQueue:
    """Create a queue; `properties` is a bit field."""
    owner = context_of(context)
    return CommandQueue(owner, handles.lookup(device, Device, CL_INVALID_DEVICE), properties)


@creator("clCreateCommandQueueWithProperties")
def create_command_queue_with_properties(context: int, device: int, properties: Any) -> CommandQueue:
    """Create a queue; `properties` is a list."""
    owner = context_of(context)
    target = handles.lookup(device, Device, CL_INVALID_DEVICE)
    bits = 0
    values = read_property_list(properties)
    for name, value in zip(values[::2], values[1::2], strict=True):
        if name == CL_QUEUE_PROPERTIES:
            bits = value
        elif name == CL_QUEUE_SIZE:
            raise CLError(CL_INVALID_QUEUE_PROPERTIES, "CL_QUEUE_SIZE is for on-device queues")
        elif name not in _HINTS or value not in _HINT_VALUES:
            raise CLError(CL_INVALID_VALUE, f"invalid queue property {name:#x} or value {value:#x}")
    return CommandQueue(owner, target, bits, [*values, 0] if properties else [])


@entry("clSetDefaultDeviceCommandQueue")
def set_default_device_command_queue(context: int, device: int, command_queue: int) -> None:
    """Fail: there are no on-device queues."""
    context_of(context)
    handles.lookup(device, Device, CL_INVALID_DEVICE)
    raise CLError(CL_INVALID_OPERATION, "the device does not support on-device queues")


@entry("clSetCommandQueueProperty")
def set_command_queue_property(command_queue: int, properties: int, enable: int, old: Any) -> None:
    """Report the properties and fail to change them: the function was removed in OpenCL 1.1."""
    queue = queue_of(command_queue)
    if old:
        old[0] = queue.properties
    raise CLError(CL_INVALID_OPERATION, "the properties of a queue cannot be changed")


@entry("clRetainCommandQueue")
def retain_command_queue(command_queue: int) -> None:
    """Add a reference."""
    queue_of(command_queue).retain()


@entry("clReleaseCommandQueue")
def release_command_queue(command_queue: int) -> None:
    """Drop a reference."""
    queue_of(command_queue).release()


@entry("clGetCommandQueueInfo")
def get_command_queue_info(command_queue: int, param: int, size: int, value: Any, size_ret: Any) -> None:
    """Answer a query about a queue."""
    answer(QUEUE_INFO, queue_of(command_queue), param, size, value, size_ret)


@entry("clFlush")
def flush(command_queue: int) -> None:
    """Submit all commands."""
    queue_of(command_queue).flush()


@hot_entry("clFinish")
def finish(command_queue: int) -> int:
    """Wait for all commands."""
    try:
        queue: Any = live.get(command_queue)
        if queue.__class__ is not CommandQueue:
            queue_of(command_queue)
        queue.finish()
    except BaseException as error:
        return failed("clFinish", error, command_queue)
    return 0
