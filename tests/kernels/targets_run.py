"""The kernel tests and random kernels on each device, and a table of what passed.

    python tests/kernels/targets_run.py                     the devices that qemu runs, and ttasim
    python tests/kernels/targets_run.py --devices all       all devices of this machine
    python tests/kernels/targets_run.py --devices riscv64 --kernels 0

Each kernel of tests/kernels is launched as its file says, and its buffers are compared with the file's
reference. Random kernels are compared with the interpreter (tests/fuzz). The machine that `ttasim` simulates
lacks what some kernels need; these, and launches of many work-items, are counted apart, and no random kernels
run on it.
"""

import argparse
import copy
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from math import prod
from pathlib import Path

os.environ.setdefault("WEFT_TIERS", "0")  # devices run optimized code

from emulator_faults import EMULATOR_FAULTS
from kernel_case import KernelCase, all_cases
from kernel_ways import PROGRAMS, WAYS

from weft.device.base import devices
from weft.device.emulators import EMULATORS
from weft.tta.errors import Refused

FUZZ = Path(__file__).parent.parent / "fuzz" / "fuzz_run.py"
RANDOM_KERNELS = 200
SIMULATED, MOST_SIMULATED = "ttasim", 1024  # work-items


@dataclass
class Results:
    """What became of a device's kernels."""

    passed: int = 0
    lacking: int = 0
    too_large: int = 0
    failed: list[str] = field(default_factory=list)
    random: str = "-"


def run_case(case: KernelCase, kind: str, results: Results) -> None:
    """Runs the first launch of a case on a device."""
    launch = case.launches[0]
    if kind == SIMULATED and prod(launch.global_size) > MOST_SIMULATED:
        results.too_large += 1
        return
    if (kind, case.name) in EMULATOR_FAULTS:
        results.lacking += 1
        print(f"{kind}: {case.name}: {EMULATOR_FAULTS[kind, case.name]}", flush=True)
        return
    arguments = case.make_arguments(launch)
    expected = copy.deepcopy(arguments)
    case.apply_reference(launch, expected)
    try:
        case.compare(expected, WAYS[kind](case, launch, arguments))
        results.passed += 1
    except Refused as error:
        results.lacking += 1
        print(f"{kind}: {case.name}: {error}", flush=True)
    except Exception as error:
        wrong = f"{case.name}: {type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}"
        results.failed.append(wrong)
        print(f"{kind}: {wrong}", flush=True)
    finally:
        PROGRAMS.clear()


def run_cases(kind: str, cases: Sequence[KernelCase]) -> Results:
    """Runs all cases on a device, with a line for each that does not pass and for every fifty."""
    results, start = Results(), time.monotonic()
    for number, case in enumerate(cases, 1):
        run_case(case, kind, results)
        if number % 50 == 0 or number == len(cases):
            seconds = time.monotonic() - start
            print(f"{kind}: {number} of {len(cases)} kernel tests, {seconds:.0f} s", flush=True)
    return results


def run_random(kind: str, kernels: int, seed: int) -> str:
    """Runs random kernels on a device; how many, and whether some were wrong."""
    command = [sys.executable, str(FUZZ), "--kernels", str(kernels), "--ways", kind, "--seed", str(seed)]
    done = subprocess.run([*command, "--jobs", "1"], check=False)
    return f"{kernels}" if done.returncode == 0 else f"{kernels}, some wrong"


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
    found: dict[str, Results] = {}
    for kind in wanted:
        if kind not in there:
            reason = f"{EMULATORS[kind]} is not installed" if kind in EMULATORS else "there is no such device"
            print(f"{kind}: left out: {reason}", flush=True)
            continue
        found[kind] = run_cases(kind, cases)
        if options.kernels and kind != SIMULATED:
            found[kind].random = run_random(kind, options.kernels, options.seed)
    titles = ("device", "kernel tests", "passed", "lacking", "too large", "failed", "random kernels")
    print(f"\n| {' | '.join(titles)} |\n|---{'|---:' * (len(titles) - 1)}|")
    for kind, results in found.items():
        counts = results.passed, results.lacking, results.too_large, len(results.failed)
        print(f"| {' | '.join(map(str, (f'`{kind}`', len(cases), *counts, results.random)))} |")
    return int(any(results.failed or "wrong" in results.random for results in found.values()))


if __name__ == "__main__":
    sys.exit(main())
