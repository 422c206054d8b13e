"""Measures the forms of kernels on one OpenCL device; requires only pyopencl and numpy.

    python -m bench.clvectorizer.worker BUNDLE --record FILE [--platform NAME] [--scale 4]

measures all kernels of a bundle on another machine, for `python -m bench.clvectorizer --merge FILE`. The
study itself starts a process for each platform and kernel, because a driver may end it; the progress is then
written as lines of JSON to the descriptor `--tell`.
"""

import argparse
import json
import os
import sys
import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import pyopencl as cl

from bench.clvectorizer.subjects import SUBJECTS, Launch

_LONGEST_SETTLING = 1.5  # seconds within which a platform must reach its best code
Tell = Callable[[dict[str, Any]], None]


class Device:
    """The first device of a platform, its queue and its clock."""

    def __init__(self, platform: str) -> None:
        platforms = [p for p in cl.get_platforms() if platform.lower() in p.name.lower()]
        if not platforms:
            raise LookupError(f"the loader finds no platform {platform!r}")
        self.device = platforms[0].get_devices()[0]
        self.context = cl.Context([self.device])
        self.queue = cl.CommandQueue(self.context)
        self.is_cpu = bool(self.device.type & cl.device_type.CPU)

    def identity(self) -> dict[str, Any]:
        """Return the names and the version that the device reports."""
        return {
            "platform": self.device.platform.name.strip(),
            "device": self.device.name.strip(),
            "version": self.device.platform.version.strip(),
            "is_cpu": self.is_cpu,
        }

    def clock(self) -> float:
        """Return the processor time for a CPU, the wall time for other devices."""
        return time.process_time() if self.is_cpu else time.perf_counter()


class Prepared:
    """One form of a kernel, built and checked."""

    def __init__(self, device: Device, name: str, form: Mapping[str, Any], launch: Launch) -> None:
        self.device = device
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", cl.CompilerWarning)
            self.program = cl.Program(device.context, form["source"]).build()
        self.log = str(self.program.get_build_info(device.device, cl.program_build_info.LOG)).strip()
        self.kernel = cl.Kernel(self.program, name)
        flags = cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR
        self.buffers = {
            key: cl.Buffer(device.context, flags, hostbuf=value)
            for key, value in launch.arguments.items()
            if isinstance(value, np.ndarray)
        }
        self.kernel.set_args(*(self.buffers.get(key, value) for key, value in launch.arguments.items()))
        x, *rest = launch.global_size
        self.size = (x // form["inter"], *rest)
        self.count = 1
        self.best = float("inf")

    def run(self, count: int) -> float:
        """Return the mean seconds of `count` runs."""
        queue, clock = self.device.queue, self.device.clock
        started = clock()
        for _ in range(count):
            cl.enqueue_nd_range_kernel(queue, self.kernel, self.size, None)
        queue.finish()
        return (clock() - started) / count

    def check(self, launch: Launch) -> None:
        """Run once; raise AssertionError if the result is wrong."""
        self.run(1)
        for key, expected in launch.expected.items():
            actual = np.empty_like(launch.arguments[key])
            cl.enqueue_copy(self.device.queue, actual, self.buffers[key])
            scale = float(np.max(np.abs(expected)))
            np.testing.assert_allclose(
                actual, expected, launch.tolerance, launch.tolerance * scale, err_msg=key
            )

    def settle(self, seconds: float) -> None:
        """Determine how many runs fill a sample, and run until the time does not improve."""
        deadline = time.perf_counter() + _LONGEST_SETTLING
        slow = 0
        while slow < 3 and time.perf_counter() < deadline:
            took = max(self.run(self.count), 1e-7)
            slow = slow + 1 if took > 0.95 * self.best else 0
            self.best = min(self.best, took)
            self.count = max(1, min(4096, round(seconds / self.best)))

    def sample(self) -> None:
        """Take one more sample; the best counts."""
        self.best = min(self.best, self.run(self.count))


def measure(
    device: Device,
    subject: str,
    forms: Mapping[str, Mapping[str, Any]],
    rounds: int,
    seconds: float,
    scale: int,
    tell: Tell,
) -> dict[str, dict[str, Any]]:
    """Return the seconds of each form, or its error; all forms are timed in turn."""
    launch = SUBJECTS[subject].make(np.random.default_rng(1), scale)
    ready: dict[str, Prepared] = {}
    results: dict[str, dict[str, Any]] = {}
    for name, form in forms.items():
        tell({"begin": name})
        try:
            prepared = Prepared(device, subject, form, launch)
            prepared.check(launch)
            prepared.settle(seconds)
        except Exception as error:  # any error of a platform is its result
            results[name] = {"error": f"{type(error).__name__}: {str(error).strip()[:2000]}"}
        else:
            ready[name] = prepared
        tell({"step": name})
    tell({"begin": ""})
    for turn in range(rounds):
        for prepared in list(ready.values())[:: 1 if turn % 2 else -1]:
            prepared.sample()
    # Warnings that the naive kernel also has do not concern its other forms.
    usual = ready["naive"].log if "naive" in ready else ""
    for name, prepared in ready.items():
        log = "" if prepared.log == usual else prepared.log
        results[name] = {"seconds": prepared.best, "bytes": launch.loaded, "log": log}
    return results


def main(arguments: Sequence[str]) -> int:
    """Measure; return 1 if the platform does not exist."""
    parser = argparse.ArgumentParser(prog="python -m bench.clvectorizer.worker", description=__doc__)
    add = parser.add_argument
    add("bundle", help="forms of the kernels, as `python -m bench.clvectorizer --bundle FILE` writes them")
    add("--record", help="where to write what was measured")
    add("--platform", default="", help="part of the platform's name; default: the first one")
    add("--subject", action="append", help="a kernel, once or more; default: all")
    add("--skip", action="append", default=[], help="a form that is left out")
    add("--rounds", type=int, default=9, help="samples of each time (9)")
    add("--seconds", type=float, default=0.02, help="length of a sample (0.02)")
    add("--scale", type=int, default=1, help="how much longer a side is; 4 suits a GPU (1)")
    add("--cores", type=int, default=0, help="how many cores to use, 0 for all (0)")
    add("--tell", type=int, help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.cores:
        os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[: options.cores])
    with open(options.bundle, encoding="utf-8") as file:
        bundle = json.load(file)
    progress = None if options.tell is None else os.fdopen(options.tell, "w", encoding="utf-8")

    def tell(message: dict[str, Any]) -> None:
        if progress is not None:
            print(json.dumps(message), file=progress, flush=True)
        elif "step" in message:
            print(f"  {message['step']}", file=sys.stderr, flush=True)

    try:
        device = Device(options.platform)
    except (LookupError, cl.Error) as error:
        print(f"clvectorizer.worker: {error}", file=sys.stderr)
        return 1
    results: dict[str, Any] = {}
    for subject in options.subject or bundle["forms"]:
        if progress is None:
            print(subject, file=sys.stderr, flush=True)
        forms = {n: f for n, f in bundle["forms"][subject].items() if n not in options.skip}
        results[subject] = measure(
            device, subject, forms, options.rounds, options.seconds, options.scale, tell
        )
    record = {**device.identity(), "scale": options.scale, "cores": options.cores, "results": results}
    if options.record:
        with open(options.record, "w", encoding="utf-8") as file:
            json.dump(record, file, indent=1)
    tell({"record": record})
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
