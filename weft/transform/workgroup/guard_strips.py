"""Run a guarded loop in strips: all work-items count them, and those inside the guard run them.

    br i1 %inside, label %before, label %out   br label %strip
    before:                                  strip:                           ; %length: 128 or more
      br label %header                         %k.strip = phi i32 [ 0, … ], [ %k.after, %strip.end ]
    header:                                    %k.after = add i32 %k.strip, %length
      %k = phi i32 [ 0, %before ], …           call void @weft.barrier()
      …                                        br i1 %inside, label %strip.first, label %strip.end
      br i1 %more, label %header, label %done  strip.first:                 ; loads what is carried
    done:                                      … up to %length iterations …
      …                                      strip.last:                   ; stores what is carried
      br label %out                            br label %strip.end
                                             strip.end:
                                               call void @weft.barrier()
                                               br i1 %ends, label %strip.after, label %strip
                                             strip.after:
                                               br i1 %inside, label %done, label %out

OpenCL requires all work-items to reach a barrier, so the guard is distributed over what comes before the
loop, each strip and what comes after (`analysis/loop_guard.py`). In each of them it remains a branch around
everything that a work-item does, which `bounds_from_guards` turns into bounds of the work-item loop. To keep
this form, what a work-item carries is in private memory and not in phis. Counters are the same for all
work-items, and are computed without the loop; so is whether it ends.
"""

from collections.abc import Container, Sequence

from weft.analysis.column_reuse import STRIP
from weft.analysis.divergence import Divergence
from weft.analysis.kernel_variables import is_position
from weft.analysis.loop_guard import LoopGuard, counting
from weft.analysis.work_items import BarrierOrigin
from weft.ir import Block, Function, Instruction, Value
from weft.ir.builder import Builder
from weft.ir.clone import ValueMap, clone_instruction
from weft.ir.graph import reachable
from weft.ir.loops import Loop
from weft.ir.slices import backward_slice
from weft.ir.types import I64, alignment_of, size_of
from weft.ir.values import const_int

from .place_implicit_barriers import barrier_call, split_by_barrier

# What takes more instructions is kept in memory: computed in each block, code would grow quadratically.
MOST_AGAIN = 16
# Tiles that are all outside the guard count strips that nothing runs in: at most this many.
MOST_STRIPS = 1024

_NOT_FREE = frozenset(("call", "alloca", "phi", "freeze", "udiv", "sdiv", "urem", "srem"))


def guard_strips(function: Function, loop: Loop, guard: LoopGuard, shape: Divergence) -> None:
    """Run a guarded loop in strips. Linear in the size of the loop and of what comes before it."""
    _Strips(function, loop, guard, shape).run()


