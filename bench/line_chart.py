"""Line charts as SVG files; both axes are logarithmic."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape

_COLOURS = ("#2f7d5b", "#b5473c", "#4a78b5", "#c9a227", "#8b5fa8")
_WIDTH, _HEIGHT, _LEFT, _RIGHT, _TOP, _BOTTOM = 900, 360, 70, 30, 44, 40

Points = Sequence[tuple[float, float]]


@dataclass(frozen=True)
class LineChart:
    """Lines by name, each of points (x, y) greater than 0."""

    title: str
    x_label: str
    y_label: str
    lines: Mapping[str, Points]

    def svg(self) -> str:
        """Return the chart."""
        points = [point for line in self.lines.values() for point in line]
        xs, ys = _span([x for x, _ in points]), _span([y for _, y in points])
        parts = [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" width="{_WIDTH}" '
            f'height="{_HEIGHT}" role="img" aria-label="{escape(self.title)}" '
            'font-family="system-ui, sans-serif" font-size="11" fill="#333">',
            f'<rect width="{_WIDTH}" height="{_HEIGHT}" fill="#fff"/>',
            f'<text x="{_LEFT}" y="16" font-size="13" font-weight="bold">{escape(self.title)}</text>',
            _text(_LEFT, _TOP - 10, self.y_label),
            _text(_WIDTH - _RIGHT, _HEIGHT - 6, self.x_label, "end"),
        ]
        for tick in _ticks(*xs):
            x = _x(tick, xs)
            parts.append(_rule(x, x, _TOP, _HEIGHT - _BOTTOM))
            parts.append(_text(x, _HEIGHT - _BOTTOM + 14, f"{tick:g}", "middle"))
        for tick in _ticks(*ys):
            y = _y(tick, ys)
            parts.append(_rule(_LEFT, _WIDTH - _RIGHT, y, y))
            parts.append(_text(_LEFT - 6, y + 4, f"{tick:g}", "end"))
        for number, (name, line) in enumerate(self.lines.items()):
            colour = _COLOURS[number % len(_COLOURS)]
            path = " ".join(f"{_x(x, xs):.1f},{_y(y, ys):.1f}" for x, y in line)
            parts.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>')
            parts += [
                f'<circle cx="{_x(x, xs):.1f}" cy="{_y(y, ys):.1f}" r="2.5" fill="{colour}"/>'
                for x, y in line
            ]
            left = _WIDTH - _RIGHT - 90 * (len(self.lines) - number)
            parts.append(f'<rect x="{left}" y="8" width="10" height="10" fill="{colour}"/>')
            parts.append(_text(left + 14, 17, name))
        return "\n".join([*parts, "</svg>\n"])


def _span(values: Sequence[float]) -> tuple[float, float]:
    """Return the enclosing powers of ten of values, at least one apart."""
    low = math.floor(math.log10(min(values, default=1.0)))
    high = math.ceil(math.log10(max(values, default=10.0)))
    return 10.0**low, 10.0 ** max(high, low + 1)


def _ticks(low: float, high: float) -> list[float]:
    return [10.0**power for power in range(round(math.log10(low)), round(math.log10(high)) + 1)]


def _share(value: float, span: tuple[float, float]) -> float:
    return math.log(value / span[0]) / math.log(span[1] / span[0])


def _x(value: float, span: tuple[float, float]) -> float:
    return _LEFT + _share(value, span) * (_WIDTH - _LEFT - _RIGHT)


def _y(value: float, span: tuple[float, float]) -> float:
    return _HEIGHT - _BOTTOM - _share(value, span) * (_HEIGHT - _BOTTOM - _TOP)


def _rule(x1: float, x2: float, y1: float, y2: float) -> str:
    return f'<line x1="{x1:.1f}" x2="{x2:.1f}" y1="{y1:.1f}" y2="{y2:.1f}" stroke="#ddd"/>'


def _text(x: float, y: float, text: str, anchor: str = "start") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(text)}</text>'
