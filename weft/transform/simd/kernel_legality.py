"""Decide whether operations across lanes will have vector code, before the kernel has work-item loops.

Functions of sub-groups become operations across lanes, which scalar code cannot do. So it must be certain
beforehand that the work-item loops around them can be vectorized, whatever these loops and the divergence of
values will be. All values are assumed to vary, and all blocks to be masked: then `legality.py` refuses
everything that it could refuse later. Loops must have the form that `schedule.py` requires, and private
memory must consist of arrays of which each lane gets a column (`private_arrays_by_lane.py`).

Only code that may be in one parallel region with such a function matters: code with no barrier in between.
Code that only the first work-item runs, such as a work-group copy, is between barriers of its own.

Requires natural loops and LCSSA. Linear.
"""

from collections.abc import Iterator

from weft.analysis.evolution import VARYING
from weft.analysis.lanes import Lanes
from weft.analysis.memory_effects import is_lifetime_marker
from weft.analysis.private_arrays import PrivateArray, private_array
from weft.analysis.sub_group_functions import sub_group_function
from weft.analysis.work_items import is_barrier
from weft.ir import Block, Function, Instruction
from weft.ir.graph import reachable
from weft.ir.loops import LoopForest, loop_forest
from weft.ir.types import size_of
from weft.remarks import Reason
from weft.target import Target
from weft.transform.cost_model.code_size import MOST_NESTED
from weft.transform.workgroup.context_arrays import STACK_LIMIT, STACK_LIMIT_OF_ALL
from weft.transform.workgroup.private_arrays_by_lane import LARGEST, LARGEST_OF_ALL, may_be_spread

from .cannot_vectorize import CannotVectorize, NotVectorized
from .lanewise import VectorForm
from .legality import InstructionLegality, may_block_progress
from .split_private_vectors import array_to_split
from .wide_calls import is_dropped, may_point_to_private_memory

# A part of a block between barriers, by its number.
_Part = tuple[Block, int]


def why_no_vector_form(
    function: Function, width: int, vector_form: VectorForm, target: Target
) -> Reason | None:
    """Return why a region with sub-group functions may have no code for `width` lanes; None if all have."""
    forest, code = loop_forest(function), _code_near_sub_group_functions(function)
    everything_varies = Lanes(
        dict.fromkeys(function.instructions(), VARYING),
        frozenset(),
        frozenset(function.blocks),
        frozenset(forest.loops),
    )
    legality = InstructionLegality(everything_varies, width, vector_form, sequential=_is_ordered)
    try:
        _check_loops(forest, {i.parent for i in code})
        own = _check_private_memory(function, width, target)
        for i in code:
            if i.opcode == "phi":
                legality.check_phi(i)
            elif forest.loop_of(i.parent) is not None and may_block_progress(i):
                raise CannotVectorize(NotVectorized.MAY_WAIT)
            elif i not in own and not i.is_terminator and not is_dropped(i):
                _check(i, legality)
    except CannotVectorize as error:
        return error.refusal
    return None


def _code_near_sub_group_functions(function: Function) -> dict[Instruction, None]:
    """Return the instructions that may be in one region with a sub-group function."""
    parts = {block: _parts(block) for block in function.blocks}

    def neighbours(part: _Part) -> Iterator[_Part]:
        block, number = part
        if number == 0:
            yield from ((source, len(parts[source]) - 1) for source in block.predecessors())
        if number == len(parts[block]) - 1:
            yield from ((target, 0) for target in block.successors())

    starts = [
        (block, number)
        for block, block_parts in parts.items()
        for number, part in enumerate(block_parts)
        if any(sub_group_function(i.callee_name) is not None for i in part)
    ]
    reached = reachable(starts, neighbours)
    return {i: None for block, number in reached for i in parts[block][number]}


def _parts(block: Block) -> list[list[Instruction]]:
    """Split the instructions of a block at its barriers."""
    parts: list[list[Instruction]] = [[]]
    for i in block.instructions:
        if is_barrier(i):
            parts.append([])
        else:
            parts[-1].append(i)
    return parts


def _check_loops(forest: LoopForest, blocks: set[Block]) -> None:
    if any(not blocks.isdisjoint(cycle) for cycle in forest.irreducible):
        raise CannotVectorize(NotVectorized.UNSTRUCTURED)
    for loop in forest.loops:
        if blocks.isdisjoint(loop.blocks):
            continue
        if not loop.exit_edges:
            raise CannotVectorize(NotVectorized.UNSTRUCTURED)
        if loop.latch is None or loop.preheader is None:
            raise CannotVectorize(NotVectorized.LOOP_FORM)
        if loop.depth > MOST_NESTED:
            raise CannotVectorize(NotVectorized.NESTED_TOO_DEEP)


def _check_private_memory(function: Function, width: int, target: Target) -> set[Instruction]:
    """Return the allocas of arrays that can have a column per lane, and the instructions that access them."""
    own: set[Instruction] = set()
    left, on_stack = LARGEST_OF_ALL, 0
    for alloca in (i for i in function.entry.instructions if i.opcode == "alloca"):
        own.add(alloca)
        if all(map(is_lifetime_marker, alloca.users)):
            continue
        array = private_array(alloca) or array_to_split(alloca, target)
        if not isinstance(array, PrivateArray) or not may_be_spread(array):
            raise CannotVectorize(NotVectorized.SHARED_PRIVATE_MEMORY)
        size = array.count * size_of(array.element)
        bytes, on_stack = size * width, on_stack + size
        if bytes > min(LARGEST, left) or size > STACK_LIMIT or on_stack > STACK_LIMIT_OF_ALL:
            raise CannotVectorize(NotVectorized.SHARED_PRIVATE_MEMORY)
        left -= bytes
        own.update(array.accesses, array.blocks)
    return own


def _is_ordered(i: Instruction) -> bool:
    return i.is_ordered


def _check(i: Instruction, legality: InstructionLegality) -> None:
    """Raise CannotVectorize for an instruction that lanes might not be able to run."""
    if i.opcode == "call" and any(map(may_point_to_private_memory, i.arguments)):
        raise CannotVectorize(NotVectorized.CALLEE_SHARES_PRIVATE_MEMORY, callee=i.callee_name)
    legality.check(i, masked=True)
