"""Afterwards a work-item loop runs W work-items per iteration, one in each SIMD lane.

    for (x = 0; x < n; x++) body(x)    becomes    for (x = 0; x + W <= n; x += W) body of W lanes
                                                  for (; x < n; x++) body(x)

Control flow: branches on uniform values stay branches. Where a branch is divergent, the blocks up to its
post-dominator follow one another in a line, each under the mask of the lanes that run it; phis become
selections by the masks of the edges. Work that could trap, or touches memory, is jumped over when no lane
is active. A loop that lanes leave at different times runs until its mask is empty; what leaves it is
collected lane by lane as the lanes leave.

(Whole-function vectorization as in Karrenberg and Hack, 2011, on one loop. Deviation: uniform branches
below a divergent one are linearized as well.)

Requires a loop with a counter from 0 by 1 as its only header phi, nothing of which is used behind it;
natural inner loops, LCSSA. Raises CannotVectorize, leaving the loop as it was, for what has no vector form.
The code grows by the vector body; linear time.
"""

from weft.analysis.lanes import Lanes, lanes
from weft.ir import Block, Function, Instruction, Value
from weft.ir.builder import Builder
from weft.ir.dominators import DominatorTree, post_dominators
from weft.ir.loops import Loop, LoopForest
from weft.ir.types import I1, I32
from weft.ir.values import ConstantInt, Poison, const_int

from .widen import CannotVectorize, VectorForm, Widener

Edge = tuple[Block, Block]


def vectorize_loop(
    function: Function, loop: Loop, forest: LoopForest, width: int, vector_form: VectorForm
) -> Block:
    """Vectorizes a work-item loop; returns the header of the vector loop."""
    counter, limit = counted(loop)
    shape = lanes(function, loop, counter, forest)
    before = len(function.blocks)
    emitter = _Emitter(function, loop, forest, counter, limit, shape, width, vector_form)
    try:
        return emitter.run()
    except CannotVectorize:
        _forget(function, before)
        raise


