"""Unroll work-item loops, so that several work-items run in one iteration.

    x: %i = phi [0, pre], [%n, x]           x: %i = phi [0, pre], [%n, latch]
       … %i …                        →         … %i …          ; work-item 0
       %n = add %i, 1                          … %i + 1 …      ; work-item 1
       br (%n < 8), x, end                     %n = add %i, 2
                                               br (%n < 8), x, end

Work-items are independent between two barriers, so unrolling needs no dependence analysis. Each memory access
is tagged with its region and its work-item in the iteration; the scheduler orders accesses of one region only
within a work-item. Loops run from 0 in steps of 1 to a constant.

Refused: loops that contain a loop (such as one of the kernel that was not interchanged with the work-item
loop), and loops with an unknown trip count.
"""

from collections.abc import Sequence

from weft.dataclasses import dataclass
from weft.ir import Block, Function, Instruction, Module
from weft.ir.clone import ValueMap, clone_blocks
from weft.ir.loops import Loop, loop_forest
from weft.ir.metadata import integer_node, node_integers
from weft.ir.values import ConstantInt, const_int
from weft.transform.workgroup.work_item_loops import is_any_work_item_loop

from .lower_memory import ITEM

_ACCESSES = ("load", "store")


@dataclass(frozen=True)
class Unrolled:
    """A work-item loop of `size` iterations, unrolled by `factor`; `why` it was not unrolled further."""

    header: str
    size: int
    factor: int
    why: str = ""


def unroll_work_items(function: Function, most_items: int, most_instructions: int) -> list[Unrolled]:
    """Unroll work-item loops, innermost first, for up to `most_items` work-items per iteration.

    A body does not grow beyond `most_instructions`.
    """
    module = function.module
    assert module is not None
    _mark_accesses(function, module)
    results: list[Unrolled] = []
    seen: set[Block] = set()
    together: dict[Block, int] = {}
    while True:
        loop = next(
            (
                loop
                for loop in reversed(loop_forest(function).loops)
                if loop.latch is not None and loop.header not in seen and is_any_work_item_loop(loop)
            ),
            None,
        )
        if loop is None:
            return results
        seen.add(loop.header)
        items = max((together.get(block, 1) for block in loop.blocks), default=1)
        result = _unroll(function, module, loop, items, most_items, most_instructions)
        results.append(result)
        together[loop.header] = items * result.factor


def _mark_accesses(function: Function, module: Module) -> None:
    """Tag accesses of a region with work-item 0; access groups identify regions."""
    regions: dict[str, int] = {}
    for instruction in function.instructions():
        group = instruction.metadata.get("llvm.access.group")
        if group is not None and instruction.opcode in _ACCESSES:
            region = regions.setdefault(group, len(regions))
            instruction.metadata[ITEM] = integer_node(module, region, 0)


def _unroll(
    function: Function, module: Module, loop: Loop, items: int, most_items: int, most_instructions: int
) -> Unrolled:
    header, latch = loop.header, loop.latch
    assert latch is not None
    name = header.name or "loop"
    counter = _counter(loop)
    if counter is None:
        return Unrolled(name, 0, 1, "its trip count is unknown")
    phi, step, compare, size = counter
    if any(child is not loop for child in loop.nest()):
        return Unrolled(name, size, 1, "its body contains a loop")
    length = loop.size
    limit = min(size, max(most_items // items, 1), max(most_instructions // max(length, 1), 1))
    factor = next(n for n in range(limit, 0, -1) if size % n == 0)
    if factor > 1:
        _copy(function, module, loop, phi, step, compare, items, factor, size)
    return Unrolled(name, size, factor)


def _counter(loop: Loop) -> tuple[Instruction, Instruction, Instruction, int] | None:
    """Return phi, step, comparison and trip count of a loop from 0 to a constant, or None."""
    latch = loop.latch
    assert latch is not None
    branch = latch.terminator
    phis = loop.header.phis()
    if len(phis) != 1 or branch.opcode != "br" or len(branch.operands) != 3:
        return None
    compare = branch.operands[0]
    if (
        not isinstance(compare, Instruction)
        or compare.opcode != "icmp"
        or branch.operands[1] is not loop.header
    ):
        return None
    step, bound = compare.operands
    if compare.attributes["predicate"] != "ult" or not isinstance(bound, ConstantInt):
        return None
    if phis[0].incoming_from(latch) is not step or not isinstance(step, Instruction):
        return None
    return phis[0], step, compare, bound.value


def _copy(
    function: Function,
    module: Module,
    loop: Loop,
    phi: Instruction,
    step: Instruction,
    compare: Instruction,
    items: int,
    factor: int,
    size: int,
) -> None:
    """Insert `factor - 1` copies of the body between the header and the latch."""
    header, latch = loop.header, loop.latch
    assert latch is not None
    # After the splits the latch holds only the step and the header only the phi.
    body_head = header.split(header.first_non_phi, f"{header.name}.body")
    if latch is header:
        latch = body_head
    tail = latch.split(latch.index(step), f"{latch.name}.step")
    _move_with(step, compare, tail)
    inside = _between(body_head, tail)
    ends: list[tuple[Block, Block]] = []
    for number in range(1, factor):
        values: ValueMap = {}
        item = Instruction(
            "add", phi.type, [phi, const_int(phi.type, number)], f"{phi.name}.{number}", ("nuw", "nsw")
        )
        values[phi] = item
        copies = clone_blocks(inside, function, values, f"item{number}")
        first = values[body_head]
        assert isinstance(first, Block)
        first.insert(0, item)
        _renumber(copies, module, items * number)
        end = values[latch]
        assert isinstance(end, Block)
        ends.append((first, end))
    # Each copy branches to the next, the last one to the step.
    last = latch
    for first, end in ends:
        last.terminator.replace_operand(tail, first)
        last = end
    step.set_operand(1, const_int(phi.type, factor))
    if factor == size:
        tail.terminator.set_operands([tail.terminator.operands[2]])
        tail.terminator.metadata.clear()
        start = next(v for v, source in phi.incoming() if source is not tail)
        phi.replace_all_uses_with(start)
        phi.erase()
        for dead in (compare, step):
            if not dead.users:
                dead.erase()


def _move_with(step: Instruction, compare: Instruction, tail: Block) -> None:
    if compare.block is not tail:
        compare.move_before(tail.terminator)
    assert step.block is tail


def _between(first: Block, end: Block) -> list[Block]:
    """Return the blocks reachable from `first` without passing `end`."""
    blocks: dict[Block, None] = {}
    work = [first]
    while work:
        block = work.pop()
        if block not in blocks and block is not end:
            blocks[block] = None
            work += block.successors()
    return list(blocks)


def _renumber(blocks: Sequence[Block], module: Module, by: int) -> None:
    """Tag copies of accesses with their work-items."""
    for block in blocks:
        for instruction in block.instructions:
            node = instruction.metadata.get(ITEM)
            if node is not None:
                region, item = node_integers(module, node)
                instruction.metadata[ITEM] = integer_node(module, region, item + by)
