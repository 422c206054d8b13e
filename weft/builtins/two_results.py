"""Expand functions with a second result behind a pointer to two calls and a store.

    %s = call float @_Z6sincosfPU9CLprivatef(float %x, ptr %p)      %s = call float @_Z3sinf(float %x)
                                                                     %c = call float @_Z3cosf(float %x)
                                                                     store float %c, ptr %p

A call with a pointer keeps its variable in memory and prevents vectorization. The two calls do not; they are
fused again after vectorization (`weft/transform/simd/fuse_sincos.py`). remquo becomes the remainder and an
internal function of the library for the quotient.
"""

from weft.dataclasses import dataclass
from weft.lazy_pattern import lazy_pattern

from .demangle import demangle


@dataclass(frozen=True)
class _TwoResults:
    """The mangled names of two functions, each of which computes one of the results of a third."""

    first: str
    second: str
    both: str
    operands: int
    second_is_int: bool


_TWO_RESULTS = (
    _TwoResults("3sin", "3cos", "6sincos", 1, False),
    _TwoResults("9remainder", "15__weft_quotient", "6remquo", 2, True),
)

# Arguments that the calling convention passes differently are left to the library.
_DECLARED = lazy_pattern(
    r"\ndeclare (?:!dbg !\d+ )?(?P<type>(?P<vector><\d+ x )?(?P<element>float|double)>?) "
    r"@_Z(?P<both>6sincos|6remquo)(?P<operands>\w+)(?P<place>PU\d+CL\w+)"
    r"\((?P=type) noundef(?P<other>, (?P=type) noundef)?, (?P<pointer>ptr(?: addrspace\(\d+\))?) noundef\)"
)
_BYTES = {"float": 4, "double": 8}
_DEFINITION = """
declare {type} @_Z{first}{operands}({types}) #0
declare {second_type} @_Z{second}{operands}({types}) #0
define {type} @_Z{both}{operands}{place}({parameters}, {pointer} %place) #1 {{
  %first = call {type} @_Z{first}{operands}({parameters}) #0
  %second = call {second_type} @_Z{second}{operands}({parameters}) #0
  store {second_type} %second, {pointer} %place, align {align}
  ret {type} %first
}}
attributes #0 = {{ convergent nounwind willreturn memory(none) }}
attributes #1 = {{ alwaysinline convergent nounwind }}
"""


def two_result_definitions(ir: str) -> list[str]:
    """Return a module, to be inlined, for each form of such a function that a program declares."""
    modules = []
    for match in _DECLARED.finditer(ir):
        results = next(two for two in _TWO_RESULTS if two.both == match["both"])
        signature = demangle(f"_Z{match['both']}{match['operands']}{match['place']}")
        if signature is None or len(signature.parameters) != results.operands + 1:
            continue
        if (match["other"] is not None) != (results.operands == 2):
            continue
        operand, type = signature.parameters[0], match["type"]
        width = 4 if operand.width == 3 else operand.width
        second = type.replace(match["element"], "i32") if results.second_is_int else type
        names = "xy"[: results.operands]
        modules.append(
            _DEFINITION.format(
                type=type,
                second_type=second,
                first=results.first,
                second=results.second,
                both=results.both,
                operands=match["operands"],
                place=match["place"],
                types=", ".join(type for _ in names),
                parameters=", ".join(f"{type} %{name}" for name in names),
                pointer=match["pointer"],
                align=width * (4 if results.second_is_int else _BYTES[operand.element]),
            )
        )
    return modules
