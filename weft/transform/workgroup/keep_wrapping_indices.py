"""Keep LLVM's loop vectorizer from loops with a number that wraps around in a few bits.

    b[j] = a[j + k] + t[j & 3];

To LLVM `j & 3` is a counter of two bits, and `j + k` one of 32. It may take both for counters that do not
wrap around if it tests that at run time. LLVM 22 tests it of the wider one only, and finds that the narrower
one does not wrap either, which is wrong: it reads `t[0]` to `t[7]` for eight values of `j`. Such loops, where
an address, a condition to leave or what the next iteration gets is computed from a number of an unusual
width, run one iteration at a time. So do those with a call of a function with integers, which LLVM may
inline, and those around a loop with such a number, which LLVM may unroll.

Costs the vector code that LLVM would make of them where Weft makes none: of loops over work-items that do not
run in lanes, and of the kernel's loops if there is one work-item.
"""

from weft.analysis.memory_effects import OWN_FUNCTION
from weft.ir import ConstantInt, Function, Instruction, Value
from weft.ir.loops import Loop, loop_forest
from weft.ir.slices import backward_slice
from weft.ir.types import IntType

from .disable_inner_loop_vectorization import DISABLED
from .work_item_loops import add_fact, is_vector_loop

# Counters of these widths are never the narrower ones: no other is tested whether it wraps around.
_USUAL_BITS = (32, 64)
# What may be the number times a power of two, and something more.
_LOWER_BITS = ("shl", "mul", "add", "sub", "or")
# Their results are no counters.
_OPAQUE = ("load", "icmp", "fcmp", "fptoui", "fptosi", "extractelement")


def keep_wrapping_indices(function: Function) -> None:
    """Tells LLVM to leave the loops with such a number alone."""
    for loop in wrapping_loops(function):
        for latch in loop.latches:
            add_fact(latch, DISABLED)


def wrapping_loops(function: Function) -> list[Loop]:
    """The loops with such a number."""
    loops = loop_forest(function).loops
    return [loop for loop in loops if not is_vector_loop(loop) and _has_wrapping_number(loop)]


def _has_wrapping_number(loop: Loop) -> bool:
    if any(_is_own_call(i) for i in loop.instructions()):
        return True
    counting = [i.operands[-1] for i in loop.instructions() if i.opcode in ("load", "store")]
    counting += [value for phi in loop.header.phis() for value in phi.operands]
    counting += [value for block in loop.exiting for value in block.terminator.operands]
    return any(_wraps(i) for i in backward_slice(counting, lambda i: i.block in loop.blocks))


def _is_own_call(instruction: Instruction) -> bool:
    """Whether a function of the program is called, which LLVM may inline."""
    return instruction.callee_name.startswith(OWN_FUNCTION)


def _wraps(instruction: Instruction) -> bool:
    """Whether a number may count in an unusual width."""
    first = instruction.operands[0] if instruction.operands else None
    match instruction.opcode:
        case "and":
            return any(_unusual(_width(v.value)) for v in instruction.operands if isinstance(v, ConstantInt))
        case "urem":
            divisor = instruction.operands[1]
            return isinstance(divisor, ConstantInt) and divisor.value.bit_count() == 1
        case "lshr" | "ashr":
            return _shifts_back(instruction, first)
        case "zext" | "sext":
            counts = isinstance(first, Instruction) and first.opcode not in _OPAQUE
            return counts and _is_unusual(first)
        case "getelementptr":
            return any(_is_unusual(index) for index in instruction.operands if isinstance(index, Instruction))
        case "call":
            # A function of the library that computes with integers may be inlined.
            computes = any(isinstance(v.type, IntType) for v in (*instruction.operands, instruction))
            return computes and not instruction.callee_name.startswith("llvm.")
    return False


def _width(mask: int) -> int:
    """The bits between the highest and the lowest that a mask keeps."""
    return mask.bit_length() - (mask & -mask).bit_length() + 1 if mask else 0


def _shifts_back(shift: Instruction, shifted: Value | None) -> bool:
    """Whether a shift to the right may take back one to the left, which leaves the lower bits."""
    count = shift.operands[1]
    if not isinstance(count, ConstantInt) or not isinstance(shifted, Instruction):
        return False
    return shifted.opcode in _LOWER_BITS and _unusual(count.type.bits - count.value)


def _is_unusual(value: Value | None) -> bool:
    return isinstance(value, Instruction) and isinstance(value.type, IntType) and _unusual(value.type.bits)


def _unusual(bits: int) -> bool:
    return bits not in _USUAL_BITS
