"""Render outcomes as a self-contained HTML chart: a bar per kernel and peer on a logarithmic scale."""

import math
from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from bench.outcome import BASE, LIMIT, Outcome, families, peers, summarize

_STYLE = """
body { font: 14px/1.4 system-ui, sans-serif; margin: 2em auto; max-width: 1000px; padding: 0 1em; color: #222;
       background: #fff; }
h1 { font-size: 1.5em; } h2 { font-size: 1.1em; margin: 1.6em 0 .3em; }
svg { display: block; width: 100%; height: auto; } svg text { font: 11px system-ui, sans-serif; fill: #333; }
.good { fill: #2f7d5b; } .fair { fill: #c9a227; } .bad { fill: #b5473c; } .memory { fill: #8a93a3; }
.grid { stroke: #ddd; } .one { stroke: #555; } .mean { stroke: #222; stroke-dasharray: 4 3; }
.key span { display: inline-block; margin-right: 1.5em; } .key i { display: inline-block; width: .9em;
       height: .9em; margin-right: .4em; vertical-align: -1px; }
svg .peer { fill: #777; } svg .value { fill: #333; } .note { color: #666; font-size: .9em; }
"""
_POLICY = "default-src 'none'; style-src 'unsafe-inline'"
_KEY = {
    "#2f7d5b": "Weft is quicker",
    "#c9a227": f"up to {LIMIT} times the peer's time",
    "#b5473c": "slower than that",
    "#8a93a3": "slower, but at the machine's memory bandwidth",
}
_WIDTH, _LEFT, _RIGHT, _ROW, _TOP = 1000, 330, 70, 13, 22
_LEAST, _MOST = 1 / 32, 4.0
_TICKS = (1 / 32, 1 / 16, 1 / 8, 1 / 4, 1 / 2, 1.0, 2.0, 4.0)


def page(outcomes: Sequence[Outcome], processor: str, identities: Mapping[str, Mapping[str, Any]]) -> str:
    """Return the page."""
    others = peers(identities)
    key = "".join(f'<span><i style="background:{colour}"></i>{text}</span>' for colour, text in _KEY.items())
    versions = "; ".join(f"{name}: {identity['version']}" for name, identity in identities.items())
    parts = [
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">',
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">',
        f"<title>Weft against other OpenCL platforms</title><style>{_STYLE}</style></head><body>",
        "<h1>Weft against other OpenCL platforms</h1>",
        f"<p>{escape(processor)}. {escape(versions)}. Weft's time divided by the peer's, best against best, "
        "on a logarithmic scale: shorter is better. The dashed line is the family's geometric mean.</p>",
        f'<p class="key">{key}</p>',
    ]
    if not others:
        parts.append("<p>There was no other platform to compare with.</p>")
    for family in families(outcomes) if others else ():
        chosen = [outcome for outcome in outcomes if outcome.benchmark.family == family]
        parts += [
            f"<h2>{escape(family)}</h2>",
            _means(chosen, family, others),
            _chart(chosen, family, others),
        ]
    return "\n".join([*parts, "</body></html>\n"])


def _means(outcomes: Sequence[Outcome], family: str, others: Sequence[str]) -> str:
    texts = []
    for peer in others:
        summary = summarize(outcomes, family, peer)
        if summary.mean is not None:
            build = f", build {summary.build:.2f}" if summary.build is not None else ""
            texts.append(
                f"{BASE}/{escape(peer)}: geometric mean {summary.mean:.2f} (goal {summary.goal:.2f}){build}"
            )
    return f'<p class="note">{" · ".join(texts)}</p>'


def _chart(outcomes: Sequence[Outcome], family: str, others: Sequence[str]) -> str:
    step = _ROW * len(others) + 5
    height = _TOP + step * len(outcomes) + 4
    lines = [f'<svg viewBox="0 0 {_WIDTH} {height}" role="img" aria-label="{escape(family)}">']
    for tick in _TICKS:
        kind = "one" if tick == 1 else "grid"
        label = f"{tick:g}" if tick >= 1 else f"1/{1 / tick:g}"
        lines.append(f'<line class="{kind}" x1="{_x(tick)}" x2="{_x(tick)}" y1="{_TOP - 4}" y2="{height}"/>')
        lines.append(f'<text x="{_x(tick)}" y="12" text-anchor="middle">{label}</text>')
    for row, outcome in enumerate(outcomes):
        top = _TOP + row * step
        name = outcome.benchmark.name.partition("/")[2]
        lines.append(f'<text x="0" y="{top + 11}">{escape(name)}{_title(outcome)}</text>')
        for number, peer in enumerate(others):
            lines += _bar(outcome, peer, top + number * _ROW)
    for number, peer in enumerate(others):
        mean = summarize(outcomes, family, peer).mean
        if mean is not None:
            for row in range(len(outcomes)):
                top = _TOP + row * step + number * _ROW
                x = _x(mean)
                lines.append(f'<line class="mean" x1="{x}" x2="{x}" y1="{top}" y2="{top + _ROW - 2}"/>')
    return "\n".join([*lines, "</svg>"])


def _bar(outcome: Outcome, peer: str, top: int) -> list[str]:
    label = f'<text class="peer" x="{_LEFT - 6}" y="{top + 10}" text-anchor="end">{escape(peer)}</text>'
    ratio = outcome.ratio(peer)
    if ratio is None:
        failed = outcome.results[peer].error or outcome.results[BASE].error or "not measured"
        reason = "wrong result" if "AssertionError" in failed else "failed"
        return [label, f'<text x="{_LEFT + 4}" y="{top + 10}">{reason}</text>']
    colour = "good" if ratio <= 1 else "memory" if outcome.limited else "fair" if ratio <= LIMIT else "bad"
    width = _x(ratio) - _LEFT
    return [
        label,
        f'<rect class="{colour}" x="{_LEFT}" y="{top}" width="{width:.1f}" height="{_ROW - 2}"/>',
        f'<text class="value" x="{_LEFT + width + 4:.1f}" y="{top + 10}">{ratio:.2f}</text>',
    ]


def _title(outcome: Outcome) -> str:
    """Return the tooltip of a name."""
    remark = outcome.remark()
    return f"<title>{escape(remark)}</title>" if remark else ""


def _x(ratio: float) -> float:
    """Return the position of a ratio, clamped to the scale."""
    share = math.log(min(max(ratio, _LEAST * 1.02), _MOST) / _LEAST) / math.log(_MOST / _LEAST)
    return round(_LEFT + share * (_WIDTH - _LEFT - _RIGHT), 1)
