"""`make maps`: measures the platforms of this machine and writes the table."""

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Sequence
from itertools import product
from pathlib import Path
from typing import Any

import bench.maps
from bench.maps.measuring import REFUSED, Bundle, Maps, on_cores
from bench.maps.subjects import FACTORS, IDS, subjects
from bench.platforms import Platform, find_platforms
from bench.progress import Progress
from bench.registry import Caches
from weft.errors import WeftError
from weft.frontend.options import parse_options
from weft.source.devices import ROWS, TABLE, WIDE
from weft.source.refusal import Refused
from weft.source.rewrite import Request, vectorize
from weft.source.worker_process import PlatformProcess

_LIMIT = 60.0
FIELDS = ("name", "platform", "device", "version", "units", "measured", "patterns")
"""The members of a row."""


def bundle(patterns: Sequence[str] = ROWS, factors: Sequence[int] = FACTORS) -> Bundle:
    """Return the kernels of patterns, rewritten in all ways."""
    programs: dict[str, dict[str, dict[str, str]]] = {}
    for pattern, ids in product(patterns, IDS):
        subject = subjects()[pattern]
        texts = programs.setdefault(pattern, {}).setdefault(ids, {})
        for candidate in subject.points():
            if max(candidate.inter, candidate.intra) not in factors:
                continue
            request = Request(candidate.inter, candidate.intra, exact=True, fast_math=True)
            try:
                text = vectorize(subject.text(ids), parse_options(""), f"{pattern}.cl", request).text
            except Refused as why:
                text = f"{REFUSED}{why}"
            texts[str(candidate)] = text
    return programs


def measured(
    platform: Platform, programs: Bundle, scratch: Path, progress: Progress, cores: int
) -> dict[str, Any]:
    """Measure the row of a platform."""
    environment = platform.environment(scratch, Caches.OFF)
    with on_cores(cores):
        process = PlatformProcess(platform.reported, environment, _LIMIT)
    with process:
        maps = Maps(process, programs, scratch, 1, progress.begin, progress.step)
        row = maps.row(platform.name)
    progress.clear()
    for line in maps.failed:
        print(line, file=sys.stderr)
    return row


def store(rows: Sequence[dict[str, Any]], path: Path = TABLE) -> None:
    """Add rows to the table; of a device that has a row, patterns that were not measured are kept."""
    table = {_key(row): row for row in json.loads(path.read_text())["devices"]} if path.exists() else {}
    for row in rows:
        before = table.get(_key(row), {"patterns": {}})
        table[_key(row)] = {**row, "patterns": {**before["patterns"], **row["patterns"]}}
    lines = json.dumps({"written by": "make maps", "devices": list(table.values())}, indent=1)
    path.write_text(_compact(lines) + "\n")


def _key(row: dict[str, Any]) -> tuple[str, str]:
    return row["platform"], row["device"]


def read_row(path: Path) -> dict[str, Any]:
    """Read a row that was measured elsewhere; raise WeftError if the file does not contain one."""
    try:
        row: dict[str, Any] = json.loads(path.read_text())
        missing = [key for key in FIELDS if key not in row]
        wrong = [pattern for pattern in row.get("patterns", {}) if pattern not in ROWS]
    except (OSError, ValueError, TypeError, AttributeError) as error:
        raise WeftError(f"{path} holds no row of the table: {error}") from None
    if missing or wrong:
        reason = f"{', '.join(missing)} missing" if missing else f"no pattern is called {', '.join(wrong)}"
        raise WeftError(f"{path} holds no row of the table: {reason}")
    return row


def _compact(text: str) -> str:
    """Put the gains of each method in one line."""
    compacted, inside = "", False
    for line in text.split("\n"):
        opens = line.strip().startswith(('"eV": {', '"iV": {', '"both": {'))
        compacted += line.strip() if inside else f"\n{line}" if compacted else line
        inside = (inside or opens) and "}" not in line
        compacted += " " if inside and line.endswith(",") else ""
    return compacted


def table(rows: Sequence[dict[str, Any]]) -> str:
    """Format the rows as text."""
    lines = []
    for row in rows:
        lines.append(f"{row['platform']}, {row['device']}")
        for pattern, entry in row["patterns"].items():
            lines.append(f"  {pattern:<5}{entry['bandwidth']:>8.2f} GB/s   {_gains(entry)}")
            if WIDE in entry:
                lines.append(f"       {WIDE + ' ids':>13}   {_gains(entry[WIDE])}")
    return "\n".join(lines)


def _gains(entry: dict[str, Any]) -> str:
    methods = [method for method in ("eV", "iV", "both") if method in entry]
    texts = [" ".join(f"{factor}:{gain:.2f}" for factor, gain in entry[method].items()) for method in methods]
    return "   ".join(f"{method} {text}" for method, text in zip(methods, texts, strict=True))


def main(arguments: Sequence[str]) -> int:
    """Measure and write the table; return the exit status."""
    parser = argparse.ArgumentParser(prog="make maps", description=bench.maps.__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    add = parser.add_argument
    add("--only", default="", help="a platform: weft, intel or pocl; default: all")
    add("--patterns", default=",".join(ROWS), help="the patterns to measure; others stay as they are")
    add("--factors", default="2,4,8,16", help="the factors to measure; with others the table is not written")
    add("--cores", type=int, default=1, help="how many cores are used, 0 for all (1)")
    add("--bundle", metavar="FILE", help="write the kernels for a machine without Weft")
    add("--merge", metavar="FILE", help="take a row that was measured elsewhere into the table")
    add("--table", type=Path, default=TABLE, metavar="FILE", help="the table; default: the one of Weft")
    options = parser.parse_args(arguments)
    factors, patterns = [int(f) for f in options.factors.split(",")], options.patterns.split(",")
    unknown = [pattern for pattern in patterns if pattern not in ROWS]
    if unknown:
        parser.error(f"no pattern is called {', '.join(unknown)}; there are {', '.join(ROWS)}")
    if options.bundle:
        Path(options.bundle).write_text(json.dumps(bundle(patterns, factors)))
        return 0
    if options.merge:
        try:
            row = read_row(Path(options.merge))
        except WeftError as error:
            print(f"make maps: {error}", file=sys.stderr)
            return 1
        store([row], options.table)
        print(table([row]))
        return 0
    platforms = [p for p in find_platforms() if not options.only or p.name == options.only]
    steps = len(platforms) * len(IDS) * sum(len(subjects()[p].points()) for p in patterns)
    progress = Progress(len(platforms) * len(patterns), steps)
    rows = []
    started = time.monotonic()
    programs = bundle(patterns, factors)
    with tempfile.TemporaryDirectory(prefix="weft-maps-") as folder:
        for platform in platforms:
            rows.append(measured(platform, programs, Path(folder), progress, options.cores))
            if factors == list(FACTORS):
                store(rows, options.table)
    print(table(rows))
    print(f"{time.monotonic() - started:.0f} s", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
