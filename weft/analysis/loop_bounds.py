"""Loops that count by constants, up to an argument of their kernel or between constants.

A launch knows their trip counts.

header:
  %k = phi i32 [ 0, %entry ], [ %k.next, %body ]
  %more = icmp slt i32 %k, %count                     about as many iterations as %count says
"""

from weft.analysis.induction import counters_of, loop_test, trip_count
from weft.ir import Function, Instruction, Value
from weft.ir.loops import Loop, loop_forest
from weft.ir.values import Argument

# How often a loop around others runs if only data tell: a cell has several neighbours, a ray several boxes.
AROUND_LOOPS = 4
_CASTS = ("sext", "zext", "trunc")
# What is known of a loop of which nothing is known: a constant, times no arguments.
_ONCE: tuple[int, tuple[int, ...]] = (1, ())


def loop_bounds(function: Function) -> tuple[tuple[int, tuple[int, ...]], ...]:
    """For each innermost loop, how often it runs with the loops around it, as far as that is known.

    That is a constant times the values of the arguments of some numbers. Who estimates the work of a kernel
    takes half of it to be in the loop: the constant is smaller where that is less.
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
    found = []
    for loop in loops:
        if not loop.children:
            trips, arguments = bounds[loop]
            inside = sum(len(block.instructions) for block in loop.blocks)
            found.append((max(1, min(trips, 2 * trips * inside // total)), arguments))
    return tuple(dict.fromkeys(nest for nest in found if nest != _ONCE))


def _bound(loop: Loop) -> int | None:
    """The number of the argument that ends a loop."""
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
