"""Afterwards chosen inner loops run in lock step over all work-items (pocl, section 4.6: horizontal
inner-loop parallelization).

LLVM's vectorizer gives up on a work-item loop that holds another loop. When all work-items iterate that
inner loop equally often, the two can be interchanged by treating it as a loop with a barrier (a b-loop):
each branch that leaves it starts with an implicit barrier, so that its body becomes a parallel region and
the work-item loop the innermost one:

    header:                                     header:
      %k = phi i32 [ 0, … ], [ %k.next, … ]       %k = phi i32 [ 0, … ], [ %k.next, … ]
      %more = icmp ult i32 %k, %n                 %more = icmp ult i32 %k, %n
      br i1 %more, label %body, label %exit       br label %interchange
                                                interchange:
                                                  call void @weft.barrier()
                                                  br i1 %more, label %way, label %way.1

Legal when the loop is entered and left uniformly and holds no barrier. It pays (the rule of the `auto`
method) when the loop is innermost, LLVM would not unroll it away, its body can be vectorized (no
atomics, volatile accesses, or calls that are not plain functions of their operands) and it carries at most
CARRIED_LIMIT divergent values from iteration to iteration, each of which costs a load and a store of its
context array.

Requires isolated barriers, natural loops and the `divergence` of the function. Run before
`place_implicit_barriers`. Refuses nothing: a loop that does not qualify stays inside its region.
"""

from weft.analysis.divergence import Divergence
from weft.analysis.work_items import is_barrier
from weft.ir import Block, ConstantInt, Function, Instruction
from weft.ir.loops import Loop, loop_forest

from .place_implicit_barriers import split_by_barrier

CARRIED_LIMIT = 6
# Iterations times instructions up to which LLVM unrolls a loop completely.
UNROLLED_SIZE = 150


def interchange_inner_loops(function: Function, shape: Divergence, always: bool = False) -> list[Block]:
    """Interchanges inner loops with the work-item loop where it pays; returns their headers.

    With `always`, wherever it is legal.
    """
    forest = loop_forest(function)
    chosen = [
        loop
        for loop in forest.loops
        if _is_legal(loop, shape) and (always or (not loop.children and _pays(loop, shape)))
    ]
    # An inner loop that gets barriers makes the loops around it b-loops as well.
    for loop in chosen:
        for block in loop.exiting:
            split_by_barrier(block, "interchange")
    return [loop.header for loop in chosen]


def _is_legal(loop: Loop, shape: Divergence) -> bool:
    if any(is_barrier(i) for b in loop.blocks for i in b.instructions) or not loop.exiting:
        return False
    exits_uniform = all(shape.runs_uniformly(b) and not shape.is_divergent_branch(b) for b in loop.exiting)
    return exits_uniform and shape.runs_uniformly(loop.header)


def _pays(loop: Loop, shape: Divergence) -> bool:
    body = [i for b in loop.blocks for i in b.instructions]
    if not any(not shape.is_uniform(i) and i.info.reads for i in body):
        return False
    if any(not _is_vectorizable(i) for i in body):
        return False
    carried = [phi for phi in loop.header.phis() if not shape.is_uniform(phi)]
    if len(carried) > CARRIED_LIMIT:
        return False
    trips = _trip_count(loop)
    return trips is None or trips * len(body) > UNROLLED_SIZE


def _is_vectorizable(instruction: Instruction) -> bool:
    if instruction.opcode in ("atomicrmw", "cmpxchg", "fence") or instruction.attributes.get("volatile"):
        return False
    if instruction.opcode == "call":
        # Built-ins that take pointers (vload, fract, atomics …) may do anything with them.
        return not any(a.type.is_pointer for a in instruction.arguments)
    return instruction.opcode != "alloca"


def _trip_count(loop: Loop) -> int | None:
    """The number of iterations of a loop that counts by constants to a constant; None if unknown."""
    if len(loop.exiting) != 1 or loop.latch is None:
        return None
    condition = loop.exiting[0].terminator.operands[0]
    if not isinstance(condition, Instruction) or condition.opcode != "icmp":
        return None
    left, limit = condition.operands
    if not isinstance(limit, ConstantInt) or not isinstance(left, Instruction):
        return None
    for phi in loop.header.phis():
        step = phi.incoming_from(loop.latch)
        starts = [v for v, b in phi.incoming() if b is not loop.latch]
        if left is not phi and left is not step:
            continue
        if not (isinstance(step, Instruction) and step.opcode == "add" and step.operands[0] is phi):
            continue
        by, start = step.operands[1], starts[0]
        if isinstance(by, ConstantInt) and isinstance(start, ConstantInt) and by.signed:
            return abs((limit.signed - start.signed) // by.signed)
    return None
