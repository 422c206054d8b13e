"""The table of memory arguments of a launch, stored after its argument block.

Kernels get addresses without the sizes of the buffers or sub-buffers. If a context has copies of buffers in
several memories, launches carry the sizes after the arguments that the code reads.
"""

import struct

from weft.dataclasses import dataclass

_ENTRY = struct.Struct("<QQQQ")  # offset in the block, address, size, whether the kernel may write it
_END = struct.Struct("<QQ")  # bytes of the block, entries
_NOWHERE = 2**64 - 1


@dataclass(frozen=True)
class MemoryArgument:
    """The memory of an argument of a kernel."""

    offset: int | None
    """The offset of its address in the block; None if the address is in another structure (of an image)."""
    address: int
    size: int | None
    """None if unknown: the whole allocation that contains the address."""
    writes: bool


class ArgumentTable:
    """The table of an argument block, updated when arguments are set."""

    def __init__(self, block_bytes: int, entries: int) -> None:
        self._start = -(-block_bytes // 8) * 8
        self._entries = entries
        self.block = bytearray(self._start + entries * _ENTRY.size + _END.size)
        """The argument block followed by the table."""
        _END.pack_into(self.block, len(self.block) - _END.size, block_bytes, entries)

    def set(self, index: int, argument: MemoryArgument | None) -> None:
        """Set the entry of an argument; None if it has no memory."""
        entry = (0, 0, 0, 0)
        if argument is not None:
            offset = _NOWHERE if argument.offset is None else argument.offset
            size = _NOWHERE if argument.size is None else argument.size
            entry = (offset, argument.address, size, argument.writes)
        _ENTRY.pack_into(self.block, self._start + index * _ENTRY.size, *entry)


def split_arguments(data: bytes) -> tuple[bytearray, list[MemoryArgument]]:
    """Split data into an argument block and the entries of its table."""
    block_bytes, entries = _END.unpack_from(data, len(data) - _END.size)
    found = []
    for index in range(entries):
        place = len(data) - _END.size - (entries - index) * _ENTRY.size
        offset, address, size, writes = _ENTRY.unpack_from(data, place)
        if address:
            at, length = (None if value == _NOWHERE else value for value in (offset, size))
            found.append(MemoryArgument(at, address, length, bool(writes)))
    return bytearray(data[:block_bytes]), found
