"""`python -m bench.bufalloc`: compare Bufalloc with malloc for allocation patterns of OpenCL programs.

Buffers are allocated in groups, like the arguments of a kernel. Each pattern is a list of allocations and
releases, the same for all allocators. malloc is the C library's with a single heap that only grows and
shrinks at its end, as on a device without an operating system (`mmap` for large blocks is disabled). It runs
in a separate process. Times are those of calls from Python: through ctypes for malloc.
"""

import argparse
import ctypes
import random
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from weft.device.bufalloc import Bufalloc

# An event: the number of a buffer and its size; a size of 0 releases it.
Events = list[tuple[int, int]]
# Options of mallopt.
_M_TRIM_THRESHOLD, _M_MMAP_MAX, _M_ARENA_MAX = -1, -4, -8


@dataclass(frozen=True)
class Pattern:
    """The allocations and releases of a program; buffers of one group are numbered in sequence."""

    name: str
    events: Events
    groups: list[range]


@dataclass(frozen=True)
class Figures:
    """The results of a pattern: the range of bytes ever used, relative to the peak of allocated bytes; the
    share of contiguous groups; nanoseconds per call."""

    overhead: float
    contiguous: float
    nanoseconds: float


def patterns(seed: int = 1) -> list[Pattern]:
    """Return all patterns, from random numbers of a seed."""
    return [
        _pattern("one kernel after the other", seed, 1, 2000, _kernel_sizes, 0.0),
        _pattern("8 kernels at a time, released in any order", seed, 8, 2000, _kernel_sizes, 0.0),
        _pattern("64 kernels at a time, released in any order", seed, 64, 2000, _kernel_sizes, 0.0),
        _pattern("the same, one buffer in ten kept for long", seed, 64, 2000, _kernel_sizes, 0.1),
        _pattern("64 kernels at a time, buffers of one size", seed, 64, 2000, _equal_sizes, 0.0),
        _pattern("64 kernels at a time, small buffers too", seed, 64, 2000, _mixed_sizes, 0.0),
    ]


def _kernel_sizes(rng: random.Random) -> list[int]:
    """Return the sizes of 2 to 6 arrays of one length, with elements of 4 to 16 bytes: 16 KiB to 4 MiB."""
    length = 1 << rng.randint(12, 18)
    return [length * rng.choice((4, 4, 8, 16)) for _ in range(rng.randint(2, 6))]


def _equal_sizes(rng: random.Random) -> list[int]:
    return [1 << 20] * 4


def _mixed_sizes(rng: random.Random) -> list[int]:
    """Return the same, and small buffers for parameters and results."""
    return [*_kernel_sizes(rng), *(rng.randint(4, 4096) for _ in range(2))]


def _pattern(
    name: str, seed: int, at_a_time: int, count: int, sizes: Callable[[random.Random], list[int]], kept: float
) -> Pattern:
    rng = random.Random(f"{seed} {name}")
    events: Events = []
    groups: list[range] = []
    live: list[list[int]] = []
    long_lived: list[int] = []
    number = 0
    for _ in range(count):
        if len(live) == at_a_time:
            released = live.pop(rng.randrange(len(live)))
            staying = [buffer for buffer in released if rng.random() < kept]
            events += [(buffer, 0) for buffer in released if buffer not in staying]
            long_lived += staying
            while len(long_lived) > 4 * at_a_time * kept:
                events.append((long_lived.pop(rng.randrange(len(long_lived))), 0))
        lengths = sizes(rng)
        groups.append(range(number, number + len(lengths)))
        events += zip(groups[-1], lengths, strict=True)
        live.append(list(groups[-1]))
        number += len(lengths)
    rest = [buffer for group in live for buffer in group] + long_lived
    return Pattern(name, events + [(buffer, 0) for buffer in rest], groups)


