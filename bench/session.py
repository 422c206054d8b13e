"""What a benchmark works with: a device, a queue, and short ways to programs and buffers."""

import time
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyopencl as cl

from bench.registry import Benchmark, Mode, Task


@dataclass(frozen=True)
class BoundKernel:
    """A kernel and its arguments, which an OpenCL kernel does not keep alive itself."""

    kernel: cl.Kernel
    arguments: tuple[Any, ...]


class Session:
    """One device of the platform whose name holds `platform`."""

    def __init__(self, platform: str) -> None:
        found = [p for p in cl.get_platforms() if platform.lower() in p.name.lower()]
        if not found:
            raise LookupError(f"the loader finds no platform {platform!r}")
        self.device = found[0].get_devices()[0]
        self.context = cl.Context([self.device])
        self.queue = cl.CommandQueue(self.context)
        self.random = np.random.default_rng(1)

    def program(self, source: str, options: str = "") -> cl.Program:
        """Builds a program."""
        return cl.Program(self.context, source).build(options)

    def kernel(self, source: str, name: str, *arguments: Any) -> BoundKernel:
        """Builds a program and gives its kernel its arguments."""
        kernel = cl.Kernel(self.program(source), name)
        kernel.set_args(*arguments)
        return BoundKernel(kernel, arguments)

    def upload(self, array: np.ndarray) -> cl.Buffer:
        """A new buffer with the content of an array."""
        flags = cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR
        return cl.Buffer(self.context, flags, hostbuf=array)

    def buffer(self, nbytes: int) -> cl.Buffer:
        """A new buffer with no content yet."""
        return cl.Buffer(self.context, cl.mem_flags.READ_WRITE, nbytes)

    def download(self, buffer: cl.Buffer, like: np.ndarray) -> np.ndarray:
        """The content of a buffer as an array with the shape and type of another."""
        result = np.empty_like(like)
        cl.enqueue_copy(self.queue, result, buffer)
        return result

    def launch(
        self, bound: BoundKernel, global_size: tuple[int, ...], local_size: tuple[int, ...] | None = None
    ) -> None:
        """Enqueues a kernel that has its arguments."""
        cl.enqueue_nd_range_kernel(self.queue, bound.kernel, global_size, local_size)


class Stopwatch:
    """Takes samples of one prepared benchmark."""

    def __init__(self, session: Session, benchmark: Benchmark, sample_seconds: float) -> None:
        self.session = session
        self.benchmark = benchmark
        self.task: Task = benchmark.prepare(session)
        if benchmark.mode is Mode.SINGLE:
            self.count = 1
            return
        self.run_and_check()
        self.count = 1
        while (elapsed := self.sample() * self.count) < sample_seconds / 2:
            growth = sample_seconds / max(elapsed, 1e-6)
            self.count = max(self.count + 1, round(self.count * min(growth, 10.0)))

    def sample(self) -> float:
        """Seconds per run."""
        run, finish = self.task.run, self.session.queue.finish
        started = time.perf_counter()
        if self.benchmark.mode is Mode.ROUND_TRIP:
            for _ in range(self.count):
                run()
                finish()
        else:
            for _ in range(self.count):
                run()
            finish()
        return (time.perf_counter() - started) / self.count

    def run_and_check(self) -> None:
        """Runs once; raises AssertionError if the result is wrong."""
        self.task.run()
        self.session.queue.finish()
        self.task.check()
