"""The environment of a benchmark: a device, a queue, and shortcuts to programs and buffers."""

import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyopencl as cl

from bench import spirv
from bench.registry import Benchmark, Mode, Sample, Task

# A platform is warm when its best time has been stable for the length of this many samples, or after a limit.
_STEADY_SAMPLES = 15
_LATER_RUNS = 3  # runs after the first one until all code is there
_LONGEST_WARM_UP = 3.0  # seconds

# The channels of an image, how a kernel reads them, and their type in memory.
FORMATS = {
    "R8": (cl.channel_order.R, cl.channel_type.UNORM_INT8, np.dtype(np.uint8)),
    "R8UI": (cl.channel_order.R, cl.channel_type.UNSIGNED_INT8, np.dtype(np.uint8)),
    "RG8": (cl.channel_order.RG, cl.channel_type.UNORM_INT8, np.dtype(np.uint8)),
    "RGBA8": (cl.channel_order.RGBA, cl.channel_type.UNORM_INT8, np.dtype(np.uint8)),
    "RG16F": (cl.channel_order.RG, cl.channel_type.HALF_FLOAT, np.dtype(np.float16)),
    "R32F": (cl.channel_order.R, cl.channel_type.FLOAT, np.dtype(np.float32)),
    "RGBA32F": (cl.channel_order.RGBA, cl.channel_type.FLOAT, np.dtype(np.float32)),
}


@dataclass(frozen=True)
class BoundKernel:
    """A kernel and its arguments, which an OpenCL kernel does not keep alive itself."""

    kernel: cl.Kernel
    arguments: tuple[Any, ...]


class Session:
    """The CPU of the platform whose name contains `platform`."""

    def __init__(self, platform: str) -> None:
        self.device = _device(platform)
        self.context = cl.Context([self.device])
        self.queue = cl.CommandQueue(self.context)
        self.random = np.random.default_rng(1)
        self.build_seconds = 0.0
        """The total time of builds so far."""
        self._builds = 0

    def program(self, source: str, options: str = "") -> cl.Program:
        """Build a program with a text that is new to all caches."""
        self._builds += 1
        if spirv.is_chosen():
            return self._program_from_spirv(source, options)
        text = f"{source}\n#define BUILD_NUMBER {self._builds}\n"
        return self._timed(lambda: cl.Program(self.context, text).build(options))

    def _program_from_spirv(self, source: str, options: str) -> cl.Program:
        """Build a program from the first precompiled module that the platform accepts."""
        *others, last = spirv.programs(self.context, source, options, self._builds)
        for build in others:
            with suppress(cl.RuntimeError):  # not every writer's module is valid
                return self._timed(build)
        return self._timed(last)

    def _timed(self, build: Callable[[], cl.Program]) -> cl.Program:
        started = time.perf_counter()
        program = build()
        self.build_seconds += time.perf_counter() - started
        return program

    def kernel(self, source: str, name: str, *arguments: Any) -> BoundKernel:
        """Build a program and set the arguments of its kernel."""
        kernel = cl.Kernel(self.program(source), name)
        kernel.set_args(*arguments)
        return BoundKernel(kernel, arguments)

    def upload(self, array: np.ndarray) -> cl.Buffer:
        """Return a new buffer with the content of an array."""
        flags = cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR
        return cl.Buffer(self.context, flags, hostbuf=array)

    def buffer(self, nbytes: int) -> cl.Buffer:
        """Return a new buffer without content."""
        return cl.Buffer(self.context, cl.mem_flags.READ_WRITE, nbytes)

    def download(self, buffer: cl.Buffer, like: np.ndarray) -> np.ndarray:
        """Return the content of a buffer as an array with the shape and type of another."""
        result = np.empty(like.shape, like.dtype)
        cl.enqueue_copy(self.queue, result, buffer)
        return result

    def image(self, texels: np.ndarray, name: str, is_array: bool = False) -> cl.Image:
        """Return a new image with the content of an array: layers, if any, rows, texels and channels."""
        order, kind, dtype = FORMATS[name]
        assert texels.dtype == dtype, f"{name} holds {dtype}, not {texels.dtype}"
        flags = cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR
        shape = texels.shape[-2::-1]
        return cl.create_image(
            self.context, flags, cl.ImageFormat(order, kind), shape, hostbuf=texels, is_array=is_array
        )

    def download_image(self, image: cl.Image, like: np.ndarray) -> np.ndarray:
        """Return the content of an image as an array with the shape and type of another."""
        result = np.empty(like.shape, like.dtype)
        width, height, depth, *_ = *like.shape[-2::-1], 1
        cl.enqueue_copy(self.queue, result, image, origin=(0, 0, 0), region=(width, height, depth))
        return result

    def launch(
        self, bound: BoundKernel, global_size: tuple[int, ...], local_size: tuple[int, ...] | None = None
    ) -> None:
        """Enqueue a kernel whose arguments are set."""
        cl.enqueue_nd_range_kernel(self.queue, bound.kernel, global_size, local_size)


