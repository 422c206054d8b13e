"""Fuse sin and cos of the same argument into one call of sincos.

    %s = call float @_Z3sinf(float %x)      %s = call float @_Z6sincosfPU9CLprivatef(float %x, ptr %cosine)
    %c = call float @_Z3cosf(float %x)      %c = load float, ptr %cosine

Both start with the same argument reduction and use the same two polynomials. LLVM does not see that, because
the reduction of large arguments is in a branch. The results are bit-identical.

Runs after vectorization, before the library is linked. Fuses pairs within a block; refuses pairs in different
blocks or with different flags. Linear time.
"""

import re
from enum import unique

from weft.ir import Block, Function, Instruction, Value
from weft.ir.builder import Builder
from weft.ir.types import FunctionType, PointerType, Type, alignment_of
from weft.lazy_pattern import lazy_pattern
from weft.remarks import SILENT, Message, Remarks

_SINE_OR_COSINE = lazy_pattern(r"^_Z3(sin|cos)((?:Dv\d+_)?[fd])$")
_PRIVATE = PointerType(0)


@unique
class FusedSincos(Message):
    """What became of the sine and the cosine of one angle."""

    FUSED = "sin and cos of the same argument fused into one call"
    DIFFERENT_BLOCKS = "sin and cos of the same argument are in different blocks"
    DIFFERENT_FLAGS = "sin and cos of the same argument have different fast-math flags"


def fuse_sincos(function: Function, remarks: Remarks = SILENT) -> int:
    """Joins the pairs of a work-group function; returns how many there were."""
    pairs = [pair for block in function.blocks for pair in _pairs(block)]
    places: dict[Type, Instruction] = {}
    for sine, cosine, form in pairs:
        remarks.passed(FusedSincos.FUSED, sine)
        _join(function, sine, cosine, form, places)
    if remarks:
        _tell_missed(function, remarks)
    return len(pairs)


def sincos_symbol(form: str) -> str:
    """The symbol of sincos for arguments of a mangled type."""
    return f"_Z6sincos{form}PU9CLprivate{form if len(form) == 1 else 'S_'}"


def pairs_of(symbols: frozenset[str]) -> list[str]:
    """The symbols of sincos that may take the place of some of these."""
    found = (_SINE_OR_COSINE.match(symbol) for symbol in sorted(symbols))
    return [sincos_symbol(m[2]) for m in found if m and m[1] == "sin" and f"_Z3cos{m[2]}" in symbols]


def _tell_missed(function: Function, remarks: Remarks) -> None:
    """Tells of sines that are left beside a cosine of their angle, and why."""
    left = [(i, found[1]) for i in function.instructions() if (found := _sine_or_cosine(i)) is not None]
    for sine in (i for i, name in left if name == "sin"):
        cosines = [i for i, name in left if name == "cos" and i.arguments[0] is sine.arguments[0]]
        if any(cosine.block is sine.block for cosine in cosines):
            remarks.missed(FusedSincos.DIFFERENT_FLAGS, sine)
        elif cosines:
            remarks.missed(FusedSincos.DIFFERENT_BLOCKS, sine)


def _sine_or_cosine(i: Instruction) -> re.Match[str] | None:
    return _SINE_OR_COSINE.match(i.callee_name)


def _pairs(block: Block) -> list[tuple[Instruction, Instruction, str]]:
    """The sines and cosines of a block that belong together, and the mangled type of their angles."""
    waiting: dict[tuple[Value, tuple[str, ...]], dict[str, Instruction]] = {}
    found = []
    for i in block.instructions:
        match = _sine_or_cosine(i)
        if match is None:
            continue
        of_angle = waiting.setdefault((i.arguments[0], i.flags), {})
        of_angle.setdefault(match[1], i)
        if len(of_angle) == 2:
            found.append((of_angle["sin"], of_angle["cos"], match[2]))
            del waiting[i.arguments[0], i.flags]
    return found


def _join(
    function: Function, sine: Instruction, cosine: Instruction, form: str, places: dict[Type, Instruction]
) -> None:
    """Takes one call for two; `places` has a variable of each type for cosines, which are read at once."""
    module, block = function.parent, sine.parent
    type: Type = sine.type
    name = sincos_symbol(form)
    both = module.declare(name, FunctionType(type, (type, _PRIVATE)))
    if type not in places:
        places[type] = Builder.in_entry(function).alloca(type, alignment_of(type), "cosine")
    place = places[type]
    first = sine if block.index(sine) < block.index(cosine) else cosine
    b = Builder(block, first)
    new = b.call(both, [sine.arguments[0], place], sine.name)
    new.flags = sine.flags
    loaded = b.insert(Instruction("load", type, [place], cosine.name, (), {"align": alignment_of(type)}))
    sine.replace_all_uses_with(new)
    cosine.replace_all_uses_with(loaded)
    sine.erase()
    cosine.erase()
