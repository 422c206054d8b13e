"""In the manner of Rodinia: linear algebra, clustering and a neural network."""

import numpy as np

from bench.case import Argument, Case, Launch, case

LUD = """
#define B 16

// The square on the diagonal: rows and columns in turn, each needs those before it.
__kernel void diagonal(__global float *m, int size, int offset) {
    __local float s[B][B];
    int t = get_local_id(0);
    __global float *corner = m + offset * size + offset;
    for (int y = 0; y < B; y++)
        s[y][t] = corner[y * size + t];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = 0; i < B - 1; i++) {
        if (t > i) {
            for (int j = 0; j < i; j++)
                s[t][i] -= s[t][j] * s[j][i];
            s[t][i] /= s[i][i];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        if (t > i)
            for (int j = 0; j <= i; j++)
                s[i + 1][t] -= s[i + 1][j] * s[j][t];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    for (int y = 1; y < B; y++)
        corner[y * size + t] = s[y][t];
}

// The squares right of it and below it: half of a group's work-items each.
__kernel void perimeter(__global float *m, int size, int offset) {
    __local float square[B][B], row[B][B], column[B][B];
    int lid = get_local_id(0), t = lid % B;
    int away = (get_group_id(0) + 1) * B;
    __global float *corner = m + offset * size + offset;
    if (lid < B) {
        for (int y = 0; y < B; y++) {
            square[y][t] = corner[y * size + t];
            row[y][t] = corner[y * size + away + t];
        }
    } else {
        for (int y = 0; y < B; y++)
            column[y][t] = corner[(away + y) * size + t];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lid < B) {
        for (int i = 1; i < B; i++)
            for (int j = 0; j < i; j++)
                row[i][t] -= square[i][j] * row[j][t];
    } else {
        for (int i = 0; i < B; i++) {
            for (int j = 0; j < i; j++)
                column[t][i] -= column[t][j] * square[j][i];
            column[t][i] /= square[i][i];
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lid < B) {
        for (int y = 1; y < B; y++)
            corner[y * size + away + t] = row[y][t];
    } else {
        for (int y = 0; y < B; y++)
            corner[(away + y) * size + t] = column[y][t];
    }
}

// All others: a product of a square of the row and one of the column is taken off.
__kernel void internal(__global float *m, int size, int offset) {
    __local float row[B][B], column[B][B];
    int x = get_local_id(0), y = get_local_id(1);
    int gx = offset + (get_group_id(0) + 1) * B + x, gy = offset + (get_group_id(1) + 1) * B + y;
    row[y][x] = m[(offset + y) * size + gx];
    column[y][x] = m[gy * size + offset + x];
    barrier(CLK_LOCAL_MEM_FENCE);
    float sum = 0.0f;
    for (int i = 0; i < B; i++)
        sum += column[y][i] * row[i][x];
    m[gy * size + gx] -= sum;
}
"""


def _decomposed(matrix: np.ndarray) -> np.ndarray:
    m = matrix.astype(np.float64)
    for k in range(len(m) - 1):
        m[k + 1 :, k] /= m[k, k]
        m[k + 1 :, k + 1 :] -= np.outer(m[k + 1 :, k], m[k, k + 1 :])
    return m


@case("rodinia/lud", sizes={"size": 256}, small={"size": 48})
def lud(random: np.random.Generator, size: int) -> Case:
    """LU decomposition in squares of 16: three launches per step."""
    matrix = random.random((size, size), np.float32) + size * np.eye(size, dtype=np.float32)
    launches = []
    for offset in range(0, size, 16):
        arguments = ("m", np.int32(size), np.int32(offset))
        rest = (size - offset) // 16 - 1
        launches.append(Launch("diagonal", arguments, (16,), (16,)))
        if rest:
            launches.append(Launch("perimeter", arguments, (32 * rest,), (32,)))
            launches.append(Launch("internal", arguments, (16 * rest, 16 * rest), (16, 16)))
    expected = _decomposed(matrix).astype(np.float32)
    return Case(LUD, launches, {"m": matrix}, {"m": expected}, tolerance=1e-5, restore=("m",))


KMEANS = """
__kernel void transpose(__global const float *features, __global float *turned, int points, int count) {
    int i = get_global_id(0);
    if (i >= points) return;
    for (int f = 0; f < count; f++)
        turned[f * points + i] = features[i * count + f];
}

__kernel void nearest(__global const float *turned, __global const float *centres, __global int *membership,
                      int points, int clusters, int count) {
    int i = get_global_id(0);
    if (i < points) {
        int index = 0;
        float least = FLT_MAX;
        for (int c = 0; c < clusters; c++) {
            float sum = 0.0f;
            for (int f = 0; f < count; f++) {
                float d = turned[f * points + i] - centres[c * count + f];
                sum += d * d;
            }
            if (sum < least) {
                least = sum;
                index = c;
            }
        }
        membership[i] = index;
    }
}
"""