def counted(loop: Loop) -> tuple[Instruction, Value]:
    """The counter and the number of iterations of a work-item loop."""
    phis = loop.header.phis()
    latch = loop.latch
    if len(phis) != 1 or latch is None or len(loop.exit_edges) != 1 or loop.exit_edges[0][0] is not latch:
        raise CannotVectorize("the loop does not only count work-items")
    step = phis[0].incoming_from(latch)
    condition = latch.terminator.operands[0]
    if not isinstance(condition, Instruction) or condition.opcode != "icmp":
        raise CannotVectorize("the loop does not count to a number")
    if condition.operands[0] is not step or condition.attributes["predicate"] != "ult":
        raise CannotVectorize("the loop does not count to a number")
    return phis[0], condition.operands[1]


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
    ) -> None:
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
        self.tree: DominatorTree = post_dominators(function)
        self.w = Widener(module, shape, width, vector_form)
        self.real: dict[Block, Block] = {}
        self.end: dict[Block, Block] = {}  # where the code of an unmasked block ends
        self.real_edges: set[Edge] = set()
        self.edge_mask: dict[Edge, Value | None] = {}
        self.live_out: dict[tuple[Block, Block, Value], Value] = {}
        self.blends: dict[Block, list[tuple[Block, dict[Instruction, Value]]]] = {}
        self.waiting: list[tuple[Instruction, Instruction]] = []
        self.done: set[Block | Loop] = set()
        self.control = self._loop_control()

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

    def run(self) -> Block:
        for block in self.loop.blocks:
            for instruction in block.instructions:
                if any(u.block not in self.loop.blocks for u in instruction.users):
                    raise CannotVectorize("a value of the loop is used behind it")
            if block not in self.shape.masked:
                self.real[block] = self.function.add_block(_name(block, "simd"))
        header, latch = self.loop.header, self.loop.latch
        assert latch is not None
        if self.loop.preheader is None or any(e.phis() for e in self.loop.exits):
            raise CannotVectorize("the loop is not entered or left in one place")
        if latch in self.shape.masked or header in self.shape.masked:
            raise CannotVectorize("work-items may leave the loop at different times")
        first = Builder(self.real[header]).phi(I32, "lane.0")
        self.w.scalars[self.counter] = first
        self._level(self.loop)
        self._fill_phis()
        self._enter(first, header, latch)
        return self.real[header]

    # Order

    def _order(self, loop: Loop) -> list[Block | Loop]:
        """Blocks and inner loops of a loop, each before what it leads to."""
        children = {b: child for child in loop.children for b in child.blocks}
        found: list[Block | Loop] = []
        seen: set[Block | Loop] = set()

        def following(node: Block | Loop) -> list[Block | Loop]:
            targets = node.exits if isinstance(node, Loop) else node.successors()
            inside = [t for t in targets if t in loop.blocks and t is not loop.header]
            return [children.get(t, t) for t in inside]

        stack: list[tuple[Block | Loop, list[Block | Loop]]] = []
        start: Block | Loop = loop.header
        seen.add(start)
        stack.append((start, following(start)))
        while stack:
            node, rest = stack[-1]
            if rest:
                target = rest.pop()
                if target not in seen:
                    seen.add(target)
                    stack.append((target, following(target)))
            else:
                stack.pop()
                found.append(node)
        return found[::-1]

    # Unmasked code keeps its control flow

    def _level(self, loop: Loop) -> None:
        for node in self._order(loop):
            if node in self.done:
                continue
            if isinstance(node, Loop):
                if node in self.shape.divergent_loops:
                    self._divergent_loop(node, loop)
                elif node.header in self.shape.masked:
                    raise CannotVectorize("a masked loop outside masked code")
                else:
                    self._level(node)
            elif node in self.shape.masked:
                raise CannotVectorize("masked code without a branch that leads to it")
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
            self._branch_masks(block, None)
            self._masked_region(block, [block], loop)
            return
        targets = block.successors()
        if len(targets) == 1 and self._starts_divergent_loop(targets[0]):
            return  # the loop's code follows
        terminator = block.terminator
        values = {t: self.real[t] for t in targets if t in self.real}
        if len(values) != len(targets):
            raise CannotVectorize("a uniform branch leads into masked code")
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
            for value, source in phi.incoming():
                if (source, block) in self.real_edges:
                    end = self.end[source]
                    self.w.b = Builder(end, end.terminator)
                    new.add_incoming(self.w.form(value, varying), end)
            for end, values in self.blends.get(block, ()):
                new.add_incoming(values[phi], end)

    def _enter(self, first: Instruction, header: Block, latch: Block) -> None:
        """Puts the vector loop in front of the scalar one, which does what is left."""
        preheader = self.loop.preheader
        assert preheader is not None
        (exit_block,) = self.loop.exits
        function, width = self.function, self.width
        pre = Builder(preheader, preheader.terminator)
        whole = pre.binary("and", self.limit, const_int(I32, -width), "whole")
        end = Builder(self.end[latch])
        following = end.add(first, const_int(I32, width), "lane.next", ("nuw", "nsw"))
        more = end.icmp("ult", following, whole)
        rest = function.add_block("simd.rest")
        branch = end.cond_br(more, self.real[header], rest)
        module = function.module
        assert module is not None
        done = module.add_metadata('!{!"llvm.loop.isvectorized", i32 1}')
        branch.metadata["llvm.loop"] = module.add_metadata(f"distinct !{{{{self}}, {done}}}")
        first.add_incoming(const_int(I32, 0), preheader)
        first.add_incoming(following, end.block)
        exact = isinstance(whole, ConstantInt) and isinstance(self.limit, ConstantInt)
        preheader.terminator.erase()
        if exact and whole.value == self.limit.value:  # type: ignore[attr-defined]
            Builder(preheader).br(self.real[header])
            Builder(rest).br(exit_block)
            self._remove_scalar_loop()
            return
        # Fewer work-items than lanes: the vector loop is passed by.
        some = Builder(preheader).icmp("ne", whole, const_int(I32, 0))
        scalar = function.add_block("simd.scalar")
        Builder(preheader).cond_br(some, self.real[header], scalar)
        left = Builder(rest).icmp("ne", whole, self.limit)
        Builder(rest).cond_br(left, scalar, exit_block)
        start = Builder(scalar).phi(I32, "first.left")
        start.add_incoming(const_int(I32, 0), preheader)
        start.add_incoming(whole, rest)
        Builder(scalar).br(header)
        self.counter.remove_incoming(preheader)
        self.counter.add_incoming(start, scalar)

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
        for node in self._order(loop):
            inside = node.header in region if isinstance(node, Loop) else node in region
            if inside and node not in self.done:
                self._masked_node(node)
        blended = {}
        for phi in end.phis():
            edges = [(v, s) for v, s in phi.incoming() if (s, end) in self.edge_mask]
            blended[phi] = self._blend(phi, edges, end)
        self.w.b.br(self.real[end])
        self.blends.setdefault(end, []).append((self.w.b.block, blended))

    def _rejoin(self, block: Block, loop: Loop) -> Block:
        at = self.tree.idom(block)
        while at is not None and (at in self.shape.masked or at not in self.real):
            at = self.tree.idom(at)
        if at is None or at not in loop.blocks:
            raise CannotVectorize("work-items do not come together again")
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
            raise CannotVectorize("a divergent loop without a pre-header")
        self.done.add(inner)
        self.w.b = Builder(self.end[preheader])
        self.edge_mask[preheader, inner.header] = None
        self._masked_loop(inner)
        self._masked_region(inner.header, [b for b, _ in inner.exit_edges], loop)

    def _masked_node(self, node: Block | Loop) -> None:
        self.done.add(node)
        if isinstance(node, Loop):
            self._masked_loop(node)
        else:
            self._masked_block(node)

    def _masked_block(self, block: Block, active: Value | None = None) -> None:
        """Emits a block under its mask; `active` is the mask of a loop's header, which is never empty."""
        mask = active if active is not None else self._entry_mask(block)
        if active is None:
            for phi in block.phis():
                value = self._blend(phi, list(phi.incoming()), block)
                (self.w.vectors if self.shape.is_varying(phi) else self.w.scalars)[phi] = value
        body = block.instructions[block.first_non_phi : -1]
        if active is None and mask is not None and any(self.w.needs_guard(i) for i in body):
            self._guarded(mask, body)
        else:
            for instruction in body:
                self.w.emit(instruction, mask)
        self._branch_masks(block, mask)

    def _guarded(self, mask: Value, body: list[Instruction]) -> None:
        """Emits instructions that are passed by when no lane is active."""
        before = self.w.b.block
        inside = self.function.add_block("simd.active")
        after = self.function.add_block("simd.after")
        self.w.b.cond_br(self.w.any_lane(mask), inside, after)
        self.w.b = Builder(inside)
        for instruction in body:
            self.w.emit(instruction, mask)
        last = self.w.b.block
        self.w.b.br(after)
        self.w.b = Builder(after)
        for instruction in body:
            for values in (self.w.vectors, self.w.scalars):
                value = values.get(instruction)
                if value is not None and any(u not in body for u in instruction.users):
                    phi = self.w.b.phi(value.type, instruction.name)
                    phi.add_incoming(value, last)
                    phi.add_incoming(Poison(value.type), before)
                    values[instruction] = phi

    def _entry_mask(self, block: Block) -> Value | None:
        masks = [self._mask_of((s, block)) for s in block.predecessors()]
        mask = masks[0]
        for other in masks[1:]:
            mask = self.w.either(mask, other)
        return mask

    def _mask_of(self, edge: Edge) -> Value | None:
        if edge not in self.edge_mask:
            raise CannotVectorize("masked code that is entered from several places")
        return self.edge_mask[edge]

    def _branch_masks(self, block: Block, mask: Value | None) -> None:
        """Which lanes take which way out of a block."""
        terminator = block.terminator
        w = self.w
        if terminator.opcode == "unreachable":
            return
        if len(terminator.operands) == 1:
            self.edge_mask[block, block.successors()[0]] = mask
        elif terminator.opcode == "br":
            condition = w.vector(terminator.operands[0])
            yes, no = terminator.successors()
            taken, other = w.both(mask, condition), w.both(mask, w.inverse(condition))
            self.edge_mask[block, yes] = taken
            self.edge_mask[block, no] = other if yes is not no else mask
        else:
            value = w.vector(terminator.operands[0])
            left: Value | None = mask
            ways: dict[Block, Value | None] = {}
            for case, target in zip(terminator.operands[2::2], terminator.operands[3::2], strict=True):
                assert isinstance(target, Block)
                hit = w.b.icmp("eq", value, w.splat(case))
                taken = w.both(mask, hit)
                ways[target] = w.either(ways[target], taken) if target in ways else taken
                left = w.both(left, w.inverse(hit))
            default = terminator.operands[1]
            assert isinstance(default, Block)
            ways[default] = w.either(ways[default], left) if default in ways else left
            self.edge_mask.update(((block, t), m) for t, m in ways.items())

    def _edge_value(self, value: Value, edge: Edge, varying: bool) -> Value:
        found = self.live_out.get((*edge, value))
        return found if found is not None else self.w.form(value, varying)

    def _blend(self, phi: Instruction, incoming: list[tuple[Value, Block]], block: Block) -> Value:
        """A phi as a selection by the masks of its edges."""
        varying = self.shape.is_varying(phi)
        result: Value | None = None
        for value, source in incoming:
            edge = (source, block)
            taken = self._mask_of(edge)
            form = self._edge_value(value, edge, varying)
            if result is None:
                result = form
            elif result is not form:
                if taken is None:
                    result = form
                elif varying:
                    result = self.w.b.select(taken, form, result)
                else:
                    result = self.w.b.select(self.w.any_lane(taken), form, result)
        assert result is not None
        return result

    def _masked_loop(self, loop: Loop) -> None:
        """A loop that runs until no lane is active any more."""
        w, function = self.w, self.function
        header, latch, preheader = loop.header, loop.latch, loop.preheader
        if latch is None or preheader is None:
            raise CannotVectorize("an inner loop without a pre-header or with several latches")
        entry = self._mask_of((preheader, header))
        skipped: Block | None = None
        after = function.add_block("simd.left")
        if entry is not None:
            skipped = w.b.block
            enter = function.add_block("simd.enter")
            w.b.cond_br(w.any_lane(entry), enter, after)
            w.b = Builder(enter)
        top = function.add_block(_name(header, "simd"))
        phis = []
        starts = []
        for phi in header.phis():
            varying = self.shape.is_varying(phi)
            starts.append(w.form(phi.incoming_from(preheader), varying))
        start_block = w.b.block
        w.b.br(top)
        w.b = Builder(top)
        active = w.b.phi(w.wide(I1), "active")
        active.add_incoming(entry if entry is not None else w.all_lanes(), start_block)
        for phi, start in zip(header.phis(), starts, strict=True):
            varying = self.shape.is_varying(phi)
            new = w.b.phi(w.wide(phi.type) if varying else phi.type, phi.name)
            new.add_incoming(start, start_block)
            (w.vectors if varying else w.scalars)[phi] = new
            phis.append((phi, new, varying))
        groups = self._exit_groups(loop)
        edges = list(groups)
        left_masks = {edge: w.b.phi(w.wide(I1), "left") for edge in edges}
        for left in left_masks.values():
            left.add_incoming(w.no_lanes(), start_block)
        outs: dict[tuple[Edge, Value], Instruction] = {}
        for edge in edges:
            for phi in edge[1].phis():
                value = phi.incoming_from(edge[0])
                if (edge, value) not in outs and self._defined_in(value, loop):
                    varying = self.shape.is_varying(phi)
                    out = w.b.phi(w.wide(value.type) if varying else value.type, phi.name)
                    out.add_incoming(Poison(out.type), start_block)
                    outs[edge, value] = out
        self.done.add(header)
        self._masked_block(header, active)
        for node in self._order(loop):
            if node not in self.done:
                self._masked_node(node)
        leaving: dict[Edge, Value] = {}
        for edge, others in groups.items():
            mask = self._mask_of(edge)
            for other in others:
                mask = w.either(mask, self._mask_of(other))
            leaving[edge] = mask or w.all_lanes()
        final_left = {}
        for edge, left in left_masks.items():
            final_left[edge] = w.b.binary("or", left, leaving[edge])
        final_outs = {}
        for (edge, value), out in outs.items():
            taken = leaving[edge]
            varying = out.type is not value.type
            form = self._edge_value(value, edge, varying)
            final_outs[edge, value] = w.b.select(taken if varying else w.any_lane(taken), form, out)
        again = self._mask_of((latch, header))
        assert again is not None
        backs = [w.form(phi.incoming_from(latch), varying) for phi, _, varying in phis]
        more = w.any_lane(again)
        bottom = w.b.block
        w.b.cond_br(more, top, after)
        active.add_incoming(again, bottom)
        for (_, new, _), back in zip(phis, backs, strict=True):
            new.add_incoming(back, bottom)
        for edge, left in left_masks.items():
            left.add_incoming(final_left[edge], bottom)
        for key, out in outs.items():
            out.add_incoming(final_outs[key], bottom)
        w.b = Builder(after)
        for edge in edges:
            self.edge_mask[edge] = self._past(final_left[edge], bottom, skipped, w.no_lanes())
            self.edge_mask.update((other, w.no_lanes()) for other in groups[edge])
        for (edge, value), final in final_outs.items():
            self.live_out[(*edge, value)] = self._past(final, bottom, skipped, Poison(final.type))

    @staticmethod
    def _exit_groups(loop: Loop) -> dict[Edge, list[Edge]]:
        """Exit edges that need not be told apart: same target, same values for its phis."""
        groups: dict[Edge, list[Edge]] = {}
        first: dict[tuple[Value, ...], Edge] = {}
        for edge in dict.fromkeys(loop.exit_edges):
            key = (edge[1], *(phi.incoming_from(edge[0]) for phi in edge[1].phis()))
            if key in first:
                groups[first[key]].append(edge)
            else:
                first[key] = edge
                groups[edge] = []
        return groups

    def _past(self, value: Value, bottom: Block, skipped: Block | None, otherwise: Value) -> Value:
        """A value behind a loop that may have been passed by."""
        if skipped is None:
            return value
        phi = self.w.b.phi(value.type, value.name)
        phi.add_incoming(value, bottom)
        phi.add_incoming(otherwise, skipped)
        return phi

    @staticmethod
    def _defined_in(value: Value, loop: Loop) -> bool:
        return isinstance(value, Instruction) and value.block in loop.blocks


def _name(block: Block, suffix: str) -> str | None:
    return f"{block.name}.{suffix}" if block.name else None
