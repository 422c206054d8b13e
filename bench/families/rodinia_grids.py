"""In the manner of Rodinia: stencils and dynamic programming, on tiles in local memory with barriers."""

import numpy as np

from bench.case import Argument, Case, Launch, case

HOTSPOT = """
#define TILE 16

// A tile makes `steps` time steps by itself; its border, as wide as the steps, is computed twice.
__kernel __attribute__((reqd_work_group_size(TILE, TILE, 1)))
void hotspot(int steps, __global const float *power, __global const float *from, __global float *to,
             int columns, int rows, float capacity, float rx, float ry, float rz, float ambient) {
    __local float now[TILE][TILE], next[TILE][TILE], heat[TILE][TILE];
    int x = get_local_id(0), y = get_local_id(1);
    int inner = TILE - 2 * steps;
    int column = inner * get_group_id(0) - steps + x, row = inner * get_group_id(1) - steps + y;
    int inside = row >= 0 && row < rows && column >= 0 && column < columns;
    if (inside) {
        now[y][x] = from[row * columns + column];
        heat[y][x] = power[row * columns + column];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    int first_row = max(-(inner * (int)get_group_id(1) - steps), 0);
    int last_row = min(TILE - 1, rows - 1 - (inner * (int)get_group_id(1) - steps));
    int first_column = max(-(inner * (int)get_group_id(0) - steps), 0);
    int last_column = min(TILE - 1, columns - 1 - (inner * (int)get_group_id(0) - steps));
    int north = max(y - 1, first_row), south = min(y + 1, last_row);
    int west = max(x - 1, first_column), east = min(x + 1, last_column);
    int computed = 0;
    for (int i = 0; i < steps; i++) {
        computed = 0;
        if (x >= i + 1 && x <= TILE - i - 2 && y >= i + 1 && y <= TILE - i - 2 && inside) {
            computed = 1;
            float here = now[y][x];
            next[y][x] = here + capacity * (heat[y][x]
                + (now[south][x] + now[north][x] - 2.0f * here) * ry
                + (now[y][east] + now[y][west] - 2.0f * here) * rx
                + (ambient - here) * rz);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        if (i == steps - 1) break;
        if (computed) now[y][x] = next[y][x];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (computed) to[row * columns + column] = next[y][x];
}
"""
HEAT = (
    0.05,
    0.1,
    0.1,
    0.3,
    80.0,
)  # capacity, the resistances' inverses in x, y and z, the room's temperature


