"""Measure the compile time of proofs about addresses: `python -m bench.proof_cost`.

Every kernel of the benchmarks, for its local sizes, is compiled with and without proofs in turn, and the
minimum processor time of each counts: passes, LLVM, and the code generator's process. Prints a line for each
kernel that gets a variant or is among the most expensive, then the median and the worst.
"""

import argparse
import resource
import statistics
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar

import numpy as np

from bench.case import CASES
from bench.registry import all_benchmarks
from weft import ir
from weft.compiler.build_program import compile_program
from weft.compiler.compile_work_group import compile_work_group
from weft.frontend.options import parse_options
from weft.kernel import CodeOptions, KernelCode, LocalSize
from weft.launch_form import LaunchForm
from weft.trace import Trace
from weft.transform.simd.outcome import Outcome

T = TypeVar("T")
MEDIAN_MS, WORST_MS = 5.0, 60.0
SHOWN = 10


@dataclass(frozen=True)
class Cost:
    """Milliseconds for a kernel without and with proofs, and the conditions of its variants."""

    name: str
    without: float
    proved: float
    conditions: tuple[str, ...]

    @property
    def added(self) -> float:
        return self.proved - self.without


class _Watch(Trace):
    """Records the results of the vectorizer."""

    outcomes: tuple[Outcome, ...] = ()

    def run(self, name: str, module: ir.Module, change: Callable[[], T]) -> T:
        result = super().run(name, module, change)
        if name == "vectorize-work-items":
            self.outcomes = tuple(result)  # type: ignore[arg-type]
        return result


def _seconds() -> float:
    """Return the processor time of this process and its children: those that have ended, and the running
    clang."""
    usages = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(u.ru_utime + u.ru_stime for u in usages) + sum(map(_on_processor, _children()))


def _children() -> list[str]:
    return [n for task in Path("/proc/self/task").iterdir() for n in (task / "children").read_text().split()]


def _on_processor(process: str) -> float:
    try:
        return int(Path(f"/proc/{process}/schedstat").read_text().split()[0]) * 1e-9
    except FileNotFoundError:
        return 0.0  # it has just ended, and is included in the usage of ended children


def kernels(pattern: str) -> Iterator[tuple[str, KernelCode, CodeOptions, LocalSize]]:
    """Yield each kernel of the benchmarks with each of its local sizes."""
    all_benchmarks()
    for name, maker in CASES.items():
        if pattern not in name:
            continue
        case = maker.quick(np.random.default_rng(1))
        options = parse_options(case.options)
        codes = {k.info.name: k for k in compile_program(case.source, options).kernels}
        sizes = dict.fromkeys((launch.kernel, launch.local_size or (64,)) for launch in case.launches)
        for kernel, size in sizes:
            x, y, z = (*size, *(1,) * (3 - len(size)))
            yield f"{name} {kernel} {x},{y},{z}", codes[kernel], CodeOptions.of(options), (x, y, z)


def cost(name: str, kernel: KernelCode, options: CodeOptions, size: LocalSize, repeats: int) -> Cost:
    """Compile a kernel with and without proofs, in turn."""
    best = {False: float("inf"), True: float("inf")}
    conditions: tuple[str, ...] = ()
    for _ in range(repeats):
        for proofs in best:
            watch = _Watch(kernel.info.name, None, "", None)
            start = _seconds()
            compile_work_group(kernel, replace(options, proofs=proofs), LaunchForm(size), trace=watch)
            best[proofs] = min(best[proofs], (_seconds() - start) * 1e3)
            conditions = tuple(o.condition for o in watch.outcomes if o.condition)
    return Cost(name, best[False], best[True], conditions)


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table; return 1 if proofs are too expensive."""
    parser = argparse.ArgumentParser(prog="python -m bench.proof_cost", description=__doc__)
    parser.add_argument("pattern", nargs="?", default="", help="part of the names of the benchmarks")
    parser.add_argument("--repeats", type=int, default=5, help="compilations of each kind, of which the best")
    options = parser.parse_args(arguments)
    costs = []
    for described in kernels(options.pattern):
        costs.append(cost(*described, options.repeats))
        print(f"\r{len(costs)} kernels", end="", file=sys.stderr)
    print(file=sys.stderr)
    ordered = sorted(costs, key=lambda c: c.added, reverse=True)
    print(f"{'kernel':60} {'without':>9} {'with':>9} {'added':>9}  variants")
    for place, one in enumerate(ordered):
        if place < SHOWN or one.conditions:
            variants = "; ".join(one.conditions)
            print(f"{one.name:60} {one.without:9.1f} {one.proved:9.1f} {one.added:9.2f}  {variants}")
    added = [c.added for c in costs]
    median, worst = statistics.median(added), max(added)
    print(f"{len(costs)} kernels: median {median:.2f} ms more, worst {worst:.2f} ms")
    return int(median > MEDIAN_MS or worst > WORST_MS)


if __name__ == "__main__":
    sys.exit(main())
