"""Split the loop over work-items where their number decides a branch (index-set splitting).

    for (x = 0; x < n; x++)                 for (x = 0; x < n; x++) if (base + x < m) A
      if (base + x < m) A else B    becomes
                                            for (x = 0; x < n; x++) if (!(base + x < m)) B

The conditions are then guards, which become bounds (`bounds_from_guards.py`): each loop visits only its own
work-items, without masks. Work-items of a region may run in any order. The typical case is the edge of a
picture: `if (x > 0 && x < width - 1) inner else border` becomes one loop for the inner part and two for the
border.

    a && b: A else B          if (a && b) A, if (!a) B, if (a && !b) B
    x == m: A else B          if (x == m) A, if (x < m) B, if (x > m) B

Requires a work-group function. Considers the first branch of an innermost work-item loop after straight code
without effects. Splits if all its conditions are bounds or uniform (at least one is a bound), both paths do
something (`guard.py` has the other case) and are worth it, the loop may have FEWEST work-items, and the
result has at most LARGEST instructions. Linear time.
"""

from weft.analysis.cross_lane import cross_lane_size
from weft.analysis.lanes import Lanes
from weft.dataclasses import replace
from weft.ir import Block, ConstantInt, Function, Instruction
from weft.ir.builder import Builder
from weft.ir.dominators import reverse_post_order
from weft.ir.graph import reachable
from weft.ir.loops import Loop, LoopForest, loop_forest
from weft.transform.workgroup.work_item_loops import is_work_item_loop

from .bounds import bound_of
from .counted_loop import range_without_results
from .guard import Condition, Guard, branch_of, take_guard
from .version_loop import LoopVersion, copy_loop

# Maximal number of instructions of all loops together.
LARGEST = 400
# Instructions of both paths that justify separate loops if not both paths access memory.
WORTH = 12

# Loops of fewer work-items are passes over a few vectors, which would not be full.
FEWEST = 64

# Conditions that must all hold.
Case = tuple[Condition, ...]


def split_index_sets(function: Function) -> set[Block]:
    """Split the work-item loops of a function that may have FEWEST work-items.

    Returns the latches of the added loops: those for work-items that do not take the first path.
    """
    forest = loop_forest(function)
    added: set[Block] = set()
    for loop in forest.loops:
        if is_work_item_loop(loop) and not cross_lane_size(loop):
            added |= _split(loop, forest)
    if added:
        _remove_unreachable(function)
    return added


def _split(loop: Loop, forest: LoopForest) -> set[Block]:
    """Split a loop; return the latches of its copies, or the empty set if it is unchanged."""
    latch = loop.known_latch
    work_items = range_without_results(loop)
    if latch.phis() or work_items is None:
        return set()
    counter, limit = work_items
    if isinstance(limit, ConstantInt) and limit.value < FEWEST:
        return set()
    branch = branch_of(loop)
    if branch is None:
        return set()
    cases = _cases(branch, branch.shapes(loop, counter, forest))
    if cases is None or not _is_worth(branch, latch):
        return set()
    paths = [(branch.body, case) for case in cases[0]] + [(branch.skip, case) for case in cases[1]]
    if sum(_size(branch, path, latch) for path, _ in paths) > LARGEST:
        return set()
    copies = [_copy(loop, number) for number in range(1, len(paths))]
    for (path, case), version in zip(paths, [LoopVersion(loop, {}), *copies], strict=True):
        _guard(branch, path, case, latch, version)
    return {copy.block(latch) for copy in copies}


def _cases(branch: Guard, shape: Lanes) -> tuple[list[Case], list[Case]] | None:
    """Return the cases in which work-items reach the body and those in which they do not.

    None if the conditions do not follow from the numbers of work-items.
    """
    body: list[Case] = [()]
    other: list[Case] = []
    bounds = 0
    for condition in branch.conditions:
        yes = _alternatives(condition, shape, branch)
        no = _alternatives(replace(condition, holds=not condition.holds), shape, branch)
        if not yes or not no:
            return None
        bounds += not shape.is_uniform(condition.value)
        other += [(*case, one) for case in body for one in no]
        body = [(*case, one) for case in body for one in yes]
    return (body, other) if bounds else None


def _alternatives(condition: Condition, shape: Lanes, branch: Guard) -> list[Condition]:
    """Return bounds of which exactly one holds if the condition does, or a uniform condition itself.

    The list is empty if the condition is no bound.
    """
    if shape.is_uniform(condition.value) or bound_of(condition, shape) is not None:
        return [condition]
    value = condition.value
    if not isinstance(value, Instruction) or value.opcode != "icmp":
        return []
    unequal = "ne" if condition.holds else "eq"
    evolutions = [shape.of(operand) for operand in value.operands]
    if value.attributes["predicate"] != unequal or any(f is None or f.needs for f in evolutions):
        return []
    sign = (
        "s"
        if all(f.signed for f in evolutions if f)
        else "u"
        if all(f.unsigned for f in evolutions if f)
        else None
    )
    if sign is None:
        return []
    b = Builder(branch.blocks[-1], branch.branch)
    left, right = value.operands
    sides = [Condition(b.icmp(f"{sign}{way}", left, right), True, condition.lazy) for way in ("lt", "gt")]
    return sides if all(bound_of(side, shape) is not None for side in sides) else []


def _is_worth(branch: Guard, latch: Block) -> bool:
    """Return whether the two paths are more than what selects could handle as well."""
    body, skip = _reached(branch.body, latch), _reached(branch.skip, latch)
    own = [
        [i for block in path if block not in other for i in block.instructions]
        for path, other in ((body, skip), (skip, body))
    ]
    both = all(any(i.info.reads or i.info.writes for i in path) for path in own)
    return both or sum(map(len, own)) >= WORTH


def _size(branch: Guard, path: Block, latch: Block) -> int:
    """Return the size of a loop for the work-items that take one path."""
    blocks = (*branch.blocks, *_reached(path, latch), latch)
    return sum(len(block.instructions) for block in dict.fromkeys(blocks))


def _reached(start: Block, latch: Block) -> dict[Block, None]:
    return {start: None} | reachable(start.successors(), Block.successors, lambda block: block is not latch)


def _copy(loop: Loop, number: int) -> LoopVersion:
    """Copy a loop; the copy comes after it and before earlier copies."""
    latch, preheader = loop.known_latch, loop.known_preheader
    (exit,) = loop.exits
    copy = copy_loop(loop, f"split{number}")
    between = latch.parent.add_block(f"{copy.header.name}.pre")
    copy.enter(between, preheader)
    latch.terminator.replace_operand(exit, between)
    return copy


def _guard(branch: Guard, path: Block, case: Case, latch: Block, version: LoopVersion) -> None:
    """Reduce a loop, or its copy, to one path, for the work-items of a case."""
    blocks = tuple(version.block(block) for block in branch.blocks)
    conditions = [replace(c, value=version.value(c.value)) for c in case]
    jump, body = version.instruction(branch.branch), version.block(path)
    for old in jump.successors():
        if old is not body:
            for phi in old.phis():
                phi.remove_incoming(blocks[-1])
    take_guard(Guard(blocks, jump, body, version.block(latch), tuple(conditions)), conditions)


def _remove_unreachable(function: Function) -> None:
    """Remove unreachable blocks."""
    reached = set(reverse_post_order(function))
    dead = [block for block in function.blocks if block not in reached]
    for block in dead:
        for following in block.successors():
            if following in reached:
                for phi in following.phis():
                    phi.remove_incoming(block)
    function.remove_blocks(dead)
