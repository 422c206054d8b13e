"""In the manner of AMD's APP SDK: transforms, scans and reductions over arrays."""

import numpy as np

from bench.case import Case, Launch, Local, case

HAAR = """
// A work-group takes 2 * local size values through all levels; each level halves what is left.
__kernel void haar(__global const float *signal, __global float *coefficients, __global float *averages,
                   int levels, __local float *shared) {
    const float norm = 0.70710678f;
    uint lid = get_local_id(0), size = get_local_size(0), group = get_group_id(0);
    uint start = group * 2 * size;
    float a = signal[start + lid], b = signal[start + size + lid];
    shared[lid] = a;
    shared[size + lid] = b;
    barrier(CLK_LOCAL_MEM_FENCE);
    uint active = size;
    for (int level = 0; level < levels; level++) {
        float left = 0.0f, right = 0.0f;
        if (lid < active) {
            left = shared[2 * lid];
            right = shared[2 * lid + 1];
            coefficients[start + active + lid] = (left - right) * norm;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lid < active)
            shared[lid] = (left + right) * norm;
        barrier(CLK_LOCAL_MEM_FENCE);
        active >>= 1;
    }
    if (lid == 0)
        averages[group] = shared[0];
}
"""


@case("amd/DwtHaar1D", sizes={"groups": 2048}, small={"groups": 2})
def dwt_haar(random: np.random.Generator, groups: int, group: int = 256) -> Case:
    """Haar's wavelet transform of 512 values per work-group: nine levels in local memory."""
    signal = random.random((groups, 2 * group), np.float32)
    expected = np.zeros_like(signal)
    left = signal.astype(np.float64)
    while left.shape[1] > 1:
        half = left.shape[1] // 2
        expected[:, half : 2 * half] = (left[:, ::2] - left[:, 1::2]) * np.sqrt(0.5)
        left = (left[:, ::2] + left[:, 1::2]) * np.sqrt(0.5)
    levels = np.int32((2 * group).bit_length() - 1)
    arguments = ("signal", "coefficients", "averages", levels, Local(8 * group))
    return Case(
        HAAR,
        [Launch("haar", arguments, (groups * group,), (group,))],
        {
            "signal": signal,
            "coefficients": np.zeros_like(signal),
            "averages": np.zeros(groups, np.float32),
        },
        {"coefficients": expected, "averages": left[:, 0].astype(np.float32)},
        tolerance=1e-5,
    )


WALSH = """
__kernel void walsh(__global float *values, int step) {
    uint i = get_global_id(0);
    uint left = i % step + 2 * step * (i / step);
    uint right = left + step;
    float a = values[left], b = values[right];
    values[left] = a + b;
    values[right] = a - b;
}
"""


