"""Numbers of 32 bits whose lower bits are loaded have no others when they are extended to 64."""

import time

import numpy as np
import pytest
from kernel_case import FOLDER, KernelCase, parse_launch
from kernel_ways import CompiledWay

from weft.codegen.host import host_target
from weft.codegen.partial_loads import prevent_partial_loads
from weft.target import x86

# What becomes of x, a ulong, with numbers p: by the kernel and by the test.
STEPS = {
    "16 bits": (
        "(uint)(x >> 16) & 0xffff0000u | p[i] & 0xffffu",
        lambda x, p: x >> 16 & 0xFFFF0000 | p & 0xFFFF,
    ),
    "8 bits": ("(uint)(x >> 24) & 0xffffff00u | p[i] & 0xffu", lambda x, p: x >> 24 & 0xFFFFFF00 | p & 0xFF),
    "used twice": (
        "sum_of(&sum, (uint)(x >> 16) & 0xffff0000u | p[i] & 0xffffu)",
        lambda x, p: x >> 16 & 0xFFFF0000 | p & 0xFFFF,
    ),
    "both branches": (
        "i & 1 ? (uint)(x >> 24) & 0xffffff00u | (uchar)p[i] : (uint)(x >> 24) & 0xffffff00u | (uchar)p[i]",
        lambda x, p: x >> 24 & 0xFFFFFF00 | p & 0xFF,
    ),
    "halves": (
        "(uint)((ushort)p[i] | (uint)(ushort)(x >> 32) << 16) | x << 32",
        lambda x, p: (x >> 32 & 0xFFFF) << 16 | p & 0xFFFF | x << 32,
    ),
}


@pytest.mark.parametrize("level", [1, 3])
@pytest.mark.parametrize("step", STEPS)
def test_upper_half_is_zero(step: str, level: int) -> None:
    """In a loop, so that x is in a register and not loaded in parts."""
    expression, expected = STEPS[step]
    source = "uint sum_of(uint *sum, uint x) { *sum = *sum * 3 ^ x; return x; }"
    source += " kernel void k(global ulong *o, global uint *sums, global uint *p, uint n) { uint sum = 0;"
    source += " ulong x = o[get_global_id(0)] * 0x9e3779b97f4a7c15ul;"
    source += f" for (uint i = 0; i < n; i++) {{ x = {expression}; x *= 0x9e3779b97f4a7c15ul; }}"
    source += " o[get_global_id(0)] = x; sums[get_global_id(0)] = sum; }"
    arguments = {
        "o": np.array([3, 5], np.uint64),
        "sums": np.zeros(2, np.uint32),
        "p": np.arange(5, dtype=np.uint32) * 0x89ABCDEF,
        "n": 5,
    }
    x = [int(number) for number in arguments["o"]]
    way = CompiledWay(any_size=True, method="loops", level=level)
    found = way.run(KernelCase(FOLDER / "partial_loads.cl", source), parse_launch("2 / 1"), arguments)
    x = [number * 0x9E3779B97F4A7C15 % 2**64 for number in x]
    for p in map(int, arguments["p"]):
        x = [expected(number, p) * 0x9E3779B97F4A7C15 % 2**64 for number in x]
    assert found["o"].tolist() == x


def test_other_loads_stay_as_they_are() -> None:
    """An index with a loaded byte is no number put together of parts."""
    text = """define i64 @f(ptr %p, i64 %x) {
  %byte = load i8, ptr %p
  %low = zext i8 %byte to i32
  %half = trunc i64 %x to i32
  %upper = and i32 %half, -256
  %sum = add i32 %half, %low
  %index = zext i32 %sum to i64
  ret i64 %index
}
"""
    target = x86.describe("x86-64")
    assert prevent_partial_loads(text, target) == text
    together = text.replace("add i32 %half", "or disjoint i32 %upper")
    assert "@llvm.fake.use(i8 %byte)" in prevent_partial_loads(together, target)
    for use in ("zext i32 %sum to i128", "uitofp i32 %sum to float"):
        other = together.replace("zext i32 %sum to i64", use)
        assert "@llvm.fake.use(i8 %byte)" in prevent_partial_loads(other, target)
    jump = together.replace("%index = zext i32 %sum to i64", "switch i32 %sum, label %x [\n  ]")
    assert "@llvm.fake.use(i8 %byte)" in prevent_partial_loads(jump, target)
    assert prevent_partial_loads(together, host_target()).count("fake.use") == 2 * host_target().loads_parts


def test_long_functions_are_looked_at_once() -> None:
    """Each number is put together with the one before it, so that all are parts of the last."""
    lines = [
        "define i64 @f(ptr %p, i64 %x) {",
        "  %half = trunc i64 %x to i32",
        "  %s0 = and i32 %half, -256",
    ]
    for i in range(1, 4000):
        lines.append(f"  %b{i} = load i8, ptr %p")
        lines.append(f"  %l{i} = zext i8 %b{i} to i32")
        lines.append(f"  %s{i} = or i32 %s{i - 1}, %l{i}")
        lines.append(f"  %z{i} = zext i32 %s{i} to i64")
    text = "\n".join([*lines, "  ret i64 %z1", "}", ""])
    start = time.process_time()
    made = prevent_partial_loads(text, x86.describe("x86-64"))
    assert time.process_time() - start < 5
    assert made.count("@llvm.fake.use(i8 %b") == 3999
