"""Sub-groups of a work-group take turns in a work-group function.

One sub-group runs at a time. Its work-items execute the parallel regions together, as those of a group do in
kernels without sub-groups; a barrier of the sub-group, or at a deciding branch of the sub-group, just leads
to the next region. At a barrier of the work-group the sub-group saves its position, and the next sub-group
continues from its own position:

    exchange.barrier:                        next.sub_group:
      store i32 3, ptr %stands               ; advance %first, the first work-item of the running
      br label %next.sub_group               ; sub-group, cyclically
                                               switch i32 %stands, label %… [ i32 3, label %exchange.turn … ]

All sub-groups reach the same barriers of the work-group, so when it is a sub-group's turn again, all others
have reached the barrier. A sub-group that has returned has no position and is skipped; the last one to return
ends the work-group function. A kernel without barriers of the work-group saves no positions: the end of one
sub-group is the start of the next, an ordinary loop around all regions.

This is hierarchical collapsing of COX (Han et al., "COX: Exposing CUDA Warp-Level Functions to CPUs", 2022),
but sub-groups are switched at the barriers of a work-group rather than by separate loops, so any control flow
is possible.

Kernels whose sub-groups may wait for one another take turns differently (`independent_sub_groups.py`).
"""

from weft.ir import Block, Value
from weft.ir.builder import Builder
from weft.ir.types import I32, I64, VOID
from weft.ir.values import ConstantInt, const_int

from .context_arrays import ContextArena
from .positions import Emitting, GroupPositions, once

# The position of a sub-group that has returned.
RETURNED = -1


