"""The ten kernels of the study of divergent loops (docs/divergence.md), with inputs that cause divergence.

Kernels of the families `parboil` and `rodinia` are used unchanged where possible. The others get different
data: node degrees with a large variance, samples concentrated in the middle, and a histogram whose work-items
iterate over the values with a stride until none is left.
"""

import numpy as np

from bench.case import Argument, Case, Launch, Local, case
from bench.families.parboil_imaging import gridding_of, sad
from bench.families.parboil_lists import bfs_of, spmv, tpacf
from bench.families.rodinia_particles import bfs, find_index, heartwall, lava_md
from bench.graph import skewed_graph

# In the order of the thesis.
NAMES = (
    *("bfs-parboil", "histo", "mri-gridding", "sad", "spmv", "tpacf"),
    *("bfs-rodinia", "heartwall", "lavaMD", "particlefilter"),
)


@case("divergence/bfs-parboil", sizes={"nodes": 2**16}, small={"nodes": 2**8})
def bfs_parboil(random: np.random.Generator, nodes: int, group: int = 512) -> Case:
    """Breadth-first search with queues in a graph in which a few nodes have most of the neighbours."""
    return bfs_of(skewed_graph(random, nodes, 6), group)


HISTO = """
#define RANGE 1024   // bins of a work-group
#define MOST 255u    // where a bin stops

// Counts a value if it lies in the range of this work-group.
void count_if_mine(__local uint *mine, uint value, uint low) {
    uint bin = value - low;
    if (bin < RANGE && mine[bin] < MOST) atomic_inc(&mine[bin]);
}

// A row of work-groups has the bins of a range; each looks at all values, four to a load.
__kernel void count(__global const uint4 *values, int fours, __global uint *bins, __local uint *mine) {
    uint low = RANGE * get_group_id(1);
    for (int b = get_local_id(0); b < RANGE; b += get_local_size(0))
        mine[b] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = get_global_id(0); i < fours; i += get_global_size(0)) {
        uint4 four = values[i];
        count_if_mine(mine, four.x, low);
        count_if_mine(mine, four.y, low);
        count_if_mine(mine, four.z, low);
        count_if_mine(mine, four.w, low);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int b = get_local_id(0); b < RANGE; b += get_local_size(0))
        if (mine[b]) atomic_add(&bins[low + b], mine[b]);
}

__kernel void saturate(__global uint *bins, __global uchar *result) {
    int i = get_global_id(0);
    result[i] = (uchar)min(bins[i], MOST);
    bins[i] = 0;
}
"""


@case("divergence/histo", sizes={"count": 500_000}, small={"count": 5000})
def histo(random: np.random.Generator, count: int, groups: int = 8) -> Case:
    """A saturating histogram with a grid-stride loop; some work-items run one iteration more than others."""
    bins, across = 4096, 512
    values = np.clip(random.normal(bins / 2, bins / 16, count // 4 * 4), 0, bins - 1).astype(np.uint32)
    arguments: tuple[Argument, ...] = ("values", np.int32(count // 4), "bins", Local(4 * 1024))
    return Case(
        HISTO,
        [
            Launch("count", arguments, (groups * across, bins // 1024), (across, 1)),
            Launch("saturate", ("bins", "result"), (bins,), (across,)),
        ],
        {"values": values, "bins": np.zeros(bins, np.uint32), "result": np.zeros(bins, np.uint8)},
        {"result": np.minimum(np.bincount(values, minlength=bins), 255).astype(np.uint8)},
    )


@case("divergence/mri-gridding", sizes={"size": 32}, small={"size": 8})
def mri_gridding(random: np.random.Generator, size: int) -> Case:
    """Gridding of samples concentrated in the middle of the cube, like those of real scans."""
    samples = random.random((2 * size**3, 5), np.float32)
    places = random.normal(size / 2, size / 6, (len(samples), 3))
    samples[:, :3] = np.clip(places, 0, size - 0.01)
    return gridding_of(samples, size)


case("divergence/sad", sizes={"width": 176, "height": 144}, small={"width": 16, "height": 12})(sad)
case("divergence/spmv", sizes={"rows": 40000}, small={"rows": 500})(spmv)
case("divergence/tpacf", sizes={"count": 512, "sets": 12}, small={"count": 256, "sets": 2})(tpacf)
case("divergence/bfs-rodinia", sizes={"nodes": 2**16}, small={"nodes": 300})(bfs)
case("divergence/heartwall", sizes={"points": 20, "t": 15, "w": 35}, small={"points": 2, "t": 5, "w": 11})(
    heartwall
)
case("divergence/lavaMD", sizes={"side": 3}, small={"side": 2})(lava_md)
case("divergence/particlefilter", sizes={"particles": 4096}, small={"particles": 200})(find_index)
