"""Hoist loads of image descriptors, and computations on them alone, to the entry of a function.

    for (x …) {                                %width = load i32, …, !weft.descriptor !1
      %width = load i32, …, !weft.descriptor   %last = add i32 %width, -1
      %last = add i32 %width, -1               for (x …)
      … min(x, %last) …                          … min(x, %last) …

Coordinates are compared with the sizes of an image. Values computed before a work-item loop are
loop-invariant for the passes that turn guards into bounds and version loops for in-bounds accesses. A
descriptor lives as long as the kernel runs, so it can be read at any time.

Requires a work-group function. Hoists no division, which could trap. Linear time.
"""

from enum import unique

from weft.analysis.memory_effects import DESCRIPTOR
from weft.ir import Block, Function, Instruction, Value
from weft.ir.dominators import reverse_post_order
from weft.ir.opcodes import CASTS
from weft.ir.symbols import extremum
from weft.remarks import SILENT, Message, Remarks

_ADDRESSING = ("getelementptr", "inttoptr", "ptrtoint", "addrspacecast", "bitcast")
_PURE = frozenset(
    ("add", "sub", "mul", "shl", "lshr", "ashr", "and", "or", "xor", "icmp", "fcmp", "select", "fadd", "fsub",
     "fmul", "freeze", "getelementptr", *CASTS)
)  # fmt: skip


@unique
class Descriptors(Message):
    """Remarks about loads of descriptors."""

    HOISTED = "{count} instructions on image descriptors hoisted out of the work-item loops"


def hoist_descriptors(function: Function, remarks: Remarks = SILENT) -> int:
    """Move descriptor loads and what depends on them to the entry block; return how many moved."""
    entry = function.entry
    loads = [i for i in function.instructions() if i.opcode == "load" and DESCRIPTOR in i.metadata]
    chains: set[Instruction] = set()
    for load in loads:
        chains |= _chain(load)
    derived: set[Value] = set()  # values loaded from descriptors, and values computed from them
    moved = 0
    for block in reverse_post_order(function) if loads else ():
        for i in list(block.instructions):
            is_derived = i.opcode in _PURE or bool(extremum(i.callee_name))
            is_derived = is_derived and any(o in derived for o in i.operands)
            if not (i in chains or is_derived) or not _is_before(i.operands, entry):
                continue
            if DESCRIPTOR in i.metadata or is_derived:
                derived.add(i)
            if block is not entry:
                block.instructions.remove(i)
                entry.insert_before(entry.terminator, i)
                moved += 1
    if moved:
        remarks.passed(Descriptors.HOISTED, count=moved)
    return moved


def _chain(load: Instruction) -> set[Instruction]:
    """Return a load and the instructions that compute its address from another pointer."""
    chain = {load}
    address = load.operands[0]
    while isinstance(address, Instruction) and address.opcode in _ADDRESSING:
        chain.add(address)
        address = address.operands[0]
    return chain


def _is_before(operands: list[Value], entry: Block) -> bool:
    """Return whether values are available at the end of the entry block."""
    return all(not isinstance(o, Instruction) or o.block is entry for o in operands)
