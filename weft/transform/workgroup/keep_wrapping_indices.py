"""Keep LLVM's loop vectorizer from loops with a number that may wrap around in a few bits.

    b[j] = a[j + k] + t[j & 3];

To LLVM `j & 3` is a counter of two bits, and `j + k` one of 32. It may take both for counters that do not
wrap around if it tests that at run time. LLVM 22 tests it of the wider one only, and finds that the narrower
one does not wrap either, which is wrong: it reads `t[0]` to `t[7]` for eight values of `j`. Such loops run
one iteration at a time.

What LLVM will see is not what is there when this pass runs: a mask may become known, a shift become a mask, a
variable in memory become a number, a function be inlined, a loop inside be unrolled. So a loop is left to
LLVM only if its addresses, its conditions to leave and its next iteration are computed from its counters by
few kinds of instructions, of which no optimization makes counters of other widths than 32 and 64 bits; and if
it calls no function with an integer or a pointer.

Costs the vector code that LLVM would make of them where Weft makes none: of loops over work-items that do not
run in lanes, and of the kernel's loops if there is one work-item.
"""

from weft.analysis.memory_effects import base_of
from weft.ir import ConstantInt, Function, Instruction, Value
from weft.ir.loops import Loop, loop_forest
from weft.ir.slices import backward_slice
from weft.ir.types import I1, I64, IntType, PointerType

from .disable_inner_loop_vectorization import DISABLED
from .work_item_loops import add_fact, is_vector_loop

# Counters of these widths are never the narrower ones: no other is tested whether it wraps around.
_USUAL_BITS = (32, 64)
_LOWER_HALF = (1 << 32) - 1
# What numbers that are compared or shifted to the right may be computed by: to compare a multiple is to
# compare some of its bits, to shift it back is a mask.
_PLAIN = frozenset(("phi", "add", "sub", "zext", "sext", "trunc", "freeze"))
_TAKING_PLAIN = frozenset(("icmp", "lshr", "ashr"))
# What addresses may be computed by.
_IN_ADDRESSES = _PLAIN | _TAKING_PLAIN | {"mul", "shl", "select", "fcmp"}
# What a number may become in an iteration. These two make no counters of what was counted before.
_IN_NEXT_ITERATION = _IN_ADDRESSES | {"or", "xor"}
# Their results are no counters, whatever they are computed from.
_OPAQUE = frozenset(
    ("load", "fcmp", "fptoui", "fptosi", "extractelement", "extractvalue", "atomicrmw", "cmpxchg")
)
_HARMLESS_CALLS = ("llvm.smax.", "llvm.smin.", "llvm.umax.", "llvm.umin.", "llvm.abs.", "llvm.dbg.")


def keep_wrapping_indices(function: Function) -> None:
    """Tells LLVM to leave the loops with such a number alone."""
    for loop in wrapping_loops(function):
        for latch in loop.latches:
            add_fact(latch, DISABLED)


def wrapping_loops(function: Function) -> list[Loop]:
    """The loops with such a number, or with one that may become such a number."""
    loops = loop_forest(function).loops
    return [loop for loop in loops if not is_vector_loop(loop) and _has_wrapping_number(loop)]


def _has_wrapping_number(loop: Loop) -> bool:
    instructions = list(loop.instructions())
    if any(i.opcode == "call" and _may_count(i) for i in instructions):
        return True
    addresses = _made_from([i.operands[-1] for i in instructions if i.opcode in ("load", "store")], loop)
    following = _made_from([value for phi in loop.header.phis() for value in phi.operands], loop)
    conditions = [value for block in loop.exiting for value in block.terminator.operands]
    leaving = _made_from(conditions, loop)
    takers = [i for made in (addresses, following, leaving) for i in made if i.opcode in _TAKING_PLAIN]
    numbers = [value for i in takers if not _is_lower_half(i) for value in i.operands]
    plain = _made_from([*numbers, *(v for v in conditions if v.type is not I1)], loop)
    counted = _counted(loop)
    return any(
        i in counted and _wraps(i, allowed)
        for made, allowed in (
            (addresses, _IN_ADDRESSES),
            (following, _IN_NEXT_ITERATION),
            (leaving, _IN_ADDRESSES),
            (plain, _PLAIN),
        )
        for i in made
    )


