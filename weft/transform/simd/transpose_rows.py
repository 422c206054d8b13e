"""Load whole rows and transpose them, where each lane loads one element of each row of work-items.

    for (y = 0; y < 16; y++)              rows = 16 vectors from tile[0] … tile[15]     ; before the loop
      v = gather(tile[0 … 15][y])         columns = transposed(rows)
      …                                   for (y = 0; y < 16; y++)
                                            v = columns[y]

Lanes are along x, and the gathered elements are contiguous along y: all gathers of the loop over y together
read one piece of a row per lane. The pieces are loaded row by row and transposed in registers
(`transposition.py`). Columns are kept in a stack variable, which LLVM dissolves if it unrolls the loop.

Exactly the same elements are loaded. A load is refused if an earlier store of the work-item in the same
iteration may alias it; other work-items cannot have written it, because there is no barrier in between.

Requires work-item loops in lanes. Considers loops of 4, 8, 16 or 32 iterations around straight code. Linear
in the size of those loops.
"""

from enum import unique

from weft.analysis.induction import induction, trip_count
from weft.analysis.lanes import Lanes, lanes
from weft.dataclasses import dataclass
from weft.ir import Block, Function, Instruction, Value
from weft.ir.address_spaces import SHARED
from weft.ir.builder import Builder
from weft.ir.clone import recompute
from weft.ir.loops import Loop, LoopForest, loop_forest
from weft.ir.tags import access_number
from weft.ir.types import ArrayType, IntType, PointerType, VectorType, address_space, alignment_of, size_of
from weft.ir.values import ConstantAggregate, ConstantInt, const_int
from weft.remarks import SILENT, Message, Remarks
from weft.transform.workgroup.work_item_loops import is_any_work_item_loop

from .access_forms import AccessForm
from .lane_accesses import (
    alignment,
    can_be_transposed,
    is_masked_call,
    is_whole,
    like,
    may_alias,
    may_write,
)
from .transposition import transposed

# Trip counts for which a row is a register, half of one, or a pair.
TRIPS = (4, 8, 16, 32)


@unique
class NotTransposed(Message):
    """Why a gather along rows is not transposed."""

    MAY_HAVE_CHANGED = "an earlier store of the iteration may alias the gather"


@dataclass(frozen=True)
class _CountedLoop:
    """A work-item loop around straight code that runs `trips` times, starting at `first`."""

    loop: Loop
    counter: Instruction
    first: ConstantInt
    trips: int
    before: Block


@dataclass(frozen=True)
class _Access:
    """A gather: the lanes' rows are `stride` bytes apart, the first begins at `start`."""

    call: Instruction
    type: VectorType
    start: Value
    stride: int
    align: int

    @property
    def space(self) -> int:
        return address_space(self.start.type)


def transpose_rows(function: Function, remarks: Remarks = SILENT) -> None:
    """Rewrite the gathers of a work-group function."""
    module = function.parent
    forest = loop_forest(function)
    counted_loops = (c for loop in forest.loops if (c := _counted(loop)) is not None)
    for counted in counted_loops:
        for call in _rewrite(counted, forest, remarks):
            remarks.passed(AccessForm.TRANSPOSED_ROWS, call, access=access_number(call, module))


def _counted(loop: Loop) -> _CountedLoop | None:
    latch, before, exits = loop.latch, loop.preheader, loop.exits
    if loop.children or latch is None or before is None or not is_any_work_item_loop(loop):
        return None
    straight = all(block is latch or len(block.successors()) == 1 for block in loop.blocks)
    phis = loop.header.phis()
    if not straight or len(phis) != 1 or len(exits) != 1:
        return None
    counter = phis[0]
    first, counted, trips = counter.incoming_from(before), induction(loop, counter), trip_count(loop)
    if not isinstance(first, ConstantInt) or counted is None or counted.step != 1 or trips not in TRIPS:
        return None
    if exits[0].predecessors() != [latch]:
        return None
    return _CountedLoop(loop, counter, first, trips, before)


def _rewrite(counted: _CountedLoop, forest: LoopForest, remarks: Remarks) -> list[Instruction]:
    gathers = [i for i in counted.loop.instructions() if is_masked_call(i, "gather")]
    if not gathers:
        return []
    shape = lanes(counted.loop, counted.counter, forest)
    done = []
    for call in gathers:
        access = _access(call, shape)
        # recomputed, because the rewrite of earlier calls changed the loop
        everything = list(counted.loop.instructions())
        earlier = everything[: everything.index(call)]
        if access is None:
            continue
        if any(may_write(i) and may_alias(i, access.space) for i in earlier):
            remarks.missed(NotTransposed.MAY_HAVE_CHANGED, call)
            continue
        if _load_rows(counted, access):
            done.append(call)
    return done


def _access(call: Instruction, shape: Lanes) -> _Access | None:
    """Return the rows of an unmasked gather whose addresses advance by one element per iteration."""
    type, (address, mask, *_) = call.type, call.arguments
    if not isinstance(type, VectorType) or not is_whole(mask) or not can_be_transposed(type):
        return None
    if not isinstance(address, Instruction) or address.opcode != "getelementptr":
        return None
    start, *offsets = address.operands
    if (
        not isinstance(start.type, PointerType)
        or start.type.space not in SHARED
        or address.attributes["element_type"] != IntType(8)
    ):
        return None
    stride = _stride(offsets[0]) if len(offsets) == 1 else None
    along = shape.of(start)
    if stride is None or along is None or along.needs or along.stride != size_of(type.element):
        return None
    return _Access(call, type, start, stride, alignment(call, 0))


def _stride(offsets: Value) -> int | None:
    """Return the distance of lanes whose offsets are constant and linear, starting at 0."""
    if not isinstance(offsets, ConstantAggregate):
        return None
    numbers = [o.signed for o in offsets.elements if isinstance(o, ConstantInt)]
    if len(numbers) != len(offsets.elements) or numbers[0] != 0:
        return None
    step = numbers[1]
    return step if numbers == [step * lane for lane in range(len(numbers))] and step else None


def _load_rows(counted: _CountedLoop, access: _Access) -> bool:
    b = Builder(counted.before, counted.before.terminator)
    start = _in_first_iteration(b, counted, access.start)
    if start is None:
        return False
    row = VectorType(access.type.element, counted.trips)
    rows = [
        like(access.call, b.load(row, b.byte_offset(start, lane * access.stride), access.align))
        for lane in range(access.type.count)
    ]
    variable = ArrayType(access.type, counted.trips)
    place = Builder.in_entry(b.block.parent).alloca(variable, alignment_of(access.type), "columns")
    for number, column in enumerate(transposed(b, rows)):
        b.store(column, b.byte_offset(place, number * size_of(access.type)), alignment_of(access.type))
    b = Builder(access.call.parent, access.call)
    loaded = b.load(access.type, _element(b, counted, access, place), alignment_of(access.type))
    access.call.replace_all_uses_with(loaded)
    access.call.erase()
    return True


def _element(b: Builder, counted: _CountedLoop, access: _Access, place: Value) -> Value:
    number = b.sub(counted.counter, const_int(counted.counter.type, counted.first.value))
    return b.gep(access.type, place, [number])


def _in_first_iteration(b: Builder, counted: _CountedLoop, value: Value) -> Value | None:
    """Compute the value that `value` has in the first iteration; None if it depends on memory."""
    return recompute(b, value, counted.loop.blocks, {counted.counter: counted.first})
