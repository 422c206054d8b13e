"""Check that all relocations of an object file can be resolved.

Code and data of a kernel are close together, so 32-bit offsets suffice. LLVM occasionally splits an index
into one that is 2^31 too large and an address that is too low by the same amount; a 32-bit offset cannot
reach it, and the linker refuses.
"""

import struct

_HEADER = struct.Struct("<16x24xQ10x3H")  # header of a 64-bit ELF file: offset, size and number of sections
_SECTION = struct.Struct("<IIQQQQIIQQ")
_RELOCATION = struct.Struct("<QQq")
_WITH_ADDENDS = 4  # SHT_RELA
_FAR = 1 << 30


def has_distant_relocation(code: bytes) -> bool:
    """Return whether a relocation of an x86-64 object has a base address far outside of all sections."""
    if code[:6] != b"\x7fELF\x02\x01" or int.from_bytes(code[18:20], "little") != 62:
        return False
    first, size, count, _ = _HEADER.unpack_from(code)
    for number in range(count):
        _, kind, _, _, place, length, *_ = _SECTION.unpack_from(code, first + number * size)
        if kind == _WITH_ADDENDS:
            for _, _, addend in _RELOCATION.iter_unpack(code[place : place + length]):
                if not -_FAR <= addend < _FAR:
                    return True
    return False
