"""Let other sub-groups run while one waits in a loop.

Each cycle of the code that observes what others write (`analysis/waiting_loops.py`) counts its iterations, in
one counter for all cycles of a function. After a number of them the pool may run another sub-group
(`device/sub_groups.c`):

    spin:                                        spin:
      %v = load atomic i32, ptr %flag …            %v = load atomic i32, ptr %flag …
      br i1 %set, label %on, label %spin           br i1 %set, label %on, label %spin.again
                                                 spin.again:
                                                   %left = load i32, ptr %countdown
                                                   %less = add i32 %left, -1
                                                   store i32 %less, ptr %countdown
                                                   br i1 %enough, label %spin.yield, label %spin.next
                                                 spin.yield:
                                                   call void @weft_yield()
                                                   store i32 256, ptr %countdown
                                                   br label %spin.next
                                                 spin.next:
                                                   br label %spin

The call may change all memory except private memory, so LLVM reloads plain values after it: local memory of a
work-group changes only there. Work-item loops are not counted, since they terminate. An irreducible cycle is
counted at each back edge. Runs on work-group functions after all other passes, because none knows the call,
and on functions that are not inlined if they may wait. Refuses nothing. Keeps natural loops; linear.
"""

from collections.abc import Iterable

from weft.abi import YIELD
from weft.analysis.waiting_loops import is_fence, is_observation, waiting_loops
from weft.ir import Block, Function, Instruction
from weft.ir.builder import Builder
from weft.ir.dominators import reverse_post_order
from weft.ir.loops import loop_forest
from weft.ir.types import I32, VOID, FunctionType
from weft.ir.values import const_int

from .work_item_loops import is_any_work_item_loop

# Iterations before others run: a few take as long as a switch of stacks; exchanges do not fail that often.
YIELD_INTERVAL = 256


def yield_in_functions(functions: Iterable[Function]) -> int:
    """Add calls to the functions that may wait; return the number of edges that count."""
    return sum(yield_in_loops(f) for f in functions if waiting_loops(f, calls_observe=True))


def yield_in_loops(function: Function) -> int:
    """Add calls to the cycles of a function that observe what others write; return the number of edges."""
    edges = _back_edges(function)
    if not edges:
        return 0
    entry = Builder.in_entry(function)
    countdown = entry.alloca(I32, 4, "countdown")
    entry.store(const_int(I32, YIELD_INTERVAL), countdown, 4)
    yields = function.parent.declare(YIELD, FunctionType(VOID, ()))
    for source, target in edges:
        _count(source, target, countdown, yields)
    return len(edges)


def _back_edges(function: Function) -> list[tuple[Block, Block]]:
    """Return the back edges of cycles that observe what others write."""
    forest = loop_forest(function)
    edges: dict[tuple[Block, Block], None] = {}
    for loop in forest.loops:
        if any(map(_observes, loop.instructions())) and not is_any_work_item_loop(loop):
            edges |= dict.fromkeys((latch, loop.header) for latch in loop.latches)
    position = {block: i for i, block in enumerate(reverse_post_order(function))}
    for cycle in forest.irreducible:
        for block in cycle:
            back = (s for s in block.successors() if s in cycle and position[s] <= position[block])
            edges |= dict.fromkeys((block, s) for s in back)
    return list(edges)


def _observes(i: Instruction) -> bool:
    return is_observation(i, calls_observe=True) or is_fence(i)


def _count(source: Block, target: Block, countdown: Instruction, yields: Function) -> None:
    """Count how often an edge is taken, and yield after YIELD_INTERVAL times."""
    function, name = source.parent, source.name
    counts, waits, goes_on = (function.add_block(f"{name}.{part}") for part in ("again", "yield", "next"))
    terminator = source.terminator
    for index, operand in enumerate(terminator.operands):
        if operand is target:
            terminator.set_operand(index, counts)
    for phi in target.phis():
        phi.replace_operand(source, goes_on)
    b = Builder(counts)
    less = b.add(b.load(I32, countdown, 4, "left"), const_int(I32, -1), "less")
    b.store(less, countdown, 4)
    branch = b.cond_br(b.icmp("eq", less, const_int(I32, 0), "enough"), waits, goes_on)
    branch.metadata["prof"] = function.parent.add_metadata(
        f'!{{!"branch_weights", i32 1, i32 {YIELD_INTERVAL}}}'
    )
    b = Builder(waits)
    b.call(yields, [])
    b.store(const_int(I32, YIELD_INTERVAL), countdown, 4)
    b.br(goes_on)
    jump = Builder(goes_on).br(target)
    if "llvm.loop" in terminator.metadata:
        jump.metadata["llvm.loop"] = terminator.metadata.pop("llvm.loop")
