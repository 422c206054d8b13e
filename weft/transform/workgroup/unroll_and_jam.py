"""Unroll the loop over rows of work-items and jam the copies if they load the same data in inner loops.

    %y = call i64 @get_global_id(i32 1)          %y = call i64 @get_global_id(i32 1)
                                                 %y.1 = add nuw nsw i64 %y, 1
    for each k:                                  for each k:
      %a = load %A + %y * n + k                    %a = load %A + %y * n + k
                                                   %a.1 = load %A + %y.1 * n + k
      %b = load %B + %x * n + k                    %b = load %B + %x * n + k
      %s = fma(%a, %b, %s)                         %s = fma(%a, %b, %s)
                                                   %s.1 = fma(%a.1, %b, %s.1)

Code that depends on the row is replicated for each row, all other code is not: the outer work-item loop is
unrolled, and the iterations are jammed into the kernel's own loops (Callahan, Carr and Kennedy, "Improving
register allocation for subscripted variables", PLDI 1990). A matrix product loads and transposes each vector
once for four rows.

Rows that a guard such as `if (y < height && x < width)` excludes compute the same as the first row that is
inside, but store nothing.

The work-items of a tile share nothing, so their order is free. Requires a kernel whose other branches are the
same for all rows. Refuses kernels whose rows share no loads (`analysis/row_reuse.py`), or whose sums would
not stay in registers. Linear time.
"""

from collections.abc import Iterable, Mapping, Sequence
from enum import unique
from functools import partial, reduce

from weft.analysis.row_reuse import NoRowReuse, RowGuard, RowReuse, row_reuse
from weft.analysis.work_items import work_item_function
from weft.ir import Function, Instruction, Value
from weft.ir.builder import Builder
from weft.ir.clone import ValueMap, clone_instruction
from weft.ir.types import I1, I64
from weft.ir.values import const_int
from weft.remarks import SILENT, Message, Reason, Remarks

_TRUE = const_int(I1, 1)


@unique
class RowsAtOnce(Message):
    """Whether rows of work-items are jammed."""

    JAMMED = "{rows} work-items along {axis} are jammed: they load the same data"
    NOT_JAMMED = "work-items along {axis} are not jammed: {why}"


def unroll_and_jam(function: Function, along: int, rows: int, lanes: int, remarks: Remarks = SILENT) -> bool:
    """Make each work-item perform the work of `rows` work-items that differ in the dimension `along`.

    `lanes` is the dimension of the work-items that run in SIMD lanes. Returns whether the kernel was changed.
    """
    axis, reuse = "xyz"[along], row_reuse(function, along, lanes)
    if isinstance(reuse, NoRowReuse):
        if reuse is not NoRowReuse.NOTHING_SHARED:
            remarks.missed(RowsAtOnce.NOT_JAMMED, axis=axis, why=Reason(reuse))
        return False
    if reuse.guard is None:
        values, active = [_ids(reuse.before, row) for row in range(rows)], None
    else:
        values, active = _guarded_rows(reuse, reuse.guard, rows)
    copies = [_copies(reuse.varying, values[row]) for row in reversed(range(1, rows))]
    for i in reuse.varying:
        i.set_operands([values[0].get(o, o) for o in i.operands])
    if active is not None:
        for row, instructions in enumerate((reuse.varying, *reversed(copies))):
            for i in instructions:
                if i.opcode == "store":
                    _predicate(i, active[row])
        _erase_unused(reuse.before)
    remarks.passed(RowsAtOnce.JAMMED, rows=rows, axis=axis)
    return True


def _ids(calls: Sequence[Instruction], row: int) -> ValueMap:
    """Return the values of the calls that return the row, for one row."""
    ids: ValueMap = {}
    for call in calls:
        ids[call] = Builder.after(call).add(call, const_int(I64, row), call.name, ("nuw", "nsw"))
    return ids


def _copies(varying: Sequence[Instruction], values: ValueMap) -> list[Instruction]:
    """Copy the instructions that depend on the row; `values` has known ones, and receives the copies."""
    copies = []
    for i in varying:
        copy = values[i] = i.parent.insert(i.parent.index(i) + 1, clone_instruction(i, {}))
        copies.append(copy)
    for copy in copies:
        copy.set_operands([values.get(o, o) for o in copy.operands])
    return copies


def _guarded_rows(reuse: RowReuse, guard: RowGuard, rows: int) -> tuple[list[ValueMap], list[Value]]:
    """Let the guard pass if any row is inside; a row outside is replaced by the first one that is inside.

    Returns the values that replace those before the guard in each row, and which rows are inside.
    """
    b = Builder(guard.branch.parent, guard.branch)
    calls = [i for i in reuse.before if work_item_function(i) is not None]
    of_test = _needed(reuse.before, [guard.test])
    call = next(i for i in of_test if i in calls)
    ids = [b.add(call, const_int(I64, row), call.name, ("nuw", "nsw")) for row in range(rows)]
    tests = [_recomputed(b, of_test, dict.fromkeys(calls, id))[guard.test] for id in ids]
    active = tests if guard.passes else [b.binary("xor", test, _TRUE) for test in tests]
    combined = reduce(partial(b.binary, "or" if guard.passes else "and"), tests)
    users = {i: None for i in reuse.before if i not in of_test}
    condition = _recomputed(b, _depending(users, guard.test), {guard.test: combined})
    guard.branch.set_operand(0, condition[guard.branch.operands[0]])
    first = ids[-1]
    for id, inside in reversed(list(zip(ids[:-1], active[:-1], strict=True))):
        first = b.select(inside, id, first)
    of_body = _needed(reuse.before, [o for i in reuse.varying for o in i.operands])
    chosen = [b.select(inside, id, first) for id, inside in zip(ids, active, strict=True)]
    return [_recomputed(b, of_body, dict.fromkeys(calls, id)) for id in chosen], active


def _needed(before: Sequence[Instruction], roots: Sequence[Value]) -> list[Instruction]:
    """Return the instructions that some values are computed by."""
    needed = set(roots)
    for i in reversed(before):
        if i in needed:
            needed.update(i.operands)
    return [i for i in before if i in needed]


def _depending(candidates: Iterable[Instruction], value: Value) -> list[Instruction]:
    """Return the instructions that are computed from a value."""
    depending = {value}
    for i in candidates:
        if not depending.isdisjoint(i.operands):
            depending.add(i)
    return [i for i in candidates if i in depending]


def _recomputed(b: Builder, instructions: Iterable[Instruction], values: Mapping[Value, Value]) -> ValueMap:
    """Copy instructions with their operands replaced by `values`; return all values."""
    copies = dict(values)
    for i in instructions:
        if i not in copies:
            copies[i] = b.insert(clone_instruction(i, copies))
    return copies


def _predicate(store: Instruction, condition: Value) -> None:
    """Put a store under a branch."""
    block = store.parent
    after = block.split(block.index(store) + 1, f"{block.name}.after")
    inside = block.split(block.index(store), f"{block.name}.row")
    block.terminator.set_operands([condition, inside, after])


def _erase_unused(instructions: Sequence[Instruction]) -> None:
    for i in reversed(instructions):
        if not i.users:
            i.erase()
