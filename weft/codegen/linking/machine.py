"""The linker's description of an architecture: relocations, and stubs for external functions."""

import struct
from collections.abc import Sequence
from typing import Protocol

from weft.dataclasses import dataclass
from weft.errors import ToolError

POINTER_BYTES = 8


@dataclass(frozen=True)
class Fixup:
    """A relocation whose symbol has an address.

    `offset` is the offset of the relocated location in its section, `here` its address. `entry` is the
    address of the symbol's entry in the table of addresses, 0 if the relocation needs none. `imported`: the
    symbol is a stub. `local_entry`: offset from the symbol at which callers in the same object enter it.
    """

    offset: int
    kind: int
    here: int
    symbol: int
    addend: int
    entry: int
    imported: bool
    local_entry: int

    @property
    def target(self) -> int:
        """The address to which the relocation refers."""
        return self.symbol + self.addend

    @property
    def distance(self) -> int:
        """The distance from the relocated location to the target."""
        return self.target - self.here


class Machine(Protocol):
    """An architecture.

    `number` is its number in ELF. `by_table` has the relocations that need an entry in the table of
    addresses.
    """

    name: str
    number: int
    stub_bytes: int
    by_table: frozenset[int]

    def stub(self, at: int, address: int, through_table: bool) -> bytes:
        """Return a jump, placed at `at`, to `address`, or to the address that is stored there."""

    def apply(self, section: bytearray, fixups: Sequence[Fixup], base: int) -> None:
        """Write the values of all fixups of a section; `base` is the middle of a table of contents."""


def read_word(section: bytearray, offset: int, size: int = 4) -> int:
    """Return the instruction or number at an offset."""
    if offset + size > len(section):
        raise ToolError("the object code is corrupt: a relocation lies outside of its section")
    return int.from_bytes(section[offset : offset + size], "little")


def write_word(section: bytearray, offset: int, value: int, size: int = 4) -> None:
    """Replace the instruction or number at an offset; bits beyond its size are dropped."""
    if offset + size > len(section):
        raise ToolError("the object code is corrupt: a relocation lies outside of its section")
    section[offset : offset + size] = (value & (1 << 8 * size) - 1).to_bytes(size, "little")


def set_bits(section: bytearray, offset: int, mask: int, value: int, size: int = 4) -> None:
    """Replace the bits of `mask` in an instruction."""
    write_word(section, offset, read_word(section, offset, size) & ~mask | value & mask, size)


def signed(value: int, bits: int) -> int:
    """Return the value if it fits in that many signed bits; raise ToolError otherwise."""
    if not -(1 << bits - 1) <= value < 1 << bits - 1:
        raise ToolError(f"the object code has an address that {bits} bits do not reach")
    return value


def words(*instructions: int) -> bytes:
    """Return 32-bit instructions as bytes."""
    return struct.pack(f"<{len(instructions)}I", *instructions)


def pointer(address: int) -> bytes:
    """Return an address as bytes."""
    return (address & (1 << 64) - 1).to_bytes(POINTER_BYTES, "little")


def unsupported(kind: int) -> ToolError:
    """Return the error for a relocation that the compiler is not known to emit."""
    return ToolError(f"relocations of type {kind} are not supported")
