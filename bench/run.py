"""The command line of the benchmarks."""

import argparse
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from bench.drive import Driver, Result
from bench.platforms import ROOT, Platform, find_platforms
from bench.registry import Benchmark, all_benchmarks, matching
from bench.report import ProgressBar, Table, processor_name, write_json


def parse_arguments(arguments: Sequence[str]) -> argparse.Namespace:
    """The options of the command line."""
    parser = argparse.ArgumentParser(prog="python -m bench", description="Compares OpenCL platforms.")
    parser.add_argument("only", nargs="*", metavar="PATTERN", help="benchmarks, as launch or 'stream/*add*'")
    parser.add_argument("--platforms", metavar="NAMES", help="some of weft,intel,pocl")
    parser.add_argument("--repeats", type=int, default=15, help="samples of each (15)")
    parser.add_argument("--seconds", type=float, default=0.05, help="length of a sample (0.05)")
    parser.add_argument(
        "--results", type=Path, default=ROOT / "bench" / "results", help="folder for JSON files"
    )
    parser.add_argument("--list", action="store_true", help="list the benchmarks and stop")
    return parser.parse_args(arguments)


def choose_platforms(names: str | None) -> list[Platform]:
    """The platforms to compare; leaves with a message when one that was named is not there."""
    found = {platform.name: platform for platform in find_platforms()}
    if names is None:
        return list(found.values())
    missing = [name for name in names.split(",") if name not in found]
    if missing:
        sys.exit(f"bench: not installed: {', '.join(missing)}; found: {', '.join(found) or 'none'}")
    return [found[name] for name in names.split(",")]


def main(arguments: Sequence[str]) -> int:
    """Runs the benchmarks; the exit status is 1 when Weft failed in one of them."""
    options = parse_arguments(arguments)
    if options.list:
        print("\n".join(all_benchmarks()))
        return 0
    benchmarks = matching(options.only)
    if not benchmarks:
        sys.exit(f"bench: no benchmark matches {' '.join(options.only)}; --list shows them")
    platforms = choose_platforms(options.platforms)
    with tempfile.TemporaryDirectory(prefix="weft-bench-") as scratch:
        driver = Driver(platforms, Path(scratch), options.repeats, options.seconds)
        try:
            results = compare(driver, benchmarks)
        finally:
            driver.stop()
    settings = {"repeats": options.repeats, "sample_seconds": options.seconds}
    print(f"written to {write_json(options.results, settings, driver.identities, results)}")
    return int(any(found["weft"].error for found in results.values() if "weft" in found))


def compare(driver: Driver, benchmarks: Sequence[Benchmark]) -> dict[Benchmark, dict[str, Result]]:
    """Runs the benchmarks one after the other, shows each result at once and returns all."""
    names = [platform.name for platform in driver.platforms]
    table = Table(benchmarks, names)
    bar = ProgressBar(driver.steps() * len(benchmarks))
    results = {}
    print(f"{processor_name()}; {', '.join(names)}")
    print(table.header(), flush=True)
    for benchmark in benchmarks:
        bar.label = benchmark.name
        results[benchmark] = driver.run(benchmark, bar.step)
        bar.clear()
        print(table.line(benchmark, results[benchmark]), flush=True)
        for name, result in results[benchmark].items():
            if result.error:
                print(f"  {name}: {result.error}", flush=True)
    if table.peers:
        print(table.footer())
    return results
