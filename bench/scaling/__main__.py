"""`python -m bench.scaling`: measures how times grow, and writes docs/scaling.md with its charts."""

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from bench.outcome import BASE
from bench.platforms import ROOT, Platform, find_platforms
from bench.record import processor_name
from bench.registry import Caches
from bench.run import choose_platforms
from bench.scaling import page
from bench.scaling.curves import CURVES, GROUPS, LINES, RANGES
from bench.scaling.page import Growth
from bench.side_by_side import add_page_options

RECORD = ROOT / "bench" / "results" / "scaling.json"


def parse_arguments(arguments: Sequence[str]) -> argparse.Namespace:
    """Parse the command line."""
    parser = argparse.ArgumentParser(
        prog="python -m bench.scaling",
        description="Measures how times grow with range, kernel and work-group; writes docs/scaling.md.",
    )
    names = [curve.name for curve in CURVES]
    add = parser.add_argument
    add("only", nargs="*", metavar="CURVE", help=f"curves; default: all ({'; '.join(names)})")
    add("--platforms", metavar="NAMES", help="the platforms to run, as weft,pocl; default: all")
    add("--samples", type=int, default=5, help="samples of each point; the best counts (5)")
    add("--seconds", type=float, default=0.02, help="length of a sample (0.02)")
    add("--most-items", type=int, default=RANGES[-1], help=f"the greatest range ({RANGES[-1]})")
    add("--most-lines", type=int, default=LINES[-1], help=f"the longest kernel ({LINES[-1]})")
    add("--largest-group", type=int, default=GROUPS[-1], help=f"the largest work-group ({GROUPS[-1]})")
    add_page_options(parser, RECORD)
    options = parser.parse_args(arguments)
    unknown = [name for name in options.only if name not in names]
    if unknown:
        parser.error(f"not known: {', '.join(unknown)}")
    options.only = options.only or names
    return options


def main(arguments: Sequence[str]) -> int:
    """Measure and write; return 1 if Weft failed or a step has no reason."""
    options = parse_arguments(arguments)
    if options.earlier:
        growth = load(options.earlier)
    else:
        growth = Growth(processor_name(), caches=page.cache_sizes())
        with tempfile.TemporaryDirectory(prefix="weft-scaling-") as scratch:
            for platform in choose_platforms(find_platforms(), options.platforms):
                measure(growth, platform, Path(scratch), options)
        options.record.parent.mkdir(parents=True, exist_ok=True)
        options.record.write_text(json.dumps(asdict(growth), indent=1) + "\n")
    print(f"written: {page.write(growth, options.docs)}")
    steps = page.steps(growth)
    for step in steps:
        print(f"step: {step.curve}, {step.before} to {step.after}: {step.factor:.2f} ({step.reason})")
    failures = growth.errors.get(BASE, {})
    for curve, error in failures.items():
        print(f"failed: {curve}: {error}")
    return int(bool(failures) or any(step.reason == page.UNKNOWN for step in steps))


def measure(growth: Growth, platform: Platform, scratch: Path, options: argparse.Namespace) -> None:
    """Measure the curves on one platform in a separate process; output before a failure counts."""
    most = {"range": options.most_items, "lines": options.most_lines, "group": options.largest_group}
    command = [sys.executable, "-m", "bench.scaling.child", platform.reported, str(options.seconds)]
    command += [str(options.samples), json.dumps(most), *options.only]
    curves = growth.seconds.setdefault(platform.name, {})
    errors = growth.errors.setdefault(platform.name, {})
    last = options.only[0]
    with subprocess.Popen(
        command, cwd=ROOT, env=platform.environment(scratch, Caches.OFF), stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout
        for line in process.stdout:
            if not line.startswith("{"):
                continue  # drivers print too
            point = json.loads(line)
            if "version" in point:
                growth.versions[platform.name] = point["version"]
                continue
            last = point["curve"]
            if "error" in point:
                errors[last] = f"{point['size']:,}: {point['error']}"
            else:
                curves.setdefault(last, {})[point["size"]] = point["seconds"]
            print(f"{platform.name}: {line.strip()}", file=sys.stderr)
    if process.returncode:
        errors[last] = f"the process ended with status {process.returncode}"


def load(path: Path) -> Growth:
    """Read a record of an earlier run; JSON represents its sizes as text."""
    content = json.loads(path.read_text())
    content["seconds"] = {
        platform: {curve: {int(size): s for size, s in points.items()} for curve, points in curves.items()}
        for platform, curves in content["seconds"].items()
    }
    return Growth(**content)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
