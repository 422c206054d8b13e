"""Plan in which order the blocks of a work-item loop become code for lanes, and which run under masks.

    entry:    uniform branch          entry
    a:        divergent branch        a, then {b, c} under masks
    b, c:     masked                  join
    join:     all lanes

There is a step for each unmasked block, before what it leads to. After a divergent branch or loop comes the
region of masked blocks up to where all lanes are together again.

The steps are all that `vectorize_loop.py` needs to know of control flow. Whatever has no form for lanes is
refused here, before anything is emitted: the walk visits blocks and edges in the order of emission.

Requires what `lanes` requires. Raises CannotVectorize. Linear in the size of the loop but for regions that
lie in one another.
"""

from collections.abc import Collection, Iterable

from weft.analysis.lanes import Lanes
from weft.dataclasses import dataclass
from weft.ir import Block, Instruction
from weft.ir.dominators import DominatorTree
from weft.ir.graph import reachable
from weft.ir.loops import Loop, LoopForest
from weft.transform.cost_model.code_size import MOST_NESTED

from .cannot_vectorize import CannotVectorize, NotVectorized
from .counted_loop import loop_control
from .legality import InstructionLegality, check_serial, check_type, may_block_progress
from .loop_state import Edge, exit_groups
from .masked_code import order_of
from .strategies import ends_serially, is_dynamic

Node = Block | Loop


@dataclass(frozen=True)
class MaskedRegion:
    """Masked blocks and loops, each before what it leads to, and the block where all lanes are together.

    Lanes come to the end from `sources`: blocks of the region, and those before it.
    """

    nodes: tuple[Node, ...]
    sources: frozenset[Block]
    end: Block


@dataclass(frozen=True)
class Step:
    """A block that all lanes run, or a divergent loop that all enter, and the masked region that follows."""

    node: Node
    region: MaskedRegion | None = None


def check_form(loop: Loop, forest: LoopForest) -> None:
    """Raise CannotVectorize if a work-item loop or the loops in it do not have the form that lanes need."""
    for block in loop.blocks:
        for instruction in block.instructions:
            if any(u.block not in loop.blocks for u in instruction.users):
                raise CannotVectorize(NotVectorized.LOOP_FORM)
            _check_lcssa(instruction, forest.loop_of(block))
            if forest.loop_of(block) is not loop and may_block_progress(instruction):
                raise CannotVectorize(NotVectorized.MAY_WAIT)
    deepest = max(inner.depth for inner in loop.nest())
    if deepest - loop.depth > MOST_NESTED:
        raise CannotVectorize(NotVectorized.NESTED_TOO_DEEP)
    if loop.preheader is None or any(e.phis() for e in loop.exits):
        raise CannotVectorize(NotVectorized.LOOP_FORM)


def _check_lcssa(instruction: Instruction, inner: Loop | None) -> None:
    for user in instruction.users:
        sources = (
            [b for v, b in user.incoming() if v is instruction] if user.opcode == "phi" else [user.block]
        )
        if inner is not None and any(b is None or b not in inner for b in sources):
            raise CannotVectorize(NotVectorized.LOOP_FORM)


class MaskedWalk:
    """Visits masked code in the order of emission, and refuses what cannot be emitted."""

    def __init__(self, shape: Lanes, instructions: InstructionLegality, strategy: str) -> None:
        self.shape, self.instructions, self.strategy = shape, instructions, strategy
        self._edges: set[Edge] = set()  # of which it is known which lanes take them

    def leave(self, block: Block, to: Iterable[Block]) -> None:
        """Lanes take these ways out of a block."""
        self._edges.update((block, target) for target in to)

    def need(self, edge: Edge) -> None:
        """Raise CannotVectorize unless it is known which lanes take an edge."""
        if edge not in self._edges:
            raise CannotVectorize(NotVectorized.UNSTRUCTURED)

    def node(self, node: Node) -> None:
        """Visit a masked block or loop."""
        if isinstance(node, Loop):
            self.loop(node)
        else:
            for source in node.predecessors():
                self.need((source, node))
            for phi in node.phis():
                self.instructions.check_phi(phi)
            self.block(node)

    def block(self, block: Block, control: Collection[Instruction] = ()) -> None:
        """Visit what stands in a masked block."""
        for i in block.instructions[block.first_non_phi : -1]:
            if i not in control:
                self.instructions.check(i, True)
        self.leave(block, block.successors())

    def loop(self, loop: Loop) -> None:
        """Visit a loop that runs by the strategy that was chosen."""
        preheader = loop.preheader
        if loop.latch is None or preheader is None:
            raise CannotVectorize(NotVectorized.LOOP_FORM)
        self.need((preheader, loop.header))
        for phi in loop.header.phis():
            self.instructions.check_phi(phi)
        for source, target in exit_groups(loop):
            for phi in target.phis():
                if self.shape.is_varying(phi):
                    check_type(phi.incoming_from(source).type)
        if self.strategy != "serial":
            self.iteration(loop)
            if is_dynamic(self.strategy) and not loop.exit_edges:
                raise CannotVectorize(NotVectorized.UNSTRUCTURED)
        if ends_serially(self.strategy, loop):
            check_serial(loop)
        self._edges.update(loop.exit_edges)

    def iteration(self, loop: Loop) -> None:
        """Visit an iteration of a loop."""
        latch = loop.latch
        assert latch is not None
        self.block(loop.header)
        for node in order_of(loop):
            if node is not loop.header:
                self.node(node)
        for edge in (*loop.exit_edges, (latch, loop.header)):
            self.need(edge)


