"""Mark calls of built-ins `noinline` if inlining them would produce too much code.

LLVM inlines the definitions of the library, so that loops keep their constants in registers and the processor
overlaps several calls. Every copy costs compile time, so the copies have a budget. It is spent on calls in
innermost loops first, and among these on the functions whose copies add the least code. A function that does
not fit is called:

    %s = call float @_Z3sinf(float %x) #5               %s = call float @_Z3sinf(float %x) #9
    attributes #5 = { alwaysinline nounwind }           attributes #9 = { noinline nounwind }

The same function may be inlined in inner loops and called from outer ones.

Runs after vectorization, before the library is linked. Refuses nothing. Linear time, except for sorting the
functions.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from enum import unique

from weft.ir import Function, Instruction, Module
from weft.ir.attributes import without
from weft.ir.loops import loop_forest
from weft.ir.symbols import readable
from weft.remarks import SILENT, Message, Remarks

# The most instructions that copies may add to a module: LLVM takes 0.1 to 0.2 ms for each.
MOST_INLINED = 2048
# The size of a call, including the moves and spills around it. Functions that are no larger are always
# inlined.
CALL = 8


@unique
class Inlining(Message):
    """Calls that are not inlined."""

    KEPT = "{calls} calls of {callee} not inlined: the copies would have {grown} instructions"


def keep_calls(
    functions: Sequence[Function],
    sizes: Mapping[str, int],
    most: int,
    remarks: Remarks = SILENT,
) -> int:
    """Mark calls in functions of a module that should not be inlined; return their number.

    `sizes` has the number of instructions of the functions that LLVM would inline, by name.
    """
    calls: dict[tuple[int, str], list[Instruction]] = defaultdict(list)
    for function in functions:
        for i in function.instructions():
            if i.callee_name in sizes:
                calls[loop_forest(function).depth(i.parent), i.callee_name].append(i)
    grown = {place: len(copies) * max(sizes[place[1]] - CALL, 0) for place, copies in calls.items()}
    kept: list[Instruction] = []
    for place in sorted(calls, key=lambda place: (-place[0], grown[place], place[1])):
        if grown[place] <= most:
            most -= grown[place]
        else:
            kept += calls[place]
            callee = readable(place[1])
            remarks.passed(Inlining.KEPT, callee=callee, calls=len(calls[place]), grown=grown[place])
    if kept:
        _mark(functions[0].parent, kept)
    return len(kept)


def _mark(module: Module, calls: list[Instruction]) -> None:
    groups: dict[str, str] = {}
    for call in calls:
        words = tuple(_without_inlining(module, w, groups) for w in call.attributes.get("suffix", ()))
        call.attributes["suffix"] = (*(w for w in words if w), "noinline")


def _without_inlining(module: Module, word: str, groups: dict[str, str]) -> str:
    """Return a call's attribute, or a group of them, without `alwaysinline`; "" if nothing is left."""
    if not word.startswith("#"):
        return word if word != "alwaysinline" else ""
    if word not in groups:
        text = module.attribute_groups[int(word[1:])]
        left = without(text, "alwaysinline")
        groups[word] = word if left == text else ""
        if left and left != text:
            number = max(module.attribute_groups) + 1
            module.attribute_groups[number] = left
            groups[word] = f"#{number}"
    return groups[word]
