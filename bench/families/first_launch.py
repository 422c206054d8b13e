"""From source to the first result of a large range, for programs that run each kernel once.

Buffers exist before the measurement; a run consists of the build, all launches and the wait. The kernels are
straightforward versions of linear algebra and stencils, with the local sizes of such programs.
"""

from functools import partial

import numpy as np

from bench.case import Case, Launch, case

GROUP_2D = (32, 8)
SMALL = {"side": 64}
TOLERANCE = 1e-4

CONVOLUTION = """
kernel void convolve_2d(global const float *image, global float *result, int side) {
    int x = get_global_id(0), y = get_global_id(1);
    if (x < 1 || y < 1 || x >= side - 1 || y >= side - 1)
        return;
    global const float *above = image + (y - 1) * side + x, *here = above + side, *below = here + side;
    result[y * side + x] = 0.2f * above[-1] - 0.3f * above[0] + 0.4f * above[1]
                           + 0.5f * here[-1] + 0.6f * here[0] + 0.7f * here[1]
                           - 0.8f * below[-1] - 0.9f * below[0] + 0.1f * below[1];
}

kernel void convolve_3d(global const float *volume, global float *result, int side) {
    int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
    if (x < 1 || y < 1 || z < 1 || x >= side - 1 || y >= side - 1 || z >= side - 1)
        return;
    float sum = 0.0f;
    for (int k = -1; k <= 1; k++) {
        global const float *layer = volume + (z + k) * side * side;
        float weight = 0.25f * (k + 2);
        sum += weight * (layer[(y - 1) * side + x] + layer[(y + 1) * side + x]);
        sum -= weight * (layer[y * side + x - 1] + 0.5f * layer[y * side + x] + layer[y * side + x + 1]);
    }
    result[(z * side + y) * side + x] = sum;
}
"""


def convolved(image: np.ndarray) -> np.ndarray:
    """Return the result of `convolve_2d`, with 0 at the edges."""
    side = len(image)
    weights = [[0.2, -0.3, 0.4], [0.5, 0.6, 0.7], [-0.8, -0.9, 0.1]]
    result = np.zeros_like(image)
    for j, row in enumerate(weights):
        for i, weight in enumerate(row):
            result[1:-1, 1:-1] += np.float32(weight) * image[j : side - 2 + j, i : side - 2 + i]
    return result


def convolution_2d(random: np.random.Generator, side: int) -> Case:
    """Nine neighbours with constant weights; the edges are unchanged."""
    image = random.random((side, side), np.float32)
    return Case(
        CONVOLUTION,
        [Launch("convolve_2d", ("image", "result", np.int32(side)), (side, side), GROUP_2D)],
        {"image": image, "result": np.zeros_like(image)},
        {"result": convolved(image)},
        tolerance=TOLERANCE,
    )


for _side in (1024, 4096):
    case(
        f"first-launch/2-D convolution/{_side}x{_side}", sizes={"side": _side}, small=SMALL, first_launch=True
    )(convolution_2d)


@case("first-launch/3-D convolution/256x256x256", sizes={"side": 256}, small={"side": 32}, first_launch=True)
def convolution_3d(random: np.random.Generator, side: int) -> Case:
    """Three layers of five neighbours, in a range of three dimensions."""
    volume = random.random((side, side, side), np.float32)
    expected = np.zeros_like(volume)
    inner = expected[1:-1, 1:-1, 1:-1]
    for k in range(3):
        layer, weight = volume[k : side - 2 + k], np.float32(0.25 * (k + 1))
        inner += weight * (layer[:, :-2, 1:-1] + layer[:, 2:, 1:-1])
        inner -= weight * (layer[:, 1:-1, :-2] + layer[:, 1:-1, 1:-1] / 2 + layer[:, 1:-1, 2:])
    return Case(
        CONVOLUTION,
        [Launch("convolve_3d", ("volume", "result", np.int32(side)), (side,) * 3, (*GROUP_2D, 1))],
        {"volume": volume, "result": np.zeros_like(volume)},
        {"result": expected},
        tolerance=TOLERANCE,
    )


