"""Relocations of RISC-V (RISC-V ABIs Specification, chapter 8), for objects that need no relaxation.

Addresses take two instructions: `auipc` with the upper 20 bits of a distance, and one with the lower 12. The
relocation of the second refers to the first, which the distance is relative to.
"""

from collections.abc import Callable, Sequence

from weft.errors import ToolError

from .machine import Fixup, pointer, read_word, set_bits, signed, unsupported, words, write_word

_NONE, _R32, _R64, _BRANCH, _JAL, _CALL, _CALL_PLT, _GOT_HI20 = 0, 1, 2, 16, 17, 18, 19, 20
_PCREL_HI20, _PCREL_LO12_I, _PCREL_LO12_S, _RVC_BRANCH, _RVC_JUMP, _RELAX = 23, 24, 25, 44, 45, 51
_PCREL_32 = 57
# Distances between labels are computed by adding to and subtracting from the stored value: bytes, and the
# sign.
_SUMS = {33: (1, 1), 34: (2, 1), 35: (4, 1), 36: (8, 1), 37: (1, -1), 38: (2, -1), 39: (4, -1), 40: (8, -1)}
_SET = {54: 1, 55: 2, 56: 4}

_AUIPC = 0x00000E17  # auipc t3, 0
_LOAD_LITERAL = 0x010E3E03  # ld t3, 16(t3)
_LOAD_THROUGH = 0x000E3E03  # ld t3, 0(t3)
_JUMP = 0x000E0067  # jr t3
_NOP = 0x00000013


def _upper(value: int) -> int:
    """Return the upper 20 bits of a distance whose lower 12 are added as a signed number."""
    signed(value + 0x800, 32)
    return value + 0x800 & 0xFFFFF000


def _store_bits(value: int) -> int:
    return (value >> 5 & 0x7F) << 25 | (value & 0x1F) << 7


def _branch_bits(value: int) -> int:
    value = signed(value, 13)
    sign, high, low, eleventh = value >> 12 & 1, value >> 5 & 0x3F, value >> 1 & 0xF, value >> 11 & 1
    return sign << 31 | high << 25 | low << 8 | eleventh << 7


def jump_bits(value: int) -> int:
    """Return the encoded distance of a `jal`."""
    value = signed(value, 21)
    sign, low, eleventh, high = value >> 20 & 1, value >> 1 & 0x3FF, value >> 11 & 1, value >> 12 & 0xFF
    return sign << 31 | low << 21 | eleventh << 20 | high << 12


def _short_branch_bits(value: int) -> int:
    value = signed(value, 9)
    places = ((8, 12), (4, 11), (3, 10), (7, 6), (6, 5), (2, 4), (1, 3), (5, 2))
    return sum((value >> source & 1) << bit for source, bit in places)


def _short_jump_bits(value: int) -> int:
    value = signed(value, 12)
    places = ((11, 12), (4, 11), (9, 10), (8, 9), (10, 8), (6, 7), (7, 6), (3, 5), (2, 4), (1, 3), (5, 2))
    return sum((value >> source & 1) << bit for source, bit in places)


# The encoding of a distance, the size of the instruction in bytes and the mask of the encoded bits.
_DISTANCES: dict[int, tuple[Callable[[int], int], int, int]] = {
    _BRANCH: (_branch_bits, 4, 0xFE000F80),
    _JAL: (jump_bits, 4, 0xFFFFF000),
    _RVC_BRANCH: (_short_branch_bits, 2, 0x1C7C),
    _RVC_JUMP: (_short_jump_bits, 2, 0x1FFC),
}


class RiscV64:
    """64-bit RISC-V."""

    name = "RISC-V"
    number = 243
    stub_bytes = 24
    by_table = frozenset((_GOT_HI20,))

    def stub(self, at: int, address: int, through_table: bool) -> bytes:
        """Return a jump through t3, which calls may clobber."""
        third = _LOAD_THROUGH if through_table else _NOP
        return words(_AUIPC, _LOAD_LITERAL, third, _JUMP) + pointer(address)

    def apply(self, section: bytearray, fixups: Sequence[Fixup], base: int) -> None:
        """See Machine."""
        uppers = {f.here: f.distance for f in fixups if f.kind == _PCREL_HI20}
        uppers |= {f.here: f.entry + f.addend - f.here for f in fixups if f.kind == _GOT_HI20}
        for fixup in fixups:
            kind, offset = fixup.kind, fixup.offset
            if kind in (_NONE, _RELAX):
                continue
            if kind == _R64:
                write_word(section, offset, fixup.target, 8)
            elif kind == _PCREL_32:
                write_word(section, offset, signed(fixup.distance, 32))
            elif kind in (_CALL, _CALL_PLT):
                set_bits(section, offset, 0xFFFFF000, _upper(fixup.distance))
                set_bits(section, offset + 4, 0xFFF00000, (fixup.distance & 0xFFF) << 20)
            elif kind in (_PCREL_HI20, _GOT_HI20):
                set_bits(section, offset, 0xFFFFF000, _upper(uppers[fixup.here]))
            elif kind in (_PCREL_LO12_I, _PCREL_LO12_S):
                if fixup.symbol not in uppers:
                    raise ToolError("the object code is corrupt: half an address")
                value = uppers[fixup.symbol]
                if kind == _PCREL_LO12_I:
                    set_bits(section, offset, 0xFFF00000, (value & 0xFFF) << 20)
                else:
                    set_bits(section, offset, 0xFE000F80, _store_bits(value))
            elif kind in _DISTANCES:
                encode, size, mask = _DISTANCES[kind]
                set_bits(section, offset, mask, encode(fixup.distance), size)
            elif kind in _SUMS:
                size, sign = _SUMS[kind]
                write_word(section, offset, read_word(section, offset, size) + sign * fixup.target, size)
            elif kind in _SET:
                write_word(section, offset, fixup.target, _SET[kind])
            else:
                raise unsupported(kind)
