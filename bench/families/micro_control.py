"""Small kernels with branches: guards, divergent conditions, selections, early exits; and private arrays."""

from functools import partial

import numpy as np

from bench.case import Case, Launch, case

BRANCHES = """
float heavy(float x) {
    float sum = 0.0f;
    for (int k = 0; k < 16; k++)
        sum = sum * x + (k + 1);
    return sum;
}
float heavier(float x) {
    float sum = 1.0f;
    for (int k = 0; k < 16; k++)
        sum = sum * (0.5f - x) - (k + 2);
    return sum;
}
__kernel void light_arms(__global const float *in, __global float *out, float threshold, int n) {
    int i = get_global_id(0);
    float x = in[i], y;
    if (x < threshold) y = 2.0f * x;
    else y = x - 1.0f;
    out[i] = y;
}
__kernel void heavy_arms(__global const float *in, __global float *out, float threshold, int n) {
    int i = get_global_id(0);
    float x = in[i], y;
    if (x < threshold) y = heavy(x);
    else y = heavier(x);
    out[i] = y;
}
__kernel void heavy_arm(__global const float *in, __global float *out, float threshold, int n) {
    int i = get_global_id(0);
    float x = in[i];
    if (x < threshold) x = heavy(x);
    out[i] = x;
}
__kernel void guard(__global const float *in, __global float *out, float threshold, int n) {
    int i = get_global_id(0);
    if (i < n)
        out[i] = 3.0f * in[i] + 1.0f;
}
__kernel void guarded_loop(__global const float *in, __global float *out, float threshold, int n) {
    int i = get_global_id(0);
    if (i >= n)
        return;
    out[i] = heavy(in[i]);
}
__kernel void sparse_stores(__global const float *in, __global float *out, float threshold, int n) {
    int i = get_global_id(0);
    float x = in[i];
    if (x < threshold)
        out[i] = x * x;
}
__kernel void selections(__global const float *in, __global float *out, float threshold, int n) {
    int i = get_global_id(0);
    float x = in[i], y = x;
    y = x > 0.1f ? y + 1.0f : y * 2.0f;
    y = x > 0.2f ? y * 3.0f : y - x;
    y = y > 2.0f ? y - 2.0f : y + 0.5f;
    y = x > 0.4f ? y + x : y * x;
    y = y > 0.7f ? y * 0.5f : y;
    y = x > 0.6f ? y - 1.0f : y + 2.0f;
    y = y < 0.0f ? -y : y * 1.5f;
    y = select(y, y * x, isgreater(x, 0.8f));
    out[i] = y;
}
__kernel void choices(__global const float *in, __global float *out, float threshold, int n) {
    int i = get_global_id(0);
    float x = in[i], y = 0.0f;
    switch ((int)(8.0f * x)) {
    case 0: y = x + 1.0f; break;
    case 1: y = x * x; break;
    case 2: y = 2.0f - x; break;
    case 3: y = x * 0.5f; break;
    case 4: y = 1.0f / (1.0f + x); break;
    case 5: y = x * x * x; break;
    case 6: y = -x; break;
    default: y = 4.0f * x;
    }
    out[i] = y;
}
__kernel void early_exit(__global const float *in, __global float *out, float threshold, int n) {
    int i = get_global_id(0);
    float x = in[i];
    int k;
    for (k = 0; k < 64; k++) {
        x = x * 1.1f;
        if (x > 4.0f)
            break;
        if (x > 2.0f)
            continue;
        x += 0.01f;
    }
    out[i] = x + k;
}
"""


def _poly(x: np.ndarray, times: np.ndarray, first: float, step: int, start: int) -> np.ndarray:
    total = np.full(len(x), first)
    for k in range(16):
        total = total * times + step * (k + start)
    return total


def _exits(x: np.ndarray) -> np.ndarray:
    """Compute `early_exit` in single precision, rounded like the loop."""
    value, count = x.copy(), np.zeros(len(x), np.float32)
    running = np.ones(len(x), bool)
    for _ in range(64):
        value[running] *= np.float32(1.1)
        running &= value <= 4
        low = running & (value <= 2)
        value[low] += np.float32(0.01)
        count[running] += 1
    return value + count


def _selected(x: np.ndarray) -> np.ndarray:
    y = np.where(x > 0.1, x + 1, x * 2)
    y = np.where(x > 0.2, y * 3, y - x)
    y = np.where(y > 2, y - 2, y + 0.5)
    y = np.where(x > 0.4, y + x, y * x)
    y = np.where(y > 0.7, y * 0.5, y)
    y = np.where(x > 0.6, y - 1, y + 2)
    y = np.where(y < 0, -y, y * 1.5)
    return np.where(x > 0.8, y * x, y)


def _chosen(x: np.ndarray) -> np.ndarray:
    arms = [x + 1, x * x, 2 - x, x / 2, 1 / (1 + x), x**3, -x, 4 * x]
    return np.choose((8 * x).astype(int), arms)


