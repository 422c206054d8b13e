"""Place a barrier at the entry, at every exit and at every deciding branch of a kernel.

Entry and exit barriers are step 1 of pocl's Algorithm 1. A branch *decides* if its successors lead to
different next barriers: a condition around a barrier (section 4.4), or the condition of a loop that contains
one (a b-loop, section 4.5). OpenCL requires all work-items of a group to agree on such a branch, so it is
taken once for the whole group, between two parallel regions:

    header:                                    header:
      %k = phi i32 …                             %k = phi i32 …
      %more = icmp sgt i32 %k, 0                 %more = icmp sgt i32 %k, 0
      br i1 %more, label %body, label %exit      br label %decide
                                               decide:
                                                 call void @weft.barrier()
                                                 br i1 %more, label %body.way, label %exit.way

Deviation from the paper: it places barriers at the preheader, the latch and after the header's phis of every
b-loop, and peels the first work-item to find the target of conditional barriers. A barrier at each deciding
branch achieves both, for any graph, without a peeled copy.

A branch decides if its successors differ in their sets of next barriers, all work-items reach it together and
it is convergent (`analysis/convergence.py`). Other branches stay inside their region: divergent branches
whose successors share some barriers, the code that they control, and branches at which some work-items may
return. The region then has several successors; the work-group function records which one was reached.

Requires isolated barriers and the `divergence` of the function.
"""

from weft.analysis.barrier_cfg import is_barrier_block
from weft.analysis.convergence import convergence
from weft.analysis.divergence import Divergence
from weft.analysis.work_items import IMPLICIT_BARRIER, ORIGIN, SUB_GROUP_BARRIER, BarrierOrigin
from weft.ir import Block, Function, Instruction
from weft.ir.types import VOID, FunctionType


def place_implicit_barriers(function: Function, shape: Divergence) -> None:
    """Add the barriers that make parallel regions unambiguous."""
    entry = function.entry
    barrier = Block("entry.barrier")
    barrier.function = function
    function.blocks.insert(0, barrier)
    barrier.append(barrier_call(function, BarrierOrigin.ENTRY))
    barrier.append(Instruction("br", VOID, [entry]))
    for block in list(function.blocks):
        if block.terminator.opcode == "ret":
            last = block.split(len(block.instructions) - 1, "exit.barrier")
            last.insert(0, barrier_call(function, BarrierOrigin.EXIT))
    decide_branches(function, shape)


def decide_branches(function: Function, shape: Divergence) -> None:
    """Add a barrier at each deciding branch."""
    # Iterate: a new barrier makes more branches decide, such as those before the end of a loop.
    while deciding := _deciding_branches(function, shape):
        for branch in deciding:
            split_by_barrier(branch, "decide", BarrierOrigin.DECISION)


def _deciding_branches(function: Function, shape: Divergence) -> list[Block]:
    known = convergence(function, shape)
    return [b for b in function.blocks if known.may_decide(b) and not is_barrier_block(b) and known.differ(b)]


def split_by_barrier(block: Block, name: str, origin: BarrierOrigin) -> None:
    """Place a barrier before a block's branch, which is then taken once for the whole group."""
    decide = block.split(len(block.instructions) - 1, name)
    decide.insert(0, barrier_call(block.parent, origin))
    _split_edges(decide)


def _split_edges(block: Block) -> None:
    """Split each edge out of a block by a new block, which replaces it in the phis."""
    function = block.parent
    terminator = block.terminator
    for successor in block.successors():
        edge = function.add_block("way", after=block)
        edge.append(Instruction("br", VOID, [successor]))
        for phi in successor.phis():
            value = phi.incoming_from(block)
            phi.remove_incoming(block)
            phi.add_incoming(value, edge)
        terminator.replace_operand(successor, edge)


def barrier_call(function: Function, origin: BarrierOrigin) -> Instruction:
    """Return a new implicit barrier, not yet in a block."""
    type = FunctionType(VOID, ())
    of_sub_group = origin is BarrierOrigin.SUB_GROUP_FUNCTION
    name = SUB_GROUP_BARRIER if of_sub_group else IMPLICIT_BARRIER
    barrier = function.parent.declare(name, type, ("convergent",))
    return Instruction("call", VOID, [barrier], attributes={"function_type": type, ORIGIN: origin})
