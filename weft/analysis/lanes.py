"""How the values of a work-item loop differ from lane to lane, when consecutive iterations become lanes.

For a loop whose iterations are work-items (all independent of each other) and whose counter steps by one,
every value of the body is

- *uniform* (stride 0): the same in all lanes;
- *linear* (stride k): that of the first lane plus k times the lane's number; bytes for pointers;
- *varying*: anything else.

The lanes run in lock step, so the counter of an inner loop is uniform even when lanes leave that loop at
different times: only what leaves the loop varies then.

Machine arithmetic is exact: a stride survives a widening conversion only if no lane wraps, and nsw, nuw and
nneg promise that only for lanes that are active. The number of the first lane, from which the others are
reckoned, may itself wrap where that lane is not active. So in masked blocks the code that uses this analysis
must reckon it in 64 bits (`Widener.exact`), which is possible for sums and multiples; the analysis gives up
the promise for anything else there.

What is known by other means, such as a proof about an address, is handed in (`assumed`) and goes before what
is found here; what follows from it follows.

Where numbers may wrap, the stride is kept on condition (`Evolution.needs`): code that asks at run time
whether the lanes at hand wrap can go on with the stride if not.

Control: a branch on a varying value is divergent. The blocks between it and its immediate post-dominator
are *masked*: only some lanes run them. A loop that some lanes leave while others stay is a divergent loop, by
whatever branch they leave it; all its blocks are masked, and behind it lanes come from all its exits. Where
lanes meet that went different ways, phis vary, be it in front of the post-dominator: where some lanes return
early, the others meet before. A uniform branch into the middle of masked blocks counts as divergent too, so
that masked blocks are entered from one place only.

(Karrenberg and Hack, *Whole-function vectorization*, 2011; Moll and Hack, *Partial control-flow
linearization*, 2018: here blocks under divergent control are all linearized, others none.)

Requires natural loops with pre-headers and single latches, and LCSSA.
"""

import heapq
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from weft.analysis.evolution import INVARIANT as UNIFORM
from weft.analysis.evolution import VARYING, Evolution, Wrapping, evolved, join
from weft.analysis.memory_effects import has_no_effects, only_reads
from weft.ir import Block, Function, Instruction, Value
from weft.ir.dominators import DominatorTree
from weft.ir.loops import Loop, LoopForest, loop_post_dominators
from weft.ir.opcodes import TERMINATORS
from weft.ir.types import VectorType

# Marks an instruction that is 0 in the first lane, 1 in the next and so on; 0 in scalar code.
LANE = "weft.lane"
# Marks a comparison that is made for all lanes at once: whether a number is at least as large as another, the
# same in all lanes, in every one of them. Scalar code compares for itself.
EVERY = "weft.every"
# Instructions whose result is uniform if their operands are, and of which no more is known.
_PLAIN = frozenset(
    (
        *("fadd", "fsub", "fmul", "fdiv", "frem", "fneg", "icmp", "fcmp", "xor"),
        *("udiv", "sdiv", "urem", "srem", "extractelement", "insertelement"),
        *("shufflevector", "extractvalue", "insertvalue"),
        *("fptosi", "fptoui", "sitofp", "uitofp", "fptrunc", "fpext"),
    )
)
# What comes behind these may be known by what stands before them.
_SEEN_THROUGH = ("shl", "sext", "zext")


@dataclass(frozen=True)
class Pieces:
    """Addresses that are in order piece by piece: `count` pieces of the lanes, each in the same order.

    `order` has, for each lane of a piece, the distance from the piece's first lane in bytes. Where the pieces
    begin is known to the code alone; `alignment` divides the lowest address of each.
    """

    count: int
    order: tuple[int, ...]
    alignment: int = 1


Edge = tuple[Block, Block]


class Assumed(Mapping[Value, Evolution | Pieces]):
    """What is known of values by other means than this analysis: strides, or pieces.

    It holds for blocks of `width` lanes that follow one another from the loop's first work-item on. Of other
    blocks nothing is known: lanes that are consecutive by eight need not be so by sixteen, and an address of
    which 64 is a divisor in every block of sixteen lanes is none of every block of eight.
    """

    def __init__(self, shapes: Mapping[Value, Evolution | Pieces], width: int) -> None:
        self._shapes = dict(shapes)
        self.width = width

    def __getitem__(self, value: Value) -> Evolution | Pieces:
        return self._shapes[value]

    def __iter__(self) -> Iterator[Value]:
        return iter(self._shapes)

    def __len__(self) -> int:
        return len(self._shapes)

    def holds_for(self, width: int) -> bool:
        """Whether it can be relied on in code for so many lanes."""
        return not self._shapes or self.width == width


NOTHING_ASSUMED = Assumed({}, 0)


