"""Give each SIMD lane a copy of private memory whose address is passed to functions of the program.

Functions assume the layout of one work-item's memory, so each lane's copy is contiguous, unlike those of
`private_arrays_by_lane`:

    %s = alloca %struct.S                          %s = alloca [128 x i8], align 64          ; 8 lanes
    …                                              …
    region.0.x:                                    region.0.x:
                                                     %lane = add i32 0, 0, !weft.lane !3
                                                     %mine = getelementptr [16 x i8], ptr %s, i32 %lane
      call void @weft.function.f(ptr %s)             call void @weft.function.f(ptr %mine)

Requires a work-group function. Memory that is used outside work-item loops, or that would exceed LARGEST
bytes together with the rest, is not changed. Linear.
"""

from weft.analysis.kernel_variables import derived_pointers
from weft.analysis.lanes import LANE
from weft.analysis.memory_effects import base_of, is_lifetime_marker, is_own_function
from weft.analysis.private_memory import is_copy, is_fill
from weft.dataclasses import dataclass
from weft.ir import Argument, Block, Function, Instruction, Value
from weft.ir.address_spaces import MAY_BE_PRIVATE
from weft.ir.builder import Builder
from weft.ir.graph import reachable
from weft.ir.loops import Loop
from weft.ir.types import I8, I32, ArrayType, PointerType, align_up, size_of
from weft.ir.values import Constant, const_int

# The most bytes of all lanes' copies, which should stay in a first-level cache; and of a register.
LARGEST = 32 * 1024
ALIGNMENT = 64
# Marks a copy or fill that each lane executes for itself.
EACH = "weft.each"


@dataclass
class _Memory:
    alloca: Instruction
    size: int  # of one lane
    pointers: dict[Instruction, None]
    users: list[Instruction]


def private_memory_by_lane(function: Function, width: int, loops: dict[Block, Loop]) -> None:
    """Give lanes their own memory; `loops` maps each block in a work-item loop to that loop."""
    chosen, left = [], LARGEST
    for alloca in [i for i in function.entry.instructions if i.opcode == "alloca" and not i.operands]:
        memory = _memory(alloca, width, loops)
        if memory is not None and memory.size * width <= left:
            left -= memory.size * width
            chosen.append(memory)
    if not chosen:
        return
    module = function.parent
    own = {pointer for memory in chosen for pointer in memory.pointers}
    mixed = _mixed(own)
    group = module.add_metadata("distinct !{}")  # no loop declares it parallel: work-items share the memory
    for user in (user for memory in chosen for user in memory.users):
        if all(_is_own(o, own, mixed) for o in user.operands):
            user.metadata["llvm.access.group"] = group
            if is_copy(user) or is_fill(user):
                user.metadata[EACH] = module.add_metadata("!{}")
    for memory in chosen:
        _lay_out(memory, width, loops)


def _memory(alloca: Instruction, width: int, loops: dict[Block, Loop]) -> _Memory | None:
    pointers, escapes = derived_pointers(alloca)
    users = [u for p in pointers for u in p.users if u not in pointers and not is_lifetime_marker(u)]
    size = align_up(size_of(alloca.attributes["allocated"]), int(alloca.attributes.get("align", 1)))
    if escapes or not any(map(is_own_function, users)):
        return None
    places = [*users, *(p for p in pointers if p is not alloca)]
    if not all(i.block in loops and not _starts(i, loops) for i in places):
        return None
    ordered = any(u.is_ordered for u in users)
    return None if ordered else _Memory(alloca, size, pointers, list(dict.fromkeys(users)))


def _starts(i: Instruction, loops: dict[Block, Loop]) -> bool:
    """Whether an instruction is a phi of a work-item loop's header."""
    return i.opcode == "phi" and i.block is not None and loops[i.block].header is i.block


def _mixed(own: set[Instruction]) -> set[Instruction]:
    """Return the pointers in `own` that may also point to other memory."""
    mixed: set[Instruction] = set()
    for pointer in own:
        if pointer.opcode in ("phi", "select"):
            sources = (v for v, _ in pointer.incoming()) if pointer.opcode == "phi" else pointer.operands[1:]
            if any(not isinstance(v, Constant) and v not in own for v in sources):
                mixed.add(pointer)
    return set(reachable(mixed, lambda pointer: own.intersection(pointer.users)))


def _is_own(operand: Value, own: set[Instruction], mixed: set[Instruction]) -> bool:
    """Whether an operand is not a pointer, or can only point to a lane's own or to read-only memory."""
    if isinstance(operand, Function | Constant) or operand in own:
        return operand not in mixed
    if not isinstance(operand.type, PointerType) or operand.type.space not in MAY_BE_PRIVATE:
        return True
    base = base_of(operand)
    # Functions for lanes get pointers to memory of each lane, work-group functions get pointers to arenas.
    return isinstance(base, Argument) and ("readonly" in base.attributes or "noalias" not in base.attributes)


def _lay_out(memory: _Memory, width: int, loops: dict[Block, Loop]) -> None:
    alloca, starts = memory.alloca, dict[Loop, Value]()
    for marker in [u for p in memory.pointers for u in p.users if is_lifetime_marker(u)]:
        marker.erase()
    for user in list(alloca.users):
        loop = loops[user.parent]
        if loop not in starts:
            starts[loop] = start_of_lane(loop, alloca, memory.size)
        for number, operand in enumerate(user.operands):
            if operand is alloca:
                user.set_operand(number, starts[loop])
    alloca.attributes["allocated"] = ArrayType(I8, memory.size * width)
    alloca.attributes["align"] = ALIGNMENT


def start_of_lane(loop: Loop, alloca: Instruction, size: int) -> Value:
    """Emit the address of the lane's memory at the start of the work-item; lanes are `size` bytes apart."""
    b = Builder.at_start(loop.header)
    zero = const_int(I32, 0)
    lane = b.emit("add", I32, [zero, zero], "lane")
    lane.metadata[LANE] = loop.header.parent.parent.add_metadata("!{}")
    return step_by(b, alloca, lane, size)


def step_by(b: Builder, base: Value, index: Value, size: int, name: str | None = None) -> Instruction:
    """Emit the address `index * size` bytes after `base`."""
    return b.emit("getelementptr", base.type, [base, index], name, element_type=ArrayType(I8, size))
