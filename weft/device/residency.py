"""Track copies of buffers in several memories: which bytes are valid where, and when they move.

Every buffer has storage in the home memory of its context, which the host and most devices use. A device with
a separate memory works on copies there. Each byte of a buffer is valid at home, in copies, or both, or
nowhere if it was never written. A command transfers the bytes that it uses to where it runs; bytes that it
may write are then valid only there. So bytes move only on demand:

    launch on the device      home -> copy: what is not valid there; the copy alone is valid if it is written
    command at home           copy -> home: what is not valid there; home alone is valid if it is written
    copy, fill of what is valid on a device only: on the device

Transfers are decided when a command runs (`tracked_queue.py`), after its dependencies have completed. OpenCL
leaves the result undefined if a command writes bytes that an unordered command uses. Validity is tracked per
byte: disjoint sub-buffers can be used on several devices at once.

When a device's memory is full, copies that no launch uses are evicted: first those that need no write-back,
in LRU order.

Memory that programs access through pointers unknown to the driver (shared virtual memory, client memory) is
*passing*: launches copy it in, and back when they have ended.
"""

from bisect import bisect_left, bisect_right, insort
from typing import Protocol

from weft.dataclasses import dataclass
from weft.device.argument_table import MemoryArgument
from weft.device.ranges import Ranges
from weft.locks import new_reentrant_lock

# Bytes after each copy, so that a kernel that writes slightly out of bounds does not damage another buffer.
SPARE_BYTES = 256
ALIGNMENT = 128

# Modes of migrations; see `Residency.migrate`.
HOME_READ, HOME_WRITE, HOME_UNDEFINED, DEVICE, DEVICE_UNDEFINED = range(5)

lock = new_reentrant_lock()
"""Guards all data of this module; contexts share the memories of devices. Not held while launches run.

The lock does not exclude signal handlers on the same thread, so bytes become valid in one place before they
become invalid in another.
"""


class SeparateMemory(Protocol):
    """A memory that only its device can access directly; `write` and `read` transfer from and to the host."""

    capacity: int
    """The number of bytes available for buffers."""

    def allocate(self, nbytes: int, alignment: int) -> int:
        """Allocate memory and return its address there; raises MemoryError."""

    def free(self, address: int) -> None:
        """Free memory."""

    def write(self, address: int, source: int, nbytes: int) -> None:
        """Copy from the host. Like all transfers, it has ended on return, and raises if it fails."""

    def read(self, address: int, destination: int, nbytes: int) -> None:
        """Copy to the host."""

    def copy(self, address: int, source: int, nbytes: int) -> None:
        """Copy within the memory; the ranges may overlap."""

    def fill(self, address: int, pattern: bytes, nbytes: int) -> None:
        """Repeat a pattern."""


@dataclass
class Moved:
    """Statistics of the copies in a memory, in bytes unless stated otherwise."""

    written: int = 0
    read: int = 0
    copied: int = 0
    filled: int = 0
    given_up: int = 0
    """The number of evicted copies."""


class Copy:
    """The copy of an allocation in a memory; `valid` is the set of offsets that are valid there."""

    __slots__ = ("allocation", "place", "users", "valid")

    def __init__(self, allocation: "Allocation", place: int) -> None:
        self.allocation = allocation
        self.place = place
        self.valid = Ranges()
        self.users = 0


class Allocation:
    """A piece of home memory; `home` is the set of offsets that are valid there."""

    __slots__ = ("copies", "home", "is_passing", "size", "start")

    def __init__(self, start: int, size: int, is_passing: bool) -> None:
        self.start = start
        self.size = size
        self.is_passing = is_passing
        self.home = Ranges()
        self.copies: dict[DeviceCopies, Copy] = {}

    def bring_home(self, start: int, end: int) -> None:
        """Make a range valid at home."""
        for copies, copy in list(self.copies.items()):
            for gap in self.home.missing(start, end):
                for a, b in copy.valid.within(*gap):
                    copies.memory.read(copy.place + a, self.start + a, b - a)
                    copies.moved.read += b - a
                    self.home.add(a, b)

    def valid_at_home_only(self, start: int, end: int) -> None:
        """Invalidate a range in all copies; it is about to be written at home."""
        self.home.add(start, end)
        for copy in list(self.copies.values()):
            copy.valid.remove(start, end)

    def valid_in_only(self, only: Copy, start: int, end: int) -> None:
        """Invalidate a range everywhere except in one copy, where it is about to be written."""
        only.valid.add(start, end)
        self.home.remove(start, end)
        for copy in list(self.copies.values()):
            if copy is not only:
                copy.valid.remove(start, end)


