"""Render a control-flow graph as SVG: blocks coloured by region, barriers outlined as in the paper."""

from collections.abc import Sequence
from html import escape

from .layout import LAYER_GAP, Box, Layout, Point, Route, layout
from .report import Graph, Node

CHARACTER = 7.3  # width of a character of a block's name
LONGEST_NAME = 30
BLOCK_HEIGHT = 44.0
BARRIER_HEIGHT = 28.0


def region_hue(number: int) -> int:
    """Return the hue of a region; regions with adjacent numbers get distant hues."""
    return (205 + number * 137) % 360


def draw(graph: Graph, identity: str, barrier_kinds: dict[str, str]) -> str:
    """Draw a graph as an `<svg>` element. `identity` makes its ids unique in a page.

    `barrier_kinds` maps each barrier ("b2") to written or implicit.
    """
    placed = layout(
        [_size(n, barrier_kinds) for n in graph.nodes], [(e.source, e.target) for e in graph.edges]
    )
    parts = [
        f'<svg class="graph" viewBox="0 0 {placed.width:.0f} {placed.height:.0f}" '
        f'width="{placed.width:.0f}" height="{placed.height:.0f}" role="img" '
        f'aria-label="{escape(graph.title)}: {escape(graph.about)}">',
        f"<defs>{_marker(identity)}{''.join(_gradients(graph, identity))}</defs>",
    ]
    for edge, route in zip(graph.edges, placed.routes, strict=True):
        divergent = " divergent" if graph.nodes[edge.source].divergent else ""
        back = " back" if route.back else ""
        parts.append(
            f'<path class="edge{back}{divergent}" d="{_path(route)}" marker-end="url(#{identity}-arrow)"/>'
        )
        if edge.label:
            parts.append(_label(route, edge.label, placed.boxes[edge.source]))
    for number, node in enumerate(graph.nodes):
        parts.append(_block(node, number, placed, identity, barrier_kinds))
    return "".join([*parts, "</svg>"])


def _size(node: Node, barrier_kinds: dict[str, str]) -> tuple[float, float]:
    if node.barrier:
        return len(_barrier_label(node, barrier_kinds)) * CHARACTER + 26, BARRIER_HEIGHT
    name = min(len(_name(node)), LONGEST_NAME) * CHARACTER + 22
    return max(name, len(_subtitle(node)) * 5.9 + 22, 72.0), BLOCK_HEIGHT


def _name(node: Node) -> str:
    """Return a block's name, without clang's prefix for bodies of kernels."""
    return node.name.removeprefix("__clang_ocl_kern_imp_")


def _barrier_label(node: Node, kinds: dict[str, str]) -> str:
    kind = kinds.get(node.barrier, "")
    return f"{node.barrier} {'barrier' if kind in ('written', '') else kind}"


def _subtitle(node: Node) -> str:
    count = len(node.text)
    lines = _lines(node.lines)
    text = f"{count} instruction{'s' if count != 1 else ''}"
    return f"{lines} · {text}" if lines else text


def _lines(lines: Sequence[int]) -> str:
    if not lines:
        return ""
    return f"line {lines[0]}" if len(lines) == 1 else f"lines {lines[0]}-{lines[-1]}"


