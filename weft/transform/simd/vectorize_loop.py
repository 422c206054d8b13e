"""Emit the vector code of a work-item loop: W work-items per iteration, one in each SIMD lane.

    for (x = m; x < n; x++) body(x)    becomes    for (x = m; x + W <= n; x += W) body of W lanes
                                                  for (; x < n; x++) body(x)

Branches on uniform values stay branches. After a divergent branch, the blocks up to its post-dominator are
linearized; each runs under the mask of its active lanes, and phis become selects by the masks of the edges.
Code that may trap or accesses memory is skipped when no lane is active. A divergent loop runs until its mask
is empty; values that leave it are collected lane by lane.

(Whole-function vectorization as in Karrenberg and Hack, 2011, on one loop. Deviation: uniform branches below
a divergent one are linearized as well.)

Requires a plan (`loop_plan.py`); planning refuses code without a vector form. The loop has one header phi, a
counter by 1, and no value that is used after it; inner loops are natural and in LCSSA form. The code grows by
the vector body; linear time.
"""

from weft.dataclasses import dataclass
from weft.ir import Block, Instruction, Value
from weft.ir.builder import Builder
from weft.ir.loops import Loop
from weft.ir.metadata import LOOP, set_loop_properties
from weft.ir.types import I32
from weft.ir.values import const_int

from .access_forms import WideAccess
from .coherent_loops import CoherentLoops
from .counted_loop import known_lanes, loop_control
from .lane_values import only_in_single_lanes
from .loop_plan import LoopPlan
from .loop_records import LoopRecords
from .loop_state import Edge
from .masked_code import MaskedCode, simd_name
from .masked_loop import masked
from .schedule import MaskedRegion
from .strategies import STRATEGIES
from .widen import Widener

# Forms of memory accesses, for the instructions of the scalar loop.
Accesses = dict[Instruction, list[WideAccess]]


@dataclass(frozen=True)
class Emitted:
    """The result of a plan: whether a scalar remainder loop is left, and the forms of memory accesses."""

    has_remainder: bool
    accesses: Accesses


def emit_loop(
    plan: LoopPlan,
    condition: Value | None = None,
    records: LoopRecords | None = None,
    remainder: Block | None = None,
) -> Emitted:
    """Emit the vector code of a plan.

    With a `condition`, a value that is available in the preheader, the code is for the case that it holds;
    the scalar loop stays for the other case. `records` may count the iterations of divergent loops.
    `remainder` is the header of the remainder loop if that is not the loop itself; nothing enters it yet.
    """
    body = _Body(plan, records)
    body.emit()
    return Emitted(_Entry(plan, body, condition, remainder).connect(), body.w.notes)


class _Body:
    """The vector code of a loop's body, from the header to the latch."""

    def __init__(self, plan: LoopPlan, records: LoopRecords | None) -> None:
        function, loop, shape = plan.function, plan.loop, plan.shape
        module = function.parent
        self.plan, self.function, self.loop, self.shape = plan, function, loop, shape
        known, single = known_lanes(loop, plan.width), only_in_single_lanes(shape, loop)
        options = plan.options
        self.w = Widener(module, shape, options.width, options.vector_form, known, single, options.register)
        strategy = STRATEGIES.get(options.strategy, masked)
        self.masked = MaskedCode(function, self.w, strategy, records, CoherentLoops(plan))
        self.real: dict[Block, Block] = {}
        self.end: dict[Block, Block] = {}  # last block of an unmasked block's code
        self.real_edges: set[Edge] = set()
        self.blends: dict[Block, list[tuple[Block, dict[Instruction, Value]]]] = {}
        self.unfilled_phis: list[tuple[Instruction, Instruction]] = []
        self.control = loop_control(loop, plan.counter)

    def emit(self) -> None:
        """Emit all steps of the plan."""
        for block in self.loop.blocks:
            if block not in self.shape.masked:
                self.real[block] = self.function.add_block(simd_name(block))
        self.first = Builder(self.real[self.loop.header]).phi(I32, "lane.0")
        self.w.define_scalar(self.plan.counter, self.first)
        for step in self.plan.steps:
            if isinstance(step.node, Loop):
                self._divergent_loop(step.node)
            else:
                self._real_block(step.node)
            if step.region is not None:
                self._masked_region(step.region)
        self._fill_phis()

    def _real_block(self, block: Block) -> None:
        """Emit a block that all lanes run; unmasked code keeps its control flow."""
        self.w.go_to(self.real[block])
        for phi in block.phis():
            if phi is self.plan.counter:
                continue
            varying = self.shape.is_varying(phi)
            type = self.w.wide(phi.type) if varying else phi.type
            new = self.w.b.phi(type, phi.name)
            self.w.define(phi, new)
            self.unfilled_phis.append((phi, new))
        for instruction in block.instructions[block.first_non_phi : -1]:
            if instruction not in self.control:
                self.w.emit(instruction, None)
        self.end[block] = self.w.b.block
        if block is self.loop.latch:
            return
        if block in self.shape.divergent:
            self.masked.branch_masks(block, None)
            return
        targets = block.successors()
        if any(target not in self.real for target in targets):
            return  # enters a divergent loop, whose code is emitted next
        terminator = block.terminator
        operands = [self.real[o] if isinstance(o, Block) else self.w.scalar(o) for o in terminator.operands]
        new = self.w.b.insert(Instruction(terminator.opcode, terminator.type, operands))
        if LOOP in terminator.metadata:
            new.metadata[LOOP] = terminator.metadata[LOOP]
        self.real_edges.update((block, t) for t in targets)

    def _divergent_loop(self, loop: Loop) -> None:
        """Emit a divergent loop that all lanes enter."""
        preheader = loop.known_preheader
        self.w.go_to(self.end[preheader])
        self.masked.take((preheader, loop.header), None)
        self.masked.loop(loop)

    def _masked_region(self, region: MaskedRegion) -> None:
        """Emit linearized masked code and branch to the block where all lanes rejoin."""
        for node in region.nodes:
            self.masked.node(node)
        end, blended = region.end, {}
        for phi in end.phis():
            incoming = [(v, s) for v, s in phi.incoming() if s in region.sources]
            blended[phi] = self.masked.blend(phi, incoming, end)
        self.w.b.br(self.real[end])
        self.blends.setdefault(end, []).append((self.w.b.block, blended))

    def _fill_phis(self) -> None:
        for phi, new in self.unfilled_phis:
            block = phi.parent
            varying = self.shape.is_varying(phi)
            forms: dict[Block, Value] = {}  # several cases of a switch may lead to one block
            for value, source in phi.incoming():
                if (source, block) in self.real_edges:
                    end = self.end[source]
                    if source not in forms:
                        self.w.go_to(end, end.terminator)
                        forms[source] = self.w.form(value, varying)
                    new.add_incoming(forms[source], end)
            for end, values in self.blends.get(block, ()):
                new.add_incoming(values[phi], end)


