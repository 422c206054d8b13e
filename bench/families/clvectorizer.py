"""The four kernels of the CLVectorizer paper, as a programmer writes them and with four work-items merged.

Fang and Varbanescu, CLVectorizer: A Source-to-Source Vectorizer for OpenCL Kernels, 2011: matrix product
(MM), image convolution (IC), Black-Scholes (BS) and red-black successive over-relaxation (SOR).
"""

import math

import numpy as np

from bench.case import Case, Launch, case

MM = """
__kernel void mm(__global const float *a, __global const float *b, __global float *c, int n) {
    int x = get_global_id(0), y = get_global_id(1);
    float sum = 0.0f;
    for (int k = 0; k < n; k++)
        sum += a[y * n + k] * b[k * n + x];
    c[y * n + x] = sum;
}

__kernel void mm4(__global const float *a, __global const float4 *b, __global float4 *c, int n) {
    int x = get_global_id(0), y = get_global_id(1), wide = n / 4;
    float4 sum = 0.0f;
    for (int k = 0; k < n; k++)
        sum += a[y * n + k] * b[k * wide + x];
    c[y * wide + x] = sum;
}
"""


def _mm(random: np.random.Generator, n: int, width: int) -> Case:
    a, b = (random.random((n, n), np.float32) for _ in range(2))
    name = "mm" if width == 1 else f"mm{width}"
    launch = Launch(name, ("a", "b", "c", np.int32(n)), (n // width, n), (16, 16))
    buffers = {"a": a, "b": b, "c": np.zeros_like(a)}
    return Case(MM, [launch], buffers, {"c": a @ b}, tolerance=1e-5)


@case("clvectorizer/MM/float", sizes={"n": 256}, small={"n": 32})
def mm(random: np.random.Generator, n: int) -> Case:
    """The naive matrix product."""
    return _mm(random, n, 1)


@case("clvectorizer/MM/float4", sizes={"n": 256}, small={"n": 64})
def mm4(random: np.random.Generator, n: int) -> Case:
    """The same, with four columns per work-item."""
    return _mm(random, n, 4)


CONVOLUTION = """
#define SIDE 7

__kernel void convolve(__global const float *image, __global const float *mask, __global float *result,
                       int stride, int width) {
    int x = get_global_id(0), y = get_global_id(1);
    float sum = 0.0f;
    for (int v = 0; v < SIDE; v++)
        for (int u = 0; u < SIDE; u++)
            sum += mask[v * SIDE + u] * image[(y + v) * stride + x + u];
    result[y * width + x] = sum;
}

__kernel void convolve4(__global const float *image, __global const float *mask, __global float *result,
                        int stride, int width) {
    int x = 4 * get_global_id(0), y = get_global_id(1);
    float4 sum = 0.0f;
    for (int v = 0; v < SIDE; v++)
        for (int u = 0; u < SIDE; u++)
            sum += mask[v * SIDE + u] * vload4(0, image + (y + v) * stride + x + u);
    vstore4(sum, 0, result + y * width + x);
}
"""


def _convolution(random: np.random.Generator, size: int, width: int) -> Case:
    image = random.random((size + 6, size + 6), np.float32)
    mask = random.random((7, 7), np.float32)
    views = np.lib.stride_tricks.sliding_window_view(image, (7, 7))
    expected = np.einsum("ijkl,kl->ij", views, mask, optimize=True).astype(np.float32)
    name = "convolve" if width == 1 else f"convolve{width}"
    arguments = ("image", "mask", "result", np.int32(size + 6), np.int32(size))
    launch = Launch(name, arguments, (size // width, size), (16, 16))
    buffers = {"image": image, "mask": mask, "result": np.zeros_like(expected)}
    return Case(CONVOLUTION, [launch], buffers, {"result": expected}, tolerance=1e-5)


@case("clvectorizer/IC/float", sizes={"size": 512}, small={"size": 32})
def convolution(random: np.random.Generator, size: int) -> Case:
    """A convolution with a mask of 7 x 7."""
    return _convolution(random, size, 1)


@case("clvectorizer/IC/float4", sizes={"size": 512}, small={"size": 64})
def convolution4(random: np.random.Generator, size: int) -> Case:
    """The same, with four points per work-item: its loads are unaligned."""
    return _convolution(random, size, 4)


BLACK_SCHOLES = """
#define DEFINE(NAME, T)                                                                                   \\
T cdf##NAME(T d) {                                                                                        \\
    T k = 1.0f / (1.0f + 0.2316419f * fabs(d));                                                           \\
    T p = k * (0.31938153f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f                  \\
        + k * 1.330274429f))));                                                                           \\
    T tail = 0.39894228f * exp(-0.5f * d * d) * p;                                                        \\
    return select(tail, 1.0f - tail, isgreater(d, (T)0.0f));                                              \\
}                                                                                                         \\
__kernel void NAME(__global const T *prices, __global const T *strikes, __global const T *years,          \\
                   __global T *calls, __global T *puts, float rate, float volatility) {                   \\
    int i = get_global_id(0);                                                                             \\
    T s = prices[i], x = strikes[i], t = years[i], root = sqrt(t);                                        \\
    T d1 = (log(s / x) + (rate + 0.5f * volatility * volatility) * t) / (volatility * root);              \\
    T d2 = d1 - volatility * root;                                                                        \\
    T c1 = cdf##NAME(d1), c2 = cdf##NAME(d2), discount = x * exp(-rate * t);                              \\
    calls[i] = s * c1 - discount * c2;                                                                    \\
    puts[i] = discount * (1.0f - c2) - s * (1.0f - c1);                                                   \\
}
DEFINE(options, float)
DEFINE(options4, float4)
"""


def _black_scholes(random: np.random.Generator, count: int, width: int) -> Case:
    ranges = ((5.0, 30.0), (1.0, 100.0), (0.25, 10.0))
    prices, strikes, years = (random.uniform(low, high, count).astype(np.float32) for low, high in ranges)
    rate, volatility = 0.02, 0.30
    s, x, t = (array.astype(np.float64) for array in (prices, strikes, years))
    d1 = (np.log(s / x) + (rate + volatility**2 / 2) * t) / (volatility * np.sqrt(t))
    d2 = d1 - volatility * np.sqrt(t)
    erf = np.vectorize(math.erf)
    c1, c2 = ((1 + erf(d / math.sqrt(2))) / 2 for d in (d1, d2))
    discount = x * np.exp(-rate * t)
    expected = {"calls": s * c1 - discount * c2, "puts": discount * (1 - c2) - s * (1 - c1)}
    name = "options" if width == 1 else f"options{width}"
    numbers = (np.float32(rate), np.float32(volatility))
    arguments = ("prices", "strikes", "years", "calls", "puts", *numbers)
    buffers = {"prices": prices, "strikes": strikes, "years": years}
    buffers |= {result: np.zeros_like(prices) for result in expected}
    rounded = {result: array.astype(np.float32) for result, array in expected.items()}
    launch = Launch(name, arguments, (count // width,), (64,))
    return Case(BLACK_SCHOLES, [launch], buffers, rounded, tolerance=1e-4)


@case("clvectorizer/BS/float", sizes={"count": 2**18}, small={"count": 2**10})
def black_scholes(random: np.random.Generator, count: int) -> Case:
    """Option prices: logarithms, exponentials and roots."""
    return _black_scholes(random, count, 1)


@case("clvectorizer/BS/float4", sizes={"count": 2**18}, small={"count": 2**10})
def black_scholes4(random: np.random.Generator, count: int) -> Case:
    """The same, with four options per work-item."""
    return _black_scholes(random, count, 4)


SOR = """
// One colour of the checkerboard, which is stored in a half as wide array of its own, the other in another.
__kernel void relax(__global float *mine, __global const float *other, __global const float *rhs, int width,
                    int height, int colour, float omega) {
    int x = get_global_id(0) + 1, y = get_global_id(1) + 1;
    int i = y * width + x;
    int side = ((y + colour) & 1) ? i + 1 : i - 1;
    float sum = other[i - width] + other[i + width] + other[i] + other[side];
    mine[i] += omega * (0.25f * (sum - rhs[i]) - mine[i]);
}

__kernel void relax4(__global float *mine, __global const float *other, __global const float *rhs, int width,
                     int height, int colour, float omega) {
    int x = 4 * get_global_id(0) + 1, y = get_global_id(1) + 1;
    int i = y * width + x;
    int side = ((y + colour) & 1) ? i + 1 : i - 1;
    float4 sum = vload4(0, other + i - width) + vload4(0, other + i + width) + vload4(0, other + i)
        + vload4(0, other + side);
    float4 here = vload4(0, mine + i);
    vstore4(here + omega * (0.25f * (sum - vload4(0, rhs + i)) - here), 0, mine + i);
}
"""


def _relaxed(red: np.ndarray, black: np.ndarray, rhs: np.ndarray, rounds: int, omega: float) -> None:
    """Update both colours in place."""
    rows = np.arange(1, red.shape[0] - 1)
    for _ in range(rounds):
        for colour, (mine, other) in enumerate(((red, black), (black, red))):
            inner = (slice(1, -1), slice(1, -1))
            side = np.where(((rows + colour) & 1)[:, None] == 1, other[1:-1, 2:], other[1:-1, :-2])
            total = other[:-2, 1:-1] + other[2:, 1:-1] + other[inner] + side
            mine[inner] += omega * (0.25 * (total - rhs[inner]) - mine[inner])


def _sor(random: np.random.Generator, size: int, width: int, rounds: int = 3, omega: float = 1.2) -> Case:
    shape = (size + 2, size // 2 + 2)
    red, black, rhs = (random.random(shape, np.float32) for _ in range(3))
    expected = {"red": red.astype(np.float64), "black": black.astype(np.float64)}
    _relaxed(expected["red"], expected["black"], rhs.astype(np.float64), rounds, omega)
    name = "relax" if width == 1 else f"relax{width}"
    numbers = (np.int32(shape[1]), np.int32(shape[0]))
    launches = [
        Launch(
            name,
            (*colours, "rhs", *numbers, np.int32(i), np.float32(omega)),
            (size // 2 // width, size),
            (16, 4),
        )
        for i, colours in enumerate((("red", "black"), ("black", "red")))
    ]
    rounded = {colour: array.astype(np.float32) for colour, array in expected.items()}
    buffers = {"red": red, "black": black, "rhs": rhs}
    return Case(SOR, launches * rounds, buffers, rounded, tolerance=1e-5, restore=("red", "black"))


@case("clvectorizer/SOR/float", sizes={"size": 512}, small={"size": 64})
def sor(random: np.random.Generator, size: int) -> Case:
    """Relaxation of a checkerboard, one colour per launch."""
    return _sor(random, size, 1)


@case("clvectorizer/SOR/float4", sizes={"size": 512}, small={"size": 128})
def sor4(random: np.random.Generator, size: int) -> Case:
    """The same, with four points per work-item."""
    return _sor(random, size, 4)
