"""Counts instructions and first-level cache misses of kernels with valgrind, which is deterministic.

As a program it counts kernels one at a time, under the settings of its environment:

    python -m bench.divergence.counting FOLDER NAME...

and writes a line of JSON for each. The study starts it once per strategy for divergent loops.
"""

import json
import re
import shutil
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from bench.divergence.children import lines_of
from bench.divergence.native import compile_runner, write_case
from bench.divergence.subjects import by_name

# Valgrind supports AVX2 but nothing newer.
LEVEL = "x86-64-v3"
# Size, ways and line of the simulated first-level data cache, independent of the host.
CACHE = "32768,8,64"
# Under valgrind a kernel runs twice and the second run counts, with warm caches. Times under valgrind cannot
# determine the fastest strategy, so TRIES runs without valgrind precede.
ROUNDS = 2
TRIES = 20
_COLLECTED = re.compile(r"^==\d+== Collected : ([\d ]+)$", re.MULTILINE)
_EVENTS = ("Ir", "Dr", "Dw", "I1mr", "D1mr", "D1mw")


class NotCounted(Exception):
    """A kernel could not be run under valgrind."""


@dataclass(frozen=True)
class Counts:
    """The counts of the second run of a kernel."""

    instructions: int
    reads: int
    writes: int
    read_misses: int
    write_misses: int

    @property
    def misses(self) -> int:
        """All misses of the first-level data cache."""
        return self.read_misses + self.write_misses


def available() -> bool:
    """Return whether valgrind is installed."""
    return shutil.which("valgrind") is not None


def count(runner: Path, folder: Path, name: str) -> Counts:
    """Compile a kernel under the settings of this process, run it under valgrind and check its result."""
    native = write_case(by_name(name).small_case(), folder)
    native.run(runner, TRIES)
    valgrind = ["valgrind", "--tool=callgrind", "--cache-sim=yes", f"--D1={CACHE}", "--collect-atstart=no"]
    valgrind += ["--toggle-collect=counted_group", f"--callgrind-out-file={folder / 'callgrind'}"]
    collected = _COLLECTED.search(native.run(runner, ROUNDS, valgrind))
    if collected is None:
        raise NotCounted(f"{name}: valgrind told no counts")
    events = dict(zip(_EVENTS, map(int, collected.group(1).split()), strict=False))
    return Counts(events["Ir"], events["Dr"], events["Dw"], events["D1mr"], events["D1mw"])


def count_strategy(
    strategy: str, names: Sequence[str], scratch: Path, step: Callable[[str], None]
) -> dict[str, Counts]:
    """Count kernels with a strategy for divergent loops; `step` gets the name of each kernel that is done."""
    settings = {"WEFT_DIVERGENT": strategy, "WEFT_CPU": LEVEL, "WEFT_CACHE": "0", "WEFT_TIERS": "0"}
    counts = {}
    for entry in lines_of("bench.divergence.counting", settings, str(scratch / f"counts-{strategy}"), *names):
        name = entry.pop("name")
        counts[name] = Counts(**entry)
        step(name)
    return counts


def main(arguments: Sequence[str]) -> None:
    """Count the given kernels."""
    folder, *names = arguments
    runner = compile_runner(Path(folder))
    for name in names:
        counts = count(runner, Path(folder) / name, name)
        print(json.dumps({"name": name, **asdict(counts)}), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
