"""Random control flow graphs for the tests of analyses, and slow but obvious definitions to compare with."""

from hypothesis import strategies as st

from weft import ir
from weft.ir.builder import Builder
from weft.ir.types import I1, I32, VOID, FunctionType
from weft.ir.values import const_int

Edges = list[list[int]]


@st.composite
def edge_lists(draw: st.DrawFn, most: int = 9) -> Edges:
    """For each block its successors (none, one, two, or three), with no edge into block 0."""
    count = draw(st.integers(1, most))
    target = st.integers(1, count - 1) if count > 1 else st.nothing()
    width = 3 if count > 1 else 0
    return [draw(st.lists(target, max_size=width)) for _ in range(count)]


def function_of(edges: Edges) -> ir.Function:
    """A function with these edges: blocks b0, b1, …"""
    module = ir.Module()
    fn = module.add_function("f", FunctionType(VOID, ()))
    blocks = [fn.add_block(f"b{i}") for i in range(len(edges))]
    for block, targets in zip(blocks, edges, strict=True):
        build = Builder(block)
        if not targets:
            build.ret()
        elif len(targets) == 1:
            build.br(blocks[targets[0]])
        elif len(targets) == 2:
            build.cond_br(const_int(I1, 0), blocks[targets[0]], blocks[targets[1]])
        else:
            cases = []
            for i, t in enumerate(targets[1:]):
                cases += [const_int(I32, i), blocks[t]]
            build.emit("switch", VOID, [const_int(I32, 9), blocks[targets[0]], *cases])
    return fn


def reachable(edges: Edges, start: int, without: int | None = None) -> set[int]:
    """Blocks on paths from `start` that avoid `without`."""
    found: set[int] = set()
    work = [start]
    while work:
        node = work.pop()
        if node != without and node not in found:
            found.add(node)
            work += edges[node]
    return found


def dominates(edges: Edges, a: int, b: int) -> bool:
    """The definition: no path from block 0 to `b` avoids `a`."""
    return b not in reachable(edges, 0, without=a)
