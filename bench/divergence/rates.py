"""Modes of the iterations of divergent loops: Fig. 6.2 of the thesis.

As a program it counts kernels one at a time, under the settings of its environment:

    python -m bench.divergence.rates FOLDER NAME...

and writes a line of JSON for each. The study starts it once per strategy for divergent loops.
"""

import json
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from bench.divergence.children import lines_of
from bench.divergence.native import compile_runner, write_case
from bench.divergence.subjects import by_name
from weft.profile import MODES, KernelProfile


@dataclass(frozen=True)
class Rates:
    """Iterations of work-items in each mode, summed over all divergent loops of a benchmark.

    `lanes` are those of masked iterations, active or not.
    """

    full: int = 0
    sub_group: int = 0
    masked: int = 0
    serial: int = 0
    lanes: int = 0

    def shares(self) -> dict[str, float]:
        """Return the modes' shares of all iterations."""
        counts = dict(zip(MODES, (self.full, self.sub_group, self.masked, self.serial), strict=True))
        total = sum(counts.values())
        return {mode: count / total if total else 0.0 for mode, count in counts.items()}

    def used_lanes(self) -> float | None:
        """Return the share of active lanes in masked iterations; None if there were none."""
        return self.masked / self.lanes if self.lanes else None


def rates_of(profiles: Sequence[KernelProfile]) -> Rates:
    """Sum the profiles of all loops of a benchmark."""
    loops = [loop for profile in profiles for loop in profile.loops]
    full, sub_group, masked, serial = (sum(loop.iterations[mode] for loop in loops) for mode in MODES)
    return Rates(full, sub_group, masked, serial, sum(loop.lanes for loop in loops))


def rate_strategy(
    strategy: str, names: Sequence[str], scratch: Path, step: Callable[[str], None]
) -> dict[str, Rates]:
    """Count iterations with a strategy; `step` gets the name of each kernel that is done."""
    settings = {"WEFT_DIVERGENT": strategy, "WEFT_PROFILE": "1", "WEFT_CACHE": "0"}
    rates = {}
    for entry in lines_of("bench.divergence.rates", settings, str(scratch / f"rates-{strategy}"), *names):
        name = entry.pop("name")
        rates[name] = Rates(**entry)
        step(name)
    return rates


def main(arguments: Sequence[str]) -> None:
    """Count the given kernels."""
    folder, *names = arguments
    runner = compile_runner(Path(folder))
    for name in names:
        native = write_case(by_name(name).full_case(), Path(folder) / name)
        native.run(runner)
        print(json.dumps({"name": name, **asdict(rates_of(native.profiles()))}), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
