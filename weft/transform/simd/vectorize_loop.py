"""Afterwards a work-item loop runs W work-items per iteration, one in each SIMD lane.

    for (x = m; x < n; x++) body(x)    becomes    for (x = m; x + W <= n; x += W) body of W lanes
                                                  for (; x < n; x++) body(x)

Control flow: branches on uniform values stay branches. Where a branch is divergent, the blocks up to its
post-dominator follow one another in a line, each under the mask of the lanes that run it; phis become
selections by the masks of the edges. Work that could trap, or touches memory, is jumped over when no lane
is active. A loop that lanes leave at different times runs until its mask is empty; what leaves it is
collected lane by lane as the lanes leave.

(Whole-function vectorization as in Karrenberg and Hack, 2011, on one loop. Deviation: uniform branches
below a divergent one are linearized as well.)

Requires a loop with a counter by 1 as its only header phi, nothing of which is used behind it;
natural inner loops, LCSSA. Raises CannotVectorize, leaving the loop as it was, for what has no vector form.
The code grows by the vector body; linear time.
"""

from dataclasses import dataclass

from weft.analysis.evaluation import KnownLanes
from weft.analysis.induction import loop_test
from weft.analysis.lanes import NOTHING_ASSUMED, Assumed, Lanes, lanes
from weft.ir import Block, Function, Instruction, Value
from weft.ir.builder import Builder
from weft.ir.dominators import DominatorTree
from weft.ir.loops import Loop, LoopForest, loop_post_dominators
from weft.ir.types import I32
from weft.ir.values import ConstantInt, const_int

from .access_forms import WideAccess
from .cannot_vectorize import CannotVectorize, NotVectorized
from .compaction import Compaction, packable
from .cost import MOST_NESTED, has_effects_in_turn
from .lane_values import only_in_single_lanes
from .loop_records import LoopRecords
from .loop_state import Edge
from .masked_code import MaskedCode, order_of, simd_name
from .masked_loop import masked
from .tidy_loops import TidyLoops
from .ways import WAYS
from .widen import VectorForm, Widener


def vectorize_loop(
    function: Function,
    loop: Loop,
    forest: LoopForest,
    width: int,
    vector_form: VectorForm,
    notes: dict[Instruction, list[WideAccess]] | None = None,
    divergent: str = "masked",
    records: LoopRecords | None = None,
    once: bool = False,
    variant: "Variant | None" = None,
) -> bool:
    """Vectorizes a work-item loop; returns whether a scalar loop is left for the rest.

    `once`: the loop has exactly as many iterations as there are lanes. `notes` gets how each access to memory
    is done. A `variant` is for a case; the loop stays for the others. `divergent` is the way of divergent
    loops (`ways.py`); `records` may count their iterations.
    """
    counter, limit = counted(loop)
    shape = lanes(function, loop, counter, forest, variant.assumed if variant else NOTHING_ASSUMED)
    before = len(function.blocks)
    packed = packable(loop, shape) if divergent == "compact" and variant is None else None
    if packed is not None:
        emitter = _Emitter(function, loop, forest, counter, limit, shape, width, vector_form, once, divergent)
        emitter.masked.records = records
        try:
            emitter.compact(packed)
        except CannotVectorize:
            _forget(function, before)  # what cannot be packed may do under masks
        else:
            if notes is not None:
                notes.update(emitter.w.notes)
            return False
    emitter = _Emitter(function, loop, forest, counter, limit, shape, width, vector_form, once, divergent)
    emitter.masked.records = records
    emitter.condition = variant.condition if variant else None
    try:
        left = emitter.run()
    except CannotVectorize:
        _forget(function, before)
        raise
    if notes is not None:
        notes.update(emitter.w.notes)
    return left


@dataclass(frozen=True)
class Variant:
    """A case that vector code is for: what is assumed of addresses then, and the condition, if it has one.

    The condition is a value that is known in the preheader. The code has as many lanes as what is assumed
    holds for.
    """

    assumed: Assumed
    condition: Value | None


def counted(loop: Loop) -> tuple[Instruction, Value]:
    """The counter and the number of iterations of a work-item loop."""
    phis = loop.header.phis()
    latch = loop.latch
    if len(phis) != 1 or latch is None or len(loop.exit_edges) != 1 or loop.exit_edges[0][0] is not latch:
        raise CannotVectorize(NotVectorized.NOT_COUNTING_WORK_ITEMS)
    test = loop_test(loop, latch)
    if test is None or test.left is not phis[0].incoming_from(latch) or test.predicate != "ult":
        raise CannotVectorize(NotVectorized.NO_TRIP_COUNT)
    return phis[0], test.right


