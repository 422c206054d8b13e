"""`make maps`: measures the platforms of this machine and writes the table."""

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import bench.maps
from bench.maps.measuring import REFUSED, Bundle, Maps
from bench.maps.subjects import FACTORS, subjects
from bench.platforms import Platform, find_platforms
from bench.progress import Progress
from bench.registry import Caches
from weft.frontend.options import parse_options
from weft.source.devices import TABLE
from weft.source.refusal import Refused
from weft.source.rewrite import Request, vectorize
from weft.source.worker_process import PlatformProcess

_LIMIT = 60.0


def bundle(factors: Sequence[int] = FACTORS) -> Bundle:
    """The kernels rewritten in all ways."""
    made: dict[str, dict[str, str]] = {}
    for pattern, subject in subjects().items():
        made[pattern] = {}
        for candidate in subject.points():
            if max(candidate.inter, candidate.intra) not in factors:
                continue
            request = Request(candidate.inter, candidate.intra, exact=True, fast_math=True)
            try:
                text = vectorize(subject.text, parse_options(""), f"{pattern}.cl", request).text
            except Refused as why:
                text = f"{REFUSED}{why}"
            made[pattern][str(candidate)] = text
    return made


def measured(platform: Platform, made: Bundle, scratch: Path, progress: Progress) -> dict[str, Any]:
    """The row of a platform."""
    environment = platform.environment(scratch, Caches.OFF)
    with PlatformProcess(platform.reported, environment, _LIMIT) as process:
        maps = Maps(process, made, scratch, 1, progress.begin, progress.step)
        row = maps.row(platform.name)
    progress.clear()
    for line in maps.failed:
        print(line, file=sys.stderr)
    return row


def store(rows: Sequence[dict[str, Any]], path: Path = TABLE) -> None:
    """Replace the rows of the devices in the table."""
    before = json.loads(path.read_text())["devices"] if path.exists() else []
    new = {(r["platform"], r["device"]) for r in rows}
    kept = [r for r in before if (r["platform"], r["device"]) not in new]
    lines = json.dumps({"written by": "make maps", "devices": [*rows, *kept]}, indent=1)
    path.write_text(_compact(lines) + "\n")


def _compact(text: str) -> str:
    """Gains of one way in one line."""
    made, inside = "", False
    for line in text.split("\n"):
        opens = line.strip().startswith(('"eV": {', '"iV": {', '"both": {'))
        made += line.strip() if inside else f"\n{line}" if made else line
        inside = (inside or opens) and "}" not in line
        made += " " if inside and line.endswith(",") else ""
    return made


def table(rows: Sequence[dict[str, Any]]) -> str:
    """The rows as text."""
    lines = []
    for row in rows:
        lines.append(f"{row['platform']}, {row['device']}")
        for pattern, found in row["patterns"].items():
            gains = [
                f"{way} " + " ".join(f"{factor}:{gain:.2f}" for factor, gain in found[way].items())
                for way in ("eV", "iV", "both")
                if way in found
            ]
            lines.append(f"  {pattern:<5}{found['bandwidth']:>8.2f} GB/s   {'   '.join(gains)}")
    return "\n".join(lines)


def main() -> None:
    """Measure and write the table."""
    parser = argparse.ArgumentParser(prog="make maps", description=bench.maps.__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("--only", default="", help="a platform: weft, intel or pocl; default: all")
    parser.add_argument(
        "--factors", default="2,4,8,16", help="the factors to measure; with others the table is not written"
    )
    parser.add_argument("--bundle", metavar="FILE", help="write the kernels for a machine without Weft")
    parser.add_argument(
        "--merge", metavar="FILE", help="take a row that was measured elsewhere into the table"
    )
    given = parser.parse_args()
    if given.bundle:
        Path(given.bundle).write_text(json.dumps(bundle()))
        return
    if given.merge:
        row = json.loads(Path(given.merge).read_text())
        store([row])
        print(table([row]))
        return
    factors = [int(f) for f in given.factors.split(",")]
    platforms = [p for p in find_platforms() if not given.only or p.name == given.only]
    steps = len(platforms) * sum(len(s.points()) for s in subjects().values())
    progress = Progress(len(platforms) * len(subjects()), steps)
    rows = []
    started = time.monotonic()
    made = bundle(factors)
    with tempfile.TemporaryDirectory(prefix="weft-maps-") as folder:
        for platform in platforms:
            rows.append(measured(platform, made, Path(folder), progress))
            if factors == list(FACTORS):
                store(rows)
    print(table(rows))
    print(f"{time.monotonic() - started:.0f} s", file=sys.stderr)


if __name__ == "__main__":
    main()
