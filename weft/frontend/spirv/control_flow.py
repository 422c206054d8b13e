"""Check the control flow of a function: block order, and dominance of definitions over uses."""

from collections.abc import Sequence

from weft.dataclasses import dataclass
from weft.frontend.spirv.errors import InvalidModule
from weft.frontend.spirv.module import Block, Function, Module

# A phi uses its values at the end of the block that they come from.
_AT_END = 1 << 62


@dataclass(frozen=True)
class ControlFlow:
    """The reachable blocks, each after its dominators, and the labels of their predecessors.

    A predecessor occurs once for each edge.
    """

    blocks: tuple[Block, ...]
    predecessors: dict[int, tuple[int, ...]]


def control_flow(function: Function) -> ControlFlow:
    """Return the control flow of a function with blocks; raise InvalidModule for invalid branch targets."""
    by_label = {block.label: block for block in function.blocks}
    entry = function.blocks[0]
    for block in function.blocks:
        for label in block.successors():
            if label not in by_label:
                raise InvalidModule(f"Op{block.end.name}: id {label} is not a block of the function")
            if label == entry.label:
                raise InvalidModule(f"Op{block.end.name}: a branch targets the entry block")
    order = _reverse_postorder(entry, by_label)
    predecessors: dict[int, list[int]] = {block.label: [] for block in order}
    for block in order:
        for label in block.successors():
            predecessors[label].append(block.label)
    return ControlFlow(tuple(order), {label: tuple(labels) for label, labels in predecessors.items()})


def _reverse_postorder(entry: Block, by_label: dict[int, Block]) -> list[Block]:
    order: list[Block] = []
    seen = {entry.label}
    stack = [(entry, iter(entry.successors()))]
    while stack:
        block, remaining = stack[-1]
        for label in remaining:
            if label not in seen:
                seen.add(label)
                successor = by_label[label]
                stack.append((successor, iter(successor.successors())))
                break
        else:
            order.append(block)
            stack.pop()
    order.reverse()
    return order


def check_values(function: Function, flow: ControlFlow, globals: set[int]) -> None:
    """Raise InvalidModule unless each value is defined on every path to its uses.

    `globals` are the ids that all functions may use.
    """
    dominators = _Dominators(flow)
    places: dict[int, tuple[int, int]] = {p.result: (flow.blocks[0].label, -1) for p in function.parameters}
    labels = {block.label for block in function.blocks}
    for block in flow.blocks:
        for index, instruction in enumerate(block.instructions):
            if instruction.result:
                places[instruction.result] = block.label, index

    def check(id: int, label: int, index: int, name: str) -> None:
        if id in globals:
            return
        place = places.get(id)
        if place is None:
            raise InvalidModule(f"Op{name}: id {id} is not a value of the function")
        before = place[1] < index if place[0] == label else dominators.dominates(place[0], label)
        if not before:
            raise InvalidModule(f"Op{name}: id {id} does not dominate its use")

    for block in flow.blocks:
        for index, instruction in enumerate((*block.instructions, block.end)):
            if instruction.name == "Phi":
                for id, parent in _incoming(instruction.numbers(0)):
                    if parent in flow.predecessors:
                        check(id, parent, _AT_END, "Phi")
                continue
            for id in instruction.uses:
                if id not in labels:
                    check(id, block.label, index, instruction.name)


def _incoming(operands: Sequence[int]) -> list[tuple[int, int]]:
    """Return the pairs of value and block of a phi."""
    return list(zip(operands[::2], operands[1::2], strict=True))


class _Dominators:
    """The tree of immediate dominators, by the algorithm of Cooper, Harvey and Kennedy."""

    def __init__(self, flow: ControlFlow) -> None:
        order = [block.label for block in flow.blocks]
        number = {label: index for index, label in enumerate(order)}
        above: list[int] = [0] + [-1] * (len(order) - 1)
        changed = True
        while changed:
            changed = False
            for index, label in enumerate(order[1:], 1):
                parent = -1
                for other in (number[p] for p in flow.predecessors[label]):
                    if above[other] < 0:
                        continue
                    parent = other if parent < 0 else _meet(above, parent, other)
                if above[index] != parent:
                    above[index] = parent
                    changed = True
        self._number = number
        self._first, self._last = _intervals(above)

    def dominates(self, a: int, b: int) -> bool:
        """Return whether every path to block `b` passes block `a`."""
        x, y = self._number[a], self._number[b]
        return self._first[x] <= self._first[y] and self._last[y] <= self._last[x]


def _meet(above: list[int], a: int, b: int) -> int:
    while a != b:
        while a > b:
            a = above[a]
        while b > a:
            b = above[b]
    return a


def _intervals(above: list[int]) -> tuple[list[int], list[int]]:
    """Return when a walk over the tree enters and leaves each node."""
    below: list[list[int]] = [[] for _ in above]
    for index, parent in enumerate(above[1:], 1):
        below[parent].append(index)
    first, last = [0] * len(above), [0] * len(above)
    time = 0
    stack = [(0, iter(below[0]))]
    while stack:
        node, children = stack[-1]
        child = next(children, None)
        time += 1
        if child is None:
            last[node] = time
            stack.pop()
        else:
            first[child] = time
            stack.append((child, iter(below[child])))
    return first, last


def check_calls(module: Module) -> None:
    """Raise InvalidModule for calls of kernels or of ids that are not functions.

    Recursion is refused later, as for OpenCL C; recursion that becomes a loop is accepted.
    """
    functions = {function.id for function in module.functions}
    for function in module.functions:
        for instruction in function.instructions():
            if instruction.name != "FunctionCall":
                continue
            if instruction.id(0) not in functions:
                raise InvalidModule(f"OpFunctionCall: id {instruction.id(0)} is not a function")
            if instruction.id(0) in module.entry_points:
                raise InvalidModule("OpFunctionCall: an entry point cannot be called")
