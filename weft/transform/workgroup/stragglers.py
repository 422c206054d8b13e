"""Work-items that do not continue to the barrier that the others of their group reach.

A region from which several barriers can be reached records for each work-item which one it reached. OpenCL
requires that all agree, but in real kernels work-items return before a barrier:

    if (get_global_id(0) >= n) return;
    …
    barrier(CLK_LOCAL_MEM_FENCE);

After such a region the records are compared. If all agree, as in legal kernels, the group continues.
Otherwise it continues at the barrier that the last work-item which did not return has reached. Work-items
that reached another one are *finished*: they return, as they would on a GPU, where no work-item waits for
them. From there on a second copy of the regions runs, whose work-item loops skip finished work-items:

    region.1.x:  …                                 ; records what each work-item reached
    region.1.end:                                  ; a loop over the records: lowest and highest
      br i1 %agreed, label %barrier, label %finish
    finish:      …                                 ; a loop that marks finished work-items
      br label %barrier.rest
    rest.2.x:
      br i1 %finished, label %rest.2.x.latch, label %…

The records and marks are context arrays. Kernels without such regions have neither them nor the second copy.
"""

from collections.abc import Callable, Sequence

from weft.analysis.barrier_cfg import BarrierCFG
from weft.ir import Block, Function, Instruction, Value
from weft.ir.builder import Builder
from weft.ir.graph import reachable
from weft.ir.types import I8, I32, I64, VOID, IntType
from weft.ir.values import const_int

from .context_arrays import ContextArena

# Emits the range of indices of the work-items that run together: the first, and the end.
Items = Callable[[Builder], tuple[Value, Value]]


def barriers_of_rest(cfg: BarrierCFG) -> list[Block]:
    """Return the barriers at which a group can continue when some of its work-items are finished."""
    starts = [s for r in cfg.regions if len(r.successors) > 1 for s in r.successors]
    return list(reachable(starts, cfg.after))


class Stragglers:
    """Records which barriers work-items reach, compares the records and marks finished work-items."""

    def __init__(self, function: Function, arena: ContextArena, items: Items) -> None:
        self._function, self._arena, self._items = function, arena, items
        self._reached = arena.layout.add_array(4)
        self._finished = arena.layout.add_array(1)

    def record(self, b: Builder, item: Value, number: int) -> Instruction:
        """Record that a work-item reached the successor `number` of its region."""
        return b.store(const_int(I32, number), self._place(b, self._reached, 4, item), 4)

    def is_finished(self, b: Builder, item: Value) -> Value:
        """Emit the test whether a work-item is finished."""
        mark = b.load(I8, self._place(b, self._finished, 1, item), 1, "mark")
        return b.icmp("ne", mark, const_int(I8, 0), "finished")

    def continue_after(
        self, end: Block, name: str, goals: Sequence[tuple[Block, Block]], last: int, rest: bool
    ) -> None:
        """Continue after a region: at the first of a pair if all agree, else at the second.

        `last` is the number of the successor that ends the kernel, -1 if there is none; `rest`: some
        work-items may be finished already.
        """
        lowest, highest, chosen, judged = self._survey(end, name, last, rest)
        agreed = self._function.add_block(f"{name}.agreed")
        finish = self._function.add_block(f"{name}.finish")
        judged.cond_br(judged.icmp("eq", lowest, highest, "same"), agreed, finish)
        _switch(Builder(agreed), lowest, [plain for plain, _ in goals])
        after = self._mark(finish, name, chosen, rest)
        _switch(after, chosen, [other for _, other in goals])

    def _survey(self, end: Block, name: str, last: int, rest: bool) -> tuple[Value, Value, Value, Builder]:
        """Emit a loop over the records: the lowest and highest number, and the last one other than `last`."""
        loop = _Count(self._function, end, f"{name}.survey", self._items)
        b = loop.body
        lowest, highest, chosen = (loop.carry(start) for start in (0x7FFFFFFF, 0, last))
        number = b.load(I32, self._place(b, self._reached, 4, loop.item), 4, "number")
        counts = b.icmp("eq", self.is_finished(b, loop.item), const_int(IntType(1), 0)) if rest else None

        def unless(condition: Value, value: Value, old: Value) -> Value:
            if counts is not None:
                condition = b.binary("and", condition, counts)
            return b.select(condition, value, old)

        low = unless(b.icmp("ult", number, lowest), number, lowest)
        high = unless(b.icmp("ugt", number, highest), number, highest)
        choice = unless(b.icmp("ne", number, const_int(I32, last)), number, chosen)
        return low, high, choice, loop.close([low, high, choice])

    def _mark(self, start: Block, name: str, chosen: Value, rest: bool) -> Builder:
        """Emit a loop that marks the work-items that did not reach the chosen barrier."""
        loop = _Count(self._function, start, f"{name}.mark", self._items)
        b = loop.body
        number = b.load(I32, self._place(b, self._reached, 4, loop.item), 4, "number")
        mark: Value = b.icmp("ne", number, chosen, "astray")
        if rest:
            mark = b.binary("or", mark, self.is_finished(b, loop.item))
        b.store(b.cast("zext", mark, I8), self._place(b, self._finished, 1, loop.item), 1)
        return loop.close([])

    def _place(self, b: Builder, start: int, size: int, item: Value) -> Value:
        array = self._arena.array(b, start)
        return b.byte_offset(array, b.mul(item, const_int(I64, size), None, ("nuw", "nsw")))


class _Count:
    """A loop over the indices of work-items."""

    def __init__(self, function: Function, before: Block, name: str, items: Items) -> None:
        self._function, self._before, self._name = function, before, name
        self._first, self._end = items(Builder(before))
        self._block = function.add_block(name)
        Builder(before).br(self._block)
        self.item = Builder(self._block).phi(I64, "item")
        self._carried: list[Instruction] = []
        self.body = Builder(self._block)

    def carry(self, start: int) -> Instruction:
        """Add a loop-carried number."""
        phi = self.body.phi(I32)
        phi.add_incoming(const_int(I32, start), self._before)
        self._carried.append(phi)
        return phi

    def close(self, following: Sequence[Value]) -> Builder:
        """End the loop; return a builder for the block after it."""
        b, block = self.body, self._block
        item = b.add(self.item, const_int(I64, 1), None, ("nuw", "nsw"))
        after = self._function.add_block(f"{self._name}.end")
        b.cond_br(b.icmp("ult", item, self._end), block, after)
        self.item.add_incoming(self._first, self._before)
        self.item.add_incoming(item, block)
        for phi, value in zip(self._carried, following, strict=True):
            phi.add_incoming(value, block)
        return Builder(after)


def _switch(b: Builder, number: Value, targets: Sequence[Block]) -> None:
    cases: list[Value] = []
    for case, target in list(enumerate(targets))[1:]:
        cases += [const_int(I32, case), target]
    b.emit("switch", VOID, [number, targets[0], *cases])
