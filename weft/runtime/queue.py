"""Command queues: the order of commands, and the mapping from events to device commands."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from weft.device.base import Command
from weft.runtime.codes import (
    CL_COMPLETE,
    CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST,
    CL_INVALID_COMMAND_QUEUE,
    CL_INVALID_CONTEXT,
    CL_INVALID_DEVICE,
    CL_INVALID_QUEUE_PROPERTIES,
    CL_INVALID_VALUE,
    CL_OUT_OF_RESOURCES,
    CL_QUEUE_ON_DEVICE,
    CL_QUEUE_ON_DEVICE_DEFAULT,
    CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE,
    CL_QUEUE_PROFILING_ENABLE,
)
from weft.runtime.context import Context
from weft.runtime.errors import CLError
from weft.runtime.hot import lib as hot
from weft.runtime.objects import CLObject, lock
from weft.runtime.platform import Device

if TYPE_CHECKING:
    from weft.runtime.event import Event

HOST_PROPERTIES = CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE
DEVICE_PROPERTIES = CL_QUEUE_ON_DEVICE | CL_QUEUE_ON_DEVICE_DEFAULT


class CommandQueue(CLObject):
    """A queue of one device. `native` is the device's queue."""

    kind = "command queue"
    invalid = CL_INVALID_COMMAND_QUEUE
    native_kind = hot.WEFT_HOT_QUEUE

    def __init__(
        self,
        context: Context,
        device: Device,
        properties: int = 0,
        property_list: Sequence[int] = (),
        native: Any = None,
    ) -> None:
        """Create a queue; `native` is the pool's queue if C has created it and checked the arguments."""
        if device not in context.devices:
            raise CLError(CL_INVALID_DEVICE, "the device is not one of the context's devices")
        if properties & ~(HOST_PROPERTIES | DEVICE_PROPERTIES):
            raise CLError(CL_INVALID_VALUE, f"unknown queue properties {properties:#x}")
        if properties & DEVICE_PROPERTIES:
            raise CLError(CL_INVALID_QUEUE_PROPERTIES, "the device does not support on-device queues")
        self.context = context
        self.waiting = context.waiting
        self.device = device
        self.properties = properties
        self.property_list = tuple(property_list)
        self.profiling = bool(properties & CL_QUEUE_PROFILING_ENABLE)
        self.out_of_order = bool(properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE)
        self.native = device.native.new_queue(
            out_of_order=self.out_of_order, profiling=self.profiling, native=native
        )
        self._tracked = (
            None
            if context.residency is None
            else self.native.track(context.residency, device.root.native.memory.copies)
        )
        # A set instead of a count, because adding and discarding are atomic, and many commands have an event.
        self.events: set[Event] = set()
        context.attach()
        device.attach()
        with lock:
            context.queues.add(self)

    def wait_commands(self, events: Sequence["Event"]) -> list[Command]:
        """Return the device commands of a wait list, after checking that its events are of this context."""
        for event in events:
            if event.context is not self.context:
                raise CLError(CL_INVALID_CONTEXT, "an event of the wait list belongs to another context")
        return list(events)

    def nothing(self, wait: Sequence[Command] = ()) -> Command:
        """Enqueue a command without work, which waits for `wait` and keeps the order of an in-order queue."""
        if self.out_of_order and not wait:
            # A marker without a wait list would wait for all commands before it.
            return self.native.copy(0, 0, 0)
        return self.native.marker(wait)

    def flush(self) -> None:
        """Start all ready commands."""
        self.native.flush()

    def drained(self, flush: bool = True) -> Command | None:
        """Return a command that ends when all current commands have ended; None if they have ended."""
        command = self.native.marker()
        if command.status <= CL_COMPLETE:
            return None
        if flush:
            self.native.flush()
        return command

    def release(self) -> None:
        """Release the queue, which includes a flush."""
        self.flush()
        super().release()

    def in_use(self) -> bool:
        """Whether there are command buffers for the queue, or events of its commands."""
        return self.attached > 0 or bool(self.events) or hot.weft_hot_queue_events(self.handle) > 0

    def delete(self) -> None:
        """Release the native queue after its last command has ended."""
        command = self.drained() if self.native.used else None
        if command is None:
            self._gone(CL_COMPLETE)
        else:
            command.on_status(CL_COMPLETE, self._gone)

    def _gone(self, _status: int) -> None:
        with lock:
            self.context.queues.discard(self)
        self.context.collect()
        self.device.detach()
        self.context.detach()

    def wait_for(self, command: Command) -> None:
        """Wait for a blocking command; raises if it, or a command before it, has failed."""
        try:
            command.wait()
        except BaseException:
            command.cancel()  # after the call, the client may free the memory that it reads or writes
            raise
        if self.waiting:
            self.context.collect()
        if command.status > CL_COMPLETE:  # in a signal handler that interrupted an earlier command
            command.cancel()
        if command.status < CL_COMPLETE:
            message = f"the command ended with status {command.status}"
            raise CLError(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, message)
        if self.native.take_failure():
            message = "a command of the queue was terminated abnormally"
            raise CLError(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, message)

    def finish(self) -> None:
        """Wait for all commands; raises if one was terminated abnormally and no call has reported it yet."""
        failure = self.native.finish() or self.native.take_failure()
        if self.waiting:
            self.context.collect()
        if failure:
            raise CLError(CL_OUT_OF_RESOURCES, "a command of the queue was terminated abnormally")
