"""Measures host calls with a C client, on each platform in turn: `python -m bench.host`."""

import argparse
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from bench.platforms import Platform, find_platforms
from bench.registry import Caches
from weft.icd import register, toolchain

CLIENT = Path(__file__).with_name("client.c")
LIMIT_SECONDS = 300
ROUNDS, MEGABYTES = 200, 256

# Figure -> its description, and whether more is better.
FIGURES = {
    "enqueue_us": ("4 arguments and an enqueue, the calling thread (µs)", False),
    "launch_cpu_us": ("the same with the work, all threads (µs)", False),
    "launch_and_wait_us": ("4 arguments, enqueue and wait, wall time (µs)", False),
    "hundred_us": ("100 enqueues, the calling thread (µs)", False),
    "hundred_replayed_us": ("the same as a command buffer (µs)", False),
    "use_host_ptr_us": (f"{MEGABYTES} MB buffer of the client's memory (µs)", False),
    "map_unmap_us": ("map and unmap it (µs)", False),
    "copy_gb_s": ("copy it: read and written in a second of processor time (GB)", True),
    "memcpy_gb_s": ("the same with memcpy (GB)", True),
}


def compile_client(folder: Path, source: Path = CLIENT) -> Path:
    """Compile a client, linked with the loader of pyopencl."""
    program = folder / source.stem
    loader = next(register.loader_folder().glob("libOpenCL*"))
    link = [str(loader), f"-Wl,-rpath,{loader.parent}", "-pthread", "-ldl"]
    toolchain.compile_c([source], program, shared=False, arguments=link)
    return program


def measure(
    program: Path, platform: Platform, scratch: Path, rounds: int = ROUNDS, megabytes: int = MEGABYTES
) -> dict[str, float]:
    """Run the client once on a platform; return its figures by name."""
    # The loader in pyopencl copies PYOPENCL_HOME without checking whether it is set. Disable tiers, because
    # calls cost more before the optimized code of a kernel is ready.
    environment = platform.environment(scratch, Caches.ON) | {"PYOPENCL_HOME": "", "WEFT_TIERS": "0"}
    command = [str(program), str(rounds), str(megabytes)]
    printed = subprocess.run(
        command, env=environment, stdout=subprocess.PIPE, text=True, timeout=LIMIT_SECONDS, check=True
    ).stdout
    return {name: float(value) for name, value in (line.split() for line in printed.splitlines())}


def table(best: dict[str, dict[str, float]]) -> str:
    """Return the figures in rows, with the platforms in columns."""
    lines = ["| | " + " | ".join(best) + " |", "|---|" + "---:|" * len(best)]
    for name, (words, _) in FIGURES.items():
        cells = (f"{figures[name]:.3g}" if name in figures else "" for figures in best.values())
        lines.append(f"| {words} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def main(arguments: Sequence[str]) -> int:
    """Run the command line."""
    parser = argparse.ArgumentParser(prog="python -m bench.host", description=__doc__)
    parser.add_argument("--rounds", type=int, default=3, help="runs of each platform; the best figures count")
    rounds = parser.parse_args(arguments).rounds
    best: dict[str, dict[str, float]] = {}
    with tempfile.TemporaryDirectory(prefix="weft-bench-") as scratch:
        program = compile_client(Path(scratch))
        for _ in range(rounds):
            for platform in find_platforms():
                kept = best.setdefault(platform.name, {})
                for name, value in measure(program, platform, Path(scratch)).items():
                    better = max if FIGURES[name][1] else min
                    kept[name] = better(kept.get(name, value), value)
    print(table(best))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
