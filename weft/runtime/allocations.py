"""The unified shared memory allocations of a context."""

from bisect import bisect_right, insort

from weft.dataclasses import dataclass
from weft.runtime.objects import lock
from weft.runtime.platform import Device


@dataclass(frozen=True)
class Allocation:
    """An allocation as requested by the client; `device` is None for memory of all devices."""

    address: int
    size: int
    kind: int
    device: Device | None
    flags: int


class Allocations:
    """The allocations of a context, found by any address inside."""

    def __init__(self) -> None:
        self._starts: list[int] = []
        self._by_start: dict[int, Allocation] = {}

    def add(self, allocation: Allocation) -> None:
        """Remember an allocation."""
        with lock:
            insort(self._starts, allocation.address)
            self._by_start[allocation.address] = allocation

    def take(self, address: int) -> Allocation | None:
        """Forget the allocation that starts at `address`; None if there is none."""
        with lock:
            taken = self._by_start.pop(address, None)
            if taken is not None:
                del self._starts[bisect_right(self._starts, address) - 1]
            return taken

    def find(self, address: int) -> Allocation | None:
        """The allocation that `address` points into."""
        with lock:
            index = bisect_right(self._starts, address) - 1
            found = self._by_start[self._starts[index]] if index >= 0 else None
        return found if found is not None and address < found.address + found.size else None