def schedule(
    loop: Loop,
    shape: Lanes,
    tree: DominatorTree,
    counter: Instruction,
    instructions: InstructionLegality,
    strategy: str,
) -> tuple[Step, ...]:
    """Plan the steps of a work-item loop whose divergent loops run by a strategy."""
    latch = loop.latch
    if latch in shape.masked or loop.header in shape.masked:
        raise CannotVectorize(NotVectorized.UNSTRUCTURED)
    scheduler = _Scheduler(loop, shape, tree, counter, MaskedWalk(shape, instructions, strategy))
    scheduler.level(loop)
    return tuple(scheduler.steps)


class _Scheduler:
    def __init__(
        self, loop: Loop, shape: Lanes, tree: DominatorTree, counter: Instruction, walk: MaskedWalk
    ) -> None:
        self.loop, self.shape, self.tree, self.counter, self.walk = loop, shape, tree, counter, walk
        self.control = loop_control(loop, counter)
        self.steps: list[Step] = []
        self._done: set[Node] = set()
        self._visited: set[Block] = set()  # unmasked blocks
        self._places: dict[Loop, dict[Block, tuple[int, Node]]] = {}

    def level(self, loop: Loop) -> None:
        """Plan the blocks of a loop that all lanes run equally often."""
        for node in order_of(loop):
            if node in self._done:
                continue
            if isinstance(node, Loop):
                if node in self.shape.divergent_loops:
                    self._divergent_loop(node, loop)
                elif node.header in self.shape.masked:
                    raise CannotVectorize(NotVectorized.UNSTRUCTURED)
                else:
                    self.level(node)
            elif node in self.shape.masked:
                raise CannotVectorize(NotVectorized.UNSTRUCTURED)
            else:
                self._unmasked_block(node, loop)

    def _unmasked_block(self, block: Block, loop: Loop) -> None:
        legality = self.walk.instructions
        for phi in block.phis():
            if phi is not self.counter:
                legality.check_phi(phi)
        for i in block.instructions[block.first_non_phi : -1]:
            if i not in self.control:
                legality.check(i, False)
        self._visited.add(block)
        targets = block.successors()
        if block is not self.loop.latch and block in self.shape.divergent:
            self.walk.leave(block, targets)
            self.steps.append(Step(block, self._region(block, [block], loop)))
            return
        self.steps.append(Step(block))
        if block is self.loop.latch or (len(targets) == 1 and self._enters_divergent_loop(targets[0])):
            return
        if any(t in self.shape.masked or t not in self.loop for t in targets):
            raise CannotVectorize(NotVectorized.UNSTRUCTURED)

    def _enters_divergent_loop(self, block: Block) -> bool:
        return any(m.header is block for m in self.shape.divergent_loops)

    def _divergent_loop(self, inner: Loop, loop: Loop) -> None:
        """A loop that lanes leave at different times, entered by all of them."""
        preheader = inner.preheader
        if preheader is None or preheader not in self._visited:
            raise CannotVectorize(NotVectorized.LOOP_FORM)
        self._done.add(inner)
        self.walk.leave(preheader, [inner.header])
        self.walk.loop(inner)
        region = self._region(inner.header, [b for b, _ in inner.exit_edges], loop)
        self.steps.append(Step(inner, region))

    def _region(self, block: Block, sources: list[Block], loop: Loop) -> MaskedRegion:
        """What lies between a divergent branch or loop and its post-dominator."""
        end = self._rejoin(block, loop)
        region = self._between(sources, end, loop)
        if any(b not in self.shape.masked for b in region):
            raise CannotVectorize(NotVectorized.UNSTRUCTURED)
        nodes = []
        for node in self._ordered(region, loop):
            inside = node.header in region if isinstance(node, Loop) else node in region
            if inside and node not in self._done:
                self._done.add(node)
                self.walk.node(node)
                nodes.append(node)
        here = frozenset(region.union(sources))  # other masked code may lead to the same end
        for phi in end.phis():
            for _, source in phi.incoming():
                if source in here:
                    self.walk.need((source, end))
        return MaskedRegion(tuple(nodes), here, end)

    def _ordered(self, region: set[Block], loop: Loop) -> list[Node]:
        """The blocks of a region in a loop and the inner loops there, each before what it leads to."""
        places = self._places.get(loop)
        if places is None:
            places = self._places[loop] = {}
            for number, node in enumerate(order_of(loop)):
                held = node.blocks if isinstance(node, Loop) else (node,)
                places.update((block, (number, node)) for block in held)
        found = dict(places[block] for block in region if block in places)
        return [found[number] for number in sorted(found)]

    def _rejoin(self, block: Block, loop: Loop) -> Block:
        at = self.tree.idom(block)
        while at is not None and (at in self.shape.masked or at not in self.loop):
            at = self.tree.idom(at)
        if at is None or at not in loop.blocks:
            raise CannotVectorize(NotVectorized.UNSTRUCTURED)
        return at

    def _between(self, sources: list[Block], end: Block, loop: Loop) -> set[Block]:
        starts = [s for b in sources for s in b.successors()]
        return set(reachable(starts, Block.successors, lambda at: at is not end and at in loop))
