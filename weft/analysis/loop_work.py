"""Estimate how many instructions a work-item runs in loops that count by constants.

They count up to an argument of the kernel, or between constants, so a launch knows their trip counts.

header:
  %k = phi i32 [ 0, %entry ], [ %k.next, %body ]
  %more = icmp slt i32 %k, %count                     about %count / 4 iterations
body:
  %k.next = add i32 %k, 4
"""

from typing import NamedTuple

from weft.analysis.induction import counters_of, loop_test, trip_count
from weft.ir import Function
from weft.ir.loops import Loop, loop_forest
from weft.ir.slices import chain_start
from weft.ir.values import Argument

# Assumed trip count of a loop around others if it depends on data: a cell has several neighbours, a ray
# several boxes.
AROUND_LOOPS = 4
# More instructions than a work-item can run, and a larger step than a useful loop has.
_MOST = 1 << 48
_CASTS = ("sext", "zext", "trunc")


class Times(NamedTuple):
    """A number that a launch knows: `factor` / `divisor` times the values of some arguments, by index."""

    factor: int = 1
    divisor: int = 1
    arguments: tuple[int, ...] = ()


def loop_work(function: Function) -> tuple[Times, ...]:
    """Return the instructions that a work-item runs in each loop, not counting those of its inner loops.

    Loops that are not known to run more than once are left out.
    """
    trips: dict[Loop | None, Times] = {None: Times()}
    work = []
    for loop in sorted(loop_forest(function).loops, key=lambda loop: loop.depth):
        factor, divisor, arguments = trips[loop] = _trips(loop, trips[loop.parent])
        if trips[loop] != Times():
            inner = {block for child in loop.children for block in child.blocks}
            own = sum(len(block.instructions) for block in loop.blocks if block not in inner)
            work.append(Times(min(factor * own, _MOST), min(divisor, _MOST), arguments))
    return tuple(work)


def _trips(loop: Loop, around: Times) -> Times:
    """Return how often a loop runs, given how often the loop around it does."""
    bound = _bound(loop)
    if bound is not None:
        argument, step = bound
        return Times(around.factor, around.divisor * step, (*around.arguments, argument))
    unknown = AROUND_LOOPS if loop.children else 1
    return around._replace(factor=around.factor * max(1, trip_count(loop) or unknown))


def _bound(loop: Loop) -> tuple[int, int] | None:
    """Return the index of the argument that bounds a loop, and by how much the loop counts."""
    counters = counters_of(loop)
    for block in loop.exiting if counters else ():
        test = loop_test(loop, block)
        for sides in (test, test.swapped) if test is not None else ():
            bound, counter = chain_start(sides.right, _CASTS), counters.get(chain_start(sides.left, _CASTS))
            if isinstance(bound, Argument) and counter is not None:
                return bound.index, max(1, abs(counter.step))
    return None
