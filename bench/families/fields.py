"""Fields on grids and what is sampled from them: fluxes, advection, noise, colour tables, hidden states."""

import numpy as np

from bench.case import Case, Launch, case

FLUX = """
float reconstruct(float a, float b, float c, float d, float e) {
    float p0 = (2 * a - 7 * b + 11 * c) / 6, p1 = (5 * c - b + 2 * d) / 6, p2 = (2 * c + 5 * d - e) / 6;
    float s0 = 13 * pown(a - 2 * b + c, 2) / 12 + pown(a - 4 * b + 3 * c, 2) / 4;
    float s1 = 13 * pown(b - 2 * c + d, 2) / 12 + pown(b - d, 2) / 4;
    float s2 = 13 * pown(c - 2 * d + e, 2) / 12 + pown(3 * c - 4 * d + e, 2) / 4;
    float w0 = 0.1f * pow(s0 + 1e-3f, -2.0f), w1 = 0.6f * pow(s1 + 1e-3f, -2.0f);
    float w2 = 0.3f * pow(s2 + 1e-3f, -2.0f);
    return (w0 * p0 + w1 * p1 + w2 * p2) / (w0 + w1 + w2);
}

kernel void flux(global const float *u, global float *f, int width) {
    int x = get_global_id(0);
    if (x >= width) return;
    global const float *row = u + get_global_id(1) * width;
    int last = width - 1, right = min(x + 1, last), left = max(x - 1, 0);
    float before = reconstruct(row[max(x - 2, 0)], row[left], row[x], row[right], row[min(x + 2, last)]);
    float after = reconstruct(row[min(x + 3, last)], row[min(x + 2, last)], row[right], row[x], row[left]);
    float speed = fmax(fabs(before), fabs(after));
    f[get_global_id(1) * width + x] = (before * before + after * after) / 4 - speed * (after - before) / 2;
}
"""


