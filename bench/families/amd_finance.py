"""In the manner of AMD's APP SDK: prices of options and quasi-random numbers."""

import numpy as np

from bench.case import Case, Launch, Local, case

BINOMIAL = """
// A work-group prices four European calls, one in each component; a work-item is a leaf of the lattice.
#define RATE 0.02f
#define VOLATILITY 0.30f
__kernel void binomial(int steps, __global const float4 *drawn, __global float4 *prices,
                       __local float4 *now, __local float4 *next) {
    int leaf = get_local_id(0), group = get_group_id(0);
    float4 u = drawn[group];
    float4 spot = mix((float4)(5.0f), (float4)(30.0f), u);
    float4 strike = mix((float4)(1.0f), (float4)(100.0f), u);
    float4 years = mix((float4)(0.25f), (float4)(10.0f), u);

    float4 dt = years * (1.0f / steps);
    float4 spread = VOLATILITY * sqrt(dt);
    float4 growth = exp(RATE * dt);
    float4 up = exp(spread), down = 1.0f / up;
    float4 chance = (growth - down) / (up - down);
    float4 upper = chance / growth, lower = (1.0f - chance) / growth;

    float4 value = spot * exp(spread * (2.0f * leaf - steps)) - strike;
    now[leaf] = fmax(value, 0.0f);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int level = steps; level > 0; level -= 2) {
        if (leaf < level)
            next[leaf] = upper * now[leaf + 1] + lower * now[leaf];
        barrier(CLK_LOCAL_MEM_FENCE);
        if (leaf < level - 1)
            now[leaf] = upper * next[leaf + 1] + lower * next[leaf];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (leaf == 0)
        prices[group] = now[0];
}
"""


def _lattice(drawn: np.ndarray, steps: int) -> np.ndarray:
    spot, strike, years = 5 + 25 * drawn, 1 + 99 * drawn, 0.25 + 9.75 * drawn
    dt = years / steps
    up = np.exp(0.30 * np.sqrt(dt))
    growth = np.exp(0.02 * dt)
    chance = (growth - 1 / up) / (up - 1 / up)
    leaves = spot[:, None] * up[:, None] ** (2.0 * np.arange(steps + 1) - steps) - strike[:, None]
    value = np.maximum(leaves, 0)
    for _ in range(steps):
        value = (chance[:, None] * value[:, 1:] + (1 - chance)[:, None] * value[:, :-1]) / growth[:, None]
    return value[:, 0]


@case("amd/BinomialOption", sizes={"groups": 64}, small={"groups": 2, "steps": 14})
def binomial(random: np.random.Generator, groups: int, steps: int = 254) -> Case:
    """Lattices of 254 steps: 255 work-items in a group, two barriers for each pair of levels."""
    drawn = random.random(4 * groups, np.float32)
    row = Local(16 * (steps + 1))
    launch = Launch(
        "binomial", (np.int32(steps), "drawn", "prices", row, row), (groups * (steps + 1),), (steps + 1,)
    )
    expected = _lattice(drawn.astype(np.float64), steps).astype(np.float32)
    return Case(
        BINOMIAL,
        [launch],
        {"drawn": drawn, "prices": np.zeros_like(drawn)},
        {"prices": expected},
        tolerance=1e-3,
    )


BLACK_SCHOLES = """
// The normal distribution, by a polynomial in 1 / (1 + 0.2316419 x), and by symmetry for negative x.
TYPE distribution(TYPE x) {
    TYPE positive = fabs(x);
    TYPE t = 1.0f / (1.0f + 0.2316419f * positive);
    TYPE tail = 0.39894228f * exp(-0.5f * x * x) * t * (0.31938153f + t * (-0.356563782f +
                t * (1.781477937f + t * (-1.821255978f + t * 1.330274429f))));
    return x < 0.0f ? tail : 1.0f - tail;
}

__kernel void black_scholes(__global const TYPE *drawn, __global TYPE *calls, __global TYPE *puts,
                            int width) {
    int i = get_global_id(1) * width + get_global_id(0);
    TYPE u = drawn[i];
    TYPE spot = 10.0f * u + 100.0f * (1.0f - u);
    TYPE strike = 10.0f * u + 100.0f * (1.0f - u) + 3.0f;
    TYPE years = 1.0f * u + 10.0f * (1.0f - u);
    TYPE rate = 0.01f * u + 0.05f * (1.0f - u);
    TYPE volatility = 0.01f * u + 0.10f * (1.0f - u) + 0.1f;

    TYPE spread = volatility * sqrt(years);
    TYPE d1 = (log(spot / strike) + (rate + volatility * volatility * 0.5f) * years) / spread;
    TYPE d2 = d1 - spread;
    TYPE discounted = strike * exp(-rate * years);
    calls[i] = spot * distribution(d1) - discounted * distribution(d2);
    puts[i] = discounted * distribution(-d2) - spot * distribution(-d1);
}
"""