class _Entry:
    """The control flow around the vector code of a loop: entry, counter and exit."""

    def __init__(self, plan: LoopPlan, body: _Body, condition: Value | None, remainder: Block | None) -> None:
        self.plan, self.body, self.condition = plan, body, condition
        self.remainder = remainder or plan.loop.header
        self.function, self.loop, self.counter = plan.function, plan.loop, plan.counter
        self.preheader = plan.loop.known_preheader
        self.begin = plan.counter.incoming_from(self.preheader)
        self.top, self.bottom = body.real[plan.loop.header], body.end[plan.loop.known_latch]
        (self.exit,) = plan.loop.exits

    def connect(self) -> bool:
        """Connect the vector code before the scalar remainder loop; return whether that loop is needed."""
        if self.plan.options.once and self.condition is None:
            self._pass_through()
            return False
        has_remainder = self.plan.has_remainder
        size, whole, rest = self._count()
        self.preheader.terminator.erase()
        if not has_remainder:
            return self._without_rest(rest)
        self._with_rest(size, whole, rest)
        return True

    def _pass_through(self) -> None:
        """Run the vector code once: all iterations fit into one pass."""
        self.body.first.add_incoming(self.begin, self.preheader)
        self.preheader.terminator.erase()
        Builder(self.preheader).br(self.top)
        Builder(self.bottom).br(self.exit)
        self.function.remove_blocks(list(self.loop.blocks))

    def _count(self) -> tuple[Value, Value, Block]:
        """Emit the counter of full passes.

        Returns the number of work-items in full passes, where they end, and the block after them.
        """
        first, width = self.body.first, self.plan.width
        pre = Builder(self.preheader, self.preheader.terminator)
        size = pre.binary("and", pre.sub(self.plan.limit, self.begin), const_int(I32, -width), "whole")
        whole = pre.add(self.begin, size)
        end = Builder(self.bottom)
        next_first = end.add(first, const_int(I32, width), "lane.next", ("nuw", "nsw"))
        more = end.icmp("ult", next_first, whole)
        rest = self.function.add_block("simd.remainder")
        branch = end.cond_br(more, self.top, rest)
        module = self.function.parent
        done = module.add_metadata('!{!"llvm.loop.isvectorized", i32 1}')
        set_loop_properties(branch, (done,))
        first.add_incoming(self.begin, self.preheader)
        first.add_incoming(next_first, end.block)
        return size, whole, rest

    def _without_rest(self, rest: Block) -> bool:
        """Connect without a remainder; the scalar loop stays only for the case that the condition fails."""
        Builder(rest).br(self.exit)
        if self.condition is None:
            Builder(self.preheader).br(self.top)
            self.function.remove_blocks(list(self.loop.blocks))
            return False
        other = self.function.add_block("simd.else")
        Builder(self.preheader).cond_br(self.condition, self.top, other)
        Builder(other).br(self.loop.header)
        self.counter.replace_operand(self.preheader, other)
        return True

    def _with_rest(self, size: Value, whole: Value, rest: Block) -> None:
        """Connect to the scalar loop for the remainder, or for all work-items if they are too few."""
        pre = Builder(self.preheader)
        some: Value = pre.icmp("ne", size, const_int(I32, 0))
        if self.condition is not None:
            some = pre.binary("and", some, self.condition)
        scalar = self.function.add_block("simd.scalar")
        pre.cond_br(some, self.top, scalar)
        left = Builder(rest).icmp("ne", whole, self.plan.limit)
        Builder(rest).cond_br(left, scalar, self.exit)
        start = Builder(scalar).phi(I32, "first.left")
        start.add_incoming(self.begin, self.preheader)
        start.add_incoming(whole, rest)
        Builder(scalar).br(self.remainder)
        (counter,) = self.remainder.phis()
        counter.remove_incoming(self.preheader)
        counter.add_incoming(start, scalar)
        if self.remainder is not self.loop.header:
            self.function.remove_blocks(list(self.loop.blocks))
