"""Strip-mine loops in which each lane goes along its own row: load, transpose and store pieces of rows.

    for (j = 0; j < n; j++)                 for (; n - j >= 16; j += 16)
      s += gather(A + (i + lane) * n + j)     columns = transposed(a vector from each lane's row)
                                              for (k = 0; k < 16; k++) s += columns[k]
                                            for (; j < n; j++)
                                              s += gather(…)

A gather loads one element of each row; its neighbours are loaded by later iterations. Until then one cache
line per lane must stay in the cache. If the rows are a power of two apart, the lines compete for the same
sets and are evicted. Here each line is loaded once, and squares of lanes and iterations are transposed in
registers (`transposition.py`). Scattered elements are collected and stored row by row. Columns are kept in
stack variables, which LLVM dissolves if it unrolls the loop.

Exactly the same elements are accessed: pieces consist of iterations that all lanes run, and the remaining
iterations gather as before. Inactive lanes, such as those after the last work-item, access a spare row on the
stack. A load is rewritten only if no store of the loop may alias it, a store only if no other access of the
loop may alias it.

Requires work-item loops in lanes. Considers the kernel's own innermost loops whose trip count is equal in all
lanes, that count by ones and have one exit. Linear in the size of those loops.
"""

from collections.abc import Callable, Mapping, Sequence

from weft.dataclasses import dataclass
from weft.ir import Block, Function, Instruction, Value
from weft.ir.builder import Builder
from weft.ir.clone import ValueMap, recompute
from weft.ir.loops import loop_forest
from weft.ir.metadata import set_loop_properties
from weft.ir.tags import access_number
from weft.ir.types import I32, I64, ArrayType, IntType, Type, VectorType, alignment_of, size_of
from weft.ir.values import ConstantZero, Poison, const_int
from weft.remarks import SILENT, Remarks

from .access_forms import AccessForm
from .lane_accesses import (
    alignment,
    can_be_transposed,
    is_masked_call,
    like,
)
from .strided_rows import AliasQueries, Row, UnitStepLoop, rows_of, unit_step_loop
from .transposition import transposed
from .version_loop import LoopVersion, copy_loop

# Maximal number of lanes: with more, keeping their addresses costs more than computing them.
MOST_LANES = 64


@dataclass(frozen=True)
class _Piece:
    """`length` elements of each row, `offset` elements after the row's start in `table`.

    `steps` is -1 in lanes that advance and 0 in lanes that stay on the spare row; None if all lanes advance.
    """

    row: Row
    table: Value
    steps: Value | None
    offset: Value
    columns: Value
    length: int

    @property
    def side(self) -> int:
        """The number of lanes in a square; all of them if there are fewer than `length`."""
        return min(self.length, _lanes_of(self.row).count)


@dataclass(frozen=True)
class StripMinedRows:
    """The gathers and scatters that were replaced, and whether that requires buffers that do not overlap."""

    calls: tuple[Instruction, ...]
    requires_noalias: bool


def strip_mine_rows(
    function: Function, disjoint: Mapping[int, bool], register_bytes: int, remarks: Remarks = SILENT
) -> StripMinedRows:
    """Rewrite the loops of a work-group function; `disjoint` is as for `AliasQueries`."""
    module = function.parent
    aliases = AliasQueries(function, disjoint)
    unit_step_loops = [
        unit_step for loop in loop_forest(function).loops if (unit_step := unit_step_loop(loop)) is not None
    ]
    loops_and_rows = [
        (unit_step, rows)
        for unit_step in unit_step_loops
        if (rows := rows_of(unit_step, aliases, _is_of_lanes, remarks))
    ]
    for unit_step, rows in loops_and_rows:
        _rewrite(unit_step, rows, register_bytes)
        for row in rows:
            number = access_number(row.access, module)
            remarks.passed(AccessForm.TRANSPOSED_ROW_PIECES, row.access, access=number)
    return StripMinedRows(
        tuple(row.access for _, rows in loops_and_rows for row in rows), aliases.requires_noalias
    )


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
    return isinstance(type, VectorType) and can_be_transposed(type) and type.count <= MOST_LANES


