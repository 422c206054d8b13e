"""Create several versions of a work-item loop and select one at run time by its loop record.

    strategy = record.strategy
    if (strategy == 0) { strategy = strategy_to_try(record); start = cycles }
    switch (strategy) { 1: the loop; 2: a copy; … }
    if (start) strategy_tried(record, strategy, work-items, cycles - start)

The functions that select are in the pool (`device/loop_choice.c`): they try the versions one by one and keep
the fastest. The record belongs to the machine code in memory, so to the device. There is no lock: a
thread may overwrite a sample of another, and all versions compute the same. The caller decides which code the
versions contain.

Requires a work-item loop with a preheader and one exit, and no value that is used after it. Linear in the
size of the loop.
"""

from weft import abi
from weft.analysis.lanes import lanes
from weft.ir import Block, Function, Instruction, Value
from weft.ir.builder import Builder
from weft.ir.loops import Loop, LoopForest
from weft.ir.types import I64, VOID
from weft.ir.values import const_int

from .cannot_vectorize import CannotVectorize, NotVectorized
from .counted_loop import require_work_item_range, work_item_range
from .loop_records import VERSION, LoopRecords
from .version_loop import LoopVersion, copy_loop

_CLOCK = "llvm.readcyclecounter"


def choose_at_run_time(loop: Loop, strategies: tuple[str, ...], records: LoopRecords) -> list[LoopVersion]:
    """Create a version of a work-item loop for each strategy; return them in that order."""
    counter, limit = require_work_item_range(loop)
    function, preheader = loop.header.parent, loop.preheader
    if preheader is None or len(loop.exit_edges) != 1 or loop.exits[0].phis():
        raise CannotVectorize(NotVectorized.LOOP_FORM)
    ((leaving, exit_block),) = loop.exit_edges
    record = records.add(loop.header.name or "", strategies)
    begin = counter.incoming_from(preheader)
    starts = [function.add_block(f"version.{strategy}") for strategy in strategies]
    # The first version is the loop itself.
    copies = [copy_loop(loop, VERSION, distinct=False) for _ in strategies[1:]]
    versions = [LoopVersion(loop, {}), *copies]
    for version, start in zip(versions, starts, strict=True):
        version.enter(start, preheader)
    _Choice(function, record, len(strategies), records).emit(
        preheader, starts, [(version.block(leaving), exit_block) for version in versions], begin, limit
    )
    return versions


def count_scalar_iterations(loop: Loop, forest: LoopForest, records: LoopRecords) -> None:
    """Count the iterations of divergent loops in a work-item loop that stays scalar."""
    work_items = work_item_range(loop)
    if not records.counts or not loop.children or work_items is None:
        return
    shape = lanes(loop, work_items.counter, forest)
    for child in loop.children:
        for inner in child.nest():
            if inner.header in shape.masked:
                records.count_serial(inner.header, inner)


class _Choice:
    """Emits the code that selects a version and measures it."""

    def __init__(self, function: Function, record: int, count: int, records: LoopRecords) -> None:
        self.function, self.record, self.count, self.records = function, record, count, records

    def emit(
        self,
        preheader: Block,
        starts: list[Block],
        ends: list[tuple[Block, Block]],
        begin: Value,
        limit: Value,
    ) -> None:
        preheader.terminator.erase()
        trying, chosen = self.function.add_block("version.try"), self.function.add_block("version.chosen")
        b = Builder(preheader)
        recorded = b.load(I64, self.records.field(b, self.record, abi.LOOP_STRATEGY), 8, "strategy")
        recorded.attributes["volatile"] = True
        b.cond_br(b.icmp("eq", recorded, const_int(I64, 0)), trying, chosen)
        b = Builder(trying)
        to_try = self.records.call(b, abi.STRATEGY_TO_TRY, self.record)
        started = b.call_symbol(_CLOCK, I64, [], "started")
        b.br(chosen)
        b = Builder(chosen)
        strategy, start = b.phi(I64, "strategy"), b.phi(I64, "started")
        for phi, known, tried in ((strategy, recorded, to_try), (start, const_int(I64, 0), started)):
            phi.add_incoming(known, preheader)
            phi.add_incoming(tried, trying)
        cases: list[Value] = [strategy, starts[0]]
        for number, block in enumerate(starts[1:], 2):
            cases += [const_int(I64, number), block]
        b.insert(Instruction("switch", VOID, cases))
        done = self.function.add_block("version.done")
        for leaving, exit_block in ends:
            terminator = leaving.terminator
            terminator.set_operands([done if o is exit_block else o for o in terminator.operands])
        self._measure(done, ends[0][1], strategy, start, begin, limit)

    def _measure(
        self, done: Block, exit_block: Block, strategy: Value, start: Value, begin: Value, limit: Value
    ) -> None:
        measure = self.function.add_block("version.measure")
        b = Builder(done)
        b.cond_br(b.icmp("eq", start, const_int(I64, 0)), exit_block, measure)
        b = Builder(measure)
        cycles = b.sub(b.call_symbol(_CLOCK, I64, []), start)
        items = b.cast("zext", b.sub(limit, begin), I64)
        self.records.call(b, abi.STRATEGY_TRIED, self.record, strategy, items, cycles)
        b.br(exit_block)
