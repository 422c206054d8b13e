"""Find the guard of a work-item loop: the branch by which inactive work-items skip the body.

    for (x = 0; x < n; x++) {
      straight code without effects
      if (!(a && b && …)) continue;
      body
    }

`guard_of` finds it, with the conditions that must all hold for the body to run: the operands of `and`, `or`
and the `select` of a short-circuit `&&` or `||`, negated by De Morgan's laws for early returns.
"""

from weft.analysis.lanes import Lanes, lanes
from weft.analysis.memory_effects import has_no_effects, only_reads
from weft.dataclasses import dataclass
from weft.integers import INVERTED
from weft.ir import Block, ConstantInt, Instruction, Value
from weft.ir.builder import Builder
from weft.ir.loops import Loop, LoopForest
from weft.ir.types import I1
from weft.ir.values import const_int


@dataclass(frozen=True)
class Condition:
    """A value that has to be true, or false; `lazy`: it may be poison if a condition before it fails."""

    value: Value
    holds: bool
    lazy: bool


@dataclass(frozen=True)
class Guard:
    """A guard: the straight code that ends with it, its two targets, and its conditions."""

    blocks: tuple[Block, ...]
    branch: Instruction
    body: Block
    skip: Block
    conditions: tuple[Condition, ...]

    def shapes(self, loop: Loop, counter: Instruction, forest: LoopForest) -> Lanes:
        """Return the shapes of the straight code, for the lanes of the loop that begins with it."""
        straight = Loop(loop.header, [self.blocks[-1]], dict.fromkeys(self.blocks))
        return lanes(straight, counter, forest)


def guard_of(loop: Loop) -> Guard | None:
    """Return the guard at the start of a loop with one latch; None if there is none."""
    guards = (g for g in _guards(loop) if _leads_to(g.skip, loop) and not _leads_to(g.body, loop))
    return next(guards, None)


def branch_of(loop: Loop) -> Guard | None:
    """Return a branch at the start of a loop in the form of a guard, if both its paths do something.

    The body is the path that takes more conditions to reach.
    """
    guards = _guards(loop)
    if any(_leads_to(guard.body, loop) for guard in guards):
        return None
    return max(guards, key=lambda guard: len(guard.conditions), default=None)


def _guards(loop: Loop) -> list[Guard]:
    """Return the branch at the start of a loop with one latch twice, with either path as the body."""
    blocks = _start(loop) if loop.latch is not None else None
    if blocks is None:
        return []
    branch = blocks[-1].terminator
    yes, no = branch.successors()
    return [
        Guard(blocks, branch, body, skip, tuple(_conditions(branch.operands[0], holds, False)))
        for body, skip, holds in ((yes, no, True), (no, yes, False))
    ]


def _start(loop: Loop) -> tuple[Block, ...] | None:
    """Return the straight code without effects up to the first branch of a loop with one latch."""
    latch = loop.known_latch
    if latch.phis():
        return None
    blocks = [loop.header]
    while True:
        block = blocks[-1]
        terminator = block.terminator
        if (
            block is latch
            or terminator.opcode != "br"
            or not all(map(_is_effect_free, block.instructions[:-1]))
        ):
            return None
        if len(terminator.operands) == 3:
            break
        (following,) = terminator.successors()
        if following not in loop or len(following.predecessors()) != 1:
            return None
        blocks.append(following)
    return tuple(blocks)


def take_guard(guard: Guard, kept: list[Condition]) -> None:
    """Keep only some conditions of a guard; with none, the body follows without a branch."""
    branch, block = guard.branch, guard.blocks[-1]
    condition = branch.operands[0]
    b = Builder(block, branch)
    if kept:
        combined = _value(kept[0], b)
        for one in kept[1:]:
            value = _value(one, b)
            combined = (
                b.select(combined, value, const_int(I1, 0)) if one.lazy else b.binary("and", combined, value)
            )
        branch.set_operands([combined, guard.body, guard.skip])
    else:
        branch.set_operands([guard.body])
        _remove_edge(guard.skip, block)
    _drop_unused(condition)


def _is_effect_free(instruction: Instruction) -> bool:
    """Return whether an instruction has no effect except its result."""
    if instruction.opcode == "call":
        return has_no_effects(instruction) or only_reads(instruction)
    if instruction.is_ordered:
        return False
    return not instruction.info.writes and instruction.opcode != "alloca"


def _leads_to(block: Block, loop: Loop) -> bool:
    """Return whether no code lies between a block and the latch of a loop."""
    seen = set()
    while block is not loop.latch:
        terminator = block.terminator
        if block in seen or len(terminator.operands) != 1 or terminator.opcode != "br":
            return False
        if any(i.opcode != "phi" for i in block.instructions[:-1]):
            return False
        seen.add(block)
        (block,) = terminator.successors()
    return True


def _conditions(value: Value, holds: bool, lazy: bool) -> list[Condition]:
    """Return the conditions that must all hold for `value` to be `holds`, in order, each once."""
    conditions: list[Condition] = []
    seen: set[tuple[Value, bool]] = set()
    work = [Condition(value, holds, lazy)]
    while work:
        condition = work.pop()
        value, holds, lazy = condition.value, condition.holds, condition.lazy
        if (value, holds) in seen:
            continue  # a condition that is tested twice counts once
        seen.add((value, holds))
        parts: list[Condition] = []
        if isinstance(value, Instruction) and value.block is not None and value.type is I1:
            operands = value.operands
            match value.opcode:
                case "xor" if _is_bit(operands[1], 1):
                    parts = [Condition(operands[0], not holds, lazy)]
                case "and" | "or" if (value.opcode == "and") == holds:
                    parts = [Condition(operands[0], holds, lazy), Condition(operands[1], holds, lazy)]
                case "select" if _is_bit(operands[2], 0) and holds:
                    parts = [Condition(operands[0], True, lazy), Condition(operands[1], True, True)]
                case "select" if _is_bit(operands[1], 1) and not holds:
                    parts = [Condition(operands[0], False, lazy), Condition(operands[2], False, True)]
        work += reversed(parts)
        conditions += [] if parts else [condition]
    return conditions


def _is_bit(value: Value, bit: int) -> bool:
    return isinstance(value, ConstantInt) and value.value == bit


def _value(condition: Condition, b: Builder) -> Value:
    value = condition.value
    if condition.holds:
        return value
    if isinstance(value, Instruction) and value.opcode == "icmp":
        left, right = value.operands
        return b.icmp(INVERTED[value.attributes["predicate"]], left, right)
    return b.binary("xor", value, const_int(I1, 1))


def _remove_edge(skip: Block, block: Block) -> None:
    """Remove the edge from `block` to `skip`, and blocks that become unreachable."""
    source: Block | None = block
    while source is not None:
        for phi in skip.phis():
            phi.remove_incoming(source)
        if skip.predecessors():
            return
        (following,) = skip.successors()
        skip.parent.remove_block(skip)
        source, skip = skip, following


def _drop_unused(value: Value) -> None:
    work = [value]
    while work:
        value = work.pop()
        if isinstance(value, Instruction) and not value.users and value.block and _is_effect_free(value):
            work += value.operands
            value.erase()