def _rewrite(unit_step: UnitStepLoop, rows: Sequence[Row], register_bytes: int) -> None:
    """Insert a loop over pieces, with a copy of the loop inside, before a loop."""
    length = register_bytes // max(4, *(size_of(row.element) for row in rows))
    header, before, counter = unit_step.loop.header, unit_step.before, unit_step.counter.phi
    function = header.parent
    start, piece, done = (function.add_block(f"rows.{name}") for name in ("start", "piece", "done"))
    # Skip the loop over pieces if not even one is left.
    first = counter.incoming_from(before)
    before.terminator.erase()
    b = Builder(before)
    bound = _in_first_iteration(b, unit_step, unit_step.bound)
    b.cond_br(_has_piece(b, unit_step.predicate, first, bound, length), start, header)
    # Store the start of each lane's row.
    b = Builder(start)
    tables = [_tables(b, unit_step, row, length) for row in rows]
    b.br(piece)
    # Load a piece of each row.
    b = Builder(piece)
    phis: dict[Instruction, Instruction] = {phi: b.phi(phi.type, phi.name) for phi in header.phis()}
    piece_start = phis[counter]
    offset = b.cast("zext", b.sub(piece_start, first), I64)
    end = b.add(piece_start, const_int(piece_start.type, length))
    columns = [_variable(b, ArrayType(_lanes_of(row), length), "columns") for row in rows]
    pieces = [
        _Piece(row, *table, offset, c, length) for row, table, c in zip(rows, tables, columns, strict=True)
    ]
    for p in pieces:
        if p.row.is_load:
            b = _by_squares(b, p, _load_square)
    # Run the iterations of a piece.
    version = copy_loop(unit_step.loop, "rows", distinct=False)
    own_latch = version.block(unit_step.latch)
    b.br(version.header)
    for phi in header.phis():
        copy = version.instruction(phi)
        copy.set_operands([phis[phi], b.block, copy.incoming_from(own_latch), own_latch])
    _count_to(version, unit_step, end, done)
    for p in pieces:
        _use_column(p, version, piece_start, version.value(counter))
    # Store the piece, then continue with the next one or with the remaining iterations.
    b = Builder(done)
    for p in pieces:
        if not p.row.is_load:
            b = _by_squares(b, p, _store_square)
    b.cond_br(_has_piece(b, unit_step.predicate, end, bound, length), piece, header)
    for phi, own in phis.items():
        own.add_incoming(phi.incoming_from(before), start)
        own.add_incoming(version.value(phi), b.block)
        phi.add_incoming(version.value(phi), b.block)


def _has_piece(b: Builder, predicate: str, counter: Value, bound: Value, length: int) -> Value:
    """Return whether at least `length` more iterations pass the loop's test, starting at a counter value."""
    left = b.sub(bound, counter)
    long_enough = b.icmp("uge", left, const_int(left.type, length - (predicate in ("sle", "ule"))))
    if predicate == "ne":
        return long_enough
    passes = b.icmp(predicate, counter, bound)
    return b.emit("and", long_enough.type, [passes, long_enough])


def _in_first_iteration(b: Builder, unit_step: UnitStepLoop, value: Value) -> Value:
    """Compute the value that `value` has in the loop's first iteration."""
    known: ValueMap = {phi: phi.incoming_from(unit_step.before) for phi in unit_step.loop.header.phis()}
    result = recompute(b, value, unit_step.loop.blocks, known)
    assert result is not None, "bounds and addresses of rows are linear"
    return result


def _tables(b: Builder, unit_step: UnitStepLoop, row: Row, length: int) -> tuple[Value, Value | None]:
    """Return variables with each lane's address in the first iteration, and with its `steps`."""
    addresses = _in_first_iteration(b, unit_step, row.address)
    steps: Instruction | None = None
    if row.mask is not None:
        type = addresses.type
        assert isinstance(type, VectorType)
        spare = _variable(b, ArrayType(row.element, length), "spare")
        spare_address = b.cast("addrspacecast", spare, type.element)
        first = b.emit("insertelement", type, [Poison(type), spare_address, const_int(I32, 0)])
        zeros = ConstantZero(VectorType(I32, type.count))
        everywhere = b.emit("shufflevector", type, [first, Poison(type), zeros])
        addresses = b.select(row.mask, addresses, everywhere)
        steps = _stored(b, b.cast("sext", row.mask, VectorType(I64, type.count)), "steps")
    return _stored(b, addresses, "rows"), steps


def _stored(b: Builder, value: Value, name: str) -> Instruction:
    """Store a value to a new variable."""
    variable = _variable(b, value.type, name)
    b.store(value, variable, alignment_of(value.type))
    return variable


def _variable(b: Builder, type: Type, name: str) -> Instruction:
    return Builder.in_entry(b.block.parent).alloca(type, alignment_of(type), name)


