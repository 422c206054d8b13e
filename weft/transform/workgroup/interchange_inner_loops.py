"""Interchange inner loops with the work-item loop, so that they run in lock step over all work-items.

This is horizontal inner-loop parallelization (pocl, section 4.6).

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
method) when the loop is innermost, LLVM would not unroll it away, its body can be vectorized (no atomics,
volatile accesses, vector types, or calls that are not plain functions of their operands) and it carries at
most `Costs.carried_values` divergent values from iteration to iteration, each of which costs a load and a
store of its context array. And only when iterations go far apart in memory: then all work-items together read
whole rows, where each on its own would jump from row to row; not if most accesses go where data says, or a
mask or a remainder keeps them in a table, or if they are made of quotients of positions. Else the loop stays
inside the work-item loop, whose SIMD lanes keep what it carries in registers. So does a loop that uses
private arrays of which the lanes get columns (`private_arrays_by_lane`).

Requires isolated barriers, natural loops and the `divergence` of the function. Run before
`place_implicit_barriers`. Refuses a loop that does not qualify: it stays inside its region.
"""

from collections.abc import Callable
from enum import unique

from weft.analysis.divergence import Divergence
from weft.analysis.evolution import INVARIANT, VARYING, LoopEvolution, Wrapping
from weft.analysis.induction import trip_count
from weft.analysis.memory_effects import base_of
from weft.analysis.private_arrays import private_array
from weft.analysis.work_items import BarrierOrigin, is_barrier
from weft.ir import Block, Function, Instruction, Value
from weft.ir.loops import Loop, loop_forest
from weft.ir.slices import backward_slice
from weft.ir.types import size_of
from weft.remarks import SILENT, Message, Reason, Remarks
from weft.target import Costs

from .context_arrays import STACK_LIMIT
from .place_implicit_barriers import split_by_barrier

# Iterations times instructions up to which LLVM unrolls a loop completely.
UNROLLED_SIZE = 150


@unique
class Interchange(Message):
    """What became of a loop of the kernel."""

    INTERCHANGED = "all work-items iterate it equally often; its body became the work-item loop"
    # It is not legal:
    HOLDS_BARRIER = "it holds a barrier: work-items run its iterations in lock step"
    NEVER_ENDS = "it never ends"
    DIVERGENT_TRIP_COUNT = "its trip count may differ between work-items, or not all of them enter it"
    # It does not pay:
    HOLDS_LOOP = "it holds another loop"
    READS_NOTHING = "nothing in it reads memory for each work-item"
    NOT_VECTORIZABLE = "it does what SIMD lanes cannot do together (atomics, volatile, calls with pointers)"
    LANE_COLUMNS = "it uses a private array, of which each SIMD lane has a column of its own"
    VECTOR_TYPES = "it computes with OpenCL's vector types, which LLVM does not vectorize further"
    CARRIES_TOO_MUCH = "it carries {carried} values of each work-item, more than {limit}"
    READS_ON = "each work-item reads on where it was, so its SIMD lanes need not be left"
    FOLLOWS_DATA = (
        "most of its accesses go where data says, so that work-items do not read whole rows together"
    )
    DIVIDED_POSITIONS = (
        "its addresses hold quotients of positions, which SIMD lanes see through where memory would not"
    )
    UNROLLED = "its {iterations} iterations are few enough to unroll"
    # The pass does not run:
    NOT_OPTIMIZED = "the code is not optimized"
    MAY_WAIT = "work-items that may wait for one another in functions run sequentially"
    METHOD = "WEFT_WORKGROUP={method} keeps kernel loops inside the work-item loop"
    TOO_FEW_WORK_ITEMS = "the work-group has too few work-items for SIMD lanes"


def interchange_inner_loops(
    function: Function, shape: Divergence, costs: Costs, always: bool = False, remarks: Remarks = SILENT
) -> list[Block]:
    """Interchanges inner loops with the work-item loop where it pays; returns their headers.

    With `always`, wherever it is legal.
    """
    chosen = []
    for loop in loop_forest(function).loops:
        reason = obstacle(loop, shape, costs, always)
        if reason is None:
            chosen.append(loop)
            remarks.passed(Interchange.INTERCHANGED, loop, **extent(loop, remarks))
        else:
            remarks.missed(reason, loop, **extent(loop, remarks))
    # An inner loop that gets barriers makes the loops around it b-loops as well.
    for loop in chosen:
        for block in loop.exiting:
            split_by_barrier(block, "interchange", BarrierOrigin.INTERCHANGE)
    return [loop.header for loop in chosen]


def tell_no_interchange(function: Function, reason: Reason, remarks: Remarks) -> None:
    """Tells why no loop of a kernel is interchanged, where the pass does not run."""
    for loop in loop_forest(function).loops:
        holds = any(is_barrier(i) for b in loop.blocks for i in b.instructions)
        remarks.missed(Reason(Interchange.HOLDS_BARRIER) if holds else reason, loop, **extent(loop, remarks))


def why_not_run(method: str, level: int, waits: bool, enough: bool) -> Reason | None:
    """Why the pass does not run; None if it does. `enough`: there are enough work-items for SIMD lanes."""
    if method in ("auto", "horizontal"):
        return None if enough else Reason(Interchange.TOO_FEW_WORK_ITEMS)
    if level == 0:
        return Reason(Interchange.NOT_OPTIMIZED)
    if waits:
        return Reason(Interchange.MAY_WAIT)
    return Reason(Interchange.METHOD, method=method)


