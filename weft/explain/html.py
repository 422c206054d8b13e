"""Render a report as one self-contained HTML page."""

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from pathlib import Path

from weft import __version__
from weft.dataclasses import dataclass
from weft.ir.debug import Location

from .colour import coloured_lines
from .report import Access, Barrier, Kernel, Region, Report
from .svg import draw, region_hue
from .text import facts, lines_text, loop_lines, regions_text, remarks, size_text, times_text

_FOLDER = Path(__file__).parent
# Nothing may be loaded from elsewhere, whatever a source file contains.
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'"
_SHAPES = {"uniform": "good", "consecutive": "good", "strided": "fair", "varying": "bad"}
_KEPT = {"recomputed": "good", "uniform": "good", "shared": "good", "context": "fair"}
_LOOPS = {
    "interchanged": ("good", "interchanged"),
    "barrier": ("", "lock step"),
    "inside": ("", "not interchanged"),
    "unrolled": ("good", "unrolled"),
}


@dataclass(frozen=True)
class Panel:
    """Additional information on a kernel from another part of Weft; `body` is HTML."""

    title: str
    about: str
    body: str


def page(report: Report, panels: Mapping[str, Panel] | None = None) -> str:
    """Return the page; `panels` are shown below each kernel's report."""
    title = f"{Path(report.file).name}: what Weft does with it"
    tabs = "".join(_tab(f"kernel-{i}", k.name, i == 0) for i, k in enumerate(report.kernels))
    body = []
    if report.error:
        body.append(f'<div class="error">{escape(report.error)}</div>')
    if report.log.strip():
        body.append(f'<div class="note"><b>Build log</b><br>{_broken(report.log.strip())}</div>')
    lines = coloured_lines(report.source)
    panels = panels or {}
    body += [_kernel(k, i, lines, panels.get(k.name)) for i, k in enumerate(report.kernels)]
    if report.error or not report.kernels:
        body.append(_panel("Source", "", f'<div class="scroll">{_listing(None, "plain", lines)}</div>'))
    options = f" · options <code>{escape(report.options)}</code>" if report.options else ""
    return "\n".join(
        [
            '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">',
            f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            f"<title>{escape(title)}</title>",
            f"<style>\n{(_FOLDER / 'page.css').read_text()}</style></head><body>",
            f"<header><h1>{escape(title)}</h1><p>{escape(report.file)}{options}</p>",
            f'<div class="tabs" role="tablist">{tabs}</div></header><main>',
            *body,
            f"</main><footer>Written by weft explain, Weft {__version__}</footer>",
            f"<script>\n{(_FOLDER / 'page.js').read_text()}</script></body></html>\n",
        ]
    )


def _kernel(kernel: Kernel, index: int, lines: list[str], panel: Panel | None) -> str:
    identity = f"kernel-{index}"
    hidden = "" if index == 0 else " hidden"
    head = f'<section class="kernel" id="{identity}"{hidden}>'
    head += f'<p class="declaration">{escape(kernel.signature)}</p>'
    if kernel.error:
        return f'{head}<div class="error">{escape(kernel.error)}</div></section>'
    notes = "".join(f'<div class="note">{escape(note)}</div>' for note in kernel.notes)
    notes += "".join(f'<p class="remark">{escape(remark)}</p>' for remark in remarks(kernel))
    source = f'<div class="scroll">{_listing(kernel, identity, lines)}</div>'
    return "".join(
        [
            head,
            notes,
            _cards(kernel),
            '<div class="columns"><div>',
            _panel("Source", "stripes: regions; hover or click a line to find its blocks", source),
            "</div><div>",
            _graphs(kernel, identity),
            "</div></div>",
            *_tables(kernel),
            _panel(panel.title, panel.about, panel.body) if panel is not None else "",
            "</section>",
        ]
    )


def _cards(kernel: Kernel) -> str:
    written = sum(b.kind == "written" for b in kernel.barriers)
    regions = [r for r in kernel.regions if r.kind != "empty"]
    good = sum(_shape_class(a.shape) == "good" for a in kernel.accesses)
    cards = (
        _size_card(kernel),
        (len(kernel.barriers), f"barriers, {written} written"),
        (len(regions), f"parallel regions, {len(kernel.tails)} replicated tails"),
        (f"{kernel.item_bytes} B", "context of a work-item"),
        (f"{good} of {len(kernel.accesses)}", "accesses uniform or consecutive"),
        (sum(b.divergent for b in kernel.branches), f"of {len(kernel.branches)} branches divergent"),
    )
    shown = "".join(
        f'<div class="card"><b>{value}</b><span>{escape(text)}</span></div>' for value, text in cards
    )
    return f'<div class="cards" title="{escape(facts(kernel))}">{shown}</div>'


def _size_card(kernel: Kernel) -> tuple[str, str]:
    assumed = " (assumed)" if "assumed" in size_text(kernel) else ""
    if kernel.tile is not None:
        size, range = ("x".join(map(str, s)) for s in (kernel.tile.size, kernel.tile.global_size))
        return size, f"tile of a range of {range}{assumed}"
    size = "x".join(map(str, kernel.local_size)) if kernel.local_size is not None else "any"
    return size, f"local size{assumed}"


