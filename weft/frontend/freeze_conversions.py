"""Freeze conversions from floating point to integer.

In OpenCL C, an out-of-range conversion yields an implementation-defined integer of the target type. In LLVM
it is poison: `(uchar)300.0f` may be 300 in one use and 44 in another, `table[(uchar)x]` may read outside the
table, and code after a branch on it may be removed.

    %c = call i8 @llvm.fptoui.sat.i8.f32(float %x)        %weft.wide.c = fptosi float %x to i32
                                                          %weft.c = freeze i32 %weft.wide.c
                                                          %c = trunc i32 %weft.c to i8

clang emits saturating conversions (`-fno-strict-float-cast-overflow`), which cost several instructions
instead of one. Only constants keep them, so that `(int)FLT_MAX` is the largest int. Other conversions yield
the processor's result, the same for all uses; 8- and 16-bit results are truncated from 32 bits. In-range
conversions do not change. Runs on clang's output, before any LLVM pass.
"""

import re

from weft.lazy_pattern import lazy_pattern

_NAME = r'%("[^"\n]+"|[^\s="]+)'
_INTEGER = r"(i\d+|<\d+ x i\d+>)"
_METADATA = r"((?:, ![\w.]+ !\d+)*)$"
_CONVERSION = lazy_pattern(rf"^  {_NAME} = fpto([su])i ([^\n]*?) to {_INTEGER}{_METADATA}", re.MULTILINE)
_SATURATING = lazy_pattern(
    rf"^  {_NAME} = (?:tail )?call {_INTEGER} @llvm\.fpto([su])i\.sat\.\w+\.\w+"
    rf"\(([^%\n]*%[^\n)]*)\)(?: #\d+)?{_METADATA}",
    re.MULTILINE,
)
_NARROW = lazy_pattern(r"\bi(?:8|16)\b")


def freeze_conversions(ir: str) -> str:
    """Add a freeze after each conversion from floating point to integer."""
    if " = fpto" in ir:
        ir = _CONVERSION.sub(lambda m: _frozen(m[1], m[2], m[3], m[4], m[5]), ir)
    return ir


def relax_saturating(ir: str) -> str:
    """Replace the saturating conversions that clang emits for casts by frozen ones."""
    if "@llvm.fpto" in ir:
        ir = _SATURATING.sub(lambda m: _frozen(m[1], m[3], m[4], m[2], m[5]), ir)
    return ir


def _frozen(name: str, sign: str, operand: str, type: str, metadata: str) -> str:
    first, second = (
        f'"{word}{name[1:]}' if name[0] == '"' else word + name for word in ("weft.wide.", "weft.")
    )
    narrow = _NARROW.search(type)
    if narrow is None:
        return (
            f"  %{second} = fpto{sign}i {operand} to {type}{metadata}\n"
            f"  %{name} = freeze {type} %{second}{metadata}"
        )
    wide = type.replace(narrow[0], "i32")
    return (
        f"  %{first} = fptosi {operand} to {wide}{metadata}\n"
        f"  %{second} = freeze {wide} %{first}{metadata}\n"
        f"  %{name} = trunc {wide} %{second} to {type}{metadata}"
    )