def measure(pattern: Pattern, allocate: Callable[[int], int], release: Callable[[int], object]) -> Figures:
    """Run a pattern. A group is contiguous if the gaps between its buffers add up to less than a page."""
    address: dict[int, int] = {}
    where: dict[int, tuple[int, int]] = {}
    start = time.perf_counter_ns()
    for buffer, size in pattern.events:
        if size:
            address[buffer] = allocate(size)
        else:
            release(address.pop(buffer))
    elapsed = time.perf_counter_ns() - start
    # Compute the statistics in a second pass, which would distort the times above.
    live = peak = 0
    sizes: dict[int, int] = {}
    for buffer, size in pattern.events:
        if size:
            address[buffer] = allocate(size)
            where[buffer] = (address[buffer], size)
            sizes[buffer] = size
            live += size
            peak = max(peak, live)
        else:
            release(address.pop(buffer))
            live -= sizes[buffer]
    lowest = min(at for at, _ in where.values())
    highest = max(at + size for at, size in where.values())
    together = 0
    for group in pattern.groups:
        span = max(sum(where[b]) for b in group) - min(where[b][0] for b in group)
        together += span - sum(where[b][1] for b in group) < 4096
    return Figures((highest - lowest) / peak, together / len(pattern.groups), elapsed / len(pattern.events))


def with_bufalloc(pattern: Pattern, greedy: bool, room: float) -> Figures:
    """Run a pattern on Bufalloc, in a region of `room` times the pattern's peak."""
    live = peak = 0
    sizes: dict[int, int] = {}
    for buffer, size in pattern.events:
        sizes.setdefault(buffer, size)
        live += size or -sizes[buffer]
        peak = max(peak, live)
    allocator = Bufalloc(0, int(peak * room), greedy=greedy)
    return measure(pattern, allocator.allocate, allocator.release)


def with_malloc(pattern: Pattern) -> Figures:
    """Run a pattern on the C library's malloc, with one heap."""
    libc = ctypes.CDLL(None)
    for option, value in ((_M_MMAP_MAX, 0), (_M_ARENA_MAX, 1), (_M_TRIM_THRESHOLD, -1)):
        libc.mallopt(option, value)
    libc.malloc.restype, libc.malloc.argtypes = ctypes.c_void_p, [ctypes.c_size_t]
    libc.free.restype, libc.free.argtypes = None, [ctypes.c_void_p]
    return measure(pattern, libc.malloc, libc.free)


ALLOCATORS: dict[str, Callable[[Pattern], Figures]] = {
    "malloc": with_malloc,
    "Bufalloc": partial(with_bufalloc, greedy=False, room=4.0),
    "greedy, region of 4 times the need": partial(with_bufalloc, greedy=True, room=4.0),
    "greedy, region of 1.25 times the need": partial(with_bufalloc, greedy=True, room=1.25),
}


def table() -> Iterator[str]:
    """Yield the figures of all patterns and allocators, as Markdown."""
    yield "| pattern | allocator | memory used / needed | groups in one piece | time of a call |"
    yield "|---|---|---:|---:|---:|"
    for number, pattern in enumerate(patterns()):
        for name in ALLOCATORS:
            # Each runs in a separate process, so that the heap is empty at first.
            command = [sys.executable, "-m", "bench.bufalloc", "--one", str(number), name]
            words = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()
            overhead, contiguous, nanoseconds = map(float, words)
            figures = f"{overhead:.2f} | {contiguous:.0%} | {nanoseconds / 1000:.1f} µs"
            yield f"| {pattern.name} | {name} | {figures} |"


def main(arguments: Sequence[str]) -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="python -m bench.bufalloc", description=__doc__)
    parser.add_argument("--one", nargs=2, metavar=("PATTERN", "ALLOCATOR"), help="run one, print figures")
    options = parser.parse_args(arguments)
    if options.one is None:
        for line in table():
            print(line, flush=True)
        return 0
    number, name = options.one
    figures = ALLOCATORS[name](patterns()[int(number)])
    print(figures.overhead, figures.contiguous, figures.nanoseconds)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
