"""The command line of the benchmarks: `make bench`, which is `python -m bench` with its peers installed."""

import argparse
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from bench import chart, record, spirv
from bench.drive import Driver, Effort
from bench.notes import NOTES
from bench.outcome import BASE, Clock, Outcome
from bench.platforms import ROOT, Platform, find_platforms, installed_platforms
from bench.progress import Progress
from bench.registry import Benchmark, all_benchmarks, matching
from bench.roofline import Roofline
from bench.table import Table

_PROGRAM = "python -m bench"
_RESULTS = ROOT / "bench" / "results"
_QUICK = Effort(repeats=5, sample_seconds=0.005, builds=1)


def parse_arguments(arguments: Sequence[str]) -> argparse.Namespace:
    """Parse the command line."""
    usual = Effort()
    parser = argparse.ArgumentParser(
        prog=_PROGRAM, description="Compares Weft with the other OpenCL platforms for CPUs of this machine."
    )
    add = parser.add_argument
    add("only", nargs="*", metavar="PATTERN", help="benchmarks, as launch or 'stream/*add*'; default: all")
    add("--family", action="append", default=[], help="a family, as rodinia; may be repeated")
    add("--case", action="append", default=[], help="a case of any family, as bfs; may be repeated")
    add("--quick", action="store_true", help="few and short samples: shows that all is right, not how quick")
    add("--platforms", metavar="NAMES", help="the platforms to run, as weft,pocl; default: all")
    add("--installed", action="store_true", help="compare with all platforms that the OpenCL loader lists")
    add("--repeats", type=int, help=f"samples of each ({usual.repeats})")
    add("--seconds", type=float, help=f"length of a sample ({usual.sample_seconds})")
    add("--builds", type=int, help=f"builds of each program ({usual.builds})")
    add("--cores", type=int, default=0, help="use only so many cores; default: all")
    add("--cpu", action="store_true", help="compare processor time, for machines that do other work too")
    add("--spirv", action="store_true", help="compare programs from SPIR-V with those from OpenCL C")
    add("--compare", type=Path, metavar="FILE", help="show what has changed since this record")
    add("--results", type=Path, default=_RESULTS, help="folder for the record and the chart (bench/results)")
    add("--list", action="store_true", help="list the benchmarks and stop")
    return parser.parse_args(arguments)


def main(arguments: Sequence[str]) -> int:
    """Run the benchmarks; return 1 if Weft failed in one of them."""
    options = parse_arguments(arguments)
    if options.list:
        print("\n".join(all_benchmarks()))
        return 0
    benchmarks = matching(options.only, options.family, options.case)
    if not benchmarks:
        request = " ".join([*options.only, *options.family, *options.case])
        sys.exit(f"{_PROGRAM}: no benchmark matches {request}; --list shows them")
    earlier = record.best_times(options.compare) if options.compare else None
    installed = installed_platforms() if options.installed else find_platforms()
    platforms = choose_platforms(installed, options.platforms)
    clock = Clock.CPU if options.cpu else Clock.WALL
    effort = effort_of(options)
    with tempfile.TemporaryDirectory(prefix="weft-bench-") as scratch:
        if options.spirv:
            return compare_spirv(Driver(spirv.both_ways(platforms), Path(scratch), effort), benchmarks, clock)
        driver = Driver(platforms, Path(scratch), effort)
        roofline = Roofline(Path(scratch), effort.cores, cpu=options.cpu)
        try:
            outcomes = compare(driver, benchmarks, clock, roofline)
        finally:
            driver.stop()
    if earlier is not None:
        print(f"\n{record.comparison(earlier, outcomes)}")
    path = options.results / time.strftime("%Y-%m-%d-%H%M%S.json")
    content = record.document(outcomes, effort, clock, driver.identities)
    record.write(path, content)
    page = path.with_suffix(".html")
    page.write_text(chart.page(outcomes, content["machine"]["processor"], driver.identities))
    print(f"\nwritten: {path} and {page.name}")
    return int(any(outcome.results[BASE].error for outcome in outcomes if BASE in outcome.results))


def compare_spirv(driver: Driver, benchmarks: Sequence[Benchmark], clock: Clock) -> int:
    """Show the cost of SPIR-V; return the exit status."""
    try:
        return int(spirv.compare(driver, benchmarks, clock) > 0)
    finally:
        driver.stop()


def effort_of(options: argparse.Namespace) -> Effort:
    """Return the samples, builds and cores that the options request."""
    effort = replace(_QUICK if options.quick else Effort(), cores=options.cores)
    if options.repeats is not None:
        effort = replace(effort, repeats=options.repeats)
    if options.seconds is not None:
        effort = replace(effort, sample_seconds=options.seconds)
    if options.builds is not None:
        effort = replace(effort, builds=options.builds)
    return effort


def choose_platforms(installed: Sequence[Platform], names: str | None) -> list[Platform]:
    """Return the platforms to compare; exit with a message if a named one does not exist."""
    by_name = {platform.name: platform for platform in installed}
    if names is None:
        return list(by_name.values())
    missing = [name for name in names.split(",") if name not in by_name]
    if missing:
        sys.exit(f"{_PROGRAM}: not installed: {', '.join(missing)}; found: {', '.join(by_name) or 'none'}")
    return [by_name[name] for name in names.split(",")]


def compare(
    driver: Driver, benchmarks: Sequence[Benchmark], clock: Clock, roofline: Roofline
) -> list[Outcome]:
    """Run the benchmarks in sequence, show each outcome at once and return all."""
    names = [platform.name for platform in driver.platforms]
    table = Table(benchmarks, names)
    progress = Progress(len(benchmarks), driver.steps() * len(benchmarks))
    outcomes = []
    print(f"{record.processor_name()}; {', '.join(names)}; {clock.value} time")
    print(table.header(), flush=True)
    for benchmark in benchmarks:
        progress.begin(benchmark.name)
        results = driver.run(benchmark, progress.step, partial(roofline.look, benchmark))
        best = clock.best(results.get(BASE))
        limited = best is not None and roofline.limits(benchmark, best)
        share = roofline.share(benchmark, best) if best is not None else None
        same = roofline.share_of_transposition(benchmark, best) if best is not None else None
        note = NOTES.get(benchmark.name, "")
        outcomes.append(Outcome(benchmark, results, clock, limited, note, share, same))
        progress.clear()
        print(table.line(outcomes[-1]), flush=True)
        for name, result in results.items():
            if result.error:
                print(f"  {name}: {result.error}", flush=True)
    if table.peers:
        print(table.footer(outcomes))
    if phases := table.phases(outcomes):
        print(phases)
    return outcomes
