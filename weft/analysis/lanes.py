"""How the values of a work-item loop differ between lanes if consecutive iterations become lanes.

In a loop whose iterations are independent work-items and whose counter advances by one, every value of the
body is

- *uniform* (stride 0): the same in all lanes;
- *linear* (stride k): that of the first lane plus k times the lane number; in bytes for pointers;
- *varying*: anything else.

The lanes run in lock step, so the counter of an inner loop is uniform even if lanes leave that loop at
different times: only values that leave the loop then vary.

Machine arithmetic is exact: a stride survives a widening conversion only if no lane wraps, and nsw, nuw and
nneg promise that only for active lanes. The value of the first lane, from which the others are computed, may
itself wrap if that lane is inactive. So in masked blocks, code that relies on this analysis must compute it
in 64 bits (`Widener.exact`), which is possible for sums and multiples; for other operations in masked blocks
the analysis ignores the promise.

Facts known by other means, such as a proof about an address, are passed in (`assumed`). They override the
results of this analysis, and results are derived from them.

If a value may wrap, its stride is kept conditionally (`Evolution.needs`): code that tests at run time that
the current lanes do not wrap may use the stride.

Control: a branch on a varying value is divergent and has the effects described in `control_divergence.py`.
Blocks that only some lanes run are *masked*. A loop that lanes leave at different times is a divergent loop:
phis at its exits vary, and so do phis where paths join. A uniform branch into the middle of masked blocks is
treated as divergent too, and so is one between divergent branches that lead to the same masked block, so that
masked blocks have a single entry:

    if (n > 70) { if (x < 1) return; … }       n is uniform: but after it only some lanes are active
    else { if (x > 7) return; … }

(Karrenberg and Hack, *Whole-function vectorization*, 2011; Moll and Hack, *Partial control-flow
linearization*, 2018: here all blocks under divergent control are linearized, and no others.)

Requires natural loops with pre-headers and single latches, and LCSSA.
"""

from collections.abc import Iterable, Mapping
from functools import cached_property

from weft.dataclasses import dataclass, field
from weft.ir import Block, Instruction, Value
from weft.ir.dominators import DominatorTree, dominators_within
from weft.ir.loops import Loop, LoopForest

from .control_divergence import ControlDivergence, Effect
from .cross_lane import cross_lane
from .evolution import INVARIANT as UNIFORM
from .evolution import VARYING, Evolution, Wrapping, evolved, is_invariant, join
from .memory_effects import has_no_effects, only_reads
from .worklist import Worklist

# Marks an instruction whose value is the lane number in vector code, and 0 in scalar code.
LANE = "weft.lane"
# Marks a comparison that holds only if it holds in every lane: whether a number is at least as large as a
# uniform one. In scalar code it is an ordinary comparison.
EVERY = "weft.every"
# The shape of an instruction that uses one of these may depend on the operands of the latter.
_SEEN_THROUGH = ("shl", "sext", "zext")


@dataclass(frozen=True)
class Pieces:
    """Addresses that form `count` pieces of consecutive lanes, with the same order in each piece.

    `order` has the byte offset of each lane of a piece from the first lane of the piece. The addresses of the
    first lanes are known only at run time; `alignment` divides the lowest address of each piece.
    """

    count: int
    order: tuple[int, ...]
    alignment: int = 1


class Assumed(dict[Value, Evolution | Pieces]):
    """Facts from outside this analysis: strides, or pieces.

    They hold for blocks of `width` lanes that follow one another from the loop's first work-item on, and not
    for other blocks: lanes that are consecutive in blocks of eight need not be in blocks of sixteen, and an
    address that is a multiple of 64 in every block of sixteen lanes need not be one in every block of eight.
    """

    def __init__(self, shapes: Mapping[Value, Evolution | Pieces], width: int) -> None:
        super().__init__(shapes)
        self.width = width

    def holds_for(self, width: int) -> bool:
        """Whether code for `width` lanes can rely on the facts."""
        return not self or self.width == width


