"""`python -m bench.tta`: runs kernels on the simulated TTA, and writes docs/tta.md from the measurements.

Simulated cycles depend only on the compiler and the machine description, not on the host.
"""

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from bench.case import CASES, Case, Launch, Local
from bench.families import amd_finance, amd_image, amd_matrix, amd_signal, amd_sorting
from bench.platforms import ROOT
from weft.device.tta_machine import TtaDevice, run_kernel
from weft.kernel import LocalSize
from weft.program import Program, build
from weft.tta.compile import TtaKernel, TtaOptions, compile_kernel
from weft.tta.errors import DeviceFault, Refused
from weft.tta.machine import DEFAULT, load_machine
from weft.tta.report import lower_bound, utilisation
from weft.tta.simulate import Run, Simulator

PAGE = "tta.md"
PREFACE = Path(__file__).with_name("tta.md")
# The modules whose cases are simulated; importing them registers the cases.
FAMILIES = (amd_finance, amd_image, amd_matrix, amd_signal, amd_sorting)

DCT = """
// The cosine transform of blocks: the size of a block is an argument, so that no loop can be unrolled.
kernel void dct(global float *output, global const float *input, global const float *basis,
                local float *inter, const uint width, const uint block, const uint inverse) {
    const uint i = get_local_id(0), j = get_local_id(1);
    const uint row = (get_group_id(1) * block + j) * width + get_group_id(0) * block;
    float sum = 0.0f;
    for (uint k = 0; k < block; k++) {
        uint at = inverse ? i * block + k : k * block + i;
        sum += basis[at] * input[row + k];
    }
    inter[j * block + i] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    sum = 0.0f;
    for (uint k = 0; k < block; k++) {
        uint at = inverse ? j * block + k : k * block + j;
        sum += inter[k * block + i] * basis[at];
    }
    output[row + i] = sum;
}
"""
# Longer launches are not simulated.
MOST_CYCLES = 1_000_000
# The side of the picture for which the page reports the time.
TOLD_SIDE = 128
ALONE = TtaOptions(horizontal=False, items=1, pipeline=False)
# Kernels whose work-item loops are pipelined: 256 work-items in a group, no barriers.
STREAMS = """
kernel void saxpy(global const float *x, global float *y, float a) {
    int i = get_global_id(0);
    y[i] += a * x[i];
}
kernel void complex_product(global const float2 *a, global const float2 *b, global float2 *c) {
    int i = get_global_id(0);
    float2 x = a[i], y = b[i];
    c[i] = (float2)(x.x * y.x - x.y * y.y, x.x * y.y + x.y * y.x);
}
kernel void fir(global const int *x, global int *y, global const int *c) {
    int i = get_global_id(0), sum = 0;
    for (int k = 0; k < 5; k++)
        sum += c[k] * x[i + k];
    y[i] = sum;
}
"""
STREAM_SIZE = 256


@dataclass(frozen=True)
class Measured:
    """A simulated launch; its results were checked."""

    run: Run
    kernel: TtaKernel

    @property
    def cycles(self) -> int:
        return self.run.cycles

    @property
    def operations_per_cycle(self) -> float:
        return utilisation(self.kernel.program, self.run.counts).operations_per_cycle


@cache
def _built(source: str, options: str) -> Program:
    return build(source, options)


@cache
def _compiled(
    source: str, options: str, kernel: str, size: LocalSize, machine: str, count: int, how: TtaOptions
) -> tuple[TtaKernel, Simulator]:
    """Return a kernel and its simulator, for a machine by name, with `count` of each unit unless that is
    0."""
    code = _built(source, options).kernels[kernel]
    described = load_machine(machine)
    if count:
        described = described.with_units(count, 8 * count)
    compiled = compile_kernel(code.code, code.options, size, described, how)
    return compiled, Simulator(compiled.program, MOST_CYCLES)


