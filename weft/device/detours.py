"""Move instructions that an emulator cannot translate in place to copies, reached by jumps.

qemu 7.2 aborts at a vector conversion that rounds to zero (`vfcvt.rtz`, `vfwcvt.rtz`, `vfncvt.rtz` of RISC-V)
if no instruction with rounding mode `frm` precedes it in the same translation block, which starts after a
jump or a `vsetvli`, or at a page. Its translator first sets that rounding mode, then the other one, but can
record an instruction only once (`decode_save_opc: Assertion 'ctx->insn_start != NULL' failed`). So such a
conversion is placed after one with rounding mode `frm`, whose result is discarded:

    vfcvt.rtz.x.f.v v8, v8   ->   j copy;   copy: fcvt.w.s zero, ft0;  vfcvt.rtz.x.f.v v8, v8;  j back

Linkers work around processor errata in the same way.
"""

from collections.abc import Sequence

from weft.codegen.linking.machine import words
from weft.codegen.linking.riscv64 import jump_bits

# OP-V, OPFVV, VFUNARY0; the function number in bits 15 to 19 has bits 1 and 2 set if it rounds to zero.
_MASK, _ROUNDS_TO_ZERO = 0xFC03707F, 0x48031057
_JUMP = 0x0000006F  # j 0
_AS_FRM_SAYS = 0xC0007053  # fcvt.w.s zero, ft0
_NOP = 0x00000013
_WORD = 4


class RoundingDetours:
    """Detours for conversions of RISC-V that round to zero."""

    copy_bytes = 4 * _WORD

    def find(self, code: bytes) -> Sequence[int]:
        """Return the offsets of these instructions in code."""
        found, offset = [], 0
        while offset + _WORD <= len(code):
            if code[offset] & 3 != 3:
                offset += _WORD // 2  # a short instruction
                continue
            if int.from_bytes(code[offset : offset + _WORD], "little") & _MASK == _ROUNDS_TO_ZERO:
                found.append(offset)
            offset += _WORD
        return found

    def jump(self, distance: int) -> bytes:
        """Return the jump that replaces an instruction; `distance` is that of its copy. Raises ToolError."""
        return words(_JUMP | jump_bits(distance))

    def copy(self, instruction: bytes, distance: int) -> bytes:
        """Return the code of a copy; `distance` is that from the copy to the place of the instruction."""
        back = _JUMP | jump_bits(distance - _WORD)  # from the third word to the next instruction
        return words(_AS_FRM_SAYS) + instruction + words(back, _NOP)
