"""Straight loops over few work-items that share local memory, for which scalar code is faster than vectors.

    t[l] = a[g]; barrier(…); if (l == 0) for (int k = 0; k < 7; k++) sum += t[k];          // 7 work-items

A loop over fewer work-items than a register has lanes is one vector under a mask. A masked store cannot be
forwarded to a load: the load waits until the store is in the cache, about 20 cycles on Zen 4, after each
barrier. Unrolled, the work-items load and store scalars, which are forwarded, and which LLVM keeps in
registers if it knows the addresses.

Groups of 4 and 8 work-items are whole vectors (`choose_lanes.GROUPS`), without masks. Pure functions of the
loop and the target.
"""

from weft.analysis.induction import trip_count
from weft.analysis.memory_effects import LOCAL
from weft.ir import ConstantInt, Value
from weft.ir.loops import Loop
from weft.ir.types import address_space
from weft.target import Target
from weft.transform.workgroup.work_item_loops import is_any_work_item_loop

from .estimate import scalar_cost

# The most instructions of all work-items of the group together. With more, vectors gain more than they wait,
# and what one region stores is in the cache when the next loads it.
MOST_INSTRUCTIONS = 256


def is_better_unrolled(loop: Loop, limit: Value, target: Target) -> bool:
    """Whether a straight loop up to `limit` shares local memory among less than a register of work-items."""
    if loop.children or not isinstance(limit, ConstantInt) or not target.masked_accesses:
        return False
    if limit.value >= target.lanes(32):
        return False
    instructions = list(loop.instructions())
    accesses = (i for i in instructions if i.opcode in ("load", "store"))
    if not any(address_space(i.operands[-1].type) == LOCAL for i in accesses):
        return False
    items, around = limit.value, loop.parent
    while around is not None and is_any_work_item_loop(around):
        trips = trip_count(around)
        if trips is None:
            return False
        items, around = items * trips, around.parent
    return items * sum(scalar_cost(i, target) for i in instructions) <= MOST_INSTRUCTIONS