NOTHING_ASSUMED = Assumed({}, 0)


@dataclass(frozen=True)
class Lanes:
    """The shapes and control flow of a loop's body; a shape of `None` is varying."""

    shapes: dict[Value, Evolution | None]
    divergent: frozenset[Block]
    masked: frozenset[Block]
    divergent_loops: frozenset[Loop]
    assumed: Assumed = field(default_factory=lambda: NOTHING_ASSUMED)

    def of(self, value: Value) -> Evolution | None:
        """Return the shape of a value; values defined outside the loop are uniform."""
        return self.shapes.get(value, UNIFORM)

    def is_uniform(self, value: Value) -> bool:
        """Whether a value is the same in all lanes."""
        return is_invariant(self.of(value))

    def is_varying(self, value: Value) -> bool:
        return self.of(value) is VARYING

    def pieces(self, value: Value) -> Pieces | None:
        """Return the pieces that were assumed for addresses whose stride is unknown."""
        assumed = self.assumed.get(value)
        return assumed if isinstance(assumed, Pieces) and self.is_varying(value) else None


def lanes(loop: Loop, counter: Instruction, forest: LoopForest, assumed: Assumed = NOTHING_ASSUMED) -> Lanes:
    """Analyse the body of a work-item loop; the facts in `assumed` override the results."""
    return _Solver(loop, counter, forest, assumed).run()


