"""Relocations of AArch64 (ELF for the Arm 64-bit Architecture, section 5.7).

Addresses consist of a page within 4 GiB (`adrp`) and an offset in the page; calls reach 128 MiB.
"""

from collections.abc import Sequence

from .machine import Fixup, pointer, set_bits, signed, unsupported, words, write_word

_ABS64, _ABS32, _PREL64, _PREL32, _PLT32 = 257, 258, 260, 261, 314
_LD_PREL_LO19, _ADR_PREL_LO21, _ADR_PREL_PG_HI21, _ADR_PREL_PG_HI21_NC = 273, 274, 275, 276
_TSTBR14, _CONDBR19, _JUMP26, _CALL26 = 279, 280, 282, 283
_ADR_GOT_PAGE, _LD64_GOT_LO12_NC = 311, 312
# Offsets in a page, in units of the access size: 12 bits, starting at bit 10.
_OFFSETS = {277: 0, 278: 0, 284: 1, 285: 2, 286: 3, 299: 4}
# A distance in instructions: its width, and its lowest bit.
_BRANCHES = {
    **{_TSTBR14: (14, 5), _CONDBR19: (19, 5), _LD_PREL_LO19: (19, 5)},
    **{_JUMP26: (26, 0), _CALL26: (26, 0)},
}
_ADDRESS_BITS = 0x60FFFFE0  # address bits of adr and adrp

_LOAD_LITERAL = 0x58000090  # ldr x16, .+16
_LOAD_THROUGH = 0xF9400210  # ldr x16, [x16]
_JUMP = 0xD61F0200  # br x16
_NOP = 0xD503201F


class AArch64:
    """64-bit ARM."""

    name = "AArch64"
    number = 183
    stub_bytes = 24
    by_table = frozenset((_ADR_GOT_PAGE, _LD64_GOT_LO12_NC))

    def stub(self, at: int, address: int, through_table: bool) -> bytes:
        """Return a jump through x16, which calls may clobber."""
        second = _LOAD_THROUGH if through_table else _NOP
        return words(_LOAD_LITERAL, second, _JUMP, _NOP) + pointer(address)

    def apply(self, section: bytearray, fixups: Sequence[Fixup], base: int) -> None:
        """See Machine."""
        for fixup in fixups:
            kind, offset = fixup.kind, fixup.offset
            if kind == _ABS64:
                write_word(section, offset, fixup.target, 8)
            elif kind == _PREL64:
                write_word(section, offset, fixup.distance, 8)
            elif kind in (_PREL32, _PLT32):
                write_word(section, offset, signed(fixup.distance, 32))
            elif kind in _OFFSETS:
                set_bits(section, offset, 0x3FFC00, (fixup.target & 0xFFF) >> _OFFSETS[kind] << 10)
            elif kind in (_ADR_PREL_PG_HI21, _ADR_PREL_PG_HI21_NC):
                _set_address(section, offset, (fixup.target >> 12) - (fixup.here >> 12))
            elif kind == _ADR_PREL_LO21:
                _set_address(section, offset, fixup.distance)
            elif kind in _BRANCHES:
                bits, first = _BRANCHES[kind]
                distance = signed(fixup.distance >> 2, bits)
                set_bits(section, offset, (1 << bits) - 1 << first, distance << first)
            elif kind == _ADR_GOT_PAGE:
                _set_address(section, offset, (fixup.entry + fixup.addend >> 12) - (fixup.here >> 12))
            elif kind == _LD64_GOT_LO12_NC:
                set_bits(section, offset, 0x3FFC00, (fixup.entry + fixup.addend & 0xFFF) >> 3 << 10)
            else:
                raise unsupported(kind)


def _set_address(section: bytearray, offset: int, value: int) -> None:
    """Set the operand of adr or adrp: two bits at 29, nineteen at 5."""
    signed(value, 21)
    set_bits(section, offset, _ADDRESS_BITS, (value & 3) << 29 | (value >> 2 & 0x7FFFF) << 5)
