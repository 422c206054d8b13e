"""Keep LLVM's loop vectorizer from loops with an index that wraps around in a few bits.

    b[j] = a[j + k] + t[j & 3];

To LLVM `j & 3` is a counter of two bits, and `j + k` one of 32. It may take both for counters that do not
wrap around if it tests that at run time. LLVM 22 tests it of the wider one only, and finds that the narrower
one does not wrap either, which is wrong: it reads `t[0]` to `t[7]` for eight values of `j`. Such loops, where
an address is computed from a remainder of a power of two, or from a number of fewer than 32 bits, run one
iteration at a time.

Costs the vector code that LLVM would make of them where Weft makes none: of loops over work-items that do not
run in lanes, and of the kernel's loops if there is one work-item.
"""

from weft.ir import ConstantInt, Function, Instruction, Value
from weft.ir.loops import Loop, loop_forest
from weft.ir.slices import backward_slice
from weft.ir.types import IntType

from .disable_inner_loop_vectorization import DISABLED
from .work_item_loops import add_fact, is_vector_loop

# Counters of the usual width are never the narrower ones.
_USUAL_BITS = 32
# Their results are no counters.
_OPAQUE = ("load", "icmp", "fcmp", "call", "fptoui", "fptosi", "extractelement")


def keep_wrapping_indices(function: Function) -> None:
    """Tells LLVM to leave the innermost loops with such an index alone."""
    for loop in loop_forest(function).loops:
        if not loop.children and not is_vector_loop(loop) and _has_wrapping_index(loop):
            for latch in loop.latches:
                add_fact(latch, DISABLED)


def _has_wrapping_index(loop: Loop) -> bool:
    pointers = [i.operands[-1] for i in loop.instructions() if i.opcode in ("load", "store")]
    return any(_wraps(i) for i in backward_slice(pointers, lambda i: i.block in loop.blocks))


def _wraps(instruction: Instruction) -> bool:
    """Whether a number may count in fewer bits than usual."""
    first = instruction.operands[0] if instruction.operands else None
    match instruction.opcode:
        case "and":
            return any(_is_low_mask(operand) for operand in instruction.operands)
        case "urem":
            divisor = instruction.operands[1]
            return isinstance(divisor, ConstantInt) and divisor.value.bit_count() == 1
        case "zext" | "sext" if isinstance(first, Instruction) and isinstance(first.type, IntType):
            return first.type.bits < _USUAL_BITS and first.opcode not in _OPAQUE
    return False


def _is_low_mask(value: Value) -> bool:
    if not isinstance(value, ConstantInt) or value.value <= 0:
        return False
    return value.value & (value.value + 1) == 0 and value.value.bit_length() < _USUAL_BITS