class _Solver:
    def __init__(self, loop: Loop, counter: Instruction, forest: LoopForest, assumed: Assumed) -> None:
        self.loop, self.counter, self.forest, self.assumed = loop, counter, forest, assumed
        self.control = ControlDivergence(loop.header.parent, forest, loop)
        self.work = Worklist(loop.blocks)
        self.shapes: dict[Value, Evolution | None] = {counter: Evolution(1)}
        self.joins: set[Block] = set()  # blocks whose phis join lanes that took different paths
        self.divergent: set[Block] = set()
        self.masked: dict[Block, None] = {}
        self.loops: set[Loop] = set()

    def run(self) -> Lanes:
        unclosed = True
        while unclosed:
            for instruction in self.work:
                if instruction.is_terminator:
                    self._branch(instruction)
                elif instruction is not self.counter:
                    self._value(instruction)
            unclosed = self._close_masked() or self._join_entries()
        return Lanes(
            self.shapes,
            frozenset(self.divergent),
            frozenset(self.masked),
            frozenset(self.loops),
            self.assumed,
        )

    def _value(self, instruction: Instruction) -> None:
        before = self.shapes.get(instruction, UNIFORM)
        if before is VARYING:
            return  # shapes only descend in the lattice, so the iteration terminates
        shape = self._shape(instruction)
        if instruction not in self.shapes or shape != before:
            self.shapes[instruction] = shape
            self.work.add(instruction.users)
            for user in instruction.users:
                if user.opcode in _SEEN_THROUGH:
                    self.work.add(user.users)

    # Control

    def _branch(self, terminator: Instruction) -> None:
        block = terminator.block
        assert block is not None
        if block in self.divergent or len(terminator.operands) < 2 or block is self.loop.latch:
            return
        if not self._uniform(terminator.operands[0]):
            self._diverge(block)

    def _diverge(self, block: Block) -> None:
        """Mark a branch, and all that it controls, as divergent."""
        self.divergent.add(block)
        self._follow(self.control.effect(block))

    def _follow(self, effect: Effect) -> None:
        """Mark the effects of lanes taking different paths."""
        self.loops.update(effect.left)
        self._mask(effect.blocks)
        for block in (*effect.joins, *(end for loop in effect.left for end in loop.exits)):
            if block not in self.joins:
                self.joins.add(block)
                self.work.add(block.phis())

    def _mask(self, blocks: Iterable[Block]) -> None:
        for block in blocks:
            if block not in self.masked:
                self.masked[block] = None
                self.work.add(block.instructions)

    def _close_masked(self) -> bool:
        """Make uniform branches divergent if they enter masked blocks from outside."""
        changed = False
        for block in list(self.masked):
            for source in block.predecessors():
                if source in self.masked or source in self.divergent or source not in self.loop.blocks:
                    continue
                if len(source.successors()) > 1:
                    self._diverge(source)
                    changed = True
                elif self.forest.is_header(block) and self.forest.loop_of(block) in self.loops:
                    continue  # the entry of a divergent loop
                else:
                    self._mask((source,))
                    changed = True
        return changed

    def _join_entries(self) -> bool:
        """Make a uniform branch divergent if masked blocks can be entered on either of its sides."""
        entries: dict[Block, Block] = {}
        for block in self.loop.blocks if self.masked else ():
            if block not in self.masked:
                continue
            for source in block.predecessors():
                entry = entries.get(source) if source in self.masked else source
                if entry is None or entry not in self.loop:
                    continue
                other = entries.setdefault(block, entry)
                branch = self._above(entry, other)
                if branch not in self.divergent and len(branch.successors()) > 1:
                    self._diverge(branch)
                    return True
        return False

    def _above(self, first: Block, second: Block) -> Block:
        """Return the nearest block that dominates two."""
        while not self._tree.dominates(first, second):
            above = self._tree.idom(first)
            assert above is not None  # the loop's header dominates all its blocks
            first = above
        return first

    @cached_property
    def _tree(self) -> DominatorTree:
        return dominators_within(self.loop.blocks)

    # Values

    def _shape(self, i: Instruction) -> Evolution | None:
        assumed = self.assumed.get(i)
        if isinstance(assumed, Evolution):
            return assumed
        shape = self._any_shape(i)
        if shape is not VARYING and shape.stride == 0 and shape.needs:
            return VARYING
        if shape is VARYING or shape.stride == 0 or i.block not in self.masked:
            return shape
        recomputed = i.opcode in ("add", "sub", "mul", "shl", "or", "sext", "zext")
        return Evolution(shape.stride, shape.signed and recomputed, False, shape.needs)

    def _any_shape(self, i: Instruction) -> Evolution | None:
        if LANE in i.metadata:
            return Evolution(1)
        if EVERY in i.metadata:
            return UNIFORM
        match i.opcode:
            case "phi":
                return self._phi(i)
            case "atomicrmw" | "cmpxchg" | "alloca":
                return VARYING
            case "load" if i.is_ordered:
                return VARYING
            case "call" if (across := cross_lane(i)) is not None:
                return UNIFORM if across.same_for_all else VARYING
            case "call" if not is_same_for_same_arguments(i):
                return VARYING
            case "getelementptr" | "insertelement" | "shufflevector" if any(
                o.type.is_vector for o in i.operands
            ):
                return UNIFORM if all(map(self._uniform, i.operands)) else VARYING
        return evolved(i, self._of, Wrapping.CONDITIONAL)

    def _of(self, value: Value) -> Evolution | None:
        return self.shapes.get(value, UNIFORM)

    def _uniform(self, value: Value) -> bool:
        return is_invariant(self._of(value))

    def _phi(self, phi: Instruction) -> Evolution | None:
        assert phi.block is not None
        if phi.block in self.joins:
            return VARYING
        shape: Evolution | None = None
        first = True
        for value, _ in phi.incoming():
            inside = isinstance(value, Instruction) and value.block in self.loop.blocks
            if inside and value not in self.shapes:
                continue  # optimistic: not computed yet
            other = self.shapes.get(value, UNIFORM)
            shape = other if first else join(shape, other)
            first = False
        if shape is not VARYING and shape.needs:
            return VARYING  # the condition may concern a value of an earlier iteration
        return UNIFORM if first else shape


def is_same_for_same_arguments(call: Instruction) -> bool:
    """Whether lanes that make a call at the same time with the same arguments get the same result."""
    return call.callee_name.startswith("llvm.") or has_no_effects(call) or only_reads(call)
