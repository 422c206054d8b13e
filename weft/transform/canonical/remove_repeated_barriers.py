"""Remove barriers that follow another one in their block without an access to memory between them.

    call void @_Z7barrierj(i32 1)         call void @_Z7barrierj(i32 1)
    %x = add i32 %a, %b             ->    %x = add i32 %a, %b
    call void @_Z7barrierj(i32 2)

Copies and collectives of a work-group are lowered with barriers of their own, and programs add theirs. Each
barrier ends a parallel region, and what is live across it goes through a context array. Of two barriers of
which one is for the sub-group alone, that one goes. Which of two others is removed does not matter: a barrier
of Weft orders all accesses to memory, whatever its flags and scope say.

Refuses if a call of anything but a work-item function stands between the two: it may access memory. Barriers
in different blocks, and with a load or a store between them, are left alone. Requires and establishes no
form; linear.
"""

from enum import unique

from weft.analysis.work_items import is_barrier, is_work_group_barrier, work_item_function
from weft.ir import Function, Instruction
from weft.remarks import SILENT, Message, Remarks

_ACCESSES = frozenset(("load", "store", "atomicrmw", "cmpxchg", "fence", "va_arg"))


@unique
class RepeatedBarrier(Message):
    """What became of a barrier that follows another one."""

    REMOVED = "barrier removed: no memory access since the previous one"
    CALL_BETWEEN = "barrier kept: {callee} may access memory after the previous one"


def remove_repeated_barriers(function: Function, remarks: Remarks = SILENT) -> int:
    """Remove barriers that repeat the one before; return how many."""
    removed = 0
    for block in function.blocks:
        last: Instruction | None = None
        call = ""
        for instruction in list(block.instructions):
            if is_barrier(instruction):
                if last is not None and not call:
                    wider = is_work_group_barrier(instruction) and not is_work_group_barrier(last)
                    last, other = (instruction, last) if wider else (last, instruction)
                    remarks.passed(RepeatedBarrier.REMOVED, other)
                    other.erase()
                    removed += 1
                else:
                    if last is not None:
                        remarks.missed(RepeatedBarrier.CALL_BETWEEN, instruction, callee=call)
                    last = instruction
                call = ""
            elif instruction.opcode in _ACCESSES:
                last = None
            elif _may_access_memory(instruction):
                call = call or _callee(instruction)
    return removed


def _may_access_memory(call: Instruction) -> bool:
    return call.opcode == "call" and work_item_function(call) is None


def _callee(call: Instruction) -> str:
    function = call.called_function
    return function.name or "a function" if function is not None else "a function"
