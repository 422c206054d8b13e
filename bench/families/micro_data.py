"""Small kernels in which data decides what is done and where memory is accessed."""

from functools import partial

import numpy as np

from bench.case import Case, Launch, case

OPERATIONS = """
kernel void operations(global const uchar *code, global const uint *a, global const uint *b,
                       global uint *out) {
    size_t i = get_global_id(0);
    uint x = a[i], y = b[i], z;
    switch (code[i]) {
    case 0: z = x + y; break;
    case 1: z = x - y; break;
    case 2: z = x * y; break;
    case 3: z = x & y; break;
    case 4: z = x | y; break;
    case 5: z = x ^ y; break;
    case 6: z = x << (y & 31); break;
    case 7: z = rotate(x, y); break;
    default: z = max(x, y);
    }
    out[i] = z;
}
"""


@case("micro/switch of integer operations", sizes={"count": 2**16}, small={"count": 640})
def operations(random: np.random.Generator, count: int) -> Case:
    """One of nine operations for each work-item."""
    code = random.integers(0, 9, count, dtype=np.uint8)
    a, b = random.integers(0, 2**32, (2, count), dtype=np.uint32)
    bits = b & np.uint32(31)
    turned = a << bits | a >> (-bits & np.uint32(31))
    results = [a + b, a - b, a * b, a & b, a | b, a ^ b, a << bits, turned, np.maximum(a, b)]
    return Case(
        OPERATIONS,
        [Launch("operations", ("code", "a", "b", "out"), (count,))],
        {"code": code, "a": a, "b": b, "out": np.zeros_like(a)},
        {"out": np.choose(code, results)},
    )


MACHINE = """
enum { PUSH, LOAD, STORE, ADD, SUBTRACT, MULTIPLY, XOR, JUMP, HALT };

kernel void machine(global const uchar *code, global const int *input, global int *out, int limit) {
    int stack[16], variables[4];
    int id = get_global_id(0), at = 0, top = 0;
    variables[0] = input[id];
    variables[1] = id;
    variables[2] = variables[3] = 0;
    for (int step = 0; step < limit; step++) {
        uchar operation = code[at++];
        if (operation == HALT) break;
        switch (operation) {
        case PUSH: stack[top++] = code[at++]; break;
        case LOAD: stack[top++] = variables[code[at++] & 3]; break;
        case STORE: variables[code[at++] & 3] = stack[--top]; break;
        case ADD: top--; stack[top - 1] += stack[top]; break;
        case SUBTRACT: top--; stack[top - 1] -= stack[top]; break;
        case MULTIPLY: top--; stack[top - 1] *= stack[top]; break;
        case XOR: top--; stack[top - 1] ^= stack[top]; break;
        case JUMP: at = stack[--top] != 0 ? code[at] : at + 1; break;
        }
    }
    out[id] = variables[2];
}
"""

# Until variable 0 is 0: variable 2 becomes its triple, exclusive or variable 1; variable 0 is decremented.
_PUSH, _LOAD, _STORE, _ADD, _SUBTRACT, _MULTIPLY, _XOR, _JUMP, _HALT = range(9)
_TRIPLE = (_LOAD, 2, _PUSH, 3, _MULTIPLY, _LOAD, 1, _XOR, _STORE, 2)
_DOWN = (_LOAD, 0, _PUSH, 1, _SUBTRACT, _STORE, 0, _LOAD, 0, _JUMP, 0, _HALT)


@case("micro/interpreter", sizes={"count": 8192}, small={"count": 128})
def machine(random: np.random.Generator, count: int) -> Case:
    """A machine with a stack; work-items run one program with different numbers of rounds."""
    rounds = random.integers(1, 24, count, dtype=np.int32)
    numbers = np.arange(count, dtype=np.int32)
    result = np.zeros_like(rounds)
    for k in range(24):
        result = np.where(k < rounds, result * np.int32(3) ^ numbers, result)
    return Case(
        MACHINE,
        [Launch("machine", ("code", "input", "out", np.int32(400)), (count,), (64,))],
        {"code": np.array(_TRIPLE + _DOWN, np.uint8), "input": rounds, "out": np.zeros_like(rounds)},
        {"out": result},
    )


QUARTERS = """
kernel void quarters(global const uchar *steps, global ushort *sums, int length) {
    ushort sum[4] = {1, 2, 3, 4};
    uchar next[8] = {3, 1, 4, 1, 5, 2, 6, 0};
    int id = get_global_id(0);
    uchar state = id & 7;
    for (int k = 0; k < length; k++) {
        state = next[state ^ (steps[id * length + k] & 7)];
        sum[state & 3] += k;
    }
    for (int k = 0; k < 4; k++)
        sums[4 * id + k] = sum[k];
}
"""


@case("micro/private array/initialized", sizes={"count": 2048}, small={"count": 128})
def quarters(random: np.random.Generator, count: int, length: int = 64) -> Case:
    """Private arrays of eight bytes with initial values, at indices that data decides."""
    steps = random.integers(0, 256, (count, length), dtype=np.uint8)
    items = np.arange(count)
    following = np.array([3, 1, 4, 1, 5, 2, 6, 0])
    state, sums = items & 7, np.tile(np.array([1, 2, 3, 4], np.uint16), (count, 1))
    for k in range(length):
        state = following[state ^ (steps[:, k] & 7)]
        sums[items, state & 3] += np.uint16(k)
    return Case(
        QUARTERS,
        [Launch("quarters", ("steps", "sums", np.int32(length)), (count,), (64,))],
        {"steps": steps, "sums": np.zeros_like(sums)},
        {"sums": sums},
    )


Z_ORDER = """
// The bits of a number below 2^16, with a zero bit before each.
uint spread(uint x) {
    x = (x | x << 8) & 0x00ff00ff;
    x = (x | x << 4) & 0x0f0f0f0f;
    x = (x | x << 2) & 0x33333333;
    return (x | x << 1) & 0x55555555;
}
kernel void from_z_order(global const uchar *in, global uchar *out) {
    uint x = get_global_id(0), y = get_global_id(1);
    out[y * get_global_size(0) + x] = in[spread(x) | spread(y) << 1];
}
kernel void to_z_order(global const uchar *in, global uchar *out) {
    uint x = get_global_id(0), y = get_global_id(1);
    out[spread(x) | spread(y) << 1] = in[y * get_global_size(0) + x];
}
"""


def z_order(random: np.random.Generator, side: int, kernel: str) -> Case:
    """A picture of bytes whose pixels lie along a Z-order (Morton) curve."""
    picture = random.integers(0, 256, (side, side), dtype=np.uint8)
    bits = side.bit_length() - 1
    # The bits of the place alternate between those of y and those of x.
    pairs = picture.reshape((2,) * (2 * bits))
    curve = pairs.transpose([axis for bit in range(bits) for axis in (bit, bits + bit)]).ravel()
    before, after = (curve, picture) if kernel == "from_z_order" else (picture, curve)
    return Case(
        Z_ORDER,
        [Launch(kernel, ("in", "out"), (side, side), (16, 16))],
        {"in": before, "out": np.zeros_like(after)},
        {"out": after},
    )


for _kernel, _what in (("from_z_order", "read"), ("to_z_order", "stored")):
    case(f"micro/Z-order/bytes {_what}", sizes={"side": 1024}, small={"side": 64})(
        partial(z_order, kernel=_kernel)
    )