@dataclass(frozen=True)
class Lanes:
    """Shapes and control of a loop's body; `None` is varying."""

    shapes: dict[Value, Evolution | None]
    divergent: frozenset[Block]
    masked: frozenset[Block]
    divergent_loops: frozenset[Loop]
    assumed: Assumed = field(default_factory=lambda: NOTHING_ASSUMED)

    def of(self, value: Value) -> Evolution | None:
        """The shape of a value; what is defined outside the loop is uniform."""
        return self.shapes.get(value, UNIFORM)

    def is_uniform(self, value: Value) -> bool:
        shape = self.of(value)
        return shape is not None and shape.stride == 0 and not shape.needs

    def is_varying(self, value: Value) -> bool:
        return self.of(value) is VARYING

    def pieces(self, value: Value) -> Pieces | None:
        """The pieces in which addresses are in order, if that was assumed."""
        assumed = self.assumed.get(value)
        return assumed if isinstance(assumed, Pieces) else None


def lanes(
    function: Function,
    loop: Loop,
    counter: Instruction,
    forest: LoopForest,
    assumed: Assumed = NOTHING_ASSUMED,
    packed: Loop | None = None,
) -> Lanes:
    """Analyses the body of a work-item loop; `assumed` holds of some values whatever they look like.

    With a `packed` loop in it, lanes hold any work-items, each in any iteration of that loop.
    """
    solver = _Solver(function, loop, counter, forest, assumed)
    if packed is not None:
        solver.pack(packed)
    return solver.run()


