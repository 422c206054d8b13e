"""Compares the code that two checkouts of Weft pass to LLVM, for many kernels and launch forms.

    python -m tools.compare_code record FOLDER      in the checkout to compare with
    python -m tools.compare_code compare FOLDER     in the checkout with the change

A change of the compiler that should not change code, such as a refactoring, is correct if nothing differs.
`record` takes the kernels of tests/kernels and of the benchmarks, and random kernels from a seed, runs the
pipeline on each for several launch forms, and stores the IR that is passed to LLVM. The folder also contains
the kernels, so `compare` compiles the same ones even if the tests have changed. Names of values and blocks
are ignored. Run it with the Python of each checkout's own environment.

The exit status of `compare` is 0 if all code is the same, 1 if some differs, and 2 if there is no record.
"""

import argparse
import difflib
import gzip
import importlib
import json
import re
import sys
import time
import traceback
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from weft import ir
from weft.codegen.host import host_target
from weft.compiler.build_program import compile_program
from weft.compiler.compilation_unit import CompilationUnit
from weft.compiler.pipeline import run_pipeline
from weft.errors import WeftError
from weft.frontend.options import parse_options
from weft.kernel import CodeOptions, KernelCode, LocalSize
from weft.launch_form import LaunchForm
from weft.trace import Trace

TESTS = Path(__file__).resolve().parent.parent / "tests"
CASES = "cases.json.gz"
# A value, or the label of a block.
_NAME = re.compile(r'%(?:"[^"]*"|[\w.$-]+)|^(?:"[^"]*"|[\w.$-]+):', re.MULTILINE)
_TYPES = ("%struct", "%union")
_FUNCTION = re.compile(r"^(?=define )", re.MULTILINE)
# Maximum number of lines of a difference that are shown.
_SHOWN_LINES = 60


@dataclass(frozen=True)
class Case:
    """A program, and the local size of a launch of its kernels; None leaves it open."""

    name: str
    source: str
    options: str
    local_size: LocalSize | None


def main(arguments: list[str] | None = None) -> int:
    """Run the program and return its exit status."""
    options = _parser().parse_args(arguments)
    kept = options.folder / CASES
    if options.command == "record":
        cases = [case for case in all_cases(options.random, options.seed) if options.only in case.name]
        _write(kept, json.dumps([asdict(case) for case in cases]))
        return record(cases, options.folder)
    if not kept.exists():
        print(f"{options.folder} has no record: run `record` in the other checkout", file=sys.stderr)
        return 2
    cases = [case for case in read_cases(kept) if options.only in case.name]
    return compare(cases, options.folder, options.show)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m tools.compare_code",
        description="Compares the code that two checkouts of Weft hand to LLVM.",
        epilog="Record in one checkout, compare in the other, each with its own environment's Python.",
    )
    commands = parser.add_subparsers(dest="command", required=True)
    kept = commands.add_parser("record", help="keep the code that this checkout makes")
    compared = commands.add_parser("compare", help="name the code that this checkout makes differently")
    for command, meaning in ((kept, "where to keep it"), (compared, "a record")):
        command.add_argument("folder", type=Path, help=meaning)
        command.add_argument("--only", default="", metavar="TEXT", help="kernels whose name contains this")
    kept.add_argument(
        "--random", type=int, default=60, metavar="N", help="random kernels; default: %(default)s"
    )
    kept.add_argument("--seed", type=int, default=1, help="of the random kernels; default: %(default)s")
    compared.add_argument(
        "--show", type=int, default=1, metavar="N", help="differences to print; default: %(default)s"
    )
    return parser


# ---- kernels


def all_cases(randoms: int, seed: int) -> Iterator[Case]:
    """Yield the kernels of the tests and of the benchmarks, then random ones."""
    for case in _test_module("kernels", "kernel_case").all_cases():
        if case.error is None:
            launch = case.launches[0]
            yield Case(f"kernels/{case.name}", case.source, case.options, launch.triple(launch.local_size))
    yield from _bench_cases()
    if randoms:
        yield from _random_cases(randoms, seed)


def _test_module(folder: str, module: str) -> Any:
    """Import a module of the tests, which are not a package."""
    path = str(TESTS / folder)
    if path not in sys.path:
        sys.path.append(path)
    return importlib.import_module(module)


def _bench_cases() -> Iterator[Case]:
    import numpy as np

    from bench.case import CASES as makers
    from bench.registry import all_benchmarks

    all_benchmarks()  # registers them
    for name, maker in makers.items():
        case = maker.quick(np.random.default_rng(1))
        size = case.launches[0].local_size
        x, y, z, *_ = *(size or ()), 1, 1, 1
        yield Case(f"bench/{name}", case.source, case.options, (x, y, z) if size else None)


def _random_cases(count: int, number: int) -> Iterator[Case]:
    from hypothesis import given, seed

    fuzzing = _test_module("fuzz", "fuzz_worker").fuzzing
    kernel_cases = _test_module("fuzz", "fuzz_kernel").kernel_cases
    cases: list[Any] = []

    @seed(number)
    @fuzzing(count, repeatable=False)
    @given(case=kernel_cases())
    def collect(case: Any) -> None:
        cases.append(case)

    collect()
    for index, case in enumerate(cases):
        launch = case.launches[0]
        name = f"random/{number}-{index}"
        yield Case(name, case.source, case.options, launch.triple(launch.local_size))


# ---- code


