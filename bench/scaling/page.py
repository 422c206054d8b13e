"""Writes docs/scaling.md and its charts from the measurements, and lists every step."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

from bench.line_chart import LineChart
from bench.outcome import BASE
from bench.scaling.curves import CURVES, Curve
from bench.table import significant

PAGE = "scaling.md"
STEP = 1.5
"""A time that grows by more than this factor from one size to the next is a step."""
REASONS: dict[tuple[str, int], str] = {}
"""Measured reasons of steps by curve and size, where the data has not outgrown a cache."""
UNKNOWN = "not looked into"
_CACHES = Path("/sys/devices/system/cpu/cpu0/cache")
_LABELS = {"range": "work-items", "lines": "lines of the kernel", "group": "work-items of a group"}


@dataclass
class Growth:
    """The seconds of each point by platform, curve and size; errors by platform and curve."""

    processor: str
    versions: dict[str, str] = field(default_factory=dict)
    seconds: dict[str, dict[str, dict[int, float]]] = field(default_factory=dict)
    errors: dict[str, dict[str, str]] = field(default_factory=dict)
    caches: dict[str, int] = field(default_factory=dict)
    """The sizes of the processor's caches in bytes, by name."""

    def values(self, platform: str, curve: Curve) -> dict[int, float]:
        """Return the points of a curve in its unit."""
        points = self.seconds.get(platform, {}).get(curve.name, {})
        return {size: curve.value(size, seconds) for size, seconds in sorted(points.items())}


@dataclass(frozen=True)
class Step:
    """A time that grew by `factor` between adjacent sizes, and the reason."""

    curve: str
    before: int
    after: int
    factor: float
    reason: str


def cache_sizes(folder: Path = _CACHES) -> dict[str, int]:
    """Return the sizes of a core's data caches in bytes, as the system reports them."""
    sizes = {}
    for cache in sorted(folder.glob("index*")):
        if (cache / "type").read_text().strip() != "Instruction":
            size = (cache / "size").read_text().strip()
            sizes[f"L{(cache / 'level').read_text().strip()}"] = int(size.removesuffix("K")) * 1024
    return sizes


def steps(growth: Growth, platform: str = BASE) -> list[Step]:
    """Return every step of a platform's curves, with its reason."""
    result = []
    for curve in CURVES:
        points = list(growth.values(platform, curve).items())
        for (before, low), (after, high) in pairwise(points):
            if high > STEP * low:
                reason = _reason(curve, before, after, growth.caches)
                result.append(Step(curve.name, before, after, high / low, reason))
    return result


def _reason(curve: Curve, before: int, after: int, caches: Mapping[str, int]) -> str:
    known = REASONS.get((curve.name, after))
    if known:
        return known
    for name, size in caches.items():
        if curve.bytes_per_item * before <= size < curve.bytes_per_item * after:
            data = curve.bytes_per_item * after
            return f"{data >> 10} KiB of data no longer fit into {name} ({size >> 10} KiB)"
    return UNKNOWN


def write(growth: Growth, docs: Path) -> Path:
    """Write the page and its charts below `docs`; return the path of the page."""
    images = docs / "images"
    images.mkdir(parents=True, exist_ok=True)
    for curve in CURVES:
        lines = {name: list(growth.values(name, curve).items()) for name in growth.seconds}
        shown = {name: points for name, points in lines.items() if points}
        if shown:
            chart = LineChart(f"{curve.name}: {curve.unit}", _LABELS[curve.of], curve.unit, shown)
            (images / _image(curve)).write_text(chart.svg())
    path = docs / PAGE
    path.write_text(text_of(growth))
    return path


def _image(curve: Curve) -> str:
    return f"scaling-{curve.name.replace(', ', '-')}.svg"


def text_of(growth: Growth) -> str:
    """Return the page."""
    measured = [curve for curve in CURVES if any(growth.values(name, curve) for name in growth.seconds)]
    versions = "; ".join(f"{name}: {version}" for name, version in growth.versions.items())
    parts = [
        "# Growth",
        "",
        "Time per work-item as the range grows and as work-groups grow, and compile time per line as kernels",
        "grow: a kernel that moves memory, one that computes and one that exchanges numbers at a barrier,",
        "and kernels of straight lines and of lines with branches. Groups have 64 work-items where the range",
        "grows; the range has 262,144 where groups grow. Every result is checked. Written by",
        f"`python -m bench.scaling` ({growth.processor}; {versions}).",
        "",
        "## Steps",
        "",
        *_step_table(steps(growth)),
    ]
    for curve in measured:
        parts += ["", f"## {curve.name.capitalize()}", "", f"![{curve.name}](images/{_image(curve)})", ""]
        parts += _table(growth, curve)
        for name in growth.seconds:
            error = growth.errors.get(name, {}).get(curve.name)
            if error:
                parts += ["", f"{name} ends there: {error}"]
    return "\n".join(parts) + "\n"


def _step_table(rows: Sequence[Step]) -> list[str]:
    if not rows:
        return [f"No time of Weft grows by more than {STEP} from one size to the next."]
    lines = ["| curve | from | to | times | why |", "|---|---:|---:|---:|---|"]
    for step in rows:
        sizes = f"{step.before:,} | {step.after:,}"
        lines.append(f"| {step.curve} | {sizes} | {step.factor:.2f} | {step.reason} |")
    return lines


def _table(growth: Growth, curve: Curve) -> list[str]:
    platforms = list(growth.seconds)
    values = {name: growth.values(name, curve) for name in platforms}
    sizes = sorted({size for points in values.values() for size in points})
    lines = [f"| {_LABELS[curve.of]} | " + " | ".join(platforms) + " |", "|---:|" + "---:|" * len(platforms)]
    for size in sizes:
        cells = [significant(values[name][size]) if size in values[name] else "" for name in platforms]
        lines.append(f"| {size:,} | " + " | ".join(cells) + " |")
    return [f"{curve.unit}:", "", *lines]
