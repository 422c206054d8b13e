"""A layered drawing of a control flow graph (after Sugiyama, Tagawa and Toda, 1981).

1. Back edges of a depth-first search are set aside: the rest is acyclic.
2. A node's layer is the length of the longest path from the entry; long edges get a dummy node in each layer
   between.
3. Layers are sorted by the mean position of neighbours, up and down; the order with the fewest crossings
   wins.
4. Each node is placed near its neighbours, as far as its layer has room (least squares).
5. Edges become curves through their dummies; back edges run around the nearer side.

Everything is deterministic. Complexity: about the square of the width of the graph per layer; a thousand
blocks take a second.
"""

from collections.abc import Sequence
from itertools import pairwise

from weft.dataclasses import dataclass

LAYER_GAP = 44.0
NODE_GAP = 26.0
DUMMY_WIDTH = 10.0
LANE = 13.0
MARGIN = 14.0
SWEEPS = 12

Point = tuple[float, float]


@dataclass(frozen=True)
class Box:
    """The position of a node (upper left corner) and its size."""

    x: float
    y: float
    width: float
    height: float


@dataclass(frozen=True)
class Route:
    """The course of an edge: points from top to bottom, or around the side if it is a `back` edge."""

    points: tuple[Point, ...]
    back: bool


@dataclass(frozen=True)
class Layout:
    """The drawing; boxes and routes are in the order of the given nodes and edges."""

    boxes: tuple[Box, ...]
    routes: tuple[Route, ...]
    width: float
    height: float


def layout(sizes: Sequence[tuple[float, float]], edges: Sequence[tuple[int, int]]) -> Layout:
    """Place nodes of given sizes (width, height); node 0 is the entry."""
    if not sizes:
        return Layout((), (), 0, 0)
    return _Drawing(sizes, edges).run()