def _counted(loop: Loop) -> set[Instruction]:
    """What is computed from numbers that an iteration has from the one before.

    Those that it has by way of memory count where LLVM may keep them in a register: private variables, and
    what has the same address in all iterations.
    """
    instructions = list(loop.instructions())
    stores = any(i.opcode in ("store", "call") for i in instructions)
    kept = {
        i for i in instructions if stores and i.opcode == "load" and _stays_in_place(i.operands[-1], loop)
    }
    found = {i for i in instructions if i.opcode not in _OPAQUE} | kept
    users: dict[Instruction, list[Instruction]] = {i: [] for i in found}
    operands = dict.fromkeys(found, 0)
    for i in found:
        for value in i.operands:
            if isinstance(value, Instruction) and value in found:
                users[value].append(i)
                operands[i] += 1
    # What depends on nothing of the loop is left out, then what depends on nothing else: what remains depends
    # on itself, or on something that does.
    work = [i for i in found if not operands[i] and i not in kept]
    while work:
        left = work.pop()
        found.remove(left)
        for user in users[left]:
            operands[user] -= 1
            if not operands[user] and user not in kept:
                work.append(user)
    return found


def _stays_in_place(pointer: Value, loop: Loop) -> bool:
    base = base_of(pointer)
    if isinstance(base, Instruction) and base.opcode == "alloca":
        return True
    made_from = backward_slice([pointer], lambda i: i.block in loop.blocks)
    return not any(i.opcode in ("phi", "load", "call") for i in made_from)


def _made_from(values: list[Value], loop: Loop) -> dict[Instruction, None]:
    """What numbers are computed from in a loop, as far as they can be counters."""
    return backward_slice(values, lambda i: i.block in loop.blocks and i.opcode not in _OPAQUE)


def _may_count(call: Instruction) -> bool:
    """Whether a function is called that could do something to a counter or an address, once it is inlined."""
    if call.callee_name.startswith("llvm."):
        return False
    return any(isinstance(value.type, IntType | PointerType) for value in call.operands[:-1])


def _wraps(instruction: Instruction, allowed: frozenset[str]) -> bool:
    """Whether a number may be one of an unusual width, or become one."""
    if instruction.opcode == "getelementptr":
        return any(_is_unusual(index) for index in instruction.operands if isinstance(index, Instruction))
    if instruction.opcode in ("zext", "sext"):
        number = instruction.operands[0]
        counts = isinstance(number, Instruction) and number.opcode not in (*_OPAQUE, "icmp")
        return counts and _is_unusual(number)
    if not isinstance(instruction.type, IntType):
        return False
    if instruction.opcode == "call":
        return not instruction.callee_name.startswith(_HARMLESS_CALLS)
    if instruction.opcode in allowed:
        return instruction.opcode == "trunc" and _is_unusual(instruction)
    return not (_is_lower_half(instruction) or _divides_oddly(instruction))


def _is_lower_half(instruction: Instruction) -> bool:
    """Whether a number is made of the 32 lower bits of one of 64 bits, or a multiple of them."""
    if instruction.type is not I64:
        return False
    number, other = instruction.operands[:2] if len(instruction.operands) > 1 else (None, None)
    if instruction.opcode == "and":
        return isinstance(other, ConstantInt) and other.value == _LOWER_HALF
    if instruction.opcode == "ashr" and isinstance(number, Instruction) and number.opcode == "shl":
        shift = number.operands[1]
        return isinstance(shift, ConstantInt) and shift.value == 32 and isinstance(other, ConstantInt)
    return False


def _divides_oddly(instruction: Instruction) -> bool:
    """Whether a number is divided by one that is no power of two: no optimization makes a mask of that."""
    if instruction.opcode not in ("udiv", "sdiv", "urem", "srem"):
        return False
    divisor = instruction.operands[1]
    return isinstance(divisor, ConstantInt) and abs(divisor.signed).bit_count() > 1


def _is_unusual(value: Value) -> bool:
    return isinstance(value.type, IntType) and value.type.bits not in _USUAL_BITS
