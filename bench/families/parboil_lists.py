"""In the manner of Parboil: a graph, histograms and a sparse matrix, with data-dependent control flow."""

import numpy as np

from bench.case import Argument, Case, Launch, Local, case
from bench.graph import Graph, breadth_first, random_graph

BFS = """
#define CAPACITY 1024   // of a work-group's own queue; what does not fit goes to the global one at once

__kernel void bfs_level(__global const int *queue, __global int *next, __global int *tails, int level,
                        __global const int2 *nodes, __global const int *edges, __global int *cost) {
    __local int found[CAPACITY];
    __local int count, start;
    int lid = get_local_id(0), i = get_global_id(0);
    if (lid == 0) count = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (i < tails[level]) {
        int node = queue[i];
        int reached = cost[node] + 1;
        int2 range = nodes[node];
        for (int e = range.x; e < range.x + range.y; e++) {
            int other = edges[e];
            if (atomic_min(&cost[other], reached) > reached) {
                int place = atomic_inc(&count);
                if (place < CAPACITY)
                    found[place] = other;
                else
                    next[atomic_inc(&tails[level + 1])] = other;
            }
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    int mine = min(count, CAPACITY);
    if (lid == 0) start = atomic_add(&tails[level + 1], mine);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = lid; k < mine; k += get_local_size(0))
        next[start + k] = found[k];
}
"""


@case("parboil/bfs", sizes={"nodes": 2**16}, small={"nodes": 2**8})
def bfs(random: np.random.Generator, nodes: int, group: int = 512) -> Case:
    """Breadth-first search with queues: one launch per level, with a queue per group for the next level."""
    return bfs_of(random_graph(random, nodes, 6), group)


