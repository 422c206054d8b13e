"""In the manner of Rodinia: particles, tracking and a graph, with divergent trip counts."""

import numpy as np

from bench.case import Case, Launch, case
from bench.graph import breadth_first, random_graph

BFS = """
__kernel void expand(__global const int *starts, __global const int *edges, __global uchar *active,
                     __global uchar *updated, __global const uchar *visited, __global int *cost, int nodes) {
    int i = get_global_id(0);
    if (i < nodes && active[i]) {
        active[i] = 0;
        for (int e = starts[i]; e < starts[i + 1]; e++) {
            int other = edges[e];
            if (!visited[other]) {
                cost[other] = cost[i] + 1;
                updated[other] = 1;
            }
        }
    }
}

__kernel void advance(__global uchar *active, __global uchar *updated, __global uchar *visited, int nodes) {
    int i = get_global_id(0);
    if (i < nodes && updated[i]) {
        active[i] = 1;
        visited[i] = 1;
        updated[i] = 0;
    }
}
"""


@case("rodinia/bfs", sizes={"nodes": 2**16}, small={"nodes": 300})
def bfs(random: np.random.Generator, nodes: int) -> Case:
    """Breadth-first search with masks: every level visits all nodes."""
    graph = random_graph(random, nodes, 6)
    expected = np.full(nodes, -1, np.int32)
    levels = breadth_first(graph)
    for level, members in enumerate(levels):
        expected[members] = level
    cost = np.full(nodes, -1, np.int32)
    cost[0] = 0
    first = np.zeros(nodes, np.uint8)
    first[0] = 1
    whole, n = (-(-nodes // 256) * 256,), np.int32(nodes)
    arguments = ("starts", "edges", "active", "updated", "visited", "cost", n)
    step = [
        Launch("expand", arguments, whole, (256,)),
        Launch("advance", ("active", "updated", "visited", n), whole, (256,)),
    ]
    buffers = {"starts": graph.starts, "edges": graph.edges, "active": first, "visited": first, "cost": cost}
    buffers["updated"] = np.zeros(nodes, np.uint8)
    restore = ("active", "visited", "updated", "cost")
    return Case(BFS, step * len(levels), buffers, {"cost": expected}, restore=restore)


LAVA = """
#define PARTICLES 100
#define GROUP 128

// A group for each box: forces from the particles of the box itself and of those around it.
__kernel void forces(float alpha, int side, __global const float4 *places, __global const float *charges,
                     __global float4 *result) {
    __local float4 mine[PARTICLES], others[PARTICLES];
    __local float other_charges[PARTICLES];
    int lid = get_local_id(0), box = get_group_id(0);
    int bx = box % side, by = box / side % side, bz = box / (side * side);
    for (int i = lid; i < PARTICLES; i += GROUP)
        mine[i] = places[box * PARTICLES + i];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int n = 0; n < 27; n++) {
        int x = bx + n % 3 - 1, y = by + n / 3 % 3 - 1, z = bz + n / 9 - 1;
        if (x < 0 || y < 0 || z < 0 || x >= side || y >= side || z >= side) continue;
        int first = ((z * side + y) * side + x) * PARTICLES;
        for (int i = lid; i < PARTICLES; i += GROUP) {
            others[i] = places[first + i];
            other_charges[i] = charges[first + i];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int i = lid; i < PARTICLES; i += GROUP) {
            float4 sum = result[box * PARTICLES + i];
            for (int j = 0; j < PARTICLES; j++) {
                float r2 = mine[i].w + others[j].w
                    - (mine[i].x * others[j].x + mine[i].y * others[j].y + mine[i].z * others[j].z);
                float v = exp(-(alpha * r2));
                float force = 2.0f * v;
                sum.w += other_charges[j] * v;
                sum.x += other_charges[j] * force * (mine[i].x - others[j].x);
                sum.y += other_charges[j] * force * (mine[i].y - others[j].y);
                sum.z += other_charges[j] * force * (mine[i].z - others[j].z);
            }
            result[box * PARTICLES + i] = sum;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}
"""


@case("rodinia/lavaMD", sizes={"side": 3}, small={"side": 2})
def lava_md(random: np.random.Generator, side: int, particles: int = 100, alpha: float = 0.5) -> Case:
    """Forces between the particles of neighbouring boxes: one exponential per pair."""
    boxes = side**3
    places = random.random((boxes, particles, 4), np.float32)
    charges = random.random((boxes, particles), np.float32)
    expected = np.zeros((boxes, particles, 4))
    grid = np.stack(np.unravel_index(np.arange(boxes), (side, side, side)), axis=1)
    wide = places.astype(np.float64)
    for box in range(boxes):
        for other in np.flatnonzero((np.abs(grid - grid[box]) <= 1).all(axis=1)):
            a, b = wide[box][:, None, :], wide[other][None, :, :]
            r2 = a[..., 3] + b[..., 3] - (a[..., :3] * b[..., :3]).sum(axis=2)
            v = charges[other] * np.exp(-alpha * r2)
            expected[box, :, 3] += v.sum(axis=1)
            expected[box, :, :3] += (2 * v[..., None] * (a - b)[..., :3]).sum(axis=1)
    arguments = (np.float32(alpha), np.int32(side), "places", "charges", "result")
    return Case(
        LAVA,
        [Launch("forces", arguments, (128 * boxes,), (128,))],
        {"places": places, "charges": charges, "result": np.zeros_like(places)},
        {"result": expected.astype(np.float32)},
        tolerance=1e-4,
        restore=("result",),
    )


PARTICLES = """
#define GROUP 128

__kernel void likelihood(__global const float *xs, __global const float *ys, __global const int2 *shape,
                         int ones, __global const uchar *video, int width, int height,
                         __global float *weights, __global float *partial) {
    __local float sums[GROUP];
    int i = get_global_id(0), lid = get_local_id(0);
    float total = 0.0f;
    for (int k = 0; k < ones; k++) {
        int x = (int)round(xs[i]) + shape[k].x, y = (int)round(ys[i]) + shape[k].y;
        int place = abs(y * width + x);
        if (place >= width * height) place = 0;
        float value = video[place];
        total += ((value - 100.0f) * (value - 100.0f) - (value - 228.0f) * (value - 228.0f)) / 5000.0f;
    }
    float weight = exp(total / ones);
    weights[i] = weight;
    sums[lid] = weight;
    for (int reach = GROUP / 2; reach > 0; reach /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lid < reach) sums[lid] += sums[lid + reach];
    }
    if (lid == 0) partial[get_group_id(0)] = sums[0];
}

// Resampling: each particle looks for its place in the cumulated weights.
__kernel void find_index(__global const float *cumulated, __global const float *uniform, __global int *chosen,
                         int count) {
    int i = get_global_id(0);
    if (i < count) {
        int index = count - 1;
        for (int k = 0; k < count; k++) {
            if (cumulated[k] >= uniform[i]) {
                index = k;
                break;
            }
        }
        chosen[i] = index;
    }
}
"""


@case("rodinia/particlefilter/likelihood", sizes={"particles": 2**14}, small={"particles": 256})
def likelihood(random: np.random.Generator, particles: int, size: int = 128) -> Case:
    """The likelihood of a disk of pixels around each particle: gathers from an image, then a tree."""
    reach = np.arange(-4, 5)
    shape = np.array([(x, y) for x in reach for y in reach if x * x + y * y < 25], np.int32)
    video = random.integers(0, 256, (size, size)).astype(np.uint8)
    xs, ys = (random.uniform(8, size - 8, particles).astype(np.float32) for _ in range(2))
    x = np.floor(xs + np.float32(0.5)).astype(int)[:, None] + shape[:, 0]
    y = np.floor(ys + np.float32(0.5)).astype(int)[:, None] + shape[:, 1]
    values = video[y, x].astype(np.float64)
    weights = np.exp((((values - 100) ** 2 - (values - 228) ** 2) / 5000).mean(axis=1))
    arguments = ("xs", "ys", "shape", np.int32(len(shape)), "video", np.int32(size), np.int32(size))
    buffers: dict[str, np.ndarray] = {
        "xs": xs,
        "ys": ys,
        "shape": shape,
        "video": video,
        "weights": np.zeros_like(xs),
    }
    buffers["partial"] = np.zeros(particles // 128, np.float32)
    expected = {"weights": weights, "partial": weights.reshape(-1, 128).sum(axis=1)}
    return Case(
        PARTICLES,
        [Launch("likelihood", (*arguments, "weights", "partial"), (particles,), (128,))],
        buffers,
        {name: array.astype(np.float32) for name, array in expected.items()},
        tolerance=1e-4,
    )


@case("rodinia/particlefilter/find_index", sizes={"particles": 4096}, small={"particles": 200})
def find_index(random: np.random.Generator, particles: int) -> Case:
    """A linear search with a divergent trip count."""
    weights = random.random(particles)
    cumulated = (np.cumsum(weights) / weights.sum()).astype(np.float32)
    start = random.random() / particles
    uniform = (start + np.arange(particles) / particles).astype(np.float32)
    expected = np.minimum(np.searchsorted(cumulated, uniform, side="left"), particles - 1).astype(np.int32)
    arguments = ("cumulated", "uniform", "chosen", np.int32(particles))
    launch = Launch("find_index", arguments, (-(-particles // 128) * 128,), (128,))
    buffers = {"cumulated": cumulated, "uniform": uniform, "chosen": np.zeros_like(expected)}
    return Case(PARTICLES, [launch], buffers, {"chosen": expected})


HEARTWALL = """
#define GROUP 256

// A group follows one point: where in a window of the next frame does its template fit best?
__kernel void track(__global const float *templates, int t, __global const float *windows, int w,
                    __global float *products, __global float *sums, __global float *squares,
                    __global int *best_place, __global float *best_value) {
    __local float values[GROUP];
    __local int places[GROUP];
    int lid = get_local_id(0), point = get_group_id(0);
    int c = t + w - 1, s = w + 1;
    __global const float *pattern = templates + point * t * t, *window = windows + point * w * w;
    products += point * c * c;
    sums += point * s * s;
    squares += point * s * s;

    // The whole convolution: at the borders only a part of the pattern lies over the window.
    for (int e = lid; e < c * c; e += GROUP) {
        int row = e % c, column = e / c;
        float sum = 0.0f;
        for (int x = max(column - w + 1, 0); x <= min(column, t - 1); x++)
            for (int y = max(row - w + 1, 0); y <= min(row, t - 1); y++)
                sum += pattern[x * t + y] * window[(column - x) * w + row - y];
        products[e] = sum;
    }

    // Sums over all rectangles that begin at the origin: first down the columns, then along the rows.
    for (int column = lid; column < s; column += GROUP) {
        float sum = 0.0f, square = 0.0f;
        for (int row = 0; row < s; row++) {
            if (row > 0 && column > 0) {
                float value = window[(column - 1) * w + row - 1];
                sum += value;
                square += value * value;
            }
            sums[column * s + row] = sum;
            squares[column * s + row] = square;
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    for (int row = lid; row < s; row += GROUP) {
        for (int column = 1; column < s; column++) {
            sums[column * s + row] += sums[(column - 1) * s + row];
            squares[column * s + row] += squares[(column - 1) * s + row];
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);

    int o = w - t + 1;
    float best = -1e30f;
    int place = 0;
    for (int e = lid; e < o * o; e += GROUP) {
        int row = e % o, column = e / o;
        int a = column * s + row, b = a + t, d = (column + t) * s + row, f = d + t;
        float sum = sums[f] - sums[b] - sums[d] + sums[a];
        float square = squares[f] - squares[b] - squares[d] + squares[a];
        float spread = square - sum * sum / (t * t);
        float value = products[(column + t - 1) * c + row + t - 1] / sqrt(max(spread, 1e-6f));
        if (value > best) {
            best = value;
            place = e;
        }
    }
    values[lid] = best;
    places[lid] = place;
    for (int reach = GROUP / 2; reach > 0; reach /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lid < reach && values[lid + reach] > values[lid]) {
            values[lid] = values[lid + reach];
            places[lid] = places[lid + reach];
        }
    }
    if (lid == 0) {
        best_place[point] = places[0];
        best_value[point] = values[0];
    }
}
"""


def _fits(pattern: np.ndarray, window: np.ndarray) -> np.ndarray:
    """Return how well the pattern, rotated by half a turn, fits at each position of the window."""
    views = np.lib.stride_tricks.sliding_window_view(window.astype(np.float64), pattern.shape)
    products = np.einsum("ijkl,kl->ij", views, pattern[::-1, ::-1].astype(np.float64))
    spread = (views**2).sum(axis=(2, 3)) - views.sum(axis=(2, 3)) ** 2 / pattern.size
    return products / np.sqrt(np.maximum(spread, 1e-6))


@case("rodinia/heartwall", sizes={"points": 20, "t": 15, "w": 35}, small={"points": 2, "t": 5, "w": 11})
def heartwall(random: np.random.Generator, points: int, t: int, w: int) -> Case:
    """The inner kernel of the tracker: a convolution with irregular borders, running sums, a maximum."""
    templates = random.normal(size=(points, t, t)).astype(np.float32)
    windows = random.random((points, w, w), np.float32)
    fits = [_fits(pattern, window) for pattern, window in zip(templates, windows, strict=True)]
    c, s = t + w - 1, w + 1
    arguments = ("templates", np.int32(t), "windows", np.int32(w), "products", "sums", "squares")
    buffers = {"templates": templates, "windows": windows, "products": np.zeros((points, c, c), np.float32)}
    buffers |= {name: np.zeros((points, s, s), np.float32) for name in ("sums", "squares")}
    buffers |= {"best_place": np.zeros(points, np.int32), "best_value": np.zeros(points, np.float32)}
    expected = {
        "best_place": np.array([fit.argmax() for fit in fits], np.int32),
        "best_value": np.array([fit.max() for fit in fits], np.float32),
    }
    launch = Launch("track", (*arguments, "best_place", "best_value"), (256 * points,), (256,))
    return Case(HEARTWALL, [launch], buffers, expected, tolerance=1e-3)