class _Strips:
    def __init__(self, function: Function, loop: Loop, guard: LoopGuard, shape: Divergence) -> None:
        self.function, self.loop, self.guard, self.shape = function, loop, guard, shape
        (self.exiting,), (self.outside,) = loop.exiting, loop.exits
        self.header, self.latch, self.preheader = loop.header, loop.known_latch, loop.known_preheader
        inside, yes, _ = guard.branch.operands
        self.inside, self.passes = inside, yes is guard.segments[0][0]
        self.before = {block for segment in guard.segments for block in segment}
        after = reachable([self.outside], Block.successors)
        self.after_loop = {block for block in after if block is not guard.returns}
        self.slots: dict[Value, Instruction] = {}
        self.computed: dict[tuple[Block, Instruction | None], ValueMap] = {}
        self.long: set[Value] = set()

    def run(self) -> None:
        """Build the strips."""
        counters = {counter.phi for counter in self.guard.counters}
        carried = [phi for phi in self.header.phis() if phi not in counters]
        starts = [phi.incoming_from(self.preheader) for phi in carried]
        entry = Builder(self.guard.branch.parent, self.guard.branch)
        trips = self._trips(entry)
        self.length = self._length(entry, trips)
        known = [(self._outside(entry, c.start), self._outside(entry, c.step)) for c in self.guard.counters]
        self.strip = self.function.add_block("strip", after=self.preheader)
        # The first strip runs the same code as the others, which has nothing outside the guard.
        self.barrier = self.function.add_block("strip.before", after=self.strip)
        self.body = self.function.add_block("strip.body", after=self.barrier)
        self.first = self.function.add_block("strip.first", after=self.body)
        self.last = self.function.add_block("strip.last", after=self.exiting)
        self.end = self.function.add_block("strip.end", after=self.last)
        self.after = self.function.add_block("strip.after", after=self.end)
        self.results = self.function.add_block("strip.results", after=self.after)
        self._compute_again()
        slots = self._carry(carried, starts)
        self._leave(slots)
        entering = self._guard_segments()
        self._count(entering, trips, known)
        split_by_barrier(self.end, "strip.barrier", BarrierOrigin.STRIP)

    # Values

    def _slot(self, value: Value) -> Instruction:
        """Return the private memory for a value."""
        if value not in self.slots:
            align = alignment_of(value.type)
            self.slots[value] = Builder.in_entry(self.function).alloca(value.type, align, value.name)
        return self.slots[value]

    def _outside(self, b: Builder, value: Value) -> Value:
        """Compute a value for work-items that do not pass the guard, where no flag promises anything."""
        computes = counting(value, lambda block: block in self.before or block in self.loop)
        copies: ValueMap = {}
        for i in _in_order(computes):
            copy = clone_instruction(i, copies)
            copy.flags = ()
            copies[i] = b.insert(copy)
        return copies.get(value, value)

    def _trips(self, b: Builder) -> Value:
        """Compute how often the loop reaches the end of its latch, and one more if it ends there."""
        exit = self.guard.exit
        counter, predicate = exit.counter, exit.test.predicate
        assert counter.start is not None
        if predicate == "ne":
            predicate = ("s" if counter.signed else "u") + ("lt" if counter.step > 0 else "gt")
        type = counter.phi.type
        first = b.add(self._outside(b, counter.start), const_int(type, exit.ahead))
        bound = self._outside(b, exit.test.right)
        low, high = (first, bound) if counter.step > 0 else (bound, first)
        less = b.sub(b.sub(high, low), const_int(type, 1))
        steps = b.cast("zext", b.binary("udiv", less, const_int(type, abs(counter.step))), I64)
        some = b.add(steps, const_int(I64, 1))
        passed = b.select(b.icmp(predicate, first, bound), some, const_int(I64, 0))
        return b.add(passed, const_int(I64, int(exit.block is self.latch)), "trips")

    def _length(self, b: Builder, trips: Value) -> Value:
        """Compute the iterations of a strip: more than STRIP if there would be more than MOST_STRIPS."""
        share = b.binary("udiv", trips, const_int(I64, MOST_STRIPS))
        shortest = const_int(I64, STRIP)
        return b.select(b.icmp("ugt", share, shortest), share, shortest, "strip.length")

    def _compute_again(self) -> None:
        """Let each part compute what it needs of the parts before it, or load what they have loaded."""
        for block in (block for segment in self.guard.segments for block in segment):
            for i in [i for i in block.instructions if is_position(i)]:
                i.move_before(self.guard.branch)
        starts = [segment[0] for segment in self.guard.segments]
        after = reachable(starts, Block.successors)
        for block in after:
            part, start = self._part(block), None
            for user in [] if block is self.guard.returns else list(block.instructions):
                for n, value in enumerate(user.operands):
                    if not isinstance(value, Instruction) or self._is_there(value, block, part):
                        continue
                    before = user.operands[n + 1] if user.opcode == "phi" else None
                    assert before is None or isinstance(before, Block)
                    if before is not None and self._is_start_or_result(before, part):
                        continue
                    if part is self.loop:
                        b = Builder(self.first)
                    elif before is not None:
                        b = Builder(before, before.terminator)
                    else:
                        b = start = start or Builder.at_start(block)
                    user.set_operand(n, self._computed(b, value, part))

    def _is_start_or_result(self, before: Block, part: object) -> bool:
        """Whether a phi of a part gets a value of the loop's start, or after the loop, from a block."""
        return before in self.before or (before in self.loop and part is not self.loop)

    def _part(self, block: Block) -> object:
        """Return the segment of a block, the loop, or the block, if it is after the loop."""
        if block in self.loop:
            return self.loop
        return next((s for s in self.guard.segments if block in s), block)

    def _is_there(self, value: Instruction, block: Block, part: object) -> bool:
        """Whether a value needs no other storage: a place, or computed in the same part or after the loop."""
        if value.opcode == "alloca" or is_position(value) or value.parent is block:
            return True
        if part is self.loop or part in self.guard.segments:
            if self._part(value.parent) is part:
                return True
        elif value.parent in self.after_loop:
            return True
        return value.parent not in self.before and self.shape.is_uniform(value)

    def _computed(self, b: Builder, value: Value, part: object) -> Value:
        """Return a value in another part."""
        if not isinstance(value, Instruction) or self._is_there(value, b.block, part):
            return value
        known = self.computed.setdefault((b.block, b.before), {})
        parts: dict[Instruction, None] = {}
        if value not in self.long:
            parts = backward_slice(
                [value], lambda i: i not in known and _is_free(i) and not self._is_there(i, b.block, part)
            )
        if len(parts) > MOST_AGAIN:
            self.long.add(value)
            parts = {}
        for i in _in_order(parts):
            for operand in i.operands:
                self._load_kept(b, operand, known, parts)
            known[i] = b.insert(clone_instruction(i, known))
        self._load_kept(b, value, known, parts)
        return known.get(value, value)

    def _load_kept(self, b: Builder, value: Value, known: ValueMap, computed: Container[Instruction]) -> None:
        """Load a value that a segment has loaded from the memory where it is kept."""
        if not isinstance(value, Instruction) or value in known or value in computed:
            return
        if value.block in self.before and not is_position(value):
            if value not in self.slots:
                Builder.after(value).store(value, self._slot(value), alignment_of(value.type))
            known[value] = self._load(b, value)

    def _load(self, b: Builder, value: Value) -> Instruction:
        return b.load(value.type, self._slot(value), alignment_of(value.type), value.name)

    # Blocks

    def _carry(self, carried: Sequence[Instruction], starts: Sequence[Value]) -> ValueMap:
        """Load what is carried at the start of a strip; return which memory holds it at the end."""
        begin = Builder(self.preheader, self.preheader.terminator)
        slots: ValueMap = {}
        for phi, start in zip(carried, starts, strict=True):
            slot = self._slot(phi)
            start = self._computed(begin, start, self.guard.segments[-1])
            begin.store(start, slot, alignment_of(phi.type))
            phi.remove_incoming(self.preheader)
            phi.add_incoming(self._load(Builder(self.first), phi), self.first)
            final = phi.incoming_from(self.latch) if self.exiting is self.latch else phi
            slots.setdefault(final, slot)
            Builder(self.last).store(self._at_last(final), slot, alignment_of(phi.type))
        Builder(self.first).br(self.header)
        return slots

    def _leave(self, slots: ValueMap) -> None:
        """Leave the loop after a strip, and hand its results on to the code after the loop."""
        index = Builder(self.header).phi(I64, "strip.index")
        after = Builder(self.latch, self.latch.terminator)
        following = after.add(index, const_int(I64, 1), "strip.next", ("nuw", "nsw"))
        index.add_incoming(const_int(I64, 0), self.first)
        index.add_incoming(following, self.latch)
        branch = self.exiting.terminator
        condition, yes, no = branch.operands
        b = Builder(self.exiting, branch)
        # In the latch one more iteration than `index` is complete.
        count = following if self.exiting is self.latch else index
        ends = yes is self.outside
        stop = b.icmp("eq" if ends else "ne", count, self.length)
        combined = b.binary("or" if ends else "and", condition, stop)
        branch.set_operands([combined, *(self.last if t is self.outside else t for t in (yes, no))])
        for phi in self.outside.phis():
            value = phi.incoming_from(self.exiting)
            phi.remove_incoming(self.exiting)
            if isinstance(value, Instruction) and value.parent in self.loop:
                value = self._result(value, slots)
            else:
                value = self._computed(Builder(self.results), value, self.results)
            phi.add_incoming(value, self.results)
        Builder(self.last).br(self.end)
        Builder(self.results).br(self.outside)
        self._if_inside(Builder(self.body), self.first, self.end)
        self._if_inside(Builder(self.after), self.results, self.guard.returns)

    def _result(self, value: Instruction, slots: ValueMap) -> Value:
        align = alignment_of(value.type)
        if value not in slots:
            slots[value] = self._slot(value)
            Builder(self.last).store(self._at_last(value), slots[value], align)
        return Builder(self.results).load(value.type, slots[value], align, value.name)

    def _at_last(self, value: Value) -> Value:
        """Return a value of the loop after it, by a phi."""
        if not isinstance(value, Instruction) or value.parent not in self.loop:
            return value
        phi = Builder(self.last).phi(value.type, value.name)
        phi.add_incoming(value, self.exiting)
        return phi

    def _if_inside(self, b: Builder, inside: Block, other: Block) -> None:
        """Branch as the guard does. Its condition is computed again, so that nothing keeps it."""
        copies: ValueMap = {}
        for i in _in_order(backward_slice([self.inside], _is_free)):
            copies[i] = b.insert(clone_instruction(i, copies))
        condition = copies.get(self.inside, self.inside)
        b.cond_br(condition, *((inside, other) if self.passes else (other, inside)))

    def _guard_segments(self) -> Block:
        """Put each segment before the loop under the guard; return the block after the last."""
        start = self.guard.branch.parent
        conditions = [segment[-1].terminator for segment in self.guard.segments[:-1]]
        decided = [self._outside(Builder(start, self.guard.branch), c.operands[0]) for c in conditions]
        self.guard.branch.erase()
        block = start
        for segment, branch, condition in zip(
            self.guard.segments, [*conditions, None], [*decided, None], strict=True
        ):
            gate = self.function.add_block("strip.gate", after=segment[-1])
            self._if_inside(Builder(block), segment[0], gate)
            last = segment[-1]
            if branch is None or condition is None:
                last.terminator.erase()
                Builder(last).br(gate)
                return gate
            block = self._decide(gate, last, branch, condition)
        raise AssertionError("a guard has no segment")

    def _decide(self, gate: Block, last: Block, branch: Instruction, condition: Value) -> Block:
        """Let all work-items take a uniform branch together; return where those on the way to the loop go."""
        _, yes, no = branch.operands
        following = self.function.add_block("strip.way", after=gate)
        skips = self.function.add_block("strip.skips", after=gate)
        others = no if yes in self.before else yes
        assert isinstance(others, Block)
        Builder(gate).cond_br(condition, *((following, skips) if others is no else (skips, following)))
        branch.erase()
        Builder(last).br(gate)
        skipped = self.function.add_block("strip.skipped", after=skips)
        self._if_inside(Builder(skips), skipped, self.guard.returns)
        Builder(skipped).br(others)
        for phi in others.phis():
            value = phi.incoming_from(last)
            phi.remove_incoming(last)
            phi.add_incoming(self._computed(Builder(skipped, skipped.terminator), value, skipped), skipped)
        return following

    def _count(self, entering: Block, trips: Value, known: Sequence[tuple[Value, Value]]) -> None:
        """Let all work-items count the strips, and end with the last of them."""
        Builder(entering).br(self.strip)
        b = Builder(self.strip)
        for counter, (start, step) in zip(self.guard.counters, known, strict=True):
            phi = Builder(self.strip).phi(counter.phi.type, f"{counter.phi.name}.strip")
            wider = size_of(phi.type) > size_of(I64)
            moved = b.mul(step, b.cast("zext" if wider else "trunc", self.length, phi.type))
            phi.add_incoming(start, entering)
            phi.add_incoming(b.add(phi, moved, f"{counter.phi.name}.after"), self.end)
            counter.phi.remove_incoming(self.preheader)
            counter.phi.add_incoming(phi, self.first)
        count = Builder(self.strip).phi(I64, "strip.count")
        following = b.add(count, self.length, "strip.counted")
        count.add_incoming(const_int(I64, 0), entering)
        count.add_incoming(following, self.end)
        is_last = b.icmp("ule", b.sub(trips, count), self.length)
        Builder(self.end).cond_br(is_last, self.after, self.strip)
        b.br(self.barrier)
        self.barrier.append(barrier_call(self.function, BarrierOrigin.STRIP))
        Builder(self.barrier).br(self.body)


def _is_free(i: Instruction) -> bool:
    """Whether an instruction may run again, and gets the same result. Two freezes of poison may differ."""
    return not (i.info.reads or i.info.writes) and i.opcode not in _NOT_FREE


def _in_order(instructions: dict[Instruction, None]) -> list[Instruction]:
    """Return instructions of straight code, operands first."""
    done: dict[Instruction, None] = {}
    work = list(instructions)
    while work:
        i = work[-1]
        missing = [
            o for o in i.operands if isinstance(o, Instruction) and o in instructions and o not in done
        ]
        if missing:
            work += missing
        else:
            done.setdefault(work.pop())
    return list(done)