def _block(node: Node, number: int, placed: Layout, identity: str, barrier_kinds: dict[str, str]) -> str:
    box = placed.boxes[number]
    kind = barrier_kinds.get(node.barrier, "") if node.barrier else ""
    classes = f"block barrier {kind}" if node.barrier else "block" if node.regions else "block plain"
    data = (
        f'data-lines="{" ".join(map(str, node.lines))}" data-regions="{" ".join(map(str, node.regions))}" '
        f'data-node="{identity}-{number}"'
    )
    middle = box.x + box.width / 2
    style = f' style="--h:{region_hue(node.regions[0])}"' if node.regions else ""
    fill = f' fill="url(#{identity}-mix-{number})"' if len(node.regions) > 1 else ""
    radius = box.height / 2 if node.barrier else 5
    title = node.name + (f"  (region {', '.join(map(str, node.regions))})" if node.regions else "")
    shown = [
        f'<g class="{classes}" {data} tabindex="0"{style}><title>{escape(title)}</title>',
        f'<rect x="{box.x:.1f}" y="{box.y:.1f}" width="{box.width:.1f}" height="{box.height:.1f}" '
        f'rx="{radius:.0f}"{fill}/>',
    ]
    if node.barrier:
        label = _barrier_label(node, barrier_kinds)
        shown.append(f'<text class="name" x="{middle:.1f}" y="{box.y + 18:.1f}">{escape(label)}</text>')
    else:
        name = _name(node)
        name = name if len(name) <= LONGEST_NAME else name[: LONGEST_NAME - 1] + "…"
        shown.append(f'<text class="name" x="{middle:.1f}" y="{box.y + 18:.1f}">{escape(name)}</text>')
        shown.append(
            f'<text class="more" x="{middle:.1f}" y="{box.y + 34:.1f}">{escape(_subtitle(node))}</text>'
        )
    return "".join([*shown, "</g>"])


def _gradients(graph: Graph, identity: str) -> list[str]:
    """Return gradients for blocks in several regions."""
    gradients = []
    for number, node in enumerate(graph.nodes):
        count = len(node.regions)
        if count < 2:
            continue
        stops = []
        for i, region in enumerate(node.regions):
            for offset in (i / count, (i + 1) / count):
                stops.append(f'<stop class="stripe" offset="{offset:.3f}" style="--h:{region_hue(region)}"/>')
        gradients.append(f'<linearGradient id="{identity}-mix-{number}">{"".join(stops)}</linearGradient>')
    return gradients


def _marker(identity: str) -> str:
    return (
        f'<marker id="{identity}-arrow" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="7" '
        'markerHeight="7" orient="auto-start-reverse"><path class="arrow" d="M0 0 10 5 0 10z"/></marker>'
    )


def _path(route: Route) -> str:
    return _cornered(route.points) if route.back else _curved(route.points)


def _curved(points: Sequence[Point]) -> str:
    """Draw curves that start and end vertically."""
    (x, y), *following = points
    parts = [f"M{x:.1f} {y:.1f}"]
    for bx, by in following:
        if abs(bx - x) < 0.5:
            parts.append(f"L{bx:.1f} {by:.1f}")
        else:
            bend = max((by - y) * 0.5, LAYER_GAP * 0.3)
            parts.append(f"C{x:.1f} {y + bend:.1f} {bx:.1f} {by - bend:.1f} {bx:.1f} {by:.1f}")
        x, y = bx, by
    return "".join(parts)


def _cornered(points: Sequence[Point]) -> str:
    """Draw straight lines with rounded corners."""
    parts = [f"M{points[0][0]:.1f} {points[0][1]:.1f}"]
    for before, corner, after in zip(points, points[1:], points[2:], strict=False):
        start, end = _towards(corner, before), _towards(corner, after)
        parts.append(
            f"L{start[0]:.1f} {start[1]:.1f}Q{corner[0]:.1f} {corner[1]:.1f} {end[0]:.1f} {end[1]:.1f}"
        )
    parts.append(f"L{points[-1][0]:.1f} {points[-1][1]:.1f}")
    return "".join(parts)


def _towards(corner: Point, other: Point, radius: float = 7.0) -> Point:
    dx, dy = other[0] - corner[0], other[1] - corner[1]
    length = (dx * dx + dy * dy) ** 0.5
    part = min(radius, length / 2) / length if length else 0.0
    return corner[0] + dx * part, corner[1] + dy * part


def _label(route: Route, text: str, source: Box) -> str:
    x, y = route.points[0]
    side = -1 if x < source.x + source.width / 2 - 1 else 1
    anchor = "start" if side > 0 else "end"
    shown = text if len(text) <= 12 else text[:11] + "…"
    place = f'x="{x + 4 * side:.1f}" y="{y + 11:.1f}" text-anchor="{anchor}"'
    return f'<text class="way" {place}>{escape(shown)}</text>'
