"""Version a work-item loop with computed bounds for work-groups that run all their work-items.

    for (y …)                                   if (end - first == 64)
      for (x = first; x < end; x++) body          for (y …) for (x = 0; x < 64; x++) body
                                                else
                                                  for (y …) for (x = first; x < end; x++) body

The fast path has constant bounds. The test is placed before all work-item loops in which the bounds are
invariant.
"""

from weft.ir import Instruction, Value
from weft.ir.builder import Builder
from weft.ir.clone import is_copy_for
from weft.ir.loops import Loop
from weft.transform.workgroup.work_item_loops import is_any_work_item_loop

from .counted_loop import require_work_item_range, set_limit
from .version_loop import run_if

# The purpose of copies: work-groups that run only some of their work-items, at the edge of the range.
PARTIAL = "partial"


def version_complete_groups(loop: Loop, whole: tuple[Value, Value], largest: int) -> None:
    """Version a loop if the copied code has at most `largest` instructions."""
    counter, high = require_work_item_range(loop)
    low = counter.incoming_from(loop.known_preheader)
    nest = _nest(loop, (low, high))
    if nest.preheader is None or nest.size > largest:
        return
    b = Builder(nest.preheader, nest.preheader.terminator)
    is_whole = b.icmp("eq", b.sub(high, low), b.sub(whole[1], whole[0]), "all")
    run_if(nest, is_whole, "all", PARTIAL)
    entry = loop.known_preheader
    counter.remove_incoming(entry)
    counter.add_incoming(whole[0], entry)
    set_limit(loop, whole[1])


def is_for_partial_groups(loop: Loop) -> bool:
    """Return whether a loop is the slow path, for work-groups at the edge of the range."""
    return is_copy_for(loop.header, PARTIAL)


def _nest(loop: Loop, bounds: tuple[Value, Value]) -> Loop:
    """Return the outermost work-item loop around a loop in which its bounds are invariant."""
    nest = loop
    while (outer := nest.parent) is not None and outer.latch is not None:
        inside = any(isinstance(v, Instruction) and v.block in outer.blocks for v in bounds)
        if inside or outer.preheader is None or not is_any_work_item_loop(outer):
            break
        nest = outer
    return nest
