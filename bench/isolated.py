"""Compare launches on the devices `isolated` and `pthread`.

    python -m bench.isolated [seconds for each kernel]

Both devices run the same launches, interleaved, in one process. Two times are reported: the minimum of a
launch, and the median of the processor time of both processes. The latter is comparable on a shared machine;
it includes the time that threads spend waiting for work.
"""

import argparse
import os
import statistics
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

SOURCE = """
kernel void compute(global float *a, int n) {
    int i = get_global_id(0);
    float x = a[i];
    for (int k = 0; k < n; k++) x = x * 0.999f + 0.001f;
    a[i] = x;
}
kernel void reduce(global float *a, local float *t) {
    int l = get_local_id(0), i = get_global_id(0);
    t[l] = a[i];
    for (int k = 1; k < 64; k *= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        float x = t[l] + t[(l + k) % 64];
        barrier(CLK_LOCAL_MEM_FENCE);
        t[l] = x;
    }
    a[i] = t[l];
}
kernel void stream(global float *a, global const float *b) {
    int i = get_global_id(0);
    a[i] = b[i] * 2 + 1;
}
"""
ITEMS = 1 << 22
# The label, the kernel, its work-items, and its second argument if that is a number.
LAUNCHES = (
    ("nothing much", "compute", 1 << 10, 2),
    ("0.05 ms of arithmetic", "compute", 1 << 17, 40),
    ("arithmetic", "compute", 1 << 20, 400),
    ("barriers", "reduce", 1 << 20, None),
    ("32 MiB of memory", "stream", ITEMS, None),
)


def launches(device: Any) -> list[Callable[[], None]]:
    """Return for each row a function that runs the launch on a device and waits."""
    import numpy as np
    import pyopencl as cl

    context = cl.Context([device])
    queue = cl.CommandQueue(context)
    program = cl.Program(context, SOURCE).build()
    buffers = [cl.Buffer(context, cl.mem_flags.READ_WRITE, 4 * ITEMS) for _ in range(2)]
    for buffer in buffers:
        cl.enqueue_fill_buffer(queue, buffer, np.ones(1, np.float32), 0, 4 * ITEMS)

    def prepared(name: str, items: int, number: int | None) -> Callable[[], None]:
        kernel = cl.Kernel(program, name)
        second: dict[str, Any] = {
            "compute": np.int32(number or 0),
            "reduce": cl.LocalMemory(256),
            "stream": buffers[1],
        }

        def launch() -> None:
            # Kernels hold no references to their buffers, but this function does.
            kernel.set_args(buffers[0], second[name])
            cl.enqueue_nd_range_kernel(queue, kernel, (items,), (64,))
            queue.finish()

        return launch

    return [prepared(name, items, number) for _, name, items, number in LAUNCHES]


# Pause after a launch, so that its threads sleep before the processor time is read.
PAUSE_SECONDS = 0.001


@dataclass
class Times:
    """The times of launches on a device in seconds: wall time and processor time."""

    elapsed: list[float] = field(default_factory=list)
    processor: list[float] = field(default_factory=list)


def server_clock() -> int:
    """Return the processor-time clock of the device server that this process has started."""
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            name, _, rest = (folder / "stat").read_text().rpartition(")")
        except OSError:  # the process has ended
            continue
        if "weft_device_ser" in name and rest.split()[1] == str(os.getpid()):
            return ~int(folder.name) << 3 | 2  # as computed by clock_getcpuclockid
    raise SystemExit("there is no device server")


def measure(launch: Callable[[], None], times: Times, server: int) -> None:
    """Run a launch."""

    def processor_time() -> float:
        return time.clock_gettime(time.CLOCK_PROCESS_CPUTIME_ID) + time.clock_gettime(server)

    before, begin = processor_time(), time.perf_counter()
    launch()
    times.elapsed.append(time.perf_counter() - begin)
    time.sleep(PAUSE_SECONDS)
    times.processor.append(processor_time() - before)


def main() -> None:
    """Print the table."""
    warnings.simplefilter("ignore")
    os.environ["WEFT_DEVICES"] = "pthread,isolated"
    os.environ.setdefault("WEFT_TIERS", "0")  # use optimized code from the first launch
    import pyopencl as cl

    parser = argparse.ArgumentParser(prog="python -m bench.isolated", description=__doc__.partition("\n")[0])
    parser.add_argument("seconds", type=float, nargs="?", default=10.0, help="for each row; default: 10")
    seconds = parser.parse_args().seconds
    (platform,) = (p for p in cl.get_platforms() if p.name == "Weft")
    devices = [launches(device) for device in platform.get_devices()]
    for device in devices:
        for launch in device:
            launch()
    server = server_clock()
    print("| launch | `pthread` | `isolated` | ratio | processor time | | ratio |")
    print("|---|---:|---:|---:|---:|---:|---:|")
    for row, (label, *_) in enumerate(LAUNCHES):
        times = [Times(), Times()]
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            for device, own in zip(devices, times, strict=True):
                measure(device[row], own, server)
        columns = [
            [min(own.elapsed) for own in times],
            [statistics.median(own.processor) for own in times],
        ]
        cells = [f"{1e6 * a:.0f} µs | {1e6 * b:.0f} µs | {b / a:.2f}" for a, b in columns]
        print(f"| {label} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
