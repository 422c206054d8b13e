"""Place a barrier before work-items read local memory that others have stored to since the last barrier.

    store i32 %v, ptr addrspace(3) %mine       store i32 %v, ptr addrspace(3) %mine
    br i1 %first, label %sum, label %exit      br label %barrier
                                             barrier:
                                               call void @weft.barrier()
                                               br label %after
                                             after:
                                               br i1 %first, label %sum, label %exit
    sum:                                     sum:
      %x = load i32, ptr addrspace(3) %next    %x = load i32, ptr addrspace(3) %next

This is a data race: OpenCL requires a barrier. It works where the work-items run in lock step, as in SIMD
lanes, and some programs rely on that. Plain loops run the first work-item to the end of the parallel region
before the others start. A program without data races computes the same with the added barrier.

A barrier is added where every work-item passes exactly once: in a block that post-dominates the entry and is
in no cycle. It is placed before the load if that is in such a block, otherwise before the branch of the
nearest one that dominates it. Refuses loads for which there is none, or that no store reaches there. A load
counts as the work-item's own if the kernel stores to the same pointer. Only loads and stores count, not
atomic operations, nor calls.

Runs for plain loops only, in kernels without sub-groups. Requires isolated barriers. Complexity: MOST times
that of a data-flow analysis whose facts are the variables and arguments in local memory.
"""

from collections.abc import Iterator, Sequence
from enum import unique

from weft.analysis.memory_effects import base_of
from weft.analysis.work_items import BarrierOrigin, is_barrier
from weft.ir import Block, Function, Instruction, Value
from weft.ir.address_spaces import LOCAL
from weft.ir.dominators import dominators, post_dominators
from weft.ir.loops import loop_forest
from weft.ir.types import address_space
from weft.ir.values import Constant
from weft.remarks import SILENT, Message, Remarks

from .place_implicit_barriers import barrier_call

# Maximum number of barriers that are added to a kernel.
MOST = 8

# The variables and arguments in local memory that were stored to since the last barrier; None: any of them.
_Stored = frozenset[Value | None]
_NOTHING: _Stored = frozenset()


@unique
class SharedLoad(Message):
    """What happened to a load that may read what another work-item has stored since the last barrier."""

    SEPARATED = "barrier added before it: other work-items may have stored there since the last barrier"
    NO_PLACE = "no barrier before it: no place after the stores is one that every work-item passes once"


def separate_local_accesses(function: Function, remarks: Remarks = SILENT) -> int:
    """Add the barriers; return how many."""
    own = {_key(i.operands[1]) for i in function.instructions() if _is_store(i)}
    added = 0
    while own and added < MOST and (place := _find_place(function, own, remarks)) is not None:
        block, index = place
        barrier = block.split(index, "barrier")
        barrier.insert(0, barrier_call(function, BarrierOrigin.LOCAL_MEMORY))
        barrier.split(1, "after")
        added += 1
    return added


def _find_place(function: Function, own: set[object], remarks: Remarks) -> tuple[Block, int] | None:
    """Return the block and the index of the first barrier to be added.

    `own` are the pointers that the kernel stores to.
    """
    tree = dominators(function)
    refused = []
    always: dict[Block, None] | None = None
    at_start = _stored_before(function, tree.order)
    for block in tree.order:
        for index, load, stored in _loads(block, at_start[block]):
            if _key(load.operands[0]) in own or not _may_read(load, stored):
                continue
            always = _always_passed(function) if always is None else always
            if block in always:
                remarks.passed(SharedLoad.SEPARATED, load)
                return block, index
            # The dominators of a block that some work-items skip: the nearest that none does.
            above = tree.idom(block)
            while above is not None and above not in always:
                above = tree.idom(above)
            if above is not None and _may_read(load, _after(above, at_start[above])):
                remarks.passed(SharedLoad.SEPARATED, load)
                return above, len(above.instructions) - 1
            refused.append(load)
    for load in refused:
        remarks.missed(SharedLoad.NO_PLACE, load)
    return None


def _stored_before(function: Function, order: Sequence[Block]) -> dict[Block, _Stored]:
    """Return what may have been stored to at the start of each block."""
    at_start = dict.fromkeys(function.blocks, _NOTHING)
    work = dict.fromkeys(order)
    while work:
        block = next(iter(work))
        del work[block]
        at_end = _after(block, at_start[block])
        for successor in block.successors():
            if not at_end <= at_start[successor]:
                at_start[successor] |= at_end
                work[successor] = None
    return at_start


def _after(block: Block, stored: _Stored) -> _Stored:
    for instruction in block.instructions:
        stored = _step(instruction, stored)
    return stored


def _loads(block: Block, stored: _Stored) -> Iterator[tuple[int, Instruction, _Stored]]:
    """Return the loads from local memory, with their indices and what may have been stored to before them."""
    for index, instruction in enumerate(block.instructions):
        if instruction.opcode == "load" and address_space(instruction.operands[0].type) == LOCAL:
            yield index, instruction, stored
        stored = _step(instruction, stored)


def _step(instruction: Instruction, stored: _Stored) -> _Stored:
    if instruction.opcode == "call" and is_barrier(instruction):
        return _NOTHING
    return stored | {base_of(instruction.operands[1])} if _is_store(instruction) else stored


def _is_store(instruction: Instruction) -> bool:
    return instruction.opcode == "store" and address_space(instruction.operands[1].type) == LOCAL


def _may_read(load: Instruction, stored: _Stored) -> bool:
    base = base_of(load.operands[0])
    return bool(stored) and (base is None or base in stored or None in stored)


def _always_passed(function: Function) -> dict[Block, None]:
    """Return the blocks that each work-item passes exactly once."""
    tree, forest = post_dominators(function), loop_forest(function)
    repeated = {block for cycle in forest.irreducible for block in cycle}
    block: Block | None = function.entry
    found: dict[Block, None] = {}
    while block is not None and block in tree:
        if forest.loop_of(block) is None and block not in repeated:
            found[block] = None
        block = tree.idom(block)
    return found


def _key(pointer: Value) -> object:
    """Return the same for pointers that are computed in the same way."""
    if not isinstance(pointer, Instruction) or pointer.opcode != "getelementptr":
        return pointer
    type = str(pointer.attributes["element_type"])
    return type, *(str(o) if isinstance(o, Constant) else o for o in pointer.operands)
