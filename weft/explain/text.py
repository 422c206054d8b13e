"""Render a report as text for a terminal."""

import textwrap
from collections.abc import Sequence

from .report import (
    Access,
    Barrier,
    Branch,
    Kernel,
    Loop,
    PrivateMemory,
    Promotion,
    Region,
    Report,
    Tail,
    Variable,
)

_GREEN, _YELLOW, _RED, _BLUE, _BOLD, _DIM = "32", "33", "31", "36", "1", "2"
_SHAPE_COLOURS = {"uniform": _GREEN, "consecutive": _GREEN, "strided": _YELLOW, "varying": _RED}
_KEPT_COLOURS = {"recomputed": _GREEN, "uniform": _GREEN, "shared": _GREEN, "context": _YELLOW}
_KEPT = {"recomputed": "recomputed", "uniform": "uniform", "context": "context", "shared": "shared"}
_LOOPS = {
    "interchanged": "interchanged",
    "barrier": "lock step",
    "inside": "not interchanged",
    "unrolled": "unrolled",
}

Row = Sequence[str]


class TextWriter:
    """Formats a report for a width, with or without colours."""

    def __init__(self, width: int = 100, colour: bool = False) -> None:
        self.width = max(60, width)
        self._colour = colour

    def report(self, report: Report) -> str:
        """Return the text of a report."""
        parts = []
        if report.error:
            parts.append(f"{report.file}: {self._paint('not built', _RED)}\n\n{report.error.rstrip()}")
        if report.log.strip():
            parts.append(f"{self._title('Build log')}\n{textwrap.indent(report.log.rstrip(), '  ')}")
        parts += [self.kernel(kernel, report.file) for kernel in report.kernels]
        if not parts:
            parts.append(f"{report.file} has no kernels")
        return "\n\n".join(parts) + "\n"

    def kernel(self, kernel: Kernel, file: str) -> str:
        """Return the text of one kernel."""
        head = f"{file}: kernel {kernel.name}, {size_text(kernel)}"
        rule = "═" * min(self.width, max(len(head), 40))
        lines = [self._paint(head, _BOLD), self._paint(rule, _DIM)]
        lines += textwrap.wrap(
            kernel.signature, self.width - 2, initial_indent="  ", subsequent_indent="      "
        )
        if kernel.error:
            return "\n".join([*lines, "", f"  {self._paint('refused', _RED)}: {kernel.error.rstrip()}"])
        lines.append(self._paint(f"  {facts(kernel)}", _DIM))
        for remark in remarks(kernel):
            lines += [self._paint(f"  {line}", _DIM) for line in textwrap.wrap(remark, self.width - 2)]
        for note in kernel.notes:
            wrapped = textwrap.wrap(note, self.width - 9, subsequent_indent=" " * 9)
            lines += ["", f"  {self._paint('note', _YELLOW)}:  " + "\n".join(wrapped)]
        sections = (
            ("Barriers", [self._barrier(b) for b in kernel.barriers]),
            ("Parallel regions", [self._region(r) for r in kernel.regions if r.kind != "empty"]),
            ("Replicated tails", [self._tail(t) for t in kernel.tails]),
            ("Variables that live across regions", [self._variable(v) for v in kernel.variables]),
            ("Private memory", [self._memory(m) for m in kernel.memory]),
            ("Loops", [self._loop(loop) for loop in kernel.loops]),
            ("Locations that loops store to", [self._promotion(p) for p in kernel.promotions]),
            ("Memory accesses", [self._access(a) for a in kernel.accesses]),
            ("Branches", [self._branch(b) for b in kernel.branches]),
        )
        for title, rows in sections:
            if rows:
                lines += ["", self._title(title), *self._table(rows)]
        return "\n".join(lines)

    # A row of each section

    def _barrier(self, b: Barrier) -> Row:
        kind = self._paint("written", _BLUE) if b.kind == "written" else "implicit"
        where = {"entry": "entry", "exit": "exit"}.get(b.kind, f"line {b.place}" if b.place else "")
        return f"b{b.number}", where, kind, b.why

    def _region(self, r: Region) -> Row:
        ends = ", ".join(f"b{n}" for n in r.ends) or "nowhere"
        count = f"{r.instructions} instruction{'s' if r.instructions != 1 else ''}"
        remarks = [self._paint(text, _GREEN if "lanes" in text else _YELLOW) for text in r.remarks]
        return f"r{r.number}", f"b{r.start} → {ends}", lines_text(r.lines), count, "; ".join(remarks)

    def _tail(self, t: Tail) -> Row:
        regions = ", ".join(f"r{n}" for n in t.regions)
        count = f"{t.instructions} instruction{'s' if t.instructions != 1 else ''}"
        return regions, lines_text(t.lines), count, f"block {', '.join(t.blocks)}"

    def _variable(self, v: Variable) -> Row:
        size = f" {v.bytes} B" if v.kept == "context" else ""
        used = f"{regions_text(v.computed_in)} → {regions_text(v.used_in) or 'branch'}"
        kept = self._paint(_KEPT[v.kept] + size, _KEPT_COLOURS[v.kept])
        return v.name, str(v.place or ""), v.type, kept, used, v.reason

    def _memory(self, m: PrivateMemory) -> Row:
        kept = self._paint(f"{_KEPT[m.kept]} {m.bytes} B", _KEPT_COLOURS[m.kept])
        return m.name, str(m.place or ""), m.type, kept, m.reason

    def _loop(self, loop: Loop) -> Row:
        good = loop.verdict in ("interchanged", "unrolled")
        verdict = self._paint(_LOOPS[loop.verdict], _GREEN if good else _BLUE)
        return loop_lines(loop), f"depth {loop.depth}", verdict, loop.reason

    def _promotion(self, p: Promotion) -> Row:
        kept = self._paint(p.kept, _GREEN if p.kept == "register" else _BLUE)
        return str(p.place or "?"), kept, p.reason

    def _access(self, a: Access) -> Row:
        colour = next((c for word, c in _SHAPE_COLOURS.items() if a.shape.startswith(word)), _RED)
        shape = self._paint(a.shape, colour)
        where = f"called at {a.place.caller.way}" if a.place and a.place.caller else ""
        target = f"{a.space} {a.object or '?'}".strip()
        words = "; ".join(filter(None, (times_text(a), a.how, a.detail, a.proved, where)))
        return str(a.place or "?"), a.kind, a.type, target, shape, regions_text(a.regions), words

    def _branch(self, b: Branch) -> Row:
        verdict = self._paint("divergent", _RED) if b.divergent else self._paint("uniform", _GREEN)
        remarks = [b.reason] if b.reason else []
        if b.decides:
            remarks.append("taken once for the group")
        return str(b.place or "?"), b.kind, verdict, "; ".join(remarks)

    # Layout

    def _table(self, rows: Sequence[Row]) -> list[str]:
        """Format columns with their natural widths; the last one takes the rest of the line and wraps."""
        columns = len(rows[0])
        widths = [max(len(_plain(row[i])) for row in rows) for i in range(columns - 1)]
        widths = [min(w, self.width // 3) for w in widths]
        used = [i for i, w in enumerate(widths) if w]
        indent = 2 + sum(widths[i] + 2 for i in used)
        room = max(self.width - indent, 24)
        lines = []
        for row in rows:
            start = "  " + "".join(_padded(row[i], widths[i]) + "  " for i in used)
            last = row[-1]
            if len(_plain(last)) <= room:
                lines.append((start + last).rstrip())
                continue
            wrapped = textwrap.wrap(_plain(last), room)
            lines.append(start + wrapped[0])
            lines += [" " * indent + more for more in wrapped[1:]]
        return lines

    def _title(self, text: str) -> str:
        return self._paint(text, _BOLD)

    def _paint(self, text: str, code: str) -> str:
        return f"\x1b[{code}m{text}\x1b[0m" if self._colour else text


def size_text(kernel: Kernel) -> str:
    """Return the local size or the tile size, and its origin."""
    if kernel.tile is not None:
        tile, range = ("x".join(map(str, s)) for s in (kernel.tile.size, kernel.tile.global_size))
        where = " (assumed; choose with --global)" if kernel.tile.assumed else ""
        return f"tiles of {tile} in a range of {range}{where}"
    if kernel.local_size is None:
        return "local size any"
    size = "local size " + "x".join(map(str, kernel.local_size))
    sources = {
        "given": "",
        "assumed": " (assumed; choose with --local)",
    }
    return size + sources.get(kernel.local_size_source, f" ({kernel.local_size_source})")


def facts(kernel: Kernel) -> str:
    """Return the sizes of a kernel in one line."""
    parts = [f"method {kernel.method}", f"local memory {kernel.local_bytes} B"]
    unit = "group" if kernel.tile is None else "tile"
    total = f" ({kernel.context_bytes} B a {unit})" if kernel.context_bytes else ""
    parts.append(f"context {kernel.item_bytes} B a work-item{total}")
    return " · ".join(parts)


def remarks(kernel: Kernel) -> list[str]:
    """Return remarks on the kernel as a whole."""
    texts = []
    if kernel.tile is not None:
        texts.append(
            "work-items share nothing, so a call runs a tile of the range, independent of work-groups"
        )
        texts += [f"not tiles of {reason}" for reason in kernel.tile.passed_over]
    if kernel.vectors:
        texts.append(kernel.vectors)
    if kernel.sub_groups:
        texts.append(kernel.sub_groups)
    if kernel.block is not None:
        unit = "groups" if kernel.tile is None else "tiles"
        wide, high = kernel.block
        order = "along y first" if wide == 1 else f"in blocks of {wide}x{high}"
        texts.append(f"{unit} are run {order}, not in rows: adjacent ones along y access adjacent memory")
    return texts


def times_text(access: Access) -> str:
    """Return the number of copies of an access after unrolling."""
    return f"{access.times} times" if access.times > 1 else ""


def lines_text(lines: Sequence[tuple[int, int]]) -> str:
    """Format ranges of lines."""
    if not lines:
        return ""
    spans = ", ".join(str(a) if a == b else f"{a}-{b}" for a, b in lines)
    return f"line {spans}" if len(lines) == 1 and lines[0][0] == lines[0][1] else f"lines {spans}"


def loop_lines(loop: Loop) -> str:
    """Return the lines of a loop."""
    if loop.place is None:
        return "?"
    first = f"{loop.place.file}:{loop.place.line}" if loop.place.file else str(loop.place.line)
    return f"line {first}" if loop.last_line <= loop.place.line else f"lines {first}-{loop.last_line}"


def regions_text(regions: Sequence[int]) -> str:
    """Format regions by name."""
    shown = regions if len(regions) <= 4 else (*regions[:3], -1)
    return " ".join(f"r{n}" if n >= 0 else "…" for n in shown)


def _plain(text: str) -> str:
    """Remove colours from a text."""
    while "\x1b[" in text:
        start = text.index("\x1b[")
        text = text[:start] + text[text.index("m", start) + 1 :]
    return text


def _padded(text: str, width: int) -> str:
    plain = _plain(text)
    if len(plain) > width:
        return plain[: width - 1] + "…"
    return text + " " * (width - len(plain))
