"""Expand sincos in kernels to a sine and a stored cosine.

    %s = call float @_Z6sincosfPU9CLprivatef(float %x, ptr %p)      %s = call float @_Z3sinf(float %x)
                                                                     %c = call float @_Z3cosf(float %x)
                                                                     store float %c, ptr %p

A call with a pointer keeps its variable in memory and prevents vectorization. The two calls do not; they are
fused again after vectorization (`weft/transform/simd/fuse_sincos.py`).
"""

from weft.lazy_pattern import lazy_pattern

from .demangle import demangle

# Arguments that the calling convention passes otherwise are left to the library.
_DECLARED = lazy_pattern(
    r"\ndeclare (?:!dbg !\d+ )?(?P<type>float|double|<\d+ x (?:float|double)>) "
    r"@(?P<symbol>_Z6sincos(?P<angle>\w+)PU\d+CL\w+)"
    r"\((?P=type) noundef, (?P<pointer>ptr(?: addrspace\(\d+\))?) noundef\)"
)
_BYTES = {"float": 4, "double": 8}
_DEFINITION = """
declare {type} @_Z3sin{angle}({type}) #0
declare {type} @_Z3cos{angle}({type}) #0
define {type} @{symbol}({type} %angle, {pointer} %place) #1 {{
  %sine = call {type} @_Z3sin{angle}({type} %angle) #0
  %cosine = call {type} @_Z3cos{angle}({type} %angle) #0
  store {type} %cosine, {pointer} %place, align {align}
  ret {type} %sine
}}
attributes #0 = {{ convergent nounwind willreturn memory(none) }}
attributes #1 = {{ alwaysinline convergent nounwind }}
"""


def sincos_definitions(ir: str) -> list[str]:
    """A module for each form of sincos that a program declares; they are to be inlined."""
    found = []
    for match in _DECLARED.finditer(ir):
        signature = demangle(match["symbol"])
        if signature is None or len(signature.parameters) != 2:
            continue
        angle = signature.parameters[0]
        align = _BYTES[angle.element] * (4 if angle.width == 3 else angle.width)
        found.append(_DEFINITION.format(**match.groupdict(), align=align))
    return found
