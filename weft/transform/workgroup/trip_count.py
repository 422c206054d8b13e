"""How often a loop runs, where constants say it."""

from weft.ir import Instruction
from weft.ir.loops import Loop
from weft.ir.values import ConstantInt


def trip_count(loop: Loop) -> int | None:
    """The number of iterations of a loop that counts by constants to a constant; None if unknown."""
    if len(loop.exiting) != 1 or loop.latch is None:
        return None
    condition = loop.exiting[0].terminator.operands[0]
    if not isinstance(condition, Instruction) or condition.opcode != "icmp":
        return None
    left, limit = condition.operands
    if not isinstance(limit, ConstantInt) or not isinstance(left, Instruction):
        return None
    for phi in loop.header.phis():
        step = phi.incoming_from(loop.latch)
        starts = [v for v, b in phi.incoming() if b is not loop.latch]
        if left is not phi and left is not step:
            continue
        if not (isinstance(step, Instruction) and step.opcode == "add" and step.operands[0] is phi):
            continue
        by, start = step.operands[1], starts[0]
        if isinstance(by, ConstantInt) and isinstance(start, ConstantInt) and by.signed:
            return abs((limit.signed - start.signed) // by.signed)
    return None