def _panel(title: str, about: str, body: str, tools: str = "") -> str:
    return f'<div class="panel"><h2>{escape(title)} <small>{escape(about)}</small>{tools}</h2>{body}</div>'


# The source


def _listing(kernel: Kernel | None, identity: str, lines: list[str]) -> str:
    marks = _marks(kernel) if kernel is not None else {}
    regions: dict[int, set[int]] = {}
    for graph in kernel.graphs[1:2] if kernel is not None else ():
        for node in graph.nodes:
            for line in node.lines:
                regions.setdefault(line, set()).update(node.regions)
    rows = []
    for number, text in enumerate(lines, 1):
        stripes = "".join(
            f'<i style="--h:{region_hue(r)}" title="region {r}"></i>' for r in sorted(regions.get(number, ()))
        )
        linked = f' class="linked" data-lines="{number}"' if number in regions or number in marks else ""
        rows.append(
            f'<tr id="{identity}-line-{number}"{linked}><td class="number">{number}</td>'
            f'<td class="stripe">{stripes}</td><td class="code">{text}</td>'
            f'<td class="marks">{"".join(marks.get(number, ()))}</td></tr>'
        )
    return f'<table class="source">{"".join(rows)}</table>'


def _marks(kernel: Kernel) -> dict[int, list[str]]:
    """Return the marks at the end of each line."""
    pills_of: dict[int, list[str]] = {}

    def mark(place: Location | None, pill: str) -> None:
        if place is not None and not place.file:
            pills = pills_of.setdefault(place.line, [])
            if pill not in pills:
                pills.append(pill)

    for barrier in kernel.barriers:
        if barrier.kind not in ("entry", "exit"):
            style = "barrier" if barrier.kind == "written" else "barrier implicit"
            mark(barrier.place, _pill(f"b{barrier.number}", style, barrier.why))
    for loop in kernel.loops:
        style, word = _LOOPS[loop.verdict]
        mark(loop.place, _pill(f"loop {word}", style, loop.reason))
    for branch in kernel.branches:
        if branch.divergent:
            mark(branch.place, _pill("divergent", "bad", branch.reason))
    for access in kernel.accesses:
        mark(access.place, _pill(_access_text(access), _shape_class(access.shape), _access_title(access)))
    return pills_of


def _access_text(access: Access) -> str:
    return f"{access.object or access.space or access.kind}: {access.shape}"


def _access_title(access: Access) -> str:
    where = f"{access.place}: " if access.place else ""
    detail = "".join(f"; {text}" for text in (access.how, access.detail, access.proved) if text)
    return f"{where}{access.kind} {access.type} {access.space} {access.object}{detail}"


def _shape_class(shape: str) -> str:
    return next((style for word, style in _SHAPES.items() if shape.startswith(word)), "bad")


def _pill(text: str, style: str = "", title: str = "") -> str:
    hint = f' title="{escape(title)}"' if title else ""
    return f'<span class="pill {style}"{hint}>{escape(text)}</span>'


# The graphs


def _graphs(kernel: Kernel, identity: str) -> str:
    kinds = {f"b{b.number}": "written" if b.kind == "written" else b.kind for b in kernel.barriers}
    tabs, drawings = [], []
    for number, graph in enumerate(kernel.graphs):
        name = f"{identity}-graph-{number}"
        chosen = number == 1
        tabs.append(_tab(name, graph.title, chosen, graph.about))
        texts = "".join(
            f'<template id="text-{name}-{i}"><b>{escape(node.name)}:</b>{_indented(node.text)}</template>'
            for i, node in enumerate(graph.nodes)
        )
        drawings.append(
            f'<div class="drawing" id="{name}"{"" if chosen else " hidden"}>'
            f'<div class="canvas">{draw(graph, name, kinds)}</div>'
            f'<pre class="instructions" hidden></pre>{texts}</div>'
        )
    tools = "".join(
        f'<button data-zoom="{zoom}" title="{title}">{text}</button>'
        for zoom, title, text in (
            ("out", "smaller", "-"),
            ("in", "larger", "+"),
            ("fit", "fit the width", "fit"),
            ("whole", "natural size", "1:1"),
        )
    )
    legend = "".join(
        f'<span class="pill region" style="--h:{region_hue(r.number)}" data-region="{r.number}">'
        f"r{r.number} b{r.start} → {', '.join(f'b{n}' for n in r.ends) or '∅'}</span>"
        for r in kernel.regions
        if r.kind != "empty"
    )
    signs = (
        "solid outline: written barrier · dashed: implicit · red dashed edge: divergent · stripes: replicated"
    )
    body = (
        f'<div class="tabs" role="tablist">{"".join(tabs)}</div>{"".join(drawings)}'
        f'<div class="legend">{legend}</div><div class="legend">{signs}</div>'
    )
    return _panel(
        "Control flow", "click a block to see its instructions", body, f'<span class="tools">{tools}</span>'
    )


# The tables


