"""Split pointers that advance uniformly in a loop with barriers into a start and a uniform offset.

    p = a + get_local_id(0);                  start = a + get_local_id(0);
    do {                                      do {
      … *p …; barrier(…); … *p …      becomes   … *(start + offset) …; barrier(…); … *(start + offset) …
      p += n;                                   offset += n;
    } while (…);                              } while (…);

A loop-carried pointer is live across parallel regions: it is in a context array with one element per
work-item, from which SIMD lanes load addresses and then gather the data. The offset is uniform and stored
once. The start is recomputed in each region if that is short, so that its stride across lanes is known.

A pointer qualifies if it is a phi in the header of a loop that contains a barrier and whose iterations all
work-items run together, differs between work-items, and is advanced by uniform steps on every path around the
loop. Each block that uses the pointer recomputes it. Requires natural loops and the `divergence` of the
function; keeps LCSSA. Refuses a pointer whose step differs between work-items. Linear in the size of the
loops.
"""

from enum import unique

from weft.analysis.divergence import Divergence
from weft.analysis.work_items import is_barrier
from weft.ir import Block, Function, Instruction, Value
from weft.ir.builder import Builder
from weft.ir.loops import Loop, loop_forest
from weft.ir.types import I8, I64, PointerType, size_of
from weft.ir.values import const_int
from weft.remarks import SILENT, Message, Remarks


@unique
class PointerInductions(Message):
    """What was done to a pointer that a loop with a barrier advances."""

    SPLIT = "a pointer is advanced by an offset that is kept once for the group"
    STEP = "a pointer is kept for each work-item: they do not advance it alike"


def split_pointer_inductions(function: Function, shape: Divergence, remarks: Remarks = SILENT) -> int:
    """Split the pointers of loops with barriers; return their number."""
    count = 0
    for loop in loop_forest(function).loops:
        if loop.preheader is None or loop.latch is None or not shape.runs_uniformly(loop.header):
            continue
        if any(is_barrier(i) for i in loop.instructions()):
            count += split_pointers(loop, shape, remarks)
    return count


def split_pointers(loop: Loop, shape: Divergence, remarks: Remarks) -> int:
    """Split the pointers that a loop with one preheader and one latch advances; return their number."""
    count = 0
    for phi in loop.header.phis():
        if not isinstance(phi.type, PointerType) or shape.is_uniform(phi):
            continue
        chain = _chain(loop, phi)
        if chain is None:
            continue
        if not all(_is_uniform(step, shape) for step in chain):
            remarks.missed(PointerInductions.STEP, phi)
            continue
        remarks.passed(PointerInductions.SPLIT, phi)
        _split(loop, phi, chain)
        count += 1
    return count


def _chain(loop: Loop, phi: Instruction) -> list[Instruction] | None:
    """Return the additions from a pointer to its next value, in order; None if there are other operations."""
    steps: list[Instruction] = []
    value = phi.incoming_from(loop.known_latch)
    while value is not phi:
        if not isinstance(value, Instruction) or value.block not in loop.blocks or len(value.operands) != 2:
            return None
        if value.opcode != "getelementptr" or not isinstance(value.type, PointerType):
            return None
        steps.append(value)
        value = value.operands[0]
    return steps[::-1] or None


def _is_uniform(step: Instruction, shape: Divergence) -> bool:
    return shape.is_uniform(step.operands[1])


def _split(loop: Loop, phi: Instruction, chain: list[Instruction]) -> None:
    preheader = loop.known_preheader
    start = phi.incoming_from(preheader)
    offset = Builder(loop.header).phi(I64, "offset")
    offsets: dict[Instruction, Value] = {phi: offset}
    at: Value = offset
    for step in chain:
        b = Builder(step.parent, step)
        index = b.cast("sext", step.operands[1], I64)
        bytes_each = const_int(I64, size_of(step.attributes["element_type"]))
        at = offsets[step] = b.add(at, b.mul(index, bytes_each), "offset.next")
    offset.add_incoming(const_int(I64, 0), preheader)
    offset.add_incoming(at, loop.known_latch)
    inside = {phi, *chain}
    for pointer, moved in offsets.items():
        computed: dict[tuple[Block, bool], Instruction] = {}
        for user in [u for u in pointer.users if u not in inside]:
            for number, operand in enumerate(user.operands):
                if operand is pointer:
                    user.set_operand(number, _computed(pointer, user, number, start, moved, computed))
    for value in (phi, *chain):
        value.set_operands(())
    for value in (phi, *chain):
        value.erase()


def _computed(
    pointer: Instruction,
    user: Instruction,
    number: int,
    start: Value,
    moved: Value,
    computed: dict[tuple[Block, bool], Instruction],
) -> Instruction:
    """Return the pointer for a use: computed once per block, for phis at the end of the incoming block."""
    leaving = user.opcode == "phi"
    block = user.operands[number + 1] if leaving else user.parent
    assert isinstance(block, Block)
    address = computed.get((block, leaving))
    if address is None:
        if leaving:
            b = Builder(block, block.terminator)
        elif block is pointer.parent and pointer.opcode != "phi":
            b = Builder(block, pointer)
        else:
            b = Builder.at_start(block)
        address = b.emit("getelementptr", pointer.type, [start, moved], pointer.name, element_type=I8)
        address.metadata |= {k: v for k, v in pointer.metadata.items() if k == "dbg"}
        computed[block, leaving] = address
    return address
