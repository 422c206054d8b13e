"""Induction variables, the tests that end loops, and trip counts.

    header:
      %k = phi i32 [ 0, %entry ], [ %k.next, %latch ]     the induction variable, by 1 from 0
    latch:
      %k.next = add nsw i32 %k, 1
      %more = icmp slt i32 %k.next, %n                    the test: the loop goes on while k.next < n
      br i1 %more, label %header, label %exit

An induction variable advances by a constant, or a constant number of bytes for pointers. Tests are normalized
such that the loop continues while they hold. Each query examines one phi or one branch.
"""

from collections.abc import Iterator

from weft.dataclasses import dataclass, replace
from weft.integers import INVERTED, SWAPPED
from weft.ir import Block, ConstantInt, Instruction, Value
from weft.ir.loops import Loop
from weft.ir.types import size_of
from weft.ir.values import constant_of


@dataclass(frozen=True)
class Induction:
    """A phi of a loop header that becomes `following`, larger by `step`, in the next iteration.

    `start` is its value in the first iteration; None if the header has several entries.
    """

    phi: Instruction
    following: Instruction
    step: int
    start: Value | None

    @property
    def signed(self) -> bool:
        """Whether it never wraps as a signed number."""
        return "nsw" in self.following.flags

    @property
    def unsigned(self) -> bool:
        """Whether it never wraps as an unsigned number."""
        return "nuw" in self.following.flags and self.step >= 0


def step_from(value: Value, phi: Value) -> int | None:
    """Return the constant by which `value` exceeds `phi`, in bytes for pointers; None for other values."""
    if not isinstance(value, Instruction) or len(value.operands) != 2 or value.operands[0] is not phi:
        return None
    by = constant_of(value.operands[1])
    if by is not None and value.opcode == "getelementptr":
        return by * size_of(value.attributes["element_type"])
    return by if value.opcode == "add" else None


def induction(loop: Loop, phi: Value) -> Induction | None:
    """Return a value as an induction variable of a loop, or None."""
    if not isinstance(phi, Instruction) or phi.opcode != "phi" or phi.block is not loop.header:
        return None
    following = phi.incoming_from(loop.latch) if loop.latch is not None else None
    step = step_from(following, phi) if following is not None else None
    if step is None:
        return None
    assert isinstance(following, Instruction)
    starts = [value for value, source in phi.incoming() if source is not loop.latch]
    return Induction(phi, following, step, starts[0] if len(starts) == 1 else None)


@dataclass(frozen=True)
class LoopTest:
    """A comparison at the end of a block: the loop continues while `left` PREDICATE `right` holds."""

    predicate: str
    left: Value
    right: Value

    @property
    def swapped(self) -> "LoopTest":
        """The same test with its operands swapped."""
        return replace(self, predicate=SWAPPED[self.predicate], left=self.right, right=self.left)


def loop_test(loop: Loop, block: Block) -> LoopTest | None:
    """Return the comparison that decides at the end of a block whether a loop continues, if there is one."""
    branch = block.terminator
    if branch.opcode != "br" or len(branch.operands) != 3:
        return None
    test, yes, no = branch.operands
    if not isinstance(test, Instruction) or test.opcode != "icmp":
        return None
    if (yes in loop.blocks) == (no in loop.blocks):
        return None
    predicate = test.attributes["predicate"]
    return LoopTest(predicate if yes in loop.blocks else INVERTED[predicate], *test.operands)


@dataclass(frozen=True)
class CountedExit:
    """A loop exit at the end of a block, whose test compares the counter or its next value (left side)."""

    block: Block
    counter: Induction
    test: LoopTest

    @property
    def ahead(self) -> int:
        """The difference between the tested value and the counter."""
        return self.counter.step if self.test.left is self.counter.following else 0


def counters_of(loop: Loop) -> dict[Value, Induction]:
    """Map the integer induction variables of a loop, and their next values, to the `Induction`."""
    inductions = (induction(loop, phi) for phi in loop.header.phis() if phi.type.is_int)
    return {
        value: counter
        for counter in inductions
        if counter is not None
        for value in (counter.phi, counter.following)
    }


def counted_exits(loop: Loop) -> Iterator[CountedExit]:
    """Yield the exits of a loop that test an induction variable."""
    counters = counters_of(loop)
    for block in loop.exiting if counters else ():
        test = loop_test(loop, block)
        for sides in (test, test.swapped) if test is not None else ():
            if sides.left in counters:
                yield CountedExit(block, counters[sides.left], sides)


def trip_count(loop: Loop) -> int | None:
    """Return the number of iterations of a loop that counts by a constant between constants; None if unknown.

    An iteration that exits before it reaches the latch does not count.
    """
    if len(loop.exiting) != 1:
        return None
    for exit in counted_exits(loop):
        start, bound = exit.counter.start, exit.test.right
        if isinstance(start, ConstantInt) and isinstance(bound, ConstantInt):
            first = start.signed + exit.ahead
            passed = _passed(exit.test.predicate, first, exit.counter.step, bound)
            return passed + (exit.block is loop.latch) if passed is not None else None
    return None


def _passed(predicate: str, first: int, step: int, bound: ConstantInt) -> int | None:
    """Count how many of `first`, `first + step`, … satisfy a comparison before the first that does not."""
    limit = bound.signed
    if predicate[0] == "u":
        first, limit = first % (1 << bound.type.bits), bound.value
    if predicate[-2:] in ("gt", "ge"):
        first, step, limit = -first, -step, -limit
    match predicate[-2:]:
        case "eq" if step:
            return int(first == limit)
        case "ne" if step and (limit - first) % step == 0 and (limit - first) // step >= 0:
            return (limit - first) // step
        case "lt" | "gt" if step > 0:
            return max(-((first - limit) // step), 0)
        case "le" | "ge" if step > 0:
            return max((limit - first) // step + 1, 0)
    return None


def only_counts(loop: Loop, counter: Instruction) -> bool:
    """Whether the latch is a separate block that only advances and tests `counter`."""
    latch = loop.latch
    if latch is None or latch is loop.header:
        return False
    control = (latch.terminator.operands[0], counter.incoming_from(latch))
    return all(i in control for i in latch.instructions[:-1])
