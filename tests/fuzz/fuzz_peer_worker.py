"""Runs launches on the OpenCL platform that it is told, in a process of its own, which a bad driver may end.

Started by `fuzz_peers.py`: pickled launches on standard input, pickled answers on standard output.
"""

import os
import pickle
import sys
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import pyopencl as cl


@dataclass(frozen=True)
class PeerLaunch:
    """A launch: an argument is an array for a buffer, a number of bytes of local memory, or bytes."""

    source: str
    options: str
    global_size: tuple[int, ...]
    local_size: tuple[int, ...]
    offset: tuple[int, ...]
    arguments: dict[str, np.ndarray | int | bytes]
    kernel: str = "k"


@lru_cache(maxsize=1)
def built(context: Any, source: str, options: str) -> Any:
    """The program; several launches in turn may be of kernels of one."""
    return cl.Program(context, source).build(options)


def run(context: Any, queue: Any, launch: PeerLaunch) -> dict[str, np.ndarray]:
    """The buffers after the launch."""
    kernel = cl.Kernel(built(context, launch.source, launch.options), launch.kernel)
    flags = cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR
    buffers = {}
    for index, (name, value) in enumerate(launch.arguments.items()):
        if isinstance(value, np.ndarray):
            buffers[name] = cl.Buffer(context, flags, hostbuf=value)
            kernel.set_arg(index, buffers[name])
        else:
            kernel.set_arg(index, cl.LocalMemory(value) if isinstance(value, int) else value)
    cl.enqueue_nd_range_kernel(queue, kernel, launch.global_size, launch.local_size, launch.offset)
    results = {}
    for name, buffer in buffers.items():
        results[name] = np.empty_like(launch.arguments[name])
        cl.enqueue_copy(queue, results[name], buffer)
    return results


def main(platform_name: str) -> None:
    """Serves until the input ends."""
    # Drivers print on standard output: what is ours goes elsewhere.
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    platform = next(p for p in cl.get_platforms() if platform_name in p.name)
    context = cl.Context(platform.get_devices()[:1])
    queue = cl.CommandQueue(context)
    while True:
        try:
            launch = pickle.load(sys.stdin.buffer)
        except EOFError:
            return
        try:
            answer: dict[str, np.ndarray] | str = run(context, queue, launch)
        except (cl.Error, RuntimeError) as error:
            answer = str(error)
        pickle.dump(answer, answers)
        answers.flush()


if __name__ == "__main__":
    main(sys.argv[1])
