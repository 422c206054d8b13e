"""Entries of contexts."""

from collections.abc import Sequence
from typing import Any

from weft.api import callbacks, handles
from weft.api.constants import (
    CL_CONTEXT_DEVICES,
    CL_CONTEXT_INTEROP_USER_SYNC,
    CL_CONTEXT_NUM_DEVICES,
    CL_CONTEXT_PLATFORM,
    CL_CONTEXT_PROPERTIES,
    CL_CONTEXT_REFERENCE_COUNT,
    CL_INVALID_CONTEXT,
    CL_INVALID_DEVICE,
    CL_INVALID_PLATFORM,
    CL_INVALID_PROPERTY,
    CL_INVALID_VALUE,
)
from weft.api.device import select_devices
from weft.api.info import answer, objs, uint, ulongs
from weft.api.memory_access import read_property_list
from weft.api.registry import creator, entry
from weft.runtime.context import Context
from weft.runtime.errors import CLError
from weft.runtime.platform import Device, Platform, the_platform

CONTEXT_INFO = {
    CL_CONTEXT_REFERENCE_COUNT: uint(lambda c: c.references),
    CL_CONTEXT_NUM_DEVICES: uint(lambda c: len(c.devices)),
    CL_CONTEXT_DEVICES: objs(lambda c: c.devices),
    CL_CONTEXT_PROPERTIES: ulongs(lambda c: c.properties),
}


def context_of(handle: int) -> Context:
    """Return the context of a handle."""
    return handles.lookup(handle, Context, CL_INVALID_CONTEXT)


def _properties(pointer: Any) -> list[int]:
    """Return the validated property list in the form of queries: zero-terminated, empty if there is none."""
    if not pointer:
        return []
    values = read_property_list(pointer)
    names = values[::2]
    if len(set(names)) != len(names):
        raise CLError(CL_INVALID_PROPERTY, "a context property is given twice")
    for name, value in zip(names, values[1::2], strict=True):
        if name == CL_CONTEXT_PLATFORM:
            handles.lookup(value, Platform, CL_INVALID_PLATFORM)
        elif name == CL_CONTEXT_INTEROP_USER_SYNC:
            if value not in (0, 1):
                raise CLError(CL_INVALID_PROPERTY, f"CL_CONTEXT_INTEROP_USER_SYNC is {value}")
        else:
            raise CLError(CL_INVALID_PROPERTY, f"{name:#x} is not a context property")
    return [*values, 0]


def _create(devices: Sequence[Device], properties: list[int], pfn_notify: Any, user_data: Any) -> Context:
    return Context(devices, properties, callbacks.error_notifier(pfn_notify, user_data))


@creator("clCreateContext")
def create_context(
    properties: Any, num_devices: int, devices: Any, pfn_notify: Any, user_data: Any
) -> Context:
    """Create a context of the given devices."""
    checked = _properties(properties)
    if not devices or not num_devices:
        raise CLError(CL_INVALID_VALUE, "num_devices is 0 or devices is NULL")
    chosen = handles.lookup_list(devices, num_devices, Device, CL_INVALID_DEVICE)
    return _create(chosen, checked, pfn_notify, user_data)


@creator("clCreateContextFromType")
def create_context_from_type(properties: Any, device_type: int, pfn_notify: Any, user_data: Any) -> Context:
    """Create a context of all devices of a type that can share one."""
    checked = _properties(properties)
    chosen = select_devices(the_platform(), device_type)
    return _create(chosen, checked, pfn_notify, user_data)


@entry("clRetainContext")
def retain_context(context: int) -> None:
    """Add a reference."""
    context_of(context).retain()


@entry("clReleaseContext")
def release_context(context: int) -> None:
    """Drop a reference."""
    context_of(context).release()


@entry("clGetContextInfo")
def get_context_info(context: int, param: int, size: int, value: Any, size_ret: Any) -> None:
    """Answer a query about a context."""
    answer(CONTEXT_INFO, context_of(context), param, size, value, size_ret)


@entry("clSetContextDestructorCallback")
def set_context_destructor_callback(context: int, pfn_notify: Any, user_data: Any) -> None:
    """Register a function to be called when the context is deleted."""
    target = context_of(context)
    call = callbacks.function("void(*)(uintptr_t, void *)", pfn_notify, user_data)
    if call is None:
        raise CLError(CL_INVALID_VALUE, "the callback is NULL")
    destructor = call
    target.destructors.append(lambda: destructor(context))
