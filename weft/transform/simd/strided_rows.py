"""Find loops in which each work-item accesses its own row, one element per iteration.

    for (j = first; j < n; j++) … A[i * n + j] …

`strip_mine_rows.py` rewrites these loops when work-items are lanes, and the cost model prices them. The loop
is the kernel's own, innermost, counts by ones and has one exit; each iteration accesses the next element of
the row. A load is accepted only if no store of the loop may alias it, a store only if no other access of the
loop may alias it; other accesses are refused (`NotStripMined`).
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from enum import unique

from weft.analysis.evolution import Evolution, LoopEvolution
from weft.analysis.induction import Induction, counted_exits
from weft.dataclasses import dataclass
from weft.ir import Block, Function, Instruction, Value
from weft.ir.address_spaces import PRIVATE, SHARED
from weft.ir.addresses import constant_distance
from weft.ir.dominators import dominators
from weft.ir.loops import Loop
from weft.ir.types import Type, address_space, size_of
from weft.ir.values import Poison
from weft.remarks import SILENT, Message, Remarks
from weft.transform.workgroup.work_item_loops import is_any_work_item_loop

from .lane_accesses import (
    accessed,
    is_masked_call,
    is_of_whole_bytes,
    is_pure,
    is_whole,
    may_alias,
    may_write,
)

# Operations that keep the argument that addresses are computed from, also a splat of it.
_STEPS = (
    *("getelementptr", "addrspacecast", "bitcast", "freeze"),
    *("insertelement", "extractelement", "shufflevector"),
)
# Maximal number of rows of a loop: each takes a register for every lane, and space on the stack.
MOST_ROWS = 4


@dataclass(frozen=True)
class UnitStepLoop:
    """A loop that runs while `counter` PREDICATE `bound`, by ones; the bound is invariant."""

    loop: Loop
    counter: Induction
    predicate: str
    bound: Value
    before: Block
    latch: Block


@dataclass(frozen=True)
class Row:
    """An access, of a work-item or of lanes, that advances by one element in each iteration.

    `mask` has the lanes that execute it, the same in all iterations; None: all.
    """

    access: Instruction
    address: Value
    element: Type
    is_load: bool
    mask: Value | None = None

    @property
    def space(self) -> int:
        return address_space(self.address.type)


class AliasQueries:
    """Tells which accesses may alias, given the facts about the arguments.

    `disjoint` tells, for the offset of each buffer pointer in the argument block, whether no other pointer
    accesses its memory. `requires_noalias` tells whether a result requires that buffers do not overlap.
    """

    def __init__(self, function: Function, disjoint: Mapping[int, bool] | None) -> None:
        self.tree = dominators(function)
        self._bases = _argument_bases(function, disjoint)
        self.requires_noalias = False

    def possible(self, row: Row, others: Sequence[Instruction]) -> bool:
        """Return whether other accesses may alias a row."""
        near = [
            i
            for i in others
            if i is not row.access and not _updates_in_place(row, i) and may_alias(i, row.space)
        ]
        own = _base_of_access(row.access, self._bases)
        bases = [_base_of_access(i, self._bases) for i in near]
        if near and (own is None or any(b is None or self._overlap(b, own) for b in bases)):
            return True
        self.requires_noalias |= bool(near)
        return False

    def _overlap(self, one: Value, other: Value) -> bool:
        """Return whether two arguments may point to the same memory."""
        return one is other or not (self._bases[one] or self._bases[other])


def _argument_bases(function: Function, disjoint: Mapping[int, bool] | None) -> dict[Value, bool]:
    """Return the pointers loaded from those offsets (None: any) of the argument block, each with its fact."""
    block = function.arguments[1]
    bases: dict[Value, bool] = {}
    for i in function.entry.instructions:
        base, offset = (
            constant_distance(i.operands[0]) if i.opcode == "load" and i.type.is_pointer else (i, 0)
        )
        if base is block and (disjoint is None or offset in disjoint):
            bases[i] = disjoint is None or disjoint[offset]
    return bases


def _pointer(i: Instruction) -> Value | None:
    """Return the pointer by which an instruction accesses memory."""
    if i.opcode in ("load", "store"):
        return i.operands[-1]
    return i.operands[0] if i.opcode in ("atomicrmw", "cmpxchg") else accessed(i)


def _base_of_access(i: Instruction, bases: Collection[Value]) -> Value | None:
    """Return the argument through which an access goes; None if it is not certain."""
    pointer = _pointer(i)
    while isinstance(pointer, Instruction) and pointer.opcode in _STEPS:
        if pointer.opcode == "insertelement":
            # A splat of one pointer starts with this.
            pointer = pointer.operands[1] if isinstance(pointer.operands[0], Poison) else None
        elif pointer.opcode == "shufflevector" and not isinstance(pointer.operands[1], Poison):
            pointer = None
        else:
            pointer = pointer.operands[0]
    return pointer if pointer is not None and pointer in bases else None


def _updates_in_place(row: Row, other: Instruction) -> bool:
    """Return whether an iteration loads an element and then stores to it, and no other touches it."""
    if accessed(other) is not row.address:
        return False
    load, store = (row.access, other) if row.is_load else (other, row.access)
    if load.block is not store.block or not may_write(store) or may_write(load):
        return False
    order = load.parent.instructions
    return order.index(load) < order.index(store)


def unit_step_loop(loop: Loop) -> UnitStepLoop | None:
    """Return a loop as one that goes along rows; None if it has another form."""
    header, latch, before = loop.header, loop.latch, loop.preheader
    if loop.children or latch is None or before is None or latch is header:
        return None
    if is_any_work_item_loop(loop) or loop.exiting != [header]:
        return None
    if not all(is_pure(i) for i in header.instructions[:-1]):
        return None
    counted_exit = next((e for e in counted_exits(loop) if e.counter.step == 1 and not e.ahead), None)
    if counted_exit is None or counted_exit.test.predicate not in ("slt", "ult", "sle", "ule", "ne"):
        return None
    if not LoopEvolution(loop).is_invariant(counted_exit.test.right):
        return None
    return UnitStepLoop(
        loop, counted_exit.counter, counted_exit.test.predicate, counted_exit.test.right, before, latch
    )


@unique
class NotStripMined(Message):
    """Why an access of all lanes, in a loop that could go along rows, is not along one."""

    MASK = "the lanes that make it change from one iteration to the next"
    STRIDE = "it does not advance by one element in each iteration, or its index may wrap"
    NOT_ALWAYS = "not every iteration reaches it"
    MAY_ALIAS = "another access of the loop may alias it"
    TOO_MANY = "the loop already accesses {most} rows"


def rows_of(
    unit_step: UnitStepLoop,
    aliases: AliasQueries,
    is_relevant: Callable[[Instruction], bool],
    remarks: Remarks = SILENT,
) -> list[Row]:
    """Return the rows along which a loop goes, for the accesses that `is_relevant` selects."""
    everything = list(unit_step.loop.instructions())
    candidates = [row for i in everything if is_relevant(i) and (row := _candidate(i)) is not None]
    if not candidates:
        return []
    # Values that pass the test have not wrapped, nor have the smaller ones.
    signed = unit_step.predicate in ("slt", "sle") or unit_step.counter.signed
    unsigned = unit_step.predicate in ("ult", "ule") or unit_step.counter.unsigned
    steps = LoopEvolution(unit_step.loop, known={unit_step.counter.phi: Evolution(1, signed, unsigned)})
    rows: list[Row] = []
    for row in candidates:
        block, step = row.access.block, steps.of(row.address)
        if isinstance(row.mask, Instruction) and row.mask.block in unit_step.loop.blocks:
            remarks.missed(NotStripMined.MASK, row.access)
        elif step is None or step.stride != size_of(row.element):
            remarks.missed(NotStripMined.STRIDE, row.access)
        elif block is None or not aliases.tree.dominates(block, unit_step.latch):
            remarks.missed(NotStripMined.NOT_ALWAYS, row.access)
        elif len(rows) == MOST_ROWS:
            remarks.missed(NotStripMined.TOO_MANY, row.access, most=MOST_ROWS)
        elif aliases.possible(row, [i for i in everything if not row.is_load or may_write(i)]):
            remarks.missed(NotStripMined.MAY_ALIAS, row.access)
        else:
            rows.append(row)
    return rows


def _candidate(i: Instruction) -> Row | None:
    """Return an access, plain or masked, as a candidate for a row."""
    if i.opcode in ("load", "store") and not i.attributes.get("volatile") and accessed(i) is not None:
        row = Row(i, i.operands[-1], i.accessed_type, i.opcode == "load")
    elif is_masked_call(i, "gather"):
        row = Row(i, i.arguments[0], i.type.scalar, True, _some_lanes(i.arguments[1]))
    elif is_masked_call(i, "scatter"):
        row = Row(i, i.arguments[1], i.arguments[0].type.scalar, False, _some_lanes(i.arguments[2]))
    else:
        return None
    return row if is_of_whole_bytes(row.element) and row.space in SHARED else None


def stores_stand_alone(loop: Loop, aliases: AliasQueries) -> bool:
    """Return whether no plain store of a loop may alias another access in another iteration.

    Stores into private arrays are not looked at: LLVM tells these from all other memory.
    """
    everything = list(loop.instructions())
    stores = [row for i in everything if i.opcode == "store" and (row := _candidate(i)) is not None]
    writes = [i for i in everything if may_write(i) and not _stores_privately(i)]
    return len(stores) == len(writes) and not any(aliases.possible(row, everything) for row in stores)


def _stores_privately(i: Instruction) -> bool:
    return i.opcode == "store" and address_space(i.operands[-1].type) == PRIVATE


def _some_lanes(mask: Value) -> Value | None:
    return None if is_whole(mask) else mask