def forms(kernel: KernelCode, case: Case) -> Iterator[tuple[str, CodeOptions, LaunchForm]]:
    """Yield the forms in which a kernel is compiled, with a name each."""
    options, size = CodeOptions.of(parse_options(case.options)), case.local_size
    if size is not None:
        yield "sized", options, LaunchForm(size)
    yield "any", options, LaunchForm(None)
    yield "any-wide-noalias", options, LaunchForm(None, id_bits=64, noalias=True)
    yield "baseline", options.baseline_tier(), LaunchForm(size)
    yield "simd-8", replace(options, method="simd", lanes=8), LaunchForm(size)
    yield "horizontal", replace(options, method="horizontal"), LaunchForm(size)
    yield "dvec", replace(options, method="simd", lanes=4, divergent="dvec"), LaunchForm(size)
    if kernel.traits.shares_nothing and options.level > 0:
        form_size = size if kernel.traits.queries_group else None
        yield "tile-row", options, LaunchForm(form_size, tile=(None, 1, 1))
        yield "tile-box", options, LaunchForm(form_size, tile=(None, None, 1))


def code_of(kernel: KernelCode, options: CodeOptions, form: LaunchForm) -> str:
    """Return the code for a form without names, with facts for the runtime; or the error of the
    compilation."""
    try:
        unit = CompilationUnit.of_kernel(kernel, options, form, host_target())
        run_pipeline(unit, Trace(kernel.info.name, None, "", None))
    except WeftError as error:
        return f"refused: {error}\n"
    except Exception as error:  # the error is compared like code
        return "".join(traceback.format_exception_only(error))
    assert unit.layout is not None
    sizes = unit.layout.item_bytes, unit.layout.group_bytes
    facts = sizes, unit.loops, unit.requires_noalias, unit.block
    module = ir.print_module(unit.module)
    return "\n".join([f"; {facts}", *map(without_names, (module, *unit.functions))])


def without_names(text: str) -> str:
    """Replace the names of values and blocks by numbers, in order within each function."""
    return "".join(map(_numbered, _FUNCTION.split(text)))


def _numbered(function: str) -> str:
    numbers: dict[str, int] = {}

    def number(match: re.Match[str]) -> str:
        word = match[0]
        if word.startswith(_TYPES):
            return word
        label = word.endswith(":")
        key = word[:-1] if label else word[1:]
        index = numbers.setdefault(key, len(numbers))
        return f"b{index}:" if label else f"%{index}"

    return _NAME.sub(number, function)


def codes(case: Case) -> Iterator[tuple[str, str]]:
    """Yield the code of the kernels of a program in all forms, by name."""
    try:
        kernels = compile_program(case.source, parse_options(case.options)).kernels
    except WeftError as error:
        yield f"{case.name}/build", f"refused: {error}\n"
        return
    for kernel in kernels:
        for name, options, form in forms(kernel, case):
            yield f"{case.name}/{kernel.info.name}/{name}", code_of(kernel, options, form)


# ---- records


def read_cases(path: Path) -> Iterator[Case]:
    """Yield the programs of a record."""
    for name, source, options, size in (fields.values() for fields in json.loads(_read(path))):
        yield Case(name, source, options, tuple(size) if size is not None else None)


def record(cases: list[Case], folder: Path) -> int:
    """Store the code of all cases in a folder."""
    progress = Progress(len(cases))
    count = 0
    for case in cases:
        for name, code in codes(case):
            _write(_path(folder, name), code)
            count += 1
        progress.step(case.name)
    print(f"{count} forms of {len(cases)} programs kept in {folder}")
    return 0


def compare(cases: list[Case], folder: Path, show: int) -> int:
    """Compare the code of cases with a record, and print the differences."""
    progress = Progress(len(cases))
    same, different, new = 0, 0, 0
    for case in cases:
        for name, code in codes(case):
            path = _path(folder, name)
            if not path.exists():
                new += 1
            elif (old := _read(path)) == code:
                same += 1
            else:
                different += 1
                progress.clear()
                print(f"different: {name}", flush=True)
                if different <= show:
                    print("\n".join(_difference(old, code)))
        progress.step(case.name)
    print(f"{same} same, {different} different" + (f", {new} without a record" if new else ""))
    return int(different > 0)


def _difference(old: str, new: str) -> list[str]:
    lines = difflib.unified_diff(old.split("\n"), new.split("\n"), "recorded", "now", lineterm="")
    return list(lines)[:_SHOWN_LINES]


def _path(folder: Path, name: str) -> Path:
    return folder / f"{re.sub(r'[^-/.0-9A-Za-z]', '_', name)}.ll.gz"


def _read(path: Path) -> str:
    return gzip.decompress(path.read_bytes()).decode()


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(gzip.compress(text.encode(), 1))


class Progress:
    """Shows the progress: one line that changes on a terminal, otherwise a line for every tenth."""

    def __init__(self, total: int) -> None:
        self._total, self._done, self._start = total, 0, time.monotonic()
        self._terminal = sys.stderr.isatty()

    def step(self, name: str) -> None:
        """Count one more case."""
        self._done += 1
        line = f"{self._done:>4} of {self._total}  {time.monotonic() - self._start:5.0f} s  {name}"
        if self._terminal:
            print(
                f"\r\033[K{line}", end="\n" if self._done == self._total else "", file=sys.stderr, flush=True
            )
        elif self._done * 10 // self._total > (self._done - 1) * 10 // self._total:
            print(line, file=sys.stderr, flush=True)

    def clear(self) -> None:
        """Clear the progress line."""
        if self._terminal:
            print("\r\033[K", end="", file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
