"""Plan the order in which the blocks of a work-item loop are emitted, and which of them are masked.

    entry:    uniform branch          entry
    a:        divergent branch        a, then {b, c} under masks
    b, c:     masked                  join
    join:     all lanes

Each unmasked block gets a step, in topological order. After a divergent branch or loop comes the region of
masked blocks up to where all lanes rejoin.

The steps are all that `vectorize_loop.py` needs to know about control flow. Code without a vector form is
refused here, before anything is emitted: the walk visits blocks and edges in the order of emission.

Has the same requirements as `lanes`. Raises CannotVectorize. Linear in the size of the loop except for nested
regions.
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
    """Masked blocks and loops in topological order, and the block where all lanes rejoin.

    Lanes reach `end` from `sources`: blocks of the region, and those before it.
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
    """Raise CannotVectorize unless a work-item loop and its inner loops have the required form."""
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
        self._edges: set[Edge] = set()  # edges whose masks are known

    def leave(self, block: Block, to: Iterable[Block]) -> None:
        """Record that the masks of these outgoing edges of a block are known."""
        self._edges.update((block, target) for target in to)

    def need(self, edge: Edge) -> None:
        """Raise CannotVectorize unless the mask of an edge is known."""
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
        """Visit the instructions of a masked block."""
        for i in block.instructions[block.first_non_phi : -1]:
            if i not in control:
                self.instructions.check(i, True)
        self.leave(block, block.successors())

    def loop(self, loop: Loop) -> None:
        """Visit a loop that runs by the chosen strategy."""
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
        self.block(loop.header)
        for node in order_of(loop):
            if node is not loop.header:
                self.node(node)
        for edge in (*loop.exit_edges, (loop.known_latch, loop.header)):
            self.need(edge)


def schedule(
    loop: Loop,
    shape: Lanes,
    tree: DominatorTree,
    counter: Instruction,
    instructions: InstructionLegality,
    strategy: str,
) -> tuple[Step, ...]:
    """Plan the steps of a work-item loop whose divergent loops run by `strategy`."""
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
        """Plan the blocks of a loop whose trip count is the same for all lanes."""
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
        """Plan a divergent loop that all lanes enter."""
        preheader = inner.preheader
        if preheader is None or preheader not in self._visited:
            raise CannotVectorize(NotVectorized.LOOP_FORM)
        self._done.add(inner)
        self.walk.leave(preheader, [inner.header])
        self.walk.loop(inner)
        region = self._region(inner.header, [b for b, _ in inner.exit_edges], loop)
        self.steps.append(Step(inner, region))

    def _region(self, block: Block, sources: list[Block], loop: Loop) -> MaskedRegion:
        """Plan the code between a divergent branch or loop and its post-dominator."""
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
        region_and_sources = frozenset(region.union(sources))  # other masked code may lead to the same end
        for phi in end.phis():
            for _, source in phi.incoming():
                if source in region_and_sources:
                    self.walk.need((source, end))
        return MaskedRegion(tuple(nodes), region_and_sources, end)

    def _ordered(self, region: set[Block], loop: Loop) -> list[Node]:
        """Return the blocks and inner loops of a region in topological order."""
        places = self._places.get(loop)
        if places is None:
            places = self._places[loop] = {}
            for number, node in enumerate(order_of(loop)):
                blocks = node.blocks if isinstance(node, Loop) else (node,)
                places.update((block, (number, node)) for block in blocks)
        nodes = dict(places[block] for block in region if block in places)
        return [nodes[number] for number in sorted(nodes)]

    def _rejoin(self, block: Block, loop: Loop) -> Block:
        candidate = self.tree.idom(block)
        while candidate is not None and (candidate in self.shape.masked or candidate not in self.loop):
            candidate = self.tree.idom(candidate)
        if candidate is None or candidate not in loop.blocks:
            raise CannotVectorize(NotVectorized.UNSTRUCTURED)
        return candidate

    def _between(self, sources: list[Block], end: Block, loop: Loop) -> set[Block]:
        starts = [s for b in sources for s in b.successors()]
        return set(reachable(starts, Block.successors, lambda at: at is not end and at in loop))
