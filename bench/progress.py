"""Shows the progress of a run on standard error: a bar on a terminal, otherwise a line per benchmark."""

import sys
import time


class Progress:
    """Counts the steps of all benchmarks."""

    def __init__(self, benchmarks: int, steps: int) -> None:
        self.benchmarks = benchmarks
        self.steps = max(steps, 1)
        self.started = time.monotonic()
        self.begun = 0
        self.done = 0
        self.label = ""
        self.terminal = sys.stderr.isatty()

    def begin(self, name: str) -> None:
        """Start the next benchmark."""
        self.begun += 1
        self.label = name
        if not self.terminal:
            print(f"[{self.begun}/{self.benchmarks}] {name}", file=sys.stderr, flush=True)

    def step(self) -> None:
        """Count one more step."""
        self.done += 1
        if self.terminal:
            bar = "━" * (30 * self.done // self.steps)
            elapsed = time.monotonic() - self.started
            left = round(elapsed / self.done * (self.steps - self.done))
            percent = 100 * self.done // self.steps
            text = f"{bar:<30} {percent:3} % {left // 60}:{left % 60:02} left  {self.label}"
            print(f"\r\033[K{text}", end="", file=sys.stderr, flush=True)

    def clear(self) -> None:
        """Remove the bar, so that something else can be printed."""
        if self.terminal:
            print("\r\033[K", end="", file=sys.stderr, flush=True)
