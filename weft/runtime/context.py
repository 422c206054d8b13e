"""Contexts: they own queues, memory, programs and events, and detect when memory is no longer in use."""

import importlib
from collections import deque
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from weft.device.base import Command
from weft.device.memories import HostMemory, Memory
from weft.device.residency import Residency
from weft.locks import new_lock
from weft.runtime import allocations
from weft.runtime.codes import (
    CL_COMPLETE,
    CL_INVALID_CONTEXT,
    CL_INVALID_DEVICE,
    CL_INVALID_OPERATION,
)
from weft.runtime.errors import CLError
from weft.runtime.hot import ffi
from weft.runtime.hot import lib as hot
from weft.runtime.objects import CLObject, lock
from weft.runtime.platform import Device

if TYPE_CHECKING:
    from weft.runtime.queue import CommandQueue

Notify = Callable[[str], None]
Action = Callable[[], None]

# Sizes of buffers that a context remembers.
_MOST_SIZES = 32


def _no_queues() -> None:
    """Do nothing: all queues were created by Python."""


_adopt_queues: Action = _no_queues


def on_adopt_queues(hook: Action) -> None:
    """Call `hook` to adopt queues created by C, before the queues of a context are listed."""
    global _adopt_queues
    _adopt_queues = hook


def _home(devices: Sequence[Device]) -> tuple[Memory, int]:
    """Return the memory for all objects of a context, and the maximum size of an allocation.

    It is the memory of the host, unless a device can access only a part of that. Device servers map each
    other's buffers, so if there are any it is the memory of one of them: the smallest, for which all have
    room. Devices that work on copies do not matter.
    """
    direct = [device for device in devices if device.native.memory.copies is None]
    if not direct:
        return HostMemory(), max(device.info.max_allocation_bytes for device in devices)
    served = [device for device in direct if not device.native.memory.is_host]
    owner = min(served or direct[:1], key=lambda device: device.info.global_memory_bytes)
    return owner.native.memory, owner.info.max_allocation_bytes


def _number_of(device: Device) -> int:
    """Return the index of a device in the platform, which identifies it to a builder process.

    Sub-devices, and devices without SPIR-V, have none.
    """
    known = device.platform.devices
    usable = device in known and device.info.has("cl_khr_il_program")
    return known.index(device) if usable else hot.WEFT_HOT_NO_NUMBER


