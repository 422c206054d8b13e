"""Find loops in which several work-items read the same columns of memory.

    for (int k = 0; k < n; k++) sum += a[y * n + k] * b[k * n + x];

All work-items with the same x load the same elements of `b`, one of each row: every iteration touches another
cache line, or another page. If a work-item runs the whole loop, the column has left the caches (or their few
lines for addresses that are a power of two apart) when the next work-item starts. If the work-items run the
loop in strips, a strip of the column is still there (`transform/workgroup/block_loops.py`).
"""

from collections.abc import Iterable, Sequence
from enum import unique

from weft.ir import Function, Instruction, Value
from weft.ir.loops import Loop, loop_forest
from weft.ir.slices import backward_slice
from weft.ir.types import size_of
from weft.messages import Message, Reason

from .divergence import Divergence
from .evolution import VARYING, LoopEvolution, Wrapping
from .id_evolution import IdEvolution
from .induction import trip_count
from .loop_guard import loop_guard
from .memory_effects import base_of, has_no_effects, only_reads
from .shapes import Shapes
from .work_items import work_item_function

# The iterations of a strip: 128 lines of a column fit into the first-level cache, or, if the addresses are
# 8 KiB apart, into the ways of a second-level cache. Products of 2048 took longer in strips of 64, and as
# long in strips of 256.
STRIP = 128
# A smaller step stays in a cache line for several iterations, and hardware prefetches the next.
LINE = 64
# What a work-item stores at the end of a strip and loads again: a small part of the work of a strip.
MOST_CARRIED_BYTES = 1024


@unique
class NoColumnReuse(Message):
    """Why a loop does not run in strips."""

    HOLDS_LOOP = "it contains another loop"
    FORM = "it is left elsewhere than in its first or last block, or by a switch"
    NOTHING_SHARED = "work-items do not read the same columns"
    ORDER_MATTERS = "the order of its accesses matters"
    DIVERGENT = "its trip count is divergent, or not all work-items enter it, and those outside cannot count"
    SHORT = "its trip count {iterations} is no larger than a strip"
    CARRIES_TOO_MUCH = "a work-item carries {bytes} bytes from iteration to iteration"


def shares_columns(function: Function, shape: Shapes, axis: int) -> bool:
    """Whether a loop of a kernel gains from strips if calls run work-items that differ along `axis`."""
    return bool(_gaining(function, shape, axis))


def guards_columns(function: Function, shape: Shapes, axis: int) -> bool:
    """Whether a guard keeps some work-items out of such a loop."""
    return not all(shape.runs_uniformly(loop.header) for loop in _gaining(function, shape, axis))


def _gaining(function: Function, shape: Shapes, axis: int) -> list[Loop]:
    return [loop for loop in loop_forest(function).loops if why_no_strips(loop, shape, (axis,)) is None]


def why_no_strips(loop: Loop, shape: Divergence | Shapes, axes: Iterable[int]) -> Reason | None:
    """Return why it is of no use, or wrong, to run a loop in strips; None if it gains.

    `axes` are the dimensions in which a call runs several work-items. Linear in the size of the loop.
    """
    if loop.children:
        return Reason(NoColumnReuse.HOLDS_LOOP)
    if loop.preheader is None or loop.latch is None or len(loop.exits) != 1:
        return Reason(NoColumnReuse.FORM)
    if loop.exiting not in ([loop.header], [loop.latch]) or loop.exiting[0].terminator.opcode != "br":
        return Reason(NoColumnReuse.FORM)
    body = list(loop.instructions())
    advancing = [i for i in body if i.opcode == "load" and _advances(i.operands[0], loop)]
    if not any(_is_shared(advancing, axis) for axis in axes):
        return Reason(NoColumnReuse.NOTHING_SHARED)
    if not all(map(_has_no_order, body)):
        return Reason(NoColumnReuse.ORDER_MATTERS)
    together = all(map(shape.runs_uniformly, (loop.header, *loop.exiting)))
    if any(map(shape.is_divergent_branch, loop.exiting)) or not (together or loop_guard(loop, shape)):
        return Reason(NoColumnReuse.DIVERGENT)
    trips = trip_count(loop)
    if trips is not None and trips <= STRIP:
        return Reason(NoColumnReuse.SHORT, iterations=trips)
    carried = sum(size_of(phi.type) for phi in loop.header.phis())
    if carried > MOST_CARRIED_BYTES:
        return Reason(NoColumnReuse.CARRIES_TOO_MUCH, bytes=carried)
    return None


def _is_shared(advancing: Sequence[Instruction], axis: int) -> bool:
    """Whether work-items that differ along an axis read the same columns.

    SIMD lanes, which are along x, load what they share once. So nothing is gained along x if they read
    other columns as well.
    """
    along = IdEvolution(axis, {"get_global_id": 1})
    shared = [along.stride(load.operands[0]) == 0 for load in advancing]
    return all(shared) and bool(advancing) if axis == 0 else any(shared)


def _advances(pointer: Value, loop: Loop) -> bool:
    """Whether a pointer advances by at least a line with each iteration, as counters tell and not data."""
    steps = LoopEvolution(loop, Wrapping.IGNORED)
    step = steps.of(pointer)
    if step is not VARYING:
        return abs(step.stride) >= LINE
    parts = backward_slice([pointer], lambda i: i.block in loop.blocks and i not in loop.header.phis())
    if any(i.info.reads or i.opcode in ("call", "select", "phi") for i in parts):
        return False
    used = {pointer, *(o for i in parts for o in i.operands)}
    return all(_counts(phi, loop, steps) for phi in loop.header.phis() if phi in used)


def _counts(phi: Instruction, loop: Loop, steps: LoopEvolution) -> bool:
    """Whether a phi of the header advances by a step that is the same in all iterations."""
    following = phi.incoming_from(loop.known_latch)
    if not isinstance(following, Instruction) or following.opcode not in ("add", "sub", "getelementptr"):
        return False
    return following.operands[0] is phi and all(map(steps.is_invariant, following.operands[1:]))


def _has_no_order(i: Instruction) -> bool:
    """Whether an instruction may run before or after those of other work-items, and only reads."""
    match i.opcode:
        case "call":
            return work_item_function(i) is not None or has_no_effects(i) or only_reads(i)
        case "load":
            return not i.is_ordered and not _is_private(i.operands[0])
        case _:
            return not (i.info.reads or i.info.writes) and i.opcode != "alloca"


def _is_private(pointer: Value) -> bool:
    """Whether a pointer may point to a private array, which would be kept in memory between strips."""
    base = base_of(pointer)
    return isinstance(base, Instruction) and base.opcode == "alloca"