def bfs_of(graph: Graph, group: int) -> Case:
    """Return the search of a graph from its first node."""
    nodes = len(graph.starts) - 1
    levels = breadth_first(graph)
    unseen = np.iinfo(np.int32).max
    cost = np.full(nodes, unseen, np.int32)
    cost[0] = 0
    tails = np.zeros(len(levels) + 1, np.int32)
    tails[0] = 1
    expected = np.full(nodes, unseen, np.int32)
    launches = []
    for level, members in enumerate(levels):
        expected[members] = level
        queues = ("queue0", "queue1") if level % 2 == 0 else ("queue1", "queue0")
        arguments: tuple[Argument, ...] = (*queues, "tails", np.int32(level), "nodes", "edges", "cost")
        launches.append(Launch("bfs_level", arguments, (-(-len(members) // group) * group,), (group,)))
    ranges = np.stack([graph.starts[:-1], np.diff(graph.starts)], axis=1).astype(np.int32)
    buffers = {"queue0": np.zeros(nodes, np.int32), "queue1": np.zeros(nodes, np.int32), "tails": tails}
    buffers |= {"nodes": ranges, "edges": graph.edges, "cost": cost}
    counts = np.array([len(members) for members in levels] + [0], np.int32)
    restore = ("cost", "tails", "queue0")
    return Case(BFS, launches, buffers, {"cost": expected, "tails": counts}, restore=restore)


HISTO = """
// Counts in local memory first: many neighbours hit the same few bins.
__kernel void count(__global const uint *values, __global uint *bins, int bin_count, int per_item,
                    __local uint *mine) {
    int lid = get_local_id(0), size = get_local_size(0);
    for (int b = lid; b < bin_count; b += size)
        mine[b] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    __global const uint *part = values + get_group_id(0) * size * per_item;
    for (int k = 0; k < per_item; k++)
        atomic_inc(&mine[part[k * size + lid]]);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int b = lid; b < bin_count; b += size)
        if (mine[b]) atomic_add(&bins[b], mine[b]);
}

__kernel void saturate(__global uint *bins, __global uchar *result) {
    int i = get_global_id(0);
    result[i] = (uchar)min(bins[i], 255u);
    bins[i] = 0;
}
"""


@case("parboil/histo", sizes={"count": 2**20}, small={"count": 2**13})
def histo(random: np.random.Generator, count: int, bins: int = 4096, group: int = 512) -> Case:
    """An 8-bit saturating histogram of values concentrated around the middle."""
    values = np.clip(random.normal(bins / 2, bins / 16, count), 0, bins - 1).astype(np.uint32)
    per_item = 16
    main: tuple[Argument, ...] = ("values", "bins", np.int32(bins), np.int32(per_item), Local(4 * bins))
    return Case(
        HISTO,
        [
            Launch("count", main, (count // per_item,), (group,)),
            Launch("saturate", ("bins", "result"), (bins,), (group,)),
        ],
        {"values": values, "bins": np.zeros(bins, np.uint32), "result": np.zeros(bins, np.uint8)},
        {"result": np.minimum(np.bincount(values, minlength=bins), 255).astype(np.uint8)},
    )


SPMV = """
// Jagged diagonals: element k of all rows lies together; 32 rows share a length.
__kernel void spmv(__global float *y, __global const float *data, __global const int *columns,
                   __global const int *order, __global const float *x, int rows,
                   __constant int *starts, __global const int *lengths) {
    int i = get_global_id(0);
    if (i < rows) {
        float sum = 0.0f;
        int length = lengths[i / 32];
        for (int k = 0; k < length; k++) {
            int j = starts[k] + i;
            sum += data[j] * x[columns[j]];
        }
        y[order[i]] = sum;
    }
}
"""


@case("parboil/spmv", sizes={"rows": 40000}, small={"rows": 500})
def spmv(random: np.random.Generator, rows: int, group: int = 256) -> Case:
    """The product of a sparse matrix in jagged diagonals and a vector."""
    lengths = np.sort(random.integers(4, 48, rows))[::-1]
    padded = -(-rows // 32) * 32
    shared = np.array([lengths[i : i + 32].max() for i in range(0, rows, 32)], np.int32)
    widths = np.repeat(shared, 32)
    # Diagonal k contains the rows longer than k; they come first, because rows are sorted by length.
    sizes = [int((widths > k).sum()) for k in range(int(shared.max()))]
    starts = np.concatenate([[0], np.cumsum(sizes)])[:-1].astype(np.int32)
    data, columns = np.zeros(sum(sizes), np.float32), np.zeros(sum(sizes), np.int32)
    x, sums = random.random(rows, np.float32), np.zeros(padded)
    full = np.concatenate([lengths, np.zeros(padded - rows, lengths.dtype)])
    for k, size in enumerate(sizes):
        real = full[:size] > k
        part = slice(starts[k], starts[k] + size)
        data[part] = random.random(size, np.float32) * real
        columns[part] = random.integers(0, rows, size)
        sums[:size] += data[part].astype(np.float64) * x[columns[part]]
    order = random.permutation(rows).astype(np.int32)
    expected = np.zeros(rows, np.float32)
    expected[order] = sums[:rows]
    arguments = ("y", "data", "columns", "order", "x", np.int32(rows), "starts", "lengths")
    launch = Launch("spmv", arguments, (-(-rows // group) * group,), (group,))
    buffers = {"y": np.zeros(rows, np.float32), "data": data, "columns": columns, "order": order, "x": x}
    buffers |= {"starts": starts, "lengths": shared}
    return Case(SPMV, [launch], buffers, {"y": expected}, tolerance=1e-5)


TPACF = """
#define BINS 20
#define GROUP 256

// A work-group compares one random set of directions with the observed one; it has a histogram of its own.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))
void correlate(__global const float *observed, __global const float *randoms, int count,
               __constant float *borders, __global uint *histograms) {
    __local float tile[3][GROUP];
    __local uint bins[BINS];
    int lid = get_local_id(0), set = get_group_id(0);
    __global const float *others = randoms + 3 * count * set;
    if (lid < BINS) bins[lid] = 0;
    for (int first = 0; first < count; first += GROUP) {
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int axis = 0; axis < 3; axis++)
            tile[axis][lid] = others[axis * count + first + lid];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int i = lid; i < count; i += GROUP) {
            float x = observed[i], y = observed[count + i], z = observed[2 * count + i];
            for (int k = 0; k < GROUP; k++) {
                float dot = x * tile[0][k] + y * tile[1][k] + z * tile[2][k];
                int low = 0, high = BINS;
                while (high > low + 1) {
                    int middle = (low + high) / 2;
                    if (dot >= borders[middle])
                        high = middle;
                    else
                        low = middle;
                }
                atomic_inc(&bins[low]);
            }
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lid < BINS) histograms[BINS * set + lid] = bins[lid];
}
"""


@case("parboil/tpacf", sizes={"count": 512, "sets": 12}, small={"count": 256, "sets": 2})
def tpacf(random: np.random.Generator, count: int, sets: int, bins: int = 20) -> Case:
    """Angles between directions, counted in bins that a binary search determines."""

    def directions(*shape: int) -> np.ndarray:
        vectors = random.normal(size=(*shape, 3, count))
        return (vectors / np.linalg.norm(vectors, axis=-2, keepdims=True)).astype(np.float32)

    observed, randoms = directions(), directions(sets)
    # Entry k is the upper border of bin k - 1: cosines fall as angles grow.
    borders = np.cos(np.linspace(0, np.pi, bins + 1)).astype(np.float32)
    histograms = np.zeros((sets, bins), np.uint32)
    for s in range(sets):
        dots = observed.T.astype(np.float64) @ randoms[s]
        place = np.searchsorted(-borders[1:bins].astype(np.float64), -dots.ravel(), side="left")
        histograms[s] = np.bincount(place, minlength=bins)
    arguments = ("observed", "randoms", np.int32(count), "borders", "histograms")
    return Case(
        TPACF,
        [Launch("correlate", arguments, (256 * sets,), (256,))],
        {
            "observed": observed,
            "randoms": randoms,
            "borders": borders,
            "histograms": np.zeros_like(histograms),
        },
        {"histograms": histograms},
        tolerance=2e-3,  # some angles lie on a border
    )
