"""Runs a built tree of Khronos' OpenCL-CTS on Weft and writes the table of docs/conformance.md.

    python tools/run_cts.py /path/to/build            every suite that the page lists
    python tools/run_cts.py /path/to/build basic api  some suites
    python tools/run_cts.py /path/to/build basic:hostptr,sizeof --show
    python tools/run_cts.py /path/to/build "images fill" --words CL_DEPTH

Every sub-test runs in a separate process, so that a crash or hang affects only that sub-test. Programs that
do not accept names of sub-tests run once, for all of them. SUITES lists the programs and their arguments.
Results are stored in a file next to the build, so that suites can be run individually; the table in the page
is created from all of them (--write). What failing sub-tests said is kept in the folder weft-failed.
"""

import argparse
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from weft.icd.register import register

PAGE = Path(__file__).parent.parent / "docs" / "conformance.md"
BEGIN, END = "<!-- results begin -->", "<!-- results end -->"


@dataclass(frozen=True)
class Suite:
    """One program of the tree: its name in the table, its path, and the arguments that shorten it.

    `long` are sub-tests that would still take hours, and `fewer` the arguments that shorten those. A program
    that is run `whole` takes no names of sub-tests: it ignores or misinterprets them.
    """

    name: str
    program: str
    words: tuple[str, ...] = ()
    long: frozenset[str] = frozenset()
    fewer: tuple[str, ...] = ()
    whole: bool = False

    def words_of(self, test: str) -> tuple[str, ...]:
        """Return the arguments for a sub-test."""
        return self.words + (self.fewer if test in self.long else ())


def _plain(*names: str) -> list[Suite]:
    return [Suite(name, f"{name}/test_{name}") for name in names]


def _images(**programs: str) -> list[Suite]:
    return [
        Suite(f"images {name}", f"images/{folder}", ("small_images",))
        for name, folder in ((n.replace("_", " "), p) for n, p in programs.items())
    ]


EXTENSIONS = {
    "command_buffer": "cl_khr_command_buffer/test_cl_khr_command_buffer",
    "mutable_dispatch": (
        "cl_khr_command_buffer/cl_khr_command_buffer_mutable_dispatch/test_cl_khr_mutable_dispatch"
    ),
    "kernel_clock": "cl_khr_kernel_clock/test_cl_khr_kernel_clock",
    "cxx_for_opencl": "cl_ext_cxx_for_opencl/test_cl_ext_cxx_for_opencl",
}

SUITES = {
    suite.name: suite
    for suite in (
        *_plain("basic", "api", "buffers", "events", "compiler", "computeinfo", "profiling", "atomics"),
        *_plain("printf", "device_partition", "mem_host_flags", "relationals", "device_timer", "c11_atomics"),
        *_plain("workgroups", "subgroups", "generic_address_space", "commonfns", "geometrics"),
        # It drops its first argument. Then it runs everything if none is left, but nothing if there was none.
        Suite(
            "non_uniform_work_group",
            "non_uniform_work_group/test_non_uniform_work_group",
            ("everything",),
            whole=True,
        ),
        Suite("multiple_device_context", "multiple_device_context/test_multiples"),
        Suite("SVM", "SVM/test_svm"),
        Suite("allocations", "allocations/test_allocations", ("single", "5%")),
        Suite("thread_dimensions", "thread_dimensions/test_thread_dimensions", ("-w",)),
        Suite("vectors", "vectors/test_vectors", ("-w",)),
        Suite("select", "select/test_select", ("-w",)),
        Suite("half", "half/test_half", ("-w",)),
        Suite("math_brute_force", "math_brute_force/test_bruteforce", ("-w",)),
        Suite("math_brute_force in full", "math_brute_force/test_bruteforce"),
        Suite("conversions", "conversions/test_conversions", ("-w",), whole=True),
        Suite("integer_ops", "integer_ops/test_integer_ops", ("-w",)),
        Suite("contractions", "contractions/test_contractions"),
        *_plain("pipes", "spirv_new"),
        *(Suite(name, f"extensions/{program}") for name, program in EXTENSIONS.items()),
        *_images(
            copy="clCopyImage/test_cl_copy_images",
            fill="clFillImage/test_cl_fill_images",
            info="clGetInfo/test_cl_get_info",
            read_write="clReadWriteImage/test_cl_read_write_images",
            samplerless="samplerlessReads/test_samplerless_reads",
        ),
        *(
            Suite(
                f"images {name}",
                f"images/{program}",
                ("small_images",),
                long=frozenset(("2Darray", "3D")),
                fewer=("CL_RGBA",),
            )
            for name, program in (
                ("kernel methods", "kernel_image_methods/test_kernel_image_methods"),
                ("kernel read write", "kernel_read_write/test_image_streams"),
            )
        ),
    )
}


