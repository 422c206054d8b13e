"""Compare kernels compiled through SPIR-V with those from OpenCL C: `python -m bench --spirv`.

Each platform runs in two interleaved processes: one creates its programs from OpenCL C, the other from SPIR-V
modules of the same kernels. The modules are compiled before the measurement.
"""

import os
import struct
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from statistics import geometric_mean

import pyopencl as cl

from bench.drive import Driver
from bench.outcome import Clock
from bench.platforms import Platform
from bench.progress import Progress
from bench.registry import Benchmark
from tools.opencl_to_spirv import NotCompiled, has_translator, spirv_of

SWITCH = "WEFT_BENCH_SPIRV"
"""The variable that tells a worker to create its programs from SPIR-V."""
GOAL = 1.05
# Families that measure the time from source to result.
_FROM_SOURCE = ("build", "first-launch", "one-shot", "start")
# Language options, with which the module has been compiled.
_OF_THE_LANGUAGE = ("-D", "-I", "-cl-std", "-cl-kernel-arg-info")


def is_chosen() -> bool:
    """Return whether programs of this process are created from SPIR-V."""
    return os.environ.get(SWITCH) == "1"


def programs(context: cl.Context, source: str, options: str, number: int) -> list[Callable[[], cl.Program]]:
    """Return functions that build a program from a module, one for each writer that produces one.

    `number` is stored in the module as the version of its generator, so that it is new to all caches.
    """
    kept = _others(options.split())
    builds: list[Callable[[], cl.Program]] = []
    for writer in ("llvm", "khronos") if has_translator() else ("llvm",):
        try:
            module = spirv_of(source, options, writer=writer)
        except NotCompiled:
            continue
        (generator,) = struct.unpack_from("<I", module, 8)
        stamp = struct.pack("<I", generator & 0xFFFF0000 | number & 0xFFFF)
        builds.append(partial(_built, context, module[:8] + stamp + module[12:], kept))
    if not builds:
        raise NotCompiled("no writer makes a module of it")
    return builds


def _others(options: Sequence[str]) -> list[str]:
    """Return the options that are not language options; `-D` and `-I` may have their value in the next
    word."""
    follows = ("", *options)
    return [
        word
        for word, before in zip(options, follows, strict=False)
        if not word.startswith(_OF_THE_LANGUAGE) and before not in ("-D", "-I")
    ]


def _built(context: cl.Context, module: bytes, options: Sequence[str]) -> cl.Program:
    return cl.Program(context, module).build(list(options))


def both_ways(platforms: Sequence[Platform]) -> list[Platform]:
    """Return each platform, and the same with programs from SPIR-V."""
    result = []
    for platform in platforms:
        variables = {**platform.variables, SWITCH: "1"}
        result += [platform, replace(platform, name=f"{platform.name}-spirv", variables=variables)]
    return result


def compare(driver: Driver, benchmarks: Sequence[Benchmark], clock: Clock) -> int:
    """Run the benchmarks both ways and print the ratios; return how many failed from SPIR-V but not from
    source."""
    names = [platform.name for platform in driver.platforms[::2]]
    chosen = [benchmark for benchmark in benchmarks if benchmark.family not in _FROM_SOURCE]
    width = max((len(benchmark.name) for benchmark in chosen), default=0)
    progress = Progress(len(chosen), driver.steps() * len(chosen))
    ratios: dict[tuple[str, str], list[float]] = {}
    failures = 0
    print(f"time by SPIR-V / by OpenCL C, {clock.value} time")
    for benchmark in chosen:
        progress.begin(benchmark.name)
        results = driver.run(benchmark, progress.step)
        progress.clear()
        words = []
        for name in names:
            source, module = clock.best(results[name]), clock.best(results[f"{name}-spirv"])
            if source is None or module is None:
                error = results[name].error or results[f"{name}-spirv"].error
                failures += source is not None
                words.append(f"{name}: {error}")
                continue
            ratios.setdefault((benchmark.family, name), []).append(module / source)
            words.append(f"{name} {1e6 * source:.1f} µs, {1e6 * module:.1f} µs, {module / source:.2f}")
        print(f"{benchmark.name:<{width}}  {'; '.join(words)}", flush=True)
    for (family, name), values in ratios.items():
        mean = geometric_mean(values)
        mark = "" if mean <= GOAL else f" more than {GOAL}"
        print(f"{family}, {name}: {mean:.3f} of {len(values)} cases, worst {max(values):.2f}{mark}")
    return failures
