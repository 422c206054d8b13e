"""Entries of events."""

from typing import Any

from weft.api import callbacks, handles
from weft.api.constants import (
    CL_EVENT_COMMAND_EXECUTION_STATUS,
    CL_EVENT_COMMAND_QUEUE,
    CL_EVENT_COMMAND_TYPE,
    CL_EVENT_CONTEXT,
    CL_EVENT_REFERENCE_COUNT,
    CL_INVALID_EVENT,
    CL_INVALID_VALUE,
    CL_PROFILING_COMMAND_COMPLETE,
    CL_PROFILING_COMMAND_END,
    CL_PROFILING_COMMAND_QUEUED,
    CL_PROFILING_COMMAND_START,
    CL_PROFILING_COMMAND_SUBMIT,
)
from weft.api.context import context_of
from weft.api.info import answer, obj, sint, uint, ulong
from weft.api.registry import creator, entry
from weft.runtime.errors import CLError
from weft.runtime.event import Event, UserEvent, wait_for_events

EVENT_INFO = {
    CL_EVENT_COMMAND_QUEUE: obj(lambda e: e.queue),
    CL_EVENT_CONTEXT: obj(lambda e: e.context),
    CL_EVENT_COMMAND_TYPE: uint(lambda e: e.command_type),
    CL_EVENT_COMMAND_EXECUTION_STATUS: sint(lambda e: e.status),
    CL_EVENT_REFERENCE_COUNT: uint(lambda e: e.references),
}

PROFILING_INFO = {
    CL_PROFILING_COMMAND_QUEUED: ulong(lambda e: e.times()[0]),
    CL_PROFILING_COMMAND_SUBMIT: ulong(lambda e: e.times()[1]),
    CL_PROFILING_COMMAND_START: ulong(lambda e: e.times()[2]),
    CL_PROFILING_COMMAND_END: ulong(lambda e: e.times()[3]),
    # Kernels enqueue no child kernels, so a command is complete when it ends.
    CL_PROFILING_COMMAND_COMPLETE: ulong(lambda e: e.times()[3]),
}


def event_of(handle: int) -> Event:
    """Return the event of a handle."""
    return handles.lookup(handle, Event, CL_INVALID_EVENT)


@creator("clCreateUserEvent")
def create_user_event(context: int) -> Event:
    """Create an event whose status the client sets."""
    return UserEvent(context_of(context))


@entry("clSetUserEventStatus")
def set_user_event_status(event: int, status: int) -> None:
    """Complete or fail a user event."""
    handles.lookup(event, UserEvent, CL_INVALID_EVENT).settle(status)


@entry("clWaitForEvents")
def wait_for(num_events: int, event_list: Any) -> None:
    """Wait until all events have ended."""
    if not num_events or not event_list:
        raise CLError(CL_INVALID_VALUE, "num_events is 0 or event_list is NULL")
    wait_for_events(handles.lookup_list(event_list, num_events, Event, CL_INVALID_EVENT))


@entry("clSetEventCallback")
def set_event_callback(event: int, status: int, pfn_notify: Any, user_data: Any) -> None:
    """Register a function to be called when the command reaches a status."""
    target = event_of(event)
    call = callbacks.function("void(*)(uintptr_t, int, void *)", pfn_notify, user_data)
    if call is None:
        raise CLError(CL_INVALID_VALUE, "the callback is NULL")
    notify = call
    # The event is an argument of the callback, so it must live until then.
    target.attach()

    def reached(reached_status: int) -> None:
        try:
            notify(event, reached_status)
        finally:
            target.detach()

    try:
        target.on_status(status, reached)
    except BaseException:
        target.detach()
        raise


@entry("clRetainEvent")
def retain_event(event: int) -> None:
    """Add a reference."""
    event_of(event).retain()


@entry("clReleaseEvent")
def release_event(event: int) -> None:
    """Drop a reference."""
    event_of(event).release()


@entry("clGetEventInfo")
def get_event_info(event: int, param: int, size: int, value: Any, size_ret: Any) -> None:
    """Answer a query about an event."""
    answer(EVENT_INFO, event_of(event), param, size, value, size_ret)


@entry("clGetEventProfilingInfo")
def get_event_profiling_info(event: int, param: int, size: int, value: Any, size_ret: Any) -> None:
    """Answer a query about the times of a command on a queue with profiling."""
    answer(PROFILING_INFO, event_of(event), param, size, value, size_ret)