@case("rodinia/hotspot", sizes={"size": 512}, small={"size": 40})
def hotspot(random: np.random.Generator, size: int, steps: int = 2, launches: int = 4) -> Case:
    """The temperature of a chip: two time steps per launch."""
    power = random.random((size, size), np.float32)
    start = (80 + 40 * random.random((size, size))).astype(np.float32)
    capacity, rx, ry, rz, ambient = HEAT
    now = start.astype(np.float64)
    for _ in range(steps * launches):
        p = np.pad(now, 1, mode="edge")
        change = power + (p[2:, 1:-1] + p[:-2, 1:-1] - 2 * now) * ry
        now = now + capacity * (change + (p[1:-1, 2:] + p[1:-1, :-2] - 2 * now) * rx + (ambient - now) * rz)
    numbers = tuple(np.float32(number) for number in HEAT)
    groups = -(-size // (16 - 2 * steps))
    done = []
    for i in range(launches):
        ends = ("a", "b") if i % 2 == 0 else ("b", "a")
        arguments: tuple[Argument, ...] = (
            np.int32(steps),
            "power",
            *ends,
            np.int32(size),
            np.int32(size),
            *numbers,
        )
        done.append(Launch("hotspot", arguments, (16 * groups, 16 * groups), (16, 16)))
    buffers = {"power": power, "a": start, "b": np.zeros_like(start)}
    return Case(HOTSPOT, done, buffers, {"a": now.astype(np.float32)}, tolerance=1e-5, restore=("a",))


PATHFINDER = """
#define GROUP 256

// A group walks down `steps` rows by itself; at its sides a column a row is computed twice.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))
void pathfinder(int steps, __global const int *wall, __global const int *from, __global int *to, int columns,
                int start) {
    __local int before[GROUP], after[GROUP];
    int x = get_local_id(0);
    int first = get_group_id(0) * (GROUP - 2 * steps) - steps;
    int column = first + x;
    int inside = column >= 0 && column < columns;
    int left = max(x - 1, max(-first, 0)), right = min(x + 1, min(GROUP - 1, columns - 1 - first));
    if (inside) before[x] = from[column];
    barrier(CLK_LOCAL_MEM_FENCE);
    int computed = 0;
    for (int i = 0; i < steps; i++) {
        computed = 0;
        if (x >= i + 1 && x <= GROUP - i - 2 && inside) {
            computed = 1;
            int shortest = min(min(before[left], before[x]), before[right]);
            after[x] = shortest + wall[columns * (start + i) + column];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        if (i == steps - 1) break;
        if (computed) before[x] = after[x];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (computed) to[column] = after[x];
}
"""


@case("rodinia/pathfinder", sizes={"columns": 50000, "rows": 81}, small={"columns": 1000, "rows": 41})
def pathfinder(random: np.random.Generator, columns: int, rows: int, steps: int = 20) -> Case:
    """The cheapest path down a wall: 20 rows per launch."""
    wall = random.integers(0, 10, (rows, columns)).astype(np.int32)
    best = wall[0]
    for row in wall[1:]:
        p = np.pad(best, 1, mode="edge")
        best = row + np.minimum(np.minimum(p[:-2], p[1:-1]), p[2:])
    groups = -(-columns // (256 - 2 * steps))
    launches = []
    ends = ["a", "b"]
    for start in range(1, rows, steps):
        arguments: tuple[Argument, ...] = (np.int32(steps), "wall", *ends, np.int32(columns), np.int32(start))
        launches.append(Launch("pathfinder", arguments, (256 * groups,), (256,)))
        ends.reverse()
    buffers = {"wall": wall, "a": wall[0], "b": np.zeros_like(best)}
    return Case(PATHFINDER, launches, buffers, {ends[0]: best}, restore=("a",))


NW = """
#define TILE 16

// Fills one square of the table along its anti-diagonals; all squares of a diagonal of squares at once.
__kernel __attribute__((reqd_work_group_size(TILE, 1, 1)))
void nw(__global const int *similarity, __global int *table, int stride, int penalty, int first_x,
        int first_y) {
    __local int scores[TILE + 1][TILE + 1], pairs[TILE][TILE];
    int t = get_local_id(0);
    int bx = first_x - (int)get_group_id(0), by = first_y + (int)get_group_id(0);
    int corner = by * TILE * stride + bx * TILE;
    if (t == 0) scores[0][0] = table[corner];
    for (int y = 0; y < TILE; y++)
        pairs[y][t] = similarity[corner + (y + 1) * stride + t + 1];
    scores[t + 1][0] = table[corner + (t + 1) * stride];
    scores[0][t + 1] = table[corner + t + 1];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int m = 0; m < TILE; m++) {
        if (t <= m) {
            int x = t + 1, y = m - t + 1;
            scores[y][x] = max(scores[y - 1][x - 1] + pairs[y - 1][x - 1],
                               max(scores[y][x - 1], scores[y - 1][x]) - penalty);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    for (int m = TILE - 2; m >= 0; m--) {
        if (t <= m) {
            int x = t + TILE - m, y = TILE - t;
            scores[y][x] = max(scores[y - 1][x - 1] + pairs[y - 1][x - 1],
                               max(scores[y][x - 1], scores[y - 1][x]) - penalty);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    for (int y = 0; y < TILE; y++)
        table[corner + (y + 1) * stride + t + 1] = scores[y + 1][t + 1];
}
"""


def _aligned(similarity: np.ndarray, penalty: int) -> np.ndarray:
    """Compute the table of Needleman and Wunsch, one anti-diagonal at a time."""
    size = len(similarity) - 1
    table = np.zeros((size + 1, size + 1), np.int32)
    table[0] = table[:, 0] = -penalty * np.arange(size + 1)
    for total in range(2, 2 * size + 1):
        y = np.arange(max(1, total - size), min(size, total - 1) + 1)
        x = total - y
        gap = np.maximum(table[y, x - 1], table[y - 1, x]) - penalty
        table[y, x] = np.maximum(table[y - 1, x - 1] + similarity[y, x], gap)
    return table


@case("rodinia/nw", sizes={"size": 1024}, small={"size": 64})
def nw(random: np.random.Generator, size: int, penalty: int = 10) -> Case:
    """The alignment of two sequences: squares of 16, with a barrier after each anti-diagonal."""
    similarity = random.integers(-10, 11, (size + 1, size + 1)).astype(np.int32)
    expected = _aligned(similarity, penalty)
    table = np.zeros_like(expected)
    table[0], table[:, 0] = expected[0], expected[:, 0]
    squares = size // 16
    launches = []
    for diagonal in range(2 * squares - 1):
        first_x, first_y = min(diagonal, squares - 1), max(0, diagonal - squares + 1)
        count = first_x - first_y + 1
        numbers = tuple(np.int32(number) for number in (size + 1, penalty, first_x, first_y))
        launches.append(Launch("nw", ("similarity", "table", *numbers), (16 * count,), (16,)))
    return Case(NW, launches, {"similarity": similarity, "table": table}, {"table": expected})


SRAD = """
#define GROUP 256

__kernel void sums(__global const float *image, int count, __global float *partial) {
    __local float total[GROUP], squares[GROUP];
    int lid = get_local_id(0), i = get_global_id(0);
    float value = i < count ? image[i] : 0.0f;
    total[lid] = value;
    squares[lid] = value * value;
    for (int reach = GROUP / 2; reach > 0; reach /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lid < reach) {
            total[lid] += total[lid + reach];
            squares[lid] += squares[lid + reach];
        }
    }
    if (lid == 0) {
        partial[2 * get_group_id(0)] = total[0];
        partial[2 * get_group_id(0) + 1] = squares[0];
    }
}

__kernel void speckle(__global const float *partial, int groups, int count, __global float *scale) {
    float total = 0.0f, squares = 0.0f;
    for (int g = 0; g < groups; g++) {
        total += partial[2 * g];
        squares += partial[2 * g + 1];
    }
    float mean = total / count;
    scale[0] = (squares / count - mean * mean) / (mean * mean);
}

__kernel void diffusion(int rows, int columns, __global const int *north, __global const int *south,
                        __global const int *west, __global const int *east, __global float *dn,
                        __global float *ds, __global float *dw, __global float *de,
                        __global const float *scale, __global float *c, __global const float *image) {
    int i = get_global_id(0);
    if (i < rows * columns) {
        int row = i % rows, column = i / rows;
        float here = image[i];
        float n = image[north[row] + rows * column] - here, s = image[south[row] + rows * column] - here;
        float w = image[row + rows * west[column]] - here, e = image[row + rows * east[column]] - here;
        float g2 = (n * n + s * s + w * w + e * e) / (here * here);
        float l = (n + s + w + e) / here;
        float numerator = 0.5f * g2 - 0.0625f * (l * l);
        float denominator = 1.0f + 0.25f * l;
        float q = numerator / (denominator * denominator);
        float value = 1.0f / (1.0f + (q - scale[0]) / (scale[0] * (1.0f + scale[0])));
        if (value < 0.0f)
            value = 0.0f;
        else if (value > 1.0f)
            value = 1.0f;
        dn[i] = n;
        ds[i] = s;
        dw[i] = w;
        de[i] = e;
        c[i] = value;
    }
}

__kernel void update(float rate, int rows, int columns, __global const int *south, __global const int *east,
                     __global const float *dn, __global const float *ds, __global const float *dw,
                     __global const float *de, __global const float *c, __global float *image) {
    int i = get_global_id(0);
    if (i < rows * columns) {
        int row = i % rows, column = i / rows;
        float here = c[i], s = c[south[row] + rows * column], e = c[row + rows * east[column]];
        image[i] += 0.25f * rate * (here * dn[i] + s * ds[i] + here * dw[i] + e * de[i]);
    }
}
"""


def _despeckled(image: np.ndarray, rounds: int, rate: float) -> np.ndarray:
    now = image.astype(np.float64)
    for _ in range(rounds):
        scale = now.var() / now.mean() ** 2
        p = np.pad(now, 1, mode="edge")
        n, s = p[1:-1, :-2] - now, p[1:-1, 2:] - now
        w, e = p[:-2, 1:-1] - now, p[2:, 1:-1] - now
        g2, laplace = (n * n + s * s + w * w + e * e) / now**2, (n + s + w + e) / now
        q = (0.5 * g2 - 0.0625 * laplace**2) / (1 + 0.25 * laplace) ** 2
        c = np.clip(1 / (1 + (q - scale) / (scale * (1 + scale))), 0, 1)
        edge = np.pad(c, 1, mode="edge")
        now = now + 0.25 * rate * (c * n + edge[1:-1, 2:] * s + c * w + edge[2:, 1:-1] * e)
    return now


@case("rodinia/srad", sizes={"rows": 502, "columns": 458}, small={"rows": 50, "columns": 30})
def srad(random: np.random.Generator, rows: int, columns: int, rounds: int = 2, rate: float = 0.5) -> Case:
    """Speckle removal: statistics by a tree, then two stencils with neighbours from index tables."""
    image = np.exp(random.random((columns, rows), np.float32))
    count, groups = rows * columns, -(-rows * columns // 256)
    n, shape = np.int32(count), (np.int32(rows), np.int32(columns))
    edges = {
        "north": np.maximum(np.arange(rows) - 1, 0),
        "south": np.minimum(np.arange(rows) + 1, rows - 1),
        "west": np.maximum(np.arange(columns) - 1, 0),
        "east": np.minimum(np.arange(columns) + 1, columns - 1),
    }
    changes = ("dn", "ds", "dw", "de")
    diffusion: tuple[Argument, ...] = (*shape, *edges, *changes, "scale", "c", "image")
    update: tuple[Argument, ...] = (np.float32(rate), *shape, "south", "east", *changes, "c", "image")
    launches = [
        Launch("sums", ("image", n, "partial"), (256 * groups,), (256,)),
        Launch("speckle", ("partial", np.int32(groups), n, "scale"), (1,), (1,)),
        Launch("diffusion", diffusion, (256 * groups,), (256,)),
        Launch("update", update, (256 * groups,), (256,)),
    ]
    buffers = {name: table.astype(np.int32) for name, table in edges.items()}
    buffers |= {name: np.zeros_like(image) for name in (*changes, "c")}
    buffers |= {"image": image, "partial": np.zeros(2 * groups, np.float32), "scale": np.zeros(1, np.float32)}
    expected = {"image": _despeckled(image, rounds, rate).astype(np.float32)}
    return Case(SRAD, launches * rounds, buffers, expected, tolerance=1e-4, restore=("image",))
