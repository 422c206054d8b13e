"""Relocations of 64-bit PowerPC, little-endian (64-Bit ELF V2 ABI Specification, section 3.5).

Code accesses variables and constants through its table of contents, to which r2 points. A function has two
entry points. External callers use the first, which computes r2 from r12, the address of the entry point.
Callers in the same object use the second, and share their r2. A call of an external function is followed by a
`nop`, which becomes the instruction that restores r2.
"""

from collections.abc import Sequence

from weft.errors import ToolError

from .machine import Fixup, read_word, set_bits, signed, unsupported, words, write_word

_NONE, _ADDR64, _REL64, _REL32, _REL24, _TOC = 0, 38, 44, 26, 10, 51
# 16 bits of an instruction: the lower half, or the upper half, which is added to a signed lower half; and
# whether the last two bits belong to the instruction.
_ALL, _ALL_BUT_TWO = 0xFFFF, 0xFFFC
_TOC16 = {
    **{47: ("all", _ALL), 48: ("low", _ALL), 50: ("high", _ALL)},
    **{63: ("all", _ALL_BUT_TWO), 64: ("low", _ALL_BUT_TWO)},
}
_REL16 = {249: ("all", _ALL), 250: ("low", _ALL), 252: ("high", _ALL)}
_NOP, _RESTORE_R2 = 0x60000000, 0xE8410018  # ld r2, 24(r1)
_BRANCH_BITS = 0x3FFFFFC


class PowerPC64LE:
    """64-bit PowerPC, little-endian."""

    name = "PowerPC64"
    number = 21
    stub_bytes = 40
    by_table: frozenset[int] = frozenset()

    def stub(self, at: int, address: int, through_table: bool) -> bytes:
        """Return a jump through r12, which holds the address of the entry point.

        r2 is saved where the caller restores it.
        """
        halves = [address >> shift & 0xFFFF for shift in (48, 32, 16, 0)]
        return words(
            0xF8410018,  # std r2, 24(r1)
            0x3D800000 | halves[0],  # lis r12
            0x618C0000 | halves[1],  # ori r12, r12
            0x798C07C6,  # sldi r12, r12, 32
            0x658C0000 | halves[2],  # oris r12, r12
            0x618C0000 | halves[3],  # ori r12, r12
            0xE98C0000 if through_table else _NOP,  # ld r12, 0(r12)
            0x7D8903A6,  # mtctr r12
            0x4E800420,  # bctr
            _NOP,
        )

    def apply(self, section: bytearray, fixups: Sequence[Fixup], base: int) -> None:
        """See Machine; `base` is the address in r2."""
        for fixup in fixups:
            kind, offset = fixup.kind, fixup.offset
            if kind == _NONE:
                continue
            if kind == _ADDR64:
                write_word(section, offset, fixup.target, 8)
            elif kind == _TOC:
                write_word(section, offset, base, 8)
            elif kind == _REL64:
                write_word(section, offset, fixup.distance, 8)
            elif kind == _REL32:
                write_word(section, offset, signed(fixup.distance, 32))
            elif kind == _REL24:
                _set_call(section, fixup)
            elif kind in _TOC16:
                _set_half(section, offset, fixup.target - base, *_TOC16[kind])
            elif kind in _REL16:
                _set_half(section, offset, fixup.distance, *_REL16[kind])
            else:
                raise unsupported(kind)


def _set_call(section: bytearray, fixup: Fixup) -> None:
    distance = fixup.distance + (0 if fixup.imported else fixup.local_entry)
    set_bits(section, fixup.offset, _BRANCH_BITS, signed(distance, 26))
    if fixup.imported:
        if read_word(section, fixup.offset + 4) != _NOP:
            raise ToolError("the object code has a call after which r2 is not restored")
        write_word(section, fixup.offset + 4, _RESTORE_R2)


def _set_half(section: bytearray, offset: int, value: int, which: str, mask: int) -> None:
    signed(value + 0x8000 if which == "high" else value, 16 if which == "all" else 32)
    set_bits(section, offset, mask, value + 0x8000 >> 16 if which == "high" else value, 2)
