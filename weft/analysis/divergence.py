"""Which values and branches differ between the work-items of a group.

A value is *uniform* when all work-items that compute it at the same time get the same result, else
*divergent*; a branch is divergent when its condition is. (pocl, section 4.6, calls this variable
uniformity analysis.) The analysis starts from what must differ (ids, loads, atomics, private
addresses) and follows three kinds of dependence to a fixpoint:

- data: an instruction with a divergent operand is divergent;
- control: between a divergent branch and its immediate post-dominator work-items take different
  ways, so the phis of the blocks on these ways and of the post-dominator are divergent, and the
  blocks themselves are *divergent blocks*: not all work-items run them, or not equally often;
- time: a loop left through a divergent branch hands out values of different iterations; in LCSSA
  form, which is required, these pass through phis that the rule above covers.

Requires LCSSA. Complexity: each branch becomes divergent at most once, each time a walk over the
blocks it controls.
"""

from dataclasses import dataclass

from weft.ir import Argument, Block, Function, Instruction, Value
from weft.ir.dominators import DominatorTree, post_dominators
from weft.ir.values import Constant

from .work_items import work_item_function


@dataclass(frozen=True)
class Divergence:
    """The result: everything not listed is uniform."""

    values: frozenset[Value]
    blocks: frozenset[Block]

    def is_uniform(self, value: Value) -> bool:
        """Whether all work-items that compute the value together get the same."""
        return value not in self.values

    def is_divergent_branch(self, block: Block) -> bool:
        """Whether work-items may leave the block in different directions."""
        terminator = block.terminator
        return len(terminator.operands) > 1 and terminator.operands[0] in self.values

    def runs_uniformly(self, block: Block) -> bool:
        """Whether all work-items run the block the same number of times."""
        return block not in self.blocks


def divergence(function: Function) -> Divergence:
    """Analyses a kernel."""
    tree = post_dominators(function)
    values: set[Value] = set()
    blocks: set[Block] = set()
    work: list[Value] = []

    def mark(value: Value) -> None:
        if value not in values:
            values.add(value)
            work.append(value)

    for instruction in function.instructions():
        if _starts_divergent(instruction):
            mark(instruction)
    while work:
        value = work.pop()
        for user in value.users:
            if user.is_terminator:
                if user.opcode in ("br", "switch") and user.operands[0] is value and user.block is not None:
                    for block in _controlled(user.block, tree):
                        if block is not None:
                            for phi in block.phis():
                                mark(phi)
                    blocks.update(b for b in _between(user.block, tree))
            else:
                mark(user)
    return Divergence(frozenset(values), frozenset(blocks))


def _starts_divergent(instruction: Instruction) -> bool:
    match instruction.opcode:
        case "alloca" | "atomicrmw" | "cmpxchg":
            return True
        case "load":
            return not reads_unchanging_memory(instruction)
        case "call":
            function = work_item_function(instruction)
            if function is not None:
                return function.varying
            return not _is_pure(instruction)
    return False


def reads_unchanging_memory(load: Instruction) -> bool:
    """Whether no work-item can write what a load reads: constant memory, or a structure argument.

    Of a structure argument passed by value a kernel has a private copy; what it reads from the
    parameter itself is the caller's original.
    """
    pointer = load.operands[0]
    if pointer.type.space == 2:  # type: ignore[attr-defined]
        return not load.attributes.get("volatile")
    while isinstance(pointer, Instruction) and pointer.opcode == "getelementptr":
        pointer = pointer.operands[0]
    return isinstance(pointer, Argument) and any(a.startswith("byval") for a in pointer.attributes)


def _is_pure(call: Instruction) -> bool:
    """Whether the result depends on nothing but the operands' values."""
    callee = call.called_function
    if callee is None or any(not isinstance(a, Constant) and a.type.is_pointer for a in call.arguments):
        return False
    module = callee.module
    groups = [w for w in (*call.attributes.get("suffix", ()), *callee.suffix) if w[0] == "#"]
    texts = [module.attribute_groups[int(g[1:])] for g in groups] if module is not None else []
    return any("memory(none)" in text for text in texts)


def _between(branch: Block, tree: DominatorTree) -> list[Block]:
    """Blocks on the ways from a branch to its immediate post-dominator, without the latter."""
    end = tree.idom(branch) if branch in tree else None
    found: dict[Block, None] = {}
    stack = branch.successors()
    while stack:
        block = stack.pop()
        if block is end or block in found:
            continue
        found[block] = None
        stack += block.successors()
    return list(found)


def _controlled(branch: Block, tree: DominatorTree) -> list[Block | None]:
    """Blocks whose phis a divergent branch makes divergent."""
    return [*_between(branch, tree), tree.idom(branch) if branch in tree else None]
