"""The control-flow graphs of a recorded kernel: as written, with regions, and as a work-group function."""

from collections.abc import Callable

from weft.dataclasses import replace
from weft.ir import Instruction
from weft.transform.describe.branches import Branching
from weft.transform.describe.regions import Structure
from weft.transform.describe.snapshot import BlockSnapshot
from weft.transform.workgroup.work_group_function import WorkGroupCode

from .recorder import Recorder
from .report import Edge, Graph, Node


def graphs(record: Recorder) -> tuple[Graph, ...]:
    """Return the graphs of the kernel as written, with barriers, and as work-group function."""
    barriers = {r["block"]: f"b{r['barrier']}" for r in record.remarks.named(Structure.BARRIER)}
    regions: dict[str, tuple[int, ...]] = {}
    for region in record.remarks.named(Structure.REGION):
        for name in region["blocks"]:
            regions[name] = (*regions.get(name, ()), region["region"])
    divergent = {r["block"] for r in record.remarks.named(Branching.DIVERGENT)}
    now: dict[Instruction, str] = {i: b.name for b in record.between for i in b.instructions}

    def before(block: BlockSnapshot) -> Node:
        first, last = (now.get(i, "") for i in (block.instructions[0], block.instructions[-1]))
        if len(block.instructions) == 2 and first in barriers:
            return _node(block, (), barriers[first], last in divergent)
        numbers = {number for i in block.instructions for number in regions.get(now.get(i, ""), ())}
        return _node(block, tuple(sorted(numbers)), "", last in divergent)

    def between(block: BlockSnapshot) -> Node:
        name = block.name
        return _node(block, regions.get(name, ()), barriers.get(name, ""), name in divergent)

    region_of = {
        name: r["region"] for r in record.remarks.named(WorkGroupCode.REGION) for name in r["blocks"]
    }
    standing = {
        r["block"]: barriers.get(r["barrier"], "") for r in record.remarks.named(WorkGroupCode.BARRIER)
    }

    lines = {block.name: block.lines for block in record.between}
    copied = {
        copy: lines[name] for r in record.remarks.named(WorkGroupCode.REGION) for name, copy in r["copies"]
    }
    copied |= {r["block"]: lines[r["barrier"]] for r in record.remarks.named(WorkGroupCode.BARRIER)}

    def after(block: BlockSnapshot) -> Node:
        number = region_of.get(block.name)
        block = replace(block, lines=copied.get(block.name, ()))
        return _node(block, () if number is None else (number,), standing.get(block.name, ""), False)

    return (
        _graph("Kernel", "one work-item, as written", record.before, before),
        _graph("Parallel regions", "one work-item, with the implicit barriers", record.between, between),
        _graph("Work-group function", "all work-items of a group, region by region", record.after, after),
    )


def _node(block: BlockSnapshot, regions: tuple[int, ...], barrier: str, divergent: bool) -> Node:
    return Node(block.name, block.text, block.lines, regions, barrier, divergent)


def _graph(
    title: str, about: str, blocks: list[BlockSnapshot], make: Callable[[BlockSnapshot], Node]
) -> Graph:
    index = {b.name: i for i, b in enumerate(blocks)}
    edges = [Edge(index[b.name], index[target], label) for b in blocks for target, label in b.successors]
    return Graph(title, about, tuple(map(make, blocks)), tuple(edges))