def simulate(case: Case, how: TtaOptions, machine: str = DEFAULT, count: int = 0) -> list[Measured]:
    """Run all launches of a case; raise AssertionError if the results are wrong, Refused if it cannot run."""
    program = _built(case.source, case.options)
    buffers = {name: array.copy() for name, array in case.buffers.items()}
    results = []
    for launch in case.launches:
        kernel = program.kernels[launch.kernel]
        local = launch.local_size or (launch.global_size[0],)
        x, y, z = (*local, 1, 1)[:3]
        compiled, simulator = _compiled(
            case.source, case.options, launch.kernel, (x, y, z), machine, count, how
        )
        values: list[Any] = []
        for argument in launch.arguments:
            if isinstance(argument, str):
                values.append(buffers[argument].reshape(-1).view(np.uint8))
            elif isinstance(argument, Local):
                values.append(argument.nbytes)
            else:
                assert isinstance(argument, np.generic), "no case of the family has a sampler"
                values.append(argument.tobytes())
        device = TtaDevice(compiled.program.machine, compiled.heap)
        run = run_kernel(
            device,
            compiled,
            kernel.arguments,
            values,
            kernel.local_bytes,
            launch.global_size,
            simulator=simulator,
        )
        results.append(Measured(run, compiled))
    for name in case.expected:
        case.compare(name, buffers[name])
    return results


