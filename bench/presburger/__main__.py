"""`python -m bench.presburger`: decides the paper's problems and times its kernels."""

import argparse
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from bench.platforms import ROOT
from bench.presburger import page, study
from bench.presburger.problems import PROBLEMS, WIDTHS
from bench.presburger.running import KERNELS, WAYS
from bench.presburger.solving import (
    ALONE,
    CLASS,
    ELIMINATED,
    PLAIN,
    ask_z3,
    decide_all,
    own_tally,
    sampled,
)
from bench.presburger.study import Study
from bench.progress import Progress
from bench.record import processor_name
from bench.side_by_side import Timing, add_page_options
from weft.errors import WeftError
from weft.smt.studies.z3_solver import is_available, version

RECORD = ROOT / "bench" / "results" / "presburger.json"


def parse_arguments(arguments: Sequence[str]) -> argparse.Namespace:
    """Parse the command line."""
    parser = argparse.ArgumentParser(
        prog="python -m bench.presburger",
        description="Decides the paper's problem sets, times its kernels and writes docs/presburger.md.",
    )
    add = parser.add_argument
    add("--sample", type=int, default=40, help="inputs that Z3 decides as it is, 0 for none (40)")
    add("--eliminated", type=int, default=100, help="inputs that it decides with modulo elimination (100)")
    add("--limit", type=float, default=10.0, help="seconds for one call of Z3 (10)")
    add("--repeats", type=int, default=40, help="samples of each run time, 0 for none (40)")
    add("--seconds", type=float, default=0.02, help="length of a sample (0.02)")
    add_page_options(parser, RECORD)
    return parser.parse_args(arguments)


def main(arguments: Sequence[str]) -> int:
    """Run the study; return 1 if a goal is not met."""
    options = parse_arguments(arguments)
    try:
        results = study.load(options.earlier) if options.earlier else measure(options)
    except (WeftError, OSError) as error:
        print(f"bench.presburger: {error}", file=sys.stderr)
        return 1
    if not options.earlier:
        study.save(results, options.record)
    print(f"written: {page.write(results, options.docs)}")
    verdicts = results.verdicts()
    for what, value, ok in verdicts:
        print(f"{'met' if ok else 'short':>6}  {what}: {value}")
    for kernel, times in results.times.items():
        for name, reason in times.errors.items():
            print(f"failed  {kernel}, {name}: {reason}")
    return int(not all(ok for _, _, ok in verdicts))


def measure(options: argparse.Namespace) -> Study:
    """Decide, then time."""
    results = Study(processor_name())
    if options.repeats:
        time_kernels(results, options)
    solve(results, options)
    return results


def solve(results: Study, options: argparse.Namespace) -> None:
    """Run all methods on all problem sets and widths."""
    samples_of = {PLAIN: options.sample, ELIMINATED: options.eliminated} if is_available() else {}
    results.z3, results.limit_ms = version() if samples_of else "", int(1000 * options.limit)
    samples = {(p.name, way): sampled(p, count) for p in PROBLEMS for way, count in samples_of.items()}
    progress = Progress(len(PROBLEMS) * len(WIDTHS), len(WIDTHS) * sum(map(len, samples.values())))
    for problem in PROBLEMS:
        widths = results.tallies.setdefault(problem.name, {})
        for width in WIDTHS:
            progress.begin(f"{problem.name}, {width} lanes")
            together, alone = (decide_all(problem, width, by_class) for by_class in (True, False))
            widths[width] = {CLASS: own_tally(together), ALONE: own_tally(alone)}
            for way in samples_of:
                inputs = samples[problem.name, way]
                if inputs:
                    widths[width][way] = ask_z3(
                        problem, width, inputs, way == ELIMINATED, results.limit_ms, together, progress.step
                    )
    progress.clear()


def time_kernels(results: Study, options: argparse.Namespace) -> None:
    """Measure the run times of table 6."""
    with tempfile.TemporaryDirectory(prefix="weft-presburger-") as scratch:
        timing = Timing(WAYS, Path(scratch), options.repeats, options.seconds)
        progress = Progress(len(KERNELS), len(KERNELS) * timing.steps())
        try:
            for kernel in KERNELS:
                progress.begin(kernel)
                results.times[kernel] = timing.time(kernel, progress.step)
            results.versions = timing.versions
        finally:
            timing.stop()
            progress.clear()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