def branches(
    random: np.random.Generator, count: int, kernel: str, share: float = 0.5, group: int = 64
) -> Case:
    """Return a kernel in which `share` of the work-items, chosen at random, take the other branch."""
    x = random.random(count, np.float32)
    n = count - group // 3
    inside = np.arange(count) < n
    taken = x < np.float32(share)
    wide = x.astype(np.float64)
    heavy = _poly(wide, wide, 0.0, 1, 1)
    expected = {
        "light_arms": lambda: np.where(taken, 2 * wide, wide - 1),
        "heavy_arms": lambda: np.where(taken, heavy, _poly(wide, 0.5 - wide, 1.0, -1, 2)),
        "heavy_arm": lambda: np.where(taken, heavy, wide),
        "guard": lambda: np.where(inside, 3 * wide + 1, 0),
        "guarded_loop": lambda: np.where(inside, heavy, 0),
        "sparse_stores": lambda: np.where(taken, wide * wide, 0),
        "selections": lambda: _selected(wide),
        "choices": lambda: _chosen(wide),
        "early_exit": lambda: _exits(x),
    }[kernel]()
    return Case(
        BRANCHES,
        [Launch(kernel, ("in", "out", np.float32(share), np.int32(n)), (count,), (group,))],
        {"in": x, "out": np.zeros_like(x)},
        {"out": expected.astype(np.float32)},
        tolerance=1e-5,
        # A number near the threshold of a condition may be rounded across it.
        may_differ=0.001,
    )


for _name, _kernel, _share, _count in (
    ("divergent if/light arms", "light_arms", 0.5, 2**18),
    ("divergent if/heavy arms", "heavy_arms", 0.5, 2**16),
    ("divergent if/one heavy arm, taken by half", "heavy_arm", 0.5, 2**16),
    ("divergent if/one heavy arm, taken by 1 %", "heavy_arm", 0.01, 2**17),
    ("divergent if/stores of half", "sparse_stores", 0.5, 2**18),
    ("divergent if/stores of 1 %", "sparse_stores", 0.01, 2**18),
    ("guard/simple kernel", "guard", 0.5, 2**18),
    ("guard/kernel with a loop", "guarded_loop", 0.5, 2**16),
    ("selections", "selections", 0.5, 2**17),
    ("switch", "choices", 0.5, 2**17),
    ("loop with break and continue", "early_exit", 0.5, 2**14),
):
    case(f"micro/{_name}", sizes={"count": _count}, small={"count": 640})(
        partial(branches, kernel=_kernel, share=_share)
    )

ARRAYS = """
// Known indices once the loops are unrolled: the array can live in registers.
__kernel void known(__global const float *in, __global const int *index, __global float *out) {
    int i = get_global_id(0), items = get_global_size(0);
    float sums[8];
    for (int b = 0; b < 8; b++)
        sums[b] = 0.0f;
    for (int k = 0; k < 16; k++) {
        float x = in[k * items + i];
        for (int b = 0; b < 8; b++)
            sums[b] += x * (b + 1);
    }
    for (int b = 0; b < 8; b++)
        out[b * items + i] = sums[b];
}
// The same index for all work-items, known only at run time.
__kernel void uniform(__global const float *in, __global const int *index, __global float *out) {
    int i = get_global_id(0), items = get_global_size(0);
    float sums[8];
    for (int b = 0; b < 8; b++)
        sums[b] = 0.0f;
    for (int k = 0; k < 16; k++)
        sums[index[k]] += in[k * items + i];
    for (int b = 0; b < 8; b++)
        out[b * items + i] = sums[b];
}
// Each work-item has its own.
__kernel void varying(__global const float *in, __global const int *index, __global float *out) {
    int i = get_global_id(0), items = get_global_size(0);
    float sums[8];
    for (int b = 0; b < 8; b++)
        sums[b] = 0.0f;
    for (int k = 0; k < 16; k++)
        sums[index[k * items + i]] += in[k * items + i];
    for (int b = 0; b < 8; b++)
        out[b * items + i] = sums[b];
}
"""


def arrays(random: np.random.Generator, count: int, kernel: str) -> Case:
    """Eight sums per work-item in a private array."""
    values = random.integers(0, 10, (16, count)).astype(np.float32)
    shape = (16, count) if kernel == "varying" else (16, 1)
    index = random.integers(0, 8, shape, dtype=np.int32)
    if kernel == "known":
        expected = np.outer(np.arange(1, 9), values.sum(axis=0))
    else:
        expected = np.stack([np.where(index == b, values, 0).sum(axis=0) for b in range(8)])
    return Case(
        ARRAYS,
        [Launch(kernel, ("in", "index", "out"), (count,), (64,))],
        {"in": values, "index": index, "out": np.zeros((8, count), np.float32)},
        {"out": expected.astype(np.float32)},
    )


for _kernel in ("known", "uniform", "varying"):
    case(f"micro/private array/{_kernel} index", sizes={"count": 2**15}, small={"count": 256})(
        partial(arrays, kernel=_kernel)
    )
