"""Start-up cost: each sample is a new process with an empty cache.

The measured time is from `clBuildProgram` to the result, in a C client (`bench/start.c`); the table of phases
also contains the time before, and that of a second program in the same process. The family `start` has a
small program; `one-shot`, programs that run a kernel once over a large range. Weft starts a server that
compiles; in the cases `first process`, none is running yet.
"""

import os
import resource
import subprocess
import tempfile
from collections.abc import Callable
from contextlib import ExitStack
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
"""The phases that are measured."""
LIMIT_SECONDS = 120
IDLE_SECONDS = 30
"""Idle time after which the compile server of a benchmark ends, when all samples have been taken."""
FIRST_IDLE_SECONDS = 1
"""The same for a first process: each sample starts its own server."""
TOLERANCE = 1e-4


@dataclass(frozen=True)
class OneShot:
    """A program that runs a kernel with `buffers` buffers and a number once; the last buffer is the
    result."""

    source: str
    kernel: str
    global_size: tuple[int, int]
    group: tuple[int, int]
    buffers: int
    floats: int
    """The size of each buffer."""
    number: int
    expected: Callable[[np.ndarray], np.ndarray]
    """Compute the result from the initial content of every buffer."""

    @property
    def content(self) -> np.ndarray:
        """Return the initial content of every buffer."""
        numbers = np.arange(self.floats, dtype=np.int64) * 7919 % 1009
        return numbers.astype(np.float32) / np.float32(1009)

    def task(self, *, served: bool) -> Task:
        """Return a task that runs a client per run, in the environment of this process; `served`: a server is
        running."""
        folder = tempfile.TemporaryDirectory(prefix="weft-bench-start-")
        place = Path(folder.name)
        (place / "source.cl").write_text(self.source)
        sizes = (*self.global_size, *self.group, self.buffers, self.floats, self.number)
        command = [
            str(_client()),
            str(place / "source.cl"),
            self.kernel,
            *map(str, sizes),
            str(place / "result"),
        ]
        idle = IDLE_SECONDS if served else FIRST_IDLE_SECONDS

        def measure() -> Sample:
            before = _children_seconds()
            with ExitStack() as stack:
                cache, other = (
                    stack.enter_context(
                        tempfile.TemporaryDirectory(dir=folder.name, ignore_cleanup_errors=True)
                    )
                    for _ in range(2)
                )
                # Each benchmark, or each sample, has its own compile server.
                runtime = folder.name if served else other
                server = {"XDG_RUNTIME_DIR": runtime, "WEFT_SERVER_IDLE": str(idle)}
                # The loader in pyopencl copies PYOPENCL_HOME without checking whether it is set.
                environment = (
                    os.environ | {"PYOPENCL_HOME": ""} | server | dict.fromkeys(CACHE_FOLDERS, cache)
                )
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
            actual = np.fromfile(place / "result", np.float32)
            expected = self.expected(content)
            error = float(np.abs(actual - expected).max() / np.abs(expected).max())
            assert error <= TOLERANCE, f"the largest error is {error:.2g}"

        def run() -> None:
            measure()

        return Task(run, check, measure)


@cache
def _client_folder() -> tempfile.TemporaryDirectory[str]:
    """Return a folder that exists as long as this process."""
    return tempfile.TemporaryDirectory(prefix="weft-bench-start-")


@cache
def _client() -> Path:
    """Return the client, compiled once."""
    return compile_client(Path(_client_folder().name), CLIENT)


def _children_seconds() -> float:
    """Return the processor time of child processes that have ended."""
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


REDUCTION = """
kernel void sums(global const float *in, global float *out, int count) {
    local float parts[256];
    int item = get_local_id(0);
    float sum = 0.0f;
    for (int i = get_global_id(0); i < count; i += get_global_size(0)) sum += in[i];
    parts[item] = sum;
    for (int width = 128; width > 0; width /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (item < width) parts[item] += parts[item + width];
    }
    if (item == 0) out[get_group_id(0)] = parts[0];
}
"""

BODIES = """
kernel void accelerate(global const float4 *bodies, global float4 *result, int count) {
    int i = get_global_id(0);
    float4 here = bodies[i];
    float3 sum = (float3)(0.0f);
    for (int k = 0; k < count; k++) {
        float3 way = bodies[k].xyz - here.xyz;
        float inverse = rsqrt(dot(way, way) + 0.01f);
        sum += bodies[k].w * inverse * inverse * inverse * way;
    }
    result[i] = (float4)(sum, here.w);
}
"""