class DeviceCopies:
    """The copies in the memory of a device, for all contexts."""

    def __init__(self, memory: SeparateMemory) -> None:
        self.memory = memory
        self.moved = Moved()
        self._copies: dict[Copy, None] = {}  # least recently used first

    def place(self, allocation: Allocation) -> Copy:
        """Return the copy of an allocation, which is in use until `leave`; raises MemoryError."""
        copy = allocation.copies.get(self)
        if copy is None:
            copy = Copy(allocation, self._allocate(allocation.size + SPARE_BYTES))
            allocation.copies[self] = copy
        self._copies.pop(copy, None)
        self._copies[copy] = None
        copy.users += 1
        return copy

    def leave(self, copy: Copy) -> None:
        """End a use of a copy."""
        copy.users -= 1

    def bring(self, copy: Copy, start: int, end: int) -> None:
        """Make a range of a copy valid."""
        allocation = copy.allocation
        for a, b in copy.valid.missing(start, end):
            allocation.bring_home(a, b)
            for x, y in allocation.home.within(a, b):
                self.memory.write(copy.place + x, allocation.start + x, y - x)
                self.moved.written += y - x
            copy.valid.add(a, b)

    def drop(self, copy: Copy) -> None:
        """Free a copy, even if bytes are valid only there."""
        self._copies.pop(copy, None)
        copy.allocation.copies.pop(self, None)
        self.memory.free(copy.place)

    def _allocate(self, nbytes: int) -> int:
        if nbytes > self.memory.capacity:
            raise MemoryError(f"a copy of {nbytes} bytes, the device's memory has {self.memory.capacity}")
        while True:
            try:
                return self.memory.allocate(nbytes, ALIGNMENT)
            except MemoryError:
                unused = [copy for copy in self._copies if not copy.users]
                if not unused:
                    raise
                self._give_up(next((copy for copy in unused if self._is_spare(copy)), unused[0]))

    def _is_spare(self, copy: Copy) -> bool:
        """Whether all bytes that are valid in a copy are valid at home too."""
        return all(copy.allocation.home.covers(a, b) for a, b in copy.valid)

    def _give_up(self, copy: Copy) -> None:
        copy.allocation.bring_home(0, copy.allocation.size)
        self.drop(copy)
        self.moved.given_up += 1


