"""The kernel tests and random kernels on each device, and a table of what passed.

    python tests/kernels/targets_run.py                     the devices that qemu runs
    python tests/kernels/targets_run.py --devices all       all devices of this machine
    python tests/kernels/targets_run.py --devices riscv64 --kernels 0

Each kernel of tests/kernels is launched as its file says, and its buffers are compared with the file's
reference. Random kernels are compared with the interpreter (tests/fuzz).
"""

import argparse
import copy
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

os.environ.setdefault("WEFT_TIERS", "0")  # devices run optimized code

from kernel_case import KernelCase, all_cases
from kernel_ways import PROGRAMS, WAYS

from weft.device.base import devices
from weft.device.emulators import EMULATORS

FUZZ = Path(__file__).parent.parent / "fuzz" / "fuzz_run.py"
RANDOM_KERNELS = 200


@dataclass
class Results:
    """What became of a device's kernels."""

    passed: int = 0
    failed: list[str] = field(default_factory=list)
    random: str = "-"


def run_case(case: KernelCase, kind: str) -> str | None:
    """Runs the first launch of a case on a device; what is wrong."""
    launch = case.launches[0]
    arguments = case.make_arguments(launch)
    expected = copy.deepcopy(arguments)
    case.apply_reference(launch, expected)
    try:
        case.compare(expected, WAYS[kind](case, launch, arguments))
    except Exception as error:
        return f"{case.name}: {type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}"
    finally:
        PROGRAMS.clear()
    return None


def run_cases(kind: str, cases: Sequence[KernelCase]) -> Results:
    """Runs all cases on a device, with a line for each that fails and for every fifty."""
    results, start = Results(), time.monotonic()
    for number, case in enumerate(cases, 1):
        wrong = run_case(case, kind)
        if wrong is None:
            results.passed += 1
        else:
            results.failed.append(wrong)
            print(f"{kind}: {wrong}", flush=True)
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
    parser.add_argument("--devices", default=",".join(EMULATORS), help="names with commas, or all")
    parser.add_argument("--kernels", type=int, default=RANDOM_KERNELS, help="random kernels for each device")
    parser.add_argument("--seed", type=int, default=20, help="of the random kernels")
    options = parser.parse_args()
    there = [device.kind for device in devices()]
    wanted = there if options.devices == "all" else options.devices.split(",")
    cases = [case for case in all_cases() if case.error is None]
    found: dict[str, Results] = {}
    for kind in wanted:
        if kind not in there:
            reason = f"{EMULATORS[kind]} is not installed" if kind in EMULATORS else "there is no such device"
            print(f"{kind}: left out: {reason}", flush=True)
            continue
        found[kind] = run_cases(kind, cases)
        if options.kernels:
            found[kind].random = run_random(kind, options.kernels, options.seed)
    print("\n| device | kernel tests | passed | failed | random kernels |\n|---|---:|---:|---:|---:|")
    for kind, results in found.items():
        row = (f"`{kind}`", len(cases), results.passed, len(results.failed), results.random)
        print(f"| {' | '.join(map(str, row))} |")
    return int(any(results.failed or "wrong" in results.random for results in found.values()))


if __name__ == "__main__":
    sys.exit(main())
