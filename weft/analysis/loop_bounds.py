"""Estimate how often loops run that count by constants, up to an argument of the kernel or between constants.

Their trip counts are known at launch.

header:
  %k = phi i32 [ 0, %entry ], [ %k.next, %body ]
  %more = icmp slt i32 %k, %count                     about %count iterations
"""

from weft.analysis.induction import counters_of, loop_test, trip_count
from weft.ir import Function, Instruction, Value
from weft.ir.loops import Loop, loop_forest
from weft.ir.values import Argument

# Assumed trip count of a loop around others if it depends on data: a cell has several neighbours, a ray
# several boxes.
AROUND_LOOPS = 4
_CASTS = ("sext", "zext", "trunc")
# The bound if nothing is known: the constant 1, and no arguments.
_ONCE: tuple[int, tuple[int, ...]] = (1, ())


def loop_bounds(function: Function) -> tuple[tuple[int, tuple[int, ...]], ...]:
    """Return how often each innermost loop runs, including the loops around it, as far as that is known.

    A result is a constant times the values of the arguments with the given indices. Estimates of a kernel's
    work assume that half of it is in the loop, so the constant is reduced if the loop contains less than
    that.
    """
    bounds: dict[Loop | None, tuple[int, tuple[int, ...]]] = {None: _ONCE}
    loops = sorted(loop_forest(function).loops, key=lambda loop: loop.depth)
    for loop in loops:
        (trips, arguments), bound = bounds[loop.parent], _bound(loop)
        if bound is None:
            unknown = AROUND_LOOPS if loop.children else 1
            bounds[loop] = trips * max(1, trip_count(loop) or unknown), arguments
        else:
            bounds[loop] = trips, (*arguments, bound)
    total = sum(len(block.instructions) for block in function.blocks)
    innermost = []
    for loop in loops:
        if not loop.children:
            trips, arguments = bounds[loop]
            inside = sum(len(block.instructions) for block in loop.blocks)
            innermost.append((max(1, min(trips, 2 * trips * inside // total)), arguments))
    return tuple(dict.fromkeys(nest for nest in innermost if nest != _ONCE))


def _bound(loop: Loop) -> int | None:
    """Return the index of the argument that bounds a loop."""
    counters = counters_of(loop)
    for block in loop.exiting if counters else ():
        test = loop_test(loop, block)
        for sides in (test, test.swapped) if test is not None else ():
            bound = _without_casts(sides.right)
            if isinstance(bound, Argument) and _without_casts(sides.left) in counters:
                return bound.index
    return None


def _without_casts(value: Value) -> Value:
    while isinstance(value, Instruction) and value.opcode in _CASTS:
        value = value.operands[0]
    return value
