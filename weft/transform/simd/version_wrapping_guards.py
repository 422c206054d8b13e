"""Version a work-item loop whose guard compares a sum that may wrap around.

    for (x = 0; x < n; x++)                      if (base + begin and base + n - 1 + begin are ints)
      if ((int)(base + x + begin) < m)             for (x = 0; x < n; x++)
        body                          becomes        if (base + x + begin < m) body       ; the sum has nsw
                                                 else
                                                   for (x = 0; x < n; x++)                ; not vectorized
                                                     if ((int)(base + x + begin) < m) body

In `int i = get_global_id(0) + begin; if (i < m)`, C takes the lower half of a 64-bit sum, which need not fit.
If it fits, the guard becomes a bound of the loop (`bounds_from_guards.py`), and indices computed from the sum
are linear. This is tested for the first and the last work-item, in 64 bits.

Requires a work-group function. Refuses unsigned comparisons: programs use the wrap-around of unsigned numbers
to test both ends of a range at once. Refuses loops of more than `largest` instructions, and those that use
private memory, which has one layout for all loops. Linear time.
"""

from weft.analysis.cross_lane import cross_lane_size
from weft.analysis.lanes import Lanes
from weft.ir import Function, Instruction, Value
from weft.ir.builder import Builder
from weft.ir.clone import is_copy_for
from weft.ir.loops import Loop, LoopForest, loop_forest
from weft.ir.types import I32, I64
from weft.ir.values import const_int
from weft.transform.workgroup.work_item_loops import is_work_item_loop, run_serially

from .bounds import bound_of
from .counted_loop import range_without_results
from .first_item import FirstItem, is_total, needed
from .guard import Condition, guard_of
from .version_loop import run_if

# The purpose of copies: work-items whose sums wrap around.
WRAPPING = "wrapping"


def version_wrapping_guards(function: Function, largest: int) -> list[tuple[Loop, Instruction]]:
    """Version loops of at most `largest` instructions; return them, each with a sum that may wrap."""
    forest = loop_forest(function)
    versioned = []
    for loop in forest.loops:
        if is_work_item_loop(loop) and not cross_lane_size(loop) and loop.size <= largest:
            sums = _version(loop, forest)
            versioned += [(loop, sums[0])] if sums else []
    return versioned


def is_for_wrapping(loop: Loop) -> bool:
    """Return whether a loop is the slow path, for work-items whose sums wrap around."""
    return is_copy_for(loop.header, WRAPPING)


def _version(loop: Loop, forest: LoopForest) -> list[Instruction]:
    """Version a loop; return its sums that may wrap, or an empty list if it is unchanged."""
    pre, work_items, guard = loop.preheader, range_without_results(loop), guard_of(loop)
    if pre is None or work_items is None or guard is None or _uses_private_memory(loop):
        return []
    counter, limit = work_items
    shape = guard.shapes(loop, counter, forest)
    sums = {s: parts for c in guard.conditions for s, parts in _sums(c, shape).items()}
    values = [part for parts in sums.values() for part in parts]
    if not sums or not all(is_total(i) for v in values for i in needed(v, guard.blocks)):
        return []
    b = Builder(pre, pre.terminator)
    ends = (counter.incoming_from(pre), b.sub(limit, const_int(I32, 1)))
    fits: Value | None = None
    for end in ends:
        item = FirstItem(b, guard.blocks, {counter: end}, promised=False)
        for total in _wide_sums(sums, item, b):
            # Test whether the upper 33 bits are all equal.
            shifted = b.add(total, const_int(I64, 1 << 31))
            one = b.icmp("ult", shifted, const_int(I64, 1 << 32))
            fits = one if fits is None else b.binary("and", fits, one)
    assert fits is not None
    wrapping = run_if(loop, fits, "fits", WRAPPING)
    run_serially(wrapping.block(loop.known_latch))
    for total in sums:
        total.flags = (*total.flags, "nsw")
    return list(sums)


def _sums(condition: Condition, shape: Lanes) -> dict[Instruction, tuple[Value, Value]]:
    """Return the sums of a linear and a uniform value that must not wrap for a condition to be a bound.

    The linear value of the last sum does not wrap; that of each other sum is the next sum.
    """
    compare = condition.value
    if shape.is_uniform(compare) or bound_of(condition, shape) is not None:
        return {}
    if not isinstance(compare, Instruction) or compare.opcode != "icmp":
        return {}
    if compare.attributes["predicate"][0] != "s" or compare.operands[0].type is not I32:
        return {}
    sides = [side for side in compare.operands if not shape.is_uniform(side)]
    sums: dict[Instruction, tuple[Value, Value]] = {}
    value = sides[0] if len(sides) == 1 else None
    while isinstance(value, Instruction) and value.opcode == "add":
        linear, uniform = value.operands
        if shape.is_uniform(linear):
            linear, uniform = uniform, linear
        evolution = shape.of(linear)
        if evolution is None or evolution.needs or not shape.is_uniform(uniform):
            return {}
        sums[value] = linear, uniform
        if evolution.signed:
            return sums
        value = linear
    return {}


def _wide_sums(sums: dict[Instruction, tuple[Value, Value]], item: FirstItem, b: Builder) -> list[Value]:
    """Return the sums of a work-item in 64 bits."""
    wide: dict[Value, Value] = {}

    def widened(value: Value) -> Value:
        if value not in wide:
            wide[value] = b.cast("sext", item.value(value), I64)
        return wide[value]

    for total, (linear, uniform) in reversed(sums.items()):
        wide[total] = b.add(widened(linear), widened(uniform))
    return [wide[total] for total in sums]


def _uses_private_memory(loop: Loop) -> bool:
    operands = (o for i in loop.instructions() for o in i.operands)
    return any(isinstance(o, Instruction) and o.opcode == "alloca" for o in operands)
