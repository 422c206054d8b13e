"""Runs built OpenCL programs on Weft and on other platforms; compares their results and times.

    python -m tools.run_suites suite.json                      # every program, three times on each platform
    python -m tools.run_suites suite.json gemm fft --times 5   # some programs
    python -m tools.run_suites suite.json --record runs.jsonl --table

The description of a suite is a JSON file next to the built programs:

    {"suite": "name and version",
     "programs": [{"name": "gemm",
                   "folder": "linear-algebra/gemm",            # relative to the file; the working directory
                   "command": ["./gemm", "-n", "512"],
                   "kernel": "kernel time: ([0-9.]+)",         # the first group is a time; several are added
                   "unit": 1e-3,                               # of that time, in seconds (default: 1)
                   "rate": "GFLOPS: ([0-9.]+)",                # instead of "kernel": work per second
                   "passes": "0 errors",                       # must be in the output
                   "fails": "FAILED",                          # must not be in the output
                   "same": "checksum: (.*)",                   # must be as on the other platforms
                   "files": ["out.txt"],                       # written by the program; likewise
                   "tolerance": 1e-4}]}                        # relative, of numbers that are compared

Each round runs a program once on each platform, in turn, so that other load affects all alike. Weft runs
twice in a round: `cold` with an empty cache, `warm` with all code in the cache, optimized. The best round
counts.
"""

import argparse
import json
import math
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bench.platforms import Platform, find_platforms, intel_platform
from bench.registry import Caches

COLD, WARM = "weft cold", "weft warm"

_NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")


@dataclass(frozen=True)
class Program:
    """A program of a suite, and how its output is parsed."""

    suite: str
    name: str
    folder: Path
    command: tuple[str, ...]
    kernel: str | None = None
    unit: float = 1.0
    rate: str | None = None
    passes: str | None = None
    fails: str | None = None
    same: str | None = None
    files: tuple[str, ...] = ()
    tolerance: float = 1e-4


@dataclass(frozen=True)
class Run:
    """A run of a program: platform, times, and the error in its result, if any."""

    program: str
    platform: str
    total: float
    kernel: float | None
    wrong: str | None
    compared: list[str] = field(default_factory=list, repr=False)


def read_suite(path: Path) -> list[Program]:
    """Return the programs that a description lists."""
    described = json.loads(path.read_text())
    programs = []
    for entry in described["programs"]:
        entry = dict(entry)
        folder = path.resolve().parent / entry.pop("folder", ".")
        command, files = tuple(entry.pop("command")), tuple(entry.pop("files", ()))
        programs.append(Program(described["suite"], folder=folder, command=command, files=files, **entry))
    return programs


def kernel_time(program: Program, output: str) -> float | None:
    """Return the sum of reported times in seconds, or the geometric mean of the reciprocals of reported
    rates."""
    if program.rate:
        rates = [rate for rate in map(_number, re.findall(program.rate, output)) if rate and rate > 0]
        return geometric_mean([1 / rate for rate in rates]) if rates else None
    if program.kernel is None:
        return None
    times = [float(text) for text in re.findall(program.kernel, output)]
    return sum(times) * program.unit if times else None