# Passed in part: the sub-test passed, and reported that it skipped something.
GOOD = ("passed", "passed in part", "skipped")
STATUSES = (*GOOD, "failed", "crashed", "timed out")


@dataclass
class Outcome:
    """The result of a sub-test, one of STATUSES, and the end of its output."""

    status: str
    seconds: float
    output: str = ""


@cache
def vendors() -> tempfile.TemporaryDirectory[str]:
    """Return a folder of drivers that contains Weft, a form of OCL_ICD_VENDORS that all loaders support."""
    folder = tempfile.TemporaryDirectory(prefix="weft-vendors-")
    register(Path(folder.name))
    return folder


def environment() -> dict[str, str]:
    """Return an environment in which the loader sees only Weft; programs of a suite use the default
    device."""
    return {**os.environ, "OCL_ICD_VENDORS": vendors().name, "CL_DEVICE_TYPE": "default"}


def sub_tests(program: Path) -> list[str]:
    """Return the names of a program's sub-tests."""
    listed = subprocess.run(
        [program, "--list"], capture_output=True, text=True, env=environment(), timeout=60, check=False
    ).stdout
    return [line.strip() for line in listed.splitlines() if re.fullmatch(r"\t\w+", line)]


def run(program: Path, names: list[str], arguments: list[str], limit: float) -> list[Outcome]:
    """Run a program once, for one sub-test or several; end all processes that it started."""
    started = time.monotonic()
    with tempfile.TemporaryFile("w+", errors="replace") as output:
        process = subprocess.Popen(
            [program, *arguments],
            stdout=output,
            stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL,
            cwd=program.parent,
            env=environment(),
            start_new_session=True,
        )
        try:
            code: int | None = process.wait(limit)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            code = None
        output.seek(0)
        text = output.read()
    seconds = time.monotonic() - started
    own, results = parts(names, text), statuses(names, code, text)
    return [Outcome(results[name], seconds, own[name][-4000:]) for name in names]


def parts(names: list[str], output: str) -> dict[str, str]:
    """Return the output of each sub-test: all of it, or, of several, from the preceding result to its own.

    Output after the last result belongs to all sub-tests without a result.
    """
    if len(names) == 1:
        return {names[0]: output}
    own, start = {}, 0
    for result in re.finditer(rf"\b({'|'.join(names)}) (?:passed|FAILED)\b.*\n?", output):
        own[result[1]] = output[start : result.end()]
        start = result.end()
    return {name: own.get(name, output[start:]) for name in names}


def statuses(names: list[str], code: int | None, output: str) -> dict[str, str]:
    """Return the results of sub-tests, from the exit code and the output of their program.

    The exit code applies to sub-tests without a result in the output; to the last one if all have a result.
    """
    results = {name: result_of(name, text) for name, text in parts(names, output).items()}
    without = [name for name, result in results.items() if result is None]
    ended = "skipped"
    if code is None:
        ended = "timed out"
    elif code < 0:
        ended = "crashed"
    elif code > 0 and "failed" not in results.values():
        ended = "failed"
    about = without if without or ended == "skipped" else names[-1:]
    return {name: ended if name in about or not result else result for name, result in results.items()}


def result_of(name: str, output: str) -> str | None:
    """Return the result in the output of a sub-test; None if it ends without a result."""
    # Some programs leave an unfinished progress line before the result.
    if re.search(rf"\b{name} FAILED|^FAILED|\bERROR:", output, re.MULTILINE):
        return "failed"
    if not re.search(rf"\b{name} passed\b", output):
        return None
    return "passed in part" if re.search(r"\bskipp(?:ing|ed)\b", output, re.IGNORECASE) else "passed"


