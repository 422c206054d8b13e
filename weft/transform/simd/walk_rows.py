"""Afterwards lanes that walk along rows of their own load and store whole pieces of the rows.

    for (j = 0; j < n; j++)                 for (; n - j >= 16; j += 16)
      s += gather(A + (i + lane) * n + j)     columns = transposed(a vector from each lane's row)
                                              for (k = 0; k < 16; k++) s += columns[k]
                                            for (; j < n; j++)
                                              s += gather(…)

A gather takes an element from each row, and comes back for its neighbours later: as many cache lines as there
are lanes have to stay in the cache, which those of rows a power of two apart do not. Here a line is loaded
once, and the elements of a square of lanes and iterations change places in registers (`transposition.py`).
What lanes scatter along rows is kept, and stored row by row. Columns go through variables on the stack, which
LLVM takes apart if it unrolls the loop.

Exactly the same elements are touched: pieces are those of iterations that all lanes run, and what is left
over is gathered as before. Of loads those are taken that no store of the loop may meet, of stores those that
nothing else in the loop may meet.

Requires work-item loops in lanes; looks at the kernel's own innermost loops that run as often in all lanes,
count by ones and are left in one place. Linear in the size of those loops.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from weft.ir import Block, Function, Instruction, Value
from weft.ir.builder import Builder
from weft.ir.clone import ValueMap, clone_blocks, clone_instruction
from weft.ir.loops import loop_forest
from weft.ir.types import I32, I64, ArrayType, IntType, VectorType, alignment_of, size_of
from weft.ir.values import const_int

from .lane_accesses import (
    alignment,
    can_be_transposed,
    is_masked_call,
    like,
)
from .row_walks import Meetings, Row, Walk, rows_of, walk_of
from .transposition import transposed

# Lanes whose rows are walked along at once: more addresses than that take longer to keep than to compute.
MOST_LANES = 64


@dataclass(frozen=True)
class WalkedRows:
    """The gathers and scatters that pieces of rows stand for, and whether buffers must not overlap for it."""

    calls: tuple[Instruction, ...]
    relies: bool


def walk_rows(function: Function, apart: Mapping[int, bool], register_bytes: int) -> WalkedRows:
    """Rewrites the loops of a work-group function.

    `apart` is that of `part_buffers`.
    """
    module = function.module
    assert module is not None
    meetings = Meetings(function, apart)
    walks = [walk for loop in loop_forest(function).loops if (walk := walk_of(loop, module)) is not None]
    found = [(walk, rows) for walk in walks if (rows := rows_of(walk, meetings, _is_of_lanes))]
    for walk, rows in found:
        _rewrite(function, walk, rows, register_bytes)
    return WalkedRows(tuple(row.access for _, rows in found for row in rows), meetings.relied)


def _lanes_of(row: Row) -> VectorType:
    type = row.access.type if row.is_load else row.access.arguments[0].type
    assert isinstance(type, VectorType)
    return type


def _is_of_lanes(i: Instruction) -> bool:
    if is_masked_call(i, "gather"):
        type = i.type
    elif is_masked_call(i, "scatter"):
        type = i.arguments[0].type
    else:
        return False
    return can_be_transposed(type) and type.count <= MOST_LANES  # type: ignore[attr-defined, no-any-return]


def _rewrite(function: Function, walk: Walk, rows: Sequence[Row], register_bytes: int) -> None:
    """Puts a loop over pieces in front of a loop, with a copy of it inside."""
    length = register_bytes // max(4, *(size_of(row.element) for row in rows))
    header, before, counter = walk.loop.header, walk.before, walk.counter
    start, piece, done = (function.add_block(f"rows.{name}") for name in ("start", "piece", "done"))
    # Is there a piece at all?
    first = counter.incoming_from(before)
    before.terminator.erase()
    b = Builder(before)
    b.cond_br(_enough(b, walk, first, length), start, header)
    # Where the rows begin, lane by lane.
    b = Builder(start)
    begins = [_begins(b, walk, row) for row in rows]
    b.br(piece)
    # A piece of each row.
    b = Builder(piece)
    phis: dict[Instruction, Instruction] = {phi: b.phi(phi.type, phi.name) for phi in header.phis()}
    at = phis[counter]
    gone = b.cast("zext", b.sub(at, first), I64)
    places = [_place(function, _lanes_of(row), length) for row in rows]
    for row, begin, place in zip(rows, begins, places, strict=True):
        if row.is_load:
            _load_piece(b, row, _moved(b, row, begin, gone), place, length)
    end = b.add(at, const_int(at.type, length))
    # The iterations of a piece.
    values: ValueMap = {}
    copies = clone_blocks(list(walk.loop.blocks), function, values, ".rows")
    own_header, own_latch = copies[0], values[walk.latch]
    assert isinstance(own_latch, Block)
    b.br(own_header)
    for phi in header.phis():
        copy = values[phi]
        assert isinstance(copy, Instruction)
        copy.set_operands([phis[phi], piece, copy.incoming_from(own_latch), own_latch])
    _count_to(own_header, values[counter], end, values, walk, done)
    for row, place in zip(rows, places, strict=True):
        _use_column(row, values, at, values[counter], place)
    # What the piece was for, and the next one, or what is left over.
    b = Builder(done)
    for row, begin, place in zip(rows, begins, places, strict=True):
        if not row.is_load:
            _store_piece(b, row, _moved(b, row, begin, gone), place, length)
    b.cond_br(_enough(b, walk, end, length), piece, header)
    for phi, own in phis.items():
        own.add_incoming(phi.incoming_from(before), start)
        own.add_incoming(values[phi], done)
        phi.add_incoming(values[phi], done)


def _enough(b: Builder, walk: Walk, counter: Value, length: int) -> Value:
    """Whether so many more iterations pass the test from a value of the counter on."""
    inclusive = walk.predicate in ("sle", "ule")
    left = b.sub(walk.bound, counter)
    long_enough = b.icmp("uge", left, const_int(left.type, length - inclusive))
    if walk.predicate == "ne":
        return long_enough
    passes = b.icmp(walk.predicate, counter, walk.bound)
    return b.emit("and", long_enough.type, [passes, long_enough])


def _begins(b: Builder, walk: Walk, row: Row) -> list[Value]:
    """Each lane's address in the first iteration."""
    known: ValueMap = {phi: phi.incoming_from(walk.before) for phi in walk.loop.header.phis()}

    def copied(value: Value) -> Value:
        if not isinstance(value, Instruction) or value.block not in walk.loop.blocks:
            return value
        if value not in known:
            operands = [copied(o) for o in value.operands if not isinstance(o, Block)]
            if value.opcode == "phi":  # of a block with one way in
                known[value] = operands[0]
            else:
                known[value] = b.insert(clone_instruction(value, known))
        return known[value]

    addresses = copied(row.address)
    pointer = row.address.type.scalar
    return [
        b.emit("extractelement", pointer, [addresses, const_int(I32, lane)])
        for lane in range(_lanes_of(row).count)
    ]