class _Solver:
    def __init__(
        self, function: Function, loop: Loop, counter: Instruction, forest: LoopForest, assumed: Assumed
    ) -> None:
        self.loop, self.counter, self.forest, self.assumed = loop, counter, forest, assumed
        self.function = function
        self.shapes: dict[Value, Evolution | None] = {counter: Evolution(1)}
        self.joins: set[Block] = set()  # blocks whose phis join lanes that came different ways
        self.divergent: set[Block] = set()
        self.masked: dict[Block, None] = {}
        self.loops: dict[Loop, None] = {}

    def pack(self, packed: Loop) -> None:
        """Lanes hold work-items that have nothing to do with each other."""
        self.shapes[self.counter] = VARYING
        self.joins.add(packed.header)
        self.masked.update((b, None) for b in self.loop.blocks)
        self._leave(packed)

    @cached_property
    def tree(self) -> DominatorTree:
        """Made when a branch diverges: functions with hundreds of work-item loops have few that do."""
        return loop_post_dominators(self.function, self.loop)

    @cached_property
    def order(self) -> list[Block]:
        """The blocks of the loop, each before those that it leads to."""
        return list(self.loop.blocks)

    @cached_property
    def place(self) -> dict[Block, int]:
        """Where blocks stand in that order."""
        return {block: i for i, block in enumerate(self.order)}

    def run(self) -> Lanes:
        counter, shapes = self.counter, self.shapes
        reached: set[Value] = {counter}
        stale: set[Instruction] = set()  # what was looked at before an operand changed
        everything = True
        while everything or stale:
            whole, everything = everything, False
            for block in self.loop.blocks:
                for instruction in block.instructions:
                    if instruction in stale:
                        stale.remove(instruction)
                    elif not whole:
                        continue
                    if instruction is counter or instruction.opcode in TERMINATORS:
                        continue
                    before = shapes.get(instruction, UNIFORM)
                    if before is VARYING:
                        continue  # shapes only fall, so that the search ends
                    shape = self._shape(instruction, reached)
                    if instruction not in reached or shape != before:
                        reached.add(instruction)
                        shapes[instruction] = shape
                        stale.update(self._depending(instruction))
                everything |= self._branch(block)
            everything |= self._close_masked()
        return Lanes(
            self.shapes,
            frozenset(self.divergent),
            frozenset(self.masked),
            frozenset(self.loops),
            self.assumed,
        )

    def _depending(self, instruction: Instruction) -> Iterable[Instruction]:
        """The instructions of the loop whose shape follows from that of another."""
        inside = self.loop.blocks
        found = [user for user in instruction.users if user.block in inside]
        for user in found[:]:
            if user.opcode in _SEEN_THROUGH:
                found += [u for u in user.users if u.block in inside]
        return found

    # Control

    def _branch(self, block: Block) -> bool:
        terminator = block.terminator
        if block in self.divergent or len(terminator.operands) < 2 or block is self.loop.latch:
            return False
        if self._uniform(terminator.operands[0]):
            return False
        self._diverge(block)
        return True

    def _diverge(self, block: Block) -> None:
        """Marks a branch as divergent, with all that it controls."""
        self.divergent.add(block)
        ways = [(block, way) for way in block.successors()]
        left = self._part(ways, self._inside(self.forest.loop_of(block)), self.tree.idom(block))
        if left is not None:
            self._leave(left)

    def _leave(self, loop: Loop | None) -> None:
        """Marks a loop as one that lanes leave at different times, by different ways; and others by that."""
        while loop is not None:
            self.loops[loop] = None
            self.masked.update((b, None) for b in loop.blocks)
            self.joins.update(loop.exits)
            end = self.tree.idom(loop.header)
            while end is not None and end in loop:
                end = self.tree.idom(end)
            loop = self._part(loop.exit_edges, self._inside(loop.parent), end)

    def _part(self, ways: list[Edge], loop: Loop | None, end: Block | None) -> Loop | None:
        """Marks what follows when lanes go different ways, in an iteration of a loop, until all meet.

        The loop is the result if they leave it at different times, which was not known before.

        Each block is labelled with where its lanes were last together: a way, or the block where ways met.
        Where two labels meet, lanes come together that went different ways.
        """
        within = self.loop if loop is None else loop
        labels: dict[Block, Block | Edge] = {}
        queue: list[int] = []  # the places of blocks that lanes come to
        out: set[Block | Edge] = set()  # the labels of lanes that leave the loop
        back: set[Block | Edge] = set()  # and of those that stay

        def go(source: Block, target: Block, label: Block | Edge) -> None:
            if target is within.header:
                back.add(label)
            elif target not in within:
                out.add(label)
            elif target not in labels:
                labels[target] = label
                heapq.heappush(queue, self.place[target])
            elif labels[target] != label and self.place[target] > self.place[source]:
                labels[target] = target
                self.joins.add(target)

        for source, target in ways:
            go(source, target, (source, target))
        while queue:
            at = self.order[heapq.heappop(queue)]
            if at is end:
                self.joins.add(at)
                continue
            self.masked[at] = None
            for target in at.successors():
                go(at, target, labels[at])
        if loop is not None and out and len(out | back) > 1 and loop not in self.loops:
            return loop
        return None

    def _inside(self, loop: Loop | None) -> Loop | None:
        """A loop if it lies in the work-item loop, None if it is that or lies around it."""
        return None if loop is None or self.loop.header in loop else loop

    def _close_masked(self) -> bool:
        """Uniform branches that lead into masked blocks from outside become divergent."""
        changed = False
        for block in list(self.masked):
            for source in block.predecessors():
                if source in self.masked or source in self.divergent or source not in self.loop.blocks:
                    continue
                if len(source.successors()) > 1:
                    self._diverge(source)
                    changed = True
                elif self.forest.is_header(block) and self.forest.loop_of(block) in self.loops:
                    continue  # the way into a divergent loop
                else:
                    self.masked[source] = None
                    changed = True
        return changed

    # Values

    def _shape(self, i: Instruction, reached: set[Value]) -> Evolution | None:
        assumed = self.assumed.get(i)
        if isinstance(assumed, Evolution):
            return assumed
        shape = self._any_shape(i, reached)
        if shape is not VARYING and shape.stride == 0 and shape.needs:
            return VARYING
        if shape is VARYING or shape.stride == 0 or i.block not in self.masked:
            return shape
        reckoned = i.opcode in ("add", "sub", "mul", "shl", "or", "sext", "zext")
        return Evolution(shape.stride, shape.signed and reckoned, False, shape.needs)

    def _any_shape(self, i: Instruction, reached: set[Value]) -> Evolution | None:
        if LANE in i.metadata:
            return Evolution(1)
        if EVERY in i.metadata:
            return UNIFORM
        if i.opcode in _PLAIN:
            return UNIFORM if all(map(self._uniform, i.operands)) else VARYING

        match i.opcode:
            case "phi":
                return self._phi(i, reached)
            case "atomicrmw" | "cmpxchg" | "alloca":
                return VARYING
            case "load" if i.attributes.get("volatile") or i.attributes.get("atomic"):
                return VARYING
            case "call" if not is_same_for_same_arguments(i):
                return VARYING
            case "getelementptr" if any(isinstance(o.type, VectorType) for o in i.operands):
                return UNIFORM if all(map(self._uniform, i.operands)) else VARYING
        return evolved(i, self._evolution, Wrapping.CONDITIONAL)

    def _evolution(self, value: Value) -> Evolution | None:
        return self.shapes.get(value, UNIFORM)

    def _uniform(self, value: Value) -> bool:
        shape = self.shapes.get(value, UNIFORM)
        return shape is UNIFORM or (shape is not VARYING and shape.stride == 0 and not shape.needs)

    def _phi(self, phi: Instruction, reached: set[Value]) -> Evolution | None:
        assert phi.block is not None
        if phi.block in self.joins:
            return VARYING
        shape: Evolution | None = None
        first = True
        for value, _ in phi.incoming():
            if isinstance(value, Instruction) and value.block in self.loop.blocks and value not in reached:
                continue  # optimistic: not computed yet
            other = self.shapes.get(value, UNIFORM)
            shape = other if first else join(shape, other)
            first = False
        if shape is not VARYING and shape.needs:
            return VARYING  # what it depends on may be another number by now
        return UNIFORM if first else shape


def is_same_for_same_arguments(call: Instruction) -> bool:
    """Whether lanes that make a call at the same moment with the same arguments get the same result."""
    callee = call.called_function
    intrinsic = callee is not None and (callee.name or "").startswith("llvm.")
    return intrinsic or has_no_effects(call) or only_reads(call)