def _by_squares(b: Builder, piece: _Piece, emit: Callable[[Builder, _Piece, Value], None]) -> Builder:
    """Emit a loop over the squares of lanes and iterations; return the builder after it."""
    count = _lanes_of(piece.row).count // piece.side
    if count == 1:
        emit(b, piece, const_int(I64, 0))
        return b
    function = b.block.parent
    square, after = function.add_block("rows.square"), function.add_block("rows.squares")
    b.br(square)
    inner = Builder(square)
    number = inner.phi(I64)
    emit(inner, piece, number)
    next_number = inner.add(number, const_int(I64, 1))
    branch = inner.cond_br(inner.icmp("ult", next_number, const_int(I64, count)), square, after)
    # A single square fills the registers.
    once = function.parent.add_metadata('!{!"llvm.loop.unroll.disable"}')
    set_loop_properties(branch, (once,))
    number.add_incoming(const_int(I64, 0), b.block)
    number.add_incoming(next_number, square)
    return Builder(after)


def _addresses(b: Builder, piece: _Piece, square: Value) -> list[Value]:
    """Return the addresses of a square's lanes in their rows."""
    row = piece.row
    starts = _of_square(b, piece, square, piece.table, row.address.type.scalar)
    offsets: list[Value] = [piece.offset] * piece.side
    if piece.steps is not None:
        steps = _of_square(b, piece, square, piece.steps, I64)
        offsets = [b.binary("and", piece.offset, step) for step in steps]
    element = IntType(8 * size_of(row.element))
    return [b.gep(element, begin, [steps]) for begin, steps in zip(starts, offsets, strict=True)]


def _of_square(b: Builder, piece: _Piece, square: Value, table: Value, type: Type) -> list[Instruction]:
    """Load the elements of a table for the lanes of a square."""
    first = b.gep(type, table, [b.mul(square, const_int(I64, piece.side))])
    return [
        b.load(type, b.byte_offset(first, lane * size_of(type)), alignment_of(type))
        for lane in range(piece.side)
    ]


def _parts(b: Builder, piece: _Piece, square: Value) -> tuple[list[Value], VectorType]:
    """Return the addresses of a square's parts of the columns, and their type."""
    lanes = _lanes_of(piece.row)
    part = VectorType(lanes.element, piece.side)
    first = b.gep(part, piece.columns, [square])
    return [b.byte_offset(first, number * size_of(lanes)) for number in range(piece.length)], part


def _load_square(b: Builder, piece: _Piece, square: Value) -> None:
    access, align = piece.row.access, alignment(piece.row.access, 0)
    type = VectorType(piece.row.element, piece.length)
    loaded = [like(access, b.load(type, place, align)) for place in _addresses(b, piece, square)]
    parts, part = _parts(b, piece, square)
    for place, column in zip(parts, transposed(b, loaded), strict=True):
        b.store(column, place, alignment_of(part))


def _store_square(b: Builder, piece: _Piece, square: Value) -> None:
    access, align = piece.row.access, alignment(piece.row.access, 1)
    parts, part = _parts(b, piece, square)
    columns: list[Value] = [b.load(part, place, alignment_of(part)) for place in parts]
    for place, row in zip(_addresses(b, piece, square), transposed(b, columns), strict=True):
        like(access, b.store(row, place, align))


def _count_to(version: LoopVersion, unit_step: UnitStepLoop, end: Value, done: Block) -> None:
    """Make the copy of a loop exit when its counter reaches the end of the piece."""
    branch = version.header.terminator
    inside = next(s for s in unit_step.loop.header.terminator.successors() if s in unit_step.loop.blocks)
    more = Builder(version.header, branch).icmp("ne", version.value(unit_step.counter.phi), end)
    branch.set_operands([more, version.block(inside), done])


def _use_column(piece: _Piece, version: LoopVersion, piece_start: Value, counter: Value) -> None:
    """Replace the copy of a gather or scatter by an access to the column of its iteration."""
    call = version.instruction(piece.row.access)
    b = Builder(call.parent, call)
    number = b.cast("zext", b.sub(counter, piece_start), I64)
    lanes = _lanes_of(piece.row)
    column = b.gep(lanes, piece.columns, [number])
    if piece.row.is_load:
        call.replace_all_uses_with(b.load(lanes, column, alignment_of(lanes)))
    else:
        b.store(call.arguments[0], column, alignment_of(lanes))
    call.erase()