class _Drawing:
    def __init__(self, sizes: Sequence[tuple[float, float]], edges: Sequence[tuple[int, int]]) -> None:
        self.sizes = list(sizes)
        self.edges = list(edges)
        self.back = _back_edges(len(sizes), edges)
        self.rank = _ranks(len(sizes), [e for i, e in enumerate(edges) if i not in self.back])
        # forward edge -> its nodes, including dummies between its ends
        self.chains: dict[int, list[int]] = {}
        self.below: dict[int, list[int]] = {i: [] for i in range(len(sizes))}
        self.above: dict[int, list[int]] = {i: [] for i in range(len(sizes))}
        for number, (source, target) in enumerate(edges):
            if number not in self.back:
                self._chain(number, source, target)
        self.layers: list[list[int]] = [[] for _ in range(max(self.rank) + 1)]
        for node in self._search_order():
            self.layers[self.rank[node]].append(node)
        self.x: dict[int, float] = {}

    def _chain(self, number: int, source: int, target: int) -> None:
        chain = [source]
        for rank in range(self.rank[source] + 1, self.rank[target]):
            dummy = len(self.sizes)
            self.sizes.append((DUMMY_WIDTH, 0.0))
            self.rank.append(rank)
            self.below[dummy], self.above[dummy] = [], []
            chain.append(dummy)
        chain.append(target)
        for upper, lower in pairwise(chain):
            self.below[upper].append(lower)
            self.above[lower].append(upper)
        self.chains[number] = chain

    def _search_order(self) -> list[int]:
        """Return the nodes in depth-first order, so that the sides of a branch stay adjacent."""
        seen: dict[int, None] = {}
        for root in range(len(self.sizes)):
            stack = [root] if not self.above[root] else []
            while stack:
                node = stack.pop()
                if node not in seen:
                    seen[node] = None
                    stack += reversed(self.below[node])
        return list(seen)

    def run(self) -> Layout:
        self._sort_layers()
        self._place()
        tops = self._layer_tops()
        boxes = [self._box(node, tops) for node in range(len(self.sizes))]
        routes = self._routes(boxes, tops)
        count = len(self.sizes) - sum(len(c) - 2 for c in self.chains.values())
        return _framed(boxes[:count], routes)

    # Order within layers

    def _sort_layers(self) -> None:
        best, fewest = [list(layer) for layer in self.layers], self._crossings()
        for sweep in range(SWEEPS):
            if not fewest:
                break
            down = sweep % 2 == 0
            neighbours = self.above if down else self.below
            for layer in self.layers[1:] if down else reversed(self.layers[:-1]):
                position = {n: i for other in self.layers for i, n in enumerate(other)}
                old = {n: float(i) for i, n in enumerate(layer)}
                mean = {n: _mean([position[m] for m in neighbours[n]], old[n]) for n in layer}
                layer.sort(key=mean.__getitem__)
            crossings = self._crossings()
            if crossings < fewest:
                best, fewest = [list(layer) for layer in self.layers], crossings
        self.layers = best

    def _crossings(self) -> int:
        total = 0
        for upper, lower in pairwise(self.layers):
            position = {n: i for i, n in enumerate(lower)}
            ends = [p for n in upper for p in sorted(position[m] for m in self.below[n])]
            total += sum(1 for i, a in enumerate(ends) for b in ends[i + 1 :] if a > b)
        return total

    # Positions

    def _place(self) -> None:
        for layer in self.layers:
            left = 0.0
            for node in layer:
                self.x[node] = left + self.sizes[node][0] / 2
                left += self.sizes[node][0] + NODE_GAP
        for sweep in range(2 * SWEEPS):
            down = sweep % 2 == 0
            for layer in self.layers if down else reversed(self.layers):
                self._settle(layer, self.above if down else self.below, last=sweep >= 2 * SWEEPS - 2)
        left = min(self.x[n] - self.sizes[n][0] / 2 for n in self.x)
        for node in self.x:
            self.x[node] += MARGIN - left

    def _settle(self, layer: list[int], neighbours: dict[int, list[int]], last: bool) -> None:
        """Move the nodes of a layer towards their neighbours, keeping order and distance."""
        offsets = [0.0]
        for left, right in pairwise(layer):
            offsets.append(offsets[-1] + (self.sizes[left][0] + self.sizes[right][0]) / 2 + NODE_GAP)
        wanted, weights = [], []
        for node, offset in zip(layer, offsets, strict=True):
            around = neighbours[node] if not last else self.above[node] + self.below[node]
            # Straight long edges matter more than centred nodes, so their dummies are aligned.
            dummy = self._is_dummy(node)
            along = [m for m in around if self._is_dummy(m)] if dummy else []
            wanted.append(_mean([self.x[m] for m in along or around], self.x[node]) - offset)
            weights.append((8.0 if along else 2.0 if dummy else 1.0) * (1.0 if around else 0.1))
        for node, offset, value in zip(layer, offsets, _increasing(wanted, weights), strict=True):
            self.x[node] = value + offset

    def _is_dummy(self, node: int) -> bool:
        return self.sizes[node][1] == 0

    def _layer_tops(self) -> list[float]:
        tops, y = [], MARGIN
        for layer in self.layers:
            tops.append(y)
            y += max((self.sizes[n][1] for n in layer), default=0.0) + LAYER_GAP
        return tops

    def _box(self, node: int, tops: list[float]) -> Box:
        width, height = self.sizes[node]
        return Box(self.x[node] - width / 2, tops[self.rank[node]], width, height)

    # Edges

    def _routes(self, boxes: list[Box], tops: list[float]) -> list[Route]:
        lanes = self._lanes(boxes)
        leaving = self._ports(boxes, lanes, out=True)
        entering = self._ports(boxes, lanes, out=False)
        routes = []
        for number, (source, target) in enumerate(self.edges):
            s, t = boxes[source], boxes[target]
            if number in self.back:
                lane = lanes[number]
                start, end = (leaving[number], s.y + s.height), (entering[number], t.y)
                low, high = start[1] + LAYER_GAP * 0.35, end[1] - LAYER_GAP * 0.3
                corners = (start, (start[0], low), (lane, low), (lane, high), (end[0], high), end)
                routes.append(Route(corners, True))
                continue
            points = [(leaving[number], s.y + s.height)]
            for dummy in self.chains[number][1:-1]:
                layer_height = max(self.sizes[n][1] for n in self.layers[self.rank[dummy]])
                top = tops[self.rank[dummy]]
                points += [(self.x[dummy], top), (self.x[dummy], top + layer_height)]
            points.append((entering[number], t.y))
            routes.append(Route(tuple(points), False))
        return routes

    def _ports(self, boxes: list[Box], lanes: dict[int, float], out: bool) -> dict[int, float]:
        """Return the points where edges leave or enter their node, in the order of their targets."""
        ends: dict[int, list[tuple[float, int]]] = {}
        for number, (source, target) in enumerate(self.edges):
            if number in self.back:
                ends.setdefault(source if out else target, []).append((lanes[number], number))
            else:
                chain = self.chains[number]
                node, following = (source, chain[1]) if out else (target, chain[-2])
                ends.setdefault(node, []).append((self.x[following], number))
        ports = {}
        for node, node_ends in ends.items():
            node_ends.sort()
            box = boxes[node]
            step = min(box.width / (len(node_ends) + 1), 30.0)
            start = box.x + box.width / 2 - step * (len(node_ends) - 1) / 2
            for i, (_, number) in enumerate(node_ends):
                ports[number] = start + i * step
        return ports

    def _lanes(self, boxes: list[Box]) -> dict[int, float]:
        """Return for each back edge a vertical line beside everything between its ends, on the nearer
        side."""
        lanes: dict[int, float] = {}
        occupied: list[tuple[int, int, float]] = []
        for number in sorted(self.back, key=lambda n: self._span(n)[1] - self._span(n)[0]):
            top, bottom = self._span(number)
            between = [boxes[n] for layer in self.layers[top : bottom + 1] for n in layer]
            left = min(b.x for b in between) - LANE
            right = max(b.x + b.width for b in between) + LANE
            middle = sum(self.x[n] for n in self.edges[number]) / 2
            lane, step = (right, LANE) if right - middle <= middle - left + LANE else (left, -LANE)
            while any(
                other_top <= bottom and top <= other_bottom and abs(x - lane) < LANE - 1
                for other_top, other_bottom, x in occupied
            ):
                lane += step
            occupied.append((top, bottom, lane))
            lanes[number] = lane
        return lanes

    def _span(self, number: int) -> tuple[int, int]:
        source, target = self.edges[number]
        return min(self.rank[source], self.rank[target]), max(self.rank[source], self.rank[target])


