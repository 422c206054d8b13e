"""Contexts: the owner of queues, memory, programs and events, which knows when its memory is idle."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from weft.runtime.codes import CL_COMPLETE, CL_INVALID_CONTEXT
from weft.runtime.objects import CLObject, lock
from weft.runtime.platform import Device

if TYPE_CHECKING:
    from weft.runtime.queue import CommandQueue

Notify = Callable[[str], None]


class Context(CLObject):
    """Devices that share memory objects.

    `memory_epoch` changes whenever a memory object is deleted: whoever has checked that a set of memory
    objects is alive need not check again while it stays the same.
    """

    kind = "context"
    invalid = CL_INVALID_CONTEXT

    def __init__(
        self, devices: Sequence[Device], properties: Sequence[int] = (), notify: Notify | None = None
    ) -> None:
        self.devices = tuple(dict.fromkeys(devices))
        self.properties = tuple(properties)
        self.queues: set[CommandQueue] = set()
        self.memory_epoch = 0
        self.destructors: list[Callable[[], None]] = []
        self._notify = notify

    def notify(self, text: str) -> None:
        """Tell the client's error callback, if there is one."""
        if self._notify is not None:
            self._notify(text)

    def when_idle(self, action: Callable[[], None]) -> None:
        """Call `action` once all commands that are in the context's queues now have ended.

        This is how memory, code and queues are kept until the last command that uses them: not by a
        reference per command, which every enqueue would pay for, but by looking at the queues when the
        object goes away.
        """
        with lock:
            busy = [queue for queue in self.queues if queue.used]
        pending = [command for command in (queue.drained() for queue in busy) if command is not None]
        if not pending:
            action()
            return
        remaining = len(pending)

        def ended(_status: int) -> None:
            nonlocal remaining
            with lock:
                remaining -= 1
                last = remaining == 0
            if last:
                action()

        for command in pending:
            command.on_status(CL_COMPLETE, ended)

    def delete(self) -> None:
        """Call the destructor callbacks, the last one registered first."""
        for destructor in reversed(self.destructors):
            destructor()
