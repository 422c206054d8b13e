"""`python -m bench.divergence`: times ten kernels with every strategy, and writes docs/divergence.md."""

import argparse
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from bench.divergence import counting, findings, page
from bench.divergence.children import ChildFailed
from bench.divergence.findings import Finding, Study
from bench.divergence.rates import rate_strategy
from bench.divergence.subjects import STRATEGIES, SUBJECTS, Subject, strategy_settings
from bench.platforms import ROOT
from bench.progress import Progress
from bench.record import processor_name
from bench.side_by_side import Timing, add_page_options
from weft.errors import WeftError

RECORD = ROOT / "bench" / "results" / "divergence.json"


def parse_arguments(arguments: Sequence[str]) -> argparse.Namespace:
    """Parse the command line."""
    parser = argparse.ArgumentParser(
        prog="python -m bench.divergence",
        description="Compares the strategies for divergent loops, and writes docs/divergence.md.",
    )
    names = [subject.name for subject in SUBJECTS]
    add = parser.add_argument
    add("only", nargs="*", metavar="KERNEL", help=f"kernels; default: all ({', '.join(names)})")
    add(
        "--strategies",
        default=",".join(STRATEGIES),
        help=f"strategies for divergent loops ({','.join(STRATEGIES)})",
    )
    add("--rounds", type=int, default=3, help="how often all is timed, in new processes each time (3)")
    add("--repeats", type=int, default=15, help="samples of each time in a round (15)")
    add("--seconds", type=float, default=0.02, help="length of a sample (0.02)")
    add("--no-counts", action="store_true", help="do not count instructions and misses")
    add("--counts-of", type=Path, metavar="FILE", help="only time, and take the counts of a record")
    add_page_options(parser, RECORD)
    options = parser.parse_args(arguments)
    unknown = [name for name in options.only if name not in names]
    unknown += [strategy for strategy in options.strategies.split(",") if strategy not in STRATEGIES]
    if unknown:
        parser.error(f"not known: {', '.join(unknown)}")
    return options


def main(arguments: Sequence[str]) -> int:
    """Run the study; return 1 if a strategy failed or a goal is not met."""
    options = parse_arguments(arguments)
    try:
        study = findings.load(options.earlier) if options.earlier else measure(options)
    except (WeftError, ChildFailed, OSError) as error:
        print(f"bench.divergence: {error}", file=sys.stderr)
        return 1
    if not options.earlier:
        findings.save(study, options.record)
    print(f"written: {page.write(study, options.docs)}")
    for what, finding, ok in study.verdicts():
        print(f"{'met' if ok else 'short':>6}  {what}: {finding}")
    failed = [(name, *e) for name, f in study.findings.items() for e in f.times.errors.items()]
    for name, strategy, reason in failed:
        print(f"failed  {name}, {strategy}: {reason}")
    return int(bool(failed) or not all(ok for _, _, ok in study.verdicts()))


def measure(options: argparse.Namespace) -> Study:
    """Measure times, then counts."""
    strategies = options.strategies.split(",")
    subjects = [s for s in SUBJECTS if not options.only or s.name in options.only]
    study = Study(processor_name(), {}, {subject.name: Finding() for subject in subjects})
    with tempfile.TemporaryDirectory(prefix="weft-divergence-") as scratch:
        folder = Path(scratch)
        # The placement of buffers in memory is random, so several processes are measured.
        for _ in range(options.rounds):
            timing = Timing(strategy_settings(strategies), folder, options.repeats, options.seconds)
            try:
                time_all(timing, study, subjects)
            finally:
                timing.stop()
            study.versions = {n: v for n, v in timing.versions.items() if n not in strategies}
        if options.counts_of:
            study.take_counts(findings.load(options.counts_of))
        if options.no_counts or options.counts_of:
            return study
        rate_all(study, strategies, subjects, folder)
        if not counting.available():
            print("valgrind is not installed: nothing is counted", file=sys.stderr)
            return study
        count_all(study, strategies, subjects, folder)
    return study


def time_all(timing: Timing, study: Study, subjects: Sequence[Subject]) -> None:
    """Time every kernel with every strategy and on every peer."""
    progress = Progress(len(subjects), timing.steps() * len(subjects))
    for subject in subjects:
        progress.begin(subject.name)
        times = timing.time(subject.benchmark, progress.step)
        study.findings[subject.name].times.improve(times)
        progress.clear()
        cells = [f"{name} {1e3 * seconds:.2f}" for name, seconds in times.seconds.items()]
        print(f"{subject.name:<15} ms: {'  '.join(cells)}", flush=True)


def rate_all(study: Study, strategies: Sequence[str], subjects: Sequence[Subject], folder: Path) -> None:
    """Count the iterations of every kernel's divergent loops with every strategy."""
    progress = Progress(len(strategies), len(strategies) * len(subjects))
    for strategy in strategies:
        progress.begin(f"iterations, {strategy}")
        names = [subject.name for subject in subjects]
        for name, rates in rate_strategy(strategy, names, folder, lambda _: progress.step()).items():
            study.findings[name].rates[strategy] = rates
    progress.clear()


def count_all(study: Study, strategies: Sequence[str], subjects: Sequence[Subject], folder: Path) -> None:
    """Count the instructions of every kernel with every strategy."""
    progress = Progress(len(strategies), len(strategies) * len(subjects))
    for strategy in strategies:
        progress.begin(f"instructions, {strategy}")
        names = [subject.name for subject in subjects]
        for name, counts in counting.count_strategy(
            strategy, names, folder, lambda _: progress.step()
        ).items():
            study.findings[name].counts[strategy] = counts
    progress.clear()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