STENCIL = """
kernel void relax(global const float *in, global float *out, int side) {
    int x = get_global_id(0), y = get_global_id(1);
    if (x == 0 || y == 0 || x == side - 1 || y == side - 1)
        return;
    int at = y * side + x;
    out[at] = 0.2f * (in[at] + in[at - 1] + in[at + 1] + in[at - side] + in[at + side]);
}
"""

PARTS = 64, 256


def _square(content: np.ndarray) -> np.ndarray:
    side = round(len(content) ** 0.5)
    return content.reshape(side, side)


def _smoothed(content: np.ndarray) -> np.ndarray:
    return build.smoothed(_square(content)).ravel()


def _convolved(content: np.ndarray) -> np.ndarray:
    """The edges keep the initial content of the result buffer, which is the image."""
    image = _square(content)
    result = first_launch.convolved(image)
    expected = image.copy()
    expected[1:-1, 1:-1] = result[1:-1, 1:-1]
    return expected.ravel()


def _product(content: np.ndarray) -> np.ndarray:
    return (_square(content) @ _square(content)).ravel()


def _relaxed(content: np.ndarray) -> np.ndarray:
    image = _square(content)
    expected = image.copy()
    inner = image[1:-1, 1:-1] + image[1:-1, :-2] + image[1:-1, 2:] + image[:-2, 1:-1] + image[2:, 1:-1]
    expected[1:-1, 1:-1] = inner / 5
    return expected.ravel()


def _summed(content: np.ndarray) -> np.ndarray:
    groups, items = PARTS
    expected = content.copy()
    parts = content.astype(np.float64).reshape(-1, groups, items).sum(axis=(0, 2))
    expected[:groups] = parts
    return expected


def _accelerated(content: np.ndarray) -> np.ndarray:
    bodies = content.astype(np.float64).reshape(-1, 4)
    expected = bodies.copy()
    for i, here in enumerate(bodies):
        way = bodies[:, :3] - here[:3]
        inverse = ((way * way).sum(axis=1) + 0.01) ** -0.5
        expected[i, :3] = (bodies[:, 3:] * inverse[:, None] ** 3 * way).sum(axis=0)
    return expected.ravel().astype(np.float32)


def _on_square(
    source: str,
    kernel: str,
    side: int,
    group: tuple[int, int],
    expected: Callable[[np.ndarray], np.ndarray],
    buffers: int = 2,
) -> OneShot:
    return OneShot(source, kernel, (side, side), group, buffers, side * side, side, expected)


GROUP = first_launch.GROUP_2D
BODY_COUNT = 4096

PROGRAMS = {
    "start/15 lines, 16x16": _on_square(SMOOTH, "smooth", 16, (8, 8), _smoothed),
    "one-shot/2-D convolution, 2048x2048": _on_square(
        first_launch.CONVOLUTION, "convolve_2d", 2048, GROUP, _convolved
    ),
    "one-shot/stencil, 4096x4096": _on_square(STENCIL, "relax", 4096, GROUP, _relaxed),
    "one-shot/matrix product, 512": _on_square(
        first_launch.ALGEBRA, "product", 512, GROUP, _product, buffers=3
    ),
    "one-shot/reduction, 16 M numbers": OneShot(
        REDUCTION, "sums", (PARTS[0] * PARTS[1], 1), (PARTS[1], 1), 2, 1 << 24, 1 << 24, _summed
    ),
    "one-shot/n-body, 4096": OneShot(
        BODIES, "accelerate", (BODY_COUNT, 1), (256, 1), 2, 4 * BODY_COUNT, BODY_COUNT, _accelerated
    ),
}


def _prepare(session: Session, program: OneShot, served: bool) -> Task:
    """The measurements take place in separate processes, while the session of this one is idle."""
    return program.task(served=served)


for _name, _program in PROGRAMS.items():
    for _state, _served in (("", True), ("/first process", False)):
        benchmark(f"{_name}{_state}", Unit.MILLISECONDS, mode=Mode.SINGLE, caches=Caches.ON)(
            partial(_prepare, program=_program, served=_served)
        )