def _number(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def what_is_wrong(program: Program, status: int, output: str) -> str | None:
    """Return the error that the program itself reports, or None."""
    if status:
        return f"exit status {status}"
    if program.fails and (match := re.search(program.fails, output)):
        return f"says {match.group()!r}"
    if program.passes and not re.search(program.passes, output):
        return f"does not say {program.passes!r}"
    return None


def close(one: str, other: str, tolerance: float) -> bool:
    """Return whether two texts are equal up to small differences of their numbers."""
    if one == other:
        return True
    if _NUMBER.sub("#", one) != _NUMBER.sub("#", other):
        return False
    numbers = [[float(word) for word in _NUMBER.findall(text)] for text in (one, other)]
    largest = max((abs(number) for number in numbers[0] if math.isfinite(number)), default=0.0)
    return all(
        math.isclose(a, b, rel_tol=tolerance, abs_tol=tolerance * 1e-3 * largest)
        for a, b in zip(*numbers, strict=True)
    )


def _compared(program: Program, output: str) -> list[str]:
    texts = ["\n".join(map(str, re.findall(program.same, output)))] if program.same else []
    for name in program.files:
        file = program.folder / name
        texts.append(file.read_text(errors="replace") if file.exists() else "")
        file.unlink(missing_ok=True)
    return texts


def run(program: Program, platform: str, environment: dict[str, str], seconds: float) -> Run:
    """Run a program once."""
    for name in program.files:
        (program.folder / name).unlink(missing_ok=True)
    began = time.perf_counter()
    try:
        ended = subprocess.run(
            program.command,
            cwd=program.folder,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL,
            timeout=seconds,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return Run(program.name, platform, seconds, None, "takes too long")
    total = time.perf_counter() - began
    output = ended.stdout.decode(errors="replace")
    wrong = what_is_wrong(program, ended.returncode, output)
    compared = _compared(program, output)
    return Run(program.name, platform, total, kernel_time(program, output), wrong, compared)


def rounds(
    program: Program, platforms: Sequence[Platform], times: int, seconds: float, scratch: Path
) -> Iterator[Run]:
    """Run a program on each platform in turn, `times` times."""
    reference: list[str] | None = None
    ways = [way for platform in platforms for way in _ways(program, platform, seconds, scratch)]
    for _ in range(times):
        for name, environment in ways:
            if name == COLD:
                shutil.rmtree(environment["WEFT_CACHE_DIR"], ignore_errors=True)
            done = run(program, name, environment, seconds)
            if reference is None and done.wrong is None:
                reference = done.compared
            elif done.wrong is None and not _same(program, reference or [], done.compared):
                done = Run(done.program, done.platform, done.total, done.kernel, "differs")
            yield done


def _ways(
    program: Program, platform: Platform, seconds: float, scratch: Path
) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield the environments in which a program runs on a platform, with their names in the tables."""
    environment = platform.environment(scratch, Caches.ON)
    if platform.name != "weft":
        yield platform.name, environment
        return
    cold, warm = (str(scratch / f"cache-{way}") for way in ("cold", "warm"))
    run(program, WARM, environment | {"WEFT_CACHE_DIR": warm, "WEFT_TIERS": "0"}, seconds)
    yield COLD, environment | {"WEFT_CACHE_DIR": cold}
    yield WARM, environment | {"WEFT_CACHE_DIR": warm}


def _same(program: Program, reference: Sequence[str], outputs: Sequence[str]) -> bool:
    return all(close(a, b, program.tolerance) for a, b in zip(reference, outputs, strict=True))


def best(runs: Iterable[Run]) -> dict[tuple[str, str], Run]:
    """Return the best times of each program and platform, and the first error."""
    runs_by_key: dict[tuple[str, str], Run] = {}
    for each in runs:
        key = each.program, each.platform
        before = runs_by_key.get(key, each)
        kernels = [time for time in (before.kernel, each.kernel) if time is not None]
        runs_by_key[key] = Run(
            *key, min(before.total, each.total), min(kernels, default=None), before.wrong or each.wrong
        )
    return runs_by_key


def geometric_mean(ratios: Sequence[float]) -> float:
    """Return the geometric mean of some ratios."""
    return math.exp(sum(map(math.log, ratios)) / len(ratios))


def table(runs: Iterable[Run], base: str = "intel") -> str:
    """Return a Markdown table: times of the base, ratios of the others to it, geometric means; below 1 is
    faster."""
    runs_by_key = best(runs)
    programs = list(dict.fromkeys(program for program, _ in runs_by_key))
    platforms = [name for name in dict.fromkeys(name for _, name in runs_by_key) if name != base]
    heads = [f"{base} kernel", f"{base} total"]
    heads += [f"{platform} {what}" for platform in platforms for what in ("kernel", "total")]
    lines = ["| program | " + " | ".join(heads) + " |", "|---" + "|--:" * len(heads) + "|"]
    means: dict[str, list[float]] = {head: [] for head in heads}
    for program in programs:
        cells = []
        reference = runs_by_key.get((program, base))
        for what in ("kernel", "total"):
            seconds = getattr(reference, what) if reference else None
            cells.append(reference.wrong if reference and reference.wrong else _milliseconds(seconds))
        for platform in platforms:
            one = runs_by_key.get((program, platform))
            for what in ("kernel", "total"):
                if one is None or one.wrong:
                    cells.append(one.wrong if one and one.wrong else "")
                    continue
                top, bottom = getattr(one, what), getattr(reference, what) if reference else None
                if not top or not bottom or (reference and reference.wrong):
                    cells.append(_milliseconds(top))
                    continue
                means[f"{platform} {what}"].append(top / bottom)
                cells.append(f"{top / bottom:.2f}")
        lines.append(f"| {program} | " + " | ".join(cells) + " |")
    last = [f"**{geometric_mean(means[head]):.2f}**" if means[head] else "" for head in heads]
    lines.append("| geometric mean | " + " | ".join(last) + " |")
    return "\n".join(lines)


def _milliseconds(seconds: float | None) -> str:
    if seconds is None:
        return ""
    return f"{seconds * 1e3:.{1 if seconds < 0.1 else 0}f} ms"


def _recorded(path: Path) -> list[Run]:
    return [Run(**json.loads(line)) for line in path.read_text().splitlines()] if path.exists() else []


def _as_record(run: Run) -> dict[str, Any]:
    return {name: getattr(run, name) for name in ("program", "platform", "total", "kernel", "wrong")}


def main(arguments: Sequence[str]) -> int:
    """Run the programs and print a table; return 1 if a result on Weft was wrong."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("suite", type=Path, help="description of the programs")
    parser.add_argument("programs", nargs="*", help="names of programs (default: all)")
    parser.add_argument("--platforms", nargs="+", default=None, help="default: all of weft, intel, pocl")
    parser.add_argument("--intel", type=Path, help="libintelocl.so (default: as `make bench` installs it)")
    parser.add_argument("--times", type=int, default=3, help="rounds (default: 3)")
    parser.add_argument("--seconds", type=float, default=120.0, help="for one run (default: 120)")
    parser.add_argument("--record", type=Path, help="append the runs to this file, one JSON object a line")
    parser.add_argument("--table", action="store_true", help="run nothing, print the table of the record")
    options = parser.parse_args(arguments)
    if options.table:
        if options.record is None:
            parser.error("--table needs --record")
        print(table(_recorded(options.record)))
        return 0
    platforms = find_platforms()
    if options.intel:
        platforms = [p for p in platforms if p.name != "intel"] + [intel_platform(options.intel.resolve())]
    if options.platforms:
        platforms = [platform for platform in platforms if platform.name in options.platforms]
    # the results of other platforms are the reference
    platforms.sort(key=lambda platform: platform.name == "weft")
    programs = [p for p in read_suite(options.suite) if not options.programs or p.name in options.programs]
    runs: list[Run] = []
    with tempfile.TemporaryDirectory() as scratch:
        for program in programs:
            for done in rounds(program, platforms, options.times, options.seconds, Path(scratch)):
                runs.append(done)
                kernel = "" if done.kernel is None else f"kernel {_milliseconds(done.kernel)}"
                text = f"{done.program:24} {done.platform:10} {_milliseconds(done.total):>10}  {kernel}"
                print(text, done.wrong or "", f"load {os.getloadavg()[0]:.1f}", file=sys.stderr, flush=True)
                if options.record:
                    with options.record.open("a") as file:
                        file.write(json.dumps(_as_record(done)) + "\n")
    print(table(runs))
    return int(any(done.wrong for done in runs if done.platform.startswith("weft")))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
