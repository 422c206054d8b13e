"""Recompute loop-invariant values at the exits of the loops that compute them in each iteration.

    loop:  %p = getelementptr i8, ptr %out, i64 %i      loop:  …
           …                                            exit:  %p.1 = getelementptr i8, ptr %out, i64 %i
    exit:  %p.lcssa = phi ptr [ %p, %loop ]                    store float %s, ptr %p.1
           store float %s, ptr %p.lcssa

Optimizers find the address after the loop equal to the one in it, and keep that. Where work-items leave the
loop at different times, what leaves it counts as different for each (`analysis/lanes.py`): a scatter. Nothing
is promised that was not: whoever comes out of the loop has computed the same there.

Run on a work-group function, before work-items get lanes. Looks at phis after the kernel's own loops whose
values are all one, made of instructions without effects from what is known before the loop; refuses more
than MOST instructions. Linear time.
"""

from enum import unique

from weft.ir import Function, Instruction, Value
from weft.ir.builder import Builder
from weft.ir.clone import ValueMap, clone_instruction
from weft.ir.graph import post_order
from weft.ir.loops import Loop
from weft.remarks import SILENT, Message, Remarks
from weft.transform.workgroup.work_item_loops import kernel_loops

# Instructions that cost less than a register that is occupied through a loop.
MOST = 8
_PURE = frozenset(
    (
        *("add", "sub", "mul", "shl", "lshr", "ashr", "and", "or", "xor"),
        *("sext", "zext", "trunc", "getelementptr", "addrspacecast", "bitcast"),
    )
)


@unique
class Rematerialized(Message):
    """What became of a loop-invariant value that is used at the exit of a loop."""

    RECOMPUTED = "a loop-invariant value is rematerialized at a loop exit, by {instructions} instructions"
    TOO_LONG = "rematerializing a loop-invariant value at a loop exit takes more than {most} instructions"


def rematerialize_at_loop_exit(function: Function, remarks: Remarks = SILENT) -> int:
    """Replaces the phis after the loops of a work-group function; returns how many."""
    loops = kernel_loops(function)
    return sum(_recompute(phi, loop, remarks) for loop in loops for exit in loop.exits for phi in exit.phis())


def _recompute(phi: Instruction, loop: Loop, remarks: Remarks) -> bool:
    values = {value for value, _ in phi.incoming()}
    value = values.pop()
    if values or phi.block is None or not all(block in loop for block in phi.block.predecessors()):
        return False
    chain = _chain(value, loop)
    if not chain:
        return False
    if len(chain) > MOST:
        remarks.missed(Rematerialized.TOO_LONG, phi, most=MOST)
        return False
    remarks.passed(Rematerialized.RECOMPUTED, phi, instructions=len(chain))
    b = Builder.at_start(phi.block)
    made: ValueMap = {}
    for i in chain:
        made[i] = b.insert(clone_instruction(i, made))
    phi.replace_all_uses_with(made[value])
    phi.erase()
    return True


def _chain(value: Value, loop: Loop) -> list[Instruction]:
    """What makes a value in a loop, each after what it is made of; nothing if other things make it.

    If there are more than MOST instructions, not all of them.
    """
    found: set[Instruction] = set()

    def parts(i: Instruction) -> list[Instruction]:
        """What a value is made of in the loop; nothing of one that nothing can be done about."""
        found.add(i)
        if len(found) > MOST or i.opcode not in _PURE:
            return []
        return [o for o in i.operands if isinstance(o, Instruction) and o.block in loop.blocks]

    if not isinstance(value, Instruction) or value.block not in loop.blocks:
        return []
    chain = post_order([value], parts)
    return chain if all(i.opcode in _PURE for i in chain) else []
