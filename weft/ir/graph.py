"""Orders and strongly connected components of directed graphs, without recursion.

A graph is a function from a node to its successors, so the same code serves the control flow graph,
its reverse, and parts of either.
"""

from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import TypeVar

Node = TypeVar("Node", bound=Hashable)


def post_order(roots: Iterable[Node], successors: Callable[[Node], Sequence[Node]]) -> list[Node]:
    """Return the nodes reachable from the roots in post order of a depth-first search."""
    order: list[Node] = []
    seen: set[Node] = set()
    for root in roots:
        if root in seen:
            continue
        seen.add(root)
        stack = [(root, iter(successors(root)))]
        while stack:
            node, remaining = stack[-1]
            for following in remaining:
                if following not in seen:
                    seen.add(following)
                    stack.append((following, iter(successors(following))))
                    break
            else:
                order.append(node)
                stack.pop()
    return order


def reachable(
    starts: Iterable[Node],
    successors: Callable[[Node], Iterable[Node]],
    enters: Callable[[Node], bool] = lambda node: True,
) -> dict[Node, None]:
    """Return the nodes reachable from `starts`, including them, on paths of nodes that satisfy `enters`."""
    result: dict[Node, None] = {}
    work = list(starts)
    while work:
        node = work.pop()
        if node not in result and enters(node):
            result[node] = None
            work += successors(node)
    return result


def strongly_connected(
    nodes: Sequence[Node], successors: Callable[[Node], Sequence[Node]]
) -> list[list[Node]]:
    """Return the strongly connected components of the subgraph of `nodes` (Kosaraju), in topological order.

    The nodes of a component keep the order of `nodes`.
    """
    members = set(nodes)
    reverse: dict[Node, list[Node]] = {node: [] for node in nodes}
    forward: dict[Node, list[Node]] = {}
    for node in nodes:
        forward[node] = [s for s in successors(node) if s in members]
        for following in forward[node]:
            reverse[following].append(node)
    component: dict[Node, int] = {}
    components: list[list[Node]] = []
    for root in reversed(post_order(nodes, forward.__getitem__)):
        if root in component:
            continue
        number = len(components)
        component[root] = number
        work = [root]
        while work:
            for before in reverse[work.pop()]:
                if before not in component:
                    component[before] = number
                    work.append(before)
        components.append([])
    for node in nodes:
        components[component[node]].append(node)
    return components


def cycles(nodes: Sequence[Node], successors: Callable[[Node], Sequence[Node]]) -> list[list[Node]]:
    """Return the strongly connected components that contain a cycle."""
    return [c for c in strongly_connected(nodes, successors) if len(c) > 1 or c[0] in successors(c[0])]
