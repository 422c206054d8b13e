"""Charts as SVG files: groups of bars on a logarithmic scale around 1, and stacked shares."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from html import escape

COLOURS = {
    "serial": "#8a93a3",
    "dvec": "#c9a227",
    "dvec-s": "#d97c2b",
    "masked": "#4a78b5",
    "auto": "#2f7d5b",
    "full": "#2f7d5b",
    "sub-group": "#9cc46a",
}
_LEFT, _RIGHT, _WIDTH = 120, 60, 900
_TOP = 52
_BAR = 11
_GAP = 8


@dataclass(frozen=True)
class BarChart:
    """Bars for each kernel and strategy: ratios to a baseline of 1."""

    title: str
    values: Mapping[str, Mapping[str, float | None]]
    """By kernel and strategy."""
    strategies: Sequence[str]
    least: float = 1 / 8
    most: float = 8.0
    colours: Mapping[str, str] = field(default_factory=lambda: COLOURS)

    def svg(self) -> str:
        """Return the chart."""
        step = _BAR * len(self.strategies) + _GAP
        height = _TOP + step * len(self.values) + 6
        parts = [*_head(self.title, height), *_key(self.strategies, self.colours)]
        tick = self.least
        while tick <= self.most:
            x = self._x(tick)
            colour = "#555" if tick == 1 else "#ddd"
            label = f"{tick:g}" if tick >= 1 else f"1/{1 / tick:g}"
            parts.append(f'<line x1="{x}" x2="{x}" y1="{_TOP - 4}" y2="{height}" stroke="{colour}"/>')
            parts.append(_text(x, _TOP - 8, label, "middle"))
            tick *= 2
        for row, (kernel, ratios) in enumerate(self.values.items()):
            top = _TOP + row * step + _GAP / 2
            parts.append(_text(_LEFT - 8, top + step / 2, kernel, "end"))
            for number, strategy in enumerate(self.strategies):
                parts += self._bar(strategy, ratios.get(strategy), top + number * _BAR)
        return "\n".join([*parts, "</svg>\n"])

    def _bar(self, strategy: str, ratio: float | None, y: float) -> list[str]:
        if ratio is None:
            return [_text(self._x(1) + 4, y + _BAR - 2, "-")]
        one, x = self._x(1), self._x(ratio)
        left, width = min(one, x), max(abs(x - one), 1.5)
        bar = f'<rect x="{left:.1f}" y="{y:.1f}" width="{width:.1f}" height="{_BAR - 1}"'
        return [
            f'{bar} fill="{self.colours[strategy]}"/>',
            _text(max(x, one) + 4, y + _BAR - 2, f"{ratio:.2f}"),
        ]

    def _x(self, ratio: float) -> float:
        """Return the position of a ratio, clamped to the scale."""
        inside = min(max(ratio, self.least), self.most)
        share = math.log(inside / self.least) / math.log(self.most / self.least)
        return round(_LEFT + share * (_WIDTH - _LEFT - _RIGHT), 1)


@dataclass(frozen=True)
class ShareChart:
    """A bar for each kernel, divided into shares of the whole."""

    title: str
    values: Mapping[str, Mapping[str, float]]
    """By kernel and kind."""
    kinds: Sequence[str]

    def svg(self) -> str:
        """Return the chart."""
        step = 2 * _BAR + _GAP
        height = _TOP + step * len(self.values) + 6
        parts = [*_head(self.title, height), *_key(self.kinds, COLOURS)]
        whole = _WIDTH - _LEFT - _RIGHT
        for tick in range(0, 101, 25):
            parts.append(_text(_LEFT + whole * tick / 100, _TOP - 8, f"{tick} %", "middle"))
        for row, (kernel, shares) in enumerate(self.values.items()):
            top = _TOP + row * step
            parts.append(_text(_LEFT - 8, top + step / 2, kernel, "end"))
            x = float(_LEFT)
            for kind in self.kinds:
                width = whole * shares.get(kind, 0.0)
                place = f'x="{x:.1f}" y="{top}" width="{width:.1f}" height="{2 * _BAR}"'
                parts.append(f'<rect {place} fill="{COLOURS[kind]}"/>')
                x += width
        return "\n".join([*parts, "</svg>\n"])


def _head(title: str, height: float) -> list[str]:
    return [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height:.0f}" width="{_WIDTH}" '
        f'height="{height:.0f}" role="img" aria-label="{escape(title)}" '
        'font-family="system-ui, sans-serif" font-size="11" fill="#333">',
        f'<rect width="{_WIDTH}" height="{height:.0f}" fill="#fff"/>',
        f'<text x="{_LEFT}" y="16" font-size="13" font-weight="bold">{escape(title)}</text>',
    ]


def _key(names: Sequence[str], colours: Mapping[str, str]) -> list[str]:
    """Return the names with their colours, at the right end of the title's line."""
    parts = []
    x = float(_WIDTH - _RIGHT)
    for name in reversed(names):
        x -= 7 * len(name) + 22
        parts.append(f'<rect x="{x:.0f}" y="24" width="10" height="10" fill="{colours[name]}"/>')
        parts.append(_text(x + 14, 33, name))
    return parts


def _text(x: float, y: float, text: str, anchor: str = "start") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(text)}</text>'
