"""Find kernels in which rows of work-items load the same data in their inner loops.

    for (int k = 0; k < n; k++) sum += a[y * n + k] * b[x * n + k];

All work-items of a column load the same elements of `b`, each separately. If a call runs several rows at once
(`transform/workgroup/unroll_and_jam.py`), each element is loaded once for all of them.
"""

from collections.abc import Collection
from enum import unique

from weft.dataclasses import dataclass
from weft.ir import Block, ConstantInt, Function, Instruction, Value
from weft.ir.dominators import dominators, reverse_post_order
from weft.ir.graph import reachable
from weft.ir.loops import LoopForest, loop_forest
from weft.messages import Message

from .memory_effects import has_no_effects
from .work_items import work_item_function

# The most loop-carried values of one work-item. Four rows of three would take 24 registers.
MOST_CARRIED = 2
# The most instructions that are replicated for each row. Loops with more compute more than they load.
MOST_REPLICATED = 64


@unique
class NoRowReuse(Message):
    """Why rows of work-items are not jammed."""

    NOTHING_SHARED = "they share no loads in inner loops"
    OTHER_POSITIONS = "the kernel uses another position than global ids"
    DIVERGENT = "a branch depends on the row"
    ORDER_MATTERS = "the order of accesses matters"
    MANY_VALUES = "their values would not stay in registers"


@dataclass(frozen=True)
class RowGuard:
    """A branch that skips rows outside the range: `if (y < height && x < width)` around all accesses.

    `test` is the part of the condition that depends on the row; it is `passes` for rows that execute `body`.
    """

    branch: Instruction
    body: Block
    test: Instruction
    passes: bool


@dataclass(frozen=True)
class RowReuse:
    """The instructions of a kernel that depend on the row, in their order.

    `before` are the calls that return the row, wherever they are, and the instructions before the guard;
    `varying` are all others.
    """

    before: tuple[Instruction, ...]
    varying: tuple[Instruction, ...]
    guard: RowGuard | None = None


def row_reuse(function: Function, along: int, lanes: int) -> RowReuse | NoRowReuse:
    """Return what differs between work-items along dimension `along`, if several of them should be jammed.

    `lanes` is the dimension of the work-items that run in SIMD lanes.
    """
    varying, in_lanes = _varying(function, along), _varying(function, lanes)
    if varying is None or in_lanes is None:
        return NoRowReuse.OTHER_POSITIONS
    shares, carried = False, 0
    forest = loop_forest(function)
    for loop in forest.loops:
        if not loop.children:
            loads = [i for i in loop.instructions() if i.opcode == "load"]
            shared = any(i in in_lanes and i not in varying for i in loads)
            shares |= shared and any(i in varying for i in loads)
            carried = max(carried, sum(phi in varying for phi in loop.header.phis()))
    if not shares:
        return NoRowReuse.NOTHING_SHARED
    if not all(map(_has_no_order, function.instructions())):
        return NoRowReuse.ORDER_MATTERS
    if carried > MOST_CARRIED or len(varying) > MOST_REPLICATED:
        return NoRowReuse.MANY_VALUES
    ordered = [i for block in reverse_post_order(function) for i in block.instructions if i in varying]
    branches = [i for i in ordered if i.is_terminator]
    if not branches:
        ids = tuple(i for i in ordered if work_item_function(i) is not None)
        return RowReuse(ids, tuple(i for i in ordered if i not in ids))
    guard = _row_guard(branches[0], varying, in_lanes) if len(branches) == 1 else None
    if guard is None or _is_in_cycle(guard.branch.parent, forest):
        return NoRowReuse.DIVERGENT
    tree = dominators(function)
    inside = {i for i in ordered if tree.dominates(guard.body, i.parent) and work_item_function(i) is None}
    before = tuple(i for i in ordered if i not in inside and not i.is_terminator)
    if any(i.opcode in ("load", "store", "phi") for i in before):
        return NoRowReuse.DIVERGENT
    return RowReuse(before, tuple(i for i in ordered if i in inside), guard)


def _is_in_cycle(block: Block, forest: LoopForest) -> bool:
    """Whether a block may run again: rows that a guard there excludes must not be included later."""
    return forest.loop_of(block) is not None or any(block in cycle for cycle in forest.irreducible)


def _row_guard(
    branch: Instruction, varying: Collection[Instruction], in_lanes: Collection[Instruction]
) -> RowGuard | None:
    """Return a branch as a guard of rows, or None."""
    if branch.opcode != "br":
        return None
    test, yes, no = branch.operands
    assert isinstance(yes, Block) and isinstance(no, Block)
    passes = _only_returns(no)
    body = yes if passes else no
    if (not passes and not _only_returns(yes)) or len(body.predecessors()) > 1:
        return None
    while test in in_lanes:
        of_rows = [part for part in _parts(test, passes) if part in varying]
        if len(of_rows) != 1:
            return None
        test = of_rows[0]
    assert isinstance(test, Instruction)
    return RowGuard(branch, body, test, passes)


def _parts(test: Value, conjunction: bool) -> list[Value]:
    """Return the operands of a conjunction (or disjunction); nothing if the condition is neither."""
    assert isinstance(test, Instruction)
    if test.opcode == ("and" if conjunction else "or"):
        return test.operands
    if test.opcode == "select":
        decided = test.operands[2 if conjunction else 1]
        if isinstance(decided, ConstantInt) and decided.value == (not conjunction):
            return [o for o in test.operands if o is not decided]
    return []


def _only_returns(block: Block) -> bool:
    return len(block.instructions) == 1 and block.terminator.opcode == "ret"


def _varying(function: Function, dimension: int) -> set[Instruction] | None:
    """Return the instructions that depend on the id in a dimension; None if any depends on another position.

    Loads from the same address return the same value for all work-items: a store there would be a data race.
    """
    ids: list[Instruction] = []
    for i in function.instructions():
        called = work_item_function(i)
        if called is None or not called.varying:
            continue
        if called.name != "get_global_id" or not isinstance(i.arguments[0], ConstantInt):
            return None
        if i.arguments[0].value == dimension:
            ids.append(i)
    return set(reachable(ids, lambda i: i.users))


def _has_no_order(i: Instruction) -> bool:
    """Whether an instruction may run for several work-items at a time."""
    match i.opcode:
        case "call":
            return work_item_function(i) is not None or has_no_effects(i)
        case "load" | "store":
            return not i.is_ordered
        case _:
            return not (i.info.reads or i.info.writes) and i.opcode != "alloca"
