"""Queues of contexts whose buffers have copies in several memories (`residency.py`).

The pool calls `weft_settle_copies` before each launch and transfer, in the thread that runs it (`settle.c`).
Launches on a device with copies use `DeviceArguments`.
"""

from collections.abc import Callable
from itertools import count
from typing import Any
from weakref import WeakValueDictionary

from weft.device._pool import ffi, lib
from weft.device.argument_table import MemoryArgument, split_arguments
from weft.device.interrupts import INTERRUPTED, note
from weft.device.residency import Copy, DeviceCopies, Residency, lock
from weft.errors import WeftError

# Results of `weft_settle_function`. True, which is 1, means that the command has been carried out.
_READY, _FAILED = 0, -1


class TrackedQueue:
    """A queue as its commands need it: the memory of its context, and the copies on its device."""

    def __init__(self, residency: Residency, copies: DeviceCopies | None, queue: Any) -> None:
        self.residency = residency
        self.copies = copies
        self.number = next(_numbers)
        _tracked[self.number] = self
        function = int(ffi.cast("uintptr_t", ffi.addressof(lib, "weft_settle_copies")))
        lib.weft_queue_track(queue, function, self.number)

    def prepare(self, access: Any) -> int:
        """Make valid the copies that a command uses; see `weft_settle_function`."""
        residency = self.residency
        with lock:
            if access.kind == lib.WEFT_ACCESS_COPY:
                return residency.copy(access.dst, access.src, access.nbytes)
            if access.kind == lib.WEFT_ACCESS_FILL:
                pattern = bytes(ffi.buffer(access.args, access.args_bytes))
                return residency.fill(access.dst, pattern, access.nbytes)
            if access.kind == lib.WEFT_ACCESS_MIGRATE:
                residency.migrate(self.copies, access.dst, access.nbytes, access.mode)
            elif access.kind == lib.WEFT_ACCESS_COPY_RECT:
                width, height, depth = access.rect.region
                sides = (
                    (access.src, access.rect.src_row_pitch, access.rect.src_slice_pitch, False),
                    (access.dst, access.rect.dst_row_pitch, access.rect.dst_slice_pitch, True),
                )
                for address, row, plane, writes in sides:
                    extent = (depth - 1) * plane + (height - 1) * row + width
                    residency.use_at_home(address, extent, reads=True, writes=writes)
            else:
                _, arguments = split_arguments(bytes(ffi.buffer(access.args, access.args_bytes)))
                for argument in arguments:
                    found = residency.find_argument(argument)
                    if found is not None:
                        allocation, start, end = found
                        residency.use_at_home(
                            allocation.start + start, end - start, reads=True, writes=argument.writes
                        )
        return _READY


_numbers = count(1)
_tracked: "WeakValueDictionary[int, TrackedQueue]" = WeakValueDictionary()


class UnknownMemory(WeftError):
    """A kernel argument is an address outside the memory of its context."""


class DeviceArguments:
    """The arguments of a launch on a device with copies, which are valid and in use within this context."""

    def __init__(self, queue: int, data: bytes) -> None:
        """`queue` is `memories` of the launch's queue, `data` its argument block and table."""
        tracked = _tracked.get(queue)
        if tracked is None or tracked.copies is None:
            raise UnknownMemory("its context was released")
        self._residency = tracked.residency
        self._copies = tracked.copies
        self._block, self._arguments = split_arguments(data)
        self._used: list[tuple[Copy, int, int, bool]] = []

    def __enter__(self) -> bytes:
        """Return the argument block with addresses of the device; raises MemoryError."""
        with lock:
            try:
                for argument in self._arguments:
                    place = self._bring(argument)
                    if argument.offset is not None:
                        self._block[argument.offset : argument.offset + 8] = place.to_bytes(8, "little")
                for copy, start, end, writes in self._used:
                    if writes:
                        copy.allocation.valid_in_only(copy, start, end)
            except BaseException:
                self._leave()
                raise
        return bytes(self._block)

    def __exit__(self, *_error: object) -> None:
        with lock:
            self._leave()

    def _bring(self, argument: MemoryArgument) -> int:
        found = self._residency.find_argument(argument)
        if found is None:
            raise UnknownMemory(f"the memory at {argument.address:#x} is not the context's")
        allocation, start, end = found
        copy = self._copies.place(allocation)
        self._used.append((copy, start, end, argument.writes))
        self._copies.bring(copy, start, end)
        return copy.place + argument.address - allocation.start

    def _leave(self) -> None:
        used, self._used = self._used, []
        for copy, *_ in used:
            self._copies.leave(copy)
        for copy, start, end, _ in used:
            if copy.allocation.is_passing:
                copy.allocation.bring_home(start, end)
                if not copy.users and self._copies in copy.allocation.copies:
                    self._copies.drop(copy)


def settled(call: Callable[[], int], message: Any, message_bytes: int) -> int:
    """Return the result of a call from the pool; write error messages to `message`."""
    try:
        return call()
    except WeftError as error:
        text = str(error)
    except MemoryError as error:
        text = f"the device's memory is full: {error}"
    except Exception as error:
        text = f"the driver failed: {type(error).__name__}: {error}"
    except BaseException as error:  # from a signal handler: it ends the wait for the command
        note(error)
        return INTERRUPTED
    data = text.encode()[: message_bytes - 1] + b"\0"
    ffi.memmove(message, data, len(data))
    return _FAILED


def _settle(access: Any) -> int:
    def prepare() -> int:
        tracked = _tracked.get(access.memories)
        if tracked is None:
            raise UnknownMemory("its context was released")
        return tracked.prepare(access)

    return settled(prepare, access.message, access.message_bytes)


_define: Callable[..., object] = ffi.def_extern(name="weft_settle_copies", error=_FAILED)
_define(_settle)
