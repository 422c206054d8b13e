"""Outcomes as a JSON file, and changes relative to an earlier one."""

import json
import os
import platform as machine
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from bench.drive import Effort
from bench.outcome import BASE, Clock, Outcome
from bench.table import duration
from weft.errors import WeftError


class BadRecord(WeftError):
    """A file does not contain a record of a benchmark."""


def document(
    outcomes: Sequence[Outcome], effort: Effort, clock: Clock, identities: Mapping[str, Mapping[str, Any]]
) -> dict[str, Any]:
    """Return everything that was measured."""
    return {
        "machine": {"processor": processor_name(), "cores": len(os.sched_getaffinity(0))},
        "system": machine.platform(),
        "settings": {**asdict(effort), "clock": clock.value},
        "platforms": dict(identities),
        "benchmarks": [_plain(outcome) for outcome in outcomes],
    }


def processor_name() -> str:
    """Return the name of the processor that the system reports."""
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return machine.machine()


def _plain(outcome: Outcome) -> dict[str, Any]:
    benchmark = outcome.benchmark
    others = [name for name in outcome.results if name != BASE]
    return {
        "name": benchmark.name,
        "unit": benchmark.unit.value,
        "work": benchmark.work,
        "mode": benchmark.mode.value,
        "caches": benchmark.caches.value,
        "at_memory_bandwidth": outcome.limited,
        "share_of_c_loop": outcome.share_of_c,
        "share_of_c_transposition": outcome.share_of_transposition,
        "note": outcome.note,
        "ratios": {peer: outcome.ratio(peer) for peer in others},
        "build_ratios": {peer: outcome.build_ratio(peer) for peer in others},
        "settled_ratios": {peer: outcome.settled_ratio(peer) for peer in others},
        "results": {
            name: {"best": outcome.best(name), "best_build": outcome.build(name), **asdict(result)}
            for name, result in outcome.results.items()
        },
    }


def write(path: Path, content: Mapping[str, Any]) -> None:
    """Write a record."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n")


def best_times(path: Path) -> dict[str, dict[str, float]]:
    """Return the best times of a record, by benchmark and platform; raise BadRecord if it is invalid."""
    try:
        benchmarks = json.loads(path.read_text())["benchmarks"]
        return {
            entry["name"]: {
                name: float(measured["best"])
                for name, measured in entry["results"].items()
                if measured.get("best") is not None
            }
            for entry in benchmarks
        }
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise BadRecord(f"{path}: not a record of a benchmark: {error!r}") from None


def comparison(old: Mapping[str, Mapping[str, float]], outcomes: Sequence[Outcome]) -> str:
    """Return Weft's times then and now, the worst change first, and the changes of the peers."""
    rows = []
    for outcome in outcomes:
        before = old.get(outcome.benchmark.name, {})
        now = outcome.best(BASE)
        if now is None or BASE not in before:
            continue
        others = [
            best / before[name]
            for name in outcome.results
            if name != BASE and name in before and (best := outcome.best(name)) is not None
        ]
        rows.append((now / before[BASE], outcome.benchmark.name, before[BASE], now, others))
    if not rows:
        return "nothing to compare: the earlier record has none of these benchmarks"
    rows.sort(reverse=True)
    left = max(len(name) for _, name, *_ in rows)
    lines = [f"{'Weft then and now':<{left}}{'then':>10}{'now':>10}{'now/then':>10}{'peers':>8}"]
    for change, name, before_seconds, now_seconds, others in rows:
        peers = f"{statistics.geometric_mean(others):.2f}" if others else "-"
        lines.append(
            f"{name:<{left}}{duration(before_seconds):>10}{duration(now_seconds):>10}{change:>10.2f}{peers:>8}"
        )
    mean = statistics.geometric_mean([change for change, *_ in rows])
    lines.append(f"{'geometric mean':<{left}}{'':>20}{mean:>10.2f}")
    return "\n".join(lines)
