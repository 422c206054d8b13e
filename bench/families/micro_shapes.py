"""Small kernels in work-groups of all sizes, and kernels with many barriers."""

from functools import partial

import numpy as np

from bench.case import Case, Launch, Local, case

SIMPLE = """
__kernel void simple(__global const float *in, __global float *out) {
    size_t i = get_global_id(0);
    out[i] = 2.0f * in[i] + 1.0f;
}
__kernel void looped(__global const float *in, __global float *out) {
    size_t i = get_global_id(0);
    float x = in[i], sum = 0.0f;
    for (int k = 0; k < 24; k++)
        sum = sum * x + k;
    out[i] = sum;
}
__kernel void blur(__global const float *in, __global float *out, int width, int padded) {
    int x = get_global_id(0), y = get_global_id(1);
    float sum = 0.0f;
    for (int v = 0; v < 3; v++)
        for (int u = 0; u < 3; u++)
            sum += in[(y + v) * padded + x + u];
    out[y * width + x] = sum;
}
"""


def simple(random: np.random.Generator, groups: int, group: int) -> Case:
    """A straight line of code."""
    values = random.integers(0, 100, groups * group).astype(np.float32)
    launch = Launch("simple", ("in", "out"), (groups * group,), (group,))
    return Case(SIMPLE, [launch], {"in": values, "out": np.zeros_like(values)}, {"out": 2 * values + 1})


def looped(random: np.random.Generator, groups: int, group: int) -> Case:
    """A loop with a uniform trip count."""
    values = 0.9 * random.random(groups * group, np.float32)
    expected = np.zeros(len(values))
    for k in range(24):
        expected = expected * values + k
    return Case(
        SIMPLE,
        [Launch("looped", ("in", "out"), (groups * group,), (group,))],
        {"in": values, "out": np.zeros_like(values)},
        {"out": expected.astype(np.float32)},
        tolerance=1e-5,
    )


