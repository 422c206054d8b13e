"""Codecs: streams that work-items decode or encode, each its own, so that data decides what is read or
written next."""

import numpy as np

from bench.case import Case, Launch, case

# The steps of IMA ADPCM, and how a code moves on in them.
STEPS = np.array(
    [7, 8, 9, 10, 11, 12, 13, 14, 16, 17, 19, 21, 23, 25, 28, 31, 34, 37, 41, 45, 50, 55, 60, 66, 73, 80, 88,
     97, 107, 118, 130, 143, 157, 173, 190, 209, 230, 253, 279, 307, 337, 371, 408, 449, 494, 544, 598, 658,
     724, 796, 876, 963, 1060, 1166, 1282, 1411, 1552, 1707, 1878, 2066, 2272, 2499, 2749, 3024, 3327, 3660,
     4026, 4428, 4871, 5358, 5894, 6484, 7132, 7845, 8630, 9493, 10442, 11487, 12635, 13899, 15289, 16818,
     18500, 20350, 22385, 24623, 27086, 29794, 32767],
    np.int32,
)  # fmt: skip
MOVES = np.array([-1, -1, -1, -1, 2, 4, 6, 8] * 2, np.int32)

ADPCM = """
kernel void adpcm(
    global const uchar *in, constant int *steps, constant int *moves, global short *out, uint n
) {
    uint id = get_global_id(0);
    int sample = 0, index = 0;
    for (uint k = 0; k < n; k++) {
        int code = in[id * n / 2 + (k >> 1)], step = steps[index];
        code = k & 1 ? code >> 4 : code & 15;
        int difference = step >> 3;
        if (code & 1) difference += step >> 2;
        if (code & 2) difference += step >> 1;
        if (code & 4) difference += step;
        sample = clamp(code & 8 ? sample - difference : sample + difference, -32768, 32767);
        index = clamp(index + moves[code], 0, 88);
        out[id * n + k] = sample;
    }
}
"""


@case("codecs/ADPCM", sizes={"streams": 1024}, small={"streams": 32})
def adpcm(random: np.random.Generator, streams: int, samples: int = 64) -> Case:
    """IMA ADPCM decoded: two samples a byte, and a table of steps that follows the samples."""
    data = random.integers(0, 256, (streams, samples // 2), dtype=np.uint8)
    sample, index = np.zeros((2, streams), np.int32)
    out = np.empty((streams, samples), np.int16)
    for k in range(samples):
        code = data[:, k // 2].astype(np.int32) >> 4 * (k % 2) & 15
        step = STEPS[index]
        difference = (step >> 3) + sum(((code >> bit) & 1) * (step >> (2 - bit)) for bit in range(3))
        sample = np.clip(np.where(code & 8, sample - difference, sample + difference), -32768, 32767)
        index = np.clip(index + MOVES[code], 0, 88)
        out[:, k] = sample
    return Case(
        ADPCM,
        [Launch("adpcm", ("in", "steps", "moves", "out", np.uint32(samples)), (streams,))],
        {"in": data, "steps": STEPS, "moves": MOVES, "out": np.zeros_like(out)},
        {"out": out},
    )


UTF_8 = """
kernel void utf8(global const ushort *in, global uchar *out, global int *lengths, int n) {
    int id = get_global_id(0), start = id * n * 3, to = start;
    for (int k = 0; k < n; k++) {
        uint c = in[id * n + k];
        if (c < 0x80) {
            out[to++] = c;
        } else if (c < 0x800) {
            out[to++] = 0xc0 | c >> 6;
            out[to++] = 0x80 | (c & 63);
        } else {
            out[to++] = 0xe0 | c >> 12;
            out[to++] = 0x80 | (c >> 6 & 63);
            out[to++] = 0x80 | (c & 63);
        }
    }
    lengths[id] = to - start;
}
"""


@case("codecs/UTF-8", sizes={"texts": 512}, small={"texts": 32})
def utf_8(random: np.random.Generator, texts: int, length: int = 64) -> Case:
    """Texts of 16 bits a character as UTF-8, of one to three bytes a character."""
    units = random.integers(1, 0xD800, (texts, length)) >> random.integers(0, 12, (texts, length))
    units = np.maximum(units, 1).astype(np.uint16)
    out = np.zeros((texts, 3 * length), np.uint8)
    lengths = np.empty(texts, np.int32)
    for text, row, i in zip(units, out, range(texts), strict=True):
        encoded = text.tobytes().decode("utf-16-le").encode()
        row[: len(encoded)] = np.frombuffer(encoded, np.uint8)
        lengths[i] = len(encoded)
    return Case(
        UTF_8,
        [Launch("utf8", ("in", "out", "lengths", np.int32(length)), (texts,))],
        {"in": units, "out": np.zeros_like(out), "lengths": np.zeros_like(lengths)},
        {"out": out, "lengths": lengths},
    )


PACKED = """
kernel void unpack(global const uint *in, global uint *out, int bits) {
    int id = get_global_id(0), have = 0;
    global const uint *next = in + id * bits;
    ulong read = 0;
    for (int k = 0; k < 32; k++) {
        if (have < bits) {
            read |= (ulong)*next++ << have;
            have += 32;
        }
        out[id * 32 + k] = (uint)read & ((1u << bits) - 1);
        read >>= bits;
        have -= bits;
    }
}
"""


@case("codecs/packed numbers", sizes={"blocks": 2048}, small={"blocks": 32})
def packed_numbers(random: np.random.Generator, blocks: int, bits: int = 11) -> Case:
    """Blocks of 32 numbers of 11 bits, read word by word."""
    numbers = random.integers(0, 1 << bits, (blocks, 32), dtype=np.uint32)
    single = (numbers[:, :, None] >> np.arange(bits, dtype=np.uint32) & 1).astype(np.uint8)
    words = np.packbits(single.reshape(blocks, -1), axis=1, bitorder="little").view("<u4")
    return Case(
        PACKED,
        [Launch("unpack", ("in", "out", np.int32(bits)), (blocks,))],
        {"in": words, "out": np.zeros_like(numbers)},
        {"out": numbers},
    )


STATES = """
kernel void count(global const uchar *texts, global const uchar *next, global uint *counts, int n) {
    int id = get_global_id(0);
    uint state = 0, count = 0;
    for (int k = 0; k < n; k++) {
        state = next[state * 256 + texts[id * n + k]];
        count += state == 7;
    }
    counts[id] = count;
}
"""


@case("codecs/state machine", sizes={"texts": 1024}, small={"texts": 32})
def state_machine(random: np.random.Generator, texts: int, length: int = 64) -> Case:
    """How often texts bring a machine of 16 states, whose table is random, into one of them."""
    data = random.integers(0, 256, (texts, length), dtype=np.uint8)
    follows = random.integers(0, 16, (16, 256), dtype=np.uint8)
    state, counts = np.zeros(texts, np.uint8), np.zeros(texts, np.uint32)
    for k in range(length):
        state = follows[state, data[:, k]]
        counts += state == 7
    return Case(
        STATES,
        [Launch("count", ("texts", "next", "counts", np.int32(length)), (texts,))],
        {"texts": data, "next": follows, "counts": np.zeros_like(counts)},
        {"counts": counts},
    )
