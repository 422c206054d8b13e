"""Replace branches around short code by guards.

    A: branch c, T, J          A: …
    T: w1 = ld32 w0               ?c w1 = ld32 w0
       w2 = add w1, 1     →       w2 = add w1, 1
       jump J                     w4 = select c, w2, w3
    J: w4 = phi T: w2, A: w3      …

Loads and stores are guarded; everything else is speculated. Nested branches are converted from the innermost
one outwards; nested guards are combined by conjunction. Branches with a loop, a return or more than LONGEST
operations on one side are not converted.
"""

from weft.dataclasses import dataclass

from .clean import clean, substitute
from .code import SELECT, Block, Code, Guard, Operand, Operation, Phi, Value
from .operations import OPERATIONS

LONGEST = 80


def if_convert(code: Code, longest: int = LONGEST) -> int:
    """Convert all branches that can be converted; return their number.

    Each round converts all branches that share no blocks, so the number of rounds is about the nesting depth.
    """
    converted = 0
    while True:
        predecessors = code.predecessors()
        touched: set[Block] = set()
        removed: set[Block] = set()
        new: dict[Value, Operand] = {}
        for block in code.blocks:
            candidate = _candidate(block, predecessors, longest)
            if candidate is None or not touched.isdisjoint(candidate.blocks):
                continue
            _convert(code, candidate, new)
            converted += 1
            touched.update(candidate.blocks)
            removed.update(arm for arm, _ in candidate.arms)
        if not removed:
            return converted
        code.blocks = [block for block in code.blocks if block not in removed]
        substitute(code, new)
        clean(code)


@dataclass(frozen=True)
class _Candidate:
    """A branch that can be converted: its sides, each with the condition that leads there, and their join."""

    block: Block
    condition: Value
    arms: list[tuple[Block, bool]]
    join: Block

    @property
    def blocks(self) -> list[Block]:
        return [self.block, self.join, *(arm for arm, _ in self.arms)]


def _candidate(block: Block, predecessors: dict[Block, list[Block]], longest: int) -> _Candidate | None:
    condition, yes, no = block.condition, block.then, block.other
    if condition is None or yes is None or no is None:
        return None

    def is_arm(arm: Block) -> bool:
        plain = arm.condition is None and arm.then is not None and arm.then is not arm
        return plain and predecessors[arm] == [block] and not arm.phis and len(arm.operations) <= longest

    if is_arm(yes) and is_arm(no) and yes.then is no.then and yes.then is not block:
        arms, join = [(yes, True), (no, False)], yes.then
    elif is_arm(yes) and yes.then is no:
        arms, join = [(yes, True)], no
    elif is_arm(no) and no.then is yes:
        arms, join = [(no, False)], yes
    else:
        return None
    return None if join is None or join is block else _Candidate(block, condition, arms, join)


def _convert(code: Code, candidate: _Candidate, new: dict[Value, Operand]) -> None:
    """Append the sides of a branch to its block; `new` receives replacements of phis that become trivial."""
    block = candidate.block
    for arm, polarity in candidate.arms:
        guards = _Guards(code, block, (candidate.condition, polarity))
        for operation in arm.operations:
            if operation.name != SELECT and not OPERATIONS[operation.name].pure:
                operation.guard = guards.under(operation.guard)
            block.operations.append(operation)
    sides = {polarity: arm for arm, polarity in candidate.arms}
    _merge_phis(code, candidate, sides.get(True, block), sides.get(False, block), new)
    block.condition = block.other = None
    block.then = candidate.join


class _Guards:
    """Combines guards of operations with an outer guard."""

    def __init__(self, code: Code, block: Block, outer: Guard) -> None:
        self._code, self._block, self._outer = code, block, outer
        self._known: dict[Guard, Guard] = {}

    def under(self, guard: Guard | None) -> Guard:
        """Return a guard that holds if both the outer and the given guard hold."""
        if guard is None:
            return self._outer
        if guard not in self._known:
            both = self._code.new_value(True)
            bits: list[Operand] = [self._bit(self._outer), self._bit(guard)]
            self._block.operations.append(Operation("and", bits, both))
            self._known[guard] = (both, True)
        return self._known[guard]

    def _bit(self, guard: Guard) -> Value:
        value, polarity = guard
        if polarity:
            return value
        negated = self._code.new_value(True)
        self._block.operations.append(Operation("xor", [value, 1], negated))
        return negated


def _merge_phis(code: Code, candidate: _Candidate, yes: Block, no: Block, new: dict[Value, Operand]) -> None:
    """Replace phis of a join by selects on the branch condition."""
    block, join = candidate.block, candidate.join
    kept: list[Phi] = []
    for phi in join.phis:
        a, b = phi.incoming.pop(yes), phi.incoming.pop(no)
        chosen = a
        if not (a is b or (isinstance(a, int) and isinstance(b, int) and a == b)):
            result = code.new_value(phi.result.boolean)
            block.operations.append(Operation(SELECT, [candidate.condition, a, b], result))
            chosen = result
        if phi.incoming:
            phi.incoming[block] = chosen
            kept.append(phi)
        else:
            new[phi.result] = chosen
    join.phis = kept