for _name, _make, _items in (("simple kernel", simple, 2**18), ("kernel with a loop", looped, 2**16)):
    for _group in (1, 3, 7, 17, 64, 100):
        _sizes = {"groups": _items // _group}
        case(f"micro/local size {_group}/{_name}", sizes=_sizes, small={"groups": 9})(
            partial(_make, group=_group)
        )


def blur(random: np.random.Generator, width: int, height: int, group: tuple[int, int]) -> Case:
    """Sums over 3x3 in an image with a margin."""
    image = random.integers(0, 100, (height + 2, width + 2)).astype(np.float32)
    sums = sum(image[v : v + height, u : u + width] for v in range(3) for u in range(3))
    arguments = ("in", "out", np.int32(width), np.int32(width + 2))
    return Case(
        SIMPLE,
        [Launch("blur", arguments, (width, height), group)],
        {"in": image, "out": np.zeros((height, width), np.float32)},
        {"out": np.asarray(sums)},
    )


for _local in ((3, 3), (1, 64), (64, 1), (4, 16), (16, 16)):
    case(
        f"micro/local size {_local[0]}x{_local[1]}/blur",
        sizes={"width": 384, "height": 384},
        small={"width": 192, "height": 192},
    )(partial(blur, group=_local))

BARRIERS = """
// Each round every work-item reads what another one wrote in the round before.
__kernel void barriers_in_loop(__global const int *in, __global int *out, int rounds, __local int *shared) {
    int lid = get_local_id(0), size = get_local_size(0), value = in[get_global_id(0)];
    int beside = lid + 1 < size ? lid + 1 : 0;
    for (int k = 0; k < rounds; k++) {
        shared[lid] = value;
        barrier(CLK_LOCAL_MEM_FENCE);
        value = shared[beside] + k;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[get_global_id(0)] = value;
}

#define ROUND(k)                   \\
    shared[lid] = value;           \\
    barrier(CLK_LOCAL_MEM_FENCE);  \\
    value = shared[beside] + k;    \\
    barrier(CLK_LOCAL_MEM_FENCE);
__kernel void barriers_in_line(__global const int *in, __global int *out, int rounds, __local int *shared) {
    int lid = get_local_id(0), size = get_local_size(0), value = in[get_global_id(0)];
    int beside = lid + 1 < size ? lid + 1 : 0;
    ROUND(0) ROUND(1) ROUND(2) ROUND(3) ROUND(4) ROUND(5) ROUND(6) ROUND(7)
    ROUND(8) ROUND(9) ROUND(10) ROUND(11) ROUND(12) ROUND(13) ROUND(14) ROUND(15)
    out[get_global_id(0)] = value;
}

// Many values of each work-item live across the barriers.
__kernel void many_values(__global const float *in, __global float *out, __local float *shared) {
    int lid = get_local_id(0), size = get_local_size(0), items = get_global_size(0), i = get_global_id(0);
    float values[12], sum = 0.0f;
    for (int k = 0; k < 12; k++)
        values[k] = in[k * items + i];
    for (int k = 0; k < 12; k++) {
        shared[lid] = values[k];
        barrier(CLK_LOCAL_MEM_FENCE);
        sum += shared[size - 1 - lid] * values[11 - k];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[i] = sum;
}

// Each work-item sorts an array of its own, which lives across barriers, by odd and even pairs.
__kernel void long_arrays(__global const float *in, __global float *out) {
    int items = get_global_size(0), i = get_global_id(0);
    float values[512], sum = 0.0f;
    for (int k = 0; k < 512; k++)
        values[k] = in[k * items + i];
    for (int round = 0; round < 4; round++) {
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = round & 1; k + 1 < 512; k += 2) {
            float a = values[k], b = values[k + 1];
            values[k] = fmin(a, b);
            values[k + 1] = fmax(a, b);
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 0; k < 512; k++)
        sum += values[k] * (k & 7);
    out[i] = sum;
}
"""


def barriers(random: np.random.Generator, groups: int, kernel: str, group: int) -> Case:
    """32 barriers: 16 rounds through local memory."""
    values = random.integers(0, 1000, (groups, group), dtype=np.int32)
    expected = np.roll(values, -16, axis=1) + np.int32(sum(range(16)))
    launch = Launch(kernel, ("in", "out", np.int32(16), Local(4 * group)), (groups * group,), (group,))
    return Case(BARRIERS, [launch], {"in": values, "out": np.zeros_like(values)}, {"out": expected})


def many_values(random: np.random.Generator, groups: int, group: int) -> Case:
    """Twelve values per work-item are live across barriers."""
    values = random.integers(0, 10, (12, groups, group)).astype(np.float32)
    expected = (values[:, :, ::-1] * values[::-1]).sum(axis=0)
    launch = Launch("many_values", ("in", "out", Local(4 * group)), (groups * group,), (group,))
    return Case(BARRIERS, [launch], {"in": values, "out": np.zeros_like(expected)}, {"out": expected})


def long_arrays(random: np.random.Generator, groups: int, group: int) -> Case:
    """2 KiB per work-item are live across barriers."""
    values = random.integers(0, 100, (512, groups * group)).astype(np.float32)
    sorted_once = values.copy()
    for start in (0, 1, 0, 1):
        first, second = sorted_once[start:511:2], sorted_once[start + 1 :: 2]
        lesser, greater = np.minimum(first, second), np.maximum(first, second)
        first[:], second[:] = lesser, greater
    expected = (sorted_once * (np.arange(512) & 7)[:, None]).sum(axis=0).astype(np.float32)
    launch = Launch("long_arrays", ("in", "out"), (groups * group,), (group,))
    return Case(BARRIERS, [launch], {"in": values, "out": np.zeros_like(expected)}, {"out": expected})


for _group in (16, 256):
    for _kernel in ("barriers_in_loop", "barriers_in_line"):
        case(
            f"micro/32 {_kernel.replace('_', ' ')}/local size {_group}",
            sizes={"groups": 2**16 // _group},
            small={"groups": 2},
        )(partial(barriers, kernel=_kernel, group=_group))
case("micro/12 values across 24 barriers", sizes={"groups": 256}, small={"groups": 2})(
    partial(many_values, group=128)
)
case("micro/2 KiB a work-item across 5 barriers", sizes={"groups": 16}, small={"groups": 1})(
    partial(long_arrays, group=256)
)