@case("amd/FastWalshTransform", sizes={"log_count": 18}, small={"log_count": 10})
def fast_walsh_transform(random: np.random.Generator, log_count: int) -> Case:
    """One launch per power of two: pairs of values at that distance, in place."""
    values = random.random(2**log_count, np.float32)
    expected = values.astype(np.float64)
    for power in range(log_count):
        pairs = expected.reshape(-1, 2, 2**power)
        expected = np.stack([pairs[:, 0] + pairs[:, 1], pairs[:, 0] - pairs[:, 1]], 1)
    launches = [
        Launch("walsh", ("values", np.int32(2**power)), (len(values) // 2,), (256,))
        for power in range(log_count)
    ]
    return Case(
        WALSH,
        launches,
        {"values": values},
        {"values": expected.ravel().astype(np.float32)},
        tolerance=1e-5,
        restore=("values",),
    )


SCAN = """
// The sums before each value, within blocks of 2 * local size: up a tree in local memory and down again.
__kernel void scan(__global const float *values, __global float *sums, __global float *totals,
                   __local float *tree) {
    uint lid = get_local_id(0), size = get_local_size(0), start = get_group_id(0) * 2 * size;
    tree[2 * lid] = values[start + 2 * lid];
    tree[2 * lid + 1] = values[start + 2 * lid + 1];
    uint offset = 1;
    for (uint active = size; active > 0; active >>= 1) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lid < active)
            tree[offset * (2 * lid + 2) - 1] += tree[offset * (2 * lid + 1) - 1];
        offset *= 2;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lid == 0) {
        totals[get_group_id(0)] = tree[2 * size - 1];
        tree[2 * size - 1] = 0.0f;
    }
    for (uint active = 1; active <= size; active *= 2) {
        offset >>= 1;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lid < active) {
            uint a = offset * (2 * lid + 1) - 1, b = offset * (2 * lid + 2) - 1;
            float left = tree[a];
            tree[a] = tree[b];
            tree[b] += left;
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    sums[start + 2 * lid] = tree[2 * lid];
    sums[start + 2 * lid + 1] = tree[2 * lid + 1];
}

// The same by doubling the reach: no tree, but each level reads and writes everything.
__kernel void scan_doubling(__global const float *values, __global float *sums, __local float *shared) {
    uint lid = get_local_id(0), i = get_global_id(0);
    float sum = values[i];
    shared[lid] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint reach = 1; reach < get_local_size(0); reach *= 2) {
        float before = lid >= reach ? shared[lid - reach] : 0.0f;
        barrier(CLK_LOCAL_MEM_FENCE);
        sum += before;
        shared[lid] = sum;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    sums[i] = sum;
}
"""


@case("amd/PrefixSum/tree", sizes={"groups": 2048}, small={"groups": 2})
def prefix_sum_tree(random: np.random.Generator, groups: int, group: int = 256) -> Case:
    """Exclusive sums of 512 values per work-group: fewer work-items and wider strides at each level."""
    values = random.random((groups, 2 * group), np.float32)
    inclusive = np.cumsum(values.astype(np.float64), axis=1)
    return Case(
        SCAN,
        [Launch("scan", ("values", "sums", "totals", Local(8 * group)), (groups * group,), (group,))],
        {"values": values, "sums": np.zeros_like(values), "totals": np.zeros(groups, np.float32)},
        {"sums": (inclusive - values).astype(np.float32), "totals": inclusive[:, -1].astype(np.float32)},
        tolerance=1e-5,
    )


@case("amd/PrefixSum/doubling", sizes={"groups": 2048}, small={"groups": 2})
def prefix_sum_doubling(random: np.random.Generator, groups: int, group: int = 256) -> Case:
    """Inclusive sums of 256 values per work-group; all work-items are active at every level."""
    values = random.random((groups, group), np.float32)
    return Case(
        SCAN,
        [Launch("scan_doubling", ("values", "sums", Local(4 * group)), (groups * group,), (group,))],
        {"values": values, "sums": np.zeros_like(values)},
        {"sums": np.cumsum(values.astype(np.float64), axis=1).astype(np.float32)},
        tolerance=1e-5,
    )


REDUCTION = """
__kernel void reduce(__global const TYPE *values, __global TYPE *partial, __local TYPE *shared) {
    uint lid = get_local_id(0), size = get_local_size(0);
    uint i = get_group_id(0) * 2 * size + lid;
    shared[lid] = values[i] + values[i + size];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint reach = size >> 1; reach > 0; reach >>= 1) {
        if (lid < reach)
            shared[lid] += shared[lid + reach];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (lid == 0)
        partial[get_group_id(0)] = shared[0];
}
"""


def _reduction(random: np.random.Generator, groups: int, kind: str, lanes: int, group: int = 256) -> Case:
    dtype = np.float32 if kind.startswith("float") else np.uint32
    values = random.integers(0, 256, (groups, 2 * group, lanes)).astype(dtype)
    launch = Launch("reduce", ("values", "partial", Local(4 * lanes * group)), (groups * group,), (group,))
    return Case(
        REDUCTION,
        [launch],
        {"values": values, "partial": np.zeros((groups, lanes), dtype)},
        {"partial": values.sum(axis=1, dtype=dtype)},
        options=f"-D TYPE={kind}",
    )


@case("amd/Reduction/uint", sizes={"groups": 4096}, small={"groups": 2})
def reduction_uint(random: np.random.Generator, groups: int) -> Case:
    """One sum per 512 values: a tree in local memory."""
    return _reduction(random, groups, "uint", 1)


@case("amd/Reduction/uint4", sizes={"groups": 1024}, small={"groups": 2})
def reduction_uint4(random: np.random.Generator, groups: int) -> Case:
    """The same with vectors of four."""
    return _reduction(random, groups, "uint4", 4)


@case("amd/Reduction/float4", sizes={"groups": 1024}, small={"groups": 2})
def reduction_float4(random: np.random.Generator, groups: int) -> Case:
    """The same with vectors of four floats."""
    return _reduction(random, groups, "float4", 4)
