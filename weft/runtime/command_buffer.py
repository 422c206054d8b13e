"""Command buffers (cl_khr_command_buffer): commands that are recorded once and enqueued together many times.

The functions that enqueue commands also record them, if they are called with a `RecordingQueue`. A launch
owns a clone of the kernel object with its current arguments. An update
(cl_khr_command_buffer_mutable_dispatch) prepares another clone and then installs it: a failed update changes
nothing, and running commands have copies of everything they need.
"""

from collections.abc import Sequence
from math import prod
from typing import Any

from weft.dataclasses import dataclass
from weft.device.base import Command
from weft.device.recording import Recorded, Recorder
from weft.locks import new_lock
from weft.runtime.codes import (
    CL_COMMAND_BUFFER_MUTABLE_KHR,
    CL_COMMAND_BUFFER_STATE_EXECUTABLE_KHR,
    CL_COMMAND_BUFFER_STATE_FINALIZED_KHR,
    CL_COMMAND_BUFFER_STATE_RECORDING_KHR,
    CL_INVALID_COMMAND_BUFFER_KHR,
    CL_INVALID_CONTEXT,
    CL_INVALID_DEVICE,
    CL_INVALID_MUTABLE_COMMAND_KHR,
    CL_INVALID_OPERATION,
    CL_INVALID_SYNC_POINT_WAIT_LIST_KHR,
    CL_INVALID_VALUE,
    CL_MUTABLE_DISPATCH_ARGUMENTS_KHR,
    CL_MUTABLE_DISPATCH_ASSERT_NO_ADDITIONAL_WORK_GROUPS_KHR,
    CL_MUTABLE_DISPATCH_EXEC_INFO_KHR,
    CL_MUTABLE_DISPATCH_GLOBAL_OFFSET_KHR,
    CL_MUTABLE_DISPATCH_GLOBAL_SIZE_KHR,
    CL_MUTABLE_DISPATCH_LOCAL_SIZE_KHR,
)
from weft.runtime.errors import CLError
from weft.runtime.hot import ffi as hot_ffi
from weft.runtime.hot import lib as hot
from weft.runtime.hot import pool_address
from weft.runtime.kernel import Kernel
from weft.runtime.launch import PreparedLaunch, prepare, suggest_local_size
from weft.runtime.objects import CLObject
from weft.runtime.queue import CommandQueue

Sizes = tuple[int, ...]

# The fields of a launch that can be changed: all that the extension defines.
MUTABLE_FIELDS = (
    CL_MUTABLE_DISPATCH_GLOBAL_OFFSET_KHR
    | CL_MUTABLE_DISPATCH_GLOBAL_SIZE_KHR
    | CL_MUTABLE_DISPATCH_LOCAL_SIZE_KHR
    | CL_MUTABLE_DISPATCH_ARGUMENTS_KHR
    | CL_MUTABLE_DISPATCH_EXEC_INFO_KHR
)


class RecordingQueue(CommandQueue):
    """A queue that records commands instead of enqueuing them."""

    def __init__(self, queue: CommandQueue, recorder: Recorder) -> None:
        self.context = queue.context
        self.device = queue.device
        self.out_of_order = queue.out_of_order
        self.native = recorder


