"""The kernel tests and random kernels on each device, and a table of what passed.

    python tests/kernels/targets_run.py                     the devices that qemu runs, and ttasim
    python tests/kernels/targets_run.py --devices all       all devices of this machine
    python tests/kernels/targets_run.py --devices riscv64 --kernels 0

Each kernel of tests/kernels is launched as its file says. The interpreter runs it first, and must do what the
file's reference says; the buffers of each device are compared with those of the interpreter. So are random
kernels (tests/fuzz). The machine that `ttasim` simulates lacks what some kernels need; these are counted
apart and must be those that tests/tta/refused.json names, and no random kernels run on it. A device's row is
printed when its kernel tests are done, the table of all at the end; random kernels, the same for all, run in
a process beside. A run that was ended goes on with `--devices` and the rest.
"""

import argparse
import copy
import json
import os
import re
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

os.environ.setdefault("WEFT_TIERS", "0")  # devices run optimized code

from kernel_case import KernelCase, all_cases
from kernel_ways import PROGRAMS, WAYS

from weft.device.base import devices
from weft.device.emulated import server_program
from weft.device.emulators import EMULATORS
from weft.tta.errors import Refused

FUZZ = Path(__file__).parent.parent / "fuzz" / "fuzz_run.py"
RANDOM_KERNELS = 200
SIMULATED = "ttasim"
# What the simulated machine lacks for a kernel.
LACKING: dict[str, str] = json.loads((Path(__file__).parent.parent / "tta" / "refused.json").read_text())[
    "table2-math"
]
SMALLER_GROUPS = "has no work-groups of different sizes"
TITLES = ("device", "kernel tests", "passed", "lacking", "failed", "random kernels")
_FAILURE = re.compile(r"\w+: ([\w-]+): ")  # of tests/fuzz, with the device
LONG = 10.0  # seconds: a kernel that takes longer is named


@dataclass
class Results:
    """What became of a device's kernels."""

    passed: int = 0
    lacking: int = 0
    failed: list[str] = field(default_factory=list)
    random: str = "-"
    unexpected: list[str] = field(default_factory=list)
    """Kernels that were refused for another reason than tests/tta/refused.json has."""

    def fail(self, kind: str, name: str, error: Exception) -> None:
        """A kernel did not do what it should."""
        lines = [line for line in str(error).splitlines() if line]
        self.failed.append(f"{name}: {type(error).__name__}: {lines[0] if lines else ''}")
        print(f"{kind}: {self.failed[-1]}", flush=True)

    def row(self, kind: str, cases: int) -> str:
        """The device's row of the table."""
        counts = self.passed, self.lacking, len(self.failed)
        return f"| {' | '.join(map(str, (f'`{kind}`', cases, *counts, self.random)))} |"


def prepare(kinds: Sequence[str]) -> None:
    """Have the devices' servers in the cache: compiling one takes minutes, which is no kernel's time."""
    for kind in kinds:
        begin = time.monotonic()
        server_program(kind)
        if (took := time.monotonic() - begin) > LONG:
            print(f"{kind}: its server took {took:.0f} s to compile", flush=True)


def interpreted(cases: Sequence[KernelCase]) -> dict[str, dict[str, Any]]:
    """The buffers that the interpreter leaves of each case's first launch, by name; as references say."""
    made: dict[str, dict[str, Any]] = {}
    start = time.monotonic()
    for number, case in enumerate(cases, 1):
        launch = case.launches[0]
        arguments = case.make_arguments(launch)
        expected = copy.deepcopy(arguments)
        case.apply_reference(launch, expected)
        made[case.name] = WAYS["interpreter"](case, launch, arguments)
        case.compare(expected, made[case.name])
        PROGRAMS.clear()
        _tell("interpreter", number, len(cases), start)
    return made


def run_case(case: KernelCase, kind: str, expected: dict[str, Any], results: Results) -> None:
    """Runs the first launch of a case on a device."""
    launch = case.launches[0]
    try:
        case.compare(expected, WAYS[kind](case, launch, case.make_arguments(launch)))
        results.passed += 1
    except Refused as error:
        results.lacking += 1
        print(f"{kind}: {case.name}: {error}", flush=True)
        lacking = SMALLER_GROUPS if launch.non_uniform else LACKING.get(case.name, "nothing")
        if kind != SIMULATED or lacking not in str(error):
            results.unexpected.append(case.name)
    except Exception as error:
        results.fail(kind, case.name, error)
    finally:
        PROGRAMS.clear()


