"""Relocations of x86-64: 64-bit addresses and 32-bit PC-relative offsets."""

from collections.abc import Sequence

from .machine import Fixup, signed, unsupported, write_word

R_64, R_PC32, R_PLT32, R_GOTPCREL, R_PC64, R_GOTPCRELX, R_REX_GOTPCRELX = 1, 2, 4, 9, 24, 41, 42
_JUMP = b"\xe9"  # jmp with a 32-bit distance
_JUMP_THROUGH = b"\xff\x25"  # jmp *[rip + 32 bits]
_STUB_BYTES = 8


class X86_64:
    """x86-64."""

    name = "x86-64"
    number = 62
    stub_bytes = _STUB_BYTES
    by_table = frozenset((R_GOTPCREL, R_GOTPCRELX, R_REX_GOTPCRELX))

    def stub(self, at: int, address: int, through_table: bool) -> bytes:
        """Return a jump; distances are relative to its end."""
        code = bytearray(_JUMP_THROUGH if through_table else _JUMP)
        length = len(code) + 4
        code += (signed(address - at - length, 32) & 0xFFFFFFFF).to_bytes(4, "little")
        return bytes(code.ljust(_STUB_BYTES, b"\0"))

    def apply(self, section: bytearray, fixups: Sequence[Fixup], base: int) -> None:
        """See Machine."""
        for fixup in fixups:
            if fixup.kind == R_64:
                write_word(section, fixup.offset, fixup.target, 8)
            elif fixup.kind == R_PC64:
                write_word(section, fixup.offset, fixup.distance, 8)
            elif fixup.kind in (R_PC32, R_PLT32):
                write_word(section, fixup.offset, signed(fixup.distance, 32))
            elif fixup.kind in self.by_table:
                write_word(section, fixup.offset, signed(fixup.entry + fixup.addend - fixup.here, 32))
            else:
                raise unsupported(fixup.kind)