@case("rodinia/kmeans", sizes={"points": 30000}, small={"points": 500})
def kmeans(random: np.random.Generator, points: int, count: int = 34, clusters: int = 5) -> Case:
    """The nearest centre: a loop over centres around a loop over features."""
    features = random.random((points, count), np.float32)
    centres = features[random.choice(points, clusters, replace=False)]
    distance = ((features[:, None, :].astype(np.float64) - centres) ** 2).sum(axis=2)
    n, m, k = np.int32(points), np.int32(count), np.int32(clusters)
    whole = (-(-points // 256) * 256,)
    launches = [
        Launch("transpose", ("features", "turned", n, m), whole, (256,)),
        Launch("nearest", ("turned", "centres", "membership", n, k, m), whole, (256,)),
    ]
    buffers = {"features": features, "turned": np.zeros_like(features), "centres": centres}
    buffers["membership"] = np.zeros(points, np.int32)
    expected = {"membership": distance.argmin(axis=1).astype(np.int32)}
    return Case(KMEANS, launches, buffers, expected, may_differ=1e-3)


BACKPROP = """
#define SIDE 16

// A group multiplies 16 inputs with their weights to 16 hidden units and adds them up in a tree.
__kernel void forward(__global const float *input, __global const float *weights, __global float *products,
                      __global float *partial, int hidden) {
    __local float units[SIDE], tile[SIDE][SIDE];
    int x = get_local_id(0), y = get_local_id(1), group = get_group_id(1);
    int place = (hidden + 1) * (SIDE * group + y + 1) + x + 1;
    if (x == 0) units[y] = input[SIDE * group + y + 1];
    barrier(CLK_LOCAL_MEM_FENCE);
    tile[y][x] = weights[place] * units[y];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int step = 1; step < SIDE; step *= 2) {
        if (y % (2 * step) == 0)
            tile[y][x] += tile[y + step][x];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    products[place] = tile[y][x];
    if (x == 0) partial[group * hidden + y] = tile[0][y];
}

__kernel void adjust(__global const float *delta, int hidden, __global const float *input,
                     __global float *weights, __global float *changes) {
    int x = get_local_id(0) + 1, y = SIDE * get_group_id(1) + get_local_id(1) + 1;
    int place = (hidden + 1) * y + x;
    float change = 0.3f * delta[x] * input[y] + 0.3f * changes[place];
    weights[place] += change;
    changes[place] = change;
}
"""


def _tree(products: np.ndarray) -> np.ndarray:
    """Return the contents of the tile of each group after the tree."""
    tile = products.reshape(-1, 16, products.shape[1]).copy()
    step = 1
    while step < 16:
        tile[:, :: 2 * step] += tile[:, step :: 2 * step]
        step *= 2
    return tile


@case("rodinia/backprop", sizes={"inputs": 2**15}, small={"inputs": 64})
def backprop(random: np.random.Generator, inputs: int, hidden: int = 16) -> Case:
    """One layer of a neural network: forward with a tree in local memory, then the update of the weights."""
    units = random.random(inputs + 1, np.float32)
    weights, changes = (random.random((inputs + 1, hidden + 1), np.float32) for _ in range(2))
    delta = random.random(hidden + 1, np.float32)
    tile = _tree(weights[1:, 1:].astype(np.float64) * units[1:, None])
    products = np.zeros_like(weights)
    products[1:, 1:] = tile.reshape(inputs, hidden)
    new_changes, new_weights = changes.astype(np.float64), weights.astype(np.float64)
    new_changes[1:, 1:] = 0.3 * delta[1:] * units[1:, None] + 0.3 * new_changes[1:, 1:]
    new_weights[1:, 1:] += new_changes[1:, 1:]
    h = np.int32(hidden)
    adjust: tuple[Argument, ...] = ("delta", h, "input", "weights", "changes")
    launches = [
        Launch("forward", ("input", "weights", "products", "partial", h), (16, inputs), (16, 16)),
        Launch("adjust", adjust, (16, inputs), (16, 16)),
    ]
    buffers = {"input": units, "weights": weights, "products": np.zeros_like(weights), "delta": delta}
    buffers |= {"partial": np.zeros((inputs // 16, hidden), np.float32), "changes": changes}
    expected = {
        "partial": tile[:, 0, :].astype(np.float32),
        "products": products,
        "weights": new_weights.astype(np.float32),
    }
    restore = ("weights", "changes")
    return Case(BACKPROP, launches, buffers, expected, tolerance=1e-5, restore=restore)