def _tables(kernel: Kernel) -> Iterable[str]:
    yield _table(
        "Barriers", ("", "place", "kind", "why"),
        [
            (b.place, (f"b{b.number}", str(b.place or b.kind), _written(b), b.why))
            for b in kernel.barriers
        ],
    )  # fmt: skip
    yield _table(
        "Parallel regions", ("", "from → to", "lines", "instructions", "blocks", "remarks"),
        [(None, _region_row(region)) for region in kernel.regions if region.kind != "empty"],
    )  # fmt: skip
    yield _table(
        "Variables that live across regions", ("name", "place", "type", "kept", "computed → used", "reason"),
        [
            (v.place, (
                v.name, str(v.place or ""), v.type,
                _Html(_pill(v.kept + (f" {v.bytes} B" if v.kept == "context" else ""), _KEPT[v.kept])),
                f"{regions_text(v.computed_in)} → {regions_text(v.used_in) or 'branch'}", v.reason,
            ))
            for v in kernel.variables
        ],
    )  # fmt: skip
    yield _table(
        "Private memory", ("name", "place", "type", "kept", "reason"),
        [
            (m.place, (
                m.name, str(m.place or ""), m.type,
                _Html(_pill(f"{m.kept} {m.bytes} B", _KEPT[m.kept])), m.reason,
            ))
            for m in kernel.memory
        ],
    )  # fmt: skip
    yield _table(
        "Loops", ("place", "depth", "verdict", "reason"),
        [
            (loop.place, (
                loop_lines(loop), str(loop.depth),
                _Html(_pill(_LOOPS[loop.verdict][1], _LOOPS[loop.verdict][0])), loop.reason,
            ))
            for loop in kernel.loops
        ],
    )  # fmt: skip
    yield _table(
        "Locations that loops store to", ("place", "kept in", "reason"),
        [
            (p.place, (
                p.place.way if p.place else "",
                _Html(_pill(p.kept, "good" if p.kept == "register" else "")), p.reason,
            ))
            for p in kernel.promotions
        ],
    )  # fmt: skip
    yield _table(
        "Memory accesses",
        ("place", "access", "type", "memory", "shape", "regions", "how it is done", "detail"),
        [
            (a.place, (
                a.place.way if a.place else "", a.kind, a.type, f"{a.space} {a.object}",
                _Html(_pill(a.shape, _shape_class(a.shape))), regions_text(a.regions),
                "; ".join(filter(None, (times_text(a), a.how))),
                "; ".join(filter(None, (a.detail, a.proved))),
            ))
            for a in kernel.accesses
        ],
    )  # fmt: skip
    yield _table(
        "Branches", ("place", "kind", "verdict", "remarks"),
        [
            (b.place, (
                str(b.place or ""), b.kind,
                _Html(_pill("divergent", "bad") if b.divergent else _pill("uniform", "good")),
                "; ".join(filter(None, (b.reason, "taken once for the group" if b.decides else ""))),
            ))
            for b in kernel.branches
        ],
    )  # fmt: skip


class _Html(str):
    """A cell whose text is HTML."""


def _region_row(region: Region) -> tuple[str, ...]:
    pill = (
        f'<span class="pill region" style="--h:{region_hue(region.number)}" data-region="{region.number}">'
        f"r{region.number}</span>"
    )
    ends = ", ".join(f"b{n}" for n in region.ends) or "∅"
    blocks = [name + (" (replicated)" if name in region.replicated else "") for name in region.blocks]
    return (
        _Html(pill),
        f"b{region.start} → {ends}",
        lines_text(region.lines),
        str(region.instructions),
        ", ".join(blocks),
        "; ".join(region.remarks),
    )


def _table(title: str, heads: Sequence[str], rows: Sequence[tuple[Location | None, Sequence[str]]]) -> str:
    if not rows:
        return ""
    body = []
    for place, cells in rows:
        # The last column contains prose, the others code.
        shown = (
            "".join(f'<td class="code">{_cell(c)}</td>' for c in cells[:-1]) + f"<td>{_cell(cells[-1])}</td>"
        )
        link = f' data-lines="{place.line}"' if place is not None and not place.file else ""
        body.append(f"<tr{link}>{shown}</tr>")
    head = "".join(f"<th>{escape(h)}</th>" for h in heads)
    table = f'<table class="facts"><thead><tr>{head}</tr></thead><tbody>{"".join(body)}</tbody></table>'
    return _panel(title, "", table)


def _cell(text: str) -> str:
    return text if isinstance(text, _Html) else escape(text)


def _tab(shows: str, text: str, chosen: bool, title: str = "") -> str:
    state = f'aria-selected="{str(chosen).lower()}"'
    return f'<button role="tab" data-shows="{shows}" {state} title="{escape(title)}">{escape(text)}</button>'


def _written(barrier: Barrier) -> str:
    return "written" if barrier.kind == "written" else "implicit"


def _indented(lines: Sequence[str]) -> str:
    return "".join(f"\n  {escape(line)}" for line in lines)


def _broken(text: str) -> str:
    return escape(text).replace("\n", "<br>")
