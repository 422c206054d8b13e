"""Thousands of random kernels, in as many processes as there are cores, with a display of how far it is.

    python tests/fuzz/fuzz_run.py --kernels 5000 --jobs 2 --seed 7

Kernels are tried in batches, each by a process with a seed of its own (see `fuzz_worker.py`). A batch ends
with its first failure; the others go on, unless there are many failures. Prints each failure as a
self-contained kernel with its launch and the command that finds it again.
"""

import argparse
import os
import random
import subprocess
import sys
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass
from pathlib import Path

# Kernels that a process tries at most: it takes as long to start as two of them do.
BATCH = 100
# Something is wrong with everything then.
MOST_FAILURES = 10
# A batch that takes so long for one kernel is named.
SLOW_SECONDS = 30.0
FOLDER = Path(__file__).parent


@dataclass(frozen=True)
class Failure:
    """A batch that found something wrong, and what it said."""

    seed: int
    text: str
    shapes: str = ""
    ways: str = ""

    def __str__(self) -> str:
        rest = f"'{self.shapes}' {self.ways}" if self.ways else self.shapes
        command = f"python tests/fuzz/fuzz_worker.py {self.seed} {BATCH} {rest}".rstrip()
        return f"{self.text}\nfound by: {command}\n"


class Progress:
    """Shows one line that changes on a terminal, and a line for every tenth elsewhere."""

    def __init__(self, total: int) -> None:
        self._total = total
        self._done = 0
        self.wrong = 0
        self._shrinking = 0
        self._shown = 0
        self._start = time.monotonic()
        self._running: dict[int, tuple[int, float]] = {}  # batches: kernels done, and the time of the last
        self._notes: dict[str, list[str]] = {}
        self._lock = threading.Lock()

    def begin(self, seed: int) -> None:
        with self._lock:
            self._running[seed] = 0, time.monotonic()

    def end(self, seed: int) -> None:
        with self._lock:
            del self._running[seed]

    def remind(self) -> None:
        """Names the batches that have been at one kernel for long."""
        with self._lock:
            for seed, (done, latest) in self._running.items():
                seconds = time.monotonic() - latest
                if seconds > SLOW_SECONDS:
                    print(f"\nbatch {seed}: {seconds:.0f} s after its first {done} kernels", flush=True)

    def shrinking(self, seed: int, begins: bool) -> None:
        """A batch has found something wrong and looks for a smaller program, or has found that."""
        with self._lock:
            self._shrinking += 1 if begins else -1
            if begins:
                print(f"\nbatch {seed} found something wrong, which is made smaller", flush=True)
                self._show()

    def kernel(self, seed: int) -> None:
        with self._lock:
            self._done += 1
            self._running[seed] = self._running[seed][0] + 1, time.monotonic()
            tenths = 10 * self._done // self._total
            if sys.stdout.isatty() or tenths > self._shown:
                self._shown = tenths
                self._show()

    def note(self, seed: int, number: str, text: str) -> None:
        """There is something to say of a kernel, by its number in its batch."""
        with self._lock:
            self._notes.setdefault(text, []).append(f"{seed}/{number}")

    def noted(self) -> str:
        """What was said of kernels, and of how many and which."""
        with self._lock:
            return "".join(
                f"{len(kernels)} kernels: {text} ({', '.join(kernels)})\n"
                for text, kernels in sorted(self._notes.items())
            )

    def failure(self, failure: Failure) -> None:
        with self._lock:
            self.wrong += 1
            print(f"\n{failure}", flush=True)

    def _show(self) -> None:
        seconds = time.monotonic() - self._start
        left = seconds / max(self._done, 1) * (self._total - self._done)
        text = f"{self._done} of {self._total} random kernels, {self.wrong} wrong, {left:.0f} s left"
        if self._shrinking:
            text += f", {self._shrinking} being shrunk"
        print(f"\r{text:<78}", end="", flush=True) if sys.stdout.isatty() else print(text, flush=True)


def run_batch(
    seed: int,
    kernels: int,
    progress: Progress,
    shapes: str = "",
    ways: str = "",
) -> Failure | None:
    """Runs one batch, and tells how far it is."""
    environment = {**os.environ, "WEFT_CACHE": "0", "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    environment["WEFT_TIERS"] = "0"  # devices run optimized code
    with tempfile.TemporaryFile("w+") as complaints:
        process = subprocess.Popen(
            [sys.executable, str(FOLDER / "fuzz_worker.py"), str(seed), str(kernels), shapes, ways],
            stdout=subprocess.PIPE,
            stderr=complaints,
            text=True,
            env=environment,
        )
        assert process.stdout is not None
        found = False
        while (mark := process.stdout.read(1)) in (".", "x"):
            if mark == "x" and not found:
                found = True
                progress.shrinking(seed, True)
            if not found:
                progress.kernel(seed)
        rest = ""
        for line in process.stdout:
            if line.startswith("noted "):
                _, number, text = line.rstrip().split(" ", 2)
                progress.note(seed, number, text)
            else:
                rest += line
        code = process.wait()
        if found:
            progress.shrinking(seed, False)
        if code == 0:
            return None
        complaints.seek(0)
        unfinished = Path(tempfile.gettempdir()) / f"weft-random-kernel-{process.pid}.cl"
        if unfinished.exists():  # the process did not live to tell
            rest += f"ended with {code} while it ran\n{unfinished.read_text()}"
            unfinished.unlink()
        return Failure(seed, rest + complaints.read()[-4000:], shapes, ways)


def run(kernels: int, jobs: int, seed: int, shapes: str = "", ways: str = "") -> list[Failure]:
    """Tries random kernels, of some shapes and in some ways alone if they are named; what went wrong."""
    progress = Progress(kernels)
    share = max(1, min(BATCH, -(-kernels // jobs)))
    sizes = [min(share, kernels - start) for start in range(0, kernels, share)]

    def batch(number: int) -> Failure | None:
        if progress.wrong >= MOST_FAILURES:
            return None
        progress.begin(seed + number)
        found = run_batch(seed + number, sizes[number], progress, shapes, ways)
        progress.end(seed + number)
        if found is not None:
            progress.failure(found)
        return found

    with ThreadPoolExecutor(jobs) as pool:
        batches = [pool.submit(batch, number) for number in range(len(sizes))]
        while wait(batches, SLOW_SECONDS).not_done:
            progress.remind()
        print(f"\n{progress.noted()}", end="")
        return [found for b in batches if (found := b.result()) is not None]


def main() -> int:
    """The command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--kernels", type=int, default=5000, help="how many (default 5000)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="processes (default: cores)")
    parser.add_argument("--seed", type=int, default=random.randrange(10**9), help="default: a new one")
    parser.add_argument("--shapes", default="", help="of the harder statements only these: chains,guards,...")
    parser.add_argument(
        "--ways", default="", help="run each in these ways, such as aarch64 or spirv, rather than in two"
    )
    options = parser.parse_args()
    print(f"seed {options.seed}", flush=True)
    start = time.monotonic()
    failures = run(options.kernels, options.jobs, options.seed, options.shapes, options.ways)
    print(f"\n{options.kernels} random kernels in {time.monotonic() - start:.0f} s, {len(failures)} wrong")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
