"""Writes docs/clvectorizer.md and its charts from the measurements."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

from bench.clvectorizer.sources import FACTORS, NAIVE, both, both_inter_first, inter, intra
from bench.clvectorizer.study import SLACK, Study, mean
from bench.clvectorizer.subjects import APPLICATIONS, PATTERNS, WALKS
from bench.divergence.charts import BarChart

PAGE = "clvectorizer.md"
TIMES = "\u00d7"
_PREFACE = Path(__file__).with_name("preface.md")
_COLOURS = ("#9cc46a", "#2f7d5b", "#4a78b5", "#8b5fa8", "#d97c2b", "#c9a227", "#8a93a3")

# The paper's figures for HD6970, X5650 and GTX580; None if its text gives no number.
_DEVICES = ("HD6970", "X5650", "GTX580")
_Row = tuple[str | None, str | None, str | None]
_FIGURES: dict[str, tuple[int, _Row]] = {
    "SS": (3, ("1.26", "1.39", "1.60")),
    "RF": (5, ("3.95", "3.00", "2.63")),
    "CS": (7, ("3.31", "about 1", "1.76")),
    "BS": (9, ("2.66", "below 1", "about 1")),
    "NS": (11, ("1.18", "0.96", "0.81")),
}
_SHUFFLED: _Row = ("2.89", "1.17", "1.86")
_TABLE_1: dict[str, _Row] = {
    "SS": ("1.27", "1.51", "1.6"),
    "RF": ("3.85", "2.92", "2.62"),
    "CS": ("3.33", "0.97", "1.74"),
    "BS": ("2.9", "1.13", "1.86"),
    "NS": ("1.18", "0.96", "0.81"),
}
_USED_BY = {
    "SS": "Black-Scholes",
    "RF": "MM, matrix A",
    "CS": "MM, matrix B",
    "BS": "convolution",
    "NS": "SOR",
}
_FIGURE_12: dict[str, _Row] = {
    "MM": ("3.27", "slightly below 1", "1.65"),
    "IC": ("3.03", "1.20", "2.00"),
    "BS": ("1.26", "1.04", "1.26"),
    "SOR": ("1.18", "1.44", "1.16"),
}
_FIGURE_13: dict[str, _Row] = {"MM": ("1.93", "0.89", "1.92"), "IC": ("1.65", "1.14", "1.27")}
_FACTOR = 4  # the paper's factor


def write(study: Study, docs: Path) -> Path:
    """Write the page and its charts below `docs`; return the path of the page."""
    images = docs / "images"
    images.mkdir(parents=True, exist_ok=True)
    for name, text in _charts(study).items():
        (images / f"clvectorizer-{name}.svg").write_text(text)
    path = docs / PAGE
    path.write_text(text_of(study))
    return path


def text_of(study: Study) -> str:
    """Return the page."""
    parts = [
        _PREFACE.read_text(),
        _where(study),
        _findings(study),
        _goals(study),
        _bandwidth(study),
        _table_1(study),
        _speed(study, "Figure 12: eV", "ev", inter, _FIGURE_12),
        _speed(study, "Figure 13: iV", "iv", intra, _FIGURE_13),
        _both(study),
        _auto(study),
        _walks(study),
        _refused(study),
        _again(),
    ]
    return "\n".join(part for part in parts if part)


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f}"


def _paper(row: _Row | None) -> Sequence[str]:
    return ("-",) * 3 if row is None else tuple(cell or "-" for cell in row)


# Summary


def _where(study: Study) -> str:
    rows = []
    for name, results in study.platforms.items():
        cores = "all" if not results.cores else str(results.cores)
        where = f"{results.machine}, {cores} core{'' if cores == '1' else 's'}" if results.is_cpu else "GPU"
        rows.append((name, results.device, results.version, where, f"{results.scale} {TIMES}"))
    head = ("platform", "device", "version", "runs on", "length of a side")
    return "## Platforms\n\n" + _table(head, rows)


def _findings(study: Study) -> str:
    lines = ["## Findings", ""]
    for name, results in study.platforms.items():
        best = {s.short: b for s in APPLICATIONS if (b := results.best(s.name)) is not None}
        pays = {short: b for short, b in best.items() if b[1] > SLACK}
        text = f"- **{name}**: rewriting pays off on {len(pays)} of {len(best)} applications"
        if pays:
            listed = [f"{short} {gain:.2f} {TIMES} by {form}" for short, (form, gain) in pays.items()]
            text += f" ({', '.join(listed)})"
        others = {short: b for short, b in best.items() if short not in pays}
        if others:
            rest = ", ".join(f"{short} {gain:.2f}" for short, (_, gain) in others.items())
            text += f"; on the others the best rewritten version reaches {rest} of the naive kernel's speed"
        ev = mean(results.gain(s.name, inter(_FACTOR)) for s in APPLICATIONS)
        text += f". eV with VF {_FACTOR} alone: {_number(ev)} {TIMES} (geometric mean)."
        lines.append(text)
    lines.append("")
    lines += [
        "If a platform's compiler already runs adjacent work-items in lanes, eV adds nothing: the rewritten",
        "kernel requests vectors of VF elements where the compiler would use the machine's vector length.",
        f"A gain within {SLACK - 1:.0%} of 1 counts as none.",
        "",
    ]
    return "\n".join(lines)


def _goals(study: Study) -> str:
    rows = [(what, finding, "met" if ok else "**short**") for what, finding, ok in study.verdicts()]
    return "## Goals\n\n" + _table(("goal", "found", ""), rows)


# Patterns


def _bandwidth(study: Study) -> str:
    text = (
        "## Figures 3, 5, 7, 9 and 11: bandwidth of the patterns\n\n"
        "GB/s loaded and stored by all work-items, counted in the source; accesses that hit caches or "
        "registers "
        f"count too. The gain is that of eV with VF = {_FACTOR}, as in the paper.\n\n"
        "![gain in bandwidth](images/clvectorizer-bandwidth.svg)\n\n"
    )
    names = list(study.platforms)
    head = ["figure", "pattern", *(f"{n}: naive" for n in names), *(f"{n}: eV{_FACTOR}" for n in names)]
    head += [*(f"{n}: gain" for n in names), *(f"paper, {d}" for d in _DEVICES)]
    rows = []
    for subject in PATTERNS:
        number, paper = _FIGURES[subject.short]
        cells = [str(number), subject.short]
        for form in (NAIVE, inter(_FACTOR)):
            cells += [_rate(study.platforms[n].bandwidth(subject.name, form)) for n in names]
        cells += [_number(study.platforms[n].gain(subject.name, inter(_FACTOR))) for n in names]
        rows.append([*cells, *_paper(paper)])
    rows.append(["9b\u2013d", "BS, shuffled", *["-"] * (3 * len(names)), *_paper(_SHUFFLED)])
    note = (
        "\nFigure 9b\u2013d: the paper's authors share the elements of a block by explicit register "
        "shuffles. "
        "`weft vectorize` reads each window with `vload4` and leaves the sharing to the compiler. RF: after "
        "eV, the row is uniform for the merged work-items, so it is summed once for all of them.\n\n"
        "The gains by VF:\n\n"
    )
    of_factors = ["pattern", *(f"{n}: VF {f}" for n in names for f in FACTORS)]
    by_factor = [
        [s.short, *(_number(study.platforms[n].gain(s.name, inter(f))) for n in names for f in FACTORS)]
        for s in PATTERNS
    ]
    return text + _table(head, rows) + note + _table(of_factors, by_factor)


def _rate(value: float | None) -> str:
    return "-" if value is None else f"{value / 1e9:.1f}"


def _table_1(study: Study) -> str:
    names = list(study.platforms)
    rows = []
    for subject in PATTERNS:
        item, group = subject.pattern.split(", ")
        gains = [_number(study.platforms[n].gain(subject.name, inter(_FACTOR))) for n in names]
        rows.append(
            [subject.short, item, group, *gains, *_paper(_TABLE_1[subject.short]), _USED_BY[subject.short]]
        )
    head = [
        "name",
        "work-item",
        "work-group",
        *names,
        "paper, HD6970",
        "paper, E5620",
        "paper, GTX580",
        "found in",
    ]
    text = (
        f"## Table 1: the patterns and their gains in bandwidth (VF = {_FACTOR})\n\n"
        "The paper's table names its CPU E5620, its text X5650.\n\n"
    )
    return text + _table(head, rows)


# Applications


def _speed(
    study: Study, title: str, image: str, form: Callable[[int], str], paper: Mapping[str, _Row]
) -> str:
    rows = []
    for subject in APPLICATIONS:
        reason = study.refused.get(subject.name, {}).get(form(_FACTOR))
        for name, results in study.platforms.items():
            gains = [results.gain(subject.name, form(f)) for f in FACTORS]
            if reason is None and any(gains):
                naive = results.seconds(subject.name, NAIVE)
                time = "-" if naive is None else f"{1e3 * naive:.3g}"
                rows.append([subject.short, name, time, *map(_number, gains)])
        for device, cell in zip(_DEVICES, _paper(paper.get(subject.short)), strict=True):
            if subject.short in paper:
                rows.append([subject.short, f"paper, {device}", "", "", cell, "", ""])
    head = ["application", "platform", "naive, ms", *(f"VF {f}" for f in FACTORS)]
    left_out = [s.short for s in APPLICATIONS if form(_FACTOR) in study.refused.get(s.name, {})]
    note = f"\nMissing: {', '.join(left_out)} (see [refused kernels](#refused)).\n" if left_out else ""
    picture = f"![gain by VF](images/clvectorizer-{image}.svg)\n\n"
    return f"## {title}: gain over the naive kernel\n\n{picture}" + _table(head, rows) + note


def _both(study: Study) -> str:
    rows = []
    for subject in APPLICATIONS:
        for name, results in study.platforms.items():
            for order, form in (("iV, then eV", both), ("eV, then iV", both_inter_first)):
                gains = [results.gain(subject.name, form(f)) for f in FACTORS]
                if any(gains):
                    rows.append([subject.short, name, order, *map(_number, gains)])
    if not rows:
        return ""
    text = (
        "## Both together\n\n"
        "The paper says that eV and iV can be combined, but gives no figures. The two orders differ: iV "
        "first "
        "makes vectors of iterations, one per merged work-item; eV first makes vectors of work-items, of "
        "which iV then keeps VF partial results.\n\n![gain of "
        "both](images/clvectorizer-both.svg)\n\n"
    )
    return text + _table(["application", "platform", "order", *(f"VF {f}" for f in FACTORS)], rows)


def _auto(study: Study) -> str:
    rows = []
    for subject in APPLICATIONS:
        for name, results in study.platforms.items():
            chosen = results.chosen.get(subject.name)
            if chosen is None:
                continue
            best = results.best(subject.name)
            rows.append(
                [
                    *(subject.short, name, chosen.form, _number(results.over_naive(subject.name))),
                    *(
                        _number(results.over_best(subject.name)),
                        "-" if best is None else best[0],
                        chosen.reason,
                    ),
                ]
            )
    if not rows:
        return ""
    text = (
        "## The choice of `--auto`\n\n"
        "`weft vectorize --auto` chooses by the patterns of the kernel and the device's table. The table "
        "shows "
        "its time relative to the naive kernel and to the fastest version; a version that is timed above is "
        "not timed again.\n\n"
    )
    head = [
        "application",
        "platform",
        "chosen",
        "over naive",
        "over the fastest",
        "fastest rewritten",
        "reason",
    ]
    return text + _table(head, rows)


def _walks(study: Study) -> str:
    rows = []
    for name, results in study.platforms.items():
        row, column = (results.bandwidth(s.name, NAIVE) for s in WALKS)
        if row and column:
            better = (
                "row-major" if row > SLACK * column else "column-major" if column > SLACK * row else "both"
            )
            rows.append([name, _rate(row), _rate(column), better])
    if not rows:
        return ""
    text = (
        "## Figure 14: row-major and column-major access\n\n"
        "GB/s if each work-item sums one row or one column. In the paper, both GPUs prefer columns, which "
        "adjacent work-items then read together, and the CPU prefers rows.\n\n"
    )
    return text + _table(["platform", "row-major", "column-major", "preferred"], rows)


def _refused(study: Study) -> str:
    reasons: dict[tuple[str, str], list[str]] = {}
    for subject, forms in study.refused.items():
        for form, reason in forms.items():
            reasons.setdefault((subject, reason), []).append(form)
    if not reasons:
        return ""
    rows = [(subject, ", ".join(forms), reason) for (subject, reason), forms in reasons.items()]
    return "## Refused\n\n" + _table(("kernel", "forms", "reason"), rows)


def _again() -> str:
    return (
        "## Reproducing the measurements\n\n"
        "`make clvectorizer` measures and writes this page. A machine without Weft needs pyopencl and "
        "numpy:\n\n"
        "```\n"
        "python -m bench.clvectorizer --bundle forms.json              # here: the sources\n"
        "python -m bench.clvectorizer.worker forms.json --record gpu.json --scale 4      # there\n"
        "python -m bench.clvectorizer --from bench/results/clvectorizer.json --merge gpu.json\n"
        "```\n\n"
        "Records in `bench/clvectorizer/records` are always merged.\n"
    )


# Charts


def _charts(study: Study) -> dict[str, str]:
    names = list(study.platforms)
    colours = dict(zip(names, _COLOURS, strict=False))
    gains = {s.short: {n: study.platforms[n].gain(s.name, inter(_FACTOR)) for n in names} for s in PATTERNS}
    title = f"Gain in bandwidth by eV with VF = {_FACTOR}, naive = 1"
    charts = {"bandwidth": BarChart(title, gains, names, 1 / 8, 8.0, colours).svg()}
    charts["ev"] = _by_factor(study, "Speed after eV, naive = 1 (longer to the right is better)", inter)
    charts["iv"] = _by_factor(study, "Speed after iV, naive = 1 (longer to the right is better)", intra)
    charts["both"] = _by_factor(study, "Speed after eV, then iV, naive = 1", both_inter_first)
    return charts


def _by_factor(study: Study, title: str, form: Callable[[int], str]) -> str:
    ways = [f"VF {f}" for f in FACTORS]
    colours = dict(zip(ways, _COLOURS, strict=False))
    values = {
        f"{s.short}, {name}": {
            way: results.gain(s.name, form(f)) for way, f in zip(ways, FACTORS, strict=True)
        }
        for s in APPLICATIONS
        for name, results in study.platforms.items()
        if any(results.gain(s.name, form(f)) for f in FACTORS)
    }
    return BarChart(title, values, ways, 1 / 16, 16.0, colours).svg()