def extent(loop: Loop, remarks: Remarks) -> dict[str, int]:
    """What remarks tell of any loop."""
    if not remarks:
        return {}
    last = remarks.extent(loop)[1]
    return {"depth": loop.depth, "last_line": last.line if last is not None else 0}


def obstacle(loop: Loop, shape: Divergence, costs: Costs, always: bool = False) -> Reason | None:
    """Why a loop stays inside the work-item loop; None when it is interchanged."""
    return _illegal(loop, shape) or (None if always else _does_not_pay(loop, shape, costs))


def _illegal(loop: Loop, shape: Divergence) -> Reason | None:
    if any(is_barrier(i) for b in loop.blocks for i in b.instructions):
        return Reason(Interchange.HOLDS_BARRIER)
    if not loop.exiting:
        return Reason(Interchange.NEVER_ENDS)
    together = all(shape.runs_uniformly(b) for b in (loop.header, *loop.exiting))
    if not together or any(shape.is_divergent_branch(b) for b in loop.exiting):
        return Reason(Interchange.DIVERGENT_TRIP_COUNT)
    return None


def _does_not_pay(loop: Loop, shape: Divergence, costs: Costs) -> Reason | None:
    if loop.children:
        return Reason(Interchange.HOLDS_LOOP)
    body = [i for b in loop.blocks for i in b.instructions]
    if not any(not shape.is_uniform(i) and i.info.reads for i in body):
        return Reason(Interchange.READS_NOTHING)
    if any(not _is_vectorizable(i) for i in body):
        return Reason(Interchange.NOT_VECTORIZABLE)
    if _uses_lane_columns(loop):
        return Reason(Interchange.LANE_COLUMNS)
    if any(i.type.is_vector and not shape.is_uniform(i) for i in body):
        return Reason(Interchange.VECTOR_TYPES)
    carried = [phi for phi in loop.header.phis() if not shape.is_uniform(phi)]
    if len(carried) > costs.carried_values:
        return Reason(Interchange.CARRIES_TOO_MUCH, carried=len(carried), limit=costs.carried_values)
    steps = LoopEvolution(loop, Wrapping.IGNORED)
    loads = [i for i in body if i.opcode == "load" and not shape.is_uniform(i)]
    if all(_stays_near(i.operands[0], loop, steps, costs.cache_line) for i in loads):
        return Reason(Interchange.READS_ON)
    accesses = [i for i in body if i.opcode in ("load", "store") and not shape.is_uniform(i.operands[-1])]
    if 2 * sum(_follows_data(i.operands[-1], loop, shape) for i in accesses) > len(accesses):
        return Reason(Interchange.FOLLOWS_DATA)
    if any(_is_divided(i.operands[-1], shape) for i in accesses):
        return Reason(Interchange.DIVIDED_POSITIONS)
    trips = trip_count(loop)
    if trips is not None and trips * len(body) <= UNROLLED_SIZE:
        return Reason(Interchange.UNROLLED, iterations=trips)
    return None


def _stays_near(pointer: Value, loop: Loop, steps: LoopEvolution, line: int) -> bool:
    """Whether iterations do not go from row to row: their steps are short, or bits of a counter say where.

    A mask or a remainder keeps an address in a table, whose rows work-items do not walk through together.
    """
    step = steps.of(pointer)
    if step is not VARYING:
        return abs(step.stride) < line
    cuts = (
        i
        for i in backward_slice([pointer], _in_iteration(loop))
        if i.opcode in ("and", "xor", "urem", "srem")
    )
    return any(steps.of(o) != INVARIANT for i in cuts for o in i.operands)


def _follows_data(pointer: Value, loop: Loop, shape: Divergence) -> bool:
    """Whether an address depends on what work-items read in the same iteration."""
    parts = backward_slice([pointer], _in_iteration(loop))
    return any(i.info.reads and not shape.is_uniform(i) for i in parts)


def _is_divided(pointer: Value, shape: Divergence) -> bool:
    """Whether an address is made of a quotient or a remainder that differs by work-item.

    Interchanged, such a number comes out of a context array, and nothing tells any more that it is in line
    for most work-items.
    """

    def is_arithmetic(i: Instruction) -> bool:
        return i.opcode not in ("phi", "load", "call") and not shape.is_uniform(i)

    return any(i.opcode in ("udiv", "sdiv", "urem", "srem") for i in backward_slice([pointer], is_arithmetic))


def _in_iteration(loop: Loop) -> Callable[[Instruction], bool]:
    return lambda i: i.block in loop.blocks and i.opcode != "phi"


def _is_vectorizable(instruction: Instruction) -> bool:
    if instruction.opcode in ("atomicrmw", "cmpxchg", "fence") or instruction.attributes.get("volatile"):
        return False
    if instruction.opcode == "call":
        # Built-ins that take pointers (vload, fract, atomics …) may do anything with them.
        return not any(a.type.is_pointer for a in instruction.arguments)
    return instruction.opcode != "alloca"


def _uses_lane_columns(loop: Loop) -> bool:
    """Whether a loop accesses a private array that `private_arrays_by_lane` can lay out.

    Interchanged, the array would have to live from region to region. With barriers in the kernel it may have
    to anyway.
    """
    function = loop.header.function
    assert function is not None
    pointers = (i.operands[-1] for b in loop.blocks for i in b.instructions if i.opcode in ("load", "store"))
    arrays = dict.fromkeys(a for p in pointers if (a := base_of(p)) is not None)
    found = [
        a for a in arrays if isinstance(a, Instruction) and size_of(a.attributes["allocated"]) <= STACK_LIMIT
    ]
    if not found or any(is_barrier(i) for i in function.instructions()):
        return False
    return any(private_array(a) is not None for a in found)