@dataclass(frozen=True)
class NDRange:
    """The sizes of a launch as the client gave them; None for NULL."""

    work_dim: int
    offset: Sizes | None
    global_size: Sizes | None
    local_size: Sizes | None

    def groups(self, queue: CommandQueue, kernel: Kernel) -> int:
        """Return the number of work-groups."""
        if not self.global_size or 0 in self.global_size:
            return 0
        local = self.local_size
        if local is None:
            local = suggest_local_size(queue, kernel, self.work_dim, self.offset, self.global_size)
        return prod(-(-size // part) for size, part in zip(self.global_size, local, strict=False))


class MutableCommand(CLObject):
    """A recorded launch. It lives as long as its command buffer; the client has no references to it.

    `kernel` is the client's kernel, `own` the clone that is launched, `recorded` the sizes before any change.
    `launch` is None while arguments are missing, and if there are no work-items.
    """

    kind = "mutable command"
    invalid = CL_INVALID_MUTABLE_COMMAND_KHR

    def __init__(
        self, buffer: "CommandBuffer", kernel: Kernel, sizes: NDRange, fields: int, asserts: int,
        properties: Sequence[int],
    ) -> None:  # fmt: skip
        self.buffer = buffer
        self.kernel = kernel
        self.sizes = self.recorded = sizes
        self.fields = fields if buffer.is_mutable else 0
        self.asserts = asserts | buffer.asserts
        self.properties = tuple(properties)
        self.own = kernel.clone()
        self.launch: PreparedLaunch | None = None
        self.command: Recorded

    @property
    def is_complete(self) -> bool:
        """Whether all arguments are set."""
        return not self.own.unset

    def record(self, wait: Sequence[Recorded]) -> Recorded:
        """Append the launch to the command buffer."""
        recorder = self.buffer.recorder
        if self.is_complete or not self.fields & CL_MUTABLE_DISPATCH_ARGUMENTS_KHR:
            self.launch = self.prepared(self.own, self.sizes)
        self.command = recorder.marker(wait) if self.launch is None else self.launch.record(recorder, wait)
        return self.command

    def prepared(self, kernel: Kernel, sizes: NDRange) -> PreparedLaunch | None:
        """Validate a launch with these arguments and sizes."""
        queue = self.buffer.queue
        return prepare(queue, kernel, sizes.work_dim, sizes.offset, sizes.global_size, sizes.local_size)

    @property
    def is_provisional(self) -> bool:
        """Whether optimized code may be available later."""
        return self.launch is not None and not self.launch.lasting

    def renew(self) -> None:
        """Prepare the launch again if optimized code may be available by now."""
        if self.is_provisional:
            self.replace(Change(self, self.own, self.sizes, self.prepared(self.own, self.sizes)))

    def replace(self, change: "Change") -> None:
        """Install a prepared change."""
        old, self.own = self.own, change.kernel
        self.sizes = change.sizes
        self.launch = change.launch
        if self.launch is None:
            self.buffer.recorder.change_to_nothing(self.command)
        else:
            self.launch.record_in_place(self.buffer.recorder, self.command)
        if old is not self.own:
            old.release()

    def delete(self) -> None:
        """Release what the launch holds; the command buffer has been deleted."""
        self.own.release()
        self.kernel.detach()


@dataclass(frozen=True)
class Change:
    """A prepared change of a launch, whose installation cannot fail."""

    command: MutableCommand
    kernel: Kernel
    sizes: NDRange
    launch: PreparedLaunch | None

    @classmethod
    def prepare(cls, command: MutableCommand, kernel: Kernel, sizes: NDRange) -> "Change":
        """Validate a change; `kernel` is a clone of the command's kernel with the new arguments."""
        queue = command.buffer.queue
        launch = None if kernel.unset else command.prepared(kernel, sizes)
        if command.asserts & CL_MUTABLE_DISPATCH_ASSERT_NO_ADDITIONAL_WORK_GROUPS_KHR:
            before, after = command.recorded.groups(queue, command.own), sizes.groups(queue, kernel)
            if after > before:
                message = f"the update has {after} work-groups; by its asserts at most {before} are allowed"
                raise CLError(CL_INVALID_VALUE, message)
        return cls(command, kernel, sizes, launch)


class CommandBuffer(CLObject):
    """Recorded commands for a queue, or for another queue of the same device and context.

    The queue that the buffer was created with determines the order of the commands, whatever queue runs them.
    """

    kind = "command buffer"
    invalid = CL_INVALID_COMMAND_BUFFER_KHR
    native_kind = hot.WEFT_HOT_COMMAND_BUFFER

    def __init__(
        self, queue: CommandQueue, flags: int = 0, asserts: int = 0, properties: Sequence[int] = ()
    ) -> None:
        self.queue = queue
        self.context = queue.context
        self.is_mutable = bool(flags & CL_COMMAND_BUFFER_MUTABLE_KHR)
        self.asserts = asserts
        self.properties = tuple(properties)
        self.recorder = Recorder(queue.out_of_order)
        self.recording = RecordingQueue(queue, self.recorder)
        self.is_finalized = False
        self.launches: list[MutableCommand] = []
        self._points: list[Recorded] = []
        self._sequence: Any = None
        self._changing = new_lock()  # held while records are changed or replayed
        self._held: dict[CLObject, None] = {}
        queue.attach()

    @property
    def state(self) -> int:
        """The state that queries report."""
        if not self.is_finalized:
            return CL_COMMAND_BUFFER_STATE_RECORDING_KHR
        complete = all(launch.is_complete for launch in self.launches)
        return CL_COMMAND_BUFFER_STATE_EXECUTABLE_KHR if complete else CL_COMMAND_BUFFER_STATE_FINALIZED_KHR

    def check_recording(self) -> None:
        """Raise if the recording has ended."""
        if self.is_finalized:
            raise CLError(CL_INVALID_OPERATION, "the command buffer has been finalized")

    def waits(self, points: Sequence[int]) -> list[Recorded]:
        """Return the commands of sync points, which are numbered from 1."""
        for point in points:
            if not 1 <= point <= len(self._points):
                raise CLError(CL_INVALID_SYNC_POINT_WAIT_LIST_KHR, f"{point} is not a sync point")
        return [self._points[point - 1] for point in points]

    def add(self, command: Command) -> int:
        """Return the sync point of a command that has been recorded."""
        assert isinstance(command, Recorded)
        self._points.append(command)
        return len(self._points)

    def hold(self, *objects: CLObject) -> None:
        """Keep objects alive as long as the command buffer exists."""
        for target in objects:
            if target not in self._held:
                self._held[target] = None
                target.attach()

    def add_launch(self, launch: MutableCommand, wait: Sequence[Recorded]) -> int:
        """Record a launch and return its sync point."""
        try:
            command = launch.record(wait)
        except BaseException:
            launch.own.release()
            raise
        launch.kernel.attach()
        self.launches.append(launch)
        return self.add(command)

    def finalize(self) -> None:
        """End the recording; the buffer can be enqueued from now on."""
        self.check_recording()
        self.is_finalized = True

    def check_queue(self, queue: CommandQueue) -> None:
        """Raise unless the buffer can be enqueued to `queue`."""
        if queue.context is not self.context:
            raise CLError(CL_INVALID_CONTEXT, "the queue and the command buffer belong to different contexts")
        if queue.device is not self.queue.device:
            raise CLError(CL_INVALID_DEVICE, "the queue and the command buffer belong to different devices")

    def enqueue(self, queue: CommandQueue, wait: Sequence[Command]) -> Command:
        """Enqueue all commands and return a command that ends with the last of them."""
        if self.state != CL_COMMAND_BUFFER_STATE_EXECUTABLE_KHR:
            message = "arguments of a kernel are not set" if self.is_finalized else "it is not finalized"
            raise CLError(CL_INVALID_OPERATION, f"the command buffer cannot be enqueued: {message}")
        with self._changing:
            if any(launch.is_provisional for launch in self.launches):
                self._unbind()
                for launch in self.launches:
                    launch.renew()
            command = self.recorder.replay(queue.native, wait, queue.out_of_order)
            self._bind()
        return command

    def _bind(self) -> None:
        """Let the native side enqueue the buffer from now on, unless a launch is provisional."""
        if self._sequence is None and self.handle and not any(one.is_provisional for one in self.launches):
            records, count = self.recorder.seal()
            fields = {"queue": self.queue.handle, "records": pool_address(records), "count": count}
            self._sequence = hot_ffi.new("weft_hot_sequence *", fields)
            hot.weft_hot_bind_sequence(self.handle, self._sequence)

    def _unbind(self) -> None:
        """Stop the native side from reading the records, before they are changed."""
        if self._sequence is not None and self.handle:
            hot.weft_hot_bind_sequence(self.handle, hot_ffi.NULL)
        self._sequence = None

    def update(self, changes: Sequence[Change]) -> None:
        """Install prepared changes."""
        with self._changing:
            self._unbind()
            for change in changes:
                change.command.replace(change)

    def delete(self) -> None:
        """Release the queue, memory objects and kernels."""
        for launch in self.launches:
            launch.release()
        for target in self._held:
            target.detach()
        self.queue.detach()