def _device(platform: str) -> cl.Device:
    """Return the first CPU of a platform; raise LookupError if there is none."""
    for candidate in cl.get_platforms():
        if platform.lower() in candidate.name.lower():
            for device in candidate.get_devices():
                if device.type & cl.device_type.CPU:
                    return device
    raise LookupError(f"the loader finds no platform {platform!r} with a CPU")


class Stopwatch:
    """Takes samples of one prepared benchmark."""

    def __init__(self, session: Session, benchmark: Benchmark) -> None:
        self.session = session
        self.benchmark = benchmark
        self.count = 1
        before = session.build_seconds
        self.task: Task = benchmark.prepare(session)
        self.build_seconds: float | None = None
        """The time of the program's build and of the compilation at the first launch: that of the first
        result, minus the time of a run."""
        self.settled_seconds: float | None = None
        """The same plus the time that later runs lose, because some platforms recompile hot kernels."""
        if benchmark.mode is not Mode.SINGLE:
            first, *later = (self.sample().seconds for _ in range(1 + _LATER_RUNS))
            usual = min(later)
            build = session.build_seconds - before
            self.build_seconds = build + max(0.0, first - usual)
            self.settled_seconds = self.build_seconds + sum(later) - _LATER_RUNS * usual

    def calibrate(self, sample_seconds: float) -> None:
        """Check the result, run until the time does not improve, and determine how many runs fill a
        sample."""
        if self.benchmark.mode is Mode.SINGLE:
            return
        self.run_and_check()
        self.warm_up(_STEADY_SAMPLES * sample_seconds)
        while (elapsed := self.sample().seconds * self.count) < sample_seconds / 2:
            growth = sample_seconds / max(elapsed, 1e-6)
            self.count = max(self.count + 1, round(self.count * min(growth, 10.0)))

    def warm_up(self, steady_seconds: float) -> None:
        """Run until the best time has been stable for `steady_seconds`: platforms may recompile hot
        kernels."""
        best = improved = started = time.perf_counter()
        while improved + steady_seconds > time.perf_counter() < started + _LONGEST_WARM_UP:
            seconds = self.sample().seconds
            if seconds < best * 0.9:
                improved = time.perf_counter()
            best = min(best, seconds)

    def sample(self) -> Sample:
        """Take one sample."""
        if self.task.measure:
            return self.task.measure()
        run, finish = self.task.run, self.session.queue.finish
        cpu, started = time.process_time(), time.perf_counter()
        if self.benchmark.mode is Mode.ROUND_TRIP:
            for _ in range(self.count):
                run()
                finish()
        else:
            for _ in range(self.count):
                run()
            finish()
        seconds, cpu_seconds = time.perf_counter() - started, time.process_time() - cpu
        return Sample(seconds / self.count, cpu_seconds / self.count)

    def run_and_check(self) -> None:
        """Run once; raise AssertionError if the result is wrong."""
        self.task.run()
        self.session.queue.finish()
        self.task.check()
