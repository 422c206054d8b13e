"""Work around LLVM's x86-64 back end, which converts a NaN of half precision to the smallest short.

    before   %r = call i16 @llvm.fptosi.sat.i16.f16(half %x)
    after    %weft.single.r = fpext half %x to float
             %r = call i16 @llvm.fptosi.sat.i16.f32(float %weft.single.r)

A NaN must become zero. On processors that compute in half precision (AVX512-FP16), LLVM 22 leaves out the
test for NaN if the integer is shorter than the one that the instruction produces. It needs the test only for
this conversion: where the limits of the integer are numbers of the floating-point type, it takes minimum and
maximum instead, and half cannot represent the largest short. Every half is also a float.

Works on text: the modules go to LLVM as text, with libraries that are never parsed here.
"""

import re

from weft.lazy_pattern import lazy_pattern

_HINT = "@llvm.fptosi.sat."
_NAME = r'%(?:"[^"\n]+"|[-\w.$]+)'
_CALL = lazy_pattern(
    rf"^( *)({_NAME}) = ([a-z ]*call [^@\n]*@llvm\.fptosi\.sat\.(?:v\d+)?i16\.)(v\d+)?f16"
    r"\((half|<(\d+) x half>) (noundef )?([^\n]+?)\)((?: #\d+)?(?:, ![\w.]+ !\d+)*)$",
    re.MULTILINE,
)
_DECLARATION = "declare {integers} @{function}({floats})"


def widen_saturated_halves(text: str) -> str:
    """Return the module with conversions from half to short that saturate as conversions from float."""
    if _HINT not in text or "half" not in text:
        return text
    declarations: dict[str, None] = {}

    def widened(call: re.Match[str]) -> str:
        indent, name, head, lanes, halves, count, undef, operand, rest = call.groups()
        floats = f"<{count} x float>" if count else "float"
        single = f'%"weft.single.{name[2:]}' if name[1] == '"' else f"%weft.single.{name[1:]}"
        function = f"{head.partition('@')[2]}{lanes or ''}f32"
        integers = f"<{count} x i16>" if count else "i16"
        declarations[_DECLARATION.format(integers=integers, function=function, floats=floats)] = None
        return (
            f"{indent}{single} = fpext {halves} {operand} to {floats}\n"
            f"{indent}{name} = {head}{lanes or ''}f32({floats} {undef or ''}{single}){rest}"
        )

    changed = _CALL.sub(widened, text)
    missing = [line for line in declarations if f"@{line.partition('@')[2].partition('(')[0]}(" not in text]
    return "\n".join([changed.rstrip("\n"), *missing, ""]) if missing else changed