@case("fields/WENO fluxes", sizes={"width": 301, "height": 60}, small={"width": 37, "height": 3})
def weno(random: np.random.Generator, width: int, height: int) -> Case:
    """Fluxes of Burgers' equation, fifth order: squares and reciprocal squares by `pown` and `pow`."""
    u = (2 * random.random((height, width)) - 1).astype(np.float32)

    def reconstruct(stencil: list[np.ndarray]) -> np.ndarray:
        a, b, c, d, e = stencil
        parts = (2 * a - 7 * b + 11 * c) / 6, (5 * c - b + 2 * d) / 6, (2 * c + 5 * d - e) / 6
        smooth = (
            13 * (a - 2 * b + c) ** 2 / 12 + (a - 4 * b + 3 * c) ** 2 / 4,
            13 * (b - 2 * c + d) ** 2 / 12 + (b - d) ** 2 / 4,
            13 * (c - 2 * d + e) ** 2 / 12 + (3 * c - 4 * d + e) ** 2 / 4,
        )
        weights = [w / (s + 1e-3) ** 2 for w, s in zip((0.1, 0.6, 0.3), smooth, strict=True)]
        weighted = sum(w * p for w, p in zip(weights, parts, strict=True))
        return np.asarray(weighted / sum(weights))

    at = {n: u.astype(np.float64)[:, np.clip(np.arange(width) + n, 0, width - 1)] for n in range(-2, 4)}
    before = reconstruct([at[n] for n in (-2, -1, 0, 1, 2)])
    after = reconstruct([at[n] for n in (3, 2, 1, 0, -1)])
    speed = np.maximum(np.abs(before), np.abs(after))
    fluxes = (before**2 + after**2) / 4 - speed * (after - before) / 2
    return Case(
        FLUX,
        [Launch("flux", ("u", "f", np.int32(width)), (-(-width // 16) * 16, height), (16, 1))],
        {"u": u, "f": np.zeros_like(u)},
        {"f": fluxes.astype(np.float32)},
        tolerance=1e-4,
    )


ADVECT = """
float sample(global const float *q, float x, float y, int width, int height) {
    x = clamp(x, 0.0f, width - 1.01f);
    y = clamp(y, 0.0f, height - 1.01f);
    int i = (int)x, j = (int)y;
    float a = x - i, b = y - j;
    return mix(mix(q[j * width + i], q[j * width + i + 1], a),
               mix(q[(j + 1) * width + i], q[(j + 1) * width + i + 1], a), b);
}

kernel void advect(global const float2 *velocity, global const float *q, global float *moved,
                   int width, int height, float step) {
    int x = get_global_id(0), y = get_global_id(1);
    if (x >= width || y >= height) return;
    float2 v = velocity[y * width + x];
    moved[y * width + x] = sample(q, x - step * v.x, y - step * v.y, width, height);
}
"""


@case("fields/advection", sizes={"width": 170, "height": 130}, small={"width": 19, "height": 5})
def advection(random: np.random.Generator, width: int, height: int) -> Case:
    """A semi-Lagrangian step: each cell takes the value from where the flow comes, between four cells."""
    velocity = (8 * random.random((height, width, 2)) - 4).astype(np.float32)
    q = random.random((height, width), np.float32)
    y, x = np.mgrid[0:height, 0:width]
    x = np.clip(x - 0.75 * velocity[..., 0], 0, width - 1.01)
    y = np.clip(y - 0.75 * velocity[..., 1], 0, height - 1.01)
    i, j = x.astype(int), y.astype(int)
    a, b = x - i, y - j
    above = q[j, i] * (1 - a) + q[j, i + 1] * a
    below = q[j + 1, i] * (1 - a) + q[j + 1, i + 1] * a
    arguments = ("velocity", "q", "moved", np.int32(width), np.int32(height), np.float32(0.75))
    return Case(
        ADVECT,
        [Launch("advect", arguments, (width, height))],
        {"velocity": velocity, "q": q, "moved": np.zeros_like(q)},
        {"moved": (above * (1 - b) + below * b).astype(np.float32)},
        tolerance=1e-4,
    )


GRADE = """
kernel void grade(global const float *table, global const float *colours, global float *graded,
                  int n, int side) {
    int i = get_global_id(0);
    if (i >= n) return;
    float x = colours[3 * i] * (side - 1.01f), y = colours[3 * i + 1] * (side - 1.01f);
    float z = colours[3 * i + 2] * (side - 1.01f);
    int a = (int)x, b = (int)y, c = (int)z, k = (c * side + b) * side + a, l = k + side * side;
    float u = x - a, v = y - b;
    float near = mix(mix(table[k], table[k + 1], u), mix(table[k + side], table[k + side + 1], u), v);
    float far = mix(mix(table[l], table[l + 1], u), mix(table[l + side], table[l + side + 1], u), v);
    graded[i] = mix(near, far, z - c);
}
"""


@case("fields/colour table", sizes={"count": 20000}, small={"count": 50})
def colour_table(random: np.random.Generator, count: int, side: int = 17) -> Case:
    """A table in three dimensions, read between eight entries."""
    table = random.random((side, side, side), np.float32)
    colours = random.random((count, 3), np.float32)
    places = colours.astype(np.float64) * (side - 1.01)
    a, b, c = places.astype(int).T
    u, v, w = places.T - np.stack([a, b, c])
    rows = {
        (m, n): table[c + m, b + n, a] * (1 - u) + table[c + m, b + n, a + 1] * u
        for m in (0, 1)
        for n in (0, 1)
    }
    near, far = (rows[m, 0] * (1 - v) + rows[m, 1] * v for m in (0, 1))
    return Case(
        GRADE,
        [Launch("grade", ("table", "colours", "graded", np.int32(count), np.int32(side)), (count,))],
        {"table": table, "colours": colours, "graded": np.zeros(count, np.float32)},
        {"graded": (near * (1 - w) + far * w).astype(np.float32)},
        tolerance=1e-4,
    )


WORLEY = """
uint hash(uint x) {
    x = (x ^ x >> 16) * 0x7feb352du;
    x = (x ^ x >> 15) * 0x846ca68bu;
    return x ^ x >> 16;
}

kernel void worley(global float2 *distances, int width, int height, float scale) {
    size_t id = get_global_id(0);
    if (id >= (size_t)width * height) return;
    float x = id % width * scale, y = id / width * scale;
    int column = (int)x, row = (int)y;
    float nearest = INFINITY, second = INFINITY;
    for (int j = row - 1; j <= row + 1; j++)
        for (int i = column - 1; i <= column + 1; i++) {
            uint point = hash((uint)i * 374761393u + hash((uint)j));
            float dx = i + (point & 0xffff) / 65536.0f - x, dy = j + (point >> 16) / 65536.0f - y;
            float d = dx * dx + dy * dy;
            if (d < nearest) {
                second = nearest;
                nearest = d;
            } else if (d < second)
                second = d;
        }
    distances[id] = (float2)(sqrt(nearest), sqrt(second));
}
"""


@case("fields/Worley noise", sizes={"width": 150, "height": 133}, small={"width": 13, "height": 5})
def worley(random: np.random.Generator, width: int, height: int) -> Case:
    """The two points nearest to each pixel, one hashed for each cell; pixels are numbered by `size_t`."""

    def hashed(x: np.ndarray) -> np.ndarray:
        x = (x ^ x >> np.uint32(16)) * np.uint32(0x7FEB352D)
        x = (x ^ x >> np.uint32(15)) * np.uint32(0x846CA68B)
        return np.asarray(x ^ x >> np.uint32(16))

    scale = np.float32(random.uniform(0.05, 0.1))
    y, x = np.mgrid[0:height, 0:width].astype(np.float32) * scale
    distances = []
    for dj in (-1, 0, 1):
        for di in (-1, 0, 1):
            i, j = (p.astype(np.int32) + d for p, d in ((x, di), (y, dj)))
            point = hashed(i.astype(np.uint32) * np.uint32(374761393) + hashed(j.astype(np.uint32)))
            px, py = i + (point & np.uint32(0xFFFF)) / 65536, j + (point >> np.uint32(16)) / 65536
            distances.append(np.hypot(px - x, py - y))
    expected = np.sort(np.stack(distances, axis=-1), axis=-1)[..., :2]
    return Case(
        WORLEY,
        [Launch("worley", ("distances", np.int32(width), np.int32(height), scale), (width * height,))],
        {"distances": np.zeros((height, width, 2), np.float32)},
        {"distances": expected.astype(np.float32)},
        tolerance=1e-4,
        may_differ=0.001,
    )


VITERBI = """
#define STATES 48
kernel void viterbi(global const float *moves, global const float *emits, global const int *seen,
                    global float *best, global uchar *from, int steps, int kinds) {
    local float likely[2][STATES];
    int state = get_local_id(0), chain = get_group_id(0);
    likely[0][state] = emits[state * kinds + seen[chain * steps]];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int t = 1; t < steps; t++) {
        float most = -INFINITY;
        int which = 0;
        for (int i = 0; i < STATES; i++) {
            float v = likely[(t - 1) & 1][i] + moves[i * STATES + state];
            if (v > most) {
                most = v;
                which = i;
            }
        }
        likely[t & 1][state] = most + emits[state * kinds + seen[chain * steps + t]];
        from[(chain * steps + t) * STATES + state] = which;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    best[chain * STATES + state] = likely[(steps - 1) & 1][state];
}
"""


@case("fields/Viterbi", sizes={"chains": 20, "steps": 40}, small={"chains": 2, "steps": 5})
def viterbi(random: np.random.Generator, chains: int, steps: int, states: int = 48, kinds: int = 10) -> Case:
    """The likeliest hidden states of several chains: a work-group for each, a work-item for each state."""
    moves = np.log(random.random((states, states)) + 0.01).astype(np.float32)
    emits = np.log(random.random((states, kinds)) + 0.01).astype(np.float32)
    seen = random.integers(0, kinds, (chains, steps), dtype=np.int32)
    best = emits[:, seen[:, 0]].T
    from_state = np.zeros((chains, steps, states), np.uint8)
    for t in range(1, steps):
        through = best[:, :, None] + moves[None]
        from_state[:, t] = through.argmax(axis=1)
        best = through.max(axis=1) + emits[:, seen[:, t]].T
    arguments = ("moves", "emits", "seen", "best", "from", np.int32(steps), np.int32(kinds))
    buffers = {"moves": moves, "emits": emits, "seen": seen}
    buffers |= {"best": np.zeros_like(best), "from": np.zeros_like(from_state)}
    return Case(
        VITERBI,
        [Launch("viterbi", arguments, (chains * states,), (states,))],
        buffers,
        {"best": best, "from": from_state},
    )
