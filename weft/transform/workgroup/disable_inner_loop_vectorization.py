"""Disable LLVM's loop vectorizer for the kernel's own loops, and decide on unrolling for some of them.

Weft vectorizes across work-items. LLVM would vectorize the kernel's loops within one work-item, which is
rarely faster, and its vectorizer has assertions that abort on unusual loops, such as short reductions by
fmin. Two kinds of loops are left to LLVM: loops of work-group functions, which run once per group, and loops
in which serial work-items each traverse a row.

A short loop over a private array is unrolled even if the result is large, because the array's elements then
become values and constants are folded.

A loop whose bound a work-item has loaded, such as the end of its row of a sparse matrix, is not unrolled with
a remainder loop: processors would mispredict the ends of two loops for each work-item.
"""

from enum import unique

from weft.analysis.induction import induction
from weft.analysis.memory_effects import base_of
from weft.ir import Function, Instruction, Value
from weft.ir.loops import Loop
from weft.ir.metadata import add_loop_properties
from weft.ir.slices import backward_slice
from weft.remarks import SILENT, Message, Remarks
from weft.transform.canonical.unroll_array_loops import UNROLLED, is_short

from .work_item_loops import has_fact, kernel_loops, runs_once_per_group

# Marks loops of serial work-items that LLVM should vectorize (`cost_model/row_loops.py`).
ALONG_ROWS = '!{!"weft.along_rows"}'
DISABLED = '!{!"llvm.loop.vectorize.enable", i1 false}'
NOT_UNROLLED = '!{!"llvm.loop.unroll.runtime.disable"}'


@unique
class InnerLoops(Message):
    """What LLVM is told about the loops in a work-item."""

    UNROLLED = "a loop of the kernel is unrolled, so that a private array may be promoted to registers"


def disable_inner_loop_vectorization(function: Function, remarks: Remarks = SILENT) -> None:
    """Mark every loop of a work-group function that belongs to the kernel and is not a work-item loop."""
    module = function.parent
    note = ""
    for loop in kernel_loops(function):
        if runs_once_per_group(loop) or has_fact(loop, ALONG_ROWS):
            continue
        dissolves = _dissolves_array(loop)
        if dissolves:
            remarks.passed(InnerLoops.UNROLLED, loop)
        for latch in loop.latches:
            note = note or module.add_metadata(DISABLED)
            facts = [module.add_metadata(UNROLLED)] if dissolves else []
            if not dissolves and _ends_by_data(loop):
                facts.append(module.add_metadata(NOT_UNROLLED))
            add_loop_properties(latch, *facts, note)


def _ends_by_data(loop: Loop) -> bool:
    """Whether the exit condition of a loop depends on a number that its work-item has loaded."""
    outermost = loop
    while outermost.parent is not None:
        outermost = outermost.parent
    tests = [block.terminator.operands[0] for block in loop.exiting]
    # Loads before all loops are of uniform values.
    sources = backward_slice(tests, lambda i: i.opcode != "phi" and i.block in outermost.blocks)
    return any(i.opcode == "load" for i in sources)


def _dissolves_array(loop: Loop) -> bool:
    """Whether unrolling a loop would let a private array that it traverses be promoted to registers."""
    if not is_short(loop):
        return False
    accesses = [i for i in loop.instructions() if i.opcode in ("load", "store")]
    return any(_is_along_private_array(i.operands[-1], loop) for i in accesses)


def _is_along_private_array(pointer: Value, loop: Loop) -> bool:
    base = base_of(pointer)
    if not isinstance(base, Instruction) or base.opcode != "alloca":
        return False
    sources = backward_slice([pointer], lambda i: i.block in loop.blocks)
    carried = [phi for phi in loop.header.phis() if phi in sources]
    return bool(carried) and all(induction(loop, phi) is not None for phi in carried)