class Context(CLObject):
    """Devices that share memory objects."""

    kind = "context"
    invalid = CL_INVALID_CONTEXT
    native_kind = hot.WEFT_HOT_CONTEXT

    def __init__(
        self, devices: Sequence[Device], properties: Sequence[int] = (), notify: Notify | None = None
    ) -> None:
        self.devices = tuple(dict.fromkeys(devices))
        for device in self.devices:
            device.attach()
        self.properties = tuple(properties)
        self.memory, self.max_allocation_bytes = _home(self.devices)
        memories = [device.native.memory for device in self.devices]
        for device, memory in zip(self.devices, memories, strict=True):
            if memory.copies is None and memory is not self.memory and not memory.share(self.memory):
                message = f"{device.info.kind} cannot access the memory of the context's other devices"
                raise CLError(CL_INVALID_DEVICE, message)
        copying = [memory for memory in memories if memory.copies is not None]
        self.residency = Residency() if copying else None
        """Which copies of buffers are valid; None if each buffer has only one copy."""
        self.only_copies = len(copying) == len(memories)
        self.queues: set[CommandQueue] = set()
        self.waiting: deque[Action] = deque()
        self._batch = 0
        self._batch_markers: list[Command] = []
        self._collecting = new_lock()
        # Start -> size of allocations of clSVMAlloc.
        self.svm: dict[int, int] = {}
        self.destructors: list[Callable[[], None]] = []
        self.buffer_sizes: set[int] = set()
        """Sizes of some buffers, from which the compiler estimates the range of launches."""
        self._notify = notify
        # A client with a context will build programs. Load what that needs here rather than in the first
        # build, whose time users measure.
        importlib.import_module("weft.program").preload()

    def in_use(self) -> bool:
        """Whether other objects, or allocations of shared memory, need this one."""
        return self.attached > 0 or hot.weft_hot_dependents(self.handle) > 0

    def bind(self, handle: int) -> None:
        """Bind the handle of this context; the native side may allocate in it if its memory is the host's."""
        usable = self.memory.is_host and self.residency is None
        if not usable or not any(
            device.info.has("cl_intel_unified_shared_memory") for device in self.devices
        ):
            hot.weft_hot_bind(handle, hot.WEFT_HOT_CONTEXT)
            return
        limits = [
            (device.handle, device.info.max_allocation_bytes, _number_of(device), device.native.pool_address)
            for device in self.devices
        ]
        devices = ffi.new("weft_hot_device_limit[]", limits)
        if hot.weft_hot_bind_context(handle, self.max_allocation_bytes, devices, len(limits)):
            raise MemoryError("no memory for a context")

    def note_buffer(self, size: int) -> None:
        """Remember the size of a new buffer."""
        if len(self.buffer_sizes) < _MOST_SIZES:
            self.buffer_sizes.add(size)

    def check_support(self, name: str, what: str) -> None:
        """Raise unless a device has the extension or feature `name`, which is needed for `what`."""
        if not any(device.info.has(name) for device in self.devices):
            raise CLError(CL_INVALID_OPERATION, f"no device of the context supports {what}")

    def notify(self, text: str) -> None:
        """Call the client's error callback, if there is one."""
        if self._notify is not None:
            self._notify(text)

    def reaches(self, pointer: int) -> bool:
        """Whether kernels on all devices can access the client's memory at `pointer` in place."""
        return (
            self.memory.is_host
            or self.svm_room(pointer) > 0
            or allocations.find(self.handle, pointer) is not None
        )

    def svm_room(self, pointer: int) -> int:
        """Return the bytes from `pointer` to the end of its SVM allocation; 0 if it points into none."""
        for start, size in list(self.svm.items()):
            if start <= pointer < start + size:
                return start + size - pointer
        return 0

    def when_idle(self, action: Action, prompt: bool = False) -> None:
        """Call `action` after all commands that are now in the queues of the context have ended.

        This keeps memory and code alive until the last command that uses them, by checking the queues when
        the object is deleted. A reference per command would slow down every enqueue. A `prompt` action is
        called by the notification thread as soon as possible; other actions wait for the next call of
        `collect`, which avoids switching threads.
        """
        if prompt:
            self._call_after(self._markers(flush=True), action)
        else:
            self.waiting.append(action)
            hot.weft_hot_waiting(1)
            self.collect()

    def collect(self) -> None:
        """Call the waiting actions whose commands have ended.

        Actions are called in batches. A batch has one set of markers, after the commands that all its actions
        wait for; the next batch gets its markers when this one is done. So few markers are enqueued, however
        many objects a client releases while its queues are busy.
        """
        while self.waiting and self._collecting.acquire(blocking=False):
            try:
                if not self._batch:
                    # Actions appended from here on belong to the next batch.
                    self._batch = len(self.waiting)
                    self._batch_markers = self._markers()
                if any(marker.status > CL_COMPLETE for marker in self._batch_markers):
                    return
                actions = [self.waiting.popleft() for _ in range(self._batch)]
                hot.weft_hot_waiting(-self._batch)
                self._batch = 0
                self._batch_markers = []
            finally:
                self._collecting.release()
            for action in actions:
                action()

    def all_queues(self) -> "list[CommandQueue]":
        """Return the queues of the context, including those created by C."""
        if hot.weft_hot_has_unadopted_queues():
            _adopt_queues()
        with lock:
            return list(self.queues)

    def _markers(self, flush: bool = False) -> list[Command]:
        """Enqueue a marker on each queue that has had commands."""
        used = [queue for queue in self.all_queues() if queue.native.used]
        return [marker for marker in (queue.drained(flush) for queue in used) if marker is not None]

    def _call_after(self, pending: list[Command], action: Action) -> None:
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
        for device in self.devices:
            device.detach()
