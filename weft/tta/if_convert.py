"""Replace branches around short code by guards.

    A: branch c, T, J          A: …
    T: w1 = ld32 w0               ?c w1 = ld32 w0
       w2 = add w1, 1     →       w2 = add w1, 1
       jump J                     w4 = select c, w2, w3
    J: w4 = phi T: w2, A: w3      …

Loads and stores are guarded, all else is computed in any case. Nested branches are converted from the
innermost one on; a guard within a guard is their conjunction. Branches with a loop, a return or more than
LONGEST operations on one side stay branches.
"""

from .clean import clean, substitute
from .code import SELECT, Block, Code, Guard, Operand, Operation, Phi, Value
from .operations import OPERATIONS

LONGEST = 80


def if_convert(code: Code, longest: int = LONGEST) -> int:
    """Converts what can be converted; returns how many branches went."""
    converted = 0
    while True:
        predecessors = code.predecessors()
        found = False
        for block in code.blocks:
            if _converted(code, block, predecessors, longest):
                converted += 1
                found = True
                break
        if not found:
            return converted
        clean(code)


def _converted(code: Code, block: Block, predecessors: dict[Block, list[Block]], longest: int) -> bool:
    condition, yes, no = block.condition, block.then, block.other
    if condition is None or yes is None or no is None:
        return False

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
        return False
    if join is None or join is block:
        return False
    for arm, polarity in arms:
        guards = _Guards(code, block, (condition, polarity))
        for operation in arm.operations:
            if operation.name != SELECT and not OPERATIONS[operation.name].pure:
                operation.guard = guards.under(operation.guard)
            block.operations.append(operation)
    sides = {polarity: arm for arm, polarity in arms}
    _merge_phis(code, block, join, condition, sides.get(True, block), sides.get(False, block))
    block.condition = block.other = None
    block.then = join
    code.blocks = [b for b in code.blocks if b not in sides.values()]
    return True


class _Guards:
    """Guards of operations that come under another guard."""

    def __init__(self, code: Code, block: Block, outer: Guard) -> None:
        self._code, self._block, self._outer = code, block, outer
        self._known: dict[Guard, Guard] = {}

    def under(self, guard: Guard | None) -> Guard:
        """The guard that holds if both do."""
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


def _merge_phis(code: Code, block: Block, join: Block, condition: Value, yes: Block, no: Block) -> None:
    """Has the phis of a block choose by a condition instead of between two of its predecessors."""
    new: dict[Value, Operand] = {}
    kept: list[Phi] = []
    for phi in join.phis:
        a, b = phi.incoming.pop(yes), phi.incoming.pop(no)
        chosen = a
        if not (a is b or (isinstance(a, int) and isinstance(b, int) and a == b)):
            result = code.new_value(phi.result.boolean)
            block.operations.append(Operation(SELECT, [condition, a, b], result))
            chosen = result
        if phi.incoming:
            phi.incoming[block] = chosen
            kept.append(phi)
        else:
            new[phi.result] = chosen
    join.phis = kept
    if new:
        substitute(code, new)
