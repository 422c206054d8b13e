"""Recompute loop-invariant values at the exits of loops that compute them in each iteration.

    loop:  %p = getelementptr i8, ptr %out, i64 %i      loop:  …
           …                                            exit:  %p.1 = getelementptr i8, ptr %out, i64 %i
    exit:  %p.lcssa = phi ptr [ %p, %loop ]                    store float %s, ptr %p.1
           store float %s, ptr %p.lcssa

Optimizers find that the address after the loop equals the one inside it, and keep the latter. If work-items
leave the loop at different times, values that leave it are varying (`analysis/lanes.py`), which makes the
access a scatter. Flags stay valid: a work-item that leaves the loop has computed the same value there.

Runs on a work-group function, before work-items get lanes. Considers phis after the kernel's own loops with a
single incoming value that is computed by instructions without effects from values before the loop; refuses
more than MOST instructions. Linear time.
"""

from enum import unique

from weft.ir import Function, Instruction, Value
from weft.ir.builder import Builder
from weft.ir.clone import ValueMap, clone_instruction
from weft.ir.graph import post_order
from weft.ir.loops import Loop
from weft.remarks import SILENT, Message, Remarks
from weft.transform.workgroup.work_item_loops import kernel_loops

# Number of instructions that cost less than occupying a register throughout a loop.
MOST = 8
_PURE = frozenset(
    (
        *("add", "sub", "mul", "shl", "lshr", "ashr", "and", "or", "xor"),
        *("sext", "zext", "trunc", "getelementptr", "addrspacecast", "bitcast"),
    )
)


@unique
class Rematerialized(Message):
    """Remarks about loop-invariant values that are used at the exit of a loop."""

    RECOMPUTED = "a loop-invariant value is rematerialized at a loop exit, by {instructions} instructions"
    TOO_LONG = "rematerializing a loop-invariant value at a loop exit takes more than {most} instructions"


def rematerialize_at_loop_exit(function: Function, remarks: Remarks = SILENT) -> int:
    """Replace the phis after the loops of a work-group function; return their number."""
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
    copies: ValueMap = {}
    for i in chain:
        copies[i] = b.insert(clone_instruction(i, copies))
    phi.replace_all_uses_with(copies[value])
    phi.erase()
    return True


def _chain(value: Value, loop: Loop) -> list[Instruction]:
    """Return the instructions that compute a value in a loop, in order; empty if others are involved.

    If there are more than MOST instructions, the result is incomplete.
    """
    visited: set[Instruction] = set()

    def parts(i: Instruction) -> list[Instruction]:
        """Return the operands of an instruction that lie in the loop; none if it cannot be moved."""
        visited.add(i)
        if len(visited) > MOST or i.opcode not in _PURE:
            return []
        return [o for o in i.operands if isinstance(o, Instruction) and o.block in loop.blocks]

    if not isinstance(value, Instruction) or value.block not in loop.blocks:
        return []
    chain = post_order([value], parts)
    return chain if all(i.opcode in _PURE for i in chain) else []
