"""Events: the client's view of a command's state, and user events."""

from collections.abc import Callable, Sequence
from typing import Any

from weft.device._pool import lib
from weft.device.base import Command
from weft.runtime.codes import (
    CL_COMMAND_USER,
    CL_COMPLETE,
    CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST,
    CL_INVALID_CONTEXT,
    CL_INVALID_EVENT,
    CL_INVALID_OPERATION,
    CL_INVALID_VALUE,
    CL_OUT_OF_RESOURCES,
    CL_PROFILING_INFO_NOT_AVAILABLE,
    CL_RUNNING,
    CL_SUBMITTED,
)
from weft.runtime.context import Context
from weft.runtime.errors import CLError
from weft.runtime.hot import lib as hot
from weft.runtime.objects import CLObject
from weft.runtime.queue import CommandQueue


class Event(CLObject, Command):
    """A command of the device that the client knows by a handle."""

    kind = "event"
    invalid = CL_INVALID_EVENT
    native_kind = hot.WEFT_HOT_EVENT
    queue: CommandQueue | None

    def __init__(self, queue: CommandQueue, command_type: int, native: Any) -> None:
        """Take over the caller's reference to the `native` command."""
        self.c = native
        self.queue = queue
        self.command_type = command_type
        queue.events.add(self)

    @classmethod
    def of(cls, queue: CommandQueue, command_type: int, command: Command) -> "Event":
        """Create the event of a command; the caller keeps its reference to the command."""
        lib.weft_command_retain(command.c)
        return cls(queue, command_type, command.c)

    @property
    def context(self) -> Context:
        """The context of the queue."""
        assert self.queue is not None
        return self.queue.context

    def times(self) -> tuple[int, int, int, int]:
        """Return the times at which the command was queued, submitted, started and ended, in nanoseconds."""
        if self.queue is None or not self.queue.profiling:
            raise CLError(
                CL_PROFILING_INFO_NOT_AVAILABLE, "the queue was created without CL_QUEUE_PROFILING_ENABLE"
            )
        if self.status != CL_COMPLETE:
            raise CLError(CL_PROFILING_INFO_NOT_AVAILABLE, "the command is not complete")
        return super().times()

    def on_status(self, status: int, callback: Callable[[int], None]) -> None:
        """Call `callback` when the command reaches `status` or ends with an error."""
        if status not in (CL_SUBMITTED, CL_RUNNING, CL_COMPLETE):
            raise CLError(CL_INVALID_VALUE, f"callbacks for execution status {status} are not supported")
        super().on_status(status, callback)

    def delete(self) -> None:
        """Remove the event from its queue, and delete the queue if nothing else needs it."""
        queue = self.queue
        if queue is not None:
            queue.events.discard(self)
            if not queue.references:
                queue.delete_if_unused()


class UserEvent(Event):
    """An event whose status the client sets."""

    def __init__(self, context: Context) -> None:
        self._user = context.devices[0].native.user_command()
        lib.weft_command_retain(self._user.c)
        self.c = self._user.c
        self._context = context
        self.queue = None
        self.command_type = CL_COMMAND_USER
        context.attach()

    @property
    def context(self) -> Context:
        """The context in which it was created."""
        return self._context

    def settle(self, status: int) -> None:
        """Set the final status, CL_COMPLETE or a negative error; raises if it has been set before."""
        if status > CL_COMPLETE:
            raise CLError(CL_INVALID_VALUE, f"execution status must be CL_COMPLETE or negative, got {status}")
        if not self._user.complete(status):
            raise CLError(CL_INVALID_OPERATION, "the status of the user event is already set")

    def delete(self) -> None:
        """Fail the dependents of an event that can no longer complete."""
        self._user.complete(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST)
        self._context.detach()


def wait_for_events(events: Sequence[Event]) -> None:
    """Wait until all `events` have ended; raises if one of them failed."""
    if not events:
        raise CLError(CL_INVALID_VALUE, "num_events is 0 or event_list is NULL")
    for event in events:
        if event.context is not events[0].context:
            raise CLError(CL_INVALID_CONTEXT, "the events belong to different contexts")
    pending = [event for event in events if event.status > CL_COMPLETE]
    if pending:
        for queue in {event.queue for event in pending}:
            if queue is not None:
                queue.flush()
        for event in pending:
            event.wait()
    if any(event.status > CL_COMPLETE for event in pending):
        raise CLError(CL_OUT_OF_RESOURCES, "a signal handler cannot wait for the kernel that it interrupted")
    events[0].context.collect()
    failed = [event.status for event in events if event.status < CL_COMPLETE]
    if failed:
        raise CLError(
            CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, f"an event ended with execution status {failed[0]}"
        )