def _moved(b: Builder, row: Row, begins: Sequence[Value], gone: Value) -> list[Value]:
    """Where the rows are after so many iterations."""
    element = IntType(8 * size_of(row.element))
    return [b.gep(element, begin, [gone]) for begin in begins]


def _place(function: Function, type: VectorType, length: int) -> Instruction:
    """A variable for the columns."""
    entry = function.entry
    return Builder(entry, entry.instructions[0]).alloca(
        ArrayType(type, length), alignment_of(type), "columns"
    )


def _load_piece(b: Builder, row: Row, places: Sequence[Value], columns: Value, length: int) -> None:
    lanes, piece = _lanes_of(row), VectorType(row.element, length)
    align = alignment(row.access, 0)
    loaded = [like(row.access, b.load(piece, place, align)) for place in places]
    for number, column in enumerate(transposed(b, loaded)):
        b.store(column, b.byte_offset(columns, number * size_of(lanes)), alignment_of(lanes))


def _store_piece(b: Builder, row: Row, places: Sequence[Value], columns: Value, length: int) -> None:
    lanes = _lanes_of(row)
    at = [b.byte_offset(columns, number * size_of(lanes)) for number in range(length)]
    kept: list[Value] = [b.load(lanes, place, alignment_of(lanes)) for place in at]
    align = alignment(row.access, 1)
    for place, piece in zip(places, transposed(b, kept), strict=True):
        like(row.access, b.store(piece, place, align))


def _count_to(header: Block, counter: Value, end: Value, values: ValueMap, walk: Walk, done: Block) -> None:
    """Has the copy of a loop go on until its counter is at the end of the piece."""
    branch = header.terminator
    inside = next(values[o] for o in walk.loop.header.terminator.operands[1:] if o in walk.loop.blocks)
    more = Builder(header, branch).icmp("ne", counter, end)
    branch.set_operands([more, inside, done])


def _use_column(row: Row, values: ValueMap, at: Value, counter: Value, columns: Value) -> None:
    """Has the copy of a gather or scatter take the column of its iteration."""
    call = values[row.access]
    assert isinstance(call, Instruction) and call.block is not None
    b = Builder(call.block, call)
    number = b.cast("zext", b.sub(counter, at), I64)
    lanes = _lanes_of(row)
    column = b.gep(lanes, columns, [number])
    if row.is_load:
        call.replace_all_uses_with(b.load(lanes, column, alignment_of(lanes)))
    else:
        b.store(call.arguments[0], column, alignment_of(lanes))
    call.erase()
