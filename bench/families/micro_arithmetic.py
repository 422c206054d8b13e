"""Small compute-only kernels: chains of multiply-adds, integers of all widths, divisions, vectors."""

from functools import partial

import numpy as np

from bench.case import Case, Launch, case
from bench.registry import Memory, Unit

SAXPY = """
__kernel void saxpy(__global const TYPE *x, __global const TYPE *y, __global TYPE *z, float a) {
    size_t i = get_global_id(0);
    z[i] = a * x[i] + y[i];
}
"""
SAXPY_COUNT = 2**17
DTYPES: dict[str, np.dtype] = {
    "char": np.dtype(np.int8),
    "short": np.dtype(np.int16),
    "int": np.dtype(np.int32),
    "uint": np.dtype(np.uint32),
    "long": np.dtype(np.int64),
    "ulong": np.dtype(np.uint64),
}


def saxpy(random: np.random.Generator, count: int, lanes: int) -> Case:
    """Load and store a vector type."""
    x, y = (random.integers(0, 100, count).astype(np.float32) for _ in range(2))
    return Case(
        SAXPY,
        [Launch("saxpy", ("x", "y", "z", np.float32(2)), (count // lanes,), (64,))],
        {"x": x, "y": y, "z": np.zeros_like(x)},
        {"z": 2 * x + y},
        options=f"-D TYPE=float{lanes}",
    )


for _lanes in (2, 4, 8, 16):
    case(
        f"micro/saxpy/float{_lanes}",
        Unit.BANDWIDTH,
        work=12.0 * SAXPY_COUNT,
        memory=Memory(8.0 * SAXPY_COUNT, 4.0 * SAXPY_COUNT),
        sizes={"count": SAXPY_COUNT},
        small={"count": 2048},
    )(partial(saxpy, lanes=_lanes))

PEAK = """
// Two values that turn around each other: 2 * ROUNDS multiply-adds in a row, which neither grow nor vanish.
#define ROUNDS 128
__kernel void peak(__global TYPE *out, SCALAR factor) {
    TYPE x = 1, y = (SCALAR)get_local_id(0) / (SCALAR)64;
    for (int k = 0; k < ROUNDS; k++) {
        x = fma(x, factor, y);
        y = fma(y, factor, -x);
    }
    out[get_global_id(0)] = x + y;
}
"""
ROUNDS, FACTOR = 128, 0.999
# The total of scalars, independent of the vector length.
PEAK_COUNT = 2**16


def peak(random: np.random.Generator, count: int, scalar: str, lanes: int) -> Case:
    """Multiply-adds without memory accesses."""
    dtype = np.dtype(scalar.replace("float", "float32"))
    items = count // lanes
    y = np.tile(np.arange(64) / 64, items // 64)
    x = np.ones(items)
    for _ in range(ROUNDS):
        x = x * FACTOR + y
        y = y * FACTOR - x
    out = np.repeat(x + y, lanes).astype(dtype)
    return Case(
        PEAK,
        [Launch("peak", ("out", dtype.type(FACTOR)), (items,), (64,))],
        {"out": np.zeros_like(out)},
        {"out": out},
        tolerance=1e-4,
        options=f"-D SCALAR={scalar} -D TYPE={scalar}{lanes if lanes > 1 else ''}",
    )


for _scalar, _widths in {"float": (1, 2, 4, 8, 16), "double": (1, 4)}.items():
    for _lanes in _widths:
        case(
            f"micro/multiply-add chains/{_scalar}{_lanes if _lanes > 1 else ''}",
            Unit.ARITHMETIC,
            work=4.0 * ROUNDS * PEAK_COUNT,
            sizes={"count": PEAK_COUNT},
            small={"count": 2048},
        )(partial(peak, scalar=_scalar, lanes=_lanes))

INTEGERS = """
__kernel void chain(__global const TYPE *a, __global const TYPE *b, __global TYPE *out) {
    size_t i = get_global_id(0);
    TYPE x = a[i], y = b[i];
    for (int k = 0; k < 32; k++) {
        x = x * y + (TYPE)k;
        y = (y ^ x) - (x >> 3);
    }
    out[i] = x;
}
// What pictures are made of: bytes that do not wrap around.
__kernel void blend(__global const uchar *a, __global const uchar *b, __global uchar *out) {
    size_t i = get_global_id(0);
    uchar mean = rhadd(a[i], b[i]);
    out[i] = add_sat(sub_sat(mean, (uchar)16), (uchar)(b[i] >> 1));
}
__kernel void distance8(__global const uchar *a, __global const uchar *b, __global uint *out) {
    size_t i = get_global_id(0);
    uint sum = 0;
    for (int k = 0; k < 16; k++)
        sum += abs_diff(a[k * 65536 + i], b[k * 65536 + i]);
    out[i] = sum;
}
"""


def integers(random: np.random.Generator, count: int, kind: str) -> Case:
    """Multiplications, additions and shifts of one width."""
    dtype = DTYPES[kind]
    limits = np.iinfo(dtype)
    a, b = (random.integers(limits.min, limits.max, count, dtype=dtype) for _ in range(2))
    x, y = a, b
    for k in range(32):
        x = x * y + dtype.type(k)
        y = (y ^ x) - (x >> dtype.type(3))
    return Case(
        INTEGERS,
        [Launch("chain", ("a", "b", "out"), (count,), (64,))],
        {"a": a, "b": b, "out": np.zeros_like(a)},
        {"out": x},
        options=f"-D TYPE={kind}",
    )


for _kind in ("char", "short", "int", "long", "ulong"):
    case(f"micro/integers/{_kind}", sizes={"count": 2**16}, small={"count": 512})(
        partial(integers, kind=_kind)
    )


@case("micro/integers/saturated bytes", sizes={"count": 2**20}, small={"count": 512})
def blend(random: np.random.Generator, count: int) -> Case:
    """Straight-line byte arithmetic."""
    a, b = (random.integers(0, 256, count, dtype=np.uint8) for _ in range(2))
    mean = (a.astype(int) + b + 1) >> 1
    expected = np.minimum(np.maximum(mean - 16, 0) + (b >> 1), 255).astype(np.uint8)
    launch = Launch("blend", ("a", "b", "out"), (count,), (256,))
    buffers = {"a": a, "b": b, "out": np.zeros_like(a)}
    return Case(INTEGERS, [launch], buffers, {"out": expected}, options="-D TYPE=uchar")


@case("micro/integers/bytes summed in 32 bits", sizes={"count": 65536}, small={"count": 512})
def distance8(random: np.random.Generator, count: int) -> Case:
    """Byte loads and 32-bit sums."""
    a, b = (random.integers(0, 256, (16, 65536), dtype=np.uint8) for _ in range(2))
    expected = np.abs(a.astype(int) - b).sum(axis=0).astype(np.uint32)
    expected[count:] = 0
    launch = Launch("distance8", ("a", "b", "out"), (count,), (256,))
    buffers = {"a": a, "b": b, "out": np.zeros_like(expected)}
    return Case(INTEGERS, [launch], buffers, {"out": expected}, options="-D TYPE=uchar")


DIVISIONS = """
__kernel void by_uniform(__global const TYPE *a, __global const TYPE *b, __global TYPE *out, TYPE d) {
    size_t i = get_global_id(0);
    out[i] = a[i] / d + a[i] % d;
}
__kernel void by_varying(__global const TYPE *a, __global const TYPE *b, __global TYPE *out, TYPE d) {
    size_t i = get_global_id(0);
    out[i] = a[i] / b[i] + a[i] % b[i];
}
__kernel void by_constant(__global const TYPE *a, __global const TYPE *b, __global TYPE *out, TYPE d) {
    size_t i = get_global_id(0);
    out[i] = a[i] / (TYPE)10 + a[i] % (TYPE)7;
}
// What kernels do to find their row and column.
__kernel void of_ids(__global const TYPE *a, __global const TYPE *b, __global TYPE *out, TYPE d) {
    TYPE i = get_global_id(0);
    TYPE row = i / d, column = i % d;
    out[i] = a[row] + b[column];
}
"""


def divisions(random: np.random.Generator, count: int, kernel: str, kind: str) -> Case:
    """A quotient and a remainder."""
    dtype = DTYPES[kind]
    a = random.integers(0, 2**31 - 1, count).astype(dtype)
    b = random.integers(1, 1000, count).astype(dtype)
    divisor = dtype.type(300)
    i = np.arange(count)
    expected = {
        "by_uniform": lambda: a // divisor + a % divisor,
        "by_varying": lambda: a // b + a % b,
        "by_constant": lambda: a // dtype.type(10) + a % dtype.type(7),
        "of_ids": lambda: a[i // 300] + b[i % 300],
    }[kernel]()
    return Case(
        DIVISIONS,
        [Launch(kernel, ("a", "b", "out", divisor), (count,), (256,))],
        {"a": a, "b": b, "out": np.zeros_like(a)},
        {"out": expected},
        options=f"-D TYPE={kind}",
    )


for _kernel, _kinds in {
    "by_uniform": ("int", "ulong"),
    "by_varying": ("int", "uint", "ulong"),
    "by_constant": ("int",),
    "of_ids": ("uint",),
}.items():
    for _kind in _kinds:
        case(
            f"micro/division {_kernel.replace('_', ' ')}/{_kind}",
            sizes={"count": 2**17},
            small={"count": 512},
        )(partial(divisions, kernel=_kernel, kind=_kind))
