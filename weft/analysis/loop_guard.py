"""Find the guard that keeps some work-items out of a loop, and what the others run before the loop.

    if (x < n && y < n) {            // the guard
      sum = start[x];                // a segment
      if (m > 0)                     // uniform: ends the segment
        for (k = 0; k < m; k++) …
      out[y * n + x] = sum;
    }

Work-items that pass the guard enter the loop together if only uniform branches follow. The number of
iterations is then the same for all, and if it follows from values outside the guard, those that do not pass
can count along (`transform/workgroup/guard_strips.py`).
"""

from collections.abc import Callable

from weft.dataclasses import dataclass
from weft.ir import Argument, Block, Constant, Instruction, Value
from weft.ir.loops import Loop
from weft.ir.slices import backward_slice
from weft.ir.types import size_of
from weft.ir.values import GlobalValue

from .divergence import Divergence
from .induction import CountedExit, counted_exits
from .shapes import Shapes

# What computes counts: neither division nor a shift, which may be poison without any flag.
_COUNTING = frozenset(("add", "sub", "mul", "and", "or", "xor", "zext", "sext", "trunc", "icmp", "select"))


@dataclass(frozen=True)
class Counter:
    """A uniform phi of the header to which each iteration adds `step`."""

    phi: Instruction
    start: Value
    step: Value


@dataclass(frozen=True)
class LoopGuard:
    """A divergent branch around a loop.

    `segments` are the blocks from the branch to the loop, divided after each uniform branch; `returns` is the
    block that work-items go to which do not pass.
    """

    branch: Instruction
    returns: Block
    segments: tuple[tuple[Block, ...], ...]
    exit: CountedExit
    counters: tuple[Counter, ...]
    """All uniform phis of the header."""


def loop_guard(loop: Loop, shape: Divergence | Shapes) -> LoopGuard | None:
    """Return the guard around a loop without inner loops and with one exit, or None.

    Of divergent branches there is none but the guard, which is in no loop, and whose other side returns.
    Linear in the size of the loop and of what is before it.
    """
    segments = _segments(loop, shape) if loop.parent is None else None
    if segments is None or shape.is_divergent_branch(loop.exiting[0]):
        return None
    (guard,) = segments[0][0].predecessors()
    branch = guard.terminator
    returns = next(b for b in branch.successors() if b is not segments[0][0])
    if returns.terminator.opcode != "ret" or len(returns.instructions) != 1:
        return None
    counted = [c for c in counted_exits(loop) if _can_count(c)]
    counters = [_counter(loop, phi) for phi in loop.header.phis() if shape.is_uniform(phi)]
    if not counted or None in counters:
        return None
    known = tuple(c for c in counters if c is not None)
    needed = [counted[0].counter.start, counted[0].test.right]
    needed += [value for c in known for value in (c.start, c.step)]
    needed += [segment[-1].terminator.operands[0] for segment in segments[:-1]]
    inside = {block for segment in segments for block in segment} | set(loop.blocks)
    if not all(value is not None and _is_known(value, inside.__contains__, shape) for value in needed):
        return None
    return LoopGuard(branch, returns, segments, counted[0], known)


def counting(value: Value, inside: Callable[[Block], bool]) -> dict[Instruction, None]:
    """Return the instructions in some blocks that compute a value."""
    return backward_slice([value], lambda i: inside(i.parent))


def _segments(loop: Loop, shape: Divergence | Shapes) -> tuple[tuple[Block, ...], ...] | None:
    """Return the blocks from the innermost divergent branch before a loop, divided after uniform branches."""
    block = loop.preheader
    segments: list[list[Block]] = [[]]
    seen = set(loop.blocks)
    while block is not None and block not in seen:
        seen.add(block)
        segments[0].insert(0, block)
        before = block.predecessors()
        if len(before) != 1 or block.phis() or before[0].terminator.opcode != "br":
            return None
        (block,) = before
        if len(block.terminator.operands) == 3:
            if shape.is_divergent_branch(block):
                together = shape.runs_uniformly(block)
                return tuple(map(tuple, segments)) if together else None
            segments.insert(0, [])
    return None


def _counter(loop: Loop, phi: Instruction) -> Counter | None:
    following = phi.incoming_from(loop.known_latch)
    if not phi.type.is_int or not isinstance(following, Instruction) or following.opcode != "add":
        return None
    if following.operands[0] is not phi:
        return None
    return Counter(phi, phi.incoming_from(loop.known_preheader), following.operands[1])


def _can_count(exit: CountedExit) -> bool:
    """Whether the number of iterations can be computed from the start and the bound."""
    counter, predicate = exit.counter, exit.test.predicate
    if counter.start is None or size_of(counter.phi.type) > 8:
        return False
    if predicate == "ne":
        # Where no work-item enters the loop, the bound may be below the start: only the order tells.
        return abs(counter.step) == 1 and (counter.signed or counter.unsigned)
    upwards = predicate in ("slt", "sle", "ult", "ule")
    if predicate == "eq" or upwards != (counter.step > 0):
        return False
    if predicate[-1] == "e":
        return False  # `<=` the largest number never ends
    return abs(counter.step) == 1 or (counter.signed if predicate[0] == "s" else counter.unsigned)


def _is_known(value: Value, inside: Callable[[Block], bool], shape: Divergence | Shapes) -> bool:
    """Whether a value is uniform, and computed by counting from values outside the guard."""
    if isinstance(value, Argument | Constant | GlobalValue):
        return True
    if not shape.is_uniform(value):
        return False
    slice = counting(value, inside)
    leaves = {o for i in slice for o in i.operands if o not in slice}
    return all(i.opcode in _COUNTING and not i.type.is_vector for i in slice) and all(
        map(shape.is_uniform, leaves)
    )
