"""Measure the compile time of hard kernels for a work-group compiler: `python -m bench.compile_time`.

Kernels with many conditional barriers, sequential or nested, and long kernels, straight-line or with
barriers, in several sizes each. For each: processor time of the build (clang, canonical form), of Weft's own
passes and of LLVM at the first launch, and the size of the code. Totals above LIMIT_SECONDS are marked, and
so are families whose code grows faster than their kernels.
"""

import argparse
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from weft.compiler import compile_work_group as compiler
from weft.compiler.build_program import compile_program
from weft.frontend.clang_workers import pool
from weft.frontend.options import parse_options
from weft.kernel import CodeOptions
from weft.launch_form import LaunchForm

LIMIT_SECONDS = 5.0
LOCAL_SIZE = (64, 1, 1)

_HEAD = """\
__kernel void k(__global int *a, __global const int *flags, __local int *tile, int n) {
    int l = get_local_id(0), size = get_local_size(0);
    int v = a[get_global_id(0)], w = 1;
"""
_TAIL = "    a[get_global_id(0)] = v + w;\n}\n"
_EXCHANGE = (
    "tile[l] = v * {i}; barrier(CLK_LOCAL_MEM_FENCE); v += tile[(l + {i}) % size] ^ w; "
    "barrier(CLK_LOCAL_MEM_FENCE);"
)


def conditional_barriers(count: int) -> str:
    """Sequential barriers under conditions that are provably uniform."""
    lines = [f"    if (n & {1 << i % 30}) {{ {_EXCHANGE.format(i=i + 1)} }}\n" for i in range(count)]
    return _HEAD + "".join(lines) + _TAIL


def loaded_conditions(count: int) -> str:
    """The same with conditions that are uniform only because the program would be illegal otherwise."""
    lines = [f"    if (flags[{i}]) {{ {_EXCHANGE.format(i=i + 1)} }}\n" for i in range(count)]
    return _HEAD + "".join(lines) + _TAIL


def conditional_barriers_in_loop(count: int) -> str:
    """The same in a loop, so that each barrier can follow each other one."""
    lines = [f"        if (flags[{i}] > r) {{ {_EXCHANGE.format(i=i + 1)} }}\n" for i in range(count)]
    return _HEAD + "    for (int r = 0; r < n; r++) {\n" + "".join(lines) + "    }\n" + _TAIL


def conditions_in_unknown_loop(count: int) -> str:
    """The same in a loop that work-items might leave at different times, followed by a barrier."""
    lines = [f"        if (flags[{i}] > r) {{ {_EXCHANGE.format(i=i + 1)} }}\n" for i in range(count)]
    loop = "    for (int r = 0; r < flags[99]; r++) {\n" + "".join(lines) + "    }\n"
    return _HEAD.replace("const int", "int") + loop + f"    {_EXCHANGE.format(i=1)}\n" + _TAIL


def nested_barriers(depth: int) -> str:
    """Nested conditional barriers."""
    opening = "".join(f"    if (flags[{i}] + n) {{ {_EXCHANGE.format(i=i + 1)}\n" for i in range(depth))
    closing = "".join(f"    w += {i}; {_EXCHANGE.format(i=i + 50)} }}\n" for i in range(depth))
    return _HEAD + opening + closing + _TAIL


def nested_loops(depth: int) -> str:
    """Nested loops with barriers."""
    opening = "".join(
        f"    for (int i{i} = 0; i{i} < flags[{i}]; i{i}++) {{ {_EXCHANGE.format(i=i + 1)}\n"
        for i in range(depth)
    )
    return _HEAD + opening + "    }\n" * depth + _TAIL


def _straight(statements: int, first: int = 0) -> str:
    lines = []
    for i in range(first, first + statements):
        lines.append(f"    v = (v ^ (w + {i * 7 + 1})) * {2 * i + 3}; w += v >> {i % 13};\n")
    return "".join(lines)


