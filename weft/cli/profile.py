"""`weft profile`: runs a program and shows how the divergent loops of its kernels ran."""

import argparse
import json
import os
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

from weft.dataclasses import asdict
from weft.errors import WeftError
from weft.profile import MODES, KernelProfile, LoopProfile, load


class NotStarted(WeftError):
    """The program to be profiled cannot be run."""


def run(arguments: Sequence[str]) -> int:
    """Run the command; return the exit status of the program."""
    parser = argparse.ArgumentParser(
        prog="weft profile",
        description="Runs an OpenCL program and shows how the divergent loops of its kernels ran: the share "
        "of iterations in each mode, and the strategies that were tried.",
        epilog="example: weft profile python examples/mandelbrot.py",
    )
    parser.add_argument("--json", metavar="FILE", help="write all counters as JSON")
    parser.add_argument(
        "program", nargs=argparse.REMAINDER, metavar="PROGRAM", help="the program and its arguments"
    )
    parsed = parser.parse_args(arguments)
    program = parsed.program[1:] if parsed.program[:1] == ["--"] else parsed.program
    if not program:
        parser.error("no program given")
    with tempfile.TemporaryDirectory(prefix="weft-profile-") as folder:
        path = Path(folder) / "profile"
        path.touch()
        environment = os.environ | {"WEFT_PROFILE": "1", "WEFT_PROFILE_FILE": str(path)}
        try:
            status = subprocess.run(program, env=environment, check=False).returncode
        except OSError as error:
            raise NotStarted(f"{program[0]}: {error.strerror}") from error
        kernels = load(path)
    if parsed.json:
        Path(parsed.json).write_text(json.dumps([asdict(kernel) for kernel in kernels], indent=2) + "\n")
    print(text_of(kernels))
    return status


def text_of(kernels: Sequence[KernelProfile]) -> str:
    """Return the tables of all kernels."""
    shown = [_kernel(kernel) for kernel in kernels]
    return "\n\n".join(shown) if shown else "no kernel has a divergent loop"


def _kernel(kernel: KernelProfile) -> str:
    lines = [f"kernel {kernel.kernel}"]
    counted = [loop for loop in kernel.loops if not loop.trials]
    if counted:
        titles = "".join(f"{mode:>11}" for mode in MODES)
        lines.append(f"  {'line':>6}  {'loop':<24}{'iterations':>14}{titles}{'lanes used':>12}")
        lines += [_loop(loop) for loop in counted]
    lines += [_choice(loop) for loop in kernel.loops if loop.trials]
    return "\n".join(lines)


def _loop(loop: LoopProfile) -> str:
    shares = "".join(f"{_percent(loop.iterations[mode], loop.total):>11}" for mode in MODES)
    used = "-" if loop.used_lanes is None else f"{100 * loop.used_lanes:.0f} %"
    line = str(loop.line) if loop.line else "-"
    return f"  {line:>6}  {loop.name:<24}{loop.total:>14,}{shares}{used:>12}"


def _choice(loop: LoopProfile) -> str:
    trials = []
    for trial in loop.trials:
        cycles = trial.cycles_per_item
        trials.append(f"{trial.strategy} {'not measured' if cycles is None else f'{cycles:.0f}'}")
    chosen = f"selected {loop.chosen}" if loop.chosen else "trial in progress"
    where = f"line {loop.line}, " if loop.line else ""
    return f"  {where}{loop.name}: {chosen}; cycles per work-item: {', '.join(trials)}"


def _percent(part: int, whole: int) -> str:
    return f"{100 * part / whole:.0f} %" if whole else "-"
