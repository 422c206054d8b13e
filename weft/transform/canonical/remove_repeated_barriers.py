"""Remove barriers that follow another one in their block without an access to memory between them.

    call void @_Z7barrierj(i32 1)         call void @_Z7barrierj(i32 1)
    %x = add i32 %a, %b             ->    %x = add i32 %a, %b
    call void @_Z7barrierj(i32 2)

Lowering of work-group copies and collectives inserts barriers, and programs have their own. Each barrier ends
a parallel region, and values that are live across it go through context arrays. If one of the two barriers is
a sub-group barrier, that one is removed. Otherwise it does not matter which is removed: in Weft a barrier
orders all memory accesses, whatever its flags and scope.

Refuses if a call other than that of a work-item function is between the two, since it may access memory. Does
not remove barriers in different blocks, or with a load or store between them. Requires and establishes no
form; linear.
"""

from enum import unique

from weft.analysis.work_items import is_barrier, is_work_group_barrier, work_item_function
from weft.ir import Function, Instruction
from weft.remarks import SILENT, Message, Remarks

_ACCESSES = frozenset(("load", "store", "atomicrmw", "cmpxchg", "fence", "va_arg"))


@unique
class RepeatedBarrier(Message):
    """What was done to a barrier that follows another one."""

    REMOVED = "barrier removed: no memory access since the previous one"
    CALL_BETWEEN = "barrier kept: {callee} may access memory after the previous one"


def remove_repeated_barriers(function: Function, remarks: Remarks = SILENT) -> int:
    """Remove barriers that repeat the previous one; return their number."""
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
