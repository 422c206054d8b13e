"""Stores of straight loops for which LLVM's vectorizer would scatter, and whether that costs too much.

LLVM's cost model treats a scatter as little more than a store for each lane, but on Zen 4 it costs far more.
LLVM emits no scatter if the stores of a work-item fill all memory up to the next work-item's: these become
whole registers and shuffles. Stores at unknown distances are not considered, since they were as fast either
way.

The gathers of a loop with scatters count too. A wavefront over a matrix has both: work-items of a diagonal
load from the rows above and store to their own.
"""

from collections import Counter

from weft.analysis.lanes import Lanes
from weft.ir import Instruction, Value
from weft.ir.address_spaces import PRIVATE
from weft.ir.loops import Loop
from weft.ir.slices import chain_start
from weft.ir.types import VectorType, address_space, size_of
from weft.target import Target

from .estimate import scalar_cost

# The largest distance, in elements, of adjacent lanes' loads that LLVM vectorizes by whole loads and shuffles
# (`max-interleave-group-factor`).
MOST_INTERLEAVED = 8


def scatters_cost_more(loop: Loop, shape: Lanes, target: Target) -> bool:
    """Whether a loop costs less serially than the scatters and gathers of its vector form."""
    instructions = list(loop.instructions())
    scattered = [i for i in instructions if i.opcode == "store" and _leaves_gaps(i, shape)]
    if not scattered:
        return False
    stored: Counter[tuple[Value, int]] = Counter()  # bytes of a work-item, by buffer and distance to the next
    for store in scattered:
        if store.block not in shape.masked:
            stored[_buffer(store, shape)] += size_of(store.operands[0].type)
    whole = {buffer for buffer, size in stored.items() if size >= buffer[1]}
    left = [i for i in scattered if i.block in shape.masked or _buffer(i, shape) not in whole]
    one_by_one = sum(scalar_cost(i, target) for i in instructions if _counts(i, shape))
    gathered = [i for i in instructions if i.opcode == "load" and _is_gathered(i, shape)] if left else []
    return target.costs.scatter * len(left) + target.costs.gather * len(gathered) > one_by_one


def _counts(i: Instruction, shape: Lanes) -> bool:
    """Whether an instruction counts as work: not index arithmetic, nor an unconditional branch."""
    return i.opcode in ("load", "store") or (len(i.operands) > 1 if i.is_terminator else shape.is_varying(i))


def _leaves_gaps(store: Instruction, shape: Lanes) -> bool:
    """Whether lanes store at a known distance, with gaps between them; private memory does not count."""
    value, pointer = store.operands
    if isinstance(value.type, VectorType) or address_space(pointer.type) == PRIVATE:
        return False
    evolution = shape.of(pointer)
    return evolution is not None and abs(evolution.stride) > size_of(value.type)


def _is_gathered(load: Instruction, shape: Lanes) -> bool:
    """Whether lanes load at a known distance that is too large for whole registers and shuffles."""
    (pointer,) = load.operands
    if isinstance(load.type, VectorType) or address_space(pointer.type) == PRIVATE:
        return False
    evolution = shape.of(pointer)
    return evolution is not None and abs(evolution.stride) > MOST_INTERLEAVED * size_of(load.type)


def _buffer(store: Instruction, shape: Lanes) -> tuple[Value, int]:
    """Return the pointer that the evolution of a store is computed from, and the distance of lanes."""
    pointer, evolution = store.operands[1], shape.of(store.operands[1])
    assert evolution is not None
    return chain_start(pointer, ("getelementptr", "addrspacecast")), abs(evolution.stride)