class SubGroups(Emitting):
    """The sub-groups of a work-group: the running one, and sizes. Numbers have 32 bits."""

    def __init__(self, entry: Builder, group: GroupPositions, size: int) -> None:
        super().__init__()
        self.size = size
        self.group = group
        x, y, z = group.fixed_size
        known = x * y * z if x is not None and y is not None and z is not None else None
        self.items: Value
        if known is not None:
            self.items = const_int(I32, known)
        else:
            product = entry.mul(group.size32(0), group.size32(1))
            self.items = entry.mul(product, group.size32(2), "items")
        # The number of work-items of a group that is not clipped at the end of the range.
        self.enqueued = self.items
        if group.non_uniform:
            product = entry.mul(group.size(0), group.size(1))
            self.enqueued = entry.cast("trunc", entry.mul(product, group.size(2)), I32, "enqueued")
        # The number of work-items of each sub-group, if it is constant.
        self.fixed_count = None if known is None or (known > size and known % size) else min(known, size)
        self._first = entry.alloca(I32, 4, "first")
        entry.store(const_int(I32, 0), self._first, 4)
        self._entry = entry

    def first(self, b: Builder) -> Value:
        """Return the local linear id of the first work-item of the running sub-group."""
        if isinstance(self.items, ConstantInt) and self.items.value <= self.size:
            return const_int(I32, 0)
        return b.load(I32, self._first, 4, "first")

    def count(self, b: Builder, first: Value) -> Value:
        """Return the number of work-items of the sub-group that begins with `first`."""
        if self.fixed_count is not None:
            return const_int(I32, self.fixed_count)
        left = b.sub(self.items, first)
        whole = b.icmp("ult", left, const_int(I32, self.size))
        return b.select(whole, left, const_int(I32, self.size), "count")

    def queries(self, b: Builder, first: Value, count: Value, lane: Value, item: Value) -> dict[str, Value]:
        """Return the results of sub-group queries for a work-item."""
        return {
            "get_local_linear_id": item,
            "get_sub_group_local_id": lane,
            "get_sub_group_id": b.binary("udiv", first, const_int(I32, self.size), "sub_group"),
            "get_sub_group_size": count,
            "get_max_sub_group_size": self.largest(),
            "get_num_sub_groups": self.number(),
            "get_enqueued_num_sub_groups": self.enqueued_number(),
        }

    def positions(self, b: Builder, first: Value, lane: Value) -> tuple[Value, list[Value]]:
        """Return the local linear id of a work-item and its local ids; those along y and z may be uniform.

        `b` is at the start of the work-item.
        """
        item = b.add(first, lane, "item", ("nuw", "nsw"))
        x, y, z = self.group.fixed_size
        if y == z == 1:
            return item, [item, const_int(I32, 0), const_int(I32, 0)]
        width, height = self.group.size32(0), self.group.size32(1)
        if x is not None and x % self.size == 0:  # the sub-group lies in one row
            row = b.binary("udiv", first, width)
            along = b.add(b.binary("urem", first, width), lane, "x", ("nuw", "nsw"))
        else:
            row = b.binary("udiv", item, width)
            along = b.binary("urem", item, width, "x")
        if z == 1:
            return item, [along, row, const_int(I32, 0)]
        return item, [along, b.binary("urem", row, height, "y"), b.binary("udiv", row, height, "z")]

    @once
    def largest(self) -> Value:
        """Return the size of the largest sub-group of the launch."""
        e, whole, items = self._entry, const_int(I32, self.size), self.enqueued
        if isinstance(items, ConstantInt):
            return const_int(I32, min(items.value, self.size))
        return e.select(e.icmp("ult", items, whole), items, whole, "largest")

    @once
    def number(self) -> Value:
        """Return the number of sub-groups."""
        return self._number_for(self.items, "sub_groups")

    def enqueued_number(self) -> Value:
        """Return the number of sub-groups of a group that is not clipped at the end of the range."""
        if self.enqueued is self.items:
            return self.number()
        return self._number_for(self.enqueued, "enqueued_sub_groups")

    def _number_for(self, items: Value, name: str) -> Value:
        e = self._entry
        if isinstance(items, ConstantInt):
            return const_int(I32, -(-items.value // self.size))
        rounded = e.add(items, const_int(I32, self.size - 1))
        return e.binary("udiv", rounded, const_int(I32, self.size), name)

    def choose(self, b: Builder, first: Value) -> None:
        """Switch to the sub-group whose first work-item is `first`."""
        b.store(first, self._first, 4)

    def advance(self, b: Builder) -> Value:
        """Switch to the next sub-group, cyclically; return whether the previous one was not the last."""
        following = b.add(b.load(I32, self._first, 4), const_int(I32, self.size))
        more = b.icmp("ult", following, self.items, "more")
        b.store(b.select(more, following, const_int(I32, 0)), self._first, 4)
        return more


class Turns:
    """The switch between sub-groups at the barriers of the work-group.

    `waits`: there are barriers of the work-group besides those at the start and the end of the kernel.
    """

    def __init__(self, entry: Builder, sub_groups: SubGroups, arena: ContextArena, waits: bool) -> None:
        function = entry.block.parent
        self._function, self._sub_groups, self._arena = function, sub_groups, arena
        self.waits = waits
        self._places: list[Block] = []  # where sub-groups continue after barriers, from position 1
        if waits:
            self._stands = arena.layout.add_array(4)
            self._next = function.add_block("next.sub_group")
            self._switch = function.add_block("turn")
        self._prepare(entry)

    def _prepare(self, entry: Builder) -> None:
        """Add the code that a sub-group executes at the end of its turn."""
        if self.waits:
            self._running: Value = entry.alloca(I32, 4, "running")
            self._sub_groups.advance(Builder(self._next))
            Builder(self._next).br(self._switch)

    def wait(self, block: Block) -> Builder:
        """End a sub-group's turn at a barrier of the work-group; return a builder for where it continues."""
        turn = self._function.add_block(f"{block.name}.turn")
        self._places.append(turn)
        b = Builder(block)
        b.store(const_int(I32, len(self._places)), self._place(b, self._sub_groups.first(b)), 4)
        b.br(self._next)
        return Builder(turn)

    def leave(self, block: Block, start: Block) -> None:
        """Emit the return of a sub-group from the kernel, whose code begins at `start`."""
        b = Builder(block)
        end = self._function.add_block("end")
        Builder(end).ret()
        if not self.waits:
            b.cond_br(self._sub_groups.advance(b), start, end)
            return
        b.cond_br(b.icmp("eq", self._return(b), const_int(I32, 0)), end, self._next)

    def begin(self, entry: Builder, start: Block) -> None:
        """End the entry of the function, once all barriers are known: all sub-groups begin at `start`."""
        if not self.waits:
            entry.br(start)
            return
        entry.store(self._sub_groups.number(), self._running, 4)
        self._stand(entry, start, self._switch)

    def _return(self, b: Builder) -> Value:
        """Record that a sub-group has returned; return how many have not."""
        left = b.sub(b.load(I32, self._running, 4), const_int(I32, 1))
        b.store(left, self._running, 4)
        b.store(const_int(I32, RETURNED), self._place(b, self._sub_groups.first(b)), 4)
        return left

    def _stand(self, entry: Builder, start: Block, first_turn: Block) -> None:
        """Set the positions of all sub-groups to the start, and continue with the first turn."""
        fill = self._function.add_block("stand")
        b = Builder(fill)
        first = b.phi(I32, "first")
        b.store(const_int(I32, 0), self._place(b, first), 4)
        following = b.add(first, const_int(I32, self._sub_groups.size))
        first.add_incoming(const_int(I32, 0), entry.block)
        first.add_incoming(following, fill)
        b.cond_br(b.icmp("ult", following, self._sub_groups.items), fill, first_turn)
        b = Builder(self._switch)
        where = b.load(I32, self._place(b, self._sub_groups.first(b)), 4, "stands")
        places = enumerate((start, *self._places))
        cases = [part for number, place in places for part in (const_int(I32, number), place)]
        b.emit("switch", VOID, [where, self._next, *cases])
        entry.br(fill)

    def _place(self, b: Builder, first: Value) -> Value:
        """Return the address at which the position of a sub-group is stored."""
        array = self._arena.array(b, self._stands)
        return b.byte_offset(array, b.mul(b.cast("zext", first, I64), const_int(I64, 4)))
