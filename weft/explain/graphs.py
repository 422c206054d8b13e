"""The control flow graphs of a recorded kernel: of one work-item, with its regions, of the work-group."""

import re
from collections.abc import Callable

from weft.ir import Block, Function

from .naming import Naming
from .recorder import BlockSnapshot, Recorder
from .regions import Regions
from .report import Edge, Graph, Node

_METADATA = re.compile(r",? !(?:[A-Za-z_][\w.]* )?!?\d+\b|(?<=\)) #\d+")


def graphs(record: Recorder, naming: Naming, regions: Regions) -> tuple[Graph, ...]:
    """The kernel as it was, between barriers, and as the function of a work-group."""
    originals = _copies(record)

    def before(block: BlockSnapshot) -> Node:
        found = {n for i in block.instructions for n in regions.of(i)}
        barrier = _barrier(block.instructions[0].block, regions) if len(block.instructions) == 2 else ""
        return _node(block, naming, () if barrier else tuple(sorted(found)), barrier)

    def between(block: BlockSnapshot) -> Node:
        barrier = _barrier(block.block, regions)
        return _node(block, naming, regions.holding.get(block.block, ()), barrier)

    inside = {b: n for n, blocks in region_blocks(record.made).items() for b in blocks}
    barriers = _barrier_blocks(record)

    def after(block: BlockSnapshot) -> Node:
        number = inside.get(block.block)
        copied = originals.get(block.block) or barriers.get(block.block)
        lines = tuple(naming.lines(copied.instructions)) if copied is not None else ()
        barrier = _barrier(barriers.get(block.block), regions)
        return Node(block.name, _cleaned(block.text), lines, () if number is None else (number,), barrier)

    return (
        _graph("Kernel", "one work-item, as it was written", record.before, before),
        _graph("Parallel regions", "one work-item, with the implicit barriers", record.between, between),
        _graph("Work-group function", "all work-items of a group, region by region", record.after, after),
    )


def region_blocks(function: Function) -> dict[int, list[Block]]:
    """The blocks of each region's work-item loops in a work-group function, in their order."""
    starts = {}
    for block in function.blocks:
        match = re.fullmatch(r"region\.(\d+)\.pre", block.name or "")
        if match:
            starts[int(match[1])] = block
    found = {}
    for number, start in starts.items():
        members = {start}
        work = [start]
        while work:
            block = work.pop()
            if block.name == f"region.{number}.end":
                continue
            new = [s for s in block.successors() if s not in members]
            members.update(new)
            work += new
        found[number] = [b for b in function.blocks if b in members]
    return found


def access_groups(function: Function) -> dict[int, str]:
    """The metadata number of each region's access group in a work-group function."""
    found = {}
    for number, blocks in region_blocks(function).items():
        for instruction in (i for b in blocks for i in b.instructions):
            group = instruction.metadata.get("llvm.access.group")
            if group is not None:
                found[number] = group[1:]
                break
    return found


def _barrier_blocks(record: Recorder) -> dict[Block, Block]:
    """The kernel's barrier behind each block of the work-group function that stands for one.

    They follow the entry, in the order of the barrier CFG.
    """
    barriers = record.cfg.barriers
    blocks = record.made.blocks[1 : len(barriers) + 1]
    same = [b.name for b in blocks] == [b.name for b in barriers]
    return dict(zip(blocks, barriers, strict=True)) if same else {}


def _copies(record: Recorder) -> dict[Block, Block]:
    """The kernel's block of which each block of the work-group function is a copy.

    Copies follow the order of the region's blocks; the blocks of the loops around them have their names.
    """
    found: dict[Block, Block] = {}
    for number, blocks in region_blocks(record.made).items():
        own = [b for b in blocks if not (b.name or "").startswith(f"region.{number}.")]
        originals = record.cfg.regions[number].blocks
        if [b.name for b in own] == [b.name for b in originals]:
            found.update(zip(own, originals, strict=True))
    return found


def _barrier(block: Block | None, regions: Regions) -> str:
    number = regions.barrier_numbers.get(block) if block is not None else None
    return f"b{number}" if number is not None else ""


def _node(block: BlockSnapshot, naming: Naming, regions: tuple[int, ...], barrier: str) -> Node:
    lines = tuple(naming.lines(block.instructions))
    return Node(block.name, _cleaned(block.text), lines, regions, barrier, block.divergent)


def _cleaned(text: tuple[str, ...]) -> tuple[str, ...]:
    """Instructions without metadata and attribute groups, which say little to a person."""
    return tuple(_METADATA.sub("", line) for line in text)


def _graph(
    title: str, about: str, blocks: list[BlockSnapshot], make: Callable[[BlockSnapshot], Node]
) -> Graph:
    index = {b.block: i for i, b in enumerate(blocks)}
    edges = [
        Edge(index[b.block], index[target], label)
        for b in blocks
        for target, label in b.successors
        if target in index
    ]
    return Graph(title, about, tuple(map(make, blocks)), tuple(edges))
