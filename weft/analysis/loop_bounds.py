"""Loops that count by constants up to an argument of their kernel: a launch knows their trip counts.

header:
  %k = phi i32 [ 0, %entry ], [ %k.next, %body ]
  %more = icmp slt i32 %k, %count                     about as many iterations as %count says
"""

from weft.analysis.induction import induction, loop_test
from weft.ir import Function, Instruction, Value
from weft.ir.loops import Loop, loop_forest
from weft.ir.values import Argument

_CASTS = ("sext", "zext", "trunc")


def loop_bounds(function: Function) -> tuple[tuple[int, ...], ...]:
    """For each innermost loop, the numbers of the arguments that bound it and the loops around it."""
    bounds: dict[Loop | None, tuple[int, ...]] = {None: ()}
    loops = sorted(loop_forest(function).loops, key=lambda loop: loop.depth)
    for loop in loops:
        own = _bound(loop)
        bounds[loop] = bounds[loop.parent] + (() if own is None else (own,))
    found = (bounds[loop] for loop in loops if not loop.children)
    return tuple(dict.fromkeys(nest for nest in found if nest))


def _bound(loop: Loop) -> int | None:
    for block in loop.exiting:
        test = loop_test(loop, block)
        if test is None:
            continue
        for left, right in ((test.left, test.right), (test.right, test.left)):
            bound = _without_casts(right)
            if isinstance(bound, Argument) and _counts(loop, left):
                return bound.index
    return None


def _counts(loop: Loop, value: Value) -> bool:
    """Whether a value goes on by a constant in each iteration."""
    for phi in loop.header.phis():
        counter = induction(loop, phi) if phi.type.is_int else None
        if counter is not None and _without_casts(value) in (phi, counter.following):
            return True
    return False


def _without_casts(value: Value) -> Value:
    while isinstance(value, Instruction) and value.opcode in _CASTS:
        value = value.operands[0]
    return value