def _framed(boxes: Sequence[Box], routes: Sequence[Route]) -> Layout:
    """Move the drawing to the margin, and determine its size."""
    xs = [x for r in routes for x, _ in r.points] + [x for b in boxes for x in (b.x, b.x + b.width)]
    ys = [y for r in routes for _, y in r.points] + [y for b in boxes for y in (b.y, b.y + b.height)]
    dx, dy = MARGIN - min(xs), MARGIN - min(ys)
    moved = tuple(Box(b.x + dx, b.y + dy, b.width, b.height) for b in boxes)
    shifted = tuple(Route(tuple((x + dx, y + dy) for x, y in r.points), r.back) for r in routes)
    return Layout(moved, shifted, max(xs) + dx + MARGIN, max(ys) + dy + MARGIN)


def _back_edges(count: int, edges: Sequence[tuple[int, int]]) -> set[int]:
    """Return the edges to a node that a depth-first search from the entry has entered and not left."""
    leaving: dict[int, list[tuple[int, int]]] = {}
    for number, (source, target) in enumerate(edges):
        leaving.setdefault(source, []).append((number, target))
    result: set[int] = set()
    state = [0] * count  # 1: entered, 2: left
    for root in range(count):
        if state[root]:
            continue
        state[root] = 1
        stack = [(root, iter(leaving.get(root, ())))]
        while stack:
            node, remaining = stack[-1]
            for number, target in remaining:
                if state[target] == 1:
                    result.add(number)
                elif state[target] == 0:
                    state[target] = 1
                    stack.append((target, iter(leaving.get(target, ()))))
                    break
            else:
                state[node] = 2
                stack.pop()
    return result


def _ranks(count: int, edges: Sequence[tuple[int, int]]) -> list[int]:
    """Return the length of the longest path to each node of an acyclic graph."""
    below: dict[int, list[int]] = {}
    waiting = [0] * count
    for source, target in edges:
        below.setdefault(source, []).append(target)
        waiting[target] += 1
    rank = [0] * count
    ready = [n for n in range(count) if not waiting[n]]
    for node in ready:  # the list grows during iteration
        for target in below.get(node, ()):
            rank[target] = max(rank[target], rank[node] + 1)
            waiting[target] -= 1
            if not waiting[target]:
                ready.append(target)
    return rank


def _mean(values: Sequence[float], default: float) -> float:
    return sum(values) / len(values) if values else default


def _increasing(values: Sequence[float], weights: Sequence[float]) -> list[float]:
    """Return the nearest non-decreasing numbers by weighted squares (pool adjacent violators)."""
    pools: list[list[float]] = []  # mean, weight, count
    for value, weight in zip(values, weights, strict=True):
        pools.append([value, weight, 1])
        while len(pools) > 1 and pools[-2][0] > pools[-1][0]:
            mean, more, count = pools.pop()
            total = pools[-1][1] + more
            pools[-1][0] = (pools[-1][0] * pools[-1][1] + mean * more) / total
            pools[-1][1] = total
            pools[-1][2] += count
    return [mean for mean, _, count in pools for _ in range(int(count))]