def run_all(
    root: Path, chosen: list[tuple[Suite, list[str]]], limit: float, jobs: int, show: bool
) -> Iterator[tuple[Suite, str, Outcome]]:
    """Run the sub-tests of the suites, `jobs` at a time, with a progress line."""
    tasks: list[tuple[Suite, Path, list[str], list[str]]] = []
    for suite, only in chosen:
        program = root / "test_conformance" / suite.program
        names = only or sub_tests(program)
        if suite.whole:
            tasks.append((suite, program, names, [*suite.words]))
        else:
            tasks += [(suite, program, [name], [name, *suite.words_of(name)]) for name in names]
    total = sum(len(names) for _, _, names, _ in tasks)
    counts: Counter[str] = Counter()
    vendors()  # or several threads would each create the folder, and delete all but one
    with ThreadPoolExecutor(jobs) as pool:
        running = {
            pool.submit(run, program, names, arguments, limit): (suite, names)
            for suite, program, names, arguments in tasks
        }
        ended = ((*running[done], done.result()) for done in as_completed(running))
        each = ((s, *pair) for s, names, outcomes in ended for pair in zip(names, outcomes, strict=True))
        for number, (suite, name, outcome) in enumerate(each, 1):
            counts[outcome.status] += 1
            if outcome.status not in GOOD:
                print(f"\r{suite.name}:{name} {outcome.status} after {outcome.seconds:.0f} s", flush=True)
            if show:
                print(outcome.output)
            line = f"[{number}/{total}] {dict(counts)} {suite.name}:{name}"
            print(f"\r{line:<100.100}", end="", flush=True, file=sys.stderr)
            yield suite, name, outcome
    print(file=sys.stderr)


def table(kept: dict[str, dict[str, list[object]]]) -> str:
    """Return the page's table of all suites that were run, and every sub-test that did not pass."""
    rows = ["| suite | passed | skipped | failed | other |", "|---|---|---|---|---|"]
    not_passed = []
    # Runs with additional words follow their suite.
    listed = [name for suite in SUITES for name in kept if name.partition(" CL_")[0] == suite]
    for name in listed:
        counts = Counter(str(status) for status, _ in kept[name].values())
        other = counts["crashed"] + counts["timed out"]
        part = counts["passed in part"]
        passed = f"{counts['passed'] + part}" + (f" ({part} in part)" if part else "")
        rows.append(f"| {name} | {passed} | {counts['skipped']} | {counts['failed']} | {other} |")
        bad = [f"{n} ({s})" for n, (s, _) in kept[name].items() if s not in GOOD]
        skipped = [n for n, (s, _) in kept[name].items() if s == "skipped"]
        if bad:
            not_passed.append(f"- **{name}**, not passed: {', '.join(bad)}")
        if skipped:
            not_passed.append(f"- {name}, skipped: {', '.join(skipped)}")
    return "\n".join([*rows, "", *not_passed])


def write_page(kept: dict[str, dict[str, list[object]]]) -> None:
    """Write the table between the two marks of the page."""
    text = PAGE.read_text()
    head, _, tail = text.partition(BEGIN)
    PAGE.write_text(f"{head}{BEGIN}\n{table(kept)}\n{END}{tail.partition(END)[2]}")


def main() -> int:
    """Run the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("build", type=Path, help="the folder in which the suite was built with CMake")
    parser.add_argument("suites", nargs="*", help="suites, or suite:sub-test,sub-test; all by default")
    parser.add_argument("--limit", type=float, default=300, help="seconds a sub-test may take")
    parser.add_argument("--jobs", type=int, default=1, help="how many sub-tests run at the same time")
    parser.add_argument(
        "--words",
        default="",
        help="words for all sub-tests, such as CL_DEPTH; a row of their own in the table",
    )
    parser.add_argument("--show", action="store_true", help="print what every sub-test says")
    parser.add_argument("--write", action="store_true", help=f"write the table of {PAGE.name}")
    options = parser.parse_intermixed_args()
    chosen = []
    for word in options.suites or list(SUITES):
        name, _, parts = word.partition(":")
        if name not in SUITES:
            parser.error(f"no suite {name!r}; there are {', '.join(SUITES)}")
        suite = SUITES[name]
        if options.words:
            words = options.words.split()
            suite = replace(suite, name=f"{name} {options.words}", words=(*suite.words, *words), fewer=())
        chosen.append((suite, [part for part in parts.split(",") if part]))
    build = options.build.resolve()
    record = build / "weft-results.json"
    kept: dict[str, dict[str, list[object]]] = {}
    fresh = {suite.name for suite, only in chosen if not only}
    failed = False
    for suite, name, outcome in run_all(build, chosen, options.limit, options.jobs, options.show):
        # Read the file again each time: another run may write its own suites.
        kept = json.loads(record.read_text()) if record.exists() else {}
        if suite.name in fresh:
            fresh.remove(suite.name)
            kept.pop(suite.name, None)
        kept.setdefault(suite.name, {})[name] = [outcome.status, round(outcome.seconds, 1)]
        if outcome.status not in GOOD:
            failed = True
            kept_output = build / "weft-failed" / f"{suite.name}-{name}.txt"
            kept_output.parent.mkdir(exist_ok=True)
            kept_output.write_text(outcome.output)
        fresh_record = record.with_suffix(f".{os.getpid()}")
        fresh_record.write_text(json.dumps(kept))
        fresh_record.replace(record)
    if options.write:
        write_page(kept)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