def known_lanes(loop: Loop, width: int) -> KnownLanes | None:
    """What is known of each lane, if the loop has exactly as many iterations as there are lanes."""
    counter, limit = counted(loop)
    start = counter.incoming_from(loop.preheader) if loop.preheader is not None else None
    if not isinstance(limit, ConstantInt) or not isinstance(start, ConstantInt):
        return None
    return KnownLanes(counter, start.value, width) if limit.value - start.value == width else None


def _forget(function: Function, count: int) -> None:
    """Takes back the blocks that were added after the first `count`."""
    added = function.blocks[count:]
    for block in added:
        for instruction in block.instructions:
            instruction.set_operands(())
    for block in added:
        function.remove_block(block)


class _Emitter:
    def __init__(
        self,
        function: Function,
        loop: Loop,
        forest: LoopForest,
        counter: Instruction,
        limit: Value,
        shape: Lanes,
        width: int,
        vector_form: VectorForm,
        once: bool,
        divergent: str,
    ) -> None:
        assert shape.assumed.holds_for(width), "what is known of other blocks of lanes"
        module = function.module
        assert module is not None
        self.function, self.loop, self.forest, self.counter, self.limit = (
            function,
            loop,
            forest,
            counter,
            limit,
        )
        self.shape, self.width = shape, width
        self.tree: DominatorTree = loop_post_dominators(function, loop)
        self.w = Widener(module, shape, width, vector_form)
        self.w.known = known_lanes(loop, width)
        self.w.single = only_in_single_lanes(shape, loop)
        self.condition: Value | None = None
        self.once = once or self.w.known is not None
        self.masked = MaskedCode(function, shape, self.w, WAYS.get(divergent, masked))
        self.masked.tidy = TidyLoops(function, loop, counter, forest, shape.assumed, width)
        self.real: dict[Block, Block] = {}
        self.end: dict[Block, Block] = {}  # where the code of an unmasked block ends
        self.real_edges: set[Edge] = set()
        self.blends: dict[Block, list[tuple[Block, dict[Instruction, Value]]]] = {}
        self.waiting: list[tuple[Instruction, Instruction]] = []
        self.places: dict[Loop, dict[Block, tuple[int, Block | Loop]]] = {}
        self.control = self._loop_control()

    def compact(self, packed: Loop) -> None:
        """Packs work-items into lanes; nothing is left for a scalar loop."""
        self._check()
        compaction = Compaction(
            self.function,
            self.loop,
            packed,
            self.forest,
            self.counter,
            self.limit,
            self.width,
            self.w.vector_form,
            self.control,
        )
        self.w = compaction.w
        compaction.run(self.masked.records)
        self._remove_scalar_loop()

    def _loop_control(self) -> set[Instruction]:
        """The instructions that only count the loop."""
        latch = self.loop.latch
        assert latch is not None
        condition = latch.terminator.operands[0]
        step = self.counter.incoming_from(latch)
        assert isinstance(condition, Instruction) and isinstance(step, Instruction)
        control = {condition} if len(condition.users) == 1 else set()
        if control and set(step.users) <= {self.counter, condition}:
            control.add(step)
        return control

    def _check(self) -> None:
        for block in self.loop.blocks:
            for instruction in block.instructions:
                if any(u.block not in self.loop.blocks for u in instruction.users):
                    raise CannotVectorize(NotVectorized.VALUE_USED_AFTER_LOOP)
                self._check_lcssa(instruction, block)
                if self.forest.loop_of(block) is not self.loop and has_effects_in_turn(instruction):
                    raise CannotVectorize(NotVectorized.MAY_WAIT)
        deepest = max(loop.depth for loop in self.loop.nest())
        if deepest - self.loop.depth > MOST_NESTED:
            raise CannotVectorize(NotVectorized.NESTED_TOO_DEEP)
        if self.loop.preheader is None or any(e.phis() for e in self.loop.exits):
            raise CannotVectorize(NotVectorized.SEVERAL_ENTRIES_OR_EXITS)

    def run(self) -> bool:
        self._check()
        for block in self.loop.blocks:
            if block not in self.shape.masked:
                self.real[block] = self.function.add_block(simd_name(block))
        header, latch = self.loop.header, self.loop.latch
        assert latch is not None
        if latch in self.shape.masked or header in self.shape.masked:
            raise CannotVectorize(NotVectorized.DIVERGENT_EXIT)
        first = Builder(self.real[header]).phi(I32, "lane.0")
        self.w.scalars[self.counter] = first
        self._level(self.loop)
        self._fill_phis()
        if self.once and self.condition is None:
            self._pass_through(first, header, latch)
            return False
        return self._enter(first, header, latch)

    def _check_lcssa(self, instruction: Instruction, block: Block) -> None:
        inner = self.forest.loop_of(block)
        for user in instruction.users:
            sources = (
                [b for v, b in user.incoming() if v is instruction] if user.opcode == "phi" else [user.block]
            )
            if inner is not None and any(b not in inner for b in sources):  # type: ignore[operator]
                raise CannotVectorize(NotVectorized.INNER_VALUE_WITHOUT_PHI)

    # Unmasked code keeps its control flow

    def _level(self, loop: Loop) -> None:
        for node in order_of(loop):
            if node in self.masked.done:
                continue
            if isinstance(node, Loop):
                if node in self.shape.divergent_loops:
                    self._divergent_loop(node, loop)
                elif node.header in self.shape.masked:
                    raise CannotVectorize(NotVectorized.UNREACHED_MASKED_CODE)
                else:
                    self._level(node)
            elif node in self.shape.masked:
                raise CannotVectorize(NotVectorized.UNREACHED_MASKED_CODE)
            else:
                self._real_block(node, loop)

    def _real_block(self, block: Block, loop: Loop) -> None:
        self.w.b = Builder(self.real[block])
        for phi in block.phis():
            if phi is self.counter:
                continue
            varying = self.shape.is_varying(phi)
            type = self.w.wide(phi.type) if varying else phi.type
            new = self.w.b.phi(type, phi.name)
            (self.w.vectors if varying else self.w.scalars)[phi] = new
            self.waiting.append((phi, new))
        for instruction in block.instructions[block.first_non_phi : -1]:
            if instruction not in self.control:
                self.w.emit(instruction, None)
        self.end[block] = self.w.b.block
        if block is self.loop.latch:
            return
        if block in self.shape.divergent:
            self.masked.branch_masks(block, None)
            self._masked_region(block, [block], loop)
            return
        targets = block.successors()
        if len(targets) == 1 and self._starts_divergent_loop(targets[0]):
            return  # the loop's code follows
        terminator = block.terminator
        values = {t: self.real[t] for t in targets if t in self.real}
        if len(values) != len(targets):
            raise CannotVectorize(NotVectorized.BRANCH_INTO_MASKED_CODE)
        operands = [
            values[o] if isinstance(o, Block) else self.w.scalar(o)  # type: ignore[index]
            for o in terminator.operands
        ]
        new = self.w.b.insert(Instruction(terminator.opcode, terminator.type, operands))
        if "llvm.loop" in terminator.metadata:
            new.metadata["llvm.loop"] = terminator.metadata["llvm.loop"]
        self.real_edges.update((block, t) for t in targets)

    def _starts_divergent_loop(self, block: Block) -> bool:
        return any(m.header is block for m in self.shape.divergent_loops)

    def _fill_phis(self) -> None:
        for phi, new in self.waiting:
            block = phi.block
            assert block is not None
            varying = self.shape.is_varying(phi)
            forms: dict[Block, Value] = {}  # several cases of a switch may lead here with one value
            for value, source in phi.incoming():
                if (source, block) in self.real_edges:
                    end = self.end[source]
                    if source not in forms:
                        self.w.b = Builder(end, end.terminator)
                        forms[source] = self.w.form(value, varying)
                    new.add_incoming(forms[source], end)
            for end, values in self.blends.get(block, ()):
                new.add_incoming(values[phi], end)

    def _pass_through(self, first: Instruction, header: Block, latch: Block) -> None:
        """All iterations are done by one pass through the vector code."""
        preheader = self.loop.preheader
        assert preheader is not None
        first.add_incoming(self.counter.incoming_from(preheader), preheader)
        preheader.terminator.erase()
        Builder(preheader).br(self.real[header])
        Builder(self.end[latch]).br(self.loop.exits[0])
        self._remove_scalar_loop()

    def _enter(self, first: Instruction, header: Block, latch: Block) -> bool:
        """Puts the vector loop in front of the scalar one, which does what is left; returns whether it is."""
        preheader = self.loop.preheader
        assert preheader is not None
        (exit_block,) = self.loop.exits
        function, width = self.function, self.width
        pre = Builder(preheader, preheader.terminator)
        begin = self.counter.incoming_from(preheader)
        size = pre.binary("and", pre.sub(self.limit, begin), const_int(I32, -width), "whole")
        whole = pre.add(begin, size)
        end = Builder(self.end[latch])
        following = end.add(first, const_int(I32, width), "lane.next", ("nuw", "nsw"))
        more = end.icmp("ult", following, whole)
        rest = function.add_block("simd.rest")
        branch = end.cond_br(more, self.real[header], rest)
        module = function.module
        assert module is not None
        done = module.add_metadata('!{!"llvm.loop.isvectorized", i32 1}')
        branch.metadata["llvm.loop"] = module.add_metadata(f"distinct !{{{{self}}, {done}}}")
        first.add_incoming(begin, preheader)
        first.add_incoming(following, end.block)
        preheader.terminator.erase()
        exact = isinstance(whole, ConstantInt) and isinstance(self.limit, ConstantInt)
        if exact and whole.value == self.limit.value:  # type: ignore[attr-defined]
            Builder(rest).br(exit_block)
            if self.condition is not None:
                other = function.add_block("simd.else")
                Builder(preheader).cond_br(self.condition, self.real[header], other)
                Builder(other).br(header)
                self.counter.replace_operand(preheader, other)
                return True
            Builder(preheader).br(self.real[header])
            self._remove_scalar_loop()
            return False
        # Fewer work-items than lanes: the vector loop is passed by.
        pre = Builder(preheader)
        some: Value = pre.icmp("ne", size, const_int(I32, 0))
        if self.condition is not None:
            some = pre.binary("and", some, self.condition)
        scalar = function.add_block("simd.scalar")
        pre.cond_br(some, self.real[header], scalar)
        left = Builder(rest).icmp("ne", whole, self.limit)
        Builder(rest).cond_br(left, scalar, exit_block)
        start = Builder(scalar).phi(I32, "first.left")
        start.add_incoming(begin, preheader)
        start.add_incoming(whole, rest)
        Builder(scalar).br(header)
        self.counter.remove_incoming(preheader)
        self.counter.add_incoming(start, scalar)
        return True

    def _remove_scalar_loop(self) -> None:
        blocks = list(self.loop.blocks)
        for block in blocks:
            for instruction in block.instructions:
                instruction.set_operands(())
        for block in blocks:
            self.function.remove_block(block)

    # Masked code is a line

    def _masked_region(self, block: Block, sources: list[Block], loop: Loop) -> None:
        """Emits what lies between a divergent branch and its post-dominator, and goes there."""
        end = self._rejoin(block, loop)
        region = self._between(sources, end, loop)
        if any(b in self.real for b in region):
            raise CannotVectorize(NotVectorized.REJOINED_INSIDE)
        for node in self._ordered(region, loop):
            inside = node.header in region if isinstance(node, Loop) else node in region
            if inside and node not in self.masked.done:
                self.masked.node(node)
        blended = {}
        here = region.union(sources)  # other masked code may lead to the same end
        for phi in end.phis():
            blended[phi] = self.masked.blend(phi, [(v, s) for v, s in phi.incoming() if s in here], end)
        self.w.b.br(self.real[end])
        self.blends.setdefault(end, []).append((self.w.b.block, blended))

    def _ordered(self, region: set[Block], loop: Loop) -> list[Block | Loop]:
        """The blocks of a region in a loop and the inner loops there, each before what it leads to."""
        places = self.places.get(loop)
        if places is None:
            places = self.places[loop] = {}
            for number, node in enumerate(order_of(loop)):
                held = node.blocks if isinstance(node, Loop) else (node,)
                places.update((block, (number, node)) for block in held)
        found = dict(places[block] for block in region if block in places)
        return [found[number] for number in sorted(found)]

    def _rejoin(self, block: Block, loop: Loop) -> Block:
        at = self.tree.idom(block)
        while at is not None and (at in self.shape.masked or at not in self.real):
            at = self.tree.idom(at)
        if at is None or at not in loop.blocks:
            raise CannotVectorize(NotVectorized.NEVER_REJOINED)
        return at

    def _between(self, sources: list[Block], end: Block, loop: Loop) -> set[Block]:
        found: set[Block] = set()
        stack = [s for b in sources for s in b.successors()]
        while stack:
            at = stack.pop()
            if at is end or at in found or at not in loop.blocks:
                continue
            found.add(at)
            stack += at.successors()
        return found

    def _divergent_loop(self, inner: Loop, loop: Loop) -> None:
        """A loop that lanes leave at different times, entered by all of them."""
        preheader = inner.preheader
        if preheader is None or preheader not in self.end:
            raise CannotVectorize(NotVectorized.INNER_LOOP_FORM)
        self.masked.done.add(inner)
        self.w.b = Builder(self.end[preheader])
        self.masked.edge_mask[preheader, inner.header] = None
        self.masked.loop(inner)
        self._masked_region(inner.header, [b for b, _ in inner.exit_edges], loop)
