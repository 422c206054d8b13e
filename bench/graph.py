"""Random graphs for graph benchmarks."""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Graph:
    """The neighbours of node i are `edges[starts[i]:starts[i + 1]]`."""

    starts: np.ndarray
    edges: np.ndarray


def random_graph(random: np.random.Generator, nodes: int, degree: int) -> Graph:
    """Return a graph in which each node has one to `2 * degree - 1` neighbours."""
    degrees = random.integers(1, 2 * degree, nodes)
    starts = np.concatenate([[0], np.cumsum(degrees)]).astype(np.int32)
    return Graph(starts, random.integers(0, nodes, int(starts[-1])).astype(np.int32))


def skewed_graph(random: np.random.Generator, nodes: int, degree: int) -> Graph:
    """Return a graph with few neighbours for most nodes and very many for some, as in social networks."""
    degrees = np.minimum(1 + random.pareto(1.5, nodes) * (degree - 1) / 2, 64 * degree).astype(np.int64)
    starts = np.concatenate([[0], np.cumsum(degrees)]).astype(np.int32)
    return Graph(starts, random.integers(0, nodes, int(starts[-1])).astype(np.int32))


def breadth_first(graph: Graph) -> list[np.ndarray]:
    """Return the nodes of each level, from node 0."""
    seen = np.zeros(len(graph.starts) - 1, bool)
    seen[0] = True
    levels = [np.array([0])]
    while len(levels[-1]):
        edges = [graph.edges[graph.starts[node] : graph.starts[node + 1]] for node in levels[-1]]
        reached = np.unique(np.concatenate(edges))
        levels.append(reached[~seen[reached]])
        seen[levels[-1]] = True
    return levels[:-1]
