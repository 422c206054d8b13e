"""Remove barriers that follow another one in their block without an access to memory between them.

    call void @_Z7barrierj(i32 1)         call void @_Z7barrierj(i32 1)
    %x = add i32 %a, %b             ->    %x = add i32 %a, %b
    call void @_Z7barrierj(i32 2)

Copies and collectives of a work-group are lowered with barriers of their own, and programs add theirs. Each
barrier ends a parallel region, and what is live across it goes through a context array. Which of two
barriers is removed does not matter: a barrier of Weft orders all accesses to memory, whatever its flags and
scope say.

Refuses if a load, a store or a call of anything but a work-item function stands between the two. Barriers
in different blocks stay. Requires and establishes no form; linear.
"""

from weft.analysis.work_items import is_barrier, work_item_function
from weft.ir import Function, Instruction

_ACCESSES = frozenset(("load", "store", "atomicrmw", "cmpxchg", "fence", "va_arg"))


def remove_repeated_barriers(function: Function) -> int:
    """Remove barriers that repeat the one before; return how many."""
    removed = 0
    for block in function.blocks:
        repeated = False
        for instruction in list(block.instructions):
            if is_barrier(instruction):
                if repeated:
                    instruction.erase()
                    removed += 1
                repeated = True
            elif _may_access_memory(instruction):
                repeated = False
    return removed


def _may_access_memory(instruction: Instruction) -> bool:
    if instruction.opcode == "call":
        return work_item_function(instruction) is None
    return instruction.opcode in _ACCESSES
