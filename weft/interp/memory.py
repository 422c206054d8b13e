"""Memory as separate allocations, so that out-of-bounds accesses are detected.

A pointer is the pair (allocation, byte offset). An allocation gets an address only on demand (ptrtoint, a
pointer stored to memory); `Memory` converts addresses back to pointers. Allocations are far apart, so a
pointer slightly outside its object is still attributed to that object.

`shadow`, where an allocation has one, holds a byte for each byte: 0 defined, 1 never written, 2 poison.
"""

from bisect import bisect_right
from typing import TypeAlias

from weft.dataclasses import dataclass
from weft.ir.address_spaces import GLOBAL

from .errors import OutOfBounds, UndefinedBehaviour

Buffer: TypeAlias = bytearray | memoryview

DEFINED, UNINITIALISED, POISONED = 0, 1, 2
_GAP = 1 << 20
_ADDRESS_MASK = (1 << 64) - 1


class Allocation:
    """One object in memory: a buffer, a local or private variable, or a global variable."""

    __slots__ = ("data", "name", "shadow", "size", "space", "writable")

    def __init__(
        self,
        name: str,
        data: Buffer,
        *,
        initialised: bool = True,
        writable: bool = True,
        space: int = GLOBAL,
    ) -> None:
        self.name = name
        self.space = space
        self.data = data
        self.size = len(data)
        self.shadow = None if initialised else bytearray(b"\1") * self.size
        self.writable = writable

    def mark(self, offset: int, size: int, state: int) -> None:
        """Set the state of a range of bytes."""
        if self.shadow is None:
            if state == DEFINED:
                return
            self.shadow = bytearray(self.size)
        self.shadow[offset : offset + size] = bytes((state,)) * size

    def check(self, offset: int, size: int) -> int:
        """Return the offset in the allocation; raise OutOfBounds if not all bytes are inside."""
        # Offsets wrap around like addresses; closures call this only if a plain comparison fails.
        offset = ((offset + (1 << 63)) & _ADDRESS_MASK) - (1 << 63)
        if offset >= 0 and offset + size <= self.size:
            return offset
        if self is NULL:
            where = "the null pointer" if offset == 0 else f"address {offset & _ADDRESS_MASK:#x}"
            raise OutOfBounds(f"access of {size} bytes at {where}, which is in no object")
        raise OutOfBounds(
            f"access of {size} bytes at offset {offset} of '{self.name}', which has {self.size} bytes"
        )

    def check_write(self, offset: int, size: int) -> int:
        """Like `check`, but also raise OutOfBounds if the allocation is read-only."""
        offset = self.check(offset, size)
        if not self.writable and size:
            raise OutOfBounds(f"write of {size} bytes to '{self.name}', which is read-only")
        return offset

    def __repr__(self) -> str:
        return f"<{self.name}: {self.size} bytes>"


Pointer: TypeAlias = tuple[Allocation, int]

# The object of null and of integers that were cast to invalid pointers; the offset is the address.
NULL = Allocation("null", bytearray())


@dataclass(frozen=True)
class Local:
    """The argument for a local pointer: `nbytes` of memory, allocated for each work-group."""

    nbytes: int


class Memory:
    """The addresses of allocations."""

    def __init__(self) -> None:
        self._bases: list[int] = [0]
        self._allocations: list[Allocation] = [NULL]
        self._base_of: dict[Allocation, int] = {NULL: 0}
        self._next = _GAP

    def base(self, allocation: Allocation) -> int:
        """Return the address of an allocation."""
        base = self._base_of.get(allocation)
        if base is None:
            base = self._base_of[allocation] = self._next
            self._bases.append(base)
            self._allocations.append(allocation)
            self._next = -(-(base + allocation.size + _GAP) // 4096) * 4096
        return base

    def address(self, pointer: Pointer) -> int:
        """Return the integer of a pointer."""
        allocation, offset = pointer
        return (self.base(allocation) + offset) & _ADDRESS_MASK

    def pointer(self, address: int) -> Pointer:
        """Return the pointer for an integer address, into the nearest object if one is near."""
        index = bisect_right(self._bases, address) - 1
        allocation = self._allocations[index]
        if allocation is not NULL and address <= self._bases[index] + allocation.size + _GAP // 2:
            return allocation, address - self._bases[index]
        if index + 1 < len(self._bases) and self._bases[index + 1] - address <= _GAP // 2:
            return self._allocations[index + 1], address - self._bases[index + 1]
        return NULL, address


def located(pointer: Pointer, size: int) -> Pointer:
    """Return the pointer, checked for a read of `size` bytes."""
    try:
        allocation, offset = pointer
    except TypeError:
        raise UndefinedBehaviour("the address of an access is poison") from None
    return allocation, allocation.check(offset, size)


def located_for_write(pointer: Pointer, size: int) -> Pointer:
    """Return the pointer, checked for a write of `size` bytes."""
    try:
        allocation, offset = pointer
    except TypeError:
        raise UndefinedBehaviour("the address of an access is poison") from None
    return allocation, allocation.check_write(offset, size)
