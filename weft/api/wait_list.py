"""The last three parameters of every enqueue function: the wait list and the pointer for the new event."""

from typing import Any

from weft.api import handles
from weft.api.constants import CL_INVALID_EVENT_WAIT_LIST, CL_OUT_OF_RESOURCES
from weft.runtime.errors import CLError
from weft.runtime.event import Event
from weft.runtime.queue import Command, CommandQueue


def wait_commands(queue: CommandQueue, count: int, events: Any) -> list[Command]:
    """Return the commands of a wait list."""
    if bool(count) != bool(events):
        raise CLError(
            CL_INVALID_EVENT_WAIT_LIST,
            "event_wait_list must be NULL if and only if num_events_in_wait_list is 0",
        )
    if not count:
        return []
    return queue.wait_commands(handles.lookup_list(events, count, Event, CL_INVALID_EVENT_WAIT_LIST))


def enqueued(
    queue: CommandQueue, command_type: int, command: Command, event: Any, blocking: bool = False
) -> None:
    """Finish an enqueue: create the event if requested, and wait if the call is blocking."""
    if event:
        event[0] = handles.publish(Event.of(queue, command_type, command))
    if blocking:
        queue.wait_for(command)


def not_enqueued(queue: CommandQueue, command_type: int, event: Any) -> None:
    """Create a failed event for a command that was never enqueued, if requested."""
    if event:
        command = queue.device.native.user_command()
        command.complete(CL_OUT_OF_RESOURCES)
        event[0] = handles.publish(Event.of(queue, command_type, command))