class Residency:
    """The memory of a context whose devices have several memories.

    The lock must be held for the methods that commands call.
    """

    def __init__(self) -> None:
        self._allocations: list[Allocation] = []  # sorted by start
        self._longest = 0

    def add(self, start: int, size: int, *, is_passing: bool = False, is_defined: bool = True) -> None:
        """Add a piece of memory; `is_defined`: its contents are valid at home."""
        allocation = Allocation(start, size, is_passing)
        if is_defined:
            allocation.home.add(0, size)
        with lock:
            insort(self._allocations, allocation, key=_start)
            self._longest = max(self._longest, size)

    def remove(self, start: int, size: int) -> None:
        """Remove a piece of memory that no command uses any more."""
        with lock:
            found = [one for one in self._overlapping(start, size) if (one.start, one.size) == (start, size)]
            for allocation in found[-1:]:
                self._allocations.remove(allocation)
                for copies, copy in list(allocation.copies.items()):
                    copies.drop(copy)

    def use_at_home(self, address: int, size: int, *, reads: bool, writes: bool) -> None:
        """Prepare for a use of bytes at home; if not `reads`, all of them are written."""
        for allocation in self._overlapping(address, size):
            start = max(address - allocation.start, 0)
            end = min(address + size - allocation.start, allocation.size)
            if reads:
                allocation.bring_home(start, end)
            if writes:
                allocation.valid_at_home_only(start, end)

    def copy(self, destination: int, source: int, nbytes: int) -> bool:
        """Prepare for a copy at home; True if the copy was made on a device instead."""
        origin, target = self._find(source, nbytes), self._find(destination, nbytes)
        if origin is not None and target is not None and not target.is_passing:
            start, to = source - origin.start, destination - target.start
            for copies, copy in origin.copies.items():
                if not origin.home.covers(start, start + nbytes) and copy.valid.covers(start, start + nbytes):
                    return self._copy_on_device(copies, copy, start, target, to, nbytes)
        self.use_at_home(source, nbytes, reads=True, writes=False)
        self.use_at_home(destination, nbytes, reads=False, writes=True)
        return False

    def _copy_on_device(
        self, copies: DeviceCopies, copy: Copy, start: int, target: Allocation, to: int, nbytes: int
    ) -> bool:
        copy.users += 1  # it must not be evicted for the other copy
        try:
            written = copies.place(target)
        except MemoryError:
            copy.allocation.bring_home(start, start + nbytes)
            target.valid_at_home_only(to, to + nbytes)
            return False
        finally:
            copies.leave(copy)
        try:
            copies.memory.copy(written.place + to, copy.place + start, nbytes)
            copies.moved.copied += nbytes
            target.valid_in_only(written, to, to + nbytes)
        finally:
            copies.leave(written)
        return True

    def fill(self, address: int, pattern: bytes, nbytes: int) -> bool:
        """Prepare for a fill at home; True if the fill was made on the device where the bytes were valid."""
        allocation = self._find(address, nbytes)
        if allocation is not None:
            start = address - allocation.start
            for copies, copy in allocation.copies.items():
                if copy.valid.covers(start, start + nbytes) and not allocation.home.within(
                    start, start + nbytes
                ):
                    copies.memory.fill(copy.place + start, pattern, nbytes)
                    copies.moved.filled += nbytes
                    allocation.valid_in_only(copy, start, start + nbytes)
                    return True
        self.use_at_home(address, nbytes, reads=False, writes=True)
        return False

    def migrate(self, copies: DeviceCopies | None, address: int, nbytes: int, mode: int) -> None:
        """Make bytes valid at home, or on a device with copies; with undefined contents nothing is moved."""
        allocation = self._find(address, nbytes)
        if copies is None or mode < DEVICE or allocation is None:
            undefined = mode in (HOME_UNDEFINED, DEVICE_UNDEFINED)
            writes = undefined or mode == HOME_WRITE
            self.use_at_home(address, nbytes, reads=not undefined, writes=writes)
        elif not allocation.is_passing:
            start = address - allocation.start
            copy = copies.place(allocation)
            try:
                if mode == DEVICE:
                    copies.bring(copy, start, start + nbytes)
                else:
                    allocation.valid_in_only(copy, start, start + nbytes)
            finally:
                copies.leave(copy)

    def _find(self, address: int, size: int) -> Allocation | None:
        """Return the allocation that contains a range; None if there is none."""
        for allocation in self._overlapping(address, size):
            if allocation.start <= address and address + size <= allocation.start + allocation.size:
                return allocation
        return None

    def _overlapping(self, address: int, size: int) -> list[Allocation]:
        first = bisect_left(self._allocations, address - self._longest, key=_start)
        last = bisect_right(self._allocations, address + size - 1, key=_start)
        return [one for one in self._allocations[first:last] if address < one.start + one.size]

    def find_argument(self, argument: MemoryArgument) -> tuple[Allocation, int, int] | None:
        """Return the allocation of an argument, and the range of its bytes; None if there is none."""
        allocation = self._find(argument.address, argument.size or 1)
        if allocation is None or argument.size is None:
            return None if allocation is None else (allocation, 0, allocation.size)
        start = argument.address - allocation.start
        return allocation, start, start + argument.size


def _start(allocation: Allocation) -> int:
    return allocation.start