def _normal(x: np.ndarray) -> np.ndarray:
    t = 1 / (1 + 0.2316419 * np.abs(x))
    coefficients = (1.330274429, -1.821255978, 1.781477937, -0.356563782, 0.31938153, 0.0)
    tail = np.exp(-0.5 * x * x) / np.sqrt(2 * np.pi) * np.polyval(coefficients, t)
    return np.where(x < 0, tail, 1 - tail)


def _black_scholes(random: np.random.Generator, width: int, height: int, kind: str, lanes: int) -> Case:
    drawn = random.random(width * height, np.float32)
    u = drawn.astype(np.float64)
    spot, strike, years = 100 - 90 * u, 103 - 90 * u, 10 - 9 * u
    rate, volatility = 0.05 - 0.04 * u, 0.2 - 0.09 * u
    spread = volatility * np.sqrt(years)
    d1 = (np.log(spot / strike) + (rate + volatility**2 / 2) * years) / spread
    d2 = d1 - spread
    discounted = strike * np.exp(-rate * years)
    calls = spot * _normal(d1) - discounted * _normal(d2)
    puts = discounted * _normal(-d2) - spot * _normal(-d1)
    columns = width // lanes
    return Case(
        BLACK_SCHOLES,
        [Launch("black_scholes", ("drawn", "calls", "puts", np.int32(columns)), (columns, height), (16, 16))],
        {"drawn": drawn, "calls": np.zeros_like(drawn), "puts": np.zeros_like(drawn)},
        {"calls": calls.astype(np.float32), "puts": puts.astype(np.float32)},
        tolerance=1e-4,
        options=f"-D TYPE={kind}",
    )


@case("amd/BlackScholes", sizes={"width": 512, "height": 512}, small={"width": 32, "height": 16})
def black_scholes(random: np.random.Generator, width: int, height: int) -> Case:
    """One call and one put per work-item."""
    return _black_scholes(random, width, height, "float", 1)


@case("amd/BlackScholes/float4", sizes={"width": 512, "height": 512}, small={"width": 128, "height": 16})
def black_scholes_float4(random: np.random.Generator, width: int, height: int) -> Case:
    """Four of each per work-item, in vectors."""
    return _black_scholes(random, width, height, "float4", 4)


SOBOL = """
// A row of the grid is a dimension; a work-item makes four numbers of it, each from the bits of its index.
#define BITS 32
__kernel void sobol(__global float4 *numbers, __global const uint *directions, __local uint *mine) {
    uint dimension = get_group_id(1), lid = get_local_id(0), column = get_global_id(0);
    if (lid < BITS)
        mine[lid] = directions[dimension * BITS + lid];
    barrier(CLK_LOCAL_MEM_FENCE);
    uint4 index = 4 * column + (uint4)(0, 1, 2, 3);
    uint4 bits = 0;
    for (uint k = 0; k < BITS; k++) {
        uint4 chosen = -(index >> k & 1);
        bits ^= chosen & mine[k];
    }
    numbers[dimension * get_global_size(0) + column] = convert_float4(bits) * 0x1p-32f;
}
"""


def _sobol(directions: np.ndarray, count: int) -> np.ndarray:
    index = np.arange(count, dtype=np.uint32)
    bits = np.zeros((len(directions), count), np.uint32)
    for k in range(32):
        bits ^= np.where(index >> np.uint32(k) & 1, directions[:, k : k + 1], np.uint32(0))
    return (bits.astype(np.float64) / 2**32).astype(np.float32)


@case(
    "amd/QuasiRandomSequence",
    sizes={"dimensions": 64, "count": 8192},
    small={"dimensions": 2, "count": 1024},
)
def quasi_random_sequence(random: np.random.Generator, dimensions: int, count: int) -> Case:
    """Sobol sequences: a loop over the bits of an index, with uint4."""
    # Number k has its leading one at bit 31 - k, as Sobol requires; the lower bits are random.
    tails = random.integers(0, 2**32, (dimensions, 32), dtype=np.uint32)
    leading = (np.uint32(1) << (31 - np.arange(32, dtype=np.uint32))).astype(np.uint32)
    directions = (leading | (tails & ~(leading - np.uint32(1)) << np.uint32(1))).astype(np.uint32)
    return Case(
        SOBOL,
        [Launch("sobol", ("numbers", "directions", Local(128)), (count // 4, dimensions), (256, 1))],
        {"numbers": np.zeros((dimensions, count), np.float32), "directions": directions},
        {"numbers": _sobol(directions, count)},
        tolerance=1e-6,
    )