ALGEBRA = """
kernel void product(global const float *a, global const float *b, global float *c, int side) {
    int column = get_global_id(0), row = get_global_id(1);
    if (column >= side || row >= side)
        return;
    float sum = 0.0f;
    for (int k = 0; k < side; k++)
        sum += a[row * side + k] * b[k * side + column];
    c[row * side + column] = sum;
}

// c = beta c + alpha a a'
kernel void rank_update(global const float *a, global float *c, float alpha, float beta, int side) {
    int column = get_global_id(0), row = get_global_id(1);
    if (column >= side || row >= side)
        return;
    float sum = beta * c[row * side + column];
    for (int k = 0; k < side; k++)
        sum += alpha * a[row * side + k] * a[column * side + k];
    c[row * side + column] = sum;
}

kernel void by_rows(global const float *a, global const float *x, global float *y, int side) {
    int row = get_global_id(0);
    if (row >= side)
        return;
    float sum = 0.0f;
    for (int k = 0; k < side; k++)
        sum += a[row * side + k] * x[k];
    y[row] = sum;
}

kernel void by_columns(global const float *a, global const float *x, global float *y, int side) {
    int column = get_global_id(0);
    if (column >= side)
        return;
    y[column] = 0.0f;
    for (int k = 0; k < side; k++)
        y[column] += a[k * side + column] * x[k];
}

kernel void two_by_rows(global const float *a, global const float *b, global const float *x, global float *y,
                        float alpha, float beta, int side) {
    int row = get_global_id(0);
    if (row >= side)
        return;
    float first = 0.0f, second = 0.0f;
    for (int k = 0; k < side; k++) {
        first += a[row * side + k] * x[k];
        second += b[row * side + k] * x[k];
    }
    y[row] = alpha * first + beta * second;
}
"""


def _matrix(random: np.random.Generator, side: int) -> np.ndarray:
    return random.random((side, side), np.float32) - np.float32(0.5)


def product(random: np.random.Generator, side: int) -> Case:
    """The three textbook loops, without tiles."""
    a, b = _matrix(random, side), _matrix(random, side)
    return Case(
        ALGEBRA,
        [Launch("product", ("a", "b", "c", np.int32(side)), (side, side), GROUP_2D)],
        {"a": a, "b": b, "c": np.zeros_like(a)},
        {"c": a @ b},
        tolerance=TOLERANCE,
    )


for _side in (256, 1024):
    case(f"first-launch/matrix product/{_side}", sizes={"side": _side}, small=SMALL, first_launch=True)(
        product
    )


@case("first-launch/three matrix products/512", sizes={"side": 512}, small=SMALL, first_launch=True)
def three_products(random: np.random.Generator, side: int) -> Case:
    """Three launches of one kernel with different arguments."""
    a, b, c, d = (_matrix(random, side) for _ in range(4))
    n = np.int32(side)
    triples = (("a", "b", "ab"), ("c", "d", "cd"), ("ab", "cd", "all"))
    return Case(
        ALGEBRA,
        [Launch("product", (*triple, n), (side, side), GROUP_2D) for triple in triples],
        {"a": a, "b": b, "c": c, "d": d, **{name: np.zeros_like(a) for name in ("ab", "cd", "all")}},
        {"all": (a @ b) @ (c @ d)},
        tolerance=TOLERANCE,
    )


@case("first-launch/rank update/512", sizes={"side": 512}, small=SMALL, first_launch=True)
def rank_update(random: np.random.Generator, side: int) -> Case:
    """Both operands are rows: one is uniform for adjacent work-items, the other strided."""
    a, c = _matrix(random, side), _matrix(random, side)
    alpha, beta = np.float32(1.5), np.float32(0.5)
    return Case(
        ALGEBRA,
        [Launch("rank_update", ("a", "c", alpha, beta, np.int32(side)), (side, side), GROUP_2D)],
        {"a": a, "c": c},
        {"c": beta * c + alpha * (a @ a.T)},
        tolerance=TOLERANCE,
        restore=("c",),
    )


@case("first-launch/matrix and vector, transposed/4096", sizes={"side": 4096}, small=SMALL, first_launch=True)
def matrix_vector(random: np.random.Generator, side: int) -> Case:
    """One row per work-item, then one column per work-item."""
    a, x = _matrix(random, side), random.random(side, np.float32)
    n = np.int32(side)
    group = (min(side, 256),)
    return Case(
        ALGEBRA,
        [
            Launch("by_rows", ("a", "x", "ax", n), (side,), group),
            Launch("by_columns", ("a", "ax", "y", n), (side,), group),
        ],
        {"a": a, "x": x, "ax": np.zeros_like(x), "y": np.zeros_like(x)},
        {"y": a.T @ (a @ x)},
        tolerance=TOLERANCE,
    )


@case("first-launch/two matrices and a vector/4096", sizes={"side": 4096}, small=SMALL, first_launch=True)
def two_matrices(random: np.random.Generator, side: int) -> Case:
    """Rows of two matrices per work-item."""
    a, b, x = _matrix(random, side), _matrix(random, side), random.random(side, np.float32)
    alpha, beta = np.float32(1.5), np.float32(0.5)
    arguments = ("a", "b", "x", "y", alpha, beta, np.int32(side))
    return Case(
        ALGEBRA,
        [Launch("two_by_rows", arguments, (side,), (min(side, 256),))],
        {"a": a, "b": b, "x": x, "y": np.zeros_like(x)},
        {"y": alpha * (a @ x) + beta * (b @ x)},
        tolerance=TOLERANCE,
    )


