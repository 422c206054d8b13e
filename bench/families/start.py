"""What a program costs that has just started: a process of its own for each sample, with an empty cache.

The time is that from `clBuildProgram` to the result, in a client in C (`bench/start.c`); the table of phases
has what comes before, and what a second program takes in the same process.
"""

import os
import resource
import subprocess
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path

import numpy as np

from bench.families import build, first_launch
from bench.host.__main__ import compile_client
from bench.platforms import CACHE_FOLDERS
from bench.registry import Caches, Mode, Sample, Task, Unit, benchmark
from bench.session import Session

CLIENT = Path(__file__).parents[1] / "start.c"
MEASURED = ("build", "kernel", "launch", "read")
"""The phases that count."""
LIMIT_SECONDS = 120
TOLERANCE = 1e-4


@dataclass(frozen=True)
class OneShot:
    """A program that runs a kernel of `buffers` buffers once; the last of them is the result."""

    source: str
    kernel: str
    side: int
    group: tuple[int, int]
    buffers: int
    expected: Callable[[np.ndarray], np.ndarray]
    """The result, of what every buffer holds at first."""

    @property
    def content(self) -> np.ndarray:
        """What every buffer holds at first."""
        numbers = np.arange(self.side * self.side, dtype=np.int64) * 7919 % 1009
        return (numbers.astype(np.float32) / np.float32(1009)).reshape(self.side, self.side)

    def task(self) -> Task:
        """A client for each run, in the environment of this process."""
        folder = tempfile.TemporaryDirectory(prefix="weft-bench-start-")
        place = Path(folder.name)
        (place / "source.cl").write_text(self.source)
        x, y = self.group
        sizes = (self.side, self.side, x, y, self.buffers, self.side * self.side, self.side)
        command = [
            str(_client()),
            str(place / "source.cl"),
            self.kernel,
            *map(str, sizes),
            str(place / "result"),
        ]

        def measure() -> Sample:
            before = _children_seconds()
            with tempfile.TemporaryDirectory(dir=folder.name) as cache:
                # The loader in pyopencl copies PYOPENCL_HOME without looking whether it is set.
                environment = os.environ | {"PYOPENCL_HOME": ""} | dict.fromkeys(CACHE_FOLDERS, cache)
                printed = subprocess.run(
                    command,
                    env=environment,
                    stdout=subprocess.PIPE,
                    text=True,
                    timeout=LIMIT_SECONDS,
                    check=True,
                ).stdout
            figures = (line.split() for line in printed.splitlines())
            phases = {name.replace("_", " "): 1e-6 * float(figure) for name, figure in figures}
            seconds = sum(phases[name] for name in MEASURED)
            return Sample(seconds, _children_seconds() - before, phases)

        def check() -> None:
            content = self.content
            found = np.fromfile(place / "result", np.float32).reshape(content.shape)
            expected = self.expected(content)
            error = float(np.abs(found - expected).max() / np.abs(expected).max())
            assert error <= TOLERANCE, f"the largest error is {error:.2g}"

        def run() -> None:
            measure()

        return Task(run, check, measure)


@cache
def _client_folder() -> tempfile.TemporaryDirectory[str]:
    """A folder for as long as this process runs."""
    return tempfile.TemporaryDirectory(prefix="weft-bench-start-")


@cache
def _client() -> Path:
    """The client, compiled once."""
    return compile_client(Path(_client_folder().name), CLIENT)


def _children_seconds() -> float:
    """Processor time of the processes that this one started and that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


SMOOTH = """
kernel void smooth(global const float *in, global float *out, int side) {
    int x = get_global_id(0), y = get_global_id(1);
    float sum = 0.0f, weights = 0.0f;
    for (int j = -1; j <= 1; j++) {
        for (int i = -1; i <= 1; i++) {
            int u = clamp(x + i, 0, side - 1);
            int v = clamp(y + j, 0, side - 1);
            float weight = 1.0f / (1.0f + (float)(i * i + j * j));
            sum += weight * in[v * side + u];
            weights += weight;
        }
    }
    out[y * side + x] = 2.0f * sum / weights;
}
"""


def _convolved(image: np.ndarray) -> np.ndarray:
    """The edges keep what the buffer of the result held, which is the image."""
    result = first_launch.convolved(image)
    expected = image.copy()
    expected[1:-1, 1:-1] = result[1:-1, 1:-1]
    return expected


PROGRAMS = {
    "15 lines, 16x16": OneShot(SMOOTH, "smooth", 16, (8, 8), 2, build.smoothed),
    "2-D convolution, 2048x2048": OneShot(
        first_launch.CONVOLUTION, "convolve_2d", 2048, first_launch.GROUP_2D, 2, _convolved
    ),
    "matrix product, 512": OneShot(
        first_launch.ALGEBRA, "product", 512, first_launch.GROUP_2D, 3, lambda content: content @ content
    ),
}


def _prepare(session: Session, program: OneShot) -> Task:
    """What is measured is in processes of their own: the session of this one is only idle meanwhile."""
    return program.task()


for _name, _program in PROGRAMS.items():
    benchmark(f"start/{_name}", Unit.MILLISECONDS, mode=Mode.SINGLE, caches=Caches.ON)(
        partial(_prepare, program=_program)
    )