def straight_code(instructions: int) -> str:
    """No control flow and no barriers."""
    return _HEAD + _straight(instructions // 5) + _TAIL


def twenty_barriers(instructions: int) -> str:
    """Twenty exchanges between stretches of straight-line code."""
    part = instructions // 5 // 20
    stretches = [_straight(part, i * part) + f"    {_EXCHANGE.format(i=i + 1)}\n" for i in range(20)]
    return _HEAD + "".join(stretches) + _TAIL


def many_values(count: int) -> str:
    """Values of each work-item that are live across all of twenty barriers."""
    values = "".join(f"    int x{i} = a[(l + {i}) & 63] * {i + 2};\n" for i in range(count))
    uses = [f"    x{i % count} += v; {_EXCHANGE.format(i=i + 1)}\n" for i in range(20)]
    total = "".join(f"    w ^= x{i};\n" for i in range(count))
    return _HEAD + values + "".join(uses) + total + _TAIL


def early_returns(count: int) -> str:
    """Work-items return one after the other, with barriers for the remaining ones."""
    lines = [f"    if (flags[{i}] == l) return; {_EXCHANGE.format(i=i + 1)}\n" for i in range(count)]
    return _HEAD + "".join(lines) + _TAIL


def both_arms_in_unknown_loop(count: int) -> str:
    """Barriers in both arms of conditions, in a loop that work-items might leave at different times."""
    lines = [
        f"        if (flags[{i}] > r) {{ {_EXCHANGE.format(i=i + 1)} }} "
        f"else {{ w += {i}; {_EXCHANGE.format(i=i + 70)} }}\n"
        for i in range(count)
    ]
    loop = "    for (int r = 0; r < flags[99]; r++) {\n" + "".join(lines) + "    }\n"
    return _HEAD.replace("const int", "int") + loop + _TAIL


def guarded_values(count: int) -> str:
    """Conditional barriers between fifty values that are live across all of them."""
    values = "".join(f"    int x{i} = a[(l + {i}) & 63] * {i + 2};\n" for i in range(50))
    uses = [f"    if (flags[{i}]) {{ x{i % 50} += v; {_EXCHANGE.format(i=i + 1)} }}\n" for i in range(count)]
    total = "".join(f"    w ^= x{i};\n" for i in range(50))
    return _HEAD + values + "".join(uses) + total + _TAIL


@dataclass(frozen=True)
class Family:
    """Kernels of several sizes; `linear`: their code should not grow faster than the size."""

    make: Callable[[int], str]
    sizes: tuple[int, ...]
    linear: bool = True


FAMILIES = (
    Family(conditional_barriers, (8, 16, 32, 64)),
    Family(loaded_conditions, (8, 16, 32, 64)),
    Family(conditional_barriers_in_loop, (8, 16, 32, 64)),
    # Barriers are gathered from some size on, so growth from smaller sizes is not linear.
    Family(conditions_in_unknown_loop, (16, 32, 64)),
    Family(nested_barriers, (1, 3, 6, 12)),
    Family(nested_loops, (1, 2, 4, 8)),
    Family(twenty_barriers, (1000, 5000)),
    Family(straight_code, (1000, 5000, 10000)),
    Family(many_values, (10, 50, 200)),
    Family(early_returns, (16, 32, 64)),
    Family(both_arms_in_unknown_loop, (16, 32, 64)),
    Family(guarded_values, (8, 16, 32)),
)


@dataclass(frozen=True)
class Cost:
    """Seconds and sizes of one compilation."""

    build: float
    passes: float
    llvm: float
    instructions: int  # of the work-group function before LLVM's optimizer
    object_bytes: int

    @property
    def total(self) -> float:
        return self.build + self.passes + self.llvm


def _seconds() -> float:
    """Return the processor time of this process and of the clang processes."""
    pool.close()  # the time of a child process counts when it has ended
    return sum(os.times()[:4])


@contextmanager
def _spied(name: str, spy: Callable[..., Any]) -> Iterator[None]:
    original = getattr(compiler, name)
    setattr(compiler, name, lambda *arguments, **more: spy(original, *arguments, **more))
    try:
        yield
    finally:
        setattr(compiler, name, original)


def measure(source: str, options: str = "") -> Cost:
    """Compile a kernel for a local size of 64, without any cache."""
    parsed = parse_options(options)
    llvm_seconds = 0.0
    instructions = 0

    def emit(original: Callable[..., bytes], modules: list[str], *rest: Any, **more: Any) -> bytes:
        nonlocal llvm_seconds, instructions
        instructions = sum(line.startswith("  ") for line in modules[0].splitlines())
        start = _seconds()
        try:
            return original(modules, *rest, **more)
        finally:
            llvm_seconds = _seconds() - start

    start = _seconds()
    program = compile_program(source, parsed)
    built = _seconds()
    with _spied("emit_object", emit):
        compiled = compiler.compile_work_group(
            program.kernels[0], CodeOptions.of(parsed), LaunchForm(LOCAL_SIZE)
        )
    launched = _seconds()
    return Cost(
        built - start, launched - built - llvm_seconds, llvm_seconds, instructions, len(compiled.object_code)
    )


def growth(sizes: Sequence[int], amounts: Sequence[float]) -> float:
    """Return how many times faster than the sizes the amounts grow in the last step; 1 for linear growth.

    A constant part, which all kernels have, is subtracted.
    """
    slopes = [(b - a) / (t - s) for s, t, a, b in zip(sizes, sizes[1:], amounts, amounts[1:], strict=False)]
    return slopes[-1] / slopes[0] if len(slopes) > 1 and slopes[0] > 0 else 1.0


def main(arguments: Sequence[str]) -> int:
    """Print the table; return whether all results are within the limits, as exit status."""
    parser = argparse.ArgumentParser(prog="python -m bench.compile_time", description=__doc__)
    parser.add_argument("family", nargs="*", help="families to compile; all if none is given")
    chosen = parser.parse_args(arguments).family
    measure(_HEAD + _TAIL)  # loads clang and LLVM
    print(f"{'kernel':36} {'build':>8} {'passes':>8} {'LLVM':>8} {'all':>8}   {'IR':>7} {'bytes':>8}")
    failed = False
    for family in FAMILIES:
        name = family.make.__name__
        if chosen and name not in chosen:
            continue
        costs = []
        for size in family.sizes:
            cost = measure(family.make(size))
            costs.append(cost)
            slow = cost.total > LIMIT_SECONDS
            failed |= slow
            print(
                f"{name + f'({size})':36} {cost.build:7.3f}s {cost.passes:7.3f}s {cost.llvm:7.3f}s "
                f"{cost.total:7.3f}s   {cost.instructions:7} {cost.object_bytes:8}{'  SLOW' if slow else ''}"
            )
        factor = growth(family.sizes, [c.instructions for c in costs])
        if family.linear and factor > 1.5:
            failed = True
            print(f"{name}: the code grows {factor:.1f} times faster than the kernel")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