def dct_case(side: int) -> Case:
    """Return the transform of a picture of side x side."""
    random = np.random.default_rng(1)
    image = random.random((side, side), np.float32)
    k, n = np.meshgrid(np.arange(8), np.arange(8), indexing="ij")
    basis = (np.where(k == 0, np.sqrt(1 / 8), 0.5) * np.cos((2 * n + 1) * k * np.pi / 16)).astype(np.float32)
    blocks = image.reshape(side // 8, 8, side // 8, 8).transpose(0, 2, 1, 3)
    expected = (basis.T @ blocks @ basis).transpose(0, 2, 1, 3).reshape(side, side)
    numbers = (np.uint32(side), np.uint32(8), np.uint32(0))
    arguments = ("output", "input", "basis", Local(256), *numbers)
    buffers = {"output": np.zeros_like(image), "input": image, "basis": basis}
    launch = Launch("dct", arguments, (side, side), (8, 8))
    return Case(DCT, [launch], buffers, {"output": expected.astype(np.float32)}, tolerance=1e-5)


def total(launches: Sequence[Measured]) -> tuple[int, float]:
    """Return the cycles of launches, and their operations per cycle."""
    cycles = sum(one.cycles for one in launches)
    operations = sum(utilisation(one.kernel.program, one.run.counts).operations for one in launches)
    return cycles, operations / cycles


def dct_lines(side: int) -> Iterator[str]:
    """Yield the transform with and without horizontal inner-loop parallelization."""
    case = dct_case(side)
    groups = (side // 8) ** 2
    base, base_rate = total(simulate(case, ALONE))
    yield "| work-items | cycles of a work-group | ILP | speed-up | pipelined: cycles | ILP | speed-up |"
    yield "|---|---:|---:|---:|---:|---:|---:|"
    (measured,) = simulate(case, replace(ALONE, pipeline=True))
    figures = f"{base // groups:,} | {base_rate:.2f} | 1.0"
    yield f"| in sequence | {figures} | {_figures(measured, groups, base)} |"
    hottest: Measured | None = None
    for items in (1, 4, 8, 16, 32, 64):
        row = []
        for pipeline in (False, True):
            (measured,) = simulate(case, TtaOptions(items=items, pipeline=pipeline))
            row.append(_figures(measured, groups, base))
            if hottest is None or measured.cycles < hottest.cycles:
                hottest = measured
        yield f"| inner loops interchanged, {items} at a time | {' | '.join(row)} |"
    assert hottest is not None
    yield ""
    clock = load_machine().clock_mhz
    alone, woven = (
        cycles / groups * (TOLD_SIDE // 8) ** 2 / clock / 1000 for cycles in (base, hottest.cycles)
    )
    yield (
        f"At {clock:g} MHz a picture of {TOLD_SIDE} x {TOLD_SIDE} takes {alone:.1f} ms in sequence and "
        f"{woven:.2f} ms in the fastest version, {base / hottest.cycles:.1f} times as fast."
    )
    yield ""
    yield from _limits(hottest)


def _figures(measured: Measured, groups: int, base: int) -> str:
    return (
        f"{measured.cycles // groups:,} | {measured.operations_per_cycle:.2f} | {base / measured.cycles:.1f}"
    )


def stream_cases() -> dict[str, Case]:
    """Return the kernels that are pipelined, by name."""
    random, n = np.random.default_rng(1), STREAM_SIZE
    x, y = random.random(n, np.float32), random.random(n, np.float32)
    a, b = random.random((n, 2), np.float32), random.random((n, 2), np.float32)
    product = np.stack([a[:, 0] * b[:, 0] - a[:, 1] * b[:, 1], a[:, 0] * b[:, 1] + a[:, 1] * b[:, 0]], 1)
    samples, taps = random.integers(-99, 99, n + 4, np.int32), np.arange(-2, 3, dtype=np.int32)
    filtered = sum(taps[k] * samples[k : k + n] for k in range(5))
    described: tuple[tuple[str, tuple[str | np.generic, ...], dict[str, np.ndarray], str, Any], ...] = (
        ("saxpy", ("x", "y", np.float32(2)), {"x": x, "y": y}, "y", y + 2 * x),
        ("complex_product", ("a", "b", "c"), {"a": a, "b": b, "c": np.zeros_like(a)}, "c", product),
        ("fir", ("x", "y", "c"), {"x": samples, "y": np.zeros(n, np.int32), "c": taps}, "y", filtered),
    )
    return {
        name: Case(STREAMS, [Launch(name, arguments, (n,), (n,))], buffers, {out: expected}, tolerance=1e-5)
        for name, arguments, buffers, out, expected in described
    }


def pipelining_lines() -> Iterator[str]:
    """Yield results of unrolled work-item loops, without and with pipelining."""
    yield "| kernel | work-items in an iteration | unrolled: cycles | ILP | pipelined: cycles | ILP | speed-up | interval planned | step | stages |"  # noqa: E501
    yield "|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|"
    for name, case in stream_cases().items():
        for items in (1, 4, 16):
            (plain,) = simulate(case, TtaOptions(items=items, pipeline=False))
            (fast,) = simulate(case, TtaOptions(items=items))
            (loop,) = fast.kernel.pipelined
            step = next(b.length for b in fast.kernel.program.blocks if b.name == loop.loop)
            figures = (
                f"{plain.cycles:,} | {plain.operations_per_cycle:.2f}",
                f"{fast.cycles:,} | {fast.operations_per_cycle:.2f} | {plain.cycles / fast.cycles:.1f}",
                f"{loop.interval} | {step} | {loop.stages}",
            )
            yield f"| {name} | {items} | {' | '.join(figures)} |"


def _limits(measured: Measured) -> Iterator[str]:
    """Yield the resource usage of the block with most cycles, and the cycles that each resource alone
    needs."""
    program = measured.kernel.program
    number = max(range(len(program.blocks)), key=lambda n: program.blocks[n].length * measured.run.counts[n])
    block = program.blocks[number]
    bounds = lower_bound(program, block)
    used = block.statistics
    yield (
        f"The hottest block of the fastest version has {block.length} cycles and {used.operations} "
        f"operations. {used.bypassed} operands are bypassed from the unit that produced them, {used.shared} "
        f"are already on the input, and {used.dead_results} results are never written to a register. "
        "The lower bound of each resource:"
    )
    yield ""
    yield "| resource | utilization | minimum cycles |"
    yield "|---|---:|---:|"
    for use in utilisation(type(program)(program.machine, [block])).uses:
        yield f"| {use.name} | {use.share:.0%} | {bounds[use.name]} |"


def family_lines(names: Sequence[str], machines: Sequence[str] = (DEFAULT, "table2-math")) -> Iterator[str]:
    """Yield results of the AMD kernels, with one work-item at a time and several in parallel."""
    yield "| benchmark | machine | sequential: cycles | ILP | parallel: cycles | ILP | speed-up |"
    yield "|---|---|---:|---:|---:|---:|---:|"
    refused: list[str] = []
    for name in names:
        maker, why = CASES[name], ""
        for machine in machines:
            try:
                case = maker.quick(np.random.default_rng(7))
                alone, alone_rate = total(simulate(case, ALONE, machine))
                woven, woven_rate = best(case, machine)
            except (Refused, DeviceFault) as error:
                why = why or str(error)
                continue
            yield (
                f"| {name} | {machine} | {alone:,} | {alone_rate:.2f} | {woven:,} | {woven_rate:.2f} "
                f"| {alone / woven:.1f} |"
            )
            break
        else:
            refused.append(f"| {name} | {why.split(' (`')[0]} |")
        print(f"  {name}", file=sys.stderr, flush=True)
    if refused:
        yield ""
        yield "Kernels that no machine can run, with the first reason on the first machine:"
        yield ""
        yield "| benchmark | reason |"
        yield "|---|---|"
        yield from refused


def best(
    case: Case, machine: str = DEFAULT, count: int = 0, choices: Sequence[int] = (1, 4, 16)
) -> tuple[int, float]:
    """Return the fewest cycles for several numbers of parallel work-items."""
    return min(total(simulate(case, TtaOptions(items=items), machine, count)) for items in choices)


def scaling_lines(side: int) -> Iterator[str]:
    """Yield the transform on machines with 1, 2, 4 and 8 of each unit."""
    yield "| units of each kind | buses | cycles of a work-group | operations per cycle | speed-up |"
    yield "|---:|---:|---:|---:|---:|"
    first = 0
    for count in (1, 2, 4, 8):
        cycles, rate = best(dct_case(side), DEFAULT, count, (8, 64))
        first = first or cycles
        per_group = cycles // (side // 8) ** 2
        yield f"| {count} | {8 * count} | {per_group:,} | {rate:.2f} | {first / cycles:.1f} |"


def refused_lines() -> Iterator[str]:
    """Yield the reasons why kernel tests were refused, with counts, from the tests' record."""
    refused: dict[str, dict[str, str]] = json.loads((ROOT / "tests" / "tta" / "refused.json").read_text())
    counts: dict[str, dict[str, int]] = {}
    for machine, kernels in refused.items():
        for why in kernels.values():
            lacks = why.split(" cannot compute with ")[-1]
            lacks = lacks.split(" has ")[-1] if lacks is why else lacks
            row = counts.setdefault(lacks, dict.fromkeys(refused, 0))
            row[machine] += 1
    yield f"| missing feature | {' | '.join(refused)} |"
    yield f"|---|{'---:|' * len(refused)}"
    for lacks, row in sorted(counts.items(), key=lambda item: (-sum(item[1].values()), item[0])):
        yield f"| {lacks} | {' | '.join(str(n) for n in row.values())} |"
    yield f"| all | {' | '.join(str(len(kernels)) for kernels in refused.values())} |"


def page(side: int, names: Sequence[str]) -> Iterator[str]:
    """Yield docs/tta.md."""
    for line in PREFACE.read_text().splitlines():
        if line == "DCT":
            yield from dct_lines(side)
        elif line == "PIPELINING":
            yield from pipelining_lines()
        elif line == "SCALING":
            yield from scaling_lines(side)
        elif line == "REFUSED":
            yield from refused_lines()
        elif line == "FAMILY":
            yield from family_lines(names)
        else:
            yield line


def main(arguments: Sequence[str]) -> int:
    """Simulate and write the page."""
    parser = argparse.ArgumentParser(prog="python -m bench.tta", description=__doc__)
    parser.add_argument(
        "--side", type=int, default=16, help="the side of the picture that is transformed (16)"
    )
    parser.add_argument("--docs", type=Path, default=ROOT / "docs", help="where the page goes")
    parser.add_argument(
        "--family", default="", metavar="TEXT", help="only benchmarks with this in their names"
    )
    parser.add_argument("--only-family", action="store_true", help="print the table of the family")
    parser.add_argument("--only-pipelining", action="store_true", help="print the table of pipelined loops")
    parser.add_argument(
        "--only-dct", action="store_true", help="print the table of the transform, write nothing"
    )
    options = parser.parse_args(arguments)
    names = sorted(name for name in CASES if name.startswith("amd/") and options.family in name)
    only = {
        "dct": lambda: dct_lines(options.side),
        "family": lambda: family_lines(names),
        "pipelining": pipelining_lines,
    }
    for name, lines in only.items():
        if getattr(options, f"only_{name}"):
            for line in lines():
                print(line, flush=True)
            return 0
    with (options.docs / PAGE).open("w") as written:
        for line in page(options.side, names):
            print(line, file=written, flush=True)
    print(f"written: {options.docs / PAGE}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
