"""Run loops over shared columns in strips, over all work-items of a tile.

    header:                                   strip:
      %k = phi i32 [ 0, … ], [ %k.next, … ]     %k.strip = phi i32 [ 0, … ], [ %k, %strip.end ]
      %end = icmp sge i32 %k, %n              header:
      br i1 %end, label %exit, label %body      %k = phi i32 [ %k.strip, %strip ], [ %k.next, … ]
                                                %index = phi i32 [ 0, %strip ], [ %index.next, … ]
                                                %end = icmp sge i32 %k, %n
                                                %done = icmp eq i32 %index, 128
                                                %stop = or i1 %end, %done
                                                br i1 %stop, label %strip.end, label %body
                                              strip.end:
                                                call void @weft.barrier()
                                                br i1 %end, label %exit, label %strip

This is loop blocking (tiling): strip-mining, and interchange of the loop over strips with the work-item
loops (Wolf and Lam, "A data locality optimizing algorithm", PLDI 1991). The barrier makes the inner loop a
parallel region (pocl, section 4.6), so that all work-items of the tile run a strip before any runs the next.
What a work-item carries around the loop is in context arrays between strips; pointers that advance are split
(`split_pointer_inductions.py`).

A loop qualifies if `analysis/column_reuse.py` finds a gain for the dimensions in which the tile has several
work-items. That includes that all of them, or all inside a guard, enter and leave it together
(`guard_strips.py` handles guarded loops). The work-items of a tile share nothing, and the loop only
reads, so the order is free. Requires natural loops, LCSSA and the `divergence` of the function. Refused loops
stay as they are. Linear time.
"""

from collections.abc import Collection
from enum import unique

from weft.analysis.column_reuse import STRIP, NoColumnReuse, why_no_strips
from weft.analysis.divergence import Divergence
from weft.analysis.loop_guard import loop_guard
from weft.analysis.work_items import BarrierOrigin
from weft.ir import Block, Function, Instruction, Value
from weft.ir.builder import Builder
from weft.ir.loops import Loop, loop_forest
from weft.ir.types import I1, I32, VOID
from weft.ir.values import const_int
from weft.remarks import SILENT, Message, Remarks

from .guard_strips import guard_strips
from .place_implicit_barriers import split_by_barrier
from .split_pointer_inductions import split_pointers


@unique
class LoopBlocking(Message):
    """Whether a loop runs in strips."""

    BLOCKED = "it runs in strips of {iterations} iterations: work-items read the same columns"
    NOT_BLOCKED = "it does not run in strips: {why}"


def block_loops(
    function: Function, shape: Divergence, axes: Collection[int], remarks: Remarks = SILENT
) -> int:
    """Run the loops that gain from it in strips; return their number.

    `axes` are the dimensions in which a call runs several work-items.
    """
    chosen = []
    for loop in loop_forest(function).loops:
        refused = why_no_strips(loop, shape, axes)
        if refused is None:
            chosen.append(loop)
            remarks.passed(LoopBlocking.BLOCKED, loop, iterations=STRIP)
        elif refused.message not in (NoColumnReuse.NOTHING_SHARED, NoColumnReuse.HOLDS_LOOP):
            remarks.missed(LoopBlocking.NOT_BLOCKED, loop, why=refused)
    for loop in chosen:
        split_pointers(loop, shape, remarks)
        if shape.runs_uniformly(loop.header):
            _block(function, loop)
        elif (guard := loop_guard(loop, shape)) is not None:
            guard_strips(function, loop, guard, shape)
    return len(chosen)


def _block(function: Function, loop: Loop) -> None:
    entering, header, latch = loop.known_preheader, loop.header, loop.known_latch
    (exiting,), (outside,) = loop.exiting, loop.exits
    phis = header.phis()
    strip = function.add_block("strip", after=entering)
    end = function.add_block("strip.end", after=exiting)
    leaves = _leave_after_strip(loop, exiting, outside, end, strip)
    merged: dict[Value, Value] = {}

    def at_end(value: Value) -> Value:
        """Return a value of the loop as a phi of `end`."""
        if not isinstance(value, Instruction) or value.block not in loop.blocks:
            return value
        if value not in merged:
            phi = merged[value] = Builder(end).phi(value.type, value.name)
            phi.add_incoming(value, exiting)
        return merged[value]

    for phi in outside.phis():
        value = phi.incoming_from(exiting)
        phi.remove_incoming(exiting)
        phi.add_incoming(at_end(value), end)
    for phi in phis:
        carried = Builder(strip).phi(phi.type, f"{phi.name}.strip")
        carried.add_incoming(phi.incoming_from(entering), entering)
        carried.add_incoming(at_end(phi.incoming_from(latch) if exiting is latch else phi), end)
        phi.remove_incoming(entering)
        phi.add_incoming(carried, strip)
    strip.append(Instruction("br", VOID, [header]))
    entering.terminator.replace_operand(header, strip)
    end.append(Instruction("br", VOID, [at_end(leaves), outside, strip]))
    split_by_barrier(end, "strip.barrier", BarrierOrigin.STRIP)


def _leave_after_strip(loop: Loop, exiting: Block, outside: Block, end: Block, strip: Block) -> Value:
    """Let the loop branch to `end` when it ends or the strip does; return whether the loop ends."""
    header, latch, branch = loop.header, loop.known_latch, exiting.terminator
    index = Builder(header).phi(I32, "strip.index")
    following = Builder(latch, latch.terminator).add(index, const_int(I32, 1), "strip.next", ("nuw", "nsw"))
    index.add_incoming(const_int(I32, 0), strip)
    index.add_incoming(following, latch)
    condition, yes, no = branch.operands
    b = Builder(exiting, branch)
    leaves = condition if yes is outside else b.binary("xor", condition, const_int(I1, 1))
    # In the latch one more iteration than `index` is complete.
    done = b.icmp("eq", following if exiting is latch else index, const_int(I32, STRIP))
    branch.set_operands([b.binary("or", leaves, done), end, no if yes is outside else yes])
    return leaves
