"""The measured cases: families of growing size, each with its expected result."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from bench.case import Case, Launch, Local

STREAM = """
kernel void grow(global const uint *in, global uint *out) {
    size_t i = get_global_id(0);
    out[i] = 3 * in[i] + (uint)i;
}
"""
ARITHMETIC = """
kernel void grow(global uint *out) {
    size_t i = get_global_id(0);
    uint x = i & 0xffff;
    for (int k = 0; k < 32; k++) {
        x ^= x << 5;
        x = x * 1664525 + 1013904223;
    }
    out[i] = x;
}
"""
EXCHANGE = """
kernel void grow(global const uint *in, global uint *out, local uint *tile) {
    size_t i = get_global_id(0), l = get_local_id(0), last = get_local_size(0) - 1;
    tile[l] = in[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = tile[last - l] + (uint)i;
}
"""
GROUP = 64


def streamed(items: int, group: int = GROUP) -> Case:
    """Return a case that reads one number and writes one."""
    numbers = np.arange(items, dtype=np.uint32)
    return Case(
        STREAM,
        [Launch("grow", ("in", "out"), (items,), (group,))],
        {"in": numbers[::-1].copy(), "out": np.zeros_like(numbers)},
        {"out": 3 * numbers[::-1] + numbers},
    )


def computed(items: int, group: int = GROUP) -> Case:
    """Return a compute-bound case that writes one number."""
    x = np.arange(min(items, 2**16), dtype=np.uint32)
    for _ in range(32):
        x ^= x << np.uint32(5)
        x = x * np.uint32(1664525) + np.uint32(1013904223)
    out = np.resize(x, items)
    launch = Launch("grow", ("out",), (items,), (group,))
    return Case(ARITHMETIC, [launch], {"out": np.zeros_like(out)}, {"out": out})


def exchanged(items: int, group: int = GROUP) -> Case:
    """Return a case in which work-items of a group exchange numbers across a barrier."""
    numbers = np.arange(items, dtype=np.uint32)
    turned = numbers.reshape(-1, group)[:, ::-1].reshape(-1)
    return Case(
        EXCHANGE,
        [Launch("grow", ("in", "out", Local(4 * group)), (items,), (group,))],
        {"in": numbers, "out": np.zeros_like(numbers)},
        {"out": turned + numbers},
    )


# A line of a kernel, as a function of two arrays of numbers.
Line = Callable[[np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray]]
LINE_ITEMS = 64


def _straight(number: int) -> tuple[str, Line]:
    add, factor, shift = np.uint32(7 * number + 1), np.uint32(2 * number + 3), np.uint32(number % 13)

    def apply(v: np.ndarray, w: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        v = (v ^ (w + add)) * factor
        return v, w + (v >> shift)

    return f"v = (v ^ (w + {add}u)) * {factor}u; w += v >> {shift};", apply


def _branching(number: int) -> tuple[str, Line]:
    """Return a line of a kernel: every third one is a divergent condition, every ninth a loop."""
    constant = np.uint32(number + 1)
    if number % 9 == 4:

        def loop(v: np.ndarray, w: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
            for k in range(3):
                w = np.where(k < (v & np.uint32(3)), w + (v ^ np.uint32(k)), w)
            return v, w

        return "for (uint k = 0; k < (v & 3); k++) w += v ^ k;", loop
    if number % 3 == 1:

        def branch(v: np.ndarray, w: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
            odd = (v & np.uint32(1)).astype(bool)
            return np.where(odd, v, v + constant), np.where(odd, w ^ constant, w)

        return f"if (v & 1) w ^= {constant}u; else v += {constant}u;", branch
    return _straight(number)


def long_kernel(lines: int, line: Callable[[int], tuple[str, Line]]) -> Case:
    """Return a kernel of `lines` lines."""
    v, w = np.arange(LINE_ITEMS, dtype=np.uint32), np.ones(LINE_ITEMS, np.uint32)
    texts = []
    for number in range(lines):
        text, apply = line(number)
        texts.append(f"    {text}\n")
        v, w = apply(v, w)
    head = "kernel void grow(global uint *out) {\n    uint v = get_global_id(0), w = 1;\n"
    source = head + "".join(texts) + "    out[get_global_id(0)] = v + w;\n}\n"
    launch = Launch("grow", ("out",), (LINE_ITEMS,), (LINE_ITEMS,))
    return Case(source, [launch], {"out": np.zeros(LINE_ITEMS, np.uint32)}, {"out": v + w})


@dataclass(frozen=True)
class Curve:
    """Cases of growing size; the chart shows the time divided by `amount`."""

    name: str
    of: str
    """The quantity that grows: the range, the lines, the group."""
    make: Callable[[int], Case]
    sizes: Sequence[int]
    amount: Callable[[int], int]
    builds: bool = False
    """Whether the time is that of the build rather than of a run."""
    bytes_per_item: int = 0
    """The bytes that a work-item reads and writes, if the total grows with the size."""

    @property
    def unit(self) -> str:
        """The unit of the values."""
        return "µs to compile a line" if self.builds else "ns per work-item"

    def value(self, size: int, seconds: float) -> float:
        """Return the time of a size in that unit."""
        return seconds * (1e6 if self.builds else 1e9) / self.amount(size)


RANGES = [2**k for k in range(6, 29)]
LINES = [10, 30, 100, 300, 1000, 3000, 10000]
GROUPS = [2**k for k in range(13)]
GROUP_ITEMS = 2**18


def _same(size: int) -> int:
    return size


def _group_items(_size: int) -> int:
    return GROUP_ITEMS


def _in_groups_of(group: int, make: Callable[[int, int], Case]) -> Case:
    return make(GROUP_ITEMS, group)


CURVES = (
    Curve("range, memory", "range", streamed, RANGES, _same, bytes_per_item=8),
    Curve("range, arithmetic", "range", computed, RANGES, _same, bytes_per_item=4),
    Curve("range, barrier", "range", exchanged, RANGES, _same, bytes_per_item=8),
    Curve("lines, straight", "lines", partial(long_kernel, line=_straight), LINES, _same, builds=True),
    Curve("lines, branches", "lines", partial(long_kernel, line=_branching), LINES, _same, builds=True),
    Curve("group, arithmetic", "group", partial(_in_groups_of, make=computed), GROUPS, _group_items),
    Curve("group, barrier", "group", partial(_in_groups_of, make=exchanged), GROUPS, _group_items),
)