def run_cases(kind: str, cases: Sequence[KernelCase], expected: dict[str, dict[str, Any]]) -> Results:
    """Runs all cases on a device, with a line for each that does not pass or takes long."""
    results, start = Results(), time.monotonic()
    for number, case in enumerate(cases, 1):
        begin = time.monotonic()
        run_case(case, kind, expected[case.name], results)
        if (took := time.monotonic() - begin) > LONG:
            print(f"{kind}: {case.name} took {took:.0f} s", flush=True)
        _tell(kind, number, len(cases), start)
    return results


def _tell(kind: str, number: int, of: int, start: float) -> None:
    """A line for every fifty kernels."""
    if number % 50 == 0 or number == of:
        print(f"{kind}: {number} of {of} kernel tests, {time.monotonic() - start:.0f} s", flush=True)


class RandomKernels:
    """The same random kernels on all these devices, in a process beside this one."""

    def __init__(self, kinds: Sequence[str], kernels: int, seed: int) -> None:
        self._kinds, self._kernels = kinds, kernels
        self._wrong: set[str] = set()
        command = [sys.executable, str(FUZZ), "--kernels", str(kernels), "--ways", ",".join(kinds)]
        command += ["--seed", str(seed), "--jobs", "1"]
        self._process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        self._reader = threading.Thread(target=self._read)
        self._reader.start()

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            print(line, end="", flush=True)
            if (found := _FAILURE.match(line)) is not None:
                self._wrong.add(found[1])

    def wait(self) -> dict[str, str]:
        """For each device how many ran, or that some were wrong."""
        self._reader.join()
        if self._process.wait() == 0:
            return dict.fromkeys(self._kinds, str(self._kernels))
        # A batch ends with its first failure.
        unknown = f"not all of {self._kernels} run"
        return {kind: "some wrong" if kind in self._wrong else unknown for kind in self._kinds}


def main() -> int:
    """The command line; 1 if something failed."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    usual = ",".join((*EMULATORS, SIMULATED))
    parser.add_argument("--devices", default=usual, help="names with commas, or all")
    parser.add_argument("--only", default="", metavar="TEXT", help="kernel tests whose name contains this")
    parser.add_argument("--kernels", type=int, default=RANDOM_KERNELS, help="random kernels for each device")
    parser.add_argument("--seed", type=int, default=20, help="of the random kernels")
    options = parser.parse_args()
    there = [device.kind for device in devices()]
    wanted = there if options.devices == "all" else options.devices.split(",")
    cases = [case for case in all_cases() if case.error is None and options.only in case.name]
    if unknown := set(wanted) - {"basic", "pthread", "isolated", SIMULATED, *EMULATORS}:
        parser.error(f"no such device: {', '.join(sorted(unknown))}")
    prepare([kind for kind in wanted if kind in there and kind in EMULATORS])
    expected = interpreted(cases)
    by_random = [kind for kind in wanted if kind in there and kind != SIMULATED]
    random = (
        RandomKernels(by_random, options.kernels, options.seed) if options.kernels and by_random else None
    )
    found: dict[str, Results] = {}
    for kind in wanted:
        if kind not in there:
            reason = f"{EMULATORS[kind]} is not installed" if kind in EMULATORS else "not on this machine"
            print(f"{kind}: left out: {reason}", flush=True)
            continue
        found[kind] = run_cases(kind, cases, expected)
        print(found[kind].row(kind, len(cases)), flush=True)
    for kind, text in (random.wait() if random else {}).items():
        found[kind].random = text
    print(f"\n| {' | '.join(TITLES)} |\n|---{'|---:' * (len(TITLES) - 1)}|")
    for kind, results in found.items():
        print(results.row(kind, len(cases)))
    right = ("-", str(options.kernels))
    for kind, results in found.items():
        for name in results.unexpected:
            print(f"{kind}: {name}: tests/tta/refused.json does not have this refusal")
    return int(any(r.failed or r.unexpected or r.random not in right for r in found.values()))


if __name__ == "__main__":
    sys.exit(main())
