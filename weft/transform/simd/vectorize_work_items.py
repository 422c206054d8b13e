"""Afterwards the work-item loops that LLVM would leave scalar run one work-item per SIMD lane.

LLVM's loop vectorizer does well on work-item loops without other loops in them, also when work-items branch
differently, and gives up on those that hold one. These are vectorized here (`vectorize_loop`), and so are
loops in which only some work-items store, and not side by side: a scatter costs much even when no lane is
active, and LLVM does not pass it by.

Requires a work-group function. A loop that cannot be vectorized stays as it is; the reason is returned.
"""

from dataclasses import dataclass

from weft.analysis.lanes import Lanes, lanes
from weft.ir import Block, ConstantInt, Function, Instruction
from weft.ir.loops import Loop, LoopForest, loop_forest
from weft.ir.types import FloatType, IntType, size_of
from weft.transform.workgroup.work_item_loops import is_work_item_loop

from .vectorize_loop import counted, vectorize_loop
from .widen import CannotVectorize, VectorForm

MIN_WIDTH = 4
# Instructions on varying values that have to come with each gather for vector code to be faster. A rough
# model: with AVX-512 on Zen 4 it tells a sparse matrix product (0.17 ms scalar, 0.93 ms in lanes) from a
# binary search (2.5 ms scalar, 1.7 ms in lanes).
COMPUTED_PER_GATHER = 2.5
# What costs next to nothing in either form.
_FREE = ("phi", "getelementptr", "sext", "zext", "trunc", "br", "switch")


@dataclass(frozen=True)
class Outcome:
    """What became of a work-item loop: its header, the lanes it got, or why it got none."""

    header: str
    width: int
    reason: str = ""


def vectorize_work_items(function: Function, lanes_of_32_bits: int, vector_form: VectorForm) -> list[Outcome]:
    """Vectorizes work-item loops for registers that hold that many 32-bit lanes."""
    outcomes = []
    seen: set[Block] = set()
    forest = loop_forest(function)
    while (loop := _next_loop(function, forest, seen)) is not None:
        name = loop.header.name or ""
        try:
            width = _width(function, loop, forest, lanes_of_32_bits)
            vectorize_loop(function, loop, forest, width, vector_form)
            outcomes.append(Outcome(name, width))
            forest = loop_forest(function)
        except CannotVectorize as refusal:
            outcomes.append(Outcome(name, 1, str(refusal)))
    return outcomes


def _next_loop(function: Function, forest: LoopForest, seen: set[Block]) -> Loop | None:
    """The next work-item loop; `seen` holds the headers of the loops that were looked at."""
    module = function.module
    assert module is not None
    for loop in forest.loops:
        if loop.header not in seen:
            seen.add(loop.header)
            if loop.latch is not None and is_work_item_loop(loop.latch, module):
                return loop
    return None


def _width(function: Function, loop: Loop, forest: LoopForest, widest: int) -> int:
    """How many lanes a loop gets; raises CannotVectorize when LLVM does as well or there are too few."""
    counter, limit = counted(loop)
    shape = lanes(function, loop, counter, forest)
    if not loop.children and not _scatters(shape):
        raise CannotVectorize("a loop without inner loops is left to LLVM")
    if loop.children and _gathers_too_much(loop, shape):
        raise CannotVectorize("gathering from memory would cost more than the lanes gain")
    width = widest
    if any(_is_wide(i) for b in loop.blocks for i in b.instructions if shape.is_varying(i)):
        width //= 2
    if isinstance(limit, ConstantInt):
        while width > limit.value:
            width //= 2
    if width < MIN_WIDTH:
        raise CannotVectorize("there are too few work-items in a row")
    return width


def _scatters(shape: Lanes) -> bool:
    """Whether masked code stores to addresses that are not consecutive."""
    for block in shape.masked:
        for i in block.instructions:
            if i.opcode == "store":
                found = shape.of(i.operands[1])
                if found is None or found.stride != size_of(i.operands[0].type):
                    return True
    return False


def _gathers_too_much(loop: Loop, shape: Lanes) -> bool:
    """Whether the inner loops mostly fetch what lies scattered in memory.

    A gather takes a processor about as long as loading the lanes one by one, so only computation gains.
    """
    gathers = computed = 0
    for child in loop.children:
        for i in (i for b in child.blocks for i in b.instructions):
            if i.opcode in ("load", "store"):
                type = (i if i.opcode == "load" else i.operands[0]).type
                found = shape.of(i.operands[-1])
                gathers += found is None or found.stride not in (0, size_of(type))
            elif shape.is_varying(i) and i.opcode not in _FREE:
                computed += 1
    return computed < gathers * COMPUTED_PER_GATHER


def _is_wide(i: Instruction) -> bool:
    """Whether a varying value takes 64 bits a lane; indices do not count, they are folded into addresses."""
    if not isinstance(i.type, FloatType | IntType) or i.type.bits != 64:
        return False
    return any(u.opcode != "getelementptr" for u in i.users)
