"""Ciphers, sums and powers modulo n in which each step needs the one before."""

import zlib

import numpy as np

from bench.case import Case, Launch, case

RC4 = """
kernel void rc4(global const uchar *keys, global uchar *streams, int key_bytes, int bytes) {
    uchar state[256];
    int id = get_global_id(0);
    for (int k = 0; k < 256; k++)
        state[k] = k;
    uchar j = 0;
    for (int k = 0; k < 256; k++) {
        j += state[k] + keys[id * key_bytes + k % key_bytes];
        uchar swapped = state[k];
        state[k] = state[j];
        state[j] = swapped;
    }
    uchar i = 0;
    j = 0;
    for (int k = 0; k < bytes; k++) {
        i++;
        j += state[i];
        uchar swapped = state[i];
        state[i] = state[j];
        state[j] = swapped;
        streams[id * bytes + k] = state[(uchar)(state[i] + state[j])];
    }
}
"""


@case("hashes/RC4", sizes={"count": 1024}, small={"count": 64})
def rc4(random: np.random.Generator, count: int, key_bytes: int = 16, length: int = 64) -> Case:
    """64 bytes of key stream for each of many keys; the state is a private array of bytes."""
    keys = random.integers(0, 256, (count, key_bytes), dtype=np.uint8)
    items = np.arange(count)
    state = np.tile(np.arange(256, dtype=np.uint8), (count, 1))
    j = np.zeros(count, np.uint8)

    def swap(i: int) -> None:
        state[items, i], state[items, j] = state[items, j], state[items, i]

    for k in range(256):
        j += state[:, k] + keys[:, k % key_bytes]
        swap(k)
    j[:] = 0
    streams = np.empty((count, length), np.uint8)
    for k in range(length):
        i = (k + 1) % 256
        j += state[:, i]
        swap(i)
        streams[:, k] = state[items, state[:, i] + state[items, j]]
    return Case(
        RC4,
        [Launch("rc4", ("keys", "streams", np.int32(key_bytes), np.int32(length)), (count,), (64,))],
        {"keys": keys, "streams": np.zeros_like(streams)},
        {"streams": streams},
    )


BLOWFISH = """
uint mix(global const uint *boxes, uint x) {
    uint high = boxes[x >> 24] + boxes[256 + (x >> 16 & 255)];
    return (high ^ boxes[512 + (x >> 8 & 255)]) + boxes[768 + (x & 255)];
}
kernel void blowfish(global const uint *boxes, constant uint *keys, global const uint *in, global uint *out) {
    uint i = get_global_id(0), left = in[2 * i], right = in[2 * i + 1];
    for (int k = 0; k < 16; k += 2) {
        left ^= keys[k];
        right ^= mix(boxes, left) ^ keys[k + 1];
        left ^= mix(boxes, right);
    }
    out[2 * i] = right ^ keys[17];
    out[2 * i + 1] = left ^ keys[16];
}
"""


@case("hashes/Blowfish", sizes={"count": 8192}, small={"count": 64})
def blowfish(random: np.random.Generator, count: int) -> Case:
    """Sixteen rounds with four tables; tables and keys are random numbers."""
    boxes = random.integers(0, 2**32, 1024, dtype=np.uint32)
    keys = random.integers(0, 2**32, 18, dtype=np.uint32)
    blocks = random.integers(0, 2**32, (count, 2), dtype=np.uint32)
    left, right = blocks.T.copy()
    for key in keys[:16]:
        left ^= key
        a, b, c, d = (boxes[256 * k + (left >> np.uint32(24 - 8 * k) & np.uint32(255))] for k in range(4))
        left, right = right ^ ((a + b ^ c) + d), left
    expected = np.stack([right ^ keys[17], left ^ keys[16]], axis=1)
    return Case(
        BLOWFISH,
        [Launch("blowfish", ("boxes", "keys", "in", "out"), (count,), (64,))],
        {"boxes": boxes, "keys": keys, "in": blocks, "out": np.zeros_like(blocks)},
        {"out": expected},
    )


ADLER = """
kernel void adler(global const uchar *rows, global uint *sums, uint length) {
    uint i = get_global_id(0), low = 1, high = 0;
    for (uint k = 0; k < length; k++) {
        low = (low + rows[i * length + k]) % 65521;
        high = (high + low) % 65521;
    }
    sums[i] = high << 16 | low;
}
"""


@case("hashes/Adler-32", sizes={"count": 2048}, small={"count": 64})
def adler(random: np.random.Generator, count: int, length: int = 64) -> Case:
    """Remainders of a constant in each step."""
    rows = random.integers(0, 256, (count, length), dtype=np.uint8)
    sums = np.array([zlib.adler32(row.tobytes()) for row in rows], np.uint32)
    return Case(
        ADLER,
        [Launch("adler", ("rows", "sums", np.uint32(length)), (count,), (32,))],
        {"rows": rows, "sums": np.zeros_like(sums)},
        {"sums": sums},
    )


POWERS = """
// The product of two numbers over 2^64, modulo n; `inverse` is that of n modulo 2^64.
ulong product(ulong a, ulong b, ulong n, ulong inverse) {
    ulong high = mul_hi(a, b), lost = mul_hi(a * b * inverse, n);
    return high >= lost ? high - lost : high - lost + n;
}
kernel void powers(global const ulong *bases, global ulong *out, ulong n, ulong inverse, ulong exponent) {
    size_t i = get_global_id(0);
    ulong base = bases[i], power = base;
    for (int bit = 62; bit >= 0; bit--) {
        power = product(power, power, n, inverse);
        if (exponent >> bit & 1) power = product(power, base, n, inverse);
    }
    out[i] = power;
}
"""


@case("hashes/powers modulo n", sizes={"count": 2048}, small={"count": 64})
def powers(random: np.random.Generator, count: int) -> Case:
    """Montgomery's method: 64-bit numbers with products of 128 bits."""
    n, exponent = 2**63 - 25, 2**63 | 0x5555123456789ABC
    bases = random.integers(0, n, count, dtype=np.uint64)
    scale, inverse = 2**64, pow(n, -1, 2**64)
    # The numbers stand for themselves over 2^64.
    expected = [pow(int(base) * pow(scale, -1, n), exponent, n) * scale % n for base in bases]
    arguments = ("bases", "out", np.uint64(n), np.uint64(inverse), np.uint64(exponent))
    return Case(
        POWERS,
        [Launch("powers", arguments, (count,), (64,))],
        {"bases": bases, "out": np.zeros_like(bases)},
        {"out": np.array(expected, np.uint64)},
    )