CORRELATION = """
// Data has a row for each observation and a column for each variable.
kernel void describe(global const float *data, global float *means, global float *deviations, int side) {
    int column = get_global_id(0);
    if (column >= side)
        return;
    float mean = 0.0f;
    for (int k = 0; k < side; k++)
        mean += data[k * side + column];
    mean /= side;
    float sum = 0.0f;
    for (int k = 0; k < side; k++) {
        float difference = data[k * side + column] - mean;
        sum += difference * difference;
    }
    means[column] = mean;
    deviations[column] = sqrt(sum);
}

kernel void normalize_data(global float *data, global const float *means, global const float *deviations,
                           int side) {
    int column = get_global_id(0), row = get_global_id(1);
    if (column < side && row < side)
        data[row * side + column] = (data[row * side + column] - means[column]) / deviations[column];
}

// A work-item has a row of the upper triangle and mirrors it.
kernel void correlate(global const float *data, global float *result, int side) {
    int first = get_global_id(0);
    if (first >= side)
        return;
    for (int second = first; second < side; second++) {
        float sum = 0.0f;
        for (int k = 0; k < side; k++)
            sum += data[k * side + first] * data[k * side + second];
        result[first * side + second] = sum;
        result[second * side + first] = sum;
    }
}
"""


@case("first-launch/correlation/512", sizes={"side": 512}, small=SMALL, first_launch=True)
def correlation(random: np.random.Generator, side: int) -> Case:
    """Three kernels; the last one has loops of different lengths."""
    data = random.random((side, side), np.float32)
    n, group = np.int32(side), (min(side, 256),)
    return Case(
        CORRELATION,
        [
            Launch("describe", ("data", "means", "deviations", n), (side,), group),
            Launch("normalize_data", ("data", "means", "deviations", n), (side, side), GROUP_2D),
            Launch("correlate", ("data", "result", n), (side,), group),
        ],
        {
            "data": data,
            "means": np.zeros(side, np.float32),
            "deviations": np.zeros(side, np.float32),
            "result": np.zeros_like(data),
        },
        {"result": np.asarray(np.corrcoef(data, rowvar=False), np.float32)},
        tolerance=TOLERANCE,
        restore=("data",),
    )


WAVES = """
kernel void step_x(global float *ex, global const float *hz, int side) {
    int x = get_global_id(0), y = get_global_id(1);
    if (x > 0 && x < side && y < side)
        ex[y * side + x] -= 0.5f * (hz[y * side + x] - hz[y * side + x - 1]);
}

kernel void step_y(global float *ey, global const float *hz, int side) {
    int x = get_global_id(0), y = get_global_id(1);
    if (y > 0 && x < side && y < side)
        ey[y * side + x] -= 0.5f * (hz[y * side + x] - hz[(y - 1) * side + x]);
}

kernel void step_z(global const float *ex, global const float *ey, global float *hz, int side) {
    int x = get_global_id(0), y = get_global_id(1);
    if (x < side - 1 && y < side - 1)
        hz[y * side + x] -= 0.7f * (ex[y * side + x + 1] - ex[y * side + x] + ey[(y + 1) * side + x]
                                    - ey[y * side + x]);
}
"""


def waves(random: np.random.Generator, side: int, steps: int) -> Case:
    """A field simulation: three kernels per time step."""
    ex, ey, hz = fields = [_matrix(random, side) for _ in range(3)]
    start = [part.copy() for part in fields]
    for _ in range(steps):
        ex[:, 1:] -= np.float32(0.5) * (hz[:, 1:] - hz[:, :-1])
        ey[1:] -= np.float32(0.5) * (hz[1:] - hz[:-1])
        change = ex[:-1, 1:] - ex[:-1, :-1] + ey[1:, :-1] - ey[:-1, :-1]
        hz[:-1, :-1] -= np.float32(0.7) * change
    n = np.int32(side)
    step = [
        Launch("step_x", ("ex", "hz", n), (side, side), GROUP_2D),
        Launch("step_y", ("ey", "hz", n), (side, side), GROUP_2D),
        Launch("step_z", ("ex", "ey", "hz", n), (side, side), GROUP_2D),
    ]
    return Case(
        WAVES,
        step * steps,
        dict(zip(("ex", "ey", "hz"), start, strict=True)),
        {"ex": ex, "ey": ey, "hz": hz},
        tolerance=TOLERANCE,
        restore=("ex", "ey", "hz"),
    )


case("first-launch/waves/1024x1024, 10 steps", sizes={"side": 1024}, small=SMALL, first_launch=True)(
    partial(waves, steps=10)
)
